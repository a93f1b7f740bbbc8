//! Tags of messages. An encoding crosses as its place among the engine's.

use crate::failure::misused;
use crate::hashing::encoding_of;
use crate::job::Job;
use crate::mac::{self as tags, Signing};
use crate::memory::{Data, Exact, Lent};
use crate::work::Work;
use sealstone::Result;
use sealstone::mac::{Mac, Tag};
use sealstone_call::call;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes a key; a length of 0 is that of the algorithm's tags.
/// Errors: `unknown_algorithm`, `wrong_length`.
#[call(stack = 16, makes(name))]
pub fn mac(algorithm: &str, key: &[u8], customization: Option<&[u8]>, tag_len: u32) -> Result<Mac> {
    tags::mac(algorithm, key, customization, (tag_len > 0).then_some(tag_len))
}

/// Gives the length of a key's tags.
#[call(stack = 16)]
pub fn mac_tag_len(key: &Mac) -> usize {
    key.tag_len()
}

/// Writes the tag of data into memory, which may be the data's own. Its length: `mac_tag_len`.
#[call(stack = 16, counts("mac", object, data))]
pub fn mac_into(key: &Mac, data: &Data, tag: Exact) -> Tag {
    if tag != key.tag_len() {
        misused("the memory of the tag has another length");
    }
    key.sign(data)
}

/// Gives the tag of data as text.
#[call(stack = 16, counts("mac", object, data))]
pub fn mac_text<T>(key: &Mac, data: &Data, encoding: u32, give: impl FnOnce(&str) -> T) -> T {
    encoding_of(encoding).with(key.sign(data).as_bytes(), give)
}

/// Fails unless this is the tag of data, or where it `is_truncated` the tag's beginning.
/// Errors: `not_authentic`, `wrong_length`.
#[call(stack = 16, counts("verifyMac", object, data))]
pub fn mac_verify(key: &Mac, data: &Data, tag: &Lent, is_truncated: bool) -> Result<()> {
    tags::verify(key, data, tag, is_truncated)
}

/// As `mac_verify`, of a tag that is text.
/// Errors: `not_authentic`, `wrong_length`, `invalid_encoding`.
#[call(js, stack = 16, counts("verifyMac", object, data))]
pub fn mac_verify_text(key: &Mac, data: &Data, tag: &Data, encoding: u32, is_truncated: bool) -> Result<()> {
    tags::verify_text(key, data, tag, encoding_of(encoding), is_truncated)
}

/// Begins a tag.
#[call(stack = 16, makes(object))]
pub fn mac_signer(key: &Mac) -> Signing {
    Signing::new(key)
}

/// Takes more data.
#[call(stack = 16, counts("macUpdate", object, data))]
pub fn mac_signer_update(signer: &Signing, data: &[u8]) {
    signer.update(data);
}

/// Gives the tag of the data so far.
#[call(stack = 16)]
pub fn mac_signer_tag(signer: &Signing) -> Vec<u8> {
    signer.tag().as_bytes().to_vec()
}

/// Gives it as text.
#[call(stack = 16)]
pub fn mac_signer_text<T>(signer: &Signing, encoding: u32, give: impl FnOnce(&str) -> T) -> T {
    encoding_of(encoding).with(signer.tag().as_bytes(), give)
}

/// Fails unless this is the tag of the data so far, or where it `is_truncated` the tag's beginning.
/// Errors: `not_authentic`, `wrong_length`.
#[call(stack = 16)]
pub fn mac_signer_verify(signer: &Signing, tag: &[u8], is_truncated: bool) -> Result<()> {
    signer.verify(tag, is_truncated)
}

/// As `mac_signer_verify`, of a tag that is text.
/// Errors: `not_authentic`, `wrong_length`, `invalid_encoding`.
#[call(js, stack = 16)]
pub fn mac_signer_verify_text(signer: &Signing, tag: &Data, encoding: u32, is_truncated: bool) -> Result<()> {
    signer.verify_text(tag, encoding_of(encoding), is_truncated)
}

/// Gives the tag of a file.
/// Errors: `not_regular_file`, `input_changed`, `cancelled`, `io`.
#[call(native, counts("macFile", object, job))]
pub fn mac_file(
    key: Arc<Mac>,
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    tags::file(key, file, special, job).then(|tag| Ok(tag.as_bytes().to_vec()))
}
