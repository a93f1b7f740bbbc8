//! What crosses between JavaScript and Rust: errors with their codes, objects as numbers, results of work on other threads.

use napi::Env;
use napi::bindgen_prelude::{JsValue, Object, ToNapiValue};
use napi::sys;
use napi_derive::napi;
use sealstone::Error;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

use crate::pool::Pool;

/// What an export answers; the error's status is its code.
pub type Result<T> = std::result::Result<T, napi::Error<&'static str>>;

/// The code of a bug: a panic, or an argument that our own JavaScript never gives.
const INTERNAL: &str = "internal";

/// The code of a limit that the core does not have.
const TOO_MANY_OBJECTS: &str = "too_many_objects";

/// What a call is left with where no number is free, by way of a panic's since any export may make an object.
struct TooManyObjects;

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

impl From<&Error> for Caught {
    fn from(error: &Error) -> Self {
        let errno = if let Error::Io { source, .. } = error { source.raw_os_error() } else { None };
        Self { code: error.code(), message: error.to_string(), errno }
    }
}

fn caught<T>(work: impl FnOnce() -> sealstone::Result<T>) -> std::result::Result<T, Caught> {
    say_nothing_of_panics();
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHES.set(before);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Caught::from(&error)),
        Err(panic) if panic.is::<TooManyObjects>() => Err(Caught {
            code: TOO_MANY_OBJECTS,
            message: format!(
                "{SLOTS_MAX} keys and hashers are alive on this thread: call destroy() on those that are done"
            ),
            errno: None,
        }),
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

impl From<Caught> for Failure {
    fn from(Caught { code, message, errno }: Caught) -> Self {
        Self { code: code.to_owned(), message, errno }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Caught::from(error).into()
    }
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
            settled
                .map(Value)
                .or_else(|caught| unsafe { ToNapiValue::to_napi_value(env.raw(), Failure::from(caught)).map(Value) })
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

/// A result as memory of JavaScript's own. Memory of the addon's, which `Uint8Array` is made of, cannot be transferred, and is given
/// back between two turns of the event loop only: a loop without turns would keep all of it.
pub struct Bytes(Zeroizing<Vec<u8>>);

impl<T: Into<Vec<u8>>> From<T> for Bytes {
    fn from(bytes: T) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }
}

impl ToNapiValue for Bytes {
    unsafe fn to_napi_value(env: sys::napi_env, Self(bytes): Self) -> napi::Result<sys::napi_value> {
        let (mut buffer, mut memory, mut array) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let mut offset = 0;
        // By way of a Buffer, since that is an error where it is too long, and an `ArrayBuffer` would end the process.
        // SAFETY: `env` is that of the running call, the bytes are there until it returns, and what is not wanted may be null.
        unsafe {
            napi::check_status!(sys::napi_create_buffer_copy(
                env,
                bytes.len(),
                bytes.as_ptr().cast(),
                ptr::null_mut(),
                &raw mut buffer,
            ))?;
            napi::check_status!(sys::napi_get_typedarray_info(
                env,
                buffer,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                &raw mut memory,
                &raw mut offset,
            ))?;
            let kind = sys::TypedarrayType::uint8_array;
            napi::check_status!(sys::napi_create_typedarray(env, kind, bytes.len(), memory, offset, &raw mut array))?;
        }
        Ok(array)
    }
}

/// Objects that JavaScript holds by number. Each thread has its own: a number means nothing in another worker.
struct Held {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// When there are so many slots, and none is free, owners are looked for that are gone.
    sweep_at: usize,
    /// Before then that is of no use, where the last time found none.
    sweep_after: Option<Instant>,
}

struct Slot {
    /// How often it was used before.
    uses: u64,
    entry: Option<Entry>,
}

struct Entry {
    object: Arc<dyn Any + Send + Sync>,
    /// Bytes that it takes, about.
    len: i64,
    owner: Option<Owner>,
}

/// An object of JavaScript's, with which an object of ours goes.
#[derive(Clone, Copy)]
struct Owner {
    env: sys::napi_env,
    weak: sys::napi_ref,
}

/// The low bits of a number are a slot, the others tell its uses apart.
const SLOT_BITS: u32 = 20;
const SLOTS_MAX: u32 = 1 << SLOT_BITS;
/// Fewer slots than this are not looked through.
const SWEEP_MIN: usize = 1 << 12;
/// After a vain look for owners that are gone none is made for this many times as long as it took, or the time below.
const REST_FACTOR: u32 = 4;
const REST_MAX: Duration = Duration::from_secs(1);
/// More than any engine has for its own heap, so that it collects garbage when it is told of it.
const PRESSURE_LEN: i64 = 1 << 40;
/// What an object has on the heap besides itself: up to 1 KiB, but for the 4 KiB of a `hybrid` identity.
const HEAP_LEN: usize = 1 << 10;

thread_local! {
    static HELD: RefCell<Held> =
        const { RefCell::new(Held { slots: Vec::new(), free: Vec::new(), sweep_at: SWEEP_MIN, sweep_after: None }) };
}

impl Held {
    fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= SLOTS_MAX as usize
    }

    /// A number, and which of all the uses of all slots it stands for.
    fn number(&self, slot: u32) -> (u32, u64) {
        let id = self.slots[slot as usize].uses << SLOT_BITS | u64::from(slot);
        // The lower half: what is above it is there for owners that are gone for long.
        (lower(id, u32::MAX), id)
    }

    /// The slot that a number stands for.
    fn slot_of(&self, number: u32) -> Option<u32> {
        let slot = number & (SLOTS_MAX - 1);
        let entry = self.slots.get(slot as usize)?;
        (entry.entry.is_some() && self.number(slot).0 == number).then_some(slot)
    }

    fn entry(&self, number: u32) -> Option<&Entry> {
        self.slots[self.slot_of(number)? as usize].entry.as_ref()
    }

    fn take(&mut self, slot: u32) -> Option<Entry> {
        let entry = self.slots[slot as usize].entry.take()?;
        self.slots[slot as usize].uses += 1;
        self.free.push(slot);
        Some(entry)
    }
}

fn lower(id: u64, mask: u32) -> u32 {
    u32::try_from(id & u64::from(mask)).expect("boundary: a mask has 32 bits")
}

/// Holds an object for JavaScript, until [`release`].
pub fn hold<T: Any + Send + Sync>(object: T) -> u32 {
    let len = i64::try_from(size_of::<T>() + HEAP_LEN).expect("boundary: an object is short");
    hold_shared(Arc::new(object), len)
}

fn hold_shared(object: Arc<dyn Any + Send + Sync>, len: i64) -> u32 {
    if HELD.with_borrow(|held| held.free.is_empty() && held.slots.len() >= held.sweep_at) {
        sweep();
    }
    if HELD.with_borrow(Held::is_full) {
        make_room();
    }
    let number = HELD.with_borrow_mut(|held| {
        if held.is_full() {
            return None;
        }
        let slot = held.free.pop().unwrap_or_else(|| {
            held.slots.push(Slot { uses: 0, entry: None });
            u32::try_from(held.slots.len() - 1).expect("boundary: the slots fit 20 bits")
        });
        held.slots[slot as usize].entry = Some(Entry { object, len, owner: None });
        Some(held.number(slot).0)
    });
    number.unwrap_or_else(|| resume_unwind(Box::new(TooManyObjects)))
}

/// The object of a number.
pub fn held<T: Any + Send + Sync>(number: u32) -> Arc<T> {
    let object = HELD.with_borrow(|held| held.entry(number).map(|entry| Arc::clone(&entry.object)));
    object.and_then(|object| object.downcast().ok()).expect("boundary: a number that stands for no object of this kind")
}

/// Another number for an object, which lives until both are released.
#[napi]
pub fn again(number: u32) -> Result<u32> {
    guard(|| {
        let shared = HELD.with_borrow(|held| held.entry(number).map(|entry| (Arc::clone(&entry.object), entry.len)));
        let (object, len) = shared.expect("boundary: a number that stands for no object");
        Ok(hold_shared(object, len))
    })
}

/// Lets an object of JavaScript's own one of ours, which is released with it: some time after it is collected, between two turns of
/// the event loop, or when there are many. The engine is told of what ours takes, so that it collects in time.
#[napi]
pub fn own(env: Env, number: u32, owner: Object<'_>) -> Result<()> {
    guard(|| {
        let slot = HELD.with_borrow(|held| held.slot_of(number).map(|slot| (slot, held.number(slot).1)));
        let (slot, id) = slot.expect("boundary: a number that stands for no object");
        let id = ptr::without_provenance_mut(usize::try_from(id).expect("boundary: a pointer has 64 bits"));
        let mut weak = ptr::null_mut();
        // SAFETY: the owner is an object of the running call's. What is handed to `collected` is a number and no pointer.
        let status = unsafe {
            sys::napi_add_finalizer(env.raw(), owner.raw(), id, Some(collected), ptr::null_mut(), &raw mut weak)
        };
        assert_eq!(status, sys::Status::napi_ok, "boundary: an object has no finalizer");
        let len = HELD.with_borrow_mut(|held| {
            let entry = held.slots[slot as usize].entry.as_mut().expect("boundary: the slot was just in use");
            assert!(entry.owner.is_none(), "boundary: an object has one owner");
            entry.owner = Some(Owner { env: env.raw(), weak });
            entry.len
        });
        tell_engine(env.raw(), len);
        Ok(())
    })
}

/// Forgets an object; a secret in it is zeroed when the work that uses it has ended. A number that stands for nothing is no
/// error.
#[napi]
pub fn release(number: u32) {
    let entry = HELD.with_borrow_mut(|held| held.slot_of(number).and_then(|slot| held.take(slot)));
    if let Some(entry) = entry {
        forget(entry);
    }
}

/// What the engine calls when an owner is gone.
extern "C" fn collected(_: sys::napi_env, id: *mut c_void, _: *mut c_void) {
    release_use(id.addr() as u64);
}

/// Forgets the object of one use of a slot, unless that has ended.
fn release_use(id: u64) {
    // A thread that ends may be without its table already.
    let entry = HELD.try_with(|held| {
        let mut held = held.borrow_mut();
        let slot = lower(id, SLOTS_MAX - 1);
        if held.number(slot).1 == id { held.take(slot) } else { None }
    });
    if let Ok(Some(entry)) = entry {
        forget(entry);
    }
}

/// Releases the objects whose owners are gone. The engine calls `collected` between two turns of the event loop only, and a loop may
/// make millions of objects in one.
fn sweep() {
    let owned: Vec<(u64, Owner)> = HELD.with_borrow(|held| {
        let slots = held.slots.iter().zip(0..);
        let owned = slots.filter_map(|(slot, at)| Some((held.number(at).1, slot.entry.as_ref()?.owner?)));
        owned.collect()
    });
    for (id, owner) in owned {
        if owner.is_gone() {
            release_use(id);
        }
    }
    HELD.with_borrow_mut(|held| {
        let alive = held.slots.len() - held.free.len();
        // Where all slots are in use `make_room` looks.
        held.sweep_at = if 2 * alive > SLOTS_MAX as usize { usize::MAX } else { (2 * alive).max(SWEEP_MIN) };
    });
}

/// Where all numbers are in use: releases those whose owners are gone, and has the engine look which those are. It takes long where
/// all are alive, so that those who try again and again rest in between.
fn make_room() {
    let begun = Instant::now();
    if HELD.with_borrow(|held| held.sweep_after.is_some_and(|after| begun < after)) {
        return;
    }
    sweep();
    if HELD.with_borrow(Held::is_full) {
        let owner = HELD.with_borrow(|held| held.slots.iter().find_map(|slot| slot.entry.as_ref()?.owner));
        if let Some(Owner { env, .. }) = owner {
            tell_engine(env, PRESSURE_LEN);
            tell_engine(env, -PRESSURE_LEN);
            sweep();
        }
    }
    HELD.with_borrow_mut(|held| {
        held.sweep_after = held.is_full().then(|| Instant::now() + REST_MAX.min(begun.elapsed() * REST_FACTOR));
    });
}

impl Owner {
    fn is_gone(self) -> bool {
        let (mut scope, mut value) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the environment ends after its references, whose objects are forgotten then, and this is its thread. The scope is
        // closed before another is.
        unsafe {
            let opened = sys::napi_open_handle_scope(self.env, &raw mut scope);
            let status = sys::napi_get_reference_value(self.env, self.weak, &raw mut value);
            if opened == sys::Status::napi_ok {
                sys::napi_close_handle_scope(self.env, scope);
            }
            status == sys::Status::napi_ok && value.is_null()
        }
    }
}

fn forget(entry: Entry) {
    if let Some(Owner { env, weak }) = entry.owner {
        // SAFETY: as in `is_gone`, and the reference was in the table until now.
        unsafe { sys::napi_delete_reference(env, weak) };
        tell_engine(env, -entry.len);
    }
}

/// Tells the engine that so many bytes more are its objects' outside its heap.
fn tell_engine(env: sys::napi_env, change: i64) {
    let mut total = 0;
    // SAFETY: this is the environment's thread. The call may collect garbage, and so no table is borrowed here.
    unsafe { sys::napi_adjust_external_memory(env, change, &raw mut total) };
}

/// Lengths are below 2^53 in all that we can hold or have on a disk.
#[allow(clippy::cast_precision_loss)]
pub fn number(value: u64) -> f64 {
    value as f64
}

/// What a mutex holds, also after a panic.
pub fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
