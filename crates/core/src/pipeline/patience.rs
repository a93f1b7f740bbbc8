//! Cancellable waiting for files in non-blocking mode.

use super::os::{self, Ready};
use crate::error::Error;
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// The interval at which a wait checks for cancellation.
const SLICE: Duration = Duration::from_millis(20);

/// Waits for files in non-blocking mode until it is cancelled.
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

    /// Opens a file in non-blocking mode, and retries while another process makes it wait.
    pub(super) fn open(&self, open: impl Fn() -> io::Result<File>) -> io::Result<File> {
        loop {
            self.check()?;
            match open() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Another process has a lease on the file and is asked to release it, or no process reads from the FIFO yet.
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

    /// Repeats a call until it no longer returns `WouldBlock`.
    fn transfer(&self, file: &File, ready: Ready, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        let mut was_ready = false;
        loop {
            self.check()?;
            match call() {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if was_ready {
                // Some devices report that they are ready when they are not.
                std::thread::sleep(SLICE);
            }
            self.wait(file, ready)?;
            was_ready = true;
        }
    }
}

/// A file in non-blocking mode as a stream that waits.
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
            // Reading a FIFO that no process has opened for writing yet looks like the end of file; only `poll` distinguishes
            // them.
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
