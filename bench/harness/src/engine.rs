//! Engines: programs that compute when they are told to, over a line protocol (docs/design/bench.md).

use crate::record::{EngineInfo, Sample};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// No answer takes so long: an engine that is silent for longer hangs.
const PATIENCE: Duration = Duration::from_mins(10);
/// An engine that was told to end does.
const FAREWELL: Duration = Duration::from_secs(3);
/// A sample that is too short for the time that passed is taken again: where others load the machine, the harness may wake
/// late once; an engine that does not tell the truth is found out each time.
const TRIES: u32 = 5;
/// No answer is so long.
const LINE_MAX_LEN: u64 = 1 << 16;
/// An engine says an output of up to so many bytes, in hexadecimal digits.
pub const OUTPUT_MAX_LEN: u64 = 1 << 14;

/// An engine as its folder describes it, in `engine.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    places: Places,
    pub title: String,
    pub language: String,
    /// How the peer is used.
    #[serde(rename = "use")]
    pub used: String,
    /// Programs without which it is skipped.
    #[serde(default)]
    needs: Vec<String>,
    /// Why the harness does not install those, for whom the run says that one is missing.
    #[serde(default)]
    missing: Option<String>,
    /// Set for the commands that build it.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// A file that the commands below make; when it is there they are not run.
    #[serde(default)]
    builds: Option<String>,
    #[serde(default)]
    build: Vec<Vec<String>>,
    run: Vec<String>,
    /// How long an operation runs before it is timed, where the engine makes code faster while it runs.
    #[serde(default)]
    pub warm_up_ms: u64,
}

/// Where engines are, and what their commands may name in braces.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// A folder for each engine.
    pub engines: PathBuf,
    /// Where everything is built.
    pub target: PathBuf,
    /// The harness itself.
    pub bench: PathBuf,
}

impl Engine {
    /// Reads an engine by the name of its folder.
    pub fn read(name: &str, places: &Places) -> Result<Self, String> {
        let path = places.engines.join(name).join("engine.toml");
        let fail = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        let mut engine: Self = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        (engine.name, engine.places) = (name.to_owned(), places.clone());
        if engine.run.is_empty() {
            return Err(fail("`run` is empty".to_owned()));
        }
        Ok(engine)
    }

    /// Builds it. The error is why it cannot take part.
    pub fn build(&self) -> Result<(), String> {
        if let Some(program) = self.needs.iter().find(|program| !is_on_path(program)) {
            let why = self.missing.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            return Err(format!("{program} is not installed{why}"));
        }
        if self.builds.as_ref().is_some_and(|path| Path::new(&self.fill(path)).exists()) {
            return Ok(());
        }
        for command in &self.build {
            let words: Vec<_> = command.iter().map(|word| self.fill(word)).collect();
            let (program, arguments) = words.split_first().ok_or("an empty build command")?;
            let mut command = Command::new(program);
            command.args(arguments).current_dir(self.folder()).env("CARGO_TARGET_DIR", &self.places.target);
            command.envs(self.env.iter().map(|(name, value)| (name, self.fill(value))));
            let done = command.stdin(Stdio::null()).output().map_err(|error| format!("{program}: {error}"))?;
            if !done.status.success() {
                let said = String::from_utf8_lossy(&done.stderr);
                let last: Vec<_> = said.lines().rev().take(12).collect();
                let said: Vec<_> = last.into_iter().rev().collect();
                return Err(format!("`{}` failed: {}", words.join(" "), said.join("\n")));
            }
        }
        Ok(())
    }

    /// What starts it.
    pub fn command(&self) -> Command {
        let words: Vec<_> = self.run.iter().map(|word| self.fill(word)).collect();
        let (program, arguments) = words.split_first().expect("engine: read checks that there is a command");
        let mut command = Command::new(program);
        command.args(arguments).env("BENCH_TARGET", &self.places.target);
        command
    }

    /// Starts it.
    pub fn start(&self) -> Result<Process, String> {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let input = child.stdin.take();
        let answers = listen(child.stdout.take().expect("engine: its output is a pipe"));
        Ok(Process { child, input, answers, failed: None })
    }

    /// What a record says of it.
    pub fn info(&self, said: Result<String, String>) -> EngineInfo {
        let (version, skipped) = match said {
            Ok(version) => (version, None),
            Err(error) => (String::new(), Some(error)),
        };
        EngineInfo {
            title: self.title.clone(),
            language: self.language.clone(),
            used: self.used.clone(),
            version,
            skipped,
        }
    }

    fn folder(&self) -> PathBuf {
        self.places.engines.join(&self.name)
    }

    fn fill(&self, word: &str) -> String {
        let shown = |path: &Path| path.display().to_string();
        word.replace("{target}", &shown(&self.places.target))
            .replace("{bench}", &shown(&self.places.bench))
            .replace("{engine}", &shown(&self.folder()))
    }
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A running engine.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
    /// Its first error, after which it is not asked again.
    failed: Option<String>,
}

/// Hands on what an engine says, line by line, until it ends or says more than a line holds.
fn listen(output: ChildStdout) -> Receiver<String> {
    let (lines, answers) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            match (&mut output).take(LINE_MAX_LEN).read_until(b'\n', &mut line) {
                Ok(1..) if line.ends_with(b"\n") => {}
                _ => return,
            }
            if lines.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
        }
    });
    answers
}

/// What an engine says when it is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    pub digest: String,
    pub bytes: u64,
    pub units: u64,
}

/// Why an engine gives no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It does not offer this.
    Unsupported(String),
    Error(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Unsupported(message) | Self::Error(message)) = self;
        f.write_str(message)
    }
}

impl Process {
    /// Its version and backend.
    pub fn hello(&mut self) -> Result<String, Refusal> {
        let answer = self.ask("hello", "engine")?;
        let backend = answer.get("backend").map(|backend| format!(" ({backend})")).unwrap_or_default();
        Ok(answer.get("version").cloned().unwrap_or_default() + &backend)
    }

    /// Sets an operation up and does it once.
    pub fn prepare(
        &mut self,
        operation: &str,
        input: &Path,
        folder: &Path,
        options: &BTreeMap<String, String>,
    ) -> Result<Ready, Refusal> {
        let (input, folder) = (input.display().to_string(), folder.display().to_string());
        let mut line = format!("prepare {operation} input={} dir={}", encode(&input), encode(&folder));
        for (name, value) in options {
            line.extend([" ", name, "=", &encode(value)]);
        }
        let answer = self.ask(&line, "ready")?;
        Ok(Ready {
            digest: answer.get("digest").cloned().unwrap_or_default(),
            bytes: number(&answer, "bytes")?,
            units: maybe_number(&answer, "units")?.unwrap_or(1),
        })
    }

    /// Does it so many times. What it says of its time must fit what passed here; `all_timed` engines time everything
    /// that they do.
    pub fn run(&mut self, iterations: u64, all_timed: bool) -> Result<Sample, Refusal> {
        let late_ns = all_timed.then(late_ns);
        fitting(iterations, late_ns, || {
            let started = Instant::now();
            let answer = self.ask(&format!("run {iterations}"), "sample")?;
            let passed = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let sample = Sample {
                wall_ns: number(&answer, "wall_ns")?,
                cpu_ns: number(&answer, "cpu_ns")?,
                iterations: number(&answer, "iterations")?,
                longest_ns: maybe_number(&answer, "longest_ns")?,
                mean_ns: maybe_number(&answer, "mean_ns")?,
            };
            Ok((sample, passed))
        })
    }

    /// What its last run put out, in hexadecimal digits.
    pub fn output(&mut self) -> Result<String, Refusal> {
        let answer = self.ask("output", "output")?;
        answer.get("hex").cloned().ok_or_else(|| Refusal::Error("it did not say its output".to_owned()))
    }

    /// The digest of what another engine's output opens to.
    pub fn opens(&mut self, output: &str) -> Result<String, Refusal> {
        let answer = self.ask(&format!("opens {output}"), "opened")?;
        Ok(answer.get("digest").cloned().unwrap_or_default())
    }

    /// The most memory it had since it was prepared.
    pub fn memory(&mut self) -> Result<u64, Refusal> {
        number(&self.ask("memory", "memory")?, "peak_bytes")
    }

    /// Writes a line and reads the answer, which begins with `expected`.
    fn ask(&mut self, line: &str, expected: &str) -> Result<BTreeMap<String, String>, Refusal> {
        let answer = self.answer(line).and_then(|answer| read_answer(&answer, line, expected));
        if let Err(Refusal::Error(error)) = &answer {
            self.failed.get_or_insert(error.clone());
        }
        answer
    }

    /// Whether it has failed, and another must be started.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn answer(&mut self, line: &str) -> Result<String, Refusal> {
        if let Some(failed) = &self.failed {
            return Err(Refusal::Error(failed.clone()));
        }
        let input = self.input.as_mut().expect("engine: it is open until it is dropped");
        // When it is gone, what it left behind says more than the broken pipe.
        let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        self.answers.recv_timeout(PATIENCE).map_err(|error| {
            let why = match error {
                RecvTimeoutError::Timeout => format!("no answer to `{line}` in {} s", PATIENCE.as_secs()),
                RecvTimeoutError::Disconnected => match self.end() {
                    Some(status) => format!("it ended without an answer to `{line}`: {status}"),
                    None => format!("its answer to `{line}` is over {LINE_MAX_LEN} bytes"),
                },
            };
            let _ = self.child.kill();
            Refusal::Error(why)
        })
    }

    /// How it ended, if it does so soon.
    fn end(&mut self) -> Option<std::process::ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if begun.elapsed() < FAREWELL => sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

fn read_answer(answer: &str, line: &str, expected: &str) -> Result<BTreeMap<String, String>, Refusal> {
    let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
    match word {
        "error" => Err(Refusal::Error(decode(rest))),
        "unsupported" => Err(Refusal::Unsupported(decode(rest))),
        word if word == expected => {
            let pairs = rest.split(' ').filter_map(|pair| pair.split_once('='));
            Ok(pairs.map(|(name, value)| (name.to_owned(), decode(value))).collect())
        }
        _ => Err(Refusal::Error(format!("it answered {answer:?} to `{line}`"))),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input ends an engine that listens.
        if let Some(mut input) = self.input.take() {
            let _ = writeln!(input, "quit");
        }
        if self.end().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn number(answer: &BTreeMap<String, String>, name: &str) -> Result<u64, Refusal> {
    let value = answer.get(name).and_then(|value| value.parse().ok());
    value.ok_or_else(|| Refusal::Error(format!("it did not answer a number for `{name}`")))
}

fn maybe_number(answer: &BTreeMap<String, String>, name: &str) -> Result<Option<u64>, Refusal> {
    answer.contains_key(name).then(|| number(answer, name)).transpose()
}

/// Percent-encodes what would end a word.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ' ' | '%' | '=') || c.is_ascii_control() {
            encoded.extend(['%', hex_digit(u32::from(c) >> 4), hex_digit(u32::from(c) & 15)]);
        } else {
            encoded.push(c);
        }
    }
    encoded
}

fn hex_digit(value: u32) -> char {
    char::from_digit(value, 16).expect("engine: a digit is below 16")
}

/// The reverse of [`encode`].
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A sample of so many iterations whose time fits what passed meanwhile, which is taken with it. One that is shorter than half of that by
/// more than `late_ns` is taken again.
fn fitting(
    iterations: u64,
    late_ns: Option<u64>,
    mut take: impl FnMut() -> Result<(Sample, u64), Refusal>,
) -> Result<Sample, Refusal> {
    let mut tries = 0;
    loop {
        tries += 1;
        let (sample, passed) = take()?;
        let least = late_ns.map_or(1, |late_ns| (passed / 2).saturating_sub(late_ns));
        let sound = sample.wall_ns > 0 && sample.wall_ns <= passed && sample.iterations == iterations;
        if sound && sample.wall_ns >= least {
            return Ok(sample);
        }
        if !sound || tries == TRIES {
            return Err(Refusal::Error(format!("an impossible sample: {sample:?} of {iterations} in {passed} ns")));
        }
    }
}

/// What a few lines through two pipes take on a busy machine, or what `BENCH_LATE_MS` says. The harness's own tests give more, since
/// their engines say fixed times.
fn late_ns() -> u64 {
    let said = std::env::var("BENCH_LATE_MS").ok().and_then(|said| said.parse().ok());
    said.unwrap_or(10_u64).saturating_mul(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken of samples of this many nanoseconds, while this many passed.
    fn fits(late_ns: Option<u64>, samples: &[(u64, u64)]) -> Option<u64> {
        let mut samples = samples.iter();
        let take = || {
            let (wall_ns, passed) = samples.next().expect("it is not taken again");
            Ok((Sample { wall_ns: *wall_ns, cpu_ns: 1, iterations: 1, longest_ns: None, mean_ns: None }, *passed))
        };
        fitting(1, late_ns, take).ok().map(|sample| sample.wall_ns)
    }

    #[test]
    fn a_sample_of_a_moment_when_others_had_the_processor_is_taken_again() {
        assert_eq!(fits(Some(10), &[(40, 100)]), Some(40));
        assert_eq!(fits(Some(10), &[(39, 100), (41, 100)]), Some(41));
        assert_eq!(fits(Some(10), &[(1, 100), (1, 100), (1, 100), (1, 100), (50, 100)]), Some(50));
        assert_eq!(fits(Some(10), &[(1, 100); TRIES as usize]), None, "an engine that never tells the truth");
        assert_eq!(fits(None, &[(1, 100)]), Some(1), "it does not time everything that it does");
    }

    #[test]
    fn a_time_that_cannot_be_is_not_taken_again() {
        assert_eq!(fits(Some(10), &[(101, 100)]), None);
        assert_eq!(fits(None, &[(0, 100)]), None);
    }

    #[test]
    fn words_survive_the_line() {
        for text in ["", "a b", "100%", "a=b", "line\nend", "%20", "支付", "%"] {
            let encoded = encode(text);
            assert!(!encoded.contains([' ', '\n', '=']), "{encoded}");
            assert_eq!(decode(&encoded), text);
        }
    }
}
