//! ASCII armour: what mail and editors do to the text is taken, and everything else refused.

mod support;

use sealstone::{
    ArmourDecoder, Identity, Input, Kind, Output, Rewrapper, inspect, inspect_alone, is_armoured, message, stanzas,
};
use std::io::Read;
use support::{Pieces, decryptor, encryptor, key, pattern};

const BEGIN: &str = "-----BEGIN SEALSTONE FILE-----";
const END: &str = "-----END SEALSTONE FILE-----";

/// Lines of an armoured file, BEGIN and END among them.
fn lines(len: usize) -> Vec<String> {
    let text = String::from_utf8(encryptor().armour(true).encrypt(&pattern(len)).unwrap()).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(str::to_owned).collect()
}

fn code_of<T>(result: sealstone::Result<T>) -> &'static str {
    result.err().map_or("success", |error| error.code())
}

/// The code that a text gets, the same in memory, as a stream and to `inspect`. A stream may meet a fault of the file first.
fn code(text: &[u8]) -> &'static str {
    let whole = code_of(decryptor().decrypt(text));
    let mut written = Vec::new();
    let streamed = code_of(decryptor().decrypt_stream(Pieces::new(text, &[1, 5, 64, 3000]), &mut written));
    let is_armour = whole == "malformed_armour";
    assert!(streamed == whole || is_armour && streamed != "success", "{streamed} and {whole}");
    if is_armour || whole == "not_sealstone" {
        assert!(written.is_empty());
        let seen = code_of(inspect(Input::reader(text)));
        assert!(seen == whole || is_armour && seen != "success", "{seen} and {whole}");
        assert_eq!(code_of(decryptor().decrypt_range(text, 0..1)), whole);
    }
    if whole == "success" {
        assert_eq!(code_of(inspect(Input::reader(text))), whole);
        assert_eq!(code_of(stanzas(&mut Input::reader(text))), whole);
        assert!(is_armoured(text));
    }
    whole
}

/// The code by section 11, read once more: line by line, of a whole text.
fn code_by_the_rule(text: &[u8]) -> &'static str {
    let is_blank = |byte: &u8| b" \t\r".contains(byte);
    let trimmed = |line: &[u8]| -> Vec<u8> {
        let from = line.iter().position(|byte| !is_blank(byte)).unwrap_or(line.len());
        let to = line.iter().rposition(|byte| !is_blank(byte)).map_or(from, |last| last + 1);
        line[from..to].to_vec()
    };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines = text.split(|byte| *byte == b'\n').map(trimmed).filter(|line| !line.is_empty());
    let first_is_text = text.first().is_some_and(|first| b"\t\n\r".contains(first) || !first.is_ascii_control());
    let begin = lines.find(|line| line.starts_with(BEGIN.as_bytes())).filter(|_| first_is_text);
    let Some(begin) = begin.filter(|_| text[0] != 0x89 && text[0] != 0xa6) else { return "not_sealstone" };
    let (mut body, mut has_end) = (Vec::new(), false);
    for line in lines.by_ref() {
        has_end = line == END.as_bytes();
        if has_end {
            break;
        }
        if line.len() > 76 {
            return "malformed_armour";
        }
        body.extend(line);
    }
    let is_alone = !lines.any(|line| line.starts_with(BEGIN.as_bytes()));
    let is_sound = begin == BEGIN.as_bytes() && has_end && !body.is_empty() && is_alone;
    // The library takes several encodings, one behind the other, for one.
    match data_encoding::BASE64.decode(&body) {
        Ok(file) if is_sound && data_encoding::BASE64.encode(&file).as_bytes() == body => {
            code_of(decryptor().decrypt(&file))
        }
        _ => "malformed_armour",
    }
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
fn any_text_may_stand_behind_the_end_but_another_armour() {
    let text = lines(100).join("\n");
    let of_message = text.replace("SEALSTONE FILE", "SEALSTONE MESSAGE");
    let long = format!("\n{}\n", "long ".repeat(100_000));
    let goes_on = ["\n\n", "\n ", "\n\r\n", "\nx", "\n\0", " ", "\t\n", "\r", "\n-----", "\n-- \nAlice\n"];
    for tail in goes_on.into_iter().chain([&*long, &*format!("\n> {BEGIN}")]) {
        assert_eq!(code(format!("{text}{tail}").as_bytes()), "success", "{tail:?}");
    }
    let of_age = "\nage-encryption.org/v1\n-> X25519 a\n";
    let others = [&*format!("\n{of_message}"), of_age, "\n-----BEGIN AGE ENCRYPTED FILE-----\n"];
    let again = [&*format!("\n{text}\n"), &*format!("\n\t{BEGIN}"), &*format!("{long}{BEGIN} x")];
    for tail in ["-", "x", "\0", " x"].into_iter().chain(again).chain(others) {
        assert_eq!(code(format!("{text}{tail}").as_bytes()), "malformed_armour", "{tail:?}");
    }
}

#[test]
fn any_text_may_stand_before_the_begin_line_and_nothing_on_it() {
    let text = lines(100).join("\n") + "\n";
    for head in
        ["\n", " ", "\u{feff}", "\u{feff} \t", "\r\n", "Hello\n", "\u{feff}Hello\n\n", "From: Müller\r\n\r\n", "> x\n"]
    {
        assert_eq!(code(format!("{head}{text}").as_bytes()), "success", "{head:?}");
    }
    for head in ["-", "> ", "Hello ", "\r-", " \u{feff}", "\n\u{feff}", "\0\n", "\u{1b}\n"] {
        assert_eq!(code(format!("{head}{text}").as_bytes()), "not_sealstone", "{head:?}");
    }
    for begin in [format!("{BEGIN}-"), format!("{BEGIN} -"), format!("{BEGIN}\r-"), format!("Hello\n{BEGIN}x")] {
        assert_eq!(code(text.replace(BEGIN, &begin).as_bytes()), "malformed_armour", "{begin:?}");
    }
    for first in [0x89, 0xa6] {
        let binary = [&[first, b'\n'], text.as_bytes()].concat();
        assert_eq!(code(&binary), "not_sealstone", "{first:#x}");
    }
}

#[test]
fn the_first_line_that_begins_sealed_data_says_what_a_text_is() {
    let file = lines(100).join("\n") + "\n";
    let identity = Identity::generate(Kind::X25519).unwrap();
    let message = message::armour(&message::seal(&identity.recipient(), b"attack at dawn", b"").unwrap());
    let of_age = "-----BEGIN AGE ENCRYPTED FILE-----\nYQ==\n-----END AGE ENCRYPTED FILE-----\n";
    let open = |text: &str| code_of(message::open(&identity, text.as_bytes(), b""));
    for before in ["", "Hello\n", "\u{feff}\t"] {
        let [file_first, message_first] =
            [[&*file, &message], [&*message, &file]].map(|both| before.to_owned() + &both.concat());
        assert_eq!((code(file_first.as_bytes()), open(&file_first)), ("malformed_armour", "not_sealstone"));
        assert_eq!((code(message_first.as_bytes()), open(&message_first)), ("not_sealstone", "malformed_armour"));
        for other in [of_age, "age-encryption.org/v1\n"] {
            let text = format!("{before}{other}{file}");
            assert_eq!((code(text.as_bytes()), open(&text)), ("not_sealstone", "not_sealstone"), "{text}");
        }
    }
    assert_eq!(code(format!("NKCT\n{file}").as_bytes()), "not_sealstone");
    // A BEGIN line that is none says so, too.
    for kind in ["FILES", "MESSAGES"] {
        let before = format!("-----BEGIN SEALSTONE {kind}-----\n{file}{message}");
        assert_eq!((code(before.as_bytes()), open(&before)), ("not_sealstone", "not_sealstone"));
        assert_eq!(code(format!("{file}-----BEGIN SEALSTONE {kind}").as_bytes()), "malformed_armour");
    }
    for start in [&b"age-encryption.org/v1\n-> X25519 abcdef"[..], b"NKCT\x03\0", message.as_bytes(), of_age.as_bytes()]
    {
        assert_eq!(ArmourDecoder::look_len(start), ArmourDecoder::START_LEN);
    }
}

#[test]
fn armour_is_alone_where_its_file_is_replaced() {
    let text = lines(100).join("\n") + "\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let rewrapper = Rewrapper::new([key()], [key().recipient()]);
    let in_place = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let output = Output::file(&path).unwrap().in_place();
        let decrypted = code_of(decryptor().decrypt_to(Input::open(&path).unwrap(), output));
        assert_eq!(decrypted == "success", std::fs::read(&path).unwrap() != text.as_bytes());
        std::fs::write(&path, text).unwrap();
        assert_eq!(code_of(rewrapper.rewrap_file(&path)), decrypted);
        assert_eq!(code_of(rewrapper.rewrap(text.as_bytes())), decrypted);
        assert_eq!(code_of(inspect_alone(Input::reader(text.as_bytes()))), decrypted);
        let mut decoder = ArmourDecoder::alone();
        let taken = decoder.update(text.as_bytes(), &mut Vec::new()).and_then(|()| decoder.finish(&mut Vec::new()));
        assert_eq!(code_of(taken), decrypted);
        decrypted
    };
    let wide = text.replace('\n', " \r\n\n\t");
    for alone in [&text, &wide, &format!("\u{feff} \n\n{wide}\n \n"), text.trim_end()] {
        assert_eq!(in_place(alone), "success", "{alone}");
    }
    for around in ["Hello\n{}", "{}Alice", "{}\n\n\0", "-\n{}", "{}-----END SEALSTONE FILE-----\n"] {
        let text = around.replace("{}", &text);
        assert_eq!(code(text.as_bytes()), "success", "{text}");
        assert_eq!(in_place(&text), "malformed_armour", "{text}");
    }
}

#[test]
fn the_begin_line_is_looked_for_in_65_536_bytes() {
    let text = lines(100).join("\r\n") + "\r\n";
    let line = format!("{}\n", "x".repeat(999));
    for (before, expected) in [(65_506, "success"), (65_507, "not_sealstone"), (200_001, "not_sealstone")] {
        for fill in ["x\n", " ", "\n"] {
            let rest = fill.repeat(before % 1000);
            let mail = format!("{}{}{text}", line.repeat(before / 1000), &rest[rest.len() - before % 1000..]);
            assert_eq!(mail.find(BEGIN), Some(before));
            assert_eq!(code(mail.as_bytes()), expected, "{before} bytes before, {fill:?}");
            let mut decoder = ArmourDecoder::new();
            let taken = mail.as_bytes().chunks(7).try_for_each(|part| decoder.update(part, &mut Vec::new()));
            assert_eq!(taken.is_ok(), expected == "success", "{before} bytes before, {fill:?}");
        }
    }
}

#[test]
fn a_few_bytes_tell_of_most_inputs_whether_they_are_armour() {
    for start in [BEGIN.as_bytes(), b"\x89SEAL\r\n\x1a", b"\xa6\x01", b"\0\x01\x02", b"\x1f\x8b", b""] {
        assert_eq!(ArmourDecoder::look_len(start), ArmourDecoder::START_LEN, "{start:?}");
    }
    for start in [&b"Hello"[..], b"\n", b"\xef\xbb\xbf-----BEGIN", b"-----BEGIN", b"\xff\xfe-\0", b"\0-\0-\0-\0-"] {
        assert_eq!(ArmourDecoder::look_len(start), 65_536, "{start:?}");
    }
    // Of a stream that begins with it no more is read than the header takes.
    let text = lines(1000).join("\n");
    let cut = Read::chain(&text.as_bytes()[..600], Unread);
    assert_eq!(code_of(stanzas(&mut Input::reader(cut))), "success");
}

/// What must not be read.
struct Unread;

impl Read for Unread {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        panic!("it was read");
    }
}

#[test]
fn armour_in_utf16_is_named() {
    let text = format!("Hello\r\n{}\r\n", lines(100).join("\r\n"));
    for text in [&text, &text[7..]] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in [&[][..], &[0xfeff]] {
                let utf16: Vec<u8> = mark.iter().copied().chain(text.encode_utf16()).flat_map(order).collect();
                assert_eq!(code(&utf16), "malformed_armour");
                let error = decryptor().decrypt(&utf16).unwrap_err().to_string();
                assert!(error.ends_with("this is UTF-16, as PowerShell writes it; save it as UTF-8"), "{error}");
            }
            let letter: Vec<u8> = "\u{feff}Hello".encode_utf16().flat_map(order).collect();
            assert_eq!(code(&letter), "not_sealstone");
        }
    }
}

#[test]
fn blanks_and_empty_lines_are_taken_around_every_line() {
    let good = lines(100);
    for (before, behind) in
        [("", " "), ("", "\t"), (" \t", " \r"), ("\r", "\r\r"), ("\n", "\n \n"), ("", " \n\n"), ("  ", "")]
    {
        let one = |at: usize| -> String {
            let line = |(number, line): (usize, &String)| {
                if number == at { format!("{before}{line}{behind}\n") } else { format!("{line}\n") }
            };
            good.iter().enumerate().map(line).collect()
        };
        for at in 0..good.len() {
            assert_eq!(code(one(at).as_bytes()), "success", "{before:?} and {behind:?} around line {at}");
        }
        let all = format!("{before}{}{behind}\n", good.join(&format!("{behind}\n{before}")));
        assert_eq!(code(all.as_bytes()), "success", "{before:?} and {behind:?}");
    }
    // As many as there are.
    let (blanks, empty) = (" \t\r".repeat(50_000), "\n".repeat(50_000));
    let text = good.join(&format!("{blanks}\n{empty}{blanks}"));
    assert_eq!(code(text.as_bytes()), "success");
}

#[test]
fn lines_of_1_to_76_columns_are_taken_and_longer_ones_refused() {
    let good = lines(100);
    let body: String = good[1..good.len() - 1].concat();
    let wrapped = |columns: &[usize]| {
        let (mut lines, mut rest) = (vec![BEGIN], &body[..]);
        for columns in columns.iter().cycle() {
            let (line, behind) = rest.split_at(rest.len().min(*columns));
            lines.push(line);
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        lines.push(END);
        lines.join("\n") + "\n"
    };
    for columns in 1..=80 {
        let expected = if columns <= 76 { "success" } else { "malformed_armour" };
        assert_eq!(code(wrapped(&[columns]).as_bytes()), expected, "{columns} columns");
    }
    for columns in [1000, 100_000] {
        assert_eq!(code(wrapped(&[columns]).as_bytes()), "malformed_armour", "{columns} columns");
    }
    for columns in [&[1, 2, 3, 5, 7, 76][..], &[76, 1], &[63, 65], &[4, 64], &[61, 64, 67]] {
        assert_eq!(code(wrapped(columns).as_bytes()), "success", "{columns:?} columns");
    }
    // With blanks around it a line has no more columns.
    assert_eq!(code(wrapped(&[76]).replace('\n', " \n ").as_bytes()), "success");
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

/// Another text is refused, by the armour or because the file in it is another, unless the rule says that it stands for the same.
#[test]
fn every_changed_character_is_judged_by_the_rule() {
    let text = (lines(50).join("\n") + "\n").into_bytes();
    let (mut ran, mut taken) = (0, 0);
    for at in 0..text.len() {
        for byte in *b"AZaz09+/=-_ \t\n\r.\0\x80\xff" {
            let mut other = text.clone();
            other[at] = byte;
            if other != text {
                let expected = code_by_the_rule(&other);
                assert_eq!(code(&other), expected, "byte {at} as {byte:#x}");
                ran += 1;
                taken += usize::from(expected == "success");
            }
        }
    }
    println!("{ran} changes, of which {taken} are taken");
    assert!(ran >= 5000, "only {ran} changes");
    // Some of the line ends: within the base64, and behind the END line.
    assert!((1..100).contains(&taken), "{taken} are taken");
}

#[test]
fn every_inserted_and_every_removed_character_is_judged_by_the_rule() {
    let text = (lines(50).join("\n") + "\n").into_bytes();
    let (mut ran, mut taken) = (0, 0);
    let mut check = |other: &[u8], what: std::fmt::Arguments<'_>| {
        let expected = code_by_the_rule(other);
        assert_eq!(code(other), expected, "{what}");
        ran += 1;
        taken += usize::from(expected == "success");
    };
    for at in 0..=text.len() {
        for byte in *b"A=- \t\n\r\0" {
            let mut other = text.clone();
            other.insert(at, byte);
            check(&other, format_args!("{byte:#x} inserted at {at}"));
        }
        if at < text.len() {
            let mut other = text.clone();
            other.remove(at);
            check(&other, format_args!("byte {at} removed"));
        }
    }
    assert!(ran >= 3000, "only {ran} changes");
    // Every line end within the base64, and blanks around lines.
    assert!((100..ran / 2).contains(&taken), "{taken} are taken");
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
fn a_line_that_does_not_end_is_refused() {
    for start in [BEGIN.to_owned(), format!("{BEGIN}\n"), format!("Hello\n{BEGIN} ")] {
        let endless = Read::chain(start.as_bytes(), std::io::repeat(b'A'));
        let error = decryptor().decrypt_stream(endless, std::io::sink()).unwrap_err();
        assert_eq!(error.code(), "malformed_armour");
    }
    let error = decryptor().decrypt_stream(std::io::repeat(b'A'), std::io::sink()).unwrap_err();
    assert_eq!(error.code(), "not_sealstone");
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
