//! Files of age: keys by their text, files in parts, and what recipients of a caller's own need.

use crate::failure::misused;
use crate::job::{Job, derive_for};
use crate::lock::locked;
use crate::parts::{Part, threads_of};
use crate::pool::{COMPUTE, DERIVING, Pool};
use crate::process::Process;
use crate::work::Work;
use sealstone::interop::age::{
    self, Decryptor, Encryptor, FileOpener, FileSealer, Identity, OpenWork, Recipient, Stanza,
};
use sealstone::{Asks, Error, Kind, Passphrase, Result};
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// A fresh identity as text: `x25519` or `hybrid`.
pub fn generate(kind: &str) -> Result<Zeroizing<String>> {
    let found = kind.parse().ok().filter(|kind| [Kind::X25519, Kind::Hybrid].contains(kind));
    let identity =
        sealstone::Identity::generate(found.ok_or_else(|| Error::unknown_algorithm(kind, "x25519, hybrid"))?)?;
    Ok(identity.to_bech32().expect("age: keys of both kinds have a string"))
}

/// An identity of its text: a string of age, or a private key of SSH.
pub fn identity(text: &[u8], passphrase: Option<&[u8]>) -> Result<Identity> {
    if !is_ssh(text) {
        return identity_of_string(text);
    }
    let passphrase = passphrase.map(Passphrase::from_utf8).transpose()?;
    Identity::from_ssh(text, passphrase.as_ref())
}

/// Whether a text is a key of SSH, which not every binding reads.
pub fn is_ssh(text: &[u8]) -> bool {
    text.starts_with(b"-----BEGIN ")
}

/// An identity of a string of age.
pub fn identity_of_string(text: &[u8]) -> Result<Identity> {
    Identity::from_string(std::str::from_utf8(text).unwrap_or_default())
}

/// The recipient of an identity as text.
pub fn recipient_text(identity: &Identity) -> Result<String> {
    let text = identity.recipient().to_text();
    text.ok_or(Error::InvalidOption("the recipient of a passphrase has no text form"))
}

/// The recipient of a point of X25519 as text.
pub fn recipient_of_point(point: &[u8]) -> Result<String> {
    let recipient = sealstone::Recipient::from_bytes(Kind::X25519, point)?;
    Ok(recipient.to_bech32().expect("age: keys of X25519 have a string"))
}

/// A passphrase that costs so much work of scrypt, as the logarithm of N.
pub fn recipient_of_passphrase(text: &[u8], log_n: u32) -> Result<Recipient> {
    // A number of more than 8 bits exceeds every bound, and so does 255.
    Recipient::of_passphrase(Passphrase::from_utf8(text)?, u8::try_from(log_n).unwrap_or(u8::MAX))
}

/// An encryptor for these, which exist and may stand together.
pub fn encryptor(recipients: &[Arc<Recipient>], threads: Option<u32>) -> Result<Encryptor> {
    let encryptor = Encryptor::new(recipients.iter().map(|one| (**one).clone())).threads(threads_of(threads));
    encryptor.check_recipients().map(|()| encryptor)
}

/// A decryptor with these.
pub fn decryptor(identities: &[Arc<Identity>], threads: Option<u32>) -> Decryptor {
    Decryptor::new(identities.iter().map(|one| (**one).clone())).threads(threads_of(threads))
}

/// Bytes of a file before its first chunk, by its beginning; 0 where more of that is needed to say.
pub fn head_len(start: &[u8]) -> Result<usize> {
    FileOpener::read_head_len(start).map(Option::unwrap_or_default)
}

/// The stanzas of a header as bytes: of each its type and arguments as one text, and its body, with their lengths in front of them.
pub fn stanzas(head: &[u8]) -> Result<Vec<u8>> {
    let stanzas = age::stanzas(&mut sealstone::Input::reader(head))?;
    Ok(stanzas.iter().flat_map(stanza_to_bytes).collect())
}

fn stanza_to_bytes(stanza: &Stanza) -> Vec<u8> {
    let mut words = stanza.kind().to_owned();
    for argument in stanza.arguments() {
        words.push(' ');
        words.push_str(argument);
    }
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).expect("age: a stanza is short").to_le_bytes();
    [&len(words.as_bytes())[..], words.as_bytes(), &len(stanza.body()), stanza.body()].concat()
}

/// Stanzas of such bytes.
fn stanzas_of_bytes(mut bytes: &[u8]) -> Result<Vec<Stanza>> {
    const WHOLE: &str = "the stanzas do not have all their bytes";
    let mut stanzas = Vec::new();
    while !bytes.is_empty() {
        let mut next = || {
            let (len, rest) = bytes.split_first_chunk::<4>().unwrap_or_else(|| misused(WHOLE));
            let part = rest.split_at_checked(u32::from_le_bytes(*len) as usize);
            let (part, rest) = part.unwrap_or_else(|| misused(WHOLE));
            bytes = rest;
            part
        };
        let (words, body) = (next(), next());
        let words = std::str::from_utf8(words).unwrap_or_else(|_| misused("the words of a stanza are not text"));
        let (kind, arguments) = words.split_once(' ').map_or((words, None), |(kind, rest)| (kind, Some(rest)));
        let arguments = arguments.into_iter().flat_map(|arguments| arguments.split(' '));
        stanzas.push(Stanza::new(kind, arguments, body.to_vec())?);
    }
    Ok(stanzas)
}

/// The stanza of such bytes.
fn stanza_of_bytes(bytes: &[u8]) -> Result<Stanza> {
    Ok(stanzas_of_bytes(bytes)?.into_iter().next().unwrap_or_else(|| misused("there is no stanza")))
}

fn file_key(bytes: &[u8]) -> Result<Zeroizing<[u8; 16]>> {
    let wrong = Error::WrongLength { what: "the file key", expected: 16, actual: bytes.len() };
    bytes.try_into().map(Zeroizing::new).map_err(|_| wrong)
}

/// The stanzas of a recipient, as bytes of [`stanzas`].
pub fn wrap(recipient: &Recipient, key: &[u8]) -> Result<Vec<u8>> {
    Ok(recipient.wrap_file_key(&*file_key(key)?)?.iter().flat_map(stanza_to_bytes).collect())
}

/// The share of a stanza of X25519.
pub fn x25519_share(stanza: &[u8]) -> Result<Vec<u8>> {
    age::x25519_share(&stanza_of_bytes(stanza)?).map(|share| share.to_vec())
}

/// The file key of a stanza of X25519 as bytes, for a private key that is elsewhere; none where it is another key's.
pub fn x25519_file_key(stanza: &[u8], public: &[u8], secret: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let stanza = stanza_of_bytes(stanza)?;
    let [public, secret] =
        [public, secret].map(|bytes| bytes.try_into().unwrap_or_else(|_| misused("a point has 32 bytes")));
    let key = age::x25519_file_key(&stanza, public, secret)?;
    Ok(key.map(|key| key.to_vec()).unwrap_or_default().into())
}

/// A file that is being encrypted, until it has ended.
pub struct Sealing(Mutex<Option<FileSealer>>, Process);

impl Sealing {
    /// Begins a file.
    pub fn new(encryptor: &Encryptor) -> Result<Self> {
        encryptor.sealer().map(Self::of)
    }

    /// Begins a file on another thread: a passphrase takes a second.
    pub fn later(encryptor: Arc<Encryptor>, job: Arc<Job>) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        let is_slow = is_slow(&*encryptor, b"");
        Work::new(deriving(is_slow), move || {
            derive_for(&*encryptor, &job, b"")?;
            Self::new(&encryptor)
        })
    }

    /// Begins a file with stanzas and the file key that they wrap.
    pub fn of_stanzas(stanzas: &[u8], key: &[u8]) -> Result<Self> {
        FileSealer::of_stanzas(&stanzas_of_bytes(stanzas)?, &*file_key(key)?).map(Self::of)
    }

    fn of(sealer: FileSealer) -> Self {
        Self(Mutex::new(Some(sealer)), Process::current())
    }

    fn with<T>(&self, work: impl FnOnce(&mut FileSealer) -> T) -> T {
        self.1.check();
        work(locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)))
    }

    /// Everything before the first chunk.
    pub fn head(&self) -> Vec<u8> {
        self.with(|sealer| sealer.head().to_vec())
    }

    /// Takes plaintext, as much as the next unit has room for; returns how much that is.
    pub fn fill(&self, plaintext: &[u8]) -> usize {
        self.with(|sealer| sealer.fill(plaintext))
    }

    /// Seals the chunks that are whole, if there are; units may be sealed at the same time.
    pub fn unit(&self) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
        let unit = self.with(FileSealer::take)?;
        Some(Work::new(&COMPUTE, move || Ok((unit.run()?, None))))
    }

    /// The end.
    pub fn finish(&self) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
        self.1.check();
        let rest = locked(&self.0).take().unwrap_or_else(|| misused(ENDED)).finish();
        Work::new(&COMPUTE, move || Ok((rest.run()?, None)))
    }
}

/// A file that is being decrypted, until it has ended.
pub struct Opening(Mutex<Option<FileOpener>>);

impl Opening {
    /// Begins to decrypt a file, by everything before its first chunk.
    pub fn new(decryptor: &Decryptor, head: &[u8]) -> Result<Self> {
        decryptor.opener(head).map(Self::of)
    }

    /// Begins on another thread.
    pub fn later(
        decryptor: Arc<Decryptor>,
        head: Vec<u8>,
        job: Arc<Job>,
    ) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        Work::new(deriving(is_slow(&*decryptor, &head)), move || {
            derive_for(&*decryptor, &job, &head)?;
            Self::new(&decryptor, &head)
        })
    }

    /// Begins with the file key.
    pub fn of_file_key(head: &[u8], key: &[u8]) -> Result<Self> {
        FileOpener::of_file_key(head, &*file_key(key)?).map(Self::of)
    }

    fn of(opener: FileOpener) -> Self {
        Self(Mutex::new(Some(opener)))
    }

    fn with<T>(&self, work: impl FnOnce(&mut FileOpener) -> T) -> T {
        work(locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)))
    }

    /// Takes chunks, as much as the next unit has room for; returns how much that is.
    pub fn fill(&self, chunks: &[u8]) -> usize {
        self.with(|opener| opener.fill(chunks))
    }

    /// Opens the chunks that are whole, if there are; units may be opened at the same time.
    pub fn unit(&self) -> Option<Work<impl FnOnce() -> Result<Part> + Send + use<>>> {
        let unit = self.with(FileOpener::take)?;
        Some(Work::new(&COMPUTE, move || Ok(unit.run())))
    }

    /// Opens the rest at the end of the stream. It opens nothing if a fault of another kind has ended the stream: the rest may be the last
    /// chunk or not.
    pub fn finish(&self, is_end: bool) -> Work<impl FnOnce() -> Result<Part> + Send + use<>> {
        let opener = locked(&self.0).take().unwrap_or_else(|| misused(ENDED));
        let rest = is_end.then(|| opener.finish());
        Work::new(&COMPUTE, move || Ok(rest.map(OpenWork::run).unwrap_or_default()))
    }

    /// Opens consecutive chunks from number `first` on; `is_end` says that the file ends with them.
    pub fn open_at(&self, first: u64, chunks: &[u8], is_end: bool) -> Result<Vec<u8>> {
        self.with(|opener| opener.open_at(first, chunks, is_end))
    }
}

const ENDED: &str = "the stream has ended, and takes no more: begin another";

/// The file key of a header.
pub fn file_key_of(decryptor: &Decryptor, header: &[u8]) -> Result<Vec<u8>> {
    Ok(decryptor.file_key(header)?.to_vec())
}

/// The same on another thread.
pub fn file_key_later(
    decryptor: Arc<Decryptor>,
    header: Vec<u8>,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(deriving(is_slow(&*decryptor, &header)), move || {
        derive_for(&*decryptor, &job, &header)?;
        file_key_of(&decryptor, &header)
    })
}

/// Whether a key has to be derived from a passphrase first.
fn is_slow(by: &impl Asks, head: &[u8]) -> bool {
    by.asked(head).is_ok_and(|asked| asked.stretch.is_some())
}

/// The pool of work that may derive a key: such work has a thread of its own.
fn deriving(is_slow: bool) -> &'static Pool {
    if is_slow { &DERIVING } else { &COMPUTE }
}
