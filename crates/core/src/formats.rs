//! The formats of encrypted files that this crate reads and writes. Each has a row here.

use crate::error::Result;
use crate::file::Sealstone;
use crate::format::{Asked, Format};
use crate::interop::{age::Age, nkct::Nkct};
use crate::pipeline::Input;

/// A format of encrypted files, for programs that find out the format of a file at run time.
///
/// ```
/// use sealstone::interop::age;
/// use sealstone::{EncryptFiles, FileFormat, Identity, Input, Kind};
///
/// let recipient = age::Recipient::try_from(Identity::generate(Kind::X25519)?.recipient())?;
/// let file = age::Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
///
/// let mut input = Input::reader(&file[..]);
/// let format = FileFormat::of(&mut input);
/// assert_eq!((format, format.suffix()), (FileFormat::Age, ".age"));
/// assert_eq!(format.asked(&mut input)?.keys, ["X25519"]);
/// assert_eq!(format.plaintext_len(input)?, 14);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Sealstone's own, specified in `spec/format.md`.
    Sealstone,
    /// Files of age ([`interop::age`](crate::interop::age)).
    Age,
    /// Files of nkCryptoTool ([`interop::nkct`](crate::interop::nkct)).
    Nkct,
}

named_enum!(FileFormat {
    Sealstone = "sealstone",
    Age = "age",
    Nkct = "nkct",
});

/// Calls a function with the [`Format`] of each variant.
macro_rules! of_format {
    ($format:expr, $function:ident($($argument:expr),*)) => {
        match $format {
            FileFormat::Sealstone => $function::<Sealstone>($($argument),*),
            FileFormat::Age => $function::<Age>($($argument),*),
            FileFormat::Nkct => $function::<Nkct>($($argument),*),
        }
    };
}

impl FileFormat {
    /// The suffix of the names of files, such as `.seal`.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        of_format!(self, suffix())
    }

    /// The format whose files begin as this input does, sound or not; [`Sealstone`](Self::Sealstone) if there is none, so that reading
    /// the file says what is wrong with it. Nothing is consumed.
    #[must_use]
    pub fn of(input: &mut Input<'_>) -> Self {
        let begins = |format: &Self| matches!(of_format!(format, is_in(input)), Ok(true));
        Self::ALL.into_iter().find(begins).unwrap_or(Self::Sealstone)
    }

    /// What a file asks for before it opens. The input can be decrypted afterwards, since nothing is consumed. The result is not
    /// authenticated.
    ///
    /// # Errors
    /// Those of the file's head, and [`Error::Io`](crate::Error::Io).
    pub fn asked(self, input: &mut Input<'_>) -> Result<Asked> {
        of_format!(self, asked(input))
    }

    /// Bytes of content that a whole file has by its length, which is not authenticated. A stream is read to its end.
    ///
    /// # Errors
    /// As [`asked`](Self::asked), and a length that no file has.
    pub fn plaintext_len(self, input: Input<'_>) -> Result<u64> {
        of_format!(self, plaintext_len(input))
    }
}

fn suffix<F: Format>() -> &'static str {
    F::SUFFIX
}

fn is_in<F: Format>(input: &mut Input<'_>) -> Result<bool> {
    F::is_in(input)
}

fn asked<F: Format>(input: &mut Input<'_>) -> Result<Asked> {
    Ok(F::asked(&crate::format::inspect_head::<F>(input)?))
}

fn plaintext_len<F: Format>(input: Input<'_>) -> Result<u64> {
    Ok(F::plaintext_len(&crate::format::inspect::<F>(input, false)?))
}
