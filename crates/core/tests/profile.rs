//! What a profile refuses: of writers, rewrappers and readers, in every kind and suite.

use sealstone::{Decryptor, Encryptor, Error, Identity, Input, Kind, Passphrase, Profile, Rewrapper, Suite, inspect};

const KINDS: [Kind; 6] = [Kind::Hybrid, Kind::X25519, Kind::P256, Kind::MlKem768, Kind::Sm2, Kind::Key];
const PROFILES: [Profile; 2] = [Profile::Fips, Profile::Gm];

fn is_allowed(profile: Profile, kind: Kind, suite: Suite) -> bool {
    match profile {
        Profile::Fips => matches!(kind, Kind::P256 | Kind::MlKem768) && suite == Suite::Aes256Gcm,
        Profile::Gm => matches!(kind, Kind::Sm2 | Kind::Key | Kind::Passphrase) && suite == Suite::Sm4Gcm,
        other => panic!("{other}"),
    }
}

fn check<T>(result: Result<T, Error>, allowed: bool, what: &str) {
    let code = result.map(drop).map_err(|error| error.code());
    assert_eq!(code, if allowed { Ok(()) } else { Err("not_in_profile") }, "{what}");
}

#[test]
fn a_profile_takes_its_kinds_and_its_suite_and_nothing_else() {
    let mut taken = 0;
    for (kind, suite) in KINDS.into_iter().flat_map(|kind| Suite::ALL.map(|suite| (kind, suite))) {
        let (own, other) = (Identity::generate(kind).unwrap(), Identity::generate(kind).unwrap());
        let encryptor = Encryptor::new([own.recipient()]).suite(suite);
        let sealed = encryptor.encrypt(b"x");
        for profile in PROFILES {
            let what = format!("{profile}: {kind}, {suite}");
            let allowed = is_allowed(profile, kind, suite);
            taken += usize::from(allowed);
            check(encryptor.clone().profile(profile).encrypt(b"x"), allowed, &what);
            // Of a kind that the suite does not take there is no file.
            let Ok(sealed) = &sealed else { continue };
            check(Decryptor::new([own.clone()]).profile(profile).decrypt(sealed), allowed, &what);
            let rewrapper = Rewrapper::new([own.clone()], [other.recipient()]).profile(profile);
            check(rewrapper.rewrap(sealed), allowed, &what);
        }
    }
    assert_eq!(taken, 4);
}

#[test]
fn a_passphrase_is_in_the_profile_gm_with_its_own_derivation() {
    let passphrase = Passphrase::new("correct horse").unwrap();
    let encryptor = Encryptor::new([passphrase.clone().into()]);
    check(encryptor.clone().profile(Profile::Fips).encrypt(b"x"), false, "fips");
    let sealed = encryptor.profile(Profile::Gm).encrypt(b"x").unwrap();
    let seen = inspect(Input::reader(&sealed[..])).unwrap();
    assert_eq!((seen.suite, seen.stanzas[0].kind), (Suite::Sm4Gcm, "passphrase-sm3"));
    let decryptor = Decryptor::new([passphrase.into()]).profile(Profile::Gm);
    assert_eq!(decryptor.decrypt(&sealed).unwrap(), b"x");
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
fn profiles_have_names() {
    for profile in PROFILES {
        assert_eq!(profile.to_string().parse::<Profile>().unwrap(), profile);
    }
    assert_eq!("fips".parse::<Profile>().unwrap(), Profile::Fips);
    assert_eq!("FIPS".parse::<Profile>().unwrap_err().code(), "unknown_algorithm");
}
