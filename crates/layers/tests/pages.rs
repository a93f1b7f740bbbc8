//! The pages of the repository: each link and each anchor of them exists, and each page is in the contents of the site
//! (docs/design/site.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The address that pages have for files of this repository where they are also read elsewhere.
const PUBLISHED: &[&str] =
    &["https://github.com/sealstone/sealstone/blob/main/", "https://github.com/sealstone/sealstone/tree/main/"];

#[test]
fn every_link_and_anchor_of_a_page_exists() {
    let faults = dead(&pages(), |path| root().join(path).exists());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_contents_of_the_site() {
    let pages = pages();
    let contents = contents(&read("docs/site/contents.txt"), &pages["docs/guide/README.md"]);
    let faults = forgotten(pages.keys().map(String::as_str), &contents);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // What names a page or a pattern names one that is there.
    let stale = contents.iter().filter(|pattern| !pages.keys().any(|page| matches(pattern, page)));
    let stale: Vec<_> = stale.filter(|pattern| !pattern.contains(".zh-CN.")).collect();
    assert!(stale.is_empty(), "the contents of the site have no page for {stale:?}");
}

#[test]
fn commands_of_the_first_page_of_the_site_are_those_of_pages_that_it_links() {
    let pages = pages();
    let first = &pages["docs/README.md"];
    let linked = targets(first).into_iter().map(|(_, target)| joined("docs/README.md", &target));
    let linked: Vec<_> = linked.filter_map(|page| pages.get(&page)).collect();
    let blocks: Vec<_> = first.split("```").skip(1).step_by(2).collect();
    assert!(blocks.len() >= 3, "{blocks:?}");
    for block in blocks {
        let (language, lines) = block.split_once('\n').expect("a language");
        let is_known = |page: &&String| page.split("```").any(|other| has_lines(other, language, lines));
        assert!(linked.iter().any(is_known), "docs/README.md has a block that no page has which it links:\n{lines}");
    }
}

/// The blocks of the page, one after the other, are the programs, one after the other. Empty lines do not count.
#[test]
fn the_page_about_java_shows_its_examples_whole_and_in_order() {
    let page = read("docs/guide/java.md");
    let blocks = page.split("```java\n").skip(1).map(|block| block.split("```").next().expect("a block"));
    let shown: Vec<_> = blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect();
    let programs = ["Service", "Keys", "BouncyCastle"].map(|name| read(&format!("examples/java/{name}.java")));
    let written: Vec<_> = programs.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty()).collect();
    let differs = shown.iter().zip(&written).find(|(shown, written)| shown != written);
    assert_eq!(differs, None, "a line of docs/guide/java.md, and of examples/java");
    assert_eq!(shown.len(), written.len(), "lines of docs/guide/java.md, and of examples/java");
    let sources =
        fs::read_dir(root().join("examples/java")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let sources = sources.filter(|path| path.extension().is_some_and(|ending| ending == "java"));
    assert_eq!(sources.count(), programs.len(), "programs that the page shows");
}

/// Whether a block in this language has these lines together.
fn has_lines(block: &str, language: &str, lines: &str) -> bool {
    block.split_once('\n').is_some_and(|(first, rest)| first == language && rest.contains(lines))
}

/// The links of pages to what is not there: the page, the line and the target.
fn dead(pages: &BTreeMap<String, String>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let anchors: BTreeMap<_, _> = pages.iter().map(|(name, text)| (name.as_str(), anchors(text))).collect();
    let mut faults = Vec::new();
    for (page, text) in pages {
        for (line, target) in targets(text) {
            let (path, anchor) = target.split_once('#').map_or((&*target, None), |(path, anchor)| (path, Some(anchor)));
            let path = joined(page, path);
            let fault = match anchor {
                _ if !exists(&path) => "there is no such file",
                Some(_) if !anchors.contains_key(path.as_str()) => "only pages have anchors",
                Some(anchor) if !anchors[path.as_str()].contains(anchor) => "there is no such heading",
                _ => continue,
            };
            faults.push(format!("{page}:{line}: {target}: {fault}"));
        }
    }
    faults
}

/// The pages that the site has to have and does not.
fn forgotten<'a>(pages: impl Iterator<Item = &'a str>, contents: &[String]) -> Vec<String> {
    let has_to = |page: &&str| !page.contains('/') || page.starts_with("docs/") || page.starts_with("spec/");
    let missing = pages.filter(has_to).filter(|page| !contents.iter().any(|pattern| matches(pattern, page)));
    let advice = "link it in docs/guide/README.md outside of its tables, or name it in docs/site/contents.txt";
    missing.map(|page| format!("{page} is not in the contents of the site: {advice}")).collect()
}

/// Patterns and names of the pages of the site, as docs/site/conf.py reads them.
fn contents(groups: &str, guides: &str) -> Vec<String> {
    let groups = groups.lines().filter(|line| !line.starts_with('#') && *line != "guides");
    let patterns = groups.flat_map(|line| line.split_once(": ").expect("a caption").1.split(' ')).map(str::to_owned);
    let sections = guides.split("\n## ").skip(1).flat_map(str::lines);
    let lines: Vec<_> = sections.filter(|line| !line.starts_with('|')).collect();
    let linked = targets(&lines.join("\n")).into_iter().map(|(_, target)| target);
    let linked = linked.map(|target| joined("docs/guide/README.md", target.split('#').next().expect("a path")));
    patterns.chain(linked).collect()
}

/// Whether a path has the parts of a pattern, in which `*` stands for anything within a part.
fn matches(pattern: &str, path: &str) -> bool {
    let is_part = |(pattern, part): (&str, &str)| match pattern.split_once('*') {
        Some((begin, end)) => part.len() >= pattern.len() - 1 && part.starts_with(begin) && part.ends_with(end),
        None => pattern == part,
    };
    let (patterns, parts) = (pattern.split('/'), path.split('/'));
    patterns.clone().count() == parts.clone().count() && patterns.zip(parts).all(is_part)
}

/// What a page links within the repository, with the number of the line: links and pictures, but none in code.
fn targets(text: &str) -> Vec<(usize, String)> {
    let text = without_code(text);
    let ends = [("](", &[')', ' '][..]), ("src=\"", &['"']), ("srcset=\"", &['"', ' ']), ("href=\"", &['"'])];
    let mut found = Vec::new();
    for (begin, ends) in ends {
        for (at, _) in text.match_indices(begin) {
            let target = text[at + begin.len()..].split(ends).next().expect("a target");
            let published = PUBLISHED.iter().find_map(|address| target.strip_prefix(address));
            let target = published.map_or_else(|| target.to_owned(), |path| format!("/{path}"));
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !is_elsewhere && !target.is_empty() {
                found.push((1 + text[..at].matches('\n').count(), decoded(&target)));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The anchors of a page, as GitHub makes them of its headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in without_blocks(text).lines() {
        let level = line.len() - line.trim_start_matches('#').len();
        let Some(heading) = line[level..].strip_prefix(' ').filter(|_| (1..=6).contains(&level)) else { continue };
        let anchor = anchor(heading);
        let again = (1..).map(|number| format!("{anchor}-{number}"));
        let name = std::iter::once(anchor.clone()).chain(again).find(|name| !found.contains(name));
        found.insert(name.expect("some number is free"));
    }
    found
}

/// Letters of all scripts, digits, `_` and `-` stay, a space becomes `-`, and all else goes. Of a link its text stays.
fn anchor(heading: &str) -> String {
    let (mut shown, mut rest) = (String::new(), heading.trim());
    while let Some((before, after)) = rest.split_once("](") {
        shown += before;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    shown += rest;
    let letters = shown.chars().flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c });
    letters.filter(|c| c.is_alphabetic() || c.is_ascii_digit() || matches!(c, '_' | '-')).collect()
}

/// A text whose blocks of code are empty lines.
fn without_blocks(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let begins = line.trim_start();
        let marks = begins.len() - begins.trim_start_matches(['`', '~']).len();
        match fence {
            None if marks >= 3 => fence = Some(&begins[..marks]),
            None => kept += line,
            Some(open) if begins.starts_with(open) && begins.trim_end().len() == marks => fence = None,
            Some(_) => {}
        }
        kept.push('\n');
    }
    kept
}

/// A text without blocks of code, and without what is between backticks in a paragraph.
fn without_code(text: &str) -> String {
    let blocks = without_blocks(text);
    let paragraphs = blocks.split("\n\n").map(|paragraph| {
        let (mut kept, mut rest) = (String::new(), paragraph);
        while let Some(at) = rest.find('`') {
            let (before, code) = rest.split_at(at);
            let marks = &code[..code.len() - code.trim_start_matches('`').len()];
            let inside = &code[marks.len()..];
            kept += before;
            rest = match closing(inside, marks) {
                Some(end) => {
                    // Lines keep their numbers.
                    kept.extend(inside[..end].matches('\n'));
                    &inside[end + marks.len()..]
                }
                None => inside,
            };
        }
        kept + rest
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Where exactly so many backticks are.
fn closing(text: &str, marks: &str) -> Option<usize> {
    let is_whole = |at: &usize| !text[..*at].ends_with('`') && !text[at + marks.len()..].starts_with('`');
    text.match_indices(marks).map(|(at, _)| at).find(is_whole)
}

/// The path in the repository that a page links; `/` is its root. A path that leaves the repository stays as it is.
fn joined(page: &str, target: &str) -> String {
    if target.is_empty() {
        return page.to_owned();
    }
    let (folder, target) = match target.strip_prefix('/') {
        Some(path) => ("", path),
        None => (page.rsplit_once('/').map_or("", |(folder, _)| folder), target),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// `%E5` is a byte.
fn decoded(target: &str) -> String {
    let mut pieces = target.split('%');
    let mut bytes = pieces.next().expect("a first piece").as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.extend([&[byte], &piece.as_bytes()[2..]].concat()),
            None => bytes.extend([b"%", piece.as_bytes()].concat()),
        }
    }
    String::from_utf8(bytes).expect("a link in UTF-8")
}

/// The texts of all pages by their path in the repository, without those that were installed or built.
fn pages() -> BTreeMap<String, String> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root()).expect("below the root").to_str().expect("UTF-8").to_owned();
            let last = name.rsplit('/').next().expect("a name");
            let is_made = ["target", "node_modules", "dist"].contains(&last) || name == "bench/report";
            if is_made || path.is_symlink() || last.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.insert(name.clone(), read(&name));
            }
        }
    }
    found
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("a text")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/layers is two below").to_owned()
}

#[test]
fn a_link_to_what_is_not_there_is_found_with_its_line() {
    let page = "# A page\n\n[a](b.md#用法-1) [b](#a-page) `[c](no.md)`\n\n```sh\n[d](no.md)\n# no heading\n```\n\n\
                [e\nf](../no.md)\n[g](b.md#no), [h](#no-heading) [i](https://example.org/no.md)\n<img src=\"no.svg\">\n\
                [j](https://github.com/sealstone/sealstone/blob/main/docs/b.md#no) [k](a.rs) [l](a.rs#L1) `` ` [m](no) ``";
    let pages = [("docs/a.md", page), ("docs/b.md", "# B\n\n## 用法\n\n### 用法\n")];
    let pages = pages.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let faults = dead(&pages, |path| ["docs/a.md", "docs/b.md", "docs/a.rs"].contains(&path));
    assert_eq!(
        faults,
        [
            "docs/a.md:11: ../no.md: there is no such file",
            "docs/a.md:12: #no-heading: there is no such heading",
            "docs/a.md:12: b.md#no: there is no such heading",
            "docs/a.md:13: no.svg: there is no such file",
            "docs/a.md:14: /docs/b.md#no: there is no such heading",
            "docs/a.md:14: a.rs#L1: only pages have anchors",
        ]
    );
}

#[test]
fn a_link_out_of_the_repository_is_no_link_within_it() {
    assert_eq!(joined("docs/guide/a.md", "../../b.md"), "b.md");
    assert_eq!(joined("docs/guide/a.md", "../../../docs/guide/a.md"), "../docs/guide/a.md");
    assert_eq!(joined("docs/guide/a.md", "/spec/./a.md"), "spec/a.md");
    assert_eq!(joined("a.md", ""), "a.md");
    assert_eq!(decoded("a.md#%E7%94%A8%E6%B3%95-100%"), "a.md#用法-100%");
}

#[test]
fn anchors_are_those_of_github() {
    for (heading, expected) in [
        ("Encrypt and decrypt", "encrypt-and-decrypt"),
        ("1.2 Example: `a_b` & more", "12-example-a_b--more"),
        ("消息认证码（MAC）的密钥派生", "消息认证码mac的密钥派生"),
        ("SM2、SM3 和 SM4：用法", "sm2sm3-和-sm4用法"),
        ("What is [age](from-age.md), again?", "what-is-age-again"),
        ("Été – 10⁹ × 2", "été--10--2"),
        ("!", ""),
    ] {
        assert_eq!(anchor(heading), expected);
    }
    let found = anchors("# A\n#no\n## A\n### A-1\n~~~\n# B\n```\n~~~\n####### C\n");
    assert_eq!(found, ["a", "a-1", "a-1-1"].map(str::to_owned).into());
}

#[test]
fn a_page_that_was_forgotten_is_found() {
    let guides = "# Guides\n[z](z.md)\n\n## Files\n\n| a | b |\n|---|---|\n| a | [a](table.md) |\n\nPages: [files](files.md#x)\n";
    let contents = contents("# A comment\nFormats: spec/*.md docs/*/*.zh-CN.md\nguides\nProject: A.md\n", guides);
    assert_eq!(contents, ["spec/*.md", "docs/*/*.zh-CN.md", "A.md", "docs/guide/files.md"]);
    let pages = [
        "A.md",
        "B.md",
        "docs/guide/files.md",
        "docs/guide/files.zh-CN.md",
        "docs/guide/table.md",
        "docs/guide/z.md",
        "spec/format.md",
        "spec/more/format.md",
        "vectors/nkct/README.md",
    ];
    let missing: Vec<_> = forgotten(pages.into_iter(), &contents);
    let names: Vec<_> = missing.iter().map(|fault| fault.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["B.md", "docs/guide/table.md", "docs/guide/z.md", "spec/more/format.md"]);
}
