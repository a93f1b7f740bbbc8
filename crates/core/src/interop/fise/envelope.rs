//! Envelopes (section 2).

use super::profile::{Marker, Place, Profile, refused};
use super::{Error, Result, TIMESTAMP_MAX};
use crate::{encoding, random};
use std::borrow::Cow;
use std::num::NonZero;
use std::ops::Range;

/// Salts that are drawn for one envelope before the rules are given up.
const DRAWS: usize = 1000;
/// Bytes that an envelope cannot hold any more: 256 MiB. The ciphertext of so much text has fewer than 2^31 units.
const DATA_MAX: usize = 1 << 28;
/// Bytes of a salt that is repeated, so that long runs are mixed at once.
const KEY_LEN: usize = 1 << 12;
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Profile {
    /// Hides bytes in an envelope. `timestamp` is an integer that the reader has to give too; 0 if there is none.
    ///
    /// # Errors
    /// [`Error::Rules`] for a timestamp over [`TIMESTAMP_MAX`], for data of 256 MiB and more, and if each of 1,000 salts leaves more than
    /// one reading; [`crate::Error::NoRandomness`].
    pub fn encode(&self, data: &[u8], timestamp: i64) -> Result<Vec<u8>> {
        self.encode_parts([data, &[]], timestamp)
    }

    /// Hides two strings of bytes, one behind the other.
    pub(super) fn encode_parts(&self, parts: [&[u8]; 2], timestamp: i64) -> Result<Vec<u8>> {
        let len = parts[0].len() + parts[1].len();
        let ciphertext = |salt: &[u8]| {
            // All of a usual envelope fits.
            let mut ciphertext = Vec::with_capacity(len + self.marker.len() + salt.len());
            for part in parts {
                ciphertext.extend_from_slice(part);
            }
            mix(&mut ciphertext, salt);
            ciphertext
        };
        self.write(len, timestamp, ciphertext, drawn_bytes)
    }

    /// The bytes that an envelope hides.
    ///
    /// # Errors
    /// [`Error::NoSalt`], [`Error::NoMarker`] and [`Error::Ambiguous`]; [`Error::Rules`] for a timestamp over [`TIMESTAMP_MAX`].
    pub fn decode(&self, envelope: &[u8], timestamp: i64) -> Result<Vec<u8>> {
        self.read(envelope, timestamp, |mut ciphertext, salt| {
            mix(&mut ciphertext, salt);
            Some(ciphertext)
        })
    }

    /// Hides text in an envelope of ASCII.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); [`Error::Rules`] if the profile is for bytes alone.
    pub fn encode_text(&self, text: &str, timestamp: i64) -> Result<String> {
        self.check_text()?;
        let ciphertext = |salt: &[u8]| encoding::encode_base64(mix_text(text, salt).as_bytes()).into_bytes();
        let envelope = self.write(text.len(), timestamp, ciphertext, drawn_digits)?;
        Ok(String::from_utf8(envelope).expect("fise: a text envelope is ASCII"))
    }

    /// The text that an envelope hides.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); [`Error::Rules`] if the profile is for bytes alone.
    pub fn decode_text(&self, envelope: &str, timestamp: i64) -> Result<String> {
        self.check_text()?;
        // A character that is not ASCII is one unit, and none of an envelope.
        let units: Cow<'_, [u8]> = if envelope.is_ascii() {
            Cow::Borrowed(envelope.as_bytes())
        } else {
            envelope.encode_utf16().map(|unit| u8::try_from(unit).unwrap_or(u8::MAX)).collect()
        };
        self.read(&units, timestamp, |ciphertext, salt| {
            let mixed = encoding::decode_base64(std::str::from_utf8(&ciphertext).ok()?).ok()?;
            Some(mix_text(&String::from_utf8(mixed).ok()?, salt))
        })
    }

    fn check_text(&self) -> Result<()> {
        if self.marker == Marker::Uint16 {
            Err(refused("a marker of the kind uint16 is for bytes alone"))
        } else {
            Ok(())
        }
    }

    /// Writes an envelope of `len` bytes of plaintext that has one reading. `ciphertext` makes the ciphertext with a salt, and `decoys` draws
    /// units.
    fn write(
        &self,
        len: usize,
        timestamp: i64,
        ciphertext: impl Fn(&[u8]) -> Vec<u8>,
        decoys: impl Fn(usize) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        check_timestamp(timestamp)?;
        if len >= DATA_MAX {
            return Err(refused("an envelope holds less than 256 MiB: use frames"));
        }
        let lengths = u64::from(self.salt.max - self.salt.min) + 1;
        for _ in 0..DRAWS {
            let more = random::below(NonZero::new(lengths).expect("fise: there is a length"))?;
            let salt_len = usize::from(self.salt.min) + usize::try_from(more).expect("fise: a salt is short");
            let salt = random::text(&self.salt.alphabet, salt_len)?;
            let units = self.units(ciphertext(salt.as_bytes()), salt.as_bytes(), timestamp);
            if self.lengths(&units, timestamp).take(2).eq([salt_len]) {
                return self.with_decoys(units, decoys);
            }
        }
        Err(refused("every envelope that was tried can be read in more than one way"))
    }

    /// The units of an envelope without decoys.
    pub(super) fn units(&self, mut body: Vec<u8>, salt: &[u8], timestamp: i64) -> Vec<u8> {
        let (at, marker_len) = (self.offset.of(body.len(), timestamp, salt.len()), self.marker.len());
        let end = body.len();
        body.resize(end + marker_len, 0);
        body.copy_within(at..end, at + marker_len);
        self.marker.write(salt.len(), &mut body[at..at + marker_len]);
        self.placed(body, salt)
    }

    fn read<T>(&self, envelope: &[u8], timestamp: i64, open: impl Fn(Vec<u8>, &[u8]) -> Option<T>) -> Result<T> {
        check_timestamp(timestamp)?;
        let units = self.without_decoys(envelope).ok_or(Error::NoSalt)?;
        let mut error = Error::NoSalt;
        let mut opened = None;
        for salt_len in self.lengths(&units, timestamp) {
            error = Error::NoMarker;
            let (mut ciphertext, salt) = self.parted(&units, salt_len);
            if !salt.iter().all(|unit| self.salt.alphabet.as_bytes().contains(unit)) {
                continue;
            }
            let at = self.offset.of(ciphertext.len() - self.marker.len(), timestamp, salt_len);
            ciphertext.drain(at..at + self.marker.len());
            if let Some(one) = open(ciphertext, &salt)
                && opened.replace(one).is_some()
            {
                return Err(Error::Ambiguous);
            }
        }
        opened.ok_or(error)
    }

    /// The lengths of the salt for which units without decoys have the marker at its place.
    pub(super) fn lengths<'a>(&'a self, units: &'a [u8], timestamp: i64) -> impl Iterator<Item = usize> + 'a {
        let marker_len = self.marker.len();
        let most = units.len().saturating_sub(marker_len).min(self.salt.max.into());
        let mut marker = [0; 32];
        (usize::from(self.salt.min)..=most).filter(move |&salt_len| {
            let body_len = units.len() - salt_len;
            let at = self.offset.of(body_len - marker_len, timestamp, salt_len);
            let marker = &mut marker[..marker_len];
            self.marker.write(salt_len, marker);
            marker.iter().enumerate().all(|(i, unit)| units[self.place_of(at + i, salt_len, body_len)] == *unit)
        })
    }

    /// Where unit `i` of the body is in an envelope without decoys.
    fn place_of(&self, i: usize, salt_len: usize, body_len: usize) -> usize {
        match self.salt.place {
            Place::Tail => i,
            Place::Head => salt_len + i,
            // Before unit i of the body there are as many units of the salt.
            Place::Interleaved => i + ((i + 1) * salt_len).div_ceil(body_len),
        }
    }

    /// The runs of the body between the units of an interleaved salt.
    fn runs(salt_len: usize, body_len: usize) -> impl Iterator<Item = Range<usize>> {
        let begin = move |j: usize| j * body_len / salt_len;
        (0..salt_len).map(move |j| begin(j)..begin(j + 1))
    }

    /// The body and the salt, as section 1.3 places them.
    fn placed(&self, mut body: Vec<u8>, salt: &[u8]) -> Vec<u8> {
        match self.salt.place {
            Place::Tail => {
                body.extend_from_slice(salt);
                body
            }
            Place::Head => [salt, &body].concat(),
            Place::Interleaved => {
                let mut units = Vec::with_capacity(body.len() + salt.len());
                for (unit, run) in salt.iter().zip(Self::runs(salt.len(), body.len())) {
                    units.push(*unit);
                    units.extend_from_slice(&body[run]);
                }
                units
            }
        }
    }

    /// The body with its marker, and the salt.
    fn parted(&self, units: &[u8], salt_len: usize) -> (Vec<u8>, Vec<u8>) {
        let body_len = units.len() - salt_len;
        match self.salt.place {
            Place::Tail => (units[..body_len].to_vec(), units[body_len..].to_vec()),
            Place::Head => (units[salt_len..].to_vec(), units[..salt_len].to_vec()),
            Place::Interleaved => {
                let (mut body, mut salt) = (Vec::with_capacity(body_len), Vec::with_capacity(salt_len));
                let mut rest = units;
                for run in Self::runs(salt_len, body_len) {
                    let (unit, behind) = rest.split_first().expect("fise: a run begins with a unit of the salt");
                    let (part, behind) = behind.split_at(run.len());
                    salt.push(*unit);
                    body.extend_from_slice(part);
                    rest = behind;
                }
                (body, salt)
            }
        }
    }

    /// The units with decoys before, behind and between them.
    pub(super) fn with_decoys(&self, units: Vec<u8>, draw: impl Fn(usize) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let [head, tail, every] = self.decoys.numbers();
        let between = units.len().checked_div(every).unwrap_or(0);
        if head + between + tail == 0 {
            return Ok(units);
        }
        let decoys = draw(head + between + tail)?;
        let (first, rest) = decoys.split_at(head);
        let (middle, last) = rest.split_at(between);
        let mut envelope = Vec::with_capacity(units.len() + decoys.len());
        envelope.extend_from_slice(first);
        let mut middle = middle.iter();
        for run in units.chunks(if every == 0 { units.len().max(1) } else { every }) {
            envelope.extend_from_slice(run);
            if run.len() == every {
                envelope.extend(middle.next());
            }
        }
        envelope.extend_from_slice(last);
        Ok(envelope)
    }

    /// The units without decoys; `None` if no envelope has this number of them.
    fn without_decoys<'e>(&self, envelope: &'e [u8]) -> Option<Cow<'e, [u8]>> {
        let [head, tail, every] = self.decoys.numbers();
        let units = envelope.get(head..envelope.len().checked_sub(tail)?)?;
        if every == 0 {
            return Some(Cow::Borrowed(units));
        }
        if units.len() % (every + 1) == every {
            return None;
        }
        let runs = units.chunks(every + 1).map(|run| &run[..run.len().min(every)]);
        Some(Cow::Owned(runs.collect::<Vec<_>>().concat()))
    }
}

impl super::profile::Decoys {
    fn numbers(self) -> [usize; 3] {
        [self.head, self.tail, self.every].map(usize::from)
    }
}

fn check_timestamp(timestamp: i64) -> Result<()> {
    if timestamp.unsigned_abs() > TIMESTAMP_MAX.unsigned_abs() {
        return Err(refused("a timestamp must be an integer from -(2^53 - 1) to 2^53 - 1"));
    }
    Ok(())
}

/// XORs bytes with a salt.
pub(super) fn mix(bytes: &mut [u8], salt: &[u8]) {
    let key = salt.repeat(KEY_LEN.div_ceil(salt.len()));
    for part in bytes.chunks_mut(key.len()) {
        part.iter_mut().zip(&key).for_each(|(byte, unit)| *byte ^= unit);
    }
}

/// XORs the UTF-16 of a text with a salt. Seven bits leave surrogates what they are, and text of ASCII what it is.
pub(super) fn mix_text(text: &str, salt: &[u8]) -> String {
    if text.is_ascii() {
        let mut bytes = text.as_bytes().to_vec();
        mix(&mut bytes, salt);
        return String::from_utf8(bytes).expect("fise: seven bits with seven bits are ASCII");
    }
    let units = text.encode_utf16().zip(salt.iter().cycle()).map(|(unit, key)| unit ^ u16::from(*key));
    char::decode_utf16(units).collect::<Result<_, _>>().expect("fise: surrogates stay what they are")
}

fn drawn_bytes(len: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    random::fill(&mut bytes)?;
    Ok(bytes)
}

/// Digits of base64: each of 64 as likely.
fn drawn_digits(len: usize) -> Result<Vec<u8>> {
    let digits = BASE64.as_bytes();
    Ok(drawn_bytes(len)?.into_iter().map(|byte| digits[usize::from(byte & 63)]).collect())
}
