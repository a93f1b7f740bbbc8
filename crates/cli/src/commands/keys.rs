//! `sealstone keys`

use crate::address_book;
use crate::args::{Common, Names, NamesAction, NamesAdd};
use crate::failure::Failure;
use crate::fingerprint;
use crate::keyring::Keyring;
use crate::terminal::Terminal;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(command: &Names, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        NamesAction::Add(command) => add(command, common, terminal),
        NamesAction::List(_) => list(common, terminal),
        NamesAction::Remove(command) => address_book::remove(&command.name),
    }
}

fn add(command: &NamesAdd, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    address_book::path_of(&command.name)?;
    let found = Keyring::new(common).named_recipients(std::slice::from_ref(&command.recipient), &[])?;
    let [recipient] = &found[..] else {
        return Err(Failure::usage("a name stands for one recipient, and the file names several"));
    };
    let (Some(fingerprint), Some(shown)) = (recipient.fingerprint(), fingerprint::shown(recipient)) else {
        return Err(Failure::usage("only public keys have names"));
    };
    if command.fingerprint.as_ref().is_some_and(|said| !fingerprint::is_meant(recipient, said)) {
        return Err(Failure::usage_with_hint(
            format!("the key has another fingerprint, {shown}"),
            "ask its owner over another channel than the one that the key came over",
        ));
    }
    let is_kept = address_book::has(&command.name)?;
    if is_kept && !common.force {
        // A record that cannot be read is no reason to replace it.
        let kept = address_book::find(&command.name)?;
        if !kept.is_same(recipient) {
            let kept = fingerprint::shown(&kept).unwrap_or_default();
            return Err(Failure::usage_with_hint(
                format!("@{} is another key: {kept}, and this one is {shown}", command.name),
                "ask its owner which is right; --force takes the new one",
            ));
        }
    }
    address_book::keep(&command.name, recipient, &fingerprint, is_kept, !common.no_sync)?;
    if common.json {
        terminal.event(|| {
            json!({
                "event": "done", "name": command.name, "kind": recipient.kind().name(), "fingerprint": fingerprint,
            })
        });
    } else {
        terminal.note(&format!("@{}: {} {shown}", command.name, recipient.kind()));
    }
    Ok(())
}

fn list(common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let names = address_book::names()?;
    if names.is_empty() {
        terminal.note("there are no names; `sealstone keys add NAME RECIPIENT` adds one");
    }
    let mut lines = String::new();
    let mut failed = None;
    for name in names {
        let recipient = match address_book::find(&name) {
            Ok(recipient) => recipient,
            Err(failure) => {
                // The others are shown all the same.
                failed = failed.or(Some(failure));
                continue;
            }
        };
        let (kind, fingerprint) = (recipient.kind().name(), recipient.fingerprint());
        if common.json {
            let recipient = recipient.to_string();
            lines +=
                &json!({ "name": name, "kind": kind, "fingerprint": fingerprint, "recipient": recipient }).to_string();
        } else {
            lines.extend(["@", &name, "  ", kind, "  ", &fingerprint::shown(&recipient).unwrap_or_default()]);
        }
        lines.push('\n');
    }
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
    failed.map_or(Ok(()), Err)
}
