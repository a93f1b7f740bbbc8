//! What is said to the program of a plugin, and what its answers mean (<https://c2sp.org/age-plugin>): no I/O, only bytes.

use crate::encoding::{decode_base64_unpadded, encode_base64_unpadded};
use crate::error::{Error, PluginFault, Result};
use crate::plugin::{Identity, Recipient, SECRET_LEN, STANZAS_MAX, Secret, Stanza, Wrapped};
use crate::random;
use std::collections::BTreeSet;
use zeroize::Zeroizing;

/// Bytes of one command of a plugin: over twice the longest stanza that a header of age may reasonably have.
const COMMAND_MAX_LEN: usize = 128 * 1024;
/// Commands of a plugin in one conversation.
const COMMANDS_MAX: usize = 10_000;
/// Bytes that a plugin may make of one secret, as many as a header of age may have.
const WRAPPED_MAX_LEN: usize = 2 << 20;
/// Characters of a full line of a body, and the bytes they stand for.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;

/// One conversation with the program of a plugin, which wraps or unwraps one secret.
///
/// Whoever has it starts the program with `--age-plugin=` and [`state_machine`](Self::state_machine), and then, until
/// [`step`](Self::step) says [`Step::Done`], writes what [`take_output`](Self::take_output) gives to its stdin, gives
/// [`receive`](Self::receive) what its stdout has, and answers its questions.
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
    /// Bytes of the input that have no end of a line, and whether they are behind a command's first line.
    searched: usize,
    in_body: bool,
    /// How many were read.
    commands: usize,
    asked: Option<Asked>,
    is_done: bool,
    stanzas: Vec<Stanza>,
    stanzas_len: usize,
    labels: Option<BTreeSet<String>>,
    secret: Option<Secret>,
    /// The first error that it reported.
    said: Option<Box<str>>,
}

/// What it is about, and how many strings and stanzas were given, by whose numbers errors are reported.
enum Task {
    Wrap { recipients: Vec<Box<str>>, identities: usize },
    Unwrap { identities: usize, stanzas: usize },
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// The plugin has to say more: give it what [`take_output`](Conversation::take_output) has, and wait.
    Listen,
    /// It wants something of a person: see [`answer`](Conversation::answer).
    Ask(Question),
    /// It has no more to say.
    Done,
}

/// What a plugin wants of a person. Texts may have control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// To see this text. Answered with [`Answer::Done`].
    Message(String),
    /// To choose. Answered with [`Answer::Yes`] or [`Answer::No`].
    Confirm {
        /// What it is about.
        text: String,
        /// What the choice `Yes` is called.
        yes: String,
        /// What the choice `No` is called, if there is one.
        no: Option<String>,
    },
    /// To say something that need not be hidden. Answered with [`Answer::Text`].
    Public(String),
    /// To say a secret, such as a PIN. Answered with [`Answer::Text`].
    Secret(String),
}

/// What is said to a [`Question`].
#[derive(Clone)]
#[non_exhaustive]
pub enum Answer {
    /// The text was shown.
    Done,
    /// The first choice.
    Yes,
    /// The second choice.
    No,
    /// What the person said.
    Text(Zeroizing<String>),
    /// Nobody can be asked, or nobody answered. Every question may be answered so.
    Failed,
}

/// The kinds of questions, as to their answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Message,
    Confirm,
    Value,
}

impl Conversation {
    /// One in which a secret is wrapped for all strings of a recipient.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn to_wrap(recipient: &Recipient, secret: &Secret) -> Result<Self> {
        let recipients = recipient.strings().map(Into::into).collect();
        let task = Task::Wrap { recipients, identities: recipient.identities().len() };
        let mut own = Self::new(recipient.name(), task);
        for text in recipient.strings() {
            own.say("add-recipient", &[text], b"");
        }
        for text in recipient.identities() {
            own.say("add-identity", &[text], b"");
        }
        own.grease()?;
        own.say("extension-labels", &[], b"");
        own.say("wrap-file-key", &[], &secret[..]);
        own.say("done", &[], b"");
        Ok(own)
    }

    /// One in which the secret of these stanzas is unwrapped with any string of an identity.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn to_unwrap(identity: &Identity, stanzas: &[Stanza]) -> Result<Self> {
        let task = Task::Unwrap { identities: identity.strings().len(), stanzas: stanzas.len() };
        let mut own = Self::new(identity.name(), task);
        for text in identity.strings() {
            own.say("add-identity", &[text], b"");
        }
        own.grease()?;
        for stanza in stanzas {
            let arguments: Vec<&str> =
                ["0", stanza.kind()].into_iter().chain(stanza.arguments().iter().map(String::as_str)).collect();
            own.say("recipient-stanza", &arguments, stanza.body());
        }
        own.say("done", &[], b"");
        Ok(own)
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
            asked: None,
            is_done: false,
            stanzas: Vec::new(),
            stanzas_len: 0,
            labels: None,
            secret: None,
            said: None,
        }
    }

    /// The name of what the program is to do, which stands behind `--age-plugin=`.
    #[must_use]
    pub fn state_machine(&self) -> &'static str {
        match self.task {
            Task::Wrap { .. } => "recipient-v1",
            Task::Unwrap { .. } => "identity-v1",
        }
    }

    /// What the program is to read next, a secret; empty if it has read all.
    pub fn take_output(&mut self) -> Zeroizing<Vec<u8>> {
        std::mem::take(&mut self.output).0
    }

    /// Takes bytes that the program wrote, of which it has some thousands at a time; [`step`](Self::step) says what they mean.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.input.extend(bytes);
    }

    /// Reads what was received, as far as it says what comes next.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] for a broken rule: the conversation is over then.
    ///
    /// # Panics
    /// If a question was not answered.
    pub fn step(&mut self) -> Result<Step> {
        assert!(self.asked.is_none(), "conversation: a question was not answered");
        while !self.is_done {
            let Some(command) = self.next_command()? else { return Ok(Step::Listen) };
            if let Some(question) = self.take(command)? {
                return Ok(Step::Ask(question));
            }
        }
        Ok(Step::Done)
    }

    /// Answers the question that [`step`](Self::step) asked. What is no answer to it counts as [`Answer::Failed`].
    ///
    /// # Panics
    /// If none was asked.
    pub fn answer(&mut self, answer: &Answer) {
        let asked = self.asked.take().expect("conversation: nothing was asked");
        match (asked, answer) {
            (Asked::Message, Answer::Done) => self.say("ok", &[], b""),
            (Asked::Confirm, Answer::Yes) => self.say("ok", &["yes"], b""),
            (Asked::Confirm, Answer::No) => self.say("ok", &["no"], b""),
            (Asked::Value, Answer::Text(text)) => self.say("ok", &[], text.as_bytes()),
            _ => self.say("fail", &[], b""),
        }
    }

    /// What the plugin made of the secret.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] for an error that it reported, also beside stanzas.
    pub fn into_wrapped(mut self) -> Result<Wrapped> {
        match self.said.take() {
            Some(said) => Err(self.failed(PluginFault::Said(said))),
            None => Ok(Wrapped { stanzas: self.stanzas, labels: self.labels.unwrap_or_default() }),
        }
    }

    /// The secret that the plugin found; `None` where no stanza is for these identities.
    ///
    /// # Errors
    /// [`Error::PluginFailed`] for an error that it reported, unless there is a secret: one of several tokens may be missing.
    pub fn into_secret(mut self) -> Result<Option<Secret>> {
        match (self.secret.take(), self.said.take()) {
            (None, Some(said)) => Err(self.failed(PluginFault::Said(said))),
            (secret, _) => Ok(secret),
        }
    }

    /// The error of a program that ended, or was ended, before [`Step::Done`]: what it reported, if it did, and `fault` otherwise.
    pub fn broken_off(&mut self, fault: PluginFault) -> Error {
        let fault = self.said.take().map_or(fault, PluginFault::Said);
        self.failed(fault)
    }

    fn failed(&self, fault: PluginFault) -> Error {
        Error::PluginFailed { plugin: self.plugin.clone(), fault }
    }

    fn broke(&self, rule: &'static str) -> Error {
        self.failed(PluginFault::Protocol(rule))
    }

    /// The next command, if all of it is here.
    fn next_command(&mut self) -> Result<Option<Stanza>> {
        loop {
            let rest = &self.input.0[self.searched..];
            let Some(len) = rest.iter().position(|byte| *byte == b'\n') else {
                if self.input.0.len() > COMMAND_MAX_LEN {
                    return Err(self.broke("a command is over 128 KiB"));
                }
                return Ok(None);
            };
            let is_last = self.in_body && len != COLUMNS;
            self.in_body = !is_last;
            self.searched += len + 1;
            if self.searched > COMMAND_MAX_LEN {
                return Err(self.broke("a command is over 128 KiB"));
            }
            if is_last {
                break;
            }
        }
        let end = std::mem::take(&mut self.searched);
        let mut lines = self.input.0[..end].split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let command = Stanza::read(first, || lines.next());
        let command = command.ok().flatten().ok_or_else(|| self.broke("a command is not a stanza"))?;
        self.input.0.drain(..end);
        self.commands += 1;
        if self.commands > COMMANDS_MAX {
            return Err(self.broke("it sent over 10,000 commands"));
        }
        Ok(Some(command))
    }

    /// Does what a command says; what it asks a person is the caller's.
    fn take(&mut self, command: Stanza) -> Result<Option<Question>> {
        let (kind, arguments, body) = command.into_parts();
        let body = Zeroizing::new(body);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let text = || String::from_utf8_lossy(&body).into_owned();
        let is_wrapping = matches!(self.task, Task::Wrap { .. });
        match &kind[..] {
            "msg" => return Ok(Some(self.ask(Asked::Message, Question::Message(text())))),
            "request-public" => return Ok(Some(self.ask(Asked::Value, Question::Public(text())))),
            "request-secret" => return Ok(Some(self.ask(Asked::Value, Question::Secret(text())))),
            "confirm" => {
                let choice = |text: &str| {
                    let bytes = decode_base64_unpadded(text.as_bytes()).ok()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                };
                let damaged = || self.broke("the choices of a question are damaged");
                let (yes, no) = match arguments[..] {
                    [yes] => (choice(yes), None),
                    [yes, no] => (choice(yes), Some(choice(no).ok_or_else(damaged)?)),
                    _ => return Err(damaged()),
                };
                let yes = yes.ok_or_else(damaged)?;
                return Ok(Some(self.ask(Asked::Confirm, Question::Confirm { text: text(), yes, no })));
            }
            "recipient-stanza" if is_wrapping => self.take_stanza(&arguments, &body)?,
            "labels" if is_wrapping => {
                let labels: BTreeSet<String> = arguments.iter().copied().map(str::to_owned).collect();
                if self.labels.is_some() || labels.len() != arguments.len() {
                    return Err(self.broke("it repeats labels"));
                }
                self.labels = Some(labels);
            }
            "file-key" if !is_wrapping => {
                let ["0"] = arguments[..] else {
                    return Err(self.broke("it unwrapped a file key that it was not given"));
                };
                if self.secret.is_some() {
                    return Err(self.broke("it unwrapped a file key twice"));
                }
                let secret: Result<[u8; SECRET_LEN], _> = body[..].try_into();
                self.secret = Some(Secret::new(secret.map_err(|_| self.broke("its file key does not have 16 bytes"))?));
            }
            "error" => self.take_error(&arguments, &text())?,
            "done" => {
                if !arguments.is_empty() || !body.is_empty() {
                    return Err(self.broke("its last command has arguments or a body"));
                }
                self.is_done = true;
                return Ok(None);
            }
            // Whatever it is: what later versions say, and grease.
            _ => {
                self.say("unsupported", &[], b"");
                return Ok(None);
            }
        }
        self.say("ok", &[], b"");
        Ok(None)
    }

    fn ask(&mut self, asked: Asked, question: Question) -> Question {
        self.asked = Some(asked);
        question
    }

    fn take_stanza(&mut self, arguments: &[&str], body: &[u8]) -> Result<()> {
        let ["0", kind, rest @ ..] = arguments else {
            return Err(self.broke("it wrapped a file key that it was not given"));
        };
        let len = body.len() + arguments.iter().map(|argument| argument.len()).sum::<usize>();
        self.stanzas_len += len;
        if self.stanzas.len() == STANZAS_MAX || self.stanzas_len > WRAPPED_MAX_LEN {
            return Err(self.broke("it made over 1024 stanzas, or over 2 MiB of them"));
        }
        let stanza = Stanza::new(kind, rest.iter().copied(), body.to_vec());
        self.stanzas.push(stanza.map_err(|_| self.broke("a command is not a stanza"))?);
        Ok(())
    }

    /// The first error counts. Whose it is, is said where there are several.
    fn take_error(&mut self, arguments: &[&str], text: &str) -> Result<()> {
        let number = |text: &str, of: usize| text.parse::<usize>().ok().filter(|number| *number < of);
        let unknown = || self.broke("it reports an error about a recipient, identity or stanza that it was not given");
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
        self.said.get_or_insert(said.into());
        Ok(())
    }

    /// Says a command, or answers one.
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

    /// Says, in two of three conversations, what no plugin knows, so that none comes to refuse it.
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

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Conversation({}, {}, ..)", self.plugin, self.state_machine())
    }
}

/// Bytes that may be secret: growth leaves no copies behind.
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
