//! Files and keys that nkCryptoTool's own builds wrote, as its users have them (`vectors/nkct/`).

mod support;

use std::os::unix::fs::PermissionsExt;
use support::{Sandbox, repository};

/// Copies a file of the vectors; a key is for its owner alone.
fn copy(sandbox: &Sandbox, from: &str, to: &str) {
    let path = sandbox.write(to, std::fs::read(repository().join("vectors/nkct").join(from)).unwrap());
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

/// Byte i is i mod 251.
fn is_plaintext(bytes: &[u8], len: usize) -> bool {
    bytes.len() == len && bytes.iter().zip((0..=250).cycle()).all(|(found, expected)| *found == expected)
}

#[test]
fn files_of_both_editions_open_with_their_keys() {
    let sandbox = Sandbox::new();
    for (file, keys, len) in [
        ("v1_cpp_0410_ecc_100", &["cpp0410_private_enc_ecc"][..], 100),
        ("v1_cpp_0410_hybrid_100", &["cpp0410_private_enc_pqc", "cpp0410_private_enc_ecc"], 100),
        ("v1_cpp_0426_ecc_0", &["cpp_private_enc_ecc"], 0),
        ("v2_cpp_0429_ecc_chacha_0", &["cpp_private_enc_ecc"], 0),
        ("v3_cpp_ml_kem_512_pqc_100", &["cpp512_private_enc_pqc"], 100),
        ("v3_cpp_default_ecc_100", &["cpp_private_enc_ecc"], 100),
        // Its keys of ML-KEM have no seed.
        ("v3_rust_default_pqc_100", &["rust_private_enc_pqc"], 100),
        ("v3_rust_c64_hybrid_1000", &["rust_private_enc_hybrid_ecdh", "rust_private_enc_hybrid_mlkem"], 1000),
    ] {
        copy(&sandbox, &format!("files/{file}.nkct"), "a.nkct");
        for key in keys {
            copy(&sandbox, &format!("keys/{key}.pem"), &format!("{key}.pem"));
        }
        let named: String = keys.iter().flat_map(|key| [" -i ", key, ".pem"]).collect();
        sandbox.ok(&format!("sealstone decrypt -q --force{named} -o out a.nkct"));
        assert!(is_plaintext(&sandbox.read("out"), len), "{file}");
        sandbox.ok(&format!("sealstone decrypt{named} -o - < a.nkct | cmp - out"));
        let said = sandbox.ok(&format!("sealstone verify{named} a.nkct"));
        assert!(said.starts_with(&format!("a.nkct: authentic, {len} byte")), "{file}: {said}");
        assert!(sandbox.ok("sealstone inspect --json a.nkct").contains(r#""format":"nkct""#), "{file}");
    }
}

#[test]
fn keys_behind_a_passphrase_open_files_and_ask_once() {
    let sandbox = Sandbox::new();
    for (file, key, passphrase) in [
        ("v1_cpp_0410_locked_ecc_100", "cpp0410locked_private_enc_ecc", "correct horse"),
        ("v1_cpp_0410_locked_pqc_100", "cpp0410locked_private_enc_pqc", "correct horse"),
        ("v3_rust_locked_ecc_100", "rustlocked_private_enc_ecc", "correct horse battery"),
        ("v3_rust_locked_pqc_100", "rustlocked_private_enc_pqc", "correct horse battery"),
    ] {
        copy(&sandbox, &format!("files/{file}.nkct"), "a.nkct");
        copy(&sandbox, &format!("keys/{key}.pem"), "key.pem");
        sandbox.ok(&format!(
            "printf '{passphrase}\n' | sealstone decrypt -q --force --passphrase-fd 0 -i key.pem -o out a.nkct"
        ));
        assert!(is_plaintext(&sandbox.read("out"), 100), "{file}");
        let wrong = sandbox.sh("printf 'wrong\n' | sealstone decrypt --passphrase-fd 0 -i key.pem -o - a.nkct");
        assert!(wrong.status == Some(3) && wrong.stderr.contains("key.pem: wrong passphrase"), "{wrong}");
    }
}

#[test]
fn files_are_written_to_keys_of_every_size() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", "letter\n");
    for (key, public) in [
        ("cpp512_private_enc_pqc", "cpp512_public_enc_pqc"),
        ("cpp1024_private_enc_pqc", "cpp1024_public_enc_pqc"),
        ("rust_private_enc_pqc", "rust_public_enc_pqc"),
        ("rust_private_enc_ecc", "rust_public_enc_ecc"),
    ] {
        copy(&sandbox, &format!("keys/{key}.pem"), "key.pem");
        copy(&sandbox, &format!("keys/{public}.pem"), "key.pub");
        for option in ["-r", "-R"] {
            sandbox.ok(&format!("sealstone encrypt -q --force --format nkct {option} key.pub -o a.nkct plain"));
            sandbox.ok("sealstone decrypt -i key.pem -o - a.nkct | cmp - plain");
        }
    }
    // Both keys of one recipient in one file.
    copy(&sandbox, "keys/cpp1024_private_enc_pqc.pem", "pqc.pem");
    copy(&sandbox, "keys/cpp1024_public_enc_pqc.pem", "pqc.pub");
    sandbox
        .ok("cat key.pub pqc.pub > both.pub; sealstone encrypt -q --force --format nkct -R both.pub -o a.nkct plain");
    sandbox.ok("sealstone decrypt -i key.pem -i pqc.pem -o - a.nkct | cmp - plain");
    let one = sandbox.sh("sealstone decrypt -i pqc.pem -o - a.nkct");
    assert!(one.status == Some(3) && one.stderr.contains("p256 and one of ml-kem-1024: name both"), "{one}");
}

#[test]
fn a_key_that_other_files_take_no_use_of_says_so() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "keys/rust_private_enc_pqc.pem", "key.pem");
    sandbox.ok("sealstone encrypt -q -r bob.txt -o a.seal alice.txt");
    let done = sandbox.sh("sealstone decrypt -i key.pem -o - a.seal");
    assert!(done.status == Some(3) && done.stderr.contains("nkCryptoTool files only"), "{done}");
    // SEC1 and PBES2 behind PRIVATE KEY are keys as any others.
    copy(&sandbox, "keys/rustlocked_private_enc_ecc.pem", "locked.pem");
    sandbox.write("pass", "correct horse battery\n");
    let recipient = sandbox.ok("chmod 600 pass; sealstone recipients --passphrase-file pass locked.pem");
    assert!(recipient.starts_with("-----BEGIN PUBLIC KEY-----"), "{recipient}");
    let blob = "-----BEGIN TPM WRAPPED BLOB-----\nP=AAAA\n-----END TPM WRAPPED BLOB-----\n";
    let path = sandbox.write("tpm.pem", blob);
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
    let done = sandbox.sh("sealstone decrypt -i tpm.pem -o - a.seal");
    assert!(done.stderr.contains("only its TPM can unwrap"), "{done}");
}
