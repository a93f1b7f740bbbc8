//! `sealstone inspect`

use crate::args::Common;
use crate::date;
use crate::failure::Failure;
use crate::format;
use crate::keyring::BUNDLE_IS_DAMAGED;
use crate::place::{Place, refuse_printing_into};
use crate::terminal::{Terminal, json_text};
use clap::Args;
use sealstone::interop::nkkb::{self, BoundKey, KeyBundle};
use sealstone::{Error, FileFormat, escape_name};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Show what anyone can see of a file: suite, kinds of recipients, sizes
#[derive(Args)]
#[command(
    after_help = "This needs no key, and nothing it shows is authenticated.\n\nExample:\n  sealstone inspect film.seal"
)]
pub(crate) struct Inspect {
    /// The file; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

pub(crate) fn run(command: &Inspect, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let place = Place::new(command.file.as_deref().unwrap_or(Path::new("-")));
    if matches!(place, Place::Standard) {
        terminal.announce_stdin();
    }
    refuse_printing_into(std::slice::from_ref(&place))?;
    let name = place.name();
    let result = place.open().and_then(|mut input| {
        if nkkb::is_bundle(&mut input)? {
            return match KeyBundle::read(input) {
                Ok(bundle) => Ok(report_bundle(&name, &bundle, common.json)),
                Err(error @ Error::Io { .. }) => Err(error.into()),
                Err(error) => Err(Failure::from(error).with_hint(BUNDLE_IS_DAMAGED)),
            };
        }
        let report = format::of(FileFormat::of(&mut input)?).inspect(input)?;
        Ok(if common.json { report.to_json(&name) } else { report.to_text(&name) })
    });
    let text = result.map_err(|failure| match failure.on(place.path()) {
        failure if place.path().is_some_and(Path::is_dir) => failure.with_hint("name a file"),
        failure => failure.for_command("inspect"),
    })?;
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// Reports the content of a key bundle of nkCryptoTool.
fn report_bundle(name: &str, bundle: &KeyBundle, is_json: bool) -> String {
    let (is_valid, now) = (bundle.check_signatures().is_ok(), SystemTime::now());
    let report = if is_json { format_json } else { format_text };
    report(name, bundle, is_valid, now)
}

fn format_json(name: &str, bundle: &KeyBundle, is_valid: bool, now: SystemTime) -> String {
    let key = |key: &BoundKey| {
        json!({
            "kind": key.key().kind().name(), "recipient": key.recipient().map(|one| one.to_string()),
            "fingerprint": key.recipient().and_then(|one| one.fingerprint()), "created": key.created(),
            "expires": key.expires(), "expired": key.has_expired(now),
        })
    };
    let report = json!({
        "input": name, "format": "nkkb", "version": 1, "handle": bundle.handle(),
        "owner": bundle.fingerprint().to_string(), "created": bundle.created(),
        "keys": bundle.keys().iter().map(key).collect::<Vec<_>>(), "signatures_hold": is_valid,
    });
    json_text(&report) + "\n"
}

fn format_text(name: &str, bundle: &KeyBundle, is_valid: bool, now: SystemTime) -> String {
    let key = |key: &BoundKey| {
        let until = match key.expires() {
            None => "does not expire".to_owned(),
            Some(time) if key.has_expired(now) => format!("EXPIRED {}", date::format_time(time)),
            Some(time) => format!("expires {}", date::format_time(time)),
        };
        format!("\n    {:<12}of {}, {until}", key.key().kind().name(), date::format_time(key.created()))
    };
    format!(
        "{name}\n  format      nkCryptoTool key bundle, version 1\n  handle      {}\n  owner       {}\n  made        {}\n  signatures  {}\n  keys        {}{}\nThe file does not prove who its owner is: compare the fingerprint with the owner over another channel.\n",
        escape_name(Path::new(bundle.handle())),
        bundle.fingerprint(),
        date::format_time(bundle.created()),
        if is_valid { "hold" } else { "DO NOT HOLD: the bundle is not as its owner signed it" },
        bundle.keys().len(),
        bundle.keys().iter().map(key).collect::<String>(),
    )
}
