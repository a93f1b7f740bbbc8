//! The options of all commands.

use clap::Args;
use sealstone::Passphrase;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The options that every command has.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Number of threads; all cores by default
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Replace existing files; with --in-place, also a file that has other names (hard links)
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Do not wait until the output is on the disk (faster, but a power cut may lose it)
    #[arg(long, global = true)]
    pub(crate) no_sync: bool,
    /// Print errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print JSON, one object on each line; on stderr if stdout can carry data
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) passphrase_source: PassphraseSource,
}

impl Common {
    /// The number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        let found = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.map_or_else(found, usize::from)
    }

    /// Whether an option names a source of passphrases.
    pub(crate) fn has_passphrase_source(&self) -> bool {
        self.passphrase_source.is_named()
    }
}

/// The source of passphrases, if not the terminal.
#[derive(Args)]
pub(crate) struct PassphraseSource {
    /// Read the passphrase from a file with one line
    #[arg(long, global = true, value_name = "FILE", group = "passphrase_source")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Read the passphrase from an open file descriptor
    #[arg(long, global = true, value_name = "N", group = "passphrase_source")]
    pub(crate) passphrase_fd: Option<u16>,
    /// Run a program to get the passphrase: its argument is the prompt, and it prints one line
    #[arg(long, global = true, value_name = "PROGRAM", group = "passphrase_source")]
    pub(crate) askpass: Option<PathBuf>,
    /// Read the passphrase from this environment variable (your other processes may see it)
    #[arg(long, global = true, value_name = "NAME", group = "passphrase_source")]
    pub(crate) passphrase_env: Option<String>,
    /// The passphrase from `--passphrase-fd`, which can be read only once.
    #[arg(skip)]
    pub(crate) descriptor_answer: OnceLock<Vec<Passphrase>>,
}

impl PassphraseSource {
    /// Whether an option names a source.
    pub(crate) fn is_named(&self) -> bool {
        self.passphrase_file.is_some()
            || self.passphrase_fd.is_some()
            || self.askpass.is_some()
            || self.passphrase_env.is_some()
    }
}
