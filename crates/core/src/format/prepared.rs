//! Results that are complete and have no name yet.

use super::Summary;
use crate::error::Result;
use crate::pipeline::{Destination, Input};

/// A result that is complete and has not appeared yet, the first half of a commit in two phases. A program that must not lose
/// count of its outputs writes down what it is about to publish, and publishes then. Dropped, it leaves nothing.
///
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

    /// How many bytes went in and came out.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The result from a byte on, as the input of another operation.
    ///
    /// # Errors
    /// [`Error::NotSeekable`](crate::Error::NotSeekable) of a stream, which has all of it already; [`Error::Io`](crate::Error::Io).
    pub fn input(&self, from: u64) -> Result<Input<'static>> {
        self.destination.input(from)
    }

    /// Gives the result its name.
    ///
    /// # Errors
    /// [`Error::OutputExists`](crate::Error::OutputExists), if something has the name by now;
    /// [`Error::InputChanged`](crate::Error::InputChanged) for an [output in place](crate::Output::in_place) where another file has it;
    /// [`Error::Io`](crate::Error::Io). Then nothing is left.
    pub fn publish(self) -> Result<Summary> {
        self.destination.commit()?;
        Ok(self.summary)
    }
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("summary", &self.summary).finish_non_exhaustive()
    }
}
