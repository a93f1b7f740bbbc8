//! Signature files: whom a reader trusts, and signatures of content in parts and of files.

use crate::failure::misused;
use crate::files::by_name;
use crate::job::{Job, watched};
use crate::lock::locked;
use crate::work::Work;
use sealstone::sign::{PrivateKey, PublicKey};
use sealstone::signature::{
    self, AllowedSigners, Comment, Namespace, SignatureReader, SignatureWriter, Signed, Signer, Signers, SigningKey,
    Verified,
};
use sealstone::{FileMode, KeyFileError, Result};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

/// A writer with these options; what is not given is core's default.
pub fn writer(
    key: Arc<PrivateKey>,
    namespace: Option<&str>,
    comment: Option<&str>,
    profile: Option<&str>,
) -> Result<SignatureWriter> {
    let (namespace, comment) = (namespace_of(namespace)?, comment.map(Comment::new).transpose()?);
    let mut writer = SignatureWriter::new(&SigningKey::new(key)?).namespace(namespace);
    if let Some(comment) = comment {
        writer = writer.comment(comment);
    }
    Ok(match profile {
        Some(profile) => writer.profile(profile.parse()?),
        None => writer,
    })
}

fn namespace_of(name: Option<&str>) -> Result<Namespace> {
    name.map_or_else(|| Ok(Namespace::default()), Namespace::new)
}

/// Whom a reader trusts, in the making; its namespace is checked first.
pub struct Trusting {
    namespace: Namespace,
    profile: Option<String>,
    signers: Mutex<Signers>,
}

impl Trusting {
    /// Nobody yet.
    pub fn new(namespace: Option<&str>, profile: Option<String>) -> Result<Self> {
        Ok(Self { namespace: namespace_of(namespace)?, profile, signers: Mutex::default() })
    }

    /// A key.
    pub fn key(&self, key: &PublicKey) -> Result<()> {
        self.append(Signers::new([Signer::new(key.clone())?]));
        Ok(())
    }

    /// Those of a file of public keys.
    pub fn file(&self, file: &[u8]) -> Result<(), KeyFileError> {
        self.append(Signers::parse(file)?);
        Ok(())
    }

    /// Those whom a file of allowed signers gives, at a second since 1970.
    pub fn allowed(&self, file: &[u8], principal: Option<&str>, at: u64) -> Result<(), KeyFileError> {
        let allowed = AllowedSigners::parse(file)?;
        self.append(allowed.signers(principal, self.namespace.as_str(), UNIX_EPOCH + Duration::from_secs(at)));
        Ok(())
    }

    fn append(&self, signers: Signers) {
        locked(&self.signers).append(signers);
    }

    /// The reader.
    pub fn reader(&self) -> Result<SignatureReader> {
        let reader = SignatureReader::new(locked(&self.signers).clone()).namespace(self.namespace.clone());
        Ok(match &self.profile {
            Some(profile) => reader.profile(profile.parse()?),
            None => reader,
        })
    }
}

const ENDED: &str = "the content has ended, and takes no more: begin another";

/// Content in parts that is signed, or verified.
pub struct Parts<T>(Mutex<Option<T>>);

impl<T> Parts<T> {
    /// Before the first part.
    pub fn new(parts: T) -> Self {
        Self(Mutex::new(Some(parts)))
    }

    fn take(&self) -> T {
        locked(&self.0).take().unwrap_or_else(|| misused(ENDED))
    }
}

impl Parts<signature::Signing> {
    /// Takes more.
    pub fn update(&self, content: &[u8]) {
        locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)).update(content);
    }

    /// The signature.
    pub fn finish(&self) -> Result<String> {
        self.take().finish()
    }
}

impl Parts<signature::Verifying> {
    /// Reads the signature behind the content, of the end of the whole; returns where it begins there.
    pub fn behind(&self, tail: &[u8]) -> Result<usize> {
        locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)).behind(tail)
    }

    /// Takes more.
    pub fn update(&self, content: &[u8]) {
        locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)).update(content);
    }

    /// Ends the work, and returns the contents of the signature.
    pub fn finish(&self) -> Result<Verified> {
        self.take().finish()
    }
}

/// The signature of a file.
pub fn sign_file(
    writer: Arc<SignatureWriter>,
    file: PathBuf,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<String> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(file)?;
        watched!((*writer).clone(), job).detached(input)
    })
}

/// Signs a file into a new one that has its content, and behind it the signature.
pub fn attach_file(
    writer: Arc<SignatureWriter>,
    input: PathBuf,
    output: PathBuf,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Signed> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        let output = access.output(output)?.mode(FileMode::Shared).replace(replace);
        watched!((*writer).clone(), job).attached(input, output)
    })
}

/// Verifies a file by its signature.
pub fn verify_file(
    reader: Arc<SignatureReader>,
    file: PathBuf,
    signature: Vec<u8>,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Verified> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(file)?;
        watched!((*reader).clone(), job).detached(input, &signature)
    })
}

/// Verifies a file that has its signature behind its content, and writes the content, if there is an output.
pub fn detach_file(
    reader: Arc<SignatureReader>,
    input: PathBuf,
    output: Option<PathBuf>,
    replace: bool,
    special: bool,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Verified> + Send + 'static> {
    by_name(special, job, move |access, job| {
        let input = access.input(input)?;
        let reader = watched!((*reader).clone(), job);
        match output {
            Some(output) => reader.attached(input, access.output(output)?.mode(FileMode::Shared).replace(replace)),
            None => reader.check_attached(input),
        }
    })
}
