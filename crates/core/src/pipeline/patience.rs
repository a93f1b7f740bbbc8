//! Waits for files that were opened without waiting, until the wait is cancelled.

use super::os::{self, Ready};
use crate::error::Error;
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// How often a wait looks whether it is cancelled.
const SLICE: Duration = Duration::from_millis(20);

/// What ends the waiting for files that were opened without waiting.
#[derive(Clone, Default)]
pub(super) struct Patience {
    pub(super) cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Patience {
    pub(super) fn check(&self) -> io::Result<()> {
        match &self.cancelled {
            Some(cancelled) if cancelled() => Err(Error::Cancelled.into_io()),
            _ => Ok(()),
        }
    }

    /// Opens without waiting, again and again while another process is waited for.
    pub(super) fn open(&self, open: impl Fn() -> io::Result<File>) -> io::Result<File> {
        loop {
            self.check()?;
            match open() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Somebody has a lease on the file and is asked to give it up, or nobody reads from the FIFO yet.
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(SLICE),
                done => return done,
            }
        }
    }

    fn wait(&self, file: &File, ready: Ready) -> io::Result<()> {
        self.check()?;
        while !os::wait(file, ready, SLICE)? {
            self.check()?;
        }
        Ok(())
    }

    /// Repeats a call that answers that it would block, until it does not.
    fn transfer(&self, file: &File, ready: Ready, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        let mut was_ready = false;
        loop {
            self.check()?;
            match call() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if was_ready {
                // Some devices say that they are ready and are not.
                std::thread::sleep(SLICE);
            }
            self.wait(file, ready)?;
            was_ready = true;
        }
    }
}

/// A file that was opened without waiting, as a stream that waits.
pub(super) struct Waiting {
    file: File,
    patience: Patience,
    begun: bool,
}

impl Waiting {
    pub(super) fn new(file: File, patience: Patience) -> Self {
        Self { file, patience, begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            // A FIFO that nobody has opened for writing yet reads as if it were at its end; `poll` tells the two apart.
            self.patience.wait(&self.file, Ready::Read)?;
            self.begun = true;
        }
        Ok(())
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        self.patience.transfer(&self.file, Ready::Read, || (&self.file).read(buffer))
    }

    fn read_vectored(&mut self, slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.begin()?;
        self.patience.transfer(&self.file, Ready::Read, || (&self.file).read_vectored(slices))
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.patience.transfer(&self.file, Ready::Write, || (&self.file).write(bytes))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.patience.transfer(&self.file, Ready::Write, || (&self.file).write_vectored(slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
