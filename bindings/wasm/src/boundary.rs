//! The boundary between JavaScript and Rust. Values cross it in two places of the module to which JavaScript writes: the block
//! has numbers, the arena bytes. JavaScript writes longer bytes to memory that it was lent.

use crate::json::Json;
use sealstone::Error;
use sealstone_engine::forms::Read;
use sealstone_engine::numbers::{length, number};
use sealstone_engine::parts::Part;
use sealstone_engine::text::TextOrBytes;
use sealstone_engine::{Failure, memory};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Range;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{mem, slice};
use zeroize::Zeroizing;

pub type Result<T> = std::result::Result<T, Failure>;

/// Numbers of the block: more than any export takes or answers. The last two are where the words of a panic are.
const SLOTS: usize = 32;
const PANIC_SLOT: usize = SLOTS - 2;
/// Bytes of arguments, which are as a rule short.
const ARENA_LEN: usize = 1 << 16;

/// Each is a number as JavaScript has it. There is one thread: an atomic only lets a static be written to.
static BLOCK: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

thread_local! {
    static ARENA: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The memory that JavaScript was lent for the next call, in the order of its arguments.
    static LENT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    /// The memory that JavaScript still reads: the arguments of the last call, and its answer.
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Before the first call: writes where everything is into the block, and returns where that is. Then the block has where the arena
/// is, and its length.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn begin() -> usize {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let words = payload.downcast_ref::<&str>().copied();
        let words = words.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
        let mut text = format!("a bug in Sealstone: {words}");
        if let Some(place) = info.location() {
            let file = place.file().rsplit('/').next().unwrap_or_default();
            _ = write!(text, " ({file}:{})", place.line());
        }
        // The instance ends here, so the text stays where it is.
        let text = text.leak();
        set(PANIC_SLOT, address(text.as_ptr()));
        set(PANIC_SLOT + 1, number(text.len() as u64));
    }));
    ARENA.with_borrow_mut(|arena| {
        *arena = vec![0; ARENA_LEN];
        set(0, address(arena.as_mut_ptr()));
        set(1, number(arena.len() as u64));
    });
    BLOCK.as_ptr().expose_provenance()
}

/// Lends memory for an argument of the next call; 0 where there is none.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn lend(len: usize) -> usize {
    let mut memory = Vec::new();
    if memory.try_reserve_exact(len).is_err() {
        return 0;
    }
    memory.resize(len, 0);
    let at = memory.as_mut_ptr().expose_provenance();
    LENT.with_borrow_mut(|lent| lent.push(memory));
    at
}

/// After a call whose answer was read, or that did not come: takes back and zeroes the lent memory and the answer.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn done() {
    drop((LENT.take(), KEPT.take()));
}

/// Runs an export, whose work answers by itself. It is in the module once, where a generic one would be there for every export.
pub fn run(work: &dyn Fn(&mut Arguments<'_>) -> Result<()>) -> u32 {
    ARENA.with_borrow_mut(|arena| {
        let mut lent = LENT.take();
        let done = work(&mut Arguments { slot: 0, arena, lent: lent.iter_mut() });
        KEPT.with_borrow_mut(|kept| kept.append(&mut lent));
        match done {
            Ok(()) => 0,
            Err(failure) => {
                failure.put(&mut Answers(0));
                1
            }
        }
    })
}

/// Where an export answers.
pub fn answer(answer: impl Answer) {
    answer.put(&mut Answers(0));
}

/// The arguments of a call, in its order.
pub struct Arguments<'a> {
    slot: usize,
    arena: &'a mut [u8],
    lent: slice::IterMut<'a, Vec<u8>>,
}

impl<'a> Arguments<'a> {
    fn number(&mut self) -> f64 {
        self.slot += 1;
        f64::from_bits(BLOCK[self.slot - 1].load(Ordering::Relaxed))
    }

    /// Bytes; none where there is no argument. In the block are their length and where they are.
    fn bytes(&mut self) -> Option<&'a mut [u8]> {
        let (len, place) = (self.number(), self.number());
        if place == ABSENT {
            None
        } else if place == LENT_MEMORY {
            Some(self.lent.next().expect("boundary: what was lent is there"))
        } else {
            let (bytes, rest) = mem::take(&mut self.arena).split_at_mut(in_memory(len));
            self.arena = rest;
            Some(bytes)
        }
    }
}

const ABSENT: f64 = -1.0;
const LENT_MEMORY: f64 = 1.0;

/// A type that an export can take; JavaScript knows the type by its letter.
pub trait Argument<'a>: Sized {
    const LETTER: char;
    fn take(arguments: &mut Arguments<'a>) -> Self;
}

macro_rules! arguments {
    ($($letter:literal: $kind:ty = |$arguments:ident| $take:expr;)*) => { $(
        impl<'a> Argument<'a> for $kind {
            const LETTER: char = $letter;
            fn take($arguments: &mut Arguments<'a>) -> Self {
                $take
            }
        }
    )* };
}

const MISSING: &str = "boundary: an argument is missing";

arguments! {
    // An object.
    'h': u32 = |arguments| handle(arguments.number());
    'H': Vec<u32> = |arguments| numbers(arguments.bytes().expect(MISSING));
    'n': u64 = |arguments| length(arguments.number());
    'm': Option<u64> = |arguments| Some(arguments.number()).filter(|number| *number >= 0.0).map(length);
    // Threads.
    'q': Option<u32> = |arguments| Some(arguments.number()).filter(|number| *number >= 0.0).map(handle);
    'l': bool = |arguments| arguments.number() != 0.0;
    'p': Option<bool> = |arguments| Some(arguments.number()).filter(|number| *number >= 0.0).map(|number| number != 0.0);
    'b': &'a [u8] = |arguments| arguments.bytes().expect(MISSING);
    // Bytes, or text as its UTF-8.
    's': Data<'a> = |arguments| Data(arguments.bytes().expect(MISSING));
    'c': Option<&'a [u8]> = |arguments| arguments.bytes().map(|bytes| &*bytes);
    't': &'a str = |arguments| text(arguments.bytes().expect(MISSING));
    'u': Option<&'a str> = |arguments| arguments.bytes().map(text);
    'i': Moved = |arguments| Moved(in_memory(arguments.number()));
    'x': Last = |arguments| Last(handle(arguments.number()));
    'a': Numbers<'a> = |arguments| Numbers(arguments.bytes().expect(MISSING));
    'o': Output<'a> = |arguments| {
        let memory = arguments.bytes().expect(MISSING);
        Output { memory, len: in_memory(arguments.number()), slot: arguments.slot - 1 }
    };
}

/// Bytes that may have been text.
#[derive(Clone, Copy)]
pub struct Data<'a>(pub &'a [u8]);

/// An object whose number ends with the call.
#[derive(Clone, Copy)]
pub struct Last(pub u32);

/// Several numbers.
#[derive(Clone, Copy)]
pub struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    pub fn read(self) -> Vec<u32> {
        numbers(self.0)
    }
}

/// The length of bytes that lie at the beginning of the output.
#[derive(Clone, Copy)]
pub struct Moved(pub usize);

/// Memory that JavaScript reads after the call. It is zero, or begins with an input that was moved there and may be longer.
pub struct Output<'a> {
    memory: &'a mut [u8],
    len: usize,
    slot: usize,
}

impl<'a> Output<'a> {
    pub fn room(&self) -> usize {
        self.len
    }

    pub fn bytes(self) -> &'a mut [u8] {
        let Self { memory, len, .. } = self;
        &mut memory[..len]
    }

    /// Fills all of it.
    /// It panics when the lengths differ.
    pub fn write(self, bytes: &[u8]) {
        self.bytes().copy_from_slice(bytes);
    }

    /// Fills its beginning, and has JavaScript read that alone after the call; returns how long it is.
    /// It panics when the output has fewer bytes.
    pub fn begin(mut self, bytes: &[u8]) -> f64 {
        self.keep(bytes.len());
        self.memory[..bytes.len()].copy_from_slice(bytes);
        number(bytes.len() as u64)
    }

    /// The input that lies at its beginning, and the output.
    pub fn moving(self, Moved(input_len): Moved) -> Moving<'a> {
        Moving { output: self, input_len }
    }

    fn keep(&mut self, len: usize) {
        assert!(len <= self.len, "boundary: an output is too short");
        self.len = len;
        set(self.slot, number(len as u64));
    }
}

/// An output that begins with an input, which may be longer.
pub struct Moving<'a> {
    output: Output<'a>,
    input_len: usize,
}

impl memory::Moving for Moving<'_> {
    fn input_len(&self) -> usize {
        self.input_len
    }

    fn output_len(&self) -> usize {
        self.output.len
    }

    fn read(&self, at: usize, copy: &mut [u8]) {
        copy.copy_from_slice(&self.output.memory[..self.input_len][at..][..copy.len()]);
    }

    fn with<T>(
        self,
        part: Range<usize>,
        before: usize,
        after: usize,
        work: impl FnOnce(&mut [u8]) -> sealstone::Result<T>,
    ) -> sealstone::Result<T> {
        let Self { mut output, input_len } = self;
        let len = before + part.len() + after;
        output.keep(len);
        output.memory[..input_len.max(before + part.len())].copy_within(part, before);
        let done = work(&mut output.memory[..len]);
        // After all other failures JavaScript zeroes it, unless the input lay there.
        if let Err(Error::NotAuthentic { .. }) = done {
            output.memory.fill(0);
        }
        done
    }
}

/// Where a call answers: numbers of the block, in their order.
pub struct Answers(usize);

impl Answers {
    fn number(&mut self, value: f64) {
        set(self.0, value);
        self.0 += 1;
    }

    fn bytes(&mut self, bytes: Vec<u8>) {
        self.number(address(bytes.as_ptr()));
        self.number(number(bytes.len() as u64));
        KEPT.with_borrow_mut(|kept| kept.push(bytes));
    }
}

/// A type that an export can answer; JavaScript knows the type by its letter.
pub trait Answer {
    const LETTER: char;
    fn put(self, answers: &mut Answers);
}

macro_rules! answers {
    ($($letter:literal: $kind:ty = |$value:ident, $answers:ident| $put:expr;)*) => { $(
        impl Answer for $kind {
            const LETTER: char = $letter;
            fn put(self, $answers: &mut Answers) {
                let $value = self;
                $put
            }
        }
    )* };
}

answers! {
    'v': () = |_nothing, _answers| ();
    'h': u32 = |handle, answers| answers.number(f64::from(handle));
    'H': Vec<u32> = |handles, answers| answers.bytes(handles.into_iter().flat_map(u32::to_le_bytes).collect());
    'n': f64 = |value, answers| answers.number(value);
    'l': bool = |value, answers| answers.number(f64::from(u8::from(value)));
    'b': Vec<u8> = |bytes, answers| answers.bytes(bytes);
    'b': Zeroizing<Vec<u8>> = |bytes, answers| {
        let mut bytes = bytes;
        answers.bytes(mem::take(&mut *bytes));
    };
    't': String = |text, answers| answers.bytes(text.into_bytes());
    'u': Option<String> = |text, answers| {
        answers.number(f64::from(u8::from(text.is_some())));
        answers.bytes(text.unwrap_or_default().into_bytes());
    };
    // Text, and DER as bytes.
    'e': TextOrBytes = |result, answers| {
        answers.number(f64::from(u8::from(matches!(result, TextOrBytes::Text(_)))));
        answers.bytes(match result {
            TextOrBytes::Text(mut text) => mem::take(&mut *text).into_bytes(),
            TextOrBytes::Bytes(mut bytes) => mem::take(&mut *bytes),
        });
    };
    // Which of the three it is; then objects, or bytes.
    'r': Read<u32> = |read, answers| match read {
        Read::Keys(handles) => {
            answers.number(0.0);
            handles.put(answers);
        }
        Read::Other => answers.number(1.0),
        Read::Opened(opened) => {
            answers.number(2.0);
            opened.put(answers);
        }
    };
    // An object, and a length where there is one.
    'w': (u32, Option<u64>) = |begun, answers| {
        let (handle, len) = begun;
        answers.number(f64::from(handle));
        answers.number(len.map_or(ABSENT, number));
    };
    'P': Part = |part, answers| {
        let (bytes, error) = part;
        answers.bytes(bytes);
        answers.number(f64::from(u8::from(error.is_some())));
        if let Some(error) = error {
            Failure::from(error).put(answers);
        }
    };
    'F': Failure = |failure, answers| {
        answers.bytes(failure.code.as_bytes().to_vec());
        answers.bytes(failure.message.into_bytes());
    };
}

/// A record, as JSON.
pub struct Record<T>(pub T);

impl<T: Json> Answer for Record<T> {
    const LETTER: char = 'j';
    fn put(self, answers: &mut Answers) {
        let mut text = String::new();
        self.0.write(&mut text);
        answers.bytes(text.into_bytes());
    }
}

impl Answer for Option<Part> {
    const LETTER: char = 'Q';
    fn put(self, answers: &mut Answers) {
        answers.number(f64::from(u8::from(self.is_some())));
        if let Some(part) = self {
            part.put(answers);
        }
    }
}

fn text(bytes: &mut [u8]) -> &str {
    str::from_utf8(bytes).expect("boundary: text is UTF-8")
}

fn set(slot: usize, value: f64) {
    BLOCK[slot].store(value.to_bits(), Ordering::Relaxed);
}

fn address(at: *const u8) -> f64 {
    number(at.expose_provenance() as u64)
}

/// The length of memory.
fn in_memory(value: f64) -> usize {
    usize::try_from(length(value)).expect("boundary: it is in memory")
}

/// A length that no memory has is one that is too long.
pub fn size(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

fn handle(value: f64) -> u32 {
    small(length(value))
}

/// A number of 32 bits.
pub fn small(number: u64) -> u32 {
    u32::try_from(number).expect("boundary: a number has 32 bits")
}

/// Several of them.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}
