//! Whether every envelope of a profile can be read (docs/design/fise.md).

use super::profile::{MARKER_MAX_LEN, Offset, Place, Profile};
use super::{Error, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What [`Profile::validate`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validation {
    /// Of envelopes of bytes, and of frames.
    pub bytes: Assurance,
    /// Of envelopes of text; `None` if the profile is for bytes alone.
    pub text: Option<Assurance>,
}

impl Validation {
    /// Whether nothing failed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        let has_failed = |assurance: &Assurance| matches!(assurance, Assurance::Failed { .. });
        !has_failed(&self.bytes) && !self.text.as_ref().is_some_and(has_failed)
    }

    /// This as JSON: an object with `ok`, `bytes` and `text`. The last two have `by` (`exhaustion`, `cases` or `failure`) and the numbers.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::json!({ "ok": self.is_ok(), "bytes": self.bytes, "text": self.text }).to_string()
    }
}

/// How sure it is that every plaintext has an envelope, which opens to this plaintext and to nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "by")]
#[non_exhaustive]
pub enum Assurance {
    /// It is so for every plaintext and every timestamp: by exhaustion over the lengths of ciphertexts and salts and over the remainders of
    /// timestamps, behind which all of it repeats. In each, at most half of the salts leave a second reading, so a writer fails with a
    /// probability of at most 2^-1000.
    #[serde(rename = "exhaustion")]
    Proved {
        /// The lengths of ciphertexts that were gone through, from 0.
        lengths: u64,
        /// The remainders of timestamps.
        timestamps: u64,
    },
    /// It could not be proved. So many envelopes of different lengths, timestamps and texts opened to their plaintext.
    #[serde(rename = "cases")]
    Tested {
        /// The envelopes.
        cases: u64,
    },
    /// A plaintext that the profile cannot hide.
    #[serde(rename = "failure")]
    Failed {
        /// The error.
        reason: String,
        /// The text, of which `bytes` has the UTF-8.
        plaintext: String,
        /// The timestamp.
        timestamp: i64,
    },
}

/// Envelopes that are made and opened if there is no proof.
const CASES: u64 = 100_000;
/// Units and lengths of salts that are gone through for them at most: seconds.
const UNITS_MAX: u64 = 1 << 27;
/// Steps of a proof at most: seconds.
const STEPS_MAX: u64 = 1 << 28;
const TIMESTAMPS: [i64; 6] = [0, 5, 12_345, -7, 29_400_000, 1_763_770_000_123];

impl Profile {
    /// Shows that every plaintext has an envelope that opens to it, by a proof where there is one, and otherwise by 100,000 envelopes, or
    /// fewer if salts are longer than 1,000 units. It takes seconds.
    ///
    /// ```
    /// use sealstone::interop::fise::{Assurance, Profile};
    ///
    /// let usual = Profile::from_json(r#"{"fise": 1}"#)?.validate()?;
    /// assert!(matches!(usual.bytes, Assurance::Proved { timestamps: 21, .. }));
    /// assert_eq!(usual.text, Some(Assurance::Tested { cases: 100_000 }));
    /// assert!(usual.is_ok());
    /// # Ok::<(), sealstone::interop::fise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::Error::NoRandomness`]. A plaintext that has no envelope is [`Assurance::Failed`].
    pub fn validate(&self) -> Result<Validation> {
        let text = if self.takes_text() { Some(self.assurance(Form::Text)?) } else { None };
        Ok(Validation { bytes: self.assurance(Form::Bytes)?, text })
    }

    fn assurance(&self, form: Form) -> Result<Assurance> {
        match self.prove(form) {
            Some(proved) => Ok(proved),
            None => self.test(form),
        }
    }

    /// Goes through all lengths and remainders behind which readings repeat; `None` if there are too many, or some have too many readings.
    fn prove(&self, form: Form) -> Option<Assurance> {
        let (min, max) = (usize::from(self.salt.min), usize::from(self.salt.max));
        let lengths = self.lengths_that_differ(form)?;
        let timestamps = match self.offset {
            Offset::Linear { modulo, .. } => 1 - i64::from(modulo)..i64::from(modulo),
            _ => 0..1,
        };
        let salts = (max - min + 1) as u64;
        let remainders = timestamps.end.abs_diff(timestamps.start);
        let pairs = salts.saturating_mul(remainders).saturating_mul(self.marker.len() as u64);
        let a_length = pairs.saturating_add(lengths).saturating_add(max as u64);
        if lengths.saturating_mul(salts).saturating_mul(a_length) > STEPS_MAX {
            return None;
        }
        let readings = Readings::of(self, form);
        // All of it is small.
        for len in (0..usize::try_from(lengths).ok()?).step_by(form.step()) {
            let comes_back = (min..=max).all(|salt_len| self.comes_back(len, salt_len));
            if !comes_back || !timestamps.clone().all(|timestamp| readings.are_few(len, timestamp)) {
                return None;
            }
        }
        Some(Assurance::Proved { lengths, timestamps: remainders })
    }

    /// The number of lengths of ciphertexts, from 0, behind which the places of markers repeat; `None` if they do not.
    fn lengths_that_differ(&self, form: Form) -> Option<u64> {
        let [min, max] = [self.salt.min, self.salt.max].map(u64::from);
        let (spread, marker_len) = (max - min, self.marker.len() as u64);
        let is_interleaved = self.salt.place == Place::Interleaved;
        // Where places are at most so far from the beginning, all of them are in the ciphertext of a long envelope, or, where the salt is
        // interleaved, behind its first unit and before its second.
        let near = |most: u64| {
            if is_interleaved { (most + marker_len + 3) * (max + 1) } else { most + spread + marker_len + 2 }
        };
        // Behind them is one period, of the lengths that there are.
        let step = form.step() as u64;
        match self.offset {
            // The remainder of L times anything by L is 0.
            Offset::Linear { modulo, salt_multiplier, .. } => {
                Some(near(u64::from(modulo) - 1 + u64::from(salt_multiplier) * max) + step)
            }
            Offset::Modulo { divisor } => Some(near(u64::from(divisor) - 1) + step * u64::from(divisor)),
            Offset::Fraction { numerator: 0, .. } => Some(near(0) + step),
            Offset::Fraction { numerator, denominator } if !is_interleaved => {
                let [numerator, denominator] = [numerator, denominator].map(u64::from);
                // The distances to both ends grow, or to one of them.
                let slope = if numerator == denominator { numerator } else { numerator.min(denominator - numerator) };
                Some(2 * (spread + 2 * marker_len + 2) * denominator / slope + step * denominator)
            }
            _ => None,
        }
    }

    /// Whether a ciphertext and a salt of these lengths come back out of their envelope.
    fn comes_back(&self, len: usize, salt_len: usize) -> bool {
        const TIMESTAMP: i64 = 0;
        let ciphertext: Vec<u8> = (0..=255).cycle().take(len).collect();
        let salt: Vec<u8> = self.salt.alphabet.bytes().cycle().take(salt_len).collect();
        let mut envelope = ciphertext.clone();
        self.place(&mut envelope, 0, &salt, TIMESTAMP);
        let with_decoys = self.add_decoys(&mut envelope, 0, |count| Ok(vec![0; count]));
        let Some(mut units) = self.without_decoys(&envelope).filter(|_| with_decoys.is_ok()) else { return false };
        let is_found = self.lengths(&units, TIMESTAMP).any(|found| found == salt_len);
        is_found && self.take_salt(&mut units, salt_len, TIMESTAMP) == salt && units == ciphertext
    }

    /// Makes and opens envelopes of all sorts of plaintexts.
    fn test(&self, form: Form) -> Result<Assurance> {
        let units = [self.salt.max - self.salt.min, self.salt.max, self.decoys.head, self.decoys.tail].map(u64::from);
        let cases = CASES.min(UNITS_MAX / units.iter().sum::<u64>());
        for case in 0..cases {
            let plaintext = plaintext(case);
            let timestamp = TIMESTAMPS[usize::try_from(case).expect("fise: few cases") % TIMESTAMPS.len()];
            let opened = match form {
                Form::Bytes => {
                    self.encode(plaintext.as_bytes(), timestamp).and_then(|envelope| self.decode(&envelope, timestamp))
                }
                Form::Text => self
                    .encode_text(&plaintext, timestamp)
                    .and_then(|envelope| self.decode_text(&envelope, timestamp))
                    .map(String::into_bytes),
            };
            let reason = match opened {
                Ok(opened) if opened == plaintext.as_bytes() => continue,
                Ok(_) => "it opens to something else".to_owned(),
                Err(Error::Core(error)) => return Err(error.into()),
                Err(error) => error.to_string(),
            };
            return Ok(Assurance::Failed { reason, plaintext, timestamp });
        }
        Ok(Assurance::Tested { cases })
    }
}

/// Plaintexts of all sorts: nothing, short ones, where two readings are likeliest, longer ones, and scripts of which an envelope has
/// characters that depend on no salt.
fn plaintext(case: u64) -> String {
    const SORTS: [&str; 5] = ["{\"id\":1}", "naïve é ü", "世界你好，。支付", "😀🛒ab😀🛒世é", "\0\u{7f}\u{80}\u{7ff}"];
    let at = usize::try_from(case).expect("fise: few cases");
    let len = if at.is_multiple_of(7) { at % 600 } else { at % 24 };
    SORTS[at % SORTS.len()].chars().cycle().skip(at % 8).take(len).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    Text,
}

impl Form {
    /// The lengths of ciphertexts are multiples of this.
    fn step(self) -> usize {
        match self {
            Self::Bytes => 1,
            // Groups of base64.
            Self::Text => 4,
        }
    }
}

/// The readings that envelopes can have beside the true one.
struct Readings<'p> {
    profile: &'p Profile,
    form: Form,
    salts: Range<usize>,
    markers: Vec<Vec<u8>>,
    /// Which units a salt can have, and which a ciphertext of text.
    in_salt: [bool; 256],
    in_text: [bool; 256],
    /// The probability that so many units of a salt are those of a marker.
    chances: Vec<f64>,
}

/// A unit of an envelope.
enum Unit {
    /// With its place in the ciphertext.
    Ciphertext(usize),
    Salt,
    /// Of the marker.
    Marker(u8),
}

impl<'p> Readings<'p> {
    fn of(profile: &'p Profile, form: Form) -> Self {
        let salts = usize::from(profile.salt.min)..usize::from(profile.salt.max) + 1;
        let marker = |salt_len| {
            let mut marker = vec![0; profile.marker.len()];
            profile.marker.write(salt_len, &mut marker);
            marker
        };
        let among = |units: &str| {
            let mut is_among = [false; 256];
            units.bytes().for_each(|unit| is_among[usize::from(unit)] = true);
            is_among
        };
        let units = i32::try_from(profile.marker.len()).expect("fise: a marker is short");
        let count = float(profile.salt.alphabet.len());
        Self {
            profile,
            form,
            markers: salts.clone().map(marker).collect(),
            salts,
            in_salt: among(&profile.salt.alphabet),
            in_text: among(concat!("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "=")),
            chances: (0..=units).map(|units| count.powi(-units)).collect(),
        }
    }

    /// Whether at most half of the salts leave a second reading of an envelope of this length, by the sum of the probabilities of all.
    fn are_few(&self, len: usize, timestamp: i64) -> bool {
        let others = self.salts.clone().map(|salt_len| self.others(len, salt_len, timestamp).min(1.0));
        others.sum::<f64>() <= float(self.salts.len()) / 2.0
    }

    /// At most the probability that an envelope has a reading of another salt.
    fn others(&self, len: usize, salt_len: usize, timestamp: i64) -> f64 {
        let at = self.profile.offset.of(len, timestamp, salt_len);
        let others = || self.salts.clone().filter(|other| *other != salt_len && *other <= len + salt_len);
        let chance = |other| self.chance(len, salt_len, at, other, timestamp);
        let sum: f64 = others().map(chance).sum();
        if sum <= 0.5 {
            return sum;
        }
        // In a short envelope many markers have one place, where at most one of them can be. So no more likely than all of them is one of
        // their first units.
        let mut places: BTreeMap<usize, (f64, BTreeSet<u8>)> = BTreeMap::new();
        for other in others() {
            let chance = chance(other);
            if chance > 0.0 {
                let (sum, first_units) = places.entry(self.begin(len, salt_len, other, timestamp)).or_default();
                *sum += chance;
                first_units.insert(self.markers[other - self.salts.start][0]);
            }
        }
        let of_place =
            |(place, (sum, first_units)): (usize, (f64, BTreeSet<u8>))| match self.unit(place, len, salt_len, at) {
                Unit::Salt => f64::min(sum, float(first_units.len()) * self.chances[1]),
                Unit::Ciphertext(_) if self.form == Form::Bytes => {
                    f64::min(sum, float(first_units.len()) * self.chances[1])
                }
                _ => sum,
            };
        places.into_iter().map(of_place).sum()
    }

    /// Where the marker of another salt begins.
    fn begin(&self, len: usize, salt_len: usize, other: usize, timestamp: i64) -> usize {
        let at = self.profile.offset.of(len + salt_len - other, timestamp, other);
        self.profile.place_of(at, other, len + self.profile.marker.len() + salt_len - other)
    }

    /// At most the probability that an envelope, with its marker there, has a reading of another salt.
    fn chance(&self, len: usize, salt_len: usize, at: usize, other: usize, timestamp: i64) -> f64 {
        let marker_len = self.profile.marker.len();
        let body_len = len + marker_len + salt_len - other;
        let begin = self.profile.offset.of(body_len - marker_len, timestamp, other);
        let mut in_salt = 0;
        // The units of the salt that those of the ciphertext were mixed with.
        let (mut mixed, mut in_ciphertext) = ([0; MARKER_MAX_LEN], 0);
        for (i, unit) in self.markers[other - self.salts.start].iter().enumerate() {
            let place = self.profile.place_of(begin + i, other, body_len);
            let is_possible = match self.unit(place, len, salt_len, at) {
                Unit::Marker(found) => found == *unit,
                Unit::Salt => {
                    in_salt += 1;
                    self.in_salt[usize::from(*unit)]
                }
                Unit::Ciphertext(at) => {
                    if !mixed[..in_ciphertext].contains(&(at % salt_len)) {
                        mixed[in_ciphertext] = at % salt_len;
                        in_ciphertext += 1;
                    }
                    self.form == Form::Bytes || self.in_text[usize::from(*unit)]
                }
            };
            if !is_possible {
                return 0.0;
            }
        }
        match self.form {
            // A unit of the salt may be both seen and mixed with the ciphertext, so the two do not multiply.
            Form::Bytes => self.chances[in_salt.max(in_ciphertext)],
            // A text may have characters that depend on no salt.
            Form::Text => self.chances[in_salt],
        }
    }

    /// The unit at a place of an envelope without decoys.
    fn unit(&self, place: usize, len: usize, salt_len: usize, at: usize) -> Unit {
        let marker_len = self.profile.marker.len();
        let body_len = len + marker_len;
        let in_body = match self.profile.salt.place {
            Place::Tail => Some(place).filter(|place| *place < body_len),
            Place::Head => place.checked_sub(salt_len),
            Place::Interleaved => {
                let units = body_len + salt_len;
                let before = (place * salt_len).div_ceil(units);
                let is_salt = before < salt_len && before * units / salt_len == place;
                if is_salt { None } else { Some(place - before) }
            }
        };
        match in_body {
            None => Unit::Salt,
            Some(i) if i >= at && i < at + marker_len => {
                Unit::Marker(self.markers[salt_len - self.salts.start][i - at])
            }
            Some(i) => Unit::Ciphertext(if i < at { i } else { i - marker_len }),
        }
    }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("fise: units and lengths are few"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(json: &str) -> Profile {
        Profile::from_json(json).unwrap()
    }

    /// The assurances in words.
    fn found(json: &str) -> [String; 2] {
        let Validation { bytes, text } = profile(json).validate().unwrap();
        [Some(bytes), text].map(|assurance| match assurance {
            None => "none".to_owned(),
            Some(Assurance::Proved { lengths, timestamps }) => format!("proved {lengths} {timestamps}"),
            Some(Assurance::Tested { cases }) => format!("tested {cases}"),
            Some(Assurance::Failed { reason, .. }) => reason,
        })
    }

    #[test]
    fn what_can_be_proved_is_proved_and_the_rest_is_tested() {
        let tested = "tested 100000";
        for (json, bytes, text) in [
            (r#"{"fise": 1}"#, "proved 104 21", tested),
            (r#"{"fise": 1, "marker": {"kind": "uint16"}}"#, "proved 104 21", "none"),
            (
                r#"{"fise": 1, "offset": {"kind": "fraction"}, "salt": {"place": "head"}, "marker": {"kind": "uint16"}}"#,
                "proved 382 1",
                "none",
            ),
            (
                r#"{"fise": 1, "offset": {"kind": "modulo"}, "marker": {"kind": "uint16"}, "decoys": {"every": 3}}"#,
                "proved 106 1",
                "none",
            ),
            (r#"{"fise": 1, "offset": {"kind": "xor"}, "marker": {"kind": "uint16"}}"#, tested, "none"),
            // One salt has one reading.
            (r#"{"fise": 1, "salt": {"min": 9, "max": 9}}"#, "proved 15 21", "proved 18 21"),
        ] {
            assert_eq!(found(json), [bytes, text], "{json}");
        }
    }

    #[test]
    fn a_plaintext_that_has_no_envelope_is_found() {
        let marker = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let json = format!(
            r#"{{"fise": 1, "offset": {{"salt_multiplier": 3}}, "marker": {{"alphabet": "{marker}", "width": 1}},
                "salt": {{"min": 1, "max": 50, "alphabet": "aB"}}}}"#
        );
        let profile = profile(&json);
        let validation = profile.validate().unwrap();
        assert!(!validation.is_ok());
        assert!(validation.to_json().contains(r#""text":{"by":"failure""#));
        let Some(Assurance::Failed { plaintext, timestamp, .. }) = validation.text else { panic!("it works") };
        assert_eq!(profile.encode_text(&plaintext, timestamp).unwrap_err().code(), "fise_rules");
    }

    /// All strings of so many units.
    fn strings(units: &[u8], len: usize) -> Vec<Vec<u8>> {
        (0..len).fold(vec![Vec::new()], |shorter, _| {
            shorter.iter().flat_map(|string| units.iter().map(|unit| [string.as_slice(), &[*unit]].concat())).collect()
        })
    }

    #[test]
    fn no_more_salts_have_a_second_reading_than_the_proof_counts() {
        let mut compared = 0;
        for offset in [
            r#"{"salt_multiplier": 1, "modulo": 3}"#,
            r#"{"kind": "fraction", "denominator": 1}"#,
            r#"{"kind": "fraction", "denominator": 3}"#,
            r#"{"kind": "modulo", "divisor": 2}"#,
            r#"{"kind": "xor"}"#,
        ] {
            for place in ["tail", "head", "interleaved"] {
                for (marker, width) in [("ab", 3), ("bcda", 2), ("abcde", 1)] {
                    let profile = profile(&format!(
                        r#"{{"fise": 1, "offset": {offset}, "marker": {{"alphabet": "{marker}", "width": {width}}},
                            "salt": {{"min": 1, "max": 4, "alphabet": "abc", "place": "{place}"}}}}"#
                    ));
                    let readings = Readings::of(&profile, Form::Bytes);
                    for (len, timestamp, salt_len) in (0..6)
                        .flat_map(|len| (-2..3).flat_map(move |timestamp| (1..5).map(move |n| (len, timestamp, n))))
                    {
                        let most = readings.others(len, salt_len, timestamp);
                        let salts = strings(b"abc", salt_len);
                        // Those that a salt turns into markers, and others.
                        for plaintext in strings(&[0, 3, b'a'], len).iter().step_by(1 + len * 2) {
                            let with_others = salts.iter().filter(|salt| {
                                let mut units = plaintext.clone();
                                crate::interop::fise::envelope::mix(&mut units, salt);
                                profile.place(&mut units, 0, salt, timestamp);
                                profile.lengths(&units, timestamp).count() > 1
                            });
                            let share = float(with_others.count()) / float(salts.len());
                            assert!(share <= most + 1e-9, "{share} {most} {len} {timestamp} {salt_len} {profile:?}");
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn behind_the_lengths_of_a_proof_readings_repeat() {
        for json in [
            r#"{"fise": 1, "offset": {"salt_multiplier": 2, "modulo": 4}, "salt": {"min": 5, "max": 12}}"#,
            r#"{"fise": 1, "offset": {"salt_multiplier": 1, "modulo": 2},
                "salt": {"min": 5, "max": 9, "place": "interleaved"}}"#,
            r#"{"fise": 1, "offset": {"kind": "fraction", "numerator": 2, "denominator": 5},
                "salt": {"min": 5, "max": 12, "place": "head"}}"#,
            r#"{"fise": 1, "offset": {"kind": "modulo", "divisor": 6}, "salt": {"min": 5, "max": 12}}"#,
            r#"{"fise": 1, "offset": {"kind": "modulo", "divisor": 13},
                "marker": {"alphabet": "ABCDEFGH", "width": 1, "prefix": "+"},
                "salt": {"min": 1, "max": 6, "alphabet": "abcdefghijklmnop", "place": "head"}}"#,
            r#"{"fise": 1, "offset": {"kind": "fraction", "numerator": 10, "denominator": 19},
                "marker": {"alphabet": "XL5", "width": 1}, "salt": {"min": 1, "max": 2}}"#,
        ] {
            let profile = profile(json);
            for form in [Form::Bytes, Form::Text] {
                let readings = Readings::of(&profile, form);
                let lengths = usize::try_from(profile.lengths_that_differ(form).unwrap()).unwrap();
                // All that any length behind them has was there before.
                let seen = |range: Range<usize>| -> BTreeSet<u64> {
                    let range = range.filter(|len| len.is_multiple_of(form.step()));
                    let salts = range.flat_map(|len| readings.salts.clone().map(move |salt_len| (len, salt_len)));
                    salts
                        .flat_map(|(len, salt_len)| (-3..4).map(move |timestamp| (len, salt_len, timestamp)))
                        .map(|(len, salt_len, timestamp)| readings.others(len, salt_len, timestamp).to_bits())
                        .collect()
                };
                assert!(seen(lengths..lengths * 4).is_subset(&seen(0..lengths)), "{json}");
            }
        }
    }
}
