//! Options for the files that are read and written.

use clap::Args;
use std::path::PathBuf;

/// The files that a command reads and writes.
#[derive(Args, Default)]
pub(crate) struct Paths {
    /// Write to a file, to a folder that exists or ends in / (it is created), or to stdout (-, even if it is a terminal). By
    /// default, each output goes beside its input, and the output of stdin to stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Process all regular files in folders. Names, sizes and folders stay readable; empty folders and symbolic links are
    /// skipped
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Replace each file with the result
    #[arg(long, conflicts_with = "output")]
    pub(crate) in_place: bool,
    /// Give the output the permission bits of the input; without this, only you can read the plaintext
    #[arg(long)]
    pub(crate) preserve_mode: bool,
    #[command(flatten)]
    pub(crate) existing: Existing,
    /// Inputs; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}

impl Paths {
    /// Paths of a command that replaces its inputs.
    pub(crate) fn in_place(inputs: &[PathBuf], recursive: bool) -> Self {
        Self { recursive, in_place: true, preserve_mode: true, inputs: inputs.to_vec(), ..Self::default() }
    }
}

/// The handling of outputs that exist.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct Existing {
    /// Skip each input whose output exists and can be its result (explained below)
    #[arg(long)]
    pub(crate) skip_existing: bool,
    /// Skip each input whose output can be its result and is newer; replace the other outputs (explained below)
    #[arg(long, conflicts_with = "skip_existing")]
    pub(crate) newer: bool,
}

impl Existing {
    /// The name of the option that is set.
    pub(crate) fn option(self) -> Option<&'static str> {
        match (self.skip_existing, self.newer) {
            (true, _) => Some("--skip-existing"),
            (_, true) => Some("--newer"),
            _ => None,
        }
    }
}
