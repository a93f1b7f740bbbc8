//! Properties of whole files: every split gives the same, every damage is refused, the lowest failing chunk is named, and
//! whatever the caller's own code does, an operation ends.

#[path = "support/cases.rs"]
mod cases;
mod support;

use proptest::prelude::*;
use sealstone::{Decryptor, Encryptor, Error, Identity, Input, Kind, Output, Suite, SymmetricKey, inspect};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use support::{Pieces, Takes, chance, decryptor, encryptor, names, pattern};

const CHUNK_LEN: usize = 16_384;
const SEALED_CHUNK_LEN: usize = 16_400;
/// Prefix and area length, one `key` stanza, MAC: what `support::encryptor` writes before the payload.
const HEADER_LEN: usize = 16 + 4 + 72 + 32;
/// Salt and commitment.
const HEAD_LEN: usize = 56;
/// A plaintext of three chunks, the last of them short.
const THREE_CHUNKS: usize = 2 * CHUNK_LEN + 100;

proptest! {
    #![proptest_config(cases::cases(40))]

    #[test]
    fn any_split_of_reads_and_writes_gives_the_same(
        len in prop_oneof![0usize..200, 16_380usize..16_390, 262_140usize..262_150, 0usize..700_000],
        reads in proptest::collection::vec(1usize..100_000, 1..6),
        writes in proptest::collection::vec(1usize..100_000, 1..6),
        threads in 0usize..5,
        armour: bool,
    ) {
        let plaintext = pattern(len);
        let mut sealed = Vec::new();
        let encryptor = encryptor().threads(threads).armour(armour);
        let reader = Pieces::new(&plaintext, &reads);
        let summary = encryptor.encrypt_stream(reader, Takes::new(&mut sealed, &writes)).unwrap();
        prop_assert_eq!(summary.plaintext, len as u64);
        prop_assert!(armour || summary.ciphertext == sealed.len() as u64);
        let decryptor = decryptor().threads(threads);
        prop_assert!(decryptor.decrypt(&sealed).unwrap() == plaintext);
        let mut opened = Vec::new();
        let reader = Pieces::new(&sealed, &writes);
        let again = decryptor.decrypt_stream(reader, Takes::new(&mut opened, &reads)).unwrap();
        prop_assert!(opened == plaintext);
        prop_assert_eq!(again, summary);
        let seen = inspect(Input::reader(Pieces::new(&sealed, &reads))).unwrap();
        prop_assert_eq!(seen.plaintext_len, len as u64);
        prop_assert_eq!(seen.file_len(), summary.ciphertext);
        prop_assert_eq!(seen.armoured, armour);
    }

    #[test]
    fn any_range_is_the_slice(
        len in prop_oneof![0usize..200, 16_380usize..16_390, 32_760usize..32_776, 0usize..400_000],
        start in 0.0f64..1.05,
        part in prop_oneof![Just(0.0f64), 0.0f64..0.1, 0.0f64..1.2],
        threads in 1usize..4,
        armour: bool,
    ) {
        let plaintext = pattern(len);
        let sealed = encryptor().encrypt(&plaintext).unwrap();
        let (start, end) = scaled(len, start, part);
        let decryptor = decryptor().threads(threads);
        let text = encryptor().armour(true).encrypt(&plaintext).unwrap();
        let given = if armour { &text } else { &sealed };
        let result = decryptor.decrypt_range(given, start as u64..end as u64);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sealed");
        std::fs::write(&path, &sealed).unwrap();
        let mut written = Vec::new();
        let input = Input::open(&path).unwrap();
        let streamed = decryptor.decrypt_range_to(input, start as u64..end as u64, Output::writer(&mut written));
        if start > len {
            prop_assert_eq!(result.unwrap_err().code(), "range_out_of_bounds");
            prop_assert_eq!(streamed.unwrap_err().code(), "range_out_of_bounds");
        } else {
            let slice = &plaintext[start..end.min(len)];
            prop_assert!(result.unwrap() == slice);
            prop_assert_eq!(streamed.unwrap(), slice.len() as u64);
            prop_assert!(written == slice);
        }
    }

}

proptest! {
    #![proptest_config(cases::cases(15))]

    #[test]
    fn the_lowest_failing_chunk_is_named_and_all_before_it_is_released(
        len in 600_000usize..1_500_000,
        damaged in proptest::collection::vec((0.0f64..1.0, 0usize..SEALED_CHUNK_LEN), 1..5),
    ) {
        let plaintext = pattern(len);
        let mut sealed = encryptor().encrypt(&plaintext).unwrap();
        let chunks = len / CHUNK_LEN + 1;
        let mut lowest = usize::MAX;
        for (place, byte) in damaged {
            let chunk = scaled(chunks - 1, place, 0.0).0;
            let from = HEADER_LEN + HEAD_LEN + chunk * SEALED_CHUNK_LEN;
            let end = sealed.len().min(from + SEALED_CHUNK_LEN);
            sealed[from + byte % (end - from)] ^= 0x10;
            lowest = lowest.min(chunk);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sealed");
        std::fs::write(&path, &sealed).unwrap();
        let expected = Some(lowest as u64);
        // Flipping a bit twice repairs it: then nothing is damaged, or another chunk is the lowest.
        prop_assume!(failed_chunk(decryptor().threads(1).decrypt(&sealed)) == expected);
        for threads in [1, 2, 3, 8] {
            let decryptor = decryptor().threads(threads);
            prop_assert_eq!(failed_chunk(decryptor.decrypt(&sealed)), expected);
            let result = decryptor.decrypt_file(&path, folder.path().join("plaintext"));
            prop_assert_eq!(failed_chunk(result), expected);
            prop_assert_eq!(names(folder.path()), ["sealed"]);
            prop_assert_eq!(failed_chunk(decryptor.verify(Input::open(&path).unwrap())), expected);
            for seekable in [true, false] {
                let mut written = Vec::new();
                let input = if seekable { Input::open(&path).unwrap() } else { Input::reader(&sealed[..]) };
                let result = decryptor.decrypt_to(input, Output::writer(&mut written));
                prop_assert_eq!(failed_chunk(result), expected);
                prop_assert!(written == plaintext[..lowest * CHUNK_LEN]);
            }
        }
    }
}

/// `start` and `start + part` of a length, which may lie past it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn scaled(len: usize, start: f64, part: f64) -> (usize, usize) {
    let start = (len as f64 * start).round() as usize;
    (start, start + (len as f64 * part).round() as usize)
}

/// The index in a `not_authentic`; `None` for any other outcome.
fn failed_chunk<T>(result: sealstone::Result<T>) -> Option<u64> {
    result.err().and_then(|error| if let Error::NotAuthentic { chunk } = error { chunk } else { None })
}

/// Every bit of the header and of the payload's head; of each chunk every bit of the first and last 64 bytes, tag
/// included, and one bit of every sixteenth byte between. With `SEALSTONE_EXHAUSTIVE=1` every bit of the file.
#[test]
fn every_flipped_bit_of_a_three_chunk_file_is_refused() {
    let exhaustive = chance::exhaustive();
    let plaintext = pattern(THREE_CHUNKS);
    let mut total = 0;
    for suite in Suite::ALL {
        let mut sealed = encryptor().suite(suite).encrypt(&plaintext).unwrap();
        let decryptor = decryptor();
        assert_eq!(sealed.len(), HEADER_LEN + HEAD_LEN + THREE_CHUNKS + 3 * 16);
        let mut ran = 0;
        for at in 0..sealed.len() {
            let in_chunk = at.checked_sub(HEADER_LEN + HEAD_LEN).map(|at| at % SEALED_CHUNK_LEN);
            let all = in_chunk.is_none_or(|at| !(64..SEALED_CHUNK_LEN - 64).contains(&at))
                || at >= sealed.len() - 64
                || exhaustive;
            // Otherwise a bit that looks random and is the same at every run.
            for bit in (0..8).filter(|bit| all || (at % 16 == 5 && *bit == at * 5 / 16 % 8)) {
                sealed[at] ^= 1 << bit;
                let error = decryptor.decrypt(&sealed).expect_err("a flipped bit");
                let chunk = at.checked_sub(HEADER_LEN + HEAD_LEN).map(|at| (at / SEALED_CHUNK_LEN) as u64);
                match (at, &error) {
                    (0..8, Error::NotSealstone(_))
                    | (8, Error::UnsupportedVersion(_))
                    | (9, Error::UnsupportedSuite(_) | Error::NoMatchingIdentity)
                    | (10, Error::MalformedHeader(_))
                    | (11, Error::MalformedHeader(_) | Error::ContextRequired)
                    | (12..16, Error::MalformedHeader(_) | Error::Truncated(_))
                    | (16..20, Error::MalformedHeader(_) | Error::NoMatchingIdentity)
                    | (20..92, Error::NoMatchingIdentity)
                    | (92..HEADER_LEN, Error::HeaderNotAuthentic) => {}
                    (_, Error::NotAuthentic { chunk: named }) if at >= HEADER_LEN && *named == chunk => {}
                    _ => panic!("{suite}: byte {at}, bit {bit}: {error:?}"),
                }
                sealed[at] ^= 1 << bit;
                ran += 1;
            }
        }
        assert!(decryptor.decrypt(&sealed).unwrap() == plaintext, "every bit was put back");
        println!("{suite}: {ran} flips of {} bits", sealed.len() * 8);
        assert!(ran >= 6000);
        total += ran;
    }
    println!("{total} flips");
    assert!(!exhaustive || total == Suite::ALL.len() * 8 * (HEADER_LEN + HEAD_LEN + THREE_CHUNKS + 3 * 16));
}

/// Of a file of two chunks; with `SEALSTONE_EXHAUSTIVE=1` of three.
#[test]
fn every_truncation_is_refused() {
    let plaintext = pattern(if chance::exhaustive() { THREE_CHUNKS } else { CHUNK_LEN + 100 });
    let sealed = encryptor().encrypt(&plaintext).unwrap();
    let decryptor = decryptor().threads(1);
    let mut ran = 0;
    for len in 0..sealed.len() {
        let error = decryptor.decrypt(&sealed[..len]).expect_err("a truncated file");
        let expected = match len.checked_sub(HEADER_LEN + HEAD_LEN) {
            None if len < 8 => "not_sealstone",
            None => "truncated",
            Some(payload) if payload % SEALED_CHUNK_LEN < 16 => "truncated",
            Some(_) => "not_authentic",
        };
        assert_eq!(error.code(), expected, "{len} bytes");
        ran += 1;
    }
    println!("{ran} lengths");
    assert!(ran >= 16_000);
}

#[test]
fn every_truncation_of_a_stream_is_refused_and_releases_whole_chunks_only() {
    let plaintext = pattern(THREE_CHUNKS);
    let sealed = encryptor().encrypt(&plaintext).unwrap();
    let decryptor = decryptor().threads(1);
    let mut ran = 0;
    for len in (0..sealed.len()).filter(|len| len % 199 == 0 || (len + 60) % SEALED_CHUNK_LEN < 300) {
        let mut written = Vec::new();
        let error = decryptor.decrypt_stream(&sealed[..len], &mut written).expect_err("a truncated file");
        assert!(["not_sealstone", "truncated", "not_authentic"].contains(&error.code()), "{len} bytes: {error:?}");
        let whole = len.saturating_sub(HEADER_LEN + HEAD_LEN) / SEALED_CHUNK_LEN;
        assert!(written == plaintext[..whole * CHUNK_LEN], "{len} bytes: released {}", written.len());
        ran += 1;
    }
    assert!(ran >= 800, "only {ran} lengths");
}

#[test]
fn bytes_behind_the_end_are_refused() {
    let sealed = encryptor().encrypt(&pattern(THREE_CHUNKS)).unwrap();
    for extra in [1, 15, 16, 17, 100, SEALED_CHUNK_LEN - 116, SEALED_CHUNK_LEN, 2 * SEALED_CHUNK_LEN + 5] {
        let longer = [&sealed[..], &vec![0; extra]].concat();
        let error = decryptor().decrypt(&longer).unwrap_err();
        assert!(["truncated", "not_authentic"].contains(&error.code()), "{extra}: {error:?}");
    }
}

#[test]
fn no_number_of_threads_is_refused() {
    let plaintext = pattern(1_500_000);
    for threads in [0, 1, 2, 64] {
        let sealed = encryptor().threads(threads).encrypt(&plaintext).unwrap();
        let mut opened = Vec::new();
        decryptor().threads(threads).decrypt_stream(&sealed[..], &mut opened).unwrap();
        assert!(opened == plaintext, "{threads} threads");
        assert!(decryptor().threads(threads).decrypt(&sealed).unwrap() == plaintext, "{threads} threads");
    }
}

#[test]
fn progress_grows_to_the_total() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, sealed, out) = (folder.path().join("plain"), folder.path().join("sealed"), folder.path().join("out"));
    for len in [0, 1, 300_000, 3_000_000] {
        std::fs::write(&plain, pattern(len)).unwrap();
        for threads in [1, 3] {
            let (most, total) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(None)));
            let watch = || {
                most.store(0, Ordering::Relaxed);
                let (most, total) = (most.clone(), total.clone());
                move |progress: sealstone::Progress| {
                    most.fetch_max(progress.done, Ordering::Relaxed);
                    *total.lock().unwrap() = progress.total;
                    assert!(progress.total.is_none_or(|total| progress.done <= total));
                }
            };
            let seen = || (most.load(Ordering::Relaxed), *total.lock().unwrap());
            let len = len as u64;
            let chunks = len + (len / CHUNK_LEN as u64 + 1) * 16;
            // An empty file is read as a stream, whose length is not known beforehand.
            let known = |total| (len > 0).then_some(total);

            encryptor().threads(threads).on_progress(watch()).encrypt_file(&plain, &sealed).unwrap();
            assert_eq!(seen(), (len, known(len)), "encrypt_file");
            decryptor().threads(threads).on_progress(watch()).decrypt_file(&sealed, &out).unwrap();
            assert_eq!(seen(), (chunks, Some(chunks)), "decrypt_file");
            let bytes = std::fs::read(&sealed).unwrap();
            decryptor().threads(threads).on_progress(watch()).decrypt(&bytes).unwrap();
            assert_eq!(seen(), (chunks, Some(chunks)), "decrypt");
            decryptor().threads(threads).on_progress(watch()).decrypt_stream(&bytes[..], io::sink()).unwrap();
            assert_eq!(seen(), (chunks, None), "decrypt_stream");
            decryptor().threads(threads).on_progress(watch()).verify(Input::open(&sealed).unwrap()).unwrap();
            assert_eq!(seen(), (chunks, Some(chunks)), "verify");
            std::fs::remove_file(&sealed).unwrap();
            std::fs::remove_file(&out).unwrap();
        }
    }
}

#[test]
fn cancellation_ends_with_cancelled_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, sealed, out) = (folder.path().join("plain"), folder.path().join("sealed"), folder.path().join("out"));
    let plaintext = pattern(5_000_000);
    std::fs::write(&plain, &plaintext).unwrap();
    encryptor().encrypt_file(&plain, &sealed).unwrap();
    let bytes = std::fs::read(&sealed).unwrap();
    let mut ran = 0;
    for threads in [1, 2, 3] {
        for after in [0, 1, 5] {
            let calls = Arc::new(AtomicUsize::new(0));
            let cancel = || {
                calls.store(0, Ordering::Relaxed);
                let calls = calls.clone();
                move || calls.fetch_add(1, Ordering::Relaxed) >= after
            };
            let encryptor = || encryptor().threads(threads).cancel_when(cancel());
            let decryptor = || decryptor().threads(threads).cancel_when(cancel());
            let codes = [
                encryptor().encrypt(&plaintext).unwrap_err().code(),
                encryptor().encrypt_file(&plain, &out).unwrap_err().code(),
                encryptor().encrypt_stream(&plaintext[..], io::sink()).unwrap_err().code(),
                encryptor().encrypt_to(Input::reader(&plaintext[..]), Output::file(&out).unwrap()).unwrap_err().code(),
                decryptor().decrypt(&bytes).unwrap_err().code(),
                decryptor().decrypt_file(&sealed, &out).unwrap_err().code(),
                decryptor().decrypt_stream(&bytes[..], io::sink()).unwrap_err().code(),
                decryptor().verify(Input::open(&sealed).unwrap()).unwrap_err().code(),
                decryptor().decrypt_range(&bytes, 0..4_999_999).unwrap_err().code(),
            ];
            assert_eq!(codes, ["cancelled"; 9], "{threads} threads, after {after} calls");
            assert_eq!(names(folder.path()), ["plain", "sealed"]);
            ran += codes.len();
        }
    }
    assert_eq!(ran, 81);
}

#[test]
fn a_reader_or_writer_that_fails_is_reported_as_io() {
    let plaintext = pattern(2_000_000);
    let sealed = encryptor().encrypt(&plaintext).unwrap();
    for threads in [1, 3] {
        for good in [0, 1, 100, 300_000, 1_999_999] {
            let reader = |bytes| Failing { inner: Pieces::new(bytes, &[10_007]), good, panics: false };
            let writer = || Failing { inner: io::sink(), good, panics: false };
            let errors = [
                encryptor().threads(threads).encrypt_stream(reader(&plaintext), io::sink()).unwrap_err(),
                decryptor().threads(threads).decrypt_stream(reader(&sealed), io::sink()).unwrap_err(),
                encryptor().threads(threads).encrypt_stream(&plaintext[..], writer()).unwrap_err(),
                decryptor().threads(threads).decrypt_stream(&sealed[..], writer()).unwrap_err(),
            ];
            for (i, error) in errors.into_iter().enumerate() {
                let action = if i < 2 { "read" } else { "write" };
                let Error::Io { action: found, source, .. } = error else { panic!("{good}: {error:?}") };
                assert_eq!((found, source.to_string().as_str()), (action, "out of order"));
            }
        }
    }
}

#[test]
fn a_failing_reader_has_released_only_what_was_authentic_before() {
    let plaintext = pattern(2_000_000);
    let sealed = encryptor().encrypt(&plaintext).unwrap();
    for threads in [1, 3] {
        let mut written = Vec::new();
        let reader = Failing { inner: Pieces::new(&sealed, &[10_007]), good: 1_500_000, panics: false };
        let error = decryptor().threads(threads).decrypt_stream(reader, &mut written).unwrap_err();
        assert_eq!(error.code(), "io");
        assert!(plaintext.starts_with(&written) && written.len() % CHUNK_LEN == 0, "{}", written.len());
    }
}

#[test]
fn a_panic_in_the_callers_code_comes_out_and_hangs_nothing() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let plaintext = Arc::new(pattern(6_000_000));
    let sealed = Arc::new(encryptor().encrypt(&plaintext).unwrap());
    let plain_path = folder.path().join("plain");
    std::fs::write(&plain_path, &*plaintext).unwrap();
    let mut ran = 0;
    for threads in [1, 2, 3, 8] {
        for good in [0, 1, 300_000, 3_000_000] {
            let reader = |bytes: &Arc<Vec<u8>>| {
                let inner = io::Cursor::new(bytes.to_vec());
                Failing { inner, good, panics: true }
            };
            let writer = || Failing { inner: io::sink(), good, panics: true };
            let callback = || {
                let left = AtomicUsize::new(good / 262_144);
                move |_| assert!(left.fetch_sub(1, Ordering::Relaxed) != 0, "out of order")
            };
            let (e, d) = (encryptor().threads(threads), decryptor().threads(threads));
            let sink = io::sink;
            let bytes = plaintext.clone();
            let out = folder.path().join("out");
            let mut cases: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
            let (input, encryptor) = (reader(&plaintext), e.clone());
            cases.push(Box::new(move || drop(encryptor.encrypt_stream(input, sink()))));
            let (input, decryptor) = (reader(&sealed), d.clone());
            cases.push(Box::new(move || drop(decryptor.decrypt_stream(input, sink()))));
            let (output, encryptor, input) = (writer(), e.clone(), plaintext.clone());
            cases.push(Box::new(move || drop(encryptor.encrypt_stream(&input[..], output))));
            let (output, decryptor, input) = (writer(), d.clone(), sealed.clone());
            cases.push(Box::new(move || drop(decryptor.decrypt_stream(&input[..], output))));
            let encryptor = e.clone().on_progress(callback());
            cases.push(Box::new(move || drop(encryptor.encrypt_stream(&bytes[..], sink()))));
            let (encryptor, input) = (e.clone().on_progress(callback()), plaintext.clone());
            cases.push(Box::new(move || drop(encryptor.encrypt(&input))));
            let (encryptor, path, to) = (e.clone().on_progress(callback()), plain_path.clone(), out.clone());
            cases.push(Box::new(move || drop(encryptor.encrypt_file(path, to))));
            let (input, encryptor, to) = (reader(&plaintext), e.clone(), out.clone());
            cases.push(Box::new(move || {
                drop(encryptor.encrypt_to(Input::reader(input), Output::file(to).unwrap()));
            }));
            for (i, case) in cases.into_iter().enumerate() {
                assert!(panics_in_time(case), "case {i}, {threads} threads, {good} bytes: no panic came out");
                assert_eq!(names(folder.path()), ["plain"], "case {i}");
                ran += 1;
            }
        }
    }
    println!("{ran} panics");
    assert_eq!(ran, 4 * 4 * 8);
}

/// Whether `work` ends with a panic; that it hangs fails the test at once.
fn panics_in_time(work: impl FnOnce() + Send + 'static) -> bool {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        sender.send(result.is_err()).unwrap();
    });
    let panicked = receiver.recv_timeout(Duration::from_secs(600)).expect("the operation hangs");
    thread.join().unwrap();
    panicked
}

/// Does as many bytes as are good, then fails or panics.
struct Failing<T> {
    inner: T,
    good: usize,
    panics: bool,
}

impl<T> Failing<T> {
    fn check(&mut self, len: usize) -> io::Result<usize> {
        if len > 0 && self.good == 0 {
            assert!(!self.panics, "out of order");
            return Err(io::Error::other("out of order"));
        }
        Ok(len.min(self.good))
    }
}

impl<T: Read> Read for Failing<T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.check(out.len())?;
        let read = self.inner.read(&mut out[..len])?;
        self.good -= read;
        Ok(read)
    }
}

impl<T: Write> Write for Failing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.check(bytes.len())?;
        let written = self.inner.write(&bytes[..len])?;
        self.good -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[test]
fn a_writer_that_takes_nothing_ends_the_run() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = encryptor().encrypt_stream(&pattern(500_000)[..], Full).unwrap_err();
    let Error::Io { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.kind(), io::ErrorKind::WriteZero);
}

#[test]
fn a_failed_flush_is_reported() {
    struct Unflushed;
    impl Write for Unflushed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::Error::other("not flushed"))
        }
    }
    let sealed = encryptor().encrypt(b"plaintext").unwrap();
    for armour in [false, true] {
        let error = encryptor().armour(armour).encrypt_stream(&b"plaintext"[..], Unflushed).unwrap_err();
        assert_eq!(error.code(), "io");
    }
    assert_eq!(decryptor().decrypt_stream(&sealed[..], Unflushed).unwrap_err().code(), "io");
}

#[test]
fn identities_are_tried_in_any_number_and_each_recipient_opens() {
    for suite in Suite::ALL {
        let public = if suite == Suite::Sm4Gcm { Kind::Sm2 } else { Kind::X25519 };
        let kinds = [public, Kind::Key, public, Kind::Key];
        let identities: Vec<Identity> = kinds.into_iter().map(|kind| Identity::generate(kind).unwrap()).collect();
        let sealed =
            Encryptor::new(identities.iter().map(Identity::recipient)).suite(suite).encrypt(b"plaintext").unwrap();
        for identity in &identities {
            assert_eq!(Decryptor::new([identity.clone()]).decrypt(&sealed).unwrap(), b"plaintext");
        }
        assert_eq!(Decryptor::new(identities.clone()).decrypt(&sealed).unwrap(), b"plaintext");
        for kind in [Kind::X25519, Kind::Key, Kind::Hybrid, Kind::Sm2] {
            let stranger = Identity::generate(kind).unwrap();
            let error = Decryptor::new([stranger]).decrypt(&sealed).unwrap_err();
            assert_eq!(error.code(), "no_matching_identity");
        }
        assert_eq!(Decryptor::new([]).decrypt(&sealed).unwrap_err().code(), "no_matching_identity");
    }
}

#[test]
fn recipients_that_do_not_go_together_are_refused() {
    let of = |kind| Identity::generate(kind).unwrap().recipient();
    let passphrase = || sealstone::Passphrase::new("pass").unwrap().into();
    let refused = |recipients: Vec<sealstone::Recipient>| Encryptor::new(recipients).encrypt(b"").unwrap_err().code();
    assert_eq!(refused(vec![]), "invalid_recipients");
    assert_eq!(refused(vec![passphrase(), of(Kind::X25519)]), "invalid_recipients");
    assert_eq!(refused(vec![passphrase(), passphrase()]), "invalid_recipients");
    assert_eq!(refused(vec![of(Kind::Hybrid), of(Kind::X25519)]), "mixed_recipients");
    assert_eq!(refused(vec![of(Kind::Key); 1025]), "invalid_recipients");
    let mixed = Encryptor::new([of(Kind::Hybrid), of(Kind::X25519)]).allow_mixed(true);
    assert!(mixed.encrypt(b"").is_ok());
    assert!(Encryptor::new([of(Kind::Hybrid), of(Kind::Key)]).encrypt(b"").is_ok());
    assert!(Encryptor::new([of(Kind::X25519), of(Kind::Key)]).encrypt(b"").is_ok());
    assert!(Encryptor::new(vec![of(Kind::Key); 1024]).encrypt(b"").is_ok());
}

#[test]
fn contexts_are_1_to_1024_bytes_and_bound() {
    for len in [0, 1025, 5000] {
        assert_eq!(encryptor().context(vec![7; len]).unwrap_err().code(), "invalid_context", "{len}");
        assert_eq!(decryptor().context(vec![7; len]).unwrap_err().code(), "invalid_context", "{len}");
    }
    for len in [1, 1024] {
        let sealed = encryptor().context(vec![7; len]).unwrap().encrypt(b"plaintext").unwrap();
        assert_eq!(decryptor().context(vec![7; len]).unwrap().decrypt(&sealed).unwrap(), b"plaintext");
        assert_eq!(decryptor().decrypt(&sealed).unwrap_err().code(), "context_required");
        let other = decryptor().context(vec![8; len]).unwrap().decrypt(&sealed).unwrap_err();
        assert!(matches!(other, Error::NotAuthentic { chunk: None }), "{other:?}");
    }
    let unbound = encryptor().encrypt(b"plaintext").unwrap();
    assert_eq!(decryptor().context("c").unwrap().decrypt(&unbound).unwrap_err().code(), "context_not_bound");
}

#[test]
fn ranges_that_run_backwards_or_begin_past_the_end_are_refused() {
    let sealed = encryptor().encrypt(&pattern(40_000)).unwrap();
    #[allow(clippy::reversed_empty_ranges)]
    for range in [5..4, 40_001..40_001, 40_001..50_000, u64::MAX..u64::MAX, u64::MAX..0, 0x8000_0000_0000..u64::MAX] {
        let error = decryptor().decrypt_range(&sealed, range.clone()).unwrap_err();
        assert_eq!(error.code(), "range_out_of_bounds", "{range:?}");
    }
    assert_eq!(decryptor().decrypt_range(&sealed, 0..u64::MAX).unwrap(), pattern(40_000));
    assert_eq!(decryptor().decrypt_range(&sealed, 39_999..u64::MAX).unwrap().len(), 1);
    for range in [0..0, 40_000..40_000, 40_000..u64::MAX, 16_384..16_384] {
        assert!(decryptor().decrypt_range(&sealed, range.clone()).unwrap().is_empty(), "{range:?}");
    }
}

/// What is refused with `range_out_of_bounds`, or comes out short, tells the length: the last chunk is opened before.
#[test]
fn a_range_past_a_false_end_does_not_tell_the_length() {
    let sealed = encryptor().encrypt(&pattern(40_000)).unwrap();
    let cut = &sealed[..HEADER_LEN + HEAD_LEN + SEALED_CHUNK_LEN + 500];
    for range in [0..30_000, 20_000..20_001, 30_000..30_001, 16_868..16_869, 0..u64::MAX] {
        let error = decryptor().decrypt_range(cut, range.clone()).unwrap_err();
        assert!(matches!(error, Error::NotAuthentic { chunk: Some(1) }), "{range:?}: {error:?}");
    }
    assert_eq!(decryptor().decrypt_range(cut, 100..200).unwrap(), pattern(40_000)[100..200]);
}

#[test]
fn a_stream_is_no_input_for_ranges_and_verifying_first() {
    let sealed = encryptor().encrypt(&pattern(40_000)).unwrap();
    let ranged = decryptor().decrypt_range_to(Input::reader(&sealed[..]), 0..10, Output::writer(io::sink()));
    assert_eq!(ranged.unwrap_err().code(), "not_seekable");
    let verified = decryptor().verify_first(true).decrypt_stream(&sealed[..], io::sink());
    assert_eq!(verified.unwrap_err().code(), "not_seekable");
}

#[test]
fn an_armoured_file_is_no_input_for_ranges() {
    let text = encryptor().armour(true).encrypt(&pattern(40_000)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("armoured");
    std::fs::write(&path, &text).unwrap();
    let result = decryptor().decrypt_range_to(Input::open(&path).unwrap(), 0..10, Output::writer(io::sink()));
    // As `decrypt_range_to` documents; in memory the armour is taken off.
    assert_eq!(result.unwrap_err().code(), "not_seekable");
    assert_eq!(decryptor().decrypt_range(&text, 0..10).unwrap(), pattern(10));
}

#[test]
fn verifying_first_releases_nothing_of_a_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sealed");
    let mut sealed = encryptor().encrypt(&pattern(3_000_000)).unwrap();
    *sealed.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &sealed).unwrap();
    let mut written = Vec::new();
    let verify_first = decryptor().verify_first(true);
    let error = verify_first.decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut written)).unwrap_err();
    assert!(matches!(error, Error::NotAuthentic { chunk: Some(183) }), "{error:?}");
    assert!(written.is_empty());
    let without = decryptor().decrypt_to(Input::open(&path).unwrap(), Output::writer(&mut written));
    assert!(without.is_err() && written == pattern(183 * CHUNK_LEN), "without it a prefix is released");
}

#[test]
fn one_decryptor_and_encryptor_serve_many_threads_at_once() {
    let (encryptor, decryptor) = (encryptor().threads(2), decryptor().threads(2));
    let ended = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (encryptor, decryptor, ended) = (&encryptor, &decryptor, &ended);
            scope.spawn(move || {
                let plaintext = pattern(200_000 * i + i);
                let sealed = encryptor.encrypt(&plaintext).unwrap();
                let same = decryptor.decrypt(&sealed).unwrap() == plaintext;
                ended.fetch_and(same, Ordering::Relaxed);
            });
        }
    });
    assert!(ended.into_inner());
}

#[test]
fn a_symmetric_key_is_refused_as_text_of_another_length() {
    let text = SymmetricKey::from_bytes(&[3; 32]).to_text();
    assert_eq!(*text.parse::<SymmetricKey>().unwrap().to_text(), *text);
    for other in [&text[..text.len() - 1], &format!("{}q", *text), &text.to_lowercase(), "SEALSTONE-KEY-1", ""] {
        assert_eq!(other.parse::<SymmetricKey>().unwrap_err().code(), "invalid_identity", "{other}");
    }
}
