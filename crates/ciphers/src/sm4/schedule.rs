//! SM4's key schedule, and the choice of a kernel.

use super::{AT_ONCE, BLOCK_LEN, Block, CHAINS, KEY_LEN, xor};
use crate::cpu;
use crate::portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::wasm32;
#[cfg(target_arch = "x86_64")]
use crate::x86_64;
use zeroize::Zeroizing;

/// An implementation of the block cipher.
///
/// ```
/// use sealstone_ciphers::sm4::Backend;
///
/// assert!(Backend::ALL.iter().any(|backend| *backend == Backend::Portable && backend.is_available()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Bit-sliced, in plain Rust.
    Portable,
    /// The 128-bit registers of WASM, chosen at compile time: a module cannot detect them.
    Simd128,
    /// AES-NI and AVX2.
    AesAvx2,
    /// VAES and AVX2.
    VaesAvx2,
    /// GFNI and AVX2.
    GfniAvx2,
    /// GFNI and AVX-512.
    GfniAvx512,
}

impl Backend {
    /// All backends, the slowest first.
    pub const ALL: [Self; 6] =
        [Self::Portable, Self::Simd128, Self::AesAvx2, Self::VaesAvx2, Self::GfniAvx2, Self::GfniAvx512];

    /// The identifier used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Simd128 => "simd128",
            Self::AesAvx2 => "aes-avx2",
            Self::VaesAvx2 => "vaes-avx2",
            Self::GfniAvx2 => "gfni-avx2",
            Self::GfniAvx512 => "gfni-avx512",
        }
    }

    /// Whether this CPU supports the backend.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernel::of(self).is_some()
    }

    /// The fastest backend that this CPU supports.
    #[must_use]
    pub fn fastest() -> Self {
        let found = Self::ALL.into_iter().rev().find(|backend| backend.is_available());
        found.expect("sm4: every CPU has a backend")
    }
}

/// Round keys for one kernel, in the order for encryption or for decryption. The keys are in a box, so that no move leaves a
/// copy behind.
pub(super) struct Schedule {
    kernel: Kernel,
    keys: Box<Zeroizing<[u32; 32]>>,
}

#[derive(Clone, Copy)]
enum Kernel {
    Portable(cpu::Plain),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(target_arch = "x86_64")]
    Aes(cpu::AesAvx2),
    #[cfg(target_arch = "x86_64")]
    Vaes(cpu::VaesAvx2),
    #[cfg(target_arch = "x86_64")]
    Gfni256(cpu::GfniAvx2),
    #[cfg(target_arch = "x86_64")]
    Gfni512(cpu::GfniAvx512),
}

impl Kernel {
    fn of(backend: Backend) -> Option<Self> {
        Some(match backend {
            Backend::Portable => Self::Portable(cpu::Plain::detect()?),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Backend::Simd128 => Self::Simd128,
            #[cfg(target_arch = "x86_64")]
            Backend::AesAvx2 => Self::Aes(cpu::AesAvx2::detect()?),
            #[cfg(target_arch = "x86_64")]
            Backend::VaesAvx2 => Self::Vaes(cpu::VaesAvx2::detect()?),
            #[cfg(target_arch = "x86_64")]
            Backend::GfniAvx2 => Self::Gfni256(cpu::GfniAvx2::detect()?),
            #[cfg(target_arch = "x86_64")]
            Backend::GfniAvx512 => Self::Gfni512(cpu::GfniAvx512::detect()?),
            _ => return None,
        })
    }
}

impl Schedule {
    /// The schedules for encryption and for decryption.
    pub(super) fn new_pair(backend: Backend, key: &[u8; KEY_LEN]) -> Option<(Self, Self)> {
        let kernel = Kernel::of(backend)?;
        let new = || Self { kernel, keys: Box::new(Zeroizing::new([0; 32])) };
        let (mut encryption, mut decryption) = (new(), new());
        match kernel {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => {
                expand(key, &mut encryption.keys, wasm32::sm4::sbox);
                wasm32::sm4::convert_round_keys(&mut encryption.keys);
            }
            _ => expand(key, &mut encryption.keys, portable::sm4::sbox),
        }
        #[cfg(target_arch = "x86_64")]
        if !matches!(kernel, Kernel::Portable(_)) {
            x86_64::sm4::convert_round_keys(&mut encryption.keys);
        }
        decryption.keys.copy_from_slice(&encryption.keys[..]);
        decryption.keys.reverse();
        Some((encryption, decryption))
    }

    pub(super) fn backend(&self) -> Backend {
        match self.kernel {
            Kernel::Portable(_) => Backend::Portable,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => Backend::Simd128,
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(_) => Backend::AesAvx2,
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(_) => Backend::VaesAvx2,
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(_) => Backend::GfniAvx2,
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(_) => Backend::GfniAvx512,
        }
    }

    /// Applies the block cipher to each block, in place.
    pub(super) fn apply(&self, blocks: &mut [Block]) {
        match self.kernel {
            Kernel::Portable(_) => portable::sm4::encrypt_blocks(&self.keys, blocks),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => wasm32::sm4::encrypt_blocks(&self.keys, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(cpu) => x86_64::sm4::aes::encrypt(cpu, &self.keys, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(cpu) => x86_64::sm4::vaes::encrypt(cpu, &self.keys, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(cpu) => x86_64::sm4::gfni_avx2::encrypt(cpu, &self.keys, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(cpu) => x86_64::sm4::gfni_avx512::encrypt(cpu, &self.keys, blocks),
        }
    }

    /// Adds the keystream of counter blocks, whose last 32 bits count and wrap, to each block.
    pub(super) fn add_keystream(&self, counter: &Block, blocks: &mut [Block]) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(cpu) => x86_64::sm4::aes::add_keystream(cpu, &self.keys, counter, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(cpu) => x86_64::sm4::vaes::add_keystream(cpu, &self.keys, counter, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(cpu) => x86_64::sm4::gfni_avx2::add_keystream(cpu, &self.keys, counter, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(cpu) => x86_64::sm4::gfni_avx512::add_keystream(cpu, &self.keys, counter, blocks),
            _ => {
                let mut keystream = Zeroizing::new([[0; BLOCK_LEN]; AT_ONCE]);
                let (head, low) = counter.split_last_chunk::<4>().expect("sm4: a block has more bytes");
                let mut low = u32::from_be_bytes(*low);
                for blocks in blocks.chunks_mut(AT_ONCE) {
                    let keystream = &mut keystream[..blocks.len()];
                    for block in &mut *keystream {
                        block[..head.len()].copy_from_slice(head);
                        block[head.len()..].copy_from_slice(&low.to_be_bytes());
                        low = low.wrapping_add(1);
                    }
                    self.apply(keystream);
                    for (block, key) in blocks.iter_mut().zip(keystream) {
                        xor(block, key);
                    }
                }
            }
        }
    }

    /// CBC decryption, in place: applies the block cipher to each block and adds the previous input block. The IV becomes the
    /// last input block.
    pub(super) fn unchain(&self, iv: &mut Block, blocks: &mut [Block]) {
        let rest = match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(cpu) => x86_64::sm4::aes::decrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(cpu) => x86_64::sm4::vaes::decrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(cpu) => x86_64::sm4::gfni_avx2::decrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(cpu) => x86_64::sm4::gfni_avx512::decrypt_chain(cpu, &self.keys, iv, blocks),
            _ => blocks,
        };
        let mut before = [[0; BLOCK_LEN]; AT_ONCE];
        for blocks in rest.chunks_mut(AT_ONCE) {
            let before = &mut before[..blocks.len()];
            before.copy_from_slice(blocks);
            self.apply(blocks);
            for (block, before) in blocks.iter_mut().zip(before) {
                xor(block, iv);
                *iv = *before;
            }
        }
    }

    /// CBC encryption, in place: adds the previous output block to each block and applies the block cipher. The IV becomes the
    /// last output block.
    pub(super) fn chain(&self, iv: &mut Block, blocks: &mut [Block]) {
        match self.kernel {
            Kernel::Portable(_) => {
                for block in blocks {
                    xor(block, iv);
                    self.apply(std::slice::from_mut(block));
                    *iv = *block;
                }
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => wasm32::sm4::encrypt_chain(&self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(cpu) => x86_64::sm4::aes::encrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(cpu) => x86_64::sm4::vaes::encrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(cpu) => x86_64::sm4::gfni_avx2::encrypt_chain(cpu, &self.keys, iv, blocks),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(cpu) => x86_64::sm4::gfni_avx512::encrypt_chain(cpu, &self.keys, iv, blocks),
        }
    }

    /// As [`chain`](Self::chain), for the first `steps` blocks of each of several messages.
    pub(super) fn chains(&self, ivs: &mut [Block; CHAINS], messages: &mut [&mut [Block]; CHAINS], steps: usize) {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Aes(cpu) => x86_64::sm4::aes::encrypt_chains(cpu, &self.keys, ivs, messages, steps),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vaes(cpu) => x86_64::sm4::vaes::encrypt_chains(cpu, &self.keys, ivs, messages, steps),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni256(cpu) => x86_64::sm4::gfni_avx2::encrypt_chains(cpu, &self.keys, ivs, messages, steps),
            #[cfg(target_arch = "x86_64")]
            Kernel::Gfni512(cpu) => x86_64::sm4::gfni_avx512::encrypt_chains(cpu, &self.keys, ivs, messages, steps),
            _ => {
                let mut at_once = [[0; BLOCK_LEN]; CHAINS];
                for at in 0..steps {
                    for ((block, iv), message) in at_once.iter_mut().zip(&*ivs).zip(&*messages) {
                        *block = message[at];
                        xor(block, iv);
                    }
                    self.apply(&mut at_once);
                    *ivs = at_once;
                    for (block, message) in at_once.iter().zip(&mut *messages) {
                        message[at] = *block;
                    }
                }
            }
        }
    }
}

/// The system parameters FK (GB/T 32907 section 7.3).
const FK: [u32; 4] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc];

/// Computes the round keys of the standard (GB/T 32907 section 7.3).
fn expand(key: &[u8; KEY_LEN], keys: &mut [u32; 32], sbox: fn(u32) -> u32) {
    let (words, _) = key.as_chunks::<4>();
    let mut state: Zeroizing<[u32; 4]> = Zeroizing::new(std::array::from_fn(|i| u32::from_be_bytes(words[i]) ^ FK[i]));
    for (i, key) in keys.iter_mut().enumerate() {
        let [a, b, c, d] = *state;
        let s = sbox(b ^ c ^ d ^ ck(i));
        *key = a ^ s ^ s.rotate_left(13) ^ s.rotate_left(23);
        *state = [b, c, d, *key];
    }
}

/// The fixed parameters CK: byte j of CK[i] is (4 i + j) * 7 modulo 256.
fn ck(i: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|j| ((4 * i + j) * 7 % 256) as u8))
}
