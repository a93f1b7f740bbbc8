//! Patterns of the paths of members.

use crate::error::{Error, Result};
use crate::pipeline::tree::path_of;
use globset::{GlobBuilder, GlobMatcher};

/// A pattern of members that are left out of an archive.
///
/// `*` stands for any characters but `/`, `?` for one, `[a-z]` for one of several, `{a,b}` for `a` or `b`, and `**` for any number of
/// folders. A pattern without `/` is compared with the name of each member; any other with the path from the archive's top. A `/` at
/// its end limits it to folders. A backslash takes the meaning of the next character away.
///
/// ```
/// use sealstone::Pattern;
///
/// let cache = Pattern::new("cache/")?;
/// assert!(cache.matches(b"home/cache", true) && !cache.matches(b"home/cache", false));
/// let logs = Pattern::new("/home/**/*.log")?;
/// assert!(logs.matches(b"home/web/today.log", false) && !logs.matches(b"var/today.log", false));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    matcher: GlobMatcher,
    /// Whether it is compared with the last component alone.
    of_names: bool,
    of_folders: bool,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] if it is empty, begins with `!`, or has brackets that do not fit.
    pub fn new(pattern: &str) -> Result<Self> {
        let (glob, of_folders) = match pattern.strip_suffix('/') {
            Some(glob) => (glob, true),
            None => (pattern, false),
        };
        if glob.is_empty() || glob.starts_with('!') {
            return Err(Error::InvalidOption("a pattern has one or more characters, and none of them is a ! in front"));
        }
        let of_names = !glob.contains('/');
        let glob = glob.strip_prefix('/').unwrap_or(glob);
        let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
        let glob =
            built.map_err(|_| Error::InvalidOption("a pattern has brackets that do not fit, or a wrong range"))?;
        Ok(Self { matcher: glob.compile_matcher(), of_names, of_folders })
    }

    /// Whether the pattern is that of a member.
    #[must_use]
    pub fn matches(&self, path: &[u8], is_folder: bool) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let part = if self.of_names { name } else { path };
        (is_folder || !self.of_folders) && self.matcher.is_match(path_of(part))
    }
}
