//! scrypt (RFC 7914) step by step. The provider computes it in one call.

use super::cost::{NO_MEMORY, Prf, ScryptCost, pbkdf2};
use crate::error::{Error, Result};
use sealstone_ciphers::scrypt::{BLOCK_LEN, Block, integerify, mix};
use zeroize::Zeroizing;

/// A derivation that is computed step by step.
pub(super) struct Derivation {
    password: Zeroizing<Vec<u8>>,
    cost: ScryptCost,
    /// The input of all lanes, then their output: a row for each lane.
    lanes: Zeroizing<Vec<Block>>,
    lane: usize,
    /// The rows of the current lane so far (V in the standard).
    rows: Zeroizing<Vec<Block>>,
    /// The number of look-ups in `rows`.
    looked_up: u64,
    row: Zeroizing<Vec<Block>>,
    mixed: Zeroizing<Vec<Block>>,
    key: Zeroizing<Vec<u8>>,
}

impl Derivation {
    /// Begins to derive a key of the length of `key`.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`] if the system has too little memory.
    pub(super) fn begin(password: &[u8], salt: &[u8], cost: ScryptCost, key: Zeroizing<Vec<u8>>) -> Result<Self> {
        let row_len = 2 * usize::try_from(cost.r).map_err(|_| NO_MEMORY)?;
        let count = |blocks: u128| usize::try_from(blocks).map_err(|_| NO_MEMORY);
        let mut rows = allocate(count((1 << cost.log_n) * row_len as u128)?)?;
        rows.clear();
        let mut lanes = allocate(count(u128::from(cost.p) * row_len as u128)?)?;
        let mut bytes = Zeroizing::new(Vec::new());
        let bytes_len = lanes.capacity().checked_mul(BLOCK_LEN).ok_or(NO_MEMORY)?;
        bytes.try_reserve_exact(bytes_len).map_err(|_| NO_MEMORY)?;
        bytes.resize(row_len * BLOCK_LEN * cost.p as usize, 0);
        pbkdf2(&*Prf::HmacSha256.of(password), salt, 1, &mut bytes);
        lanes
            .extend(bytes.chunks_exact(BLOCK_LEN).map(|bytes| Block::read(bytes.try_into().expect("scrypt: a block"))));
        let mut derivation = Self {
            password: Zeroizing::new(password.to_vec()),
            cost,
            lanes,
            lane: 0,
            rows,
            looked_up: 0,
            row: Zeroizing::new(vec![Block::default(); row_len]),
            mixed: Zeroizing::new(vec![Block::default(); row_len]),
            key,
        };
        derivation.begin_lane();
        Ok(derivation)
    }

    /// Mixes about `amount` KiB; returns whether all is done.
    pub(super) fn step(&mut self, amount: u32) -> bool {
        // 1 KiB is 16 blocks, which is the length of a row with the usual r of 8.
        let mut left = u64::from(amount) * 16;
        while left > 0 && !self.is_done() {
            self.mix();
            left = left.saturating_sub(self.row.len() as u64);
        }
        self.is_done()
    }

    fn is_done(&self) -> bool {
        self.lane == self.cost.p as usize
    }

    /// Does the remaining work, and returns the key.
    pub(super) fn finish(mut self) -> Zeroizing<Vec<u8>> {
        while !self.is_done() {
            self.mix();
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.lanes.len() * BLOCK_LEN));
        self.lanes.iter().for_each(|block| bytes.extend_from_slice(&*Zeroizing::new(block.to_bytes())));
        pbkdf2(&*Prf::HmacSha256.of(&self.password), &bytes, 1, &mut self.key);
        std::mem::take(&mut self.key)
    }

    /// Mixes one row of the 2 N of a lane.
    fn mix(&mut self) {
        let row_len = self.row.len();
        let count = 1_u64 << self.cost.log_n;
        if ((self.rows.len() / row_len) as u64) < count {
            self.rows.extend_from_slice(&self.row);
        } else {
            let at = integerify(&self.row) & (count - 1);
            let at = usize::try_from(at).expect("scrypt: the rows are in memory") * row_len;
            for (block, other) in self.row.iter_mut().zip(&self.rows[at..at + row_len]) {
                *block ^= other;
            }
            self.looked_up += 1;
        }
        mix(&self.row, &mut self.mixed);
        std::mem::swap(&mut self.row, &mut self.mixed);
        if self.looked_up == count {
            let at = self.lane * row_len;
            self.lanes[at..at + row_len].copy_from_slice(&self.row);
            self.lane += 1;
            if !self.is_done() {
                self.begin_lane();
            }
        }
    }

    fn begin_lane(&mut self) {
        let at = self.lane * self.row.len();
        let row_len = self.row.len();
        self.row.copy_from_slice(&self.lanes[at..at + row_len]);
        self.rows.clear();
        self.looked_up = 0;
    }
}

fn allocate(blocks: usize) -> Result<Zeroizing<Vec<Block>>> {
    let mut memory = Zeroizing::new(Vec::new());
    memory.try_reserve_exact(blocks).map_err(|_| -> Error { NO_MEMORY })?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider;
    use data_encoding::HEXLOWER;

    fn derive(password: &[u8], salt: &[u8], cost: ScryptCost, len: usize, amount: u32) -> Zeroizing<Vec<u8>> {
        let mut derivation = Derivation::begin(password, salt, cost, vec![0; len].into()).unwrap();
        while !derivation.step(amount) {}
        derivation.finish()
    }

    /// RFC 7914 section 12.
    #[test]
    fn known_keys() {
        let cost = ScryptCost { log_n: 4, r: 1, p: 1 };
        let expected = "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
                        fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906";
        assert_eq!(HEXLOWER.encode(&derive(b"", b"", cost, 64, 1)), expected);
        let cost = ScryptCost { log_n: 10, r: 8, p: 16 };
        let expected = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
                        2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640";
        assert_eq!(HEXLOWER.encode(&derive(b"password", b"NaCl", cost, 64, 1000)), expected);
    }

    #[test]
    fn steps_give_what_the_provider_gives_at_once() {
        for (log_n, r, p, len) in [(1, 1, 1, 1), (2, 1, 3, 33), (5, 3, 2, 100), (3, 8, 1, 32), (7, 17, 1, 64)] {
            let mut expected = vec![0; len];
            provider::scrypt(b"correct horse", b"a salt", log_n, r, p, &mut expected);
            for amount in [1, 3, 100_000] {
                let cost = ScryptCost { log_n, r, p };
                assert_eq!(*derive(b"correct horse", b"a salt", cost, len, amount), expected, "{log_n} {r} {p}");
            }
            // All of it at the end.
            let cost = ScryptCost { log_n, r, p };
            let derivation = Derivation::begin(b"correct horse", b"a salt", cost, vec![0; len].into()).unwrap();
            assert_eq!(*derivation.finish(), expected);
        }
    }

    #[test]
    fn a_step_takes_about_as_long_whatever_the_length_of_a_row() {
        let mut long = Derivation::begin(b"", b"", ScryptCost { log_n: 3, r: 80, p: 1 }, vec![0; 32].into()).unwrap();
        assert!(!long.step(10));
        assert_eq!(long.rows.len() / long.row.len(), 1);
        assert!(long.step(10_000));
    }
}
