//! What opens and writes files of each format, and gives them to others.

use crate::args::{Common, Encrypt, Rewrap, With};
use crate::failure::Failure;
use crate::format::{Format, Keys, Recipients, Stanzas};
use sealstone::aead::Algorithm;
use sealstone::interop::{age, nkct};
use sealstone::{
    Decryptor, Encryptor, Error, Input, Output, Progress, RecipientsRule, Result, Rewrapper, Suite, Summary,
};

/// What opens files of one format.
pub(crate) enum Opener {
    Sealstone(Decryptor),
    Age(age::Decryptor),
    Nkct(nkct::Decryptor),
}

impl Opener {
    /// One for a file with these stanzas.
    pub(crate) fn new(stanzas: &Stanzas, keys: &Keys, with: &With, common: &Common) -> Result<Self, Failure> {
        let opener = match stanzas {
            Stanzas::Sealstone(_) => {
                let mut decryptor = Decryptor::new(keys.of_ours());
                if let Some(profile) = with.allowed.profile {
                    decryptor = decryptor.profile(profile);
                }
                if let Some(context) = &with.context {
                    decryptor = decryptor.context(context)?;
                }
                Self::Sealstone(decryptor)
            }
            Stanzas::Nkct(_) => {
                check_foreign(with, "nkCryptoTool")?;
                Self::Nkct(nkct::Decryptor::new(keys.of_nkct()))
            }
            Stanzas::Age(_) => {
                check_foreign(with, "age")?;
                let decryptor = age::Decryptor::new(keys.of_age());
                Self::Age(match with.scrypt_max {
                    Some(log_n) => decryptor.work_max(log_n)?,
                    None => decryptor,
                })
            }
        };
        Ok(match common.threads {
            Some(threads) => opener.threads(threads.into()),
            None => opener,
        })
    }

    pub(crate) fn threads(self, threads: usize) -> Self {
        match self {
            Self::Sealstone(decryptor) => Self::Sealstone(decryptor.threads(threads)),
            Self::Age(decryptor) => Self::Age(decryptor.threads(threads)),
            Self::Nkct(decryptor) => Self::Nkct(decryptor.threads(threads)),
        }
    }

    pub(crate) fn on_progress(self, callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        match self {
            Self::Sealstone(decryptor) => Self::Sealstone(decryptor.on_progress(callback)),
            Self::Age(decryptor) => Self::Age(decryptor.on_progress(callback)),
            Self::Nkct(decryptor) => Self::Nkct(decryptor.on_progress(callback)),
        }
    }

    pub(crate) fn verify_first(self, verify_first: bool) -> Self {
        match self {
            Self::Sealstone(decryptor) => Self::Sealstone(decryptor.verify_first(verify_first)),
            Self::Age(decryptor) => Self::Age(decryptor.verify_first(verify_first)),
            Self::Nkct(decryptor) => Self::Nkct(decryptor.verify_first(verify_first)),
        }
    }

    pub(crate) fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        match self {
            Self::Sealstone(decryptor) => decryptor.decrypt_to(input, output),
            Self::Age(decryptor) => decryptor.decrypt_to(input, output),
            Self::Nkct(decryptor) => decryptor.decrypt_to(input, output),
        }
    }

    pub(crate) fn decrypt_range_to(&self, input: Input<'_>, (from, to): (u64, u64), output: Output<'_>) -> Result<u64> {
        match self {
            Self::Sealstone(decryptor) => decryptor.decrypt_range_to(input, from..to, output),
            Self::Age(decryptor) => decryptor.decrypt_range_to(input, from..to, output),
            Self::Nkct(decryptor) => decryptor.decrypt_range_to(input, from..to, output),
        }
    }

    pub(crate) fn verify(&self, input: Input<'_>) -> Result<Summary> {
        match self {
            Self::Sealstone(decryptor) => decryptor.verify(input),
            Self::Age(decryptor) => decryptor.verify(input),
            Self::Nkct(decryptor) => decryptor.verify(input),
        }
    }
}

/// Refuses what files of another program do not have.
fn check_foreign(with: &With, program: &str) -> Result<(), Failure> {
    if let Some(profile) = with.allowed.profile {
        return Err(Failure::usage(format!("the profile {} does not allow {program} files", profile.name())));
    }
    if with.context.is_some() { Err(Error::ContextNotBound.into()) } else { Ok(()) }
}

/// What writes files of one format.
#[derive(Clone)]
pub(crate) enum Sealer {
    Sealstone(Encryptor),
    Age(age::Encryptor),
    Nkct(nkct::Encryptor),
}

impl Sealer {
    /// One as the command line says.
    pub(crate) fn new(command: &Encrypt, recipients: &Recipients) -> Result<Self, Failure> {
        Ok(match command.format {
            Format::Sealstone => {
                let encryptor = Encryptor::new(recipients.of_ours()?);
                let mut encryptor = encryptor.allow_mixed(command.allow_mixed).armour(command.armor);
                if let Some(suite) = command.suite {
                    encryptor = encryptor.suite(suite);
                }
                if let Some(profile) = command.allowed.profile {
                    encryptor = encryptor.profile(profile);
                }
                encryptor.check_recipients()?;
                if let Some(context) = &command.context {
                    encryptor = encryptor.context(context)?;
                }
                Self::Sealstone(encryptor)
            }
            Format::Age => {
                let encryptor = age::Encryptor::new(recipients.of_age()?).armour(command.armor);
                let checked = encryptor.check_recipients();
                let sealer = Self::Age(encryptor);
                checked.map_err(|error| sealer.failure(error))?;
                sealer
            }
            Format::Nkct => {
                let mut encryptor = nkct::Encryptor::new(recipients.of_nkct()?);
                if command.suite == Some(Suite::ChaCha20Poly1305) {
                    encryptor = encryptor.aead(Algorithm::ChaCha20Poly1305)?;
                }
                encryptor.check_recipients().map_err(|error| match error {
                    Error::InvalidRecipients(RecipientsRule::NkctKeys) => Failure::from(error)
                        .with_hint("make a file for each recipient, or one file for all with --format sealstone"),
                    error => error.into(),
                })?;
                Self::Nkct(encryptor)
            }
        })
    }

    /// An error of this format. Only the run of a plugin tells whether its recipients are post-quantum.
    pub(crate) fn failure(&self, error: Error) -> Failure {
        match (self, error) {
            (Self::Age(_), error @ Error::MixedRecipients) => {
                Failure::from(error).with_hint("age cannot read a file that has both")
            }
            (_, error) => error.into(),
        }
    }

    pub(crate) fn threads(self, threads: usize) -> Self {
        match self {
            Self::Sealstone(encryptor) => Self::Sealstone(encryptor.threads(threads)),
            Self::Age(encryptor) => Self::Age(encryptor.threads(threads)),
            Self::Nkct(encryptor) => Self::Nkct(encryptor.threads(threads)),
        }
    }

    pub(crate) fn on_progress(self, callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        match self {
            Self::Sealstone(encryptor) => Self::Sealstone(encryptor.on_progress(callback)),
            Self::Age(encryptor) => Self::Age(encryptor.on_progress(callback)),
            Self::Nkct(encryptor) => Self::Nkct(encryptor.on_progress(callback)),
        }
    }

    pub(crate) fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        match self {
            Self::Sealstone(encryptor) => encryptor.encrypt_to(input, output),
            Self::Age(encryptor) => encryptor.encrypt_to(input, output),
            Self::Nkct(encryptor) => encryptor.encrypt_to(input, output),
        }
    }
}

/// Refuses options that files of another format than ours do not have, before anybody is asked for anything.
pub(crate) fn check_options(command: &Encrypt) -> Result<(), Failure> {
    let program = match command.format {
        Format::Sealstone => return Ok(()),
        Format::Age => "age",
        Format::Nkct => "nkCryptoTool",
    };
    let is_nkct = command.format == Format::Nkct;
    let given = [
        ("--suite", command.suite.is_some() && !is_nkct),
        ("--suite sm4-gcm", command.suite == Some(Suite::Sm4Gcm)),
        ("--armor", command.armor && is_nkct),
        ("--passphrase", command.passphrase && is_nkct),
        ("--plugin", !command.plugins.plugin.is_empty() && is_nkct),
        ("--context", command.context.is_some()),
        ("--profile", command.allowed.profile.is_some()),
        ("--key-file", !command.key_file.is_empty()),
        ("--allow-mixed", command.allow_mixed),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("{program} files have no {option}"))),
        None => Ok(()),
    }
}

/// What gives files of one format to others.
pub(crate) enum Giver {
    Sealstone(Rewrapper),
    Age(age::Rewrapper),
}

impl Giver {
    pub(crate) fn new(
        stanzas: &Stanzas,
        keys: &Keys,
        recipients: &Recipients,
        command: &Rewrap,
    ) -> Result<Self, Failure> {
        Ok(match stanzas {
            Stanzas::Sealstone(_) => {
                let mut rewrapper = Rewrapper::new(keys.of_ours(), recipients.of_ours()?)
                    .replace(command.replace)
                    .allow_mixed(command.allow_mixed);
                if let Some(profile) = command.allowed.profile {
                    rewrapper = rewrapper.profile(profile);
                }
                Self::Sealstone(rewrapper)
            }
            Stanzas::Nkct(_) => {
                return Err(Failure::usage_with_hint(
                    "nkCryptoTool files have one recipient, and cannot be rewrapped",
                    "decrypt the file, and encrypt the content again",
                ));
            }
            Stanzas::Age(_) => {
                if let Some(profile) = command.allowed.profile {
                    return Err(Failure::usage(format!("the profile {} does not allow age files", profile.name())));
                }
                Self::Age(age::Rewrapper::new(keys.of_age(), recipients.of_age()?).replace(command.replace))
            }
        })
    }

    pub(crate) fn threads(self, threads: usize) -> Self {
        match self {
            Self::Sealstone(rewrapper) => Self::Sealstone(rewrapper.threads(threads)),
            Self::Age(rewrapper) => Self::Age(rewrapper.threads(threads)),
        }
    }

    pub(crate) fn on_progress(self, callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        match self {
            Self::Sealstone(rewrapper) => Self::Sealstone(rewrapper.on_progress(callback)),
            Self::Age(rewrapper) => Self::Age(rewrapper.on_progress(callback)),
        }
    }

    pub(crate) fn rewrap_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        match self {
            Self::Sealstone(rewrapper) => rewrapper.rewrap_to(input, output),
            Self::Age(rewrapper) => rewrapper.rewrap_to(input, output),
        }
    }
}
