//! With known randomness, the output equals that of the original programs byte for byte.

use super::*;
use crate::encoding::{decode_hex, encode_hex};
use serde_json::Value;

/// The vectors of `vectors/compat`.
fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/compat/yuants.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn encode_base58(data: &[u8]) -> String {
    crate::encoding::encode_base58(data).unwrap()
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).unwrap_or_else(|| panic!("no {path}")).as_str().unwrap()
}

fn bytes<const N: usize>(value: &Value, path: &str) -> [u8; N] {
    decode_hex(text(value, path)).unwrap().try_into().unwrap()
}

fn box_draws(value: &Value, name: &str) -> BoxDraws {
    let ephemeral: [u8; 32] = bytes(value, &format!("/{name}/eph_secret_hex"));
    BoxDraws {
        ephemeral: SecretKey::from_bytes(&ephemeral).unwrap(),
        nonce: bytes(value, &format!("/{name}/nonce_hex")),
    }
}

#[test]
fn every_known_answer_is_written_and_read() {
    let known = vectors();
    let plaintext = text(&known, "/plaintext_utf8").as_bytes();
    let seed: [u8; 32] = bytes(&known, "/seed_hex");
    let mut ran = 0;
    let mut agree = |ours: &str, theirs: &str| {
        assert_eq!(ours, theirs);
        ran += 1;
    };

    let pair = KeyPair::from_seed(&seed).unwrap();
    agree(&pair.public_key, text(&known, "/keypair/public_key"));
    agree(&pair.private_key, text(&known, "/keypair/private_key"));
    agree(&encode_hex(&public_key(&pair.public_key).unwrap().to_x25519()), text(&known, "/x25519_from_ed_pub_hex"));
    // X25519 clamps: the key is that of the clamped bytes.
    let clamped: [u8; 32] = bytes(&known, "/x25519_from_ed_sec_hex");
    let converted = private_key(&pair.private_key).unwrap().to_x25519();
    assert_eq!(converted.public_key(), SecretKey::from_bytes(&clamped).unwrap().public_key());
    let mut own = *converted.to_bytes();
    own[0] &= 0xf8;
    own[31] = own[31] & 0x7f | 0x40;
    agree(&encode_hex(&own), &encode_hex(&clamped));

    let recipient = public_key(&pair.public_key).unwrap();
    let mut sealed = [&[0; BOX_HEAD_LEN], plaintext].concat();
    let (head, rest) = sealed.split_at_mut(BOX_HEAD_LEN);
    seal_box(&box_draws(&known, "encryptByPublicKey"), &recipient, head, rest).unwrap();
    agree(&encode_hex(&sealed), text(&known, "/encryptByPublicKey/out_hex"));
    assert_eq!(Format::Box.open(&pair.private_key, &sealed).unwrap(), plaintext);

    let name = "/encryptByPublicKeyAsync";
    let draws = HybridDraws {
        outer: box_draws(&known, &name[1..]),
        key: Zeroizing::new(bytes(&known, &format!("{name}/aes_key_hex"))),
        nonce: bytes(&known, &format!("{name}/iv_hex")),
    };
    let mut sealed = [&[0; HYBRID_HEAD_LEN], plaintext, &[0; GCM_TAG_LEN]].concat();
    let (head, rest) = sealed.split_at_mut(HYBRID_HEAD_LEN);
    seal_hybrid(&draws, &recipient, head, rest).unwrap();
    agree(&encode_hex(&sealed), text(&known, &format!("{name}/out_hex")));
    assert_eq!(Format::Hybrid.open(&pair.private_key, &sealed).unwrap(), plaintext);

    let key = text(&known, "/encrypt_aesgcm/key_b58");
    let sealed = decode_hex(text(&known, "/encrypt_aesgcm/out_hex")).unwrap();
    let mut again = [&[0; GCM_NONCE_LEN], plaintext, &[0; GCM_TAG_LEN]].concat();
    let (head, rest) = again.split_at_mut(GCM_NONCE_LEN);
    seal_gcm(&gcm_key(&key_bytes(key).unwrap()).unwrap(), sealed.first_chunk().unwrap(), head, rest).unwrap();
    agree(&encode_hex(&again), text(&known, "/encrypt_aesgcm/out_hex"));
    assert_eq!(Format::Gcm.open(key, &sealed).unwrap(), plaintext);

    let [alice, alices, bob] = ["a_secret_hex", "a_public_hex", "b_public_hex"]
        .map(|name| encode_base58(&bytes::<32>(&known, &format!("/deriveSharedKey/{name}"))));
    agree(&derive_shared_key(&bob, &alice).unwrap(), text(&known, "/deriveSharedKey/shared_b58"));
    agree(&encode_base58(&SecretKey::from_bytes(&key_bytes(&alice).unwrap()).unwrap().public_key()), &alices);

    let message = text(&known, "/signMessage/message").as_bytes();
    let signature = private_key(&pair.private_key).unwrap().sign(message);
    agree(&encode_base58(&signature), text(&known, "/signMessage/signature_b58"));
    recipient.verify(message, &signature).unwrap();

    let input = text(&known, "/fnv1a64Hex/input").as_bytes();
    agree(&format!("{:016x}", fnv1a64(input)), text(&known, "/fnv1a64Hex/out"));
    assert_eq!(ran, 11);
}

#[test]
fn the_box_of_a_hybrid_may_have_any_length_and_holds_a_key() {
    let pair = KeyPair::from_seed(&[7; 32]).unwrap();
    for len in 0..50 {
        let inner = Format::Box.seal(&pair.public_key, &[3; 50][..len]).unwrap();
        let mut sealed = u32::try_from(inner.len()).unwrap().to_be_bytes().to_vec();
        sealed.extend(inner);
        let key = encode_base58(&[3; 50][..if [16, 24, 32].contains(&len) { len } else { 32 }]);
        sealed.extend(Format::Gcm.seal(&key, b"attack at dawn").unwrap());
        let opened = Format::Hybrid.open(&pair.private_key, &sealed);
        if [16, 24, 32].contains(&len) {
            assert_eq!(opened.unwrap(), b"attack at dawn");
        } else {
            assert_eq!(opened.unwrap_err().code(), "malformed_ciphertext", "{len}");
        }
    }
    // A length that is not there, up to the largest.
    let sealed = Format::Hybrid.seal(&pair.public_key, b"attack at dawn").unwrap();
    for len in [0, 71, 119, 1000, u32::MAX] {
        let other = [&len.to_be_bytes(), &sealed[4..]].concat();
        let code = Format::Hybrid.open(&pair.private_key, &other).unwrap_err().code();
        assert!(["malformed_ciphertext", "not_authentic"].contains(&code), "{len}: {code}");
    }
}

#[test]
fn whatever_is_cut_or_changed_is_refused_and_nothing_is_released() {
    let pair = KeyPair::from_seed(&[7; 32]).unwrap();
    let shared = encode_base58(&[5; 24]);
    for format in [Format::Box, Format::Gcm, Format::Hybrid] {
        let (sealing, opening) = match format {
            Format::Gcm => (&shared, &shared),
            _ => (&pair.public_key, &*pair.private_key),
        };
        let sealed = format.seal(sealing, b"attack at dawn").unwrap();
        for cut in 0..sealed.len() {
            let code = format.open(opening, &sealed[..cut]).unwrap_err().code();
            assert!(["malformed_ciphertext", "not_authentic"].contains(&code), "{format:?}, {cut} bytes: {code}");
        }
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                let Ok(head_len) = format.head_len_of(&changed) else { continue };
                let (head, rest) = changed.split_at_mut(head_len);
                let opened = format.open_in_place(opening, head, rest);
                // X25519 ignores the top bit of a public key.
                let ephemeral = match format {
                    Format::Box => nacl::NONCE_LEN + 31,
                    Format::Gcm => usize::MAX,
                    Format::Hybrid => LENGTH_LEN + nacl::NONCE_LEN + 31,
                };
                if at == ephemeral && bit == 7 {
                    assert_eq!(&rest[..opened.unwrap()], b"attack at dawn");
                } else {
                    let code = opened.unwrap_err().code();
                    // A length that no box has.
                    let malformed = format == Format::Hybrid && at < LENGTH_LEN && code == "malformed_ciphertext";
                    assert!(malformed || code == "not_authentic", "{format:?}, bit {bit} of byte {at}: {code}");
                    assert!(rest.iter().all(|byte| *byte == 0), "{format:?}, bit {bit} of byte {at}");
                }
            }
        }
    }
}

#[test]
fn keys_that_are_none_are_refused_without_being_repeated() {
    let pair = KeyPair::from_seed(&[7; 32]).unwrap();
    let other = KeyPair::from_seed(&[8; 32]).unwrap();
    let mut mixed = key_bytes(&pair.private_key).unwrap();
    mixed[32..].copy_from_slice(&key_bytes(&other.public_key).unwrap());
    for (key, code) in [
        (String::new(), "wrong_length"),
        ("0".to_owned(), "invalid_encoding"),
        (pair.public_key.clone(), "wrong_length"),
        (encode_base58(&[1; 63]), "wrong_length"),
        (encode_base58(&[1; 65]), "wrong_length"),
        (encode_base58(&[1; 97]), "invalid_encoding"),
        (format!("{} ", *pair.private_key), "invalid_encoding"),
        (encode_base58(&mixed), "invalid_key"),
    ] {
        let error = private_key(&key).unwrap_err();
        assert_eq!(error.code(), code, "{key}");
        assert!(key.len() < 4 || !error.to_string().contains(&key[..4]), "{error}");
        let debug = format!("{pair:?}");
        assert!(!debug.contains(pair.private_key.as_str()), "{debug}");
    }
    // The seed alone decrypts, and so does a private key with another public half: that is not used.
    let sealed = Format::Box.seal(&pair.public_key, b"attack at dawn").unwrap();
    for key in [encode_base58(&[7; 32]), encode_base58(&mixed)] {
        assert_eq!(Format::Box.open(&key, &sealed).unwrap(), b"attack at dawn");
    }
    assert_eq!(Format::Box.open(&encode_base58(&[7; 33]), &sealed).unwrap_err().code(), "wrong_length");
    assert_eq!(Format::Gcm.seal(&encode_base58(&[7; 17]), b"").unwrap_err().code(), "wrong_length");
}

#[test]
fn an_ephemeral_key_of_low_order_is_refused() {
    let pair = KeyPair::from_seed(&[7; 32]).unwrap();
    let mut sealed = Format::Box.seal(&pair.public_key, b"attack at dawn").unwrap();
    for first in [0, 1] {
        sealed[24..56].fill(0);
        sealed[24] = first;
        assert_eq!(Format::Box.open(&pair.private_key, &sealed).unwrap_err().code(), "malformed_ciphertext");
    }
}
