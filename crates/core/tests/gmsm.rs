//! Known answers of the Go module tjfoc/gmsm 1.4.1: `vectors/compat/gmsm.json`, which the program in `vectors/compat/gmsm` wrote.

#![expect(deprecated, reason = "seal_gcm is what they are compared with")]

mod support;

use sealstone::aead::{self, Aead};
use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
use sealstone::interop::gmsm::{open_gcm, seal_gcm};
use sealstone::parse_recipients;
use sealstone::sm2::{DEFAULT_ID, Form, Peer, PrivateKey, PublicKey, Role, Signature};
use serde_json::Value;
use support::{hex, sha256, vectors};

fn known() -> Value {
    serde_json::from_slice(&std::fs::read(vectors("compat/gmsm.json")).unwrap()).unwrap()
}

/// The rule of the file for input.
fn data(label: &str, len: usize) -> Vec<u8> {
    let block = |at: u32| hex(&sha256(&[label.as_bytes(), &at.to_be_bytes()].concat()));
    let mut bytes: Vec<u8> = (0..len.div_ceil(32)).flat_map(|at| block(u32::try_from(at).unwrap())).collect();
    bytes.truncate(len);
    bytes
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name}"))
}

fn bytes(value: &Value, name: &str) -> Vec<u8> {
    hex(text(value, name))
}

fn len(value: &Value, name: &str) -> usize {
    usize::try_from(value[name].as_u64().unwrap_or_else(|| panic!("no {name}"))).unwrap()
}

#[test]
fn every_known_answer_of_sm4gcm_is_written_and_read() {
    let (known, key) = (known(), data("key", 16));
    let standard = Aead::new(aead::Algorithm::Sm4Gcm, &key).unwrap();
    let (mut ran, mut as_gcm, mut without_carry) = (0, 0, 0);
    for case in known["gcm"].as_array().unwrap() {
        let (iv, aad, plaintext) =
            (bytes(case, "iv"), data("aad", len(case, "aad")), data("plaintext", len(case, "len")));
        let (ciphertext, tag) = seal_gcm(&key, &iv, &aad, &plaintext).unwrap();
        match case["ciphertext"].as_str() {
            Some(known) => assert_eq!(ciphertext, hex(known), "{case}"),
            None => assert_eq!(sha256(&ciphertext), text(case, "sha256"), "{case}"),
        }
        assert_eq!(tag[..], bytes(case, "tag"), "{case}");
        assert_eq!(*open_gcm(&key, &iv, &aad, &ciphertext, &tag).unwrap(), plaintext, "{case}");

        if iv.len() == 12 {
            let sealed = standard.seal(&iv, &aad, &plaintext).unwrap();
            let (own, own_tag) = sealed.split_at(plaintext.len());
            assert_eq!(own == ciphertext, case["text_is_gcm"] == true, "{case}");
            assert_eq!(own_tag == tag, aad.is_empty() && plaintext.is_empty(), "{case}");
            as_gcm += usize::from(own == ciphertext);
            without_carry += usize::from(own != ciphertext);
        }
        ran += 1;
    }
    println!("{ran} cases, of which {as_gcm} have the ciphertext of GCM");
    assert_eq!((ran, as_gcm, without_carry), (208, 60, 82));
}

#[test]
fn a_change_of_anything_is_noticed_before_a_plaintext_is_computed() {
    let (key, mut ran) = (data("key", 16), 0);
    for (iv_len, aad_len, text_len) in [(12, 17, 40), (16, 0, 16), (0, 1, 1), (8, 16, 0), (33, 5, 5)] {
        let (iv, aad, plaintext) = (data("iv", iv_len), data("aad", aad_len), data("plaintext", text_len));
        let (ciphertext, tag) = seal_gcm(&key, &iv, &aad, &plaintext).unwrap();
        let parts = [key.clone(), iv, aad, ciphertext, tag.to_vec()];
        let open =
            |[key, iv, aad, text, tag]: &[Vec<u8>; 5]| open_gcm(key, iv, aad, text, tag).map(|text| text.to_vec());
        assert_eq!(open(&parts).unwrap(), plaintext);
        for part in 0..parts.len() {
            for bit in 0..8 * parts[part].len() {
                let mut changed = parts.clone();
                changed[part][bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(&changed).unwrap_err().code(), "not_authentic", "part {part}, bit {bit}");
                ran += 1;
            }
        }
        for part in [2, 3] {
            let mut longer = parts.clone();
            longer[part].push(0);
            assert_eq!(open(&longer).unwrap_err().code(), "not_authentic");
        }
        for len in (0..40).filter(|len| *len != 16) {
            for part in [0, 4] {
                let mut other = parts.clone();
                other[part].resize(len, 0);
                assert_eq!(open(&other).unwrap_err().code(), "wrong_length");
            }
        }
    }
    assert!(ran > 2_000, "{ran}");
    assert_eq!(seal_gcm(&[0; 15], &[0; 12], b"", b"").unwrap_err().code(), "wrong_length");
}

/// CFB and OFB pad in this module, so their plaintexts are padded here.
#[test]
fn every_known_answer_of_the_padding_modes_is_written_and_read() {
    let (known, key, mut ran) = (known(), data("key", 16), 0);
    for case in known["modes"].as_array().unwrap() {
        let (iv, plaintext, ciphertext) =
            (bytes(case, "iv"), data("plaintext", len(case, "len")), bytes(case, "ciphertext"));
        let algorithm = match text(case, "function") {
            "Sm4Ecb" => Algorithm::Sm4Ecb,
            "Sm4Cbc" => Algorithm::Sm4Cbc,
            "Sm4CFB" => Algorithm::Sm4Cfb,
            "Sm4OFB" => Algorithm::Sm4Ofb,
            other => panic!("{other}"),
        };
        let cipher = Cipher::new(algorithm, &key).unwrap();
        let iv = if algorithm == Algorithm::Sm4Ecb { &[][..] } else { &iv };
        if algorithm.pads() {
            assert_eq!(cipher.encrypt(iv, Padding::Pkcs7, &plaintext).unwrap(), ciphertext, "{case}");
            assert_eq!(cipher.decrypt(iv, Padding::Pkcs7, &ciphertext).unwrap(), plaintext, "{case}");
        } else {
            let pad = 16 - plaintext.len() % 16;
            let padded = [&plaintext[..], &vec![u8::try_from(pad).unwrap(); pad]].concat();
            assert_eq!(cipher.encrypt(iv, Padding::None, &padded).unwrap(), ciphertext, "{case}");
            assert_eq!(cipher.decrypt(iv, Padding::None, &ciphertext).unwrap(), padded, "{case}");
        }
        ran += 1;
    }
    println!("{ran} cases");
    assert_eq!(ran, 72);
}

fn private(value: &Value, name: &str) -> PrivateKey {
    PrivateKey::from_bytes(&bytes(value, name)).unwrap()
}

#[test]
fn every_known_answer_of_sm2_is_read() {
    let (known, mut ran, mut short) = (known(), 0, 0);
    for case in known["sm2"].as_array().unwrap() {
        let key = private(case, "d");
        let public = key.public_key();
        assert_eq!(public.to_bytes()[..], bytes(case, "public"));

        // 00 and 01 stand for 02 and 03.
        let mut compressed = bytes(case, "compressed");
        assert_eq!(PublicKey::from_bytes(&compressed).unwrap_err().code(), "wrong_length");
        assert_eq!(parse_recipients(text(case, "compressed")).unwrap_err().error.code(), "invalid_recipient");
        compressed[0] |= 2;
        assert_eq!(compressed, public.to_compressed_bytes());
        assert_eq!(PublicKey::from_bytes(&compressed).unwrap(), public);

        // Leading zeros are lost, to the half of a byte.
        let digits = text(case, "hex");
        assert_eq!(format!("{digits:0>64}"), text(case, "d"));
        short += usize::from(digits.len() < 64);

        let message = data("message", len(case, "len"));
        let signature = Signature::from_der(&bytes(case, "signature")).unwrap();
        public.verify(DEFAULT_ID, &message, &signature).unwrap();
        assert!(public.verify(DEFAULT_ID, b"attack at dusk", &signature).is_err());
        for form in [Form::C1C3C2, Form::C1C2C3, Form::Der] {
            assert_eq!(*key.decrypt(form, &bytes(case, form.name())).unwrap(), message, "{form}");
        }
        ran += 1;
    }
    println!("{ran} keys");
    assert_eq!((ran, short), (6, 3));
}

/// The keys are the standard's. Its confirmations hash both ephemeral keys in the other order, so they are its own.
#[test]
fn every_known_key_exchange_gives_the_key() {
    let (known, mut ran) = (known(), 0);
    for case in known["sm2"].as_array().unwrap() {
        let (a, case) = (private(case, "d"), &case["exchange"]);
        let [b, ra, rb] = ["b", "ra", "rb"].map(|name| private(case, name));
        let ids = ["id_a", "id_b"].map(|name| text(case, name).as_bytes());
        let ([key_a, key_b], [of_a, of_b]) = ([a.public_key(), b.public_key()], [ra.public_key(), rb.public_key()]);
        let to_b = Peer { id: ids[1], key: &key_b, ephemeral: &of_b };
        let to_a = Peer { id: ids[0], key: &key_a, ephemeral: &of_a };
        let own = a.exchange(Role::Initiator, ids[0], &ra, &to_b, len(case, "len")).unwrap();
        let other = b.exchange(Role::Responder, ids[1], &rb, &to_a, len(case, "len")).unwrap();
        assert_eq!([own.key(), other.key()], [bytes(case, "key"), bytes(case, "key")]);
        own.verify(other.confirmation()).unwrap();
        assert!(own.verify(&bytes(case, "s1")).is_err() && other.verify(&bytes(case, "s2")).is_err());
        ran += 1;
    }
    println!("{ran} exchanges");
    assert_eq!(ran, 6);
}
