//! Objects that JavaScript holds by number, and how they go with objects of its own.

use crate::answer::{Answer, Env, Returned, Value};
use crate::call::{Call, Export};
use napi::sys;
use sealstone_engine::{Delivery, Handles, Job, Object, Owner, Wanted};
use std::any::Any;
use std::ffi::c_void;
use std::panic::resume_unwind;
use std::ptr;
use std::sync::Arc;

/// More than any heap of JavaScript's, so that garbage is collected when it is told of it.
const PRESSURE_LEN: i64 = 1 << 40;

thread_local! {
    /// Each thread has its own: a number means nothing in another worker.
    static HELD: Handles<Weak> = const { Handles::new() };
}

/// Holds an object for JavaScript, until [`release`].
pub fn hold<T: Any + Send + Sync>(object: T) -> u32 {
    HELD.with(|held| held.hold(object))
}

pub fn held<T: Any + Send + Sync>(number: u32) -> Arc<T> {
    HELD.with(|held| held.get(number))
}

/// Works with an object, and with no other.
pub fn with<T: Any, R>(number: u32, work: impl FnOnce(&T) -> R) -> R {
    HELD.with(|held| held.with(number, work))
}

/// An object whose number ends with this use.
pub fn last<T: Any + Send + Sync>(number: u32) -> Arc<T> {
    HELD.with(|held| (held.get(number), held.release(number)).0)
}

pub fn hold_any(object: Object) -> u32 {
    HELD.with(|held| held.try_hold_any(object)).unwrap_or_else(|full| resume_unwind(Box::new(full)))
}

pub fn hold_all<T: Any + Send + Sync>(objects: Vec<T>) -> Vec<u32> {
    objects.into_iter().map(hold).collect()
}

pub fn all<T: Any + Send + Sync>(numbers: &[u32]) -> Vec<Arc<T>> {
    numbers.iter().map(|one| held(*one)).collect()
}

pub fn job_of(number: u32) -> Arc<Job> {
    held::<Wanted>(number).job()
}

/// The exports that are no calls of the engine: they are about objects of JavaScript's.
pub const EXPORTS: [(&str, Export); 4] = [("again", again), ("release", release), ("own", own), ("memory", memory)];

fn again(call: &Call) -> Returned {
    HELD.with(|held| held.again(call.number(0))).put(call.env())
}

fn release(call: &Call) -> Returned {
    HELD.with(|held| held.release(call.number(0))).put(call.env())
}

/// Lets an object of JavaScript's own one of ours, which is released with it: some time after it is collected, between two turns of the
/// event loop, or when there are many. The garbage collector is told the size of ours, so that it collects in time.
fn own(call: &Call) -> Returned {
    let (Env(env), owner) = (call.env(), call.value(1));
    let len = HELD.with(|held| {
        held.own(call.number(0), |id| {
            let id = ptr::without_provenance_mut(usize::try_from(id).expect("handles: a pointer has 64 bits"));
            let mut weak = ptr::null_mut();
            // SAFETY: the owner is an object of the running call's. `collected` is handed a number and no pointer.
            let status =
                unsafe { sys::napi_add_finalizer(env, owner, id, Some(collected), ptr::null_mut(), &raw mut weak) };
            assert_eq!(status, sys::Status::napi_ok, "handles: an object has no finalizer");
            Weak { env, weak }
        })
    });
    tell_collector(env, len);
    Ok(Value::NOTHING)
}

/// Memory for a result that comes in parts.
fn memory(call: &Call) -> Returned {
    call.env().array(call.size(0)).map(|(_, array)| array)
}

/// Ends the owner's use of its object. Node calls this when an owner is gone.
extern "C" fn collected(_: sys::napi_env, id: *mut c_void, _: *mut c_void) {
    // A thread that ends may be without its table already.
    _ = HELD.try_with(|held| held.release_use(id.addr() as u64));
}

#[derive(Clone, Copy)]
struct Weak {
    env: sys::napi_env,
    weak: sys::napi_ref,
}

impl Owner for Weak {
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

    fn forget(self, len: i64) {
        // SAFETY: as in `is_gone`, and the reference was in the table until now.
        unsafe { sys::napi_delete_reference(self.env, self.weak) };
        tell_collector(self.env, -len);
    }

    fn collect(self) {
        tell_collector(self.env, PRESSURE_LEN);
        tell_collector(self.env, -PRESSURE_LEN);
    }
}

/// Tells the garbage collector that so many bytes more are its objects' outside its heap. It may collect then.
fn tell_collector(env: sys::napi_env, change: i64) {
    let mut total = 0;
    // SAFETY: this is the environment's thread.
    unsafe { sys::napi_adjust_external_memory(env, change, &raw mut total) };
}

/// A long result is held, and fetched in turns of the event loop.
impl Answer for Delivery {
    fn put(self, env: Env) -> Returned {
        match self {
            Self::AtOnce(bytes) => bytes.put(env),
            Self::InTurns(rest, len) => {
                env.object(&[(c"undelivered", hold(rest).put(env)?), (c"length", len.put(env)?)])
            }
            Self::Text(text) => text.put(env),
        }
    }
}
