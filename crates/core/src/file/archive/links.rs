//! The links of an archive, which are made after all files.

use crate::archive::{Member, MemberKind, Packed};
use crate::error::Result;
use crate::pipeline::tree::Finish;

/// Bytes before the path: its length and that of the target, time, owner, and whether there is one.
const HEAD_LEN: usize = 2 + 2 + 8 + 4 + 4 + 4 + 1;
const IS_SYMBOLIC: u8 = 1;
const HAS_OWNER: u8 = 2;

/// Symbolic and hard links in their order, with their paths and targets.
#[derive(Default)]
pub(super) struct Links {
    packed: Packed,
    /// The last link.
    encoded: Vec<u8>,
}

/// A link.
pub(super) struct Link<'a> {
    pub(super) path: &'a [u8],
    /// The target of a symbolic link, or the path of the file that a hard link names.
    pub(super) target: &'a [u8],
    pub(super) is_symbolic: bool,
    /// The metadata of a symbolic link.
    pub(super) finish: Finish<'a>,
}

impl Links {
    /// Adds a link.
    pub(super) fn push(&mut self, member: &Member, finish: &Finish<'_>) {
        let (path, target) = (&member.entry.path, &member.entry.link);
        let short = |bytes: &[u8]| u16::try_from(bytes.len()).expect("links: 4,096 bytes").to_le_bytes();
        let (owner, group) = finish.owner.unwrap_or_default();
        let Self { packed, encoded } = self;
        encoded.clear();
        encoded.extend_from_slice(&short(path));
        encoded.extend_from_slice(&short(target));
        encoded.extend_from_slice(&finish.modified.0.to_le_bytes());
        for number in [finish.modified.1, owner, group] {
            encoded.extend_from_slice(&number.to_le_bytes());
        }
        let symbolic = if member.entry.kind == MemberKind::SymbolicLink { IS_SYMBOLIC } else { 0 };
        encoded.push(symbolic | if finish.owner.is_some() { HAS_OWNER } else { 0 });
        encoded.extend_from_slice(path);
        encoded.extend_from_slice(target);
        packed.push(encoded);
    }

    /// Calls `work` for each link, in the order in which they were added, until an error.
    pub(super) fn each(self, mut work: impl FnMut(Link<'_>) -> Result<()>) -> Result<()> {
        for piece in self.packed.into_pieces() {
            let mut rest = &piece[..];
            while let Some((head, behind)) = rest.split_first_chunk::<HEAD_LEN>() {
                let short = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
                let number = |at: usize| u32::from_le_bytes(*head[at..].first_chunk().expect("links: four bytes"));
                let seconds = i64::from_le_bytes(*head[4..].first_chunk().expect("links: eight bytes"));
                let (path, behind) = behind.split_at(short(0));
                let (target, behind) = behind.split_at(short(2));
                rest = behind;
                let flags = head[HEAD_LEN - 1];
                let owner = (flags & HAS_OWNER != 0).then(|| (number(16), number(20)));
                let finish = Finish { mode: 0o777, modified: (seconds, number(12)), owner, attributes: &[] };
                work(Link { path, target, is_symbolic: flags & IS_SYMBOLIC != 0, finish })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Entry, Time};

    #[test]
    fn links_come_back_in_order_from_several_pieces() {
        let mut links = Links::default();
        let member = |i: u16| {
            let kind = if i.is_multiple_of(3) { MemberKind::HardLink } else { MemberKind::SymbolicLink };
            let (path, link) = (vec![b'p'; 1 + usize::from(i) * 40], vec![b'l'; usize::from(i) * 35]);
            Member::new(Entry { path, kind, size: 0, mode: 0o777, modified: Time { seconds: 0, nanoseconds: 0 }, link })
        };
        let finish = |i: u16| Finish {
            mode: 0o777,
            modified: (i64::from(i) - 50, i.into()),
            owner: (i.is_multiple_of(2)).then_some((i.into(), u32::MAX)),
            attributes: &[],
        };
        for i in 0..100_u16 {
            links.push(&member(i), &finish(i));
        }
        let mut i = 0;
        let each = links.each(|link| {
            let Member { entry, .. } = member(i);
            assert_eq!((link.path, link.target), (&entry.path[..], &entry.link[..]));
            assert_eq!(link.is_symbolic, entry.kind == MemberKind::SymbolicLink);
            assert_eq!((link.finish.modified, link.finish.owner), (finish(i).modified, finish(i).owner));
            i += 1;
            Ok(())
        });
        assert_eq!((each.is_ok(), i), (true, 100));
    }
}
