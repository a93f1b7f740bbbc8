//! Plugins of age (<https://c2sp.org/age-plugin>). A plugin wraps a secret for recipients that only it supports, such as keys
//! in hardware tokens, and unwraps it.
//!
//! A plugin is usually a program `age-plugin-NAME`. Its recipients are strings `age1NAME1…`, and its identities
//! `AGE-PLUGIN-NAME-1…`. Both work with files of Sealstone and of age:
//!
//! - [`Plugin`] does the work. The command line implements it with a program; a test, a server or an application may implement
//!   it in another way;
//! - [`Recipient`] and [`Identity`] are strings with their plugin. `from` converts them to keys of either format;
//! - [`Conversation`](crate::interop::age::Conversation) implements the protocol with a program.
//!
//! ```
//! use sealstone::plugin::{Identity, Plugin, Recipient, Secret, Stanza, Wrapped};
//! use sealstone::{Decryptor, Encryptor, Error, interop::age};
//! use std::sync::Arc;
//!
//! /// A plugin that hides nothing.
//! struct Open;
//!
//! impl Plugin for Open {
//!     fn wrap(&self, _: &Recipient, secret: &Secret) -> Result<Wrapped, Error> {
//!         Ok(Wrapped::classical([Stanza::new("open", ["1"], secret.to_vec())?]))
//!     }
//!
//!     fn unwrap(&self, _: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>, Error> {
//!         let own = stanzas.iter().find(|stanza| stanza.kind() == "open");
//!         Ok(own.and_then(|stanza| stanza.body().try_into().ok().map(Secret::new)))
//!     }
//! }
//!
//! let identity = Identity::without_data("open", Arc::new(Open))?;
//! let recipient = identity.recipient();
//! let sealed = Encryptor::new([recipient.clone().into()]).encrypt(b"attack at dawn")?;
//! assert_eq!(Decryptor::new([identity.clone().into()]).decrypt(&sealed)?, b"attack at dawn");
//! let sealed = age::Encryptor::new([recipient.into()]).encrypt(b"attack at dawn")?;
//! assert_eq!(age::Decryptor::new([identity.into()]).decrypt(&sealed)?, b"attack at dawn");
//! # Ok::<(), Error>(())
//! ```
//!
//! # Security
//! A plugin learns the file key: directly for files of age, and for files of Sealstone as a secret that opens the stanza. It
//! runs with all rights of its caller.

// This module knows no format of files and starts no program: `crates/cli/src/plugin.rs` starts it. docs/design/plugins.md
// explains the choices.

mod stanza;

pub use stanza::Stanza;

use crate::encoding::{decode_bech32, encode_bech32};
use crate::error::{Error, KeyFault, PluginFault, Result};
use std::collections::BTreeSet;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bytes of the secret that a plugin wraps.
pub const SECRET_LEN: usize = 16;

/// The secret that a plugin wraps: the file key of a file of age, or the root that wraps the file key of a file of Sealstone.
pub type Secret = Zeroizing<[u8; SECRET_LEN]>;

/// The most stanzas of one secret, which is also the limit for a header of age.
pub(crate) const STANZAS_MAX: usize = 1024;

/// The label of post-quantum recipients.
const POST_QUANTUM: &str = "postquantum";

/// A plugin, which wraps secrets for its recipients and unwraps them with its identities.
///
/// # Security
/// Several threads may call it at once. The [module](self) describes the secrets that it learns.
pub trait Plugin: Send + Sync {
    /// Wraps a secret for all of these recipients.
    ///
    /// # Errors
    /// [`Error::PluginFailed`], or any other error. The operation returns it.
    fn wrap(&self, recipient: &Recipient, secret: &Secret) -> Result<Wrapped>;

    /// Unwraps the secret that all these stanzas of any type hold; `None` if no stanza is for these identities.
    ///
    /// # Errors
    /// As for [`wrap`](Self::wrap). The operation returns it only if no other identity opens the file.
    fn unwrap(&self, identity: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>>;
}

/// A wrapped secret: stanzas and their labels.
///
/// ```
/// use sealstone::plugin::{Stanza, Wrapped};
///
/// let stanza = Stanza::new("example", ["one"], b"body".to_vec())?;
/// let wrapped = Wrapped::new([stanza], ["postquantum".to_owned()]);
/// assert!(wrapped.is_post_quantum() && !wrapped.is_apart());
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    pub(crate) stanzas: Vec<Stanza>,
    pub(crate) labels: BTreeSet<String>,
}

impl Wrapped {
    /// Takes stanzas and their labels. A file of age has only stanzas with the same labels.
    #[must_use]
    pub fn new(stanzas: impl IntoIterator<Item = Stanza>, labels: impl IntoIterator<Item = String>) -> Self {
        Self { stanzas: stanzas.into_iter().collect(), labels: labels.into_iter().collect() }
    }

    /// Takes stanzas without labels, like those of X25519.
    #[must_use]
    pub fn classical(stanzas: impl IntoIterator<Item = Stanza>) -> Self {
        Self::new(stanzas, [])
    }

    /// Takes post-quantum stanzas.
    #[must_use]
    pub fn post_quantum(stanzas: impl IntoIterator<Item = Stanza>) -> Self {
        Self::new(stanzas, [POST_QUANTUM.to_owned()])
    }

    /// The stanzas.
    #[must_use]
    pub fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// The labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(String::as_str)
    }

    /// Whether the stanzas have the label `postquantum`, which says that quantum computers cannot break them.
    #[must_use]
    pub fn is_post_quantum(&self) -> bool {
        self.labels.contains(POST_QUANTUM)
    }

    /// Whether the stanzas have other labels, so that they cannot be mixed with stanzas without these labels.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.labels.iter().any(|label| label != POST_QUANTUM)
    }
}

/// The recipients of one plugin, which wraps for all of them at once.
///
/// ```
/// use sealstone::plugin::Recipient;
///
/// let text = "age1yubikey1q2w7u3vpya839jxxuq8g0sedh3d740d4xvn639sqhr95ejj8vu3hyfumptt";
/// assert_eq!(Recipient::plugin_of(text).as_deref(), Some("yubikey"));
/// assert_eq!(Recipient::plugin_of("age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh"), None);
/// ```
#[derive(Clone)]
pub struct Recipient {
    name: Box<str>,
    strings: Vec<Box<str>>,
    /// The identities that the plugin wraps to.
    identities: Vec<Arc<Zeroizing<String>>>,
    plugin: Arc<dyn Plugin>,
}

impl Recipient {
    /// Makes a recipient from strings `age1NAME1…` of one plugin.
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`] if a string is damaged or not a plugin's, if the strings belong to several plugins, or if
    /// there is none.
    pub fn new<S: AsRef<str>>(strings: impl IntoIterator<Item = S>, plugin: Arc<dyn Plugin>) -> Result<Self> {
        let strings: Vec<Box<str>> = strings.into_iter().map(|text| text.as_ref().into()).collect();
        let name = common_name(strings.iter().map(|text| Self::plugin_of(text))).map_err(Error::InvalidRecipient)?;
        Ok(Self { name, strings, identities: Vec::new(), plugin })
    }

    /// The name of the plugin that a recipient's string belongs to; `None` for any other string, and for a damaged one.
    #[must_use]
    pub fn plugin_of(text: &str) -> Option<String> {
        let (hrp, _) = text.rsplit_once('1')?;
        // `age1pq1…` are strings of age itself.
        let name = hrp.strip_prefix("age1").filter(|name| is_name(name) && *name != "pq")?;
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        (is_lower && decode_bech32(hrp, text).is_some()).then(|| name.to_owned())
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The strings, in their given order.
    #[must_use]
    pub fn strings(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.iter().map(|text| &**text)
    }

    /// The strings of the identities that the plugin wraps to, from [`Identity::recipient`]. They may be secret.
    #[must_use]
    pub fn identities(&self) -> impl ExactSizeIterator<Item = &str> {
        self.identities.iter().map(|text| text.as_str())
    }

    /// Wraps a secret with the plugin, and checks the number of stanzas.
    pub(crate) fn wrap(&self, secret: &Secret) -> Result<Wrapped> {
        let wrapped = self.plugin.wrap(self, secret)?;
        let fault = match wrapped.stanzas.len() {
            0 => PluginFault::Protocol("it wrapped nothing"),
            1..=STANZAS_MAX => return Ok(wrapped),
            _ => PluginFault::Protocol("it made over 1024 stanzas"),
        };
        Err(Error::PluginFailed { plugin: self.name.clone(), fault })
    }
}

impl PartialEq for Recipient {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.strings, &self.identities) == (&other.name, &other.strings, &other.identities)
    }
}

impl Eq for Recipient {}

debug!(|recipient: Recipient| "Recipient({}, {:?})", recipient.name, recipient.strings);

/// The identities of one plugin, which tries all of them at once.
///
/// ```
/// use sealstone::plugin::Identity;
///
/// assert_eq!(Identity::plugin_of("AGE-PLUGIN-BATCHPASS-1JCS0Q9").as_deref(), Some("batchpass"));
/// assert_eq!(Identity::plugin_of("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"), None);
/// ```
#[derive(Clone)]
pub struct Identity {
    name: Box<str>,
    strings: Vec<Arc<Zeroizing<String>>>,
    plugin: Arc<dyn Plugin>,
}

impl Identity {
    /// Makes an identity from strings `AGE-PLUGIN-NAME-1…` of one plugin.
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`] if a string is damaged or not a plugin's, if the strings belong to several plugins, or if
    /// there is none.
    pub fn new<S: AsRef<str>>(strings: impl IntoIterator<Item = S>, plugin: Arc<dyn Plugin>) -> Result<Self> {
        let copy = |text: S| Arc::new(Zeroizing::new(text.as_ref().to_owned()));
        let strings: Vec<_> = strings.into_iter().map(copy).collect();
        let name = common_name(strings.iter().map(|text| Self::plugin_of(text))).map_err(Error::InvalidIdentity)?;
        Ok(Self { name, strings, plugin })
    }

    /// Makes the identity of a plugin that needs no data, or finds its keys by itself.
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`] if `name` is not the name of a plugin.
    pub fn without_data(name: &str, plugin: Arc<dyn Plugin>) -> Result<Self> {
        const NAME_MAX_LEN: usize = 71;
        if !is_name(name) || name.len() > NAME_MAX_LEN {
            return Err(Error::InvalidIdentity(KeyFault::Other(
                "a plugin's name has only letters, digits and - _ . +",
            )));
        }
        Self::new([encode_bech32(&format!("AGE-PLUGIN-{}-", name.to_ascii_uppercase()), b"").as_str()], plugin)
    }

    /// The name of the plugin that an identity's string belongs to; `None` for any other string, and for a damaged one.
    #[must_use]
    pub fn plugin_of(text: &str) -> Option<String> {
        let (hrp, _) = text.rsplit_once('1')?;
        let name = hrp.strip_prefix("AGE-PLUGIN-")?.strip_suffix('-').filter(|name| is_name(name))?;
        let is_upper = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        (is_upper && decode_bech32(hrp, text).is_some()).then(|| name.to_ascii_lowercase())
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The strings, in their given order. They may be secret.
    #[must_use]
    pub fn strings(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.iter().map(|text| text.as_str())
    }

    /// The recipient of this identity. The plugin determines the public key itself, if it can.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        let (name, identities) = (self.name.clone(), self.strings.clone());
        Recipient { name, strings: Vec::new(), identities, plugin: Arc::clone(&self.plugin) }
    }

    /// Unwraps the secret of these stanzas with the plugin.
    pub(crate) fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<Secret>> {
        self.plugin.unwrap(self, stanzas)
    }
}

debug!(|identity: Identity| "Identity({}, ..)", identity.name);

/// A recipient of Sealstone's files. It is a trait object, so that programs without plugins, such as the modules of
/// WebAssembly, contain no code for it.
pub(crate) trait FileRecipient: Send + Sync {
    fn recipient(&self) -> &Recipient;

    fn is_same(&self, other: &dyn FileRecipient) -> bool;

    /// Wraps a secret; returns the head of the stanza's body, before the wrap.
    fn wrap(&self, secret: &Secret) -> Result<Vec<u8>>;
}

/// An identity of Sealstone's files, which is a trait object for the same reason as [`FileRecipient`].
pub(crate) trait FileIdentity: Send + Sync {
    fn identity(&self) -> &Identity;

    fn to_recipient(&self) -> Arc<dyn FileRecipient>;

    /// Unwraps the secret in the head of a stanza's body; `None` if the stanza is not for this identity.
    fn unwrap(&self, head: &[u8]) -> Result<Option<Secret>>;
}

/// The first key among the plugins' answers for a file. A plugin may prompt the user, so callers try all other identities
/// before. A plugin that fails does not stop the plugins behind it; if none of them has a key, the first failure is the error.
pub(crate) fn first_answer<K>(answers: impl Iterator<Item = Result<Option<K>>>) -> Result<Option<K>> {
    let mut failure = None;
    for answer in answers {
        match answer {
            Ok(None) => {}
            Err(error @ (Error::PluginFailed { .. } | Error::Io { .. })) => failure = failure.or(Some(error)),
            answer => return answer,
        }
    }
    failure.map_or(Ok(None), Err)
}

/// Whether a name has only letters, digits and four signs, and so no separator of folders.
fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| matches!(byte, b'-' | b'_' | b'.' | b'+');
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
}

/// The name that all strings have in common.
fn common_name(mut names: impl Iterator<Item = Option<String>>) -> Result<Box<str>, KeyFault> {
    const NONE: KeyFault = KeyFault::Other("it is not a plugin string, or a character is wrong, missing or extra");
    let first = names.next().flatten().ok_or(NONE)?;
    for name in names {
        if name.ok_or(NONE)? != first {
            return Err(KeyFault::Other("the strings belong to several plugins"));
        }
    }
    Ok(first.into())
}
