//! `sealstone inspect`

use crate::args::{Common, Inspect};
use crate::failure::Failure;
use crate::place::{Place, refuse_printing_into};
use crate::plural::counted;
use crate::terminal::Terminal;
use sealstone::Inspection;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(command: &Inspect, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let place = Place::new(command.file.as_deref().unwrap_or(Path::new("-")));
    if matches!(place, Place::Standard) {
        terminal.awaits_stdin();
    }
    refuse_printing_into(std::slice::from_ref(&place))?;
    let seen = place.open().and_then(|input| Ok(sealstone::inspect(input)?));
    let seen = seen.map_err(|failure| match failure.on(place.path()) {
        failure if place.path().is_some_and(Path::is_dir) => failure.with_hint("name a file"),
        failure => failure.of_command("inspect"),
    })?;
    let name = place.name();
    let text = if common.json { as_json(&name, &seen) } else { as_text(&name, &seen) };
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
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
    format!("{report}\n")
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
