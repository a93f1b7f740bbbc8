//! `sealstone password`

use crate::args::{Common, Password, PasswordAction, PasswordHash, PasswordVerify};
use crate::failure::Failure;
use crate::place::Place;
use crate::terminal::Terminal;
use crate::{cost, encoded, passphrase, whole};
use sealstone::kdf::{Bounds, Cost};
use sealstone::{Error, Text, password};
use serde_json::json;
use std::time::{Duration, Instant};

pub(crate) fn run(command: &Password, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        PasswordAction::Hash(command) => hash(command, common, terminal),
        PasswordAction::Verify(command) => verify(command, common, terminal),
    }
}

fn hash(command: &PasswordHash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut cost = cost::of(command.algorithm, &command.cost)?;
    password::check(&cost).map_err(Failure::of_option)?;
    let password = passphrase::password(common, "the login", true)?;
    let mut takes_ms = None;
    if let Some(target) = command.target_ms {
        let target = Duration::from_millis(target.into());
        let found = password::calibrate(target, cost, |cost| {
            let begun = Instant::now();
            password::hash(b"any password", cost)?;
            Ok(begun.elapsed())
        })?;
        if found.takes < target / 2 {
            terminal.warning(&format!(
                "a hash takes only about {} ms, even at the highest cost that is allowed: {}",
                found.takes.as_millis(),
                more(&cost)
            ));
        } else if found.takes > 2 * target {
            terminal.warning(&format!(
                "a hash takes about {} ms: --target-ms only raises the cost",
                found.takes.as_millis()
            ));
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

/// What takes longer when the bounds are reached.
fn more(cost: &Cost) -> &'static str {
    match cost {
        Cost::Argon2 { .. } => "give it more memory with --memory-kib",
        _ => "use argon2id, whose default memory takes longer",
    }
}

/// More than any stored password has.
const STORED_MAX_LEN: usize = 4096;

fn verify(command: &PasswordVerify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let place = Place::new(&command.stored);
    if matches!(place, Place::Standard) && passphrase::is_stdin(common) {
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
    // What is no such text is said before anybody is asked.
    let needs_rehash = password::needs_rehash(stored, &Cost::default()).map_err(|error| on(error.into()))?;
    let password = passphrase::password(common, "the login", false)?;
    let verified = match (password::verify(&password.bytes, stored, Bounds::Usual), &password.marked) {
        (Err(Error::NotAuthentic { .. }), Some(marked)) => password::verify(marked, stored, Bounds::Usual),
        (verified, _) => verified,
    };
    verified.map_err(|error| match error {
        Error::NotAuthentic { .. } => Failure::from(error)
            .worded("the password does not match")
            .with_hint("case, spaces and the keyboard layout matter"),
        // Whether it is the password is not known.
        Error::CostTooHigh(_) => Failure::OfOption(Box::new(on(error.into()))),
        error => on(error.into()),
    })?;
    if needs_rehash {
        terminal.warning("the stored password has a lower cost than is usual now: hash the password again with `sealstone password hash`");
    }
    terminal.event(|| json!({ "event": "verified", "needs_rehash": needs_rehash }));
    Ok(())
}
