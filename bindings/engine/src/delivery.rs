//! How a result that is long becomes memory of the other language's: a piece at a time, between which its thread does other things.

use crate::lock::locked;
use crate::pool::COMPUTE;
use crate::text::TextOrBytes;
use std::hint::black_box;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// Up to so many bytes a result is copied at once.
const AT_ONCE_LEN: usize = 1 << 20;
/// Bytes of a longer one that are copied in one turn: two milliseconds, most of them for memory that is new.
const TURN_LEN: usize = 4 << 20;

/// A result, or what it is fetched with.
pub enum Delivery {
    /// A short one.
    AtOnce(Zeroizing<Vec<u8>>),
    /// A long one, and its length.
    InTurns(Undelivered, usize),
    /// Text, which no language has a part of.
    Text(Zeroizing<String>),
}

/// A delivery that is text.
pub type DeliveredText = Delivery;

impl From<Vec<u8>> for Delivery {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of(bytes)
    }
}

impl From<TextOrBytes> for Delivery {
    fn from(result: TextOrBytes) -> Self {
        match result {
            TextOrBytes::Text(text) => Self::Text(text),
            TextOrBytes::Bytes(mut bytes) => Self::of(std::mem::take(&mut *bytes)),
        }
    }
}

impl Delivery {
    /// Of these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        let (len, bytes) = (bytes.len(), Zeroizing::new(bytes));
        if len <= AT_ONCE_LEN { Self::AtOnce(bytes) } else { Self::InTurns(Undelivered(Mutex::new(bytes)), len) }
    }

    /// All of it, for a language whose threads wait.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::AtOnce(mut bytes) => std::mem::take(&mut *bytes),
            Self::InTurns(rest, _) => {
                let mut bytes = locked(&rest.0);
                std::mem::take(&mut **bytes)
            }
            Self::Text(mut text) => std::mem::take(&mut *text).into_bytes(),
        }
    }
}

/// The part of a result that was not fetched yet.
pub struct Undelivered(Mutex<Zeroizing<Vec<u8>>>);

impl Undelivered {
    /// Hands over the last bytes of the result, with how many stand before them; those are left, and returned. From its end, since
    /// memory is given back there: so the two copies together take little more than one.
    pub fn take(&self, copy: impl FnOnce(usize, &[u8])) -> usize {
        let mut bytes = locked(&self.0);
        let rest = bytes.len().saturating_sub(TURN_LEN);
        copy(rest, &bytes[rest..]);
        // As `zeroize`, which stores byte by byte and would take longer than the copy.
        bytes[rest..].fill(0);
        black_box(&mut bytes[rest..]);
        bytes.truncate(rest);
        bytes.shrink_to_fit();
        rest
    }
}

impl Drop for Undelivered {
    /// A result that nobody wants any more is zeroed elsewhere: a gibibyte of it would hold up an event loop.
    fn drop(&mut self) {
        let rest = std::mem::take(&mut *locked(&self.0));
        if !rest.is_empty() {
            COMPUTE.run(Box::new(move || drop(rest)));
        }
    }
}
