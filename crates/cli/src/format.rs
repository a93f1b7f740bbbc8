//! The formats of sealed files, ours and those of other programs: what tells them apart, and the keys that each takes.

use crate::failure::Failure;
use sealstone::exchange;
use sealstone::interop::{age, nkcs, nkct};
use sealstone::plugin;
use sealstone::sign;
use sealstone::signature;
use sealstone::{Error, Identity, Input, Kind, Recipient, Result, StanzaInfo};
use std::str::FromStr;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Sealstone,
    Age,
    Nkct,
}

impl Format {
    pub(crate) const NAMES: &'static [&'static str] = &["sealstone", "age", "nkct"];
    /// What the names of files end in.
    pub(crate) const SUFFIXES: [&'static str; 3] = [".seal", ".age", ".nkct"];

    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Sealstone => Self::SUFFIXES[0],
            Self::Age => Self::SUFFIXES[1],
            Self::Nkct => Self::SUFFIXES[2],
        }
    }

    /// That which a file begins as, or else ours: whoever reads it says what is wrong with it.
    pub(crate) fn of(input: &mut Input<'_>) -> Self {
        match age::is_age(input) {
            Ok(true) => Self::Age,
            _ if matches!(nkct::is_nkct(input), Ok(true)) => Self::Nkct,
            _ => Self::Sealstone,
        }
    }

    /// Bytes of content that a whole file of this format has by its length. None of it is authenticated.
    pub(crate) fn content_len(self, input: Input<'_>) -> Result<u64> {
        match self {
            Self::Sealstone => sealstone::inspect(input).map(|seen| seen.plaintext_len),
            Self::Age => age::inspect(input).map(|seen| seen.plaintext_len),
            Self::Nkct => nkct::inspect(input).map(|seen| seen.plaintext_len),
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "sealstone" => Ok(Self::Sealstone),
            "age" => Ok(Self::Age),
            "nkct" => Ok(Self::Nkct),
            _ => Err(Error::unknown_algorithm(name, "sealstone, age, nkct")),
        }
    }
}

/// A format of signatures in a file of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureFormat {
    Ssh,
    Nkcs,
}

impl SignatureFormat {
    pub(crate) const NAMES: &'static [&'static str] = &["ssh", "nkcs"];

    /// Whether these bytes are a signature in a file of its own. Nothing says whether it verifies.
    pub(crate) fn is_signature(self, bytes: &[u8]) -> bool {
        match self {
            Self::Ssh => signature::claims(bytes).is_ok(),
            Self::Nkcs => nkcs::kind(bytes).is_ok(),
        }
    }
}

impl FromStr for SignatureFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "ssh" => Ok(Self::Ssh),
            "nkcs" => Ok(Self::Nkcs),
            _ => Err(Error::unknown_algorithm(name, "ssh, nkcs")),
        }
    }
}

/// The kinds of keys that files of nkCryptoTool take, and those of ours do not.
pub(crate) const OF_NKCT_ALONE: [exchange::Kind; 2] = [exchange::Kind::MlKem512, exchange::Kind::MlKem1024];

/// The same of its signatures.
pub(crate) const OF_NKCS_ALONE: [sign::Kind; 2] = [sign::Kind::MlDsa44, sign::Kind::MlDsa87];

/// What helps with a recipient for whom there is no file of nkCryptoTool.
pub(crate) const TAKEN_BY_NKCT: &str =
    "nkCryptoTool files take p256, ML-KEM-512, ML-KEM-768 and ML-KEM-1024 public keys (PEM, DER)";

/// What a file says of its recipients.
pub(crate) enum Stanzas {
    Sealstone(Vec<StanzaInfo>),
    Age(Vec<age::Stanza>),
    /// The kinds of the keys that open it, all of which are needed.
    Nkct(Vec<exchange::Kind>),
}

impl Stanzas {
    /// Those of a file in any format. Nothing of the input is consumed.
    pub(crate) fn of(input: &mut Input<'_>) -> Result<Self> {
        match sealstone::stanzas(input) {
            Err(error @ Error::NotSealstone(_)) => match age::is_age(input) {
                Ok(true) => age::stanzas(input).map(Self::Age),
                _ if matches!(nkct::is_nkct(input), Ok(true)) => nkct::kinds(input).map(Self::Nkct),
                _ => Err(error),
            },
            stanzas => stanzas.map(Self::Sealstone),
        }
    }

    /// None, of the format that a file begins as: whoever reads it says what is wrong with it.
    pub(crate) fn none_of(input: &mut Input<'_>) -> Self {
        match Format::of(input) {
            Format::Sealstone => Self::Sealstone(Vec::new()),
            Format::Age => Self::Age(Vec::new()),
            Format::Nkct => Self::Nkct(Vec::new()),
        }
    }

    /// Whether a passphrase opens the file.
    pub(crate) fn is_for_passphrase(&self) -> bool {
        match self {
            Self::Sealstone(stanzas) => stanzas.iter().any(StanzaInfo::is_passphrase),
            Self::Age(stanzas) => stanzas.iter().any(|stanza| stanza.kind() == "scrypt"),
            Self::Nkct(_) => false,
        }
    }

    /// Whether a symmetric key does.
    pub(crate) fn is_for_key(&self) -> bool {
        matches!(self, Self::Sealstone(stanzas) if stanzas.iter().any(|stanza| stanza.served() == Some(Kind::Key)))
    }
}

/// Keys that open files: those of our kinds, those of SSH, which age's files take besides, those of plugins, and those that only
/// nkCryptoTool's files take.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    pub(crate) own: Vec<Identity>,
    pub(crate) ssh: Vec<age::Identity>,
    /// Each of another plugin.
    pub(crate) plugins: Vec<plugin::Identity>,
    pub(crate) nkct: Vec<nkct::Identity>,
}

impl Keys {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.ssh.is_empty() && self.plugins.is_empty() && self.nkct.is_empty()
    }

    pub(crate) fn has_plugin(&self) -> bool {
        !self.plugins.is_empty()
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.own.extend(other.own);
        self.ssh.extend(other.ssh);
        self.plugins.extend(other.plugins);
        self.nkct.extend(other.nkct);
    }

    pub(crate) fn has_passphrase(&self) -> bool {
        self.own.iter().any(|identity| identity.kind() == Kind::Passphrase)
    }

    /// Those that files of ours take.
    pub(crate) fn of_ours(&self) -> Vec<Identity> {
        self.own.iter().cloned().chain(self.plugins.iter().cloned().map(Identity::from)).collect()
    }

    /// Those that age's files take.
    pub(crate) fn of_age(&self) -> Vec<age::Identity> {
        let own = self.own.iter().filter_map(|identity| age::Identity::try_from(identity.clone()).ok());
        let plugins = self.plugins.iter().cloned().map(age::Identity::from);
        own.chain(self.ssh.iter().cloned()).chain(plugins).collect()
    }

    /// Those that nkCryptoTool's files take.
    pub(crate) fn of_nkct(&self) -> Vec<nkct::Identity> {
        let own = self.own.iter().filter_map(|identity| nkct::Identity::try_from(identity.clone()).ok());
        own.chain(self.nkct.iter().cloned()).collect()
    }
}

impl From<Vec<Identity>> for Keys {
    fn from(own: Vec<Identity>) -> Self {
        Self { own, ..Self::default() }
    }
}

impl From<age::Identity> for Keys {
    fn from(ssh: age::Identity) -> Self {
        Self { ssh: vec![ssh], ..Self::default() }
    }
}

/// Whom files are encrypted to: keys of our kinds, those of SSH, which age's files take besides, those of plugins, and those that only
/// nkCryptoTool's files take.
#[derive(Clone, Default)]
pub(crate) struct Recipients {
    pub(crate) own: Vec<Recipient>,
    pub(crate) ssh: Vec<age::Recipient>,
    /// Each of another plugin.
    pub(crate) plugins: Vec<plugin::Recipient>,
    pub(crate) nkct: Vec<nkct::Recipient>,
}

impl Recipients {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.ssh.is_empty() && self.plugins.is_empty() && self.nkct.is_empty()
    }

    pub(crate) fn of_nkct(&self) -> Result<Vec<nkct::Recipient>, Failure> {
        let own = self.own.iter().cloned().map(nkct::Recipient::try_from);
        let all = own.chain(self.nkct.iter().cloned().map(Ok)).collect::<Result<_>>();
        all.map_err(|error| Failure::from(error).with_hint(TAKEN_BY_NKCT))
    }

    pub(crate) fn of_age(&self) -> Result<Vec<age::Recipient>, Failure> {
        let own = self.own.iter().cloned().map(age::Recipient::try_from);
        let plugins = self.plugins.iter().cloned().map(age::Recipient::from);
        let all = own.chain(self.ssh.iter().cloned().chain(plugins).map(Ok)).collect::<Result<_>>();
        all.map_err(|error| {
            let takes = "age files take x25519, hybrid, SSH (Ed25519 and RSA) and plugin keys, and passphrases";
            Failure::from(error).with_hint(takes)
        })
    }

    /// Those of a file of ours, which takes no keys of SSH.
    pub(crate) fn of_ours(&self) -> Result<Vec<Recipient>, Failure> {
        if self.ssh.is_empty() {
            return Ok(self.own.iter().cloned().chain(self.plugins.iter().cloned().map(Recipient::from)).collect());
        }
        Err(Failure::usage_with_hint("SSH keys are for age files only", "encrypt with --format age"))
    }
}
