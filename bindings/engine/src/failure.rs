//! The failure of a call of a binding: an error of core's, or a bug.

use crate::handles::NoObject;
use sealstone::interop::fise;
use sealstone::{Error, KeyFileError};
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The code of a bug: a panic, or an argument that the binding's own code never gives.
const INTERNAL: &str = "internal";

/// The code of a limit that core does not have.
const TOO_MANY_OBJECTS: &str = "too_many_objects";

/// The code of an argument that no type of the caller's language refuses, and of an object that is used after its end.
const INVALID_ARGUMENT: &str = "invalid_argument";

/// A failure as every language shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A name that never changes.
    pub code: &'static str,
    /// The message, without the code.
    pub message: String,
    /// The system's number for what it refused.
    pub errno: Option<i32>,
    /// The chunk of a file that is not authentic.
    pub chunk: Option<u64>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let errno = if let Error::Io { source, .. } = error { source.raw_os_error() } else { None };
        let chunk = if let Error::NotAuthentic { chunk } = error { *chunk } else { None };
        Self { code: error.code(), message: error.to_string(), errno, chunk }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<KeyFileError> for Failure {
    /// With the line, where the file has lines.
    fn from(error: KeyFileError) -> Self {
        Self { message: error.to_string(), ..Self::from(&error.error) }
    }
}

impl From<fise::Error> for Failure {
    fn from(error: fise::Error) -> Self {
        match error {
            fise::Error::Core(error) => error.into(),
            other => Self { code: other.code(), message: other.to_string(), errno: None, chunk: None },
        }
    }
}

impl From<NoObject> for Failure {
    fn from(error: NoObject) -> Self {
        let code = if error == NoObject::Full { TOO_MANY_OBJECTS } else { INTERNAL };
        Self { errno: None, chunk: None, code, message: error.to_string() }
    }
}

impl Failure {
    /// Of a bug.
    pub fn internal(message: String) -> Self {
        Self { code: INTERNAL, message, errno: None, chunk: None }
    }

    /// Of an argument that is wrong in a way that only the caller's own code can cause.
    pub fn invalid_argument(message: String) -> Self {
        Self { code: INVALID_ARGUMENT, message, errno: None, chunk: None }
    }
}

/// Ends the call, since its caller used an object after its end, or gave memory of another length.
///
/// # Panics
/// Always; [`guarded`] makes it a failure.
#[track_caller]
pub fn misused(message: impl Display) -> ! {
    MISUSED.set(true);
    panic!("{message}")
}

/// Runs what a binding exports. A panic becomes a failure; it names no data.
pub fn caught<T>(work: impl FnOnce() -> sealstone::Result<T>) -> Result<T, Failure> {
    guarded(|| work().map_err(Failure::from))
}

/// As [`caught`], of work that says its failures itself.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    guard(work, false)
}

/// As [`guarded`], for a language whose users give the arguments of calls themselves: their mistakes are no bugs of ours.
pub fn guarded_of_users<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    guard(work, true)
}

fn guard<T>(work: impl FnOnce() -> Result<T, Failure>, is_of_users: bool) -> Result<T, Failure> {
    say_nothing_of_panics();
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHES.set(before);
    let panic = match result {
        Ok(result) => return result,
        Err(panic) => panic,
    };
    if let Some(full) = panic.downcast_ref::<NoObject>() {
        return Err(Failure::from(*full));
    }
    // Panics of ours say which module is wrong, and name no data.
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    let (is_misuse, place) = (MISUSED.take(), PLACE.take());
    Err(if is_misuse && is_of_users {
        Failure::invalid_argument(text.to_owned())
    } else {
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        Failure::internal(format!("a bug in Sealstone: {text}{place}"))
    })
}

thread_local! {
    /// Whether a panic on this thread becomes a failure.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
    /// Whether the last one is a mistake of the call's caller.
    static MISUSED: Cell<bool> = const { Cell::new(false) };
    /// Where the last one was: a file's name, and the line.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that becomes a failure is told by that, which has its words: a library writes nothing to stderr.
fn say_nothing_of_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHES.get() {
                let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
                PLACE.set(info.location().map(|place| format!("{}:{}", name(place.file()), place.line())));
            } else {
                others(info);
            }
        }));
    });
}
