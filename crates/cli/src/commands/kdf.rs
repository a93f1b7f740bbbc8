//! `sealstone kdf`

use crate::args::{Common, Kdf, KdfName};
use crate::encoded;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::secret;
use crate::terminal::Terminal;
use crate::{cost, passphrase};
use sealstone::kdf::{self, Bounds, Input};
use sealstone::{Error, SymmetricKey};
use serde_json::json;
use zeroize::Zeroizing;

/// Bytes of a symmetric key of files.
const FILE_KEY_LEN: u32 = 32;

pub(crate) fn run(command: &Kdf, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    encoded::check(&command.written)?;
    if command.for_files && command.length != FILE_KEY_LEN {
        return Err(Failure::usage(format!("a key for files has {FILE_KEY_LEN} bytes, not {}", command.length)));
    }
    let salt = match &command.salt_hex {
        Some(text) => secret::digits(text, "the salt")?,
        None => Zeroizing::default(),
    };
    let info = command.info.as_deref().unwrap_or_default();
    let mut key = Zeroizing::new(vec![0; command.length as usize]);
    let name = &command.algorithm;
    if let KdfName::Cost(of) = name {
        let cost = cost::of(*of, &command.cost)?;
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
        let passphrase::Password { bytes: password, marked } = passphrase::password(common, "the key", false)?;
        if marked.is_some() {
            terminal.warning("the password begins with a byte order mark, which is left out");
        }
        if password.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty").into());
        }
        kdf::derive(&cost, &Input::new(&password, &salt), Bounds::Usual, &mut key)?;
    } else {
        cost::none(&command.cost, &name.to_string())?;
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
        let mut keys = Keyring::new(common);
        let secret = secret::of_any_len(path, command.key_text, &mut keys, terminal)?;
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
        encoded::text(&key, &command.written)?
    };
    if common.json {
        let line = json!({ "algorithm": name.to_string(), "key": &*text });
        return encoded::print(format!("{line}\n").as_bytes());
    }
    encoded::print(format!("{}\n", &*text).as_bytes())
}
