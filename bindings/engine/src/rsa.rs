//! RSA that encrypts. A private key and a public one are objects of core's types.

use crate::job::Job;
use crate::kdf::Key;
use crate::keys::{passphrase_for, passphrase_of};
use crate::pool::{COMPUTE, DERIVING};
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::rsa::{Oaep, PrivateKey, PublicKey, legacy};
use sealstone::{Error, Result};
use sealstone_call::call;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A fresh key, on another thread, until the job is cancelled.
pub fn generate(bits: u32, job: Arc<Job>) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    Work::new(&COMPUTE, move || PrivateKey::generate_while(bits as usize, || !job.is_cancelled()))
}

/// A private key, in whatever form it is.
pub fn private(file: &[u8], passphrase: Option<&[u8]>) -> Result<PrivateKey> {
    PrivateKey::parse(file, passphrase_of(passphrase)?.as_ref())
}

/// As [`private`], on another thread: a protected key costs a password hash.
pub fn private_later(
    file: Zeroizing<Vec<u8>>,
    passphrase: Option<&[u8]>,
) -> Result<Work<impl FnOnce() -> Result<PrivateKey> + Send + use<>>> {
    let passphrase = passphrase_of(passphrase)?;
    Ok(Work::new(&DERIVING, move || PrivateKey::parse(&*file, passphrase.as_ref())))
}

/// A public key likewise.
pub fn public(file: &[u8]) -> Result<PublicKey> {
    PublicKey::parse(file)
}

/// As [`public`], on another thread.
pub fn public_later(file: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    Work::new(&COMPUTE, move || PublicKey::parse(file))
}

const FORMS: &str = "pem, der, jwk";

/// A form of a private key, a secret.
pub fn export_private(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    let passphrase = passphrase_for(form, passphrase)?;
    let passphrase = passphrase.as_ref();
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem(passphrase)?),
        "der" => TextOrBytes::Bytes(key.to_der(passphrase)?),
        "jwk" => TextOrBytes::Text(key.to_jwk()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// A form of a public key.
pub fn export_public(key: &PublicKey, form: &str) -> Result<TextOrBytes> {
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem().into()),
        "der" => TextOrBytes::Bytes(key.to_der().into()),
        "jwk" => TextOrBytes::Text(key.to_jwk().into()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// The options of OAEP on both sides: a hash by its name, by default the usual one, and a label.
#[call]
#[allow(missing_docs)]
pub struct OaepOptions<'a> {
    pub hash: Option<&'a str>,
    pub label: &'a [u8],
}

impl From<OaepOptions<'_>> for Padding {
    fn from(OaepOptions { hash, label }: OaepOptions<'_>) -> Self {
        Self::Oaep(hash.map(str::to_owned), label.to_vec())
    }
}

fn oaep<'a>(hash: Option<&str>, label: &'a [u8]) -> Result<Oaep<'a>> {
    Ok(match hash {
        Some(hash) => Oaep { hash: hash.parse()?, label },
        None => Oaep { label, ..Oaep::default() },
    })
}

/// Encrypts with OAEP, over a hash by its name.
pub fn encrypt(key: &PublicKey, plaintext: &[u8], hash: Option<&str>, label: &[u8]) -> Result<Vec<u8>> {
    key.encrypt(&oaep(hash, label)?, plaintext)
}

/// Decrypts what [`encrypt`] makes.
pub fn decrypt(key: &PrivateKey, ciphertext: &[u8], hash: Option<&str>, label: &[u8]) -> Result<Key> {
    key.decrypt(&oaep(hash, label)?, ciphertext)
}

/// How a key encrypts.
pub enum Padding {
    /// OAEP, over a hash by its name, with a label.
    Oaep(Option<String>, Vec<u8>),
    /// That of PKCS#1 v1.5.
    Pkcs1,
}

/// Encrypts on another thread.
pub fn encrypt_later(
    key: Arc<PublicKey>,
    plaintext: Zeroizing<Vec<u8>>,
    padding: Padding,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || match &padding {
        Padding::Oaep(hash, label) => encrypt(&key, &plaintext, hash.as_deref(), label),
        Padding::Pkcs1 => legacy::encrypt(&key, &plaintext),
    })
}

/// Decrypts on another thread.
pub fn decrypt_later(
    key: Arc<PrivateKey>,
    ciphertext: Vec<u8>,
    padding: Padding,
) -> Work<impl FnOnce() -> Result<Key> + Send + 'static> {
    Work::new(&COMPUTE, move || match &padding {
        Padding::Oaep(hash, label) => decrypt(&key, &ciphertext, hash.as_deref(), label),
        Padding::Pkcs1 => legacy::decrypt(&key, &ciphertext),
    })
}
