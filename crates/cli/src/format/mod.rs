//! The formats of encrypted files, with the differences that matter to the command line. A new format has a file here, with an
//! `impl Format`, and an arm in `of`.

mod age;
mod nkct;
pub(crate) mod sealstone;
mod signature;

pub(crate) use signature::SignatureFormat;

use crate::args::{Allowed, Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::keys::{Keys, Recipients};
use crate::plugin::Programs;
use crate::plural::count_noun;
use crate::terminal::json_text;
use ::sealstone::{Asked, DecryptFiles, EncryptFiles, Error, FileFormat, Input, Kind, RewrapFiles};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A format of encrypted files.
pub(crate) trait Format: Sync {
    /// The program that the format comes from.
    fn program(&self) -> &'static str;

    /// The options of `encrypt` that the format does not support.
    fn unsupported_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether SSH keys are recipients and open files.
    fn takes_ssh_keys(&self) -> bool {
        false
    }

    /// The recipients that the command line names, as strings or in files.
    fn recipients(
        &self,
        keyring: &mut Keyring<'_>,
        named: &[String],
        files: &[PathBuf],
        programs: &Programs,
    ) -> Result<Recipients, Failure> {
        keyring.find_all_recipients(named, files, self.takes_ssh_keys(), programs)
    }

    /// An encryptor to these recipients.
    fn encryptor(&self, options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure>;

    /// A decryptor with these keys.
    fn decryptor(&self, keys: &Keys, with: &With) -> Result<Box<dyn DecryptFiles>, Failure>;

    /// A rewrapper with these keys for these recipients.
    fn rewrapper(
        &self,
        keys: &Keys,
        recipients: &Recipients,
        options: &Rewrapping,
    ) -> Result<Box<dyn RewrapFiles>, Failure>;

    /// The hint for an error of encrypting, decrypting or rewrapping.
    fn hint(&self, error: &Error) -> Option<&'static str>;

    /// The hint if none of these keys opens a file.
    fn hint_without_match(&self, asked: &Asked, keys: &Keys) -> Option<String> {
        let hint = if asked.passphrase {
            Some("it was encrypted with a passphrase: use -p")
        } else if asked.symmetric_key && !keys.own.iter().any(|identity| identity.kind() == Kind::Key) {
            Some("it was encrypted with a symmetric key: name its file with --key-file")
        } else if keys.is_empty() || keys.is_one_passphrase() {
            Some("it was encrypted to keys, not with a passphrase: name an identity file with -i")
        } else if keys.own.is_empty() && !keys.nkct.is_empty() {
            Some(
                "ML-KEM keys without a seed, or of other sizes than 768, open nkCryptoTool files only: name an identity file with -i",
            )
        } else if !self.takes_ssh_keys() && keys.own.is_empty() && !keys.has_plugin() {
            Some("SSH keys open age files only: name an identity file with -i")
        } else {
            None
        };
        hint.map(str::to_owned)
    }

    /// Reports the public facts of a file.
    fn inspect(&self, input: Input<'_>) -> Result<Report, Error>;
}

/// The implementation of a format.
pub(crate) fn of(format: FileFormat) -> &'static dyn Format {
    match format {
        FileFormat::Age => &age::Age,
        FileFormat::Nkct => &nkct::Nkct,
        FileFormat::Sealstone => &sealstone::Sealstone,
        _ => unreachable!("format: each format has a row"),
    }
}

/// Converts an error of work on a file, and adds this format's hint.
pub(crate) fn explain(format: FileFormat, error: Error) -> Failure {
    match of(format).hint(&error) {
        Some(hint) => Failure::from(error).with_hint(hint),
        None => error.into(),
    }
}

/// Refuses options that files of another program do not support.
fn check_foreign(with: &With, program: &str) -> Result<(), Failure> {
    check_profile(&with.allowed, program)?;
    if with.context.is_some() { Err(Error::ContextNotBound.into()) } else { Ok(()) }
}

/// Refuses a profile for files of another program.
fn check_profile(allowed: &Allowed, program: &str) -> Result<(), Failure> {
    match allowed.profile {
        Some(profile) => Err(Failure::usage(format!("the profile {} does not allow {program} files", profile.name()))),
        None => Ok(()),
    }
}

/// The public facts of a file, for the terminal and as JSON.
pub(crate) struct Report {
    /// Labels and texts, one pair for each line.
    rows: Vec<(&'static str, String)>,
    json: Value,
}

/// The lengths that every format has, in bytes.
struct Lengths {
    header: u64,
    payload: u64,
    plaintext: u64,
    /// Whether the plaintext is compressed, so that the length of its content is not visible.
    is_stored: bool,
}

impl Report {
    /// Makes a report, and adds the lengths.
    fn new(
        mut rows: Vec<(&'static str, String)>,
        mut json: Value,
        lengths: &Lengths,
        chunks: &str,
        is_armoured: bool,
    ) -> Self {
        let Lengths { header, payload, plaintext, is_stored } = *lengths;
        let (file, overhead) = (header + payload, header + payload - plaintext);
        let without = if is_armoured { " without the armour" } else { "" };
        let text = format!("{}{without}: header {header}, overhead in all {overhead}", count_noun(file, "byte"));
        let (label, key) = if is_stored { ("stored", "stored_bytes") } else { ("plaintext", "plaintext_bytes") };
        rows.extend([(label, format!("{} in {chunks}", count_noun(plaintext, "byte"))), ("file", text)]);
        for (key, len) in [
            ("header_bytes", header),
            ("payload_bytes", payload),
            (key, plaintext),
            ("file_bytes", file),
            ("overhead_bytes", overhead),
        ] {
            json[key] = json!(len);
        }
        Self { rows, json }
    }

    /// The text for a file of this name.
    pub(crate) fn to_text(&self, name: &str) -> String {
        let rows: Vec<_> = self.rows.iter().map(|(label, text)| format!("  {label:<12}{text}\n")).collect();
        format!("{name}\n{}Nothing of this is authenticated; `sealstone verify` does that with a key.\n", rows.concat())
    }

    /// The JSON for a file of this name.
    pub(crate) fn to_json(&self, name: &str) -> String {
        let mut report = json!({ "input": name });
        report.as_object_mut().expect("report: an object").extend(self.json.as_object().cloned().unwrap_or_default());
        json_text(&report) + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_own_implementation() {
        let programs: Vec<_> = FileFormat::ALL.into_iter().map(|format| of(format).program()).collect();
        assert_eq!(programs, ["Sealstone", "age", "nkCryptoTool"]);
    }
}
