//! The messages to the program of a plugin, and its answers (<https://c2sp.org/age-plugin>). It does no I/O.
//! `crates/cli/src/plugin.rs` runs the program.

use crate::encoding::{decode_base64_unpadded, encode_base64_unpadded};
use crate::error::{Error, PluginFault, Result};
use crate::plugin::{Identity, Recipient, SECRET_LEN, STANZAS_MAX, Secret, Stanza, Wrapped};
use crate::random;
use std::collections::BTreeSet;
use zeroize::Zeroizing;

/// The most bytes of one command of a plugin: over twice the longest reasonable stanza.
const COMMAND_MAX_LEN: usize = 128 * 1024;
/// The most commands of a plugin in one conversation.
const COMMANDS_MAX: usize = 10_000;
/// The most bytes of stanzas that a plugin makes of one secret: as many as a header of age may have.
const WRAPPED_MAX_LEN: usize = 2 << 20;
/// Characters of a full line of a body, and the bytes that they encode.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;

/// One conversation with the program of a plugin, which wraps or unwraps one secret.
///
/// The caller starts the program with `--age-plugin=` and [`state_machine`](Self::state_machine). Then, until
/// [`step`](Self::step) returns [`Step::Done`], it writes the bytes of [`take_output`](Self::take_output) to the program's
/// stdin, gives the bytes of its stdout to [`receive`](Self::receive), and answers its questions.
///
/// ```
/// use sealstone::interop::age::{Conversation, Step};
/// # use sealstone::plugin::{Identity, Plugin, Recipient, Secret, Stanza, Wrapped};
/// # struct Program;
/// # impl Plugin for Program {
/// #     fn wrap(&self, _: &Recipient, _: &Secret) -> sealstone::Result<Wrapped> { unreachable!() }
/// #     fn unwrap(&self, _: &Identity, _: &[Stanza]) -> sealstone::Result<Option<Secret>> { unreachable!() }
/// # }
///
/// let identity = Identity::without_data("example", std::sync::Arc::new(Program))?;
/// let mut conversation = Conversation::to_unwrap(&identity, &[Stanza::new("X", ["1"], vec![7; 16])?])?;
/// assert_eq!(conversation.state_machine(), "identity-v1");
/// assert!(conversation.take_output().ends_with(b"-> done\n\n"));
///
/// conversation.receive(b"-> file-key 0\nBwcHBwcHBwcHBwcHBwcHBw\n");
/// assert!(matches!(conversation.step()?, Step::Listen));
/// assert_eq!(&conversation.take_output()[..], b"-> ok\n\n");
/// conversation.receive(b"-> done\n\n");
/// assert!(matches!(conversation.step()?, Step::Done));
/// assert_eq!(conversation.into_secret()?.as_deref(), Some(&[7; 16]));
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Conversation {
    plugin: Box<str>,
    task: Task,
    output: Buffer,
    input: Buffer,
    /// The number of input bytes whose lines are complete, and whether the next line is in the body of a command.
    searched: usize,
    in_body: bool,
    /// The number of commands that were read.
    commands: usize,
    expected_answer: Option<AnswerKind>,
    is_done: bool,
    stanzas: Vec<Stanza>,
    stanzas_len: usize,
    labels: Option<BTreeSet<String>>,
    secret: Option<Secret>,
    /// The first error that the plugin reported.
    reported_error: Option<Box<str>>,
}

/// The task, and the numbers of strings and stanzas given to the plugin, whose errors name them by index.
enum Task {
    Wrap { recipients: Vec<Box<str>>, identities: usize },
    Unwrap { identities: usize, stanzas: usize },
}

/// The next step of a conversation.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// The plugin will say more: write the bytes of [`take_output`](Conversation::take_output), and wait.
    Listen,
    /// The plugin asks a person: see [`answer`](Conversation::answer).
    Ask(Question),
    /// The conversation is complete.
    Done,
}

/// A question of a plugin to a person. Texts may have control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Shows this text. The answer is [`Answer::Done`].
    Message(String),
    /// Asks for a choice. The answer is [`Answer::Yes`] or [`Answer::No`].
    Confirm {
        /// The text of the question.
        text: String,
        /// The label of the choice `Yes`.
        yes: String,
        /// The label of the choice `No`, if there is one.
        no: Option<String>,
    },
    /// Asks for a text that need not be hidden. The answer is [`Answer::Text`].
    Public(String),
    /// Asks for a secret, such as a PIN. The answer is [`Answer::Text`].
    Secret(String),
}

/// The answer to a [`Question`].
#[derive(Clone)]
#[non_exhaustive]
pub enum Answer {
    /// The text was shown.
    Done,
    /// The first choice.
    Yes,
    /// The second choice.
    No,
    /// The person's text.
    Text(Zeroizing<String>),
    /// There is no person to ask, or no answer. It is valid for every question.
    Failed,
}

/// The kinds of answers that a question expects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerKind {
    Message,
    Confirm,
    Value,
}

impl Conversation {
    /// Begins a conversation that wraps a secret for all strings of a recipient.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn to_wrap(recipient: &Recipient, secret: &Secret) -> Result<Self> {
        let recipients = recipient.strings().map(Into::into).collect();
        let task = Task::Wrap { recipients, identities: recipient.identities().len() };
        let mut conversation = Self::new(recipient.name(), task);
        for text in recipient.strings() {
            conversation.say("add-recipient", &[text], b"");
        }
        for text in recipient.identities() {
            conversation.say("add-identity", &[text], b"");
        }
        conversation.grease()?;
        conversation.say("extension-labels", &[], b"");
        conversation.say("wrap-file-key", &[], &secret[..]);
        conversation.say("done", &[], b"");
        Ok(conversation)
    }

    /// Begins a conversation that unwraps the secret of these stanzas with any string of an identity.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn to_unwrap(identity: &Identity, stanzas: &[Stanza]) -> Result<Self> {
        let task = Task::Unwrap { identities: identity.strings().len(), stanzas: stanzas.len() };
        let mut conversation = Self::new(identity.name(), task);
        for text in identity.strings() {
            conversation.say("add-identity", &[text], b"");
        }
        conversation.grease()?;
        for stanza in stanzas {
            let arguments: Vec<&str> =
                ["0", stanza.kind()].into_iter().chain(stanza.arguments().iter().map(String::as_str)).collect();
            conversation.say("recipient-stanza", &arguments, stanza.body());
        }
        conversation.say("done", &[], b"");
        Ok(conversation)
    }

    fn new(plugin: &str, task: Task) -> Self {
        Self {
            plugin: plugin.into(),
            task,
            output: Buffer::default(),
            input: Buffer::default(),
            searched: 0,
            in_body: false,
            commands: 0,
            expected_answer: None,
            is_done: false,
            stanzas: Vec::new(),
            stanzas_len: 0,
            labels: None,
            secret: None,
            reported_error: None,
        }
    }

    /// The name of the program's task, for its option `--age-plugin=`.
    #[must_use]
    pub fn state_machine(&self) -> &'static str {
        match self.task {
            Task::Wrap { .. } => "recipient-v1",
            Task::Unwrap { .. } => "identity-v1",
        }
    }

    /// Takes the next bytes for the program's stdin, which are secret; empty if there are none.
    pub fn take_output(&mut self) -> Zeroizing<Vec<u8>> {
        std::mem::take(&mut self.output).0
    }

    /// Takes bytes of the program's stdout, up to some thousands at a time, for [`step`](Self::step) to read.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.input.extend(bytes);
    }

    /// Reads the received commands up to the next step.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] if the plugin breaks the protocol, which ends the conversation.
    ///
    /// # Panics
    /// If a question was not answered.
    pub fn step(&mut self) -> Result<Step> {
        assert!(self.expected_answer.is_none(), "conversation: a question was not answered");
        while !self.is_done {
            let Some(command) = self.next_command()? else { return Ok(Step::Listen) };
            if let Some(question) = self.execute(command)? {
                return Ok(Step::Ask(question));
            }
        }
        Ok(Step::Done)
    }

    /// Answers the question that [`step`](Self::step) returned. An answer that does not fit it counts as [`Answer::Failed`].
    ///
    /// # Panics
    /// If there is no open question.
    pub fn answer(&mut self, answer: &Answer) {
        let expected_answer = self.expected_answer.take().expect("conversation: nothing was asked");
        match (expected_answer, answer) {
            (AnswerKind::Message, Answer::Done) => self.say("ok", &[], b""),
            (AnswerKind::Confirm, Answer::Yes) => self.say("ok", &["yes"], b""),
            (AnswerKind::Confirm, Answer::No) => self.say("ok", &["no"], b""),
            (AnswerKind::Value, Answer::Text(text)) => self.say("ok", &[], text.as_bytes()),
            _ => self.say("fail", &[], b""),
        }
    }

    /// The stanzas that the plugin made of the secret.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] for an error that the plugin reported, even if it also made stanzas.
    pub fn into_wrapped(mut self) -> Result<Wrapped> {
        match self.reported_error.take() {
            Some(said) => Err(self.plugin_error(PluginFault::Said(said))),
            None => Ok(Wrapped { stanzas: self.stanzas, labels: self.labels.unwrap_or_default() }),
        }
    }

    /// The secret that the plugin unwrapped; `None` if no stanza is for these identities.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] for an error that the plugin reported, unless there is a secret: one of several tokens may be
    /// missing.
    pub fn into_secret(mut self) -> Result<Option<Secret>> {
        match (self.secret.take(), self.reported_error.take()) {
            (None, Some(said)) => Err(self.plugin_error(PluginFault::Said(said))),
            (secret, _) => Ok(secret),
        }
    }

    /// The error of a program that ended, or was ended, before [`Step::Done`]: the error that it reported, or else `fault`.
    pub fn broken_off(&mut self, fault: PluginFault) -> Error {
        let fault = self.reported_error.take().map_or(fault, PluginFault::Said);
        self.plugin_error(fault)
    }

    fn plugin_error(&self, fault: PluginFault) -> Error {
        Error::PluginFailed { plugin: self.plugin.clone(), fault }
    }

    fn protocol_error(&self, rule: &'static str) -> Error {
        self.plugin_error(PluginFault::Protocol(rule))
    }

    /// Reads the next command, if it is complete.
    fn next_command(&mut self) -> Result<Option<Stanza>> {
        loop {
            let rest = &self.input.0[self.searched..];
            let Some(len) = rest.iter().position(|byte| *byte == b'\n') else {
                if self.input.0.len() > COMMAND_MAX_LEN {
                    return Err(self.protocol_error("a command is over 128 KiB"));
                }
                return Ok(None);
            };
            let is_last = self.in_body && len != COLUMNS;
            self.in_body = !is_last;
            self.searched += len + 1;
            if self.searched > COMMAND_MAX_LEN {
                return Err(self.protocol_error("a command is over 128 KiB"));
            }
            if is_last {
                break;
            }
        }
        let end = std::mem::take(&mut self.searched);
        let mut lines = self.input.0[..end].split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let command = Stanza::read(first, || lines.next());
        let command = command.ok().flatten().ok_or_else(|| self.protocol_error("a command is not a stanza"))?;
        self.input.0.drain(..end);
        self.commands += 1;
        if self.commands > COMMANDS_MAX {
            return Err(self.protocol_error("it sent over 10,000 commands"));
        }
        Ok(Some(command))
    }

    /// Executes a command; returns its question, if it asks a person.
    fn execute(&mut self, command: Stanza) -> Result<Option<Question>> {
        let (kind, arguments, body) = command.into_parts();
        let body = Zeroizing::new(body);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let text = || String::from_utf8_lossy(&body).into_owned();
        let is_wrapping = matches!(self.task, Task::Wrap { .. });
        match &kind[..] {
            "msg" => return Ok(Some(self.ask(AnswerKind::Message, Question::Message(text())))),
            "request-public" => return Ok(Some(self.ask(AnswerKind::Value, Question::Public(text())))),
            "request-secret" => return Ok(Some(self.ask(AnswerKind::Value, Question::Secret(text())))),
            "confirm" => {
                let choice = |text: &str| {
                    let bytes = decode_base64_unpadded(text.as_bytes()).ok()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                };
                let damaged = || self.protocol_error("the choices of a question are damaged");
                let (yes, no) = match arguments[..] {
                    [yes] => (choice(yes), None),
                    [yes, no] => (choice(yes), Some(choice(no).ok_or_else(damaged)?)),
                    _ => return Err(damaged()),
                };
                let yes = yes.ok_or_else(damaged)?;
                return Ok(Some(self.ask(AnswerKind::Confirm, Question::Confirm { text: text(), yes, no })));
            }
            "recipient-stanza" if is_wrapping => self.take_stanza(&arguments, &body)?,
            "labels" if is_wrapping => {
                let labels: BTreeSet<String> = arguments.iter().copied().map(str::to_owned).collect();
                if self.labels.is_some() || labels.len() != arguments.len() {
                    return Err(self.protocol_error("it repeats labels"));
                }
                self.labels = Some(labels);
            }
            "file-key" if !is_wrapping => {
                let ["0"] = arguments[..] else {
                    return Err(self.protocol_error("it unwrapped a file key that it was not given"));
                };
                if self.secret.is_some() {
                    return Err(self.protocol_error("it unwrapped a file key twice"));
                }
                let secret: Result<[u8; SECRET_LEN], _> = body[..].try_into();
                self.secret =
                    Some(Secret::new(secret.map_err(|_| self.protocol_error("its file key does not have 16 bytes"))?));
            }
            "error" => self.take_error(&arguments, &text())?,
            "done" => {
                if !arguments.is_empty() || !body.is_empty() {
                    return Err(self.protocol_error("its last command has arguments or a body"));
                }
                self.is_done = true;
                return Ok(None);
            }
            // Commands of later versions, and grease.
            _ => {
                self.say("unsupported", &[], b"");
                return Ok(None);
            }
        }
        self.say("ok", &[], b"");
        Ok(None)
    }

    fn ask(&mut self, expected_answer: AnswerKind, question: Question) -> Question {
        self.expected_answer = Some(expected_answer);
        question
    }

    fn take_stanza(&mut self, arguments: &[&str], body: &[u8]) -> Result<()> {
        let ["0", kind, rest @ ..] = arguments else {
            return Err(self.protocol_error("it wrapped a file key that it was not given"));
        };
        let len = body.len() + arguments.iter().map(|argument| argument.len()).sum::<usize>();
        self.stanzas_len += len;
        if self.stanzas.len() == STANZAS_MAX || self.stanzas_len > WRAPPED_MAX_LEN {
            return Err(self.protocol_error("it made over 1024 stanzas, or over 2 MiB of them"));
        }
        let stanza = Stanza::new(kind, rest.iter().copied(), body.to_vec());
        self.stanzas.push(stanza.map_err(|_| self.protocol_error("a command is not a stanza"))?);
        Ok(())
    }

    /// Keeps the first error. It names its recipient, identity or stanza if there are several.
    fn take_error(&mut self, arguments: &[&str], text: &str) -> Result<()> {
        let number = |text: &str, of: usize| text.parse::<usize>().ok().filter(|number| *number < of);
        let unknown =
            || self.protocol_error("it reports an error about a recipient, identity or stanza that it was not given");
        let said = match (&self.task, arguments) {
            (Task::Wrap { recipients, identities }, ["recipient", which]) => {
                let which = number(which, recipients.len()).ok_or_else(unknown)?;
                let is_alone = recipients.len() + identities == 1;
                if is_alone { text.to_owned() } else { format!("{text} (of {})", recipients[which]) }
            }
            (Task::Wrap { identities, .. } | Task::Unwrap { identities, .. }, ["identity", which]) => {
                let which = number(which, *identities).ok_or_else(unknown)?;
                if *identities == 1 { text.to_owned() } else { format!("{text} (of identity {})", which + 1) }
            }
            (Task::Unwrap { stanzas, .. }, ["stanza", "0", which]) => {
                let which = number(which, *stanzas).ok_or_else(unknown)?;
                format!("{text} (of stanza {})", which + 1)
            }
            (Task::Unwrap { .. }, ["stanza", ..]) => return Err(unknown()),
            _ => text.to_owned(),
        };
        self.reported_error.get_or_insert(said.into());
        Ok(())
    }

    /// Writes a command or an answer.
    fn say(&mut self, command: &str, arguments: &[&str], body: &[u8]) {
        self.output.extend(b"-> ");
        self.output.extend(command.as_bytes());
        for argument in arguments {
            self.output.extend(b" ");
            self.output.extend(argument.as_bytes());
        }
        self.output.extend(b"\n");
        for line in body.chunks(LINE_LEN) {
            self.output.extend(Zeroizing::new(encode_base64_unpadded(line)).as_bytes());
            self.output.extend(b"\n");
        }
        // The last line is the first that is not full; it may be empty.
        if body.len().is_multiple_of(LINE_LEN) {
            self.output.extend(b"\n");
        }
    }

    /// In two of three conversations, writes a command that no plugin knows, so that plugins keep accepting unknown commands.
    fn grease(&mut self) -> Result<()> {
        let [whether, arguments, len, name @ ..] = random::array::<8>()?;
        if whether.is_multiple_of(3) {
            return Ok(());
        }
        let name = name.map(|byte| char::from(b'a' + byte % 26));
        let name = format!("grease-{}", name.iter().collect::<String>());
        let arguments = vec!["1"; usize::from(arguments % 3)];
        self.say(&name, &arguments, &vec![len; usize::from(len % 100)]);
        Ok(())
    }
}

debug!(|it: Conversation| "Conversation({}, {}, ..)", it.plugin, it.state_machine());

/// A buffer for secret bytes, which leaves no copies behind when it grows.
#[derive(Default)]
struct Buffer(Zeroizing<Vec<u8>>);

impl Buffer {
    fn extend(&mut self, bytes: &[u8]) {
        let len = self.0.len() + bytes.len();
        if len > self.0.capacity() {
            let mut longer = Zeroizing::new(Vec::with_capacity((2 * len).max(4096)));
            longer.extend_from_slice(&self.0);
            self.0 = longer;
        }
        self.0.extend_from_slice(bytes);
    }
}
