//! The two numbers of a signature as DER: `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 section 2.2.3; GB/T 35276 section 7.3).

use der::asn1::UintRef;
use der::{Decode, Encode, Sequence};

#[derive(Sequence)]
struct Numbers<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// Reads r ‖ s, `len` bytes each, from DER. `None` for an encoding that is not DER, and for longer numbers.
pub(super) fn read(der: &[u8], len: usize) -> Option<Vec<u8>> {
    let numbers = Numbers::from_der(der).ok()?;
    let mut signature = vec![0; 2 * len];
    let (r, s) = signature.split_at_mut(len);
    for (place, number) in [(r, numbers.r), (s, numbers.s)] {
        let bytes = number.as_bytes();
        place.get_mut(len.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    }
    Some(signature)
}

/// Bytes of the longest DER for numbers of `len` bytes: each may have a zero before it.
pub(super) fn max_len(len: usize) -> usize {
    let numbers = 2 * (2 + 1 + len);
    numbers + if numbers < 128 { 2 } else { 3 }
}

/// Writes r ‖ s as DER.
pub(super) fn write(signature: &[u8]) -> Vec<u8> {
    let (r, s) = signature.split_at(signature.len() / 2);
    let [r, s] = [r, s].map(|number| UintRef::new(number).expect("numbers: a number is short"));
    Numbers { r, s }.to_der().expect("numbers: a signature is short")
}
