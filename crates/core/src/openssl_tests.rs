//! OpenSSL as the judge of what the crate does not export yet, HMAC, HKDF and PBKDF2 over SM3, and of old ciphers and CFB8.

use crate::hazmat::cipher::{self, Cipher, Padding};
use crate::hazmat::legacy::{self, LegacyCipher};
use crate::kdf::hkdf_expand_sm3;
use crate::mac::HmacSm3;
use crate::password::{Prf, pbkdf2};
use data_encoding::HEXLOWER;
use std::io::Write;
use std::process::{Command, Stdio};

/// What OpenSSL prints, as hexadecimal digits; `None` where there is no OpenSSL 3, which is then said.
fn openssl(arguments: &str, input: &[u8]) -> Option<String> {
    let text = String::from_utf8(openssl_bytes(arguments, input)?).unwrap().to_lowercase();
    Some(text.chars().filter(char::is_ascii_hexdigit).collect())
}

/// What OpenSSL prints.
fn openssl_bytes(arguments: &str, input: &[u8]) -> Option<Vec<u8>> {
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
fn skip(why: &str) {
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

/// `len` bytes that are others for each `from`.
fn bytes(from: usize, len: usize) -> Vec<u8> {
    (0..=250).cycle().skip(from * 7 % 251).take(len).collect()
}

#[test]
fn hmac_sm3_is_that_of_openssl() {
    let mut ran = 0;
    // Keys up to a block, of a block and longer, which are hashed.
    for key_len in [1, 16, 32, 63, 64, 65, 200] {
        for len in [0, 1, 55, 56, 63, 64, 65, 1000] {
            let (key, message) = (bytes(key_len, key_len), bytes(len, len));
            let arguments = format!("mac -digest SM3 -macopt hexkey:{} -in - HMAC", hex(&key));
            let Some(theirs) = openssl(&arguments, &message) else { return };
            assert_eq!(hex(&HmacSm3::new(&key).sign([&message[..]])), theirs, "key {key_len}, message {len}");
            ran += 1;
        }
    }
    assert_eq!(ran, 56);
}

#[test]
fn hkdf_sm3_is_that_of_openssl() {
    for len in [1, 31, 32, 33, 64, 100, 255 * 32] {
        let (salt, ikm, info) = (bytes(len, len % 40 + 1), bytes(len + 1, 22 + len % 50), bytes(len + 2, len % 90 + 1));
        let arguments = format!(
            "kdf -keylen {len} -kdfopt digest:SM3 -kdfopt hexkey:{} -kdfopt hexsalt:{} -kdfopt hexinfo:{} HKDF",
            hex(&ikm),
            hex(&salt),
            hex(&info)
        );
        let Some(theirs) = openssl(&arguments, b"") else { return };
        let mut ours = vec![0; len];
        hkdf_expand_sm3(&HmacSm3::new(&salt).sign([&ikm[..]]), &[&info], &mut ours);
        assert_eq!(hex(&ours), theirs, "{len} bytes");
    }
}

#[test]
fn pbkdf2_sm3_is_that_of_openssl() {
    for (len, iterations) in [(1, 1), (32, 2), (33, 3), (64, 1000), (100, 77)] {
        let (password, salt) = (bytes(len, len % 70 + 1), bytes(len + 1, len % 30 + 8));
        let arguments = format!(
            "kdf -keylen {len} -kdfopt digest:SM3 -kdfopt hexpass:{} -kdfopt hexsalt:{} -kdfopt iter:{iterations} \
             -kdfopt pkcs5:1 PBKDF2",
            hex(&password),
            hex(&salt)
        );
        let Some(theirs) = openssl(&arguments, b"") else { return };
        let mut ours = vec![0; len];
        pbkdf2(Prf::HmacSm3, &password, &salt, iterations, &mut ours);
        assert_eq!(hex(&ours), theirs, "{len} bytes, {iterations} iterations");
    }
}

/// Keys of the one length that `openssl enc` has for each.
#[test]
fn old_ciphers_are_those_of_openssl() {
    for (algorithm, name, key_len) in [
        (legacy::Algorithm::DesCbc, "des-cbc", 8),
        (legacy::Algorithm::DesEde3Cbc, "des-ede3-cbc", 24),
        (legacy::Algorithm::BlowfishCbc, "bf-cbc", 16),
        (legacy::Algorithm::Rc4, "rc4", 16),
    ] {
        for len in [0, 1, 7, 8, 9, 63, 64, 1000] {
            let (key, iv, plaintext) = (bytes(len + 1, key_len), bytes(len + 2, algorithm.iv_len()), bytes(len, len));
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
            let (key, iv, plaintext) = (bytes(len + 1, algorithm.key_len()), bytes(len + 2, 16), bytes(len, len));
            let arguments = format!("enc -{algorithm} -K {} -iv {}", hex(&key), hex(&iv));
            let Some(theirs) = openssl_bytes(&arguments, &plaintext) else { return };
            let ours = Cipher::new(algorithm, &key).unwrap();
            assert_eq!(ours.encrypt(&iv, Padding::Pkcs7, &plaintext).unwrap(), theirs, "{algorithm}, {len} bytes");
            assert_eq!(ours.decrypt(&iv, Padding::Pkcs7, &theirs).unwrap(), plaintext, "{algorithm}, {len} bytes");
        }
    }
}
