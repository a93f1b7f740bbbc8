//! Options about keys.

use super::one_of;
use clap::Args;
use sealstone::Profile;
use sealstone::interop::nkkb::Fingerprint;
use std::path::PathBuf;

/// The keys that open a file, and their restrictions.
#[derive(Args)]
pub(crate) struct With {
    /// Decrypt with the identities in a file (default: ~/.config/sealstone/identity.txt), also those of age plugins
    /// (AGE-PLUGIN-NAME-1…). For age files, this can be an SSH private key; for nkCryptoTool files, one of its private keys;
    /// may be repeated
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Vec<PathBuf>,
    /// Decrypt with a passphrase; on a terminal Sealstone asks for it whenever a file needs one
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Decrypt with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    /// The text that the file was bound to
    #[arg(long, value_name = "TEXT")]
    pub(crate) context: Option<String>,
    /// The highest scrypt work factor (log2 of N) that an age file with a passphrase may have; the default is 20, which
    /// takes 1 GiB
    #[arg(long, value_name = "1-22", value_parser = clap::value_parser!(u8).range(1..=22))]
    pub(crate) scrypt_max: Option<u8>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// Age plugins: programs `age-plugin-NAME` in the folders of PATH.
#[derive(Args, Clone)]
pub(crate) struct Plugins {
    /// Use an age plugin that needs no identity file (age-plugin-NAME in PATH); may be repeated
    #[arg(short = 'j', long, value_name = "NAME")]
    pub(crate) plugin: Vec<String>,
    /// Stop a plugin that is silent for this long, for example while it waits for a touch
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) plugin_timeout: u32,
}

/// The owners of accepted key bundles.
#[derive(Args)]
pub(crate) struct Pinned {
    /// Accept the nkCryptoTool key bundle (NKKB) of the owner with this fingerprint, which the owner told you; may be
    /// repeated
    #[arg(long, value_name = "HEX")]
    pub(crate) fingerprint: Vec<Fingerprint>,
}

/// The restrictions of an organisation.
#[derive(Args)]
pub(crate) struct Allowed {
    /// Refuse everything outside a profile: fips (p256 and ml-kem-768 keys, aes-256-gcm; p256-sign and ml-dsa-65 to sign) or
    /// gm (SM2, SM3 and SM4 only)
    #[arg(long, value_name = "PROFILE", value_parser = one_of::<Profile>(&["fips", "gm"]))]
    pub(crate) profile: Option<Profile>,
}

/// The purpose of a signature.
#[derive(Args)]
pub(crate) struct Purpose {
    /// What the signature is for; a signature for another purpose is refused
    #[arg(long, value_name = "NAME", default_value = USUAL_NAMESPACE)]
    pub(crate) namespace: String,
}

impl Purpose {
    pub(crate) fn is_default(&self) -> bool {
        self.namespace == USUAL_NAMESPACE
    }
}

/// The default namespace, for signatures without a special purpose.
const USUAL_NAMESPACE: &str = "file";
