//! The root of a passphrase's stanza, derived step by step.

use super::passphrase::{self, Head};
use super::{Stanza, StanzaId, wrap};
use crate::argon2;
use crate::error::Result;
use crate::kdf::{Iterations, Prf, Variant};
use crate::key::{Identity, Public, Recipient, Secret};
use crate::password::{Passphrase, Root};
use crate::suite::Suite;
use zeroize::Zeroizing;

/// What a passphrase and a file ask for that takes long: a key that is derived of the passphrase, at a cost that the file says.
///
/// Who encrypts and decrypts need not know of it. It is for programs that must not wait for all of the work at once, as a page of
/// a browser: those derive the key in steps, or elsewhere, and let an [`Encryptor`](crate::Encryptor),
/// [`Decryptor`](crate::Decryptor) or [`Rewrapper`](crate::Rewrapper) know it.
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Passphrase};
///
/// let identity = Identity::from(Passphrase::new("correct horse battery staple")?);
/// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
///
/// let decryptor = Decryptor::new([identity]);
/// while let Some(stretch) = decryptor.stretch(&file)? {
///     let mut stretching = stretch.begin()?;
///     while !stretching.step(10_000) {
///         // Here the program does something else.
///     }
///     decryptor.know(&stretch, &stretching.finish());
/// }
/// assert_eq!(decryptor.decrypt(&file)?, b"attack at dawn"); // At once.
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Security
/// It holds the passphrase, and is zeroed on drop.
pub struct Stretch {
    passphrase: Passphrase,
    id: StanzaId,
    head: Vec<u8>,
    /// Whether it is for a stanza that is yet to be written.
    is_new: bool,
}

impl Stretch {
    pub(crate) fn of_new(recipient: &Recipient, suite: Suite) -> Result<Option<Self>> {
        let Public::Passphrase(passphrase) = &recipient.0 else { return Ok(None) };
        let id = recipient.kind().stanza_id(suite).map(StanzaId);
        let id = id.filter(|id| !passphrase.has_new_root(id.0));
        let new = |id| Ok(Self { passphrase: passphrase.clone(), id, head: passphrase::new_head(id)?, is_new: true });
        id.map(new).transpose()
    }

    /// None where the identity is no passphrase, or knows the root.
    pub(crate) fn of(identity: &Identity, stanza: Stanza<'_>) -> Result<Option<Self>> {
        let Secret::Passphrase(passphrase) = &identity.0 else { return Ok(None) };
        let (head, _) = wrap::split(stanza);
        if passphrase.root(stanza.id.0, head).is_some() {
            return Ok(None);
        }
        passphrase::work(stanza)?;
        Ok(Some(Self { passphrase: passphrase.clone(), id: stanza.id, head: head.to_vec(), is_new: false }))
    }

    /// Begins to derive the key.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`](crate::Error::CostTooHigh) where the system has less memory.
    pub fn begin(&self) -> Result<Stretching> {
        Stretching::begin(&self.passphrase, self.id, &self.head)
    }

    /// Tells the root to the first identity that does not know it: the one that it was asked for.
    pub(crate) fn tell(&self, identities: &[Identity], root: &[u8; 32]) {
        let mut passphrases = identities.iter().filter_map(|identity| match &identity.0 {
            Secret::Passphrase(passphrase) => Some(passphrase),
            _ => None,
        });
        if let Some(passphrase) = passphrases.find(|passphrase| passphrase.root(self.id.0, &self.head).is_none()) {
            passphrase.know_root(self.root(root));
        }
    }

    pub(crate) fn tell_new(&self, recipient: &Recipient, root: &[u8; 32]) {
        if let Public::Passphrase(passphrase) = &recipient.0 {
            passphrase.know_root(self.root(root));
        }
    }

    fn root(&self, root: &[u8; 32]) -> Root {
        Root { stanza: self.id.0, head: self.head.clone(), is_new: self.is_new, key: Zeroizing::new(*root) }
    }

    /// As bytes, for another process or another memory. They have the passphrase in them.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let head = [&[u8::from(self.is_new)], &self.id.0.to_be_bytes()[..], &self.head].concat();
        let mut bytes = Zeroizing::new(Vec::with_capacity(head.len() + self.passphrase.as_bytes().len()));
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(self.passphrase.as_bytes());
        bytes
    }

    /// Of such bytes.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`](crate::Error::InvalidPassphrase).
    ///
    /// # Panics
    /// When they are none that [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const WHOLE: &str = "stretch: these are bytes of one";
        let ([is_new, id @ ..], rest) = bytes.split_first_chunk::<3>().expect(WHOLE);
        let id = StanzaId(u16::from_be_bytes(*id));
        let (head, passphrase) = rest.split_at_checked(passphrase::head_len(id)).expect(WHOLE);
        Ok(Self { passphrase: Passphrase::from_utf8(passphrase)?, id, head: head.to_vec(), is_new: *is_new == 1 })
    }
}

impl std::fmt::Debug for Stretch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stretch").field("stanza", &self.id.name()).finish_non_exhaustive()
    }
}

/// A key that is being derived of a passphrase. Its memory is zeroed on drop.
pub struct Stretching(State);

enum State {
    Argon2id(argon2::Derivation),
    Pbkdf2(Iterations),
}

impl Stretching {
    pub(super) fn begin(passphrase: &Passphrase, id: StanzaId, head: &[u8]) -> Result<Self> {
        let password = passphrase.as_bytes();
        Ok(Self(match Head::parse(id, head)? {
            Head::Argon2id(cost, salt) => {
                let input = argon2::Input { password, salt: &salt, ..argon2::Input::default() };
                State::Argon2id(argon2::Derivation::begin(Variant::Id, input, cost, 32)?)
            }
            Head::Pbkdf2(iterations, salt) => {
                State::Pbkdf2(Iterations::begin(Prf::HmacSm3.of(password), &salt, iterations, vec![0; 32].into()))
            }
        }))
    }

    /// Does so much more, of which each takes a microsecond or a few; returns whether all is done.
    pub fn step(&mut self, amount: u32) -> bool {
        match &mut self.0 {
            State::Argon2id(derivation) => derivation.step(amount.into()),
            State::Pbkdf2(iterations) => iterations.step(amount),
        }
    }

    /// The key, after what is left of the work.
    #[must_use]
    pub fn finish(self) -> Zeroizing<[u8; 32]> {
        let mut root = Zeroizing::new([0; 32]);
        match self.0 {
            State::Argon2id(derivation) => derivation.finish(&mut root[..]),
            State::Pbkdf2(iterations) => root.copy_from_slice(&iterations.finish()),
        }
        root
    }
}

impl std::fmt::Debug for Stretching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stretching(..)")
    }
}

#[cfg(test)]
#[path = "stretch_tests.rs"]
mod tests;
