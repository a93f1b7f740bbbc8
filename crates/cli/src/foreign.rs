//! Identifies files that have no Sealstone key by their bytes, for hints.

use crate::digits;
use crate::failure::Mistake;
use sealstone::Text;
use sealstone::encoding::Encoding;
use zeroize::Zeroizing;

/// Identifies a mistaken input in a file of keys.
pub(crate) fn identify(bytes: &[u8]) -> Option<Mistake> {
    let text = Text::of(bytes).ok()?;
    let mut lines = text.lines().map(|(_, line)| Text::of_line(line).trim());
    let first = lines.find(|line| !line.starts_with('#'))?;
    if is_ssh_certificate(first) {
        return Some(Mistake::SshCertificate);
    }
    if is_minisign(first) {
        return Some(Mistake::Minisign);
    }
    let data = remove_blanks(text.bytes());
    if digits::decode(&data).is_some_and(|der| is_der(&der)) {
        return Some(Mistake::DigitsOfDer);
    }
    match decode_base64(&data)? {
        der if is_der(&der) => Some(Mistake::Base64OfDer),
        key if has_sm2_key_len(&key) => Some(Mistake::Base64OfDigits),
        _ => None,
    }
}

/// Whether a key has the length of an SM2 key: a private key, also with the sign byte of Java's `BigInteger`, or a public key, with
/// or without its leading 04.
fn has_sm2_key_len(key: &[u8]) -> bool {
    matches!((key.len(), key.first()), (32 | 64, _) | (33, Some(0)) | (65, Some(4)))
}

/// Whether a file is base64, on one or several lines.
pub(crate) fn is_base64(bytes: &[u8]) -> bool {
    decode_base64(&remove_blanks(bytes)).is_some_and(|data| !data.is_empty())
}

fn remove_blanks(text: &[u8]) -> Zeroizing<Vec<u8>> {
    // Allocated once, so that growth leaves no copies of the secret behind.
    let mut data = Zeroizing::new(Vec::with_capacity(text.len()));
    data.extend(text.iter().filter(|byte| !byte.is_ascii_whitespace()));
    data
}

fn decode_base64(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    Encoding::Base64.decode(str::from_utf8(text).ok()?).ok().map(Zeroizing::new)
}

/// Whether the first line is an SSH public key, as `ssh-keygen` writes it.
pub(crate) fn is_ssh_public_key(bytes: &[u8]) -> bool {
    let line = Text::of(bytes).ok().and_then(|text| text.lines().next()).map_or("", |(_, line)| Text::of_line(line));
    let mut words = line.split_ascii_whitespace();
    words.next().zip(words.next()).is_some_and(|(name, data)| is_ssh_key(name, data))
}

/// Whether two words are the type of an SSH public key and its base64.
pub(crate) fn is_ssh_key(name: &str, data: &str) -> bool {
    let is_type = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].iter().any(|head| name.starts_with(head));
    is_type && data.starts_with("AAAA")
}

/// Whether a line is an SSH certificate, as `ssh-keygen -s` writes it.
fn is_ssh_certificate(line: &str) -> bool {
    line.split_ascii_whitespace().next().is_some_and(|name| name.ends_with("-cert-v01@openssh.com"))
}

/// Whether a line is a key of minisign or signify, or the comment above it.
pub(crate) fn is_minisign(line: &str) -> bool {
    // Base64 of "Ed", 8 bytes of key number and 32 bytes of key.
    let is_key =
        line.len() == 56 && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    line.starts_with("untrusted comment:") || is_key && ["RWQ", "RWR", "RWS", "RWT"].contains(&&line[..3])
}

/// Whether a file is one DER sequence that begins like a key: with a version, an algorithm or a number. Random bytes do not pass.
pub(crate) fn is_der(bytes: &[u8]) -> bool {
    let (len, content) = match bytes {
        [0x30, 0x82, high, low, content @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), content),
        [0x30, 0x81, len, content @ ..] | [0x30, len @ ..=0x7f, content @ ..] => (usize::from(*len), content),
        _ => return false,
    };
    let has_key_head = matches!(
        content,
        // PKCS#8, SEC1, PKCS#1 and PKCS#12; an algorithm's OID; a certificate or its first part; a modulus.
        [0x02, 0x01, 0..=3, 0x02 | 0x04 | 0x30, ..]
            | [0x30, _, 0x06, ..]
            | [0x30, 0x81, _, 0x02 | 0x06 | 0xa0, ..]
            | [0x30, 0x82, _, _, 0x02 | 0x06 | 0xa0, ..]
            | [0x02, 0x81 | 0x82, ..]
    );
    len == content.len() && has_key_head
}
