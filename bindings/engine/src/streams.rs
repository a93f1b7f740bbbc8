//! Streams for a caller who has memory of its own, and threads: files that are pushed through in parts of any length, and units of chunks that
//! any thread works on.

use crate::failure::misused;
use crate::files;
use crate::job::{Job, derive_for};
use crate::lock::locked;
use crate::parts::{Opening, Sealing};
use crate::pool::{COMPUTE, FILES};
use crate::process::Process;
use crate::work::Work;
use sealstone::aead::TAG_LEN;
use sealstone::chunked::{CHUNK_LEN, SEALED_CHUNK_LEN};
use sealstone::{
    ArmourDecoder, ArmourEncoder, Decryptor, Encryptor, Error, FileMode, FileOpener, FileWriter, Output, Result,
    SealUnit, Summary,
};
use std::io::Write as _;
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

const ENDED: &str = "the stream has ended, and takes no more: begin another";
const TOO_SHORT: &str = "the memory of the result is too short";

/// Chunks of a file that are sealed once, on any thread.
pub struct Unit(Mutex<Option<SealUnit>>, Process);

impl Unit {
    /// The next chunks of a file, as long as `len` with their tags. A length that is no whole number of chunks is that of the file's end.
    pub fn next(sealing: &Sealing, len: usize) -> Self {
        if (1..TAG_LEN).contains(&(len % SEALED_CHUNK_LEN)) {
            misused("the last chunk of a unit has no room for its tag");
        }
        Self(Mutex::new(Some(sealing.unit_of(len))), Process::current())
    }

    /// Seals the chunks where they lie.
    pub fn seal(&self, places: &mut [u8]) -> Result<()> {
        self.1.check();
        let unit = locked(&self.0).take();
        unit.unwrap_or_else(|| misused("the unit was sealed before: no chunk is sealed twice")).seal(places)
    }
}

/// A file that is encrypted as it is pushed.
pub struct EncryptStream(Mutex<Option<Encrypting>>, Process);

struct Encrypting {
    sealing: Sealing,
    /// The head, until it was given.
    head: Vec<u8>,
    /// The beginning of the next chunk.
    rest: Zeroizing<Vec<u8>>,
    armour: Option<Armour>,
}

/// Text that a file becomes, and the bytes that this has taken and given: lines are held back until there are many.
#[derive(Default)]
struct Armour {
    encoder: ArmourEncoder,
    taken: usize,
    given: usize,
}

impl Armour {
    /// Bytes that come at the most when so many more of the file are taken.
    fn most(&self, len: usize) -> Option<usize> {
        /// Bytes of the file in a line, bytes of a line with its end, and room for the first and the last line.
        const LINE: (usize, usize, usize) = (48, 65, 128);
        let lines = self.taken.checked_add(len)? / LINE.0 + 1;
        Some(lines.checked_mul(LINE.1)?.checked_add(LINE.2)? - self.given)
    }

    fn update(&mut self, file: &[u8], text: &mut Vec<u8>) {
        self.encoder.update(file, text);
        self.taken += file.len();
        self.given += text.len();
    }
}

impl EncryptStream {
    /// Begins a file. A passphrase costs a password hash, which the job ends.
    pub fn begin(encryptor: Arc<Encryptor>, job: Arc<Job>) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        Work::new(&COMPUTE, move || {
            derive_for(&*encryptor, &job, b"")?;
            let sealing = Sealing::new(&encryptor)?;
            let head = sealing.head();
            let armour = encryptor.armours().then(Armour::default);
            let state = Encrypting { sealing, head, rest: Zeroizing::new(Vec::with_capacity(CHUNK_LEN)), armour };
            Ok(Self(Mutex::new(Some(state)), Process::current()))
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Encrypting) -> T) -> T {
        self.1.check();
        work(locked(&self.0).as_mut().unwrap_or_else(|| misused(ENDED)))
    }

    /// Bytes that the next part of so many gives at the most, and the end with it.
    pub fn update_len(&self, len: usize) -> usize {
        self.with(|it| it.most(len))
    }

    /// Takes the next part of a plaintext; returns how many bytes of the file were written.
    pub fn update(&self, plaintext: &[u8], file: &mut [u8]) -> Result<usize> {
        self.with(|it| {
            if file.len() < it.most(plaintext.len()) {
                misused(TOO_SHORT);
            }
            it.push(plaintext, false, file)
        })
    }

    /// Ends the file; returns how many bytes of it were written.
    pub fn finish(&self, file: &mut [u8]) -> Result<usize> {
        self.1.check();
        // Looked at and taken at once: another thread may push in between.
        let mut place = locked(&self.0);
        if file.len() < place.as_ref().unwrap_or_else(|| misused(ENDED)).most(0) {
            misused(TOO_SHORT);
        }
        let mut state = place.take().expect("streams: it was there");
        drop(place);
        let at = state.push(&[], true, file)?;
        let mut text = Vec::new();
        if let Some(armour) = state.armour {
            armour.encoder.finish(&mut text);
        }
        file[at..][..text.len()].copy_from_slice(&text);
        Ok(at + text.len())
    }
}

impl Encrypting {
    fn most(&self, len: usize) -> usize {
        let Some(text) = self.rest.len().checked_add(len) else { misused("so many bytes are in no memory") };
        let chunks = (text / CHUNK_LEN + 1).checked_mul(TAG_LEN).and_then(|tags| text.checked_add(tags));
        let file = chunks.and_then(|chunks| chunks.checked_add(self.head.len()));
        let most = file.and_then(|file| self.armour.as_ref().map_or(Some(file), |armour| armour.most(file)));
        most.unwrap_or_else(|| misused("so many bytes are in no memory"))
    }

    /// Seals all chunks that are whole, and at the end the last one, which is not.
    fn push(&mut self, mut plaintext: &[u8], is_end: bool, file: &mut [u8]) -> Result<usize> {
        if self.armour.is_some() {
            // Text is written at a tenth of the rate of sealing: a copy does not matter.
            let mut armour = self.armour.take();
            let mut sealed = vec![0; self.most(plaintext.len())];
            let len = self.push(plaintext, is_end, &mut sealed)?;
            let mut text = Vec::new();
            armour.as_mut().expect("streams: it was there").update(&sealed[..len], &mut text);
            self.armour = armour;
            file[..text.len()].copy_from_slice(&text);
            return Ok(text.len());
        }
        let head = take(&mut self.head);
        file[..head.len()].copy_from_slice(&head);
        let places = &mut file[head.len()..];
        let all = self.rest.len() + plaintext.len();
        let (whole, last) = (all / CHUNK_LEN, if is_end { all % CHUNK_LEN + TAG_LEN } else { 0 });
        let places = &mut places[..whole * SEALED_CHUNK_LEN + last];
        for place in places.chunks_mut(SEALED_CHUNK_LEN) {
            let text = place.len() - TAG_LEN;
            let (before, behind) = place[..text].split_at_mut(self.rest.len());
            before.copy_from_slice(&self.rest);
            self.clear();
            let (now, later) = plaintext.split_at(behind.len());
            behind.copy_from_slice(now);
            plaintext = later;
        }
        self.rest.extend_from_slice(plaintext);
        if !places.is_empty() {
            self.sealing.unit_of(places.len()).seal(places)?;
        }
        Ok(head.len() + places.len())
    }

    fn clear(&mut self) {
        self.rest.fill(0);
        self.rest.clear();
    }
}

/// A file that is decrypted as it is pushed.
pub struct DecryptStream {
    decryptor: Arc<Decryptor>,
    job: Arc<Job>,
    state: Mutex<Option<Decrypting>>,
    process: Process,
}

#[derive(Default)]
struct Decrypting {
    armour: Looking,
    /// Once the head was read.
    opening: Option<Opening>,
    /// Chunks that were opened.
    opened: u64,
    /// The head, or the beginning of the next chunk.
    rest: Vec<u8>,
    /// The error that the next call gives, and the end: it was found behind bytes that were given.
    fault: Option<Error>,
}

/// Whether a file is text.
#[derive(Default)]
enum Looking {
    #[default]
    Unknown,
    Plain,
    Armoured(ArmourDecoder),
}

impl DecryptStream {
    /// Begins to decrypt. A passphrase costs a password hash, which the job ends.
    pub fn new(decryptor: Arc<Decryptor>, job: Arc<Job>) -> Self {
        Self { decryptor, job, state: Mutex::new(Some(Decrypting::default())), process: Process::current() }
    }

    /// Bytes that the next part of so many gives at the most, and the end with it.
    pub fn update_len(&self, len: usize) -> usize {
        self.process.check();
        Self::most(locked(&self.state).as_ref(), len)
    }

    fn most(state: Option<&Decrypting>, len: usize) -> usize {
        let held = state.unwrap_or_else(|| misused(ENDED)).rest.len();
        held.checked_add(len).unwrap_or_else(|| misused("so many bytes are in no memory"))
    }

    /// Takes the next part of a file; returns how many bytes of plaintext were written, which are authentic. An error about bytes behind
    /// them is that of the next call.
    pub fn update(&self, file: &[u8], plaintext: &mut [u8]) -> Result<usize> {
        self.push(file, false, plaintext)
    }

    /// Ends the file; returns how many bytes of plaintext were written. Before this has succeeded the file may have been cut off.
    pub fn finish(&self, plaintext: &mut [u8]) -> Result<usize> {
        self.push(&[], true, plaintext)
    }

    fn push(&self, file: &[u8], is_end: bool, plaintext: &mut [u8]) -> Result<usize> {
        self.process.check();
        // Looked at and taken at once: another thread may push in between.
        let mut place = locked(&self.state);
        if plaintext.len() < Self::most(place.as_ref(), file.len()) {
            misused(TOO_SHORT);
        }
        // After an error there is none.
        let mut state = place.take().unwrap_or_else(|| misused(ENDED));
        if let Some(fault) = state.fault.take() {
            return Err(fault);
        }
        let mut written = 0;
        match state.push(file, is_end, plaintext, &mut written, &self.decryptor, &self.job) {
            Ok(()) => *place = Some(state).filter(|_| !is_end),
            // The bytes before the fault are given first, as they are where a file comes in short parts.
            Err(fault) if written > 0 && !is_end => {
                *place = Some(Decrypting { fault: Some(fault), ..Decrypting::default() });
            }
            Err(fault) => return Err(fault),
        }
        Ok(written)
    }
}

impl Decrypting {
    fn push(
        &mut self,
        file: &[u8],
        is_end: bool,
        plaintext: &mut [u8],
        written: &mut usize,
        decryptor: &Decryptor,
        job: &Job,
    ) -> Result<()> {
        // What is wrong with the bytes before a fault of the armour is found before it.
        let armour = self.read(file, is_end);
        if armour.is_ok() || !is_end {
            let is_end = is_end && armour.is_ok();
            if self.begin(is_end, decryptor, job)? {
                self.open(is_end, plaintext, written)?;
            }
        }
        armour
    }

    /// Takes bytes of the file, up to the first fault of its armour.
    fn read(&mut self, file: &[u8], is_end: bool) -> Result<()> {
        match &mut self.armour {
            Looking::Plain => self.rest.extend_from_slice(file),
            Looking::Armoured(decoder) => decoder.update(file, &mut self.rest)?,
            Looking::Unknown => {
                self.rest.extend_from_slice(file);
                if self.rest.len() < ArmourDecoder::look_len(&self.rest) && !is_end {
                    return Ok(());
                }
                self.armour = Looking::Plain;
                if sealstone::is_armoured(&self.rest) {
                    let (mut decoder, text) = (ArmourDecoder::new(), take(&mut self.rest));
                    let decoded = decoder.update(&text, &mut self.rest);
                    self.armour = Looking::Armoured(decoder);
                    decoded?;
                }
            }
        }
        if is_end && let Looking::Armoured(decoder) = take(&mut self.armour) {
            decoder.finish(&mut self.rest)?;
        }
        Ok(())
    }

    /// Reads the head, if all of it is there; returns whether chunks come now.
    fn begin(&mut self, is_end: bool, decryptor: &Decryptor, job: &Job) -> Result<bool> {
        if self.opening.is_some() {
            return Ok(true);
        }
        if matches!(self.armour, Looking::Unknown) && !is_end {
            return Ok(false);
        }
        let start = &self.rest[..self.rest.len().min(FileOpener::START_LEN)];
        if start.len() < FileOpener::START_LEN && !is_end {
            return Ok(false);
        }
        let head_len = FileOpener::read_head_len(start)?;
        if self.rest.len() < head_len && !is_end {
            return Ok(false);
        }
        let head = &self.rest[..self.rest.len().min(head_len)];
        self.opening = Some(Opening::derived(decryptor, job, head)?);
        self.rest.drain(..head_len);
        Ok(true)
    }

    /// Opens all chunks that are whole, and at the end the last one, which is not.
    fn open(&mut self, is_end: bool, plaintext: &mut [u8], written: &mut usize) -> Result<()> {
        let opening = self.opening.as_ref().expect("streams: it was begun");
        let whole = self.rest.len() / SEALED_CHUNK_LEN;
        if is_end && self.rest.len() - whole * SEALED_CHUNK_LEN < TAG_LEN {
            return Err(Error::Truncated("it ends before its last chunk"));
        }
        let len = if is_end { self.rest.len() } else { whole * SEALED_CHUNK_LEN };
        for place in self.rest[..len].chunks_mut(SEALED_CHUNK_LEN) {
            let opened = opening.open_places(self.opened, place);
            if opened.is_ok() {
                self.opened += 1;
                let text = &place[..place.len() - TAG_LEN];
                plaintext[*written..][..text.len()].copy_from_slice(text);
                *written += text.len();
            }
            // What was opened was plaintext.
            place.fill(0);
            opened?;
        }
        self.rest.drain(..len);
        Ok(())
    }
}

/// A file that is encrypted as it is written, and appears under its name at its end.
pub struct Writer(Mutex<Option<FileWriter<'static>>>, Process, Arc<Job>);

impl Writer {
    /// Begins a file.
    pub fn begin(
        encryptor: Arc<Encryptor>,
        output: PathBuf,
        replace: bool,
        job: Arc<Job>,
    ) -> Work<impl FnOnce() -> Result<Self> + Send + 'static> {
        Work::new(&FILES, move || {
            derive_for(&*encryptor, &job, b"")?;
            let output = Output::file(output)?.mode(FileMode::Shared).replace(replace);
            let writer = files::watching(&encryptor, &job).writer(output)?;
            Ok(Self(Mutex::new(Some(writer)), Process::current(), job))
        })
    }

    /// Takes the next part of the plaintext.
    pub fn write(&self, plaintext: &[u8]) -> Result<()> {
        self.1.check();
        let mut writer = locked(&self.0);
        let done = writer.as_mut().unwrap_or_else(|| misused(ENDED)).write_all(plaintext);
        done.map_err(|error| match error.downcast::<Error>() {
            Ok(error) => error,
            Err(source) => Error::Io { action: "write", path: None, source },
        })
    }

    /// Gives the file its name; returns its length.
    pub fn commit(&self) -> Result<Summary> {
        self.1.check();
        let writer = locked(&self.0).take().unwrap_or_else(|| misused(ENDED));
        self.2.check()?;
        writer.finish()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.1.is_here() {
            // Its end would remove the file that the other process writes.
            std::mem::forget(locked(&self.0).take());
        }
    }
}
