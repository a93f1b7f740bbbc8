//! What files of all formats have in common.

/// What a caller may say about how an operation runs, the same for all of them.
macro_rules! settings_methods {
    () => {
        /// How many threads compute; all that the machine has by default. It changes no byte of the result.
        #[must_use]
        pub fn threads(mut self, threads: usize) -> Self {
            self.settings.threads = Some(threads);
            self
        }

        crate::pipeline::callback_methods!();
    };
}
pub(crate) use settings_methods;

pub(crate) mod armour;
mod delivery;
mod prepared;

pub use armour::{ArmourDecoder, ArmourEncoder, is_armoured};
pub(crate) use delivery::{Delivery, Part};
pub use prepared::Prepared;

/// How many bytes an operation has processed.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let mut sealed = Vec::new();
/// let summary = Encryptor::new([recipient]).encrypt_stream(&b"attack at dawn"[..], &mut sealed)?;
/// assert_eq!((summary.plaintext, summary.ciphertext), (14, sealed.len() as u64));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Of plaintext.
    pub plaintext: u64,
    /// Of the whole file, without armour.
    pub ciphertext: u64,
}
