//! Writes content whose form changes its length before it is cut into pieces: each part of the content is packed on its own,
//! the packed parts are joined, and the whole is cut into the pieces of a [`Transform`].
//!
//! Workers pack and transform in parallel. In between they take turns, to learn where a packed part begins: a worker gets the
//! bytes of the part before that filled no piece, and leaves those of its own.

use super::line::{Line, Station};
use super::output::TempFile;
use super::unit::Unit;
use super::{Ending, Meter, Transform, Wiped};
use crate::error::{Error, Result};
use std::io::{self, IoSliceMut, Read, Write};
use std::sync::Mutex;

/// Gives content in parts.
pub(crate) trait Supply: Send {
    /// The memory of one part, which a worker uses again.
    type Load: Default;

    /// What the parts add up to, in their order.
    type Ledger: Send;

    /// Claims the next part; `false` at the end. The parts are claimed in order, one at a time.
    fn claim(&mut self, load: &mut Self::Load) -> Result<bool>;

    /// The bytes of a claimed part. Workers call it in parallel.
    fn bytes(load: &mut Self::Load) -> Result<&[u8]>;

    /// Adds a part to the ledger, in the order of the parts.
    fn settle(ledger: &mut Self::Ledger, load: &mut Self::Load) -> Result<()>;
}

/// Packs parts of content, each on its own.
pub(crate) trait Pack: Sync {
    /// The memory of a worker.
    type Worker;

    /// The most bytes of a part.
    const PART_MOST: usize;

    /// The most bytes of a packed part.
    const MOST: usize;

    /// Makes the memory of a worker.
    fn worker(&self) -> Self::Worker;

    /// Packs a part; returns the packed bytes as slices.
    fn pack<'b>(&self, worker: &'b mut Self::Worker, part: &'b [u8]) -> Result<Vec<&'b [u8]>>;
}

/// Where the transformed pieces go.
pub(crate) enum Out<'a> {
    /// At their offsets in a file.
    File(&'a TempFile),
    /// In order.
    Writer(&'a mut (dyn Write + Send)),
}

/// Packs content, and writes its transformed pieces.
pub(crate) struct Packer<'a, P> {
    transform: &'a dyn Transform,
    pack: P,
    out: Out<'a>,
    joined: Joined,
}

/// The packed parts so far.
#[derive(Default)]
struct Joined {
    /// The bytes behind the last whole piece.
    rest: Wiped,
    /// The number of whole pieces.
    pieces: u64,
    /// The bytes of content.
    len: u64,
    /// The packed and the unpacked length of each part.
    parts: Vec<(u32, u32)>,
}

impl<'a, P: Pack> Packer<'a, P> {
    pub(crate) fn new(transform: &'a dyn Transform, pack: P, out: Out<'a>) -> Self {
        assert_eq!(transform.ending(), Ending::Short, "pack: the last piece is short");
        Self { transform, pack, out, joined: Joined::default() }
    }

    /// Packs all parts of a supply. A packer can take several supplies, one behind the other.
    ///
    /// # Errors
    /// The error of the first part that failed.
    pub(crate) fn run<S: Supply>(
        &mut self,
        supply: S,
        ledger: &mut S::Ledger,
        threads: usize,
        meter: &Meter<'_>,
    ) -> Result<()> {
        let Self { transform, pack, out, joined } = self;
        let (transform, pack) = (*transform, &*pack);
        let piece_len = transform.input_len();
        let supply = Mutex::new(supply);
        let joining = Station::new(0, std::mem::take(joined));
        let settling = Station::new(2, ledger);
        let (file, writing) = match out {
            Out::File(file) => (Some(*file), None),
            Out::Writer(writer) => (None, Some(Station::new(1, &mut **writer))),
        };
        let ran = Line::run(meter, threads, |line| {
            let (mut load, mut worker) = (S::Load::default(), pack.worker());
            let mut unit = Unit::new(transform, P::MOST / piece_len + 2);
            while let Some(place) = line.claim(&supply, |supply| supply.claim(&mut load))? {
                let part = place.check(S::bytes(&mut load))?;
                let len = part.len();
                assert!(len <= P::PART_MOST, "pack: a part has {len} bytes");
                let packed = place.check(pack.pack(&mut worker, part))?;
                let cut = place.turn(&joining, |joined| joined.add(&packed, len, piece_len))?;
                let read = unit.fill_from(cut.len, &mut Slices::new(&cut.before, &packed));
                read.expect("pack: memory is read");
                assert_eq!(unit.filled(), cut.len, "pack: a unit holds the pieces of a part");
                place.check(unit.transform(cut.first, false))?;
                match (file, &writing) {
                    (Some(file), _) => place.check(store_at(&unit, file, cut.first * transform.output_len() as u64))?,
                    (None, Some(writing)) => place.turn(writing, |writer| store(&unit, &mut **writer))?,
                    (None, None) => {}
                }
                place.turn(&settling, |ledger| S::settle(ledger, &mut load))?;
                place.done(len);
            }
            Ok(())
        });
        *joined = joining.into_state();
        ran
    }

    /// The number of bytes of content so far.
    pub(crate) fn content_len(&self) -> u64 {
        self.joined.len
    }

    /// The packed and the unpacked length of each part so far.
    pub(crate) fn parts(&self) -> &[(u32, u32)] {
        &self.joined.parts
    }

    /// Writes the last pieces, with `tail` behind the packed parts. Returns the number of bytes of all pieces, transformed.
    ///
    /// # Errors
    /// The errors of the transform and of writing.
    pub(crate) fn finish(mut self, tail: &[u8]) -> Result<u64> {
        let Joined { rest, pieces, .. } = &self.joined;
        let mut unit = Unit::new(self.transform, P::MOST / self.transform.input_len() + 2);
        let mut bytes = Slices { slices: vec![rest, tail] };
        let (mut first, mut written) = (*pieces, *pieces * self.transform.output_len() as u64);
        loop {
            unit.fill_from(unit.capacity(), &mut bytes).expect("pack: memory is read");
            let is_last = unit.filled() < unit.capacity();
            unit.transform(first, is_last)?;
            match &mut self.out {
                Out::File(file) => store_at(&unit, file, written)?,
                Out::Writer(writer) => store(&unit, &mut **writer)?,
            }
            written += unit.ready() as u64;
            first += unit.pieces() as u64;
            if is_last {
                break;
            }
        }
        if let Out::Writer(writer) = &mut self.out {
            writer.flush().map_err(|error| Error::from_io("write", None, error))?;
        }
        Ok(written)
    }
}

/// The whole pieces that a packed part completes.
struct Cut {
    /// The bytes before the part.
    before: Wiped,
    /// The number of the first piece.
    first: u64,
    /// The bytes of all pieces.
    len: usize,
}

impl Joined {
    /// Adds a packed part of `len` bytes of content.
    fn add(&mut self, packed: &[&[u8]], len: usize, piece_len: usize) -> Result<Cut> {
        let packed_len = packed.iter().map(|slice| slice.len()).sum::<usize>();
        if len > 0 {
            let lengths = (u32::try_from(packed_len), u32::try_from(len));
            let (Ok(packed_len), Ok(len)) = lengths else { unreachable!("pack: a part is short") };
            self.parts.push((packed_len, len));
        }
        self.len = self.len.checked_add(len as u64).ok_or(Error::TooLong)?;
        let all = self.rest.len() + packed_len;
        let whole = all - all % piece_len;
        let mut rest = Wiped::default();
        rest.make_room(piece_len);
        if whole == 0 {
            rest.extend(&self.rest);
            for slice in packed {
                rest.extend(slice);
            }
        } else {
            // Fewer bytes than a piece are behind the last whole piece, so all of them are of this part.
            let mut skip = packed_len - all % piece_len;
            for slice in packed {
                let behind = slice.len().min(skip);
                rest.extend(&slice[behind..]);
                skip -= behind;
            }
        }
        let before = std::mem::replace(&mut self.rest, rest);
        let first = self.pieces;
        self.pieces += (whole / piece_len) as u64;
        Ok(Cut { before, first, len: whole })
    }
}

/// Reads slices one behind the other.
struct Slices<'b> {
    slices: Vec<&'b [u8]>,
}

impl<'b> Slices<'b> {
    fn new(before: &'b [u8], packed: &[&'b [u8]]) -> Self {
        Self { slices: std::iter::once(before).chain(packed.iter().copied()).collect() }
    }
}

impl Read for Slices<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        for slice in &mut self.slices {
            read += slice.read(&mut buffer[read..])?;
        }
        Ok(read)
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        buffers.iter_mut().map(|buffer| self.read(buffer)).sum()
    }
}

fn store_at(unit: &Unit<'_>, file: &TempFile, base: u64) -> Result<()> {
    let stored = unit.store(|done, slices| file.write_at(slices, base + done as u64));
    stored.map_err(|error| Error::from_io("write", Some(file.path()), error))
}

fn store(unit: &Unit<'_>, writer: &mut (dyn Write + Send)) -> Result<()> {
    unit.store_to(writer).map_err(|error| Error::from_io("write", None, error))
}
