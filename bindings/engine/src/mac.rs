//! Tags of messages under a key: of what comes in parts, of files, as bytes and as text.

use crate::files::by_name;
use crate::hashing::Encoding;
use crate::job::{Job, watched};
use crate::lock::locked;
use crate::work::Work;
use sealstone::encoding::{self, decode_hex};
use sealstone::mac::{Algorithm, Mac, Signer, Tag};
use sealstone::{Error, FileSigner, Lengths, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A key by its algorithm's name. A customization, and tags of another length than the algorithm's own, are of KMAC alone.
pub fn mac(name: &str, key: &[u8], customization: Option<&[u8]>, tag_len: Option<u32>) -> Result<Mac> {
    let tag_len = tag_len.map(|len| len as usize);
    Lengths::at_least(1).check("the tag", tag_len.unwrap_or(1))?;
    let algorithm: Algorithm = name.parse()?;
    let usual = algorithm.tag_len();
    let tag_len = tag_len.unwrap_or(usual);
    if algorithm == Algorithm::Kmac256 {
        return Mac::kmac256(key, customization.unwrap_or_default(), tag_len);
    }
    let given = customization.unwrap_or_default().len();
    Lengths::exactly(0).check("the customization of kmac256", given)?;
    Lengths::exactly(usual).check("the tag", tag_len)?;
    Mac::new(algorithm, key)
}

/// Checks a tag, or where `is_truncated` its beginning.
pub fn verify(key: &Mac, data: &[u8], tag: &[u8], is_truncated: bool) -> Result<()> {
    if is_truncated { key.verify_truncated(data, tag) } else { key.verify(data, tag) }
}

/// As [`verify`], of a tag that is text.
pub fn verify_text(key: &Mac, data: &[u8], tag: &[u8], encoding: Encoding, is_truncated: bool) -> Result<()> {
    verify(key, data, &decoded(tag, encoding)?, is_truncated)
}

/// A tag that came as text; hexadecimal digits in either case.
fn decoded(text: &[u8], encoding: Encoding) -> Result<Vec<u8>> {
    let text = str::from_utf8(text).map_err(|_| Error::InvalidEncoding("the tag is no text"))?;
    match encoding.name() {
        "hex" => decode_hex(text),
        "base64" => encoding::Encoding::Base64.decode(text),
        _ => encoding::Encoding::Base64Url.decode(text),
    }
}

/// The tag of a file.
pub fn file(
    key: Arc<Mac>,
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Tag> + Send + 'static> {
    by_name(special, job, move |access, job| watched!(FileSigner::new(key.signer()), job).run(access.input(file)?))
}

/// A tag in the making.
pub struct Signing(Mutex<Signer>);

impl Signing {
    /// Of nothing yet.
    pub fn new(key: &Mac) -> Self {
        Self(Mutex::new(key.signer()))
    }

    /// Takes more.
    pub fn update(&self, data: &[u8]) {
        locked(&self.0).update(data);
    }

    /// The tag of what was taken so far; more may follow.
    pub fn tag(&self) -> Tag {
        locked(&self.0).clone().finish()
    }

    /// Checks a tag of what was taken so far, or where `is_truncated` its beginning.
    pub fn verify(&self, tag: &[u8], is_truncated: bool) -> Result<()> {
        let signer = locked(&self.0).clone();
        if is_truncated { signer.verify_truncated(tag) } else { signer.verify(tag) }
    }

    /// As [`verify`](Self::verify), of a tag that is text.
    pub fn verify_text(&self, tag: &[u8], encoding: Encoding, is_truncated: bool) -> Result<()> {
        self.verify(&decoded(tag, encoding)?, is_truncated)
    }
}
