//! Objects that another language holds by number.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An object of the other language's with which one of ours goes: its garbage collector finds it, some time after nobody else does.
pub trait Owner: Copy + 'static {
    /// Whether it was collected.
    fn is_gone(self) -> bool;

    /// It owns nothing of ours any more; that took about `len` bytes.
    fn forget(self, len: i64);

    /// Has the garbage collector look for what is gone, now.
    fn collect(self);
}

/// Objects by number, for one thread of the other language. A number says how often its slot was used before, so that a stale one
/// finds nothing. Nothing of this is borrowed while an [`Owner`] is asked, so a garbage collector may call back.
pub struct Handles<O> {
    table: RefCell<Table<O>>,
    /// Before then a look for owners that are gone is of no use, where the last one found none.
    sweep_after: Cell<Option<Instant>>,
}

/// After a vain look for owners that are gone none is made for this many times as long as it took, or the time below.
const REST_FACTOR: u32 = 4;
const REST_MAX: Duration = Duration::from_secs(1);

impl<O: Owner> Handles<O> {
    /// No objects.
    #[must_use]
    pub const fn new() -> Self {
        Self { table: RefCell::new(Table::new()), sweep_after: Cell::new(None) }
    }

    /// Holds an object until [`release`](Self::release).
    ///
    /// # Panics
    /// When no number is free; [`caught`](crate::caught) makes it the failure `too_many_objects`.
    pub fn hold<T: Any + Send + Sync>(&self, object: T) -> u32 {
        self.try_hold(object).unwrap_or_else(|full| resume_unwind(Box::new(full)))
    }

    /// As [`hold`](Self::hold), where a panic ends the program.
    ///
    /// # Errors
    /// [`NoObject::Full`].
    pub fn try_hold<T: Any + Send + Sync>(&self, object: T) -> Result<u32, NoObject> {
        self.try_hold_any(Object::new(object))
    }

    /// As [`try_hold`](Self::try_hold), of an object of any kind.
    ///
    /// # Errors
    /// [`NoObject::Full`].
    pub fn try_hold_any(&self, object: Object) -> Result<u32, NoObject> {
        self.hold_entry(Entry { object, owner: None })
    }

    /// The object of a number.
    ///
    /// # Panics
    /// When the number stands for no object of this kind.
    pub fn get<T: Any + Send + Sync>(&self, number: u32) -> Arc<T> {
        self.find(number).expect("handles: a number that stands for no object of this kind")
    }

    /// As [`get`](Self::get), where a panic ends the program.
    ///
    /// # Errors
    /// [`NoObject::Unknown`].
    pub fn find<T: Any + Send + Sync>(&self, number: u32) -> Result<Arc<T>, NoObject> {
        self.find_any(number)?.shared.downcast().map_err(|_| NoObject::Unknown)
    }

    /// As [`find`](Self::find), of an object of any kind.
    ///
    /// # Errors
    /// [`NoObject::Unknown`].
    pub fn find_any(&self, number: u32) -> Result<Object, NoObject> {
        self.table.borrow().entry(number).map(|entry| entry.object.clone()).ok_or(NoObject::Unknown)
    }

    /// Works with the object of a number. Its uses are not counted, which takes as long as a cipher takes for a few blocks.
    ///
    /// # Panics
    /// As [`get`](Self::get), and when the work holds or releases an object.
    pub fn with<T: Any, R>(&self, number: u32, work: impl FnOnce(&T) -> R) -> R {
        let table = self.table.borrow();
        let object = table.entry(number).and_then(|entry| entry.object.kind());
        work(object.expect("handles: a number that stands for no object of this kind"))
    }

    /// Another number for an object, which lives until both are released.
    ///
    /// # Panics
    /// As [`hold`](Self::hold), and when the number stands for nothing.
    pub fn again(&self, number: u32) -> u32 {
        self.try_again(number).unwrap_or_else(|error| match error {
            NoObject::Unknown => panic!("handles: a number that stands for no object"),
            NoObject::Full => resume_unwind(Box::new(error)),
        })
    }

    /// As [`again`](Self::again), where a panic ends the program.
    ///
    /// # Errors
    /// Either of [`NoObject`].
    pub fn try_again(&self, number: u32) -> Result<u32, NoObject> {
        self.try_hold_any(self.find_any(number)?)
    }

    /// How many objects there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let table = self.table.borrow();
        table.slots.len() - table.free.len()
    }

    /// Gives an object an owner. `make` makes it, of the use of the number that [`release_use`](Self::release_use) then ends. Returns
    /// how many bytes the object takes, about.
    ///
    /// # Panics
    /// When the number stands for nothing, or the object has an owner.
    pub fn own(&self, number: u32, make: impl FnOnce(u64) -> O) -> i64 {
        let slot = self.table.borrow().slot_of(number).expect("handles: a number that stands for no object");
        let has_owner = self.table.borrow().entry(number).is_some_and(|entry| entry.owner.is_some());
        assert!(!has_owner, "handles: an object has one owner");
        let id = self.table.borrow().id(slot);
        let owner = make(id);
        let mut table = self.table.borrow_mut();
        let entry = table.slots[slot as usize].entry.as_mut().expect("handles: the slot was just in use");
        entry.owner = Some(owner);
        entry.object.len
    }

    /// Forgets an object; a secret in it is zeroed when the work that uses it has ended. A number that stands for nothing is no
    /// error.
    pub fn release(&self, number: u32) {
        let slot = self.table.borrow().slot_of(number);
        forget(slot.and_then(|slot| self.table.borrow_mut().take(slot)));
    }

    /// Forgets the object of one use of a number, unless that has ended.
    pub fn release_use(&self, id: u64) {
        let slot = lower(id, SLOTS_MAX - 1);
        let is_in_use = self.table.borrow().id(slot) == id;
        forget(if is_in_use { self.table.borrow_mut().take(slot) } else { None });
    }

    fn hold_entry(&self, entry: Entry<O>) -> Result<u32, NoObject> {
        if self.table.borrow().wants_sweep() {
            self.sweep();
        }
        if self.table.borrow().is_full() {
            self.make_room();
        }
        if self.table.borrow().is_full() {
            return Err(NoObject::Full);
        }
        Ok(self.table.borrow_mut().put(entry))
    }

    /// Releases the objects whose owners are gone. A garbage collector may say so between two turns of an event loop only, and a loop
    /// may make millions of objects in one.
    fn sweep(&self) {
        let owned: Vec<_> = self.table.borrow().owners().collect();
        for (id, owner) in owned {
            if owner.is_gone() {
                self.release_use(id);
            }
        }
        self.table.borrow_mut().swept();
    }

    /// Where all numbers are in use: releases those whose owners are gone, and has the garbage collector look which those are. It takes
    /// long where all are alive, so that those who try again and again rest in between.
    fn make_room(&self) {
        // Without an owner there is nothing to look for. A module of WebAssembly, whose objects have none, has no clock either.
        if self.table.borrow().owners().next().is_none() {
            return;
        }
        let begun = Instant::now();
        if self.sweep_after.get().is_some_and(|after| begun < after) {
            return;
        }
        self.sweep();
        if self.table.borrow().is_full() {
            let owner = self.table.borrow().owners().next();
            if let Some((_, owner)) = owner {
                owner.collect();
                self.sweep();
            }
        }
        let is_full = self.table.borrow().is_full();
        self.sweep_after.set(is_full.then(|| Instant::now() + REST_MAX.min(begun.elapsed() * REST_FACTOR)));
    }
}

impl<O: Owner> Default for Handles<O> {
    fn default() -> Self {
        Self::new()
    }
}

fn forget<O: Owner>(entry: Option<Entry<O>>) {
    if let Some(Entry { owner: Some(owner), object }) = entry {
        owner.forget(object.len);
    }
}

struct Table<O> {
    slots: Vec<Slot<O>>,
    free: Vec<u32>,
    /// When there are so many slots, and none is free, the binding looks for owners that are gone.
    sweep_at: usize,
}

struct Slot<O> {
    /// How often it was used before.
    uses: u64,
    entry: Option<Entry<O>>,
}

struct Entry<O> {
    object: Object,
    owner: Option<O>,
}

/// An object of any kind.
#[derive(Clone)]
pub struct Object {
    shared: Arc<dyn Any + Send + Sync>,
    /// Bytes that it takes, about.
    len: i64,
}

impl Object {
    /// Takes an object.
    pub fn new<T: Any + Send + Sync>(object: T) -> Self {
        let len = i64::try_from(size_of::<T>() + HEAP_LEN).expect("handles: an object is short");
        Self { shared: Arc::new(object), len }
    }

    /// The object, if it is of this kind.
    pub fn kind<T: Any>(&self) -> Option<&T> {
        self.shared.downcast_ref()
    }
}

/// The low bits of a number are a slot, the others tell its uses apart.
const SLOT_BITS: u32 = 20;
const SLOTS_MAX: u32 = 1 << SLOT_BITS;
/// Fewer slots than this are not looked through.
const SWEEP_MIN: usize = 1 << 12;
/// The bytes that an object has on the heap besides itself: up to 1 KiB, but for the 4 KiB of a `hybrid` identity.
const HEAP_LEN: usize = 1 << 10;

/// Why there is no object, or no number. Where it goes by way of a panic, [`caught`](crate::caught) knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoObject {
    /// The number stands for no object of this kind, which is a bug of the binding's.
    Unknown,
    /// No number is free.
    Full,
}

impl fmt::Display for NoObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("a bug in Sealstone: a number that stands for no object of this kind"),
            Self::Full => {
                write!(
                    f,
                    "{SLOTS_MAX} keys and hashers are alive on this thread: call destroy() on those that are done"
                )
            }
        }
    }
}

impl<O: Owner> Table<O> {
    const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), sweep_at: SWEEP_MIN }
    }

    fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= SLOTS_MAX as usize
    }

    /// Whether it has grown so much that a look for owners that are gone is worth it, before it grows more.
    fn wants_sweep(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= self.sweep_at
    }

    /// After such a look the next one is when there are twice as many; where all slots are in use `make_room` looks.
    fn swept(&mut self) {
        let alive = self.slots.len() - self.free.len();
        self.sweep_at = if 2 * alive > SLOTS_MAX as usize { usize::MAX } else { (2 * alive).max(SWEEP_MIN) };
    }

    fn put(&mut self, entry: Entry<O>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { uses: 0, entry: None });
            u32::try_from(self.slots.len() - 1).expect("handles: the slots fit 20 bits")
        });
        self.slots[slot as usize].entry = Some(entry);
        lower(self.id(slot), u32::MAX)
    }

    fn take(&mut self, slot: u32) -> Option<Entry<O>> {
        let entry = self.slots[slot as usize].entry.take()?;
        self.slots[slot as usize].uses += 1;
        self.free.push(slot);
        Some(entry)
    }

    fn entry(&self, number: u32) -> Option<&Entry<O>> {
        self.slots[self.slot_of(number)? as usize].entry.as_ref()
    }

    /// The owners of all objects that have one, each with the use of a slot that it stands for.
    fn owners(&self) -> impl Iterator<Item = (u64, O)> {
        self.slots.iter().zip(0..).filter_map(|(slot, at)| Some((self.id(at), slot.entry.as_ref()?.owner?)))
    }

    /// Which of all the uses of all slots the present one of a slot is. A number is its lower half: what is above that is there for
    /// owners that are gone for long.
    fn id(&self, slot: u32) -> u64 {
        self.slots[slot as usize].uses << SLOT_BITS | u64::from(slot)
    }

    /// The slot that a number stands for.
    fn slot_of(&self, number: u32) -> Option<u32> {
        let slot = number & (SLOTS_MAX - 1);
        let is_in_use = self.slots.get(slot as usize)?.entry.is_some();
        (is_in_use && lower(self.id(slot), u32::MAX) == number).then_some(slot)
    }
}

fn lower(id: u64, mask: u32) -> u32 {
    u32::try_from(id & u64::from(mask)).expect("handles: a mask has 32 bits")
}
