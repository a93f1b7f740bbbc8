//! A plugin of age for tests, which shares no code with the client that it tests: what its recipients and identities say, it does.
//!
//! `age-plugin-sealtest --recipient WORDS` prints a recipient, `--identity WORDS` an identity. The words, between commas, are what it does
//! when it meets that string: see `Plugin::act`. The secret is hidden from nobody.

use std::io::{BufRead, Read, Write};
use std::process::exit;
use std::time::Duration;

const CHARS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// What the stanza's body is mixed with.
const MASK: u8 = 0x5a;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--recipient", words] => println!("{}", bech32("age1sealtest", words.as_bytes())),
        ["--identity", words] => {
            println!("# An identity for tests.\n{}", bech32("age-plugin-sealtest-", words.as_bytes()).to_uppercase());
        }
        ["--age-plugin=recipient-v1"] => Plugin::new().wrap(),
        ["--age-plugin=identity-v1"] => Plugin::new().unwrap(),
        _ => exit(4),
    }
}

struct Plugin {
    input: std::io::BufReader<std::io::Stdin>,
    /// What is to be done besides.
    words: Vec<String>,
}

struct Command {
    kind: String,
    arguments: Vec<String>,
    body: Vec<u8>,
}

impl Plugin {
    fn new() -> Self {
        Self { input: std::io::BufReader::new(std::io::stdin()), words: Vec::new() }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    fn wrap(mut self) {
        let (mut file_key, mut count, mut labels) = (Vec::new(), 0, false);
        loop {
            let command = self.read();
            match &command.kind[..] {
                "add-recipient" | "add-identity" => {
                    count += 1;
                    self.words.extend(words(&command.arguments[0]));
                }
                "wrap-file-key" => file_key = command.body,
                "extension-labels" => labels = true,
                "done" => break,
                _ => {}
            }
        }
        assert!(labels, "the client does not know labels");
        self.act();
        let masked: Vec<u8> = file_key.iter().map(|byte| byte ^ MASK).collect();
        let mut labels: Vec<&str> = Vec::new();
        labels.extend(self.has("postquantum").then_some("postquantum"));
        labels.extend(self.has("apart").then_some("sealtest"));
        if self.has("twins") {
            labels = vec!["one", "one"];
        }
        if !labels.is_empty() {
            self.ask("labels", &labels, b"", &["ok"]);
            if self.has("repeat-labels") {
                self.ask("labels", &labels, b"", &["ok"]);
            }
        }
        if !self.has("nothing") {
            let index = if self.has("index") { "1" } else { "0" };
            for _ in 0..count {
                self.ask("recipient-stanza", &[index, "sealtest", "x"], &masked, &["ok"]);
            }
            // Stanzas of types that a reader knows, which would keep everybody else from a file of age.
            if self.has("scrypt") {
                let salt = ["0", "scrypt", "AAAAAAAAAAAAAAAAAAAAAA", "18"];
                self.ask("recipient-stanza", &salt, &[7; 32], &["ok"]);
            }
            if self.has("broken") {
                self.ask("recipient-stanza", &["0", "X25519", "AAAA"], &[7; 32], &["ok"]);
            }
            if self.has("huge") {
                for _ in 0..21 {
                    self.ask("recipient-stanza", &["0", "sealtest-long"], &vec![7; 93_000], &["ok"]);
                }
            }
            if self.has("long") {
                // One that is as long as a body of ours is not.
                self.ask("recipient-stanza", &["0", "sealtest-long"], &vec![7; 60_000], &["ok"]);
            }
        }
        self.end();
    }

    fn unwrap(mut self) {
        let mut keys = Vec::new();
        loop {
            let command = self.read();
            match &command.kind[..] {
                "add-identity" => self.words.extend(words(&command.arguments[0])),
                "recipient-stanza" if command.arguments[1] == "sealtest" => {
                    keys.push(command.body.iter().map(|byte| byte ^ MASK).collect::<Vec<u8>>());
                }
                "done" => break,
                _ => {}
            }
        }
        self.act();
        if self.has("nothing") {
            keys.clear();
        }
        if let Some(key) = keys.first_mut() {
            if self.has("short") {
                key.pop();
            }
            if self.has("other") {
                key[0] ^= 1;
            }
            let index = if self.has("index") { "1" } else { "0" };
            let key = key.clone();
            self.ask("file-key", &[index], &key, &["ok"]);
            if self.has("two") {
                self.ask("file-key", &[index], &key, &["ok"]);
            }
        }
        self.end();
    }

    /// What the words want before the work.
    fn act(&mut self) {
        for word in self.words.clone() {
            match &word[..] {
                "message" => {
                    self.ask("msg", &[], "touch the \u{1b}[31mtoken\nnow".as_bytes(), &["ok"]);
                }
                "grease" => {
                    self.ask("grease-x", &["1", "2"], &[7; 99], &["unsupported"]);
                    self.ask("grease-y", &[], b"", &["unsupported"]);
                }
                "confirm" => {
                    // Insert it, skip it.
                    let answer = self.ask("confirm", &["SW5zZXJ0IGl0", "c2tpcCBpdA"], b"Is it there?", &["ok", "fail"]);
                    if answer.kind == "fail" || answer.arguments != ["yes"] {
                        self.refuse("it was skipped");
                    }
                }
                "acknowledge" => {
                    self.ask("confirm", &["Z28gb24"], b"Ready?", &["ok", "fail"]);
                }
                "name" => {
                    let answer = self.ask("request-public", &[], b"Which slot?", &["ok", "fail"]);
                    if answer.body != b"slot 7" {
                        self.refuse("there is no such slot");
                    }
                }
                "pin" => {
                    let answer = self.ask("request-secret", &[], b"PIN?", &["ok", "fail"]);
                    if answer.body != b"1234" {
                        self.refuse("the PIN is wrong");
                    }
                }
                "error" => self.refuse("no \u{1b}[31mtoken"),
                "error-index" => {
                    self.ask("error", &["identity", "7"], b"of whom?", &["ok"]);
                }
                "die" => {
                    eprintln!("first\nno card \u{1b}[31mreader");
                    exit(3);
                }
                "environment" => {
                    let entries = std::fs::read_dir(".").unwrap().count();
                    let secret = std::env::var_os("SEALTEST_SECRET").is_some();
                    let text = format!("{entries} files here, secret: {secret}");
                    self.ask("msg", &[], text.as_bytes(), &["ok"]);
                }
                "leave" => std::fs::write("left", b"behind").unwrap(),
                "no-base64" => raw(b"-> msg\n====\n"),
                "no-stanza" => raw(b"hello\nthere\n"),
                "bad-choice" => raw(b"-> confirm ====\n\n"),
                "flood" => {
                    let line = vec![b'x'; 65_536];
                    for _ in 0..1600 {
                        raw(&line);
                    }
                }
                "chatter" => {
                    for _ in 0..10_001 {
                        self.ask("grease", &[], b"", &["unsupported"]);
                    }
                }
                "slow" => std::thread::sleep(Duration::from_millis(5500)),
                "hang" => loop {
                    std::thread::sleep(Duration::from_secs(60));
                },
                _ => {}
            }
        }
    }

    fn refuse(&mut self, why: &str) {
        self.ask("error", &["internal"], why.as_bytes(), &["ok"]);
        self.end();
    }

    fn end(&mut self) -> ! {
        raw(b"-> done\n\n");
        if self.has("linger") {
            std::thread::sleep(Duration::from_secs(60));
        }
        // To the end of what the client says.
        let mut rest = Vec::new();
        let _ = self.input.read_to_end(&mut rest);
        exit(i32::from(!rest.is_empty()));
    }

    fn ask(&mut self, kind: &str, arguments: &[&str], body: &[u8], expected: &[&str]) -> Command {
        let mut text = format!("-> {}\n", [&[kind], arguments].concat().join(" "));
        let encoded = base64(body);
        let mut lines: Vec<&[u8]> = encoded.as_bytes().chunks(64).collect();
        if encoded.len().is_multiple_of(64) {
            lines.push(b"");
        }
        for line in lines {
            text += std::str::from_utf8(line).unwrap();
            text.push('\n');
        }
        raw(text.as_bytes());
        let answer = self.read();
        assert!(expected.contains(&&answer.kind[..]), "{kind} was answered {}", answer.kind);
        answer
    }

    fn read(&mut self) -> Command {
        let first = self.line();
        let mut words = first.strip_prefix("-> ").expect("a command").split(' ').map(str::to_owned);
        let kind = words.next().unwrap();
        let arguments = words.collect();
        let mut body = String::new();
        loop {
            let line = self.line();
            body += &line;
            if line.len() < 64 {
                return Command { kind, arguments, body: unbase64(&body) };
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        if self.input.read_line(&mut line).unwrap_or(0) == 0 {
            exit(2);
        }
        line.trim_end_matches('\n').to_owned()
    }
}

fn raw(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        exit(1);
    }
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let (_, data) = text.rsplit_once('1').unwrap();
    let fives = data.bytes().map(|c| u8::try_from(CHARS.iter().position(|known| *known == c).unwrap()).unwrap());
    let fives: Vec<u8> = fives.take(data.len() - 6).collect();
    let bytes = regroup(&fives, 5, 8, false);
    String::from_utf8(bytes).unwrap().split(',').map(str::to_owned).collect()
}

fn bech32(hrp: &str, data: &[u8]) -> String {
    let fives = regroup(data, 8, 5, true);
    let expanded = hrp.bytes().map(|c| c >> 5).chain([0]).chain(hrp.bytes().map(|c| c & 31));
    let mut check: u32 = 1;
    for value in expanded.chain(fives.iter().copied()).chain([0; 6]) {
        let top = check >> 25;
        check = (check & 0x01ff_ffff) << 5 ^ u32::from(value);
        for (i, generator) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].into_iter().enumerate()
        {
            check ^= if top >> i & 1 == 1 { generator } else { 0 };
        }
    }
    let check = check ^ 1;
    let sum = (0..6).map(|i| u8::try_from(check >> (5 * (5 - i)) & 31).unwrap());
    let symbols = fives.iter().copied().chain(sum).map(|five| char::from(CHARS[usize::from(five)]));
    format!("{hrp}1{}", symbols.collect::<String>())
}

fn base64(bytes: &[u8]) -> String {
    regroup(bytes, 8, 6, true).into_iter().map(|six| char::from(ALPHABET[usize::from(six)])).collect()
}

fn unbase64(text: &str) -> Vec<u8> {
    let sixes = text.bytes().map(|c| u8::try_from(ALPHABET.iter().position(|known| *known == c).unwrap()).unwrap());
    regroup(&sixes.collect::<Vec<_>>(), 6, 8, false)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bits in groups of another size.
fn regroup(values: &[u8], from: u32, to: u32, pads: bool) -> Vec<u8> {
    let (mut bits, mut count, mut out) = (0_u32, 0, Vec::new());
    for value in values {
        bits = (bits << from | u32::from(*value)) & 0xffff;
        count += from;
        while count >= to {
            count -= to;
            out.push(u8::try_from(bits >> count & ((1 << to) - 1)).unwrap());
        }
    }
    if pads && count > 0 {
        out.push(u8::try_from(bits << (to - count) & ((1 << to) - 1)).unwrap());
    }
    out
}
