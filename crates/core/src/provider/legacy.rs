//! Ciphers of old data. Both providers take them from RustCrypto.

use super::block::{apply_keystream, begin};
use aes::cipher::array::{Array, ArraySize};
use aes::cipher::consts::U8;
use aes::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt as _, BlockModeEncrypt as _, KeyInit as _, KeyIvInit as _,
    StreamCipher as _,
};

/// The modes of ciphers with blocks of 8 bytes (SP 800-38A); CFB feeds back whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode8 {
    Ecb,
    Cbc,
    Cfb,
    Ofb,
}

/// Evaluates `$work` with `$name` bound to the key of its type.
macro_rules! with_old {
    ($key:expr, $name:ident => $work:expr) => {
        match $key {
            Cipher8::Des($name) => $work,
            Cipher8::TripleDes($name) => $work,
            Cipher8::Blowfish($name) => $work,
        }
    };
}

/// Old ciphers with blocks of 8 bytes. Zeroed on drop.
#[expect(clippy::large_enum_variant, reason = "callers keep it in a box")]
pub(crate) enum Cipher8 {
    Des(des::Des),
    TripleDes(des::TdesEde3),
    Blowfish(blowfish::Blowfish),
}

impl Cipher8 {
    /// DES (FIPS 46-3), with a key of 8 bytes whose lowest bits are ignored.
    pub(crate) fn des(key: &[u8]) -> Self {
        Self::Des(des::Des::new_from_slice(key).expect("block: a key of DES has 8 bytes"))
    }

    /// Triple DES (SP 800-67), with a key of 24 bytes.
    pub(crate) fn triple_des(key: &[u8]) -> Self {
        Self::TripleDes(des::TdesEde3::new_from_slice(key).expect("block: a key of triple DES has 24 bytes"))
    }

    /// Blowfish, with a key of 4 to 56 bytes.
    pub(crate) fn blowfish(key: &[u8]) -> Self {
        Self::Blowfish(blowfish::Blowfish::new_from_slice(key).expect("block: a key of Blowfish has 4 to 56 bytes"))
    }

    /// Encrypts in place. ECB and CBC take whole blocks; ECB ignores the IV.
    pub(crate) fn encrypt(&self, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
        fn apply<C: BlockCipherEncrypt<BlockSize = U8>>(cipher: &C, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
            match mode {
                Mode8::Ecb => cipher.encrypt_blocks(blocks(data)),
                Mode8::Cbc => begin::<cbc::Encryptor<&C>>(cipher, &iv).encrypt_blocks(blocks(data)),
                Mode8::Cfb => begin::<cfb_mode::Encryptor<&C>>(cipher, &iv).encrypt(data),
                Mode8::Ofb => apply_keystream(begin::<ofb::OfbCore<&C>>(cipher, &iv), data),
            }
        }
        with_old!(self, key => apply(key, mode, iv, data));
    }

    /// Decrypts in place, with the lengths of [`encrypt`](Self::encrypt).
    pub(crate) fn decrypt(&self, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
        fn apply<C>(cipher: &C, mode: Mode8, iv: [u8; 8], data: &mut [u8])
        where
            C: BlockCipherEncrypt<BlockSize = U8> + BlockCipherDecrypt,
        {
            match mode {
                Mode8::Ecb => cipher.decrypt_blocks(blocks(data)),
                Mode8::Cbc => begin::<cbc::Decryptor<&C>>(cipher, &iv).decrypt_blocks(blocks(data)),
                Mode8::Cfb => begin::<cfb_mode::Decryptor<&C>>(cipher, &iv).decrypt(data),
                Mode8::Ofb => apply_keystream(begin::<ofb::OfbCore<&C>>(cipher, &iv), data),
            }
        }
        with_old!(self, key => apply(key, mode, iv, data));
    }
}

fn blocks<N: ArraySize>(data: &mut [u8]) -> &mut [Array<u8, N>] {
    let (blocks, rest) = Array::slice_as_chunks_mut(data);
    assert!(rest.is_empty(), "block: the data is whole blocks");
    blocks
}

/// Encrypts or decrypts with RC4, from the beginning of the keystream. A key has 1 to 256 bytes.
pub(crate) fn rc4(key: &[u8], data: &mut [u8]) {
    let mut state = ::rc4::Rc4::new_from_slice(key).expect("block: a key of RC4 has 1 to 256 bytes");
    state.apply_keystream(data);
}

/// Encrypts or decrypts with Rabbit (RFC 4503), from the beginning of the keystream. A key has 16 bytes, the lowest first; an
/// IV has 8 bytes, or none.
pub(crate) fn rabbit(key: &[u8], iv: &[u8], data: &mut [u8]) {
    if iv.is_empty() {
        let state = ::rabbit::RabbitKeyOnly::new_from_slice(key);
        state.expect("block: a key of Rabbit has 16 bytes").apply_keystream(data);
    } else {
        let state = ::rabbit::Rabbit::new_from_slices(key, iv);
        state.expect("block: a key of Rabbit has 16 bytes, and an IV 8").apply_keystream(data);
    }
}
