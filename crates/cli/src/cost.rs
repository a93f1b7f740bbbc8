//! Reads the options for the cost of passwords.

use crate::args::{CostName, CostOptions};
use crate::failure::Failure;
use sealstone::kdf::{Cost, Variant};

/// The cost of the named algorithm with these options; defaults where an option is missing.
pub(crate) fn from_options(name: CostName, options: &CostOptions) -> Result<Cost, Failure> {
    let CostOptions { memory_kib, passes, lanes, log_n, r, p, iterations } = *options;
    let has_argon2 = memory_kib.is_some() || passes.is_some() || lanes.is_some();
    let has_scrypt = log_n.is_some() || r.is_some() || p.is_some();
    let (mut cost, has_wrong_option) = match name {
        CostName::Argon2(variant) => (argon2_cost(variant), has_scrypt || iterations.is_some()),
        CostName::Scrypt => (Cost::SCRYPT, has_argon2 || iterations.is_some()),
        CostName::Pbkdf2(hash) => (Cost::Pbkdf2 { hash, iterations: ITERATIONS }, has_argon2 || has_scrypt),
    };
    if has_wrong_option {
        return Err(Failure::usage_with_hint(format!("{name} does not have these cost options"), COSTS));
    }
    let set = |of: &mut u32, option: Option<u32>| *of = option.unwrap_or(*of);
    match &mut cost {
        Cost::Argon2 { memory_kib: m, passes: t, lanes: l, .. } => {
            set(m, memory_kib);
            set(t, passes);
            set(l, lanes);
        }
        Cost::Scrypt { log_n: n, r: size, p: times } => {
            *n = log_n.unwrap_or(*n);
            set(size, r);
            set(times, p);
        }
        Cost::Pbkdf2 { iterations: times, .. } => set(times, iterations),
        _ => unreachable!("cost: it is one of these"),
    }
    Ok(cost)
}

/// Refuses cost options for an algorithm without a cost.
pub(crate) fn refuse_options(options: &CostOptions, name: &str) -> Result<(), Failure> {
    let CostOptions { memory_kib, passes, lanes, log_n, r, p, iterations } = *options;
    let numbers = [memory_kib, passes, lanes, log_n.map(u32::from), r, p, iterations];
    if numbers.iter().any(Option::is_some) {
        return Err(Failure::usage_with_hint(format!("{name} has no cost"), COSTS));
    }
    Ok(())
}

const COSTS: &str = "argon2id, argon2i and argon2d take --memory-kib, --passes and --lanes; scrypt takes --log-n, --block-size and \
                     --parallel; pbkdf2 takes --iterations";

/// Iterations of PBKDF2 with SHA-256, as OWASP recommends.
const ITERATIONS: u32 = 600_000;

fn argon2_cost(variant: Variant) -> Cost {
    match Cost::ARGON2ID {
        Cost::Argon2 { memory_kib, passes, lanes, .. } => Cost::Argon2 { variant, memory_kib, passes, lanes },
        _ => unreachable!("cost: it is Argon2's"),
    }
}
