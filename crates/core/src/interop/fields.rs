//! Reads and writes the parts of nkCryptoTool's formats: little-endian numbers, and fields behind their length in four bytes.

/// The bytes that are not read yet. Each method returns `None` if they are too few.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn array<const LEN: usize>(&mut self) -> Option<[u8; LEN]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// A little-endian number.
    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// A big-endian time.
    pub(super) fn time(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// A field of at most `max` bytes.
    pub(super) fn field(&mut self, max: usize) -> Option<&'a [u8]> {
        let (len, rest) = self.0.split_first_chunk()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok().filter(|len| *len <= max)?;
        let (field, rest) = rest.split_at_checked(len)?;
        self.0 = rest;
        Some(field)
    }
}

/// Appends a field.
///
/// # Panics
/// For a field of 4 GiB.
pub(super) fn append(to: &mut Vec<u8>, field: &[u8]) {
    let len = u32::try_from(field.len()).expect("fields: a field is shorter than 4 GiB");
    to.extend_from_slice(&len.to_le_bytes());
    to.extend_from_slice(field);
}
