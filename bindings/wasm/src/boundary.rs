//! What crosses between JavaScript and Rust. It goes by way of two places that the module has and JavaScript writes to: the block
//! has numbers, the arena bytes. What does not fit there JavaScript writes to memory that it was lent.

use sealstone::Inspection;
use sealstone_engine::Failure;
use sealstone_engine::forms::Read;
use sealstone_engine::numbers::{length, number};
use sealstone_engine::parts::Part;
use sealstone_engine::text::TextOrBytes;
use sealstone_engine::yuants::KeyPair;
use std::cell::RefCell;
use std::fmt::Write as _;
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

/// Each is a number as JavaScript has it. There is one thread: an atomic is what a static may have that is written to.
static BLOCK: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

thread_local! {
    static ARENA: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// What JavaScript was lent for the next call, in the order of its arguments.
    static LENT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    /// What it still reads from: what the last call was lent, and its answer.
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

/// After a call whose answer was read, or that did not come: takes back and zeroes what was lent and answered.
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

/// What a call takes, in its order.
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
            let (bytes, rest) = mem::take(&mut self.arena).split_at_mut(size(len));
            self.arena = rest;
            Some(bytes)
        }
    }
}

const ABSENT: f64 = -1.0;
const LENT_MEMORY: f64 = 1.0;

/// What an export can take; JavaScript knows the kind by its letter.
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
    'i': Moved = |arguments| Moved(size(arguments.number()));
    'o': Output<'a> = |arguments| {
        let memory = arguments.bytes().expect(MISSING);
        Output { memory, len: size(arguments.number()), slot: arguments.slot - 1 }
    };
}

/// Bytes that may have been text.
#[derive(Clone, Copy)]
pub struct Data<'a>(pub &'a [u8]);

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
    pub fn bytes(self) -> &'a mut [u8] {
        let Self { memory, len, .. } = self;
        &mut memory[..len]
    }

    /// All of it, with the input behind the first `before` bytes and with `after` behind it.
    /// It panics when that is not its length.
    pub fn moved(self, Moved(len): Moved, before: usize, after: usize) -> &'a mut [u8] {
        assert_eq!(self.len, before + len + after, "boundary: an output has the wrong length");
        let bytes = self.bytes();
        bytes.copy_within(..len, before);
        bytes
    }

    /// Has JavaScript read fewer bytes after the call.
    /// It panics when the output has fewer.
    pub fn keep(&mut self, len: usize) {
        assert!(len <= self.len, "boundary: an output is too short");
        self.len = len;
        set(self.slot, number(len as u64));
    }

    /// The input, where it may be longer than the output.
    pub fn whole(&mut self) -> &mut [u8] {
        self.memory
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

/// What an export can answer; JavaScript knows the kind by its letter.
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
    // Public and private, a line each.
    'k': KeyPair = |keys, answers| {
        let (public, private) = keys;
        answers.bytes([&*public, &private].join("\n").into_bytes());
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
    // As JSON: names and numbers of core's, which nothing has to be escaped in.
    'j': Inspection = |seen, answers| answers.bytes(json(&seen).into_bytes());
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

fn json(seen: &Inspection) -> String {
    let mut stanzas = String::new();
    for stanza in &seen.stanzas {
        let comma = if stanzas.is_empty() { "" } else { "," };
        let (kind, type_id, body_len) = (stanza.kind, stanza.type_id, stanza.body_len);
        _ = write!(stanzas, r#"{comma}{{"kind":"{kind}","typeId":{type_id},"bodyLen":{body_len}}}"#);
    }
    format!(
        r#"{{"version":{},"suite":"{}","contextBound":{},"armoured":{},"headerLen":{},"stanzas":[{stanzas}],"payloadLen":{},"plaintextLen":{},"chunks":{}}}"#,
        seen.version,
        seen.suite.name(),
        seen.context_bound,
        seen.armoured,
        seen.header_len,
        seen.payload_len,
        seen.plaintext_len,
        seen.chunks,
    )
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

/// The length of what is in memory.
fn size(value: f64) -> usize {
    usize::try_from(length(value)).expect("boundary: it is in memory")
}

fn handle(value: f64) -> u32 {
    small(length(value))
}

/// A number of 32 bits.
pub fn small(number: u64) -> u32 {
    u32::try_from(number).expect("boundary: a number has 32 bits")
}

/// Several of them.
pub fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_le_bytes(*number)).collect()
}
