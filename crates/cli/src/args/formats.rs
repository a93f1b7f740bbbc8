//! Options of the formats of files.

use super::{Allowed, Archiving, one_of};
use clap::Args;
use sealstone::{FileFormat, Suite};

/// The options for encrypting files.
#[derive(Args)]
pub(crate) struct Sealing {
    /// The format to write: sealstone (the default); age, for age and rage and for SSH keys; nkct, for nkCryptoTool: one
    /// recipient, with a p256 key, an ML-KEM key, or one of each, which are then both needed to decrypt
    #[arg(long, value_name = "FORMAT", default_value = "sealstone", hide_default_value = true, value_parser = one_of::<FileFormat>(&["sealstone", "age", "nkct"]))]
    pub(crate) format: FileFormat,
    /// aes-256-gcm (the default); chacha20-poly1305, for machines without AES instructions; sm4-gcm (the default with sm2
    /// recipients)
    #[arg(long, value_name = "SUITE", value_parser = one_of::<Suite>(&["aes-256-gcm", "chacha20-poly1305", "sm4-gcm"]))]
    pub(crate) suite: Option<Suite>,
    /// Bind the file to a text, which is not stored and must be given again to decrypt
    #[arg(long, value_name = "TEXT")]
    pub(crate) context: Option<String>,
    /// Allow post-quantum and classical recipients together; the file is then only as strong as the weakest
    #[arg(long)]
    pub(crate) allow_mixed: bool,
    #[command(flatten)]
    pub(crate) archiving: Archiving,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write text (ASCII armour)
    #[arg(short, long, alias = "armour")]
    pub(crate) armor: bool,
}

/// The options for rewrapping files.
#[derive(Args)]
pub(crate) struct Rewrapping {
    /// Remove all recipients that the file has
    #[arg(long)]
    pub(crate) replace: bool,
    /// Allow post-quantum and classical recipients together; the file is then only as strong as the weakest
    #[arg(long)]
    pub(crate) allow_mixed: bool,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}
