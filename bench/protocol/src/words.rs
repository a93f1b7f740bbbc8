//! Words of a line: separated by one space, `key=value`, values percent-encoded.

use std::fmt::Write;

/// Percent-encodes what would end a word or a name.
pub(crate) fn encode(text: &str) -> String {
    escape(text, |c| matches!(c, ' ' | '%' | '='))
}

/// The rest of a line, where spaces separate nothing.
pub(crate) fn encode_message(text: &str) -> String {
    escape(text, |c| c == '%')
}

fn escape(text: &str, also: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if also(c) || c.is_ascii_control() {
            let _ = write!(encoded, "%{:02x}", u32::from(c));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// The reverse of [`encode`]; a `%` before anything but two hexadecimal digits is itself.
pub(crate) fn decode(text: &str) -> String {
    let hex = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = match after {
            [high, low, ..] if byte == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = escaped {
            decoded.push(high << 4 | low);
            rest = &after[2..];
        } else {
            decoded.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A word `key=value`.
pub(crate) fn pair(word: &str) -> Option<(String, String)> {
    word.split_once('=').map(|(key, value)| (key.to_owned(), decode(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_survives_the_line() {
        for text in ["", "a b", "100%", "a=b", "line\nend\t\0\x7f", "%20", "支付", "%", "%zz", "%+1"] {
            let word = format!("key={}", encode(text));
            assert!(!word.contains([' ', '\n']), "{word}");
            assert_eq!(pair(&word), Some(("key".to_owned(), text.to_owned())));
            assert_eq!(decode(&encode_message(text)), text);
        }
        assert_eq!(encode("a b=%"), "a%20b%3d%25");
        assert_eq!(decode("a%20b%3D%"), "a b=%");
        assert_eq!(pair("key"), None);
    }
}
