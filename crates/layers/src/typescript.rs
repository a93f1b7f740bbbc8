//! The modules that a TypeScript file imports, and its words.

use std::collections::BTreeSet;
use std::path::{Component, Path};

/// Every module that a file imports or passes on, types too, as Rust would write its path: `crate::fise::rules` for
/// `./rules.js` in `fise/text.ts`, and `::node:fs` for a package.
pub(crate) fn paths(file: &str, text: &str) -> Vec<Vec<String>> {
    let code = code(text);
    let words = ["from '", "import '", "import('", "require('"];
    let names = words.iter().flat_map(|word| code.split(word).skip(1)).filter_map(|rest| rest.split('\'').next());
    names.map(|name| path(file, name)).collect()
}

/// Every word of a file outside of comments.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    code(text).split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A file without the lines of its comments.
fn code(text: &str) -> String {
    let is_code = |line: &&str| !["*", "/*", "//"].iter().any(|comment| line.trim_start().starts_with(comment));
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

fn path(file: &str, name: &str) -> Vec<String> {
    if !name.starts_with('.') {
        return vec![format!("::{name}")];
    }
    let mut parts = vec!["crate".to_owned()];
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    for part in folder.join(name.trim_end_matches(".js")).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str().expect("layers: names are UTF-8").to_owned()),
            Component::ParentDir => _ = parts.pop(),
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_and_those_in_comments_are_not() {
        let text = "\
/** Opens.\n *\n * import { open } from 'sealstone'\n */\n\
// import './no.js'\n\
import type { A } from './a.js'\nimport {\n  B,\n} from '../b.js'\nexport * from './c/index.js'\n\
const d = await import('./d.js')\nimport { readFile } from 'node:fs'\nconst from = 'e'\n";
        let mut found: Vec<_> = paths("fise/x.ts", text).iter().map(|path| path.join("::")).collect();
        found.sort();
        assert_eq!(found, ["::node:fs", "crate::b", "crate::fise::a", "crate::fise::c::index", "crate::fise::d"]);
    }

    #[test]
    fn words_are_those_of_code() {
        let text = "// process\nconst name = process.cwd()\n/**\n * Buffer\n */\nglobalThis.process?.exit\n";
        let expected = ["const", "cwd", "exit", "globalThis", "name", "process"];
        assert_eq!(words(text), expected.map(str::to_owned).into());
    }
}
