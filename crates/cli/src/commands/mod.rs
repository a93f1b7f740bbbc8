//! The commands, each with its options in a file of its own, and their grammar. No command uses another: shared code is beside this
//! folder.

mod decrypt;
mod encode;
mod encrypt;
mod fise;
mod hash;
mod hazmat;
mod inspect;
mod kdf;
mod key;
mod keygen;
mod keys;
mod list;
mod mac;
mod manual;
mod message;
mod password;
mod random;
mod recipients;
mod rewrap;
mod sign;
mod sm2;
mod speed;
mod verify;
mod verify_sig;

use crate::args::Common;
use crate::failure::Failure;
use crate::terminal::Terminal;
use clap::{Args, CommandFactory, Parser, Subcommand};

/// Encrypts files and data to public keys: post-quantum by default, on all cores.
#[derive(Parser)]
#[command(name = "sealstone", version, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "\
Examples:
  sealstone keygen
  sealstone recipients > me.pub
  sealstone encrypt -r me.pub film
  sealstone decrypt -o copy film.seal

Exit status: 0 done; 1 failure; 2 usage; 3 no identity matches, or an unknown signer; 4 damaged or not authentic; \
5 with several files or --recursive: some or all failed; 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Keygen(keygen::Keygen),
    Recipients(recipients::Recipients),
    Encrypt(encrypt::Encrypt),
    Decrypt(decrypt::Decrypt),
    Verify(verify::Verify),
    List(list::List),
    Rewrap(rewrap::Rewrap),
    Sign(sign::Sign),
    VerifySig(verify_sig::VerifySig),
    Message(message::Message),
    Key(key::Key),
    #[command(name = "keys")]
    Names(keys::Names),
    Inspect(inspect::Inspect),
    Hash(hash::Hash),
    Mac(mac::Mac),
    Kdf(kdf::Kdf),
    Password(password::Password),
    Random(random::Random),
    Encode(encode::Encode),
    Decode(encode::Decode),
    Sm2(sm2::Sm2),
    Hazmat(hazmat::Hazmat),
    Fise(fise::Fise),
    Speed(speed::Speed),
    Completions(manual::Completions),
    Man(manual::Man),
}

pub(crate) fn run(command: &Command, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => keygen::run(command, common, terminal),
        Command::Recipients(command) => recipients::run(command, common, terminal),
        Command::Encrypt(command) => encrypt::run(command, common, terminal),
        Command::Decrypt(command) => decrypt::run(command, common, terminal),
        Command::Verify(command) => verify::run(command, common, terminal),
        Command::List(command) => list::run(command, common, terminal),
        Command::Rewrap(command) => rewrap::run(command, common, terminal),
        Command::Sign(command) => sign::run(command, common, terminal),
        Command::VerifySig(command) => verify_sig::run(command, common, terminal),
        Command::Message(command) => message::run(command, common, terminal),
        Command::Key(command) => key::run(command, common, terminal),
        Command::Names(command) => keys::run(command, common, terminal),
        Command::Inspect(command) => inspect::run(command, common, terminal),
        Command::Hash(command) => hash::run(command, common, terminal),
        Command::Mac(command) => mac::run(command, common, terminal),
        Command::Kdf(command) => kdf::run(command, common, terminal),
        Command::Password(command) => password::run(command, common, terminal),
        Command::Random(command) => random::run(command, common, terminal),
        Command::Encode(command) => encode::encode(&command.coded, common, terminal),
        Command::Decode(command) => encode::decode(&command.coded, common, terminal),
        Command::Sm2(command) => sm2::run(command, common, terminal),
        Command::Hazmat(command) => hazmat::run(command, common, terminal),
        Command::Fise(command) => fise::run(command, common, terminal),
        Command::Speed(command) => speed::run(&command.names, common),
        Command::Completions(command) => manual::print_completions(command),
        Command::Man(command) => manual::print_pages(command),
    }
}

pub(crate) fn grammar() -> clap::Command {
    let grammar = Arguments::command();
    let options: Vec<_> = grammar.get_arguments().cloned().collect();
    hide_unused(grammar, "", &options)
}

/// Commands that scripts call for one file after another: building the whole grammar would take a tenth of such a process's time.
pub(crate) const COMMON_COMMANDS: &[(&str, Augment)] = &[
    ("encrypt", encrypt::Encrypt::augment_args),
    ("decrypt", decrypt::Decrypt::augment_args),
    ("verify", verify::Verify::augment_args),
    ("hash", hash::Hash::augment_args),
    ("sign", sign::Sign::augment_args),
    ("verify-sig", verify_sig::VerifySig::augment_args),
];

/// Adds the arguments of a command to its grammar.
pub(crate) type Augment = fn(clap::Command) -> clap::Command;

/// Hides the unused `options` in the help of a command and of its subcommands. The command defines them itself then, so clap does
/// not propagate them.
fn hide_unused(command: clap::Command, path: &str, options: &[clap::Arg]) -> clap::Command {
    let unused = UNUSED.iter().filter(|(of, _)| *of == path).flat_map(|(_, unused)| *unused);
    let hidden = unused.flat_map(|id| options.iter().filter(move |option| option.get_id() == *id));
    let command = command.args(hidden.map(|option| option.clone().hide(true)));
    // All subcommands in their order, since clap moves a subcommand to the end when it is mutated.
    let names: Vec<_> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| {
        let path = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command.mut_subcommand(name, |below| hide_unused(below, &path, options))
    })
}

/// The common options that a command and its subcommands accept without using them. Their help leaves them out.
const UNUSED: &[(&str, &[&str])] = &[
    ("keygen", &["threads"]),
    ("recipients", &["threads", "force", "no_sync"]),
    ("verify", &["force", "no_sync"]),
    ("list", &["force", "no_sync", "quiet"]),
    ("verify-sig", PASSPHRASES),
    ("message", &["threads"]),
    ("message seal", PASSPHRASES),
    ("key", &["threads"]),
    ("key inspect", OUTPUTS),
    ("key fingerprint", OUTPUTS),
    ("key public", OUTPUTS),
    ("keys", THREADS_AND_PASSPHRASES),
    ("keys list", OUTPUTS),
    ("keys remove", OUTPUTS),
    ("inspect", ALL_BUT_JSON),
    ("hash", ALL_BUT_THREADS_QUIET_AND_JSON),
    ("mac", ALL_BUT_QUIET_AND_JSON),
    ("kdf", &["threads", "force", "no_sync"]),
    ("password", &["threads", "force", "no_sync"]),
    ("random", ALL_BUT_QUIET_AND_JSON),
    ("encode", THREADS_AND_PASSPHRASES),
    ("decode", THREADS_AND_PASSPHRASES),
    ("sm2", &["threads"]),
    ("hazmat", PASSPHRASES),
    ("fise", THREADS_AND_PASSPHRASES),
    ("fise frames list", OUTPUTS),
    ("fise profile", OUTPUTS),
    ("speed", ALL_BUT_JSON),
    ("completions", ALL),
    ("man", ALL),
];

const ALL: &[&str] =
    &["threads", "force", "no_sync", "quiet", "json", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

/// The options about outputs.
const OUTPUTS: &[&str] = &["force", "no_sync"];

const THREADS_AND_PASSPHRASES: &[&str] = &["threads", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const PASSPHRASES: &[&str] = &["passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_THREADS_QUIET_AND_JSON: &[&str] =
    &["force", "no_sync", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_QUIET_AND_JSON: &[&str] =
    &["threads", "force", "no_sync", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_JSON: &[&str] =
    &["threads", "force", "no_sync", "quiet", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];
