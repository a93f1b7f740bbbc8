//! Compact messages (format section 7).

use sealstone::{Identity, Kind, Passphrase, SymmetricKey, message};

/// The example of section 7.
const MESSAGE: &str = "a601493e82fc74464a59268817623d2053c5eb8e2cc4a988b4fee179ec6b010d531d56741cc983cd6697e760853ddc3c54\
                       c1b15d16c3dda8b58cb88232a72835bb7e14";
const IDENTITY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn bytes(hex: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()
}

/// An x25519 identity of these bytes, by way of its string.
fn x25519(secret: &[u8]) -> Identity {
    use bech32::{Bech32, Hrp};
    let text = bech32::encode_upper::<Bech32>(Hrp::parse("AGE-SECRET-KEY-").unwrap(), secret).unwrap();
    text.parse().unwrap()
}

fn code(identity: &Identity, message: &[u8], aad: &[u8]) -> &'static str {
    message::open(identity, message, aad).unwrap_err().code()
}

#[test]
fn the_specification_s_example_opens() {
    let identity = x25519(&bytes(IDENTITY));
    assert_eq!(message::open(&identity, &bytes(MESSAGE), b"record 17").unwrap(), b"Hello, Sealstone\n");
    assert_eq!(code(&identity, &bytes(MESSAGE), b"record 18"), "not_authentic");
}

#[test]
fn what_is_sealed_opens_and_has_its_length() {
    for (kind, overhead) in [(Kind::X25519, 50), (Kind::Hybrid, 1138)] {
        let identity = Identity::generate(kind).unwrap();
        for len in [0, 1, 1024, 100_000] {
            let plaintext = vec![7; len];
            let sealed = message::seal(&identity.recipient(), &plaintext, b"aad").unwrap();
            assert_eq!(sealed.len(), len + overhead);
            assert!(message::open(&identity, &sealed, b"aad").unwrap() == plaintext);
            let text = message::armour(&sealed);
            assert!(text.lines().all(|line| line.len() <= 64) && text.ends_with("-----END SEALSTONE MESSAGE-----\n"));
            assert!(message::open(&identity, text.as_bytes(), b"aad").unwrap() == plaintext);
        }
        let again = message::seal(&identity.recipient(), b"", b"").unwrap();
        assert_ne!(again, message::seal(&identity.recipient(), b"", b"").unwrap());
    }
}

#[test]
fn memory_of_the_caller_s_has_the_same_bytes_or_none() {
    for kind in [Kind::X25519, Kind::Hybrid] {
        let identity = Identity::generate(kind).unwrap();
        let recipient = identity.recipient();
        for len in [0, 1, 100_000] {
            let plaintext = vec![7; len];
            let mut message = vec![0; message::sealed_len(&recipient, len).unwrap()];
            message::seal_into(&recipient, &plaintext, b"aad", &mut message).unwrap();
            let end = message.len() - 16;
            message[end - len..end].copy_from_slice(&plaintext);
            message::seal_in_place(&recipient, b"aad", &mut message).unwrap();
            assert!(message::open(&identity, &message, b"aad").unwrap() == plaintext);

            let place = message::place(&identity, &message, message.len()).unwrap();
            assert_eq!(place, end - len..end);
            assert_eq!(message::place(&identity, &message[..place.start], message.len()).unwrap(), place);
            let mut opened = vec![1; len];
            message::open_into(&identity, &message, b"aad", &mut opened).unwrap();
            assert!(opened == plaintext);
            let (head, tag) = (&message[..place.start], message[end..].try_into().unwrap());
            let mut text = message[place].to_vec();
            message::open_in_place(&identity, head, b"aad", &mut text, tag).unwrap();
            assert!(text == plaintext);

            // A tag, and an encapsulated key, that are not those of the message.
            for at in [message.len() - 1, 40] {
                let mut changed = message.clone();
                changed[at] ^= 1;
                let mut opened = vec![1; len];
                let error = message::open_into(&identity, &changed, b"aad", &mut opened).unwrap_err();
                assert_eq!((error.code(), opened), ("not_authentic", vec![0; len]));
                let (head, tag) = (&changed[..end - len], changed[end..].try_into().unwrap());
                let mut text = changed[end - len..end].to_vec();
                let error = message::open_in_place(&identity, head, b"aad", &mut text, tag).unwrap_err();
                assert_eq!((error.code(), text), ("not_authentic", vec![0; len]));
            }
            let mut longer = vec![1; len + 1];
            let error = message::open_into(&identity, &message, b"aad", &mut longer).unwrap_err();
            assert_eq!((error.code(), longer), ("wrong_length", vec![1; len + 1]));
        }
        let mut short = vec![0; message::sealed_len(&recipient, 0).unwrap() - 1];
        assert_eq!(message::seal_in_place(&recipient, b"", &mut short).unwrap_err().code(), "wrong_length");
        assert_eq!(message::seal_into(&recipient, b"", b"", &mut short).unwrap_err().code(), "wrong_length");
        assert_eq!(message::sealed_len(&recipient, (1 << 24) + 1).unwrap_err().code(), "too_long");
        assert_eq!(message::sealed_len(&recipient, usize::MAX).unwrap_err().code(), "too_long");
    }
}

#[test]
fn verdicts_come_in_their_order() {
    let (alice, bob) = (Identity::generate(Kind::X25519).unwrap(), Identity::generate(Kind::Hybrid).unwrap());
    let sealed = message::seal(&alice.recipient(), b"hello", b"").unwrap();
    assert_eq!(code(&alice, b"", b""), "not_sealstone");
    assert_eq!(code(&alice, b"\x89SEAL\r\n\x1a", b""), "not_sealstone");
    assert_eq!(code(&alice, b"\xa6", b""), "truncated");
    for kind in [0, 5, 6, 0x10, 0x20, 0xff] {
        assert_eq!(code(&alice, &[0xa6, kind], b""), "unsupported_suite", "type {kind}");
    }
    for kind in [2, 3, 4] {
        assert_eq!(code(&alice, &[0xa6, kind], b""), "no_matching_identity", "type {kind}");
    }
    assert_eq!(code(&bob, &sealed, b""), "no_matching_identity");
    for len in 2..50 {
        assert_eq!(code(&alice, &sealed[..len], b""), "truncated", "{len} bytes");
    }
    for len in 50..sealed.len() {
        assert_eq!(code(&alice, &sealed[..len], b""), "not_authentic", "{len} bytes");
    }
    let long = [&[0xa6, 1], &vec![0; 48 + (1 << 24)][..]].concat();
    assert_eq!(code(&alice, &long, b""), "not_authentic");
    assert_eq!(code(&alice, &[&long[..], &[0]].concat(), b""), "too_long");
    for other in [Identity::from(SymmetricKey::generate().unwrap()), Passphrase::new("p").unwrap().into()] {
        assert_eq!(code(&other, &sealed, b""), "no_matching_identity");
        assert_eq!(message::seal(&other.recipient(), b"", b"").unwrap_err().code(), "invalid_recipients");
    }
    assert_eq!(message::seal(&alice.recipient(), &vec![0; (1 << 24) + 1], b"").unwrap_err().code(), "too_long");
    let text = message::armour(&sealed);
    assert_eq!(code(&alice, text.replace("-----END", "----END").as_bytes(), b""), "malformed_armour");
    assert_eq!(code(&alice, text.replace("MESSAGE", "FILE").as_bytes(), b""), "not_sealstone");
}

#[test]
fn every_flipped_bit_is_refused() {
    let alice = Identity::generate(Kind::X25519).unwrap();
    let sealed = message::seal(&alice.recipient(), b"hello", b"").unwrap();
    for at in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[at / 8] ^= 1 << (at % 8);
        assert!(message::open(&alice, &changed, b"").is_err(), "bit {at}");
    }
}
