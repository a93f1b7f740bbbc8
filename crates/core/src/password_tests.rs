use super::*;
use crate::hash::Algorithm;
use crate::kdf::{Input, Variant};

const CHEAP: [Cost; 5] = [
    Cost::Argon2 { variant: Variant::Id, memory_kib: 512, passes: 2, lanes: 2 },
    Cost::Argon2 { variant: Variant::I, memory_kib: 1024, passes: 1, lanes: 1 },
    Cost::Argon2 { variant: Variant::D, memory_kib: 64, passes: 16, lanes: 1 },
    Cost::Scrypt { log_n: 9, r: 8, p: 2 },
    Cost::Pbkdf2 { hash: Algorithm::Sha3_256, iterations: 1000 },
];

/// Strings made by other software: the tests of the reference library of Argon2, passlib 1.7.4 and its documentation, and the
/// tests of `crypt_blowfish`.
const OTHERS: [(&str, &str); 9] = [
    ("password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
    ("password", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"),
    ("password", "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E"),
    ("password", "$pbkdf2-sha256$6400$LAUgJMQY45zTeg.BcE6p1Q$fD5K9aMsYM7wvDGhNd2i.8KaWjL50fsqqYEtuAEJLM8"),
    ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("U*U*U", "$2y$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    (
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
        "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
    ),
    ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
];

fn verify_code(password: &str, stored: &str) -> &'static str {
    verify(password.as_bytes(), stored, Bounds::Usual).map_or_else(|error| error.code(), |()| "")
}

#[test]
fn what_is_hashed_is_verified_and_no_other_password() {
    for cost in CHEAP {
        let stored = hash("pässword".as_bytes(), &cost).unwrap();
        assert_eq!(verify_code("pässword", &stored), "", "{stored}");
        for other in ["", "pässwor", "pässword ", "passw\u{308}ord", "PÄSSWORD"] {
            assert_eq!(verify_code(other, &stored), "not_authentic", "{stored}");
        }
        assert_ne!(hash("pässword".as_bytes(), &cost).unwrap(), stored, "another salt");
        let parsed = Stored::parse(&stored).unwrap();
        assert_eq!((parsed.scheme, parsed.to_text()), (Scheme::Kdf(cost), stored));
    }
    assert_eq!(hash(b"", &CHEAP[0]).unwrap_err().code(), "invalid_passphrase");
    let cost = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 10_000_001 };
    assert_eq!(hash(b"password", &cost).unwrap_err().code(), "cost_too_high");
}

#[test]
fn what_other_software_stored_is_verified() {
    for (password, stored) in OTHERS {
        assert_eq!(verify_code(password, stored), "", "{stored}");
        assert_eq!(
            verify_code(&format!("{}x", &password[..password.len().min(20)]), stored),
            "not_authentic",
            "{stored}"
        );
        let text = Stored::parse(stored).unwrap().to_text();
        match stored.split('$').nth(1).unwrap() {
            "2a" | "2b" | "2y" => assert_eq!(text[3..], stored[3..]),
            // passlib's own form.
            "pbkdf2-sha256" => assert_eq!(verify_code(password, &text), "", "{text}"),
            _ => assert_eq!(text, stored),
        }
    }
}

/// Hashes of the reference library of Argon2 (argon2-cffi 25.1.0), with the parameters in the orders of the npm packages
/// `argon2` and `@phc/argon2`.
#[test]
fn parameters_stand_in_any_order_and_associated_data_are_hashed() {
    let cost = |variant, memory_kib, passes, lanes| Cost::Argon2 { variant, memory_kib, passes, lanes };
    for (stored, expected, data) in [
        (
            "$argon2id$v=19$m=1024,p=2,t=2,data=dXNlciA0NzEx$c29tZXNhbHRzb21lc2FsdA$aq0cuiW4EtfG6SQldYP1Og604YaQkpvYBkttC+vZI08",
            cost(Variant::Id, 1024, 2, 2),
            "user 4711",
        ),
        (
            "$argon2id$v=19$data=ZjQ3YWMxMGItNThjYy00MzcyLWE1NjctMGUwMmIyYzNkNDc5,t=2,m=1024,keyid=,p=1$c29tZXNhbHRzb21lc2FsdA\
             $V5Qz8fzpvP8tIFCOvpmUcE2rHos8ujtiQ8doB7ix2is",
            cost(Variant::Id, 1024, 2, 1),
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        ),
        (
            "$argon2i$v=19$t=3,m=512,p=1$c29tZXNhbHRzb21lc2FsdA$eMtZvQh93+8oHiUHv8zX6XPEejqx2R2iZAQPRqdYFF8",
            cost(Variant::I, 512, 3, 1),
            "",
        ),
    ] {
        assert_eq!(verify_code("password", stored), "", "{stored}");
        assert_eq!(verify_code("passwort", stored), "not_authentic", "{stored}");
        let parsed = Stored::parse(stored).unwrap();
        assert_eq!((parsed.scheme, &parsed.data[..]), (Scheme::Kdf(expected), data.as_bytes()), "{stored}");
        assert_eq!(verify_code("password", &parsed.to_text()), "", "{}", parsed.to_text());
        assert!(!needs_rehash(stored, &expected).unwrap(), "{stored}");
        if !data.is_empty() {
            let without = Stored { data: Vec::new(), ..parsed };
            assert_eq!(verify_code("password", &without.to_text()), "not_authentic", "{stored}");
        }
    }
    let scrypt = OTHERS[2].1.replace("ln=16,r=8,p=1", "p=1,r=8,ln=16");
    assert_eq!(Stored::parse(&scrypt).unwrap().to_text(), OTHERS[2].1);
}

/// The secret key that `keyid` names enters the hash: without it, no password would verify.
#[test]
fn a_hash_with_a_secret_key_is_refused_and_calls_no_password_wrong() {
    let stored =
        "$argon2id$v=19$m=1024,t=2,p=1,keyid=azE$c29tZXNhbHRzb21lc2FsdA$U4aXJZMWpQ3vMMcl+BRzBHccTwmhXaZaPDcbTfexoMg";
    let error = verify(b"password", stored, Bounds::Usual).unwrap_err();
    assert_eq!(error.code(), "invalid_encoding");
    assert!(error.to_string().contains("which keyid= names"), "{error}");
    assert!(needs_rehash(stored, &CHEAP[0]).is_err());
    let (cost, mut hash) = (Cost::Argon2 { variant: Variant::Id, memory_kib: 1024, passes: 2, lanes: 1 }, [0; 32]);
    let input = Input { secret: b"pepper", ..Input::new(b"password", b"somesaltsomesalt") };
    kdf::derive(&cost, &input, Bounds::Usual, &mut hash).unwrap();
    let parsed = Stored::parse(&stored.replace(",keyid=azE", "")).unwrap();
    assert_eq!(*parsed.hash, hash, "the caller who has the key derives it");
}

#[test]
fn bcrypt_ends_at_72_bytes_and_takes_no_zero() {
    let (_, stored) = OTHERS[7];
    let first = &OTHERS[7].0[..72];
    assert_eq!(verify_code(first, stored), "");
    assert_eq!(verify_code(&first[..71], stored), "not_authentic");
    assert_eq!(verify_code("U*U\0", OTHERS[4].1), "invalid_passphrase");
}

/// Each string differs in one place from a valid one.
#[test]
fn strings_that_are_not_exactly_right_are_refused() {
    const SALT: &str = "c29tc2FsdHNvbWVzYWx0";
    const HASH: &str = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    let good = format!("$argon2id$v=19$m=64,t=2,p=1${SALT}${HASH}");
    assert_eq!(verify_code("password", &good), "not_authentic");
    let long = "A".repeat(1_000_000);
    for (from, to, code) in [
        ("$argon2id", "argon2id", "invalid_encoding"),
        ("argon2id", "argon2", "unknown_algorithm"),
        ("argon2id", "ARGON2ID", "unknown_algorithm"),
        ("argon2id", "", "unknown_algorithm"),
        ("v=19", "v=16", "invalid_encoding"),
        ("v=19", "v=019", "invalid_encoding"),
        ("v=19$", "", "invalid_encoding"),
        ("m=64,t=2", "m=64,m=64,t=2", "invalid_encoding"),
        ("t=2,", "", "invalid_encoding"),
        ("p=1", "p=1,p=1", "invalid_encoding"),
        ("p=1", "p=1,", "invalid_encoding"),
        ("p=1", "p=1,x=1", "invalid_encoding"),
        ("p=1", "p=1,P=1", "invalid_encoding"),
        ("p=1", "p=1,keyid=AA", "invalid_encoding"),
        ("p=1", "p=1,keyid=AAAAAAAAAAAA", "invalid_encoding"),
        ("p=1", "p=1,data", "invalid_encoding"),
        ("p=1", "p=1,data=AA,data=AA", "invalid_encoding"),
        ("p=1", "p=1,data=AA==", "invalid_encoding"),
        ("p=1", "p=1,data=AB", "invalid_encoding"),
        ("p=1", &format!("p=1,data={}", "A".repeat(87)), "invalid_encoding"),
        ("m=64", "m=064", "invalid_encoding"),
        ("m=64", "m=+64", "invalid_encoding"),
        ("m=64", "m=-64", "invalid_encoding"),
        ("m=64", "m=", "invalid_encoding"),
        ("m=64", "m=64 ", "invalid_encoding"),
        ("m=64", "m=4294967296", "invalid_encoding"),
        ("m=64", "m=7", "invalid_cost"),
        ("t=2", "t=0", "invalid_cost"),
        ("p=1", "p=0", "invalid_cost"),
        ("m=64,t=2,p=1", "m=64,t=2,p=9", "invalid_cost"),
        ("m=64", "m=1048577", "cost_too_high"),
        ("t=2", "t=17", "cost_too_high"),
        (SALT, "", "invalid_encoding"),
        (SALT, "c29tc2FsdA==", "invalid_encoding"),
        (SALT, "c29tc2FsdB", "invalid_encoding"),
        (SALT, "c29tc2Fsd", "invalid_encoding"),
        (SALT, "c29tc2F-dA", "invalid_encoding"),
        (SALT, &"A".repeat(87), "invalid_encoding"),
        (HASH, "", "invalid_encoding"),
        (HASH, "AAAAAAAAAAAA", "invalid_encoding"),
        (HASH, &"A".repeat(87), "invalid_encoding"),
        (HASH, "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc$", "invalid_encoding"),
        (HASH, "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc\n", "invalid_encoding"),
        (HASH, &long, "invalid_encoding"),
    ] {
        let stored = good.replacen(from, to, 1);
        assert_ne!(stored, good);
        assert_eq!(verify_code("password", &stored), code, "{stored:.100}");
        needs_rehash_likewise(&stored, code);
    }
    for (stored, code) in [
        (String::new(), "invalid_encoding"),
        ("$".to_owned(), "unknown_algorithm"),
        ("$1$salt$hash".to_owned(), "unknown_algorithm"),
        (format!("$scrypt$ln=0,r=8,p=1${SALT}${HASH}"), "invalid_cost"),
        (format!("$scrypt$ln=256,r=8,p=1${SALT}${HASH}"), "invalid_encoding"),
        (format!("$scrypt$ln=21,r=8,p=1${SALT}${HASH}"), "cost_too_high"),
        (format!("$scrypt$ln=1,r=4194304,p=16${SALT}${HASH}"), "cost_too_high"),
        (format!("$scrypt$ln=1,r=131072,p=16${SALT}${HASH}"), "cost_too_high"),
        (format!("$scrypt$16,8,1${SALT}${HASH}"), "invalid_encoding"),
        (format!("$pbkdf2-sha256$i=0,l=32${SALT}${HASH}"), "invalid_cost"),
        (format!("$pbkdf2-sha256$i=10,l=31${SALT}${HASH}"), "invalid_encoding"),
        (format!("$pbkdf2-sha256$i=10${SALT}${HASH}"), "invalid_encoding"),
        (format!("$pbkdf2-sha256$10000001${SALT}${HASH}"), "cost_too_high"),
        (format!("$pbkdf2-sha256$010${SALT}${HASH}"), "invalid_encoding"),
        (format!("$pbkdf2-sha256$10${SALT}${}", HASH.replace('T', "+")), "invalid_encoding"),
        (format!("$pbkdf2-shake256$10${SALT}${HASH}"), "unknown_algorithm"),
        (format!("$pbkdf2-none$10${SALT}${HASH}"), "unknown_algorithm"),
        (format!("$pbkdf2_sha256$10${SALT}${HASH}"), "unknown_algorithm"),
    ] {
        assert_eq!(verify_code("password", &stored), code, "{stored}");
        needs_rehash_likewise(&stored, code);
    }
    let (_, bcrypt) = OTHERS[4];
    for (from, to, code) in [
        ("$2b$05", "$2b$03", "invalid_cost"),
        ("$2b$05", "$2b$32", "invalid_cost"),
        ("$2b$05", "$2b$99", "invalid_cost"),
        ("$2b$05", "$2b$17", "cost_too_high"),
        ("$2b$05", "$2b$5", "invalid_encoding"),
        ("$2b$05", "$2b$+5", "invalid_encoding"),
        ("$2b$05", "$2x$05", "unknown_algorithm"),
        ("C.E5", "C/E5", "invalid_encoding"),
        ("yOeW", "yOeX", "invalid_encoding"),
        ("yOeW", "yOe", "invalid_encoding"),
        ("yOeW", "yOe+", "invalid_encoding"),
        ("CCCC", "CÄCC", "invalid_encoding"),
    ] {
        let stored = bcrypt.replacen(from, to, 1);
        assert_eq!(verify_code("U*U", &stored), code, "{to}");
        needs_rehash_likewise(&stored, code);
    }
}

/// A hash that no password can be verified with is an error, but one whose cost is too high needs a new hash.
fn needs_rehash_likewise(stored: &str, code: &str) {
    let needs = needs_rehash(stored, &Cost::default()).map_err(|error| error.code());
    assert_eq!(needs, if code == "cost_too_high" { Ok(true) } else { Err(code) }, "{stored:.100}");
}

#[test]
fn what_costs_less_or_is_another_algorithm_is_made_anew() {
    for (i, cost) in CHEAP.into_iter().enumerate() {
        let stored = hash(b"password", &cost).unwrap();
        for (j, other) in CHEAP.into_iter().enumerate() {
            assert_eq!(needs_rehash(&stored, &other).unwrap(), i != j, "{stored}, {other:?}");
        }
    }
    let argon2 = |memory_kib, passes, lanes| Cost::Argon2 { variant: Variant::Id, memory_kib, passes, lanes };
    let more = hash(b"password", &argon2(1024, 2, 2)).unwrap();
    assert!(!needs_rehash(&more, &argon2(1023, 2, 4)).unwrap());
    // A cost that is rejected for new hashes.
    for cost in [argon2(0, 2, 1), argon2(1024, 0, 1), argon2(1024, 1, 0), argon2(1023, 1, 1)] {
        assert_eq!(needs_rehash(&more, &cost).unwrap_err().code(), "invalid_cost", "{cost:?}");
    }
    assert_eq!(needs_rehash(&more, &argon2(1024, 17, 1)).unwrap_err().code(), "cost_too_high");
    let shake = Cost::Pbkdf2 { hash: Algorithm::Shake128, iterations: 1000 };
    assert_eq!(needs_rehash(&more, &shake).unwrap_err().code(), "unknown_algorithm");
    let stored = hash(b"password", &argon2(512, 2, 2)).unwrap();
    for (cost, expected) in
        [(argon2(512, 2, 1), false), (argon2(511, 3, 4), true), (argon2(513, 2, 2), true), (argon2(512, 3, 2), true)]
    {
        assert_eq!(needs_rehash(&stored, &cost).unwrap(), expected, "{cost:?}");
    }
    // A salt of 8 bytes, and bcrypt whatever its cost.
    let Scheme::Kdf(cost) = Stored::parse(OTHERS[0].1).unwrap().scheme else { panic!("it is Argon2id") };
    assert!(needs_rehash(OTHERS[0].1, &cost).unwrap());
    assert!(needs_rehash(OTHERS[4].1, &cost).unwrap());
}

/// Lower costs than these are rejected for new hashes, but accepted in stored ones.
#[cfg(feature = "legacy")]
#[test]
fn a_new_hash_costs_at_least_a_mebibyte_or_1000_iterations() {
    let argon2 = |memory_kib, passes| Cost::Argon2 { variant: Variant::I, memory_kib, passes, lanes: 1 };
    let scrypt = |log_n, r, p| Cost::Scrypt { log_n, r, p };
    let pbkdf2 = |hash, iterations| Cost::Pbkdf2 { hash, iterations };
    for (cost, is_taken) in [
        (argon2(1023, 1), false),
        (argon2(1024, 1), true),
        (argon2(127, 8), false),
        (argon2(128, 8), true),
        (argon2(8, 16), false),
        (scrypt(9, 8, 1), false),
        (scrypt(10, 8, 1), true),
        (scrypt(9, 15, 1), false),
        (scrypt(9, 8, 2), true),
        (pbkdf2(Algorithm::Sha256, 999), false),
        (pbkdf2(Algorithm::Sha256, 1000), true),
        (pbkdf2(Algorithm::Sha1, 1000), true),
        (pbkdf2(Algorithm::Md5, 1000), false),
        (pbkdf2(Algorithm::Md5, 5_000_000), false),
    ] {
        match hash(b"password", &cost) {
            Ok(stored) => assert!(is_taken && verify_code("password", &stored).is_empty(), "{cost:?}"),
            Err(error) => assert!(!is_taken && error.code() == "invalid_cost", "{cost:?}: {error}"),
        }
        let (salt, mut hash) = (vec![7; SALT_LEN], Zeroizing::new(vec![0; HASH_LEN]));
        if !is_taken && cost != pbkdf2(Algorithm::Md5, 5_000_000) {
            kdf::derive(&cost, &Input::new(b"password", &salt), Bounds::Usual, &mut hash).unwrap();
            let stored = Stored { scheme: Scheme::Kdf(cost), salt, data: Vec::new(), hash }.to_text();
            assert_eq!(verify_code("password", &stored), "", "{stored}");
        }
    }
}

#[test]
fn a_hash_without_an_hmac_hashes_no_password_whatever_it_costs() {
    for iterations in [1, 1000] {
        let cost = Cost::Pbkdf2 { hash: Algorithm::Shake128, iterations };
        assert_eq!(hash(b"password", &cost).unwrap_err().code(), "unknown_algorithm");
    }
}

/// Logins that take longer than a server would wait, or are rejected before.
#[test]
fn what_costs_more_than_is_computed_is_made_anew() {
    const SALT: &str = "AAAAAAAAAAAAAAAAAAAAAA";
    const HASH: &str = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    for (parameters, expected) in [
        ("argon2id$v=19$m=1048576,t=16,p=16", Ok(false)),
        ("argon2id$v=19$m=1048577,t=3,p=1", Ok(true)),
        ("argon2id$v=19$m=65536,t=17,p=1", Ok(true)),
        ("argon2id$v=19$m=65536,t=3,p=17", Ok(true)),
        ("scrypt$ln=1,r=4194304,p=16", Ok(true)),
        ("argon2id$v=19$m=7,t=3,p=1", Err("invalid_cost")),
    ] {
        let stored = format!("${parameters}${SALT}${HASH}");
        let needs = needs_rehash(&stored, &Cost::default()).map_err(|error| error.code());
        assert_eq!(needs, expected, "{stored}");
        let is_computed = Stored::parse(&stored).is_ok_and(|stored| match stored.scheme {
            Scheme::Kdf(cost) => cost.check(Bounds::Usual).is_ok(),
            Scheme::Bcrypt { .. } => false,
        });
        assert_eq!(is_computed, expected == Ok(false), "{stored}");
    }
    let pbkdf2 = Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations: 1000 };
    let two_blocks = format!("$pbkdf2-sha256$i=5000001,l=64${SALT}${}", "A".repeat(86));
    assert!(needs_rehash(&two_blocks, &pbkdf2).unwrap());
    assert_eq!(verify_code("password", &two_blocks), "cost_too_high");
    assert!(!needs_rehash(&two_blocks.replace("5000001", "5000000"), &pbkdf2).unwrap());
}

#[test]
fn a_cost_is_calibrated_up_to_the_target_and_never_down() {
    let millis = Duration::from_millis;
    let argon2 = |passes| Cost::Argon2 { variant: Variant::Id, memory_kib: 1024, passes, lanes: 1 };
    let pbkdf2 = |iterations| Cost::Pbkdf2 { hash: Algorithm::Sha256, iterations };
    let scrypt = |log_n| Cost::Scrypt { log_n, r: 8, p: 1 };
    for (from, taken, expected, takes) in [
        (argon2(3), 50, argon2(15), 250),
        // Here and below, the bounds are reached before the target.
        (argon2(4), 1, argon2(16), 4),
        (argon2(3), 251, argon2(3), 251),
        (pbkdf2(1000), 10, pbkdf2(25_000), 250),
        (pbkdf2(1_000_000), 1, pbkdf2(10_000_000), 10),
        (pbkdf2(1000), 9000, pbkdf2(1000), 400),
        (scrypt(14), 60, scrypt(16), 240),
        (scrypt(14), 126, scrypt(14), 126),
        (scrypt(14), 125, scrypt(15), 250),
        (scrypt(14), 0, scrypt(20), 0),
        (scrypt(14), 1, scrypt(20), 64),
    ] {
        // The first measurement is disturbed.
        let mut times = [400, taken, taken + 20].into_iter();
        let found = calibrate(millis(250), from, |cost| {
            assert_eq!(*cost, from);
            Ok(millis(times.next().expect("three calls")))
        });
        let expected = Calibrated { cost: expected, takes: millis(takes) };
        assert_eq!(found.unwrap(), expected, "{from:?} in {taken} ms");
    }
    for (from, code) in [(pbkdf2(0), "invalid_cost"), (argon2(17), "cost_too_high")] {
        assert_eq!(calibrate(millis(1), from, |_| Ok(millis(1))).unwrap_err().code(), code);
    }
    assert_eq!(calibrate(millis(1), argon2(1), |_| Err(Error::NoRandomness)).unwrap_err().code(), "no_randomness");
}
