//! Modes of AES that AWS-LC's bindings lack. Both providers take them from RustCrypto.

use super::Refused;
use aes::cipher::{InnerIvInit, KeyInit as _, StreamCipherCore};
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
