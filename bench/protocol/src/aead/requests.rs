//! `sm4/gcm/seal-requests`: many texts that have come at once, sealed on all cores.

use super::records::nonce;
use super::{Aead, TAG_LEN, seal};
use crate::buffer::Buffer;
use crate::{Trial, Waits};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// So many have come.
const COUNT: usize = 1000;

/// As many threads as there are cores, each of which takes the next request when it is done with one.
pub(super) struct Requests<K> {
    key: K,
    /// The requests, one behind the other, each with room for its tag.
    sealed: Buffer,
    threads: usize,
    waits: Tally,
}

/// How long requests took from when all had come until each was done.
#[derive(Default)]
struct Tally {
    longest: Duration,
    sum: Duration,
    count: u32,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.longest = self.longest.max(other.longest);
        self.sum += other.sum;
        self.count += other.count;
    }
}

impl<K: Aead> Requests<K> {
    pub(super) fn new(key: K, input: &[u8]) -> Self {
        let len = input.len().div_ceil(COUNT);
        let mut sealed = Buffer::new(COUNT * (len + TAG_LEN));
        for (text, request) in input.chunks(len.max(1)).zip(sealed.chunks_exact_mut(len + TAG_LEN)) {
            request[..text.len()].copy_from_slice(text);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { key, sealed, threads, waits: Tally::default() }
    }
}

impl<K: Aead> Trial for Requests<K> {
    fn run(&mut self) -> Result<(), String> {
        let (key, len) = (&self.key, self.sealed.len() / COUNT);
        let begun = Instant::now();
        let queue = Mutex::new(self.sealed.chunks_exact_mut(len).enumerate());
        let next = || queue.lock().ok()?.next();
        let work = || {
            let mut waits = Tally::default();
            while let Some((index, request)) = next() {
                seal(key, &nonce(index), request);
                let wait = begun.elapsed();
                waits.add(&Tally { longest: wait, sum: wait, count: 1 });
            }
            waits
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                self.waits.add(&thread.join().map_err(|_| "a thread panicked")?);
            }
            Ok(())
        })
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }

    fn units(&self) -> Option<u64> {
        Some(COUNT as u64)
    }

    fn take_waits(&mut self) -> Option<Waits> {
        let Tally { longest, sum, count } = std::mem::take(&mut self.waits);
        Some(Waits { longest, mean: sum.checked_div(count) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Toy;
    use super::*;

    #[test]
    fn each_of_a_thousand_requests_has_a_nonce_and_a_tag_of_its_own() {
        let input: Vec<u8> = (0..2_500_u32).map(|i| (i % 251) as u8).collect();
        let mut trial = Requests::new(Toy, &input);
        trial.run().unwrap();
        let mut padded = input;
        padded.resize(3000, 0);
        for (index, (text, request)) in padded.chunks(3).zip(trial.output().chunks(3 + TAG_LEN)).enumerate() {
            let mut sealed = [text, &[0; TAG_LEN]].concat();
            seal(&Toy, &nonce(index), &mut sealed);
            assert_eq!(request, sealed, "{index}");
        }
        assert_eq!(trial.units(), Some(1000));
    }

    #[test]
    fn the_mean_wait_is_of_all_requests_of_all_runs_and_is_taken() {
        let mut trial = Requests::new(Toy, &[7; 1000]);
        assert_eq!(trial.take_waits().unwrap().mean, None, "none has come");
        for _ in 0..3 {
            trial.run().unwrap();
        }
        assert_eq!(trial.waits.count, 3000);
        let waits = trial.take_waits().unwrap();
        assert!(waits.mean.unwrap() <= waits.longest);
        assert_eq!(trial.waits.count, 0);
    }
}
