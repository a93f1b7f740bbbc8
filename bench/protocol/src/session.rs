//! The conversation: a line in, a line out.

use crate::cost::{Stretch, peak_bytes, reset_peak};
use crate::words::{encode, encode_message, pair};
use crate::{Engine, Refusal, Task, Trial};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Answers on stdout what is asked on stdin, until `quit` or the end.
///
/// # Errors
/// When stdin cannot be read or stdout not be written: the harness has gone.
pub fn serve(engine: &impl Engine) -> io::Result<()> {
    converse(engine, io::stdin().lock(), io::stdout().lock())
}

fn converse(engine: &impl Engine, questions: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    let mut session = Session { engine, trial: None };
    for line in questions.lines() {
        let line = line?;
        if line == "quit" {
            break;
        }
        let answer = session.answer(&line).unwrap_or_else(|refusal| match refusal {
            Refusal::Unsupported(message) => format!("unsupported {}", encode_message(&message)),
            Refusal::Error(message) => format!("error {}", encode_message(&message)),
        });
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}

struct Session<'a, E> {
    engine: &'a E,
    trial: Option<Box<dyn Trial>>,
}

impl<E: Engine> Session<'_, E> {
    fn answer(&mut self, line: &str) -> Result<String, Refusal> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "hello" => Ok(self.hello()),
            "operations" => Ok(format!("operations {}", self.engine.operations().join(" "))),
            "prepare" => self.prepare(rest),
            "run" => self.run(rest),
            "output" => self.output(),
            "opens" => self.opens(rest),
            "memory" => Ok(format!("memory peak_bytes={}", peak_bytes().map_err(Refusal::Error)?)),
            _ => Err(error(format!("{line:?} is no command"))),
        }
    }

    fn hello(&self) -> String {
        let about = self.engine.about();
        let mut answer = format!("engine name={} version={}", encode(about.name), encode(&about.version));
        if !about.backend.is_empty() {
            let _ = write!(answer, " backend={}", encode(&about.backend));
        }
        answer
    }

    fn prepare(&mut self, words: &str) -> Result<String, Refusal> {
        // What the operation before had is given back first: it is none of this one's memory.
        self.trial = None;
        let task = self.task(words)?;
        let trial = caught(|| self.engine.prepare(task))?;
        let trial = self.trial.insert(trial);
        // Here it is known whether it works at all; a trial that failed is none.
        let ready = caught(|| {
            trial.run().map_err(Refusal::Error)?;
            let digest = Sha256::digest(&trial.agreed().map_err(Refusal::Error)?);
            let mut answer = format!("ready digest={}", hex(&digest));
            let _ = write!(answer, " bytes={}", trial.output().len());
            if let Some(units) = trial.units() {
                let _ = write!(answer, " units={units}");
            }
            Ok(answer)
        });
        if ready.is_err() {
            self.trial = None;
        }
        reset_peak();
        ready
    }

    fn task(&self, words: &str) -> Result<Task, Refusal> {
        let mut words = words.split(' ');
        let operation = words.next().unwrap_or_default();
        if !self.engine.operations().contains(&operation) {
            return Err(Refusal::Unsupported(format!("it does not offer {operation}")));
        }
        let pairs = words.map(|word| pair(word).ok_or_else(|| error(format!("{word:?} is not KEY=VALUE"))));
        let mut options: BTreeMap<_, _> = pairs.collect::<Result<_, _>>()?;
        let path = options.remove("input").ok_or_else(|| error("there is no input".to_owned()))?;
        options.remove("dir");
        if let Some(option) = options.keys().find(|option| !self.engine.options().contains(&option.as_str())) {
            return Err(Refusal::Unsupported(format!("it has no option {option}")));
        }
        let input = std::fs::read(&path).map_err(|fault| error(format!("{path}: {fault}")))?;
        Ok(Task { operation: operation.to_owned(), input, options })
    }

    /// The output of the run before, for another engine.
    fn output(&self) -> Result<String, Refusal> {
        let output = self.trial()?.output();
        if output.len() > OUTPUT_MAX_LEN {
            return Err(error(format!("an output of {} bytes is too long to be said", output.len())));
        }
        Ok(format!("output hex={}", hex(output)))
    }

    /// What another engine's output opens to.
    fn opens(&self, digits: &str) -> Result<String, Refusal> {
        let output = bytes_of(digits).ok_or_else(|| error("it is not hexadecimal".to_owned()))?;
        let trial = self.trial()?;
        let opened = caught(|| trial.opens(&output).map_err(Refusal::Error))?;
        Ok(format!("opened digest={}", hex(&Sha256::digest(opened))))
    }

    fn trial(&self) -> Result<&dyn Trial, Refusal> {
        self.trial.as_deref().ok_or_else(|| error("nothing is prepared".to_owned()))
    }

    fn run(&mut self, words: &str) -> Result<String, Refusal> {
        let iterations: u64 = words
            .parse()
            .ok()
            .filter(|iterations| *iterations > 0)
            .ok_or_else(|| error(format!("{words:?} is no number of runs")))?;
        let trial = self.trial.as_mut().ok_or_else(|| error("nothing is prepared".to_owned()))?;
        let done = caught(|| {
            trial.take_waits();
            let stretch = Stretch::begin();
            for _ in 0..iterations {
                trial.run().map_err(Refusal::Error)?;
            }
            Ok(stretch.end())
        });
        if done.is_err() {
            self.trial = None;
        }
        let (wall, cpu) = done?;
        let (wall, cpu) = (wall.as_nanos(), cpu.as_nanos());
        let mut answer = format!("sample wall_ns={wall} cpu_ns={cpu} iterations={iterations}");
        if let Some(waits) = self.trial.as_mut().and_then(|trial| trial.take_waits()) {
            let _ = write!(answer, " longest_ns={}", waits.longest.as_nanos());
            if let Some(mean) = waits.mean {
                let _ = write!(answer, " mean_ns={}", mean.as_nanos());
            }
        }
        Ok(answer)
    }
}

/// No answer holds more: the harness takes it for a hang.
const OUTPUT_MAX_LEN: usize = 1 << 14;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.bytes().all(|digit| digit.is_ascii_hexdigit()) && hex.len().is_multiple_of(2);
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).ok();
    digits.then(|| (0..hex.len()).step_by(2).map(byte).collect())?
}

fn error(message: String) -> Refusal {
    Refusal::Error(message)
}

/// A panic of an engine is its answer, and not its end.
fn caught<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(error(format!("it panicked: {}", text.unwrap_or("without a word"))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{About, Waits};
    use std::borrow::Cow;
    use std::time::Duration;

    /// Operations that do what their names say.
    struct Made;

    impl Engine for Made {
        fn about(&self) -> About {
            About { name: "made", version: "1.0 beta".to_owned(), backend: "a=b".to_owned() }
        }

        fn operations(&self) -> Vec<&str> {
            vec!["reverse", "fail", "panic", "refuse", "random", "units"]
        }

        fn options(&self) -> Vec<&str> {
            vec!["threads"]
        }

        fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
            if task.operation == "refuse" {
                return Err(Refusal::Unsupported("not on\nthis CPU".to_owned()));
            }
            Ok(Box::new(Work { task, runs: 0 }))
        }
    }

    struct Work {
        task: Task,
        runs: u64,
    }

    impl Trial for Work {
        fn run(&mut self) -> Result<(), String> {
            self.runs += 1;
            match self.task.operation.as_str() {
                "fail" => return Err("no 100 %".to_owned()),
                "panic" if self.runs > 1 => panic!("run {}", self.runs),
                _ => self.task.input.reverse(),
            }
            Ok(())
        }

        fn output(&self) -> &[u8] {
            &self.task.input
        }

        fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
            Ok(if self.task.operation == "random" { Cow::Borrowed(b"abc") } else { Cow::Borrowed(self.output()) })
        }

        fn opens(&self, output: &[u8]) -> Result<Vec<u8>, String> {
            if output == b"?" { Err("not mine".to_owned()) } else { Ok(output.iter().rev().copied().collect()) }
        }

        fn units(&self) -> Option<u64> {
            (self.task.operation == "units").then_some(3)
        }

        fn take_waits(&mut self) -> Option<Waits> {
            let waits = Waits { longest: Duration::from_nanos(17), mean: Some(Duration::from_nanos(9)) };
            (self.task.operation == "units").then_some(waits)
        }
    }

    fn answers(questions: &str) -> Vec<String> {
        let mut said = Vec::new();
        converse(&Made, questions.as_bytes(), &mut said).unwrap();
        String::from_utf8(said).unwrap().lines().map(str::to_owned).collect()
    }

    /// The answers to these questions, with `FILE` in them for a file that has this text.
    fn answers_about(text: &str, questions: &str) -> Vec<String> {
        let name = format!("bench protocol {} {}", std::process::id(), encode(questions).len());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let said = answers(&questions.replace("FILE", &encode(path.to_str().unwrap())));
        std::fs::remove_file(path).unwrap();
        said
    }

    /// SHA-256 of `abc`, FIPS 180-4's example.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn an_engine_introduces_itself() {
        let said = answers("hello\noperations\nquit\nhello\n");
        assert_eq!(
            said,
            ["engine name=made version=1.0%20beta backend=a%3db", "operations reverse fail panic refuse random units"]
        );
    }

    #[test]
    fn an_operation_is_prepared_and_run() {
        let said = answers_about(
            "cba",
            "prepare reverse input=FILE dir=/tmp threads=2\nrun 7\nmemory\nprepare units input=FILE\nrun 1\n",
        );
        assert_eq!(said[0], format!("ready digest={ABC} bytes=3"));
        let sample: Vec<_> = said[1].split(' ').collect();
        assert_eq!((sample[0], sample[3], sample.len()), ("sample", "iterations=7", 4));
        assert!(sample[1].strip_prefix("wall_ns=").unwrap().parse::<u64>().unwrap() > 0);
        assert!(said[2].strip_prefix("memory peak_bytes=").unwrap().parse::<u64>().unwrap() > 100_000);
        assert_eq!(said[3], format!("ready digest={ABC} bytes=3 units=3"));
        assert!(said[4].ends_with(" iterations=1 longest_ns=17 mean_ns=9"), "{}", said[4]);
    }

    #[test]
    fn what_is_agreed_on_may_be_another_thing_than_the_output() {
        let said = answers_about("longer", "prepare random input=FILE\n");
        assert_eq!(said, [format!("ready digest={ABC} bytes=6")]);
    }

    #[test]
    fn outputs_are_said_and_those_of_others_opened() {
        let said = answers_about(
            "cba",
            "output\nopens 63\nprepare random input=FILE\noutput\nopens 636261\nopens 3f\nopens 6\nopens +1\n",
        );
        let expected = [
            "error nothing is prepared",
            "error nothing is prepared",
            &format!("ready digest={ABC} bytes=3"),
            "output hex=616263",
            &format!("opened digest={ABC}"),
            "error not mine",
            "error it is not hexadecimal",
            "error it is not hexadecimal",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn every_refusal_is_one_line_and_the_conversation_goes_on() {
        let said = answers_about(
            "cba",
            "run 1\nprepare fail input=FILE\nrun 1\nprepare panic input=FILE\nrun 1\nrun 1\nprepare refuse input=FILE\n\
             prepare nothing input=FILE\nprepare reverse input=FILE colour=red\nprepare reverse\n\
             prepare reverse input=/no/such%20file\nprepare reverse word\nnonsense\n\nprepare reverse input=FILE\nrun 0\nrun -1\nrun 1\n",
        );
        let expected = [
            "error nothing is prepared",
            "error no 100 %25",
            "error nothing is prepared",
            "ready digest=",
            "error it panicked: run 2",
            "error nothing is prepared",
            "unsupported not on%0athis CPU",
            "unsupported it does not offer nothing",
            "unsupported it has no option colour",
            "error there is no input",
            "error /no/such file: ",
            "error \"word\" is not KEY=VALUE",
            "error \"nonsense\" is no command",
            "error \"\" is no command",
            "ready digest=",
            "error \"0\" is no number of runs",
            "error \"-1\" is no number of runs",
            "sample wall_ns=",
        ];
        assert_eq!(said.len(), expected.len(), "{said:#?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.starts_with(expected), "{said}: not {expected}");
        }
    }
}
