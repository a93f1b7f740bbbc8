//! The table of the file formats that this crate reads and writes.

use crate::error::Result;
use crate::file::Sealstone;
use crate::format::{Asked, Format, inspect, inspect_head};
#[cfg(feature = "interop")]
use crate::interop::{age::Age, nkct::Nkct};
use crate::pipeline::Input;

macro_rules! formats {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $variant:ident = $name:literal: $format:ty;)+) => {
        /// A format of encrypted files, for programs that detect a file's format at run time.
        ///
        /// ```
        /// use sealstone::interop::age;
        /// use sealstone::{EncryptFiles, FileFormat, Identity, Input, Kind};
        ///
        /// let recipient = age::Recipient::try_from(Identity::generate(Kind::X25519)?.recipient())?;
        /// let file = age::Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
        ///
        /// let mut input = Input::reader(&file[..]);
        /// let format = FileFormat::of(&mut input)?;
        /// assert_eq!((format, format.suffix()), (FileFormat::Age, ".age"));
        /// assert_eq!(format.asked(&mut input)?.keys, ["X25519"]);
        /// assert_eq!(format.plaintext_len(input)?, 14);
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum FileFormat {
            $($(#[cfg($cfg)])? $(#[doc = $doc])* $variant,)+
        }

        named_enum!(FileFormat { $($(#[cfg($cfg)])? $variant = $name,)+ });

        impl FileFormat {
            /// The suffix of the names of files, such as `.seal`.
            #[must_use]
            pub fn suffix(self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant => <$format>::SUFFIX,)+ }
            }

            /// Detects the format by the input's first bytes, whether the file is valid or not. If no format matches, it
            /// returns [`Sealstone`](Self::Sealstone), whose reader then reports what is wrong. Nothing is consumed.
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io).
            pub fn of(input: &mut Input<'_>) -> Result<Self> {
                $($(#[cfg($cfg)])? if <$format>::is_in(input)? {
                    return Ok(Self::$variant);
                })+
                Ok(Self::Sealstone)
            }

            /// The keys and the context that a file requires, not authenticated. Nothing is consumed, so the input can be
            /// decrypted afterwards.
            ///
            /// # Errors
            /// The errors of the file's head, and [`Error::Io`](crate::Error::Io).
            pub fn asked(self, input: &mut Input<'_>) -> Result<Asked> {
                match self { $($(#[cfg($cfg)])? Self::$variant => Ok(<$format>::asked(&inspect_head::<$format>(input)?)),)+ }
            }

            /// Bytes of plaintext by the file's length, which is not authenticated. A stream is read to its end.
            ///
            /// # Errors
            /// As [`asked`](Self::asked), and the error of a length that no file has.
            pub fn plaintext_len(self, input: Input<'_>) -> Result<u64> {
                match self { $($(#[cfg($cfg)])? Self::$variant => Ok(<$format>::plaintext_len(&inspect::<$format>(input, false)?)),)+ }
            }
        }
    };
}

formats! {
    /// Sealstone's format, specified in `spec/format.md`.
    Sealstone = "sealstone": Sealstone;
    /// Files of age ([`interop::age`](crate::interop::age)).
    #[cfg(feature = "interop")]
    Age = "age": Age;
    /// Files of nkCryptoTool ([`interop::nkct`](crate::interop::nkct)).
    #[cfg(feature = "interop")]
    Nkct = "nkct": Nkct;
}
