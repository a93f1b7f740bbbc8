//! Handles signals, and protects the process's memory. This module starts and ends the programs of plugins, so that a signal
//! ends them too.

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

/// The terminal's settings to restore after a passphrase is typed with the echo off.
static ECHO: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Forbids core dumps, and other processes of the user from reading this one's memory.
pub(crate) fn protect_process() {
    // If the system refuses, no harm is done yet, and no better way exists.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The signals that end the process, without those that the parent process set to be ignored.
static ENDING_SIGNALS: OnceLock<Vec<i32>> = OnceLock::new();

/// Whether a signal ends the process at once, with no cleanup: unnamed temporary files vanish with it.
static ENDS_AT_ONCE: AtomicBool = AtomicBool::new(true);

/// Installs the handlers: on SIGINT, SIGTERM and SIGHUP, temporary files are removed, the terminal is restored, and the exit status
/// is 130.
pub(crate) fn install_handlers() {
    let ignored = ignored_signals();
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    for signal in ENDING_SIGNALS.get_or_init(|| wanted.collect()) {
        let _ = flag::register_conditional_shutdown(*signal, 130, &ENDS_AT_ONCE);
    }
    sealstone::before_temporaries(start_handler);
    // Writing past the file size limit then fails with an error that names the file, and does not end the process.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Starts the thread that cleans up on a signal. Most processes end without needing it.
pub(crate) fn start_handler() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let Ok(mut signals) = Signals::new(ENDING_SIGNALS.get().into_iter().flatten()) else { return };
        let wait = move || {
            if signals.forever().next().is_some() {
                end_process();
            }
        };
        // Without the thread, the signal itself still ends the process.
        if std::thread::Builder::new().stack_size(64 * 1024).spawn(wait).is_ok() {
            ENDS_AT_ONCE.store(false, Ordering::SeqCst);
        }
    });
}

/// Ends the process as a signal does, after cleaning up.
pub(crate) fn end_process() -> ! {
    restore_echo();
    let mut running = lock_program();
    end_and_remove(&mut running);
    // Held until the process has ended, so that no program is started meanwhile.
    let _none_is_started_now = running;
    let _none_is_made_now = sealstone::remove_temporaries();
    std::process::exit(130)
}

/// `signal-hook` does not name it; the number is the same on Linux, macOS and the BSDs.
const SIGXFSZ: i32 = 25;

/// The signals that the parent process set to be ignored, as `nohup` does: bit n - 1 for signal n.
fn ignored_signals() -> u64 {
    // Read at once, because the kernel generates the text anew for each read.
    let mut status = [0; 4096];
    let len = File::open("/proc/self/status").and_then(|mut file| file.read(&mut status)).unwrap_or(0);
    let status = String::from_utf8_lossy(&status[..len]);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Calls `ask`, which turns the terminal's echo off; a signal meanwhile turns it on again.
pub(crate) fn run_with_echo_restored<T>(ask: impl FnOnce() -> T) -> T {
    start_handler();
    let saved = File::open("/dev/tty").ok().and_then(|tty| Some((tcgetattr(&tty).ok()?, tty)));
    *lock_echo() = saved.map(|(settings, tty)| (tty, settings));
    let answer = ask();
    *lock_echo() = None;
    answer
}

fn restore_echo() {
    if let Some((tty, settings)) = lock_echo().take() {
        let _ = tcsetattr(&tty, OptionalActions::Now, &settings);
    }
}

fn lock_echo() -> std::sync::MutexGuard<'static, Option<(File, Termios)>> {
    ECHO.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A running program, and the folder that was created for it.
pub(crate) struct Program {
    pub(crate) child: Child,
    pub(crate) folder: PathBuf,
}

/// The running program, which a signal also ends.
static PROGRAM: Mutex<Option<Program>> = Mutex::new(None);

/// The interval for polling a program that is about to end, and the time it has to clean up after SIGTERM.
const POLL_INTERVAL: Duration = Duration::from_micros(500);
const CLEAN_UP_TIME: Duration = Duration::from_millis(500);

fn lock_program() -> MutexGuard<'static, Option<Program>> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program that ends with this process, or with [`end_program`]. A signal waits for `start`, so it cannot come between
/// creating the folder, starting the program and recording it. `start` must clean up if it fails.
pub(crate) fn start_program<T>(start: impl FnOnce() -> io::Result<(Program, T)>) -> io::Result<T> {
    start_handler();
    let mut running = lock_program();
    let (new, other) = start()?;
    *running = Some(new);
    Ok(other)
}

/// Waits up to `timeout` for the program to end by itself.
pub(crate) fn wait_for_program(timeout: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + timeout;
    loop {
        // The lock is released between polls, so that a signal can end the program.
        let ended = lock_program().as_mut().and_then(|program| program.child.try_wait().ok()).flatten();
        if ended.is_some() || Instant::now() >= until {
            return ended;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Ends the program if it still runs, and removes its folder.
pub(crate) fn end_program() {
    // Locked until the program has ended: another caller can only be the handler, which is about to end the process.
    end_and_remove(&mut lock_program());
}

fn end_and_remove(running: &mut Option<Program>) {
    let Some(mut ended) = running.take() else { return };
    let until = Instant::now() + CLEAN_UP_TIME;
    if matches!(ended.child.try_wait(), Ok(None)) {
        // The program may have to release a hardware token.
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&ended.child),
            rustix::process::Signal::TERM,
        );
        while matches!(ended.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
    let _ = ended.child.kill();
    let _ = ended.child.wait();
    let _ = std::fs::remove_dir_all(&ended.folder);
}
