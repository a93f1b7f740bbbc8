//! `sealstone list`

use crate::archive;
use crate::args::{Common, With};
use crate::date;
use crate::failure::Failure;
use crate::terminal::{Terminal, json_text};
use clap::Args;
use sealstone::{Archive, Entry, Error, MemberKind, escape_bytes};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// List the files and folders of an archive
#[derive(Args)]
#[command(after_help = "\
This reads only the end of the archive: its index, as its writer made it. `sealstone verify` compares the index with all members.

Each line has the mode, the length in bytes, the modification time in UTC and the path. Control characters in names are escaped.

Examples:
  sealstone list -i identity.txt backup.seal
  sealstone list --json backup.seal | jq -r 'select(.bytes > 1000000).path'")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) with: With,
    /// The archive
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

pub(crate) fn run(command: &List, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    archive::open(&command.file, &command.with, common, terminal, |decryptor, input, watch, _| {
        let mut archive = Archive::open(&decryptor, input)?;
        watch.finish();
        let mut out = BufWriter::new(io::stdout().lock());
        let fail = |error| Error::Io { action: "write", path: Some(Path::new("stdout").to_path_buf()), source: error };
        for entry in archive.entries()? {
            let entry = entry?;
            let line = if common.json { format_json(&entry) } else { format_text(&entry) };
            writeln!(out, "{line}").map_err(fail)?;
        }
        out.flush().map_err(fail)
    })
}

fn format_text(entry: &Entry) -> String {
    let kind = match entry.kind {
        MemberKind::File => '-',
        MemberKind::HardLink => 'h',
        MemberKind::SymbolicLink => 'l',
        MemberKind::Folder => 'd',
    };
    let mut line = String::from(kind);
    // As `ls` does: a special bit shows in the place of an x, as a capital if there is no x.
    for (bit, letter) in (0..9).rev().zip("rwxrwxrwx".chars()) {
        let is_set = |bit: u32| entry.mode >> bit & 1 == 1;
        let special = match bit {
            6 if is_set(11) => Some('s'),
            3 if is_set(10) => Some('s'),
            0 if is_set(9) => Some('t'),
            _ => None,
        };
        line.push(match (special, is_set(bit)) {
            (Some(special), true) => special,
            (Some(special), false) => special.to_ascii_uppercase(),
            (None, true) => letter,
            (None, false) => '-',
        });
    }
    let time = time(entry).unwrap_or_else(|| entry.modified.seconds.to_string());
    let slash = if entry.kind == MemberKind::Folder { "/" } else { "" };
    let _ = write!(line, " {:>12} {time:<20} {}{slash}", entry.size, escape_bytes(&entry.path));
    match entry.kind {
        MemberKind::SymbolicLink => _ = write!(line, " -> {}", escape_bytes(&entry.link)),
        MemberKind::HardLink => _ = write!(line, " link to {}", escape_bytes(&entry.link)),
        MemberKind::File | MemberKind::Folder => {}
    }
    line
}

/// The time of a member, if it is one that can be written as a date.
fn time(entry: &Entry) -> Option<String> {
    let seconds = u64::try_from(entry.modified.seconds).ok()?;
    // The year 10000.
    (seconds < 253_402_300_800).then(|| date::format_time(seconds))
}

fn format_json(entry: &Entry) -> String {
    let mut line = json!({
        "path": escape_bytes(&entry.path), "kind": entry.kind.name(), "bytes": entry.size,
        "mode": format!("{:04o}", entry.mode),
        "modified": time(entry), "modified_seconds": entry.modified.seconds,
        "modified_nanoseconds": entry.modified.nanoseconds,
    });
    if !entry.link.is_empty() {
        line["link"] = escape_bytes(&entry.link).into();
        if std::str::from_utf8(&entry.link).ok() != line["link"].as_str() {
            line["link_hex"] = sealstone::encoding::encode_hex(&entry.link).into();
        }
    }
    // A name that the text does not show as it is.
    if std::str::from_utf8(&entry.path).ok() != line["path"].as_str() {
        line["path_hex"] = sealstone::encoding::encode_hex(&entry.path).into();
    }
    json_text(&line)
}
