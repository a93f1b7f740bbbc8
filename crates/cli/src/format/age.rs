//! The format of age.

use super::{Format, Lengths, Report, check_foreign, check_profile, explain};
use crate::args::{Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::keys::{Keys, Recipients};
use crate::plural::count_noun;
use sealstone::interop::age;
use sealstone::{DecryptFiles, EncryptFiles, Error, FileFormat, Input, RewrapFiles};
use serde_json::json;

pub(super) struct Age;

/// Characters of a stanza type that are shown. Programs write shorter types, but a stranger may have chosen this one.
const KIND_MAX_LEN: usize = 64;

impl Format for Age {
    fn program(&self) -> &'static str {
        "age"
    }

    fn unsupported_options(&self) -> &'static [&'static str] {
        &[
            "--suite",
            "--suite sm4-gcm",
            "--context",
            "--profile",
            "--key-file",
            "--allow-mixed",
            "--archive",
            "--compress",
        ]
    }

    fn takes_ssh_keys(&self) -> bool {
        true
    }

    fn encryptor(&self, options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure> {
        let encryptor = age::Encryptor::new(recipients.for_age()?).armour(options.armor);
        encryptor.check_recipients().map_err(|error| explain(FileFormat::Age, error))?;
        Ok(Box::new(encryptor))
    }

    fn decryptor(&self, keys: &Keys, with: &With) -> Result<Box<dyn DecryptFiles>, Failure> {
        check_foreign(with, "age")?;
        let decryptor = age::Decryptor::new(keys.for_age());
        Ok(Box::new(match with.scrypt_max {
            Some(log_n) => decryptor.work_max(log_n)?,
            None => decryptor,
        }))
    }

    fn rewrapper(
        &self,
        keys: &Keys,
        recipients: &Recipients,
        options: &Rewrapping,
    ) -> Result<Box<dyn RewrapFiles>, Failure> {
        check_profile(&options.allowed, "age")?;
        Ok(Box::new(age::Rewrapper::new(keys.for_age(), recipients.for_age()?).replace(options.replace)))
    }

    fn hint(&self, error: &Error) -> Option<&'static str> {
        match error {
            Error::CostTooHigh(what) if what.contains("more memory than there is") => {
                Some("free some memory, or use a machine that has more")
            }
            Error::CostTooHigh(_) => {
                Some("if you trust whoever wrote the file, --scrypt-max 22 allows 4 GiB and more time")
            }
            Error::MixedRecipients => Some("age cannot read a file that has both: make a file for each kind"),
            Error::NotAuthentic { .. } | Error::HeaderNotAuthentic => {
                Some("the file was changed, damaged or cut short: fetch it again")
            }
            _ => None,
        }
    }

    fn inspect(&self, input: Input<'_>) -> Result<Report, Error> {
        let inspection = age::inspect(input)?;
        // The parser accepts only visible ASCII characters in types.
        let shown = |kind: &str| kind[..kind.len().min(KIND_MAX_LEN)].to_owned();
        let kinds: Vec<_> = inspection.stanzas.iter().map(|stanza| shown(stanza.kind())).collect();
        let armour = if inspection.armoured { ", ASCII armour" } else { "" };
        let rows = vec![
            ("format", format!("age, version 1{armour}")),
            ("recipients", format!("{}: {}", kinds.len(), kinds.join(", "))),
        ];
        let stanza =
            |(kind, stanza): (&String, &age::Stanza)| json!({ "kind": kind, "body_bytes": stanza.body().len() });
        let stanzas: Vec<_> = kinds.iter().zip(&inspection.stanzas).map(stanza).collect();
        let json = json!({
            "format": "age", "version": 1, "armoured": inspection.armoured, "stanzas": stanzas, "chunks": inspection.chunks,
        });
        let lengths = Lengths {
            header: inspection.header_len,
            payload: inspection.payload_len,
            plaintext: inspection.plaintext_len,
            is_stored: false,
        };
        Ok(Report::new(rows, json, &lengths, &count_noun(inspection.chunks, "chunk"), inspection.armoured))
    }
}
