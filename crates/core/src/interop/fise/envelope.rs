//! Envelopes (section 2).

use super::profile::{MARKER_MAX_LEN, Marker, Place, Profile, refused};
use super::{Error, Result, TIMESTAMP_MAX};
use crate::{encoding, random};
use std::borrow::Cow;
use std::num::NonZero;
use std::ops::Range;

/// Salts that are drawn for one envelope before the rules are given up.
const DRAWS: usize = 1000;
/// An envelope holds fewer bytes of data than these 256 MiB. The ciphertext of so much text has fewer than 2^31 units.
pub const DATA_LIMIT: usize = 1 << 28;
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
        let mut envelope = Vec::new();
        self.encode_to(&mut envelope, [data, &[]], timestamp)?;
        Ok(envelope)
    }

    /// Appends the envelope of two strings of bytes, one behind the other. Nothing is appended on failure.
    pub(super) fn encode_to(&self, out: &mut Vec<u8>, parts: [&[u8]; 2], timestamp: i64) -> Result<()> {
        let append = |out: &mut Vec<u8>, salt: &[u8]| {
            let begin = out.len();
            for part in parts {
                out.extend_from_slice(part);
            }
            mix(&mut out[begin..], salt);
        };
        let len = parts[0].len() + parts[1].len();
        self.write(out, len, timestamp, append, drawn_bytes)
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
        let append = |out: &mut Vec<u8>, salt: &[u8]| {
            out.extend_from_slice(encoding::encode_base64(mix_text(text, salt).as_bytes()).as_bytes());
        };
        let mut envelope = Vec::new();
        self.write(&mut envelope, text.len(), timestamp, append, |len| drawn(BASE64, len))?;
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

    /// Whether text has envelopes with this profile, too.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.marker != Marker::Uint16
    }

    fn check_text(&self) -> Result<()> {
        if self.takes_text() { Ok(()) } else { Err(refused("a marker of the kind uint16 is for bytes alone")) }
    }

    /// Appends an envelope of `len` bytes of plaintext that has one reading. `append` appends the ciphertext with a salt, and `decoys` draws
    /// units.
    fn write(
        &self,
        out: &mut Vec<u8>,
        len: usize,
        timestamp: i64,
        append: impl Fn(&mut Vec<u8>, &[u8]),
        decoys: impl Fn(usize) -> Result<Vec<u8>>,
    ) -> Result<()> {
        check_timestamp(timestamp)?;
        if len >= DATA_LIMIT {
            return Err(refused("an envelope holds less than 256 MiB: use frames"));
        }
        let begin = out.len();
        let [head, tail, every] = self.decoys.numbers();
        let units = len + self.marker.len() + usize::from(self.salt.max);
        out.reserve(units + head + tail + units.checked_div(every).unwrap_or(0));
        for _ in 0..DRAWS {
            let salt = self.draw_salt()?;
            append(out, &salt);
            self.place(out, begin, &salt, timestamp);
            if self.lengths(&out[begin..], timestamp).take(2).eq([salt.len()]) {
                return self.add_decoys(out, begin, decoys).inspect_err(|_| out.truncate(begin));
            }
            out.truncate(begin);
        }
        Err(refused("every envelope that was tried can be read in more than one way"))
    }

    fn draw_salt(&self) -> Result<Vec<u8>> {
        let lengths = u64::from(self.salt.max - self.salt.min) + 1;
        let more = random::below(NonZero::new(lengths).expect("fise: there is a length"))?;
        let len = usize::from(self.salt.min) + usize::try_from(more).expect("fise: a salt is short");
        drawn(&self.salt.alphabet, len)
    }

    /// Makes the units of an envelope without decoys of the ciphertext that begins there.
    pub(super) fn place(&self, units: &mut Vec<u8>, begin: usize, salt: &[u8], timestamp: i64) {
        let (len, marker_len) = (units.len() - begin, self.marker.len());
        let at = begin + self.offset.of(len, timestamp, salt.len());
        units.resize(units.len() + marker_len + salt.len(), 0);
        units.copy_within(at..begin + len, at + marker_len);
        self.marker.write(salt.len(), &mut units[at..at + marker_len]);
        let (body_len, units) = (len + marker_len, &mut units[begin..]);
        match self.salt.place {
            Place::Tail => units[body_len..].copy_from_slice(salt),
            Place::Head => {
                units.copy_within(..body_len, salt.len());
                units[..salt.len()].copy_from_slice(salt);
            }
            // From the end, so that every run moves before another one takes its place.
            Place::Interleaved => {
                for (j, unit) in salt.iter().enumerate().rev() {
                    let run = run(j, salt.len(), body_len);
                    units.copy_within(run.clone(), run.start + j + 1);
                    units[run.start + j] = *unit;
                }
            }
        }
    }

    fn read<T>(&self, envelope: &[u8], timestamp: i64, open: impl Fn(Vec<u8>, &[u8]) -> Option<T>) -> Result<T> {
        check_timestamp(timestamp)?;
        let mut units = self.without_decoys(envelope).ok_or(Error::NoSalt)?;
        let mut lengths = self.lengths(&units, timestamp).collect::<Vec<_>>();
        let mut error = Error::NoSalt;
        let mut opened = None;
        while let Some(salt_len) = lengths.pop() {
            error = Error::NoMarker;
            let alphabet = self.salt.alphabet.as_bytes();
            if !(0..salt_len).all(|j| alphabet.contains(&units[self.salt_at(j, units.len(), salt_len)])) {
                continue;
            }
            // Nearly always there is one, which takes the memory.
            let mut ciphertext = if lengths.is_empty() { std::mem::take(&mut units) } else { units.clone() };
            let salt = self.take_salt(&mut ciphertext, salt_len, timestamp);
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
        let mut marker = [0; MARKER_MAX_LEN];
        (usize::from(self.salt.min)..=most).filter(move |&salt_len| {
            let body_len = units.len() - salt_len;
            let at = self.offset.of(body_len - marker_len, timestamp, salt_len);
            let marker = &mut marker[..marker_len];
            self.marker.write(salt_len, marker);
            marker.iter().enumerate().all(|(i, unit)| units[self.place_of(at + i, salt_len, body_len)] == *unit)
        })
    }

    /// Where unit `i` of the body is in an envelope without decoys.
    pub(super) fn place_of(&self, i: usize, salt_len: usize, body_len: usize) -> usize {
        match self.salt.place {
            Place::Tail => i,
            Place::Head => salt_len + i,
            // Before unit i of the body there are as many units of the salt.
            Place::Interleaved => i + ((i + 1) * salt_len).div_ceil(body_len),
        }
    }

    /// Where unit `j` of the salt is in an envelope without decoys.
    fn salt_at(&self, j: usize, len: usize, salt_len: usize) -> usize {
        match self.salt.place {
            Place::Tail => len - salt_len + j,
            Place::Head => j,
            Place::Interleaved => j * len / salt_len,
        }
    }

    /// Takes the salt and the marker out of units, of which the ciphertext is left.
    pub(super) fn take_salt(&self, units: &mut Vec<u8>, salt_len: usize, timestamp: i64) -> Vec<u8> {
        let body_len = units.len() - salt_len;
        let salt = match self.salt.place {
            Place::Tail => units.split_off(body_len),
            Place::Head => units.drain(..salt_len).collect(),
            Place::Interleaved => {
                let mut salt = Vec::with_capacity(salt_len);
                for j in 0..salt_len {
                    let run = run(j, salt_len, body_len);
                    let unit = self.salt_at(j, body_len + salt_len, salt_len);
                    salt.push(units[unit]);
                    units.copy_within(unit + 1..=run.end + j, run.start);
                }
                units.truncate(body_len);
                salt
            }
        };
        let marker_len = self.marker.len();
        let at = self.offset.of(body_len - marker_len, timestamp, salt_len);
        units.drain(at..at + marker_len);
        salt
    }

    /// Adds decoys before, behind and between the units that begin there.
    pub(super) fn add_decoys(
        &self,
        units: &mut Vec<u8>,
        begin: usize,
        draw: impl Fn(usize) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let [head, tail, every] = self.decoys.numbers();
        let len = units.len() - begin;
        let between = len.checked_div(every).unwrap_or(0);
        let count = head + between + tail;
        if count == 0 {
            return Ok(());
        }
        let decoys = draw(count)?;
        units.resize(units.len() + count, 0);
        let units = &mut units[begin..];
        let rest = between * every;
        units.copy_within(rest..len, head + rest + between);
        // From the end, so that every run moves before another one takes its place.
        for i in (0..between).rev() {
            let to = head + i * (every + 1);
            units.copy_within(i * every..(i + 1) * every, to);
            units[to + every] = decoys[head + i];
        }
        units[..head].copy_from_slice(&decoys[..head]);
        units[len + head + between..].copy_from_slice(&decoys[head + between..]);
        Ok(())
    }

    /// The units without decoys; `None` if no envelope has this number of them.
    pub(super) fn without_decoys(&self, envelope: &[u8]) -> Option<Vec<u8>> {
        let [head, tail, every] = self.decoys.numbers();
        let units = envelope.get(head..envelope.len().checked_sub(tail)?)?;
        if every == 0 {
            return Some(units.to_vec());
        }
        if units.len() % (every + 1) == every {
            return None;
        }
        let mut out = Vec::with_capacity(units.len());
        for run in units.chunks(every + 1) {
            out.extend_from_slice(&run[..run.len().min(every)]);
        }
        Some(out)
    }
}

/// The run of a body behind unit j of an interleaved salt.
fn run(j: usize, salt_len: usize, body_len: usize) -> Range<usize> {
    j * body_len / salt_len..(j + 1) * body_len / salt_len
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

/// Units of an alphabet, each as likely as any other.
fn drawn(alphabet: &str, len: usize) -> Result<Vec<u8>> {
    let alphabet = alphabet.as_bytes();
    // Bytes that are left over at the top would make the first units likelier.
    let limit = 256 - 256 % alphabet.len();
    let mut units = Vec::with_capacity(len);
    while units.len() < len {
        let missing = len - units.len();
        let bytes = drawn_bytes(missing + missing / 4 + 8)?;
        let fair = bytes.into_iter().map(usize::from).filter(|byte| *byte < limit);
        units.extend(fair.map(|byte| alphabet[byte % alphabet.len()]).take(missing));
    }
    Ok(units)
}
