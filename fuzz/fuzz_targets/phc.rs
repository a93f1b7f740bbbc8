//! Stored passwords: whatever is read has one verdict, and a password that was hashed is verified.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sealstone::hash::Algorithm;
use sealstone::kdf::{Bounds, Cost};
use sealstone::password;

/// Heads of strings, which the fuzzer need not guess. Each costs little.
const HEADS: [&str; 7] = [
    "$argon2id$v=19$m=8,t=1,p=1$",
    "$argon2d$v=19$m=9,t=2,p=1$",
    "$scrypt$ln=1,r=8,p=1$",
    "$pbkdf2-sha256$i=9,l=32$",
    "$pbkdf2-sha512$9$",
    "$2b$04$",
    "",
];

fuzz_target!(|input: &[u8]| {
    let [head, rest @ ..] = input else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let stored = format!("{}{rest}", HEADS[usize::from(*head) % HEADS.len()]);
    let read = password::needs_rehash(&stored, &Cost::default());
    if let Err(error) = &read {
        assert!(["invalid_encoding", "unknown_algorithm", "invalid_cost"].contains(&error.code()), "{stored}: {error}");
    }
    // A cost of two digits can take seconds; bcrypt's are always two.
    let costs_little = stored.starts_with("$2") && stored.get(3..).is_some_and(|rest| rest.starts_with("$04"))
        || HEADS.iter().any(|head| !head.is_empty() && stored.starts_with(head));
    if read.is_err() || costs_little {
        let verdict = password::verify(rest.as_bytes(), &stored, Bounds::Usual).map_err(|error| error.code());
        match (read, verdict) {
            (Err(error), verdict) => assert_eq!(verdict, Err(error.code()), "{stored}"),
            (Ok(_), verdict) => {
                // A salt of Argon2 may be too short; bcrypt is to be made anew whatever it costs.
                let known = ["not_authentic", "cost_too_high", "invalid_passphrase", "wrong_length"];
                assert!(verdict.is_err_and(|code| known.contains(&code)), "{stored}: {verdict:?}");
            }
        }
    }
    let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 1000 };
    match password::hash(rest.as_bytes(), &cost) {
        Ok(stored) => password::verify(rest.as_bytes(), &stored, Bounds::Usual).expect("it was hashed"),
        Err(error) => assert_eq!((rest, error.code()), ("", "invalid_passphrase")),
    }
});
