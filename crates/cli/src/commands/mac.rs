//! `sealstone mac`

use crate::args::{Common, Mac};
use crate::encoded;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::place::Place;
use crate::plan;
use crate::secret;
use crate::terminal::Terminal;
use crate::work;
use crate::{digits, whole};
use sealstone::encoding::Encoding;
use sealstone::mac::{self, Algorithm};
use sealstone::{Error, FileSigner, escape_name};
use serde_json::json;
use std::path::PathBuf;
use zeroize::Zeroizing;

pub(crate) fn run(command: &Mac, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let is_check = command.verify_file.is_some() || command.verify_hex.is_some();
    if (is_check || command.written.raw) && command.inputs.len() > 1 {
        return Err(Failure::usage(format!(
            "{} is of one input",
            if is_check { "a tag to be checked" } else { "--raw" }
        )));
    }
    if command.truncated && !is_check {
        return Err(Failure::usage("--truncated is of a check: say --verify-file or --verify-hex"));
    }
    encoded::check(&command.written)?;
    let mut keys = Keyring::new(common);
    let key = key(command, &mut keys, terminal)?;
    let expected = expected(command, &mut keys)?;
    keys.check_stdin(&command.inputs)?;
    let plan = plan::plan_to_hash(&command.inputs, false, terminal)?;
    if command.inputs.is_empty() {
        terminal.awaits_stdin();
    }
    let of = plan.jobs.len() + plan.failed;
    let (mut failed, several) = (plan.failed, plan.several);
    for job in plan.jobs {
        match tag(&key, &job.input, terminal) {
            Ok(tag) => match &expected {
                Some(expected) => return check(command, &key, &tag, expected),
                None => print(command, common, &job.input, &tag)?,
            },
            Err(failure) if several => {
                terminal.failure(&failure);
                failed += 1;
            }
            Err(failure) => return Err(failure),
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

fn key(command: &Mac, keys: &mut Keyring, terminal: &Terminal) -> Result<mac::Mac, Failure> {
    let algorithm = command.algorithm;
    let bytes = match algorithm.key_len() {
        Some(len) if !command.key_text => secret::of_len(&command.key_file, len, keys, terminal)?,
        _ => secret::of_any_len(&command.key_file, command.key_text, keys, terminal)?,
    };
    let on = |error: Error| Failure::from(error).on(Some(&command.key_file));
    if algorithm == Algorithm::Kmac256 {
        let (customization, len) = (command.customization.as_deref().unwrap_or_default(), command.length);
        let len = len.map_or(algorithm.tag_len(), usize::from);
        return mac::Mac::kmac256(&bytes, customization.as_bytes(), len).map_err(Failure::from);
    }
    if command.customization.is_some() || command.length.is_some() {
        return Err(Failure::usage(format!("--customization and --length are of kmac256, and not of {algorithm}")));
    }
    mac::Mac::new(algorithm, &bytes).map_err(on)
}

/// The tag to be checked, if there is one.
fn expected(command: &Mac, keys: &mut Keyring) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
    if let Some(text) = &command.verify_hex {
        return secret::digits(text, "the tag").map(Some);
    }
    let Some(path) = &command.verify_file else { return Ok(None) };
    let too_long = || Failure::usage(format!("{} is too long for a tag", escape_name(path)));
    keys.takes_stdin(path)?;
    let bytes = whole::read(&Place::new(path), TAG_FILE_MAX_LEN)?.ok_or_else(too_long)?;
    // A line of this command has the name behind the tag.
    let word = std::str::from_utf8(&bytes).ok().and_then(|text| text.split_ascii_whitespace().next()).unwrap_or("");
    if command.written.base64 {
        let decoded = Encoding::Base64.decode(word).map_err(|error| Failure::from(error).on(Some(path)))?;
        return Ok(Some(Zeroizing::new(decoded)));
    }
    Ok(Some(digits::decode(word.as_bytes()).filter(|tag| !tag.is_empty()).unwrap_or(bytes)))
}

/// A tag and a name.
const TAG_FILE_MAX_LEN: usize = 8192;

fn tag(key: &mac::Mac, place: &Place, terminal: &Terminal) -> Result<mac::Tag, Failure> {
    let watch = work::watch(std::iter::once(place), terminal);
    let signer = FileSigner::new(key.signer());
    let signer = match watch.callback() {
        Some(callback) => signer.on_progress(callback),
        None => signer,
    };
    let done = place.open().and_then(|input| Ok(signer.run(input)?));
    watch.finish();
    done.map_err(|failure| failure.on(place.path()))
}

fn check(command: &Mac, key: &mac::Mac, tag: &mac::Tag, expected: &[u8]) -> Result<(), Failure> {
    let whole = key.tag_len();
    let (shortest, longest) = if command.truncated { (8, whole) } else { (whole, whole) };
    if !(shortest..=longest).contains(&expected.len()) {
        let expected_len = expected.len().clamp(shortest, longest);
        return Err(Error::WrongLength { what: "the tag", expected: expected_len, actual: expected.len() }.into());
    }
    if mac::equal(&tag.as_bytes()[..expected.len()], expected) {
        return Ok(());
    }
    Err(Failure::from(Error::NotAuthentic { chunk: None })
        .worded("the tag is another one")
        .with_hint("the data or its tag was changed, or it was made with another key or algorithm"))
}

fn print(command: &Mac, common: &Common, place: &Place, tag: &mac::Tag) -> Result<(), Failure> {
    if command.written.raw {
        return encoded::print(tag.as_bytes());
    }
    let text = encoded::text(tag.as_bytes(), &command.written)?;
    let line = if common.json {
        json!({ "input": place.name(), "algorithm": command.algorithm.name(), "tag": *text }).to_string()
    } else {
        let name = place.path().map_or_else(|| PathBuf::from("-"), PathBuf::from);
        format!("{}  {}", *text, escape_name(&name))
    };
    encoded::print(format!("{line}\n").as_bytes())
}
