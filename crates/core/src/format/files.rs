//! Files of any format, for callers that choose the format at run time.

use super::{
    Asked, Reader, Rewrap, Summary, Writer, decrypt, decrypt_range, decrypt_range_from, encrypt, rewrap, verify,
};
use crate::error::Result;
use crate::password::{Kdf, Stretch};
use crate::pipeline::{Input, Output, Settings};
use std::ops::Range;

/// Says what a file needs before this encryptor, decryptor or rewrapper can work on it, so that a program can get it first: ask a person,
/// or derive a key in steps or elsewhere.
///
/// ```
/// use sealstone::{Asks, Decryptor, Encryptor, Passphrase};
///
/// let passphrase = Passphrase::new("correct horse battery staple")?;
/// let file = Encryptor::new([passphrase.clone().into()]).encrypt(b"attack at dawn")?;
///
/// let decryptor = Decryptor::new([passphrase.into()]);
/// let asked = decryptor.asked(&file)?;
/// assert!(asked.passphrase && !asked.context);
/// if let Some(stretch) = asked.stretch {
///     decryptor.know(&stretch, &stretch.begin()?.finish());
/// }
/// assert_eq!(decryptor.decrypt(&file)?, b"attack at dawn"); // At once.
/// # Ok::<(), sealstone::Error>(())
/// ```
pub trait Asks: Send + Sync {
    /// The key derivation function of the format's passphrases.
    type Kdf: Kdf;

    /// What the file needs. `file` is the beginning of the file to open, with its whole header. To write a file, `file` is not used, and
    /// nothing but a key to derive is asked for.
    ///
    /// # Errors
    /// The errors of the recipients or of the header.
    fn asked(&self, file: &[u8]) -> Result<Asked<Option<Stretch<Self::Kdf>>>>;

    /// Hands the key that [`asked`](Self::asked) named to its passphrase. A wrong key opens nothing.
    fn know(&self, stretch: &Stretch<Self::Kdf>, key: &[u8; 32]);
}

/// Implements [`Asks`] for a type with the method `know`, by an expression of the type's reference and the file.
macro_rules! asks {
    ($type:ident, $kdf:ty, |$this:ident, $file:ident| $asked:expr) => {
        impl crate::format::Asks for $type {
            type Kdf = $kdf;

            fn asked(&self, $file: &[u8]) -> Result<crate::format::Asked<Option<crate::password::Stretch<$kdf>>>> {
                let $this = self;
                Ok($asked)
            }

            fn know(&self, stretch: &crate::password::Stretch<$kdf>, key: &[u8; 32]) {
                self.know(stretch, key);
            }
        }
    };
}
pub(crate) use asks;

/// Encrypts files, in one format: [`Encryptor`](crate::Encryptor), [`age::Encryptor`](crate::interop::age::Encryptor) and
/// [`nkct::Encryptor`](crate::interop::nkct::Encryptor).
///
/// ```
/// use sealstone::interop::age;
/// use sealstone::{EncryptFiles, Encryptor, Identity, Input, Kind, Output};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let of_age = age::Encryptor::new([age::Recipient::try_from(recipient.clone())?]);
/// for mut encryptor in [Encryptor::new([recipient]).boxed(), of_age.boxed()] {
///     encryptor.settings_mut().set_threads(1);
///     let mut file = Vec::new();
///     encryptor.encrypt_to(Input::reader(&b"attack at dawn"[..]), Output::writer(&mut file))?;
///     assert!(file.len() > 14);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
pub trait EncryptFiles: Send + Sync {
    /// Copies the encryptor. The copy has settings of its own.
    fn boxed(&self) -> Box<dyn EncryptFiles>;

    /// The settings of operations. They change no byte of a file.
    fn settings_mut(&mut self) -> &mut Settings;

    /// Encrypts from any input to any output.
    ///
    /// # Errors
    /// As [`Encryptor::encrypt_to`](crate::Encryptor::encrypt_to), and the errors of the format.
    fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary>;
}

/// Decrypts files of one format: [`Decryptor`](crate::Decryptor), [`age::Decryptor`](crate::interop::age::Decryptor) and
/// [`nkct::Decryptor`](crate::interop::nkct::Decryptor).
pub trait DecryptFiles: Send + Sync {
    /// The settings of operations. They change no byte of the plaintext.
    fn settings_mut(&mut self) -> &mut Settings;

    /// Decrypts from any input to any output.
    ///
    /// # Errors
    /// As [`Decryptor::decrypt_to`](crate::Decryptor::decrypt_to), and the errors of the format.
    fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary>;

    /// Authenticates all of an input and writes nothing.
    ///
    /// # Errors
    /// As [`decrypt_to`](Self::decrypt_to).
    fn verify(&self, input: Input<'_>) -> Result<Summary>;

    /// Decrypts a range of the plaintext, and returns the number of bytes written. An end behind the plaintext's end is cut to
    /// it.
    ///
    /// # Security
    /// As [`Decryptor::decrypt_range_to`](crate::Decryptor::decrypt_range_to).
    ///
    /// # Errors
    /// As [`decrypt_to`](Self::decrypt_to); [`RangeOutOfBounds`](crate::Error::RangeOutOfBounds);
    /// [`NotSeekable`](crate::Error::NotSeekable) for a stream or armour.
    fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64>;

    /// Decrypts a range of the plaintext into memory. Memory that the plaintext outgrows is zeroed.
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to), and [`TooMuchContent`](crate::Error::TooMuchContent).
    fn decrypt_range_from(&self, input: Input<'_>, range: Range<u64>) -> Result<Vec<u8>>;
}

/// Gives files of one format to other recipients: [`Rewrapper`](crate::Rewrapper) and
/// [`age::Rewrapper`](crate::interop::age::Rewrapper).
pub trait RewrapFiles: Send + Sync {
    /// The settings of operations. They change no byte of a file.
    fn settings_mut(&mut self) -> &mut Settings;

    /// Rewraps from any input to any output.
    ///
    /// # Errors
    /// As [`Rewrapper::rewrap_to`](crate::Rewrapper::rewrap_to), and the errors of the format.
    fn rewrap_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary>;
}

impl<W: Writer + Clone + Send + Sync + 'static> EncryptFiles for W {
    fn boxed(&self) -> Box<dyn EncryptFiles> {
        Box::new(self.clone())
    }

    fn settings_mut(&mut self) -> &mut Settings {
        self.settings_mut()
    }

    fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        encrypt(self, input, output)?.publish()
    }
}

impl<R: Reader + Send + Sync> DecryptFiles for R {
    fn settings_mut(&mut self) -> &mut Settings {
        self.settings_mut()
    }

    fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        decrypt(self, input, output)?.publish()
    }

    fn verify(&self, input: Input<'_>) -> Result<Summary> {
        verify(self, input)
    }

    fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        decrypt_range(self, input, range, output)
    }

    fn decrypt_range_from(&self, input: Input<'_>, range: Range<u64>) -> Result<Vec<u8>> {
        decrypt_range_from(self, input, range)
    }
}

impl<R: Rewrap + Send + Sync> RewrapFiles for R {
    fn settings_mut(&mut self) -> &mut Settings {
        self.settings_mut()
    }

    fn rewrap_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        rewrap(self, input, output)?.publish()
    }
}
