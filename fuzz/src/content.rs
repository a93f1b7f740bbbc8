//! Content of compressed files and archives: that of the vectors, changed.

use crate::{Edit, decryptor, identities};
use arbitrary::Arbitrary;
use sealstone::{Encryptor, Identity};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Some content.
#[derive(Arbitrary, Debug)]
pub enum Content {
    Any(Vec<u8>),
    /// A vector's, after edits.
    Edited {
        seed: u16,
        edits: Vec<Edit>,
        blocks: Vec<BlockEdit>,
    },
}

/// A change to whole blocks of 512 bytes.
#[derive(Arbitrary, Debug)]
pub enum BlockEdit {
    Remove {
        at: u8,
    },
    Repeat {
        at: u8,
    },
    Swap {
        a: u8,
        b: u8,
    },
    /// One byte of a block.
    Set {
        at: u8,
        byte: u16,
        to: u8,
    },
}

const BLOCK_LEN: usize = 512;

impl BlockEdit {
    fn apply(&self, blocks: &mut Vec<Vec<u8>>) {
        if blocks.is_empty() {
            return;
        }
        let pick = |at: &u8| usize::from(*at) % blocks.len();
        match self {
            Self::Remove { at } => drop(blocks.remove(pick(at))),
            Self::Repeat { at } => blocks.insert(pick(at), blocks[pick(at)].clone()),
            Self::Swap { a, b } => {
                let (a, b) = (pick(a), pick(b));
                blocks.swap(a, b);
            }
            Self::Set { at, byte, to } => {
                let at = pick(at);
                let byte = usize::from(*byte) % blocks[at].len();
                blocks[at][byte] = *to;
            }
        }
    }
}

/// The contents of vectors, by the beginning of their names.
pub struct Seeds(Vec<Vec<u8>>);

impl Seeds {
    /// Reads the content that is sealed in the vectors whose names begin with `name`. `open` gets it out of a file.
    pub fn read(name: &str, open: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/file");
        let mut paths: Vec<_> =
            fs::read_dir(folder).expect("fuzz: the vectors").map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let is_named = |path: &Path| path.file_name().unwrap().to_str().unwrap().starts_with(name);
        let bodies = paths.iter().filter(|path| is_named(path)).map(|path| {
            let vector = fs::read(path).unwrap();
            let at = vector.windows(2).position(|two| two == b"\n\n").expect("fuzz: a vector has a head") + 2;
            vector[at..].to_vec()
        });
        let seeds: Vec<_> = bodies.filter_map(|file| open(&file)).filter(|content| content.len() < 200_000).collect();
        assert!(!seeds.is_empty(), "no vector {name} opens");
        Self(seeds)
    }
}

impl Content {
    pub fn bytes(&self, seeds: &LazyLock<Seeds>) -> Vec<u8> {
        match self {
            Self::Any(bytes) => bytes.clone(),
            Self::Edited { seed, edits, blocks } => {
                let mut bytes = seeds.0[usize::from(*seed) % seeds.0.len()].clone();
                edits.iter().for_each(|edit| edit.apply(&mut bytes));
                let mut list: Vec<_> = bytes.chunks(BLOCK_LEN).map(<[u8]>::to_vec).collect();
                blocks.iter().for_each(|edit| edit.apply(&mut list));
                list.concat()
            }
        }
    }
}

/// Makes the checksums of all blocks right that look like headers.
pub fn repair_checksums(content: &mut [u8]) {
    for block in content.chunks_exact_mut(BLOCK_LEN).filter(|block| block[257..262] == *b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    }
}

/// Seals content with the symmetric key, which is the fastest.
pub fn seal(compressed: bool, archive: bool, content: &[u8]) -> Vec<u8> {
    let recipient = identities().last().map(Identity::recipient).expect("fuzz: the symmetric key is the last");
    let encryptor = Encryptor::new([recipient]).threads(1);
    encryptor.seal_content(compressed, archive, content).expect("fuzz: it seals")
}

/// Decrypts a vector.
pub fn open(file: &[u8]) -> Option<Vec<u8>> {
    decryptor().decrypt(file).ok()
}
