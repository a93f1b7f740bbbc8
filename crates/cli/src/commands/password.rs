//! `sealstone password`

use crate::args::{Common, CostName, CostOptions, parse_cost_name};
use crate::failure::Failure;
use crate::place::Place;
use crate::terminal::Terminal;
use crate::{cost, encoded, passphrase, whole};
use clap::{Args, Subcommand};
use sealstone::kdf::{Bounds, Cost};
use sealstone::{Error, Text, password};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Hash passwords for servers to store, and check them at a login
#[derive(Args)]
pub(crate) struct Password {
    #[command(subcommand)]
    pub(crate) action: PasswordAction,
}

#[derive(Subcommand)]
pub(crate) enum PasswordAction {
    Hash(PasswordHash),
    Verify(PasswordVerify),
}

/// Print the hash to store for a password
#[derive(Args)]
#[command(after_help = "\
The password comes from the terminal, or from --passphrase-file, --passphrase-fd, --askpass or --passphrase-env.

Examples:
  sealstone password hash
  sealstone password hash --target-ms 250 --passphrase-file p > stored
  sealstone password hash -a scrypt --log-n 15")]
pub(crate) struct PasswordHash {
    /// argon2id, argon2i, argon2d, scrypt or pbkdf2-HASH
    #[arg(short, long, value_name = "ALGORITHM", default_value = "argon2id", value_parser = cost_name)]
    pub(crate) algorithm: CostName,
    /// Raise the cost until a hash takes about MS milliseconds on this machine
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) target_ms: Option<u32>,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

/// Check a password against a stored hash
#[derive(Args)]
#[command(after_help = "\
verify reads PHC strings of Argon2, scrypt and PBKDF2, strings of passlib, and bcrypt hashes. It exits with 0 if the password matches, and with 4 if \
it does not. If the cost is over 1 GiB, 16 passes or lanes, a block size of 8192, 10,000,000 iterations or 2^16 rounds, it computes nothing \
and exits with 2.

Examples:
  sealstone password verify --stored stored
  sealstone password verify --stored stored --passphrase-file p")]
pub(crate) struct PasswordVerify {
    /// A file with the stored hash; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) stored: PathBuf,
}

pub(crate) fn run(command: &Password, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        PasswordAction::Hash(command) => hash(command, common, terminal),
        PasswordAction::Verify(command) => verify(command, common, terminal),
    }
}

fn hash(command: &PasswordHash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut cost = cost::from_options(command.algorithm, &command.cost)?;
    password::check(&cost).map_err(Failure::of_option)?;
    let password = passphrase::ask_for_password(&common.passphrase_source, "the login", true)?;
    let mut takes_ms = None;
    if let Some(target) = command.target_ms {
        let target = Duration::from_millis(target.into());
        let found = password::calibrate(target, cost, |cost| {
            let start = Instant::now();
            password::hash(b"any password", cost)?;
            Ok(start.elapsed())
        })?;
        if found.takes < target / 2 {
            terminal.warn(&format!(
                "a hash takes only about {} ms, even at the highest cost that is allowed: {}",
                found.takes.as_millis(),
                hint_for_more(&cost)
            ));
        } else if found.takes > 2 * target {
            terminal
                .warn(&format!("a hash takes about {} ms: --target-ms only raises the cost", found.takes.as_millis()));
        }
        (cost, takes_ms) = (found.cost, u64::try_from(found.takes.as_millis()).ok());
    }
    let stored = password::hash(&password.bytes, &cost)?;
    let line = match (common.json, takes_ms) {
        (true, Some(takes_ms)) => json!({ "stored": stored, "takes_ms": takes_ms }).to_string(),
        (true, None) => json!({ "stored": stored }).to_string(),
        (false, _) => stored,
    };
    encoded::print(format!("{line}\n").as_bytes())
}

/// The hint to increase the time once the bounds are reached.
fn hint_for_more(cost: &Cost) -> &'static str {
    match cost {
        Cost::Argon2 { .. } => "give it more memory with --memory-kib",
        _ => "use argon2id, whose default memory takes longer",
    }
}

/// Above the length of any stored password.
const STORED_MAX_LEN: usize = 4096;

fn verify(command: &PasswordVerify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let place = Place::new(&command.stored);
    if matches!(place, Place::Standard) && passphrase::is_stdin(&common.passphrase_source) {
        return Err(Failure::usage("stdin cannot give both the stored password and the password to check"));
    }
    let on = |failure: Failure| failure.on(place.path());
    let bytes = whole::read(&place, STORED_MAX_LEN)?;
    let none = Error::InvalidEncoding("it is not a stored password");
    let text = match bytes.as_deref().map(Text::of) {
        Some(Ok(text)) => text.as_str().ok_or(none),
        Some(Err(why)) => Err(Error::InvalidEncoding(why)),
        None => Err(none),
    };
    let stored = text.map_err(|error| on(error.into()))?.trim_ascii();
    // An invalid stored hash is reported before any question.
    let needs_rehash = password::needs_rehash(stored, &Cost::default()).map_err(|error| on(error.into()))?;
    let password = passphrase::ask_for_password(&common.passphrase_source, "the login", false)?;
    let verified = match (password::verify(&password.bytes, stored, Bounds::Usual), &password.marked) {
        (Err(Error::NotAuthentic { .. }), Some(marked)) => password::verify(marked, stored, Bounds::Usual),
        (verified, _) => verified,
    };
    verified.map_err(|error| match error {
        Error::NotAuthentic { .. } => Failure::from(error)
            .with_message("the password does not match")
            .with_hint("case, spaces and the keyboard layout matter"),
        // The password may still be right.
        Error::CostTooHigh(_) => Failure::OfOption(Box::new(on(error.into()))),
        error => on(error.into()),
    })?;
    if needs_rehash {
        terminal.warn("the stored password has a lower cost than is usual now: hash the password again with `sealstone password hash`");
    }
    terminal.print_event(|| json!({ "event": "verified", "needs_rehash": needs_rehash }));
    Ok(())
}

fn cost_name(text: &str) -> Result<CostName, String> {
    let name = text.to_ascii_lowercase();
    parse_cost_name(&name).ok_or_else(|| match name.as_str() {
        "bcrypt" => "bcrypt is only for `sealstone password verify`: use argon2id for new hashes".to_owned(),
        _ => "expected argon2id, argon2i, argon2d, scrypt or pbkdf2-HASH, such as pbkdf2-sha256".to_owned(),
    })
}
