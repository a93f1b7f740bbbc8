//! An AEAD over one message in pieces, for messages of other software that do not fit in memory. The tag comes at the end, so
//! the caller releases no plaintext before [`Tagger::verifies`].

use super::{Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::kernel;
use crate::provider::{self, Aes, AesMode};
use sealstone_ciphers::chacha20::ChaCha20;
use sealstone_ciphers::ghash::Ghash;
use sealstone_ciphers::poly1305::Poly1305;
use zeroize::Zeroizing;

const AES_BLOCK_LEN: usize = 16;
const CHACHA_BLOCK_LEN: usize = 64;

/// Bytes of the longest message under one nonce, which ends before the counter wraps: of AES-GCM (SP 800-38D section 5.2.1.1)
/// and ChaCha20-Poly1305 (RFC 8439 section 2.8).
pub(crate) fn max_len(algorithm: Algorithm) -> u64 {
    match algorithm {
        Algorithm::ChaCha20Poly1305 => ((1 << 32) - 1) * CHACHA_BLOCK_LEN as u64,
        _ => (1 << 36) - 32,
    }
}

/// The keystream of a message.
pub(crate) struct Keystream {
    key: Key,
    nonce: [u8; NONCE_LEN],
    /// The counter of the next block.
    counter: u32,
    /// The last block of the keystream, whose last `rest_len` bytes are unused.
    rest: Zeroizing<[u8; CHACHA_BLOCK_LEN]>,
    rest_len: usize,
}

enum Key {
    Aes(Box<Aes>),
    ChaCha20(ChaCha20),
}

impl Key {
    fn new(algorithm: Algorithm, key: &[u8; 32]) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Aes256Gcm => Self::Aes(Box::new(Aes::new(AesMode::Ctr, key))),
            Algorithm::ChaCha20Poly1305 => {
                let cipher = ChaCha20::with_backend(kernel::chacha_backend()?, key);
                Self::ChaCha20(cipher.expect("aead: the CPU has the backend"))
            }
            _ => return Err(Error::InvalidOption("only AES-256-GCM and ChaCha20-Poly1305 take messages in pieces")),
        })
    }

    fn block_len(&self) -> usize {
        match self {
            Self::Aes(_) => AES_BLOCK_LEN,
            Self::ChaCha20(_) => CHACHA_BLOCK_LEN,
        }
    }

    /// Adds the keystream from block `counter` on. The caller has checked that the message is not too long.
    fn add(&self, nonce: &[u8; NONCE_LEN], counter: u32, data: &mut [u8]) {
        match self {
            Self::Aes(cipher) => {
                let mut block = [0; AES_BLOCK_LEN];
                block[..NONCE_LEN].copy_from_slice(nonce);
                block[NONCE_LEN..].copy_from_slice(&counter.to_be_bytes());
                if !data.is_empty() {
                    cipher.encrypt(&block, data);
                }
            }
            Self::ChaCha20(cipher) => {
                cipher.add_keystream(nonce, counter, data).expect("aead: the message is not too long");
            }
        }
    }
}

impl Keystream {
    /// # Errors
    /// [`Error::UnavailableBackend`] when the environment forces one.
    pub(crate) fn new(algorithm: Algorithm, key: &[u8; 32], nonce: &[u8; NONCE_LEN]) -> Result<Self> {
        let key = Key::new(algorithm, key)?;
        // The blocks before these belong to the tag.
        let counter = if algorithm == Algorithm::ChaCha20Poly1305 { 1 } else { 2 };
        Ok(Self { key, nonce: *nonce, counter, rest: Zeroizing::new([0; CHACHA_BLOCK_LEN]), rest_len: 0 })
    }

    /// Encrypts or decrypts the next bytes. The whole message has at most [`max_len`] bytes.
    pub(crate) fn add(&mut self, data: &mut [u8]) {
        let block_len = self.key.block_len();
        let (first, data) = data.split_at_mut(data.len().min(self.rest_len));
        let rest = &self.rest[block_len - self.rest_len..block_len];
        first.iter_mut().zip(rest).for_each(|(byte, key)| *byte ^= key);
        self.rest_len -= first.len();
        let (whole, last) = data.split_at_mut(data.len() - data.len() % block_len);
        self.add_blocks(whole);
        if !last.is_empty() {
            let mut block = Zeroizing::new([0; CHACHA_BLOCK_LEN]);
            self.add_blocks(&mut block[..block_len]);
            last.iter_mut().zip(&block[..]).for_each(|(byte, key)| *byte ^= key);
            self.rest_len = block_len - last.len();
            self.rest = block;
        }
    }

    fn add_blocks(&mut self, data: &mut [u8]) {
        self.key.add(&self.nonce, self.counter, data);
        // The counter may wrap after the last block of the longest message: it is not used again.
        let blocks = u32::try_from(data.len() / self.key.block_len()).expect("aead: a piece is short");
        self.counter = self.counter.wrapping_add(blocks);
    }
}

/// Computes the tag of a ciphertext without associated data.
pub(crate) struct Tagger {
    mac: Mac,
    len: u64,
}

enum Mac {
    Gcm(Gcm),
    Poly1305(Box<Poly1305>),
}

struct Gcm {
    key: Box<Ghash>,
    state: Zeroizing<[u8; TAG_LEN]>,
    /// An incomplete block of ciphertext, whose first `rest_len` bytes are set.
    rest: [u8; AES_BLOCK_LEN],
    rest_len: usize,
    /// The keystream block that masks the hash in the tag.
    mask: Zeroizing<[u8; TAG_LEN]>,
}

impl Tagger {
    /// # Errors
    /// [`Error::UnavailableBackend`] when the environment forces one.
    pub(crate) fn new(algorithm: Algorithm, key: &[u8; 32], nonce: &[u8; NONCE_LEN]) -> Result<Self> {
        let cipher = Key::new(algorithm, key)?;
        let mac = match algorithm {
            Algorithm::ChaCha20Poly1305 => {
                let mut key = Zeroizing::new([0; 32]);
                cipher.add(nonce, 0, &mut key[..]);
                let mac = Poly1305::with_backend(kernel::chacha_backend()?, &key);
                Mac::Poly1305(Box::new(mac.expect("aead: the CPU has the backend")))
            }
            _ => {
                let zeros = || Zeroizing::new([0; AES_BLOCK_LEN]);
                let (mut hash_key, mut mask) = (zeros(), zeros());
                cipher.add(&[0; NONCE_LEN], 0, &mut hash_key[..]);
                cipher.add(nonce, 1, &mut mask[..]);
                let key = Box::new(Ghash::new(&hash_key));
                Mac::Gcm(Gcm { key, state: zeros(), rest: [0; AES_BLOCK_LEN], rest_len: 0, mask })
            }
        };
        Ok(Self { mac, len: 0 })
    }

    /// Authenticates the next bytes of the ciphertext.
    pub(crate) fn update(&mut self, ciphertext: &[u8]) {
        self.len += ciphertext.len() as u64;
        match &mut self.mac {
            Mac::Poly1305(mac) => mac.update(ciphertext),
            Mac::Gcm(Gcm { key, state, rest, rest_len, .. }) => {
                let room = if *rest_len == 0 { 0 } else { AES_BLOCK_LEN - *rest_len };
                let (now, later) = ciphertext.split_at(ciphertext.len().min(room));
                rest[*rest_len..*rest_len + now.len()].copy_from_slice(now);
                *rest_len += now.len();
                if *rest_len == AES_BLOCK_LEN {
                    key.update(state, &[*rest]);
                    *rest_len = 0;
                }
                let (blocks, last) = later.as_chunks::<AES_BLOCK_LEN>();
                key.update(state, blocks);
                if !last.is_empty() {
                    rest[..last.len()].copy_from_slice(last);
                    *rest_len = last.len();
                }
            }
        }
    }

    /// Whether `tag` is the tag of the whole ciphertext.
    pub(crate) fn verifies(self, tag: &[u8; TAG_LEN]) -> bool {
        match self.mac {
            Mac::Poly1305(mut mac) => {
                let padding = self.len.next_multiple_of(TAG_LEN as u64) - self.len;
                mac.update(&[0; TAG_LEN][..usize::try_from(padding).expect("aead: it is below a block")]);
                mac.update(&[&0_u64.to_le_bytes()[..], &self.len.to_le_bytes()].concat());
                mac.verify(tag).is_ok()
            }
            Mac::Gcm(Gcm { key, mut state, rest, rest_len, mask }) => {
                key.update_padded(&mut state, &rest[..rest_len]);
                key.update(&mut state, &[(u128::from(self.len) * 8).to_be_bytes()]);
                state.iter_mut().zip(&mask[..]).for_each(|(byte, mask)| *byte ^= mask);
                provider::equal(&state[..], tag)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Aead;
    use super::*;

    #[test]
    fn pieces_are_what_the_whole_is() {
        let message: Vec<u8> = (0..=250).cycle().take(1000).collect();
        for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305] {
            let (key, nonce) = ([7; 32], [9; NONCE_LEN]);
            for len in [0, 1, 15, 16, 17, 63, 64, 65, 128, 1000] {
                let sealed = Aead::new(algorithm, &key).unwrap().seal(&nonce, b"", &message[..len]).unwrap();
                let (ciphertext, tag) = sealed.split_at(len);
                let tag: [u8; TAG_LEN] = tag.try_into().unwrap();
                for piece_len in [1, 7, 16, 48, 64, 100, 1000] {
                    let mut keystream = Keystream::new(algorithm, &key, &nonce).unwrap();
                    let mut tagger = Tagger::new(algorithm, &key, &nonce).unwrap();
                    let mut opened = ciphertext.to_vec();
                    for piece in opened.chunks_mut(piece_len) {
                        tagger.update(piece);
                        keystream.add(piece);
                    }
                    assert_eq!(opened, message[..len], "{algorithm}, {len} bytes, {piece_len} at once");
                    assert!(tagger.verifies(&tag), "{algorithm}, {len} bytes, {piece_len} at once");
                }
                for bit in 0..128 {
                    let mut other = tag;
                    other[bit / 8] ^= 1 << (bit % 8);
                    let mut tagger = Tagger::new(algorithm, &key, &nonce).unwrap();
                    tagger.update(ciphertext);
                    assert!(!tagger.verifies(&other), "{algorithm}, {len} bytes, bit {bit}");
                }
            }
            for at in 0..100 {
                let mut sealed = Aead::new(algorithm, &key).unwrap().seal(&nonce, b"", &message[..100]).unwrap();
                sealed[at] ^= 1;
                let mut tagger = Tagger::new(algorithm, &key, &nonce).unwrap();
                tagger.update(&sealed[..100]);
                assert!(!tagger.verifies(sealed[100..].try_into().unwrap()));
            }
        }
        assert!(Keystream::new(Algorithm::Sm4Gcm, &[7; 32], &[9; NONCE_LEN]).is_err());
    }

    #[test]
    fn the_longest_message_ends_before_the_counter_does() {
        // The first counters are 2 and 1, and the last is 2^32 - 1.
        assert_eq!(max_len(Algorithm::Aes256Gcm) / 16, (1 << 32) - 2);
        assert_eq!(max_len(Algorithm::ChaCha20Poly1305) / 64, (1 << 32) - 1);
        for (algorithm, last) in [(Algorithm::Aes256Gcm, 16), (Algorithm::ChaCha20Poly1305, 64)] {
            let mut keystream = Keystream::new(algorithm, &[7; 32], &[9; NONCE_LEN]).unwrap();
            keystream.counter = u32::MAX;
            keystream.add(&mut vec![0; last]);
        }
    }
}
