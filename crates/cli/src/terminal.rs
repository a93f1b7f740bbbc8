//! What is said and how: data to stdout, everything else to stderr; errors as `sealstone: error: … [code]` with a
//! hint below; a bar only where somebody watches; JSON lines when asked.

use crate::args::Common;
use crate::failure::Failure;
use indicatif::{DecimalBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use sealstone::{Progress, escape_name};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A bar for less than this would only flicker.
const BAR_AFTER: Duration = Duration::from_millis(400);
/// Nobody waits for fewer bytes than these, and their rate would be that of the passphrase.
const BAR_FROM: u64 = 8_000_000;
/// Between two progress lines of JSON.
const JSON_EVERY: Duration = Duration::from_millis(250);

/// How this run speaks.
#[derive(Clone)]
pub(crate) struct Terminal {
    quiet: bool,
    json: bool,
    bar: bool,
}

impl Terminal {
    pub(crate) fn new(common: &Common) -> Self {
        let watched = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { quiet: common.quiet, json: common.json, bar: watched && !common.quiet && !common.json }
    }

    /// Before the command line could be read.
    pub(crate) fn for_usage(json: bool) -> Self {
        Self { quiet: false, json, bar: false }
    }

    /// Reports an error.
    pub(crate) fn failure(&self, failure: &Failure) {
        if failure.is_broken_pipe() {
            return;
        }
        if self.json {
            self.event(&json!({
                "event": "error", "code": failure.code(), "message": failure.message(), "hint": failure.hint(),
                "input": failure.input().map(escape_name),
            }));
            return;
        }
        line(&format!("error: {} [{}]", failure.message(), failure.code()));
        if let Some(hint) = failure.hint() {
            line(&format!("hint: {hint}"));
        }
    }

    /// Something the user should know that is no error.
    pub(crate) fn warning(&self, message: &str) {
        if self.json {
            self.event(&json!({ "event": "warning", "message": message }));
        } else if !self.quiet {
            line(&format!("warning: {message}"));
        }
    }

    /// Something the user asked for.
    pub(crate) fn note(&self, message: &str) {
        if !self.quiet && !self.json {
            line(message);
        }
    }

    /// Says that the program waits for somebody to type.
    pub(crate) fn awaits_stdin(&self) {
        if io::stdin().is_terminal() {
            self.note("reading from the terminal; Ctrl-D on a line of its own ends the input");
        }
    }

    /// Says at the end of several files how many were left out; those have been named, but not to the quiet, who hear
    /// `reasons` where `always` is set.
    pub(crate) fn summary(&self, done: usize, of: usize, skipped: usize, reasons: &str, always: bool) {
        let text = format!("{done} of {of} files done, {skipped} skipped");
        if self.json {
            self.event(&json!({ "event": "summary", "done": done, "failed": of - done, "skipped": skipped }));
        } else if !self.quiet {
            line(&text);
        } else if always {
            line(&format!("{text}: {reasons}"));
        }
    }

    /// A result for machines.
    pub(crate) fn event(&self, event: &Value) {
        if self.json {
            // Where stderr has gone there is nobody to tell.
            let _ = writeln!(io::stderr().lock(), "{event}");
        }
    }

    /// Follows one operation.
    pub(crate) fn watch(&self, name: &str) -> Watch {
        Watch {
            terminal: self.clone(),
            name: name.to_owned(),
            started: Instant::now(),
            shown: Arc::new(Mutex::new(Shown { bar: None, last: Instant::now() })),
        }
    }
}

fn line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "sealstone: {text}");
}

struct Shown {
    bar: Option<ProgressBar>,
    last: Instant,
}

/// The progress of one operation.
#[derive(Clone)]
pub(crate) struct Watch {
    terminal: Terminal,
    name: String,
    started: Instant,
    shown: Arc<Mutex<Shown>>,
}

impl Watch {
    /// What is to be called as work is done, if anybody watches.
    pub(crate) fn callback(&self) -> Option<impl Fn(Progress) + Send + Sync + 'static> {
        let watch = self.clone();
        self.is_shown().then_some(move |progress: Progress| watch.progress(progress.done, progress.total))
    }

    /// The same for one of several operations that are watched as one: `done` counts the bytes of them all.
    pub(crate) fn part_callback(
        &self,
        done: &Arc<AtomicU64>,
        total: Option<u64>,
    ) -> Option<impl Fn(Progress) + Send + Sync + 'static> {
        let (watch, done, own) = (self.clone(), Arc::clone(done), AtomicU64::new(0));
        self.is_shown().then_some(move |progress: Progress| {
            let more = progress.done.saturating_sub(own.fetch_max(progress.done, Ordering::Relaxed));
            watch.progress(done.fetch_add(more, Ordering::Relaxed) + more, total);
        })
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.terminal.bar || (self.terminal.json && !self.terminal.quiet)
    }

    /// Says something while this is watched, on lines of its own.
    pub(crate) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        // No bar begins meanwhile.
        let shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &shown.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    fn progress(&self, done: u64, total: Option<u64>) {
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if self.terminal.json {
            if shown.last.elapsed() >= JSON_EVERY {
                shown.last = Instant::now();
                self.terminal.event(&json!({
                    "event": "progress", "input": self.name, "done_bytes": done, "total_bytes": total,
                }));
            }
        } else if self.started.elapsed() >= BAR_AFTER && total.unwrap_or(done) >= BAR_FROM {
            let bar = shown.bar.get_or_insert_with(|| self.bar(done, total));
            bar.set_position(done);
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A rate.
    fn bar(&self, done: u64, total: Option<u64>) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match total {
            Some(_) => "{msg} {wide_bar} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {rate}  {left} left",
            None => "{msg} {spinner} {decimal_bytes}  {rate}  {elapsed}",
        };
        // From the start of the work on, which is before the bar's: the library would divide by the bar's age.
        let started = self.started;
        let rate = move |done: u64| done as f64 / started.elapsed().as_secs_f64();
        let style = ProgressStyle::with_template(template)
            .expect("terminal: the templates are valid")
            .with_key("rate", move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{}/s", DecimalBytes(rate(state.pos()) as u64));
            })
            .with_key("left", move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let left = state.len().unwrap_or(0).saturating_sub(state.pos()) as f64;
                let seconds = Duration::try_from_secs_f64(left / rate(state.pos())).unwrap_or(Duration::MAX);
                let _ = write!(out, "{}", HumanDuration(seconds));
            });
        let name: String = self.name.chars().take(32).collect();
        bar.with_style(style).with_message(name).with_position(done)
    }

    /// Ends the bar, and says what was done if it was seen; what is said next stands on a line of its own.
    pub(crate) fn finish(&self) -> Duration {
        let elapsed = self.started.elapsed();
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
            let bytes = bar.position();
            let rate = u128::from(bytes) * 1000 / elapsed.as_millis().max(1);
            let (bytes, rate) = (DecimalBytes(bytes), DecimalBytes(rate.try_into().unwrap_or(u64::MAX)));
            self.terminal.note(&format!("{}: {bytes} in {:.1} s, {rate}/s", self.name, elapsed.as_secs_f64()));
        }
        elapsed
    }
}

/// Passes on text and refuses anything else, for plaintext that goes to a terminal: control sequences could do what
/// their author likes with it.
pub(crate) struct TextOnly<W> {
    inner: W,
    /// The first bytes of a character whose others have not come yet.
    begun: Vec<u8>,
}

impl<W> TextOnly<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, begun: Vec::new() }
    }

    /// Whether `bytes`, after those before them, are UTF-8 without control characters.
    fn is_text(&mut self, bytes: &[u8]) -> bool {
        self.begun.extend_from_slice(bytes);
        let (text, begun) = match std::str::from_utf8(&self.begun) {
            Ok(text) => (text, 0),
            Err(error) if error.error_len().is_none() => {
                let (text, rest) = self.begun.split_at(error.valid_up_to());
                (std::str::from_utf8(text).unwrap_or_default(), rest.len())
            }
            Err(_) => return false,
        };
        // Controls, and characters that change the direction of what is shown.
        let hostile = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let is_text = !text.chars().any(hostile);
        self.begun.drain(..self.begun.len() - begun);
        is_text
    }
}

/// The error of [`TextOnly`].
#[derive(Debug)]
pub(crate) struct NotText;

impl std::fmt::Display for NotText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the output is not text")
    }
}

impl std::error::Error for NotText {}

impl<W: Write> Write for TextOnly<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_text(bytes) {
            return Err(io::Error::other(NotText));
        }
        self.inner.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
