use super::*;
use data_encoding::HEXLOWER_PERMISSIVE;

const D: &str = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8";
const P: &str = "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020\
                 ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13";
const K: &str = "59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21";
const FORMS: [Form; 3] = [Form::C1C3C2, Form::C1C2C3, Form::Der];
/// n, the order of the curve.
const N: &str = "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123";
/// p, the field's prime.
const FIELD: &str = "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff";

fn hex(digits: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap()
}

fn number(digits: &str) -> Scalar {
    **nonzero(&hex(digits).try_into().unwrap()).unwrap()
}

fn key() -> PrivateKey {
    PrivateKey::from_bytes(&hex(D)).unwrap()
}

/// A number plus a small one, as 32 bytes.
fn plus(digits: &str, add: i8) -> Vec<u8> {
    let mut bytes = hex(digits);
    bytes[31] = bytes[31].checked_add_signed(add).expect("no carry");
    bytes
}

/// GB/T 32918.5-2017 appendix A.2: a signature with the key, id and k of the example.
#[test]
fn the_standards_signature() {
    let key = key();
    assert_eq!(key.public_key().to_bytes()[1..], hex(P));
    let user = key.public_key().hash_user(DEFAULT_ID).unwrap();
    assert_eq!(user[..], hex("b2e14c5c79c6df5b85f4fe7ed8db7a262b9da7e07ccb0ea9f4747b8ccda8a4f3"));
    let digest = digest(&key.public_key(), DEFAULT_ID, b"message digest").unwrap();
    assert_eq!(digest[..], hex("f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640"));
    let signature = key.sign_with(reduce(&digest).unwrap(), &number(K)).unwrap();
    let expected = "f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3\
                    b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa";
    assert_eq!(signature.to_bytes()[..], hex(expected));
    key.public_key().verify(DEFAULT_ID, b"message digest", &signature).unwrap();
}

/// The key exchange of GM/T 0003.5-2012 appendix B, whose users both have the default id.
#[test]
fn the_standards_key_exchange() {
    let read = |digits: &str| PrivateKey::from_bytes(&hex(digits)).unwrap();
    let a = read("81eb26e941bb5af16df116495f90695272ae2cd63d6c4ae1678418be48230029");
    let b = read("785129917d45a9ea5437a59356b82338eaadda6ceb199088f14ae10defa229b5");
    let of_a = read("d4de15474db74d06491c440d305e012400990f3e390c7e87153c12db2ea60bb3");
    let of_b = read("7e07124814b309489125eaed101113164ebf0f3458c5bd88335c1f9d596243d6");
    let to_b = Peer { id: DEFAULT_ID, key: &b.public_key(), ephemeral: &of_b.public_key() };
    let to_a = Peer { id: DEFAULT_ID, key: &a.public_key(), ephemeral: &of_a.public_key() };
    let at_a = a.exchange(Role::Initiator, DEFAULT_ID, &of_a, &to_b, 16).unwrap();
    let at_b = b.exchange(Role::Responder, DEFAULT_ID, &of_b, &to_a, 16).unwrap();
    assert_eq!(at_a.key(), hex("6c89347354de2484c60b4ab1fde4c6e5"));
    assert_eq!(at_b.key(), at_a.key());
    let of_responder = hex("d3a0fe15dee185ceae907a6b595cc32a266ed7b3367e9983a896dc32fa20f8eb");
    let of_initiator = hex("18c7894b3816df16cf07b05c5ec0bef5d655d58f779cc1b400a4f3884644db88");
    assert_eq!((&at_a.confirmation()[..], &at_b.confirmation()[..]), (&of_initiator[..], &of_responder[..]));
    at_a.verify(&of_responder).unwrap();
    at_b.verify(&of_initiator).unwrap();
    for wrong in [&of_initiator[..], &of_responder[1..], &[]] {
        assert_eq!(at_a.verify(wrong).unwrap_err().code(), "not_authentic");
    }
}

#[test]
fn a_key_exchange_binds_ids_keys_and_roles() {
    let [a, b, of_a, of_b, other] = [(); 5].map(|()| PrivateKey::generate().unwrap());
    let [key_of_b, sent_by_b, others] = [&b, &of_b, &other].map(PrivateKey::public_key);
    let to_b = Peer { id: b"b", key: &key_of_b, ephemeral: &sent_by_b };
    let at_a = a.exchange(Role::Initiator, b"a", &of_a, &to_b, 100).unwrap();
    assert_eq!(format!("{at_a:?}"), "Exchanged(..)");
    let to_a = Peer { id: b"a", key: &a.public_key(), ephemeral: &of_a.public_key() };
    let at_b = b.exchange(Role::Responder, b"b", &of_b, &to_a, 100).unwrap();
    assert_eq!(at_a.key(), at_b.key());
    let differs = |peer: Peer<'_>, role, id: &[u8], key: &PrivateKey| {
        let found = key.exchange(role, id, &of_a, &peer, 100).unwrap();
        assert_ne!(found.key(), at_a.key());
        assert_eq!(at_b.verify(found.confirmation()).unwrap_err().code(), "not_authentic");
    };
    differs(Peer { id: b"c", ..to_b }, Role::Initiator, b"a", &a);
    differs(Peer { key: &others, ..to_b }, Role::Initiator, b"a", &a);
    differs(Peer { ephemeral: &others, ..to_b }, Role::Initiator, b"a", &a);
    differs(to_b, Role::Responder, b"a", &a);
    differs(to_b, Role::Initiator, b"A", &a);
    differs(to_b, Role::Initiator, b"a", &other);
    let refused = |peer: &Peer<'_>, id: &[u8], len| a.exchange(Role::Initiator, id, &of_a, peer, len).err().unwrap();
    assert_eq!(refused(&to_b, &[0; ID_MAX_LEN + 1], 16).code(), "invalid_user_id");
    assert_eq!(refused(&Peer { id: &[0; ID_MAX_LEN + 1], ..to_b }, b"a", 16).code(), "invalid_user_id");
    assert_eq!(refused(&to_b, b"a", EXCHANGED_KEY_MAX_LEN + 1).code(), "too_long");
    assert!(a.exchange(Role::Initiator, b"a", &of_a, &to_b, 0).unwrap().key().is_empty());

    // A key that is the opposite of the shortened multiple of its owner's ephemeral key: the sum is the point at infinity.
    let point = sent_by_b.to_bytes();
    let mut shortened = [0; 32];
    shortened[16..].copy_from_slice(&point[17..33]);
    shortened[16] |= 0x80;
    let multiple = Scalar::reduce(&shortened).multiply(&of_b.0.d);
    let opposite = PrivateKey::from_bytes(&Scalar::reduce(&[0; 32]).subtract(&multiple).to_bytes()).unwrap();
    let error = refused(&Peer { key: &opposite.public_key(), ..to_b }, b"a", 16);
    assert_eq!(error.code(), "invalid_key");
}

/// GB/T 32918.5-2017 appendix A.3: an encryption with the key and k of the example, in all forms.
#[test]
fn the_standards_ciphertext() {
    let (key, plaintext) = (key(), b"encryption standard");
    let (c1, c3, c2) = key.public_key().seal_with(plaintext, curve().unwrap(), &number(K)).unwrap();
    let point = "04ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73\
                 e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0";
    assert_eq!(c1.to_bytes()[1..], hex(point));
    assert_eq!(c2, hex("21886ca989ca9c7d58087307ca93092d651efa"));
    assert_eq!(c3[..], hex("59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766"));
    let parts = Parts { c1, c3: &c3, c2: &c2 };
    for form in FORMS {
        let ciphertext = parts.write(form);
        assert_eq!(key.decrypt(form, &ciphertext).unwrap()[..], plaintext[..], "{form}");
        if form != Form::Der {
            // This x begins with 04, so only the curve tells whether another 04 stands before it.
            assert_eq!(ciphertext[..2], [4, 4]);
            assert_eq!(key.decrypt(form, &ciphertext[1..]).unwrap()[..], plaintext[..], "{form} without 04");
        }
    }
}

#[test]
fn private_keys_are_from_1_to_n_minus_2() {
    for (bytes, sound) in [
        (vec![0; 32], false),
        ([vec![0; 31], vec![1]].concat(), true),
        // With this key the last addition of a decryption is of equal points.
        (plus(N, -6), true),
        (plus(N, -2), true),
        (plus(N, -1), false),
        (plus(N, 0), false),
        (plus(N, 1), false),
        (vec![0xff; 32], false),
    ] {
        let read = PrivateKey::from_bytes(&bytes);
        match read {
            Ok(key) => {
                assert!(sound, "{bytes:02x?}");
                assert_eq!(key.to_bytes()[..], bytes);
                let signature = key.sign(b"", b"x").unwrap();
                key.public_key().verify(b"", b"x", &signature).unwrap();
                let sealed = key.public_key().encrypt(Form::C1C3C2, b"x").unwrap();
                assert_eq!(key.decrypt(Form::C1C3C2, &sealed).unwrap()[..], *b"x");
            }
            Err(error) => {
                assert!(!sound, "{bytes:02x?}: {error}");
                assert_eq!(error.code(), "invalid_key");
            }
        }
    }
    for len in (0..=65).filter(|len| *len != PRIVATE_KEY_LEN) {
        assert_eq!(PrivateKey::from_bytes(&vec![1; len]).unwrap_err().code(), "wrong_length", "{len}");
    }
}

#[test]
fn public_keys_are_points_of_the_curve() {
    let xy = hex(P);
    let (x, y) = xy.split_at(32);
    assert_eq!(PublicKey::from_bytes(&xy).unwrap(), PublicKey::from_bytes(&[&[4], &xy[..]].concat()).unwrap());
    let mut off_the_curve = xy.clone();
    off_the_curve[63] ^= 1;
    // The curve has a point with x = 0, whose encoding with x = p must not be another name for it.
    for (point, reason) in [
        (off_the_curve, "curve"),
        ([y, x].concat(), "curve"),
        (vec![0; 64], "curve"),
        (vec![0xff; 64], "curve"),
        ([&hex(FIELD)[..], y].concat(), "curve"),
        (vec![0], "infinity"),
        // No point has this x, or any of p and more.
        ([&[2], &[0; 31][..], &[5]].concat(), "curve"),
        ([&[3], &[0; 31][..], &[5]].concat(), "curve"),
        ([&[2][..], &hex(FIELD)].concat(), "curve"),
        ([&[3][..], &[0xff; 32]].concat(), "curve"),
        ([&[6], &xy[..]].concat(), "hybrid"),
        ([&[7], &xy[..]].concat(), "hybrid"),
    ] {
        let error = PublicKey::from_bytes(&point).unwrap_err();
        assert_eq!(error.code(), "invalid_key", "{point:02x?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    for len in (0..=66).filter(|len| ![33, 64, 65].contains(len)) {
        assert_eq!(PublicKey::from_bytes(&vec![4; len]).unwrap_err().code(), "wrong_length", "{len}");
    }
}

#[test]
fn a_compressed_public_key_is_the_same_key() {
    let key = PublicKey::from_bytes(&hex(P)).unwrap();
    let negated = PublicKey::from_bytes(&[&[5 - key.to_compressed_bytes()[0]], &hex(P)[..32]].concat()).unwrap();
    assert_ne!(negated, key);
    assert_eq!(negated.to_compressed_bytes()[1..], key.to_compressed_bytes()[1..]);
    let (mut even, mut odd) = (0, 0);
    for number in 1..=64 {
        let key = PrivateKey::from_bytes(&[number; 32]).unwrap().public_key();
        let (compressed, whole) = (key.to_compressed_bytes(), key.to_bytes());
        assert_eq!(PublicKey::from_bytes(&compressed).unwrap(), key);
        assert_eq!(compressed[1..], whole[1..33]);
        match (compressed[0], whole[64] & 1) {
            (2, 0) => even += 1,
            (3, 1) => odd += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(even > 10 && odd > 10, "{even} {odd}");
    // Another first byte is refused, also those of tjfoc/gmsm.
    for tag in (0..=255).filter(|tag| ![2, 3].contains(tag)) {
        let other = [&[tag], &key.to_compressed_bytes()[1..]].concat();
        assert_eq!(PublicKey::from_bytes(&other).unwrap_err().code(), "wrong_length", "{tag}");
    }
}

/// The point with x = 0 is on the curve: y is a root of b. Its x written as p is refused.
#[test]
fn a_coordinate_that_is_not_reduced_is_refused() {
    let bytes =
        [vec![4], vec![0; 32], hex("fd4511e81736a60f07e88a83d6cf5a167fae6d1a9c9330e76e232e00f5cdc154")].concat();
    assert_eq!(PublicKey::from_bytes(&bytes).unwrap().to_bytes()[..], bytes);
    let aliased = [&[4], &hex(FIELD)[..], &bytes[33..]].concat();
    assert_eq!(PublicKey::from_bytes(&aliased).unwrap_err().code(), "invalid_key");
}

#[test]
fn a_signature_is_by_one_key_and_user_over_one_message() {
    let (key, other) = (PrivateKey::generate().unwrap(), PrivateKey::generate().unwrap());
    let signature = key.sign(b"alice", b"attack at dawn").unwrap();
    let public = key.public_key();
    public.verify(b"alice", b"attack at dawn", &signature).unwrap();
    let verdicts = [
        public.verify(b"bob", b"attack at dawn", &signature),
        public.verify(b"alice", b"attack at noon", &signature),
        other.public_key().verify(b"alice", b"attack at dawn", &signature),
    ];
    assert!(verdicts.iter().all(|verdict| verdict.as_ref().unwrap_err().code() == "invalid_signature"));
    assert_ne!(key.sign(b"alice", b"attack at dawn").unwrap(), signature, "k is fresh every time");
    for at in 0..SIGNATURE_LEN {
        let mut bytes = signature.to_bytes();
        bytes[at] ^= 0x20;
        let read = Signature::from_bytes(&bytes);
        let verdict = read.and_then(|signature| public.verify(b"alice", b"attack at dawn", &signature));
        assert_eq!(verdict.unwrap_err().code(), "invalid_signature", "byte {at}");
    }
}

#[test]
fn numbers_of_a_signature_are_from_1_to_n_minus_1() {
    let one = [vec![0; 31], vec![1]].concat();
    let top = plus(N, -1);
    for (r, s, sound) in [
        (&one, &one, true),
        (&top, &one, true),
        (&one, &top, true),
        (&vec![0; 32], &one, false),
        (&one, &vec![0; 32], false),
        (&hex(N), &one, false),
        (&one, &hex(N), false),
        (&vec![0xff; 32], &one, false),
        (&one, &vec![0xff; 32], false),
    ] {
        let read = Signature::from_bytes(&[&r[..], s].concat());
        assert_eq!(read.is_ok(), sound, "{r:02x?} {s:02x?}");
        let (r, s) = (UintRef::new(r).unwrap(), UintRef::new(s).unwrap());
        let der = SignatureDer { r, s }.to_der().unwrap();
        let read = Signature::from_der(&der);
        assert_eq!(read.is_ok(), sound);
        assert!(read.map_or_else(|error| error.code() == "invalid_signature", |read| read.to_der() == der));
    }
    // No signature can have t = r + s = n.
    let opposite = Signature::from_bytes(&[one, top].concat()).unwrap();
    assert!(key().public_key().verify(DEFAULT_ID, b"", &opposite).is_err());
}

#[test]
fn damaged_der_is_no_signature() {
    let der = key().sign(DEFAULT_ID, b"").unwrap().to_der();
    let mut broken: Vec<Vec<u8>> = (0..der.len()).map(|len| der[..len].to_vec()).collect();
    broken.push([&der[..], &[0]].concat());
    // A length in two bytes, which DER has in one.
    broken.push([&[0x30, 0x81], &der[1..]].concat());
    // r with a zero too many, and r below zero.
    broken.push(hex("300702020001020101"));
    broken.push(hex("3006020181020101"));
    // r of 33 bytes.
    broken.push([&hex("3026022101")[..], &[0; 32], &hex("020101")].concat());
    for der in broken {
        assert_eq!(Signature::from_der(&der).unwrap_err().code(), "invalid_signature", "{der:02x?}");
    }
    for len in (0..=130).filter(|len| *len != SIGNATURE_LEN) {
        assert_eq!(Signature::from_bytes(&vec![1; len]).unwrap_err().code(), "invalid_signature", "{len}");
    }
}

#[test]
fn user_ids_have_at_most_8191_bytes() {
    let key = key();
    let signature = key.sign(&[b'x'; ID_MAX_LEN], b"").unwrap();
    key.public_key().verify(&[b'x'; ID_MAX_LEN], b"", &signature).unwrap();
    for len in [ID_MAX_LEN + 1, 0x1_0000, 0x1_0001] {
        let id = vec![b'x'; len];
        assert_eq!(key.sign(&id, b"").unwrap_err().code(), "invalid_user_id");
        assert_eq!(key.public_key().verify(&id, b"", &signature).unwrap_err().code(), "invalid_user_id");
    }
}

#[test]
fn ciphertexts_of_every_form_and_length_come_back() {
    let key = PrivateKey::generate().unwrap();
    for form in FORMS {
        for len in (1..=100).chain([255, 256, 1000, 70_000]) {
            let plaintext: Vec<u8> = (0..len).map(|i| u8::try_from(i % 251).unwrap()).collect();
            let ciphertext = key.public_key().encrypt(form, &plaintext).unwrap();
            assert_eq!(*key.decrypt(form, &ciphertext).unwrap(), plaintext, "{form} {len}");
            if form != Form::Der {
                assert_eq!(ciphertext.len(), len + 97);
                assert_eq!(*key.decrypt(form, &ciphertext[1..]).unwrap(), plaintext, "{form} {len} without 04");
            }
        }
        assert_eq!(key.public_key().encrypt(form, b"").unwrap_err().code(), "empty_plaintext");
    }
}

#[test]
fn every_changed_bit_of_a_ciphertext_is_noticed() {
    let key = PrivateKey::generate().unwrap();
    for form in FORMS {
        let ciphertext = key.public_key().encrypt(form, b"attack at dawn").unwrap();
        for bit in 0..ciphertext.len() * 8 {
            let mut changed = ciphertext.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let error = key.decrypt(form, &changed).unwrap_err();
            assert!(["malformed_ciphertext", "not_authentic"].contains(&error.code()), "{form} bit {bit}: {error}");
        }
        for len in 0..ciphertext.len() {
            let error = key.decrypt(form, &ciphertext[..len]).unwrap_err();
            assert!(["malformed_ciphertext", "not_authentic"].contains(&error.code()), "{form} cut to {len}: {error}");
        }
        let error = PrivateKey::generate().unwrap().decrypt(form, &ciphertext).unwrap_err();
        assert_eq!(error.code(), "not_authentic");
    }
}

#[test]
fn the_parts_in_another_order_or_form_do_not_open() {
    let key = PrivateKey::generate().unwrap();
    for written in FORMS {
        let ciphertext = key.public_key().encrypt(written, &[7; 32]).unwrap();
        for read in FORMS.into_iter().filter(|read| *read != written) {
            let error = key.decrypt(read, &ciphertext).unwrap_err();
            let expected = if [read, written].contains(&Form::Der) { "malformed_ciphertext" } else { "not_authentic" };
            assert_eq!(error.code(), expected, "{written} read as {read}");
        }
    }
}

#[test]
fn points_that_no_encryption_writes_are_refused() {
    let key = PrivateKey::generate().unwrap();
    let ciphertext = key.public_key().encrypt(Form::C1C3C2, b"attack at dawn").unwrap();
    let (point, rest) = ciphertext.split_at(65);
    for (point, reason) in [
        (vec![0], "point"),
        ([&[2 | (point[64] & 1)], &point[1..33]].concat(), "compressed"),
        ([&[6 | (point[64] & 1)], &point[1..]].concat(), "point"),
        ([&[4], &point[33..], &point[1..33]].concat(), "point"),
        (vec![0; 65], "point"),
        ([&[4][..], &[0; 64]].concat(), "point"),
    ] {
        let error = key.decrypt(Form::C1C3C2, &[&point[..], rest].concat()).unwrap_err();
        assert_eq!(error.code(), "malformed_ciphertext");
        assert!(error.to_string().contains(reason), "{error}");
    }
    // An empty C2 is refused in every form.
    assert_eq!(key.decrypt(Form::C1C3C2, &ciphertext[..97]).unwrap_err().code(), "malformed_ciphertext");
    assert_eq!(key.decrypt(Form::C1C2C3, &ciphertext[..97]).unwrap_err().code(), "malformed_ciphertext");
}

/// A t of zero does not change the plaintext, so both sides must refuse it (GB/T 32918.4 sections 6.1 and 7.1).
#[test]
fn a_keystream_of_zero_is_neither_written_nor_read() {
    let key = key();
    let mut zeros = 0;
    for k in 1..=2000u32 {
        let mut bytes = [0; 32];
        bytes[28..].copy_from_slice(&k.to_be_bytes());
        let k = nonzero(&bytes).unwrap();
        let shared = Shared::new(&curve().unwrap().multiply(&key.public_key().0, &k));
        let mut c2 = [0x5a];
        if shared.apply(&mut c2) {
            continue;
        }
        zeros += 1;
        assert_eq!(c2, [0x5a]);
        assert!(key.public_key().seal_with(&[0x5a], curve().unwrap(), &k).is_none());
        let c1 = PublicKey(curve().unwrap().multiply_base(&k));
        assert!(key.open(&c1, &shared.hash(&[0x5a]), &c2).is_none());
    }
    assert!(zeros > 0, "one in 256 has a first byte of zero");
}

/// Steps A5 and A6 of signing, and step B5 of verifying, whose cases no digest of a message meets.
#[test]
fn numbers_of_a_signature_that_would_be_zero_are_refused() {
    let (key, k) = (key(), number(K));
    let x = x_of(&curve().unwrap().multiply_base(&k));
    let zero = k.subtract(&k);
    // r = 0; r + k = n; s = 0, for k = r d.
    for r in [zero, zero.subtract(&k), k.multiply(&key.0.d.invert())] {
        assert!(key.sign_with(r.subtract(&x), &k).is_none());
    }
    // t = r + s = 0, and [s]G has the x that r asks for.
    let (r, s) = (zero.subtract(&k), k);
    let signature = Signature::from_bytes(&[r.to_bytes(), s.to_bytes()].concat()).unwrap();
    assert!(key.public_key().verify_digest(&r.subtract(&x).to_bytes(), &signature).is_err());
}

/// The crate `sm2` of the same key.
struct Theirs {
    signing: ::sm2::dsa::SigningKey,
    encrypting: ::sm2::pke::EncryptingKey,
    decrypting: ::sm2::pke::DecryptingKey,
}

impl Theirs {
    fn of(key: &PrivateKey) -> Self {
        let secret = ::sm2::SecretKey::from_slice(&key.to_bytes()[..]).unwrap();
        let id = std::str::from_utf8(DEFAULT_ID).unwrap();
        let signing = ::sm2::dsa::SigningKey::new(id, &secret).unwrap();
        let encrypting = ::sm2::pke::EncryptingKey::new(secret.public_key());
        Self { signing, encrypting, decrypting: ::sm2::pke::DecryptingKey::new(secret) }
    }
}

#[test]
fn ciphertexts_of_every_length_open_with_the_crate_and_its_with_ours() {
    let key = PrivateKey::generate().unwrap();
    let theirs = Theirs::of(&key);
    for len in 1..=2_000 {
        let plaintext: Vec<u8> = (0..len).map(|i| u8::try_from((i * 7 + len) % 256).unwrap()).collect();
        let ours = key.public_key().encrypt(Form::C1C3C2, &plaintext).unwrap();
        assert_eq!(theirs.decrypting.decrypt(&ours).unwrap(), plaintext, "{len}");
        // Only the key's own multiplication differs by length: a few are enough.
        if len % 20 == 1 {
            let made = theirs.encrypting.encrypt(&mut getrandom::SysRng, &plaintext).unwrap();
            assert_eq!(*key.decrypt(Form::C1C3C2, &made).unwrap(), plaintext, "{len}");
        }
    }
}

#[test]
fn signatures_verify_with_the_crate_and_its_with_ours() {
    use ::sm2::dsa::signature::{RandomizedSigner, Verifier};
    for round in 0..100u8 {
        let (key, message) = (PrivateKey::generate().unwrap(), vec![round; usize::from(round)]);
        let theirs = Theirs::of(&key);
        let ours = key.sign(DEFAULT_ID, &message).unwrap();
        let read = ::sm2::dsa::Signature::from_slice(&ours.to_bytes()).unwrap();
        theirs.signing.verifying_key().verify(&message, &read).unwrap();
        let made = theirs.signing.try_sign_with_rng(&mut getrandom::SysRng, &message).unwrap();
        let made = Signature::from_bytes(&made.to_bytes()).unwrap();
        key.public_key().verify(DEFAULT_ID, &message, &made).unwrap();
    }
}

/// Small numbers, numbers near n, n / 2 and 2^255, and one without a pattern.
fn edges() -> Vec<Scalar> {
    let one = Scalar::ONE;
    let zero = one.subtract(&one);
    let half = one.add(&one).invert();
    let small = (1..=40).scan(zero, |sum, _| {
        *sum = sum.add(&one);
        Some(*sum)
    });
    let high = Scalar::reduce(&[&[0x80][..], &[0; 31]].concat().try_into().unwrap());
    let around =
        [half, high, number(D)].into_iter().flat_map(|middle| [middle.subtract(&one), middle, middle.add(&one)]);
    small.flat_map(|number| [number, zero.subtract(&number)]).chain(around).collect()
}

/// A signature (r, s) is valid for e = r - x, where x is that of [s]G + [r + s]P: so there is one for each s and t = r + s, also for
/// those that no signer would get, and for keys whose points are near G. Changed ones are not valid.
#[test]
fn signatures_of_numbers_at_the_edges() {
    let edges = edges();
    let mut valid = 0;
    for (i, d) in edges.iter().enumerate() {
        let Ok(key) = PrivateKey::from_bytes(&d.to_bytes()) else { continue };
        let public = key.public_key();
        for (s, t) in (0..edges.len()).step_by(5).map(|j| (edges[j], edges[(j + 3 * i + 1) % edges.len()])) {
            let (r, sum) = (t.subtract(&s), s.add(&t.multiply(d)));
            if r.is_zero() || sum.is_zero() {
                continue;
            }
            valid += 1;
            let e = r.subtract(&x_of(&curve().unwrap().multiply_base(&sum)));
            public.verify_digest(&e.to_bytes(), &Signature { r, s }).unwrap();
            let zero = r.subtract(&r);
            let (opposite_r, opposite_s) = (zero.subtract(&r), zero.subtract(&s));
            for (r, s) in [(r, opposite_s), (opposite_r, s), (opposite_r, opposite_s), (s, r), (r.add(&Scalar::ONE), s)]
            {
                // With these numbers the equation may hold as well.
                let sum = s.add(&r.add(&s).multiply(d));
                let x = if sum.is_zero() { zero } else { x_of(&curve().unwrap().multiply_base(&sum)) };
                let is_valid = !sum.is_zero() && !r.add(&s).is_zero() && e.add(&x) == r;
                assert_eq!(public.verify_digest(&e.to_bytes(), &Signature { r, s }).is_ok(), is_valid);
            }
        }
    }
    assert!(valid > 1_000, "{valid}");
}

/// A digest is a number modulo n: those from n on are that much smaller.
#[test]
fn digests_above_the_order_are_reduced() {
    let key = PrivateKey::generate().unwrap();
    let reduced = [vec![0; 31], vec![7]].concat();
    let signature = key.sign_digest(&plus(N, 7)).unwrap();
    key.public_key().verify_digest(&plus(N, 7), &signature).unwrap();
    key.public_key().verify_digest(&reduced, &signature).unwrap();
    assert!(key.public_key().verify_digest(&plus(N, 8), &signature).is_err());
    let signature = key.sign_digest(&[0xff; 32]).unwrap();
    key.public_key().verify_digest(&[0xff; 32], &signature).unwrap();
}
