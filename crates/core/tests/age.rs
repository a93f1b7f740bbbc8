//! Files of age: C2SP's kit of vectors, and every way of writing and reading.

mod support;

use sealstone::interop::age::{self, Decryptor, Encryptor, FileOpener, Identity, Recipient, Rewrapper, Stanza};
use sealstone::{Error, Input, Kind, Output, Passphrase};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use support::{check_ranges, vectors};
use tempfile::tempdir;

/// A private key of SSH, made for this test.
const ID_ED25519: &str = include_str!("age/id_ed25519");
const ID_ED25519_PUB: &str = include_str!("age/id_ed25519.pub");
const ID_ED25519_LOCKED: &str = include_str!("age/id_ed25519_locked");
const ID_RSA: &str = include_str!("age/id_rsa");
const ID_RSA_PUB: &str = include_str!("age/id_rsa.pub");

const CHUNK_LEN: usize = 65_536;

fn generate(kind: Kind) -> Identity {
    sealstone::Identity::generate(kind).unwrap().try_into().unwrap()
}

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text).unwrap()
}

/// Every identity there is, but a passphrase, which takes a second.
fn identities() -> Vec<Identity> {
    let mut all = vec![generate(Kind::X25519), generate(Kind::Hybrid), Identity::from_ssh(ID_ED25519, None).unwrap()];
    // RSA is AWS-LC's.
    if !cfg!(sealstone_rustcrypto) {
        all.push(Identity::from_ssh(ID_RSA, None).unwrap());
    }
    all
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    data_encoding::HEXLOWER.encode(bytes.as_ref())
}

/// What came of one vector: the error, and what a stream had received before it.
fn open(decryptor: &Decryptor, file: &[u8], threads: usize) -> (Result<(), Error>, Vec<u8>) {
    let mut out = Vec::new();
    let opened = decryptor.clone().threads(threads).decrypt_to(Input::reader(file), Output::writer(&mut out));
    (opened.map(drop), out)
}

#[test]
fn every_vector_of_the_kit_opens_or_fails_as_it_says() {
    let all: Value = serde_json::from_slice(&fs::read(vectors("borrowed").join("cctv_age.json")).unwrap()).unwrap();
    let all = all.as_array().unwrap();
    let folder = tempdir().unwrap();
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for vector in all {
        let text = |name: &str| vector[name].as_str().unwrap_or_default();
        let list = |name: &str| vector[name].as_array().unwrap().iter().map(|item| item.as_str().unwrap());
        let (name, expect) = (text("name"), text("expect"));
        let mut file = data_encoding::BASE64.decode(text("file").as_bytes()).unwrap();
        match text("compressed") {
            "" => {}
            "zlib" => {
                let packed = std::mem::take(&mut file);
                flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut file).unwrap();
            }
            other => panic!("{name}: {other}"),
        }
        let keys = list("identities").map(|text| text.parse::<Identity>().unwrap());
        let passphrases = list("passphrases").map(|text| passphrase(text).into());
        let decryptor = Decryptor::new(keys.chain(passphrases));
        for threads in [1, 3] {
            let (opened, out) = open(&decryptor, &file, threads);
            let code = opened.as_ref().err().map_or("", Error::code);
            let expected: &[&str] = match expect {
                "success" => &[""],
                "no match" => &["no_matching_identity"],
                "HMAC failure" => &["header_not_authentic"],
                // To age that is armour of nothing, and to us none at all.
                "header failure" if name == "armor_empty" => &["malformed_armour"],
                "header failure" => &["malformed_header", "truncated", "cost_too_high"],
                // What does not begin as armour is not taken for armour.
                "armor failure" if !age::begins(&file) => &["malformed_header"],
                "armor failure" => &["malformed_armour"],
                "payload failure" => &["truncated", "not_authentic"],
                other => panic!("{name}: {other}"),
            };
            assert!(expected.contains(&code), "{name}: {code:?} ({opened:?}) instead of {expect}");
            match text("payload") {
                "" if expect == "payload failure" => assert!(out.is_empty(), "{name}: {} bytes", out.len()),
                "" => assert!(expect == "armor failure" || out.is_empty(), "{name}: {} bytes", out.len()),
                payload => assert_eq!(hex(Sha256::digest(&out)), payload, "{name}, {} bytes", out.len()),
            }
        }
        // The other ways of reading agree.
        let path = folder.path().join(name);
        fs::write(&path, &file).unwrap();
        let (first, plaintext) = open(&decryptor, &file, 1);
        let to = folder.path().join("out");
        let opened = decryptor.decrypt_file(&path, &to);
        let verified = decryptor.verify(Input::open(&path).unwrap());
        let in_memory = decryptor.decrypt(&file);
        assert_eq!(opened.is_ok(), first.is_ok(), "{name}");
        assert_eq!(verified.is_ok(), first.is_ok(), "{name}");
        assert_eq!(in_memory.is_ok(), first.is_ok(), "{name}");
        if first.is_ok() {
            assert!(fs::read(&to).unwrap() == plaintext && in_memory.unwrap() == plaintext, "{name}");
            assert_eq!(opened.unwrap().plaintext, plaintext.len() as u64, "{name}");
            fs::remove_file(&to).unwrap();
            let seen = age::inspect(Input::open(&path).unwrap()).unwrap();
            assert_eq!(
                (seen.armoured, seen.plaintext_len),
                (vector["armored"] == true, plaintext.len() as u64),
                "{name}"
            );
            assert!(age::begins(&file[..file.len().min(64)]) && age::is_age(&mut Input::reader(&file[..])).unwrap());
            assert_eq!(age::stanzas(&mut Input::reader(&file[..])).unwrap(), seen.stanzas, "{name}");
        } else {
            assert!(!to.exists(), "{name}");
        }
        *counts.entry(expect).or_default() += 1;
    }
    println!("age: {counts:?}");
    assert_eq!(all.len(), 143);
    assert_eq!(counts["success"], 26);
}

#[test]
fn what_is_written_is_read_in_every_way() {
    let folder = tempdir().unwrap();
    let (plain, sealed, opened) =
        (folder.path().join("plain"), folder.path().join("sealed"), folder.path().join("opened"));
    for identity in identities() {
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 40 * CHUNK_LEN, 40 * CHUNK_LEN + 7] {
            let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
            fs::write(&plain, &plaintext).unwrap();
            for (armour, threads) in [(false, 1), (false, 3), (true, 2)] {
                let encryptor = Encryptor::new([identity.recipient()]).armour(armour).threads(threads);
                let decryptor = Decryptor::new([identity.clone()]).threads(threads);
                let written = encryptor.encrypt_file(&plain, &sealed).unwrap();
                assert_eq!(written.plaintext, len as u64);
                let file = fs::read(&sealed).unwrap();
                assert!(armour || file.len() as u64 == written.ciphertext);
                let read = decryptor.decrypt_file(&sealed, &opened).unwrap();
                assert_eq!(read, written);
                assert!(fs::read(&opened).unwrap() == plaintext);
                assert!(decryptor.decrypt(&file).unwrap() == plaintext);
                assert_eq!(decryptor.verify(Input::open(&sealed).unwrap()).unwrap(), written);
                let in_memory = encryptor.encrypt(&plaintext).unwrap();
                assert_eq!(in_memory.len(), file.len());
                assert!(decryptor.decrypt(&in_memory).unwrap() == plaintext);
                let first = decryptor.clone().verify_first(true);
                assert!(first.decrypt(&file).unwrap() == plaintext);
                let mut out = Vec::new();
                let checked = first.decrypt_to(Input::open(&sealed).unwrap(), Output::writer(&mut out));
                assert!(checked.is_ok() && out == plaintext);
                let streamed = first.decrypt_to(Input::reader(&file[..]), Output::writer(Vec::new()));
                assert_eq!(streamed.unwrap_err().code(), "not_seekable");
                fs::remove_file(&sealed).unwrap();
                fs::remove_file(&opened).unwrap();
            }
        }
    }
}

#[test]
fn a_part_is_read_as_its_place_says() {
    let identity = generate(Kind::X25519);
    let decryptor = Decryptor::new([identity.clone()]);
    let folder = tempdir().unwrap();
    for len in [0, 1, CHUNK_LEN, 3 * CHUNK_LEN, 3 * CHUNK_LEN + 5] {
        let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
        let sealed = Encryptor::new([identity.recipient()]).encrypt(&plaintext).unwrap();
        let path = folder.path().join(len.to_string());
        fs::write(&path, &sealed).unwrap();
        let places = [
            0,
            1,
            CHUNK_LEN - 1,
            CHUNK_LEN,
            CHUNK_LEN + 1,
            2 * CHUNK_LEN,
            len.saturating_sub(1),
            len,
            len + 1,
            usize::MAX,
        ];
        let of_memory = |range| decryptor.decrypt_range(&sealed, range);
        let of_file = |input: Input<'_>, range, output: Output<'_>| decryptor.decrypt_range_to(input, range, output);
        check_ranges(&plaintext, &path, &places, of_memory, of_file);
    }
    // A length that is not authentic tells nothing: the last chunk is opened before the end is said.
    let sealed = Encryptor::new([identity.recipient()]).encrypt(&vec![7; 2 * CHUNK_LEN]).unwrap();
    let cut = &sealed[..sealed.len() - CHUNK_LEN - 16];
    let path = folder.path().join("cut");
    fs::write(&path, cut).unwrap();
    for range in [0..CHUNK_LEN as u64 + 1, CHUNK_LEN as u64 + 1..CHUNK_LEN as u64 + 2] {
        assert_eq!(decryptor.decrypt_range(cut, range.clone()).unwrap_err().code(), "truncated");
        let to_stream = decryptor.decrypt_range_to(Input::open(&path).unwrap(), range, Output::writer(Vec::new()));
        assert_eq!(to_stream.unwrap_err().code(), "truncated");
    }
}

#[test]
fn no_byte_of_a_file_can_be_changed_cut_or_added() {
    let identity = generate(Kind::X25519);
    let decryptor = Decryptor::new([identity.clone()]);
    let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn").unwrap();
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(decryptor.decrypt(&changed).is_err(), "byte {at}");
        assert!(decryptor.decrypt(&sealed[..at]).is_err(), "{at} bytes");
        let mut longer = sealed.clone();
        longer.insert(at, b'A');
        assert!(decryptor.decrypt(&longer).is_err(), "one more at {at}");
    }
    assert!(decryptor.decrypt(&[&sealed[..], b"\0"].concat()).is_err());
}

#[test]
fn chunks_that_are_cut_swapped_or_repeated_are_refused() {
    let identity = generate(Kind::X25519);
    let sealed = Encryptor::new([identity.recipient()]).encrypt(&vec![7; 5 * CHUNK_LEN]).unwrap();
    let chunk = CHUNK_LEN + 16;
    let head = sealed.len() - 5 * chunk;
    let part = |i: usize| &sealed[head + i * chunk..head + (i + 1) * chunk];
    for (order, code) in [
        (&[0, 1, 2, 3][..], "truncated"),
        (&[0, 1, 2, 4], "not_authentic"),
        (&[0, 2, 1, 3, 4], "not_authentic"),
        (&[0, 0, 1, 2, 3, 4], "not_authentic"),
        (&[0, 1, 2, 3, 4, 4], "not_authentic"),
        (&[4, 1, 2, 3, 4], "not_authentic"),
        (&[], "truncated"),
    ] {
        let file = [&sealed[..head], &order.iter().flat_map(|i| part(*i)).copied().collect::<Vec<_>>()[..]].concat();
        for threads in [1, 2] {
            let decryptor = Decryptor::new([identity.clone()]).threads(threads);
            assert_eq!(decryptor.decrypt(&file).unwrap_err().code(), code, "{order:?}");
            let folder = tempdir().unwrap();
            let path = folder.path().join("sealed");
            fs::write(&path, &file).unwrap();
            let out = folder.path().join("out");
            assert_eq!(decryptor.decrypt_file(&path, &out).unwrap_err().code(), code, "{order:?}");
            assert!(!out.exists());
        }
    }
}

#[test]
fn keys_of_ssh_are_read_in_their_forms() {
    for (secret, public, kind) in [(ID_ED25519, ID_ED25519_PUB, "ssh-ed25519"), (ID_RSA, ID_RSA_PUB, "ssh-rsa")] {
        if kind == "ssh-rsa" && cfg!(sealstone_rustcrypto) {
            continue;
        }
        let recipient: Recipient = public.trim().parse().unwrap();
        assert_eq!(recipient.stanza_kind(), kind);
        let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn").unwrap();
        let identity = Identity::from_ssh(secret, None).unwrap();
        assert_eq!(format!("{identity:?}"), format!("Identity({kind}, ..)"));
        assert_eq!(Decryptor::new([identity]).decrypt(&sealed).unwrap(), b"attack at dawn");
        let own = age::inspect(Input::reader(&sealed[..])).unwrap();
        assert_eq!(own.stanzas[0].kind(), kind);
        assert_eq!(
            Decryptor::new([generate(Kind::X25519)]).decrypt(&sealed).unwrap_err().code(),
            "no_matching_identity"
        );
    }
    let missing = Identity::from_ssh(ID_ED25519_LOCKED, None).unwrap_err();
    assert_eq!(missing.code(), "passphrase_required");
    let wrong = Identity::from_ssh(ID_ED25519_LOCKED, Some(&passphrase("wrong"))).unwrap_err();
    assert!(matches!(wrong, Error::WrongPassphrase), "{wrong:?}");
    Identity::from_ssh(ID_ED25519_LOCKED, Some(&passphrase("correct horse"))).unwrap();
    for (line, code) in [
        ("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGJ", "invalid_recipient"),
        ("sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t", "unsupported_key"),
        ("ssh-ed25519 AAAA", "invalid_recipient"),
        ("ssh-ed25519", "invalid_recipient"),
    ] {
        assert_eq!(line.parse::<Recipient>().unwrap_err().code(), code, "{line}");
    }
}

#[test]
fn keys_of_other_kinds_are_refused_by_name() {
    for kind in [Kind::P256, Kind::MlKem768, Kind::Sm2, Kind::Key] {
        let identity = sealstone::Identity::generate(kind).unwrap();
        let error = Identity::try_from(identity.clone()).unwrap_err();
        assert_eq!(error.code(), "unsupported_key");
        assert_eq!(error.to_string(), "unsupported key type: it is for another algorithm");
        assert_eq!(Recipient::try_from(identity.recipient()).unwrap_err().code(), "unsupported_key");
    }
}

#[test]
fn recipients_are_mixed_as_age_allows() {
    let (x25519, hybrid) = (generate(Kind::X25519).recipient(), generate(Kind::Hybrid).recipient());
    let scrypt: Recipient = passphrase("x").into();
    let check = |recipients: &[&Recipient]| {
        Encryptor::new(recipients.iter().map(|one| (*one).clone())).encrypt(b"").map(drop).map_err(|error| error.code())
    };
    assert_eq!(check(&[&x25519, &hybrid]), Err("mixed_recipients"));
    assert_eq!(check(&[&x25519, &scrypt]), Err("invalid_recipients"));
    assert_eq!(check(&[]), Err("invalid_recipients"));
    assert_eq!(check(&[&x25519; 1025]), Err("invalid_recipients"));
    assert_eq!(check(&[&x25519, &x25519]), Ok(()));
    assert_eq!(check(&[&hybrid, &hybrid]), Ok(()));
}

#[test]
fn a_passphrase_is_written_read_and_bounded() {
    let own: Identity = passphrase("correct horse").into();
    let sealed = Encryptor::new([own.recipient()]).encrypt(b"attack at dawn").unwrap();
    assert_eq!(Decryptor::new([own.clone()]).decrypt(&sealed).unwrap(), b"attack at dawn");
    let wrong = Decryptor::new([passphrase("wrong").into()]).decrypt(&sealed).unwrap_err();
    assert!(matches!(wrong, Error::WrongPassphrase), "{wrong:?}");
    let bounded = Decryptor::new([own]).work_max(17).unwrap();
    assert_eq!(bounded.decrypt(&sealed).unwrap_err().code(), "cost_too_high");
    for log_n in [0, 23] {
        assert_eq!(bounded.clone().work_max(log_n).unwrap_err().code(), "invalid_option");
    }
}

#[test]
fn a_file_is_given_to_others() {
    let (alice, bob) = (generate(Kind::X25519), Identity::from_ssh(ID_ED25519, None).unwrap());
    let hybrid = generate(Kind::Hybrid);
    for len in [0, 14, 3 * CHUNK_LEN] {
        for armour in [false, true] {
            let plaintext = vec![7; len];
            let sealed = Encryptor::new([alice.recipient()]).armour(armour).encrypt(&plaintext).unwrap();
            let both = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap(&sealed).unwrap();
            assert_eq!(both.starts_with(b"-----BEGIN AGE"), armour);
            for identity in [&alice, &bob] {
                assert!(Decryptor::new([identity.clone()]).decrypt(&both).unwrap() == plaintext);
            }
            let only = Rewrapper::new([bob.clone()], [hybrid.recipient()]).replace(true).rewrap(&both).unwrap();
            assert!(Decryptor::new([hybrid.clone()]).decrypt(&only).unwrap() == plaintext);
            assert_eq!(Decryptor::new([alice.clone()]).decrypt(&only).unwrap_err().code(), "no_matching_identity");
            let mixed = Rewrapper::new([alice.clone()], [hybrid.recipient()]).rewrap(&sealed);
            assert_eq!(mixed.unwrap_err().code(), "mixed_recipients");
            let phrase = Rewrapper::new([alice.clone()], [passphrase("x").into()]).rewrap(&sealed);
            assert_eq!(phrase.unwrap_err().code(), "invalid_recipients");
            if !armour && len < 16 {
                // Fewer bytes than a tag has.
                let cut = &sealed[..sealed.len() - len - 1];
                let cut = Rewrapper::new([alice.clone()], [bob.recipient()]).rewrap(cut);
                assert_eq!(cut.unwrap_err().code(), "truncated");
            }
        }
    }
    let folder = tempdir().unwrap();
    let path = folder.path().join("file.age");
    fs::write(&path, Encryptor::new([alice.recipient()]).encrypt(b"attack at dawn").unwrap()).unwrap();
    Rewrapper::new([alice], [bob.recipient()]).rewrap_file(&path).unwrap();
    assert_eq!(Decryptor::new([bob]).decrypt(&fs::read(&path).unwrap()).unwrap(), b"attack at dawn");
}

#[test]
fn a_file_with_other_names_or_behind_a_link_is_not_given_to_others() {
    let (alice, bob) = (generate(Kind::X25519), generate(Kind::X25519));
    let folder = tempdir().unwrap();
    let [path, hard, link] = ["file.age", "hard.age", "link.age"].map(|name| folder.path().join(name));
    let sealed = Encryptor::new([alice.recipient()]).encrypt(b"attack at dawn").unwrap();
    fs::write(&path, &sealed).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let rewrapper = Rewrapper::new([alice], [bob.recipient()]).replace(true);
    for (name, code) in [(&path, "hard_links"), (&hard, "hard_links"), (&link, "not_regular_file")] {
        assert_eq!(rewrapper.rewrap_file(name).unwrap_err().code(), code);
    }
    assert!(fs::read(&path).unwrap() == sealed && fs::read(&hard).unwrap() == sealed);
    let output = Output::file(&path).unwrap().in_place().split_links(true);
    rewrapper.rewrap_to(Input::open(&path).unwrap(), output).unwrap();
    assert_eq!(Decryptor::new([bob]).decrypt(&fs::read(&path).unwrap()).unwrap(), b"attack at dawn");
    assert!(fs::read(&hard).unwrap() == sealed, "the other name keeps the old content");
}

#[test]
fn headers_have_bounds() {
    let identity = generate(Kind::X25519);
    let sealed = Encryptor::new([identity.recipient()]).encrypt(b"").unwrap();
    let decryptor = Decryptor::new([identity]);
    let with = |stanza: &[u8], count: usize| [b"age-encryption.org/v1\n", &stanza.repeat(count)[..]].concat();
    let code = |file: &[u8]| decryptor.decrypt(file).unwrap_err().code();
    assert_eq!(code(&with(b"-> a b\n\n", 1025)), "malformed_header");
    assert_eq!(code(&with(b"-> a b\n\n", 1024)), "truncated");
    let long = [&b"-> a b\n"[..], &[&[b'A'; 64][..], b"\n"].concat().repeat(40_000)[..]].concat();
    assert_eq!(code(&with(&long, 1)), "malformed_header");
    assert_eq!(code(b"age-encryption.org/v2\n"), "malformed_header");
    assert_eq!(code(b"age-encryption.org/v1"), "truncated");
    assert_eq!(code(b""), "truncated");
    assert_eq!(code(b"attack at dawn"), "malformed_header");
    assert_eq!(code(&sealed[..sealed.len() - 32]), "truncated");
    for begin in ["\u{feff}-----BEGIN AGE ENCRYPTED FILE-----\n", "-----BEGIN AGE ENCRYPTED FILE-----\n"] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let utf16: Vec<u8> = begin.encode_utf16().flat_map(order).collect();
            assert!(age::begins(&utf16));
            let error = decryptor.decrypt(&utf16).unwrap_err().to_string();
            assert!(error.ends_with(sealstone::Text::IS_UTF16), "{error}");
        }
    }
    assert!(!age::begins(b"\xff\xfe-\0-\0-\0-\0-\0B\0E\0G\0I\0N\0 \0P\0R\0I\0V\0"));
    assert!(Stanza::new("", [""; 0], Vec::new()).is_err() && Stanza::new("a", [""], Vec::new()).is_err());
}

#[test]
fn a_head_whose_file_key_is_known_is_judged_as_any_other() {
    let file_key = [7; 16];
    let mut key = [0; 32];
    sealstone::kdf::hkdf(sealstone::hash::Algorithm::Sha256, &file_key, b"", b"header", &mut key).unwrap();
    let mac = sealstone::mac::Mac::new("hmac-sha256".parse().unwrap(), &key).unwrap();
    let head = |stanzas: &str| {
        let signed = format!("age-encryption.org/v1\n{stanzas}---");
        let tag = data_encoding::BASE64_NOPAD.encode(mac.sign(signed.as_bytes()).as_bytes());
        [format!("{signed} {tag}\n").as_bytes(), &[0; 16]].concat()
    };
    let open = |stanzas: &str| FileOpener::of_file_key(&head(stanzas), &file_key).map(drop);
    let scrypt = format!("-> scrypt {} 10\n{}\n", "A".repeat(22), "A".repeat(43));
    assert!(open(&scrypt).is_ok() && open("-> a b\n\n").is_ok());
    assert_eq!(open(&format!("{scrypt}-> a b\n\n")).unwrap_err().code(), "malformed_header");
    assert_eq!(open(&scrypt.repeat(2)).unwrap_err().code(), "malformed_header");
    // Over 2 MiB, all of which is there.
    let long = head(&format!("-> a b\n{}\n", format!("{}\n", "A".repeat(64)).repeat(33_000)));
    assert_eq!(FileOpener::read_head_len(&long).unwrap_err().code(), "malformed_header");
}

#[test]
fn work_is_counted_and_cancelled() {
    let identity = generate(Kind::X25519);
    let encryptor = Encryptor::new([identity.recipient()]);
    let cancelled = encryptor.clone().cancel_when(|| true).encrypt(&vec![7; 3 * CHUNK_LEN]);
    assert_eq!(cancelled.unwrap_err().code(), "cancelled");
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counter = seen.clone();
    encryptor
        .on_progress(move |progress| _ = counter.fetch_max(progress.done, std::sync::atomic::Ordering::Relaxed))
        .encrypt(&vec![7; 3 * CHUNK_LEN])
        .unwrap();
    assert_eq!(seen.load(std::sync::atomic::Ordering::Relaxed), 3 * CHUNK_LEN as u64);
}
