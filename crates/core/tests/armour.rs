//! ASCII armour: one text for one file, and everything else refused.

mod support;

use sealstone::{Input, inspect};
use support::{Pieces, decryptor, encryptor, pattern};

const BEGIN: &str = "-----BEGIN SEALSTONE FILE-----";
const END: &str = "-----END SEALSTONE FILE-----";

/// Lines of an armoured file, BEGIN and END among them.
fn lines(len: usize) -> Vec<String> {
    let text = String::from_utf8(encryptor().armour(true).encrypt(&pattern(len)).unwrap()).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(str::to_owned).collect()
}

/// The code that a text gets, the same in memory, as a stream and to `inspect`.
fn code(text: &[u8]) -> &'static str {
    let code = |result: sealstone::Result<()>| result.err().map_or("success", |error| error.code());
    let whole = code(decryptor().decrypt(text).map(drop));
    let mut written = Vec::new();
    let streamed = decryptor().decrypt_stream(Pieces::new(text, &[1, 5, 64, 3000]), &mut written);
    assert_eq!(code(streamed.map(drop)), whole);
    if ["malformed_armour", "not_sealstone"].contains(&whole) {
        assert!(written.is_empty());
        assert_eq!(code(inspect(Input::reader(text)).map(drop)), whole);
        assert_eq!(code(decryptor().decrypt_range(text, 0..1).map(drop)), whole);
    }
    whole
}

#[test]
fn lines_have_64_columns_and_come_back_at_every_length() {
    for len in 0..150 {
        let lines = lines(len);
        assert_eq!((lines[0].as_str(), lines.last().unwrap().as_str()), (BEGIN, END));
        let (last, whole) = lines[1..lines.len() - 1].split_last().unwrap();
        assert!(whole.iter().all(|line| line.len() == 64), "{len}");
        assert!((1..=64).contains(&last.len()) && last.len() % 4 == 0, "{len}");
        let text = lines.join("\n") + "\n";
        assert_eq!(decryptor().decrypt(text.as_bytes()).unwrap(), pattern(len));
    }
}

#[test]
fn a_stream_and_memory_give_the_same_armour_lengths() {
    for len in [0, 100, 24_576, 100_000, 400_000] {
        let mut streamed = Vec::new();
        encryptor().armour(true).encrypt_stream(Pieces::new(&pattern(len), &[4097]), &mut streamed).unwrap();
        assert_eq!(streamed.len(), encryptor().armour(true).encrypt(&pattern(len)).unwrap().len());
        assert!(decryptor().decrypt(&streamed).unwrap() == pattern(len));
    }
}

#[test]
fn line_ends_of_both_kinds_and_no_last_one_are_taken() {
    let lines = lines(100);
    for text in [lines.join("\n") + "\n", lines.join("\r\n") + "\r\n", lines.join("\n"), lines.join("\r\n")] {
        assert_eq!(code(text.as_bytes()), "success", "{text:?}");
    }
}

#[test]
fn anything_behind_the_end_is_refused() {
    let text = lines(100).join("\n");
    for tail in ["\n\n", "\n ", "\n\r\n", "\nx", "\n\0", " ", "\t\n", "\r", "-", &format!("\n{text}\n"), "\n-----"] {
        assert_eq!(code(format!("{text}{tail}").as_bytes()), "malformed_armour", "{tail:?}");
    }
}

#[test]
fn anything_before_the_begin_is_no_armour() {
    let text = lines(100).join("\n") + "\n";
    for head in ["\n", " ", "\u{feff}", "Hello\n", "-", "\r\n"] {
        assert_eq!(code(format!("{head}{text}").as_bytes()), "not_sealstone", "{head:?}");
    }
}

#[test]
fn lines_of_other_lengths_are_refused() {
    let good = lines(100);
    let body: String = good[1..good.len() - 1].concat();
    for columns in [1, 4, 32, 60, 63, 65, 66, 67, 68, 76, 128, 1000, 100_000] {
        let mut lines = vec![BEGIN.to_owned()];
        lines.extend(body.as_bytes().chunks(columns).map(|line| String::from_utf8(line.to_vec()).unwrap()));
        lines.push(END.to_owned());
        assert_eq!(code((lines.join("\n") + "\n").as_bytes()), "malformed_armour", "{columns} columns");
    }
    // A single line of another length, wherever it is.
    for at in 1..good.len() - 2 {
        for (cut, name) in [(1, "moved"), (4, "moved"), (63, "moved")] {
            let mut lines = good.clone();
            let moved = lines[at].split_off(64 - cut);
            lines[at + 1].insert_str(0, &moved);
            assert_eq!(code((lines.join("\n") + "\n").as_bytes()), "malformed_armour", "line {at}: {cut} {name}");
        }
        let mut lines = good.clone();
        lines.insert(at, String::new());
        assert_eq!(code((lines.join("\n") + "\n").as_bytes()), "malformed_armour", "empty line {at}");
    }
}

#[test]
fn no_body_is_malformed_armour() {
    for text in ["", "\n", "\r\n", "\n\n"] {
        let text = format!("{BEGIN}\n{}{END}{text}", if text.is_empty() { "" } else { "\n" });
        assert_eq!(code(text.as_bytes()), "malformed_armour", "{text:?}");
    }
    assert_eq!(code(format!("{BEGIN}\n{END}\n").as_bytes()), "malformed_armour");
    assert_eq!(code(BEGIN.as_bytes()), "malformed_armour");
    assert_eq!(code(format!("{BEGIN}\n").as_bytes()), "malformed_armour");
}

#[test]
fn padding_has_one_place_and_one_form() {
    // Plaintexts of three lengths in a row end in no, one and two characters of padding.
    let (mut none, mut one, mut two) = (0, 0, 0);
    for len in 100..103 {
        let good = lines(len);
        let last = good.len() - 2;
        let with = |line: String| {
            let mut lines = good.clone();
            lines[last] = line;
            code((lines.join("\n") + "\n").as_bytes())
        };
        let text = &good[last];
        match text.bytes().filter(|byte| *byte == b'=').count() {
            0 => none += 1,
            1 => one += 1,
            _ => two += 1,
        }
        assert_eq!(with(text.clone()), "success");
        let bare = text.trim_end_matches('=');
        for other in [format!("{bare}==="), format!("{bare}===="), format!("={bare}"), format!("{text}=")] {
            assert_eq!(with(other.clone()), "malformed_armour", "{other}");
        }
        for padding in ["", "=", "=="] {
            let other = format!("{bare}{padding}");
            if other != *text {
                assert_eq!(with(other.clone()), "malformed_armour", "{other}");
            }
        }
        // Two encodings of the library's in one line are not the one encoding of the line.
        if bare.len() >= 8 {
            let inside = format!("{}A=={}", &text[..1], &text[4..]);
            assert_eq!(with(inside.clone()), "malformed_armour", "{inside}");
        }
        // Bits behind the last byte are zero.
        if bare.len() < text.len() {
            let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let value = alphabet.iter().position(|c| Some(c) == bare.as_bytes().last()).unwrap();
            let other = format!("{}{}", &bare[..bare.len() - 1], alphabet[value + 1] as char);
            assert_eq!(with(format!("{other}{}", &text[bare.len()..])), "malformed_armour");
        }
    }
    assert_eq!((none, one, two), (1, 1, 1));
}

/// Any other text is refused: by the armour, or because the file in it is another.
#[test]
fn every_changed_character_is_refused() {
    let text = (lines(50).join("\n") + "\n").into_bytes();
    let mut ran = 0;
    for at in 0..text.len() {
        for byte in *b"AZaz09+/=-_ \t\n\r.\0\x80\xff" {
            let mut other = text.clone();
            other[at] = byte;
            // The last line end may be missing, and is no other character.
            if other != text {
                assert_ne!(code(&other), "success", "byte {at} as {byte:#x}");
                ran += 1;
            }
        }
    }
    println!("{ran} changes");
    assert!(ran >= 5000, "only {ran} changes");
}

#[test]
fn every_inserted_and_every_removed_character_is_refused() {
    let text = (lines(50).join("\n") + "\n").into_bytes();
    let mut ran = 0;
    for at in 0..=text.len() {
        for byte in *b"A=- \t\n\r\0" {
            let mut other = text.clone();
            other.insert(at, byte);
            let carriage_return = byte == b'\r' && text.get(at) == Some(&b'\n');
            assert_eq!(code(&other) == "success", carriage_return, "{byte:#x} inserted at {at}");
            ran += 1;
        }
        if at < text.len() - 1 {
            let mut other = text.clone();
            other.remove(at);
            assert_ne!(code(&other), "success", "byte {at} removed");
            ran += 1;
        }
    }
    assert!(ran >= 3000, "only {ran} changes");
}

#[test]
fn every_truncation_of_armour_is_refused() {
    let text = (lines(300).join("\n") + "\n").into_bytes();
    for len in 0..text.len() - 1 {
        let expected = if len < BEGIN.len() { "not_sealstone" } else { "malformed_armour" };
        assert_eq!(code(&text[..len]), expected, "{len} bytes");
    }
    assert_eq!(code(&text[..text.len() - 1]), "success", "only the last line end may be missing");
}

#[test]
fn armour_that_does_not_end_needs_no_memory() {
    use std::io::Read;
    let endless = Read::chain(BEGIN.as_bytes(), std::io::repeat(b'A'));
    let error = decryptor().decrypt_stream(endless, std::io::sink()).unwrap_err();
    assert_eq!(error.code(), "malformed_armour");
}

/// A file with these bytes flipped, as armour in which the line that holds byte `broken` of the file is none, if any.
fn twice_faulty(file: &[u8], flipped: &[usize], broken: Option<usize>) -> Vec<u8> {
    let mut file = file.to_vec();
    for at in flipped {
        file[*at] ^= 0x40;
    }
    let text = data_encoding::BASE64.encode(&file);
    let mut lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    if let Some(at) = broken {
        lines[at / 48] = "no base64";
    }
    format!("{BEGIN}\n{}\n{END}\n", lines.join("\n")).into_bytes()
}

#[test]
fn of_two_faults_a_stream_reports_the_first_and_releases_what_is_before_it() {
    // 16 bytes, a stanza of 76, the MAC, salt and commitment, and chunks of 16,400 bytes from 180 on.
    const CHUNK: usize = 16_384;
    let file = encryptor().encrypt(&pattern(40 * CHUNK + 100)).unwrap();
    let chunk = |k: usize| 180 + k * 16_400;
    let cases = [
        ("both in the first line", vec![8], Some(20), "malformed_armour", 0),
        ("version before", vec![8], Some(60), "unsupported_version", 0),
        ("stanza before, in the same line as the MAC's end", vec![70], Some(130), "malformed_armour", 0),
        ("stanza before", vec![70], Some(150), "no_matching_identity", 0),
        ("MAC before", vec![110], Some(150), "header_not_authentic", 0),
        ("salt in the same line", vec![145], Some(150), "malformed_armour", 0),
        ("commitment before", vec![170], Some(200), "not_authentic", 0),
        ("nothing before", vec![], Some(chunk(3) + 100), "malformed_armour", 3),
        ("nothing before the second unit's middle", vec![], Some(chunk(37) + 100), "malformed_armour", 37),
        ("chunk before", vec![chunk(1) + 5], Some(chunk(3) + 100), "not_authentic", 1),
        ("chunk of the second unit before", vec![chunk(35)], Some(chunk(37)), "not_authentic", 35),
        ("chunk after", vec![chunk(35)], Some(chunk(5) + 100), "malformed_armour", 5),
        ("last chunk, and its last line", vec![chunk(40)], Some(chunk(40) + 110), "malformed_armour", 40),
    ];
    for (name, flipped, broken, code, chunks) in cases {
        let text = twice_faulty(&file, &flipped, broken);
        for pieces in [&[1][..], &[5, 64, 3000], &[1 << 30]] {
            for threads in [1, 3] {
                let mut written = Vec::new();
                let reader = Pieces::new(&text, pieces);
                let error = decryptor().threads(threads).decrypt_stream(reader, &mut written).unwrap_err();
                assert_eq!((error.code(), written.len()), (code, chunks * CHUNK), "{name}, by {pieces:?}");
                assert!(written == pattern(chunks * CHUNK), "{name}");
            }
        }
    }
}
