//! Files of age. Stanzas cross as bytes: of each its words as one text, and its body, with their lengths in front of them as 32 bits, the
//! lowest byte first.

use crate::Delivery;
use crate::age::{self as files, Opening, Sealing};
use crate::calls::records::Processed;
use crate::failure::Failure;
use crate::files::{decrypt_file, decrypt_range_file, encrypt_file};
use crate::handles::{NoObject, Object};
use crate::job::Job;
use crate::parts::{self, Part};
use crate::stretching::{self, Stretching};
use crate::work::Work;
use sealstone::interop::age::{self, Decryptor, Encryptor, Identity, Recipient};
use sealstone::{Asks, Error, Passphrase, Result};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes a new identity of a kind, as text.
/// Errors: `invalid_identity`, `invalid_passphrase`, `unknown_algorithm`, `unavailable_backend`, `no_randomness`.
#[call]
pub fn age_identity_generate(kind: &str) -> Result<Zeroizing<String>> {
    files::generate(kind)
}

/// Reads an identity. WebAssembly has none of SSH: a module that reads them would be half as large again.
/// Errors: `cost_too_high`, `no_matching_identity`, `invalid_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`,
/// `unavailable_backend`.
#[call]
pub fn age_identity(text: &[u8], passphrase: Option<&[u8]>) -> Result<Identity> {
    if !cfg!(target_family = "wasm") {
        return files::identity(text, passphrase);
    }
    if files::is_ssh(text) {
        return Err(Error::UnavailableBackend("SSH private keys need the native part of the package".into()));
    }
    files::identity_of_string(text)
}

/// Makes the identity of a passphrase.
/// Errors: `invalid_passphrase`.
#[call]
pub fn age_identity_of_passphrase(text: &[u8]) -> Result<Identity> {
    Ok(Passphrase::from_utf8(text)?.into())
}

/// Gives the recipient of an identity, as text.
/// Errors: `invalid_option`.
#[call]
pub fn age_identity_recipient(identity: &Identity) -> Result<String> {
    files::recipient_text(identity)
}

/// Reads a recipient.
/// Errors: `invalid_recipient`, `unsupported_key`.
#[call]
pub fn age_recipient(text: &str) -> Result<Recipient> {
    text.parse()
}

/// Makes the recipient of a passphrase, which costs 2^`log_n`.
/// Errors: `invalid_passphrase`, `invalid_option`.
#[call]
pub fn age_recipient_of_passphrase(text: &[u8], log_n: u32) -> Result<Recipient> {
    files::recipient_of_passphrase(text, log_n)
}

/// Writes the recipient of a point of X25519.
/// Errors: `invalid_recipient`.
#[call]
pub fn age_recipient_of_point(point: &[u8]) -> Result<String> {
    files::recipient_of_point(point)
}

/// Makes what encrypts files to recipients.
/// Errors: `mixed_recipients`, `invalid_recipients`.
#[call]
pub fn age_encryptor(recipients: &[Arc<Recipient>], threads: Option<u32>) -> Result<Encryptor> {
    files::encryptor(recipients, threads)
}

/// Makes what decrypts files with identities.
#[call]
pub fn age_decryptor(identities: &[Arc<Identity>], threads: Option<u32>) -> Decryptor {
    files::decryptor(identities, threads)
}

/// Says which key of a passphrase an encryptor or a decryptor needs before it works on a file that begins so; no bytes where it needs none.
/// Errors: none.
#[call(wasm)]
pub fn age_asked(of: &Object, head: &[u8]) -> Result<Zeroizing<Vec<u8>>, NoObject> {
    Ok(stretching::asked(asks(of)?, head))
}

/// Lets it know the key. An encryptor uses it once.
/// Errors: `invalid_passphrase`.
#[call(wasm)]
pub fn age_know(of: &Object, asked: &[u8], key: &[u8]) -> Result<(), Failure> {
    Ok(stretching::know(asks(of)?, asked, key)?)
}

/// Begins to derive such a key.
/// Errors: `cost_too_high`, `invalid_passphrase`.
#[call(wasm)]
pub fn age_stretching(asked: &[u8]) -> Result<Stretching> {
    Stretching::new::<Encryptor>(asked)
}

/// Derives a part of it; returns whether all is done.
#[call(wasm)]
pub fn age_stretching_step(stretching: &Stretching, amount: u32) -> bool {
    stretching.step(amount)
}

/// Gives the key, once.
#[call(wasm)]
pub fn age_stretching_key(stretching: &Stretching) -> Zeroizing<Vec<u8>> {
    stretching.key()
}

/// Says how many bytes of a file are before its first chunk, by its beginning; 0 where more of that is needed to say.
/// Errors: `malformed_header`.
#[call]
pub fn age_head_len(start: &[u8]) -> Result<usize> {
    files::head_len(start)
}

/// Gives the length of the chunks of a plaintext.
/// Errors: `too_long`.
#[call]
pub fn age_sealed_len(plaintext_len: u64) -> Result<u64> {
    age::sealed_len(plaintext_len)
}

/// Gives the length of the plaintext of chunks.
/// Errors: `truncated`.
#[call]
pub fn age_opened_len(chunks_len: u64) -> Result<u64> {
    age::opened_len(chunks_len)
}

/// Says how many bytes of plaintext every chunk but the last has.
#[call]
pub fn age_chunk_len() -> usize {
    age::CHUNK_LEN
}

/// Gives the stanzas of a head.
/// Errors: `malformed_header`, `malformed_armour`, `truncated`.
#[call]
pub fn age_stanzas(head: &[u8]) -> Result<Vec<u8>> {
    files::stanzas(head)
}

/// Wraps a file key for a recipient; returns the stanzas.
/// Errors: `cost_too_high`, `invalid_recipient`, `wrong_length`, `unavailable_backend`, `no_randomness`.
#[call]
pub fn age_wrap(recipient: &Recipient, file_key: &[u8]) -> Result<Vec<u8>> {
    files::wrap(recipient, file_key)
}

/// Gives the point in a stanza of X25519.
/// Errors: `malformed_header`.
#[call]
pub fn age_x25519_share(stanza: &[u8]) -> Result<Vec<u8>> {
    files::x25519_share(stanza)
}

/// Gives the file key of such a stanza, by the secret that its share and a key of the caller have in common; no bytes where it is another
/// key's.
/// Errors: `malformed_header`, `unavailable_backend`.
#[call]
pub fn age_x25519_file_key(stanza: &[u8], public_key: &[u8], secret: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    files::x25519_file_key(stanza, public_key, secret)
}

/// Gives the key of a file, by its header.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`.
#[call(wasm)]
pub fn age_file_key(decryptor: &Decryptor, header: &[u8]) -> Result<Vec<u8>> {
    files::file_key_of(decryptor, header)
}

/// Gives the key of a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `unavailable_backend`,
/// `cancelled`.
#[call(native)]
pub fn age_file_key_later(
    decryptor: Arc<Decryptor>,
    header: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    files::file_key_later(decryptor, header, job)
}

/// Says how many units of a file may be at work at the same time.
#[call(js)]
pub fn age_units_max() -> u32 {
    parts::units_max(None)
}

/// Begins a file.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `no_randomness`.
#[call(wasm)]
pub fn age_sealer(encryptor: &Encryptor) -> Result<Sealing> {
    Sealing::new(encryptor)
}

/// Begins a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `no_randomness`,
/// `cancelled`.
#[call(native)]
pub fn age_sealer_later(
    encryptor: Arc<Encryptor>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Sealing> + Send + 'static> {
    Sealing::later(encryptor, job)
}

/// Begins a file with stanzas that a caller has made.
/// Errors: `malformed_header`, `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `wrong_length`, `unavailable_backend`,
/// `no_randomness`.
#[call]
pub fn age_sealer_of_stanzas(stanzas: &[u8], file_key: &[u8]) -> Result<Sealing> {
    Sealing::of_stanzas(stanzas, file_key)
}

/// Gives all of the file before its first chunk.
#[call]
pub fn age_sealer_head(sealer: &Sealing) -> Vec<u8> {
    sealer.head()
}

/// Takes plaintext, as much as the next unit has room for; returns how much that is.
#[call]
pub fn age_sealer_fill(sealer: &Sealing, plaintext: &[u8]) -> usize {
    sealer.fill(plaintext)
}

/// Seals the chunks that are whole; where there are none there is no work.
/// Errors: none.
#[call(counts("encryptPart", age))]
pub fn age_sealer_unit(sealer: &Sealing) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
    sealer.unit()
}

/// Seals the end of the stream.
/// Errors: none.
#[call(counts("encryptPart", age))]
pub fn age_sealer_finish(sealer: &Sealing) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
    sealer.finish()
}

/// Begins to open a file, by its head.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`.
#[call(wasm)]
pub fn age_opener(decryptor: &Decryptor, head: &[u8]) -> Result<Opening> {
    Opening::new(decryptor, head)
}

/// Begins to open a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `unavailable_backend`,
/// `cancelled`.
#[call(native)]
pub fn age_opener_later(
    decryptor: Arc<Decryptor>,
    head: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Opening> + Send + 'static> {
    Opening::later(decryptor, head, job)
}

/// Begins to open a file whose key a caller knows.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `header_not_authentic`, `wrong_length`, `unavailable_backend`.
#[call]
pub fn age_opener_of_file_key(head: &[u8], file_key: &[u8]) -> Result<Opening> {
    Opening::of_file_key(head, file_key)
}

/// Takes chunks, as much as the next unit has room for; returns how much that is.
#[call]
pub fn age_opener_fill(opener: &Opening, chunks: &[u8]) -> usize {
    opener.fill(chunks)
}

/// Opens the chunks that are whole; where there are none there is no work.
/// Errors: `not_authentic`.
#[call(counts("decryptPart", age))]
pub fn age_opener_unit(opener: &Opening) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
    opener.unit()
}

/// Opens the rest at the end; nothing where something else has ended the stream.
/// Errors: `truncated`, `not_authentic`.
#[call(counts("decryptPart", age))]
pub fn age_opener_finish(opener: &Opening, is_end: bool) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
    opener.finish(is_end)
}

/// Opens chunks from a number on; `is_end` says that the file ends with them.
/// Errors: `truncated`, `not_authentic`.
#[call(counts("decryptRange", age))]
pub fn age_opener_at(opener: &Opening, first: u64, chunks: &[u8], is_end: bool) -> Result<Vec<u8>> {
    opener.open_at(first, chunks, is_end)
}

/// Writes a file as text.
#[call]
pub fn age_armour(file: &[u8]) -> String {
    age::armour(file)
}

/// Reads a file that is text.
/// Errors: `malformed_armour`.
#[call]
pub fn age_dearmour(text: &[u8]) -> Result<Vec<u8>> {
    age::dearmour(text)
}

/// Whether a file that begins so is text.
#[call]
pub fn age_is_armoured(start: &[u8]) -> bool {
    age::is_armoured(start)
}

/// Encrypts a file into a new one. The output appears when all of it is there.
/// Errors: `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `too_long`,
/// `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("encryptFile", age))]
pub fn age_encrypt_file(
    encryptor: Arc<Encryptor>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    encrypt_file(encryptor, input, output, replace, special, job).then(|done| Ok(done.into()))
}

/// Decrypts a file into a new one. The output appears when all of it is authentic.
/// Errors: `malformed_header`, `malformed_armour`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
/// `not_authentic`, `unavailable_backend`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("decryptFile", age))]
pub fn age_decrypt_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Processed> + Send + 'static> {
    decrypt_file(decryptor, input, output, replace, special, job).then(|done| Ok(done.into()))
}

/// Decrypts the bytes of a file's plaintext from `start` to `end`.
/// Errors: `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
/// `unavailable_backend`, `range_out_of_bounds`, `not_seekable`, `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("decryptRangeFile", age))]
pub fn age_decrypt_range_file(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    start: u64,
    end: u64,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Delivery> + Send + 'static> {
    decrypt_range_file(decryptor, input, start..end, special, job).then(|bytes| Ok(bytes.into()))
}

type OwnAsks = dyn Asks<Kdf = <Encryptor as Asks>::Kdf>;

fn asks(of: &Object) -> Result<&OwnAsks, NoObject> {
    let encryptor = of.kind::<Encryptor>().map(|one| one as &OwnAsks);
    encryptor.or_else(|| of.kind::<Decryptor>().map(|one| one as &OwnAsks)).ok_or(NoObject::Unknown)
}
