//! The body of versions 1 and 2: one message under an AEAD, with its tag at the end. So no plaintext is released before all of
//! the body is read.

use super::header::{Header, Scheme};
use crate::aead::pieces::{Keystream, Tagger, max_len};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::{Error, Result};
use crate::hash;
use crate::kdf::hkdf;
use crate::pipeline::{Destination, Input, Meter, Output, Sequence, Settings, Source, run_in_sequence};
use std::io::{Read, Write};
use zeroize::Zeroizing;

/// The most bytes of a message held in memory, if the input can be read only once.
const MEMORY_MAX_LEN: usize = 64 << 20;

const CUT: Error = Error::Truncated("it ends before its tag");
const NOT_AUTHENTIC: Error = Error::NotAuthentic { chunk: None };

/// The keys that may open a message. Only the tag tells which one is right.
pub(super) struct Message {
    aead: Algorithm,
    nonce: [u8; NONCE_LEN],
    /// The most likely key is first.
    keys: Vec<Key>,
}

type Key = Zeroizing<[u8; 32]>;

fn derive(header: &Header, secret: &[u8], hash: hash::Algorithm) -> Result<Key> {
    let info: &[u8] = match header.scheme {
        Scheme::Ecc => b"ecc-encryption",
        Scheme::Pqc => b"pqc-encryption",
        Scheme::Hybrid => b"hybrid-encryption",
    };
    let mut key = Zeroizing::new([0; 32]);
    hkdf(hash, secret, &header.salt, info, &mut key[..])?;
    Ok(key)
}

impl Message {
    pub(super) fn new(header: &Header, secrets: &[Zeroizing<Vec<u8>>]) -> Result<Self> {
        // From 2026-04-26 to 2026-05-03, files for keys of P-256 used the second hash.
        let hashes: &[_] = match header.scheme {
            Scheme::Ecc => &[hash::Algorithm::Sha3_256, hash::Algorithm::Sha256],
            Scheme::Pqc | Scheme::Hybrid => &[hash::Algorithm::Sha3_256],
        };
        let all = hashes.iter().flat_map(|hash| secrets.iter().map(|secret| (secret, *hash)));
        let keys = all.map(|(secret, hash)| derive(header, secret, hash)).collect::<Result<_>>()?;
        Ok(Self { aead: header.aead, nonce: header.nonce, keys })
    }

    /// Bytes of plaintext in a body of `len` bytes.
    pub(super) fn plaintext_len(aead: Algorithm, len: u64) -> Result<u64> {
        match len.checked_sub(TAG_LEN as u64) {
            None => Err(CUT),
            Some(len) if len > max_len(aead) => Err(Error::TooLong),
            Some(len) => Ok(len),
        }
    }

    /// Opens a body in memory.
    pub(super) fn open(&self, body: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        Self::plaintext_len(self.aead, body.len() as u64)?;
        for key in &self.keys {
            match Aead::new(self.aead, &key[..])?.open(&self.nonce, b"", body) {
                Ok(plaintext) => return Ok(Zeroizing::new(plaintext)),
                Err(Error::NotAuthentic { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(NOT_AUTHENTIC)
    }

    /// Decrypts the body of an input from byte `at` on. An output that appears only when it is complete, or is absent, takes
    /// one pass. A stream receives the plaintext after it is verified in memory. Verifying in a first pass over a file would
    /// not suffice: an attacker may change the file before the second pass, and with both ciphers an attacker who knows the
    /// plaintext can choose the new one.
    pub(super) fn decrypt<'a>(
        &self,
        input: &mut Input<'_>,
        at: usize,
        output: Output<'a>,
        settings: &Settings,
    ) -> Result<(Destination<'a>, u64)> {
        let len = self.expected_len(input, at)?;
        let meter = Meter::new(settings, len.map(|len| len + TAG_LEN as u64));
        match input.source(at) {
            source if output.is_nothing() => {
                let (_, len) = self.choose(&mut *source.into_reader(), &meter)?;
                Ok((output.begin(None)?, len))
            }
            Source::Region(region) if output.is_atomic() => {
                let chosen = if self.keys.len() == 1 {
                    0
                } else {
                    // Only the second pass reports progress.
                    let quiet = Settings { progress: None, ..settings.clone() };
                    self.choose(&mut region.reader(0), &Meter::new(&quiet, None))?.0
                };
                let mut destination = output.begin(len)?;
                let key = &self.keys[chosen..=chosen];
                let (_, len) =
                    destination.with_writer(|writer| self.run(key, &mut region.reader(0), writer, &meter))?;
                Ok((destination, len))
            }
            source => {
                let mut reader = source.into_reader();
                let mut held = Vec::new();
                let most = MEMORY_MAX_LEN as u64 + 1;
                let read = reader.by_ref().take(most).read_to_end(&mut held);
                read.map_err(|error| Error::from_io("read", None, error))?;
                if held.len() <= MEMORY_MAX_LEN {
                    let plaintext = self.open(&held)?;
                    let mut destination = output.begin(Some(plaintext.len() as u64))?;
                    let write = |error| Error::from_io("write", None, error);
                    destination.with_writer(|writer| {
                        writer.write_all(&plaintext).and_then(|()| writer.flush()).map_err(write)
                    })?;
                    return Ok((destination, plaintext.len() as u64));
                }
                if !output.is_atomic() {
                    return Err(Error::TooMuchToHold(MEMORY_MAX_LEN));
                }
                let mut destination = output.begin(None)?;
                let mut reader = Read::chain(&held[..], reader);
                let run = destination.with_writer(|writer| self.run(&self.keys, &mut reader, writer, &meter));
                // The output was decrypted with the first key.
                match run? {
                    (0, len) => Ok((destination, len)),
                    _ => Err(Error::NotSeekable),
                }
            }
        }
    }

    /// Bytes of plaintext, if the input has a length.
    fn expected_len(&self, input: &Input<'_>, at: usize) -> Result<Option<u64>> {
        input.len().map(|len| Self::plaintext_len(self.aead, len - at as u64)).transpose()
    }

    /// Finds the key that opens a body; returns its index, and the bytes of plaintext.
    fn choose(&self, reader: &mut (dyn Read + Send), meter: &Meter<'_>) -> Result<(usize, u64)> {
        self.process(&self.keys, None, reader, &mut std::io::sink(), meter)
    }

    /// Decrypts with the first of these keys, and returns the same as [`choose`](Self::choose).
    fn run(
        &self,
        keys: &[Key],
        reader: &mut (dyn Read + Send),
        writer: &mut (dyn Write + Send),
        meter: &Meter<'_>,
    ) -> Result<(usize, u64)> {
        let keystream = Keystream::new(self.aead, &keys[0], &self.nonce)?;
        self.process(keys, Some(keystream), reader, writer, meter)
    }

    fn process(
        &self,
        keys: &[Key],
        keystream: Option<Keystream>,
        reader: &mut (dyn Read + Send),
        writer: &mut (dyn Write + Send),
        meter: &Meter<'_>,
    ) -> Result<(usize, u64)> {
        let taggers = keys.iter().map(|key| Tagger::new(self.aead, key, &self.nonce)).collect::<Result<_>>()?;
        let mut sequence = BodySequence { taggers, keystream, held: Vec::with_capacity(2 * TAG_LEN) };
        // The reader stops behind the longest message, where the keystream would repeat.
        let mut reader = Read::take(reader, max_len(self.aead) + TAG_LEN as u64 + 1);
        let (read, _) = run_in_sequence(&mut sequence, &mut reader, writer, meter)?;
        let len = Self::plaintext_len(self.aead, read)?;
        let tag = sequence.held[..].try_into().map_err(|_| CUT)?;
        let right: Vec<bool> = sequence.taggers.into_iter().map(|tagger| tagger.verifies(&tag)).collect();
        Ok((right.iter().position(|is_right| *is_right).ok_or(NOT_AUTHENTIC)?, len))
    }
}

/// Processes a body, and holds back the last bytes, which may be the tag.
struct BodySequence {
    taggers: Vec<Tagger>,
    /// `None` to only authenticate the body.
    keystream: Option<Keystream>,
    held: Vec<u8>,
}

impl Sequence for &mut BodySequence {
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        let at = output.len();
        let over = (self.held.len() + input.len()).saturating_sub(TAG_LEN);
        let of_held = over.min(self.held.len());
        let (now, rest) = input.split_at(over - of_held);
        output.extend_from_slice(&self.held[..of_held]);
        output.extend_from_slice(now);
        self.held.drain(..of_held);
        self.held.extend_from_slice(rest);
        self.taggers.iter_mut().for_each(|tagger| tagger.update(&output[at..]));
        match &mut self.keystream {
            Some(keystream) => keystream.add(&mut output[at..]),
            None => output.truncate(at),
        }
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks only the lengths, because no test can process 64 GiB.
    #[test]
    fn what_one_nonce_is_too_short_for_is_refused() {
        let len = |aead, len| Message::plaintext_len(aead, len);
        let longest = (1 << 36) - 32;
        assert_eq!(len(Algorithm::Aes256Gcm, longest + 16).unwrap(), longest);
        assert!(matches!(len(Algorithm::Aes256Gcm, longest + 17), Err(Error::TooLong)));
        let longest = (1 << 38) - 64;
        assert_eq!(len(Algorithm::ChaCha20Poly1305, longest + 16).unwrap(), longest);
        assert!(matches!(len(Algorithm::ChaCha20Poly1305, longest + 17), Err(Error::TooLong)));
        assert!(matches!(len(Algorithm::Aes256Gcm, 15), Err(Error::Truncated(_))));
    }
}
