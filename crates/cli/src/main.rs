//! `sealstone`: encrypts, decrypts and verifies files.

mod args;
mod commands;
mod config;
mod descriptor;
mod digits;
mod failure;
mod files;
mod fingerprint;
mod folder;
mod keys;
mod names;
mod openers;
mod passphrase;
mod signals;
mod terminal;

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
    match commands::run(&arguments.command, &arguments.common, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.failure(&failure);
            failure.exit_code()
        }
    }
}
