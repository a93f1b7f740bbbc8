//! Key schedules: of SM4 for our own kernels, of AES for the provider. They get whole blocks until a message ends: only
//! `hazmat/cipher.rs` holds back partial blocks.

use super::{Algorithm, BLOCK_LEN, BlockCipher, Mode};
use crate::error::Result;
use crate::kernel;
use crate::provider::{self, AesMode};
use sealstone_ciphers::sm4::{Message, Sm4, Sm4Xts, TweakOrder};

type Block = [u8; BLOCK_LEN];

pub(super) enum Schedule {
    Sm4(Box<Sm4>, Mode),
    Sm4Xts(Box<Sm4Xts>),
    Aes(Box<provider::Aes>, AesMode),
    AesCfb8(Box<provider::AesCfb8>),
}

impl Schedule {
    /// Computes the schedule of a key of the algorithm's length.
    pub(super) fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let (cipher, mode) = algorithm.parts();
        if cipher != BlockCipher::Sm4 {
            let mode = match mode {
                Mode::Ecb => AesMode::Ecb,
                Mode::Cbc => AesMode::Cbc,
                Mode::Ctr => AesMode::Ctr,
                Mode::Cfb => AesMode::Cfb,
                Mode::Ofb => AesMode::Ofb,
                Mode::Cfb8 => return Ok(Self::AesCfb8(Box::new(provider::AesCfb8::new(key)))),
                Mode::Xts | Mode::XtsIeee => unreachable!("cipher: no algorithm is AES in XTS"),
            };
            return Ok(Self::Aes(Box::new(provider::Aes::new(mode, key)), mode));
        }
        let backend = kernel::sm4_backend()?;
        let there = "cipher: the backend was found";
        let (keys, _) = key.as_chunks::<16>();
        let order = match mode {
            Mode::Xts => TweakOrder::Gbt,
            Mode::XtsIeee => TweakOrder::Ieee,
            _ => return Ok(Self::Sm4(Box::new(Sm4::with_backend(backend, &keys[0]).expect(there)), mode)),
        };
        Ok(Self::Sm4Xts(Box::new(Sm4Xts::with_backend(backend, &keys[0], &keys[1], order).expect(there))))
    }

    pub(super) fn backend(&self) -> &'static str {
        match self {
            Self::Sm4(key, _) => key.backend().name(),
            Self::Sm4Xts(key) => key.backend().name(),
            Self::Aes(..) => provider::NAME,
            Self::AesCfb8(_) => "rustcrypto",
        }
    }

    /// The initial value of the chain: the IV, or the first tweak of XTS.
    pub(super) fn begin(&self, iv: &Block) -> Block {
        match self {
            Self::Sm4Xts(key) => key.tweak(iv),
            _ => *iv,
        }
    }

    /// Encrypts or decrypts in place, and advances the chain. `data` is whole blocks; only at the end of a message may it be
    /// partial, if the mode allows that. With XTS it is at least a block.
    pub(super) fn apply(&self, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
        match self {
            Self::Sm4(key, mode) => apply_sm4(key, *mode, encrypt, chain, data),
            Self::Sm4Xts(key) if encrypt => key.encrypt(chain, data).expect("cipher: XTS has a block at least"),
            Self::Sm4Xts(key) => key.decrypt(chain, data).expect("cipher: XTS has a block at least"),
            Self::Aes(key, mode) => apply_aes(key, *mode, encrypt, chain, data),
            Self::AesCfb8(key) => apply_cfb8(key, encrypt, chain, data),
        }
    }

    /// Encrypts independent messages, together if that is faster.
    pub(super) fn encrypt_batch(&self, messages: &mut [(Block, &mut [u8])]) {
        if let Self::Sm4(key, Mode::Cbc) = self {
            let batch = messages.iter_mut().map(|(iv, data)| Message { iv, blocks: data.as_chunks_mut().0 });
            return key.cbc_encrypt_batch(batch);
        }
        for (chain, data) in messages {
            self.apply(true, chain, data);
        }
    }
}

fn apply_sm4(key: &Sm4, mode: Mode, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
    match (mode, encrypt) {
        (Mode::Ecb, true) => key.encrypt_blocks(data.as_chunks_mut().0),
        (Mode::Ecb, false) => key.decrypt_blocks(data.as_chunks_mut().0),
        (Mode::Cbc, true) => key.cbc_encrypt(chain, data.as_chunks_mut().0),
        (Mode::Cbc, false) => key.cbc_decrypt(chain, data.as_chunks_mut().0),
        (Mode::Ctr, _) => key.ctr(chain, data),
        (Mode::Cfb, true) => key.cfb_encrypt(chain, data),
        (Mode::Cfb, false) => key.cfb_decrypt(chain, data),
        (Mode::Ofb, _) => key.ofb(chain, data),
        (Mode::Xts | Mode::XtsIeee, _) => unreachable!("cipher: XTS has a schedule of its own"),
        (Mode::Cfb8, _) => unreachable!("cipher: no algorithm is SM4 in CFB8"),
    }
}

fn apply_aes(key: &provider::Aes, mode: AesMode, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
    let last_input = data.as_chunks().0.last().copied();
    if encrypt {
        key.encrypt(chain, data);
    } else {
        key.decrypt(chain, data);
    }
    let (blocks, _) = data.as_chunks::<BLOCK_LEN>();
    let (Some(last_input), Some(last_output)) = (last_input, blocks.last()) else { return };
    match mode {
        AesMode::Cbc | AesMode::Cfb => *chain = if encrypt { *last_output } else { last_input },
        AesMode::Ctr => *chain = u128::from_be_bytes(*chain).wrapping_add(blocks.len() as u128).to_be_bytes(),
        AesMode::Ofb => *chain = std::array::from_fn(|i| last_input[i] ^ last_output[i]),
        AesMode::Ecb => {}
    }
}

fn apply_cfb8(key: &provider::AesCfb8, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
    let last_input = data.last_chunk().copied();
    if encrypt {
        key.encrypt(chain, data);
    } else {
        key.decrypt(chain, data);
    }
    let last_ciphertext = if encrypt { data.last_chunk().copied() } else { last_input };
    // Less than a block ends the message, so the chain is not needed again.
    *chain = last_ciphertext.unwrap_or(*chain);
}
