//! The keystream of ChaCha20 and Salsa20, on the backend of a key.

use crate::backend::Kernel;
use crate::erasure::clear;
use crate::lanes::{CHACHA, counter};
use crate::poly1305::{Factors, Mac};
use crate::portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::wasm32;
#[cfg(target_arch = "x86_64")]
use crate::x86_64;
use zeroize::Zeroizing;

/// Bytes of a block.
pub(crate) const BLOCK_LEN: usize = 64;

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The input of the next block: sixteen words, two of which count blocks. Zeroed on drop.
pub(crate) struct Keystream<const CIPHER: bool> {
    pub(crate) kernel: Kernel,
    pub(crate) words: Zeroizing<[u32; 16]>,
}

impl<const CIPHER: bool> Keystream<CIPHER> {
    /// Takes a key, and sixteen bytes of counter and nonce in the cipher's order.
    pub(crate) fn new(kernel: Kernel, key: &[u8; 32], input: &[u8; 16]) -> Self {
        let mut words = Zeroizing::new([0; 16]);
        let (bytes, _) = key.as_chunks::<4>();
        let key: [u32; 8] = std::array::from_fn(|i| u32::from_le_bytes(bytes[i]));
        let (bytes, _) = input.as_chunks::<4>();
        let input: [u32; 4] = std::array::from_fn(|i| u32::from_le_bytes(bytes[i]));
        if CIPHER == CHACHA {
            words[..4].copy_from_slice(&CONSTANTS);
            words[4..12].copy_from_slice(&key);
            words[12..].copy_from_slice(&input);
        } else {
            (0..4).for_each(|i| words[5 * i] = CONSTANTS[i]);
            words[1..5].copy_from_slice(&key[..4]);
            words[6..10].copy_from_slice(&input);
            words[11..15].copy_from_slice(&key[4..]);
        }
        Self { kernel, words }
    }

    /// Adds the keystream to `data` and advances the counter; a partial block uses up a whole one.
    pub(crate) fn add(&mut self, mut data: &mut [u8]) {
        while !data.is_empty() {
            let (now, later) = data.split_at_mut(self.bytes_before_carry().min(data.len() as u64) as usize);
            let low = self.words[counter::<CIPHER>()];
            match self.kernel {
                Kernel::Portable => portable::keystream::add::<CIPHER>(&mut self.words, now),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Kernel::Simd128 => wasm32::keystream::add::<CIPHER>(&mut self.words, now),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2(cpu) => x86_64::keystream::avx2::add::<CIPHER>(cpu, &mut self.words, now),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx512(cpu) => x86_64::keystream::avx512::add::<CIPHER>(cpu, &mut self.words, now),
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx512Ifma(cpu) => x86_64::keystream::avx512::add::<CIPHER>(cpu.into(), &mut self.words, now),
            }
            self.words[counter::<CIPHER>()] = low;
            self.advance(now.len().div_ceil(BLOCK_LEN));
            data = later;
        }
    }

    /// Adds the keystream to a head of some blocks, and to the chunk after it.
    pub(crate) fn add_both(&mut self, head: &mut [u8], chunk: &mut [u8]) {
        #[cfg(target_arch = "x86_64")]
        if let (CHACHA, Kernel::Avx512Ifma(cpu)) = (CIPHER, self.kernel)
            && let (Ok(block), Ok(chunk)) = ((&mut *head).try_into(), (&mut *chunk).try_into())
        {
            x86_64::keystream::avx512::add_behind(cpu.into(), &self.words, block, chunk);
            return self.advance(1 + x86_64::keystream::avx512::AT_ONCE);
        }
        self.add(head);
        self.add(chunk);
    }

    /// Encrypts or decrypts the beginning of `data` and authenticates its ciphertext, if the kernel does both at once. Returns
    /// the number of bytes. The first `chunk` bytes are encrypted already, or their keystream is in `ahead`.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(unused_variables, reason = "other kernels keep no keystream, or do not authenticate")
    )]
    pub(crate) fn add_beside_mac<const SEAL: bool>(
        &mut self,
        mac: &mut Mac<Factors>,
        data: &mut [u8],
        chunk: usize,
        ahead: &mut [u8],
    ) -> usize {
        let len = chunk + self.bytes_before_carry().min((data.len() - chunk) as u64) as usize;
        let low = self.words[counter::<CIPHER>()];
        let done = match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(cpu) => {
                x86_64::keystream::avx2::run::<CIPHER, SEAL>(cpu, &mut self.words, &mut mac.sum, &mut data[..len])
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Ifma(cpu) if chunk > 0 => {
                let (factors, h) = mac.factors(cpu);
                let (state, data) = (&mut self.words, &mut data[..len]);
                match ahead.try_into() {
                    Ok(ahead) => x86_64::keystream::ifma::open::<CIPHER>(cpu, state, factors, h, ahead, data),
                    Err(_) => x86_64::keystream::ifma::seal::<CIPHER>(cpu, state, factors, h, data),
                }
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => wasm32::keystream::run::<CIPHER, SEAL>(&mut self.words, &mut mac.sum, &mut data[..len]),
            _ => 0,
        };
        self.words[counter::<CIPHER>()] = low;
        self.advance((done - chunk) / BLOCK_LEN);
        done
    }

    /// Bytes until the low word of the counter wraps: the kernels count in the low word only.
    pub(crate) fn bytes_before_carry(&self) -> u64 {
        ((1 << 32) - u64::from(self.words[counter::<CIPHER>()])) * BLOCK_LEN as u64
    }

    /// Advances the counter by `blocks`, at most to the first block after a carry.
    pub(crate) fn advance(&mut self, blocks: usize) {
        let at = counter::<CIPHER>();
        let (low, carry) = self.words[at].overflowing_add(blocks as u32);
        self.words[at] = low;
        // Exactly 2^32 blocks leave the low word as it was.
        let carry = carry || blocks as u64 > u64::from(u32::MAX);
        self.words[at + 1] = self.words[at + 1].wrapping_add(u32::from(carry));
    }
}

/// HChaCha20 or HSalsa20: the rounds without the final addition. The output is the words that began as constants, counter and
/// nonce.
pub(crate) fn subkey<const CIPHER: bool>(key: &[u8; 32], input: &[u8; 16]) -> Zeroizing<[u8; 32]> {
    let before = Keystream::<CIPHER>::new(Kernel::Portable, key, input);
    let (words, _) = before.words.as_chunks::<1>();
    let words = words.try_into().expect("keystream: a block has sixteen words");
    let mut after = portable::keystream::rounds::<CIPHER, 1>(words);
    let places = if CIPHER == CHACHA { [0, 1, 2, 3, 12, 13, 14, 15] } else { [0, 5, 10, 15, 6, 7, 8, 9] };
    let mut subkey = Zeroizing::new([0; 32]);
    for (bytes, place) in subkey.as_chunks_mut::<4>().0.iter_mut().zip(places) {
        *bytes = after[place][0].to_le_bytes();
    }
    clear(&mut after, [0]);
    subkey
}

/// Blocks that a kernel processes at once, at most.
pub(crate) fn at_once(kernel: Kernel) -> usize {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(_) => x86_64::keystream::avx2::AT_ONCE,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512(_) | Kernel::Avx512Ifma(_) => x86_64::keystream::avx512::AT_ONCE,
        _ => 4,
    }
}

/// Bytes after the head whose keystream is computed before Poly1305 has its key. Kernels that encrypt and authenticate at once
/// authenticate a sealed chunk while they encrypt the next.
pub(crate) fn chunk_ahead<const SEAL: bool>(kernel: Kernel) -> usize {
    let has_both = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(_) => SEAL,
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512Ifma(_) => true,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kernel::Simd128 => SEAL,
        _ => false,
    };
    if has_both { at_once(kernel) * BLOCK_LEN } else { 0 }
}
