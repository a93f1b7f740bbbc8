//! Hexadecimal digits that are read, of keys and of what is public.

use zeroize::Zeroizing;

/// The bytes that digits stand for, two for each, in either case; `None` of anything else. Which digits they are decides no
/// branch and no index, since they may be a secret.
pub(crate) fn decode(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (pairs, []) = text.as_chunks() else { return None };
    if !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    // Letters have bit 6, and count from 10; the low four bits of 'a' and 'A' are 1.
    let nibble = |digit: u8| (digit & 15) + 9 * (digit >> 6);
    let mut bytes = Zeroizing::new(Vec::with_capacity(pairs.len()));
    bytes.extend(pairs.iter().map(|[high, low]| nibble(*high) << 4 | nibble(*low)));
    Some(bytes)
}
