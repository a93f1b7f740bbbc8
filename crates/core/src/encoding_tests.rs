use super::*;
use bech32::Bech32m;
use bech32::Fe32;

const HRP: &str = "AGE-SECRET-KEY-";

#[test]
fn base58_is_bounded_in_both_directions() {
    for byte in [0, 1, 255] {
        let text = encode_base58(&[byte; BASE58_MAX_LEN]).unwrap();
        assert_eq!(decode_base58(&text).unwrap(), [byte; BASE58_MAX_LEN]);
        assert_eq!(encode_base58(&[byte; BASE58_MAX_LEN + 1]).unwrap_err().code(), "too_long");
        let longer = bs58::encode([byte; BASE58_MAX_LEN + 1]).into_string();
        assert_eq!(decode_base58(&longer).unwrap_err().code(), "invalid_encoding");
    }
    // The work grows with the square of the length: for these it would take days, so they are refused at once.
    assert_eq!(encode_base58(&vec![255; 1 << 24]).unwrap_err().code(), "too_long");
    assert_eq!(decode_base58(&"z".repeat(1 << 24)).unwrap_err().code(), "invalid_encoding");
}

#[test]
fn a_long_text_under_another_prefix_is_refused_and_does_not_panic() {
    let long = encode_bech32("AGE", &[0; 2549]);
    assert!(decode_bech32("SEALSTONE-KEY-", &long).is_none());
}

#[test]
fn what_is_encoded_decodes_at_every_length() {
    for len in (0..70).chain([1216, 2000]) {
        let data: Vec<u8> = (0..=250).cycle().take(len).collect();
        for hrp in ["age", "AGE-SECRET-KEY-"] {
            let text = encode_bech32(hrp, &data);
            assert_eq!(decode_bech32(hrp, &text).unwrap().as_slice(), data, "{len} bytes");
        }
    }
}

#[test]
fn the_other_case_and_mixed_case_are_refused() {
    let upper = encode_bech32(HRP, &[7; 32]);
    assert!(decode_bech32(HRP, &upper).is_some());
    assert!(decode_bech32(HRP, &upper.to_lowercase()).is_none());
    let lower = encode_bech32("age", &[7; 32]);
    assert!(decode_bech32("age", &lower.to_uppercase()).is_none());
    for (i, c) in upper.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
        let mut mixed = upper.to_string();
        mixed.replace_range(i..=i, &c.to_ascii_lowercase().to_string());
        assert!(decode_bech32(HRP, &mixed).is_none(), "{mixed}");
    }
}

#[test]
fn another_prefix_is_refused() {
    let text = encode_bech32(HRP, &[7; 32]);
    for hrp in ["AGE-SECRET-KEY-PQ-", "AGE-SECRET-KEY", "SEALSTONE-KEY-", "age"] {
        assert!(decode_bech32(hrp, &text).is_none(), "{hrp}");
    }
}

#[test]
fn bech32m_is_refused() {
    let text = bech32::encode_upper::<Bech32m>(Hrp::parse(HRP).unwrap(), &[7; 32]).unwrap();
    assert!(text.starts_with("AGE-SECRET-KEY-1"));
    assert!(decode_bech32(HRP, &text).is_none());
}

/// 32 bytes are 51 characters and one more bit: the last character has four unused bits.
#[test]
fn padding_that_is_not_zero_or_too_long_is_refused() {
    let hrp = Hrp::parse("age").unwrap();
    let values: Vec<Fe32> = [7u8; 32].into_iter().bytes_to_fes().collect();
    let text =
        |values: &[Fe32]| -> String { values.iter().copied().with_checksum::<LongBech32>(&hrp).chars().collect() };
    assert_eq!(text(&values), *encode_bech32("age", &[7; 32]));
    let mut ran = 0;
    for bits in 1..16 {
        let mut other = values.clone();
        let last = other.last_mut().unwrap();
        *last = Fe32::try_from(last.to_u8() | bits).unwrap();
        // The checksum is right: only the padding is wrong.
        assert!(CheckedHrpstring::new::<LongBech32>(&text(&other)).is_ok());
        assert!(decode_bech32("age", &text(&other)).is_none(), "padding {bits:04b}");
        ran += 1;
    }
    assert_eq!(ran, 15);
    for extra in [1, 2, 8] {
        let mut other = values.clone();
        other.extend(std::iter::repeat_n(Fe32::Q, extra));
        let decoded = decode_bech32("age", &text(&other));
        assert!(decoded.is_none_or(|data| data.len() > 32), "{extra} characters too many");
    }
}

#[test]
fn every_changed_character_is_refused() {
    let text = encode_bech32("age", &[7; 32]);
    let mut ran = 0;
    for i in 0..text.len() {
        for c in "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio -".chars() {
            let mut other = text.to_string();
            other.replace_range(i..=i, &c.to_string());
            if other != *text {
                assert!(decode_bech32("age", &other).is_none(), "{other}");
                ran += 1;
            }
        }
    }
    assert!(ran >= 2000, "only {ran} changes");
}

#[test]
fn what_is_no_text_of_ours_is_refused_without_a_panic() {
    for text in ["", "1", "age", "age1", "age1é", "\u{feff}age1", "age1\0", "ag\u{130}1", "11111111111111"] {
        assert!(decode_bech32("age", text).is_none(), "{text}");
    }
    assert!(decode_bech32("age", &format!("age1{}", "q".repeat(10_000))).is_none());
}
