//! BLAKE3 in parallel: its digest is the root of a tree, so subtrees can be computed independently.

use crate::provider::Blake3;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Bytes of a part, a leaf of [`Tree`]: a power of two, as BLAKE3's tree requires (BLAKE3 paper, section 2.1). 64 and 256 KiB
/// measured the same; 512 KiB took 1.8 times as long, since parts drop out of a second-level cache of that size before they are
/// hashed.
pub(crate) const PART_LEN: usize = 128 * 1024;

type ChainingValue = [u8; 32];

/// The tree of a message of several parts, which may be added in any order and from any thread.
///
/// Two neighbours are merged into their parent as soon as both are known. So the number of kept nodes grows with the gaps
/// between the known parts, and with the logarithm of their number. Threads that take the parts in order leave at most one gap
/// each.
pub(crate) struct Tree {
    /// The number of the message's parts.
    parts: u64,
    nodes: Mutex<BTreeMap<u64, Node>>,
}

/// A node whose parent is not known yet. The key in the map is the number of its first part.
struct Node {
    /// The node covers 2^height parts, or those of them that the message has.
    height: u32,
    value: ChainingValue,
}

impl Tree {
    /// A tree for a message of `len` bytes.
    ///
    /// # Panics
    /// For a message of one part, whose node would be the root.
    pub(crate) fn new(len: u64) -> Self {
        assert!(len > PART_LEN as u64, "tree: a message of one part has no tree");
        Self { parts: len.div_ceil(PART_LEN as u64), nodes: Mutex::default() }
    }

    /// Adds the part at `offset`, a multiple of [`PART_LEN`]. Each part but the last has [`PART_LEN`] bytes.
    pub(crate) fn add(&self, offset: u64, part: &[u8]) {
        let mut hasher = Blake3::at(offset);
        hasher.update(part);
        self.add_value(offset / PART_LEN as u64, hasher.chaining_value());
    }

    fn add_value(&self, mut first: u64, mut value: ChainingValue) {
        let mut nodes = self.nodes.lock().expect("tree: no worker panics");
        let mut height = 0;
        // The last merge gives the root, which `root_into` computes in another way.
        while 2 << height < self.parts {
            let neighbour = first ^ (1 << height);
            if nodes.get(&neighbour).is_none_or(|node| node.height != height) {
                break;
            }
            let other = nodes.remove(&neighbour).expect("tree: it was there").value;
            let (left, right) = if neighbour < first { (other, value) } else { (value, other) };
            value = Blake3::merge(&left, &right);
            first = first.min(neighbour);
            height += 1;
        }
        nodes.insert(first, Node { height, value });
    }

    /// Writes a digest of any length to `out`, once all parts are added.
    pub(crate) fn root_into(self, out: &mut [u8]) {
        let nodes = self.nodes.into_inner().expect("tree: no worker panics");
        let mut values = nodes.into_values().map(|node| node.value);
        let left = values.next();
        // A left subtree is the largest power of two that leaves something to the right (BLAKE3 paper, section 2.1), so the
        // remaining nodes become smaller from left to right.
        let right = values.rev().reduce(|right, left| Blake3::merge(&left, &right));
        let (Some(left), Some(right)) = (left, right) else { unreachable!("tree: the message has several parts") };
        Blake3::merge_root_into(&left, &right, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(message: &[u8]) -> [u8; 100] {
        let mut hasher = Blake3::new();
        hasher.update(message);
        let mut digest = [0; 100];
        hasher.finish_into(&mut digest);
        digest
    }

    fn root(tree: Tree) -> [u8; 100] {
        let mut digest = [0; 100];
        tree.root_into(&mut digest);
        digest
    }

    #[test]
    fn any_number_of_parts_in_any_order_gives_the_digest_of_the_whole() {
        let message: Vec<u8> = (0..=250).cycle().take(17 * PART_LEN + 1).collect();
        let lengths = (1..=17).flat_map(|parts| [parts * PART_LEN - 1, parts * PART_LEN, parts * PART_LEN + 1]);
        for len in lengths.filter(|len| *len > PART_LEN) {
            let expected = whole(&message[..len]);
            let parts: Vec<_> = message[..len].chunks(PART_LEN).zip((0..).step_by(PART_LEN)).collect();
            // A step without a common factor visits every part.
            for step in [1, parts.len().saturating_sub(1), 5, 7, 11] {
                if step == 0 || (step > 1 && parts.len() % step == 0) {
                    continue;
                }
                let tree = Tree::new(len as u64);
                for i in 0..parts.len() {
                    let (part, offset) = parts[i * step % parts.len()];
                    tree.add(offset, part);
                }
                assert_eq!(root(tree), expected, "{len} bytes, every {step}th part");
            }
        }
    }

    #[test]
    fn what_is_kept_does_not_grow_with_the_message() {
        const PARTS: u64 = 1 << 16;
        let value = |part: u64| [(part % 251) as u8; 32];
        let kept = |tree: &Tree| tree.nodes.lock().unwrap().len() as u64;
        // One thread holds the first part, another a part in the middle, and neither adds its part.
        let late = [0, PARTS / 3];
        let (tree, in_order) = (Tree::new(PARTS * PART_LEN as u64), Tree::new(PARTS * PART_LEN as u64));
        let mut most = 0;
        for part in (0..PARTS).filter(|part| !late.contains(part)) {
            tree.add_value(part, value(part));
            most = most.max(kept(&tree));
        }
        // Each gap has at most one node of every height on either side.
        assert!(most <= 4 * 16, "{most} nodes");
        for part in late {
            tree.add_value(part, value(part));
        }
        assert_eq!(kept(&tree), 2);
        (0..PARTS).for_each(|part| in_order.add_value(part, value(part)));
        assert_eq!(root(tree), root(in_order));
    }
}
