//! emmansun/gmsm, a program of other people, as the judge of what OpenSSL 3.0 has not: SM4 in GCM, CCM and XTS.

#[path = "../../cli/tests/support/chance.rs"]
mod chance;

use sealstone_ciphers::sm4::{Backend, Sm4Ccm, Sm4Gcm, Sm4Xts, TweakOrder};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Messages of each mode.
const MESSAGES: usize = 250;
/// Bytes of the longest one.
const LONGEST: usize = 5_000;

#[test]
fn gmsm_seals_to_the_same_bytes() {
    let Some(program) = program() else { return };
    let mut random = Random::of_this_run();
    let mut questions = String::new();
    let mut messages = Vec::new();
    for mode in ["gcm", "ccm", "xts-gb", "xts-ieee"] {
        for _ in 0..MESSAGES {
            let message = Message::new(mode, &mut random);
            questions += &message.question();
            messages.push(message);
        }
    }
    let answers = ask(&program, questions);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), messages.len());
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        for (message, answer) in messages.iter().zip(&answers) {
            assert_eq!(hex(&message.seal(backend)), *answer, "{} by {}", message.question(), backend.name());
        }
        println!("{} messages by {}", messages.len(), backend.name());
    }
}

struct Message {
    mode: &'static str,
    key: [u8; 16],
    /// Or the tweak's key.
    nonce: Vec<u8>,
    /// Or the tweak.
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    tag_len: usize,
}

impl Message {
    fn new(mode: &'static str, random: &mut Random) -> Self {
        let any = LONGEST + 1;
        let (nonce, aad, len, tag_len) = match mode {
            // Go's GCM has other nonces or other tags, and not both.
            "gcm" if random.below(2) == 0 => (12, random.below(100), random.below(any), 12 + random.below(5)),
            "gcm" => (1 + random.below(64), random.below(100), random.below(any), 16),
            "ccm" => (7 + random.below(7), random.below(100), random.below(any), 4 + 2 * random.below(7)),
            _ => (16, 16, 16 + random.below(any - 16), 0),
        };
        Self {
            mode,
            key: random.bytes(16).try_into().unwrap(),
            nonce: random.bytes(nonce),
            aad: random.bytes(aad),
            plaintext: random.bytes(len),
            tag_len,
        }
    }

    fn question(&self) -> String {
        let fields = [&self.key[..], &self.nonce, &self.aad, &self.plaintext];
        let fields = fields.map(|field| if field.is_empty() { "-".to_owned() } else { hex(field) });
        format!("{} {} {}\n", self.mode, fields.join(" "), self.tag_len)
    }

    fn seal(&self, backend: Backend) -> Vec<u8> {
        let mut buffer = self.plaintext.clone();
        let mut tag = vec![0; self.tag_len];
        match self.mode {
            "gcm" => {
                let key = Sm4Gcm::with_backend(backend, &self.key).unwrap();
                key.seal_in_place(&self.nonce, &self.aad, &mut buffer, &mut tag).unwrap();
            }
            "ccm" => {
                let key = Sm4Ccm::with_backend(backend, &self.key).unwrap();
                key.seal_in_place(&self.nonce, &self.aad, &mut buffer, &mut tag).unwrap();
            }
            _ => {
                let order = if self.mode == "xts-gb" { TweakOrder::Gbt } else { TweakOrder::Ieee };
                let tweak_key = self.nonce[..].try_into().unwrap();
                let key = Sm4Xts::with_backend(backend, &self.key, tweak_key, order).unwrap();
                key.encrypt(&mut key.tweak(self.aad[..].try_into().unwrap()), &mut buffer).unwrap();
            }
        }
        buffer.extend(tag);
        buffer
    }
}

/// The program in `tests/gmsm`, made by Go.
fn program() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gmsm");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gmsm-oracle");
    let mut build = Command::new("go");
    build.args(["build", "-trimpath", "-buildvcs=false", "-o"]).arg(&program).arg(".");
    let made = build.current_dir(source).output();
    match made {
        Ok(made) if made.status.success() => Some(program),
        Ok(made) => skip(&format!("Go cannot make it: {}", String::from_utf8_lossy(&made.stderr).trim())),
        Err(_) => skip("no Go to make it with"),
    }
}

/// Notes what was not tested, for the end of `make test`; CI skips nothing.
fn skip(why: &str) -> Option<PathBuf> {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    println!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped.txt");
    let list = std::fs::OpenOptions::new().create(true).append(true).open(list);
    writeln!(list.unwrap(), "emmansun/gmsm as the judge of SM4: {why}").unwrap();
    None
}

fn ask(program: &Path, questions: String) -> String {
    let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let asking = std::thread::spawn(move || stdin.write_all(questions.as_bytes()).unwrap());
    let answers = child.wait_with_output().unwrap();
    asking.join().unwrap();
    assert!(answers.status.success());
    String::from_utf8(answers.stdout).unwrap()
}

/// Messages without a pattern.
struct Random(u64);

impl Random {
    fn of_this_run() -> Self {
        Self(chance::seed())
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}
