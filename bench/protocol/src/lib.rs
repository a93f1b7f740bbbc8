//! The engines' side of the benchmark's line protocol (docs/design/bench.md).
//!
//! An engine says what it is and what it can do, and makes a [`Trial`] of a [`Task`]; [`serve`] does the rest: the
//! lines, the clocks, the digests.
//!
//! ```no_run
//! use bench_protocol::{About, Engine, Refusal, Task, Trial, serve};
//!
//! struct Reverse;
//!
//! impl Engine for Reverse {
//!     fn about(&self) -> About {
//!         About { name: "reverse", version: "1.0".to_owned(), backend: String::new() }
//!     }
//!
//!     fn operations(&self) -> Vec<&str> {
//!         vec!["bytes/reverse"]
//!     }
//!
//!     fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
//!         Ok(Box::new(Reversing(task.input)))
//!     }
//! }
//!
//! struct Reversing(Vec<u8>);
//!
//! impl Trial for Reversing {
//!     fn run(&mut self) -> Result<(), String> {
//!         self.0.reverse();
//!         Ok(())
//!     }
//!
//!     fn output(&self) -> &[u8] {
//!         &self.0
//!     }
//! }
//!
//! fn main() -> std::io::Result<()> {
//!     serve(&Reverse)
//! }
//! ```
//!
//! An engine for an AEAD, a block cipher, a hash function or key pairs needs no trials of its own: [`aead`], [`cipher`], [`hash`],
//! [`public_key`] and [`sm2`] have those that all share.

pub mod aead;
pub mod cipher;
pub mod hash;
pub mod public_key;
pub mod sm2;

mod buffer;
mod cost;
mod session;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

pub use session::serve;

/// A peer, or Sealstone.
pub trait Engine {
    /// What `hello` answers.
    fn about(&self) -> About;

    /// All operations that it offers.
    fn operations(&self) -> Vec<&str>;

    /// The options that it knows. A task with another is refused before it comes here: nobody must believe that an
    /// option did something.
    fn options(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Sets up one of its [`operations`](Self::operations), untimed.
    fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal>;
}

/// What an engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    /// Of the peer, not of the engine; [`locked_version`] finds it.
    pub version: String,
    /// Which of its implementations computes, where it tells; empty otherwise.
    pub backend: String,
}

/// What the harness wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub operation: String,
    pub input: Vec<u8>,
    pub options: BTreeMap<String, String>,
}

/// An operation that is set up. The first run is untimed, and its output is what the digest is of.
pub trait Trial {
    /// Does it once. Here is what the clock sees.
    fn run(&mut self) -> Result<(), String>;

    /// The output of the run before.
    fn output(&self) -> &[u8];

    /// What engines agree on: the output, or what it opens to where two outputs cannot be the same.
    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        Ok(Cow::Borrowed(self.output()))
    }

    /// What the output of another engine's trial of this kind opens to, where two outputs cannot be the same.
    fn opens(&self, output: &[u8]) -> Result<Vec<u8>, String> {
        let _ = output;
        Err("it opens nothing of others".to_owned())
    }

    /// How many units, such as records, one run has, where that is a question.
    fn units(&self) -> Option<u64> {
        None
    }

    /// How long units took since this was asked before, where it is measured.
    fn take_waits(&mut self) -> Option<Waits> {
        None
    }
}

/// How long units took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    pub longest: Duration,
    /// Where units are done side by side, or wait for each other: otherwise the time tells it.
    pub mean: Option<Duration>,
}

/// Why there is no trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The engine does not offer this.
    Unsupported(String),
    Error(String),
}

/// The version of a package in the text of a `Cargo.lock`: the peer's own, which its crate seldom tells.
pub fn locked_version(lock: &str, package: &str) -> String {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.unwrap_or_else(|| panic!("lock: there is no {package}")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"ring-x\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"ring\"\nversion = \"0.17.14\"\n";
        assert_eq!(locked_version(lock, "ring"), "0.17.14");
    }
}
