//! Records that calls give.

#[cfg(not(target_family = "wasm"))]
use crate::archives::Note;
use crate::batch::Batch;
use crate::failure::Failure;
#[cfg(not(target_family = "wasm"))]
use crate::numbers::short;
use crate::yuants::KeyPair;
use sealstone::signature::Verified;
#[cfg(not(target_family = "wasm"))]
use sealstone::{Entry, MemberKind};
use sealstone::{Summary, signature};
use sealstone_call::call;
use zeroize::Zeroizing;

/// The public part of a file, which is seen without a key.
#[call]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Inspection {
    /// The version of the format.
    pub version: u32,
    /// The suite's name, such as `aes-256-gcm`.
    pub suite: String,
    /// Whether a context is bound.
    pub context_bound: bool,
    /// Whether the content is compressed. Then `plaintext_len` is the length of what is stored, and that of the content does not show.
    pub compressed: bool,
    /// Whether the content is an archive of files and folders.
    pub archive: bool,
    /// Whether it is ASCII armour.
    pub armoured: bool,
    /// Bytes of the header.
    pub header_len: u64,
    /// One entry a recipient, in the file's order.
    pub stanzas: Vec<StanzaInfo>,
    /// Bytes behind the header.
    pub payload_len: u64,
    /// The length of the plaintext in bytes, computed from the length of the payload; of a compressed file that of its frames.
    pub plaintext_len: u64,
    /// The number of chunks.
    pub chunks: u64,
}

impl From<sealstone::Inspection> for Inspection {
    fn from(seen: sealstone::Inspection) -> Self {
        Self {
            version: seen.version.into(),
            suite: seen.suite.name().to_owned(),
            context_bound: seen.context_bound,
            compressed: seen.compressed,
            archive: seen.archive,
            armoured: seen.armoured,
            header_len: seen.header_len,
            stanzas: seen.stanzas.into_iter().map(StanzaInfo::from).collect(),
            payload_len: seen.payload_len,
            plaintext_len: seen.plaintext_len,
            chunks: seen.chunks,
        }
    }
}

/// One stanza of a file: for which kind of recipient it is.
#[call]
pub struct StanzaInfo {
    /// The kind's name, or `unknown`.
    pub kind: String,
    /// The number of the kind in the format.
    pub type_id: u32,
    /// Bytes of the stanza.
    pub body_len: u64,
}

impl From<sealstone::StanzaInfo> for StanzaInfo {
    fn from(stanza: sealstone::StanzaInfo) -> Self {
        Self { kind: stanza.kind.to_owned(), type_id: stanza.type_id.into(), body_len: stanza.body_len as u64 }
    }
}

/// How many bytes an operation on a file has processed.
#[call]
pub struct Processed {
    /// Bytes of plaintext.
    pub plaintext: u64,
    /// Bytes of the whole file, without armour.
    pub ciphertext: u64,
}

impl From<Summary> for Processed {
    fn from(done: Summary) -> Self {
        Self { plaintext: done.plaintext, ciphertext: done.ciphertext }
    }
}

/// An archive that was written.
#[call]
pub struct Archived {
    /// Bytes of the archive.
    pub plaintext: u64,
    /// Bytes of the whole file, without armour.
    pub ciphertext: u64,
    /// The number of members.
    pub members: u64,
    /// Bytes of all files.
    pub file_bytes: u64,
    /// The number of members that could not be read, or changed while they were read. The archive has all others.
    pub left_out: u64,
    /// Why members are not in the archive, or not as they are; of more than 1,000 the first ones. They also name FIFOs, devices and sockets,
    /// which `left_out` does not count.
    pub notes: Vec<LeftOut>,
}

#[cfg(not(target_family = "wasm"))]
impl From<(sealstone::Archived, Vec<Note>)> for Archived {
    fn from((done, notes): (sealstone::Archived, Vec<Note>)) -> Self {
        let sealstone::Summary { plaintext, ciphertext, .. } = done.summary;
        let notes = notes.into_iter().map(|(code, message)| LeftOut { code: code.to_owned(), message }).collect();
        let (members, file_bytes, left_out) = (done.members, done.file_bytes, done.left_out);
        Self { plaintext, ciphertext, members, file_bytes, left_out, notes }
    }
}

/// Why a member is not in an archive, or not as it is.
#[call]
pub struct LeftOut {
    /// The error's code.
    pub code: String,
    /// The error's text, which names the member.
    pub message: String,
}

/// The members of an archive, in the order of their paths. Each list has one item for each member.
#[call]
pub struct Listing {
    /// The path of each member, with the target of a link behind it, one member behind the other.
    pub names: Zeroizing<Vec<u8>>,
    /// Bytes of each path.
    pub path_lengths: Vec<u32>,
    /// Bytes of the target of each link; 0 of what is no link.
    pub link_lengths: Vec<u32>,
    /// The kind of each member: 0 a file, 1 a hard link, 2 a symbolic link, 3 a folder.
    pub kinds: Vec<u32>,
    /// Bytes of each file, with its holes; 0 of what is no file.
    pub sizes: Vec<u64>,
    /// Permissions, with set-user-ID, set-group-ID and sticky: 12 bits.
    pub modes: Vec<u32>,
    /// The modification times, in whole seconds since 1970; negative before.
    pub seconds: Vec<i64>,
    /// The rest of the modification times in nanoseconds.
    pub nanoseconds: Vec<u32>,
}

#[cfg(not(target_family = "wasm"))]
impl From<Vec<Entry>> for Listing {
    fn from(entries: Vec<Entry>) -> Self {
        let each = |number: fn(&Entry) -> u32| entries.iter().map(number).collect();
        let kind = |entry: &Entry| MemberKind::ALL.iter().position(|kind| *kind == entry.kind).map_or(0, short);
        Self {
            names: entries.iter().flat_map(|entry| [&*entry.path, &*entry.link]).collect::<Vec<_>>().concat().into(),
            path_lengths: each(|entry| short(entry.path.len())),
            link_lengths: each(|entry| short(entry.link.len())),
            kinds: each(kind),
            sizes: entries.iter().map(|entry| entry.size).collect(),
            modes: each(|entry| entry.mode),
            seconds: entries.iter().map(|entry| entry.modified.seconds).collect(),
            nanoseconds: each(|entry| entry.modified.nanoseconds),
        }
    }
}

/// The members of an archive that were made.
#[call]
pub struct Extracted {
    /// The number of files, folders and links.
    pub members: u64,
    /// Bytes of all files.
    pub file_bytes: u64,
}

#[cfg(not(target_family = "wasm"))]
impl From<sealstone::Extracted> for Extracted {
    fn from(done: sealstone::Extracted) -> Self {
        Self { members: done.members, file_bytes: done.file_bytes }
    }
}

/// How far a job is.
#[call]
pub struct Progress {
    /// Bytes that are done.
    pub done: u64,
    /// Bytes in all; 2^64 - 1 while that is not known.
    pub total: u64,
}

/// The results of many operations, one behind the other, and the operations that failed.
#[call]
pub struct BatchResult {
    /// All results.
    pub bytes: Zeroizing<Vec<u8>>,
    /// The length of each result in `bytes`; 0 of one that failed.
    pub lengths: Vec<u32>,
    /// The operations that failed.
    pub failures: Vec<ItemFailure>,
}

impl From<Batch> for BatchResult {
    fn from(batch: Batch) -> Self {
        let failures = batch.failures.into_iter().map(ItemFailure::from).collect();
        Self { bytes: batch.bytes.into(), lengths: batch.lengths, failures }
    }
}

/// An operation of several that failed.
#[call]
pub struct ItemFailure {
    /// Its place among the operations.
    pub index: u32,
    /// The error's code.
    pub code: String,
    /// The error's text.
    pub message: String,
}

impl From<(u32, Failure)> for ItemFailure {
    fn from((index, failure): (u32, Failure)) -> Self {
        Self { index, code: failure.code.to_owned(), message: failure.message }
    }
}

/// The signer of content that was verified.
#[call]
pub struct Verification {
    /// The kind of the key.
    pub kind: String,
    /// The key's fingerprint.
    pub fingerprint: String,
    /// The fingerprint that SSH shows.
    pub ssh_fingerprint: String,
    /// The principals of a file of allowed signers.
    pub principals: Option<String>,
    /// The comment of the signature.
    pub comment: Option<String>,
    /// Bytes of the content.
    pub content_len: u64,
}

impl From<Verified> for Verification {
    fn from(verified: Verified) -> Self {
        Self {
            kind: verified.kind().name().to_owned(),
            fingerprint: verified.fingerprint(),
            ssh_fingerprint: verified.signer().ssh_fingerprint(),
            principals: verified.principals().map(str::to_owned),
            comment: verified.comment().map(str::to_owned),
            content_len: verified.content_len(),
        }
    }
}

/// How many bytes were signed into a file.
#[call]
pub struct Signed {
    /// Bytes of the content.
    pub content: u64,
    /// Bytes of the content and its signature.
    pub written: u64,
}

impl From<signature::Signed> for Signed {
    fn from(signed: signature::Signed) -> Self {
        Self { content: signed.content, written: signed.written }
    }
}

/// Two keys of yuants, as text. Strings of JavaScript cannot be zeroed.
#[call]
pub struct KeyPairText {
    /// The public key.
    pub public_key: String,
    /// The private key.
    pub private_key: Zeroizing<String>,
}

impl From<KeyPair> for KeyPairText {
    fn from((public, private): KeyPair) -> Self {
        Self { public_key: public, private_key: private }
    }
}
