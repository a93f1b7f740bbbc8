//! A column of a table whose cells are sealed one by one: values one behind the other, and where each begins, as Arrow lays them out.

use sealstone::aead::{Aead, Record};
use sealstone::{Error, Result};
use std::iter;

/// Bytes of an offset of Arrow's types `binary` and `large_binary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// `binary`, `utf8`.
    Four,
    /// `large_binary`, `large_utf8`.
    Eight,
}

impl Width {
    fn len(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> Option<usize> {
        let offset = match self {
            Self::Four => i32::from_ne_bytes(bytes.try_into().ok()?).into(),
            Self::Eight => i64::from_ne_bytes(bytes.try_into().ok()?),
        };
        usize::try_from(offset).ok()
    }

    fn write(self, offset: usize, bytes: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Four => bytes.extend(i32::try_from(offset).map_err(|_| Error::TooLong)?.to_ne_bytes()),
            Self::Eight => bytes.extend(i64::try_from(offset).map_err(|_| Error::TooLong)?.to_ne_bytes()),
        }
        Ok(())
    }
}

/// Cells, each a part of `data`.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    data: &'a [u8],
    offsets: &'a [u8],
    width: Width,
}

impl<'a> Column<'a> {
    /// Checks that each cell lies in the data, behind the one before it.
    pub fn new(data: &'a [u8], offsets: &'a [u8], width: Width) -> Result<Self> {
        let column = Self { data, offsets, width };
        let mut before = Some(0);
        for end in offsets.chunks(width.len()).map(|bytes| width.read(bytes)) {
            let is_in_order = end.zip(before).is_some_and(|(end, before)| before <= end && end <= data.len());
            if !is_in_order {
                return Err(Error::InvalidEncoding("the offsets are not those of the column's values"));
            }
            before = end;
        }
        if offsets.is_empty() {
            return Err(Error::InvalidEncoding("a column of no values has one offset"));
        }
        Ok(column)
    }

    fn len(self) -> usize {
        self.offsets.len() / self.width.len() - 1
    }

    fn cells(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let at = move |bytes| self.width.read(bytes).expect("records: the offsets were checked");
        let starts = self.offsets.chunks_exact(self.width.len());
        starts.clone().zip(starts.skip(1)).map(move |(start, end)| &self.data[at(start)..at(end)])
    }
}

/// The additional data of each cell: bytes that all cells have in common, and perhaps a name of each cell, with the length of the name
/// before it in four bytes, the highest first.
pub struct Bound(Vec<u8>, Vec<usize>);

impl Bound {
    /// Of `count` cells.
    pub fn new(aad: &[u8], names: Option<Column<'_>>, count: usize) -> Result<Self> {
        let Some(names) = names else { return Ok(Self(aad.to_vec(), Vec::new())) };
        if names.len() != count {
            return Err(Error::WrongLength { what: "the column of names", expected: count, actual: names.len() });
        }
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(count));
        for name in names.cells() {
            bytes.extend_from_slice(aad);
            bytes.extend(u32::try_from(name.len()).map_err(|_| Error::TooLong)?.to_be_bytes());
            bytes.extend_from_slice(name);
            ends.push(bytes.len());
        }
        Ok(Self(bytes, ends))
    }

    fn each(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let starts = iter::once(0).chain(self.1.iter().copied());
        let named = starts.zip(&self.1).map(|(start, end)| &self.0[start..*end]);
        let is_one = self.1.is_empty();
        named.chain(iter::repeat_n(&self.0[..], if is_one { usize::MAX } else { 0 }))
    }
}

/// A column's cells, each with what is authenticated with it, and what is before each when it is sealed.
pub struct Records<'a> {
    column: Column<'a>,
    prefix: &'a [u8],
    bound: Bound,
}

impl<'a> Records<'a> {
    /// Of a column.
    pub fn new(column: Column<'a>, prefix: &'a [u8], aad: &[u8], names: Option<Column<'_>>) -> Result<Self> {
        Ok(Self { column, prefix, bound: Bound::new(aad, names, column.len())? })
    }

    /// Bytes that a cell has more when it is sealed.
    fn overhead(&self, key: &Aead) -> usize {
        self.prefix.len() + key.record_overhead()
    }

    fn each(&self) -> impl Iterator<Item = Record<'_>> + Clone {
        self.bound.each().zip(self.column.cells())
    }

    /// The offsets of what the cells become when each changes its length so, and how many bytes all have.
    fn lengths(&self, change: impl Fn(usize) -> usize) -> Result<(Vec<u8>, usize)> {
        let mut offsets = Vec::with_capacity(self.column.offsets.len());
        let mut end = 0;
        self.column.width.write(end, &mut offsets)?;
        for cell in self.column.cells() {
            end += change(cell.len());
            self.column.width.write(end, &mut offsets)?;
        }
        Ok((offsets, end))
    }

    /// The offsets of the sealed column, and how many bytes it has.
    pub fn sealed_lengths(&self, key: &Aead) -> Result<(Vec<u8>, usize)> {
        let overhead = self.overhead(key);
        self.lengths(|len| len + overhead)
    }

    /// The offsets of the opened column, and how many bytes it has. What is too short to be a cell is said by [`open`](Self::open).
    pub fn opened_lengths(&self, key: &Aead) -> Result<(Vec<u8>, usize)> {
        let overhead = self.overhead(key);
        self.lengths(|len| len.saturating_sub(overhead))
    }

    /// Seals each cell into memory of that many bytes.
    pub fn seal(&self, key: &Aead, sealed: &mut [u8]) -> Result<()> {
        key.seal_records(self.prefix, self.each(), sealed)
    }

    /// Opens each cell into memory of that many bytes.
    pub fn open(&self, key: &Aead, plaintexts: &mut [u8]) -> Result<()> {
        key.open_records(self.prefix, self.each(), plaintexts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealstone::aead::Algorithm;

    fn offsets(of: &[i32]) -> Vec<u8> {
        of.iter().flat_map(|one| one.to_ne_bytes()).collect()
    }

    #[test]
    fn cells_go_round_and_belong_to_their_names() {
        let key = Aead::new(Algorithm::Aes256Gcm, &[7; 32]).unwrap();
        let (data, ends) = (b"..attackat", offsets(&[2, 8, 8, 10]));
        let column = Column::new(data, &ends, Width::Four).unwrap();
        let (names, name_ends) = (b"abc", offsets(&[0, 1, 2, 3]));
        let names = |ends| Column::new(names, ends, Width::Four).ok();
        let records = Records::new(column, b"key", b"ssn", names(&name_ends)).unwrap();
        let (sealed_ends, len) = records.sealed_lengths(&key).unwrap();
        assert_eq!(sealed_ends, offsets(&[0, 37, 68, 101]));
        let mut sealed = vec![0; len];
        records.seal(&key, &mut sealed).unwrap();
        let column = Column::new(&sealed, &sealed_ends, Width::Four).unwrap();
        let records = Records::new(column, b"key", b"ssn", names(&name_ends)).unwrap();
        let (opened_ends, len) = records.opened_lengths(&key).unwrap();
        let mut opened = vec![0; len];
        records.open(&key, &mut opened).unwrap();
        assert_eq!((&opened[..], opened_ends), (&b"attackat"[..], offsets(&[0, 6, 6, 8])));
        // A cell of another row, or of another column, is none.
        let other = offsets(&[0, 0, 2, 3]);
        let wrong = Records::new(column, b"key", b"ssn", names(&other)).unwrap().open(&key, &mut opened).unwrap_err();
        assert!(matches!(wrong, Error::NotAuthentic { chunk: Some(0) }));
        let wrong =
            Records::new(column, b"key", b"name", names(&name_ends)).unwrap().open(&key, &mut opened).unwrap_err();
        assert_eq!(wrong.code(), "not_authentic");
    }

    #[test]
    fn offsets_that_lie_are_refused() {
        for wrong in [&[3, 2][..], &[0, 11], &[-1, 0], &[0, 5, 4], &[]] {
            assert!(Column::new(&[0; 10], &offsets(wrong), Width::Four).is_err(), "{wrong:?}");
        }
        assert!(Column::new(&[0; 10], &[0; 6], Width::Four).is_err());
        assert!(Column::new(&[], &[0; 8], Width::Eight).is_ok());
        let column = Column::new(&[0; 10], &[0; 8], Width::Four).unwrap();
        let names = Column::new(&[], &[0; 4], Width::Four).unwrap();
        assert_eq!(Records::new(column, b"", b"", Some(names)).err().unwrap().code(), "wrong_length");
    }
}
