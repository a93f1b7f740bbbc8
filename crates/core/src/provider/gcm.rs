//! AES-GCM (SP 800-38D) under nonces of any length: RustCrypto's AES, and GHASH on our own kernels, which are several times as
//! fast in WebAssembly. WebAssembly uses it for all nonces, native targets for the nonces that the libraries do not take.

use super::block::{AesKey, with_key};
use super::{Refused, equal};
use aes::cipher::BlockCipherEncrypt as _;
use aes::cipher::array::Array;
use sealstone_ciphers::ghash::Ghash;
use zeroize::Zeroizing;

/// Bytes of a nonce that goes into the first counter block unchanged; other nonces are hashed.
const NONCE_LEN: usize = 12;
/// The longest plaintext under one nonce, in bytes: 2^39 - 256 bits (SP 800-38D section 5.2.1.1).
const MAX_LEN: u64 = (1 << 36) - 32;
/// Blocks of keystream that are computed at once.
const AT_ONCE: usize = 64;

/// A key for AES-GCM with tags of 16 bytes. Zeroed on drop.
pub(crate) struct Gcm {
    key: Box<AesKey>,
    ghash: Ghash,
}

impl Gcm {
    /// Takes a key of 16, 24 or 32 bytes.
    pub(crate) fn new(key: &[u8]) -> Self {
        let key = Box::new(AesKey::new(key));
        let mut h = Zeroizing::new([0; 16]);
        with_key!(*key, key => key.encrypt_block((&mut *h).into()));
        let ghash = Ghash::new(&h);
        Self { key, ghash }
    }

    /// Seals in place, and returns the tag. Refuses a buffer that is too long, and an empty nonce.
    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8]) -> Result<[u8; 16], Refused> {
        let first = self.first_counter(nonce, buffer)?;
        self.add_keystream(increment(first), buffer);
        Ok(self.tag(first, aad, buffer))
    }

    /// Opens a ciphertext in place.
    pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
        let first = self.first_counter(nonce, buffer)?;
        if !equal(&self.tag(first, aad, buffer), tag) {
            return Err(Refused);
        }
        self.add_keystream(increment(first), buffer);
        Ok(())
    }

    /// The counter block J0 of the tag (SP 800-38D section 7.1), which the blocks of data count on from. It is secret if the
    /// nonce was hashed: it would reveal the authentication key.
    fn first_counter(&self, nonce: &[u8], buffer: &[u8]) -> Result<u128, Refused> {
        if nonce.is_empty() || buffer.len() as u64 > MAX_LEN {
            return Err(Refused);
        }
        let mut first = [0; 16];
        if nonce.len() == NONCE_LEN {
            first[..NONCE_LEN].copy_from_slice(nonce);
            first[15] = 1;
        } else {
            self.ghash.update_padded(&mut first, nonce);
            self.ghash.update(&mut first, &[lengths(b"", nonce)]);
        }
        Ok(u128::from_be_bytes(first))
    }

    /// Encrypts or decrypts with the keystream from `counter` on.
    fn add_keystream(&self, mut counter: u128, data: &mut [u8]) {
        let mut keystream = Zeroizing::new([[0; 16]; AT_ONCE]);
        for part in data.chunks_mut(16 * AT_ONCE) {
            let (blocks, rest) = part.as_chunks_mut::<16>();
            let keystream = &mut keystream[..blocks.len() + usize::from(!rest.is_empty())];
            for block in &mut *keystream {
                *block = counter.to_be_bytes();
                counter = increment(counter);
            }
            with_key!(*self.key, key => key.encrypt_blocks(Array::cast_slice_from_core_mut(keystream)));
            for (block, key) in blocks.iter_mut().zip(&*keystream) {
                *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*key)).to_ne_bytes();
            }
            if let Some(last) = keystream.get(blocks.len()) {
                rest.iter_mut().zip(last).for_each(|(byte, key)| *byte ^= key);
            }
        }
    }

    fn tag(&self, first: u128, aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
        let mut state = [0; 16];
        self.ghash.update_padded(&mut state, aad);
        self.ghash.update_padded(&mut state, ciphertext);
        self.ghash.update(&mut state, &[lengths(aad, ciphertext)]);
        self.add_keystream(first, &mut state);
        state
    }
}

/// The next counter block: the low 32 bits count, without a carry to the others (SP 800-38D section 6.2).
fn increment(counter: u128) -> u128 {
    const COUNTED: u128 = u32::MAX as u128;
    counter & !COUNTED | counter.wrapping_add(1) & COUNTED
}

/// The block of both lengths in bits.
fn lengths(aad: &[u8], text: &[u8]) -> [u8; 16] {
    let bits = |bytes: &[u8]| bytes.len() as u128 * 8;
    (bits(aad) << 64 | bits(text)).to_be_bytes()
}
