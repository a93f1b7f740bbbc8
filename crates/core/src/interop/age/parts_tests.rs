use super::super::stream::CHUNK_LEN;
use super::super::{Identity, Recipient};
use super::*;
use crate::Input;
use crate::aead::TAG_LEN;
use crate::format::parts::UNIT_CHUNKS;
use crate::interop::age::{Decryptor, Encryptor, Inspection, inspect, opened_len, sealed_len};

const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;

fn identity() -> Identity {
    crate::Identity::generate(crate::Kind::X25519).unwrap().try_into().unwrap()
}

fn plaintext(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// Encrypts a plaintext in parts of this length.
fn sealed(encryptor: &Encryptor, plaintext: &[u8], part_len: usize) -> Vec<u8> {
    let mut sealer = encryptor.sealer().unwrap();
    let mut file = sealer.head().to_vec();
    let file_len = file.len() as u64 + sealed_len(plaintext.len() as u64).unwrap();
    for part in plaintext.chunks(part_len) {
        let mut rest = part;
        while !rest.is_empty() {
            rest = &rest[sealer.fill(rest)..];
            if let Some(unit) = sealer.take() {
                file.extend(unit.run().unwrap());
            }
        }
    }
    file.extend(sealer.finish().run().unwrap());
    assert_eq!(file.len() as u64, file_len);
    file
}

/// Decrypts a file in parts of this length; returns the released plaintext, and the error behind it.
fn opened(decryptor: &Decryptor, file: &[u8], part_len: usize) -> (Vec<u8>, Option<Error>) {
    let head_len = FileOpener::read_head_len(file).unwrap().unwrap();
    let mut opener = decryptor.opener(&file[..head_len]).unwrap();
    let mut released = Vec::new();
    for part in file[head_len..].chunks(part_len) {
        let mut rest = part;
        while !rest.is_empty() {
            rest = &rest[opener.fill(rest)..];
            if let Some(unit) = opener.take() {
                let (bytes, error) = unit.run();
                released.extend(bytes);
                if error.is_some() {
                    return (released, error);
                }
            }
        }
    }
    let (bytes, error) = opener.finish().run();
    released.extend(bytes);
    (released, error)
}

const LENGTHS: [usize; 12] = [
    0,
    1,
    CHUNK_LEN - 1,
    CHUNK_LEN,
    CHUNK_LEN + 1,
    2 * CHUNK_LEN - 1,
    2 * CHUNK_LEN,
    2 * CHUNK_LEN + 1,
    UNIT_CHUNKS * CHUNK_LEN - 1,
    UNIT_CHUNKS * CHUNK_LEN,
    UNIT_CHUNKS * CHUNK_LEN + 1,
    (2 * UNIT_CHUNKS + 1) * CHUNK_LEN,
];
const PARTS: [usize; 6] = [1 << 30, 1000, CHUNK_LEN, SEALED_CHUNK_LEN, SEALED_CHUNK_LEN + 1, 700_001];

#[test]
fn parts_of_any_length_are_one_file() {
    let identity = identity();
    let (encryptor, decryptor) = (Encryptor::new([identity.recipient()]), Decryptor::new([identity]));
    for len in LENGTHS {
        let plaintext = plaintext(len);
        for part_len in PARTS {
            let file = sealed(&encryptor, &plaintext, part_len);
            assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{len} in {part_len}");
            let (released, error) = opened(&decryptor, &file, part_len);
            assert!(error.is_none() && released == plaintext, "{len} in {part_len}: {error:?}");
            let head_len = FileOpener::read_head_len(&file).unwrap().unwrap();
            assert_eq!(opened_len((file.len() - head_len) as u64).unwrap(), len as u64);
        }
        let own = encryptor.encrypt(&plaintext).unwrap();
        let (released, error) = opened(&decryptor, &own, 12_345);
        assert!(error.is_none() && released == plaintext, "{len}: {error:?}");
    }
}

#[test]
fn a_chunk_is_released_when_the_next_byte_tells_that_it_is_not_the_last() {
    let identity = identity();
    let (encryptor, decryptor) = (Encryptor::new([identity.recipient()]), Decryptor::new([identity]));
    let mut sealer = encryptor.sealer().unwrap();
    assert_eq!(sealer.fill(&vec![7; CHUNK_LEN]), CHUNK_LEN);
    assert!(sealer.take().is_none());
    assert_eq!(sealer.fill(&[7]), 1);
    let chunk = sealer.take().unwrap().run().unwrap();
    assert_eq!(chunk.len(), SEALED_CHUNK_LEN);
    assert!(sealer.take().is_none());

    let mut opener = decryptor.opener(sealer.head()).unwrap();
    assert_eq!(opener.fill(&chunk), SEALED_CHUNK_LEN);
    assert!(opener.take().is_none());
    assert_eq!(opener.fill(&[0]), 1);
    let (released, error) = opener.take().unwrap().run();
    assert!(released == vec![7; CHUNK_LEN] && error.is_none());
    assert!(opener.take().is_none());
}

#[test]
fn nothing_is_released_that_is_not_authentic() {
    let identity = identity();
    let (encryptor, decryptor) = (Encryptor::new([identity.recipient()]), Decryptor::new([identity]));
    let plaintext = plaintext((UNIT_CHUNKS + 3) * CHUNK_LEN + 5);
    let file = encryptor.encrypt(&plaintext).unwrap();
    let head_len = FileOpener::read_head_len(&file).unwrap().unwrap();
    for chunk in [0, 1, UNIT_CHUNKS - 1, UNIT_CHUNKS, UNIT_CHUNKS + 2, UNIT_CHUNKS + 3] {
        for part_len in [1 << 30, SEALED_CHUNK_LEN] {
            let mut changed = file.clone();
            changed[head_len + chunk * SEALED_CHUNK_LEN + 3] ^= 1;
            let (released, error) = opened(&decryptor, &changed, part_len);
            assert!(released == plaintext[..chunk * CHUNK_LEN], "{chunk} in {part_len}: {} bytes", released.len());
            assert!(matches!(error, Some(Error::NotAuthentic { chunk: Some(at) }) if at == chunk as u64), "{error:?}");
        }
    }
}

#[test]
fn an_end_that_is_too_early_or_too_late_is_told_behind_what_is_authentic() {
    let identity = identity();
    let (encryptor, decryptor) = (Encryptor::new([identity.recipient()]), Decryptor::new([identity]));
    let plaintext = plaintext(3 * CHUNK_LEN);
    let file = encryptor.encrypt(&plaintext).unwrap();
    let head_len = FileOpener::read_head_len(&file).unwrap().unwrap();
    let end = |chunks: usize| head_len + chunks * SEALED_CHUNK_LEN;
    for part_len in [1 << 30, SEALED_CHUNK_LEN, 999] {
        for (cut, chunks) in [(end(0), 0), (end(1), 1), (end(2), 2)] {
            let (released, error) = opened(&decryptor, &file[..cut], part_len);
            assert!(released == plaintext[..chunks * CHUNK_LEN]);
            assert_eq!(error.unwrap().code(), "truncated", "{chunks} chunks in {part_len}");
        }
        let (released, error) = opened(&decryptor, &file[..end(2) + 100], part_len);
        assert!(released == plaintext[..2 * CHUNK_LEN]);
        assert_eq!(error.unwrap().code(), "not_authentic");
        for more in [1, SEALED_CHUNK_LEN, 3 * SEALED_CHUNK_LEN] {
            let (released, error) = opened(&decryptor, &[&file[..], &vec![0; more]].concat(), part_len);
            assert!(released == plaintext);
            assert!(matches!(error, Some(Error::NotAuthentic { chunk: Some(3) })), "{error:?}");
        }
    }
    // A last chunk without bytes, behind others.
    let mut sealer = encryptor.sealer().unwrap();
    assert_eq!(sealer.fill(&vec![7; CHUNK_LEN + 1]), CHUNK_LEN + 1);
    let first = sealer.take().unwrap().run().unwrap();
    let mut empty = vec![0; TAG_LEN];
    sealer.chunks.payload().0.seal(1, true, &mut empty).unwrap();
    let (released, error) = opened(&decryptor, &[sealer.head(), &first, &empty].concat(), 1 << 30);
    assert!(released == vec![7; CHUNK_LEN] && matches!(error, Some(Error::NotAuthentic { chunk: Some(1) })));
}

#[test]
fn chunks_are_opened_by_their_number() {
    let identity = identity();
    let (encryptor, decryptor) = (Encryptor::new([identity.recipient()]), Decryptor::new([identity]));
    let plaintext = plaintext(3 * CHUNK_LEN + 9);
    let file = encryptor.encrypt(&plaintext).unwrap();
    let head_len = FileOpener::read_head_len(&file).unwrap().unwrap();
    let (opener, chunks) = (decryptor.opener(&file[..head_len]).unwrap(), &file[head_len..]);
    let middle = opener.open_at(1, &chunks[SEALED_CHUNK_LEN..3 * SEALED_CHUNK_LEN], false).unwrap();
    assert!(middle == plaintext[CHUNK_LEN..3 * CHUNK_LEN]);
    let end = opener.open_at(3, &chunks[3 * SEALED_CHUNK_LEN..], true).unwrap();
    assert!(end == plaintext[3 * CHUNK_LEN..]);
    for (first, is_end) in [(2, true), (3, false)] {
        let error = opener.open_at(first, &chunks[3 * SEALED_CHUNK_LEN..], is_end).unwrap_err();
        assert_eq!(error.code(), "not_authentic");
    }
}

#[test]
fn a_head_may_come_in_parts_and_is_judged_as_a_whole() {
    let identity = identity();
    let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn").unwrap();
    let Inspection { header_len, .. } = inspect(Input::reader(&file[..])).unwrap();
    let header_len = usize::try_from(header_len).unwrap();
    for len in 0..file.len() {
        let expected = (len >= header_len).then_some(header_len + SALT_LEN);
        assert_eq!(FileOpener::read_head_len(&file[..len]).unwrap(), expected, "{len}");
    }
    assert_eq!(FileOpener::read_head_len(b"attack at dawn\n").unwrap_err().code(), "malformed_header");
    let endless = [b"age-encryption.org/v1\n-> X", &vec![b'a'; header::LEN_MAX][..]].concat();
    assert_eq!(FileOpener::read_head_len(&endless).unwrap_err().code(), "malformed_header");
    let decryptor = Decryptor::new([identity]);
    for len in 0..header_len + SALT_LEN {
        assert_eq!(decryptor.opener(&file[..len]).unwrap_err().code(), "truncated", "{len}");
    }
    assert!(decryptor.opener(&file[..header_len + SALT_LEN]).is_ok());
}

#[test]
fn stanzas_of_the_callers_own_stand_beside_those_of_known_types() {
    let identity = identity();
    let file_key = random::array().unwrap();
    let own = Stanza::new("example.com/own", ["one"], vec![7; 100]).unwrap();
    let known = identity.recipient().wrap_file_key(&file_key).unwrap();
    let mut sealer = FileSealer::of_stanzas(&[std::slice::from_ref(&own), &known[..]].concat(), &file_key).unwrap();
    let mut file = sealer.head().to_vec();
    assert_eq!(sealer.fill(b"attack at dawn"), 14);
    file.extend(sealer.finish().run().unwrap());
    let decryptor = Decryptor::new([identity]);
    assert_eq!(decryptor.decrypt(&file).unwrap(), b"attack at dawn");
    let head = &file[..FileOpener::read_head_len(&file).unwrap().unwrap()];
    assert_eq!(*decryptor.file_key(head).unwrap(), file_key);
    // The same for a header without a payload.
    assert_eq!(*decryptor.file_key(&head[..head.len() - SALT_LEN]).unwrap(), file_key);
    assert_eq!(inspect(Input::reader(&file[..])).unwrap().stanzas[0], own);
    let opener = FileOpener::of_file_key(head, &file_key).unwrap();
    assert_eq!(opener.open_at(0, &file[head.len()..], true).unwrap(), b"attack at dawn");
    let wrong = FileOpener::of_file_key(head, &[0; 16]).unwrap_err();
    assert_eq!(wrong.code(), "header_not_authentic");
    assert_eq!(FileSealer::of_stanzas(&[], &file_key).unwrap_err().code(), "invalid_recipients");
    let other = crate::Identity::generate(crate::Kind::Hybrid).unwrap().recipient();
    let hybrid = Recipient::try_from(other).unwrap().wrap_file_key(&file_key).unwrap();
    let known = decryptor.identities[0].recipient().wrap_file_key(&file_key).unwrap();
    assert_eq!(FileSealer::of_stanzas(&[hybrid, known].concat(), &file_key).unwrap_err().code(), "mixed_recipients");
}
