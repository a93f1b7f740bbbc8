//! NaCl's boxes: the published examples, and what is refused.

mod support;

use data_encoding::HEXLOWER_PERMISSIVE;
use sealstone::nacl::{SecretBox, SecretKey};

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap()
}

/// Sections 2 to 10 of Bernstein's "Cryptography in NaCl", whose keys are those of RFC 7748 section 6.1.
#[test]
fn the_examples_of_cryptography_in_nacl() {
    let alice =
        SecretKey::from_bytes(&hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")).unwrap();
    let bob = SecretKey::from_bytes(&hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")).unwrap();
    let alices_public = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
    let bobs_public = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    assert_eq!(alice.public_key()[..], alices_public);
    assert_eq!(bob.public_key()[..], bobs_public);

    let first = SecretBox::new(&hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")).unwrap();
    let nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    let message = hex(
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
         0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864
         5e0705",
    );
    let sealed = hex(
        "f3ffc7703f9400e52a7dfb4b3d3305d9
         8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738
         b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
         e355a5",
    );
    for key in [first, alice.shared_with(&bobs_public).unwrap(), bob.shared_with(&alices_public).unwrap()] {
        assert_eq!(key.seal(&nonce, &message).unwrap(), sealed);
        assert_eq!(key.open(&nonce, &sealed).unwrap(), message);
        let mut buffer = message.clone();
        assert_eq!(key.seal_in_place(&nonce, &mut buffer).unwrap(), sealed[..16]);
        assert_eq!(buffer, sealed[16..]);
        key.open_in_place(&nonce, &mut buffer, sealed.first_chunk().unwrap()).unwrap();
        assert_eq!(buffer, message);
    }
}

#[test]
fn every_changed_bit_is_refused_and_clears_the_buffer() {
    let key = SecretBox::new(&[7; 32]).unwrap();
    for len in [0, 1, 32, 33, 100, 700] {
        let sealed = key.seal(&[9; 24], &support::pattern(len)).unwrap();
        assert_eq!(sealed.len(), 16 + len);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(key.open(&[9; 24], &changed).unwrap_err().code(), "not_authentic");
            let (tag, buffer) = changed.split_first_chunk_mut().unwrap();
            assert_eq!(key.open_in_place(&[9; 24], buffer, tag).unwrap_err().code(), "not_authentic");
            assert!(buffer.iter().all(|byte| *byte == 0));
        }
        for cut in 0..sealed.len() {
            assert_eq!(key.open(&[9; 24], &sealed[..cut]).unwrap_err().code(), "not_authentic");
        }
    }
}

#[test]
fn other_lengths_and_points_of_low_order_are_refused() {
    let key = SecretBox::new(&[7; 32]).unwrap();
    for len in (0..=65).filter(|len| *len != 24) {
        let nonce = &[9; 65][..len];
        let mut buffer = [1; 20];
        for error in [
            key.seal(nonce, b"a").unwrap_err(),
            key.open(nonce, &[0; 20]).unwrap_err(),
            key.seal_in_place(nonce, &mut buffer).unwrap_err(),
            key.open_in_place(nonce, &mut buffer, &[0; 16]).unwrap_err(),
        ] {
            assert_eq!(error.to_string(), format!("the nonce must be 24 bytes, got {len}"));
        }
        assert_eq!(buffer, [1; 20]);
        assert_eq!(key.open(nonce, &[0; 15]).unwrap_err().code(), "not_authentic");
    }
    let private = SecretKey::generate().unwrap();
    for len in (0..=65).filter(|len| *len != 32) {
        let bytes = &[9; 65][..len];
        let errors = [
            SecretBox::new(bytes).map(drop).unwrap_err(),
            SecretKey::from_bytes(bytes).map(drop).unwrap_err(),
            private.shared_with(bytes).map(drop).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.code() == "wrong_length"));
    }
    // 0, 1, p - 1, p and p + 1, and the two points of order 8.
    for point in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ] {
        assert_eq!(private.shared_with(&hex(point)).unwrap_err().code(), "invalid_key", "{point}");
    }
}
