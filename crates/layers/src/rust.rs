//! The paths that a Rust file names: enough of the language to find them, without a parser.

use std::collections::BTreeSet;

/// What a file names.
#[derive(Default)]
pub(crate) struct Names {
    /// Every path outside of tests, groups written out; a leading `::` stays with the first name.
    pub(crate) paths: Vec<Vec<String>>,
    /// The modules that it declares.
    pub(crate) modules: BTreeSet<String>,
    /// Every word outside of comments, of TypeScript alone.
    pub(crate) words: BTreeSet<String>,
}

impl Names {
    pub(crate) fn of(text: &str) -> Self {
        let tokens = without_tests(&tokens(text));
        let modules = tokens.windows(2).filter(|pair| pair[0] == "mod").map(|pair| pair[1].clone()).collect();
        Self { paths: paths(&tokens), modules, ..Self::default() }
    }
}

/// Names, `::`, and single other characters; no comments, and strings as `""`.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize, what: &str| chars[at..].iter().copied().take(what.len()).eq(what.chars());
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            while !starts(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if c == 'r' && (starts(at, "r\"") || starts(at, "r#\"")) {
            let end = if chars[at + 1] == '#' { "\"#" } else { "\"" };
            at += 1 + end.len();
            while !starts(at, end) {
                at += 1;
            }
            at += end.len();
            tokens.push("\"\"".to_owned());
        } else if c == '"' {
            at += 1;
            while chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
            tokens.push("\"\"".to_owned());
        } else if c == '\'' {
            // A character if it is closed, a lifetime otherwise.
            if chars[at + 1] == '\\' {
                at += 3;
                while chars[at] != '\'' {
                    at += 1;
                }
                at += 1;
            } else if chars.get(at + 2) == Some(&'\'') {
                at += 3;
            } else {
                at += 1;
            }
        } else if c.is_alphanumeric() || c == '_' {
            let from = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            tokens.push(chars[from..at].iter().collect());
        } else if starts(at, "::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// Leaves out every item behind `#[cfg(test)]`.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const CFG_TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].iter().take(CFG_TEST.len()).eq(CFG_TEST.iter()) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += CFG_TEST.len();
        let mut depth = 0;
        loop {
            match tokens[at].as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(tokens[at - 1].as_str(), ";" | "}") {
                break;
            }
        }
    }
    kept
}

/// Every path in the tokens, groups written out; a leading `::` stays with the first name.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let leading = tokens[at] == "::" && (at == 0 || !is_name(&tokens[at - 1]) && tokens[at - 1] != ">");
        if leading || is_name(&tokens[at]) {
            at = tree(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path, or one tree of a `use`, from token `at` on; returns where it ends.
fn tree(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    if token(at) == "::" {
        path.push(format!("::{}", token(at + 1)));
        at += 2;
    } else {
        path.push(token(at).to_owned());
        at += 1;
    }
    while token(at) == "::" {
        if token(at + 1) == "{" {
            at += 2;
            while token(at) != "}" {
                at = if is_name(token(at)) { tree(tokens, at, &path, found) } else { at + 1 };
            }
            return at + 1;
        }
        if !is_name(token(at + 1)) {
            // `::<` or `::*`
            at += 1;
            break;
        }
        path.push(token(at + 1).to_owned());
        at += 2;
    }
    found.push(path);
    if token(at) == "as" { at + 2 } else { at }
}

/// Words that may stand before a path, whose leading `::` is not theirs.
const KEYWORDS: &[&str] =
    &["use", "as", "dyn", "else", "for", "if", "impl", "in", "match", "mut", "return", "where", "while"];

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !KEYWORDS.contains(&token)
}
