use super::*;
use crate::encoding::{decode_base64, decode_hex};
use proptest::prelude::*;
use serde_json::Value;
use std::io::Cursor;

/// Pushes a stream in pieces of a length, and returns its frames.
fn decoded(stream: &[u8], rules: &[Profile], timestamp: i64, piece_len: usize) -> Result<Vec<Frame>> {
    let mut decoder = FrameDecoder::new(rules.to_vec())?.timestamp(timestamp);
    let mut frames = Vec::new();
    for piece in stream.chunks(piece_len) {
        decoder.push(piece);
        while let Some(frame) = decoder.next_frame()? {
            frames.push(frame);
        }
    }
    decoder.finish()?;
    Ok(frames)
}

fn plain() -> Profile {
    Profile::from_json("{\"fise\": 1}").unwrap()
}

#[test]
fn streams_are_read_and_refused_as_the_vectors_say() {
    let cases: Vec<Value> = super::super::tests::cases("frames");
    let mut by_index = 0;
    for case in &cases {
        let rules: Vec<_> =
            case["rules"].as_array().unwrap().iter().map(|one| Profile::from_json(&one.to_string()).unwrap()).collect();
        let stream = decode_base64(case["stream"].as_str().unwrap()).unwrap();
        let timestamp = case["timestamp"].as_i64().unwrap();
        // As a whole, and so that everything is cut somewhere.
        let found = [1 << 20, 7].map(|piece_len| decoded(&stream, &rules, timestamp, piece_len));
        let Some(expected) = case["frames"].as_array() else {
            for found in found {
                assert_eq!(found.unwrap_err().code(), case["error"], "{}", case["name"]);
            }
            continue;
        };
        let expected: Vec<_> = expected
            .iter()
            .map(|frame| {
                let text = |name: &str| frame[name].as_str().unwrap();
                (decode_hex(text("metadata")).unwrap(), decode_base64(text("content")).unwrap())
            })
            .collect();
        for found in found {
            let found: Vec<_> = found.unwrap_or_else(|error| panic!("{}: {error}", case["name"]));
            let found: Vec<_> = found.into_iter().map(|frame| (frame.metadata, frame.content)).collect();
            assert!(found == expected, "{}", case["name"]);
        }
        if let Ok(mut reader) = FrameReader::open(Cursor::new(&stream), rules, timestamp) {
            by_index += 1;
            let content: Vec<u8> = expected.iter().flat_map(|(_, content)| content.clone()).collect();
            assert_eq!(reader.content_len(), content.len() as u64);
            assert!(reader.read(0..content.len() as u64).unwrap() == content, "{}", case["name"]);
        }
    }
    assert!(by_index >= 5, "{by_index} streams with an index");
}

#[test]
fn a_reader_by_index_refuses_what_the_vectors_break_in_an_index() {
    let mut tried = 0;
    for case in super::super::tests::cases("frames") {
        let name = case["name"].as_str().unwrap();
        if !name.starts_with("index_") {
            continue;
        }
        let stream = decode_base64(case["stream"].as_str().unwrap()).unwrap();
        let opened = FrameReader::open(Cursor::new(stream), [plain()], 0);
        let read = opened.and_then(|mut reader| reader.read(0..reader.content_len()));
        assert!(matches!(read, Err(Error::Malformed(_) | Error::Truncated)), "{name}: {read:?}");
        tried += 1;
    }
    assert!(tried > 10, "{tried} cases");
}

#[test]
fn the_error_of_an_envelope_says_its_frame() {
    let [even, odd, other] = ["even", "odd", "other"].map(Profile::random);
    let mut encoder = FrameEncoder::new([even.clone(), odd]).unwrap().index(true);
    let stream = [encoder.frame(b"", b"a").unwrap(), encoder.last_frame(b"", b"b").unwrap()].concat();
    let rules = [even, other];
    let in_order = decoded(&stream, &rules, 0, 100).unwrap_err();
    let by_index = FrameReader::open(Cursor::new(stream), rules, 0).unwrap().frame(1).unwrap_err();
    for error in [in_order, by_index] {
        let Error::Frame { number: 1, error: inner } = &error else { panic!("{error}") };
        assert_eq!((error.to_string(), error.code()), (format!("frame 1: {inner}"), inner.code()));
    }
}

#[test]
fn lengths_over_the_limits_are_refused_and_the_stream_goes_on() {
    let mut encoder = FrameEncoder::new([plain()]).unwrap().frame_len(1 << 14).unwrap();
    let mut stream = encoder.frame(b"", &[7; 1 << 14]).unwrap();
    for (metadata, content) in [(0, (1 << 14) + 1), ((1 << 16), 0)] {
        assert_eq!(encoder.frame(&vec![0; metadata], &vec![0; content]).unwrap_err().code(), "fise_rules");
    }
    stream.extend(encoder.last_frame(&vec![1; (1 << 16) - 1], b"end").unwrap());
    assert_eq!(encoder.frame(b"", b"").unwrap_err().code(), "fise_rules");
    let frames = decoded(&stream, &[plain()], 0, 100_000).unwrap();
    assert_eq!(
        (frames[0].content.len(), frames[1].metadata.len(), &frames[1].content[..]),
        (1 << 14, 65_535, &b"end"[..])
    );
    for len in [0, (1 << 14) - 1, (1 << 20) + 1] {
        assert!(FrameEncoder::new([plain()]).unwrap().frame_len(len).is_err());
    }
    assert!(FrameEncoder::new([]).is_err() && FrameDecoder::new(vec![plain(); 256]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever the rules, the frames and the pieces, the content comes back, in order and at every range.
    #[test]
    fn a_stream_comes_back(
        seeds in prop::collection::vec(".{0,4}", 1..4),
        parts: Vec<(Vec<u8>, Vec<u8>)>,
        timestamp in -(1_i64 << 40)..1 << 40,
        piece_len in 1_usize..500,
        ends in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let rules: Vec<_> = seeds.iter().map(|seed| Profile::random(seed)).collect();
        let mut encoder = FrameEncoder::new(rules.clone()).unwrap().timestamp(timestamp).index(true);
        let mut stream = Vec::new();
        for (metadata, content) in &parts {
            stream.extend(encoder.frame(metadata, content).unwrap());
        }
        stream.extend(encoder.last_frame(b"end", b"").unwrap());
        let frames = decoded(&stream, &rules, timestamp, piece_len).unwrap();
        prop_assert_eq!(frames.len(), parts.len() + 1);
        for (frame, (metadata, content)) in frames.iter().zip(&parts) {
            prop_assert_eq!((&frame.metadata, &frame.content), (metadata, content));
        }
        let content: Vec<u8> = parts.iter().flat_map(|(_, content)| content.clone()).collect();
        let mut reader = FrameReader::open(Cursor::new(&stream), rules, timestamp).unwrap();
        let (a, b) = (ends.0.index(content.len() + 1), ends.1.index(content.len() + 1));
        let range = a.min(b)..a.max(b);
        prop_assert_eq!(reader.read(range.start as u64..range.end as u64).unwrap(), &content[range]);
        prop_assert!(reader.read(0..content.len() as u64 + 1).is_err());
    }

    /// A stream with a fault of transmission is refused, or has the same content: nothing is put in another order, repeated or left out.
    #[test]
    fn a_fault_is_noticed(
        parts in prop::collection::vec(any::<Vec<u8>>(), 1..6),
        kind in 0..4,
        at in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let mut encoder = FrameEncoder::new([plain()]).unwrap();
        let mut frames: Vec<_> = parts.iter().map(|content| encoder.frame(b"", content).unwrap()).collect();
        frames.push(encoder.last_frame(b"", b"").unwrap());
        let header: Vec<_> = frames[0].drain(..HEADER_LEN).collect();
        let (i, j) = (at.0.index(frames.len()), at.1.index(frames.len()));
        match kind {
            0 => drop(frames.remove(i)),
            1 => frames.insert(j, frames[i].clone()),
            2 => frames.swap(i, j),
            _ => {
                let len = at.1.index(frames[i].len());
                frames.truncate(i + 1);
                frames[i].truncate(len);
            }
        }
        let is_same = kind == 2 && i == j;
        let found = decoded(&[header, frames.concat()].concat(), &[plain()], 0, 1 << 20);
        prop_assert_eq!(found.is_ok(), is_same);
    }
}
