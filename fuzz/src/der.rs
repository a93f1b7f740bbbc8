//! DER as a tree, read strictly and by another reader than the core's. After an edit all lengths are right again, so that
//! the edit is met where it was made, and not at the outermost length.

use arbitrary::Arbitrary;

pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const OBJECT_IDENTIFIER: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const CONSTRUCTED: u8 = 0x20;
/// Those of PKCS#8, which the core skips without a look.
pub const ATTRIBUTES: u8 = 0xa0;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub tag: u8,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Bytes(Vec<u8>),
    /// Of what is constructed, and of OCTET STRINGs around DER.
    Nodes(Vec<Node>),
}

/// A change to one node, which is counted in the order of the bytes.
#[derive(Arbitrary, Debug)]
pub enum Edit {
    Tag {
        at: u8,
        tag: u8,
    },
    Flip {
        at: u8,
        byte: u16,
        flip: u8,
    },
    Resize {
        at: u8,
        len: u16,
    },
    Replace {
        at: u8,
        bytes: Vec<u8>,
    },
    Remove {
        at: u8,
    },
    Repeat {
        at: u8,
    },
    /// With the one behind it.
    Swap {
        at: u8,
    },
    Insert {
        at: u8,
        tag: u8,
        bytes: Vec<u8>,
    },
    /// A node of another key in its place, or before it.
    Graft {
        at: u8,
        form: u8,
        from: u8,
        insert: bool,
    },
}

pub fn node(tag: u8, bytes: &[u8]) -> Node {
    Node { tag, content: Content::Bytes(bytes.to_vec()) }
}

pub fn nodes(tag: u8, nodes: impl Into<Vec<Node>>) -> Node {
    Node { tag, content: Content::Nodes(nodes.into()) }
}

pub fn sequence(parts: impl Into<Vec<Node>>) -> Node {
    nodes(SEQUENCE, parts)
}

/// Without unused bits.
pub fn bit_string(bytes: &[u8]) -> Node {
    node(BIT_STRING, &[&[0], bytes].concat())
}

/// The shortest encoding of a number that is not negative.
pub fn integer(number: u128) -> Node {
    let bytes = [&[0][..], &number.to_be_bytes()].concat();
    let first = (0..16).find(|at| bytes[*at] != 0 || bytes[at + 1] >= 0x80).unwrap_or(16);
    node(INTEGER, &bytes[first..])
}

impl Node {
    /// One element with nothing behind it; `None` for what is not DER, and for tags of several bytes.
    pub fn read(der: &[u8]) -> Option<Self> {
        <[Self; 1]>::try_from(read_all(der)?).ok().map(|[node]| node)
    }

    pub fn write(&self) -> Vec<u8> {
        let content = match &self.content {
            Content::Bytes(bytes) => bytes.clone(),
            Content::Nodes(nodes) => write_all(nodes),
        };
        let len = match content.len() {
            len @ ..=0x7f => vec![len as u8],
            len => {
                let bytes: Vec<u8> = len.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
                [&[0x80 | bytes.len() as u8], &bytes[..]].concat()
            }
        };
        [&[self.tag], &len[..], &content].concat()
    }

    /// The element under the positions of `path`, if its tag is this one.
    pub fn at(&self, path: &[usize], tag: u8) -> Option<&Self> {
        let found = path.iter().try_fold(self, |node, at| match &node.content {
            Content::Nodes(nodes) => nodes.get(*at),
            Content::Bytes(_) => None,
        })?;
        (found.tag == tag).then_some(found)
    }

    /// The bytes of what is no sequence.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.content {
            Content::Bytes(bytes) => bytes.clone(),
            Content::Nodes(nodes) => write_all(nodes),
        }
    }

    /// Puts another element in the place of the one under the positions of `path`.
    pub fn put(&mut self, path: &[usize], node: Self) {
        match (path, &mut self.content) {
            ([], _) => *self = node,
            ([at, rest @ ..], Content::Nodes(nodes)) => nodes[*at].put(rest, node),
            (_, Content::Bytes(_)) => panic!("der: a path leads past the leaves"),
        }
    }

    fn count(&self) -> usize {
        match &self.content {
            Content::Bytes(_) => 1,
            Content::Nodes(nodes) => 1 + nodes.iter().map(Self::count).sum::<usize>(),
        }
    }

    fn nth(&self, mut n: usize) -> Option<&Self> {
        if n == 0 {
            return Some(self);
        }
        n -= 1;
        let Content::Nodes(nodes) = &self.content else { return None };
        for node in nodes {
            match n.checked_sub(node.count()) {
                Some(rest) => n = rest,
                None => return node.nth(n),
            }
        }
        None
    }
}

/// Whether DER has the tag, in one byte. A universal tag says whether it is constructed (X.690 section 10.2); types that no form of keys
/// has, such as EXTERNAL, count as none.
fn is_tag(tag: u8) -> bool {
    match tag {
        _ if tag & 0x1f == 0x1f => false,
        ..0x20 => !matches!(tag, 0 | 7 | 8 | 0x0b | 0x0e..=0x11 | 0x19 | 0x1c | 0x1d),
        0x20..0x40 => matches!(tag, SEQUENCE | SET),
        _ => true,
    }
}

/// The elements that fill some bytes, each as its tag and its content, which need not be DER.
pub fn elements(mut der: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut elements = Vec::new();
    while let [tag, len, rest @ ..] = der {
        let (len, rest) = match len {
            ..=0x7f => (usize::from(*len), rest),
            0x81 => {
                let (len, rest) = rest.split_first()?;
                (usize::from(*len).checked_sub(0x80)? + 0x80, rest)
            }
            0x82 => {
                let (len, rest) = rest.split_first_chunk()?;
                (usize::from(u16::from_be_bytes(*len).checked_sub(0x100)?) + 0x100, rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(len)?;
        if !is_tag(*tag) {
            return None;
        }
        elements.push((*tag, content));
        der = rest;
    }
    der.is_empty().then_some(elements)
}

fn read_all(der: &[u8]) -> Option<Vec<Node>> {
    let node = |(tag, content): (u8, &[u8])| {
        let content = match read_all(content) {
            Some(nodes) if tag & CONSTRUCTED != 0 || (tag == OCTET_STRING && !nodes.is_empty()) => {
                Content::Nodes(nodes)
            }
            None if tag & CONSTRUCTED != 0 && tag != ATTRIBUTES => return None,
            _ => Content::Bytes(content.to_vec()),
        };
        Some(Node { tag, content })
    };
    elements(der)?.into_iter().map(node).collect()
}

fn write_all(nodes: &[Node]) -> Vec<u8> {
    nodes.iter().flat_map(Node::write).collect()
}

impl Edit {
    /// Makes the change; `forms` are the keys to graft from.
    pub fn apply(&self, root: &mut Node, forms: &[Node]) {
        let at = match self {
            Self::Tag { at, .. }
            | Self::Flip { at, .. }
            | Self::Resize { at, .. }
            | Self::Replace { at, .. }
            | Self::Remove { at }
            | Self::Repeat { at }
            | Self::Swap { at }
            | Self::Insert { at, .. }
            | Self::Graft { at, .. } => usize::from(*at) % root.count(),
        };
        let mut list = vec![root.clone()];
        self.apply_at(at, &mut list, forms);
        // The outermost element is one and stays.
        *root = list.swap_remove(0);
    }

    fn apply_at(&self, mut n: usize, list: &mut Vec<Node>, forms: &[Node]) {
        let mut at = 0;
        while let Some(rest) = n.checked_sub(list[at].count()) {
            (n, at) = (rest, at + 1);
        }
        if n > 0 {
            let Content::Nodes(nodes) = &mut list[at].content else { unreachable!("der: what counts more has nodes") };
            return self.apply_at(n - 1, nodes, forms);
        }
        match self {
            Self::Tag { tag, .. } => list[at].tag = *tag,
            Self::Flip { byte, flip, .. } => {
                let mut bytes = list[at].bytes();
                let len = bytes.len().max(1);
                if let Some(byte) = bytes.get_mut(usize::from(*byte) % len) {
                    *byte ^= flip;
                }
                list[at].content = Content::Bytes(bytes);
            }
            Self::Resize { len, .. } => {
                let mut bytes = list[at].bytes();
                bytes.resize(usize::from(*len % 4096), 0);
                list[at].content = Content::Bytes(bytes);
            }
            Self::Replace { bytes, .. } => list[at].content = Content::Bytes(bytes.clone()),
            Self::Remove { .. } if list.len() > 1 => drop(list.remove(at)),
            Self::Remove { .. } => list[at].content = Content::Nodes(Vec::new()),
            Self::Repeat { .. } => list.insert(at, list[at].clone()),
            Self::Swap { .. } => {
                let other = (at + 1) % list.len();
                list.swap(at, other);
            }
            Self::Insert { tag, bytes, .. } => list.insert(at, node(*tag, bytes)),
            Self::Graft { form, from, insert, .. } => {
                let form = &forms[usize::from(*form) % forms.len()];
                let graft = form.nth(usize::from(*from) % form.count()).expect("der: it is counted").clone();
                if *insert { list.insert(at, graft) } else { list[at] = graft }
            }
        }
    }
}
