//! The notices of planning.

use crate::failure::Failure;
use crate::place::Place;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A notice that planning found and `work.rs` prints.
pub(crate) enum Notice {
    Warning(&'static str),
    /// A file was skipped.
    Skipped(PathBuf, SkipReason),
    /// A job was skipped, since its existing output can be its result.
    Done {
        input: Place,
        output: Place,
    },
    /// A folder could not be read.
    Failure(Failure),
    /// All files were skipped.
    AllSkipped(Skips),
}

/// The numbers of skipped files by reason.
#[derive(Clone, Default)]
pub(crate) struct Skips {
    pub(crate) counts: BTreeMap<SkipReason, usize>,
    /// Whether even a quiet run prints the summary, because a file skipped by `encrypt` stays readable.
    pub(crate) is_mandatory: bool,
}

/// The reason for skipping a file in a folder. Reasons are listed in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SkipReason {
    WithoutSuffix,
    SuffixAlone,
    OtherNames,
    SymbolicLink,
    NotRegular,
    NotSealed,
    AlreadySealed,
    StdoutItself,
    Done,
}

impl SkipReason {
    /// The predicate for one file, and for several.
    pub(crate) fn predicates(self) -> (&'static str, &'static str) {
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
            Self::AlreadySealed => ("is sealed already", "are sealed already"),
            Self::StdoutItself => ("is where stdout goes", "are where stdout goes"),
            Self::Done => ("has its output already", "have their outputs already"),
        }
    }
}
