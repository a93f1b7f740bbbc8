//! BLAKE3, whose digest is the root of a tree, so that subtrees can be computed apart from each other.

use super::Digest;
use crate::provider::Blake3;

/// Bytes under one node: a power of two, as the tree is cut (BLAKE3 paper, section 2.1). 64 and 256 KiB measured the same;
/// 512 KiB, which leave a second-level cache of that size before they are hashed, took 1.8 times as long.
pub(crate) const SUBTREE_LEN: usize = 128 * 1024;

type ChainingValue = [u8; 32];

/// What a part of a message is in the tree.
pub(crate) enum Node {
    /// One of several.
    Inner(ChainingValue),
    /// It may be all there is: which value it then has is another.
    First { alone: [u8; 32], inner: ChainingValue },
}

/// The node of the part that begins at `offset`, a multiple of [`SUBTREE_LEN`]; it is that long, or the last.
pub(crate) fn subtree(offset: u64, part: &[u8]) -> Node {
    let mut hasher = Blake3::at(offset);
    hasher.update(part);
    let inner = hasher.chaining_value();
    if offset == 0 { Node::First { alone: hasher.finish(), inner } } else { Node::Inner(inner) }
}

/// The digest of the message whose parts these are, all of them and in their order; there is at least one.
pub(crate) fn root(nodes: Vec<Node>) -> Digest {
    if let [Node::First { alone, .. }] = nodes[..] {
        return Digest::new(&alone);
    }
    let values: Vec<_> = nodes
        .into_iter()
        .map(|node| match node {
            Node::Inner(inner) | Node::First { inner, .. } => inner,
        })
        .collect();
    let (left, right) = values.split_at(left_len(values.len()));
    Digest::new(&Blake3::merge_root(&merge(left), &merge(right)))
}

fn merge(values: &[ChainingValue]) -> ChainingValue {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(left_len(values.len()));
            Blake3::merge(&merge(left), &merge(right))
        }
    }
}

/// The left side is the largest power of two that leaves something to the right (BLAKE3 paper, section 2.1).
fn left_len(len: usize) -> usize {
    len.next_power_of_two() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_subtrees_gives_the_digest_of_the_whole() {
        let message: Vec<u8> = (0..=250).cycle().take(9 * SUBTREE_LEN + 1).collect();
        let lengths = (1..=9).flat_map(|parts| [parts * SUBTREE_LEN - 1, parts * SUBTREE_LEN, parts * SUBTREE_LEN + 1]);
        for len in lengths.chain([1, 1023, 1024, 1025, SUBTREE_LEN / 2]) {
            let parts = message[..len].chunks(SUBTREE_LEN).enumerate();
            let nodes = parts.map(|(i, part)| subtree((i * SUBTREE_LEN) as u64, part)).collect();
            let mut whole = Blake3::new();
            whole.update(&message[..len]);
            assert_eq!(root(nodes).as_bytes(), whole.finish(), "{len} bytes");
        }
    }
}
