//! The promises on which bindings rely: numbers for objects, work that is watched and ended, on whatever threads, and its failures.

use sealstone::aead::TAG_LEN;
use sealstone::chunked::{CHUNK_LEN, ChunkedKey, HEAD_LEN, SEALED_CHUNK_LEN};
use sealstone::kdf::{Bounds, Input};
use sealstone::{Compression, Decryptor, Encryptor, Error, FileOpener, Identity, Kind, Passphrase, Recipient, Suite};
use sealstone_engine::batch::{decrypt_batch, encrypt_batch};
use sealstone_engine::calls::base::parts;
use sealstone_engine::files::{
    EncryptOptions, decrypt_file, decrypt_range_file, encrypt_file, inspect_file, verify_file,
};
use sealstone_engine::hashing::{encoding_id, encoding_of};
use sealstone_engine::kdf::{self, Keys};
use sealstone_engine::loading::{decrypt_loaded, decrypt_range_loaded};
use sealstone_engine::mac::{self, Signing};
use sealstone_engine::parts::{
    Armouring, Dearmouring, Opening, Part, Sealing, decrypt_all, is_compressed, open_placed, seal_placed, units_max,
};
use sealstone_engine::streams::{DecryptStream, EncryptStream};
use sealstone_engine::text::TextOrBytes;
use sealstone_engine::{
    Delivery, Failure, Handles, Loading, NoObject, Owner, Wanted, Work, caught, files, guarded_of_users, keys, password,
};
use std::cell::Cell;
use std::ops::Range;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use zeroize::Zeroizing;

const TICK: Duration = Duration::from_millis(1);

fn pattern(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn pair() -> (Arc<Encryptor>, Arc<Decryptor>) {
    let identity = Identity::generate(Kind::X25519).unwrap();
    (Arc::new(Encryptor::new([identity.recipient()])), Arc::new(Decryptor::new([identity])))
}

/// Runs work on a pool, and waits for it.
fn on_pool<T: Send + 'static>(
    work: Work<impl FnOnce() -> sealstone::Result<T> + Send + 'static>,
) -> Result<T, Failure> {
    let (sender, receiver) = channel();
    work.on_pool(move |done| _ = sender.send(done));
    receiver.recv().expect("the work calls back")
}

fn on_call<T: Send>(work: Work<impl FnOnce() -> sealstone::Result<T> + Send>) -> Result<T, Failure> {
    work.on_call(TICK, || ())
}

fn loading(bytes: &[u8]) -> Arc<Loading> {
    let loading = Loading::default();
    for part in bytes.chunks(100_000) {
        loading.update(part, bytes.len() as u64).unwrap();
    }
    Arc::new(loading)
}

/// The owner of an object that lives until it is told to be gone.
#[derive(Clone, Copy)]
struct Pet(&'static Cell<State>);

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct State {
    gone: bool,
    forgotten: i64,
    collections: u32,
}

impl Owner for Pet {
    fn is_gone(self) -> bool {
        self.0.get().gone
    }

    fn forget(self, len: i64) {
        self.0.set(State { forgotten: self.0.get().forgotten + len, ..self.0.get() });
    }

    fn collect(self) {
        self.0.set(State { gone: true, collections: self.0.get().collections + 1, ..self.0.get() });
    }
}

fn pet() -> Pet {
    Pet(Box::leak(Box::default()))
}

#[test]
fn a_number_stands_for_its_object_until_it_is_released() {
    let handles = Handles::<Pet>::new();
    let (a, b) = (handles.hold(String::from("a")), handles.hold(7_u64));
    assert_eq!((handles.get::<String>(a).as_str(), *handles.get::<u64>(b)), ("a", 7));
    assert_eq!(handles.with(a, String::len), 1);
    let again = handles.again(a);
    handles.release(a);
    handles.release(a);
    assert_eq!(handles.get::<String>(again).as_str(), "a");
    let c = handles.hold(String::from("c"));
    assert_eq!(c & 0xfffff, a & 0xfffff, "the place is used again");
    assert_ne!(c, a, "and the number is another");
    for wrong in [a, 12_345, u32::MAX] {
        let failure = caught(|| Ok(handles.get::<String>(wrong))).unwrap_err();
        assert_eq!(failure.code, "internal", "{wrong}");
    }
    assert_eq!(caught(|| Ok(handles.get::<u64>(c))).unwrap_err().code, "internal", "another kind");
    assert_eq!(caught(|| Ok(handles.with(c, |seven: &u64| *seven))).unwrap_err().code, "internal", "another kind");
    let failure = caught(|| Ok(handles.with(c, |_: &String| handles.hold(8_u64)))).unwrap_err();
    assert_eq!(failure.code, "internal", "an object is held where none can be");
    assert_eq!(handles.with(c, String::clone), "c", "which leaves the table as it was");
}

#[test]
fn an_object_goes_with_its_owner() {
    let handles = Handles::<Pet>::new();
    let number = handles.hold(7_u64);
    let (owner, use_of) = (pet(), Cell::new(0));
    let len = handles.own(number, |id| {
        use_of.set(id);
        owner
    });
    assert!(len >= 8);
    assert_eq!(caught(|| Ok(handles.own(number, |_| pet()))).unwrap_err().code, "internal", "it has one owner");
    handles.release_use(use_of.get());
    handles.release_use(use_of.get());
    assert_eq!(owner.0.get(), State { forgotten: len, ..State::default() });
    assert!(caught(|| Ok(handles.get::<u64>(number))).is_err());
    let next = handles.hold(8_u64);
    handles.release_use(use_of.get());
    assert_eq!(*handles.get::<u64>(next), 8, "that use has ended");
}

#[test]
fn a_loop_that_drops_its_owners_never_runs_out_of_numbers() {
    let handles = Handles::<Pet>::new();
    let gone = pet();
    gone.0.set(State { gone: true, ..State::default() });
    let mut highest = 0;
    for _ in 0..100_000 {
        let number = handles.hold(());
        _ = handles.own(number, |_| gone);
        highest = highest.max(number & 0xfffff);
    }
    assert!(highest < 10_000, "{highest}");
}

#[test]
fn where_all_numbers_are_in_use_owners_are_looked_for_and_then_it_is_a_failure() {
    let handles = Handles::<Pet>::new();
    let (owner, first) = (pet(), handles.hold(()));
    _ = handles.own(first, |_| owner);
    while caught(|| Ok(handles.hold(()))).is_ok() && owner.0.get().collections == 0 {}
    assert_eq!(owner.0.get().collections, 1);
    let full = caught(|| Ok(handles.hold(()))).unwrap_err();
    assert_eq!(full.code, "too_many_objects");
    assert!(full.message.contains("destroy()"), "{}", full.message);
    assert_eq!(caught(|| Ok(handles.again(1 << 19))).unwrap_err().code, "too_many_objects");
    handles.release(1 << 19);
    handles.hold(());
}

#[test]
fn a_panic_is_a_failure_that_says_where() {
    let failure = caught::<()>(|| panic!("batch: something")).unwrap_err();
    assert_eq!(failure.code, "internal");
    assert!(failure.message.starts_with("a bug in Sealstone: batch: something (engine.rs:"), "{}", failure.message);
    let refused = std::io::Error::from_raw_os_error(13);
    let failure = caught::<()>(|| Err(Error::Io { action: "open", path: None, source: refused })).unwrap_err();
    assert_eq!((failure.code, failure.errno), ("io", Some(13)));
}

#[test]
fn units_of_a_stream_run_on_threads_that_stay_and_on_those_of_the_call() {
    let (encryptor, decryptor) = pair();
    for len in [0, 1, 300_000, 1_000_000] {
        let plaintext = pattern(len);
        let sealing = Sealing::new(&encryptor).unwrap();
        let mut file = sealing.head();
        let mut rest = &plaintext[..];
        let mut is_pools_turn = true;
        while !rest.is_empty() {
            rest = &rest[sealing.fill(rest)..];
            if let Some(work) = sealing.unit() {
                let (bytes, failure) = if is_pools_turn { on_pool(work) } else { on_call(work) }.unwrap();
                assert!(failure.is_none());
                file.extend(bytes);
                is_pools_turn = !is_pools_turn;
            }
        }
        file.extend(sealing.finish().run().unwrap().0);
        assert!(caught(|| sealing.finish().run()).is_err(), "it has ended");

        let opening = Opening::new(&decryptor, &file).unwrap();
        assert_eq!(opening.plaintext_len(file.len() as u64).unwrap(), len as u64);
        let head_len = FileOpener::read_head_len(&file).unwrap();
        let mut rest = &file[head_len..];
        let mut work = Vec::new();
        while !rest.is_empty() {
            rest = &rest[opening.fill(rest)..];
            work.extend(opening.unit());
        }
        let last = opening.finish(true).run().unwrap();
        let mut opened: Vec<Part> = work.into_iter().rev().map(|work| on_pool(work).unwrap()).collect();
        opened.reverse();
        opened.push(last);
        assert!(opened.iter().all(|(_, failure)| failure.is_none()));
        assert!(opened.into_iter().flat_map(|(bytes, _)| bytes).eq(plaintext), "{len} bytes");
    }
}

#[test]
fn a_stream_that_ends_too_early_gives_what_is_whole() {
    let key = ChunkedKey::new(Suite::Aes256Gcm, &[7; 32]).unwrap();
    let sealing = Sealing::chunked(&key, b"context").unwrap();
    let mut sealed = sealing.head();
    assert_eq!(sealing.fill(&pattern(40_000)), 40_000);
    sealed.extend(sealing.finish().run().unwrap().0);
    for (is_end, code) in [(true, Some("not_authentic")), (false, None)] {
        let opening = Opening::chunked(&key, b"context", &sealed).unwrap();
        let cut = &sealed[HEAD_LEN..sealed.len() - 100];
        assert_eq!(opening.fill(cut), cut.len());
        let (bytes, failure) = opening.finish(is_end).run().unwrap();
        assert!(bytes == pattern(2 * 16_384));
        assert_eq!(failure.as_ref().map(Error::code), code);
    }
}

#[test]
fn the_pool_and_threads_of_the_call_give_the_same_bytes() {
    let (encryptor, decryptor) = pair();
    let plaintext = pattern(3_000_000);
    for threads in [None, Some(1), Some(1000)] {
        let sealing = Sealing::new(&encryptor).unwrap();
        let mut file = vec![9; usize::try_from(sealing.file_len(plaintext.len() as u64).unwrap()).unwrap()];
        sealing.seal_into(&plaintext, &mut file, threads).unwrap();
        let wanted = Wanted::new();
        let opened = on_call(decrypt_loaded(Arc::clone(&decryptor), loading(&file), wanted.job(), threads)).unwrap();
        assert!(opened == plaintext);
        let opened = on_pool(decrypt_loaded(Arc::clone(&decryptor), loading(&file), wanted.job(), threads)).unwrap();
        assert!(opened == plaintext);
        let range = decrypt_range_loaded(Arc::clone(&decryptor), loading(&file), 2_000_000..2_000_010, wanted.job());
        assert_eq!(on_call(range).unwrap(), plaintext[2_000_000..2_000_010]);

        let mut memory = vec![9; plaintext.len()];
        Opening::new(&decryptor, &file).unwrap().open_into(&file, &mut memory, threads).unwrap();
        assert!(memory == plaintext);
    }
    assert!(units_max(Some(1)) == 2 && units_max(None) >= 2 && units_max(Some(1 << 20)) == units_max(None));
}

/// A part of a result that is lent to work, and given back when that is done.
struct Lent {
    part: Vec<u8>,
    at: usize,
    whole: Arc<Mutex<Vec<u8>>>,
}

impl AsMut<[u8]> for Lent {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.part
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.whole.lock().unwrap()[self.at..][..self.part.len()].copy_from_slice(&self.part);
    }
}

fn lent(whole: &Arc<Mutex<Vec<u8>>>, place: Range<usize>) -> Lent {
    let part = whole.lock().unwrap()[place.clone()].to_vec();
    Lent { part, at: place.start, whole: Arc::clone(whole) }
}

fn room(len: u64) -> Arc<Mutex<Vec<u8>>> {
    Arc::new(Mutex::new(vec![9; usize::try_from(len).unwrap()]))
}

fn sealed_in_parts(encryptor: &Encryptor, plaintext: &[u8], part_len: usize) -> Vec<u8> {
    let sealing = Sealing::new(encryptor).unwrap();
    let room = room(sealing.file_len(plaintext.len() as u64).unwrap());
    for part in plaintext.chunks(part_len).chain(plaintext.is_empty().then_some(&[][..])) {
        let at = sealing.placed();
        let ready = sealing.place(part, &mut room.lock().unwrap()[at..]).unwrap();
        if let Some((unit, place)) = ready {
            on_pool(seal_placed(unit, lent(&room, at + place.start..at + place.end))).unwrap();
        }
    }
    assert_eq!(sealing.placed(), room.lock().unwrap().len());
    std::mem::take(&mut *room.lock().unwrap())
}

/// The plaintext, and whether its end was opened.
fn opened_in_parts(decryptor: &Decryptor, file: &[u8], part_len: usize) -> Result<(Vec<u8>, bool), Failure> {
    let opening = Opening::new(decryptor, file).unwrap();
    let room = room(opening.plaintext_len(file.len() as u64)?);
    let mut is_whole = false;
    for part in file.chunks(part_len) {
        let at = opening.placed();
        let ready = opening.place(part, &mut room.lock().unwrap()[at..])?;
        if let Some((unit, place)) = ready {
            is_whole = on_pool(open_placed(unit, lent(&room, at + place.start..at + place.end)))?;
        }
    }
    let plaintext = std::mem::take(&mut *room.lock().unwrap());
    Ok((plaintext, is_whole))
}

#[test]
fn parts_are_sealed_and_opened_where_they_were_placed() {
    let (encryptor, decryptor) = pair();
    for (len, part_len) in [(0, 1), (1, 1), (16_384, 16_384), (3_000_000, 1 << 20), (300_000, 1234)] {
        let plaintext = pattern(len);
        let mut file = sealed_in_parts(&encryptor, &plaintext, part_len);
        assert!(decryptor.decrypt(&file).unwrap() == plaintext, "{len} bytes");
        assert!(opened_in_parts(&decryptor, &file, part_len).unwrap() == (plaintext, true), "{len} bytes");
        let last = file.len() - 1;
        let cut = opened_in_parts(&decryptor, &file[..last], part_len).unwrap_err().code;
        assert_eq!(cut, if len % 16_384 == 0 { "truncated" } else { "not_authentic" });
        file[last] ^= 1;
        assert_eq!(opened_in_parts(&decryptor, &file, part_len).unwrap_err().code, "not_authentic");
    }
}

#[test]
fn chunks_are_opened_wherever_they_are() {
    let (encryptor, decryptor) = pair();
    let plaintext = pattern(50_000);
    let file = encryptor.encrypt(&plaintext).unwrap();
    let opening = Opening::new(&decryptor, &file).unwrap();
    let chunks = &file[FileOpener::read_head_len(&file).unwrap()..];
    let end = chunks.len();
    let at = |first: usize| &chunks[first * SEALED_CHUNK_LEN..];
    assert!(opening.open_at(1, at(1)).unwrap() == plaintext[CHUNK_LEN..]);
    assert!(opening.open_at(2, &at(2)[..SEALED_CHUNK_LEN]).unwrap() == plaintext[2 * CHUNK_LEN..3 * CHUNK_LEN]);
    assert!(opening.open_at(3, at(3)).unwrap() == plaintext[3 * CHUNK_LEN..]);
    assert!(opening.open_at(0, &[]).unwrap().is_empty());
    // At another place, and cut short.
    for (first, chunks) in [(2, at(1)), (3, &chunks[3 * SEALED_CHUNK_LEN..end - 1])] {
        assert_eq!(opening.open_at(first, chunks).unwrap_err().code(), "not_authentic");
    }
    assert_eq!(opening.open_at(3, &at(3)[..15]).unwrap_err().code(), "truncated");
}

#[test]
fn a_job_that_is_cancelled_or_that_nobody_wants_ends_with_its_code() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(&pattern(3_000_000)).unwrap();
    let wanted = Wanted::new();
    wanted.job().cancel();
    let failure = on_call(decrypt_loaded(Arc::clone(&decryptor), loading(&file), wanted.job(), None)).unwrap_err();
    assert_eq!(failure.code, "cancelled");

    let job = Wanted::new().job();
    let failure = on_pool(decrypt_loaded(decryptor, loading(&file), job, None)).unwrap_err();
    assert_eq!(failure.code, "cancelled");
}

#[test]
fn a_job_that_lasts_goes_on_without_its_holder() {
    let wanted = Wanted::new();
    let (job, lasting) = (Wanted::new().job(), wanted.lasting_job());
    drop(wanted);
    let begin = |job| EncryptStream::begin(pair().0, job).run().map(|_| ());
    assert!(begin(lasting).is_ok() && begin(Wanted::new().lasting_job()).is_ok());
    let passphrase = Recipient::from(Passphrase::new("correct horse").unwrap());
    let stream = EncryptStream::begin(Arc::new(Encryptor::new([passphrase])), job).run();
    assert!(matches!(stream, Err(Error::Cancelled)), "one that does not last ends with its holder");
}

#[test]
fn a_stream_gives_what_is_before_a_fault_and_then_the_fault() {
    let ((encryptor, decryptor), plaintext) = (pair(), pattern(3 * CHUNK_LEN + 5));
    let mut file = encryptor.encrypt(&plaintext).unwrap();
    let third = file.len() - 1 - TAG_LEN - 5;
    file[third] ^= 1;
    for part_len in [1, 1000, SEALED_CHUNK_LEN + 1, file.len()] {
        let stream = DecryptStream::new(Arc::clone(&decryptor), Wanted::new().lasting_job());
        let mut released = Vec::new();
        let fault = file.chunks(part_len).find_map(|part| {
            let mut memory = vec![0; stream.update_len(part.len())];
            let written =
                stream.update(part, &mut memory).map(|written| released.extend_from_slice(&memory[..written]));
            written.err()
        });
        let fault = fault.or_else(|| stream.finish(&mut vec![0; stream.update_len(0)]).err());
        assert!(matches!(fault, Some(Error::NotAuthentic { chunk: Some(2) })), "parts of {part_len}: {fault:?}");
        assert!(released == plaintext[..2 * CHUNK_LEN], "parts of {part_len}: {} bytes", released.len());
        let ended = guarded_of_users(|| stream.finish(&mut []).map_err(Failure::from));
        assert!(ended.is_err_and(|failure| failure.code == "invalid_argument"));
    }
}

#[test]
fn the_callers_thread_watches_and_may_end_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (_, decryptor) = pair();
    let wanted = Wanted::new();
    let job = wanted.job();
    let mut looks = 0;
    let done = verify_file(decryptor, pipe, true, wanted.job()).on_call(TICK, || {
        looks += 1;
        if looks == 5 {
            job.cancel();
        }
    });
    assert_eq!(done.unwrap_err().code, "cancelled");
    assert!(looks >= 5);
}

#[test]
fn a_fault_of_a_file_is_a_failure_and_the_next_call_is_none() {
    let (encryptor, decryptor) = pair();
    let mut file = encryptor.encrypt(&pattern(3_000_000)).unwrap();
    let at = file.len() / 2;
    file[at] ^= 1;
    let wanted = Wanted::new();
    let failure = on_pool(decrypt_loaded(Arc::clone(&decryptor), loading(&file), wanted.job(), None)).unwrap_err();
    assert_eq!(failure.code, "not_authentic");
    file[at] ^= 1;
    assert!(on_pool(decrypt_loaded(decryptor, loading(&file), wanted.job(), None)).is_ok());
    assert_eq!(Loading::default().update(b"x", u64::MAX).unwrap_err().code(), "too_long");
}

#[test]
fn a_batch_is_its_items_one_by_one() {
    let (encryptor, decryptor) = pair();
    let items: Vec<Vec<u8>> = (0..40).map(|i| pattern(i * 100)).collect();
    let lengths = |items: &[Vec<u8>]| items.iter().map(|item| u32::try_from(item.len()).unwrap()).collect::<Vec<_>>();
    let joined = |items: &[Vec<u8>]| Zeroizing::new(items.concat());
    let wanted = Wanted::new();
    let sealed = on_call(encrypt_batch(encryptor, joined(&items), lengths(&items), wanted.job(), None)).unwrap();
    assert!(sealed.failures.is_empty());
    let mut rest = &sealed.bytes[..];
    let mut files: Vec<Vec<u8>> = Vec::new();
    for len in &sealed.lengths {
        let (file, later) = rest.split_at(*len as usize);
        files.push(file.to_vec());
        rest = later;
    }
    assert!(rest.is_empty());
    for (file, item) in files.iter().zip(&items) {
        assert_eq!(&decryptor.decrypt(file).unwrap(), item);
    }
    *files[7].last_mut().unwrap() ^= 1;
    let work = decrypt_batch(Arc::clone(&decryptor), joined(&files), lengths(&files), wanted.job(), Some(3));
    let opened = on_pool(work).unwrap();
    let codes: Vec<_> = opened.failures.iter().map(|(index, failure)| (*index, failure.code)).collect();
    assert_eq!((codes, opened.lengths[7]), (vec![(7, "not_authentic")], 0));
    let expected: Vec<u8> =
        items.iter().enumerate().filter(|(i, _)| *i != 7).flat_map(|(_, item)| item.clone()).collect();
    assert!(opened.bytes == expected);

    let none = encrypt_batch(Arc::new(Encryptor::new([])), joined(&items), lengths(&items), wanted.job(), None);
    assert_eq!(on_call(none).unwrap_err().code, "invalid_recipients");
    wanted.job().cancel();
    let ended = decrypt_batch(decryptor, joined(&files), lengths(&files), wanted.job(), None);
    assert_eq!(on_call(ended).unwrap_err().code, "cancelled");
}

#[test]
fn files_by_name_appear_complete_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, sealed, opened] = ["plain", "sealed", "opened"].map(|name| folder.path().join(name));
    std::fs::write(&plain, pattern(200_000)).unwrap();
    let (encryptor, decryptor) = pair();
    let wanted = Wanted::new();
    let encrypt =
        |replace| encrypt_file(Arc::clone(&encryptor), plain.clone(), sealed.clone(), replace, false, wanted.job());
    assert_eq!(on_pool(encrypt(false)).unwrap().plaintext, 200_000);
    assert_eq!(on_pool(encrypt(false)).unwrap_err().code, "output_exists");
    assert_eq!(on_call(encrypt(true)).unwrap().plaintext, 200_000);
    assert_eq!(on_call(inspect_file(sealed.clone(), false, wanted.job())).unwrap().plaintext_len, 200_000);
    let decrypt = || decrypt_file(Arc::clone(&decryptor), sealed.clone(), opened.clone(), false, false, wanted.job());
    assert_eq!(on_call(decrypt()).unwrap().plaintext, 200_000);
    assert!(std::fs::read(&opened).unwrap() == pattern(200_000));
    std::fs::remove_file(&opened).unwrap();
    let mut damaged = std::fs::read(&sealed).unwrap();
    damaged[100_000] ^= 1;
    std::fs::write(&sealed, damaged).unwrap();
    assert_eq!(on_pool(decrypt()).unwrap_err().code, "not_authentic");
    assert!(!opened.exists());
}

/// A key, and a file for it whose content is a hundred times as long as the file.
fn compressed() -> (Identity, Vec<u8>, Vec<u8>) {
    let identity = Identity::generate(Kind::X25519).unwrap();
    let content = pattern(3_000_000);
    let file = Encryptor::new([identity.recipient()]).compression(Compression::Auto).encrypt(&content).unwrap();
    assert!(100 * file.len() < content.len());
    (identity, content, file)
}

#[test]
fn compressed_content_is_decrypted_as_a_whole_and_in_ranges() {
    let (identity, content, file) = compressed();
    let identities = [Arc::new(identity.clone())];
    let decryptor = Arc::new(Decryptor::new([identity]));
    let wanted = Wanted::new();

    // The call that gives an opener with the plaintext's length gives a decryptor alone: the length does not show.
    let head = &file[..FileOpener::read_head_len(&file).unwrap()];
    assert!(is_compressed(head) && is_compressed(&file) && !is_compressed(&head[..head.len() - HEAD_LEN - 1]));
    for start in [head, &file] {
        let (object, len) = parts::opener(&identities, None, None, None, start, file.len() as u64).unwrap();
        assert!(len.is_none() && object.kind::<Decryptor>().unwrap().decrypt(&file).unwrap() == content);
    }
    let all = parts::opener(&identities, Some(b"no context"), None, None, &file, file.len() as u64).unwrap();
    assert_eq!(all.0.kind::<Decryptor>().unwrap().decrypt(&file).unwrap_err().code(), "context_not_bound");

    let all = on_call(decrypt_all(Arc::clone(&decryptor), &file, wanted.job(), Some(2))).unwrap();
    assert!(all == content);
    assert!(on_pool(decrypt_loaded(Arc::clone(&decryptor), loading(&file), wanted.job(), Some(2))).unwrap() == content);
    let range = 2_000_000..2_200_000;
    let part = decrypt_range_loaded(Arc::clone(&decryptor), loading(&file), range, wanted.job());
    assert!(on_pool(part).unwrap() == content[2_000_000..2_200_000]);

    let damaged = [&file[..file.len() - 1], &[!file[file.len() - 1]]].concat();
    let files = [&file[..], &damaged, &file].concat();
    let lengths = vec![u32::try_from(file.len()).unwrap(); 3];
    let work = decrypt_batch(Arc::clone(&decryptor), files.into(), lengths, wanted.job(), Some(2));
    let opened = on_pool(work).unwrap();
    assert_eq!(opened.lengths, [3_000_000, 0, 3_000_000]);
    assert!(opened.bytes == [&content[..], &content].concat());
    assert_eq!((opened.failures[0].0, opened.failures[0].1.code), (1, "not_authentic"));

    let folder = tempfile::tempdir().unwrap();
    let [sealed, opened] = ["sealed", "opened"].map(|name| folder.path().join(name));
    std::fs::write(&sealed, &file).unwrap();
    let seen = on_call(inspect_file(sealed.clone(), false, wanted.job())).unwrap();
    assert!(seen.compressed && !seen.archive && seen.plaintext_len < file.len() as u64);
    assert_eq!(
        on_call(verify_file(Arc::clone(&decryptor), sealed.clone(), false, wanted.job())).unwrap().plaintext,
        3_000_000
    );
    let part = decrypt_range_file(Arc::clone(&decryptor), sealed.clone(), 2_999_000..u64::MAX, false, wanted.job());
    assert!(on_call(part).unwrap() == content[2_999_000..]);
    let done = on_call(decrypt_file(decryptor, sealed, opened.clone(), false, false, wanted.job())).unwrap();
    assert_eq!((done.plaintext, done.ciphertext), (3_000_000, file.len() as u64));
    assert!(std::fs::read(opened).unwrap() == content);
}

#[test]
fn what_opens_parts_refuses_compressed_content_before_it_derives_a_key() {
    let (identity, _, file) = compressed();
    let wanted = Wanted::new();
    let decryptor = Arc::new(Decryptor::new([identity]));
    let refused = |error: &Error| error.code() == "unsupported_version" && error.to_string().contains("compressed");
    assert!(Opening::new(&decryptor, &file).is_err_and(|error| refused(&error)));
    let later = on_call(Opening::later(Arc::clone(&decryptor), file.clone(), wanted.job()));
    assert!(later.is_err_and(|failure| failure.code == "unsupported_version"));
    for part_len in [1, 1000, file.len()] {
        let stream = DecryptStream::new(Arc::clone(&decryptor), wanted.lasting_job());
        let mut memory = vec![7; 2 * file.len()];
        let fault = file.chunks(part_len).find_map(|part| stream.update(part, &mut memory).err());
        assert!(fault.is_some_and(|error| refused(&error)), "parts of {part_len}");
        assert!(memory.iter().all(|byte| *byte == 7));
    }

    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    let encryptor = Encryptor::new([passphrase.clone().into()]).compression(Compression::Auto);
    let file = encryptor.encrypt(b"attack at dawn").unwrap();
    let decryptor = Arc::new(Decryptor::new([passphrase.into()]));
    // A job that was ended would end the derivation.
    wanted.job().cancel();
    let later = on_call(Opening::later(Arc::clone(&decryptor), file.clone(), wanted.job()));
    assert!(later.is_err_and(|failure| failure.code == "unsupported_version"));
    assert_eq!(on_call(decrypt_all(Arc::clone(&decryptor), &file, wanted.job(), None)).unwrap_err().code, "cancelled");
    let all = on_call(decrypt_all(decryptor, &file, Wanted::new().lasting_job(), None)).unwrap();
    assert_eq!(all, b"attack at dawn");
}

#[test]
fn a_long_result_is_fetched_from_its_end() {
    assert!(matches!(Delivery::of(pattern(1 << 20)), Delivery::AtOnce(bytes) if *bytes == pattern(1 << 20)));
    let expected = pattern(9_000_000);
    let Delivery::InTurns(rest, len) = Delivery::of(expected.clone()) else { panic!("it is long") };
    assert_eq!(len, expected.len());
    let (mut result, mut turns) = (vec![0; len], 0);
    loop {
        turns += 1;
        if rest.take(|at, bytes| result[at..at + bytes.len()].copy_from_slice(bytes)) == 0 {
            break;
        }
    }
    assert!(result == expected && turns > 1);
}

#[test]
fn armour_in_parts_is_that_of_the_whole() {
    let (encryptor, decryptor) = pair();
    let file = encryptor.encrypt(&pattern(10_000)).unwrap();
    let armouring = Armouring::default();
    let mut text: Vec<u8> = file.chunks(777).flat_map(|part| armouring.update(part)).collect();
    text.extend(armouring.finish());
    assert!(caught(|| Ok(armouring.finish())).is_err(), "it has ended");
    assert!(decryptor.decrypt(&text).unwrap() == pattern(10_000));
    let dearmouring = Dearmouring::new(false);
    let mut found = Vec::new();
    for part in text.chunks(777) {
        let (bytes, fault) = dearmouring.update(part);
        assert!(fault.is_none());
        found.extend(bytes);
    }
    found.extend(dearmouring.finish().0);
    assert!(found == file);
    let cut = Dearmouring::new(false);
    assert!(cut.update(&text[..1000]).1.is_none());
    assert_eq!(cut.finish().1.unwrap().code(), "malformed_armour");
}

#[test]
fn keys_come_and_go_in_their_forms() {
    let identity = keys::generate(Some("x25519")).unwrap();
    assert_eq!(keys::generate(Some("rsa")).unwrap_err().code(), "unknown_algorithm");
    assert_eq!(keys::generate(Some("passphrase")).unwrap_err().code(), "invalid_passphrase");
    let TextOrBytes::Text(text) = keys::export_identity(&identity, "age", None).unwrap() else { panic!("text") };
    let again = keys::identities(text.as_bytes(), None).unwrap();
    assert_eq!(again[0].recipient().to_string(), identity.recipient().to_string());
    let recipients: Vec<Arc<Recipient>> = vec![Arc::new(identity.recipient())];
    let options = EncryptOptions { suite: Some("chacha20-poly1305"), ..EncryptOptions::default() };
    let file = files::encryptor(&recipients, &options).unwrap().encrypt(b"attack at dawn").unwrap();
    let decryptor = files::decryptor(&[Arc::new(identity)], None, None, Some(1)).unwrap();
    assert_eq!(decryptor.decrypt(&file).unwrap(), b"attack at dawn");
    let wrong = EncryptOptions { suite: Some("rot13"), ..EncryptOptions::default() };
    assert!(files::encryptor(&recipients, &wrong).is_err());
    assert_eq!(keys::identity_of_key(&[7; 31]).unwrap_err().code(), "wrong_length");
}

#[test]
fn a_number_that_stands_for_nothing_is_told_without_a_panic() {
    let handles = Handles::<Pet>::new();
    let number = handles.try_hold(7_u32).unwrap();
    assert_eq!(*handles.find::<u32>(number).unwrap(), 7);
    assert_eq!(handles.find::<u64>(number), Err(NoObject::Unknown));
    let again = handles.try_again(number).unwrap();
    handles.release(number);
    assert_eq!((handles.count(), handles.find::<u32>(number)), (1, Err(NoObject::Unknown)));
    assert_eq!((*handles.find::<u32>(again).unwrap(), handles.try_again(number)), (7, Err(NoObject::Unknown)));
    assert_eq!(Failure::from(NoObject::Unknown).code, "internal");
    assert_eq!(Failure::from(NoObject::Full).code, "too_many_objects");
}

#[test]
fn keys_of_passwords_are_derived_elsewhere_and_what_was_cancelled_is_not_begun() {
    let cost = |name: &str, numbers| kdf::cost(name, numbers);
    let input = Input { password: b"password", salt: b"a random salt 16", secret: b"pepper", data: b"" };
    let argon2 = cost("argon2id", [64, 2, 2]).unwrap();
    let expected = kdf::derive(&argon2, &input, Bounds::Usual, 40).unwrap();
    for _ in 0..8 {
        let work = |job| kdf::derive_later(argon2, &input, Bounds::Usual, 40, job);
        let job = Wanted::new().job();
        assert_eq!(on_pool(work(job)).err().unwrap().code, "cancelled", "nobody wants it");
        let wanted = Wanted::new();
        assert_eq!(on_pool(work(wanted.job())).unwrap(), expected);
        assert_eq!(on_call(work(wanted.job())).unwrap(), expected);
        wanted.job().cancel();
        assert_eq!(on_pool(work(wanted.job())).err().unwrap().code, "cancelled");
    }
    for (name, numbers, code) in [
        ("argon2", [64, 2, 2], "unknown_algorithm"),
        ("pbkdf2-shake128", [1, 0, 0], "unknown_algorithm"),
        ("pbkdf2", [1, 0, 0], "unknown_algorithm"),
        ("scrypt", [256, 8, 1], "invalid_cost"),
        ("scrypt", [30, 8, 1], "cost_too_high"),
        ("pbkdf2-sm3", [0, 0, 0], "invalid_cost"),
    ] {
        let input = Input::new(b"password", b"salt");
        let found = cost(name, numbers).and_then(|cost| kdf::derive(&cost, &input, Bounds::Usual, 32));
        assert_eq!(found.unwrap_err().code(), code, "{name} {numbers:?}");
    }
    let said = cost("bcrypt", [10, 0, 0]).unwrap_err().to_string();
    assert!(said.contains("bcrypt is only read"), "{said}");
    // An output that is too long for its bounds takes no memory before the error.
    let long =
        kdf::derive(&cost("pbkdf2-sha256", [1000, 0, 0]).unwrap(), &Input::new(b"a", b"b"), Bounds::Usual, u32::MAX);
    assert_eq!(long.unwrap_err().code(), "cost_too_high");
    let long = kdf::hkdf("sha256", b"a", b"b", b"c", 8161).unwrap_err();
    assert_eq!((long.code(), long.to_string().as_str()), ("too_long", "HKDF over this hash gives at most 8160 bytes"));
}

#[test]
fn what_computes_waits_behind_no_queue_of_derivations() {
    let cost = kdf::cost("pbkdf2-sha256", [1, 0, 0]).unwrap();
    let input = Input::new(b"password", b"salt");
    let secret = || Zeroizing::new(b"password".to_vec());
    let wanted = Wanted::new();
    let (sender, done) = channel();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // More than there are threads, and none of them ends before its sender is gone.
    let queues: Vec<_> = (0..=threads)
        .map(|_| {
            let held = || {
                let (end, ended) = channel::<()>();
                (end, move || _ = ended.recv())
            };
            let [key, hash, verify, read] = std::array::from_fn(|_| held());
            kdf::derive_later(cost, &input, Bounds::Usual, 32, wanted.job()).on_pool(move |_| key.1());
            password::hash_later(secret(), cost, wanted.job()).on_pool(move |_| hash.1());
            password::verify_later(secret(), String::new(), Bounds::Usual, wanted.job()).on_pool(move |_| verify.1());
            keys::identities_later(secret(), None).unwrap().on_pool(move |_| read.1());
            [key.0, hash.0, verify.0, read.0]
        })
        .collect();
    let work = encrypt_batch(pair().0, secret(), vec![8], wanted.job(), None);
    work.on_pool(move |batch| sender.send(batch.map(|_| ())).unwrap());
    done.recv_timeout(Duration::from_secs(600)).expect("it is done before any of them ends").unwrap();
    drop(queues);
}

#[test]
fn a_key_that_is_there_is_found_until_its_time_is_over() {
    let (keys, input) = (Keys::new(2, 100).unwrap(), Input::new(b"password", b"salt"));
    let cost = kdf::cost("pbkdf2-sha256", [1, 0, 0]).unwrap();
    let find = |now| keys.find(now, &cost, &input, Bounds::Usual, 3).unwrap().to_vec();
    assert!(find(0).is_empty());
    keys.keep(10, &cost, &input, b"key");
    assert_eq!((find(109), find(110)), (b"key".to_vec(), Vec::new()));
    keys.keep(120, &cost, &input, b"key");
    keys.clear();
    assert!(find(120).is_empty());
}

#[test]
fn passwords_are_hashed_and_verified_elsewhere() {
    let wanted = Wanted::new();
    let cost = kdf::cost("scrypt", [10, 8, 1]).unwrap();
    let secret = |text: &str| Zeroizing::new(text.as_bytes().to_vec());
    let stored = on_pool(password::hash_later(secret("correct horse"), cost, wanted.job())).unwrap();
    let verify = |text| on_pool(password::verify_later(secret(text), stored.clone(), Bounds::Usual, wanted.job()));
    verify("correct horse").unwrap();
    assert_eq!(verify("battery staple").unwrap_err().code, "not_authentic");
    let raised = |took| password::raised(cost, Duration::from_millis(250), Duration::from_millis(took)).unwrap();
    assert_eq!([raised(250), raised(60), raised(1000)], [10, 12, 10]);
    wanted.job().cancel();
    assert_eq!(verify("correct horse").unwrap_err().code, "cancelled");
}

#[test]
fn a_tag_is_that_of_the_whole_and_a_customization_is_of_kmac_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = pattern(300_000);
    let path = folder.path().join("data");
    std::fs::write(&path, &data).unwrap();
    let key = Arc::new(mac::mac("hmac-sha256", b"key", None, None).unwrap());
    let tag = key.sign(&data);
    let signing = Signing::new(&key);
    data.chunks(777).for_each(|part| signing.update(part));
    signing.verify(tag.as_bytes(), false).unwrap();
    assert_eq!(signing.verify(&tag.as_bytes()[..8], false).unwrap_err().code(), "wrong_length");
    signing.verify(&tag.as_bytes()[..8], true).unwrap();
    // More may follow.
    signing.update(b"more");
    assert_eq!(signing.verify(tag.as_bytes(), false).unwrap_err().code(), "not_authentic");
    let wanted = Wanted::new();
    assert_eq!(on_pool(mac::file(Arc::clone(&key), path.clone(), false, wanted.job())).unwrap(), tag);
    wanted.job().cancel();
    assert_eq!(on_pool(mac::file(key, path, false, wanted.job())).err().unwrap().code, "cancelled");
    for (name, customization, len) in [
        ("hmac-sha256", Some(&b"x"[..]), None),
        ("hmac-sha256", None, Some(16)),
        ("kmac256", None, Some(7)),
        ("", None, Some(0)),
    ] {
        assert_eq!(mac::mac(name, b"key", customization, len).unwrap_err().code(), "wrong_length");
    }
    assert_eq!(mac::mac("kmac256", b"key", Some(b"x"), Some(8)).unwrap().sign(b"").as_bytes().len(), 8);
    let key = mac::mac("hmac-sha256", b"Jefe", None, None).unwrap();
    let [hex, base64] = ["hex", "base64"].map(|name| encoding_of(encoding_id(name).unwrap()));
    let data = b"what do ya want for nothing?";
    let verify = |tag: &str, encoding, is_truncated| {
        let verdict = mac::verify_text(&key, data, tag.as_bytes(), encoding, is_truncated);
        verdict.map_or_else(|error| error.code(), |()| "")
    };
    assert_eq!(verify("5BDCC146bf60754e", hex, true), "");
    assert_eq!(verify("5bdcc146bf60754e", hex, false), "wrong_length");
    assert_eq!(verify("5bdcc146bf60754f", hex, true), "not_authentic");
    assert_eq!(verify("5bdcc146 bf60754e", hex, true), "invalid_encoding");
    assert_eq!(verify("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=", base64, false), "");
    assert_eq!(verify("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM", base64, false), "invalid_encoding");
}
