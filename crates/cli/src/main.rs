//! `sealstone`: encrypts, decrypts and verifies files.
//!
//! The command line decides names, words and exit codes, and nothing about bytes. `command_line.rs` reads the options, a
//! file of `commands/` runs the command, and `work.rs` runs its tasks. `args/` has the options of several commands. Keys are
//! in four files: `keyring.rs`, `openers.rs`, `signers.rs` and `address_book.rs`.

mod address_book;
mod application_key;
mod archive;
mod args;
mod command_line;
mod commands;
mod config;
mod cost;
mod crew;
mod date;
mod descriptor;
mod digits;
mod encoded;
mod failure;
mod fingerprint;
mod folder;
mod foreign;
mod format;
mod guard;
mod identity_file;
mod keyring;
mod keys;
mod openers;
mod passphrase;
mod place;
mod plan;
mod plugin;
mod plural;
mod recognition;
mod secret;
mod signals;
mod signers;
mod terminal;
mod whole;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    signals::protect_process();
    let arguments = match command_line::parse() {
        Ok(arguments) => arguments,
        Err(failure) => {
            terminal::Terminal::for_usage(command_line::wants_json()).print_failure(&failure);
            return failure.exit_code();
        }
    };
    let terminal = terminal::Terminal::new(&arguments.common);
    signals::install_handlers();
    match commands::run(&arguments.command, &arguments.common, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.print_failure(&failure);
            failure.exit_code()
        }
    }
}
