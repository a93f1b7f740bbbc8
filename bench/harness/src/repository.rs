//! What git knows of the repository.

use crate::engine::Places;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository that the working directory is in: what is written goes there, wherever this program was compiled.
pub fn around_here() -> Result<PathBuf, String> {
    let here = std::env::current_dir().map_err(|error| format!("the working directory: {error}"))?;
    let root = here.ancestors().find(|folder| folder.join("bench/definitions").is_dir()).map(Path::to_owned);
    root.ok_or_else(|| format!("{} is in no repository with bench/definitions: name one with --root", here.display()))
}

/// The commit that is checked out, as a record names it: with `+` where the tree has changes.
pub fn commit(root: &Path) -> String {
    let head = git(root, &["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let changed = git(root, &["status", "--porcelain"]).is_ok_and(|changes| !changes.is_empty());
    head + if changed { "+" } else { "" }
}

/// Checks an earlier commit out below the target directory, where the one of the last time is replaced and what was built of it
/// serves again. Returns its hash, and where its engines are.
pub fn check_out(root: &Path, commit: &str, places: &Places) -> Result<(String, Places), String> {
    let hash = git(root, &["rev-parse", "--verify", &format!("{commit}^{{commit}}")])
        .map_err(|_| format!("{commit} is no commit of this repository"))?;
    let tree = places.target.join("before");
    let done = if tree.join(".git").exists() {
        git(&tree, &["checkout", "--quiet", "--force", "--detach", &hash])
    } else {
        // A folder that somebody has removed is still registered; `--force` registers it again.
        git(root, &["worktree", "add", "--quiet", "--force", "--detach", &tree.display().to_string(), &hash])
    };
    done.map_err(|error| format!("{error} (remove {} to begin anew)", tree.display()))?;
    let engines = tree.join("bench/engines");
    Ok((hash, Places { engines, target: tree.join("target"), bench: places.bench.clone() }))
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut git = Command::new("git");
    // A hook or `git rebase --exec` names its own repository in these, and they would win over the folder.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    let output = git.arg("-C").arg(folder).args(arguments).output().map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
