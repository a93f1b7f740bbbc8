//! Programs of other people as judges of SM2: emmansun/gmsm (Go), sm-crypto and sm-crypto-v2 (Node.js). Each answers
//! questions, a line at a time, in a program of `tests/sm2_judges`.

#[path = "../../cli/tests/support/chance.rs"]
mod chance;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey, Signature};
use sealstone::{Identity, Passphrase, parse_identities, parse_recipients};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Signatures, and ciphertexts of each form, both ways: of gmsm, and of the others, which are a hundred times as slow.
fn cases() -> usize {
    if chance::exhaustive() { 150 } else { 15 }
}

/// The first of them have every length that is a class of its own, and every user id.
fn js_cases() -> usize {
    if chance::exhaustive() { 30 } else { 11 }
}

/// Keys with and without a password, some of which we encrypt.
fn key_count() -> usize {
    if chance::exhaustive() { 20 } else { 6 }
}

/// Bytes of the longest message but one.
const LONGEST: usize = 200;
/// Bytes of the longest.
const LONG: usize = 20_000;
/// Text, which user ids are for sm-crypto. gmsm takes the last, which is empty, for the default one.
const IDS: [&[u8]; 5] = [DEFAULT_ID, b"a", "\u{7528}\u{6237}@example.com".as_bytes(), &[b'x'; 300], b""];

const GO: &str = "emmansun/gmsm";
const JS: [&str; 2] = ["sm-crypto", "sm-crypto-v2"];

#[test]
fn gmsm_verifies_our_signatures_and_we_its() {
    let Some(judge) = Judge::go() else { return };
    assert_eq!(judge.signatures("der"), 2 * cases());
}

#[test]
fn gmsm_decrypts_our_ciphertexts_and_we_its() {
    let Some(judge) = Judge::go() else { return };
    let ran: usize = [Form::C1C3C2, Form::C1C2C3, Form::Der].map(|form| judge.ciphertexts(form, true)).iter().sum();
    assert_eq!(ran, 6 * cases());
}

#[test]
fn gmsm_reads_our_keys_and_we_its() {
    let Some(judge) = Judge::go() else { return };
    let mut random = Random::of_this_run();
    let mut questions = String::new();
    let mut keys = Vec::new();
    // PBKDF2 takes its time: gmsm's are with 2,048 iterations, ours with what is right.
    for i in 0..key_count() {
        let key = random.key();
        let identity = Identity::from(key.clone());
        let password = if i % 2 == 0 { format!("correct horse {i}") } else { String::new() };
        let passphrase = (!password.is_empty()).then(|| Passphrase::new(&password).unwrap());
        if i < 5 {
            let der = identity.to_der(passphrase.as_ref()).unwrap();
            question(&mut questions, "read-key", "-", &[&der, password.as_bytes()]);
        } else {
            question(&mut questions, "read-key", "-", &[&identity.to_der(None).unwrap()[..], b""]);
        }
        question(&mut questions, "write-key", "-", &[&key.to_bytes()[..], password.as_bytes()]);
        question(&mut questions, "read-public", "-", &[&identity.recipient().to_der().unwrap()]);
        question(&mut questions, "write-public", "-", &[&key.public_key().to_bytes()]);
        keys.push((key, passphrase));
    }
    let answers = judge.ask(questions);
    for ((key, passphrase), answers) in keys.iter().zip(answers.chunks_exact(4)) {
        let number = key.to_bytes().to_vec();
        let point = key.public_key().to_bytes().to_vec();
        assert_eq!(answers[0].as_deref(), Ok(&number[..]));
        let theirs = parse_identities(answers[1].as_ref().unwrap(), passphrase.as_ref()).unwrap();
        assert_eq!(theirs[0].as_sm2().unwrap().to_bytes().to_vec(), number);
        assert_eq!(answers[2].as_deref(), Ok(&point[..]));
        let theirs = parse_recipients(answers[3].as_ref().unwrap()).unwrap();
        assert_eq!(theirs[0].as_sm2().unwrap().to_bytes().to_vec(), point);
        if passphrase.is_some() {
            let wrong = Passphrase::new("wrong").unwrap();
            assert!(parse_identities(answers[1].as_ref().unwrap(), Some(&wrong)).is_err());
        }
    }
    println!("{} keys, 4 times each", keys.len());
}

#[test]
fn sm_crypto_verifies_our_signatures_and_we_its() {
    for name in JS {
        let Some(judge) = Judge::js(name) else { return };
        let ran: usize = ["der", "raw"].map(|form| judge.signatures(form)).iter().sum();
        assert_eq!(ran, 4 * js_cases(), "{name}");
    }
}

#[test]
fn sm_crypto_decrypts_our_ciphertexts_and_we_its() {
    for name in JS {
        let Some(judge) = Judge::js(name) else { return };
        // The first of the two has no DER for ciphertexts. Both leave out the 04.
        let forms = if name == "sm-crypto" {
            &[Form::C1C3C2, Form::C1C2C3][..]
        } else {
            &[Form::C1C3C2, Form::C1C2C3, Form::Der]
        };
        let ran: usize = forms.iter().map(|form| judge.ciphertexts(*form, *form == Form::Der)).sum();
        assert_eq!(ran, 2 * js_cases() * forms.len(), "{name}");
    }
}

/// A program that answers.
struct Judge {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<PathBuf>,
    /// Where Node.js looks for packages.
    packages: PathBuf,
    cases: usize,
}

impl Judge {
    fn go() -> Option<Self> {
        static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        match MADE.get_or_init(make_go_program) {
            Ok(program) => Some(Self {
                name: GO,
                program: program.clone(),
                arguments: Vec::new(),
                packages: PathBuf::new(),
                cases: cases(),
            }),
            Err(why) => skip(GO, why),
        }
    }

    fn js(name: &'static str) -> Option<Self> {
        static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        match MADE.get_or_init(install_packages) {
            Ok(packages) => Some(Self {
                name,
                program: "node".into(),
                arguments: vec![source("sm-crypto/main.js"), name.into()],
                packages: packages.clone(),
                cases: js_cases(),
            }),
            Err(why) => skip(name, why),
        }
    }

    /// The answers to all questions; an error is what it says.
    fn ask(&self, questions: String) -> Vec<Result<Vec<u8>, String>> {
        let asked = questions.lines().count();
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env("NODE_PATH", &self.packages);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let asking = std::thread::spawn(move || stdin.write_all(questions.as_bytes()).unwrap());
        let answers = child.wait_with_output().unwrap();
        asking.join().unwrap();
        assert!(answers.status.success(), "{}", self.name);
        let answers = String::from_utf8(answers.stdout).unwrap();
        let answers: Vec<_> = answers
            .lines()
            .map(|line| match line.strip_prefix('!') {
                Some(why) => Err(why.trim().to_owned()),
                None => Ok(HEXLOWER_PERMISSIVE.decode(line.as_bytes()).unwrap()),
            })
            .collect();
        assert_eq!(answers.len(), asked, "{}", self.name);
        answers
    }

    /// Signatures in one form, DER or raw, both ways; returns how many.
    fn signatures(&self, form: &str) -> usize {
        let mut random = Random::of_this_run();
        let mut questions = String::new();
        let mut cases = Vec::new();
        let ids = if self.name == GO { &IDS[..4] } else { &IDS[..] };
        for i in 0..self.cases {
            let (key, id) = (random.key(), ids[i % ids.len()]);
            let message = random.message(i);
            let (number, public) = (key.to_bytes(), key.public_key());
            let ours = write(&key.sign(id, &message).unwrap(), form);
            let other = [&message[..], b"."].concat();
            question(&mut questions, "verify", form, &[&public.to_bytes(), id, &message, &ours]);
            question(&mut questions, "verify", form, &[&public.to_bytes(), id, &other, &ours]);
            question(&mut questions, "sign", form, &[&number[..], id, &message]);
            cases.push((public, id, message));
        }
        let answers = self.ask(questions);
        for ((public, id, message), answers) in cases.iter().zip(answers.as_chunks::<3>().0) {
            let [ours, of_another, theirs] = answers;
            assert!(ours.is_ok(), "{}: {public:?}, {message:02x?}: {ours:?}", self.name);
            assert!(of_another.is_err(), "{}", self.name);
            let theirs = theirs.as_ref().unwrap();
            let signature = if form == "der" { Signature::from_der(theirs) } else { Signature::from_bytes(theirs) };
            let signature = signature.unwrap_or_else(|error| panic!("{}: {theirs:02x?}: {error}", self.name));
            public.verify(id, message, &signature).unwrap();
            assert!(public.verify(b"another", message, &signature).is_err());
        }
        println!("{}: {} signatures in {form}", self.name, 2 * cases.len());
        2 * cases.len()
    }

    /// Whether it does not decrypt its own ciphertext.
    fn refuses(&self, key: &PrivateKey, form: Form, ciphertext: &[u8]) -> bool {
        let mut questions = String::new();
        question(&mut questions, "decrypt", form.name(), &[&key.to_bytes()[..], ciphertext]);
        self.ask(questions)[0].is_err()
    }

    /// Ciphertexts in one form both ways, with or without the 04; returns how many.
    fn ciphertexts(&self, form: Form, has_04: bool) -> usize {
        let mut random = Random::of_this_run();
        let mut questions = String::new();
        let mut cases = Vec::new();
        for i in 0..self.cases {
            let (key, message) = (random.key(), random.message(i));
            let number = key.to_bytes();
            let public = key.public_key();
            let mut ours = public.encrypt(form, &message).unwrap();
            if !has_04 {
                assert_eq!(ours.remove(0), 4);
            }
            question(&mut questions, "decrypt", form.name(), &[&number[..], &ours]);
            question(&mut questions, "encrypt", form.name(), &[&public.to_bytes(), &message]);
            cases.push((key, message));
        }
        let answers = self.ask(questions);
        let mut of_zero = 0;
        for ((key, message), answers) in cases.iter().zip(answers.as_chunks::<2>().0) {
            let [ours, theirs] = answers;
            assert_eq!(ours.as_ref(), Ok(message), "{} decrypts {form}", self.name);
            let theirs = theirs.as_ref().unwrap();
            match key.decrypt(form, theirs) {
                Ok(found) => assert_eq!(*found, *message, "{form} of {}", self.name),
                // GB/T 32918.4 section 6.1, A5: whoever encrypts begins anew if t is zero, and section 7.1, B4: whoever
                // decrypts ends with an error. Messages of one byte meet it once in 256. Some do not begin anew, and the
                // message shows; gmsm goes on from a point that is no longer the public key, and then refuses its own.
                Err(_) if message.len() < 3 && (contains(theirs, message) || self.refuses(key, form, theirs)) => {
                    of_zero += 1;
                }
                Err(error) => panic!("{form} of {}: {theirs:02x?}: {error}", self.name),
            }
            // One bit elsewhere is noticed.
            let mut damaged = theirs.clone();
            *damaged.last_mut().unwrap() ^= 1;
            assert!(key.decrypt(form, &damaged).is_err());
        }
        println!("{}: {} ciphertexts in {form}, {of_zero} of them after a t of zero", self.name, 2 * cases.len());
        2 * cases.len()
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sm2_judges").join(name)
}

/// The program in `tests/sm2_judges/gmsm`.
fn make_go_program() -> Result<PathBuf, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gmsm-judge");
    let mut build = Command::new("go");
    build.args(["build", "-trimpath", "-buildvcs=false", "-o"]).arg(&program).arg(".").current_dir(source("gmsm"));
    ran(&mut build).map(|()| program)
}

/// The packages of `tests/sm2_judges/sm-crypto`, at the versions of its lock file.
fn install_packages() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sm-crypto");
    let (lock, packages) = (folder.join("package-lock.json"), folder.join("node_modules"));
    ran(Command::new("node").arg("--version"))?;
    let wanted = std::fs::read(source("sm-crypto/package-lock.json")).unwrap();
    if packages.is_dir() && std::fs::read(&lock).is_ok_and(|found| found == wanted) {
        return Ok(packages);
    }
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["package.json", "package-lock.json"] {
        std::fs::copy(source("sm-crypto").join(name), folder.join(name)).unwrap();
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]).current_dir(&folder);
    let done = ran(&mut install);
    if done.is_err() {
        // The lock file says that all of it is there.
        _ = std::fs::remove_file(&lock);
    }
    done.map(|()| packages)
}

fn ran(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(_) => Err(format!("there is no {name}")),
    }
}

/// Notes what was not tested, for the end of `make test`; CI skips nothing.
fn skip(judge: &str, why: &str) -> Option<Judge> {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    println!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped.txt");
    let list = std::fs::OpenOptions::new().create(true).append(true).open(list);
    writeln!(list.unwrap(), "{judge} as the judge of SM2: {why}").unwrap();
    None
}

fn question(questions: &mut String, verb: &str, form: &str, fields: &[&[u8]]) {
    _ = write!(questions, "{verb} {form}");
    for field in fields {
        let digits = if field.is_empty() { "-".to_owned() } else { HEXLOWER.encode(field) };
        _ = write!(questions, " {digits}");
    }
    questions.push('\n');
}

fn write(signature: &Signature, form: &str) -> Vec<u8> {
    if form == "der" { signature.to_der() } else { signature.to_bytes().to_vec() }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Messages and keys without a pattern. Signatures and ciphertexts have randomness of their own.
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

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    fn key(&mut self) -> PrivateKey {
        PrivateKey::from_bytes(&self.bytes(32)).unwrap_or_else(|_| self.key())
    }

    /// The message of case `i`: a long one, some of a few bytes and around a hash, and others.
    fn message(&mut self, i: usize) -> Vec<u8> {
        let len = match i {
            0 => LONG,
            1..=4 => i,
            5..=10 => [31, 32, 33, 63, 64, 65][i - 5],
            _ => 1 + usize::try_from(self.next() % LONGEST as u64).unwrap(),
        };
        self.bytes(len)
    }
}
