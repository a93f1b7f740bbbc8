//! Tests of each ending with every way of reading and writing: the results must be the same.

use super::input::Source;
use super::*;
use std::fs;
use std::io::{self, Read};
use tempfile::tempdir;

/// Length of a piece: small, so that units hold many and some inputs end between two units.
const LEN: usize = 4096;

/// Appends to each piece its index and whether it is the last, so that a wrong order is detected.
struct Mark(Ending);

impl Mark {
    const TRAILER_LEN: usize = 9;

    /// The expected result for an input, computed piece by piece without the pipeline.
    fn expected(&self, input: &[u8]) -> Vec<u8> {
        let mut pieces: Vec<&[u8]> = input.chunks(LEN).collect();
        let ends_whole = input.len().is_multiple_of(LEN);
        if self.0 == Ending::Short && ends_whole || pieces.is_empty() {
            pieces.push(&[]);
        }
        let last = pieces.len() - 1;
        let marked = pieces.iter().enumerate().map(|(i, piece)| [*piece, &trailer(i as u64, i == last)[..]].concat());
        marked.collect::<Vec<_>>().concat()
    }
}

fn trailer(index: u64, is_last: bool) -> [u8; Mark::TRAILER_LEN] {
    let mut trailer = [u8::from(is_last); Mark::TRAILER_LEN];
    trailer[..8].copy_from_slice(&index.to_be_bytes());
    trailer
}

impl Transform for Mark {
    fn input_len(&self) -> usize {
        LEN
    }

    fn output_len(&self) -> usize {
        LEN + Self::TRAILER_LEN
    }

    fn ending(&self) -> Ending {
        self.0
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        slot[len..len + Self::TRAILER_LEN].copy_from_slice(&trailer(piece.index, piece.is_last));
        Ok(len + Self::TRAILER_LEN)
    }
}

/// The inverse of [`Mark`], which rejects a mark in the wrong place.
struct Unmark(Ending);

impl Transform for Unmark {
    fn input_len(&self) -> usize {
        LEN + Mark::TRAILER_LEN
    }

    fn output_len(&self) -> usize {
        LEN
    }

    fn ending(&self) -> Ending {
        self.0
    }

    fn apply(&self, piece: Piece, slot: &mut [u8], len: usize) -> Result<usize> {
        let len = len.checked_sub(Mark::TRAILER_LEN).ok_or(Error::Truncated("the mark is cut"))?;
        let is_right = slot[len..len + Mark::TRAILER_LEN] == trailer(piece.index, piece.is_last);
        if is_right { Ok(len) } else { Err(Error::NotAuthentic { chunk: Some(piece.index) }) }
    }
}

/// A reader that returns a few bytes at a time, like a pipe.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(self.1);
        self.0.read(&mut buffer[..len])
    }
}

/// A reader that returns bytes, and then an error instead of the end.
struct Broken<'a>(&'a [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the line is cut")),
            n => Ok(n),
        }
    }
}

fn in_order<T: Transform>(transform: &T, reader: &mut (dyn Read + Send), threads: usize) -> (Result<u64>, Vec<u8>) {
    let settings = Settings { threads: Some(threads), ..Settings::default() };
    let mut out = Vec::new();
    let ran = run_ordered(transform, Span::ALL, reader, &mut out, &Meter::new(&settings, None));
    (ran, out)
}

fn at_positions<T: Transform>(transform: &T, bytes: &[u8], threads: usize) -> Result<Vec<u8>> {
    let settings = Settings { threads: Some(threads), ..Settings::default() };
    let folder = tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::write(&from, bytes).unwrap();
    let mut input = Input::open(&from)?;
    let mut destination = Output::file(&to)?.begin(None)?;
    match (input.source(0), &mut destination) {
        (Source::Region(region), Destination::File(file)) => {
            let meter = Meter::new(&settings, Some(region.len()));
            file.write_head(b"")?;
            run_positional(transform, &region, None, &meter)?;
            run_positional(transform, &region, Some(file), &meter)?;
        }
        // An empty file is read as a stream.
        (Source::Reader(mut reader), Destination::File(_)) if bytes.is_empty() => {
            let meter = Meter::new(&settings, None);
            destination.with_writer(|writer| run_ordered(transform, Span::ALL, &mut *reader, writer, &meter))?;
        }
        _ => panic!("a regular file is a region"),
    }
    destination.commit()?;
    Ok(fs::read(&to).unwrap())
}

/// Lengths around a piece, a unit of one thread, a unit of several threads, and the threshold for several threads.
fn lengths() -> Vec<usize> {
    let around = |len: usize| [len.saturating_sub(1), len, len + 1];
    let unit = unit::pieces_per_unit(&Mark(Ending::Whole)) * LEN;
    [0, LEN, 2 * LEN, unit, 2 * unit, 4 * unit].into_iter().flat_map(around).collect()
}

#[test]
fn both_endings_are_the_same_in_every_way_of_reading_and_writing() {
    for ending in [Ending::Short, Ending::Whole] {
        for len in lengths() {
            let plain: Vec<u8> = (0..=250).cycle().take(len).collect();
            let marked = Mark(ending).expected(&plain);
            for threads in 1..=3 {
                assert!(
                    at_positions(&Mark(ending), &plain, threads).unwrap() == marked,
                    "{ending:?}, {len}, {threads}"
                );
                assert!(
                    at_positions(&Unmark(ending), &marked, threads).unwrap() == plain,
                    "{ending:?}, {len}, {threads}"
                );
                for drip in [LEN / 2 + 1, usize::MAX] {
                    let (ran, out) = in_order(&Mark(ending), &mut Drip(&plain, drip), threads);
                    assert_eq!(ran.unwrap(), marked.len() as u64);
                    assert!(out == marked, "{ending:?}, {len}, {threads}, {drip}");
                    let (ran, out) = in_order(&Unmark(ending), &mut Drip(&marked, drip), threads);
                    assert_eq!(ran.unwrap(), len as u64);
                    assert!(out == plain, "{ending:?}, {len}, {threads}, {drip}");
                }
            }
        }
    }
}

#[test]
fn a_stream_that_gives_one_byte_at_a_time_ends_in_the_same_way() {
    for ending in [Ending::Short, Ending::Whole] {
        for len in [0, 1, LEN, LEN + 1, 2 * LEN] {
            let plain: Vec<u8> = (0..=250).cycle().take(len).collect();
            let (ran, out) = in_order(&Mark(ending), &mut Drip(&plain, 1), 2);
            ran.unwrap();
            assert!(out == Mark(ending).expected(&plain), "{ending:?}, {len}");
        }
    }
}

#[test]
fn a_part_that_ends_before_the_last_piece_needs_no_end() {
    let plain = vec![7; 5 * LEN];
    let marked = Mark(Ending::Whole).expected(&plain);
    let piece_len = LEN + Mark::TRAILER_LEN;
    let settings = Settings::alone();
    let mut out = Vec::new();
    let span = Span { first: 1, whole: Some(3) };
    let ran =
        run_ordered(&Unmark(Ending::Whole), span, &mut &marked[piece_len..], &mut out, &Meter::new(&settings, None));
    assert_eq!(ran.unwrap(), 3 * LEN as u64);
    assert_eq!(out, plain[..3 * LEN]);
}

#[test]
fn what_is_cut_or_continued_does_not_pass_for_whole() {
    let piece_len = LEN + Mark::TRAILER_LEN;
    let marked = Mark(Ending::Whole).expected(&[7; 3 * LEN]);
    for threads in 1..=3 {
        let (cut, out) = in_order(&Unmark(Ending::Whole), &mut &marked[..2 * piece_len], threads);
        assert!(matches!(cut, Err(Error::NotAuthentic { chunk: Some(1) })), "{cut:?}");
        assert_eq!(out, [7; LEN]);
        let longer = [&marked[..], &[0; 20]].concat();
        let (continued, out) = in_order(&Unmark(Ending::Whole), &mut &longer[..], threads);
        assert!(matches!(continued, Err(Error::NotAuthentic { chunk: Some(2) })), "{continued:?}");
        assert_eq!(out, [7; 2 * LEN]);
    }
}

#[test]
fn a_fault_of_the_reader_comes_behind_the_pieces_that_are_known_not_to_be_the_last() {
    let unit = unit::pieces_per_unit(&Mark(Ending::Whole)) * LEN;
    for ending in [Ending::Short, Ending::Whole] {
        for len in [1, LEN - 1, LEN, LEN + 1, unit, unit + 1, unit + LEN] {
            let plain = vec![7; len];
            let known = match ending {
                Ending::Short => len / LEN,
                Ending::Whole => (len - 1) / LEN,
            };
            let (ran, out) = in_order(&Mark(ending), &mut Broken(&plain), 2);
            assert_eq!(ran.unwrap_err().code(), "io");
            let all = Mark(ending).expected(&[&plain[..], &[7; 2 * LEN]].concat());
            assert!(out == all[..known * (LEN + Mark::TRAILER_LEN)], "{ending:?}, {len}");
        }
    }
}
