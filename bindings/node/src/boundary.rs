//! What crosses between JavaScript and Rust: errors with their codes, objects as numbers, results of work on other threads.

use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::sys;
use napi_derive::napi;
use sealstone::Error;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, Once};

use crate::pool::Pool;

/// What an export answers; the error's status is its code.
pub type Result<T> = std::result::Result<T, napi::Error<&'static str>>;

/// The code of a bug: a panic, or an argument that our own JavaScript never gives.
const INTERNAL: &str = "internal";

/// Runs an export's work. A panic becomes an error.
pub fn guard<T>(work: impl FnOnce() -> sealstone::Result<T>) -> Result<T> {
    caught(work).map_err(|failure| napi::Error::new(failure.code, failure.message))
}

/// A failure on its way from another thread.
pub struct Caught {
    code: &'static str,
    message: String,
    /// The system's number for what it refused.
    errno: Option<i32>,
}

fn caught<T>(work: impl FnOnce() -> sealstone::Result<T>) -> std::result::Result<T, Caught> {
    say_nothing_of_panics();
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHES.set(before);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let errno = if let Error::Io { source, .. } = &error { source.raw_os_error() } else { None };
            Err(Caught { code: error.code(), message: error.to_string(), errno })
        }
        Err(panic) => {
            // Panics of ours say which module is wrong, and name no data.
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let place = PLACE.take().map(|place| format!(" ({place})")).unwrap_or_default();
            let message = format!("a bug in Sealstone: {}{place}", text.unwrap_or("unknown"));
            Err(Caught { code: INTERNAL, message, errno: None })
        }
    }
}

thread_local! {
    /// Whether a panic on this thread becomes an error of JavaScript's.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
    /// Where the last one was: a file's name, and the line.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that becomes an error is told by the error, which has its words: a library writes nothing to stderr.
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

/// What a promise of the addon is fulfilled with when the work failed; JavaScript throws it.
#[napi(object)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub errno: Option<i32>,
}

type Settle = Box<dyn FnOnce(Env) -> napi::Result<Value>>;

/// A value that is JavaScript's already.
struct Value(sys::napi_value);

impl ToNapiValue for Value {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.0)
    }
}

/// Runs `work` on a pool; its result becomes a promise's value in `finish`, on JavaScript's thread.
pub fn promise<'env, W: Send + 'static, T: ToNapiValue + 'static>(
    env: &'env Env,
    pool: &'static Pool,
    work: impl FnOnce() -> sealstone::Result<W> + Send + 'static,
    finish: impl FnOnce(W) -> T + Send + 'static,
) -> Result<Object<'env>> {
    let (deferred, promise) =
        env.create_deferred::<Value, Settle>().map_err(|error| napi::Error::new(INTERNAL, error.reason.clone()))?;
    pool.run(Box::new(move || {
        let done = caught(work);
        deferred.resolve(Box::new(move |env| {
            let settled = done.and_then(|done| caught(|| Ok(finish(done)))).and_then(|value| value_of(env, value));
            // SAFETY: this is JavaScript's thread, and `env` is that of the running call.
            settled.map(Value).or_else(|Caught { code, message, errno }| unsafe {
                ToNapiValue::to_napi_value(env.raw(), Failure { code: code.to_owned(), message, errno }).map(Value)
            })
        }));
    }));
    Ok(promise)
}

/// A value of JavaScript's. The engine refuses what is longer than its arrays; left to napi-rs the promise would never settle,
/// since the engine's error is still to be thrown.
fn value_of<T: ToNapiValue>(env: Env, value: T) -> std::result::Result<sys::napi_value, Caught> {
    // SAFETY: as in `promise`.
    unsafe { ToNapiValue::to_napi_value(env.raw(), value) }.map_err(|_| {
        let mut error = ptr::null_mut();
        // SAFETY: `env` is that of the running call. Without an exception this gives `undefined`, which nobody reads.
        unsafe { sys::napi_get_and_clear_last_exception(env.raw(), &raw mut error) };
        Caught {
            code: Error::TooLong.code(),
            message: "the result is longer than an array can be".to_owned(),
            errno: None,
        }
    })
}

/// Objects that JavaScript holds by number. Each thread has its own: a number means nothing in another worker.
struct Held {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

struct Slot {
    generation: u32,
    object: Option<Arc<dyn Any + Send + Sync>>,
}

/// The low bits of a number are a slot, the others tell its uses apart.
const SLOT_BITS: u32 = 20;
const GENERATIONS: u32 = 1 << (u32::BITS - SLOT_BITS);

thread_local! {
    static HELD: RefCell<Held> = const { RefCell::new(Held { slots: Vec::new(), free: Vec::new() }) };
}

/// Holds an object for JavaScript, until [`release`].
pub fn hold<T: Any + Send + Sync>(object: T) -> u32 {
    hold_shared(Arc::new(object))
}

fn hold_shared(object: Arc<dyn Any + Send + Sync>) -> u32 {
    HELD.with_borrow_mut(|held| {
        let slot = held.free.pop().unwrap_or_else(|| {
            held.slots.push(Slot { generation: 0, object: None });
            u32::try_from(held.slots.len() - 1).expect("boundary: the slots fit 20 bits")
        });
        assert!(slot < 1 << SLOT_BITS, "boundary: over a million objects are alive");
        let entry = &mut held.slots[slot as usize];
        entry.object = Some(object);
        entry.generation << SLOT_BITS | slot
    })
}

/// The object of a number.
pub fn held<T: Any + Send + Sync>(number: u32) -> Arc<T> {
    let object = found(number).and_then(|object| object.downcast().ok());
    object.expect("boundary: a number that stands for no object of this kind")
}

fn found(number: u32) -> Option<Arc<dyn Any + Send + Sync>> {
    HELD.with_borrow(|held| {
        let entry = held.slots.get((number & ((1 << SLOT_BITS) - 1)) as usize)?;
        if entry.generation == number >> SLOT_BITS { entry.object.clone() } else { None }
    })
}

/// Another number for an object, which lives until both are released.
#[napi]
pub fn again(number: u32) -> Result<u32> {
    guard(|| Ok(hold_shared(found(number).expect("boundary: a number that stands for no object"))))
}

/// Forgets an object; a secret in it is zeroed when the work that uses it has ended. A number that stands for nothing is no
/// error.
#[napi]
pub fn release(number: u32) {
    let object = HELD.with_borrow_mut(|held| {
        let slot = number & ((1 << SLOT_BITS) - 1);
        let entry = held.slots.get_mut(slot as usize)?;
        if entry.generation != number >> SLOT_BITS || entry.object.is_none() {
            return None;
        }
        entry.generation = (entry.generation + 1) % GENERATIONS;
        held.free.push(slot);
        entry.object.take()
    });
    drop(object);
}
