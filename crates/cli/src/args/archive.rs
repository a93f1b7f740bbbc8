//! Options for archives and compression.

use clap::Args;
use sealstone::{Compression, Pattern};
use std::path::PathBuf;

/// The options of `encrypt` for archives and compression.
#[derive(Args)]
pub(crate) struct Archiving {
    /// Encrypt files and folders as one archive, with their names, modes, times, links and holes. The output is
    /// FOLDER.tar.seal, or -o. It is compressed (auto) unless --no-compress
    #[arg(long, conflicts_with_all = ["recursive", "in_place", "preserve_mode", "skip_existing", "newer"])]
    pub(crate) archive: bool,
    /// Leave out what this pattern matches: *.tmp and cache/ at any depth, /photos/raw/** from the archive's top; may be repeated
    #[arg(long, value_name = "PATTERN", requires = "archive", value_parser = parse_pattern)]
    pub(crate) exclude: Vec<Pattern>,
    /// Leave out what the patterns in a file match, one on each line; lines that begin with # are comments
    #[arg(long, value_name = "FILE", requires = "archive")]
    pub(crate) exclude_from: Vec<PathBuf>,
    /// Enter no folder on another file system
    #[arg(long, requires = "archive")]
    pub(crate) one_file_system: bool,
    /// Keep users and groups
    #[arg(long, requires = "archive")]
    pub(crate) owners: bool,
    /// Keep extended attributes user.*
    #[arg(long, requires = "archive")]
    pub(crate) xattrs: bool,
    /// Compress: auto (the default) what shrinks, or all at a level of zstd (zstd:1 to zstd:22). The length then tells about the content:
    /// do not compress secrets together with what others write
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_parser = parse_compression, conflicts_with_all = ["skip_existing", "newer"])]
    pub(crate) compress: Option<Compression>,
    /// Do not compress an archive
    #[arg(long, conflicts_with = "compress")]
    pub(crate) no_compress: bool,
}

impl Archiving {
    /// How the content is compressed.
    pub(crate) fn compression(&self) -> Compression {
        match self.compress {
            Some(compression) => compression,
            None if self.archive && !self.no_compress => Compression::Auto,
            None => Compression::None,
        }
    }
}

fn parse_pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|error| error.to_string())
}

fn parse_compression(text: &str) -> Result<Compression, String> {
    let level = match text {
        "auto" => return Ok(Compression::Auto),
        "zstd" => Some(Compression::DEFAULT_LEVEL),
        _ => text.strip_prefix("zstd:").and_then(|level| level.parse().ok()).filter(|level| (1..=22).contains(level)),
    };
    level.map(Compression::Zstd).ok_or_else(|| "expected auto, zstd, or zstd:LEVEL with a level of 1 to 22".to_owned())
}

/// The options of `decrypt` for archives.
#[derive(Args)]
pub(crate) struct Extracting {
    /// Make the files and folders of an archive in the folder -o FOLDER, which must not exist. With paths of members behind the archive,
    /// make only these, in a folder that may exist
    #[arg(long, requires = "output", conflicts_with_all = ["range", "verify_first", "recursive", "in_place", "preserve_mode", "skip_existing", "newer"])]
    pub(crate) extract: bool,
    /// With --extract: make symbolic links that may lead out of the folder
    #[arg(long, requires = "extract")]
    pub(crate) outside_links: bool,
    /// With --extract: restore set-user-ID, set-group-ID and sticky bits
    #[arg(long, requires = "extract")]
    pub(crate) special_bits: bool,
    /// With --extract: restore users and groups, by number (as root)
    #[arg(long, requires = "extract")]
    pub(crate) owners: bool,
    /// With --extract: restore extended attributes user.*
    #[arg(long, requires = "extract")]
    pub(crate) xattrs: bool,
}
