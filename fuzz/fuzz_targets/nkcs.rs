//! Signatures of nkCryptoTool: arbitrary bytes, and those of its programs whose bytes are changed. Only the content that was signed
//! verifies, whatever the header says.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::Input;
use sealstone::interop::nkcs::{self, SignatureReader};
use sealstone::sign::PublicKey;
use sealstone_fuzz::Edit;
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    /// Arbitrary bytes for the content that was signed.
    File { signature: &'a [u8] },
    /// A signature of one of its programs, changed; its content, or another.
    Theirs { of: u8, edits: Vec<Edit>, content: Option<&'a [u8]> },
}

macro_rules! vector {
    ($path:literal) => {
        include_bytes!(concat!("../../vectors/nkct/", $path))
    };
}

/// One of each layout, all of the same content.
const THEIRS: [&[u8]; 12] = [
    vector!("signatures/bare_cpp_0409_ecc_100.nkcs"),
    vector!("signatures/bare_cpp_0409_pqc_100.nkcs"),
    vector!("signatures/v1_cpp_0410_ecc_sha256_100.nkcs"),
    vector!("signatures/v1_cpp_0410_pqc_100.nkcs"),
    vector!("signatures/v1_cpp_0410_hybrid_100.nkcs"),
    vector!("signatures/v1_cpp_0424_pqc_100.nkcs"),
    vector!("signatures/v1_cpp_0424_hybrid_100.nkcs"),
    vector!("signatures/v1_cpp_0426_pqc_100.nkcs"),
    vector!("signatures/v2_cpp_ecc_100.nkcs"),
    vector!("signatures/v2_cpp_pqc_100.nkcs"),
    vector!("signatures/v2_cpp_ml_dsa_44_100.nkcs"),
    vector!("signatures/v2_cpp_ml_dsa_87_100.nkcs"),
];

/// Without and with signatures that have no header.
static READERS: LazyLock<[SignatureReader; 2]> = LazyLock::new(|| {
    let keys: [&[u8]; 7] = [
        vector!("keys/cpp0410_public_sign_ecc.pem"),
        vector!("keys/cpp0410_public_sign_pqc.pem"),
        vector!("keys/cpp0424_public_sign_pqc.pem"),
        vector!("keys/cpp_public_sign_ecc.pem"),
        vector!("keys/cpp_public_sign_pqc.pem"),
        vector!("keys/cpp44_public_sign_pqc.pem"),
        vector!("keys/cpp87_public_sign_pqc.pem"),
    ];
    let keys = keys.map(|key| PublicKey::parse(key).expect("nkcs: a key of the vectors"));
    let reader = SignatureReader::new(keys).expect("nkcs: kinds that sign");
    [reader.clone(), reader.allow_bare(true)]
});

fn signed() -> Vec<u8> {
    (0..100).collect()
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { signature } => drop(check(&signed(), signature)),
    Case::Theirs { of, edits, content } => {
        let good = THEIRS[usize::from(of) % THEIRS.len()];
        let mut signature = good.to_vec();
        edits.iter().for_each(|edit| edit.apply(&mut signature));
        let signed = signed();
        let verified = check(content.unwrap_or(&signed), &signature);
        if signature == good && content.is_none_or(|content| content == signed) {
            assert!(verified, "a good signature");
        }
    }
});

/// Whether it verifies; the reader that allows more refuses nothing that the other one takes.
fn check(content: &[u8], signature: &[u8]) -> bool {
    let [usual, bare] = &*READERS;
    let verified = [usual, bare].map(|reader| reader.detached(Input::reader(content), signature));
    for verified in &verified {
        match verified {
            Ok(verified) => {
                assert_eq!((content, verified.content_len()), (&signed()[..], 100), "nothing else was signed");
                assert_eq!(verified.version().is_some(), nkcs::begins(signature));
            }
            Err(error) => {
                let of_file = ["not_a_signature", "malformed_signature", "unsupported_signature", "invalid_signature"];
                assert!(of_file.contains(&error.code()), "{error}");
            }
        }
    }
    let [usual, bare] = verified;
    assert!(usual.is_err() || bare.is_ok());
    bare.is_ok()
}
