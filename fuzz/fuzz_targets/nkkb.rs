//! Key bundles of nkCryptoTool: arbitrary bytes, and good ones whose bytes are changed. A bundle that its owner did not sign as it is
//! gives no key.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::Input;
use sealstone::interop::nkkb::{self, Fingerprint, KeyBundle};
use sealstone_fuzz::Edit;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// Arbitrary bytes.
    File { seconds: u32, file: &'a [u8] },
    /// A bundle of one of its programs, changed.
    Theirs { of: u8, seconds: u32, edits: Vec<Edit> },
}

const THEIRS: [&[u8]; 4] = [
    include_bytes!("../../vectors/nkct/bundles/cpp_ecc.nkkb"),
    include_bytes!("../../vectors/nkct/bundles/cpp_hybrid_expires_in_2126.nkkb"),
    include_bytes!("../../vectors/nkct/bundles/cpp_hybrid_expired.nkkb"),
    include_bytes!("../../vectors/nkct/bundles/rust_pqc.nkkb"),
];
static PINS: LazyLock<[Fingerprint; 4]> =
    LazyLock::new(|| THEIRS.map(|file| KeyBundle::parse(file).expect("nkkb: a bundle of the vectors").fingerprint()));

fuzz_target!(|case: Case<'_>| match case {
    Case::File { seconds, file } => drop(check(file, seconds)),
    Case::Theirs { of, seconds, edits } => {
        let good = THEIRS[usize::from(of) % THEIRS.len()];
        let mut file = good.to_vec();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        let taken = check(&file, seconds);
        assert!(!taken || file == good, "a forged bundle");
        if file == good {
            let expires = KeyBundle::parse(good).expect("nkkb: it is good").keys()[0].expires();
            assert_eq!(taken, expires.is_none_or(|expires| expires > seconds.into()), "a good bundle");
        }
    }
});

fn at(seconds: u32) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.into())
}

/// Whether an owner's keys are taken of it.
fn check(file: &[u8], seconds: u32) -> bool {
    let parsed = KeyBundle::parse(file);
    let read = KeyBundle::read(Input::reader(file));
    assert_eq!(
        parsed.as_ref().map_err(sealstone::Error::code).err(),
        read.as_ref().map_err(sealstone::Error::code).err()
    );
    let bundle = match parsed {
        Ok(bundle) => bundle,
        Err(error) => {
            assert!(["invalid_recipient", "unsupported_key"].contains(&error.code()), "{error}");
            return false;
        }
    };
    assert!(nkkb::begins(file));
    let is_signed = bundle.check_signatures().is_ok();
    let mut taken = false;
    for pin in &*PINS {
        match bundle.pinned(pin, at(seconds)) {
            Ok(pinned) => {
                assert!(is_signed, "keys of a bundle that nobody signed");
                assert!(pinned.ml_kem().is_some() || pinned.p256().is_some());
                taken = true;
            }
            Err(error) => {
                assert!(
                    ["unknown_signer", "invalid_signature", "invalid_recipient"].contains(&error.code()),
                    "{error}"
                );
            }
        }
    }
    taken
}
