//! The header: prefix, stanzas and MAC (format sections 1, 3, 4 and 8). Its checks follow the order of section 8, and so do
//! those of `open` in `decrypt.rs`.

use super::foreign;
use crate::error::{Error, RecipientsRule, Result};
use crate::key::{Identity, Kind, Recipient};
use crate::mac;
use crate::plugin;
use crate::random;
use crate::recipient::Stretch;
use crate::recipient::{self, Binding, Candidate, FILE_KEY_LEN, FileKey, PREFIX_LEN, Stanza, StanzaId, wrap};
use crate::suite::Suite;
use std::ops::Range;
use zeroize::Zeroizing;

pub(super) const MAGIC: [u8; 8] = *b"\x89SEAL\r\n\x1a";
/// Prefix and area length.
pub(super) const START_LEN: usize = PREFIX_LEN + 4;
/// The first bytes of an input that [`header_len`] needs to guess the type of an input that is no Sealstone file.
pub(super) const PEEK_LEN: usize = if foreign::LEN > START_LEN { foreign::LEN } else { START_LEN };
const MAC_LEN: usize = 32;
const AREA_MAX_LEN: u32 = 1 << 21;
pub(super) const STANZAS_MAX: usize = 1024;
/// Type and body length before every stanza body.
const STANZA_HEAD_LEN: usize = 4;
/// The most attempts of a reader to unwrap the file key (section 8, step 5).
const ATTEMPTS_MAX: usize = 4096;
/// The most attempts with plugins, each of which may prompt a person.
const PLUGIN_ATTEMPTS_MAX: usize = 64;

/// What a file is, by its flags (sections 1 and 1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flags {
    /// A context is bound (section 6).
    pub(super) context: bool,
    /// The content is in frames (archive section 2).
    pub(super) compressed: bool,
    /// The content is an archive (archive section 3).
    pub(super) archive: bool,
}

impl Flags {
    const CONTEXT: u16 = 1;
    const SIGNED: u16 = 2;
    const COMPRESSED: u16 = 4;
    const ARCHIVE: u16 = 8;

    /// Judges the flags of a file of a known version.
    fn read(version: u8, bits: u16) -> Result<Self> {
        let content = bits & !Self::CONTEXT;
        match version {
            1 if content != 0 => return Err(Error::MalformedHeader("a reserved flag is set (section 1)")),
            1 => {}
            _ if content & !(Self::SIGNED | Self::COMPRESSED | Self::ARCHIVE) != 0 => {
                return Err(Error::UnsupportedFlag("the file has a flag that this release does not know"));
            }
            _ if content & Self::SIGNED != 0 => {
                return Err(Error::UnsupportedFlag("the file is signed within, which this release does not know"));
            }
            _ if content & Self::COMPRESSED != 0 && cfg!(any(not(feature = "archive"), target_family = "wasm")) => {
                return Err(Error::UnsupportedFlag("the file is compressed, which this build does not read"));
            }
            _ if content == 0 => {
                return Err(Error::MalformedHeader("a version 2 file has none of its flags (section 1.4)"));
            }
            _ => {}
        }
        let has = |flag| bits & flag != 0;
        Ok(Self { context: has(Self::CONTEXT), compressed: has(Self::COMPRESSED), archive: has(Self::ARCHIVE) })
    }

    /// The version of a file with these flags, and the flags as bits.
    fn write(self) -> (u8, u16) {
        let bits = [(self.context, Self::CONTEXT), (self.compressed, Self::COMPRESSED), (self.archive, Self::ARCHIVE)];
        let bits = bits.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
        (if self.compressed || self.archive { 2 } else { 1 }, bits)
    }
}

/// A header that follows the rules of sections 1, 2 and 4. It is not authentic before [`open`](Self::open).
pub(super) struct Header<'a> {
    bytes: &'a [u8],
    suite: Suite,
    flags: Flags,
    stanzas: Vec<(StanzaId, Range<usize>)>,
}

/// Checks the first bytes of a file (section 8, step 1), and returns the length of its header.
///
/// `start` has the first [`START_LEN`] bytes or more, or the whole file if it is shorter. A wrong byte takes precedence over a
/// short file. With [`PEEK_LEN`] bytes the error says what else the input may be.
pub(super) fn header_len(start: &[u8]) -> Result<usize> {
    let rest = start.strip_prefix(&MAGIC).ok_or_else(|| Error::NotSealstone(foreign::looks_like(start)))?;
    if let Some(&version) = rest.first()
        && !matches!(version, 1 | 2)
    {
        return Err(Error::UnsupportedVersion(version));
    }
    if let Some(&suite) = rest.get(1) {
        Suite::from_id(suite)?;
    }
    if let Some(flags) = rest.get(2..4) {
        Flags::read(rest[0], u16::from_be_bytes([flags[0], flags[1]]))?;
    }
    let Some(area) = rest.get(4..8) else { return Err(Error::Truncated("it ends within the header")) };
    let area = u32::from_be_bytes(area.try_into().expect("header: four bytes"));
    if area == 0 || area > AREA_MAX_LEN {
        return Err(Error::MalformedHeader("the stanza area is empty or over 2 MiB (section 1)"));
    }
    Ok(START_LEN + area as usize + MAC_LEN)
}

impl<'a> Header<'a> {
    /// Parses the header at the start of `bytes`, which have the length that [`header_len`] returned, or end before.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let len = header_len(bytes)?;
        let bytes = bytes.get(..len).ok_or(Error::Truncated("it ends within the header"))?;
        let suite = Suite::from_id(bytes[9])?;
        let flags = Flags::read(bytes[8], u16::from_be_bytes([bytes[10], bytes[11]]))?;
        let mut stanzas = Vec::new();
        let mut at = START_LEN;
        let end = len - MAC_LEN;
        while at < end {
            let filling = Error::MalformedHeader("the stanzas do not fill their area (section 4)");
            let Some(head) = bytes[at..end].first_chunk::<STANZA_HEAD_LEN>() else { return Err(filling) };
            let id = StanzaId(u16::from_be_bytes([head[0], head[1]]));
            let body_len = usize::from(u16::from_be_bytes([head[2], head[3]]));
            at += STANZA_HEAD_LEN;
            if end - at < body_len {
                return Err(filling);
            }
            id.check(suite, body_len)?;
            stanzas.push((id, at..at + body_len));
            if stanzas.len() > STANZAS_MAX {
                return Err(Error::MalformedHeader("there are over 1024 stanzas (section 4)"));
            }
            at += body_len;
        }
        if stanzas.len() > 1 && stanzas.iter().any(|(id, _)| id.must_be_only()) {
            return Err(Error::MalformedHeader("a passphrase stanza is not the only stanza (section 4)"));
        }
        Ok(Self { bytes, suite, flags, stanzas })
    }

    /// Writes a header with the `kept` stanzas, in the form of an area, and new stanzas for these recipients.
    pub(super) fn write(
        suite: Suite,
        flags: Flags,
        kept: &[u8],
        recipients: &[Recipient],
        allow_mixed: bool,
        file_key: &FileKey,
    ) -> Result<Vec<u8>> {
        let (version, flags) = flags.write();
        let mut header = [&MAGIC[..], &[version, suite.id()], &flags.to_be_bytes()].concat();
        let prefix: [u8; PREFIX_LEN] = header[..].try_into().expect("header: a prefix is 12 bytes");
        let binding = Binding { suite, prefix: &prefix };
        let mut area = kept.to_vec();
        for recipient in recipients {
            area.extend(wrap(recipient, binding, file_key)?);
        }
        let area_len = u32::try_from(area.len()).ok().filter(|len| *len <= AREA_MAX_LEN);
        let area_len = area_len.ok_or(Error::InvalidRecipients(RecipientsRule::AtMost2MiB))?;
        header.extend_from_slice(&area_len.to_be_bytes());
        header.extend_from_slice(&area);
        header.extend_from_slice(&header_mac(suite, file_key, &header));
        if recipients.iter().any(|recipient| recipient.kind() == Kind::Plugin) {
            // The rules for mixing a plugin's stanza are known only after it has wrapped.
            check_mixing(Header::parse(&header)?.stanzas(), allow_mixed)?;
        }
        Ok(header)
    }

    pub(super) fn suite(&self) -> Suite {
        self.suite
    }

    pub(super) fn flags(&self) -> Flags {
        self.flags
    }

    /// The bytes of all stanzas in the file.
    pub(super) fn area(&self) -> &'a [u8] {
        &self.bytes[START_LEN..self.bytes.len() - MAC_LEN]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn prefix(&self) -> &'a [u8; PREFIX_LEN] {
        self.bytes.first_chunk().expect("header: it has a prefix")
    }

    pub(super) fn stanzas(&self) -> impl Iterator<Item = Stanza<'a>> {
        self.stanzas.iter().map(|(id, body)| Stanza { id: *id, body: &self.bytes[body.clone()] })
    }

    /// Finds the file key and checks the header MAC with it (section 8, steps 4 to 6).
    pub(super) fn open(&self, identities: &[Identity]) -> Result<FileKey> {
        let (id, file_key) = self.unwrap(identities)?;
        let (signed, mac) = self.bytes.split_at(self.bytes.len() - MAC_LEN);
        if mac::equal(&header_mac(self.suite, &file_key, signed), mac) {
            Ok(file_key)
        } else if id.must_be_only() {
            // An attacker who guesses passphrases must not learn that a guess opened the stanza.
            Err(Error::WrongPassphrase)
        } else {
            Err(Error::HeaderNotAuthentic)
        }
    }

    /// The key to derive before [`open`](Self::open) can run without a derivation: for the first passphrase that does not know
    /// its key, unless a passphrase before it opens the stanza.
    pub(super) fn stretch(&self, identities: &[Identity]) -> Result<Option<Stretch>> {
        let Some(stanza) = self.stanzas().find(|stanza| stanza.id.key_kind() == Some(Kind::Passphrase)) else {
            return Ok(None);
        };
        let binding = Binding { suite: self.suite, prefix: self.prefix() };
        for identity in identities {
            if let Some(stretch) = recipient::stretch(identity, stanza)? {
                return Ok(Some(stretch));
            }
            let candidate = Candidate::new(identity, binding);
            if candidate.matches(stanza) && candidate.unwrap(stanza)?.is_some() {
                break;
            }
        }
        Ok(None)
    }

    fn unwrap(&self, identities: &[Identity]) -> Result<(StanzaId, FileKey)> {
        let binding = Binding { suite: self.suite, prefix: self.prefix() };
        let candidates: Vec<_> = identities.iter().map(|identity| Candidate::new(identity, binding)).collect();
        let (mut attempts, mut failure) = (0, Error::NoMatchingIdentity);
        let mut unwrap = |candidate: &Candidate<'_>, stanza: Stanza<'_>| {
            if attempts == ATTEMPTS_MAX {
                return Err(Error::CostTooHigh("over 4096 attempts to unwrap its file key"));
            }
            attempts += 1;
            Ok(candidate.unwrap(stanza)?.map(|file_key| (stanza.id, file_key)))
        };
        let pairs = |is_plugin| {
            let stanzas = self.stanzas().filter(move |stanza| stanza.is_plugin() == is_plugin);
            let fitting =
                |stanza| candidates.iter().filter(move |one| one.matches(stanza)).map(move |one| (one, stanza));
            stanzas.flat_map(fitting)
        };
        for (candidate, stanza) in pairs(false) {
            if stanza.id.must_be_only() {
                failure = Error::WrongPassphrase;
            }
            if let Some(unwrapped) = unwrap(candidate, stanza)? {
                return Ok(unwrapped);
            }
        }
        let answers = pairs(true).enumerate().map(|(attempt, (candidate, stanza))| match attempt {
            PLUGIN_ATTEMPTS_MAX.. => Err(Error::CostTooHigh("over 64 attempts of plugins to unwrap its file key")),
            _ => unwrap(candidate, stanza),
        });
        if let Some(unwrapped) = plugin::first_answer(answers)? {
            return Ok(unwrapped);
        }
        Err(failure)
    }
}

/// Refuses stanzas that must not stand in one file (format section 4.7).
fn check_mixing<'a>(stanzas: impl Iterator<Item = Stanza<'a>>, allow_mixed: bool) -> Result<()> {
    let (mut count, mut is_any_apart, mut has) = (0, false, [false; 2]);
    for stanza in stanzas {
        count += 1;
        is_any_apart |= stanza.must_be_only();
        if let Some(strength) = stanza.is_post_quantum() {
            has[usize::from(strength)] = true;
        }
    }
    match (is_any_apart && count > 1, !allow_mixed && has == [true; 2]) {
        (true, _) => Err(Error::InvalidRecipients(RecipientsRule::PluginApart)),
        (_, true) => Err(Error::MixedRecipients),
        _ => Ok(()),
    }
}

/// Generates a file key.
pub(super) fn new_file_key() -> Result<FileKey> {
    Ok(Zeroizing::new(random::array::<FILE_KEY_LEN>()?))
}

/// The key of the payload (section 3).
pub(super) fn payload_key(suite: Suite, file_key: &FileKey) -> Zeroizing<Vec<u8>> {
    let mut key = Zeroizing::new(vec![0; suite.key_len()]);
    suite.expand(&file_key[..], &[b"sealstone/v1 payload"], &mut key[..]);
    key
}

/// The MAC of the header before it (section 3). H is collision resistant, so the MAC also commits to the file key.
fn header_mac(suite: Suite, file_key: &FileKey, header: &[u8]) -> [u8; MAC_LEN] {
    let mut key = Zeroizing::new([0; MAC_LEN]);
    suite.expand(&file_key[..], &[b"sealstone/v1 header mac"], &mut key[..]);
    suite.mac(&key[..], header)
}
