use super::*;
use crate::aead::Aead;
use crate::chunked::ChunkedKey;
use crate::key::{Identity, Kind};
use crate::{Decryptor, Encryptor, Suite};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn encrypt_in_units(encryptor: &Encryptor, plaintext: &[u8], unit_chunks: usize) -> Vec<u8> {
    let mut sealer = encryptor.sealer().unwrap();
    let mut file = sealer.head().to_vec();
    let at = file.len();
    file.resize(usize::try_from(sealer.file_len(plaintext.len() as u64).unwrap()).unwrap(), 0);
    for (place, chunk) in file[at..].chunks_mut(SEALED_CHUNK_LEN).zip(plaintext.chunks(CHUNK_LEN)) {
        place[..chunk.len()].copy_from_slice(chunk);
    }
    let units: Vec<_> = file[at..]
        .chunks_mut(unit_chunks * SEALED_CHUNK_LEN)
        .map(|places| (sealer.unit(places.len()), places))
        .collect();
    for (unit, places) in units.into_iter().rev() {
        unit.seal(places).unwrap();
    }
    file
}

#[test]
fn units_in_any_order_make_the_file_that_a_decryptor_opens() {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let encryptor = Encryptor::new([identity.recipient()]);
    let decryptor = Decryptor::new([identity]);
    for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 2 * CHUNK_LEN, 5 * CHUNK_LEN + 7] {
        let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
        for unit_chunks in [1, 2, 3, 100] {
            let mut file = encrypt_in_units(&encryptor, &plaintext, unit_chunks);
            assert_eq!(decryptor.decrypt(&file).unwrap(), plaintext, "{len} bytes, units of {unit_chunks}");
            let opener = decryptor.opener(&file).unwrap();
            let chunks = &mut file[opener.head_len()..];
            assert_eq!(opener.plaintext_len(chunks.len() as u64).unwrap(), len as u64);
            for (i, places) in chunks.chunks_mut(unit_chunks * SEALED_CHUNK_LEN).enumerate().rev() {
                opener.open((i * unit_chunks) as u64, places).unwrap();
            }
            let found = chunks.chunks(SEALED_CHUNK_LEN).flat_map(|place| &place[..place.len() - TAG_LEN]);
            assert!(found.eq(&plaintext));
        }
    }
}

#[test]
fn the_lowest_chunk_that_fails_is_named_and_cleared() {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let mut file = Encryptor::new([identity.recipient()]).encrypt(&vec![7; 4 * CHUNK_LEN]).unwrap();
    let opener = Decryptor::new([identity]).opener(&file).unwrap();
    let chunks = &mut file[opener.head_len()..];
    chunks[2 * SEALED_CHUNK_LEN] ^= 1;
    chunks[3 * SEALED_CHUNK_LEN] ^= 1;
    let error = opener.open(1, &mut chunks[SEALED_CHUNK_LEN..]).unwrap_err();
    assert!(matches!(error, Error::NotAuthentic { chunk: Some(2) }), "{error}");
    assert_eq!(chunks[2 * SEALED_CHUNK_LEN..3 * SEALED_CHUNK_LEN], vec![0; SEALED_CHUNK_LEN]);
    assert_eq!(chunks[SEALED_CHUNK_LEN..][..CHUNK_LEN], [7; CHUNK_LEN]);
}

#[test]
fn a_last_chunk_without_a_whole_tag_is_truncated() {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let file = Encryptor::new([identity.recipient()]).encrypt(b"").unwrap();
    let opener = Decryptor::new([identity]).opener(&file).unwrap();
    assert_eq!(opener.open(0, &mut [0; 15]).unwrap_err().code(), "truncated");
    assert_eq!(opener.plaintext_len(15).unwrap_err().code(), "truncated");
    assert_eq!(FileOpener::read_head_len(&file[..15]).unwrap_err().code(), "truncated");
}

#[test]
#[should_panic(expected = "parts: there is no unit after the last")]
fn no_chunk_is_given_out_after_the_last() {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let mut sealer = Encryptor::new([identity.recipient()]).sealer().unwrap();
    _ = sealer.unit(16);
    _ = sealer.unit(16);
}

#[test]
fn a_unit_of_another_length_is_refused() {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let mut sealer = Encryptor::new([identity.recipient()]).sealer().unwrap();
    assert_eq!(sealer.unit(17).seal(&mut [0; 16]).unwrap_err().code(), "wrong_length");
}

/// Lengths of plaintexts around what a chunk, a unit and one thread have.
const LENGTHS: &[usize] = &[
    0,
    1,
    CHUNK_LEN - 1,
    CHUNK_LEN,
    CHUNK_LEN + 1,
    UNIT_CHUNKS * CHUNK_LEN - 1,
    UNIT_CHUNKS * CHUNK_LEN,
    UNIT_CHUNKS * CHUNK_LEN + 1,
    5 * UNIT_CHUNKS * CHUNK_LEN,
    (1 << 20) + 12_345,
];

fn pattern(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn pair() -> (Encryptor, Decryptor) {
    let identity = Identity::generate(Kind::X25519).unwrap();
    (Encryptor::new([identity.recipient()]), Decryptor::new([identity]))
}

#[test]
fn all_at_once_gives_the_same_in_every_way() {
    let (encryptor, decryptor) = pair();
    for &len in LENGTHS {
        let plaintext = pattern(len);
        for threads in [1, 3] {
            let sealer = encryptor.sealer().unwrap().threads(threads);
            let mut file = vec![9; usize::try_from(sealer.file_len(len as u64).unwrap()).unwrap()];
            sealer.seal_into(&plaintext, &mut file).unwrap();

            let opener = decryptor.opener(&file).unwrap().threads(threads);
            let mut released = vec![9; len];
            opener.open_into(&file, &mut released).unwrap();
            assert!(released == plaintext, "{len} bytes");
            assert!(decryptor.clone().threads(threads).decrypt_in_place(file).unwrap() == plaintext, "{len} bytes");
        }
    }
}

/// Encrypts parts that are placed in memory of the file; the units are sealed when all are there, the last one first.
fn place_and_seal(mut sealer: FileSealer, plaintext: &[u8], part_len: usize) -> Vec<u8> {
    let mut file = vec![9; usize::try_from(sealer.file_len(plaintext.len() as u64).unwrap()).unwrap()];
    let (mut units, mut at) = (Vec::new(), 0);
    for part in plaintext.chunks(part_len).chain(plaintext.is_empty().then_some(&[][..])) {
        if let Some((unit, place)) = sealer.place(part, &mut file[at..]).unwrap() {
            units.push((unit, at + place.start..at + place.end));
            at += place.end;
        }
    }
    assert_eq!(at, file.len());
    for (unit, place) in units.into_iter().rev() {
        unit.seal(&mut file[place]).unwrap();
    }
    file
}

/// Decrypts parts that are placed in memory of the plaintext, in the same way.
fn place_and_open(mut opener: FileOpener, chunks: &[u8], part_len: usize) -> Result<Vec<u8>> {
    let mut plaintext = vec![9; usize::try_from(opener.plaintext_len(chunks.len() as u64)?).unwrap()];
    let (mut units, mut at) = (Vec::new(), 0);
    for part in chunks.chunks(part_len) {
        if let Some((unit, place)) = opener.place(part, &mut plaintext[at..])? {
            units.push((unit, at + place.start..at + place.end));
            at += place.end;
        }
    }
    assert_eq!(at, plaintext.len());
    let last: Vec<bool> = units.iter().map(|(unit, _)| unit.is_last()).collect();
    assert!(last.ends_with(&[true]) && !last[..last.len() - 1].contains(&true));
    for (unit, place) in units.into_iter().rev() {
        unit.open(&mut plaintext[place.clone()])
            .inspect_err(|_| assert!(plaintext[place].iter().all(|&byte| byte == 0)))?;
    }
    Ok(plaintext)
}

#[test]
fn parts_in_their_places_give_the_same_as_all_at_once() {
    let (encryptor, decryptor) = pair();
    for &len in LENGTHS {
        let plaintext = pattern(len);
        for part_len in [1000, CHUNK_LEN, SEALED_CHUNK_LEN, 100_000, 1 << 20] {
            let file = place_and_seal(encryptor.sealer().unwrap(), &plaintext, part_len);
            assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{len} bytes, {part_len}");
            let opener = decryptor.opener(&file).unwrap();
            let chunks = &file[opener.head_len()..];
            assert!(place_and_open(opener, chunks, part_len).unwrap() == plaintext, "{len} bytes, {part_len}");
        }
    }
}

#[test]
fn places_that_are_damaged_or_too_short_are_refused() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(&pattern(3 * CHUNK_LEN + 5)).unwrap();
    let head_len = decryptor.opener(&file).unwrap().head_len();
    let chunks = &file[head_len..];
    for at in [0, CHUNK_LEN - 1, CHUNK_LEN, SEALED_CHUNK_LEN - 1, SEALED_CHUNK_LEN, chunks.len() - 17, chunks.len() - 1]
    {
        let mut chunks = chunks.to_vec();
        chunks[at] ^= 1;
        for part_len in [100, 1 << 20] {
            let error = place_and_open(decryptor.opener(&file).unwrap(), &chunks, part_len).unwrap_err();
            let chunk = Some((at / SEALED_CHUNK_LEN) as u64);
            assert!(matches!(error, Error::NotAuthentic { chunk: found } if found == chunk), "{at}: {error:?}");
        }
    }
    // Cut after a whole chunk, it has the length of a plaintext only with the tag of a last one.
    for cut in [0, SEALED_CHUNK_LEN, 2 * SEALED_CHUNK_LEN] {
        assert!(place_and_open(decryptor.opener(&file).unwrap(), &chunks[..cut], 1000).is_err(), "{cut}");
        let error = place_and_open(decryptor.opener(&file).unwrap(), &chunks[..cut + 16], 1000).unwrap_err();
        assert_eq!(error.code(), "not_authentic", "{cut}");
    }
    let mut opener = decryptor.opener(&file).unwrap();
    let error = opener.place(chunks, &mut vec![0; 3 * CHUNK_LEN]).unwrap_err();
    assert_eq!(error.code(), "wrong_length");
    for len in [0, head_len - 1, head_len, head_len + 99] {
        let error = encryptor.sealer().unwrap().place(&[7; 100], &mut vec![0; len]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { actual, .. } if actual == len), "{error:?}");
    }
}

#[test]
fn units_of_a_stream_run_in_any_order() {
    let (encryptor, decryptor) = pair();
    for &len in LENGTHS {
        let plaintext = pattern(len);
        let mut sealer = encryptor.sealer().unwrap();
        let (mut work, mut rest) = (Vec::new(), &plaintext[..]);
        while !rest.is_empty() {
            rest = &rest[sealer.fill(rest)..];
            work.extend(sealer.take());
        }
        let mut file = sealer.head().to_vec();
        let file_len = sealer.file_len(len as u64).unwrap();
        work.push(sealer.finish());
        for part in backwards(work, |work| work.run().unwrap()) {
            file.extend(part);
        }
        assert_eq!(file.len() as u64, file_len);

        let mut opener = decryptor.opener(&file).unwrap();
        let (mut work, mut rest) = (Vec::new(), &file[opener.head_len()..]);
        while !rest.is_empty() {
            rest = &rest[opener.fill(rest)..];
            work.extend(opener.take());
        }
        work.push(opener.finish());
        let released = backwards(work, OpenWork::run);
        assert!(released.iter().all(|(_, failure)| failure.is_none()));
        assert!(released.into_iter().flat_map(|(bytes, _)| bytes).eq(plaintext), "{len} bytes");
    }
}

/// Runs the last unit first; the results are in their order.
fn backwards<W, R>(work: Vec<W>, run: impl Fn(W) -> R) -> Vec<R> {
    let mut results: Vec<R> = work.into_iter().rev().map(run).collect();
    results.reverse();
    results
}

#[test]
fn the_lowest_failure_is_the_one_and_the_memory_is_zeroed() {
    let (encryptor, decryptor) = pair();
    let mut file = encryptor.encrypt(&vec![7; 100 * CHUNK_LEN]).unwrap();
    for threads in [1, 3] {
        let opener = decryptor.opener(&file).unwrap().threads(threads);
        for chunk in [90, 50, 33] {
            file[opener.head_len() + chunk * SEALED_CHUNK_LEN] ^= 1;
            let mut plaintext = vec![9; 100 * CHUNK_LEN];
            let error = opener.open_into(&file, &mut plaintext).unwrap_err();
            assert!(matches!(error, Error::NotAuthentic { chunk: Some(found) } if found == chunk as u64), "{error:?}");
            assert!(plaintext.iter().all(|byte| *byte == 0));
            let error = decryptor.clone().threads(threads).decrypt_in_place(file.clone()).unwrap_err();
            assert!(matches!(error, Error::NotAuthentic { chunk: Some(found) } if found == chunk as u64), "{error:?}");
        }
        for chunk in [90, 50, 33] {
            file[opener.head_len() + chunk * SEALED_CHUNK_LEN] ^= 1;
        }
    }
}

#[test]
fn memory_of_another_length_is_refused() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(b"attack at dawn").unwrap();
    for len in [file.len() - 1, file.len() + 1] {
        let error = encryptor.sealer().unwrap().seal_into(b"attack at dawn", &mut vec![0; len]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { actual, .. } if actual == len), "{error:?}");
    }
    for len in [0, 13, 15] {
        let error = decryptor.opener(&file).unwrap().open_into(&file, &mut vec![0; len]).unwrap_err();
        assert!(matches!(error, Error::WrongLength { expected: 14, actual, .. } if actual == len), "{error:?}");
    }
}

#[test]
fn work_in_memory_is_watched_and_ended() {
    let (encryptor, decryptor) = pair();
    let plaintext = pattern(2_000_000);
    let seen = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&seen);
    let encryptor = encryptor.on_progress(move |progress| {
        assert_eq!(progress.total, Some(2_000_000));
        counter.fetch_max(progress.done, Ordering::Relaxed);
    });
    let mut file = vec![9; usize::try_from(encryptor.sealer().unwrap().file_len(2_000_000).unwrap()).unwrap()];
    encryptor.sealer().unwrap().seal_into(&plaintext, &mut file).unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 2_000_000);

    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    let looks = AtomicU64::new(0);
    let decryptor =
        decryptor.cancel_when(move || looks.fetch_add(1, Ordering::Relaxed) > 2 || flag.load(Ordering::Relaxed));
    let mut released = vec![9; plaintext.len()];
    let error = decryptor.opener(&file).unwrap().open_into(&file, &mut released).unwrap_err();
    assert_eq!((error.code(), released), ("cancelled", vec![0; plaintext.len()]));
    ended.store(true, Ordering::Relaxed);
    assert_eq!(decryptor.decrypt_in_place(file.clone()).unwrap_err().code(), "cancelled");
    let error = encryptor.cancel_when(|| true).sealer().unwrap().seal_into(&plaintext, &mut file).unwrap_err();
    assert_eq!((error.code(), &file), ("cancelled", &vec![0; file.len()]));
}

#[test]
fn a_batch_has_each_result_in_its_place() {
    let (encryptor, decryptor) = pair();
    let plaintexts: Vec<Vec<u8>> = (0..50).map(pattern).collect();
    let mut files = encryptor.encrypt_batch(plaintexts.iter().map(|one| &one[..])).unwrap();
    let files: Vec<Vec<u8>> = files.drain(..).map(Result::unwrap).collect();
    let mut damaged = files.clone();
    *damaged[7].last_mut().unwrap() ^= 1;
    for (i, released) in decryptor.decrypt_batch(damaged.iter().map(|one| &one[..])).unwrap().into_iter().enumerate() {
        match released {
            Ok(plaintext) => assert_eq!(plaintext, plaintexts[i]),
            Err(error) => assert_eq!((i, error.code()), (7, "not_authentic")),
        }
    }
    assert_eq!(Encryptor::new([]).encrypt_batch([&b"x"[..]]).unwrap_err().code(), "invalid_recipients");
    let cancelled = decryptor.cancel_when(|| true).decrypt_batch(files.iter().map(|one| &one[..]));
    assert_eq!(cancelled.unwrap_err().code(), "cancelled");
}

#[test]
fn an_opener_that_failed_opens_nothing_more() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(&vec![1; 2 * CHUNK_LEN + 10]).unwrap();
    let mut opener = decryptor.opener(&file).unwrap();
    let chunks = &file[opener.head_len()..];
    let mut damaged = chunks[..SEALED_CHUNK_LEN].to_vec();
    damaged[0] ^= 1;
    assert_eq!(opener.fill(&damaged), SEALED_CHUNK_LEN);
    let (released, failure) = opener.flush().unwrap().run();
    assert!(released.is_empty());
    assert!(matches!(failure, Some(Error::NotAuthentic { chunk: Some(0) })), "{failure:?}");
    // "Up to the first failure": a caller who overlooks the error must not get a good end.
    assert_eq!(opener.fill(&chunks[SEALED_CHUNK_LEN..]), chunks.len() - SEALED_CHUNK_LEN);
    let (released, failure) = opener.finish().run();
    assert!(released.is_empty());
    assert!(matches!(failure, Some(Error::NotAuthentic { chunk: Some(0) })), "{failure:?}");
}

#[test]
fn a_stream_without_its_last_chunk_gives_the_others_and_is_truncated() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(&vec![1; 2 * CHUNK_LEN + 10]).unwrap();
    for rest in [0, 15] {
        let mut opener = decryptor.opener(&file).unwrap();
        let chunks = &file[opener.head_len()..][..2 * SEALED_CHUNK_LEN + rest];
        assert_eq!(opener.fill(chunks), chunks.len());
        let (released, failure) = opener.finish().run();
        assert_eq!((released.len(), failure.unwrap().code()), (2 * CHUNK_LEN, "truncated"));
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(48))]

    #[test]
    fn any_split_of_a_stream_gives_the_same(
        len in prop_oneof![0usize..100, 16_300usize..16_500, 32_700usize..33_000, 0usize..600_000],
        writes in proptest::collection::vec(0usize..400_000, 1..12),
        reads in proptest::collection::vec(0usize..400_000, 1..12),
        flushes in any::<bool>(),
    ) {
        let plaintext = pattern(len);
        let key = ChunkedKey::new(Suite::ChaCha20Poly1305, &[7; 32]).unwrap();
        let mut sealer = key.sealer(b"context").unwrap();
        let mut sealed = sealer.head().to_vec();
        for mut piece in split(&plaintext, &writes) {
            while !piece.is_empty() {
                piece = &piece[sealer.fill(piece)..];
                if let Some(work) = sealer.take() {
                    sealed.extend(work.run().unwrap());
                }
            }
        }
        sealed.extend(sealer.finish().run().unwrap());
        prop_assert_eq!(sealed.len() as u64, HEAD_LEN as u64 + sealed_len(len as u64).unwrap());
        prop_assert!(key.decrypt(b"context", &sealed).unwrap() == plaintext);

        let mut opener = key.opener(b"context", &sealed).unwrap();
        let mut released = Vec::new();
        for mut piece in split(&sealed[HEAD_LEN..], &reads) {
            while !piece.is_empty() {
                piece = &piece[opener.fill(piece)..];
                let work = if flushes { opener.flush() } else { opener.take() };
                if let Some((bytes, failure)) = work.map(OpenWork::run) {
                    prop_assert!(failure.is_none());
                    released.extend(bytes);
                }
            }
            prop_assert!(released[..] == plaintext[..released.len()]);
        }
        let (bytes, failure) = opener.finish().run();
        prop_assert!(failure.is_none());
        released.extend(bytes);
        prop_assert!(released == plaintext);
    }
}

/// Pieces of these lengths, and the rest.
fn split<'a>(mut bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for len in lengths {
        let (now, rest) = bytes.split_at(bytes.len().min(*len));
        pieces.push(now);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

#[cfg(feature = "gm")]
#[test]
fn a_host_with_the_key_and_the_nonces_seals_the_same_and_opens_it() {
    let key = Identity::generate(Kind::Key).unwrap();
    for suite in [Suite::Aes256Gcm, Suite::ChaCha20Poly1305, Suite::Sm4Gcm] {
        let encryptor = Encryptor::new([key.recipient()]).suite(suite);
        for &len in LENGTHS {
            let plaintext = pattern(len);
            let mut sealer = encryptor.sealer().unwrap();
            let (algorithm, chunk_key) = sealer.chunk_key();
            assert_eq!(algorithm, suite.algorithm());
            let host = Aead::new(algorithm, chunk_key).unwrap();
            let mut file = sealer.head().to_vec();
            let mut rest = &plaintext[..];
            // Whole chunks in units of three, as what became whole of parts, and then the end.
            while rest.len() >= CHUNK_LEN {
                let unit = (rest.len() / CHUNK_LEN).min(3);
                let nonces = sealer.unit(unit * SEALED_CHUNK_LEN).nonces().unwrap();
                assert_eq!(nonces.len(), unit);
                for nonce in nonces {
                    let (chunk, later) = rest.split_at(CHUNK_LEN);
                    file.extend(host.seal(&nonce, b"", chunk).unwrap());
                    rest = later;
                }
            }
            let [nonce] = sealer.unit(rest.len() + TAG_LEN).nonces().unwrap()[..] else {
                panic!("one chunk is the last")
            };
            file.extend(host.seal(&nonce, b"", rest).unwrap());

            let decryptor = Decryptor::new([key.clone()]);
            assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{suite}, {len} bytes");
            let opener = decryptor.opener(&file).unwrap();
            assert_eq!(opener.chunk_key(), sealer.chunk_key());
            let chunks = &file[opener.head_len()..];
            let nonces = opener.nonces(0, chunks.len()).unwrap();
            let pairs = chunks.chunks(SEALED_CHUNK_LEN).zip(nonces);
            let found: Vec<u8> = pairs.flat_map(|(chunk, nonce)| host.open(&nonce, b"", chunk).unwrap()).collect();
            assert!(found == plaintext, "{suite}, {len} bytes");
        }
    }
}

#[test]
#[should_panic(expected = "parts: there is no unit after the last")]
fn nonces_are_given_out_once() {
    let (encryptor, _) = pair();
    let mut sealer = encryptor.sealer().unwrap();
    let first = sealer.unit(SEALED_CHUNK_LEN).nonces().unwrap();
    assert_ne!(first, sealer.unit(17).nonces().unwrap());
    _ = sealer.unit(17).nonces();
}

#[test]
fn nonces_end_where_a_file_does() {
    let (encryptor, decryptor) = pair();
    let mut sealer = encryptor.sealer().unwrap();
    sealer.chunks.claim((1 << 38) - 1, false);
    assert_eq!(sealer.unit(SEALED_CHUNK_LEN).nonces().unwrap().len(), 1);
    assert_eq!(sealer.unit(16).nonces().unwrap_err().code(), "too_long");
    let opener = decryptor.opener(&encryptor.encrypt(b"").unwrap()).unwrap();
    assert_eq!(opener.nonces(0, SEALED_CHUNK_LEN + 15).unwrap_err().code(), "truncated");
    assert_eq!(opener.nonces(1 << 38, 16).unwrap_err().code(), "too_long");
    assert_eq!(opener.nonces(u64::MAX, 16).unwrap_err().code(), "too_long");
    assert_eq!(opener.nonces(0, 0).unwrap(), [[0; NONCE_LEN]; 0]);
}
