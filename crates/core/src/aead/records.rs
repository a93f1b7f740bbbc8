//! Many records under one key, each sealed as `prefix || nonce || ciphertext || tag`.

use super::{Aead, TAG_LEN, random_nonce};
use crate::error::{Error, Result};
use zeroize::Zeroize;

/// A record: its associated data, and its plaintext or its sealed form.
pub type Record<'a> = (&'a [u8], &'a [u8]);

impl Aead {
    /// Bytes that sealing adds to a record: a nonce and a tag, without the prefix.
    #[must_use]
    pub fn record_overhead(&self) -> usize {
        self.algorithm().nonce_len() + TAG_LEN
    }

    /// Seals records, one after another, into `sealed`, which has exactly their length: each becomes `prefix || nonce ||
    /// ciphertext || tag`. All nonces come from one call of the system's generator. The prefix can hold what a reader needs
    /// first, such as the key's name.
    ///
    /// ```
    /// use sealstone::aead::{Aead, Algorithm};
    ///
    /// let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32])?;
    /// let records: [(&[u8], &[u8]); 2] = [(b"row 1", b"attack"), (b"row 2", b"dawn")];
    /// let mut sealed = vec![0; 6 + 4 + 2 * key.record_overhead()];
    /// key.seal_records(b"", records.into_iter(), &mut sealed)?;
    ///
    /// let (first, second) = sealed.split_at(6 + key.record_overhead());
    /// let mut opened = [0; 10];
    /// let records: [(&[u8], &[u8]); 2] = [(b"row 1", first), (b"row 2", second)];
    /// key.open_records(b"", records.into_iter(), &mut opened)?;
    /// assert_eq!(&opened, b"attackdawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// Nonces are random: with 12 bytes, seal at most 2^32 records under one key. The prefix is not authenticated.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `sealed` does not have the records' length; [`Error::TooLong`]; [`Error::NoRandomness`].
    /// `sealed` is zeroed then.
    pub fn seal_records<'a>(
        &self,
        prefix: &[u8],
        records: impl Iterator<Item = Record<'a>> + Clone,
        sealed: &mut [u8],
    ) -> Result<()> {
        let done = self.seal_each(prefix, records, sealed);
        done.inspect_err(|_| sealed.zeroize())
    }

    fn seal_each<'a>(
        &self,
        prefix: &[u8],
        records: impl Iterator<Item = Record<'a>> + Clone,
        sealed: &mut [u8],
    ) -> Result<()> {
        let nonce_len = self.algorithm().nonce_len();
        let (count, len) = records.clone().fold((0, 0), |(n, sum), (_, text)| (n + 1, sum + text.len()));
        check_len(len + count * (prefix.len() + self.record_overhead()), sealed.len())?;
        let mut nonces = vec![0; count * nonce_len];
        random_nonce(&mut nonces)?;
        let mut rest = sealed;
        for ((aad, plaintext), drawn) in records.zip(nonces.chunks_exact(nonce_len)) {
            let (place, later) = rest.split_at_mut(prefix.len() + plaintext.len() + self.record_overhead());
            let (before, place) = place.split_at_mut(prefix.len());
            let (nonce, place) = place.split_at_mut(nonce_len);
            let (text, tag) = place.split_at_mut(plaintext.len());
            before.copy_from_slice(prefix);
            nonce.copy_from_slice(drawn);
            text.copy_from_slice(plaintext);
            tag.copy_from_slice(&self.seal_in_place(nonce, aad, text)?);
            rest = later;
        }
        Ok(())
    }

    /// Opens records that [`seal_records`](Self::seal_records) sealed with the same prefix, into `plaintexts`, which has
    /// exactly their length.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`], whose chunk is the index of the first record that is not authentic; [`Error::WrongLength`].
    /// `plaintexts` is zeroed then.
    pub fn open_records<'a>(
        &self,
        prefix: &[u8],
        records: impl Iterator<Item = Record<'a>> + Clone,
        plaintexts: &mut [u8],
    ) -> Result<()> {
        let done = self.open_each(prefix, records, plaintexts);
        done.inspect_err(|_| plaintexts.zeroize())
    }

    fn open_each<'a>(
        &self,
        prefix: &[u8],
        records: impl Iterator<Item = Record<'a>> + Clone,
        plaintexts: &mut [u8],
    ) -> Result<()> {
        let overhead = prefix.len() + self.record_overhead();
        let len = records.clone().map(|(_, sealed)| sealed.len().saturating_sub(overhead)).sum();
        check_len(len, plaintexts.len())?;
        let mut rest = plaintexts;
        for ((aad, sealed), index) in records.zip(0..) {
            let wrong = || Error::NotAuthentic { chunk: Some(index) };
            let sealed = sealed.strip_prefix(prefix).ok_or_else(wrong)?;
            let (nonce, sealed) = sealed.split_at_checked(self.algorithm().nonce_len()).ok_or_else(wrong)?;
            let (ciphertext, tag) = sealed.split_last_chunk().ok_or_else(wrong)?;
            let (text, later) = rest.split_at_mut(ciphertext.len());
            text.copy_from_slice(ciphertext);
            self.open_in_place_separate_tag(nonce, aad, text, tag).map_err(|_| wrong())?;
            rest = later;
        }
        Ok(())
    }
}

fn check_len(expected: usize, actual: usize) -> Result<()> {
    if actual == expected {
        Ok(())
    } else {
        Err(Error::WrongLength { what: "the memory of the records", expected, actual })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Algorithm;
    use super::*;

    fn key() -> Aead {
        Aead::new(Algorithm::XChaCha20Poly1305, &[7; 32]).unwrap()
    }

    fn sealed(key: &Aead, texts: &[&[u8]]) -> Vec<Vec<u8>> {
        let lens: Vec<_> = texts.iter().map(|text| text.len() + key.record_overhead()).collect();
        let mut sealed = vec![0; lens.iter().sum()];
        key.seal_records(b"", texts.iter().map(|text| (&b"aad"[..], *text)), &mut sealed).unwrap();
        let mut rest = &sealed[..];
        let records = lens.iter().map(|len| {
            let (record, later) = rest.split_at(*len);
            rest = later;
            record.to_vec()
        });
        records.collect()
    }

    #[test]
    fn each_record_is_one_of_its_own() {
        let key = key();
        let records = sealed(&key, &[b"attack", b"", b"attack"]);
        assert_ne!(records[0], records[2]);
        for (record, text) in records.iter().zip([&b"attack"[..], b"", b"attack"]) {
            let (nonce, rest) = record.split_at(24);
            assert_eq!(key.open(nonce, b"aad", rest).unwrap(), text);
        }
        let none: [Record<'_>; 0] = [];
        key.seal_records(b"", none.into_iter(), &mut []).unwrap();
        key.open_records(b"", none.into_iter(), &mut []).unwrap();
    }

    #[test]
    fn the_first_record_that_is_wrong_is_told_and_nothing_is_left() {
        let key = key();
        let mut records = sealed(&key, &[b"attack", b"at", b"dawn"]);
        records[1][30] ^= 1;
        records[2].truncate(39);
        let mut opened = [1; 8];
        let error = key.open_records(b"", records.iter().map(|one| (&b"aad"[..], &one[..])), &mut opened).unwrap_err();
        assert!(matches!(error, Error::NotAuthentic { chunk: Some(1) }), "{error:?}");
        assert_eq!(opened, [0; 8]);
        let error = key.open_records(b"", records.iter().map(|one| (&b"aad"[..], &one[..])), &mut [0; 9]).unwrap_err();
        assert_eq!(error.code(), "wrong_length");
        let error = key.seal_records(b"", [(&b""[..], &b"x"[..])].into_iter(), &mut [0; 9]).unwrap_err();
        assert_eq!(error.code(), "wrong_length");
    }

    #[test]
    fn a_prefix_is_before_each_record() {
        let key = key();
        let texts = [(&b"aad"[..], &b"attack"[..]), (b"aad", b"")];
        let len = 7 + key.record_overhead();
        let mut records = vec![0; 6 + 2 * len];
        key.seal_records(b"the key", texts.into_iter(), &mut records).unwrap();
        let (first, second) = records.split_at(6 + len);
        assert!(first.starts_with(b"the key") && second.starts_with(b"the key"));
        let sealed = [(&b"aad"[..], first), (b"aad", second)];
        let mut opened = [0; 6];
        key.open_records(b"the key", sealed.into_iter(), &mut opened).unwrap();
        assert_eq!(&opened, b"attack");
        let error = key.open_records(b"THE KEY", sealed.into_iter(), &mut opened).unwrap_err();
        assert!(matches!(error, Error::NotAuthentic { chunk: Some(0) }), "{error:?}");
        let bare = [(&b"aad"[..], &first[7..]), (b"aad", &second[7..])];
        key.open_records(b"", bare.into_iter(), &mut opened).unwrap();
        assert_eq!(&opened, b"attack");
    }
}
