//! Signals, and what a process that holds secrets should not allow.

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The settings of the terminal while a passphrase is typed with its echo off.
static ECHO: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// No core dumps, and no other process of the user may read this one's memory.
pub(crate) fn protect_process() {
    // Where the system refuses there is no harm done yet, and nothing better to do.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Those that end the process, unless whoever started it wants them ignored.
static WANTED: OnceLock<Vec<i32>> = OnceLock::new();

/// Whether a signal ends the process by itself: nothing is left then, since files without a name end with it.
static ENDS_AT_ONCE: AtomicBool = AtomicBool::new(true);

/// On SIGINT, SIGTERM and SIGHUP: temporary files are removed, the terminal is as it was, exit status 130.
pub(crate) fn watch() {
    let ignored = ignored_signals();
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    for signal in WANTED.get_or_init(|| wanted.collect()) {
        let _ = flag::register_conditional_shutdown(*signal, 130, &ENDS_AT_ONCE);
    }
    sealstone::before_temporaries(catch);
    // A file that grows over the process's limit is an error of the write, which names the file, and no sudden end.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Begins the thread that cleans up on a signal. Most processes end without one.
pub(crate) fn catch() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let Ok(mut signals) = Signals::new(WANTED.get().into_iter().flatten()) else { return };
        let wait = move || {
            if signals.forever().next().is_some() {
                end();
            }
        };
        // Without it nobody can clean up: the signal itself goes on to end the process.
        if std::thread::Builder::new().stack_size(64 * 1024).spawn(wait).is_ok() {
            ENDS_AT_ONCE.store(false, Ordering::SeqCst);
        }
    });
}

/// Ends the process as a signal does.
pub(crate) fn end() -> ! {
    restore_echo();
    let mut running = program();
    end_and_remove(&mut running);
    // Held until the process has ended, so that no other is started.
    let _none_is_started_now = running;
    let _none_is_made_now = sealstone::remove_temporaries();
    std::process::exit(130)
}

/// Not among the names of `signal-hook`; the same number on Linux, macOS and the BSDs.
const SIGXFSZ: i32 = 25;

/// The signals that whoever started us wants ignored, as `nohup` does: bit n - 1 for signal n.
fn ignored_signals() -> u64 {
    // One read: the kernel writes the whole text anew for each.
    let mut status = [0; 4096];
    let len = File::open("/proc/self/status").and_then(|mut file| file.read(&mut status)).unwrap_or(0);
    let status = String::from_utf8_lossy(&status[..len]);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Calls `ask`, which turns the echo of the terminal off for a while; a signal turns it on again.
pub(crate) fn with_echo_restored<T>(ask: impl FnOnce() -> T) -> T {
    catch();
    let saved = File::open("/dev/tty").ok().and_then(|tty| Some((tcgetattr(&tty).ok()?, tty)));
    *echo() = saved.map(|(settings, tty)| (tty, settings));
    let answer = ask();
    *echo() = None;
    answer
}

fn restore_echo() {
    if let Some((tty, settings)) = echo().take() {
        let _ = tcsetattr(&tty, OptionalActions::Now, &settings);
    }
}

fn echo() -> std::sync::MutexGuard<'static, Option<(File, Termios)>> {
    ECHO.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A program that runs for this process, and the folder that was made for it.
pub(crate) struct Program {
    pub(crate) child: Child,
    pub(crate) folder: PathBuf,
}

/// The one that runs, which a signal ends too.
static PROGRAM: Mutex<Option<Program>> = Mutex::new(None);

/// How often a program is looked at that is about to end, and what it has for that when it is told to.
const LOOK_EVERY: Duration = Duration::from_micros(500);
const TO_CLEAN_UP: Duration = Duration::from_millis(500);

fn program() -> MutexGuard<'static, Option<Program>> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program that ends with this process, or with [`end_program`]. A signal waits for `start`, which leaves nothing behind
/// when it fails: so no signal comes between the folder, the program and this.
pub(crate) fn start_program<T>(start: impl FnOnce() -> io::Result<(Program, T)>) -> io::Result<T> {
    catch();
    let mut running = program();
    let (new, other) = start()?;
    *running = Some(new);
    Ok(other)
}

/// Waits so long for the program to end by itself.
pub(crate) fn wait_for_program(timeout: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + timeout;
    loop {
        // A signal ends it between two looks.
        let ended = program().as_mut().and_then(|program| program.child.try_wait().ok()).flatten();
        if ended.is_some() || Instant::now() >= until {
            return ended;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Ends the program, if it has not ended, and removes its folder.
pub(crate) fn end_program() {
    // Held until it has ended: whoever comes beside this is about to end the process.
    end_and_remove(&mut program());
}

fn end_and_remove(running: &mut Option<Program>) {
    let Some(mut ended) = running.take() else { return };
    let until = Instant::now() + TO_CLEAN_UP;
    if matches!(ended.child.try_wait(), Ok(None)) {
        // It may have a token to let go.
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&ended.child),
            rustix::process::Signal::TERM,
        );
        while matches!(ended.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(LOOK_EVERY);
        }
    }
    let _ = ended.child.kill();
    let _ = ended.child.wait();
    let _ = std::fs::remove_dir_all(&ended.folder);
}
