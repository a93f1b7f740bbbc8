//! Profiles, envelopes and frames of FISE: arbitrary ones, and those that are written here and changed.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::interop::fise::{Error, Frame, FrameDecoder, FrameEncoder, FrameReader, Profile, TIMESTAMP_MAX};
use sealstone_fuzz::Edit;
use std::io::Cursor;

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Profile { json: &'a str },
    Envelope { seed: &'a str, timestamp: i64, text: &'a str, bytes: &'a [u8] },
    Written { seed: &'a str, timestamp: i64, text: &'a str, bytes: &'a [u8], edits: Vec<Edit> },
    Stream { seed: &'a str, timestamp: i64, stream: &'a [u8], piece: u8 },
    Frames { seeds: [&'a str; 2], timestamp: i64, parts: Vec<(&'a [u8], &'a [u8])>, edits: Vec<Edit>, piece: u8 },
}

fuzz_target!(|case: Case| match case {
    Case::Profile { json } => {
        if let Ok(profile) = Profile::from_json(json) {
            assert_eq!(Profile::from_json(&profile.to_json()).expect("it writes what it reads"), profile);
        }
    }
    Case::Envelope { seed, timestamp, text, bytes } => {
        let profile = Profile::random(seed);
        let _ = (profile.decode_text(text, timestamp), profile.decode(bytes, timestamp));
    }
    Case::Written { seed, timestamp, text, bytes, edits } => {
        let (profile, timestamp) = (Profile::random(seed), timestamp % TIMESTAMP_MAX);
        let envelope = profile.encode_text(text, timestamp).expect("any text is written");
        assert_eq!(profile.decode_text(&envelope, timestamp).expect("it is read"), text);
        let mut envelope = profile.encode(bytes, timestamp).expect("any bytes are written");
        assert_eq!(profile.decode(&envelope, timestamp).expect("they are read"), bytes);
        edits.iter().for_each(|edit| edit.apply(&mut envelope));
        let _ = profile.decode(&envelope, timestamp);
    }
    Case::Stream { seed, timestamp, stream, piece } => {
        let _ = read(stream, &[Profile::random(seed)], timestamp, piece);
    }
    Case::Frames { seeds, timestamp, parts, edits, piece } => {
        let (rules, timestamp) = (seeds.map(Profile::random), timestamp % TIMESTAMP_MAX);
        let encoder = FrameEncoder::new(rules.clone()).expect("two are not too many");
        let mut encoder = encoder.timestamp(timestamp).index(piece % 2 == 0);
        let mut stream = Vec::new();
        for (metadata, content) in &parts {
            stream.extend(encoder.frame(metadata, content).expect("they are short"));
        }
        stream.extend(encoder.last_frame(b"", b"").expect("it is empty"));
        let frames = read(&stream, &rules, timestamp, piece).expect("it is read");
        let found: Vec<_> = frames.iter().map(|frame| (&frame.metadata[..], &frame.content[..])).collect();
        assert_eq!((&found[..parts.len()], found.len()), (&parts[..], parts.len() + 1));
        edits.iter().for_each(|edit| edit.apply(&mut stream));
        let _ = read(&stream, &rules, timestamp, piece);
    }
});

/// Reads a stream in pieces and as a whole, which gives the same; and by its index.
fn read(stream: &[u8], rules: &[Profile], timestamp: i64, piece: u8) -> Result<Vec<Frame>, Error> {
    let [pieces, whole] =
        [usize::from(piece) + 1, stream.len().max(1)].map(|len| in_order(stream, rules, timestamp, len));
    match (&pieces, &whole) {
        (Ok(a), Ok(b)) => assert_eq!(a, b),
        (a, b) => assert_eq!(a.as_ref().err().map(Error::code), b.as_ref().err().map(Error::code)),
    }
    if let Ok(mut reader) = FrameReader::open(Cursor::new(stream), rules.to_vec(), timestamp) {
        let len = reader.content_len().min(1 << 20);
        let content = reader.read(len / 3..len);
        if let (Ok(frames), Ok(content)) = (&whole, content) {
            let all: Vec<_> = frames.iter().flat_map(|frame| frame.content.iter().copied()).collect();
            assert_eq!(all[(len / 3) as usize..len as usize], content);
        }
    }
    whole
}

fn in_order(stream: &[u8], rules: &[Profile], timestamp: i64, len: usize) -> Result<Vec<Frame>, Error> {
    let mut decoder = FrameDecoder::new(rules.to_vec())?.timestamp(timestamp);
    let mut frames = Vec::new();
    for piece in stream.chunks(len) {
        decoder.push(piece);
        while let Some(frame) = decoder.next_frame()? {
            frames.push(frame);
        }
    }
    decoder.finish()?;
    Ok(frames)
}
