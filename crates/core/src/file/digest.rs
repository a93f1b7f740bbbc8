//! Digests and tags of inputs. BLAKE3 of a regular file runs on all cores.

use crate::error::{Error, Result};
use crate::hash::tree::{self, Tree};
use crate::hash::{Digest, Hasher};
use crate::mac::{Signer, Tag};
use crate::pipeline::{Input, Meter, Sequence, Settings, Source, run_in_sequence, run_parts};
use crate::reserved::{Head, RESERVED};

/// Hashes a whole input, behind the bytes that its hasher has taken before.
///
/// ```
/// use sealstone::hash::{Algorithm, Hasher, hash};
/// use sealstone::{FileHasher, Input};
///
/// let hasher = FileHasher::new(Hasher::new(Algorithm::Sha256));
/// let digest = hasher.run(Input::reader(&b"attack at dawn"[..]))?;
/// assert_eq!(digest, hash(Algorithm::Sha256, b"attack at dawn"));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct FileHasher {
    hasher: Hasher,
    settings: Settings,
    is_signed: bool,
}

impl FileHasher {
    /// Continues with a hasher.
    #[must_use]
    pub fn new(hasher: Hasher) -> Self {
        Self { hasher, settings: Settings::default(), is_signed: false }
    }

    /// Declares that the digest will be signed or its signature verified, as in [`sm2`](crate::sm2). Then an input that begins
    /// with the prefix of data signed by signature files is [`Error::InvalidKey`](crate::Error::InvalidKey) (spec/signature.md
    /// section 7.6).
    #[must_use]
    pub fn to_be_signed(mut self) -> Self {
        self.is_signed = true;
        self
    }

    /// Sets the most threads for BLAKE3 of a regular file; by default all cores. The other algorithms use one thread.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    crate::pipeline::callback_methods!();

    /// Hashes the whole input, and returns the digest.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) and [`Error::InputChanged`](crate::Error::InputChanged) from files;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn run(self, input: Input<'_>) -> Result<Digest> {
        let mut digest = Digest::zero(self.hasher.algorithm());
        self.run_into(input, digest.as_mut())?;
        Ok(digest)
    }

    /// As [`run`](Self::run), into `out`, with the lengths that [`hash_into`](crate::hash::hash_into) accepts.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::WrongLength`](crate::Error::WrongLength), before the input is read.
    pub fn run_into(self, mut input: Input<'_>, out: &mut [u8]) -> Result<()> {
        let Self { mut hasher, mut settings, is_signed } = self;
        hasher.algorithm().check_len(out.len())?;
        let mut head = Head::default();
        let len = input.len();
        match input.source(0) {
            Source::Region(region)
                if !is_signed && region.len() > tree::PART_LEN as u64 && hasher.can_hash_in_parallel() =>
            {
                let (tree, meter) = (Tree::new(region.len()), Meter::new(&settings, len));
                run_parts(&region, tree::PART_LEN, &meter, |offset, part| tree.add(offset, part))?;
                tree.root_into(out);
            }
            source => {
                // With a thread that reads ahead, SHA-256 of a cached file took a third longer: its parts move between the
                // cores' caches.
                settings.threads = Some(1);
                let (mut reader, meter) = (source.into_reader(), Meter::new(&settings, len));
                run_in_sequence(
                    Sink(|bytes: &[u8]| {
                        head.take(bytes);
                        hasher.update(bytes);
                    }),
                    &mut *reader,
                    &mut std::io::sink(),
                    &meter,
                )?;
                if is_signed && head.is_reserved() {
                    return Err(Error::InvalidKey(RESERVED));
                }
                hasher.finish_into(out)?;
            }
        }
        input.finish()
    }
}

/// Computes the tag of a whole input, behind the bytes that its signer has taken before.
///
/// ```
/// use sealstone::mac::{Algorithm, Mac};
/// use sealstone::{FileSigner, Input};
///
/// let key = Mac::new(Algorithm::HmacSha256, &[7; 32])?;
/// let tag = FileSigner::new(key.signer()).run(Input::reader(&b"attack at dawn"[..]))?;
/// assert_eq!(tag, key.sign(b"attack at dawn"));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct FileSigner {
    signer: Signer,
    settings: Settings,
}

impl FileSigner {
    /// Continues with a signer.
    #[must_use]
    pub fn new(signer: Signer) -> Self {
        Self { signer, settings: Settings { threads: Some(1), ..Settings::default() } }
    }

    crate::pipeline::callback_methods!();

    /// Signs the whole input, and returns the tag.
    ///
    /// # Errors
    /// As [`FileHasher::run`].
    pub fn run(self, mut input: Input<'_>) -> Result<Tag> {
        let Self { mut signer, settings } = self;
        let len = input.len();
        let (mut reader, meter) = (input.source(0).into_reader(), Meter::new(&settings, len));
        run_in_sequence(Sink(|bytes: &[u8]| signer.update(bytes)), &mut *reader, &mut std::io::sink(), &meter)?;
        drop(reader);
        input.finish()?;
        Ok(signer.finish())
    }
}

/// A sequence without output, which hands its input to a function.
struct Sink<F>(F);

impl<F: FnMut(&[u8]) + Send> Sequence for Sink<F> {
    fn update(&mut self, input: &[u8], _: &mut Vec<u8>) {
        (self.0)(input);
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
