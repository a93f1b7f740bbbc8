//! `sealstone kdf`

use crate::args::{Common, CostName, CostOptions, Written, find_hmac_hash, parse_cost_name};
use crate::encoded;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::secret;
use crate::terminal::Terminal;
use crate::{cost, passphrase};
use clap::Args;
use sealstone::hash;
use sealstone::kdf::{self, Bounds, Input};
use sealstone::{Error, SymmetricKey};
use serde_json::json;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Derive a key from a password or from a secret
#[derive(Args)]
#[command(after_help = "\
From a password: argon2id, argon2i, argon2d, scrypt and pbkdf2-HASH. Each password needs a salt of its own. Keep the salt: the same key needs the \
same salt. The password comes from the terminal, or from --passphrase-file, --passphrase-fd, --askpass or --passphrase-env, and is used as it \
is. A cost over 1 GiB, 16 passes or lanes, a block size of 8192, or 10,000,000 iterations is refused.

From a secret that nobody can guess, in --key-file: hkdf-HASH, concat-HASH (SP 800-56C in one step) and blake3, whose context is --info.

Examples:
  sealstone random --bytes 16 > salt
  sealstone kdf -a argon2id --salt-hex $(cat salt)
  sealstone kdf -a pbkdf2-sha256 --salt-hex $(cat salt) --passphrase-file p
  sealstone kdf -a hkdf-sha256 --key-file secret --info 'tokens' --length 64
  (umask 077; sealstone kdf -a blake3 --key-file secret --info 'my app, files' --for-files > key)
  sealstone encrypt --key-file key film")]
pub(crate) struct Kdf {
    /// argon2id, argon2i, argon2d, scrypt, pbkdf2-HASH, hkdf-HASH, concat-HASH or blake3
    #[arg(short, long, value_name = "ALGORITHM", value_parser = kdf_name)]
    pub(crate) algorithm: KdfName,
    /// The salt, in hexadecimal digits
    #[arg(long, value_name = "HEX")]
    pub(crate) salt_hex: Option<String>,
    /// A file with the secret: its bytes, or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// The secret is text: the characters of the file's one line
    #[arg(long, requires = "key_file")]
    pub(crate) key_text: bool,
    /// What the key is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) info: Option<String>,
    /// Length of the key in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) length: u32,
    /// Print the key in the form that --key-file of encrypt and decrypt takes
    #[arg(long, conflicts_with = "Written")]
    pub(crate) for_files: bool,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// A function that derives keys.
#[derive(Debug, Clone)]
pub(crate) enum KdfName {
    Cost(CostName),
    Hkdf(hash::Algorithm),
    Concat(hash::Algorithm),
    Blake3,
}

impl std::fmt::Display for KdfName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cost(cost) => write!(f, "{cost}"),
            Self::Hkdf(hash) => write!(f, "hkdf-{hash}"),
            Self::Concat(hash) => write!(f, "concat-{hash}"),
            Self::Blake3 => f.write_str("blake3"),
        }
    }
}

/// The length of a symmetric key for files.
const FILE_KEY_LEN: u32 = 32;

pub(crate) fn run(command: &Kdf, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    encoded::check(&command.written)?;
    if command.for_files && command.length != FILE_KEY_LEN {
        return Err(Failure::usage(format!("a key for files has {FILE_KEY_LEN} bytes, not {}", command.length)));
    }
    let salt = match &command.salt_hex {
        Some(text) => secret::decode_digits(text, "the salt")?,
        None => Zeroizing::default(),
    };
    let info = command.info.as_deref().unwrap_or_default();
    let mut key = Zeroizing::new(vec![0; command.length as usize]);
    let name = &command.algorithm;
    if let KdfName::Cost(of) = name {
        let cost = cost::from_options(*of, &command.cost)?;
        if command.key_file.is_some() || command.info.is_some() {
            return Err(Failure::usage(format!(
                "--key-file and --info are for a secret, and {name} derives a key from a password"
            )));
        }
        if command.salt_hex.is_none() {
            return Err(Failure::usage_with_hint(
                format!("{name} needs a salt, a new one for each password"),
                "give it with --salt-hex; `openssl rand -hex 16` makes one",
            ));
        }
        kdf::check(&cost, &Input::new(b"", &salt), Bounds::Usual, key.len()).map_err(Failure::of_option)?;
        let passphrase::Password { bytes: password, marked } =
            passphrase::ask_for_password(&common.passphrase_source, "the key", false)?;
        if marked.is_some() {
            terminal.warn("the password begins with a byte order mark, which is left out");
        }
        if password.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty").into());
        }
        kdf::derive(&cost, &Input::new(&password, &salt), Bounds::Usual, &mut key)?;
    } else {
        cost::refuse_options(&command.cost, &name.to_string())?;
        if common.has_passphrase_source() {
            return Err(Failure::usage_with_hint(
                format!("{name} derives a key from a secret, not from a password"),
                "argon2id derives keys from passwords",
            ));
        }
        if matches!(name, KdfName::Blake3) && info.is_empty() {
            return Err(Failure::usage_with_hint(
                "blake3 needs to know what the key is for",
                "say it with --info, as in --info 'example.com 2026-11-23 session tokens v1'",
            ));
        }
        let Some(path) = &command.key_file else {
            return Err(Failure::usage_with_hint(
                format!("{name} derives a key from a secret, and needs one that nobody can guess"),
                "name its file with --key-file; argon2id derives keys from passwords",
            ));
        };
        let mut keys = Keyring::new(common, terminal);
        let secret = secret::read_any_len(path, command.key_text, &mut keys)?;
        match name {
            KdfName::Hkdf(hash) => {
                kdf::hkdf(*hash, &secret, &salt, info.as_bytes(), &mut key).map_err(Failure::of_option)?;
            }
            _ if command.salt_hex.is_some() => return Err(Failure::usage(format!("{name} has no salt"))),
            KdfName::Concat(hash) => kdf::concat(*hash, &secret, info.as_bytes(), &mut key)?,
            _ => kdf::blake3_derive_key(info, &secret, &mut key)?,
        }
    }
    if command.written.raw {
        return encoded::print(&key);
    }
    let text = if command.for_files {
        let key = key[..].try_into().expect("kdf: the length was checked");
        SymmetricKey::from_bytes(key).to_text()
    } else {
        encoded::encode(&key, &command.written)?
    };
    if common.json {
        let line = json!({ "algorithm": name.to_string(), "key": &*text });
        return encoded::print(format!("{line}\n").as_bytes());
    }
    encoded::print(format!("{}\n", &*text).as_bytes())
}

fn kdf_name(text: &str) -> Result<KdfName, String> {
    let name = text.to_ascii_lowercase();
    let found = match name.as_str() {
        "blake3" => Some(KdfName::Blake3),
        _ => match (name.strip_prefix("hkdf-"), name.strip_prefix("concat-")) {
            (Some(hash), _) => find_hmac_hash(hash).map(KdfName::Hkdf),
            (_, Some(hash)) => find_hmac_hash(hash).map(KdfName::Concat),
            _ => parse_cost_name(&name).map(KdfName::Cost),
        },
    };
    found.ok_or_else(|| {
        "expected argon2id, argon2i, argon2d, scrypt, pbkdf2-HASH, hkdf-HASH, concat-HASH or blake3, such as hkdf-sha256"
            .to_owned()
    })
}
