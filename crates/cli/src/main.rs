//! `sealstone`: encrypts, decrypts and verifies files.

mod args;
mod config;
mod decrypt;
mod descriptor;
mod digits;
mod encrypt;
mod failure;
mod files;
mod fingerprint;
mod folder;
mod hash;
mod hazmat;
mod inspect;
mod key;
mod keygen;
mod keys;
mod manual;
mod message;
mod names;
mod openers;
mod passphrase;
mod recipients;
mod rewrap;
mod signals;
mod sm2;
mod speed;
mod terminal;
mod verify;

use args::{Command, Speed};
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::protect_process();
    let arguments = match args::parse() {
        Ok(arguments) => arguments,
        Err(failure) => {
            terminal::Terminal::for_usage(args::wants_json()).failure(&failure);
            return failure.exit_code();
        }
    };
    let terminal = terminal::Terminal::new(&arguments.common);
    signals::watch();
    let done = match &arguments.command {
        Command::Keygen(command) => keygen::run(command, &arguments.common, &terminal),
        Command::Recipients(command) => recipients::run(command, &arguments.common, &terminal),
        Command::Encrypt(command) => encrypt::run(command, &arguments.common, &terminal),
        Command::Decrypt(command) => decrypt::run(command, &arguments.common, &terminal),
        Command::Verify(command) => verify::run(command, &arguments.common, &terminal),
        Command::Rewrap(command) => rewrap::run(command, &arguments.common, &terminal),
        Command::Message(command) => message::run(command, &arguments.common, &terminal),
        Command::Key(command) => key::run(command, &arguments.common, &terminal),
        Command::Names(command) => names::run(command, &arguments.common, &terminal),
        Command::Inspect(command) => inspect::run(command, &arguments.common, &terminal),
        Command::Hash(command) => hash::run(command, &arguments.common, &terminal),
        Command::Sm2(command) => sm2::run(command, &arguments.common, &terminal),
        Command::Hazmat(command) => hazmat::run(command, &arguments.common, &terminal),
        Command::Speed(Speed {}) => speed::run(&arguments.common),
        Command::Completions(command) => manual::completions(command),
        Command::Man(command) => manual::pages(command),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.failure(&failure);
            failure.exit_code()
        }
    }
}
