//! The format of nkCryptoTool.

use super::{Format, Lengths, Report, check_foreign, explain};
use crate::args::{Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::keys::{Keys, Recipients};
use crate::plugin::Programs;
use crate::plural::count_noun;
use sealstone::aead::Algorithm;
use sealstone::interop::nkct;
use sealstone::{Asked, DecryptFiles, EncryptFiles, Error, FileFormat, Input, RecipientsRule, RewrapFiles, Suite};
use serde_json::json;
use std::path::PathBuf;

pub(super) struct Nkct;

impl Format for Nkct {
    fn program(&self) -> &'static str {
        "nkCryptoTool"
    }

    fn unsupported_options(&self) -> &'static [&'static str] {
        &[
            "--suite sm4-gcm",
            "--armor",
            "--passphrase",
            "--plugin",
            "--context",
            "--profile",
            "--key-file",
            "--allow-mixed",
            "--archive",
            "--compress",
        ]
    }

    fn recipients(
        &self,
        keyring: &mut Keyring<'_>,
        named: &[String],
        files: &[PathBuf],
        _: &Programs,
    ) -> Result<Recipients, Failure> {
        keyring.find_nkct_recipients(named, files)
    }

    fn encryptor(&self, options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure> {
        let mut encryptor = nkct::Encryptor::new(recipients.for_nkct()?);
        if options.suite == Some(Suite::ChaCha20Poly1305) {
            encryptor = encryptor.aead(Algorithm::ChaCha20Poly1305)?;
        }
        encryptor.check_recipients().map_err(|error| explain(FileFormat::Nkct, error))?;
        Ok(Box::new(encryptor))
    }

    fn decryptor(&self, keys: &Keys, with: &With) -> Result<Box<dyn DecryptFiles>, Failure> {
        check_foreign(with, "nkCryptoTool")?;
        Ok(Box::new(nkct::Decryptor::new(keys.for_nkct())))
    }

    fn rewrapper(&self, _: &Keys, _: &Recipients, _: &Rewrapping) -> Result<Box<dyn RewrapFiles>, Failure> {
        Err(Failure::usage_with_hint(
            "nkCryptoTool files have one recipient, and cannot be rewrapped",
            "decrypt the file, and encrypt the content again",
        ))
    }

    fn hint(&self, error: &Error) -> Option<&'static str> {
        match error {
            Error::InvalidRecipients(RecipientsRule::NkctKeys) => {
                Some("make a file for each recipient, or one file for all with --format sealstone")
            }
            Error::NotAuthentic { chunk: None | Some(0) } => Some(
                "the file is for another key, or was changed, damaged or cut short: nkCryptoTool files do not show which",
            ),
            Error::NotAuthentic { .. } | Error::HeaderNotAuthentic => {
                Some("the file was changed, damaged or cut short: fetch it again")
            }
            _ => None,
        }
    }

    fn hint_without_match(&self, asked: &Asked, _: &Keys) -> Option<String> {
        let them = if asked.keys.len() > 1 { "both" } else { "it" };
        let names = asked.keys.join(" and one of ");
        Some(format!("the file needs a private key of {names}: name {them} with -i"))
    }

    fn inspect(&self, input: Input<'_>) -> Result<Report, Error> {
        let inspection = nkct::inspect(input)?;
        let kinds: Vec<_> = inspection.kinds().iter().map(|kind| kind.name()).collect();
        let needed = if kinds.len() > 1 { ", both needed" } else { "" };
        let scheme = inspection.scheme.name();
        let rows = vec![
            ("format", format!("nkCryptoTool, version {}, scheme {scheme}, {}", inspection.version, inspection.aead)),
            ("recipient", format!("{}{needed}", kinds.join(" and "))),
        ];
        let json = json!({
            "format": "nkct", "version": inspection.version, "scheme": scheme, "kinds": kinds, "suite": inspection.aead.name(),
            "chunks": inspection.chunks.map(|(_, count)| count), "chunk_bytes": inspection.chunks.map(|(len, _)| len),
        });
        let chunks = match inspection.chunks {
            Some((len, count)) => format!("{} of {}", count_noun(count, "chunk"), count_noun(u64::from(len), "byte")),
            None => "one message".to_owned(),
        };
        let lengths = Lengths {
            header: inspection.header_len,
            payload: inspection.body_len,
            plaintext: inspection.plaintext_len,
            is_stored: false,
        };
        Ok(Report::new(rows, json, &lengths, &chunks, false))
    }
}
