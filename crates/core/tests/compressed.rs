//! Compressed files (archive section 2), through the public interface.

use sealstone::{Compression, DecryptFiles, Decryptor, Encryptor, FileMode, Identity, Input, Kind, Output, inspect};

fn identity() -> Identity {
    Identity::generate(Kind::X25519).unwrap()
}

/// Bytes that do not shrink, the same in each run.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

fn text(len: usize) -> Vec<u8> {
    (0_u64..).flat_map(|n| format!("line {n}: attack at dawn\n").into_bytes()).take(len).collect()
}

/// Contents whose lengths are around those of chunks, units and frames.
fn contents() -> Vec<Vec<u8>> {
    let lens = [0, 1, 16_383, 16_384, 131_073, 262_144, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 7_000_000];
    let mixed = [text(3 << 20), noise(3 << 20), vec![0; 5 << 20], noise(100)].concat();
    lens.iter().flat_map(|len| [text(*len), noise(*len), vec![7; *len]]).chain([mixed]).collect()
}

#[test]
fn what_is_compressed_decrypts_in_every_way() {
    let identity = identity();
    let place = tempfile::tempdir().unwrap();
    let (plain, sealed, opened) =
        (place.path().join("plain"), place.path().join("sealed"), place.path().join("opened"));
    for (i, content) in contents().iter().enumerate() {
        for compression in [Compression::Auto, Compression::Zstd(1), Compression::Zstd(3)] {
            let threads = 1 + i % 3;
            let encryptor = Encryptor::new([identity.recipient()]).compression(compression).threads(threads);
            let decryptor = Decryptor::new([identity.clone()]).threads(threads);
            std::fs::write(&plain, content).unwrap();
            let output = Output::file(&sealed).unwrap().replace(true).mode(FileMode::Private);
            let summary = encryptor.encrypt_to(Input::open(&plain).unwrap(), output).unwrap();
            let file = std::fs::read(&sealed).unwrap();
            assert_eq!((summary.plaintext, summary.ciphertext), (content.len() as u64, file.len() as u64));
            let seen = inspect(Input::reader(&file[..])).unwrap();
            assert!(seen.version == 2 && seen.compressed && !seen.archive);

            // From a file to a file, from a stream to a stream, in memory, and a check.
            let output = Output::file(&opened).unwrap().replace(true);
            let summary = decryptor.decrypt_to(Input::open(&sealed).unwrap(), output).unwrap();
            assert_eq!((summary.plaintext, summary.ciphertext), (content.len() as u64, file.len() as u64));
            assert!(std::fs::read(&opened).unwrap() == *content);
            let mut streamed = Vec::new();
            decryptor.decrypt_stream(&file[..], &mut streamed).unwrap();
            assert!(streamed == *content);
            assert!(decryptor.decrypt(&file).unwrap() == *content);
            assert_eq!(decryptor.verify(Input::open(&sealed).unwrap()).unwrap().plaintext, content.len() as u64);

            // From a stream, and as armour.
            let mut from_stream = Vec::new();
            encryptor.encrypt_stream(&content[..], &mut from_stream).unwrap();
            assert!(decryptor.decrypt(&from_stream).unwrap() == *content);
            let armour = encryptor.clone().armour(true).encrypt(content).unwrap();
            assert!(decryptor.decrypt(&armour).unwrap() == *content);
        }
    }
}

#[test]
fn a_range_of_a_compressed_file_is_about_its_content() {
    let identity = identity();
    let place = tempfile::tempdir().unwrap();
    let sealed = place.path().join("sealed");
    let content = [text(5 << 20), noise(1 << 20), vec![0; 3 << 20]].concat();
    let len = content.len() as u64;
    let file = Encryptor::new([identity.recipient()]).compression(Compression::Auto).encrypt(&content).unwrap();
    std::fs::write(&sealed, &file).unwrap();
    let decryptor = Decryptor::new([identity]);
    let frame = 2 << 20;
    for (start, end) in [
        (0, 0),
        (0, 1),
        (5, 5),
        (frame - 1, frame + 1),
        (frame, 2 * frame),
        (1, len),
        (len - 1, len + 5),
        (len, len),
        (len, len + 1),
    ] {
        let mut part = Vec::new();
        let read = decryptor.decrypt_range_to(Input::open(&sealed).unwrap(), start..end, Output::writer(&mut part));
        let expected = &content[usize::try_from(start).unwrap()..usize::try_from(end.min(len)).unwrap()];
        assert_eq!(read.unwrap(), expected.len() as u64);
        assert!(part == expected, "{start}..{end}");
        let input = Input::open(&sealed).unwrap();
        assert!(DecryptFiles::decrypt_range_from(&decryptor, input, start..end).unwrap() == expected);
    }
    #[allow(clippy::reversed_empty_ranges)]
    for range in [len + 1..len + 2, 5..4] {
        let read = decryptor.decrypt_range_to(Input::open(&sealed).unwrap(), range, Output::writer(Vec::new()));
        assert_eq!(read.unwrap_err().code(), "range_out_of_bounds");
    }
}

#[test]
fn a_compressed_file_is_limited_in_memory() {
    let identity = identity();
    let file =
        Encryptor::new([identity.recipient()]).compression(Compression::Auto).encrypt(&vec![0; 100_000]).unwrap();
    let decryptor = Decryptor::new([identity]);
    assert_eq!(decryptor.clone().content_limit(99_999).decrypt(&file).unwrap_err().code(), "too_long");
    assert_eq!(decryptor.clone().content_limit(100_000).decrypt(&file).unwrap().len(), 100_000);

    // A range counts by its own length.
    let limited = decryptor.content_limit(1_000);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sealed");
    std::fs::write(&path, &file).unwrap();
    let from = |range| DecryptFiles::decrypt_range_from(&limited, Input::open(&path).unwrap(), range);
    for (range, len) in
        [(0..1_000, Some(1_000)), (0..1_001, None), (99_000..u64::MAX, Some(1_000)), (98_999..u64::MAX, None)]
    {
        let said = |read: sealstone::Result<Vec<u8>>| read.map(|part| part.len()).map_err(|error| error.code());
        assert_eq!(said(limited.decrypt_range(&file, range.clone())), len.ok_or("too_long"));
        assert_eq!(said(from(range)), len.ok_or("too_long"));
    }
    // A writer decides itself how much it takes.
    let read = limited.decrypt_range_to(Input::open(&path).unwrap(), 0..u64::MAX, Output::writer(std::io::sink()));
    assert_eq!(read.unwrap(), 100_000);
}
