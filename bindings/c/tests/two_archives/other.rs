//! Another archive of Rust, with a standard library of its own, which a program has beside Sealstone's.

use std::ffi::c_int;
use std::sync::Mutex;
use std::thread;

/// Adds the numbers below `count`, each on a thread of its own.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum(count: c_int) -> c_int {
    let sum = Mutex::new(0);
    thread::scope(|scope| {
        for number in 1..=count {
            let sum = &sum;
            scope.spawn(move || *sum.lock().unwrap() += number);
        }
    });
    sum.into_inner().unwrap()
}
