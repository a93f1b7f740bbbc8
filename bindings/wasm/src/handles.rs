//! Objects that JavaScript holds by number.

use crate::boundary::{Last, Result};
use sealstone_engine::forms::Read;
use sealstone_engine::numbers::number;
use sealstone_engine::{Handles, Object, Owner};
use std::any::Any;
use std::sync::Arc;

thread_local! {
    static HELD: Handles<Nobody> = const { Handles::new() };
}

/// Holds an object for JavaScript, until [`release`].
pub fn hold<T: Any + Send + Sync>(object: T) -> Result<u32> {
    Ok(HELD.with(|held| held.try_hold(object))?)
}

pub fn hold_all<T: Any + Send + Sync>(objects: Vec<T>) -> Result<Vec<u32>> {
    objects.into_iter().map(hold).collect()
}

pub fn held<T: Any + Send + Sync>(number: u32) -> Result<Arc<T>> {
    Ok(HELD.with(|held| held.find(number))?)
}

pub fn held_any(number: u32) -> Result<Object> {
    Ok(HELD.with(|held| held.find_any(number))?)
}

pub fn hold_any(object: Object) -> Result<u32> {
    Ok(HELD.with(|held| held.try_hold_any(object))?)
}

/// Holds the keys of a file, if they were read.
pub fn hold_read<T: Any + Send + Sync>(read: Read<T>) -> Result<Read<u32>> {
    Ok(match read {
        Read::Keys(keys) => Read::Keys(hold_all(keys)?),
        Read::Other => Read::Other,
        Read::Opened(opened) => Read::Opened(opened),
    })
}

/// An object whose number ends with this use.
pub fn last<T: Any + Send + Sync>(Last(number): Last) -> Result<Arc<T>> {
    let object = held(number)?;
    HELD.with(|held| held.release(number));
    Ok(object)
}

pub fn all<T: Any + Send + Sync>(numbers: &[u32]) -> Result<Vec<Arc<T>>> {
    numbers.iter().map(|one| held(*one)).collect()
}

exports! {
    fn again(number: u32) -> u32 = HELD.with(|held| held.try_again(number))?;
    fn release(number: u32) -> () = HELD.with(|held| held.release(number));
    /// How many objects there are.
    fn held_count() -> f64 = number(HELD.with(Handles::count) as u64);
}

/// Nothing in the module can see whether JavaScript has collected an object: its side has a registry of its own.
#[derive(Clone, Copy)]
enum Nobody {}

impl Owner for Nobody {
    fn is_gone(self) -> bool {
        match self {}
    }

    fn forget(self, _: i64) {
        match self {}
    }

    fn collect(self) {
        match self {}
    }
}
