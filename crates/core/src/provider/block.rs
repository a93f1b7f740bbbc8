//! Ciphers that both providers take from RustCrypto: AES where AWS-LC's bindings have no such mode, and the ciphers of old data.

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

/// With `$name` as a reference of each length's own type.
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

/// The schedules of a key of AES. Zeroed on drop.
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

/// Begins a mode over a key that is borrowed. The IV is a block.
pub(super) fn begin<M: InnerIvInit>(key: M::Inner, iv: &[u8]) -> M {
    M::inner_iv_slice_init(key, iv).expect("block: an IV is a block")
}

/// Encrypts or decrypts, which are the same.
pub(super) fn keystream<C: StreamCipherCore>(cipher: C, data: &mut [u8]) {
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

    /// Wraps into `out`, which is 8 bytes longer than the secret in whole words of 8 bytes.
    pub(crate) fn wrap(&self, secret: &[u8], out: &mut [u8]) {
        with_key!(self.key, key => if self.pads {
            AesKwp::inner_init(key).wrap_key(secret, out).map(drop)
        } else {
            AesKw::inner_init(key).wrap_key(secret, out).map(drop)
        })
        .expect("block: secret and wrapped key have their lengths");
    }

    /// Unwraps what has a length that [`wrap`](Self::wrap) makes.
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

/// How blocks of 8 bytes hang together (SP 800-38A); CFB feeds back whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode8 {
    Ecb,
    Cbc,
    Cfb,
    Ofb,
}

/// With `$name` as a reference of each old cipher's own type.
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
#[expect(clippy::large_enum_variant, reason = "it lies in a box")]
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

    /// Encrypts in place: whole blocks in ECB, which has no use for the IV, and in CBC.
    pub(crate) fn encrypt(&self, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
        fn apply<C: BlockCipherEncrypt<BlockSize = U8>>(cipher: &C, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
            match mode {
                Mode8::Ecb => cipher.encrypt_blocks(blocks(data)),
                Mode8::Cbc => begin::<cbc::Encryptor<&C>>(cipher, &iv).encrypt_blocks(blocks(data)),
                Mode8::Cfb => begin::<cfb_mode::Encryptor<&C>>(cipher, &iv).encrypt(data),
                Mode8::Ofb => keystream(begin::<ofb::OfbCore<&C>>(cipher, &iv), data),
            }
        }
        with_old!(self, key => apply(key, mode, iv, data));
    }

    /// Decrypts in place, as much as [`encrypt`](Self::encrypt) takes.
    pub(crate) fn decrypt(&self, mode: Mode8, iv: [u8; 8], data: &mut [u8]) {
        fn apply<C>(cipher: &C, mode: Mode8, iv: [u8; 8], data: &mut [u8])
        where
            C: BlockCipherEncrypt<BlockSize = U8> + BlockCipherDecrypt,
        {
            match mode {
                Mode8::Ecb => cipher.decrypt_blocks(blocks(data)),
                Mode8::Cbc => begin::<cbc::Decryptor<&C>>(cipher, &iv).decrypt_blocks(blocks(data)),
                Mode8::Cfb => begin::<cfb_mode::Decryptor<&C>>(cipher, &iv).decrypt(data),
                Mode8::Ofb => keystream(begin::<ofb::OfbCore<&C>>(cipher, &iv), data),
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

/// RC4 from the beginning of its keystream: encrypts and decrypts. A key has 1 to 256 bytes.
pub(crate) fn rc4(key: &[u8], data: &mut [u8]) {
    let mut state = ::rc4::Rc4::new_from_slice(key).expect("block: a key of RC4 has 1 to 256 bytes");
    state.apply_keystream(data);
}

/// Rabbit (RFC 4503) from the beginning of its keystream: encrypts and decrypts. A key has 16 bytes, the lowest first, and an IV 8, or
/// there is none.
pub(crate) fn rabbit(key: &[u8], iv: &[u8], data: &mut [u8]) {
    if iv.is_empty() {
        let state = ::rabbit::RabbitKeyOnly::new_from_slice(key);
        state.expect("block: a key of Rabbit has 16 bytes").apply_keystream(data);
    } else {
        let state = ::rabbit::Rabbit::new_from_slices(key, iv);
        state.expect("block: a key of Rabbit has 16 bytes, and an IV 8").apply_keystream(data);
    }
}
