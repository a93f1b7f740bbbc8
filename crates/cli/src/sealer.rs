//! What opens and writes files of each format, and gives them to others.

use crate::args::{Common, Rewrapping, Sealing, With};
use crate::failure::Failure;
use crate::format::{Format, Keys, Recipients, Stanzas};
use sealstone::aead::Algorithm;
use sealstone::interop::{age, nkct};
use sealstone::{
    DecryptFiles, Decryptor, EncryptFiles, Encryptor, Error, RecipientsRule, RewrapFiles, Rewrapper, Suite,
};

/// What opens a file with these stanzas.
pub(crate) fn opener(
    stanzas: &Stanzas,
    keys: &Keys,
    with: &With,
    common: &Common,
) -> Result<Box<dyn DecryptFiles>, Failure> {
    let mut opener: Box<dyn DecryptFiles> = match stanzas {
        Stanzas::Sealstone(_) => {
            let mut decryptor = Decryptor::new(keys.of_ours());
            if let Some(profile) = with.allowed.profile {
                decryptor = decryptor.profile(profile);
            }
            if let Some(context) = &with.context {
                decryptor = decryptor.context(context)?;
            }
            Box::new(decryptor)
        }
        Stanzas::Nkct(_) => {
            check_foreign(with, "nkCryptoTool")?;
            Box::new(nkct::Decryptor::new(keys.of_nkct()))
        }
        Stanzas::Age(_) => {
            check_foreign(with, "age")?;
            let decryptor = age::Decryptor::new(keys.of_age());
            Box::new(match with.scrypt_max {
                Some(log_n) => decryptor.work_max(log_n)?,
                None => decryptor,
            })
        }
    };
    if let Some(threads) = common.threads {
        opener.settings_mut().set_threads(threads.into());
    }
    Ok(opener)
}

/// Refuses what files of another program do not have.
fn check_foreign(with: &With, program: &str) -> Result<(), Failure> {
    if let Some(profile) = with.allowed.profile {
        return Err(Failure::usage(format!("the profile {} does not allow {program} files", profile.name())));
    }
    if with.context.is_some() { Err(Error::ContextNotBound.into()) } else { Ok(()) }
}

/// What writes files as the command line says.
pub(crate) fn sealer(options: &Sealing, recipients: &Recipients) -> Result<Box<dyn EncryptFiles>, Failure> {
    Ok(match options.format {
        Format::Sealstone => {
            let encryptor = Encryptor::new(recipients.of_ours()?);
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
            Box::new(encryptor)
        }
        Format::Age => {
            let encryptor = age::Encryptor::new(recipients.of_age()?).armour(options.armor);
            encryptor.check_recipients().map_err(|error| failure(options.format, error))?;
            Box::new(encryptor)
        }
        Format::Nkct => {
            let mut encryptor = nkct::Encryptor::new(recipients.of_nkct()?);
            if options.suite == Some(Suite::ChaCha20Poly1305) {
                encryptor = encryptor.aead(Algorithm::ChaCha20Poly1305)?;
            }
            encryptor.check_recipients().map_err(|error| failure(options.format, error))?;
            Box::new(encryptor)
        }
    })
}

/// An error of writing a file of this format. Only the run of a plugin tells whether its recipients are post-quantum.
pub(crate) fn failure(format: Format, error: Error) -> Failure {
    let hint = match (format, &error) {
        (Format::Age, Error::MixedRecipients) => "age cannot read a file that has both",
        (Format::Nkct, Error::InvalidRecipients(RecipientsRule::NkctKeys)) => {
            "make a file for each recipient, or one file for all with --format sealstone"
        }
        _ => return error.into(),
    };
    Failure::from(error).with_hint(hint)
}

/// What gives a file with these stanzas to others.
pub(crate) fn rewrapper(
    stanzas: &Stanzas,
    keys: &Keys,
    recipients: &Recipients,
    options: &Rewrapping,
) -> Result<Box<dyn RewrapFiles>, Failure> {
    Ok(match stanzas {
        Stanzas::Sealstone(_) => {
            let mut rewrapper = Rewrapper::new(keys.of_ours(), recipients.of_ours()?)
                .replace(options.replace)
                .allow_mixed(options.allow_mixed);
            if let Some(profile) = options.allowed.profile {
                rewrapper = rewrapper.profile(profile);
            }
            Box::new(rewrapper)
        }
        Stanzas::Nkct(_) => {
            return Err(Failure::usage_with_hint(
                "nkCryptoTool files have one recipient, and cannot be rewrapped",
                "decrypt the file, and encrypt the content again",
            ));
        }
        Stanzas::Age(_) => {
            if let Some(profile) = options.allowed.profile {
                return Err(Failure::usage(format!("the profile {} does not allow age files", profile.name())));
            }
            Box::new(age::Rewrapper::new(keys.of_age(), recipients.of_age()?).replace(options.replace))
        }
    })
}
