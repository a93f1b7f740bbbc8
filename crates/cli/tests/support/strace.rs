//! Runs of `sealstone` under strace, which makes chosen system calls fail, be late, or end in a signal.

use crate::support::chance::wait_until;
use crate::support::{Done, SEALSTONE, Sandbox};
use std::process::{Child, Command, Stdio};

/// One call of the main thread: its name, its number among the thread's calls of that name, and what strace wrote.
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// A command line of `sealstone` in a sandbox, always on one thread, so that the calls have an order.
#[derive(Clone, Copy)]
pub(crate) struct Traced<'a> {
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) arguments: &'a str,
    /// What the run is given beforehand: `inject=…` expressions.
    pub(crate) given: &'a [String],
}

impl Traced<'_> {
    /// The main thread's calls of these names, from a run that is only watched.
    pub(crate) fn calls(&self, names: &str) -> Vec<Call> {
        let done: Done = self.command(names, &[]).output().unwrap().into();
        assert_eq!(done.status, Some(0), "a run without faults: {done}");
        let mut calls: Vec<Call> = Vec::new();
        let log = self.log();
        let main = log.split(' ').next().unwrap_or_default().to_owned();
        for line in log.lines() {
            let Some((thread, text)) = line.split_once(' ') else { continue };
            let text = text.trim_start();
            if thread != main || text.starts_with(['<', '+', '-']) {
                continue;
            }
            let name = text.split('(').next().unwrap_or_default().to_owned();
            let number = calls.iter().filter(|call| call.name == name).count() + 1;
            calls.push(Call { name, number, text: text.to_owned() });
        }
        assert!(!calls.is_empty(), "strace saw nothing of {names}");
        calls
    }

    /// The first call of this name whose text has `part`.
    pub(crate) fn find(&self, name: &str, part: &str) -> Call {
        let found = self.calls(name).into_iter().find(|call| call.name == name && call.text.contains(part));
        found.unwrap_or_else(|| panic!("{}: no {name} with {part}", self.arguments))
    }

    /// Runs with faults to the end.
    pub(crate) fn run(&self, faults: &[String]) -> Done {
        self.command("", faults).output().unwrap().into()
    }

    /// What strace wrote of the last run.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&self.sandbox.read("strace.log")).into_owned()
    }

    /// Starts a run with faults; the child is `sealstone` itself, strace only watches.
    pub(crate) fn start(&self, faults: &[String]) -> Child {
        let mut command = self.command("", faults);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits until strace has written `part`.
    pub(crate) fn wait_for(&self, part: &str) {
        wait_until(&format!("strace writes {part:?}"), || {
            self.sandbox.path("strace.log").exists() && self.log().contains(part)
        });
    }

    fn command(&self, names: &str, faults: &[String]) -> Command {
        let _ = std::fs::remove_file(self.sandbox.path("strace.log"));
        let mut command = self.sandbox.command("strace");
        command.args(["-D", "-f", "-qq", "-o", "strace.log"]);
        let mut traced: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
        for fault in self.given.iter().chain(faults) {
            traced.extend(fault.strip_prefix("inject=").and_then(|fault| fault.split(':').next()));
        }
        command.args(["-e", &format!("trace={}", traced.join(","))]);
        for fault in self.given.iter().chain(faults) {
            command.args(["-e", fault]);
        }
        command.arg(SEALSTONE).args(self.arguments.split(' ')).args(["--threads", "1", "--quiet"]);
        command
    }
}

/// Makes a call fail. On some calls a fault for one number would shadow another's: give each name once.
pub(crate) fn fails(call: &Call, error: &str) -> String {
    format!("inject={}:error={error}:when={}", call.name, call.number)
}
