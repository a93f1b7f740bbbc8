//! `sealstone inspect`

use crate::args::Common;
use crate::date;
use crate::failure::Failure;
use crate::format::Format;
use crate::keyring::BUNDLE_IS_DAMAGED;
use crate::place::{Place, refuse_printing_into};
use crate::plural::counted;
use crate::terminal::{Terminal, json_text};
use clap::Args;
use sealstone::interop::nkkb::{self, BoundKey, KeyBundle};
use sealstone::interop::{age, nkct};
use sealstone::{Error, Inspection, escape_name};
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
        terminal.awaits_stdin();
    }
    refuse_printing_into(std::slice::from_ref(&place))?;
    let report = if common.json { as_json } else { as_text };
    let (name, age_report) = (place.name(), if common.json { age_as_json } else { age_as_text });
    let nkct_report = if common.json { nkct_as_json } else { nkct_as_text };
    let seen = place.open().and_then(|mut input| match Format::of(&mut input) {
        _ if nkkb::is_bundle(&mut input)? => match KeyBundle::read(input) {
            Ok(bundle) => Ok(bundle_report(&name, &bundle, common.json)),
            Err(error @ Error::Io { .. }) => Err(error.into()),
            Err(error) => Err(Failure::from(error).with_hint(BUNDLE_IS_DAMAGED)),
        },
        Format::Age => Ok(age_report(&name, &age::inspect(input)?)),
        Format::Nkct => Ok(nkct_report(&name, &nkct::inspect(input)?)),
        Format::Sealstone => Ok(report(&name, &sealstone::inspect(input)?)),
    });
    let text = seen.map_err(|failure| match failure.on(place.path()) {
        failure if place.path().is_some_and(Path::is_dir) => failure.with_hint("name a file"),
        failure => failure.of_command("inspect"),
    })?;
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// What a key bundle of nkCryptoTool says.
fn bundle_report(name: &str, bundle: &KeyBundle, is_json: bool) -> String {
    let (holds, now) = (bundle.check_signatures().is_ok(), SystemTime::now());
    let report = if is_json { bundle_as_json } else { bundle_as_text };
    report(name, bundle, holds, now)
}

fn bundle_as_json(name: &str, bundle: &KeyBundle, holds: bool, now: SystemTime) -> String {
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
        "keys": bundle.keys().iter().map(key).collect::<Vec<_>>(), "signatures_hold": holds,
    });
    json_text(&report) + "\n"
}

fn bundle_as_text(name: &str, bundle: &KeyBundle, holds: bool, now: SystemTime) -> String {
    let key = |key: &BoundKey| {
        let until = match key.expires() {
            None => "does not expire".to_owned(),
            Some(time) if key.has_expired(now) => format!("EXPIRED {}", date::shown(time)),
            Some(time) => format!("expires {}", date::shown(time)),
        };
        format!("\n    {:<12}of {}, {until}", key.key().kind().name(), date::shown(key.created()))
    };
    format!(
        "{name}\n  format      nkCryptoTool key bundle, version 1\n  handle      {}\n  owner       {}\n  made        {}\n  signatures  {}\n  keys        {}{}\nThe file does not prove who its owner is: compare the fingerprint with the owner over another channel.\n",
        escape_name(Path::new(bundle.handle())),
        bundle.fingerprint(),
        date::shown(bundle.created()),
        if holds { "hold" } else { "DO NOT HOLD: the bundle is not as its owner signed it" },
        bundle.keys().len(),
        bundle.keys().iter().map(key).collect::<String>(),
    )
}

fn as_json(name: &str, seen: &Inspection) -> String {
    let stanzas: Vec<_> = seen
        .stanzas
        .iter()
        .map(|stanza| json!({ "kind": stanza.kind, "type": stanza.type_id, "body_bytes": stanza.body_len }))
        .collect();
    let report = json!({
        "input": name, "version": seen.version, "suite": seen.suite.name(), "context_bound": seen.context_bound,
        "armoured": seen.armoured, "stanzas": stanzas, "header_bytes": seen.header_len,
        "payload_bytes": seen.payload_len, "plaintext_bytes": seen.plaintext_len, "chunks": seen.chunks,
        "file_bytes": seen.file_len(), "overhead_bytes": seen.file_len() - seen.plaintext_len,
    });
    json_text(&report) + "\n"
}

fn as_text(name: &str, seen: &Inspection) -> String {
    let kinds: Vec<_> = seen
        .stanzas
        .iter()
        .map(|stanza| match stanza.served() {
            Some(_) => stanza.kind.to_owned(),
            None => format!("{} (type 0x{:04x})", stanza.kind, stanza.type_id),
        })
        .collect();
    let overhead = seen.file_len() - seen.plaintext_len;
    format!(
        "{name}\n  format      version {}, suite {}{}\n  recipients  {}: {}\n  context     {}\n  plaintext   {} in {}\n  file        {}{}: header {}, overhead in all {}\nNothing of this is authenticated; `sealstone verify` does that with a key.\n",
        seen.version,
        seen.suite,
        if seen.armoured { ", ASCII armour" } else { "" },
        seen.stanzas.len(),
        kinds.join(", "),
        if seen.context_bound { "bound, must be given to decrypt" } else { "none" },
        counted(seen.plaintext_len, "byte"),
        counted(seen.chunks, "chunk"),
        counted(seen.file_len(), "byte"),
        if seen.armoured { " without the armour" } else { "" },
        seen.header_len,
        overhead,
    )
}

/// Characters of a type that a stranger may have chosen: all that programs write are shorter.
const KIND_MAX_LEN: usize = 64;

fn kinds(seen: &age::Inspection) -> impl Iterator<Item = &str> {
    // Types are visible ASCII characters.
    seen.stanzas.iter().map(|stanza| &stanza.kind()[..stanza.kind().len().min(KIND_MAX_LEN)])
}

fn age_as_json(name: &str, seen: &age::Inspection) -> String {
    let stanzas: Vec<_> = kinds(seen)
        .zip(&seen.stanzas)
        .map(|(kind, one)| json!({ "kind": kind, "body_bytes": one.body().len() }))
        .collect();
    let file_len = seen.header_len + seen.payload_len;
    let report = json!({
        "input": name, "format": "age", "version": 1, "armoured": seen.armoured, "stanzas": stanzas,
        "header_bytes": seen.header_len, "payload_bytes": seen.payload_len, "plaintext_bytes": seen.plaintext_len,
        "chunks": seen.chunks, "file_bytes": file_len, "overhead_bytes": file_len - seen.plaintext_len,
    });
    json_text(&report) + "\n"
}

fn age_as_text(name: &str, seen: &age::Inspection) -> String {
    let file_len = seen.header_len + seen.payload_len;
    format!(
        "{name}\n  format      age, version 1{}\n  recipients  {}: {}\n  plaintext   {} in {}\n  file        {}{}: header {}, overhead in all {}\nNothing of this is authenticated; `sealstone verify` does that with a key.\n",
        if seen.armoured { ", ASCII armour" } else { "" },
        seen.stanzas.len(),
        kinds(seen).collect::<Vec<_>>().join(", "),
        counted(seen.plaintext_len, "byte"),
        counted(seen.chunks, "chunk"),
        counted(file_len, "byte"),
        if seen.armoured { " without the armour" } else { "" },
        seen.header_len,
        file_len - seen.plaintext_len,
    )
}

fn nkct_as_json(name: &str, seen: &nkct::Inspection) -> String {
    let kinds: Vec<_> = seen.kinds().iter().map(|kind| kind.name()).collect();
    let file_len = seen.header_len + seen.body_len;
    let report = json!({
        "input": name, "format": "nkct", "version": seen.version, "scheme": seen.scheme.name(), "kinds": kinds,
        "suite": seen.aead.name(), "header_bytes": seen.header_len, "payload_bytes": seen.body_len,
        "plaintext_bytes": seen.plaintext_len, "chunks": seen.chunks.map(|(_, count)| count),
        "chunk_bytes": seen.chunks.map(|(len, _)| len), "file_bytes": file_len,
        "overhead_bytes": file_len - seen.plaintext_len,
    });
    json_text(&report) + "\n"
}

fn nkct_as_text(name: &str, seen: &nkct::Inspection) -> String {
    let kinds: Vec<_> = seen.kinds().iter().map(|kind| kind.name()).collect();
    let file_len = seen.header_len + seen.body_len;
    format!(
        "{name}\n  format      nkCryptoTool, version {}, scheme {}, {}\n  recipient   {}{}\n  plaintext   {} in {}\n  file        {}: header {}, overhead in all {}\nNothing of this is authenticated; `sealstone verify` does that with a key.\n",
        seen.version,
        seen.scheme.name(),
        seen.aead,
        kinds.join(" and "),
        if kinds.len() > 1 { ", both needed" } else { "" },
        counted(seen.plaintext_len, "byte"),
        match seen.chunks {
            Some((len, count)) => format!("{} of {}", counted(count, "chunk"), counted(u64::from(len), "byte")),
            None => "one message".to_owned(),
        },
        counted(file_len, "byte"),
        seen.header_len,
        file_len - seen.plaintext_len,
    )
}
