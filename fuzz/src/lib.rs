//! What the targets share.

pub mod content;
pub mod der;
pub mod keys;
pub mod signing;
pub mod ssh;

use arbitrary::Arbitrary;
use sealstone::{Decryptor, Identity, parse_identities};
use std::sync::LazyLock;

/// The identities that most of `vectors/file` is sealed to: the seeds open with them. They guard nothing.
static IDENTITIES: LazyLock<Vec<Identity>> = LazyLock::new(|| {
    let strings = "\
AGE-SECRET-KEY-1X4H0Z6WG0QDC2PPU4F0S6QYZLKRP3VS9HL2U6GRQSXA0U9TWLPMSZJLQ66
AGE-SECRET-KEY-PQ-1E75XJKKZVR7CJG4GQYKZ3V7WZK5GJE9V6ZM47GDPQG2ZSH09HJ3QH4H97D
SEALSTONE-KEY-1LDQGY45VGUPXV9MTC8L00LFLLSVVLPDALFTWMXMC9VAEPECY76LSPM6YTK
";
    let blocks = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXyM29D+Xe4PgXT93
pfPFKhZLbpxpf+YNn3tTmzU6lb2hRANCAARvXEkA08U7ongq6uqQE0HUol6nvxMd
4QBdydxtIc7Tgc5+RoetFoyzxX0O6yPetjJeCjLyUviFvGi+fw9+HPy5
-----END PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----
MFQCAQAwCwYJYIZIAWUDBAQCBEKAQB5Paq+Uo9V+h1JgRvzEZQ33nxmLt44aff5S
u5UiB6gLL/tufKSpV0poMr7qLg30rJNCHwjDb2orUC1fe4TF7zQ=
-----END PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqBHM9VAYItBG0wawIBAQQgxZJvMAW7sAQyONwQ
O4n7GWsEVlaHs7YSk784KsYGIb2hRANCAAR3R5DKPH/pU4T3c0MFOO1od9LZG4y6
CWVwxCP2/TmLFNj/SADNCHEQ5sQu/RW2GIRLBWIN750nQ8HnssaqW5mW
-----END PRIVATE KEY-----
";
    let files = [blocks, strings].into_iter();
    files.flat_map(|file| parse_identities(file, None).expect("fuzz: the vectors' identities are good")).collect()
});

/// A key of every kind: p256, ml-kem-768, sm2, x25519, hybrid and symmetric.
pub fn identities() -> &'static [Identity] {
    &IDENTITIES
}

/// A reader with these identities, on one thread: the fuzzer runs one process a core.
pub fn decryptor() -> Decryptor {
    Decryptor::new(identities().to_vec()).threads(1)
}

/// The lines of a text without their ends, which are LF or CRLF. They need not be UTF-8: nobody reads comments.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.map(|line| match line {
        [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
        line => line,
    });
    lines.collect()
}

/// The position where `part` stands first.
pub fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// A change to bytes.
#[derive(Arbitrary, Debug)]
pub enum Edit {
    Flip { at: u16, flip: u8 },
    Set { at: u16, byte: u8 },
    Insert { at: u16, bytes: Vec<u8> },
    Remove { at: u16, len: u8 },
    Repeat { at: u16, len: u8 },
    Cut { at: u16 },
}

impl Edit {
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        let (Self::Flip { at, .. }
        | Self::Set { at, .. }
        | Self::Insert { at, .. }
        | Self::Remove { at, .. }
        | Self::Repeat { at, .. }
        | Self::Cut { at }) = self;
        let at = usize::from(*at) % (bytes.len() + 1);
        let range = |len: u8| at..bytes.len().min(at + usize::from(len));
        match self {
            Self::Flip { flip, .. } => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= flip),
            Self::Set { byte, .. } => bytes.iter_mut().skip(at).take(1).for_each(|old| *old = *byte),
            Self::Insert { bytes: more, .. } => drop(bytes.splice(at..at, more.iter().copied())),
            Self::Remove { len, .. } => drop(bytes.drain(range(*len))),
            Self::Repeat { len, .. } => bytes.extend_from_within(range(*len)),
            Self::Cut { .. } => bytes.truncate(at),
        }
    }
}

/// A change to the chunks of a file.
#[derive(Arbitrary, Debug)]
pub enum Damage {
    Bytes(Edit),
    Swap { a: u8, b: u8 },
    Drop { at: u8 },
    Repeat { at: u8 },
}

impl Damage {
    /// `sealed_len` bytes are in every chunk but the last.
    pub fn apply(&self, chunks: &mut Vec<Vec<u8>>, sealed_len: usize) {
        if chunks.is_empty() {
            return;
        }
        let pick = |at: &u8| usize::from(*at) % chunks.len();
        match self {
            Self::Bytes(edit) => {
                let mut bytes = chunks.concat();
                edit.apply(&mut bytes);
                *chunks = bytes.chunks(sealed_len).map(<[u8]>::to_vec).collect();
            }
            Self::Swap { a, b } => {
                let (a, b) = (pick(a), pick(b));
                chunks.swap(a, b);
            }
            Self::Drop { at } => drop(chunks.remove(pick(at))),
            Self::Repeat { at } => {
                let at = pick(at);
                chunks.insert(at, chunks[at].clone());
            }
        }
    }
}
