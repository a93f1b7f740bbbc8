//! Operations that a block cipher has in its modes, over its key: each peer does the same around its own calls.
//!
//! All work in place, over and over on what is there: to encrypt a ciphertext again, or to decrypt a plaintext, is the
//! same work. Nothing is copied, since nothing is refused.

use crate::buffer::Buffer;
use crate::{Refusal, Task, Trial};

/// Bytes of a block, and of an IV.
pub const BLOCK_LEN: usize = 16;
/// Messages of a batch.
pub const BATCH: usize = 16;

/// A block.
pub type Block = [u8; BLOCK_LEN];

/// SM4's key in every operation: that of the study in Go whose table the report shows.
pub const SM4_KEY: Block = *b"1234567890abcdef";
/// SM4's IV, and first counter block; that of message i of a batch has i added to its last byte by XOR.
pub const SM4_IV: Block = *b"fedcba0987654321";

/// What [`prepare`] can set up. The operations of GCM are [`aead::SM4_OPERATIONS`](crate::aead::SM4_OPERATIONS).
pub const OPERATIONS: &[&str] = &[
    "sm4/ecb/encrypt",
    "sm4/ecb/decrypt",
    "sm4/cbc/encrypt",
    "sm4/cbc/decrypt",
    "sm4/ctr/encrypt",
    "sm4/ctr/decrypt",
    "sm4/cbc/encrypt-batch-16",
];

/// The batch, one message after the other, for a peer that can do better.
pub const ONE_BY_ONE: &str = "sm4/cbc/encrypt-16-one-by-one";

/// A key of a peer with its schedules made. Data is whole blocks, but for CTR.
pub trait Cipher: 'static {
    /// Encrypts each block by itself.
    fn ecb_encrypt(&self, data: &mut [u8]);

    /// Decrypts each block by itself.
    fn ecb_decrypt(&self, data: &mut [u8]);

    /// Encrypts one message.
    fn cbc_encrypt(&self, iv: &Block, data: &mut [u8]);

    /// Decrypts one message.
    fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]);

    /// Encrypts or decrypts; the counter is the whole block, big-endian.
    fn ctr(&self, counter: &Block, data: &mut [u8]);

    /// Encrypts messages that have nothing to do with each other: one after the other, unless the peer knows better.
    fn cbc_encrypt_batch(&self, ivs: &[Block; BATCH], messages: [&mut [u8]; BATCH]) {
        for (iv, message) in ivs.iter().zip(messages) {
            self.cbc_encrypt(iv, message);
        }
    }
}

/// Sets up one of [`OPERATIONS`], or [`ONE_BY_ONE`], on a key that is [`SM4_KEY`].
///
/// An input that is no whole block is followed by zeros until it is, and for a batch until its 16 parts are; not for
/// CTR.
pub fn prepare<C: Cipher>(key: C, task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let (unit, before, work): (usize, Work<C>, Work<C>) = match task.operation.as_str() {
        "sm4/ecb/encrypt" => (BLOCK_LEN, nothing, C::ecb_encrypt),
        "sm4/ecb/decrypt" => (BLOCK_LEN, C::ecb_encrypt, C::ecb_decrypt),
        "sm4/cbc/encrypt" => (BLOCK_LEN, nothing, cbc_encrypt),
        "sm4/cbc/decrypt" => (BLOCK_LEN, cbc_encrypt, |key, data| key.cbc_decrypt(&SM4_IV, data)),
        "sm4/ctr/encrypt" => (1, nothing, ctr),
        "sm4/ctr/decrypt" => (1, ctr, ctr),
        "sm4/cbc/encrypt-batch-16" => (BATCH * BLOCK_LEN, nothing, |key, data| {
            key.cbc_encrypt_batch(&IVS, parts(data));
        }),
        ONE_BY_ONE => (BATCH * BLOCK_LEN, nothing, |key, data| {
            for (iv, message) in IVS.iter().zip(parts(data)) {
                key.cbc_encrypt(iv, message);
            }
        }),
        other => return Err(Refusal::Unsupported(format!("{other} is no operation of a block cipher"))),
    };
    let mut data = Buffer::beginning_with(&task.input, task.input.len().next_multiple_of(unit));
    before(&key, &mut data);
    Ok(Box::new(InPlace { key, data, work }))
}

type Work<C> = fn(&C, &mut [u8]);

const IVS: [Block; BATCH] = {
    let mut ivs = [SM4_IV; BATCH];
    let mut i: u8 = 0;
    while (i as usize) < BATCH {
        ivs[i as usize][BLOCK_LEN - 1] ^= i;
        i += 1;
    }
    ivs
};

fn nothing<C>(_: &C, _: &mut [u8]) {}

fn cbc_encrypt<C: Cipher>(key: &C, data: &mut [u8]) {
    key.cbc_encrypt(&SM4_IV, data);
}

fn ctr<C: Cipher>(key: &C, data: &mut [u8]) {
    key.ctr(&SM4_IV, data);
}

/// The messages of a batch: equal parts, one behind the other.
fn parts(data: &mut [u8]) -> [&mut [u8]; BATCH] {
    let part = data.len() / BATCH;
    let mut rest = data;
    std::array::from_fn(|_| rest.split_off_mut(..part).expect("cipher: there are 16 parts"))
}

struct InPlace<C> {
    key: C,
    data: Buffer,
    work: Work<C>,
}

impl<C: Cipher> Trial for InPlace<C> {
    fn run(&mut self) -> Result<(), String> {
        (self.work)(&self.key, &mut self.data);
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A cipher that adds 1 to every byte of a block.
    struct Toy;

    impl Cipher for Toy {
        fn ecb_encrypt(&self, data: &mut [u8]) {
            assert_eq!(data.len() % BLOCK_LEN, 0);
            for byte in data {
                *byte = byte.wrapping_add(1);
            }
        }

        fn ecb_decrypt(&self, data: &mut [u8]) {
            assert_eq!(data.len() % BLOCK_LEN, 0);
            for byte in data {
                *byte = byte.wrapping_sub(1);
            }
        }

        fn cbc_encrypt(&self, iv: &Block, data: &mut [u8]) {
            let mut last = *iv;
            for block in data.chunks_mut(BLOCK_LEN) {
                xor(block, &last);
                self.ecb_encrypt(block);
                last.copy_from_slice(block);
            }
        }

        fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]) {
            let mut last = *iv;
            for block in data.chunks_mut(BLOCK_LEN) {
                let next = Block::try_from(&*block).unwrap();
                self.ecb_decrypt(block);
                xor(block, &last);
                last = next;
            }
        }

        fn ctr(&self, counter: &Block, data: &mut [u8]) {
            for byte in data {
                *byte ^= counter[15] + 1;
            }
        }
    }

    fn xor(block: &mut [u8], other: &Block) {
        for (byte, other) in block.iter_mut().zip(other) {
            *byte ^= other;
        }
    }

    fn trial(operation: &str, input: &[u8]) -> Box<dyn Trial> {
        let task = Task { operation: operation.to_owned(), input: input.to_vec(), options: BTreeMap::new() };
        prepare(Toy, &task).unwrap()
    }

    #[test]
    fn every_operation_runs_again_and_again() {
        for operation in OPERATIONS.iter().chain([&ONE_BY_ONE]) {
            for input in [&b""[..], b"a", &[7; 1000], &vec![7; 100_000]] {
                let mut trial = trial(operation, input);
                for _ in 0..3 {
                    trial.run().unwrap();
                }
                let unit = if operation.contains("16") { 256 } else { 16 };
                let len = if operation.contains("ctr") { input.len() } else { input.len().next_multiple_of(unit) };
                assert_eq!(trial.output().len(), len, "{operation}");
            }
        }
        let task = Task { operation: "sm4/none".to_owned(), input: Vec::new(), options: BTreeMap::new() };
        assert!(matches!(prepare(Toy, &task), Err(Refusal::Unsupported(_))));
    }

    #[test]
    fn decrypting_gives_the_input_and_zeros() {
        for mode in ["ecb", "cbc", "ctr"] {
            let mut trial = trial(&format!("sm4/{mode}/decrypt"), &[9; 40]);
            trial.run().unwrap();
            let (input, rest) = trial.output().split_at(40);
            assert_eq!(input, [9; 40], "{mode}");
            assert_eq!(rest, vec![0; if mode == "ctr" { 0 } else { 8 }], "{mode}");
        }
    }

    #[test]
    fn encrypting_uses_the_iv() {
        let mut trial = trial("sm4/cbc/encrypt", &[0; 16]);
        trial.run().unwrap();
        assert_eq!(trial.output(), SM4_IV.map(|byte| byte + 1));
    }

    #[test]
    fn a_batch_is_messages_with_an_iv_each() {
        let input: Vec<u8> = (0..=255).chain(0..=255).collect();
        let mut expected = input.clone();
        for (i, part) in (0..).zip(expected.chunks_mut(32)) {
            let mut iv = *b"fedcba0987654321";
            iv[15] ^= i;
            Toy.cbc_encrypt(&iv, part);
        }
        for operation in ["sm4/cbc/encrypt-batch-16", ONE_BY_ONE] {
            let mut trial = trial(operation, &input);
            trial.run().unwrap();
            assert_eq!(trial.output(), expected);
        }
    }
}
