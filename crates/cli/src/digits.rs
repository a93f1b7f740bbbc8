//! Decodes hexadecimal digits of secret and public values.

use zeroize::Zeroizing;

/// Decodes hexadecimal digits of either case, two for each byte; `None` for any other text. The value of a digit decides no branch
/// and no index, since it may be secret.
pub(crate) fn decode(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (pairs, []) = text.as_chunks() else { return None };
    if !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    // Letters have bit 6 set, and stand for 10 and up; the low four bits of 'a' and 'A' are 1.
    let nibble = |digit: u8| (digit & 15) + 9 * (digit >> 6);
    let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
    bytes.extend(pairs.iter().map(|[high, low]| nibble(*high) << 4 | nibble(*low)));
    Some(bytes)
}
