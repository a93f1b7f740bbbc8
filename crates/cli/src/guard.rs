//! Guards the files that no output of a run may replace: sources of keys and passphrases, and inputs.

use crate::args::Common;
use crate::descriptor;
use crate::failure::Failure;
use crate::passphrase;
use crate::place::{Place, is_stdin, list_links};
use crate::terminal::Terminal;
use rustix::fs::{FileType, Stat};
use sealstone::{Error, FileId, Output};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Protects files from being replaced, and stdin from being read twice.
pub(crate) struct Guard {
    files: Vec<(FileId, PathBuf)>,
    /// Whether stdin was read for anything but an input.
    is_stdin_used: bool,
    /// Tells the user when stdin waits for typing.
    terminal: Terminal,
}

impl Guard {
    /// A guard that protects the files of passphrases.
    pub(crate) fn new(common: &Common) -> Self {
        let source = &common.passphrase_source;
        let is_stdin_used = passphrase::is_stdin(source);
        let mut guard = Self { files: Vec::new(), is_stdin_used, terminal: Terminal::new(common) };
        source.passphrase_file.iter().chain(&source.askpass).for_each(|path| guard.protect(path));
        if let Some(number) = source.passphrase_fd {
            let id = descriptor::duplicate_to_read(number).ok().and_then(|file| FileId::of(&file).ok()).flatten();
            guard.files.extend(id.map(|id| (id, PathBuf::from(format!("the file on descriptor {number}")))));
        }
        guard
    }

    /// Protects a file, and the links on its path.
    pub(crate) fn protect(&mut self, path: &Path) {
        // A pipe or other stream has no name under which an output could replace it.
        let opened = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        let is_replaced = |stat: &&Stat| {
            let kind = FileType::from_raw_mode(stat.st_mode);
            kind.is_symlink() || kind.is_file()
        };
        let links = list_links(path);
        let ids = links.iter().filter(is_replaced).map(FileId::from);
        let ids = ids.chain(opened.map(|metadata| FileId::from(&metadata)));
        self.files.extend(ids.map(|id| (id, path.to_path_buf())));
    }

    /// Protects an input.
    pub(crate) fn protect_input(&mut self, place: &Place) -> Result<(), Failure> {
        match place.path() {
            Some(path) => self.protect(path),
            None => drop(self.protect_stdin()?),
        }
        Ok(())
    }

    /// Opens stdin, and protects its file.
    pub(crate) fn protect_stdin(&mut self) -> Result<File, Failure> {
        self.terminal.announce_stdin();
        let stdin = descriptor::duplicate_to_read(descriptor::STDIN);
        let stdin = stdin.map_err(|error| Failure::io("read", Some(Path::new("stdin")), error))?;
        self.protect_open_file(&stdin, Path::new("the file on stdin"))?;
        Ok(stdin)
    }

    /// Protects an open file; returns whether it is a regular file.
    pub(crate) fn protect_open_file(&mut self, file: &File, name: &Path) -> Result<bool, Failure> {
        let id = FileId::of(file)?;
        self.files.extend(id.map(|id| (id, name.to_path_buf())));
        Ok(id.is_some())
    }

    /// Refuses to print into a protected file.
    pub(crate) fn check_stdout(&self) -> Result<(), Failure> {
        self.check_descriptor(descriptor::STDOUT)
    }

    /// Refuses to write to a protected file through a descriptor.
    pub(crate) fn check_descriptor(&self, number: u16) -> Result<(), Failure> {
        let fail = |error| Failure::io("write", Some(&descriptor::name(number)), error);
        FileId::of(&descriptor::duplicate_to_write(number).map_err(fail)?)?.map_or(Ok(()), |id| self.check_output(id))
    }

    /// Refuses an output that is a protected file.
    pub(crate) fn check_output(&self, id: FileId) -> Result<(), Failure> {
        match self.files.iter().find(|(file, _)| *file == id) {
            Some((_, path)) => {
                Err(Failure::from(Error::SameFile(path.clone())).with_hint("name another file for the output"))
            }
            None => Ok(()),
        }
    }

    /// Refuses outputs that are protected files, before the first is created.
    pub(crate) fn check_outputs(&self, mut ids: impl Iterator<Item = FileId>) -> Result<(), Failure> {
        ids.try_for_each(|id| self.check_output(id))
    }

    /// Makes an output refuse to replace a protected file.
    pub(crate) fn apply<'a>(&self, output: Output<'a>) -> Output<'a> {
        self.files.iter().fold(output, |output, (id, path)| output.protect(*id, path))
    }

    /// The protected files.
    pub(crate) fn files(&self) -> &[(FileId, PathBuf)] {
        &self.files
    }

    /// Refuses to read stdin both as an input and for keys or a passphrase.
    pub(crate) fn check_stdin(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let is_input = inputs.is_empty() || inputs.iter().any(|path| is_stdin(path));
        if self.is_stdin_used && is_input {
            return Err(Failure::usage("stdin cannot be both the input and a source of keys, passphrases or tags"));
        }
        Ok(())
    }

    /// Refuses to read stdin twice, if the path names stdin.
    pub(crate) fn claim_stdin(&mut self, path: &Path) -> Result<(), Failure> {
        if is_stdin(path) && std::mem::replace(&mut self.is_stdin_used, true) {
            return Err(Failure::usage("stdin can be read only once"));
        }
        Ok(())
    }
}
