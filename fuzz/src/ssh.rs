//! What SSH writes as a list of parts. After an edit the lengths are right again, unless it was a length that was edited.

use arbitrary::Arbitrary;
use sealstone::sign::{Kind, PrivateKey};

/// Bytes as they are, or a string: a length and so many bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub bytes: Vec<u8>,
    /// What is written as the length of a string; `None` of bytes as they are.
    len: Option<u32>,
}

/// A change to a list of parts.
#[derive(Arbitrary, Debug)]
pub enum Edit {
    Flip {
        at: u8,
        byte: u16,
        flip: u8,
    },
    Set {
        at: u8,
        bytes: Vec<u8>,
    },
    Resize {
        at: u8,
        len: u16,
    },
    Remove {
        at: u8,
    },
    Repeat {
        at: u8,
    },
    Swap {
        at: u8,
    },
    Insert {
        at: u8,
        bytes: Vec<u8>,
        is_string: bool,
    },
    /// The length says something else than there is.
    Claim {
        at: u8,
        len: u32,
    },
}

pub fn raw(bytes: &[u8]) -> Part {
    Part { bytes: bytes.to_vec(), len: None }
}

pub fn string(bytes: &[u8]) -> Part {
    Part { bytes: bytes.to_vec(), len: Some(u32::try_from(bytes.len()).expect("ssh: strings are short")) }
}

/// A positive number.
pub fn mpint(number: &[u8]) -> Part {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = &number[zeros..];
    let sign: &[u8] = if number.first().is_some_and(|byte| byte & 0x80 != 0) { &[0] } else { &[] };
    string(&[sign, number].concat())
}

/// The strings that fill some bytes; `None` for anything else.
pub fn parts(mut bytes: &[u8]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk()?;
        let (content, rest) = rest.split_at_checked(u32::from_be_bytes(*len) as usize)?;
        parts.push(string(content));
        bytes = rest;
    }
    Some(parts)
}

pub fn write(parts: &[Part]) -> Vec<u8> {
    let part = |part: &Part| [part.len.map_or(vec![], |len| len.to_be_bytes().to_vec()), part.bytes.clone()].concat();
    parts.iter().flat_map(part).collect()
}

impl Edit {
    pub fn apply(&self, parts: &mut Vec<Part>) {
        let (Self::Flip { at, .. }
        | Self::Set { at, .. }
        | Self::Resize { at, .. }
        | Self::Remove { at }
        | Self::Repeat { at }
        | Self::Swap { at }
        | Self::Insert { at, .. }
        | Self::Claim { at, .. }) = self;
        if parts.is_empty() || parts.len() > 30 {
            return;
        }
        let len = parts.len();
        let at = usize::from(*at) % len;
        let remake = |part: &mut Part, bytes: Vec<u8>| {
            *part = if part.len.is_some() { string(&bytes) } else { raw(&bytes) };
        };
        match self {
            Self::Flip { byte, flip, .. } => {
                let len = parts[at].bytes.len().max(1);
                if let Some(byte) = parts[at].bytes.get_mut(usize::from(*byte) % len) {
                    *byte ^= flip;
                }
            }
            Self::Set { bytes, .. } => remake(&mut parts[at], bytes.clone()),
            Self::Resize { len, .. } => {
                let mut bytes = parts[at].bytes.clone();
                bytes.resize(usize::from(*len % 4096), 0);
                remake(&mut parts[at], bytes);
            }
            Self::Remove { .. } => drop(parts.remove(at)),
            Self::Repeat { .. } => parts.insert(at, parts[at].clone()),
            Self::Swap { .. } => parts.swap(at, (at + 1) % len),
            Self::Insert { bytes, is_string, .. } => {
                parts.insert(at, if *is_string { string(bytes) } else { raw(bytes) });
            }
            Self::Claim { len, .. } => parts[at].len = Some(*len),
        }
    }
}

/// The parts of the openssh-key-v1 of a key that has one (spec/signature.md section 7.3): of the whole, of its public key and of the
/// section, whose padding is none of them.
pub struct KeyFile {
    pub outer: Vec<Part>,
    pub public: Vec<Part>,
    pub section: Vec<Part>,
}

/// Where the two strings of strings stand in [`KeyFile::outer`].
const PUBLIC: usize = 5;
const SECTION: usize = 6;

impl KeyFile {
    /// `None` of kinds without the form.
    pub fn of(key: &PrivateKey) -> Option<Self> {
        let (name, curve) = match key.kind() {
            Kind::Ed25519 => ("ssh-ed25519", None),
            Kind::P256Sign => ("ecdsa-sha2-nistp256", Some("nistp256")),
            Kind::P384Sign => ("ecdsa-sha2-nistp384", Some("nistp384")),
            Kind::P521Sign => ("ecdsa-sha2-nistp521", Some("nistp521")),
            Kind::Hybrid44Sign => ("ssh-mldsa44-ed25519", None),
            _ => return None,
        };
        let (secret, own) = (key.to_bytes(), key.public_key());
        let mut public = vec![string(name.as_bytes())];
        public.extend(curve.map(|curve| string(curve.as_bytes())));
        public.push(string(own.to_bytes()));
        let mut section = vec![raw(&[1; 4]), raw(&[1; 4])];
        section.extend(public.iter().cloned());
        section.push(match key.kind() {
            Kind::Ed25519 => string(&[&secret[..], own.to_bytes()].concat()),
            _ if curve.is_some() => mpint(&secret),
            _ => string(&secret),
        });
        section.push(string(b"a comment"));
        let outer = [raw(b"openssh-key-v1\0"), string(b"none"), string(b"none"), string(b""), raw(&[0, 0, 0, 1])];
        let outer = outer.into_iter().chain([string(b""), string(b"")]).collect();
        Some(Self { outer, public, section })
    }

    /// The public key as it stands outside of the section.
    pub fn blob(&self) -> Vec<u8> {
        write(&self.public)
    }

    /// All of it, with the padding of the section.
    pub fn write(&self) -> Vec<u8> {
        let mut section = write(&self.section);
        let padding = section.len().next_multiple_of(8) - section.len();
        section.extend((1..).take(padding));
        let mut outer = self.outer.clone();
        for (at, bytes) in [(PUBLIC, self.blob()), (SECTION, section)] {
            // Which are empty there, if no edit has put something in their place.
            if outer.get(at) == Some(&string(b"")) {
                outer[at] = string(&bytes);
            }
        }
        write(&outer)
    }
}
