//! Arbitrary lists of stanzas in a header that is well formed around them. Only the genuine list opens.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::{Decryptor, Encryptor, Identity, Input, Kind, Passphrase, Suite, inspect};
use sealstone_fuzz::identities;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

const PLAINTEXT: &[u8] = b"attack at dawn";
const FLAGS_AT: usize = 11;
const AREA_AT: usize = 16;
const PLUGIN: u16 = 0x0008;
const PASSPHRASE: u16 = 0x0010;
const PASSPHRASE_SM3: u16 = 0x0011;

#[derive(Arbitrary, Debug)]
struct Case {
    suite: u8,
    context_bound: bool,
    many: u8,
    /// Whether the genuine list comes before the pieces.
    genuine: bool,
    pieces: Vec<Piece>,
}

#[derive(Arbitrary, Debug)]
enum Piece {
    Genuine {
        index: u8,
    },
    Damaged {
        index: u8,
        at: u16,
        flip: u8,
    },
    /// A type of the registry with a body of the right length, or of one of them, that begins with `start`.
    WellFormed {
        kind: u8,
        start: Vec<u8>,
    },
    Passphrase {
        version: u8,
        memory_log: u8,
        passes: u8,
        lanes: u8,
    },
    PassphraseSm3 {
        iterations: u32,
    },
    Any {
        kind: u16,
        body: Vec<u8>,
    },
}

#[derive(Clone, PartialEq)]
struct Stanza {
    kind: u16,
    body: Vec<u8>,
}

/// A file to all of [`identities`], taken apart.
struct Genuine {
    prefix: Vec<u8>,
    stanzas: Vec<Stanza>,
    /// MAC and payload.
    rest: Vec<u8>,
    suite: Suite,
}

static GENUINE: LazyLock<[Genuine; 3]> = LazyLock::new(|| Suite::ALL.map(Genuine::new));

static DECRYPTOR: LazyLock<Decryptor> = LazyLock::new(|| {
    let passphrase = Identity::from(Passphrase::new("pass").expect("stanzas: a good passphrase"));
    Decryptor::new(identities().iter().cloned().chain([passphrase])).threads(1)
});

fuzz_target!(|case: Case| {
    let genuine = &GENUINE[usize::from(case.suite) % GENUINE.len()];
    let mut stanzas = if case.genuine { genuine.stanzas.clone() } else { Vec::new() };
    stanzas.extend(case.pieces.iter().map(|piece| piece.build(genuine)));
    if case.many % 32 == 31 {
        // Past the limits of 1,024 stanzas and 2 MiB.
        stanzas = vec![stanzas; 600].concat();
    }
    let file = genuine.with(&stanzas, case.context_bound);
    let area_len = stanzas.iter().map(|stanza| 4 + stanza.body.len()).sum::<usize>();

    let seen = inspect(Input::reader(&file[..]));
    let opened = DECRYPTOR.decrypt(&file);
    if !is_well_formed(genuine.suite, &stanzas, area_len) {
        assert_eq!(seen.unwrap_err().code(), "malformed_header");
        assert_eq!(opened.unwrap_err().code(), "malformed_header");
        return;
    }
    let seen = seen.expect("a well-formed header can be inspected");
    let listed: Vec<_> = seen.stanzas.iter().map(|stanza| (stanza.type_id, stanza.body_len)).collect();
    let expected: Vec<_> = stanzas.iter().map(|stanza| (stanza.kind, stanza.body.len())).collect();
    assert_eq!(listed, expected);
    match opened {
        Ok(plaintext) => {
            assert!(stanzas == genuine.stanzas && !case.context_bound, "a changed header opened");
            assert_eq!(plaintext, PLAINTEXT);
        }
        Err(error) => {
            assert!(stanzas != genuine.stanzas || case.context_bound, "the genuine header was refused: {error}");
            let expected: &[&str] = match stanzas[0].kind {
                _ if case.context_bound => &["context_required"],
                PASSPHRASE | PASSPHRASE_SM3 => &["no_matching_identity", "malformed_header", "cost_too_high"],
                _ => &["no_matching_identity", "header_not_authentic"],
            };
            assert!(expected.contains(&error.code()), "{error}");
        }
    }
});

/// Format section 4, once more.
fn is_well_formed(suite: Suite, stanzas: &[Stanza], area_len: usize) -> bool {
    let alone = |kind: u16| (0x0010..0x0020).contains(&kind);
    let good = |stanza: &Stanza| match stanza.kind {
        0x0006 | PASSPHRASE_SM3 if suite != Suite::Sm4Gcm => false,
        0x0001..=0x0004 | PLUGIN | PASSPHRASE if suite == Suite::Sm4Gcm => false,
        kind => body_lens(kind).is_none_or(|lens| lens.contains(&stanza.body.len())),
    };
    (1..=1024).contains(&stanzas.len())
        && area_len <= 1 << 21
        && stanzas.iter().all(good)
        && (stanzas.len() == 1 || !stanzas.iter().any(|stanza| alone(stanza.kind)))
}

fn body_lens(kind: u16) -> Option<RangeInclusive<usize>> {
    let len = match kind {
        0x0001 => 80,
        0x0002 => 113,
        0x0003 => 1136,
        0x0004 => 1168,
        0x0006 => 177,
        PLUGIN => return Some(71..=65_535),
        PASSPHRASE => 74,
        PASSPHRASE_SM3 => 68,
        0x0020 => 72,
        _ => return None,
    };
    Some(len..=len)
}

impl Piece {
    fn build(&self, genuine: &Genuine) -> Stanza {
        let pick = |index: u8| genuine.stanzas[usize::from(index) % genuine.stanzas.len()].clone();
        let mut stanza = match self {
            Self::Genuine { index } => pick(*index),
            Self::Damaged { index, at, flip } => {
                let mut stanza = pick(*index);
                let at = usize::from(*at) % stanza.body.len();
                stanza.body[at] ^= flip;
                stanza
            }
            Self::WellFormed { kind, start } => {
                let kind = [0x0001, 0x0002, 0x0003, 0x0004, 0x0006, 0x0020, PLUGIN][usize::from(*kind) % 7];
                let lens = body_lens(kind).expect("stanzas: a known kind");
                let mut body = start.clone();
                body.resize(start.len().clamp(*lens.start(), *lens.end()), 0);
                Stanza { kind, body }
            }
            Self::Passphrase { version, memory_log, passes, lanes } => {
                let version = if *version < 200 { 0x13 } else { *version };
                let memory_kib = 1_u32 << (memory_log % 32);
                // Readers take 1 to 16 passes and lanes.
                let (passes, lanes) = (u32::from(passes % 20), lanes % 20);
                let costs = [&memory_kib.to_be_bytes()[..], &passes.to_be_bytes(), &[lanes]].concat();
                Stanza { kind: PASSPHRASE, body: [&[version], &costs[..], &[7; 64]].concat() }
            }
            Self::PassphraseSm3 { iterations } => {
                Stanza { kind: PASSPHRASE_SM3, body: [&iterations.to_be_bytes()[..], &[7; 64]].concat() }
            }
            Self::Any { kind, body } => {
                Stanza { kind: *kind, body: body[..body.len().min(usize::from(u16::MAX))].to_vec() }
            }
        };
        stanza.make_cheap();
        stanza
    }
}

impl Stanza {
    /// Lowers a passphrase's costs where a reader would pay them, and leaves those that it refuses.
    fn make_cheap(&mut self) {
        if self.kind == PASSPHRASE_SM3
            && let Some(iterations) = self.body.first_chunk_mut()
            && let number @ ..=10_000_000 = u32::from_be_bytes(*iterations)
        {
            *iterations = number.min(50).to_be_bytes();
        }
        if self.kind != PASSPHRASE || self.body.len() != 74 {
            return;
        }
        let word = |at: usize| u32::from_be_bytes(self.body[at..at + 4].try_into().expect("stanzas: four bytes"));
        let (memory_kib, passes) = (word(1), word(5));
        if memory_kib <= 1 << 20 && passes <= 16 && self.body[9] <= 16 {
            self.body[1..5].copy_from_slice(&memory_kib.min(128).to_be_bytes());
            self.body[5..9].copy_from_slice(&passes.min(2).to_be_bytes());
        }
    }
}

impl Genuine {
    fn new(suite: Suite) -> Self {
        let is_taken = |kind| match kind {
            Kind::Key => true,
            Kind::Sm2 => suite == Suite::Sm4Gcm,
            _ => suite != Suite::Sm4Gcm,
        };
        let taken = identities().iter().filter(|identity| is_taken(identity.kind()));
        let recipients = taken.map(Identity::recipient);
        let file = Encryptor::new(recipients).suite(suite).allow_mixed(true).encrypt(PLAINTEXT);
        let file = file.expect("stanzas: a file to every kind");
        let area_len = u32::from_be_bytes(file[12..AREA_AT].try_into().expect("stanzas: four bytes"));
        let (mut area, rest) = file[AREA_AT..].split_at(area_len as usize);
        let mut stanzas = Vec::new();
        while let Some((head, bodies)) = area.split_first_chunk::<4>() {
            let (body, others) = bodies.split_at(u16::from_be_bytes([head[2], head[3]]).into());
            stanzas.push(Stanza { kind: u16::from_be_bytes([head[0], head[1]]), body: body.to_vec() });
            area = others;
        }
        Self { prefix: file[..12].to_vec(), stanzas, rest: rest.to_vec(), suite }
    }

    /// The same file with another list of stanzas.
    fn with(&self, stanzas: &[Stanza], context_bound: bool) -> Vec<u8> {
        let mut area = Vec::new();
        for Stanza { kind, body } in stanzas {
            let len = u16::try_from(body.len()).expect("stanzas: bodies are cut to fit");
            area.extend([kind.to_be_bytes(), len.to_be_bytes()].concat());
            area.extend(body);
        }
        let area_len = u32::try_from(area.len()).expect("stanzas: the fuzzer's inputs are short");
        let mut file = [&self.prefix[..], &area_len.to_be_bytes(), &area, &self.rest].concat();
        file[FLAGS_AT] |= u8::from(context_bound);
        file
    }
}
