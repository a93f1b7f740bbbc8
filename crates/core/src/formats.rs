//! The formats of encrypted files that this crate reads and writes. Each has a row here.

use crate::error::Result;
use crate::file::Sealstone;
use crate::format::{Asked, Format, inspect, inspect_head};
#[cfg(feature = "interop")]
use crate::interop::{age::Age, nkct::Nkct};
use crate::pipeline::Input;

macro_rules! formats {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $variant:ident = $name:literal: $format:ty;)+) => {
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

            /// The format whose files begin as this input does, sound or not; [`Sealstone`](Self::Sealstone) if there is none, so that reading
            /// the file says what is wrong with it. Nothing is consumed.
            ///
            /// # Errors
            /// [`Error::Io`](crate::Error::Io).
            pub fn of(input: &mut Input<'_>) -> Result<Self> {
                $($(#[cfg($cfg)])? if <$format>::is_in(input)? {
                    return Ok(Self::$variant);
                })+
                Ok(Self::Sealstone)
            }

            /// What a file asks for before it opens. The input can be decrypted afterwards, since nothing is consumed. The result is not
            /// authenticated.
            ///
            /// # Errors
            /// Those of the file's head, and [`Error::Io`](crate::Error::Io).
            pub fn asked(self, input: &mut Input<'_>) -> Result<Asked> {
                match self { $($(#[cfg($cfg)])? Self::$variant => Ok(<$format>::asked(&inspect_head::<$format>(input)?)),)+ }
            }

            /// Bytes of content that a whole file has by its length, which is not authenticated. A stream is read to its end.
            ///
            /// # Errors
            /// As [`asked`](Self::asked), and a length that no file has.
            pub fn plaintext_len(self, input: Input<'_>) -> Result<u64> {
                match self { $($(#[cfg($cfg)])? Self::$variant => Ok(<$format>::plaintext_len(&inspect::<$format>(input, false)?)),)+ }
            }
        }
    };
}

formats! {
    /// Sealstone's own, specified in `spec/format.md`.
    Sealstone = "sealstone": Sealstone;
    /// Files of age ([`interop::age`](crate::interop::age)).
    #[cfg(feature = "interop")]
    Age = "age": Age;
    /// Files of nkCryptoTool ([`interop::nkct`](crate::interop::nkct)).
    #[cfg(feature = "interop")]
    Nkct = "nkct": Nkct;
}
