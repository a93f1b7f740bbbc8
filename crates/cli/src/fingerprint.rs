//! Fingerprints as people read and type them: `SHA256:` and 16 groups of four digits. Files and JSON have the digits in one.

use sealstone::Recipient;

/// Digits that are read at once.
const GROUP: usize = 4;

/// The fingerprint of a public key in groups; `None` of a secret that both sides have.
pub(crate) fn shown(recipient: &Recipient) -> Option<String> {
    let fingerprint = recipient.fingerprint()?;
    let (name, digits) = fingerprint.split_once(':').expect("fingerprint: it names its hash");
    let groups: Vec<&str> =
        digits.as_bytes().chunks(GROUP).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    // One word, to be copied by a double click and given without quotes.
    Some(format!("{name}:{}", groups.join("-")))
}

/// Whether somebody means this key, however the digits are grouped and whether or not the hash is named.
pub(crate) fn is_meant(recipient: &Recipient, said: &str) -> bool {
    let digits = |text: &str| -> String {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_prefix("sha256:").unwrap_or(&text);
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | ':')).collect()
    };
    recipient.fingerprint().is_some_and(|fingerprint| digits(&fingerprint) == digits(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_meant_in_every_way_that_it_can_be_typed() {
        let key = |text: &str| text.parse::<Recipient>().unwrap();
        let key = key("age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh");
        let (plain, shown) = (key.fingerprint().unwrap(), shown(&key).unwrap());
        assert_eq!(shown.len(), "SHA256:".len() + 64 + 15);
        let digits = &plain["SHA256:".len()..];
        for said in [
            plain.clone(),
            shown.clone(),
            shown.replace('-', " "),
            shown.replace('-', ":"),
            shown.to_uppercase(),
            shown["SHA256:".len()..].to_owned(),
            format!(" {digits}\n"),
        ] {
            assert!(is_meant(&key, &said), "{said:?}");
        }
        for said in ["", "SHA256:", &digits[1..], &format!("{digits}0"), &format!("MD5:{digits}"), &digits[..8]] {
            assert!(!is_meant(&key, said), "{said:?}");
        }
    }
}
