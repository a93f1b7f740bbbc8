//! Encrypts a file while a caller writes it.

use super::Encryptor;
use super::parts::{FileSealer, SealWork, UNIT_PLAINTEXT_LEN};
use crate::error::{Error, Result};
use crate::format::{ArmourEncoder, Summary};
use crate::pipeline::{Destination, Input, Meter, Output, Settings, run_each};
use std::io::{self, Write};

/// Units that each thread seals in one turn.
const UNITS: usize = 4;

/// A writer that encrypts its bytes to a file, which appears under its name at the end.
///
/// [`Encryptor::writer`] makes one. It holds up to 1 MiB for each thread, and starts threads only while it seals, so none runs
/// between two calls. If it is dropped without [`finish`](Self::finish), no file appears, and the bytes that a stream has
/// received do not open.
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind, Output};
/// use std::io::Write;
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let mut sealed = Vec::new();
/// let mut writer = Encryptor::new([identity.recipient()]).writer(Output::writer(&mut sealed))?;
/// writeln!(writer, "attack at {}", "dawn").expect("memory takes it");
/// let summary = writer.finish()?;
/// assert_eq!((summary.plaintext, summary.ciphertext), (15, sealed.len() as u64));
/// assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn\n");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct FileWriter<'a> {
    /// `None` after a failure.
    sealer: Option<FileSealer>,
    /// The full units that are not sealed yet; `turn` of them are sealed at once.
    units: Vec<SealWork>,
    turn: usize,
    destination: Destination<'a>,
    armour: Option<ArmourEncoder>,
    settings: Settings,
    /// Bytes of plaintext that are sealed.
    sealed: u64,
    summary: Summary,
}

impl Encryptor {
    /// Begins a file that is encrypted while the caller writes it.
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, Output, Recipient};
    /// # fn run(recipient: Recipient, mut log: impl std::io::Read) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut writer = Encryptor::new([recipient]).writer(Output::file("today.log.seal")?)?;
    /// std::io::copy(&mut log, &mut writer)?;
    /// writer.finish()?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`encrypt_to`](Self::encrypt_to), except those of its input.
    pub fn writer<'a>(&self, output: Output<'a>) -> Result<FileWriter<'a>> {
        output.check(&Input::reader(io::empty()))?;
        let sealer = self.sealer()?;
        let mut writer = FileWriter {
            sealer: None,
            units: Vec::new(),
            turn: UNITS * self.settings.threads(),
            destination: output.begin(None)?,
            armour: self.armours().then(ArmourEncoder::new),
            settings: self.settings.clone(),
            sealed: 0,
            summary: Summary { plaintext: 0, ciphertext: 0 },
        };
        writer.deliver(sealer.head())?;
        writer.sealer = Some(sealer);
        Ok(writer)
    }
}

impl FileWriter<'_> {
    /// Writes the rest of the file, and publishes it under its name.
    ///
    /// # Errors
    /// [`Error::OutputExists`] and [`Error::Io`], also after a failed [`write`](Write::write); [`Error::TooLong`] at 4 PiB;
    /// [`Error::Cancelled`]. After an error, there is no file.
    pub fn finish(mut self) -> Result<Summary> {
        let sealer = self.sealer.take().ok_or_else(gap_error)?;
        self.seal()?;
        self.deliver(&sealer.finish().run()?)?;
        let Self { armour, mut destination, summary, .. } = self;
        let mut text = Vec::new();
        if let Some(armour) = armour {
            armour.finish(&mut text);
        }
        put(&mut destination, |writer| writer.write_all(&text).and_then(|()| writer.flush()))?;
        destination.commit()?;
        Ok(summary)
    }

    /// Takes as many bytes as the next unit has room for; returns their number.
    fn take(&mut self, plaintext: &[u8]) -> Result<usize> {
        let sealer = self.sealer.as_mut().ok_or_else(gap_error)?;
        let taken = sealer.fill(plaintext);
        self.summary.plaintext += taken as u64;
        self.units.extend(sealer.take());
        if self.units.len() >= self.turn {
            self.seal()?;
        }
        Ok(taken)
    }

    /// Seals the full units, and writes them.
    fn seal(&mut self) -> Result<()> {
        let units = std::mem::take(&mut self.units);
        let mut sealed: Vec<_> = units.iter().map(|_| Vec::new()).collect();
        let meter = Meter::resumed(&self.settings, self.sealed);
        run_each(units.into_iter().zip(&mut sealed), &meter, |(unit, place)| {
            *place = unit.run()?;
            Ok(UNIT_PLAINTEXT_LEN)
        })?;
        self.sealed += (sealed.len() * UNIT_PLAINTEXT_LEN) as u64;
        sealed.iter().try_for_each(|bytes| self.deliver(bytes))
    }

    fn deliver(&mut self, bytes: &[u8]) -> Result<()> {
        self.summary.ciphertext += bytes.len() as u64;
        let Some(armour) = &mut self.armour else {
            return put(&mut self.destination, |writer| writer.write_all(bytes));
        };
        let mut text = Vec::new();
        armour.update(bytes, &mut text);
        put(&mut self.destination, |writer| writer.write_all(&text))
    }

    /// Ends the writer after an error, because nothing can be written behind a gap.
    fn end_on_error<T>(&mut self, result: Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            self.sealer = None;
            io::Error::other(error)
        })
    }
}

impl Write for FileWriter<'_> {
    fn write(&mut self, plaintext: &[u8]) -> io::Result<usize> {
        let taken = self.take(plaintext);
        self.end_on_error(taken)
    }

    /// Writes the full units. The rest waits for more bytes, since only the last chunk of a file may be short.
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.sealer.as_ref().map(drop).ok_or_else(gap_error);
        let flushed =
            flushed.and_then(|()| self.seal()).and_then(|()| put(&mut self.destination, |writer| writer.flush()));
        self.end_on_error(flushed)
    }
}

debug!(FileWriter<'_> { summary });

fn put(destination: &mut Destination<'_>, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<()> {
    destination.with_writer(|writer| write(writer).map_err(|error| Error::from_io("write", None, error)))
}

fn gap_error() -> Error {
    Error::from_io("write", None, io::Error::other("a part before this was not written"))
}
