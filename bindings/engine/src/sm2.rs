//! SM2 that encrypts and signs with one key. A private key and a public one are objects of core's types, and their files those of the kind
//! `sm2-sign`.

use crate::sign;
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::sign::{Encoding, Kind};
use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey, PublicKey, Signature};
use sealstone::{Error, Result};
use zeroize::Zeroizing;

const ANOTHER: Error = Error::InvalidKey("the key is not an SM2 key");

/// A private key, in whatever form it is.
pub fn private(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    private_of(&sign::private(file, None, passphrase)?)
}

/// As [`private`], on another thread: a protected key costs a password hash.
pub fn private_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    Ok(sign::private_later(file, passphrase)?.then(|key| private_of(&key)))
}

fn private_of(key: &sealstone::sign::PrivateKey) -> Result<PrivateKey> {
    if key.kind() != Kind::Sm2Sign {
        return Err(ANOTHER);
    }
    PrivateKey::from_bytes(&key.to_bytes())
}

/// A public key likewise.
pub fn public(file: &[u8]) -> Result<PublicKey> {
    let key = sealstone::sign::PublicKey::parse(file)?;
    if key.kind() == Kind::Sm2Sign { PublicKey::from_bytes(key.to_bytes()) } else { Err(ANOTHER) }
}

/// A form of a private key, a secret.
pub fn export_private(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    let key = sealstone::sign::PrivateKey::from_bytes(Kind::Sm2Sign, &key.to_bytes()[..])?;
    sign::export_private(&key, form, passphrase)
}

/// A form of a public key.
pub fn export_public(key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    let key = sealstone::sign::PublicKey::from_bytes(Kind::Sm2Sign, &key.to_bytes())?;
    sign::export_public(&key, form, None)
}

/// The digest that a user's signature of a message signs.
pub fn digest(key: &PublicKey, message: &[u8], id: Option<&[u8]>) -> Result<Vec<u8>> {
    let mut hasher = key.hasher(id.unwrap_or(DEFAULT_ID))?;
    hasher.update(message);
    Ok(hasher.finish().as_bytes().to_vec())
}

/// Signs a message as a user, in an encoding by its name.
pub fn sign(key: &PrivateKey, message: &[u8], id: Option<&[u8]>, encoding: Option<&str>) -> Result<Vec<u8>> {
    let encoding = encoding_of(encoding)?;
    Ok(written(&key.sign(id.unwrap_or(DEFAULT_ID), message)?, encoding))
}

/// As [`sign()`], of a digest.
pub fn sign_digest(key: &PrivateKey, digest: &[u8], encoding: Option<&str>) -> Result<Vec<u8>> {
    let encoding = encoding_of(encoding)?;
    Ok(written(&key.sign_digest(digest)?, encoding))
}

/// Verifies what [`sign()`] returned.
pub fn verify(
    key: &PublicKey,
    message: &[u8],
    signature: &[u8],
    id: Option<&[u8]>,
    encoding: Option<&str>,
) -> Result<()> {
    key.verify(id.unwrap_or(DEFAULT_ID), message, &read(signature, encoding_of(encoding)?)?)
}

/// Verifies what [`sign_digest`] returned.
pub fn verify_digest(key: &PublicKey, digest: &[u8], signature: &[u8], encoding: Option<&str>) -> Result<()> {
    key.verify_digest(digest, &read(signature, encoding_of(encoding)?)?)
}

fn encoding_of(name: Option<&str>) -> Result<Encoding> {
    name.map_or_else(|| Ok(Encoding::default()), str::parse)
}

fn written(signature: &Signature, encoding: Encoding) -> Vec<u8> {
    if encoding == Encoding::Fixed { signature.to_bytes().to_vec() } else { signature.to_der() }
}

fn read(signature: &[u8], encoding: Encoding) -> Result<Signature> {
    if encoding == Encoding::Fixed { Signature::from_bytes(signature) } else { Signature::from_der(signature) }
}

/// Encrypts to a form by its name.
pub fn encrypt(key: &PublicKey, plaintext: &[u8], form: Option<&str>) -> Result<Vec<u8>> {
    key.encrypt(form_of(form)?, plaintext)
}

/// Decrypts what [`encrypt`] returned, with or without the 04 before the point.
pub fn decrypt(key: &PrivateKey, ciphertext: &[u8], form: Option<&str>) -> Result<Zeroizing<Vec<u8>>> {
    key.decrypt(form_of(form)?, ciphertext)
}

fn form_of(name: Option<&str>) -> Result<Form> {
    name.map_or_else(|| Ok(Form::default()), str::parse)
}
