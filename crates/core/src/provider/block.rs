//! Ciphers that both providers take from RustCrypto: modes of AES that AWS-LC's bindings lack, and ciphers of old data.

use super::Refused;
use aes::cipher::array::{Array, ArraySize};
use aes::cipher::consts::U8;
use aes::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt as _, BlockModeEncrypt as _, InnerIvInit, KeyInit as _,
    KeyIvInit as _, StreamCipher as _, StreamCipherCore,
};
use aes::{Aes128, Aes192, Aes256};
use aes_kw::{AesKw, AesKwp, IV_LEN, InnerInit as _};
use zeroize::Zeroizing;

/// Evaluates `$work` with `$name` bound to the key of its type.
macro_rules! with_key {
    ($key:expr, $name:ident => $work:expr) => {
        match &$key {
            AesKey::Aes128($name) => $work,
            AesKey::Aes192($name) => $work,
            AesKey::Aes256($name) => $work,
        }
    };
}
pub(super) use with_key;

/// An AES key with its schedules. Zeroed on drop.
pub(super) enum AesKey {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl AesKey {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(super) fn new(key: &[u8]) -> Self {
        let long = "block: the key has its length";
        match key.len() {
            16 => Self::Aes128(Aes128::new_from_slice(key).expect(long)),
            24 => Self::Aes192(Aes192::new_from_slice(key).expect(long)),
            _ => Self::Aes256(Aes256::new_from_slice(key).expect(long)),
        }
    }
}

/// Begins a mode over a borrowed key. The IV is a block.
pub(super) fn begin<M: InnerIvInit>(key: M::Inner, iv: &[u8]) -> M {
    M::inner_iv_slice_init(key, iv).expect("block: an IV is a block")
}

/// Encrypts or decrypts, which is the same operation.
pub(super) fn apply_keystream<C: StreamCipherCore>(cipher: C, data: &mut [u8]) {
    cipher.apply_keystream_partial(data.into());
}

/// AES in CFB with single bytes fed back (SP 800-38A, CFB8).
pub(crate) struct AesCfb8(AesKey);

impl AesCfb8 {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Self {
        Self(AesKey::new(key))
    }

    /// Encrypts in place.
    pub(crate) fn encrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        with_key!(self.0, key => begin::<cfb8::Encryptor<_>>(key, iv).encrypt(data));
    }

    /// Decrypts in place.
    pub(crate) fn decrypt(&self, iv: &[u8; 16], data: &mut [u8]) {
        with_key!(self.0, key => begin::<cfb8::Decryptor<_>>(key, iv).decrypt(data));
    }
}

/// AES key wrap (RFC 3394), and key wrap with padding (RFC 5649).
pub(crate) struct AesKeyWrap {
    key: AesKey,
    pads: bool,
}

impl AesKeyWrap {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8], pads: bool) -> Self {
        Self { key: AesKey::new(key), pads }
    }

    /// Wraps `secret` into `out`, which is 8 bytes longer than the secret padded to words of 8 bytes.
    pub(crate) fn wrap(&self, secret: &[u8], out: &mut [u8]) {
        with_key!(self.key, key => if self.pads {
            AesKwp::inner_init(key).wrap_key(secret, out).map(drop)
        } else {
            AesKw::inner_init(key).wrap_key(secret, out).map(drop)
        })
        .expect("block: secret and wrapped key have their lengths");
    }

    /// Unwraps a key whose length [`wrap`](Self::wrap) can produce.
    pub(crate) fn unwrap(&self, wrapped: &[u8]) -> Result<Zeroizing<Vec<u8>>, Refused> {
        let mut secret = Zeroizing::new(vec![0; wrapped.len() - IV_LEN]);
        let len = with_key!(self.key, key => if self.pads {
            AesKwp::inner_init(key).unwrap_key(wrapped, &mut secret).map(<[u8]>::len)
        } else {
            AesKw::inner_init(key).unwrap_key(wrapped, &mut secret).map(<[u8]>::len)
        });
        secret.truncate(len.map_err(|_| Refused)?);
        Ok(secret)
    }
}

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
