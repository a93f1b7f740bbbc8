//! Sealstone's own format.

use super::{Format, Lengths, Report};
use crate::args::{Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::keys::{Keys, Recipients};
use crate::plural::count_noun;
use sealstone::{DecryptFiles, Decryptor, EncryptFiles, Encryptor, Error, Input, RewrapFiles, Rewrapper};
use serde_json::json;

pub(super) struct Sealstone;

/// An encryptor of files and archives.
pub(crate) fn encryptor(options: &Sealing, recipients: &Recipients) -> Result<Encryptor, Failure> {
    let encryptor = Encryptor::new(recipients.for_sealstone()?);
    let mut encryptor = encryptor.allow_mixed(options.allow_mixed).armour(options.armor);
    if let Some(suite) = options.suite {
        encryptor = encryptor.suite(suite);
    }
    if let Some(profile) = options.allowed.profile {
        encryptor = encryptor.profile(profile);
    }
    encryptor.check_recipients()?;
    if let Some(context) = &options.context {
        encryptor = encryptor.context(context)?;
    }
    Ok(encryptor.compression(options.archiving.compression()))
}

/// A decryptor of files and archives.
pub(crate) fn decryptor(keys: &Keys, with: &With) -> Result<Decryptor, Failure> {
    let mut decryptor = Decryptor::new(keys.for_sealstone());
    if let Some(profile) = with.allowed.profile {
        decryptor = decryptor.profile(profile);
    }
    if let Some(context) = &with.context {
        decryptor = decryptor.context(context)?;
    }
    Ok(decryptor)
}

impl Format for Sealstone {
    fn program(&self) -> &'static str {
        "Sealstone"
    }

    fn encryptor(&self, options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure> {
        Ok(Box::new(encryptor(options, recipients)?))
    }

    fn decryptor(&self, keys: &Keys, with: &With) -> Result<Box<dyn DecryptFiles>, Failure> {
        Ok(Box::new(decryptor(keys, with)?))
    }

    fn rewrapper(
        &self,
        keys: &Keys,
        recipients: &Recipients,
        options: &Rewrapping,
    ) -> Result<Box<dyn RewrapFiles>, Failure> {
        let rewrapper = Rewrapper::new(keys.for_sealstone(), recipients.for_sealstone()?);
        let mut rewrapper = rewrapper.replace(options.replace).allow_mixed(options.allow_mixed);
        if let Some(profile) = options.allowed.profile {
            rewrapper = rewrapper.profile(profile);
        }
        Ok(Box::new(rewrapper))
    }

    fn hint(&self, _: &Error) -> Option<&'static str> {
        None
    }

    fn inspect(&self, input: Input<'_>) -> Result<Report, Error> {
        let inspection = sealstone::inspect(input)?;
        let kinds: Vec<_> = inspection
            .stanzas
            .iter()
            .map(|stanza| match stanza.served() {
                Some(_) => stanza.kind.to_owned(),
                None => format!("{} (type 0x{:04x})", stanza.kind, stanza.type_id),
            })
            .collect();
        let armour = if inspection.armoured { ", ASCII armour" } else { "" };
        let context = if inspection.context_bound { "bound, must be given to decrypt" } else { "none" };
        let mut rows = vec![
            ("format", format!("version {}, suite {}{armour}", inspection.version, inspection.suite)),
            ("recipients", format!("{}: {}", inspection.stanzas.len(), kinds.join(", "))),
            ("context", context.to_owned()),
        ];
        let stanzas: Vec<_> = inspection
            .stanzas
            .iter()
            .map(|stanza| json!({ "kind": stanza.kind, "type": stanza.type_id, "body_bytes": stanza.body_len }))
            .collect();
        let json = json!({
            "version": inspection.version, "suite": inspection.suite.name(), "context_bound": inspection.context_bound,
            "armoured": inspection.armoured, "stanzas": stanzas, "chunks": inspection.chunks,
        });
        let stored_as = match (inspection.compressed, inspection.archive) {
            (true, true) => Some("a compressed archive"),
            (true, false) => Some("compressed"),
            (false, true) => Some("an archive"),
            (false, false) => None,
        };
        let mut json = json;
        if let Some(stored_as) = stored_as {
            rows.push(("content", stored_as.to_owned()));
            json["compressed"] = inspection.compressed.into();
            json["archive"] = inspection.archive.into();
        }
        let lengths = Lengths {
            header: inspection.header_len,
            payload: inspection.payload_len,
            plaintext: inspection.plaintext_len,
            is_stored: inspection.compressed,
        };
        Ok(Report::new(rows, json, &lengths, &count_noun(inspection.chunks, "chunk"), inspection.armoured))
    }
}
