//! A page that has a Chinese sibling says the same in both languages: the same sections, the same code, links to each other.
//!
//! What is compared is structure. Whether a sentence is translated well, nothing here can say.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages that are there in both languages.
const REQUIRED: [&str; 6] = [
    "README.md",
    "bindings/js/README.md",
    "docs/guide/README.md",
    "docs/guide/files.md",
    "docs/guide/from-ldesign.md",
    "docs/guide/gm.md",
];
const CHINESE: &str = ".zh-CN.md";
const ENGLISH: &str = ".md";

/// A page of the repository: its path there, and its text.
#[derive(Clone, Copy)]
struct Page<'a> {
    path: &'a str,
    text: &'a str,
}

/// What both languages have in the same order.
struct Part {
    /// From 1.
    line: usize,
    what: What,
}

#[derive(PartialEq)]
enum What {
    Heading {
        level: usize,
        title: String,
    },
    /// Lines of code without their comments, with the number of each.
    Code {
        language: String,
        lines: Vec<(usize, String)>,
    },
}

impl Part {
    /// Whether the other language has the same here: a title is translated, and so is a comment.
    fn is(&self, other: &Self) -> bool {
        match (&self.what, &other.what) {
            (What::Heading { level: own, .. }, What::Heading { level: others, .. }) => own == others,
            (What::Code { language: own, lines }, What::Code { language: others, lines: other_lines }) => {
                own == others && texts(lines).eq(texts(other_lines))
            }
            _ => false,
        }
    }

    fn is_code(&self) -> bool {
        matches!(self.what, What::Code { .. })
    }

    /// What it is, for whoever looks for it.
    fn shown(&self) -> String {
        match &self.what {
            // Titles are translated, so that of headings of one level in a row any may be the one.
            What::Heading { level, title } => {
                format!("the heading `{} {title}`, or one beside it,", "#".repeat(*level))
            }
            What::Code { language, lines } => {
                let first = lines.first().map_or("", |(_, line)| line);
                format!("the block ```{language} that begins with `{first}`")
            }
        }
    }
}

fn texts(lines: &[(usize, String)]) -> impl Iterator<Item = &str> {
    lines.iter().map(|(_, text)| text.as_str())
}

/// The headings and the blocks of code of a page, without what the benchmark writes.
fn parts(text: &str) -> Vec<Part> {
    let (mut parts, mut code, mut is_benchmark) = (Vec::new(), None::<(String, Part)>, false);
    for (line, text) in (1..).zip(text.lines()) {
        let trimmed = text.trim();
        if let Some((fence, mut part)) = code.take() {
            if trimmed == fence {
                parts.push(part);
                continue;
            }
            if let What::Code { language, lines } = &mut part.what {
                let text = without_comment(language, text).trim_end();
                if !text.is_empty() {
                    lines.push((line, text.to_owned()));
                }
            }
            code = Some((fence, part));
        } else if is_benchmark || trimmed.starts_with("<!-- bench:begin") {
            is_benchmark = trimmed != "<!-- bench:end -->";
        } else if trimmed.starts_with("```") {
            let language = trimmed.trim_start_matches('`');
            let fence = trimmed[..trimmed.len() - language.len()].to_owned();
            code = Some((fence, Part { line, what: What::Code { language: language.to_owned(), lines: Vec::new() } }));
        } else {
            let title = text.trim_start_matches('#');
            let level = text.len() - title.len();
            if (1..=6).contains(&level)
                && let Some(title) = title.strip_prefix(' ')
            {
                parts.push(Part { line, what: What::Heading { level, title: title.trim().to_owned() } });
            }
        }
    }
    if let Some((_, part)) = code {
        parts.push(part);
    }
    parts
}

/// A line of code up to its comment, which begins the line or follows a space.
fn without_comment<'a>(language: &str, line: &'a str) -> &'a str {
    let mark = match language {
        "sh" | "bash" | "python" | "toml" | "yaml" => "#",
        "js" | "ts" | "jsonc" | "rust" | "go" | "java" | "c" => "//",
        _ => return line,
    };
    let mut found = line.match_indices(mark).map(|(at, _)| at);
    let comment = found.find(|at| line[..*at].chars().next_back().is_none_or(char::is_whitespace));
    &line[..comment.unwrap_or(line.len())]
}

/// The longest sequence that both have, as pairs of places.
fn common(own: &[Part], others: &[Part]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0; others.len() + 1]; own.len() + 1];
    for i in (0..own.len()).rev() {
        for j in (0..others.len()).rev() {
            lengths[i][j] = if own[i].is(&others[j]) {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < own.len() && j < others.len() {
        if own[i].is(&others[j]) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// What one page has and the other has not, each with its file and line.
fn faults(english: Page, chinese: Page) -> Vec<String> {
    let mut faults = Vec::new();
    for (page, other) in [(english, chinese), (chinese, english)] {
        let name = other.path.rsplit('/').next().expect("a path has a last part");
        if !page.text.contains(&format!("]({name})")) {
            faults.push(format!("{}:1: no link to [its sibling]({name})", page.path));
        }
    }
    let (own, others) = (parts(english.text), parts(chinese.text));
    let mut pairs = common(&own, &others);
    pairs.push((own.len(), others.len()));
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in pairs {
        let gaps = [Gap::of(english, &own, i..to_i), Gap::of(chinese, &others, j..to_j)];
        faults.extend(gaps[0].faults(&gaps[1]));
        (i, j) = (to_i + 1, to_j + 1);
    }
    faults
}

/// What a page alone has between two parts that both have.
struct Gap<'a> {
    page: Page<'a>,
    parts: &'a [Part],
    /// The lines of these two, for whoever adds something.
    place: String,
}

impl<'a> Gap<'a> {
    fn of(page: Page<'a>, all: &'a [Part], range: Range<usize>) -> Self {
        let start = range.start.checked_sub(1).map_or(1, |before| all[before].line);
        let end = all.get(range.end).map_or("the end".to_owned(), |part| format!("line {}", part.line));
        Self { page, parts: &all[range], place: format!("between line {start} and {end}") }
    }

    fn code(&self) -> impl Iterator<Item = &'a Part> {
        self.parts.iter().filter(|part| part.is_code())
    }

    /// What is wrong between the same two parts of both pages.
    fn faults(&self, other: &Self) -> Vec<String> {
        // Blocks at the same place are one that was changed; what is left on either side is missing on the other.
        let mut faults: Vec<_> =
            self.code().zip(other.code()).map(|(own, others)| changed(self, own, other, others)).collect();
        let changed = faults.len();
        faults.extend(self.missing_in(other, changed));
        faults.extend(other.missing_in(self, changed));
        faults
    }

    fn missing_in(&self, other: &Self, changed: usize) -> impl Iterator<Item = String> {
        let headings = self.parts.iter().filter(|part| !part.is_code());
        headings.chain(self.code().skip(changed)).map(|part| {
            let (path, line, shown) = (self.page.path, part.line, part.shown());
            format!("{path}:{line}: {shown} is missing in {}, {}", other.page.path, other.place)
        })
    }
}

/// The first line in which two blocks differ.
fn changed(page: &Gap, own: &Part, other_page: &Gap, other: &Part) -> String {
    let (path, other_path) = (page.page.path, other_page.page.path);
    let (What::Code { language, lines }, What::Code { language: other_language, lines: others }) =
        (&own.what, &other.what)
    else {
        unreachable!("both are code");
    };
    if language != other_language {
        return format!("{path}:{}: ```{language} is ```{other_language} in {other_path}:{}", own.line, other.line);
    }
    let at = texts(lines).zip(texts(others)).take_while(|(own, other)| own == other).count();
    let shown = |part: &Part, lines: &[(usize, String)]| match lines.get(at) {
        Some((line, text)) => (*line, format!("`{text}`")),
        None => (lines.last().map_or(part.line, |(line, _)| *line), "the end of the block".to_owned()),
    };
    let ((line, text), (other_line, other_text)) = (shown(own, lines), shown(other, others));
    format!("{path}:{line}: {text} is {other_text} in {other_path}:{other_line}")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Chinese pages that git tracks, or would once they are added.
fn chinese_pages() -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
    let output = git.arg(format!("*{CHINESE}")).current_dir(repository()).output().expect("languages: git runs");
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("languages: names are UTF-8");
    names.split_terminator('\0').map(str::to_owned).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn pages_in_two_languages_have_the_same_sections_and_code() {
    let mut found = String::new();
    for chinese in chinese_pages() {
        let english = chinese.replace(CHINESE, ENGLISH);
        let (english_text, chinese_text) = (read(&english), read(&chinese));
        let pages = (Page { path: &english, text: &english_text }, Page { path: &chinese, text: &chinese_text });
        for fault in faults(pages.0, pages.1) {
            writeln!(found, "{fault}").unwrap();
        }
    }
    assert!(found.is_empty(), "change both languages:\n{found}");
}

#[test]
fn pages_that_chinese_readers_begin_with_are_there_in_chinese() {
    let pages = chinese_pages();
    let missing: Vec<_> =
        REQUIRED.iter().map(|page| page.replace(ENGLISH, CHINESE)).filter(|page| !pages.contains(page)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

const PAGE: &str = "\
# Files
[中文](files.zh-CN.md)

Text.

## Encrypt

```sh
# All of it.
seal film    # a film
```

## Decrypt

### In Rust

```rust
open(film)?; // a film
# not a comment
```
";

const SIBLING: &str = "\
# 文件
[English](files.md)

## 加密

```sh
# 全部。
seal film    # 一部影片
```

正文。

## 解密

### 在 Rust 中

```rust
open(film)?; // 一部影片
# not a comment
```
";

/// What is wrong with these two.
fn compared(english: &str, chinese: &str) -> Vec<String> {
    faults(Page { path: "docs/files.md", text: english }, Page { path: "docs/files.zh-CN.md", text: chinese })
}

#[test]
fn prose_titles_comments_and_tables_of_the_benchmark_may_differ() {
    assert_eq!(compared(PAGE, SIBLING), [""; 0]);
    let measured = PAGE.replace("Text.", "<!-- bench:begin files -->\n## Files\n```sh\nbench\n```\n<!-- bench:end -->");
    assert_eq!(compared(&measured, SIBLING), [""; 0]);
}

#[test]
fn a_section_that_one_language_has_and_the_other_has_not_is_found() {
    let english = PAGE.replace("### In Rust\n\n", "");
    let extra = "docs/files.zh-CN.md:15: the heading `### 在 Rust 中`, or one beside it, is missing in \
                 docs/files.md, between line 13 and line 15";
    assert_eq!(compared(&english, SIBLING), [extra]);
    let chinese = SIBLING.replace("## 解密\n\n", "");
    let missing = "docs/files.md:13: the heading `## Decrypt`, or one beside it, is missing in \
                   docs/files.zh-CN.md, between line 6 and line 13";
    assert_eq!(compared(PAGE, &chinese), [missing]);
    let level = PAGE.replace("### In Rust", "## In Rust");
    assert_eq!(compared(&level, SIBLING).len(), 2, "a level that differs is missing on both sides");
    let last = "docs/files.md:22: the heading `## Speed`, or one beside it, is missing in \
                docs/files.zh-CN.md, between line 17 and the end";
    assert_eq!(compared(&format!("{PAGE}\n## Speed\n"), SIBLING), [last]);
}

#[test]
fn a_block_of_code_that_one_language_has_and_the_other_has_not_is_found() {
    let (before, block) = SIBLING.split_once("```rust").unwrap();
    let missing = "docs/files.md:17: the block ```rust that begins with `open(film)?;` is missing in docs/files.zh-CN.md, \
                   between line 15 and the end";
    assert_eq!(compared(PAGE, before), [missing]);
    assert_eq!(compared(PAGE, &format!("{SIBLING}```rust{block}")).len(), 1, "or twice");
}

#[test]
fn a_command_that_is_changed_in_one_language_is_found_by_its_line() {
    let option = PAGE.replace("seal film ", "seal --fast film ");
    let fault = "docs/files.md:10: `seal --fast film` is `seal film` in docs/files.zh-CN.md:8";
    assert_eq!(compared(&option, SIBLING), [fault]);
    let more = PAGE.replace("# not a comment\n", "# not a comment\nclose(film);\n");
    let fault = "docs/files.md:20: `close(film);` is the end of the block in docs/files.zh-CN.md:19";
    assert_eq!(compared(&more, SIBLING), [fault]);
    let language = PAGE.replace("```sh", "```bash");
    assert_eq!(compared(&language, SIBLING), ["docs/files.md:8: ```bash is ```sh in docs/files.zh-CN.md:6"]);
}

#[test]
fn a_page_that_does_not_link_to_its_sibling_is_found() {
    let (english, chinese) = (PAGE.replace("files.zh-CN.md", "gm.zh-CN.md"), SIBLING.replace("files.md", "gm.md"));
    assert_eq!(
        compared(&english, &chinese),
        [
            "docs/files.md:1: no link to [its sibling](files.zh-CN.md)",
            "docs/files.zh-CN.md:1: no link to [its sibling](files.md)",
        ]
    );
}

#[test]
fn a_comment_begins_the_line_or_follows_a_space() {
    for (language, line, code) in [
        ("sh", "# all", ""),
        ("sh", "echo ${x#y} # all", "echo ${x#y} "),
        ("python", "a = 1  # one", "a = 1  "),
        ("js", "fetch('https://x.org') // a page", "fetch('https://x.org') "),
        ("rust", "let a = 1; // one", "let a = 1; "),
        ("rust", "#[test]", "#[test]"),
        ("", "sealstone: hint: a # b // c", "sealstone: hint: a # b // c"),
    ] {
        assert_eq!(without_comment(language, line), code, "{language}: {line}");
    }
}
