//! Fingerprints for people: `SHA256:` and 16 groups of four digits. Files and JSON have the digits without groups.

use crate::failure::Failure;
use sealstone::escape_name;
use std::path::Path;

/// Digits in a group.
const GROUP: usize = 4;
/// Digits in a fingerprint.
const DIGITS: usize = 64;
/// Characters of a fingerprint in base64 without padding, as `ssh-keygen` prints it.
const OF_SSH_LEN: usize = 43;

/// Formats a fingerprint in groups.
pub(crate) fn group_digits(fingerprint: &str) -> String {
    let (name, digits) = fingerprint.split_once(':').expect("fingerprint: it names its hash");
    let groups: Vec<&str> =
        digits.as_bytes().chunks(GROUP).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    // It stays one word, which a double click selects and a shell takes without quotes.
    format!("{name}:{}", groups.join("-"))
}

/// A fingerprint as the user typed it.
pub(crate) enum TypedFingerprint {
    /// The digits without groups, in lower case.
    Digits(String),
    /// The fingerprint of `ssh-keygen -l`.
    OfSsh(String),
}

impl TypedFingerprint {
    /// Parses a fingerprint with any grouping of the digits, with or without the name of the hash.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        let of_ssh = text.strip_prefix("SHA256:").filter(|base64| base64.len() == OF_SSH_LEN);
        if of_ssh.is_some_and(|base64| base64.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/'))) {
            return Ok(Self::OfSsh(text.to_owned()));
        }
        let lower = text.to_ascii_lowercase();
        let digits = lower.strip_prefix("sha256:").unwrap_or(&lower);
        let digits: String = digits.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | ':')).collect();
        if digits.len() == DIGITS && digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Ok(Self::Digits(digits));
        }
        Err(Failure::usage_with_hint(
            format!("this is not a fingerprint: {}", escape_name(Path::new(text))),
            "give SHA256: and 64 digits, as `sealstone key fingerprint FILE` prints them, or the fingerprint of ssh-keygen -l",
        ))
    }

    /// Whether this is the fingerprint of a key.
    pub(crate) fn is_same_as(&self, fingerprint: &str, of_ssh: Option<&str>) -> bool {
        match self {
            Self::Digits(digits) => fingerprint.strip_prefix("SHA256:") == Some(digits),
            Self::OfSsh(typed) => of_ssh == Some(typed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_meant_in_every_way_that_it_can_be_typed() {
        let plain = "SHA256:7ee0725d6d44b65fd2ff83fc988cc196631434d0d0eb990099d0ec6c3581b2a3".to_owned();
        let shown = group_digits(&plain);
        assert_eq!(shown.len(), "SHA256:".len() + 64 + 15);
        let digits = &plain["SHA256:".len()..];
        for typed in [
            plain.clone(),
            shown.clone(),
            shown.replace('-', " "),
            shown.replace('-', ":"),
            shown.to_uppercase(),
            shown["SHA256:".len()..].to_owned(),
            format!(" {digits}\n"),
        ] {
            assert!(TypedFingerprint::parse(&typed).unwrap().is_same_as(&plain, None), "{typed:?}");
        }
        let of_ssh = "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg";
        let typed = TypedFingerprint::parse(of_ssh).unwrap();
        assert!(typed.is_same_as(&plain, Some(of_ssh)) && !typed.is_same_as(&plain, None));
        let other = digits.replace('7', "8");
        assert!(!TypedFingerprint::parse(&other).unwrap().is_same_as(&plain, Some(of_ssh)));
        let line = format!("{shown} ed25519 release.pub");
        let others =
            [&digits[1..], &format!("{digits}0"), &format!("MD5:{digits}"), &digits[..8], &line, "SHA256:", ""];
        for typed in others {
            assert_eq!(TypedFingerprint::parse(typed).map(drop).unwrap_err().code(), "usage", "{typed:?}");
        }
    }
}
