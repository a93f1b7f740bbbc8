//! `sealstone completions` and `sealstone man`, generated from the grammar so that they always match it.

use super::grammar;
use crate::failure::Failure;
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man as Page;
use sealstone::{FileMode, Output, escape_name};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone completions bash > ~/.local/share/bash-completion/completions/sealstone
  sealstone completions zsh > ~/.zfunc/_sealstone
  sealstone completions fish > ~/.config/fish/completions/sealstone.fish")]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Print a manual page, or write all of them
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone man encrypt | man -l -
  sealstone man -o ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write the pages of all commands to this folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) output: Option<PathBuf>,
    /// The command, such as encrypt or key convert; without one, the page of sealstone itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

pub(crate) fn print_completions(command: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut grammar(), "sealstone", &mut script);
    let script = String::from_utf8_lossy(&script);
    // clap_complete completes files, but not the names of recipients and signers.
    let script = match command.shell {
        Shell::Bash => insert_names(&script, "_sealstone() {", "_sealstone_grammar() {", NAMES_BASH, "\nif [["),
        Shell::Zsh => {
            let script = script.replace(":SIGNER|FILE:_default", ":SIGNER|FILE:_sealstone_signers");
            let (what, instead) = (":RECIPIENT|FILE:_default", ":RECIPIENT|FILE:_sealstone_recipients");
            insert_names(&script, what, instead, NAMES_ZSH, "\nif [ ")
        }
        Shell::Fish => format!("{script}{NAMES_FISH}"),
        _ => script.into_owned(),
    };
    print(script.as_bytes())
}

const NAMES_BASH: &str = include_str!("completions/names.bash");
const NAMES_ZSH: &str = include_str!("completions/names.zsh");
const NAMES_FISH: &str = include_str!("completions/names.fish");

/// Replaces `what` in a script, and inserts `names` before its last part, which begins with `end`.
fn insert_names(script: &str, what: &str, instead: &str, names: &str, end: &str) -> String {
    let script = script.replace(what, instead);
    let at = script.rfind(end).expect("manual: the library's script ends with what registers it");
    [&script[..at], names, &script[at..]].concat()
}

pub(crate) fn print_pages(command: &Man) -> Result<(), Failure> {
    let mut grammar = grammar().version(env!("CARGO_PKG_VERSION"));
    grammar.build();
    if let Some(folder) = &command.output {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", Some(folder), error))?;
        return write_all(folder, "sealstone", &grammar);
    }
    let mut found = &grammar;
    for name in &command.command {
        let unknown = || Failure::usage(format!("there is no command {}", escape_name(Path::new(name))));
        found = found.get_subcommands().find(|command| command.get_name() == name).ok_or_else(unknown)?;
    }
    let name =
        ["sealstone"].into_iter().chain(command.command.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    print(&render_page(&name, found.clone())?)
}

/// Writes the pages of a command and of its subcommands.
fn write_all(folder: &Path, name: &str, command: &clap::Command) -> Result<(), Failure> {
    write(folder, name, command.clone())?;
    let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
    commands.into_iter().try_for_each(|command| write_all(folder, &format!("{name}-{}", command.get_name()), command))
}

fn render_page(name: &str, command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    // clap needs a static name; the process ends after this.
    let mut command = command.name(&*name.to_owned().leak());
    // A page has no place of its own for the text before the help.
    if let Some(before) = command.get_before_help() {
        let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
        let description = format!("{before}.\n\n{about}");
        command = command.long_about(description);
    }
    let written = Page::new(command).render(&mut page);
    written.map_err(|error| Failure::io("write", Some(Path::new(name)), error))?;
    // The text after the options has notes and examples.
    let text = String::from_utf8_lossy(&page).replace(".SH EXTRA", ".SH NOTES AND EXAMPLES");
    Ok(text.into_bytes())
}

/// Writes a page. An old page is replaced, because pages are generated anew at each installation.
fn write(folder: &Path, name: &str, command: clap::Command) -> Result<(), Failure> {
    let file = Output::file(folder.join(format!("{name}.1")))?.mode(FileMode::Shared).replace(true).sync(false);
    Ok(file.write_all(&render_page(name, command)?)?)
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}
