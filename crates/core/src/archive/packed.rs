//! Bytes that are held compressed.

use crate::provider::zstd::{self, Compressor, Decompressor};

/// Bytes of a piece before it is compressed.
const PIECE_LEN: usize = 1 << 16;
/// Zstandard's fastest level: names and numbers of members become a third and less.
const LEVEL: i32 = 1;

/// Bytes that are appended while an archive is read or written, and are read once, at its end. They are held compressed, in pieces.
#[derive(Default)]
pub(crate) struct Packed {
    /// The frame of each full piece, and the length of its content.
    frames: Vec<(Box<[u8]>, usize)>,
    /// The piece that is not full.
    piece: Vec<u8>,
    /// There is none before the first piece is full.
    press: Option<Box<Press>>,
}

/// What compresses, and its memory.
struct Press {
    compressor: Compressor,
    frame: Vec<u8>,
}

impl Packed {
    /// Appends bytes, which stay in one piece.
    ///
    /// # Panics
    /// If they are longer than a piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= PIECE_LEN, "packed: bytes fit in a piece");
        if self.piece.len() + bytes.len() > PIECE_LEN {
            let press = self.press.get_or_insert_with(|| {
                Box::new(Press { compressor: Compressor::new(LEVEL), frame: vec![0; zstd::bound(PIECE_LEN)] })
            });
            let len = press.compressor.compress(&self.piece, &mut press.frame);
            self.frames.push((press.frame[..len].into(), self.piece.len()));
            self.piece.clear();
        }
        self.piece.extend_from_slice(bytes);
    }

    /// The pieces in their order, each of at most 64 KiB.
    pub(crate) fn into_pieces(self) -> impl Iterator<Item = Vec<u8>> {
        let mut decompressor = (!self.frames.is_empty()).then(Decompressor::new);
        let full = self.frames.into_iter().map(move |(frame, len)| {
            let mut piece = vec![0; len];
            let is_whole = decompressor.as_mut().is_some_and(|one| one.decompress(&frame, &mut piece));
            assert!(is_whole, "packed: it was compressed here");
            piece
        });
        full.chain(std::iter::once(self.piece).filter(|piece| !piece.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_in_pieces_that_split_none_of_them() {
        let one = |i: usize| vec![i.to_le_bytes()[0]; i * 7919 % PIECE_LEN + 1];
        for count in [0, 1, 2, 200] {
            let mut packed = Packed::default();
            (0..count).for_each(|i| packed.push(&one(i)));
            let held: usize = packed.frames.iter().map(|(frame, _)| frame.len()).sum();
            assert!(held < 100 * packed.frames.len().max(1), "{held} bytes for {count}");
            let mut next = 0;
            for piece in packed.into_pieces() {
                assert!((1..=PIECE_LEN).contains(&piece.len()));
                let mut rest = &piece[..];
                while !rest.is_empty() {
                    rest = rest.strip_prefix(&one(next)[..]).expect("a piece holds whole pushes");
                    next += 1;
                }
            }
            assert_eq!(next, count);
        }
    }

    #[test]
    fn bytes_that_do_not_shrink_come_back_too() {
        let mut state = 1_u64;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        })
        .take(3 * PIECE_LEN)
        .collect();
        let mut packed = Packed::default();
        bytes.chunks(9000).for_each(|chunk| packed.push(chunk));
        assert_eq!(packed.into_pieces().collect::<Vec<_>>().concat(), bytes);
    }
}
