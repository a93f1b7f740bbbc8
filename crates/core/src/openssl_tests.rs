//! OpenSSL as the judge of MACs and of keys that are derived, on random inputs, of old ciphers and CFB8, of key agreement and of RSA
//! encryption.

use crate::exchange::{self, Kind};
use crate::hash::Algorithm;
use crate::hazmat::cipher::{self, Cipher, Padding};
use crate::hazmat::legacy::{self, LegacyCipher};
use crate::kdf::{self, Bounds, Cost, Input};
use crate::mac::{self, Mac};
use data_encoding::HEXLOWER;
use std::io::Write;
use std::process::{Command, Stdio};

/// What OpenSSL prints, as hexadecimal digits; `None` where there is no OpenSSL 3, which is then said.
fn openssl(arguments: &str, input: &[u8]) -> Option<String> {
    let text = String::from_utf8(openssl_bytes(arguments, input)?).unwrap().to_lowercase();
    Some(text.chars().filter(char::is_ascii_hexdigit).collect())
}

/// What OpenSSL prints.
pub(crate) fn openssl_bytes(arguments: &str, input: &[u8]) -> Option<Vec<u8>> {
    let spawned =
        Command::new("openssl").args(arguments.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let said = spawned.and_then(|mut child| {
        // One that ends early says so by its status.
        _ = child.stdin.take().expect("a pipe").write_all(input);
        child.wait_with_output()
    });
    match said {
        Ok(said) if said.status.success() => Some(said.stdout),
        _ => {
            let version = Command::new("openssl").arg("version").output();
            let version = version.map(|said| String::from_utf8_lossy(&said.stdout).into_owned()).unwrap_or_default();
            assert!(!version.starts_with("OpenSSL 3"), "openssl {arguments} failed");
            skip("there is no OpenSSL 3");
            None
        }
    }
}

/// As in the tests of the command line: `make test` shows what was skipped, and with CI=true that is a failure.
pub(crate) fn skip(why: &str) {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    println!("skipped: {why}");
    // target/debug/deps/sealstone-…
    let own = std::env::current_exe().unwrap();
    let list = own.ancestors().nth(3).unwrap().join("tmp/skipped.txt");
    let list = std::fs::create_dir_all(list.parent().unwrap())
        .and_then(|()| std::fs::OpenOptions::new().create(true).append(true).open(list));
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    writeln!(list.unwrap(), "{test}: {why}").unwrap();
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    crate::random::fill(&mut bytes).unwrap();
    bytes
}

/// What OpenSSL calls a hash of ours.
fn digest_name(hash: Algorithm) -> String {
    match hash {
        Algorithm::Blake2b => "BLAKE2B-512".to_owned(),
        Algorithm::Blake2s => "BLAKE2S-256".to_owned(),
        _ => hash.name().to_uppercase(),
    }
}

/// The hashes that OpenSSL 3.0 has an HMAC of.
fn hashes() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|hash| has_hash(*hash) && mac::hmac(*hash, b"").is_ok())
}

/// No BLAKE3, and Keccak as it was before FIPS 202 from 3.3 on.
fn has_hash(hash: Algorithm) -> bool {
    hash != Algorithm::Blake3 && !hash.name().starts_with("keccak")
}

#[test]
fn every_mac_is_that_of_openssl() {
    let mut ran = 0;
    for algorithm in mac::Algorithm::ALL {
        // Keys up to a block, of a block and longer, which are hashed.
        for key_len in algorithm.key_len().map_or(vec![4, 16, 32, 63, 64], |len| vec![len]) {
            for len in [0, 1, 15, 16, 17, 55, 64, 137, 1000] {
                let (key, message) = (random(key_len), random(len));
                let (name, options) = match algorithm {
                    mac::Algorithm::Blake2bKeyed => ("BLAKE2BMAC", String::new()),
                    mac::Algorithm::Kmac256 => ("KMAC256", " -macopt size:64".to_owned()),
                    mac::Algorithm::Aes128Cmac => ("CMAC", " -cipher AES-128-CBC".to_owned()),
                    mac::Algorithm::Aes192Cmac => ("CMAC", " -cipher AES-192-CBC".to_owned()),
                    mac::Algorithm::Aes256Cmac => ("CMAC", " -cipher AES-256-CBC".to_owned()),
                    _ => match algorithm.hash() {
                        Some(hash) if has_hash(hash) => ("HMAC", format!(" -digest {}", digest_name(hash))),
                        _ => continue,
                    },
                };
                let arguments = format!("mac -macopt hexkey:{}{options} -in - {name}", hex(&key));
                let Some(theirs) = openssl(&arguments, &message) else { return };
                let ours = Mac::new(algorithm, &key).unwrap().sign(&message);
                assert_eq!(hex(ours.as_bytes()), theirs, "{algorithm}, key {}, message {}", hex(&key), hex(&message));
                ran += 1;
            }
        }
    }
    println!("{ran} comparisons");
    assert!(ran >= 390, "only {ran} comparisons");
}

#[test]
fn every_derivation_of_secrets_is_that_of_openssl() {
    let mut ran = 0;
    for hash in hashes() {
        for len in [1, hash.digest_len(), hash.digest_len() + 1, 255] {
            let (secret, salt, info) = (random(len % 50 + 1), random(len % 40 + 1), random(len % 90 + 1));
            let (digest, secret_hex, info_hex) = (digest_name(hash), hex(&secret), hex(&info));
            let options =
                format!("-kdfopt hexsalt:{} -kdfopt hexkey:{secret_hex} -kdfopt hexinfo:{info_hex}", hex(&salt));
            let Some(theirs) = openssl(&format!("kdf -keylen {len} -kdfopt digest:{digest} {options} HKDF"), b"")
            else {
                return;
            };
            let mut ours = vec![0; len];
            kdf::hkdf(hash, &secret, &salt, &info, &mut ours).unwrap();
            assert_eq!(hex(&ours), theirs, "HKDF, {hash}, {options}");
            let options = format!("-kdfopt hexkey:{secret_hex} -kdfopt hexinfo:{info_hex}");
            let Some(theirs) = openssl(&format!("kdf -keylen {len} -kdfopt digest:{digest} {options} SSKDF"), b"")
            else {
                return;
            };
            kdf::concat(hash, &secret, &info, &mut ours).unwrap();
            assert_eq!(hex(&ours), theirs, "SSKDF, {hash}, {options}");
            ran += 2;
        }
    }
    assert!(ran >= 56, "only {ran} comparisons");
}

#[test]
fn every_derivation_of_passwords_is_that_of_openssl() {
    for len in [4, 32, 33, 64, 100] {
        let (password, salt) = (random(len % 70 + 1), random(len % 30 + 8));
        let of = |cost: Cost| {
            let mut out = vec![0; len];
            kdf::derive(&cost, &Input::new(&password, &salt), Bounds::Usual, &mut out).unwrap();
            hex(&out)
        };
        let options = format!("kdf -keylen {len} -kdfopt hexpass:{} -kdfopt hexsalt:{}", hex(&password), hex(&salt));
        for hash in hashes() {
            for iterations in [1, 2, 77] {
                let digest = digest_name(hash);
                let arguments =
                    format!("{options} -kdfopt digest:{digest} -kdfopt iter:{iterations} -kdfopt pkcs5:1 PBKDF2");
                let Some(theirs) = openssl(&arguments, b"") else { return };
                assert_eq!(of(Cost::Pbkdf2 { hash, iterations }), theirs, "{arguments}");
            }
        }
        for (log_n, r, p) in [(1, 1, 1), (4, 8, 1), (10, 3, 2)] {
            let arguments = format!("{options} -kdfopt n:{} -kdfopt r:{r} -kdfopt p:{p} SCRYPT", 1 << log_n);
            let Some(theirs) = openssl(&arguments, b"") else { return };
            assert_eq!(of(Cost::Scrypt { log_n, r, p }), theirs, "{arguments}");
        }
    }
}

/// Keys of the one length that `openssl enc` has for each.
#[test]
fn old_ciphers_are_those_of_openssl() {
    for (algorithm, name, key_len) in [
        (legacy::Algorithm::DesEcb, "des-ecb", 8),
        (legacy::Algorithm::DesCbc, "des-cbc", 8),
        (legacy::Algorithm::DesCfb, "des-cfb", 8),
        (legacy::Algorithm::DesOfb, "des-ofb", 8),
        (legacy::Algorithm::DesEde3Ecb, "des-ede3-ecb", 24),
        (legacy::Algorithm::DesEde3Cbc, "des-ede3-cbc", 24),
        (legacy::Algorithm::DesEde3Cfb, "des-ede3-cfb", 24),
        (legacy::Algorithm::DesEde3Ofb, "des-ede3-ofb", 24),
        (legacy::Algorithm::BlowfishEcb, "bf-ecb", 16),
        (legacy::Algorithm::BlowfishCbc, "bf-cbc", 16),
        (legacy::Algorithm::BlowfishCfb, "bf-cfb", 16),
        (legacy::Algorithm::BlowfishOfb, "bf-ofb", 16),
        (legacy::Algorithm::Rc4, "rc4", 16),
    ] {
        for len in [0, 1, 7, 8, 9, 63, 64, 1000] {
            let (key, iv, plaintext) = (random(key_len), random(algorithm.iv_len()), random(len));
            let iv_option = if iv.is_empty() { String::new() } else { format!(" -iv {}", hex(&iv)) };
            let arguments = format!("enc -{name} -provider legacy -provider default -K {}{iv_option}", hex(&key));
            let Some(theirs) = openssl_bytes(&arguments, &plaintext) else { return };
            let ours = LegacyCipher::allowing_encryption(algorithm, &key).unwrap();
            assert_eq!(ours.encrypt(&iv, Padding::Pkcs7, &plaintext).unwrap(), theirs, "{algorithm}, {len} bytes");
            assert_eq!(ours.decrypt(&iv, Padding::Pkcs7, &theirs).unwrap(), plaintext, "{algorithm}, {len} bytes");
        }
    }
}

#[test]
fn aes_in_cfb8_is_that_of_openssl() {
    for algorithm in [cipher::Algorithm::Aes128Cfb8, cipher::Algorithm::Aes192Cfb8, cipher::Algorithm::Aes256Cfb8] {
        for len in [0, 1, 15, 16, 17, 1000] {
            let (key, iv, plaintext) = (random(algorithm.key_len()), random(16), random(len));
            let arguments = format!("enc -{algorithm} -K {} -iv {}", hex(&key), hex(&iv));
            let Some(theirs) = openssl_bytes(&arguments, &plaintext) else { return };
            let ours = Cipher::new(algorithm, &key).unwrap();
            assert_eq!(ours.encrypt(&iv, Padding::Pkcs7, &plaintext).unwrap(), theirs, "{algorithm}, {len} bytes");
            assert_eq!(ours.decrypt(&iv, Padding::Pkcs7, &theirs).unwrap(), plaintext, "{algorithm}, {len} bytes");
        }
    }
}

/// Keys of either, in PEM.
#[test]
fn key_agreement_is_that_of_openssl() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (kind, options) in [
        (Kind::X25519, "-algorithm X25519"),
        (Kind::P256, "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"),
        (Kind::P384, "-algorithm EC -pkeyopt ec_paramgen_curve:P-384"),
        (Kind::P521, "-algorithm EC -pkeyopt ec_paramgen_curve:P-521"),
    ] {
        for _ in 0..4 {
            let ours = exchange::PrivateKey::generate(kind).unwrap();
            let Some(theirs) = openssl_bytes(&format!("genpkey {options}"), b"") else { return };
            let theirs_public = openssl_bytes("pkey -pubout", &theirs).unwrap();
            std::fs::write(file("theirs"), &theirs).unwrap();
            std::fs::write(file("theirs.pub"), &theirs_public).unwrap();
            std::fs::write(file("ours"), &*ours.to_pem(None).unwrap()).unwrap();
            std::fs::write(file("ours.pub"), ours.public_key().to_pem().unwrap()).unwrap();
            let theirs = exchange::PrivateKey::parse(&theirs, None).unwrap();
            let theirs_public = exchange::PublicKey::parse(&theirs_public).unwrap();
            assert_eq!((theirs.kind(), theirs.public_key()), (kind, theirs_public.clone()));
            let expected = ours.hazmat_shared_secret(&theirs_public).unwrap();
            assert_eq!(theirs.hazmat_shared_secret(&ours.public_key()).unwrap(), expected, "{kind}");
            for (own, other) in [("theirs", "ours.pub"), ("ours", "theirs.pub")] {
                let derive = format!("pkeyutl -derive -inkey {} -peerkey {}", file(own), file(other));
                assert_eq!(openssl_bytes(&derive, b"").unwrap(), **expected, "{kind}: {own} with {other}");
            }
        }
    }
}

#[cfg(not(sealstone_rustcrypto))]
#[test]
fn rsa_encryption_is_that_of_openssl() {
    use crate::rsa::{Oaep, PrivateKey, PublicKey, legacy, tests::published};
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let key = PrivateKey::from_bytes(&published("k2048")).unwrap();
    std::fs::write(file("key"), &*key.to_pem(None).unwrap()).unwrap();
    std::fs::write(file("pub"), key.public_key().to_pem()).unwrap();
    let (public, private) = (format!("-pubin -inkey {}", file("pub")), format!("-inkey {}", file("key")));
    let decrypt =
        |options: &str, ciphertext: &[u8]| openssl_bytes(&format!("pkeyutl -decrypt {private} {options}"), ciphertext);
    let encrypt =
        |options: &str, plaintext: &[u8]| openssl_bytes(&format!("pkeyutl -encrypt {public} {options}"), plaintext);
    for hash in [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha384, Algorithm::Sha512] {
        for (len, label) in [(1, &b""[..]), (32, b"a label"), (256 - 2 * hash.digest_len() - 2, b"\0")] {
            let (plaintext, oaep) = (random(len), Oaep { hash, label });
            let mut options =
                format!("-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:{hash} -pkeyopt rsa_mgf1_md:{hash}");
            if !label.is_empty() {
                options = format!("{options} -pkeyopt rsa_oaep_label:{}", hex(label));
            }
            let Some(theirs) = encrypt(&options, &plaintext) else { return };
            assert_eq!(**key.decrypt(&oaep, &theirs).unwrap(), plaintext, "{options}");
            let ours = key.public_key().encrypt(&oaep, &plaintext).unwrap();
            assert_eq!(decrypt(&options, &ours).unwrap(), plaintext, "{options}");
        }
    }
    for len in [1, 32, 245] {
        let (plaintext, options) = (random(len), "-pkeyopt rsa_padding_mode:pkcs1");
        let Some(theirs) = encrypt(options, &plaintext) else { return };
        assert_eq!(**legacy::decrypt(&key, &theirs).unwrap(), plaintext);
        let ours = legacy::encrypt(&key.public_key(), &plaintext).unwrap();
        assert_eq!(decrypt(options, &ours).unwrap(), plaintext);
    }
    let certificate = openssl_bytes(&format!("req -x509 -new -key {} -subj /CN=a", file("key")), b"").unwrap();
    assert_eq!(PublicKey::parse(&certificate).unwrap(), key.public_key());
    // A key of OpenSSL's, in all of its forms.
    let Some(theirs) = openssl_bytes("genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048", b"") else {
        return;
    };
    let read = PrivateKey::parse(&theirs, None).unwrap();
    for (arguments, is_private) in
        [("rsa -traditional", true), ("rsa -pubout", false), ("rsa -RSAPublicKey_out", false)]
    {
        let form = openssl_bytes(arguments, &theirs).unwrap();
        if is_private {
            assert_eq!(PrivateKey::parse(&form, None).unwrap().to_bytes(), read.to_bytes());
        } else {
            assert_eq!(PublicKey::parse(&form).unwrap(), read.public_key(), "{arguments}");
        }
    }
}
