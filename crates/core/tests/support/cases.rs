//! How many random cases there are of a property, for the unit tests too.

use super::chance::seed;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many, the same in every run but the one before a release.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(seed());
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
