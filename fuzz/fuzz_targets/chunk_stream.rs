//! Chunked encryption in parts: splits change nothing, and damage shows nothing but a prefix of the plaintext.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::chunked::{CHUNK_LEN, ChunkedKey, HEAD_LEN, SEALED_CHUNK_LEN};
use sealstone::{Error, Suite};

#[derive(Arbitrary, Debug)]
struct Case {
    suite: u8,
    key: [u8; 32],
    context: Vec<u8>,
    chunks: u8,
    /// Distance of the length from a whole number of chunks: the edges are where faults are.
    rest: i16,
    splits: Vec<u16>,
    damage: Damage,
}

#[derive(Arbitrary, Debug)]
enum Damage {
    Flip { at: u32, flip: u8 },
    Cut { len: u32 },
    Extend { bytes: Vec<u8> },
    Insert { at: u32, bytes: Vec<u8> },
    SwapChunks { a: u8, b: u8 },
    DropChunk { index: u8 },
    RepeatChunk { index: u8 },
}

fuzz_target!(|case: Case| {
    let suite = Suite::ALL[usize::from(case.suite) % Suite::ALL.len()];
    let key = ChunkedKey::new(suite, &case.key[..suite.key_len()]).expect("the key has its length");
    let len = (usize::from(case.chunks % 5) * CHUNK_LEN).saturating_add_signed(case.rest.into());
    let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();

    let whole = key.encrypt(&case.context, &plaintext).expect("it seals");
    let parts = seal(&key, &case, &plaintext).expect("it seals in parts");
    assert_eq!(whole.len(), parts.len());
    for sealed in [&whole, &parts] {
        assert_eq!(key.decrypt(&case.context, sealed).expect("one shot opens both"), plaintext);
        let (released, result) = open(&key, &case, sealed);
        result.expect("parts open both");
        assert_eq!(released, plaintext);
    }

    let damaged = case.damage.apply(&whole);
    if damaged == whole {
        return;
    }
    assert!(key.decrypt(&case.context, &damaged).is_err(), "damage was not seen");
    let (released, result) = open(&key, &case, &damaged);
    assert!(result.is_err(), "damage was not seen in parts");
    assert!(plaintext.starts_with(&released), "something else than the plaintext was released");
});

fn seal(key: &ChunkedKey, case: &Case, plaintext: &[u8]) -> Result<Vec<u8>, Error> {
    let mut sealer = key.sealer(&case.context)?;
    let mut out = sealer.head().to_vec();
    for mut part in split(plaintext, &case.splits) {
        while !part.is_empty() {
            part = &part[sealer.fill(part)..];
            if let Some(unit) = sealer.take() {
                out.extend(unit.run()?);
            }
        }
    }
    out.extend(sealer.finish().run()?);
    Ok(out)
}

/// What was released before the end or an error, and which of them it was.
fn open(key: &ChunkedKey, case: &Case, sealed: &[u8]) -> (Vec<u8>, Result<(), Error>) {
    let mut released = Vec::new();
    let result = (|| {
        let mut opener = key.opener(&case.context, sealed)?;
        let mut release = |(bytes, failure): (Vec<u8>, Option<Error>)| {
            released.extend(bytes);
            failure.map_or(Ok(()), Err)
        };
        for mut part in split(&sealed[HEAD_LEN..], &case.splits) {
            while !part.is_empty() {
                part = &part[opener.fill(part)..];
                opener.flush().map_or(Ok(()), |unit| release(unit.run()))?;
            }
        }
        release(opener.finish().run())
    })();
    (released, result)
}

/// Parts of these lengths, over and over; an empty part comes first.
fn split<'a>(mut bytes: &'a [u8], lengths: &[u16]) -> Vec<&'a [u8]> {
    let mut parts = vec![&bytes[..0]];
    let mut lengths = lengths.iter().cycle();
    while !bytes.is_empty() {
        // Parts of a few bytes would only be slow.
        let len = lengths.next().map_or(bytes.len(), |len| usize::from(*len).max(64));
        let (part, rest) = bytes.split_at(len.min(bytes.len()));
        parts.push(part);
        bytes = rest;
    }
    parts
}

impl Damage {
    fn apply(&self, sealed: &[u8]) -> Vec<u8> {
        let mut bytes = sealed.to_vec();
        let (head, chunks) = sealed.split_at(HEAD_LEN);
        let mut chunks: Vec<_> = chunks.chunks(SEALED_CHUNK_LEN).collect();
        let pick = |index: &u8| usize::from(*index) % chunks.len();
        match self {
            Self::Flip { at, flip } => bytes[*at as usize % sealed.len()] ^= flip,
            Self::Cut { len } => bytes.truncate(*len as usize % sealed.len()),
            Self::Extend { bytes: more } => bytes.extend(more),
            Self::Insert { at, bytes: more } => {
                let at = *at as usize % sealed.len();
                bytes.splice(at..at, more.iter().copied());
            }
            Self::SwapChunks { a, b } => {
                let (a, b) = (pick(a), pick(b));
                chunks.swap(a, b);
                bytes = [head, &chunks.concat()].concat();
            }
            Self::DropChunk { index } => {
                chunks.remove(pick(index));
                bytes = [head, &chunks.concat()].concat();
            }
            Self::RepeatChunk { index } => {
                let index = pick(index);
                chunks.insert(index, chunks[index]);
                bytes = [head, &chunks.concat()].concat();
            }
        }
        bytes
    }
}
