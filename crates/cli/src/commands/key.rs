//! `sealstone key`

mod bundle;
mod convert;
mod inspect;
mod passphrase;

use crate::args::Common;
use crate::descriptor;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::guard::Guard;
use crate::identity_file::refuse_device;
use crate::terminal::Terminal;
use clap::{Args, Subcommand};
use sealstone::{Error, FileMode, Identity, Input, Kind, Output, Suite};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Look at keys, convert them, and change the passphrase of an identity file
#[derive(Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

#[derive(Subcommand)]
pub(crate) enum KeyAction {
    Inspect(inspect::KeyInspect),
    Fingerprint(inspect::KeyFingerprint),
    Public(inspect::KeyPublic),
    Passphrase(passphrase::KeyPassphrase),
    Convert(convert::KeyConvert),
    Bundle(bundle::KeyBundle),
}

pub(crate) fn run(command: &Key, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        KeyAction::Inspect(command) => inspect::print(&command.keys, common, terminal, inspect::What::All),
        KeyAction::Fingerprint(command) => inspect::print(&command.keys, common, terminal, inspect::What::Fingerprint),
        KeyAction::Public(command) => {
            inspect::print(&inspect::find_key_files(command)?, common, terminal, inspect::What::PublicKey)
        }
        KeyAction::Convert(command) => convert::convert(command, common, terminal),
        KeyAction::Passphrase(command) => passphrase::change_passphrase(command, common, terminal),
        KeyAction::Bundle(command) => bundle::make_bundle(command, common, terminal),
    }
}

/// The output of a command.
struct Target {
    output: Option<Output<'static>>,
    /// The descriptor to write to if `output` is `None`.
    number: u16,
}

impl Target {
    /// Checks the output before there is anything to write. Refuses binary data on a terminal, unless `-o` names it; `binary` is
    /// the name of the data in the error.
    fn of(
        output: Option<&Path>,
        mode: FileMode,
        binary: Option<&str>,
        guard: &Guard,
        common: &Common,
    ) -> Result<Self, Failure> {
        let number = descriptor::find_output(output);
        if let Some(what) = binary.filter(|_| output.is_none() && io::stdout().is_terminal()) {
            let message = format!("{what} is not written to a terminal");
            return Err(Failure::usage_with_hint(message, "name a file with -o FILE"));
        }
        let Some(path) = output.filter(|_| number.is_none()) else {
            let number = number.unwrap_or(descriptor::STDOUT);
            guard.check_descriptor(number)?;
            return Ok(Self { output: None, number });
        };
        refuse_device(path)?;
        // As a regular file, since another user may have put a FIFO there to read the key.
        let output = Output::file_in(&Folder::of_file(path).parent(path)?, path)?;
        let output = guard.apply(output.mode(mode).sync(!common.no_sync).replace(common.force));
        output.check(&Input::reader(io::empty())).map_err(|error| match error {
            Error::SameFile(_) => Failure::from(error).with_hint("name another file with -o"),
            error => error.into(),
        })?;
        Ok(Self { output: Some(output), number: descriptor::STDOUT })
    }

    fn write(self, content: &[u8]) -> Result<(), Failure> {
        match self.output {
            Some(output) => Ok(output.write_all(content)?),
            None => descriptor::write(self.number, content),
        }
    }
}

/// The suite for sealing keys: SM4-GCM if all keys are SM2, so that only Chinese commercial cryptography is used.
fn choose_suite(identities: &[Identity]) -> Suite {
    let is_gm = identities.iter().all(|identity| identity.kind() == Kind::Sm2);
    if is_gm { Suite::Sm4Gcm } else { Suite::default() }
}

const NEW_SOURCE: &str = "name a file of one line with --new-passphrase-file";
