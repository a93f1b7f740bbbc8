//! The rules: who may import whom, one table a crate. A module without a row fails, an arrow that is permitted and not used
//! fails, and so does a circle.

mod ciphers;
mod cli;
mod core;
mod js;
mod node;

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
