//! An engine of whole processes: the commands of a file, spoken to over the same protocol as every engine
//! (docs/design/bench.md). Time is from before the spawn until the process has been waited for; CPU time and peak
//! memory are those that the system counted for it.

use crate::engine::{decode, encode};
use crate::measure::digest;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// The commands of a peer. Words may name `{input}`, `{output}`, `{source}`, `{dir}`, `{target}`, `{engine}`, options and `lines`; a
/// word that is nothing but an option becomes the words that `flags` has for its value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    /// Prints the version in its first line.
    version: Vec<String>,
    /// By option and value.
    #[serde(default)]
    flags: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// For all commands.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Run once a folder, in order: keys.
    #[serde(default)]
    setup: Vec<Vec<String>>,
    /// More names for words: the first line of a file that `setup` has made.
    #[serde(default)]
    lines: BTreeMap<String, String>,
    operation: BTreeMap<String, Operation>,
    /// Of the file.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    /// Makes `{source}` of `{input}`.
    #[serde(default)]
    prepare: Vec<Vec<String>>,
    /// Makes `{output}`; this is timed.
    run: Vec<String>,
    /// Makes `{output}` of `{source}`, which is what `run` has made: the input again.
    #[serde(default)]
    opens: Vec<String>,
}

/// A prepared operation.
struct Trial {
    words: Vec<String>,
    env: Vec<(String, String)>,
    /// What it reads.
    source: PathBuf,
    output: PathBuf,
    peak_bytes: u64,
}

/// Speaks the protocol on stdin and stdout.
///
/// # Errors
/// When the file cannot be read, or nobody listens any more.
pub fn serve(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let commands: Commands = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let commands = Commands { folder: file.parent().unwrap_or(file).to_owned(), ..commands };
    let mut trial = None;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let mut words = line.split(' ');
        let answer = match words.next() {
            Some("hello") => commands.hello(),
            Some("operations") => {
                Ok(commands.operation.keys().fold("operations".to_owned(), |all, name| all + " " + name))
            }
            Some("prepare") => commands.prepare(words).map(|(answer, prepared)| {
                trial = prepared;
                answer
            }),
            Some("run") => match (&mut trial, words.next().and_then(|n| n.parse().ok())) {
                (Some(trial), Some(iterations)) => trial.run(iterations),
                _ => Err("nothing is prepared".to_owned()),
            },
            Some("memory") => match &trial {
                Some(trial) => Ok(format!("memory peak_bytes={}", trial.peak_bytes)),
                None => Err("nothing is prepared".to_owned()),
            },
            Some("quit") => return Ok(()),
            _ => Err(format!("no such command: {line}")),
        };
        let answer = answer.unwrap_or_else(|error| format!("error {}", encode(&error)));
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Commands {
    fn hello(&self) -> Result<String, String> {
        let target = BTreeMap::from([("target".to_owned(), target())]);
        let words = self.fill(&self.version, &target)?;
        let output = Command::new(&words[0]).args(&words[1..]).output();
        let output = output.map_err(|error| format!("{}: {error}", words[0]))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let said = if said.trim().is_empty() { String::from_utf8_lossy(&output.stderr) } else { said };
        Ok(format!("engine name={} version={}", encode(&words[0]), encode(said.lines().next().unwrap_or("unknown"))))
    }

    fn prepare<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> Result<(String, Option<Trial>), String> {
        let name = words.next().ok_or("prepare needs an operation")?;
        let Some(operation) = self.operation.get(name) else {
            return Ok((format!("unsupported {}", encode(&format!("no operation {name}"))), None));
        };
        let mut values: BTreeMap<String, String> = words
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), decode(value)))
            .collect();
        values.insert("target".to_owned(), target());
        values.insert("engine".to_owned(), self.folder.display().to_string());
        let folder = PathBuf::from(values.get("dir").ok_or("prepare needs dir=")?);
        let input = PathBuf::from(values.get("input").ok_or("prepare needs input=")?);
        let (output, source) = (folder.join("output"), folder.join("source"));
        values.insert("output".to_owned(), output.display().to_string());
        values.insert("source".to_owned(), source.display().to_string());
        let env = self.fill_env(&values)?;
        let ready = folder.join("set-up");
        if !ready.exists() {
            for command in &self.setup {
                spawn(&self.fill(command, &values)?, &env)?;
            }
            File::create(&ready).map_err(|error| error.to_string())?;
        }
        for (name, file) in &self.lines {
            let file = fill_word(file, &values)?;
            let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
            values.insert(name.clone(), text.lines().next().unwrap_or_default().to_owned());
        }
        remove(&source)?;
        for command in &operation.prepare {
            spawn(&self.fill(command, &values)?, &env)?;
        }
        let read = if operation.prepare.is_empty() { input } else { source.clone() };
        let words = self.fill(&operation.run, &values)?;
        let mut trial = Trial { words, env, source: read, output: output.clone(), peak_bytes: 0 };
        trial.once()?;
        let bytes = std::fs::metadata(&output).map_err(|error| format!("it wrote no output: {error}"))?.len();
        if !operation.opens.is_empty() {
            // What it reads itself is needed again.
            let made = folder.join("made");
            std::fs::rename(&output, &made).map_err(|error| error.to_string())?;
            values.insert("source".to_owned(), made.display().to_string());
            spawn(&self.fill(&operation.opens, &values)?, &trial.env)?;
            remove(&made)?;
        }
        let digest = digest(&output)?;
        remove(&output)?;
        Ok((format!("ready digest={digest} bytes={bytes}"), Some(trial)))
    }

    /// Words with all names replaced.
    fn fill(&self, words: &[String], values: &BTreeMap<String, String>) -> Result<Vec<String>, String> {
        let mut filled = Vec::new();
        for word in words {
            let option = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
            if let Some((option, flags)) = option.and_then(|option| Some((option, self.flags.get(option)?))) {
                let value = values.get(option).ok_or_else(|| format!("the option {option} is missing"))?;
                let words = flags.get(value).or_else(|| flags.get("*"));
                let words = words.ok_or_else(|| format!("the option {option} has no value {value}"))?;
                for word in words {
                    filled.push(fill_word(word, values)?);
                }
            } else {
                filled.push(fill_word(word, values)?);
            }
        }
        if filled.is_empty() { Err("an empty command".to_owned()) } else { Ok(filled) }
    }

    fn fill_env(&self, values: &BTreeMap<String, String>) -> Result<Vec<(String, String)>, String> {
        self.env.iter().map(|(name, value)| Ok((name.clone(), fill_word(value, values)?))).collect()
    }
}

fn fill_word(word: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    let mut filled = word.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    match (filled.find('{'), word.contains('{')) {
        (Some(_), true) => Err(format!("{word:?} names what is not known")),
        _ => Ok(filled),
    }
}

fn target() -> String {
    std::env::var("BENCH_TARGET").unwrap_or_else(|_| "target".to_owned())
}

impl Trial {
    fn run(&mut self, iterations: u64) -> Result<String, String> {
        let (mut wall, mut cpu) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..iterations {
            let (one, its_cpu) = self.once()?;
            (wall, cpu) = (wall + one, cpu + its_cpu);
        }
        Ok(format!("sample wall_ns={} cpu_ns={} iterations={iterations}", wall.as_nanos(), cpu.as_nanos()))
    }

    /// Runs the command to a fresh name, its input in the page cache; returns wall and CPU time.
    fn once(&mut self) -> Result<(Duration, Duration), String> {
        remove(&self.output)?;
        read_all(&self.source).map_err(|error| format!("{}: {error}", self.source.display()))?;
        let usage = spawn(&self.words, &self.env)?;
        self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
        Ok((usage.wall, usage.cpu))
    }
}

struct Usage {
    wall: Duration,
    cpu: Duration,
    peak_bytes: u64,
}

fn spawn(words: &[String], env: &[(String, String)]) -> Result<Usage, String> {
    let fail = |error: io::Error| format!("{}: {error}", words[0]);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().map_err(fail)?;
    // What it says is read until it ends, so that it is never waited for with a full pipe.
    let mut said = Vec::new();
    child.stderr.take().map(|mut stderr| stderr.read_to_end(&mut said)).transpose().map_err(fail)?;
    let done = child.wait4().map_err(fail)?;
    let wall = started.elapsed();
    if !done.status.success() {
        return Err(format!("`{}`: {}: {}", words.join(" "), done.status, String::from_utf8_lossy(&said).trim()));
    }
    let usage = done.rusage;
    Ok(Usage { wall, cpu: usage.utime + usage.stime, peak_bytes: usage.maxrss })
}

fn remove(path: &Path) -> Result<(), String> {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    match if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) } {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{}: {error}", path.display())),
        _ => Ok(()),
    }
}

fn read_all(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return std::fs::read_dir(path)?.try_for_each(|entry| read_all(&entry?.path()));
    }
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    while file.read(&mut buffer)? > 0 {}
    Ok(())
}
