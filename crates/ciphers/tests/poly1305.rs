//! Poly1305 on every backend that this CPU has: RFC 8439's examples, the edges of its arithmetic, and another library.

mod support;

use poly1305::universal_hash::KeyInit;
use sealstone_ciphers::poly1305::Poly1305;
use sealstone_ciphers::{InvalidLength, NotAuthentic};
use support::{array, backends, hex, noise};

/// RFC 8439 section 2.5.2 and appendix A.3, and NaCl's example: r, s, message, tag.
#[test]
fn rfc_8439_and_nacl() {
    let ietf = b"Any submission to the IETF intended by the Contributor for publication as all or part of an IETF \
        Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an \"IETF \
        Contribution\". Such statements include oral statements in IETF sessions, as well as written and electronic \
        communications made at any time or place, which are addressed to";
    let carroll =
        b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\n\
        And the mome raths outgrabe.";
    let zero = "00000000000000000000000000000000";
    let (one, two) = ("01000000000000000000000000000000", "02000000000000000000000000000000");
    let (ones, text_key) = ("ffffffffffffffffffffffffffffffff", "36e5f6b5c5e06070f0efca96227a863e");
    let carry = "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000";
    for (r, s, message, tag) in [
        (
            "85d6be7857556d337f4452fe42d506a8",
            "0103808afb0db2fd4abff6af4149f51b",
            b"Cryptographic Forum Research Group".to_vec(),
            "a8061dc1305136c6c22b8baf0c0127a9",
        ),
        (zero, zero, vec![0; 64], zero),
        (zero, text_key, ietf.to_vec(), text_key),
        (text_key, zero, ietf.to_vec(), "f3477e7cd95417af89a6b8794c310cf0"),
        (
            "1c9240a5eb55d38af333888604f6b5f0",
            "473917c1402b80099dca5cbc207075c0",
            carroll.to_vec(),
            "4541669a7eaaee61e708dc7cbcc5eb62",
        ),
        (two, zero, hex(ones), "03000000000000000000000000000000"),
        (two, ones, hex(two), "03000000000000000000000000000000"),
        (
            one,
            zero,
            hex("fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000"),
            "05000000000000000000000000000000",
        ),
        (
            one,
            zero,
            hex("fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101"),
            zero,
        ),
        (two, zero, hex("fdffffffffffffffffffffffffffffff"), "faffffffffffffffffffffffffffffff"),
        (
            "01000000000000000400000000000000",
            zero,
            hex(&format!("{carry}{one}")),
            "14000000000000005500000000000000",
        ),
        ("01000000000000000400000000000000", zero, hex(carry), "13000000000000000000000000000000"),
        (
            "eea6a7251c1e72916d11c2cb214d3c25",
            "2539121d8e234e652d651fa4c8cff880",
            hex(
                "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738
                 b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
                 e355a5",
            ),
            "f3ffc7703f9400e52a7dfb4b3d3305d9",
        ),
    ] {
        let key = array(&format!("{r}{s}"));
        for backend in backends() {
            let mut mac = Poly1305::with_backend(backend, &key).unwrap();
            mac.update(&message);
            assert_eq!(mac.tag(), array(tag), "{backend:?}: {r}");
        }
    }
}

/// r and s as large as they can be, blocks of ones, of zeros, and one bit off the modulus, at every length to 1,100 bytes: the
/// accumulator wraps in every place.
#[test]
fn the_edges_of_the_arithmetic() {
    let mut keys = vec![[0xff; 32], [0; 32], array(&format!("{}{}", "fb".repeat(16), "ff".repeat(16)))];
    // One bit of r each.
    keys.extend((0..128).step_by(13).map(|bit| {
        let mut key = [0xff; 32];
        key[..16].copy_from_slice(&(1_u128 << bit).to_le_bytes());
        key
    }));
    let mut patterns: Vec<Vec<u8>> = [0xff, 0, 0x80, 0x01].map(|byte| vec![byte; 1_100]).into();
    patterns.push([[0xff; 16], [0; 16]].as_flattened().repeat(35));
    patterns.push([hex("fbffffffffffffffffffffffffffffff"), vec![0xff; 16]].concat().repeat(35));
    let backends = backends();
    for key in &keys {
        for (number, pattern) in patterns.iter().enumerate() {
            for len in (0..400).chain((400..1_100).step_by(13)) {
                let expected = by_another(key, &pattern[..len]);
                for backend in &backends {
                    let mut mac = Poly1305::with_backend(*backend, key).unwrap();
                    mac.update(&pattern[..len]);
                    assert_eq!(mac.tag(), expected, "{backend:?}: pattern {number}, {len} bytes, r {:x?}", &key[..16]);
                }
            }
        }
    }
}

#[test]
fn random_keys_and_messages() {
    let input = noise(5, 70_000);
    let backends = backends();
    for round in 0..400 {
        let random = noise(round, 40);
        let key = random.first_chunk().unwrap();
        let len = usize::from(u16::from_le_bytes([random[33], random[34]])) >> (round % 8);
        let expected = by_another(key, &input[round as usize..][..len]);
        for backend in &backends {
            let mut mac = Poly1305::with_backend(*backend, key).unwrap();
            mac.update(&input[round as usize..][..len]);
            assert_eq!(mac.tag(), expected, "{backend:?}, {len} bytes, round {round}");
        }
    }
}

#[test]
fn a_message_in_pieces_is_the_same_message() {
    let input = noise(6, 3_000);
    let expected = by_another(&[0xa5; 32], &input);
    for backend in backends() {
        for piece in [1, 7, 15, 16, 17, 63, 64, 100, 255, 256, 300, 513, 1_030, 2_999] {
            let mut mac = Poly1305::with_backend(backend, &[0xa5; 32]).unwrap();
            input.chunks(piece).for_each(|part| mac.update(part));
            assert_eq!(mac.tag(), expected, "{backend:?}, {piece}");
        }
    }
}

#[test]
fn wrong_lengths_and_tags_are_refused() {
    for len in [0, 16, 31, 33] {
        assert_eq!(Poly1305::new(&vec![1; len]).err(), Some(InvalidLength));
    }
    let new = || {
        let mut mac = Poly1305::new(&[3; 32]).unwrap();
        mac.update(b"attack at dawn");
        mac
    };
    let tag = new().tag();
    assert_eq!(new().verify(&tag), Ok(()));
    for bit in 0..128 {
        let mut other = tag;
        other[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(new().verify(&other), Err(NotAuthentic));
    }
    assert_eq!(new().verify(&tag[..15]), Err(NotAuthentic));
    assert_eq!(new().verify(&[]), Err(NotAuthentic));
}

fn by_another(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}
