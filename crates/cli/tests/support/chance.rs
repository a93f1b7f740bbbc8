//! What keeps tests from chance, in the other crates too: they wait for what happens and never for a time, and their random cases are the
//! same in every run.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// Whether this is the run before a release, with `SEALSTONE_EXHAUSTIVE=1`: it takes all cases, and random ones.
pub(crate) fn exhaustive() -> bool {
    std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// What random cases are made of: always the same, and another one in each run before a release. It is printed, which is seen where the
/// test fails, and taken from `SEED` to have it again.
pub(crate) fn seed() -> u64 {
    let usual = || if exhaustive() { RandomState::new().hash_one(0) } else { 7 };
    let seed = std::env::var("SEED").map_or_else(|_| usual(), |seed| seed.parse().expect("SEED is a number"));
    println!("SEED={seed}");
    seed
}

/// Waits for something that is sure to happen, as long as a busy machine may need. Who hangs says so after ten minutes.
pub(crate) fn wait_until(what: &str, happened: impl FnMut() -> bool) {
    wait_saying(|| what.to_owned(), happened);
}

/// The same, with words that are found when they are needed.
pub(crate) fn wait_saying(what: impl Fn() -> String, mut happened: impl FnMut() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < Duration::from_secs(600), "waited for ten minutes until {}", what());
        std::thread::sleep(Duration::from_millis(5));
    }
}
