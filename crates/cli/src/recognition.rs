//! Tells keys from names and from other data by their looks. Errors then repeat no secret, and hints name the mistake.

use crate::failure::Mistake;
use crate::foreign::{is_der, is_minisign, is_ssh_key};
use sealstone::signature::Signers;
use sealstone::{Input, Kind, Text, escape_name};
use std::path::Path;

/// Whether a text looks like an SSH public key in `authorized_keys` format, valid or not.
pub(crate) fn is_ssh_line(text: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|head| text.starts_with(head)) && text.contains(' ')
}

/// The first word of an SSH public key: its type.
pub(crate) fn ssh_key_type(text: &str) -> &str {
    text.split_ascii_whitespace().next().unwrap_or_default()
}

/// Whether a file is a private key in OpenSSH's format, or in RSA's PKCS#1 PEM format.
pub(crate) fn is_ssh_private_key(bytes: &[u8]) -> bool {
    let lines = Text::of(bytes).into_iter().flat_map(Text::lines).map(|(_, line)| line);
    let first = lines.map(|line| line.strip_prefix(b"-----BEGIN ")).find_map(|label| label);
    first
        .is_some_and(|label| [&b"OPENSSH PRIVATE KEY-"[..], b"RSA PRIVATE KEY-"].iter().any(|of| label.starts_with(of)))
}

/// Identifies a line that is not a Sealstone recipient.
pub(crate) fn identify_non_recipient(line: &str) -> Option<Mistake> {
    let line = line.trim_start();
    let is_identity = |kind: &Kind| kind.identity_prefix().is_some_and(|prefix| line.starts_with(prefix));
    if let Some(kind) = Kind::ALL.into_iter().find(is_identity) {
        Some(if kind == Kind::Key { Mistake::SymmetricKey } else { Mistake::SecretKey })
    } else if line.contains("PRIVATE KEY-----") {
        Some(Mistake::SecretKey)
    } else if Signers::parse(line).is_ok() {
        Some(Mistake::SigningKey)
    } else if line.starts_with("ssh-") || line.starts_with("ecdsa-") {
        Some(Mistake::SshKey)
    } else if recipient_kind(line) == Some(Kind::X25519) && line.matches('1').count() > 1 {
        // Bech32 has no 1 but the one before the data.
        Some(Mistake::PluginRecipient)
    } else {
        None
    }
}

/// The kind whose recipient prefix begins the text. If several prefixes match, the longest wins.
pub(crate) fn recipient_kind(text: &str) -> Option<Kind> {
    let rest = |kind: Kind| text.strip_prefix(kind.recipient_prefix()?)?.strip_prefix('1');
    let found = Kind::ALL.into_iter().filter_map(|kind| Some((kind, rest(kind)?)));
    found.min_by_key(|(_, rest)| rest.len()).map(|(kind, _)| kind)
}

/// An argument as messages show it: data that may be a key becomes `…`.
pub(crate) fn redact(text: &str) -> String {
    if looks_like_data(text) { "…".to_owned() } else { escape_name(Path::new(text)) }
}

/// Whether a name looks like a key: hexadecimal digits as `sm-crypto` or `openssl -text` print them, DER in base64, or random bytes
/// in base64.
pub(crate) fn looks_like_key(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or(name).replace([':', ' '], "");
    (24..=256).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        || name.starts_with("MI") && looks_like_data(name)
        || name.strip_prefix("whsec_").map_or_else(|| looks_like_base64(name), |data| data.len() >= 22)
}

/// Whether a text looks like a key in hexadecimal digits, valid or not. The key's own error then says the fault.
pub(crate) fn looks_like_digits(text: &str) -> bool {
    text.len() >= 60 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file has keys in a form of Sealstone or of another program, public ones included, or is sealed, or is UTF-16, which no
/// raw key is.
pub(crate) fn is_key_file(bytes: &[u8]) -> bool {
    let text = Text::of(bytes).map_or(bytes, Text::bytes);
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let is_jwk = || text.trim_ascii_start().starts_with(b"{") && text.windows(5).any(|part| part == b"\"kty\"");
    lines.any(is_key_line)
        || is_jwk()
        || is_utf16(bytes)
        || is_der(bytes)
        || sealstone::inspect(Input::reader(bytes)).is_ok()
}

/// Whether a text has 32 characters of base64 in a row, as a key has and a file name does not.
fn looks_like_data(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '_' | '-' | '='))
        .any(|run| run.len() >= 32)
}

/// Whether a text looks like 16 bytes or more in base64 or base64url. Without padding, it must have upper case, lower case and a
/// digit; few names of this length have all three.
fn looks_like_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=').as_bytes();
    let is_of = |signs: &[u8]| data.iter().all(|byte| byte.is_ascii_alphanumeric() || signs.contains(byte));
    let is_mixed = [u8::is_ascii_uppercase, u8::is_ascii_lowercase, u8::is_ascii_digit];
    data.len() >= 22
        && (is_of(b"+/") || is_of(b"-_"))
        && (data.len() < text.len() || is_mixed.iter().all(|is| data.iter().any(is)))
}

/// Whether a line has a key, or begins one. The line may have any bytes: a comment in another encoding must not hide a key below
/// it.
fn is_key_line(line: &[u8]) -> bool {
    let line = line.utf8_chunks().next().map_or("", |chunk| chunk.valid()).trim();
    let mut prefixes = Kind::ALL.into_iter().filter_map(Kind::identity_prefix);
    prefixes.any(|prefix| line.starts_with(prefix))
        || ["-----BEGIN ", "---- BEGIN SSH2", "PuTTY-User-Key-File-"].iter().any(|head| line.starts_with(head))
        || recipient_kind(line).is_some()
        || has_ssh_public_key(line)
        || is_minisign(line)
}

/// Whether a line has an SSH public key: the name of its type, followed by base64, anywhere in the line.
fn has_ssh_public_key(line: &str) -> bool {
    let words = || line.split_ascii_whitespace();
    words().zip(words().skip(1)).any(|(name, data)| is_ssh_key(name, data))
}

/// Whether a file is UTF-16, which PowerShell and some editors write. All of it must be text, since a raw key may begin with the
/// byte order mark.
fn is_utf16(bytes: &[u8]) -> bool {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let (Some(first), true) = (pairs.get(1), rest.is_empty() && pairs.len() >= 4) else { return false };
    let has_mark = matches!(pairs[0], [0xff, 0xfe] | [0xfe, 0xff]);
    let (zero, other) = if first[0] == 0 { (0, 1) } else { (1, 0) };
    pairs[usize::from(has_mark)..].iter().all(|pair| pair[zero] == 0 && pair[other] != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_place_of_names_are_known() {
        for key in [
            "5ifIm+zM3yN0hZ6/Zp7hXq8a1LQb0dV2m4cKtYpRuWE=",
            "5ifIm-zM3yN0hZ6_Zp7hXq8a1LQb0dV2m4cKtYpRuWE",
            "hZ6/Zp7hXq8a1LQb0dV2mw==",
            "hZ6_Zp7hXq8a1LQb0dV2mw",
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopo=",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_hZ6/Zp7hXq8a1LQb0dV2mw==",
            "00112233445566778899aabbccddeeff",
        ] {
            assert!(looks_like_key(key), "{key}");
        }
        for name in [
            "key",
            "a-very-long-name-of-a-key-file",
            "/home/alice/work/keys/webhook",
            "keys/2026-11-23-Alice-webhook-secret",
            "Downloads/Keys2026/alice.key",
            "KeyOfTheWebhookOf2026",
            "whsec_1",
        ] {
            assert!(!looks_like_key(name), "{name}");
        }
    }

    /// The bytes of a raw key may begin like DER.
    #[test]
    fn random_bytes_are_of_no_other_kind() {
        let mut key = [0x30, 30].to_vec();
        key.extend(1..=30);
        assert!(!is_key_file(&key));
        for head in [&[0x30, 0x82][..], &[0x30, 30, 0x30, 28], &[0xff, 0xfe], b"ssh-ed25519", b"{", b"RWQ"] {
            let bytes: Vec<u8> = head.iter().copied().chain(0x80..=0xff).take(32).collect();
            assert!(!is_key_file(&bytes), "{head:?}");
        }
        for bytes in [&[][..], &[0], &[0; 32], &[0x30], &[0x30, 0], b"ssh-keys are my hobby", b"{ not a key }", b"  \n"]
        {
            assert!(!is_key_file(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn strings_of_every_kind_are_known() {
        for kind in Kind::ALL {
            if let Some(prefix) = kind.identity_prefix() {
                let text = format!("{prefix}1q");
                assert!(sealstone::looks_secret(&text) && identify_non_recipient(&text).is_some(), "{kind}");
            }
            if let Some(prefix) = kind.recipient_prefix() {
                let text = format!("{prefix}1q");
                assert!(recipient_kind(&text) == Some(kind) && identify_non_recipient(&text).is_none(), "{kind}");
            }
        }
    }
}
