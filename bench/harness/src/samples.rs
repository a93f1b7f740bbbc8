//! Inputs: the same bytes in every run and on every machine, from a fixed seed; only sources are what the machine has.

use crate::definition::Content;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The seed of all samples.
const SEED: u64 = 42;

/// `SplitMix64`: enough for samples, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An exponential distribution in whole numbers, doubling its rarity every 1,000: no logarithm, whose last bits
    /// differ between machines.
    fn exponential(&mut self) -> u64 {
        u64::from(self.next().leading_zeros()) * 1000 + self.below(1000)
    }
}

/// Records of a service, one JSON object a line: a user, an action, a minute, a value. Of a hundred, about ninety are
/// typical, five at the bounds of what is allowed, and five beyond what anybody expects.
pub struct Records {
    random: Random,
    minute: u64,
}

const ACTIONS: [&str; 8] = ["login", "logout", "view", "search", "add_to_cart", "pay", "refund", "export"];

impl Default for Records {
    fn default() -> Self {
        Self { random: Random(SEED), minute: 0 }
    }
}

impl Iterator for Records {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let random = &mut self.random;
        let rule = random.below(100);
        // Records come a few a minute.
        self.minute += random.below(3) / 2;
        let (minute, hour, day) = (self.minute % 60, self.minute / 60 % 24, self.minute / 1440 % 28 + 1);
        let time = format!("2025-01-{day:02}T{hour:02}:{minute:02}Z");
        let action = ACTIONS[usize::try_from(random.below(8)).unwrap_or(0)];
        let (user, value) = (random.below(1_000_000), random.exponential());
        let (user, action, value) = match rule {
            0 => (0, action.to_owned(), 0),
            1 => (u64::from(u32::MAX), action.to_owned(), value),
            2 => (user, String::new(), value),
            3 => (user, action.to_owned(), u64::MAX >> 11),
            4 => (user, "x".repeat(255), value),
            5 => (user, "\\u0000\\n\\\"".to_owned(), value),
            6 => (user, "支付 оплата 🛒".to_owned(), value),
            7 => (user, action.repeat(500), value),
            8 => (user, "'; DROP TABLE orders; --".to_owned(), value),
            9 => (user, "../../etc/passwd".to_owned(), value),
            _ => (user, action.to_owned(), value),
        };
        let (whole, part) = (value / 100, value % 100);
        Some(format!(r#"{{"user":{user},"action":"{action}","time":"{time}","value":{whole}.{part:02}}}"#))
    }
}

/// No source that somebody wrote is so long: what is longer was generated, or is a test vector.
const SOURCE_MAX_LEN: u64 = 1 << 20;

/// The text files below these folders, each content once, in the order of their digests: a part of them is as mixed as all.
pub fn sources(folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<_> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && entry.metadata()?.len() <= SOURCE_MAX_LEN {
                let content = fs::read(entry.path())?;
                if std::str::from_utf8(&content).is_ok_and(|text| !text.contains('\0')) {
                    found.insert(Sha256::digest(content), entry.path());
                }
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Where sources are: the folders that `BENCH_SOURCES` names, or what cargo has unpacked.
fn source_folders() -> Vec<PathBuf> {
    if let Some(folders) = std::env::var_os("BENCH_SOURCES") {
        return std::env::split_paths(&folders).collect();
    }
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home);
    cargo.into_iter().map(|cargo| cargo.join("registry/src")).collect()
}

/// Writes an input of this content and size. An error of the kind `UnexpectedEof` says that there is not so much of it here.
pub fn write(path: &Path, content: Content, amount: u64) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    match content {
        Content::Pattern => {
            let block: Vec<u8> = (0..=250).cycle().take(251 * 1024).collect();
            repeat(&mut out, amount, &block)?;
        }
        Content::Random => {
            let mut random = Random(SEED);
            let mut left = amount;
            while left > 0 {
                let word = random.next().to_le_bytes();
                let len = left.min(8);
                out.write_all(&word[..usize::try_from(len).unwrap_or(8)])?;
                left -= len;
            }
        }
        Content::Records => {
            for record in Records::default().take(usize::try_from(amount).unwrap_or(usize::MAX)) {
                writeln!(out, "{record}")?;
            }
        }
        Content::Text => {
            let mut left = amount;
            for record in Records::default() {
                let line = record + "\n";
                let len = left.min(line.len() as u64);
                out.write_all(&line.as_bytes()[..usize::try_from(len).unwrap_or(0)])?;
                left -= len;
                if left == 0 {
                    break;
                }
            }
        }
        Content::Sources => {
            let mut left = amount;
            for path in sources(&source_folders())? {
                let source = fs::read(path)?;
                let len = left.min(source.len() as u64);
                out.write_all(&source[..usize::try_from(len).unwrap_or(0)])?;
                left -= len;
            }
            if left > 0 {
                let has = (amount - left) / 1_000_000;
                let why = format!("there are {has} MB of sources, and BENCH_SOURCES=FOLDER:FOLDER names where");
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
            }
        }
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()
}

fn repeat(out: &mut impl Write, amount: u64, block: &[u8]) -> io::Result<()> {
    let mut left = amount;
    while left > 0 {
        let len = left.min(block.len() as u64);
        out.write_all(&block[..usize::try_from(len).unwrap_or(0)])?;
        left -= len;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_records_have_all_classes_and_are_the_same_every_time() {
        let records: Vec<_> = Records::default().take(1000).collect();
        assert_eq!(records, Records::default().take(1000).collect::<Vec<_>>());
        assert_eq!(
            records[0],
            Records::default().next().unwrap(),
            "the first record is the first record, whatever follows"
        );
        for class in ["\"user\":0,", "4294967295", "\"action\":\"\"", "支付", "DROP TABLE", "\\u0000"] {
            assert!(records.iter().any(|record| record.contains(class)), "no {class}");
        }
        let typical = records.iter().filter(|record| record.len() < 100).count();
        assert!((900..1000).contains(&typical), "{typical} typical records");
        for record in &records {
            serde_json::from_str::<serde_json::Value>(record).unwrap();
        }
    }

    #[test]
    fn sources_are_texts_and_each_is_there_once_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other/deep"].map(|name| folder.path().join(name));
        for place in [&one, &other] {
            std::fs::create_dir_all(place).unwrap();
            std::fs::write(place.join("main.rs"), "fn main() {}").unwrap();
            std::fs::write(place.join("lib.o"), "\0binary").unwrap();
        }
        std::fs::write(other.join("new.rs"), "struct New;").unwrap();
        std::fs::write(other.join("long.rs"), " ".repeat(2 << 20)).unwrap();
        std::os::unix::fs::symlink(folder.path(), one.join("loop")).unwrap();
        let contents = |folders: &[PathBuf]| {
            let paths = sources(folders).unwrap();
            paths.into_iter().map(|path| std::fs::read_to_string(path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(contents(&[folder.path().into()]).len(), 2);
        assert_eq!(contents(&[one.clone(), other.clone()]), contents(&[other, one]));
    }

    #[test]
    fn every_content_has_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        for amount in [1, 7, 8, 250, 251, 252, 100_003] {
            for content in [Content::Pattern, Content::Random, Content::Text] {
                write(&path, content, amount).unwrap();
                assert_eq!(std::fs::metadata(&path).unwrap().len(), amount, "{content:?}");
            }
        }
        // What the machine has is enough for one that builds this.
        write(&path, Content::Sources, 100_003).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 100_003);
        write(&path, Content::Records, 100).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 100);
    }
}
