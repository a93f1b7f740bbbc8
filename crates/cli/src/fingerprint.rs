//! Fingerprints as people read and type them: `SHA256:` and 16 groups of four digits. Files and JSON have the digits in one.

/// Digits that are read at once.
const GROUP: usize = 4;

/// A fingerprint in groups.
pub(crate) fn shown(fingerprint: &str) -> String {
    let (name, digits) = fingerprint.split_once(':').expect("fingerprint: it names its hash");
    let groups: Vec<&str> =
        digits.as_bytes().chunks(GROUP).filter_map(|group| std::str::from_utf8(group).ok()).collect();
    // One word, to be copied by a double click and given without quotes.
    format!("{name}:{}", groups.join("-"))
}

/// Whether somebody means the key with this fingerprint, however the digits are grouped and whether or not the hash is named.
pub(crate) fn is_meant(fingerprint: &str, said: &str) -> bool {
    let digits = |text: &str| -> String {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_prefix("sha256:").unwrap_or(&text);
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | ':')).collect()
    };
    digits(fingerprint) == digits(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_meant_in_every_way_that_it_can_be_typed() {
        let plain = "SHA256:7ee0725d6d44b65fd2ff83fc988cc196631434d0d0eb990099d0ec6c3581b2a3".to_owned();
        let shown = shown(&plain);
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
            assert!(is_meant(&plain, &said), "{said:?}");
        }
        for said in ["", "SHA256:", &digits[1..], &format!("{digits}0"), &format!("MD5:{digits}"), &digits[..8]] {
            assert!(!is_meant(&plain, said), "{said:?}");
        }
    }
}
