//! Output for people and machines: data on stdout, all else on stderr. Errors are `sealstone: error: … [code]` with a hint below. A
//! progress bar appears only on a terminal; `--json` prints JSON lines.

use crate::args::Common;
use crate::failure::Failure;
use crate::plural::count_noun;
use indicatif::{DecimalBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use rustix::termios::tcgetwinsize;
use sealstone::{Error, Progress, escape_name};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A bar for a shorter time would only flicker.
const BAR_AFTER: Duration = Duration::from_millis(400);
/// Fewer bytes take no time, and their rate would measure the passphrase's derivation.
const BAR_FROM: u64 = 8_000_000;
/// The interval between progress lines of JSON.
const JSON_EVERY: Duration = Duration::from_millis(250);

/// The reasons for skipping files, each with the number of files.
#[derive(Default)]
pub(crate) struct Reasons {
    pub(crate) all: Vec<String>,
    /// The reasons that were not printed for each file.
    pub(crate) of_unnamed: Vec<String>,
}

/// The output settings of a run.
#[derive(Clone)]
pub(crate) struct Terminal {
    is_quiet: bool,
    is_json: bool,
    has_bar: bool,
}

impl Terminal {
    pub(crate) fn new(common: &Common) -> Self {
        let is_watched = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { is_quiet: common.quiet, is_json: common.json, has_bar: is_watched && !common.quiet && !common.json }
    }

    /// The output before the command line is parsed.
    pub(crate) fn for_usage(is_json: bool) -> Self {
        Self { is_quiet: false, is_json, has_bar: false }
    }

    /// Prints an error.
    pub(crate) fn print_failure(&self, failure: &Failure) {
        if failure.is_broken_pipe() {
            return;
        }
        if self.is_json {
            self.print_event(|| {
                json!({
                    "event": "error", "code": failure.code(), "message": failure.message(), "hint": failure.hint(),
                    "input": failure.input().map(escape_name),
                })
            });
            return;
        }
        print_line(&format!("error: {} [{}]", failure.message(), failure.code()));
        if let Some(hint) = failure.hint() {
            print_line(&format!("hint: {hint}"));
        }
    }

    /// Prints a warning.
    pub(crate) fn warn(&self, message: &str) {
        if self.is_json {
            self.print_event(|| json!({ "event": "warning", "message": message }));
        } else if !self.is_quiet {
            print_line(&format!("warning: {message}"));
        }
    }

    /// Prints a warning that something is missing, also if output is quiet.
    pub(crate) fn warn_of_loss(&self, message: &str) {
        Self { is_quiet: false, ..*self }.warn(message);
    }

    /// Prints a message that the user asked for.
    pub(crate) fn note(&self, message: &str) {
        if !self.is_quiet && !self.is_json {
            print_line(message);
        }
    }

    /// Prints a message of a plugin, in lines without control characters.
    pub(crate) fn print_plugin_message(&self, name: &str, lines: &[String]) {
        self.print_event(|| json!({ "event": "plugin", "plugin": name, "message": lines.join("\n") }));
        for text in lines {
            self.note(&format!("plugin {name}: {text}"));
        }
    }

    /// Prints that a plugin has been silent for a while.
    pub(crate) fn print_waiting(&self, name: &str) {
        self.print_event(|| json!({ "event": "waiting", "plugin": name }));
        self.note(&format!("waiting for plugin {name} (Ctrl-C ends it)"));
    }

    /// Calls `say`, which may print or ask, without disturbing a progress bar; no bar starts meanwhile.
    pub(crate) fn suspend_bar<T>(say: impl FnOnce() -> T) -> T {
        let current = CURRENT_OPERATION.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        // If it is locked, this thread is already inside such a call.
        match current.as_ref().and_then(|state| state.try_lock().ok()) {
            Some(state) => state.suspend_bar(say),
            None => say(),
        }
    }

    /// Tells the user to type if stdin is a terminal.
    pub(crate) fn announce_stdin(&self) {
        if io::stdin().is_terminal() {
            self.note("reading from the terminal; Ctrl-D on a line of its own ends the input");
        }
    }

    /// Prints how many files were done and skipped, with the reasons that were not printed before. If output is quiet, prints only
    /// if `is_mandatory` is set, with all reasons.
    pub(crate) fn print_summary(&self, done: usize, of: usize, skipped: usize, reasons: &Reasons, is_mandatory: bool) {
        let reasons = if self.is_quiet { &reasons.all } else { &reasons.of_unnamed };
        if self.is_json {
            self.print_event(|| json!({ "event": "summary", "done": done, "failed": of - done, "skipped": skipped }));
        } else if !self.is_quiet || is_mandatory {
            let colon = if reasons.is_empty() { "" } else { ": " };
            print_line(&format!(
                "{done} of {} done, {skipped} skipped{colon}{}",
                count_noun(of, "file"),
                reasons.join(", ")
            ));
        }
    }

    /// Prints a JSON event, which is made only if JSON is on.
    pub(crate) fn print_event(&self, event: impl FnOnce() -> Value) {
        if self.is_json {
            // If stderr is closed, the event is lost.
            let _ = writeln!(io::stderr().lock(), "{}", json_text(&event()));
        }
    }

    /// Shows the progress of one operation.
    pub(crate) fn watch(&self, name: &str) -> Watch {
        let state = Arc::new(Mutex::new(BarState { started: Instant::now(), bar: None, last: Instant::now() }));
        *CURRENT_OPERATION.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Arc::clone(&state));
        Watch { terminal: self.clone(), name: name.to_owned(), several: None, state }
    }

    /// Shows the progress of several files as one operation, with a [`callback`](Watch::callback) for each; `total` counts the
    /// bytes of all.
    pub(crate) fn watch_several(&self, files: usize, total: impl FnOnce() -> Option<u64>) -> Watch {
        let watch = self.watch(&count_noun(files, "file"));
        let total = if watch.is_shown() { total() } else { None };
        Watch { several: Some(Several { done: Arc::default(), total }), ..watch }
    }
}

/// JSON that is safe to print: characters in strings that could control a terminal are written as `\u` and digits.
pub(crate) fn json_text(value: &Value) -> String {
    use std::fmt::Write as _;
    let text = value.to_string();
    // Outside ASCII there are only strings; inside, `serde_json` has escaped control characters.
    let moves = |c: char| !c.is_ascii() && sealstone::is_escaped(c);
    if !text.contains(moves) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if moves(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

fn print_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "sealstone: {text}");
}

struct BarState {
    started: Instant,
    bar: Option<ProgressBar>,
    last: Instant,
}

impl BarState {
    fn suspend_bar<T>(&self, say: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}

/// The operation that is being shown, for code that prints without knowing of it.
static CURRENT_OPERATION: Mutex<Option<Arc<Mutex<BarState>>>> = Mutex::new(None);

/// Shows the progress of one operation.
#[derive(Clone)]
pub(crate) struct Watch {
    terminal: Terminal,
    name: String,
    several: Option<Several>,
    state: Arc<Mutex<BarState>>,
}

/// The totals of several files that are shown as one operation.
#[derive(Clone)]
struct Several {
    /// Bytes done so far.
    done: Arc<AtomicU64>,
    /// Bytes of all files, if known.
    total: Option<u64>,
}

impl Watch {
    /// The progress callback of one file; `None` if no progress is shown.
    pub(crate) fn callback(&self) -> Option<impl Fn(Progress) + Send + Sync + 'static> {
        let (watch, own) = (self.clone(), AtomicU64::new(0));
        self.is_shown().then_some(move |progress: Progress| match &watch.several {
            None => watch.show_progress(progress.done, progress.total),
            Some(Several { done, total }) => {
                let more = progress.done.saturating_sub(own.fetch_max(progress.done, Ordering::Relaxed));
                watch.show_progress(done.fetch_add(more, Ordering::Relaxed) + more, *total);
            }
        })
    }

    /// Restarts the clock after a question, unless bytes are done already.
    pub(crate) fn restart(&self) {
        if self.several.as_ref().is_none_or(|several| several.done.load(Ordering::Relaxed) == 0) {
            self.lock_state().started = Instant::now();
        }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, BarState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_shown(&self) -> bool {
        self.terminal.has_bar || (self.terminal.is_json && !self.terminal.is_quiet)
    }

    /// Calls `say`, which may print or ask, without disturbing the bar.
    pub(crate) fn suspend_bar<T>(&self, say: impl FnOnce() -> T) -> T {
        // The lock keeps a bar from starting meanwhile.
        self.lock_state().suspend_bar(say)
    }

    fn show_progress(&self, done: u64, total: Option<u64>) {
        let mut state = self.lock_state();
        if self.terminal.is_json {
            if state.last.elapsed() >= JSON_EVERY {
                state.last = Instant::now();
                self.terminal.print_event(|| {
                    json!({
                        "event": "progress", "input": self.name, "done_bytes": done, "total_bytes": total,
                    })
                });
            }
        } else if state.started.elapsed() >= BAR_AFTER && total.unwrap_or(done) >= BAR_FROM {
            let started = state.started;
            let bar = state.bar.get_or_insert_with(|| self.make_bar(done, total, started));
            bar.set_position(done);
        }
    }

    fn make_bar(&self, done: u64, total: Option<u64>, started: Instant) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
        let name = self.name.clone();
        // The terminal may be resized meanwhile.
        let status = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let width = tcgetwinsize(io::stderr()).map_or(80, |size| usize::from(size.ws_col));
            // Measured from the start of the work: indicatif would measure from the start of the bar.
            let _ = out.write_str(&status(&name, state.pos(), state.len(), started.elapsed(), width));
        };
        let style = ProgressStyle::with_template("{status}").expect("terminal: the template is valid");
        bar.with_style(style.with_key("status", status)).with_position(done)
    }

    /// Removes the bar, and prints a summary if a bar was shown. Returns the time taken.
    pub(crate) fn finish(&self) -> Duration {
        let mut state = self.lock_state();
        let elapsed = state.started.elapsed();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
            let bytes = bar.position();
            let rate = u128::from(bytes) * 1000 / elapsed.as_millis().max(1);
            let (bytes, rate) = (DecimalBytes(bytes), DecimalBytes(rate.try_into().unwrap_or(u64::MAX)));
            self.terminal.note(&format!("{}: {bytes} in {:.1} s, {rate}/s", self.name, elapsed.as_secs_f64()));
        }
        elapsed
    }
}

/// The status line, shorter than `width`. A narrower terminal shows fewer facts.
fn status(name: &str, done: u64, total: Option<u64>, elapsed: Duration, width: usize) -> String {
    let per_second = u128::from(done) * 1000 / elapsed.as_millis().max(1);
    let rate = format!("{}/s", DecimalBytes(per_second.try_into().unwrap_or(u64::MAX)));
    // The last column stays free, because some terminals start a new line when it is written.
    let room = width.saturating_sub(1);
    let Some(total) = total else {
        let facts = [format_clock(elapsed), format!("{}", DecimalBytes(done)), rate];
        return fit(name, &facts, None, room);
    };
    let percent = (u128::from(done) * 100 / u128::from(total.max(1))).min(100);
    let left = u128::from(total.saturating_sub(done)).checked_div(per_second);
    let left = left.map_or(u64::MAX, |seconds| seconds.try_into().unwrap_or(u64::MAX));
    let facts = [
        format!("{percent:>3} %"),
        format!("{} left", format_clock(Duration::from_secs(left))),
        rate,
        format!("{} of {}", DecimalBytes(done), DecimalBytes(total)),
    ];
    fit(name, &facts, Some(percent), room)
}

/// Fits the name, as many facts as possible in their order, and a bar if space is left.
fn fit(name: &str, facts: &[String], percent: Option<u128>, room: usize) -> String {
    const GAP: usize = 2;
    const NAME: usize = 32;
    const NAME_MIN: usize = 8;
    const BAR_MIN: usize = 10;
    let named = name.chars().map(columns).sum::<usize>().min(NAME);
    let mut rest = room.saturating_sub(named.min(NAME_MIN));
    let mut shown = String::new();
    for fact in facts {
        let Some(less) = rest.checked_sub(GAP + fact.chars().count()) else { break };
        rest = less;
        shown.push_str("  ");
        shown.push_str(fact);
    }
    let name = shorten(name, named.min(rest + named.min(NAME_MIN)).min(room));
    let bar = room - name.chars().map(columns).sum::<usize>() - shown.chars().count();
    match percent {
        Some(percent) if bar >= BAR_MIN + GAP => {
            let full = (bar - GAP) * usize::try_from(percent).unwrap_or(100) / 100;
            format!("{name}  {}{}{shown}", "█".repeat(full), "░".repeat(bar - GAP - full))
        }
        _ => format!("{name}{shown}"),
    }
}

/// The beginning of a name, at most `room` columns wide.
fn shorten(name: &str, room: usize) -> String {
    let mut used = 0;
    name.chars()
        .take_while(|c| {
            used += columns(*c);
            used <= room
        })
        .collect()
}

/// The columns of a character, at most.
fn columns(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

/// Formats a time as minutes and seconds, with hours if needed: `0:07`, `12:34`, `1:02:03`.
fn format_clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (100.., ..) => "> 99 h".to_owned(),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Writes text and refuses anything else. Plaintext on a terminal could otherwise control it.
pub(crate) struct TextOnly<W> {
    inner: W,
    /// The first bytes of a character that is not complete yet.
    incomplete: Vec<u8>,
}

impl<W> TextOnly<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, incomplete: Vec::new() }
    }

    /// Whether `bytes`, appended to the earlier ones, are UTF-8 without control characters.
    fn is_text(&mut self, bytes: &[u8]) -> bool {
        self.incomplete.extend_from_slice(bytes);
        let (text, rest_len) = match std::str::from_utf8(&self.incomplete) {
            Ok(text) => (text, 0),
            Err(error) if error.error_len().is_none() => {
                let (text, rest) = self.incomplete.split_at(error.valid_up_to());
                (std::str::from_utf8(text).unwrap_or_default(), rest.len())
            }
            Err(_) => return false,
        };
        // Control characters, and characters that change the direction of text.
        let hostile = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let is_text = !text.chars().any(hostile);
        self.incomplete.drain(..self.incomplete.len() - rest_len);
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

impl NotText {
    /// Whether an error came from [`TextOnly`].
    pub(crate) fn is_cause_of(error: &Error) -> bool {
        let source = if let Error::Io { source, .. } = error { source.get_ref() } else { None };
        source.is_some_and(<dyn std::error::Error + Send + Sync>::is::<Self>)
    }

    /// The failure for plaintext that is not text.
    pub(crate) fn failure() -> Failure {
        Failure::usage_with_hint(
            "the plaintext is not text, and is not written to a terminal",
            "name a file with -o FILE, or force it with -o -",
        )
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_fits_every_terminal_and_has_one_form_of_time() {
        let names = [
            "f",
            "film.mkv",
            "a name that is much longer than what is shown of it.mkv",
            "电影电影电影电影电影电影.mkv",
        ];
        let totals = [None, Some(8_000_000), Some(1_234_567_890), Some(987_654_321_000_000)];
        for (name, total, seconds, width) in names.iter().flat_map(|name| {
            totals.iter().flat_map(move |total| {
                [1, 59, 61, 4_000, 1_000_000].into_iter().flat_map(move |seconds| {
                    [0, 1, 10, 20, 40, 60, 80, 200].into_iter().map(move |width| (name, *total, seconds, width))
                })
            })
        }) {
            for done in [1, 7_999_999, 600_000_000] {
                let line = status(name, done, total, Duration::from_secs(seconds), width);
                let columns: usize = line.chars().map(|c| if "█░".contains(c) { 1 } else { columns(c) }).sum();
                assert!(columns < width.max(1), "{width}: {line:?}");
                assert!(!line.contains("second") && !line.contains("minute"), "{line:?}");
            }
        }
        let line = |width| status("film.mkv", 600_000_000, Some(1_200_000_000), Duration::from_secs(61), width);
        assert_eq!(line(40), "film.mkv   50 %  1:01 left  9.84 MB/s");
        let wide = line(80);
        assert!(
            wide.starts_with("film.mkv  ███") && wide.ends_with("   50 %  1:01 left  9.84 MB/s  600.00 MB of 1.20 GB")
        );
        assert_eq!(wide.chars().count(), 79);
        assert_eq!(
            status("film.mkv", 6_000_000, None, Duration::from_secs(3661), 40),
            "film.mkv  1:01:01  6.00 MB  1.64 kB/s"
        );
    }
}
