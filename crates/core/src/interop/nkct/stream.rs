//! The payload of version 3: chunks whose nonces count them, and whose associated data marks the last chunk and identifies the
//! file.

use super::header::{Header, SESSION_LEN};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::hash;
use crate::interop::marked::{self, Chunked};
use crate::kdf::hkdf;
use crate::pipeline::Settings;
use zeroize::Zeroizing;

const KEY_INFO: &[u8] = b"nkct-v3-enc-key";
const PREFIX_INFO: &[u8] = b"nkct-v3-nonce-prefix";
const PREFIX_LEN: usize = 8;
const COUNTER_LEN: usize = 4;
/// The most chunks that the counter can count.
const CHUNKS_MAX: u64 = 1 << 32;

/// The most bytes of chunks that all threads together hold.
const MEMORY_MAX: usize = 256 << 20;

/// Bytes of the sealed chunks of a plaintext of `len` bytes.
fn sealed_len(len: u64, chunk_len: u32) -> Result<u64> {
    let sealed = marked::sealed_len(len, chunk_len as usize)?;
    if marked::sealed_chunks(sealed, chunk_len as usize) > CHUNKS_MAX { Err(Error::TooLong) } else { Ok(sealed) }
}

/// Bytes of plaintext in `len` bytes of chunks.
pub(super) fn opened_len(len: u64, chunk_len: u32) -> Result<u64> {
    if marked::sealed_chunks(len, chunk_len as usize) > CHUNKS_MAX {
        return Err(Error::TooLong);
    }
    marked::opened_len(len, chunk_len as usize)
}

/// Limits the threads of the settings to those whose chunks fit in memory. Each thread holds a chunk, and an attacker may have
/// chosen its length.
fn limit_threads(settings: &Settings, chunk_len: u32) -> Settings {
    let most = (MEMORY_MAX / chunk_len as usize).max(1);
    let threads = settings.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    Settings { threads: Some(threads.unwrap_or(1).min(most)), ..settings.clone() }
}

/// The keys of one payload.
pub(crate) struct Chunks {
    aead: Aead,
    prefix: Zeroizing<[u8; PREFIX_LEN]>,
    session: [u8; SESSION_LEN],
    chunk_len: u32,
}

impl Chunks {
    /// Derives the keys from a header and its secret.
    pub(super) fn new(header: &Header, secret: &[u8]) -> Result<Self> {
        Self::of(header.aead, secret, &header.salt, header.session, header.chunk_len)
    }

    pub(super) fn of(
        aead: Algorithm,
        secret: &[u8],
        salt: &[u8],
        session: [u8; SESSION_LEN],
        chunk_len: u32,
    ) -> Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        hkdf(hash::Algorithm::Sha3_256, secret, salt, KEY_INFO, &mut key[..])?;
        let mut prefix = Zeroizing::new([0; PREFIX_LEN]);
        hkdf(hash::Algorithm::Sha3_256, secret, salt, PREFIX_INFO, &mut prefix[..])?;
        Ok(Self { aead: Aead::new(aead, &key[..])?, prefix, session, chunk_len })
    }

    /// The nonce and the associated data of a chunk.
    fn nonce_and_aad(
        &self,
        index: u64,
        is_last: bool,
    ) -> Result<([u8; NONCE_LEN], [u8; SESSION_LEN + COUNTER_LEN + 1])> {
        let counter = u32::try_from(index).map_err(|_| Error::TooLong)?.to_be_bytes();
        let mut nonce = [0; NONCE_LEN];
        nonce[..PREFIX_LEN].copy_from_slice(&self.prefix[..]);
        nonce[PREFIX_LEN..].copy_from_slice(&counter);
        let mut aad = [0; SESSION_LEN + COUNTER_LEN + 1];
        aad[..SESSION_LEN].copy_from_slice(&self.session);
        aad[SESSION_LEN..][..COUNTER_LEN].copy_from_slice(&counter);
        aad[SESSION_LEN + COUNTER_LEN] = u8::from(is_last);
        Ok((nonce, aad))
    }
}

impl Chunked for Chunks {
    /// The Rust edition reads such files.
    const TAKES_EMPTY_LAST: bool = true;

    fn chunk_len(&self) -> usize {
        self.chunk_len as usize
    }

    fn sealed_len(&self, len: u64) -> Result<u64> {
        sealed_len(len, self.chunk_len)
    }

    fn opened_len(&self, len: u64) -> Result<u64> {
        opened_len(len, self.chunk_len)
    }

    fn limit_threads(&self, settings: &Settings) -> Settings {
        limit_threads(settings, self.chunk_len)
    }

    fn seal_chunk(&self, index: u64, is_last: bool, place: &mut [u8]) -> Result<()> {
        let (nonce, aad) = self.nonce_and_aad(index, is_last)?;
        let (plaintext, room) = place.split_at_mut(place.len() - TAG_LEN);
        room.copy_from_slice(&self.aead.seal_in_place(&nonce, &aad, plaintext)?);
        Ok(())
    }

    fn open_chunk(&self, index: u64, is_last: bool, chunk: &mut [u8]) -> Result<usize> {
        let (nonce, aad) = self.nonce_and_aad(index, is_last)?;
        let opened = self.aead.open_in_place(&nonce, &aad, chunk);
        opened.map_err(|_| Error::NotAuthentic { chunk: Some(index) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_hold_no_more_than_they_may() {
        let with = |threads| Settings { threads: Some(threads), ..Settings::default() };
        for (chunk_len, asked, got) in [
            (1, 256, 256),
            (1 << 20, 256, 256),
            (2 << 20, 256, 128),
            (64 << 20, 256, 4),
            (64 << 20, 2, 2),
            (64 << 20, 1, 1),
        ] {
            assert_eq!(limit_threads(&with(asked), chunk_len).threads, Some(got), "{chunk_len}, {asked}");
        }
        assert!(limit_threads(&Settings::default(), 64 << 20).threads.unwrap() <= 4);
    }

    #[test]
    fn the_counter_ends_the_file() {
        let chunk_len = 16;
        let longest = CHUNKS_MAX * 16;
        assert_eq!(sealed_len(longest, chunk_len).unwrap(), 2 * longest);
        assert_eq!(opened_len(2 * longest, chunk_len).unwrap(), longest);
        assert!(matches!(sealed_len(longest + 1, chunk_len), Err(Error::TooLong)));
        assert!(matches!(opened_len(2 * longest + 17, chunk_len), Err(Error::TooLong)));
        assert!(matches!(sealed_len(u64::MAX, chunk_len), Err(Error::TooLong)));
        let chunks = Chunks::of(Algorithm::Aes256Gcm, &[7; 32], &[9; 16], [1; 16], chunk_len).unwrap();
        let mut chunk = [0; 32];
        chunks.seal_chunk(u32::MAX.into(), true, &mut chunk).unwrap();
        assert!(matches!(chunks.seal_chunk(CHUNKS_MAX, true, &mut chunk), Err(Error::TooLong)));
        assert!(matches!(chunks.open_chunk(CHUNKS_MAX, true, &mut chunk), Err(Error::TooLong)));
    }
}
