//! Key agreement and encapsulation. A private key and a public one are objects of core's types.

use crate::kdf::{Key, expanding, filled};
use crate::keys::{RAW_WITH_PASSPHRASE, passphrase_for, passphrase_of};
use crate::pool::DERIVING;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::exchange::{Kdf, Kind, PrivateKey, PublicKey};
use sealstone::{Error, Result};
use sealstone_call::call;
use zeroize::Zeroizing;

/// A fresh key, of a kind by its name.
pub fn generate(kind: Option<&str>) -> Result<PrivateKey> {
    PrivateKey::generate(kind.map_or(Ok(Kind::Hybrid), str::parse)?)
}

/// A private key: its bytes alone where its kind is named, which have no passphrase, and otherwise in whatever form it is.
pub fn private(key: &[u8], kind: Option<&str>, passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    match kind {
        Some(_) if passphrase.is_some() => Err(RAW_WITH_PASSPHRASE),
        Some(kind) => private_of(kind, key),
        None => PrivateKey::parse(key, passphrase_of(passphrase)?.as_ref()),
    }
}

/// As [`private`] without a kind, on another thread: a protected key costs a password hash.
pub fn private_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    let passphrase = passphrase_of(passphrase)?;
    Ok(Work::new(&DERIVING, move || PrivateKey::parse(&*file, passphrase.as_ref())))
}

/// A public key likewise.
pub fn public(key: &[u8], kind: Option<&str>) -> Result<PublicKey> {
    kind.map_or_else(|| PublicKey::parse(key), |kind| public_of(kind, key))
}

/// A private key of its bytes, of a kind by its name.
pub fn private_of(kind: &str, bytes: &[u8]) -> Result<PrivateKey> {
    PrivateKey::from_bytes(kind.parse()?, bytes)
}

/// As [`private_of`], of a public key.
pub fn public_of(kind: &str, bytes: &[u8]) -> Result<PublicKey> {
    PublicKey::from_bytes(kind.parse()?, bytes)
}

const FORMS: &str = "pem, der, jwk, raw";

/// A form of a private key, a secret.
pub fn export_private(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    let passphrase = passphrase_for(form, passphrase)?;
    let passphrase = passphrase.as_ref();
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem(passphrase)?),
        "der" => TextOrBytes::Bytes(key.to_der(passphrase)?),
        "jwk" => TextOrBytes::Text(key.to_jwk()?),
        "raw" => TextOrBytes::Bytes(key.to_bytes()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// A form of a public key.
pub fn export_public(key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem()?.into()),
        "der" => TextOrBytes::Bytes(key.to_der()?.into()),
        "jwk" => TextOrBytes::Text(key.to_jwk()?.into()),
        "raw" => TextOrBytes::Bytes(key.to_bytes().to_vec().into()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// How a key is derived from the secret that two sides share: by `hkdf`, or by `concat`, which has no salt, over a hash by its name.
#[call]
#[allow(missing_docs)]
pub struct AgreedBy<'a> {
    pub kdf: &'a str,
    pub hash: &'a str,
    pub salt: &'a [u8],
    pub info: &'a [u8],
}

/// A key of so many bytes that two sides share, derived by `hkdf` or `concat`, which has no salt, over a hash by its name.
pub fn agree(
    key: &PrivateKey,
    other: &PublicKey,
    [kdf, hash]: [&str; 2],
    salt: &[u8],
    info: &[u8],
    len: u32,
) -> Result<Key> {
    let kdf = match kdf {
        "hkdf" => Kdf::Hkdf { hash: expanding(hash, len)?, salt, info },
        "concat" if salt.is_empty() => Kdf::Concat { hash: hash.parse()?, info },
        "concat" => return Err(Error::InvalidOption("the KDF concat has no salt")),
        _ => return Err(Error::unknown_algorithm(kdf, "hkdf, concat")),
    };
    filled(len, |out| key.diffie_hellman(other, &kdf, out))
}
