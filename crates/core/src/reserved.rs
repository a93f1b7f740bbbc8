//! The prefixes of the messages that keys sign for signature files and for the halves of a hybrid key. No key signs data with
//! these prefixes, because the signature would be that of a file, which OpenSSH accepts also with RSA and other curves
//! (spec/signature.md section 7.6).

/// The prefix of the message of a signature file (PROTOCOL.sshsig section 3).
pub(crate) const FILES: &[u8] = b"SSHSIG";
/// The prefix of the message of each half of a hybrid key (draft-ietf-lamps-pq-composite-sigs-19 section 2.2).
pub(crate) const COMPOSITES: &[u8] = b"CompositeAlgorithmSignatures2025";

/// The text of the error for data with a reserved prefix.
pub(crate) const RESERVED: &str =
    "a message must not begin with SSHSIG or CompositeAlgorithmSignatures2025, which are reserved for signature files";

pub(crate) fn is_reserved(message: &[u8]) -> bool {
    message.starts_with(FILES) || message.starts_with(COMPOSITES)
}

/// The beginning of a message that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct Head(Vec<u8>);

impl Head {
    pub(crate) fn take(&mut self, part: &[u8]) {
        let missing = COMPOSITES.len() - self.0.len();
        self.0.extend_from_slice(&part[..missing.min(part.len())]);
    }

    pub(crate) fn is_reserved(&self) -> bool {
        is_reserved(&self.0)
    }
}
