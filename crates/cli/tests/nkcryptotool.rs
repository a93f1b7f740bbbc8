//! Signatures and key bundles that nkCryptoTool wrote (`vectors/nkct`), as a user gives them to the command line.

mod support;

use support::{Done, Sandbox, repository};

/// The owner of the bundles.
const OWNER: &str = "a08c6200bc99db59379e418e2c16d69916d507684f4dd806597803de3e8afa94";

/// A folder with these vectors in it, under their own names.
fn sandbox(vectors: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for vector in vectors {
        let from = repository().join("vectors/nkct").join(vector);
        sandbox.write(from.file_name().unwrap().to_str().unwrap(), std::fs::read(&from).unwrap());
    }
    sandbox
}

#[track_caller]
fn fails(done: &Done, status: i32, texts: &[&str]) {
    assert_eq!(done.status, Some(status), "{done}");
    for text in texts {
        assert!(done.stderr.contains(text), "no {text:?} in {done}");
    }
    assert!(done.stdout.is_empty(), "{done}");
}

#[test]
fn a_bundle_is_a_recipient_once_its_owner_is_pinned() {
    let sandbox = sandbox(&["bundles/cpp_hybrid.nkkb", "keys/cpp_private_enc_pqc.pem", "bundles/cpp_ecc.nkkb"]);
    sandbox.ok("chmod 600 *.pem; echo hello > film");
    for option in ["-r", "-R"] {
        let done = sandbox.sh(&format!("sealstone encrypt {option} cpp_hybrid.nkkb film"));
        fails(&done, 2, &["[usage]", "which proves nothing", OWNER, "over another channel", "--fingerprint HEX"]);
        let pairs = sandbox.ok(&format!("echo {OWNER} | sed 's/../&:/g; s/:$//' | tr a-f A-F"));
        for fingerprint in [OWNER, pairs.trim()] {
            sandbox.ok(&format!("sealstone encrypt --force {option} cpp_hybrid.nkkb --fingerprint {fingerprint} film"));
            let kinds = sandbox.ok("sealstone inspect film.seal | grep recipients");
            assert_eq!(kinds, "  recipients  1: ml-kem-768\n");
        }
    }
    sandbox.ok(&format!("sealstone encrypt --force -r cpp_ecc.nkkb --fingerprint {OWNER} film"));
    assert!(sandbox.ok("sealstone inspect film.seal").contains("1: p256"));
    // Beside others, and for a file that is sealed already.
    let both = format!("-r cpp_hybrid.nkkb -r alice.txt --fingerprint {OWNER}");
    sandbox.ok(&format!("sealstone encrypt --force {both} film; sealstone decrypt -o - -i alice.key film.seal"));
    sandbox.ok(&format!(
        "sealstone encrypt --force -r alice.txt film; sealstone rewrap -i alice.key -r cpp_hybrid.nkkb --fingerprint {OWNER} film.seal"
    ));
    assert!(sandbox.ok("sealstone inspect film.seal").contains("2: hybrid, ml-kem-768"));
    // The recipient as ours, which can be kept.
    let pem = sandbox.ok(&format!("sealstone recipients cpp_ecc.nkkb --fingerprint {OWNER} | tee p.pub"));
    assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"), "{pem}");
    sandbox.ok("sealstone encrypt --force -r p.pub film");
    fails(&sandbox.sh("sealstone recipients cpp_ecc.nkkb"), 2, &["[usage]", OWNER]);
}

/// In its own format a bundle is one recipient with both keys, whatever their sizes.
#[test]
fn a_bundle_with_two_keys_makes_a_hybrid_file_of_its_format() {
    let keys = ["keys/cpp_private_enc_pqc.pem", "keys/cpp_private_enc_ecc.pem"];
    let sandbox =
        sandbox(&[keys[0], keys[1], "bundles/cpp_hybrid.nkkb", "bundles/cpp_pqc.nkkb", "bundles/cpp_ecc.nkkb"]);
    sandbox.ok("chmod 600 *.pem; echo hello > film");
    let (pqc, ecc) = ("-i cpp_private_enc_pqc.pem", "-i cpp_private_enc_ecc.pem");
    for (bundle, scheme, with) in [
        ("cpp_hybrid.nkkb", "hybrid", format!("{pqc} {ecc}")),
        ("cpp_pqc.nkkb", "pqc", pqc.to_owned()),
        ("cpp_ecc.nkkb", "ecc", ecc.to_owned()),
    ] {
        for option in ["-r", "-R"] {
            let pinned = format!("{option} {bundle} --fingerprint {OWNER}");
            sandbox.ok(&format!("sealstone encrypt --force --format nkct {pinned} film"));
            assert!(sandbox.ok("sealstone inspect film.nkct").contains(&format!("scheme {scheme}, ")), "{bundle}");
            assert_eq!(sandbox.ok(&format!("sealstone decrypt -o - {with} film.nkct")), "hello\n", "{bundle}");
        }
    }
    // Two bundles are two recipients, whom one such file is not for.
    let two = sandbox.sh(&format!(
        "sealstone encrypt --force --format nkct -r cpp_hybrid.nkkb -r cpp_pqc.nkkb --fingerprint {OWNER} film"
    ));
    fails(&two, 2, &["[invalid_recipients]"]);
    fails(&sandbox.sh("sealstone encrypt --format nkct -r cpp_hybrid.nkkb film"), 2, &["[usage]", OWNER]);
}

#[test]
fn what_is_not_the_owners_or_has_expired_encrypts_nothing() {
    let all = [
        "bundles/cpp_hybrid.nkkb",
        "bundles/cpp_hybrid_expired.nkkb",
        "bundles/tampered_key.nkkb",
        "bundles/tampered_handle.nkkb",
        "bundles/tampered_signature.nkkb",
        "bundles/tampered_owner.nkkb",
        "bundles/truncated.nkkb",
        "bundles/trailing.nkkb",
    ];
    let sandbox = sandbox(&all);
    sandbox.ok("echo hello > film");
    let encrypt = |bundle: &str, owner: &str| {
        sandbox.sh(&format!("sealstone encrypt -r {bundle} --fingerprint {owner} film; status=$?; test -e film.seal && echo film.seal; exit $status"))
    };
    let other = OWNER.replace('a', "b");
    fails(&encrypt("cpp_hybrid.nkkb", &other), 3, &["[unknown_signer]", OWNER, "another owner"]);
    fails(&encrypt("cpp_hybrid.nkkb", "a08c"), 2, &["64 hexadecimal digits"]);
    fails(&encrypt("cpp_hybrid_expired.nkkb", OWNER), 2, &["[invalid_recipient]", "has expired"]);
    fails(&encrypt("tampered_key.nkkb", OWNER), 2, &["[invalid_recipient]", "damaged", "fetch it again"]);
    fails(&encrypt("tampered_handle.nkkb", OWNER), 4, &["[invalid_signature]", "fetch it again"]);
    fails(&encrypt("tampered_signature.nkkb", OWNER), 4, &["[invalid_signature]"]);
    fails(&encrypt("tampered_owner.nkkb", OWNER), 3, &["[unknown_signer]"]);
    fails(&encrypt("truncated.nkkb", OWNER), 2, &["[invalid_recipient]", "cut short"]);
    fails(&encrypt("trailing.nkkb", OWNER), 2, &["[invalid_recipient]"]);
    // Whoever names an owner means a bundle.
    fails(&encrypt("alice.txt", OWNER), 2, &["no key bundle belongs to the owner", OWNER]);
    let two =
        sandbox.sh(&format!("sealstone encrypt -r cpp_hybrid.nkkb --fingerprint {OWNER} --fingerprint {other} film"));
    fails(&two, 2, &["no key bundle belongs to the owner", &other]);
}

#[test]
fn inspect_shows_a_bundle_and_what_is_wrong_with_it() {
    let all = ["bundles/cpp_hybrid.nkkb", "bundles/cpp_hybrid_expired.nkkb", "bundles/tampered_handle.nkkb"];
    let sandbox = sandbox(&all);
    let text = sandbox.ok("sealstone inspect cpp_hybrid.nkkb");
    for part in ["handle      alice", OWNER, "signatures  hold\n", "ml-kem-768  of 2026-", "p256        of 2026-"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains("does not prove who its owner is"), "{text}");
    assert!(sandbox.ok("sealstone inspect cpp_hybrid_expired.nkkb").contains(", EXPIRED 2026-"));
    assert!(sandbox.ok("sealstone inspect - < tampered_handle.nkkb").contains("DO NOT HOLD"));
    let json = sandbox.ok("sealstone inspect --json cpp_hybrid_expired.nkkb");
    let seen: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&seen["format"], &seen["owner"], &seen["handle"]), (&"nkkb".into(), &OWNER.into(), &"alice".into()));
    assert_eq!(seen["signatures_hold"], true);
    assert_eq!(seen["keys"][0]["kind"], "ml-kem-768");
    assert_eq!(seen["keys"][1]["expired"], true);
}

#[test]
fn signatures_of_keys_of_every_size_are_verified() {
    let all = [
        "keys/cpp44_public_sign_pqc.pem",
        "keys/cpp_public_sign_pqc.pem",
        "keys/cpp87_public_sign_pqc.pem",
        "keys/cpp_public_sign_ecc.pem",
        "keys/cpp87_private_sign_pqc.pem",
        "signatures/v2_cpp_ml_dsa_44_100.nkcs",
        "signatures/v2_cpp_pqc_100.nkcs",
        "signatures/v2_cpp_ml_dsa_87_100.nkcs",
        "signatures/v2_cpp_ecc_sha256_100.nkcs",
        "signatures/refused_ecc_message.nkcs",
    ];
    let sandbox = sandbox(&all);
    sandbox.write("m", (0..100).collect::<Vec<u8>>());
    let keys = "-k cpp44_public_sign_pqc.pem -k cpp_public_sign_pqc.pem -k cpp87_public_sign_pqc.pem -k cpp_public_sign_ecc.pem";
    for (signature, kind) in [
        ("v2_cpp_ml_dsa_44_100.nkcs", "ml-dsa-44"),
        ("v2_cpp_pqc_100.nkcs", "ml-dsa-65"),
        ("v2_cpp_ml_dsa_87_100.nkcs", "ml-dsa-87"),
        ("v2_cpp_ecc_sha256_100.nkcs", "p256-sign"),
    ] {
        let said = sandbox.ok(&format!("sealstone verify-sig {keys} --signature {signature} m"));
        assert!(said.starts_with(&format!("m: signed by {kind} SHA256:")), "{said}");
        sandbox.ok("head -c 99 m > cut");
        let done = sandbox.sh(&format!("sealstone verify-sig {keys} --signature {signature} cut"));
        fails(&done, 4, &["[invalid_signature]"]);
    }
    // A key of ML-DSA-87 signs files of nkCryptoTool, and none of OpenSSH's form.
    sandbox.ok("chmod 600 cpp87_private_sign_pqc.pem; sealstone sign --format nkcs -k cpp87_private_sign_pqc.pem m");
    sandbox.ok("sealstone verify-sig -q -k cpp87_public_sign_pqc.pem m");
    fails(&sandbox.sh("sealstone sign --force -k cpp87_private_sign_pqc.pem m"), 2, &["[unsupported_key]"]);
    sandbox.ok("sealstone keygen -q --kind ed25519 -o e.pem; sealstone sign --force -k e.pem m; sealstone key public e.pem > e.pub");
    let done = sandbox.sh("sealstone verify-sig -k e.pub -k cpp87_public_sign_pqc.pem m");
    fails(&done, 2, &["[unsupported_key]", "cpp87_public_sign_pqc.pem"]);
}

/// The owner of the bundles of the Rust edition.
const OWNER_OF_RUST: &str = "dbe14542d4c1c5d2b4e652813b43a0ac589e7c328e0cf810fbf7946eb740ed53";

#[test]
fn a_key_of_either_edition_owns_a_bundle() {
    let sandbox = sandbox(&[
        "keys/cpp_private_sign_pqc.pem",
        "keys/cpp_public_sign_pqc.pem",
        "keys/rust_private_sign_pqc.pem",
        "keys/rust_public_sign_pqc.pem",
        "keys/cpp_public_enc_pqc.pem",
        "keys/cpp_private_enc_pqc.pem",
        "keys/cpp_private_enc_ecc.pem",
    ]);
    sandbox.ok("chmod 600 *_private_*.pem; echo hello > film");
    for (edition, owner) in [("cpp", OWNER), ("rust", OWNER_OF_RUST)] {
        let made = sandbox.sh(&format!(
            "sealstone key bundle -k {edition}_private_sign_pqc.pem --handle alice -o {edition}.nkkb cpp_public_enc_pqc.pem cpp_private_enc_ecc.pem"
        ));
        assert!(made.status == Some(0) && made.stderr.contains(&format!("fingerprint: {owner}\n")), "{made}");
        let shown = sandbox.ok(&format!("sealstone key inspect {edition}_public_sign_pqc.pem"));
        assert!(shown.contains(&format!("\n  nkCryptoTool shows {owner}\n")), "{shown}");
        let json = sandbox.ok(&format!("sealstone key inspect --json {edition}_public_sign_pqc.pem"));
        assert!(json.contains(&format!(r#""nkcryptotool_fingerprint":"{owner}""#)), "{json}");
        sandbox.ok(&format!("sealstone encrypt --force --format nkct -r {edition}.nkkb --fingerprint {owner} film"));
        assert!(sandbox.ok("sealstone inspect film.nkct").contains("hybrid"));
        let opened =
            sandbox.ok("sealstone decrypt -o - -i cpp_private_enc_pqc.pem -i cpp_private_enc_ecc.pem film.nkct");
        assert_eq!(opened, "hello\n");
    }
}

/// The passphrase of the keys that the Rust edition encrypted.
const PASSPHRASE: &str = "correct horse battery";

/// Whoever has typed the right passphrase is not told to type it again, and whoever has not learns nothing of the key.
#[test]
fn a_key_without_its_seed_says_what_takes_it() {
    let files = [
        "keys/rust_private_sign_pqc.pem",
        "keys/rustlocked_private_sign_pqc.pem",
        "keys/rust_private_enc_pqc.pem",
        "keys/rustlocked_private_enc_pqc.pem",
        "files/v3_rust_locked_pqc_100.nkct",
    ];
    let sandbox = sandbox(&files);
    sandbox.ok(&format!("echo {PASSPHRASE} > right; echo wrong > wrong; echo hello > film; chmod 600 *.pem"));
    let signs = ["sign --format nkcs", "[unsupported_key]"];
    let opens = ["opens nkCryptoTool files", "[unsupported_key]"];
    for (key, says, is_locked) in [
        ("rust_private_sign_pqc.pem", [signs[0], signs[1], "ML-DSA key in expanded form"], false),
        ("rustlocked_private_sign_pqc.pem", [signs[0], signs[1], "ML-DSA key in expanded form"], true),
        ("rust_private_enc_pqc.pem", [opens[0], opens[1], "ML-KEM key in expanded form"], false),
        ("rustlocked_private_enc_pqc.pem", [opens[0], opens[1], "ML-KEM key in expanded form"], true),
    ] {
        for command in [
            "sign -k KEY film",
            "key inspect KEY",
            "key inspect --sign KEY",
            "key public KEY",
            "key convert --to pem KEY",
            "key passphrase --remove KEY",
            "recipients KEY",
        ] {
            let run = |passphrase: &str| {
                let command = command.replace("KEY", key);
                sandbox.sh(&format!("sealstone {command} --passphrase-file {passphrase}"))
            };
            fails(&run("right"), 2, &says);
            if is_locked {
                fails(&run("wrong"), 3, &["wrong passphrase"]);
            }
        }
    }
    let decrypt = "sealstone decrypt -o - v3_rust_locked_pqc_100.nkct";
    let signing = format!("{decrypt} -i rustlocked_private_sign_pqc.pem --passphrase-file");
    fails(&sandbox.sh(&format!("{signing} right")), 2, &signs);
    fails(&sandbox.sh(&format!("{signing} wrong")), 3, &["wrong passphrase"]);
    let opening = format!("{decrypt} -i rustlocked_private_enc_pqc.pem --passphrase-file");
    assert_eq!(sandbox.ok(&format!("{opening} right | wc -c")).trim(), "100");
    fails(&sandbox.sh(&format!("{opening} wrong")), 3, &["wrong passphrase"]);
    // What takes them does.
    let sign = "sealstone sign --force --format nkcs --passphrase-file right -k";
    sandbox.ok(&format!("{sign} rustlocked_private_sign_pqc.pem film"));
    let other = sandbox.sh(&format!("{sign} rustlocked_private_enc_pqc.pem film"));
    fails(&other, 2, &["[unsupported_key]", "this is an encryption key"]);
}

/// Those of the C++ edition have it.
#[test]
fn a_key_with_its_seed_that_no_file_of_ours_takes_is_shown_and_converted() {
    let (signs, opens) = ("cpp87_private_sign_pqc.pem", "cpp512_private_enc_pqc.pem");
    let sandbox = sandbox(&[&format!("keys/{signs}"), &format!("keys/{opens}")]);
    sandbox.ok("echo hello > film; chmod 600 *.pem");
    for (key, kind) in [(signs, "ml-dsa-87"), (opens, "ml-kem-512")] {
        assert!(sandbox.ok(&format!("sealstone key inspect {key}")).contains(&format!("(secret) of kind {kind}")));
        sandbox.ok(&format!("sealstone key public {key} > public; sealstone key convert --to pem -o own {key}"));
        sandbox.ok("sealstone key public own | cmp - public; sealstone key fingerprint public; rm own");
    }
    sandbox.ok(&format!("sealstone recipients {opens} > r; sealstone encrypt --format nkct -r r film"));
    assert_eq!(sandbox.ok(&format!("sealstone decrypt -o - -i {opens} film.nkct")), "hello\n");
    fails(&sandbox.run(&format!("sign -k {signs} film")), 2, &["sign --format nkcs", "unsupported key type"]);
    fails(
        &sandbox.run(&format!("sign -k {opens} film")),
        2,
        &["opens nkCryptoTool files", "ML-KEM of a size other than 768"],
    );
    fails(&sandbox.run(&format!("recipients {signs}")), 2, &["sign --format nkcs", "[unsupported_key]"]);
}

/// A key of the Rust edition has no seed, and opens no file of ours: nothing in its bundle tells.
#[test]
fn whoever_uses_a_bundle_for_files_of_ours_is_told_who_opens_them() {
    let sandbox = sandbox(&["bundles/cpp_hybrid.nkkb", "bundles/cpp_ecc.nkkb"]);
    sandbox.ok("echo hello > film");
    let says = |command: &str| {
        let done = sandbox.sh(&format!("{command} --fingerprint {OWNER}"));
        assert_eq!(done.status, Some(0), "{done}");
        done.stderr
    };
    let note = "cpp_hybrid.nkkb: only a private key with its seed opens Sealstone files";
    assert!(says("sealstone encrypt -r cpp_hybrid.nkkb film").contains(note));
    assert!(says("sealstone recipients cpp_hybrid.nkkb").contains(note));
    let rewrap =
        "sealstone encrypt --force -r alice.txt film; sealstone rewrap -i alice.key -r cpp_hybrid.nkkb film.seal";
    assert!(says(rewrap).contains(note));
    for silent in ["-q -r cpp_hybrid.nkkb", "-r cpp_ecc.nkkb", "--format nkct -r cpp_hybrid.nkkb"] {
        assert_eq!(says(&format!("sealstone encrypt --force {silent} film")), "", "{silent}");
    }
}

#[test]
fn a_bundle_of_a_key_without_a_seed_asks_for_its_public_key() {
    let sandbox = sandbox(&["keys/rust_private_enc_pqc.pem", "keys/rust_public_enc_pqc.pem"]);
    sandbox.ok("chmod 600 *.pem; sealstone keygen -q --kind ml-dsa-65 -o k.pem");
    let bundle = |key: &str| sandbox.sh(&format!("sealstone key bundle -k k.pem --handle rust -o rust.nkkb {key}"));
    fails(
        &bundle("rust_private_enc_pqc.pem"),
        2,
        &["[unsupported_key]", "name its public key, which nkCryptoTool wrote"],
    );
    assert_eq!(bundle("rust_public_enc_pqc.pem").status, Some(0));
}
