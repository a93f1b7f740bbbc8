//! Public keys from certificates that OpenSSL made (`vectors/certificates`).

mod support;

use data_encoding::BASE64;
use sealstone::signature::Signers;
use sealstone::{Recipient, exchange, parse_identities, parse_recipients, rsa, sign};
use support::vectors;

/// Each certificate; whether it is one of a recipient, of signatures of files, of signatures, of key exchange, and of RSA encryption.
const CERTIFICATES: &[(&str, [bool; 5])] = &[
    ("ed25519", [false, true, true, false, false]),
    ("p256", [true, true, true, true, false]),
    ("rsa", [false, false, true, false, true]),
    ("sm2", [true, true, true, false, false]),
    ("sm2_compressed", [true, true, true, false, false]),
    ("x25519", [true, false, false, true, false]),
];

fn pem(name: &str) -> String {
    std::fs::read_to_string(vectors("certificates").join(format!("{name}.pem"))).unwrap()
}

/// The key that OpenSSL took out of the certificate.
fn public(name: &str) -> Vec<u8> {
    std::fs::read(vectors("certificates").join(format!("{name}.pub"))).unwrap()
}

fn der(pem: &str) -> Vec<u8> {
    let lines = pem.lines().filter(|line| !line.starts_with("---"));
    BASE64.decode(lines.collect::<String>().as_bytes()).unwrap()
}

/// The public keys of a file for each use, as DER, or the code of the error.
fn keys(file: &[u8]) -> [Result<Vec<u8>, &'static str>; 5] {
    let recipient = parse_recipients(file).map(|found| found[0].to_der().unwrap()).map_err(|error| error.error.code());
    let signer = |found: Signers| found.iter().next().unwrap().public_key().to_der();
    let signer = Signers::parse(file).map(signer).map_err(|error| error.error.code());
    let signs = sign::PublicKey::parse(file).map(|key| key.to_der()).map_err(|error| error.code());
    let agrees = exchange::PublicKey::parse(file).map(|key| key.to_der().unwrap()).map_err(|error| error.code());
    let encrypts = rsa::PublicKey::parse(file).map(|key| key.to_der()).map_err(|error| error.code());
    [recipient, signer, signs, agrees, encrypts]
}

#[test]
fn a_certificate_gives_the_key_that_openssl_finds_in_it() {
    let mut ran = 0;
    for (name, is_key) in CERTIFICATES {
        let (text, expected) = (pem(name), keys(&public(name)));
        for file in [text.as_bytes(), &der(&text), format!("subject=CN = Test\r\n{text}").as_bytes()] {
            let found = keys(file);
            assert_eq!(found, expected, "{name}");
            assert_eq!(found.each_ref().map(Result::is_ok), *is_key, "{name}");
            assert!(found.iter().all(|key| !key.as_ref().is_err_and(|code| *code != "unsupported_key")), "{name}");
            ran += found.iter().filter(|key| key.is_ok()).count();
        }
        assert_eq!(parse_identities(text.as_bytes(), None).unwrap_err().error.code(), "unsupported_key");
        assert_eq!(sign::PrivateKey::parse(&text, None).unwrap_err().code(), "unsupported_key");
    }
    // One block of PEM is the text form of a recipient, too.
    let read: Recipient = pem("sm2").parse().unwrap();
    assert!(read.is_same(&parse_recipients(public("sm2")).unwrap()[0]));
    println!("{ran} keys");
    assert_eq!(ran, 3 * 16);
}

/// The keys of those who issued a certificate must not become recipients or signers beside it.
#[test]
fn a_chain_of_certificates_is_refused() {
    let chain = format!("{}{}", pem("p256"), pem("sm2"));
    assert_eq!(
        keys(chain.as_bytes()),
        [
            Err("invalid_recipient"),
            Err("invalid_signer"),
            Err("invalid_key"),
            Err("invalid_key"),
            Err("unsupported_key"),
        ]
    );
    // A certificate beside bare keys is one more of them.
    let beside = [public("p256"), pem("sm2").into_bytes()].concat();
    assert_eq!(parse_recipients(&beside).unwrap().len(), 2);
    assert_eq!(Signers::parse(&beside).unwrap().len(), 2);
}

#[test]
fn a_damaged_certificate_is_refused_and_never_panics() {
    let mut refused = 0;
    for (name, _) in CERTIFICATES {
        let whole = der(&pem(name));
        for len in 0..whole.len() {
            assert!(keys(&whole[..len]).iter().all(Result::is_err), "{name}, {len} bytes");
        }
        assert!(keys(&[&whole[..], &[0]].concat()).iter().all(Result::is_err), "{name}");
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x20;
            refused += usize::from(keys(&changed).iter().all(Result::is_err));
        }
    }
    // Nothing is verified, so only a damaged structure or key is noticed.
    assert!(refused > 100, "{refused}");
}
