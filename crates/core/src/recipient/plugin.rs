//! Stanza `plugin`: a plugin of age wraps 16 random bytes, which wrap the file key (format section 4.12). `body = flags || salt
//! 16 || stanzas of age || wrap 48`.

use super::wrap::{self, WRAP_LEN};
use super::{Binding, FileKey, Stanza, StanzaId};
use crate::error::{Error, RecipientsRule, Result};
use crate::plugin::{FileIdentity, FileRecipient, Identity, Recipient, STANZAS_MAX, Secret, Stanza as AgeStanza};
use crate::random;
use std::ops::RangeInclusive;
use std::sync::Arc;

const SALT_LEN: usize = 16;
const START_LEN: usize = 1 + SALT_LEN;
/// The shortest stanza of age: `-> x`, and two line ends.
const STANZA_MIN_LEN: usize = 6;
/// The lengths of a body in bytes.
pub(super) const BODY_LENS: RangeInclusive<usize> = START_LEN + STANZA_MIN_LEN + WRAP_LEN..=u16::MAX as usize;

/// The flag of a plugin that is post-quantum.
const POST_QUANTUM: u8 = 1;
/// The flag of a plugin whose stanza must be the only one.
const ONLY: u8 = 2;

pub(super) fn wrap(
    id: StanzaId,
    recipient: &dyn FileRecipient,
    binding: Binding<'_>,
    file_key: &FileKey,
) -> Result<Vec<u8>> {
    let secret = Secret::new(random::array()?);
    let head = recipient.wrap(&secret)?;
    wrap::seal(&secret[..], id, head, binding, file_key)
}

/// Unwraps the file key; `None` if the stanza is not for this identity.
///
/// # Errors
/// The errors of the plugin.
pub(super) fn unwrap(identity: &dyn FileIdentity, stanza: Stanza<'_>, binding: Binding<'_>) -> Result<Option<FileKey>> {
    let (head, _) = wrap::split(stanza);
    let Some(secret) = identity.unwrap(head)? else { return Ok(None) };
    wrap::open(&secret[..], stanza, binding)
}

impl FileRecipient for Recipient {
    fn recipient(&self) -> &Recipient {
        self
    }

    fn is_same(&self, other: &dyn FileRecipient) -> bool {
        self == other.recipient()
    }

    fn wrap(&self, secret: &Secret) -> Result<Vec<u8>> {
        let wrapped = self.wrap(secret)?;
        let flag_if = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag_if(wrapped.is_post_quantum(), POST_QUANTUM) | flag_if(wrapped.is_apart(), ONLY);
        let mut head = [&[flags][..], &random::array::<SALT_LEN>()?].concat();
        for stanza in wrapped.stanzas() {
            head.extend_from_slice(stanza.to_text().as_bytes());
        }
        if !BODY_LENS.contains(&(head.len() + WRAP_LEN)) {
            return Err(Error::InvalidRecipients(RecipientsRule::PluginTooLong));
        }
        Ok(head)
    }
}

impl FileIdentity for Identity {
    fn identity(&self) -> &Identity {
        self
    }

    fn to_recipient(&self) -> Arc<dyn FileRecipient> {
        Arc::new(self.recipient())
    }

    fn unwrap(&self, head: &[u8]) -> Result<Option<Secret>> {
        match parse(head) {
            Some(stanzas) => self.unwrap(&stanzas),
            None => Ok(None),
        }
    }
}

/// Whether the plugin is post-quantum. A stanza with unknown flags counts as classical.
pub(super) fn is_post_quantum(body: &[u8]) -> bool {
    body[0] & !ONLY == POST_QUANTUM
}

/// Whether the stanza must be the only one of its file.
pub(super) fn must_be_only(body: &[u8]) -> bool {
    body[0] & ONLY != 0
}

/// Parses the stanzas of age, which have only one valid encoding; `None` if one is malformed.
fn parse(head: &[u8]) -> Option<Vec<AgeStanza>> {
    let (start, text) = head.split_at(START_LEN);
    if start[0] & !(POST_QUANTUM | ONLY) != 0 {
        return None;
    }
    let mut lines = text.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
    let mut stanzas = Vec::new();
    while let Some(first) = lines.next() {
        if stanzas.len() == STANZAS_MAX {
            return None;
        }
        stanzas.push(AgeStanza::read(first, || lines.next()).ok().flatten()?);
    }
    Some(stanzas)
}
