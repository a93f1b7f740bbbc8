//! Bundles made by these tests as `keybundle` of both editions describes them, and every fault that they can have.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

const NOW: u64 = 1_790_000_000;
const DAY: u64 = 86_400;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

/// One key of a bundle.
#[derive(Clone)]
struct Entry {
    usage: u8,
    target: Vec<u8>,
    expires: Option<u64>,
}

fn ml_kem(kind: exchange::Kind, expires: Option<u64>) -> Entry {
    let key = exchange::PrivateKey::generate(kind).unwrap().public_key();
    Entry { usage: 1, target: key.to_bytes().to_vec(), expires }
}

fn p256(expires: Option<u64>) -> Entry {
    let key = exchange::PrivateKey::generate(exchange::Kind::P256).unwrap().public_key();
    Entry { usage: 2, target: key.to_der().unwrap(), expires }
}

/// The owner of a bundle.
struct Owner(sign::PrivateKey);

impl Owner {
    fn new() -> Self {
        Self(sign::PrivateKey::generate(sign::Kind::MlDsa65).unwrap())
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0.public_key()).unwrap()
    }

    fn sign(&self, context: &[u8], message: &[u8]) -> Vec<u8> {
        self.0.sign_with(&Options::new().context(context), message).unwrap()
    }

    /// A bundle without its own signature; `bind` signs the message that binds a key.
    fn body(&self, handle: &[u8], entries: &[Entry], bind: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let lp = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_le_bytes(), bytes].concat();
        let public = self.0.public_key();
        let owner = public.to_bytes();
        let mut body = [b"NKKB\x01", &lp(owner)[..], &lp(handle), &(NOW - DAY).to_be_bytes()].concat();
        body.extend_from_slice(&u16::try_from(entries.len()).unwrap().to_le_bytes());
        for entry in entries {
            let expires = match entry.expires {
                Some(expires) => [&[1][..], &expires.to_be_bytes()].concat(),
                None => vec![0],
            };
            let created = (NOW - DAY).to_be_bytes();
            let message =
                [&lp(owner)[..], &[entry.usage], &lp(&entry.target), &lp(handle), &created, &expires].concat();
            body.push(entry.usage);
            body.extend([&lp(&entry.target)[..], &created, &expires, &lp(&bind(&message))].concat());
        }
        body
    }

    fn signed(&self, body: &[u8]) -> Vec<u8> {
        let signature = self.sign(b"nkct-bundle-v1", body);
        [body, &u32::try_from(signature.len()).unwrap().to_le_bytes(), &signature].concat()
    }

    fn bundle(&self, entries: &[Entry]) -> Vec<u8> {
        self.signed(&self.body(b"alice", entries, |message| self.sign(b"nkct-keybind-v1", message)))
    }

    fn pinned(&self, bundle: &[u8]) -> Result<PinnedBundle> {
        KeyBundle::parse(bundle)?.pinned(&self.fingerprint(), now())
    }
}

#[test]
fn a_bundle_gives_its_keys_to_whoever_knows_its_owner() {
    let owner = Owner::new();
    let entries = [ml_kem(exchange::Kind::MlKem768, None), p256(Some(NOW + DAY))];
    let bundle = owner.bundle(&entries);
    let read = KeyBundle::parse(&bundle).unwrap();
    assert_eq!((read.handle(), read.created(), read.keys().len()), ("alice", NOW - DAY, 2));
    assert_eq!((read.keys()[0].expires(), read.keys()[1].expires()), (None, Some(NOW + DAY)));
    assert_eq!(read.keys()[1].created(), NOW - DAY);
    let pinned = read.pinned(&owner.fingerprint(), now()).unwrap();
    assert_eq!(pinned.ml_kem().unwrap().to_bytes(), entries[0].target);
    assert_eq!(pinned.p256().unwrap().to_der().unwrap(), entries[1].target);
    assert_eq!(pinned.recipient().unwrap().kind(), Kind::MlKem768);
    assert_eq!(owner.pinned(&owner.bundle(&entries[1..])).unwrap().recipient().unwrap().kind(), Kind::P256);

    let error = read.pinned(&Owner::new().fingerprint(), now()).unwrap_err();
    assert!(error.to_string().contains(&owner.fingerprint().to_string()), "{error}");
    assert_eq!(error.code(), "unknown_signer");
}

const KINDS: [exchange::Kind; 4] =
    [exchange::Kind::MlKem768, exchange::Kind::P256, exchange::Kind::MlKem512, exchange::Kind::MlKem1024];

fn recipients(kinds: &[exchange::Kind]) -> Vec<nkct::Recipient> {
    let keys = kinds.iter().map(|kind| exchange::PrivateKey::generate(*kind).unwrap().public_key());
    keys.map(|key| key.try_into().unwrap()).collect()
}

#[test]
fn a_bundle_that_is_made_is_pinned_by_the_fingerprint_of_its_owner() {
    let key = sign::PrivateKey::generate(sign::Kind::MlDsa65).unwrap();
    let pinned = Fingerprint::of(&key.public_key()).unwrap();
    let owner = SigningKey::new(key).unwrap();
    let keys = recipients(&KINDS);
    for expires in [None, Some(now() + Duration::from_secs(DAY))] {
        let made = KeyBundle::new(&owner, "Alice ä", &keys, now(), expires).unwrap();
        let file = made.to_bytes();
        let read = KeyBundle::parse(&file).unwrap();
        assert_eq!(read.to_bytes(), file);
        assert_eq!((read.handle(), read.created(), read.fingerprint()), ("Alice ä", NOW, pinned));
        assert!(read.keys().iter().map(BoundKey::key).eq(keys.iter().map(nkct::Recipient::key)));
        assert!(read.keys().iter().all(|key| (key.created(), key.expires()) == (NOW, expires.map(seconds))));
        let bundle = read.pinned(&pinned, now()).unwrap();
        assert_eq!(bundle.p256().unwrap().kind(), exchange::Kind::P256);
        assert_eq!(bundle.recipient().unwrap().kind(), Kind::MlKem768);
    }
}

#[test]
fn no_bundle_is_made_that_its_reader_would_refuse() {
    let owner = SigningKey::new(Owner::new().0).unwrap();
    let keys = recipients(&[exchange::Kind::P256]);
    let code = |owner: &SigningKey, handle: &str, keys: &[nkct::Recipient], expires: Option<SystemTime>| {
        KeyBundle::new(owner, handle, keys, now(), expires).map(drop).unwrap_err().code()
    };
    for kind in [sign::Kind::P256Sign, sign::Kind::MlDsa44, sign::Kind::MlDsa87] {
        let other = SigningKey::new(sign::PrivateKey::generate(kind).unwrap()).unwrap();
        assert_eq!(code(&other, "alice", &keys, None), "unsupported_key", "{kind}");
    }
    assert_eq!(code(&owner, "alice", &[], None), "invalid_recipient");
    assert_eq!(code(&owner, "alice", &vec![keys[0].clone(); 65], None), "invalid_recipient");
    assert_eq!(code(&owner, &"a".repeat(65_537), &keys, None), "invalid_recipient");
    for expires in [UNIX_EPOCH, now() - Duration::from_secs(1), now()] {
        assert_eq!(code(&owner, "alice", &keys, Some(expires)), "invalid_recipient");
    }
    KeyBundle::new(&owner, &"a".repeat(65_536), &vec![keys[0].clone(); 64], now(), None).unwrap();
}

#[test]
fn of_several_keys_the_first_that_serves_is_taken() {
    let owner = Owner::new();
    let entries = [
        ml_kem(exchange::Kind::MlKem768, Some(NOW)),
        ml_kem(exchange::Kind::MlKem1024, None),
        ml_kem(exchange::Kind::MlKem768, None),
        p256(None),
    ];
    let pinned = owner.pinned(&owner.bundle(&entries)).unwrap();
    assert_eq!(pinned.ml_kem().unwrap().to_bytes(), entries[1].target);
    assert_eq!(pinned.recipient().unwrap().to_bytes().unwrap(), entries[2].target);
    let without = owner.pinned(&owner.bundle(&entries[1..2])).unwrap();
    assert_eq!(without.recipient().unwrap_err().code(), "unsupported_key");
    // A key of P-256 does not replace one of ML-KEM that Sealstone's files do not support, whichever key has expired.
    for chosen in [&[1, 3][..], &[0, 1, 3]] {
        let entries: Vec<Entry> = chosen.iter().map(|i| entries[*i].clone()).collect();
        let weaker = owner.pinned(&owner.bundle(&entries)).unwrap();
        assert_eq!(weaker.recipient().unwrap_err().code(), "unsupported_key");
    }
}

#[test]
fn what_has_expired_is_refused_and_never_replaced_by_a_weaker_key() {
    let owner = Owner::new();
    let last = [ml_kem(exchange::Kind::MlKem768, Some(NOW + 1)), p256(Some(u64::MAX))];
    owner.pinned(&owner.bundle(&last)).unwrap();
    for expires in [0, NOW - 1, NOW] {
        for entries in [
            vec![ml_kem(exchange::Kind::MlKem768, Some(expires)), p256(None)],
            vec![ml_kem(exchange::Kind::MlKem768, None), p256(Some(expires))],
        ] {
            let bundle = owner.bundle(&entries);
            let error = owner.pinned(&bundle).unwrap_err();
            assert_eq!(error.code(), "invalid_recipient");
            assert!(error.to_string().contains("expired"), "{error}");
            // On a clock before 1970, only a key that expired at 0 has expired.
            let ancient = UNIX_EPOCH - Duration::from_secs(5);
            let pinned = KeyBundle::parse(&bundle).unwrap().pinned(&owner.fingerprint(), ancient);
            assert_eq!(pinned.is_ok(), expires > 0);
        }
    }
}

/// The key and the context that sign a binding.
type Bind<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

#[test]
fn signatures_of_other_uses_and_owners_do_not_hold() {
    let (owner, other) = (Owner::new(), Owner::new());
    let entries = [ml_kem(exchange::Kind::MlKem768, None)];
    let code = |bundle: &[u8]| owner.pinned(bundle).unwrap_err().code();
    let body = |bind: Bind<'_>| owner.body(b"alice", &entries, bind);
    let right = body(&|message| owner.sign(b"nkct-keybind-v1", message));
    owner.pinned(&owner.signed(&right)).unwrap();
    // The signature of the whole, with no context, another one and another key.
    for signature in
        [owner.sign(b"", &right), owner.sign(b"nkct-keybind-v1", &right), other.sign(b"nkct-bundle-v1", &right)]
    {
        let bundle = [&right[..], &3309_u32.to_le_bytes(), &signature].concat();
        assert_eq!(code(&bundle), "invalid_signature");
    }
    // The same for the binding of a key, in a bundle that its owner has signed.
    let wrong: [Bind<'_>; 4] = [
        &|message| owner.sign(b"", message),
        &|message| owner.sign(b"nkct-bundle-v1", message),
        &|message| other.sign(b"nkct-keybind-v1", message),
        &|message| owner.sign(b"nkct-keybind-v1", &message[1..]),
    ];
    for bind in wrong {
        assert_eq!(code(&owner.signed(&body(bind))), "invalid_signature");
    }
    // A binding from a bundle under another handle.
    let named = owner.body(b"bob", &entries, |message| owner.sign(b"nkct-keybind-v1", message));
    let at = b"NKKB\x01".len() + 4 + 1952 + 4;
    let renamed = [&named[..at - 4], &5_u32.to_le_bytes(), b"alice", &named[at + 3..]].concat();
    assert_eq!(code(&owner.signed(&renamed)), "invalid_signature");
}

#[test]
fn a_key_that_is_none_makes_the_bundle_invalid() {
    let owner = Owner::new();
    let good = ml_kem(exchange::Kind::MlKem768, None);
    let sign_key = sign::PrivateKey::generate(sign::Kind::P384Sign).unwrap().public_key();
    let ec = p256(None).target;
    let mut off_curve = ec.clone();
    *off_curve.last_mut().unwrap() ^= 1;
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", data_encoding::BASE64.encode(&ec));
    for (usage, target) in [
        (0, good.target.clone()),
        (3, good.target.clone()),
        (2, good.target.clone()),
        (1, good.target[1..].to_vec()),
        (1, vec![0xff; 1184]),
        (1, ec.clone()),
        (2, off_curve),
        (2, ec[..ec.len() - 1].to_vec()),
        (2, [&ec[..], &[0]].concat()),
        (2, sign_key.to_der()),
        (2, pem.into_bytes()),
        (2, Vec::new()),
    ] {
        let bundle = owner.bundle(&[good.clone(), Entry { usage, target, expires: None }]);
        assert_eq!(KeyBundle::parse(&bundle).unwrap_err().code(), "invalid_recipient", "{usage}");
    }
    assert_eq!(owner.pinned(&owner.bundle(&[])).unwrap_err().code(), "invalid_recipient");
}

#[test]
fn limits_are_kept() {
    let owner = Owner::new();
    let entry = p256(None);
    let with = |handle: &[u8], count: usize| {
        let signature = vec![0; 3309];
        owner.signed(&owner.body(handle, &vec![entry.clone(); count], |_| signature.clone()))
    };
    assert_eq!(KeyBundle::parse(&with(b"", 64)).unwrap().keys().len(), 64);
    assert_eq!(KeyBundle::parse(&with(&vec![b'a'; 65_536], 0)).unwrap().handle().len(), 65_536);
    assert_eq!(KeyBundle::read(Input::reader(&with(b"alice", 1)[..])).unwrap().handle(), "alice");
    let endless = [with(b"", 0), vec![0; MAX_LEN]].concat();
    assert_eq!(KeyBundle::read(Input::reader(&endless[..])).unwrap_err().code(), "invalid_recipient");
    for bundle in [with(b"", 65), with(&vec![b'a'; 65_537], 0), with(b"\xff", 0), [&with(b"", 0)[..], &[0]].concat()] {
        assert_eq!(KeyBundle::parse(&bundle).unwrap_err().code(), "invalid_recipient");
    }
}

/// Every byte of a bundle is either checked or signed.
#[test]
fn every_cut_and_every_changed_bit_is_refused() {
    let owner = Owner::new();
    let bundle = owner.bundle(&[ml_kem(exchange::Kind::MlKem512, Some(NOW + DAY)), p256(None)]);
    owner.pinned(&bundle).unwrap();
    for len in 0..bundle.len() {
        assert_eq!(owner.pinned(&bundle[..len]).unwrap_err().code(), "invalid_recipient", "{len} bytes");
    }
    let mut seen = [0; 3];
    for at in 0..bundle.len() {
        let mut changed = bundle.clone();
        changed[at] ^= 1 << (at % 8);
        let code = owner.pinned(&changed).map(drop).unwrap_err().code();
        let codes = ["invalid_recipient", "unknown_signer", "invalid_signature"];
        let which = codes.iter().position(|one| *one == code).unwrap_or_else(|| panic!("byte {at}: {code}"));
        seen[which] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn fingerprints_are_read_as_people_write_them() {
    let digits = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let pairs: Vec<&str> = (0..32).map(|i| &digits[2 * i..2 * i + 2]).collect();
    let expected: Fingerprint = digits.parse().unwrap();
    assert_eq!(expected.as_bytes()[..3], [0, 0x11, 0x22]);
    for text in [
        digits.to_uppercase(),
        pairs.join(":"),
        pairs.join(" "),
        format!(" {digits}\n"),
        pairs.join(":").to_uppercase(),
        digits.as_bytes().chunks(4).map(|group| std::str::from_utf8(group).unwrap()).collect::<Vec<_>>().join("-"),
        format!("{}:", pairs.join(":")),
    ] {
        assert_eq!(text.parse::<Fingerprint>().unwrap(), expected, "{text}");
    }
    for text in [
        "",
        "0",
        &digits[1..],
        &digits[2..],
        "sha256:00",
        &format!("{digits}00"),
        &digits.replace('0', "g"),
        &format!("{},", pairs.join(":")),
        &format!("{digits}:0"),
    ] {
        assert_eq!(text.parse::<Fingerprint>().unwrap_err().code(), "invalid_option", "{text}");
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), sound in 0..40_usize) {
        let owner = [b"NKKB\x01\xa0\x07\0\0".to_vec(), vec![7; 1952]].concat();
        let start = &owner[..owner.len().min(sound * 60)];
        let _ = KeyBundle::parse(&[start, &bytes].concat());
    }
}
