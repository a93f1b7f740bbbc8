//! `workload/records/seal` and `sm4/gcm/seal-records`: many short texts, each sealed by itself.

use super::{Aead, NONCE_LEN, TAG_LEN, seal};
use crate::buffer::Buffer;
use crate::{Trial, Waits};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The records of an input: its lines without their ends. The last needs none; empty ones count.
fn split(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Four zero bytes, and the number of the record.
pub(super) fn nonce(index: usize) -> [u8; NONCE_LEN] {
    let mut nonce = [0; NONCE_LEN];
    nonce[4..].copy_from_slice(&(index as u64).to_be_bytes());
    nonce
}

/// The records stand in the output already, each with room for its tag, and are sealed there: a program that has
/// records has them in memory of its own. One reading of the clock a record is part of the price, in every engine.
pub(super) struct Records<K> {
    key: K,
    sealed: Buffer,
    places: Vec<Range<usize>>,
    longest: Duration,
}

impl<K: Aead> Records<K> {
    pub(super) fn new(key: K, input: &[u8]) -> Self {
        let mut at = 0;
        let places: Vec<_> = split(input)
            .map(|record| {
                let from = at;
                at += record.len() + TAG_LEN;
                from..at
            })
            .collect();
        let mut sealed = Buffer::new(at);
        for (record, place) in split(input).zip(&places) {
            sealed[place.start..place.end - TAG_LEN].copy_from_slice(record);
        }
        Self { key, sealed, places, longest: Duration::ZERO }
    }
}

impl<K: Aead> Trial for Records<K> {
    fn run(&mut self) -> Result<(), String> {
        let mut before = Instant::now();
        for (index, place) in self.places.iter().enumerate() {
            seal(&self.key, &nonce(index), &mut self.sealed[place.clone()]);
            let now = Instant::now();
            self.longest = self.longest.max(now - before);
            before = now;
        }
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }

    fn units(&self) -> Option<u64> {
        Some(self.places.len() as u64)
    }

    fn take_waits(&mut self) -> Option<Waits> {
        Some(Waits { longest: std::mem::take(&mut self.longest), mean: None })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Toy;
    use super::*;

    #[test]
    fn a_record_is_a_line_without_its_end() {
        let records =
            |input: &'static str| split(input.as_bytes()).map(|r| r.escape_ascii().to_string()).collect::<Vec<_>>();
        assert_eq!(records(""), [""; 0]);
        assert_eq!(records("a"), ["a"]);
        assert_eq!(records("a\n"), ["a"]);
        assert_eq!(records("a\n\nb\r\n"), ["a", "", "b\\r"]);
        assert_eq!(records("\n"), [""]);
    }

    #[test]
    fn every_record_has_a_nonce_and_a_tag_of_its_own() {
        let mut trial = Records::new(Toy, b"ab\nc\n");
        trial.run().unwrap();
        let (first, second) = ([b'a' ^ 0x80, b'b' ^ 0x80], [b'c' ^ 0x81]);
        let one = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        let expected = [&first[..], &Toy::tag(&[0; 12], &first), &second[..], &Toy::tag(&one, &second)].concat();
        assert_eq!(trial.output(), expected);
        assert_eq!(trial.units(), Some(2));
        assert!(trial.take_waits().unwrap().longest > Duration::ZERO);
        assert_eq!(trial.take_waits().unwrap().longest, Duration::ZERO, "it was taken");
    }

    #[test]
    fn the_nonce_is_big_endian() {
        assert_eq!(nonce(0x0102), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    }
}
