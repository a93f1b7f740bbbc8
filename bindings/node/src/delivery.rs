//! How results of work on other threads become memory of JavaScript's own.
//!
//! An array over memory of the addon's is another thing than the engine's own: Node marks it as one that cannot be transferred, and
//! its buffer is of the addon's realm. So every result is copied: a short one at once, a long one in turns of the event loop.

use crate::boundary::{Bytes, Result, guard, held, hold, locked, number};
use crate::memory::Memory;
use crate::pool::COMPUTE;
use napi::bindgen_prelude::{Either, Uint8ArraySlice};
use napi_derive::napi;
use std::hint::black_box;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// Up to so many bytes a result is copied at once.
const AT_ONCE_LEN: usize = 1 << 20;
/// Bytes of a longer one that are copied in one turn: two milliseconds, most of them for memory that is new.
const TURN_LEN: usize = 4 << 20;

/// A result, or what JavaScript fetches it with.
pub type Delivery = Either<Bytes, Undelivered>;

/// A long result that is still the addon's.
#[napi(object, object_from_js = false)]
pub struct Undelivered {
    pub undelivered: u32,
    pub length: f64,
}

/// Hands over a result, on JavaScript's thread.
pub fn deliver(bytes: Vec<u8>) -> Delivery {
    if bytes.len() <= AT_ONCE_LEN {
        return Either::A(Bytes::from(bytes));
    }
    let length = number(bytes.len() as u64);
    Either::B(Undelivered { undelivered: hold(Waiting(Mutex::new(Zeroizing::new(bytes)))), length })
}

/// What of a result was not fetched yet.
struct Waiting(Mutex<Zeroizing<Vec<u8>>>);

impl Drop for Waiting {
    /// A result that nobody wants any more is zeroed elsewhere: a gibibyte of it would hold up the event loop.
    fn drop(&mut self) {
        let rest = std::mem::take(&mut *locked(&self.0));
        if !rest.is_empty() {
            COMPUTE.run(Box::new(move || drop(rest)));
        }
    }
}

/// Moves the last bytes of a result to their place in memory of its length; returns how many are left. From its end, since memory
/// is given back there: so the two together take little more than one.
#[napi]
pub fn result_take(undelivered: u32, result: Uint8ArraySlice<'_>) -> Result<f64> {
    guard(|| {
        let waiting = held::<Waiting>(undelivered);
        let mut bytes = locked(&waiting.0);
        let rest = bytes.len().saturating_sub(TURN_LEN);
        let (before, _) =
            Memory::of(&result).split_at(bytes.len()).expect("delivery: the memory is as long as the result");
        let (_, place) = before.split_at(rest).expect("delivery: a rest is shorter");
        place.write(&bytes[rest..]);
        // As `zeroize`, which stores byte by byte and would take longer than the copy.
        bytes[rest..].fill(0);
        black_box(&mut bytes[rest..]);
        bytes.truncate(rest);
        bytes.shrink_to_fit();
        Ok(number(rest as u64))
    })
}
