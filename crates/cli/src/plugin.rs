//! Starts and ends the programs of age plugins, and talks to them. The protocol is in core
//! (`sealstone::interop::age::Conversation`).

use crate::args::{PassphraseSource, Plugins};
use crate::failure::Failure;
use crate::passphrase;
use crate::signals::{self, Program};
use crate::terminal::Terminal;
use sealstone::interop::age::{Answer, Conversation, Question, Step, Tag};
use sealstone::plugin::{Identity, Plugin, Recipient, Secret, Stanza, Wrapped};
use sealstone::{Error, PluginFault, Result, escape_name};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// After this silence, the user is told which plugin the program waits for.
const WAITING_AFTER: Duration = Duration::from_secs(5);
/// The time that a program has to exit after the conversation.
const GRACE: Duration = Duration::from_secs(2);
/// The time for which the stderr of an ended program is still read.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The interval for checking whether a silent program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Bytes of one read.
const READ_LEN: usize = 16 * 1024;
/// Bytes of stderr that are kept, for the error if the program ends too early.
const STDERR_MAX_LEN: usize = 4 * 1024;
/// Above the length of text that a person reads.
const TEXT_MAX_CHARS: usize = 2000;
/// Above the length of a line that a person types.
const LINE_MAX_LEN: usize = 4 * 1024;

/// The settings that all plugins of a run share.
#[derive(Clone)]
pub(crate) struct Programs {
    terminal: Terminal,
    silence: Duration,
    askpass: Option<PathBuf>,
    /// The variable with a passphrase, which plugins must not see.
    passphrase_env: Option<String>,
}

impl Programs {
    pub(crate) fn new(plugins: &Plugins, source: &PassphraseSource, terminal: &Terminal) -> Self {
        Self {
            terminal: terminal.clone(),
            silence: Duration::from_secs(plugins.plugin_timeout.into()),
            askpass: source.askpass.clone(),
            passphrase_env: source.passphrase_env.clone(),
        }
    }

    /// A recipient with these strings, all of one plugin. Its program must be installed.
    pub(crate) fn recipient(&self, name: &str, strings: &[String]) -> Result<Recipient, Failure> {
        if name == "tag" {
            return Ok(Tag::recipient(strings)?);
        }
        let program = self.find(name);
        if program.path.is_none() {
            return Err(explain_missing(name));
        }
        Ok(Recipient::new(strings, Arc::new(program))?)
    }

    /// An identity with these strings, all of one plugin. A missing program is an error only when a file needs it.
    pub(crate) fn identity(&self, name: &str, strings: &[Zeroizing<String>]) -> Result<Identity, Failure> {
        let strings = strings.iter().map(|text| text.as_str());
        Ok(Identity::new(strings, Arc::new(self.find(name)))?)
    }

    /// The identity without data of a plugin on the command line.
    pub(crate) fn find_without_data(&self, name: &str) -> Result<Identity, Failure> {
        let program = self.find(&name.to_ascii_lowercase());
        let is_there = program.path.is_some();
        let identity = Identity::without_data(name, Arc::new(program))?;
        if is_there { Ok(identity) } else { Err(explain_missing(identity.name())) }
    }

    /// Finds the program of a plugin: the first in the folders of PATH that have absolute names.
    fn find(&self, name: &str) -> InstalledPlugin {
        let file = format!("age-plugin-{name}");
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let is_program = |path: &PathBuf| {
            let metadata = std::fs::metadata(path);
            metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
        };
        // No plugin's name has a separator: core refuses it, and it finds no program here either.
        let mut paths = std::env::split_paths(&folders)
            .filter(|folder| folder.is_absolute() && !file.contains('/'))
            .map(|folder| folder.join(&file));
        InstalledPlugin { name: name.to_owned(), path: paths.find(is_program), programs: self.clone() }
    }
}

fn explain_missing(name: &str) -> Failure {
    Error::PluginFailed { plugin: name.into(), fault: PluginFault::Missing }.into()
}

/// A plugin, and its program if that is installed.
struct InstalledPlugin {
    name: String,
    path: Option<PathBuf>,
    programs: Programs,
}

impl Plugin for InstalledPlugin {
    fn wrap(&self, recipient: &Recipient, secret: &Secret) -> Result<Wrapped> {
        let mut conversation = Conversation::to_wrap(recipient, secret)?;
        self.converse(&mut conversation)?;
        conversation.into_wrapped()
    }

    fn unwrap(&self, identity: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>> {
        let mut conversation = Conversation::to_unwrap(identity, stanzas)?;
        self.converse(&mut conversation)?;
        conversation.into_secret()
    }
}

/// Locked during a conversation, since a person can answer only one program at a time.
static CONVERSATION: Mutex<()> = Mutex::new(());

impl InstalledPlugin {
    fn converse(&self, conversation: &mut Conversation) -> Result<()> {
        let _alone = CONVERSATION.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = &self.path else { return Err(conversation.broken_off(PluginFault::Missing)) };
        let mut running =
            RunningProgram::start(path, conversation.state_machine(), self.programs.passphrase_env.as_deref())
                .map_err(|source| Error::Io { action: "run", path: Some(path.clone()), source })?;
        loop {
            let step = conversation.step()?;
            running.write(conversation.take_output());
            match step {
                Step::Done => break,
                Step::Ask(question) => {
                    let answer = Terminal::suspend_bar(|| self.ask(&question));
                    conversation.answer(&answer);
                    running.write(conversation.take_output());
                }
                Step::Listen => match self.listen(&running) {
                    Ok(bytes) => conversation.receive(&bytes),
                    Err(RecvTimeoutError::Timeout) => {
                        return Err(conversation.broken_off(PluginFault::Silent(self.programs.silence.as_secs())));
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(conversation.broken_off(PluginFault::Ended(running.explain_end().into())));
                    }
                },
            }
        }
        running.finish();
        Ok(())
    }

    /// Waits for the next output of the program.
    fn listen(&self, running: &RunningProgram) -> Result<Zeroizing<Vec<u8>>, RecvTimeoutError> {
        let first = WAITING_AFTER.min(self.programs.silence);
        match running.read_next(first) {
            Err(RecvTimeoutError::Timeout) if first < self.programs.silence => {
                Terminal::suspend_bar(|| self.programs.terminal.print_waiting(&self.name));
                running.read_next(self.programs.silence.saturating_sub(first))
            }
            output => output,
        }
    }

    fn ask(&self, question: &Question) -> Answer {
        let terminal = &self.programs.terminal;
        match question {
            Question::Message(text) => {
                terminal.print_plugin_message(&self.name, &split_lines(text));
                Answer::Done
            }
            Question::Confirm { text, yes, no } => self.ask_person(text, |prompt| {
                let yes = escape_line(yes);
                match no.as_deref().map(escape_line) {
                    None => ask_line(&format!("{prompt} (Enter: {yes}) ")).map(|_| Answer::Yes),
                    Some(no) => loop {
                        let line = ask_line(&format!("{prompt} (1: {yes}, 2: {no}) "))?;
                        match line.trim() {
                            "1" => return Ok(Answer::Yes),
                            "2" => return Ok(Answer::No),
                            _ => {}
                        }
                    },
                }
            }),
            Question::Public(text) => self.ask_person(text, |prompt| ask_line(&format!("{prompt} ")).map(Answer::Text)),
            Question::Secret(text) => self.ask_person(text, |prompt| {
                passphrase::ask_for_plugin(self.programs.askpass.as_deref(), prompt).map(Answer::Text)
            }),
            _ => Answer::Failed,
        }
    }

    /// Asks a question; if no one can be asked, warns with the question.
    fn ask_person(&self, text: &str, ask: impl FnOnce(&str) -> Result<Answer, Failure>) -> Answer {
        let prompt = format!("plugin {}: {}", self.name, escape_line(text));
        ask(&prompt).unwrap_or_else(|failure| {
            self.programs.terminal.warn(&format!("{prompt}: {}", failure.message()));
            Answer::Failed
        })
    }
}

/// A running program, which ends when this is dropped.
struct RunningProgram {
    input: Option<Sender<Zeroizing<Vec<u8>>>>,
    output: Receiver<Zeroizing<Vec<u8>>>,
    stderr: Receiver<Vec<u8>>,
}

impl RunningProgram {
    fn start(path: &Path, state_machine: &str, passphrase_env: Option<&str>) -> io::Result<Self> {
        let (stdin, stdout, stderr) = signals::start_program(|| {
            let folder = make_empty_folder()?;
            let mut command = Command::new(path);
            command.arg(format!("--age-plugin={state_machine}")).current_dir(&folder);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            passphrase_env.map(|name| command.env_remove(name));
            let mut child = command.spawn().inspect_err(|_| {
                let _ = std::fs::remove_dir(&folder);
            })?;
            let (Some(stdin), Some(stdout), Some(stderr)) =
                (child.stdin.take(), child.stdout.take(), child.stderr.take())
            else {
                unreachable!("plugin: the pipes were asked for")
            };
            Ok((Program { child, folder }, (stdin, stdout, stderr)))
        })?;
        Self::attend(stdin, stdout, stderr).inspect_err(|_| signals::end_program())
    }

    /// Starts threads that write and read, since a program may stop reading or writing at any time.
    fn attend(stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> io::Result<Self> {
        let (input, to_write) = channel::<Zeroizing<Vec<u8>>>();
        thread::Builder::new().spawn(move || {
            let mut stdin = stdin;
            for bytes in to_write {
                if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        })?;
        let (sender, output) = sync_channel(1);
        thread::Builder::new().spawn(move || read_all(stdout, |bytes| sender.send(bytes).is_ok()))?;
        let (sender, stderr_output) = channel();
        thread::Builder::new().spawn(move || {
            let mut room = STDERR_MAX_LEN;
            read_all(stderr, |bytes| {
                let kept = &bytes[..bytes.len().min(room)];
                room -= kept.len();
                // The rest is read and discarded, so that the program does not block; the receiver may have gone.
                let _ = kept.is_empty() || sender.send(kept.to_vec()).is_ok();
                true
            });
        })?;
        Ok(Self { input: Some(input), output, stderr: stderr_output })
    }

    fn write(&self, bytes: Zeroizing<Vec<u8>>) {
        if let (Some(input), false) = (&self.input, bytes.is_empty()) {
            // A program that stopped reading has ended, or will time out.
            let _ = input.send(bytes);
        }
    }

    /// The next output, within `timeout`. A child process of the program may hold the output open after the program has ended, so
    /// the end of the program counts as the end of its output.
    fn read_next(&self, timeout: Duration) -> Result<Zeroizing<Vec<u8>>, RecvTimeoutError> {
        let until = Instant::now() + timeout;
        loop {
            let has_ended = signals::wait_for_program(Duration::ZERO).is_some();
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(if has_ended { POLL_INTERVAL } else { left.min(POLL_INTERVAL) }) {
                // All output from before the end was read by now.
                Err(RecvTimeoutError::Timeout) if has_ended => return Err(RecvTimeoutError::Disconnected),
                Err(RecvTimeoutError::Timeout) if left > POLL_INTERVAL => {}
                output => return output,
            }
        }
    }

    /// Lets the program end by itself.
    fn finish(mut self) {
        self.input = None;
        let until = Instant::now() + GRACE;
        while self.read_next(until.saturating_duration_since(Instant::now())).is_ok() && Instant::now() < until {}
        let _ = signals::wait_for_program(until.saturating_duration_since(Instant::now()));
    }

    /// Describes the end of a program that closed its output.
    fn explain_end(&mut self) -> String {
        self.input = None;
        let how = match signals::wait_for_program(GRACE) {
            Some(status) => describe_status(status),
            None => "it closed its output".to_owned(),
        };
        let until = Instant::now() + LAST_WORDS;
        let mut words = Vec::new();
        while let Ok(more) = self.stderr.recv_timeout(until.saturating_duration_since(Instant::now())) {
            words.extend(more);
        }
        let words = String::from_utf8_lossy(&words);
        match words.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) => format!("{how}; its last output was: {}", line.trim()),
            None => how,
        }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.input = None;
        signals::end_program();
    }
}

fn describe_status(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "for an unknown reason".to_owned(),
    }
}

/// Reads a source to its end, or until `take` returns false.
fn read_all(mut source: impl Read, mut take: impl FnMut(Zeroizing<Vec<u8>>) -> bool) {
    loop {
        let mut bytes = Zeroizing::new(vec![0; READ_LEN]);
        match source.read(&mut bytes) {
            Ok(0) => break,
            Ok(len) => {
                bytes.truncate(len);
                if !take(bytes) {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
}

/// Creates an empty folder to run in: plugins must not depend on their working folder.
fn make_empty_folder() -> io::Result<PathBuf> {
    let number = sealstone::random::uuid_v4().map_err(io::Error::other)?;
    let name = format!("sealstone-plugin-{}", sealstone::random::uuid_text(&number));
    let path = std::env::temp_dir().join(name);
    std::fs::DirBuilder::new().mode(0o700).create(&path)?;
    Ok(path)
}

/// Asks for a line on the terminal, with the echo on.
fn ask_line(prompt: &str) -> Result<Zeroizing<String>, Failure> {
    let none = |_| Failure::usage("there is no terminal to ask at");
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").map_err(none)?;
    terminal.write_all(prompt.as_bytes()).map_err(none)?;
    let mut line = Zeroizing::new(Vec::with_capacity(LINE_MAX_LEN));
    let mut byte = [0];
    while line.len() < LINE_MAX_LEN {
        match terminal.read(&mut byte) {
            Ok(0) => return Err(Failure::usage("nothing was entered")),
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(none(error)),
        }
    }
    let text = std::str::from_utf8(&line).map_err(|_| Failure::usage("the answer is not text"))?;
    Ok(Zeroizing::new(text.trim_end_matches('\r').to_owned()))
}

/// The lines of a plugin's text, without control characters.
fn split_lines(text: &str) -> Vec<String> {
    let shown: String = text.chars().take(TEXT_MAX_CHARS).collect();
    shown.lines().filter(|line| !line.trim().is_empty()).map(escape_line).collect()
}

fn escape_line(text: &str) -> String {
    let shown: String = text.trim().chars().take(TEXT_MAX_CHARS).collect();
    escape_name(Path::new(&shown))
}
