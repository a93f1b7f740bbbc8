use super::*;
use crate::openssl_tests::skip;
use std::io::Write;
use std::process::{Command, Stdio};

/// The stored content of these parts.
fn stored(parts: &[Vec<u8>], compression: Compression) -> Vec<u8> {
    let framer = Framer(compression);
    let (mut worker, mut stored, mut lengths) = (framer.worker(), Vec::new(), Vec::new());
    for part in parts {
        let frame = framer.pack(&mut worker, part).unwrap().concat();
        lengths.push((u32::try_from(frame.len()).unwrap(), u32::try_from(part.len()).unwrap()));
        stored.extend(frame);
    }
    stored.extend(write_table(&lengths).unwrap());
    stored
}

/// Bytes that do not shrink, the same in each run.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut step = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(&mut step).take(len).collect()
}

fn parts() -> Vec<Vec<u8>> {
    let text: Vec<u8> = (0..).flat_map(|n: u32| format!("line {n}\n").into_bytes()).take(FRAME_LEN).collect();
    vec![text, noise(FRAME_LEN), vec![7; 1 << 20], noise(131_073), b"x".to_vec()]
}

#[test]
fn zstd_reads_the_stored_content() {
    let zstd = || {
        let mut zstd = Command::new("zstd");
        zstd.args(["-d", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    };
    for compression in [Compression::Auto, Compression::Zstd(1), Compression::Zstd(19)] {
        let stored = stored(&parts(), compression);
        let Ok(mut child) = zstd() else { return skip("zstd is not installed") };
        let mut input = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(&stored).unwrap());
            child.wait_with_output().unwrap()
        });
        assert!(output.status.success() && output.stdout == parts().concat(), "{compression:?}");
    }
}

#[test]
fn what_does_not_shrink_is_stored_and_takes_three_bytes_a_block() {
    let noise = vec![noise(FRAME_LEN)];
    let blocks = FRAME_LEN / BLOCK_MAX;
    assert_eq!(stored(&noise, Compression::Auto).len(), FRAME_LEN + 9 + 3 * blocks + TABLE_EXTRA_LEN + 8);
    assert!(stored(&parts()[..1], Compression::Auto).len() < FRAME_LEN / 4);
}

#[test]
fn frames_are_cut_whatever_the_pieces_are() {
    let stored = stored(&parts(), Compression::Auto);
    for piece_len in [1 << 14, 100_003, 1 << 22] {
        let (mut worker, mut packs, mut buffer) = (Deframer.worker(), Frames::default(), Buffer::default());
        let (mut cutter, mut content) = (FrameCutter::all(None), Vec::new());
        let mut pieces = stored.chunks(piece_len).peekable();
        while let Some(piece) = pieces.next() {
            let fault = Deframer.cut(&mut cutter, &mut piece.to_vec().into(), pieces.peek().is_none(), &mut packs);
            assert!(fault.is_none(), "{fault:?}");
            while let Some(at) = Deframer::next_at(&packs) {
                assert_eq!(at, content.len() as u64);
                assert!(Deframer.unpack(&mut worker, &mut packs, &mut buffer).is_none());
                content.extend_from_slice(&buffer);
            }
        }
        assert!(content == parts().concat());
        assert_eq!((cutter.content_len(), cutter.stored_len()), (content.len() as u64, stored.len() as u64));
    }
}

#[test]
fn a_level_that_there_is_not_is_refused() {
    for level in [0, 23, 255] {
        assert_eq!(Compression::Zstd(level).check().unwrap_err().code(), "invalid_option");
    }
}

#[test]
fn the_frames_of_a_range_hold_all_of_it() {
    let table = write_table(&[(10, 100), (20, 1), (30, 50)]).unwrap();
    let stored_len = 60 + table.len() as u64;
    let table = SeekTable::read(&table, stored_len).unwrap();
    assert_eq!((table.count(), table.content_len()), (3, 151));
    for (range, frames) in
        [(0..1, 0..1), (0..100, 0..1), (99..101, 0..2), (100..101, 1..2), (101..151, 2..3), (0..151, 0..3)]
    {
        assert_eq!(table.frames(&range), frames, "{range:?}");
    }
    assert_eq!(table.offset(2), (30, 101));
    assert_eq!(table.lengths(1..3), [(20, 1), (30, 50)]);
}
