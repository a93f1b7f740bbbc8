//! Complete results that are not published yet.

use super::Summary;
use crate::error::Result;
use crate::pipeline::{Destination, Input};

/// A complete result that is not published yet: the first half of a commit in two phases. A program that must not lose track of
/// its outputs first records what it will publish, and then publishes it. If it is dropped, no file is left.
/// ```no_run
/// # use sealstone::{Encryptor, FileHasher, FileMode, Input, Output, Recipient, hash};
/// # fn run(recipient: Recipient, mut journal: impl std::io::Write) -> sealstone::Result<()> {
/// let output = Output::file("film.mkv.seal")?.mode(FileMode::Shared);
/// let prepared = Encryptor::new([recipient]).prepare(Input::open("film.mkv")?, output)?;
/// let digest = FileHasher::new(hash::Hasher::new(hash::Algorithm::Blake3)).run(prepared.input(0)?)?;
/// writeln!(journal, "film.mkv.seal {digest}").expect("the journal is written");
/// prepared.publish()?;
/// # Ok(()) }
/// ```
pub struct Prepared<'a> {
    destination: Destination<'a>,
    summary: Summary,
}

impl<'a> Prepared<'a> {
    pub(super) fn new((destination, summary): (Destination<'a>, Summary)) -> Self {
        Self { destination, summary }
    }

    /// The bytes that the operation has processed.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The result from byte `from` on, as the input of another operation.
    ///
    /// # Errors
    /// [`Error::NotSeekable`](crate::Error::NotSeekable) if the output is a stream; [`Error::Io`](crate::Error::Io).
    pub fn input(&self, from: u64) -> Result<Input<'static>> {
        self.destination.input(from)
    }

    /// Publishes the result under its name.
    ///
    /// # Errors
    /// [`Error::OutputExists`](crate::Error::OutputExists) if the name is taken by now;
    /// [`Error::InputChanged`](crate::Error::InputChanged) if an [output in place](crate::Output::in_place) would replace
    /// another file than its input; [`Error::Io`](crate::Error::Io). After an error, no file is left.
    pub fn publish(self) -> Result<Summary> {
        self.destination.commit()?;
        Ok(self.summary)
    }
}

debug!(Prepared<'_> { summary });
