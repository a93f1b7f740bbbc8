//! Key schedules: SM4 on our own kernels, AES in AWS-LC.

use super::{Algorithm, BLOCK_LEN, BlockCipher, Mode};
use crate::error::Result;
use crate::kernel;
use aws_lc_rs::cipher as aws_lc;
use sealstone_ciphers::sm4::{Message, Sm4, Sm4Xts, TweakOrder};

type Block = [u8; BLOCK_LEN];

pub(super) enum Schedule {
    Sm4(Box<Sm4>, Mode),
    Sm4Xts(Box<Sm4Xts>),
    Aes(Box<Aes>, Mode),
}

impl Schedule {
    /// The schedule of a key that has the algorithm's length.
    pub(super) fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        let (cipher, mode) = algorithm.parts();
        if cipher != BlockCipher::Sm4 {
            return Ok(Self::Aes(Box::new(Aes::new(cipher, mode, key)), mode));
        }
        let backend = kernel::of_sm4()?;
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
            Self::Aes(..) => "aws-lc",
        }
    }

    /// What the first block is chained to.
    pub(super) fn begin(&self, iv: &Block) -> Block {
        match self {
            Self::Sm4Xts(key) => key.tweak(iv),
            _ => *iv,
        }
    }

    /// Encrypts or decrypts in place, and moves the chain on. `data` is whole blocks unless it ends a message, of a mode
    /// that may end anywhere; of XTS it is a block at least.
    pub(super) fn apply(&self, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
        match self {
            Self::Sm4(key, mode) => apply_sm4(key, *mode, encrypt, chain, data),
            Self::Sm4Xts(key) if encrypt => key.encrypt(chain, data).expect("cipher: XTS has a block at least"),
            Self::Sm4Xts(key) => key.decrypt(chain, data).expect("cipher: XTS has a block at least"),
            Self::Aes(key, mode) => key.apply(*mode, encrypt, chain, data),
        }
    }

    /// Encrypts independent messages; together, where that is faster.
    pub(super) fn encrypt_batch(&self, messages: &mut [(Block, &mut [u8])]) {
        if let Self::Sm4(key, Mode::Cbc) = self {
            let batch = messages.iter_mut().map(|(iv, data)| Message { iv, blocks: data.as_chunks_mut().0 });
            return key.cbc_encrypt_batch(&mut batch.collect::<Vec<_>>());
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
    }
}

/// AWS-LC's schedules, one for each direction. It erases them itself.
pub(super) struct Aes {
    encryption: aws_lc::EncryptingKey,
    decryption: aws_lc::DecryptingKey,
}

impl Aes {
    fn new(cipher: BlockCipher, mode: Mode, key: &[u8]) -> Self {
        let unbound = || {
            let algorithm = match cipher {
                BlockCipher::Aes128 => &aws_lc::AES_128,
                BlockCipher::Aes192 => &aws_lc::AES_192,
                BlockCipher::Aes256 | BlockCipher::Sm4 => &aws_lc::AES_256,
            };
            aws_lc::UnboundCipherKey::new(algorithm, key).expect("cipher: the key has its length")
        };
        let (encryption, decryption) = match mode {
            Mode::Ecb => (aws_lc::EncryptingKey::ecb(unbound()), aws_lc::DecryptingKey::ecb(unbound())),
            Mode::Cbc => (aws_lc::EncryptingKey::cbc(unbound()), aws_lc::DecryptingKey::cbc(unbound())),
            Mode::Ctr => (aws_lc::EncryptingKey::ctr(unbound()), aws_lc::DecryptingKey::ctr(unbound())),
            Mode::Cfb => (aws_lc::EncryptingKey::cfb128(unbound()), aws_lc::DecryptingKey::cfb128(unbound())),
            Mode::Ofb => (aws_lc::EncryptingKey::ofb(unbound()), aws_lc::DecryptingKey::ofb(unbound())),
            Mode::Xts | Mode::XtsIeee => unreachable!("cipher: AWS-LC's safe interface has no XTS"),
        };
        let supported = "cipher: AES has the mode";
        Self { encryption: encryption.expect(supported), decryption: decryption.expect(supported) }
    }

    fn apply(&self, mode: Mode, encrypt: bool, chain: &mut Block, data: &mut [u8]) {
        let last_input = data.as_chunks().0.last().copied();
        let fits = "cipher: IV and data have the mode's lengths";
        if encrypt {
            let context = match mode {
                Mode::Ecb => aws_lc::EncryptionContext::None,
                _ => aws_lc::EncryptionContext::Iv128((&*chain).into()),
            };
            self.encryption.less_safe_encrypt(data, context).expect(fits);
        } else {
            let context = match mode {
                Mode::Ecb => aws_lc::DecryptionContext::None,
                _ => aws_lc::DecryptionContext::Iv128((&*chain).into()),
            };
            self.decryption.decrypt(data, context).expect(fits);
        }
        let (blocks, _) = data.as_chunks::<BLOCK_LEN>();
        let (Some(last_input), Some(last_output)) = (last_input, blocks.last()) else { return };
        match mode {
            Mode::Cbc | Mode::Cfb => *chain = if encrypt { *last_output } else { last_input },
            Mode::Ctr => *chain = u128::from_be_bytes(*chain).wrapping_add(blocks.len() as u128).to_be_bytes(),
            Mode::Ofb => *chain = std::array::from_fn(|i| last_input[i] ^ last_output[i]),
            Mode::Ecb | Mode::Xts | Mode::XtsIeee => {}
        }
    }
}
