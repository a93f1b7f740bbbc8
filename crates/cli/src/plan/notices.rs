//! What there is to say of a plan.

use crate::failure::Failure;
use crate::place::Place;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Something to say of a plan.
pub(crate) enum Notice {
    Warning(&'static str),
    /// A file was left out.
    Skipped(PathBuf, Skipped),
    /// A job was left out, since its output can be its result.
    Done {
        input: Place,
        output: Place,
    },
    /// A folder could not be read.
    Failure(Failure),
    /// All files were left out.
    AllSkipped(Skips),
}

/// How many files were left out, for which reasons.
#[derive(Clone, Default)]
pub(crate) struct Skips {
    pub(crate) counts: BTreeMap<Skipped, usize>,
    /// Whether even a quiet run says so: a file that is left out of encryption stays readable.
    pub(crate) must_be_said: bool,
}

/// Why a file in a folder is left out; in the order in which the reasons are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skipped {
    WithoutSuffix,
    SuffixAlone,
    OtherNames,
    SymbolicLink,
    NotRegular,
    NotSealed,
    SealedAlready,
    StdoutItself,
    Done,
}

impl Skipped {
    /// What is so of one file, and of several.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::WithoutSuffix => ("does not end in .seal, .age or .nkct", "do not end in .seal, .age or .nkct"),
            Self::SuffixAlone => ("has no name before its ending", "have no name before their endings"),
            Self::OtherNames => (
                "has other names (hard links), which would keep the old content",
                "have other names (hard links), which would keep the old content",
            ),
            Self::SymbolicLink => ("is a symbolic link", "are symbolic links"),
            Self::NotRegular => ("is not a regular file", "are not regular files"),
            Self::NotSealed => ("is not sealed", "are not sealed"),
            Self::SealedAlready => ("is sealed already", "are sealed already"),
            Self::StdoutItself => ("is where stdout goes", "are where stdout goes"),
            Self::Done => ("has its output already", "have their outputs already"),
        }
    }
}
