//! The benchmark's harness: definitions are data, engines are programs that take turns, results are records, and the
//! report is made of records only. `docs/design/bench.md` has the forms and the protocol.

pub mod before;
pub mod command;
pub mod definition;
pub mod engine;
pub mod estimate;
pub mod machine;
pub mod measure;
pub mod record;
pub mod regression;
pub mod report;
pub mod repository;
pub mod samples;
pub mod spread;
pub mod stats;
