//! The header: a line with the version, stanzas, and a MAC.

use crate::encoding::{decode_base64_unpadded, encode_base64_unpadded};
use crate::error::{Error, RecipientsRule, Result};
use crate::kdf::hkdf_sha256;
use crate::mac::{self, HmacSha256};
use crate::pipeline::Input;
use crate::plugin::Stanza;
use crate::random;
use zeroize::Zeroizing;

/// The first bytes of every version.
pub(super) const MAGIC: &[u8] = b"age-encryption.org/";
const VERSION_LINE: &[u8] = b"age-encryption.org/v1";
const MAC_BEGINS: &[u8] = b"---";
const MAC_LEN: usize = 32;
/// The limits of a reader, which are those of Sealstone's files. Age itself has none.
pub(super) const LEN_MAX: usize = 2 << 20;
pub(super) const STANZAS_MAX: usize = 1024;

pub(super) const TOO_LONG: Error = Error::MalformedHeader("it is over 2 MiB");

pub(super) const FILE_KEY_LEN: usize = 16;
/// The key that the stanzas hold.
pub(super) type FileKey = Zeroizing<[u8; FILE_KEY_LEN]>;

pub(super) fn new_file_key() -> Result<FileKey> {
    Ok(Zeroizing::new(random::array()?))
}

/// A parsed header. It is not authentic before [`check`](Self::check).
pub(super) struct Header {
    pub(super) stanzas: Vec<Stanza>,
    /// The bytes that the MAC covers, up to its `---`.
    covered: Vec<u8>,
    mac: [u8; MAC_LEN],
    /// Bytes of the header.
    pub(super) len: usize,
}

impl Header {
    /// Reads the header at the beginning of an input.
    pub(super) fn of(input: &mut Input<'_>) -> Result<Self> {
        const FIRST: usize = 512;
        input.parse_head(FIRST, LEN_MAX, TOO_LONG, Self::parse)
    }

    /// Parses the header at the beginning of `file`; `None` if it needs more bytes.
    pub(super) fn parse(file: &[u8]) -> Result<Option<Self>> {
        let mut at = 0;
        let mut next = || -> Option<&[u8]> {
            let end = at + file[at..].iter().position(|byte| *byte == b'\n')?;
            let line = &file[at..end];
            at = end + 1;
            Some(line)
        };
        let Some(version) = next() else {
            let begun = VERSION_LINE.starts_with(&file[..file.len().min(VERSION_LINE.len())]);
            return if begun && file.len() <= VERSION_LINE.len() { Ok(None) } else { Err(not_version_1(file)) };
        };
        if version != VERSION_LINE {
            return Err(not_version_1(version));
        }
        let mut stanzas = Vec::new();
        loop {
            let Some(line) = next() else { return Ok(None) };
            if let Some(text) = line.strip_prefix(MAC_BEGINS) {
                let damaged = || Error::MalformedHeader("the line of the MAC is damaged (age)");
                let mac = text.strip_prefix(b" ").and_then(|text| decode_base64_unpadded(text).ok());
                let mac = mac.and_then(|mac| mac.try_into().ok()).ok_or_else(damaged)?;
                if stanzas.is_empty() {
                    return Err(Error::MalformedHeader("there is no stanza (age)"));
                }
                if at > LEN_MAX {
                    return Err(TOO_LONG);
                }
                let end = at - 1 - text.len();
                return Ok(Some(Self { stanzas, covered: file[..end].to_vec(), mac, len: at }));
            }
            let Some(stanza) = Stanza::read(line, &mut next)? else { return Ok(None) };
            if stanzas.len() == STANZAS_MAX {
                return Err(Error::MalformedHeader("there are over 1024 stanzas"));
            }
            stanzas.push(stanza);
        }
    }

    /// Authenticates the header.
    pub(super) fn check(&self, file_key: &FileKey) -> Result<()> {
        let mac = mac_of(file_key, &self.covered);
        if mac::equal(&mac, &self.mac) { Ok(()) } else { Err(Error::HeaderNotAuthentic) }
    }

    /// Writes the header of these stanzas. Fails if it is longer than a reader accepts, as stanzas of plugins may be long.
    pub(super) fn write(stanzas: &[Stanza], file_key: &FileKey) -> Result<Vec<u8>> {
        let mut header = [VERSION_LINE, b"\n"].concat();
        for stanza in stanzas {
            header.extend_from_slice(stanza.to_text().as_bytes());
        }
        header.extend_from_slice(MAC_BEGINS);
        let mac = mac_of(file_key, &header);
        header.push(b' ');
        header.extend_from_slice(encode_base64_unpadded(&mac).as_bytes());
        header.push(b'\n');
        if header.len() > LEN_MAX { Err(Error::InvalidRecipients(RecipientsRule::AtMost2MiB)) } else { Ok(header) }
    }
}

fn not_version_1(line: &[u8]) -> Error {
    match line.strip_prefix(MAGIC) {
        Some(_) => Error::MalformedHeader("it is of another version of age than 1, or its first line is damaged"),
        None => Error::MalformedHeader("it is not an age file"),
    }
}

fn mac_of(file_key: &FileKey, header: &[u8]) -> [u8; MAC_LEN] {
    let mut key = Zeroizing::new([0; 32]);
    hkdf_sha256(&file_key[..], b"", b"header", &mut key[..]);
    HmacSha256::new(&key[..]).sign([header])
}
