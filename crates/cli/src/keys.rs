//! Keys and recipients of all formats.

use crate::failure::Failure;
use sealstone::interop::{age, nkct};
use sealstone::{Identity, Kind, Recipient, Result};
use sealstone::{exchange, plugin, sign};

/// The kinds of keys that nkCryptoTool files take and Sealstone files do not.
pub(crate) const NKCT_ONLY_KINDS: [exchange::Kind; 2] = [exchange::Kind::MlKem512, exchange::Kind::MlKem1024];

/// The kinds of keys that nkCryptoTool signatures take and Sealstone signatures do not.
pub(crate) const NKCS_ONLY_KINDS: [sign::Kind; 2] = [sign::Kind::MlDsa44, sign::Kind::MlDsa87];

/// The hint for a recipient that nkCryptoTool files do not take.
pub(crate) const NKCT_HINT: &str =
    "nkCryptoTool files take p256, ML-KEM-512, ML-KEM-768 and ML-KEM-1024 public keys (PEM, DER)";

/// Keys that open files: Sealstone's kinds, SSH keys for age files, plugins, and kinds that only nkCryptoTool files take.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    pub(crate) own: Vec<Identity>,
    pub(crate) ssh: Vec<age::Identity>,
    /// One identity for each plugin.
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

    /// Whether the only key is a passphrase.
    pub(crate) fn is_one_passphrase(&self) -> bool {
        self.has_passphrase() && self.own.len() == 1 && self.ssh.is_empty() && !self.has_plugin()
    }

    /// The keys that Sealstone files take.
    pub(crate) fn for_sealstone(&self) -> Vec<Identity> {
        self.own.iter().cloned().chain(self.plugins.iter().cloned().map(Identity::from)).collect()
    }

    /// The keys that age files take.
    pub(crate) fn for_age(&self) -> Vec<age::Identity> {
        let own = self.own.iter().filter_map(|identity| age::Identity::try_from(identity.clone()).ok());
        let plugins = self.plugins.iter().cloned().map(age::Identity::from);
        own.chain(self.ssh.iter().cloned()).chain(plugins).collect()
    }

    /// The keys that nkCryptoTool files take.
    pub(crate) fn for_nkct(&self) -> Vec<nkct::Identity> {
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

/// Recipients of files: Sealstone's kinds, SSH keys for age files, plugins, and kinds that only nkCryptoTool files take.
#[derive(Clone, Default)]
pub(crate) struct Recipients {
    pub(crate) own: Vec<Recipient>,
    pub(crate) ssh: Vec<age::Recipient>,
    /// One recipient for each plugin.
    pub(crate) plugins: Vec<plugin::Recipient>,
    pub(crate) nkct: Vec<nkct::Recipient>,
}

impl Recipients {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.ssh.is_empty() && self.plugins.is_empty() && self.nkct.is_empty()
    }

    pub(crate) fn for_nkct(&self) -> Result<Vec<nkct::Recipient>, Failure> {
        let own = self.own.iter().cloned().map(nkct::Recipient::try_from);
        let all = own.chain(self.nkct.iter().cloned().map(Ok)).collect::<Result<_>>();
        all.map_err(|error| Failure::from(error).with_hint(NKCT_HINT))
    }

    pub(crate) fn for_age(&self) -> Result<Vec<age::Recipient>, Failure> {
        let own = self.own.iter().map(|recipient| {
            age::Recipient::try_from(recipient.clone()).map_err(|error| {
                let takes = "age files take x25519, hybrid, SSH (Ed25519 and RSA) and plugin keys, and passphrases";
                let refused = format!("unsupported key type: age has no {} keys", recipient.kind());
                Failure::from(error).with_message(refused).with_hint(takes)
            })
        });
        let plugins = self.plugins.iter().cloned().map(age::Recipient::from);
        own.chain(self.ssh.iter().cloned().chain(plugins).map(Ok)).collect()
    }

    /// The recipients of a Sealstone file, which takes no SSH keys.
    pub(crate) fn for_sealstone(&self) -> Result<Vec<Recipient>, Failure> {
        if self.ssh.is_empty() {
            return Ok(self.own.iter().cloned().chain(self.plugins.iter().cloned().map(Recipient::from)).collect());
        }
        Err(Failure::usage_with_hint(
            "SSH keys are for age files only",
            "`sealstone encrypt --format age` makes such a file",
        ))
    }
}
