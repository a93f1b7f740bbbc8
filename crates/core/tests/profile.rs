//! What a profile refuses: of writers, rewrappers and readers, in every kind and suite.

use sealstone::{Decryptor, Encryptor, Error, Identity, Kind, Profile, Rewrapper, Suite};

const KINDS: [Kind; 5] = [Kind::Hybrid, Kind::X25519, Kind::P256, Kind::MlKem768, Kind::Key];

fn is_allowed(kind: Kind, suite: Suite) -> bool {
    matches!(kind, Kind::P256 | Kind::MlKem768) && suite == Suite::Aes256Gcm
}

fn check<T>(result: Result<T, Error>, allowed: bool, what: &str) {
    let code = result.map(drop).map_err(|error| error.code());
    assert_eq!(code, if allowed { Ok(()) } else { Err("not_in_profile") }, "{what}");
}

#[test]
fn fips_takes_p256_and_ml_kem_768_with_aes_256_gcm_and_nothing_else() {
    for kind in KINDS {
        for suite in Suite::ALL {
            let what = format!("{kind}, {suite}");
            let (own, other) = (Identity::generate(kind).unwrap(), Identity::generate(kind).unwrap());
            let allowed = is_allowed(kind, suite);
            let encryptor = Encryptor::new([own.recipient()]).suite(suite);
            check(encryptor.clone().profile(Profile::Fips).encrypt(b"x"), allowed, &what);
            let sealed = encryptor.encrypt(b"x").unwrap();
            check(Decryptor::new([own.clone()]).profile(Profile::Fips).decrypt(&sealed), allowed, &what);
            let rewrapper = Rewrapper::new([own], [other.recipient()]).profile(Profile::Fips);
            check(rewrapper.rewrap(&sealed), allowed, &what);
        }
    }
}

#[test]
fn one_recipient_that_is_not_in_the_profile_is_enough_also_if_it_is_kept() {
    let [p256, x25519] = [Kind::P256, Kind::X25519].map(|kind| Identity::generate(kind).unwrap());
    let both = Encryptor::new([p256.recipient(), x25519.recipient()]);
    check(both.clone().profile(Profile::Fips).encrypt(b"x"), false, "beside another");
    let sealed = both.encrypt(b"x").unwrap();
    let rewrapper = Rewrapper::new([p256.clone()], [p256.recipient()]).profile(Profile::Fips);
    check(rewrapper.rewrap(&sealed), false, "kept");
    check(rewrapper.replace(true).rewrap(&sealed), true, "replaced");
    // A reader's keys are judged, not what others can open the file with.
    check(Decryptor::new([p256]).profile(Profile::Fips).decrypt(&sealed), true, "read");
}

#[test]
fn the_profile_has_a_name() {
    assert_eq!("fips".parse::<Profile>().unwrap(), Profile::Fips);
    assert_eq!(Profile::Fips.to_string(), "fips");
    assert_eq!("FIPS".parse::<Profile>().unwrap_err().code(), "unknown_algorithm");
}
