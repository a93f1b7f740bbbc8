//! The failure of a call of a binding: an error of core's, or a bug.

use crate::handles::NoObject;
use sealstone::{Error, KeyFileError};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind, panic_any};
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

/// What a caller did wrong, as a panic. In JavaScript and Python our own code is the caller, which makes it a bug.
struct Misuse(String);

/// Ends the call, since its caller used an object after its end, or gave memory of another length.
///
/// # Panics
/// Always; [`guarded`] makes it a failure.
pub fn misused(message: impl Into<String>) -> ! {
    panic_any(Misuse(message.into()))
}

/// Runs what a binding exports. A panic becomes a failure; it names no data.
pub fn caught<T>(work: impl FnOnce() -> sealstone::Result<T>) -> Result<T, Failure> {
    guarded(|| work().map_err(Failure::from))
}

/// As [`caught`], of work that says its failures itself.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    say_nothing_of_panics();
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHES.set(before);
    match result {
        Ok(result) => result,
        Err(panic) => Err(of_panic(&*panic)),
    }
}

fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    if let Some(full) = panic.downcast_ref::<NoObject>() {
        return Failure::from(*full);
    }
    if let Some(Misuse(message)) = panic.downcast_ref() {
        return Failure::invalid_argument(message.clone());
    }
    // Panics of ours say which module is wrong, and name no data.
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let place = PLACE.take().map(|place| format!(" ({place})")).unwrap_or_default();
    Failure::internal(format!("a bug in Sealstone: {}{place}", text.unwrap_or("unknown")))
}

thread_local! {
    /// Whether a panic on this thread becomes a failure.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
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
