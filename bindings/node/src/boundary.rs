//! What crosses between JavaScript and Rust: errors with their codes, numbers, memory, results of work on other threads.

use napi::Env;
use napi::bindgen_prelude::{Either, Object, ToNapiValue};
use napi::sys;
use sealstone::Error;
use sealstone_engine::text::{TextOrBytes, taken};
use sealstone_engine::{Failure, Work, caught};
use std::hint::black_box;
use std::ptr::{self, null_mut as null};
use zeroize::Zeroizing;

/// What an export answers; the error's status is its code.
pub type Result<T> = std::result::Result<T, napi::Error<&'static str>>;

/// What an export answers that runs work somewhere else.
pub type Promise<'env> = Option<Object<'env>>;

/// Runs an export's work. A panic becomes an error.
pub fn guard<T>(work: impl FnOnce() -> sealstone::Result<T>) -> Result<T> {
    caught(work).map_err(thrown)
}

/// A failure as JavaScript's error.
pub fn thrown(failure: impl Into<Failure>) -> napi::Error<&'static str> {
    let failure = failure.into();
    napi::Error::new(failure.code, failure.message)
}

objects! {
    /// What a promise of the addon is fulfilled with when the work failed; JavaScript throws it.
    Failed of failure => Failure {
        code: String = failure.code.to_owned(), message: String = failure.message, errno: Option<i32> = failure.errno,
    }
}

/// A value that is JavaScript's already.
struct Value(sys::napi_value);

impl ToNapiValue for Value {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.0)
    }
}

/// Runs work on one of its threads; its result becomes a promise's value in `finish`, on JavaScript's thread.
pub fn promise<W, T, F>(
    env: &Env,
    work: impl Into<Option<Work<F>>>,
    finish: impl FnOnce(W) -> T + Send + 'static,
) -> Result<Promise<'_>>
where
    W: Send + 'static,
    T: ToNapiValue + 'static,
    F: FnOnce() -> sealstone::Result<W> + Send + 'static,
{
    let Some(work) = work.into() else { return Ok(None) };
    let made = env.create_deferred::<Value, _>();
    let (deferred, promise) = made.map_err(|error| thrown(Failure::internal(error.reason.clone())))?;
    work.on_pool(move |done| {
        deferred.resolve(move |env: Env| {
            let settled = done.and_then(|done| caught(|| Ok(finish(done)))).and_then(|value| value_of(env, value));
            // SAFETY: this is JavaScript's thread, and `env` is that of the running call.
            settled
                .map(Value)
                .or_else(|failure| unsafe { ToNapiValue::to_napi_value(env.raw(), Failed::from(failure)).map(Value) })
        });
    });
    Ok(Some(promise))
}

/// A value of JavaScript's. The engine refuses what is longer than its arrays; left to napi-rs the promise would never settle,
/// since the engine's error is still to be thrown.
fn value_of<T: ToNapiValue>(env: Env, value: T) -> std::result::Result<sys::napi_value, Failure> {
    // SAFETY: as in `promise`.
    unsafe { ToNapiValue::to_napi_value(env.raw(), value) }.map_err(|_| {
        let mut error = null();
        // SAFETY: `env` is that of the running call. Without an exception this gives `undefined`, which nobody reads.
        unsafe { sys::napi_get_and_clear_last_exception(env.raw(), &raw mut error) };
        let message = "the result is longer than an array can be".to_owned();
        Failure { code: Error::TooLong.code(), message, errno: None }
    })
}

/// A result as memory of JavaScript's own. Memory of the addon's, which `Uint8Array` is made of, cannot be transferred, and is given
/// back between two turns of the event loop only: a loop without turns would keep all of it.
pub struct Bytes(pub Zeroizing<Vec<u8>>);

impl<T: Into<Vec<u8>>> From<T> for Bytes {
    fn from(bytes: T) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }
}

/// A form of a key.
pub fn text_or_bytes(form: TextOrBytes) -> Either<String, Bytes> {
    match form {
        TextOrBytes::Text(text) => Either::A(taken(text)),
        TextOrBytes::Bytes(bytes) => Either::B(Bytes(bytes)),
    }
}

impl ToNapiValue for Bytes {
    unsafe fn to_napi_value(env: sys::napi_env, Self(bytes): Self) -> napi::Result<sys::napi_value> {
        // SAFETY: as here, and the new memory has as many bytes.
        unsafe {
            let (at, array) = array(env, bytes.len())?;
            ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            Ok(array)
        }
    }
}

/// Memory of JavaScript's of so many bytes, for a result. What is in it was something else before.
pub struct Fresh(pub u64);

impl ToNapiValue for Fresh {
    unsafe fn to_napi_value(env: sys::napi_env, Self(len): Self) -> napi::Result<sys::napi_value> {
        let len = usize::try_from(len).expect("boundary: a length has 64 bits");
        // SAFETY: as here.
        unsafe { array(env, len) }.map(|(_, array)| array)
    }
}

/// An array over memory of its own, and where that is.
///
/// # Safety
/// `env` is that of the running call.
unsafe fn array(env: sys::napi_env, len: usize) -> napi::Result<(*mut u8, sys::napi_value)> {
    check_room(env, len)?;
    let (mut at, mut buffer, mut memory, mut offset, mut array) = (null(), null(), null(), 0, null());
    // By way of a Buffer, since that is an error where it is too long, and an `ArrayBuffer` would end the process.
    // SAFETY: as here, and what is not wanted may be null.
    unsafe {
        napi::check_status!(sys::napi_create_buffer(env, len, &raw mut at, &raw mut buffer))?;
        let (kind, memory, offset) = (sys::TypedarrayType::uint8_array, &raw mut memory, &raw mut offset);
        napi::check_status!(sys::napi_get_typedarray_info(env, buffer, null(), null(), null(), memory, offset))?;
        napi::check_status!(sys::napi_create_typedarray(env, kind, len, *memory, *offset, &raw mut array))?;
    }
    Ok((at.cast(), array))
}

/// Throws the engine's own error where there is no room for so many bytes: of an addon's array the engine ends the process then.
fn check_room(env: sys::napi_env, len: usize) -> napi::Result<()> {
    /// What is shorter a process without room fails at elsewhere.
    const LONG: usize = 1 << 20;
    let mut room = Vec::<u8>::new();
    // The engine asks the same allocator, next. The optimizer would leave out memory that nobody looks at.
    if len < LONG || black_box(&mut room).try_reserve_exact(len).is_ok() {
        black_box(&room);
        return Ok(());
    }
    // SAFETY: `env` is that of the running call; there is no code, and the message ends with a zero.
    unsafe { sys::napi_throw_range_error(env, ptr::null(), c"Array buffer allocation failed".as_ptr()) };
    Err(napi::Error::new(napi::Status::PendingException, "boundary: there is no room for a result"))
}
