//! What a plugin's program says: arbitrary bytes and arbitrary commands, in one piece and in parts. Parts change nothing, each command
//! has one answer, and whatever the program says, a file that is written with it has a header that can be read.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::interop::age::{self, Answer, Conversation, Decryptor, Encryptor, Question, Step};
use sealstone::plugin::{Identity, Plugin, Recipient, Secret, Stanza, Wrapped};
use sealstone::{Error, Input, PluginFault};
use std::sync::Arc;

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    is_wrapping: bool,
    answers: u8,
    splits: [u8; 4],
    pieces: Vec<Piece>,
    rest: &'a [u8],
}

#[derive(Arbitrary, Debug)]
enum Piece {
    Command {
        kind: u8,
        arguments: Vec<u8>,
        body: Vec<u8>,
    },
    /// A body of the length that a secret has.
    FileKey {
        key: [u8; 16],
    },
    Bytes(Vec<u8>),
}

const KINDS: [&str; 10] = [
    "msg",
    "request-public",
    "request-secret",
    "confirm",
    "recipient-stanza",
    "labels",
    "file-key",
    "error",
    "done",
    "grease",
];
const WORDS: [&str; 12] =
    ["0", "1", "00", "recipient", "identity", "stanza", "internal", "X25519", "aGk", "postquantum", "scrypt", "~"];
/// What the plugin's keys are called, and the secret that it gets.
const NAME: &str = "example";
const SECRET: [u8; 16] = [7; 16];
/// More would only be slow.
const MAX_LEN: usize = 100_000;

fuzz_target!(|case: Case<'_>| {
    let said = case.said();
    if said.len() > MAX_LEN {
        return;
    }
    let program = Arc::new(Program { said, splits: case.splits, answers: case.answers });
    let identity = Identity::without_data(NAME, program.clone()).expect("plugin: a name");
    if case.is_wrapping {
        check_wrapping(&program, &identity.recipient());
    } else {
        check_unwrapping(&program, identity);
    }
});

impl Case<'_> {
    fn said(&self) -> Vec<u8> {
        let mut said = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Command { kind, arguments, body } => {
                    let words = arguments.iter().map(|at| WORDS[usize::from(*at) % WORDS.len()]);
                    said.extend(command(KINDS[usize::from(*kind) % KINDS.len()], words, body));
                }
                Piece::FileKey { key } => said.extend(command("file-key", ["0"].into_iter(), key)),
                Piece::Bytes(bytes) => said.extend(bytes),
            }
        }
        said.extend(self.rest);
        said
    }
}

fn command(kind: &str, words: impl Iterator<Item = &'static str>, body: &[u8]) -> Vec<u8> {
    Stanza::new(kind, words, body.to_vec()).expect("plugin: words").to_text().into_bytes()
}

/// A plugin whose program says this, whatever it hears.
struct Program {
    said: Vec<u8>,
    splits: [u8; 4],
    answers: u8,
}

impl Program {
    /// Lets it say all, in parts of these lengths; returns whether it came to its end, and what it has read.
    fn run(&self, conversation: &mut Conversation, splits: &[u8]) -> Result<(bool, Vec<u8>, Vec<Question>), Error> {
        let greeting = conversation.take_output();
        assert!(greeting.starts_with(b"-> add-") && greeting.ends_with(b"-> done\n\n"));
        let (mut rest, mut heard, mut questions) = (&self.said[..], Vec::new(), Vec::new());
        let mut lens = splits.iter().cycle();
        let mut answers = (0..).map(|at| self.answers.wrapping_add(at));
        loop {
            match conversation.step()? {
                Step::Done => {
                    heard.extend(&conversation.take_output()[..]);
                    return Ok((true, heard, questions));
                }
                Step::Ask(question) => {
                    conversation.answer(&match (answers.next().expect("plugin: no end") % 6, &question) {
                        (0, _) => Answer::Failed,
                        (1, _) => Answer::Yes,
                        (2, _) => Answer::No,
                        (3, _) => Answer::Done,
                        _ => Answer::Text("1234".to_owned().into()),
                    });
                    questions.push(question);
                }
                Step::Listen if rest.is_empty() => {
                    heard.extend(&conversation.take_output()[..]);
                    return Ok((false, heard, questions));
                }
                Step::Listen => {
                    heard.extend(&conversation.take_output()[..]);
                    let len = lens.next().map_or(rest.len(), |len| usize::from(*len).max(1)).min(rest.len());
                    let (part, behind) = rest.split_at(len);
                    conversation.receive(part);
                    rest = behind;
                }
            }
        }
    }

    /// The same in one piece and in parts.
    fn agrees(&self, begin: impl Fn() -> Conversation) -> (Conversation, Result<bool, Error>) {
        let (mut one, mut other) = (begin(), begin());
        let whole = self.run(&mut one, &[]);
        // Splits of nothing but small numbers make thousands of parts.
        let parts = self.run(&mut other, &self.splits);
        match (&whole, &parts) {
            (Ok(whole), Ok(parts)) => {
                assert_eq!(whole, parts);
                let (_, heard, _) = whole;
                let answers = String::from_utf8(heard.clone()).expect("plugin: answers are text");
                for line in answers.lines().filter(|line| line.starts_with("-> ")) {
                    assert!(["-> ok", "-> ok yes", "-> ok no", "-> fail", "-> unsupported"].contains(&line), "{line}");
                }
            }
            (Err(whole), Err(parts)) => {
                assert_eq!((whole.code(), whole.to_string()), ("plugin_failed", parts.to_string()));
            }
            (whole, parts) => panic!("{whole:?} in one piece, and {parts:?} in parts"),
        }
        (one, whole.map(|(is_done, _, _)| is_done))
    }
}

impl Plugin for Program {
    fn wrap(&self, recipient: &Recipient, secret: &Secret) -> Result<Wrapped, Error> {
        let (mut conversation, ended) =
            self.agrees(|| Conversation::to_wrap(recipient, secret).expect("plugin: there is randomness"));
        if ended? {
            conversation.into_wrapped()
        } else {
            Err(conversation.broken_off(PluginFault::Ended("silence".into())))
        }
    }

    fn unwrap(&self, identity: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>, Error> {
        let (mut conversation, ended) =
            self.agrees(|| Conversation::to_unwrap(identity, stanzas).expect("plugin: there is randomness"));
        if ended? {
            conversation.into_secret()
        } else {
            Err(conversation.broken_off(PluginFault::Ended("silence".into())))
        }
    }
}

fn check_wrapping(program: &Program, recipient: &Recipient) {
    let wrapped = program.wrap(recipient, &Secret::new(SECRET));
    let sealed = Encryptor::new([recipient.clone().into()]).threads(1).encrypt(b"attack at dawn");
    match (wrapped, sealed) {
        (Ok(wrapped), Ok(sealed)) => {
            let stanzas = age::stanzas(&mut Input::reader(&sealed[..])).expect("a header that was written can be read");
            assert_eq!(stanzas, wrapped.stanzas());
        }
        (Ok(wrapped), Err(error)) if wrapped.stanzas().is_empty() => assert_eq!(error.code(), "plugin_failed"),
        // One that stands alone in a file of age beside another, or more than a header may have.
        (Ok(_), Err(error)) => {
            assert!(["invalid_recipients", "mixed_recipients", "malformed_header"].contains(&error.code()), "{error}");
        }
        (Err(error), sealed) => {
            assert_eq!(error.code(), "plugin_failed");
            assert_eq!(sealed.expect_err("a file without a stanza").code(), "plugin_failed");
        }
    }
}

fn check_unwrapping(program: &Program, identity: Identity) {
    const FILE: &[u8] =
        b"age-encryption.org/v1\n-> example 1\nAAAA\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef";
    let stanza = Stanza::new("example", ["1"], vec![0; 3]).expect("plugin: words");
    let secret = program.unwrap(&identity, &[stanza]);
    let opened = Decryptor::new([identity.into()]).threads(1).decrypt(FILE);
    let code = opened.expect_err("nobody made this MAC").code();
    let expected = match secret {
        Ok(Some(_)) => "header_not_authentic",
        Ok(None) => "no_matching_identity",
        Err(error) => error.code(),
    };
    assert_eq!(code, expected);
}
