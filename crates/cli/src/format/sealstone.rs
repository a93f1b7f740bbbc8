//! Sealstone's own format.

use super::{Format, Lengths, Report};
use crate::args::{Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::keys::{Keys, Recipients};
use crate::plural::count_noun;
use sealstone::{DecryptFiles, Decryptor, EncryptFiles, Encryptor, Error, Input, RewrapFiles, Rewrapper};
use serde_json::json;

pub(super) struct Sealstone;

impl Format for Sealstone {
    fn program(&self) -> &'static str {
        "Sealstone"
    }

    fn encryptor(&self, options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure> {
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
        Ok(Box::new(encryptor))
    }

    fn decryptor(&self, keys: &Keys, with: &With) -> Result<Box<dyn DecryptFiles>, Failure> {
        let mut decryptor = Decryptor::new(keys.for_sealstone());
        if let Some(profile) = with.allowed.profile {
            decryptor = decryptor.profile(profile);
        }
        if let Some(context) = &with.context {
            decryptor = decryptor.context(context)?;
        }
        Ok(Box::new(decryptor))
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
        let rows = vec![
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
        let lengths = Lengths {
            header: inspection.header_len,
            payload: inspection.payload_len,
            plaintext: inspection.plaintext_len,
        };
        Ok(Report::new(rows, json, &lengths, &count_noun(inspection.chunks, "chunk"), inspection.armoured))
    }
}
