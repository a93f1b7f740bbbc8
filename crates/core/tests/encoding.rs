//! Text for bytes: the standards' examples, and what is not the one text of its bytes.

use data_encoding::{BASE32, BASE64, BASE64URL_NOPAD, HEXLOWER};
use sealstone::encoding::{
    BASE58_MAX_LEN, Encoding, decode_base64, decode_base64_into, encode_base64, encode_base64_into,
};

/// RFC 4648 section 10, and draft-msporny-base58-03 section 5.
#[test]
fn the_standards_examples() {
    for (encoding, texts) in [
        (Encoding::Hex, ["", "66", "666f", "666f6f", "666f6f62", "666f6f6261", "666f6f626172"]),
        (Encoding::Base64, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]),
        (Encoding::Base64Url, ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"]),
        (Encoding::Base32, ["", "MY======", "MZXQ====", "MZXW6===", "MZXW6YQ=", "MZXW6YTB", "MZXW6YTBOI======"]),
    ] {
        for (len, text) in texts.into_iter().enumerate() {
            both_ways(encoding, &b"foobar"[..len], text);
        }
    }
    both_ways(Encoding::Base58, b"Hello World!", "2NEpo7TZRRrLZSi2U");
    let fox = b"The quick brown fox jumps over the lazy dog.";
    both_ways(Encoding::Base58, fox, "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z");
    both_ways(Encoding::Base58, &[0, 0, 0x28, 0x7f, 0xb4, 0xcd], "11233QC4");
    // The characters that differ.
    both_ways(Encoding::Base64, &[0xfb, 0xff], "+/8=");
    both_ways(Encoding::Base64Url, &[0xfb, 0xff], "-_8");
}

fn both_ways(encoding: Encoding, data: &[u8], text: &str) {
    assert_eq!(encoding.encode(data).unwrap(), text, "{encoding}");
    assert_eq!(encoding.decode(text).unwrap(), data, "{encoding}: {text}");
    assert_eq!(encoding.name().parse::<Encoding>().unwrap(), encoding);
}

/// Of all lengths and all bytes, as another library has them.
#[test]
fn every_byte_and_length_comes_back() {
    let data: Vec<u8> = (0..=255).rev().cycle().take(1_000).collect();
    for len in 0..=data.len() {
        let data = &data[len / 3..][..data.len().min(len) - len / 3];
        for encoding in Encoding::ALL {
            let text = encoding.encode(data).unwrap();
            let theirs = match encoding {
                Encoding::Hex => HEXLOWER.encode(data),
                Encoding::Base64 => BASE64.encode(data),
                Encoding::Base64Url => BASE64URL_NOPAD.encode(data),
                Encoding::Base32 => BASE32.encode(data),
                _ => bs58::encode(data).into_string(),
            };
            assert_eq!(text, theirs, "{encoding}, {} bytes", data.len());
            assert_eq!(encoding.decode(&text).unwrap(), data, "{encoding}");
        }
    }
    assert_eq!(Encoding::Hex.decode("aBcD").unwrap(), [0xab, 0xcd]);
}

/// Every character of every text of up to 6 bytes is exchanged for every byte of ASCII, some others, and nothing.
#[test]
fn only_the_text_of_the_bytes_is_taken() {
    let mut refused = 0;
    for encoding in Encoding::ALL {
        for len in 0..=6 {
            let text = encoding.encode(&[0x5a, 0, 0xff, 0x13, 0x80, 0x7e][..len]).unwrap();
            let mut others: Vec<String> = Vec::new();
            for at in 0..=text.len() {
                for other in
                    (0..128).map(|byte: u8| char::from(byte).to_string()).chain(["é", "🔑", "Ａ", ""].map(Into::into))
                {
                    others.push(format!("{}{other}{}", &text[..at], &text[at..]));
                    others.push(format!("{}{other}{}", &text[..at], text.get(at + 1..).unwrap_or("")));
                }
            }
            for pad in 1..=9 {
                others.push(format!("{}{}", text.trim_end_matches('='), "=".repeat(pad)));
            }
            for other in others {
                match encoding.decode(&other) {
                    Ok(data) => {
                        let lower = if encoding == Encoding::Hex { other.to_lowercase() } else { other.clone() };
                        assert_eq!(encoding.encode(&data).unwrap(), lower, "{encoding}: {other:?}");
                    }
                    Err(error) => {
                        assert_eq!(error.code(), "invalid_encoding", "{encoding}: {other:?}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 20_000, "only {refused} refused");
}

/// Unused bits that are not zero, padding that is not there or too much, the other alphabet, and spaces.
#[test]
fn what_some_decoders_take_is_refused() {
    for (encoding, texts) in [
        (Encoding::Hex, &["a", "0x00", "ab cd", "ag"][..]),
        (
            Encoding::Base64,
            &["Zh==", "Zm9=", "Zg", "Zg=", "Zg===", "Zm9v\n", "Zm 9v", "-_8=", "=", "====", "Zg==Zg==", "Zg==Zm9v"],
        ),
        (Encoding::Base64Url, &["Zh", "Zm9", "Zg==", "+/8", "Z", "Zm9v "]),
        (
            Encoding::Base32,
            &["MZ======", "MZXR====", "MY", "my======", "M=======", "MZXW6YTBMY", "MZXW6Y==", "========", "M1======"],
        ),
        (Encoding::Base58, &["0", "O", "I", "l", "2NEpo7TZRRrLZSi2U ", "é"]),
    ] {
        for text in texts {
            assert_eq!(encoding.decode(text).unwrap_err().code(), "invalid_encoding", "{encoding}: {text:?}");
            if encoding == Encoding::Base64 {
                assert_eq!(decode_base64(text).unwrap_err().code(), "invalid_encoding", "{text:?}");
            }
        }
    }
    assert_eq!(Encoding::Base58.encode(&[1; BASE58_MAX_LEN + 1]).unwrap_err().code(), "too_long");
    for name in ["", "Hex", "base-64", "base16", "base64-url"] {
        assert_eq!(name.parse::<Encoding>().unwrap_err().code(), "unknown_algorithm", "{name}");
    }
}

/// What is for public data works on vectors of up to 32 characters: every length, and any byte at any place.
#[test]
fn base64_on_vectors_takes_what_another_library_takes() {
    let bytes: Vec<u8> = (0..300_u32).map(|i| i.wrapping_mul(2_654_435_769).to_be_bytes()[0]).collect();
    let mut refused = 0;
    for len in 0..=bytes.len() {
        let (data, expected) = (&bytes[..len], BASE64.encode(&bytes[..len]));
        assert_eq!(encode_base64(data), expected);
        let mut text = vec![0; expected.len()];
        encode_base64_into(data, &mut text);
        assert_eq!(text, expected.as_bytes());
        assert_eq!(decode_base64(&expected).unwrap(), data);
        let mut decoded = vec![0; len];
        assert_eq!(decode_base64_into(&text, &mut decoded).unwrap(), len);
        assert_eq!(decoded, data);
        // Nothing may be missing, not even of the padding.
        for cut in 1..text.len().min(4) {
            assert!(decode_base64(&expected[cut..]).is_err() && decode_base64(&expected[..text.len() - cut]).is_err());
        }
    }
    // The padding tells the length, and may be in the wrong place.
    for (text, len) in [(&b"AA=A"[..], 2), (b"AAAA", 2), (b"AAA=", 1)] {
        assert_eq!(decode_base64_into(text, &mut vec![0; len]).unwrap_err().code(), "invalid_encoding");
    }
    for len in [97, 98, 99, 132] {
        let text = BASE64.encode(&bytes[..len]);
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            for byte in 0..=255 {
                changed[at] = byte;
                let mut decoded = vec![0; len + 2];
                match decode_base64_into(&changed, &mut decoded) {
                    Ok(len) => {
                        assert_eq!(BASE64.encode(&decoded[..len]).as_bytes(), changed, "{byte} at {at} of {len}");
                    }
                    Err(error) => {
                        assert_eq!(error.code(), "invalid_encoding");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 100_000, "only {refused} refused");
}
