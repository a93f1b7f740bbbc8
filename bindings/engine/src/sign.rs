//! Keys that sign, and signatures. A private key and a public one are objects of core's types.

use crate::job::Job;
use crate::keys::{RAW_WITH_PASSPHRASE, passphrase_for, passphrase_of};
use crate::loading::Loading;
use crate::pool::{COMPUTE, DERIVING};
use crate::text::TextOrBytes;
use crate::work::Work;
use sealstone::sign::{Encoding, Hash, Kind, Options, PrivateKey, PublicKey, Scheme};
use sealstone::{Error, Result};
use sealstone_call::call;
use std::sync::{Arc, LazyLock};
use zeroize::Zeroizing;

/// A fresh key, of a kind by its name. RSA's keys take long ([`generate_rsa`]).
pub fn generate(kind: Option<&str>) -> Result<PrivateKey> {
    let kind = match kind {
        Some(name) => {
            let kind = name.parse().ok().filter(|kind| *kind != Kind::RsaSign);
            kind.ok_or_else(|| Error::unknown_algorithm(name, &GENERATED))?
        }
        None => Kind::HybridSign,
    };
    PrivateKey::generate(kind)
}

/// The kinds that there is anything to choose from.
static GENERATED: LazyLock<String> = LazyLock::new(|| {
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::RsaSign);
    kinds.map(Kind::name).collect::<Vec<_>>().join(", ")
});

/// A fresh key of RSA, on another thread, until the job is cancelled.
pub fn generate_rsa(bits: u32, job: Arc<Job>) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    Work::new(&COMPUTE, move || PrivateKey::generate_rsa_while(bits, || !job.is_cancelled()))
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

/// As [`public`] without a kind, on another thread.
pub fn public_later(file: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    Work::new(&COMPUTE, move || PublicKey::parse(file))
}

/// A private key of its bytes, of a kind by its name.
pub fn private_of(kind: &str, bytes: &[u8]) -> Result<PrivateKey> {
    PrivateKey::from_bytes(kind.parse()?, bytes)
}

/// As [`private_of`], of a public key.
pub fn public_of(kind: &str, bytes: &[u8]) -> Result<PublicKey> {
    PublicKey::from_bytes(kind.parse()?, bytes)
}

/// As [`private_of`], on another thread.
pub fn private_of_later(
    kind: String,
    bytes: Zeroizing<Vec<u8>>,
) -> Work<impl FnOnce() -> Result<PrivateKey> + Send + 'static> {
    Work::new(&COMPUTE, move || private_of(&kind, &bytes))
}

/// As [`public_of`], on another thread.
pub fn public_of_later(kind: String, bytes: Vec<u8>) -> Work<impl FnOnce() -> Result<PublicKey> + Send + 'static> {
    Work::new(&COMPUTE, move || public_of(&kind, &bytes))
}

const FORMS: &str = "pem, der, jwk, ssh, raw";

/// A form of a private key, a secret.
pub fn export_private(key: &PrivateKey, form: &str, passphrase: Option<&[u8]>) -> Result<TextOrBytes> {
    let passphrase = passphrase_for(form, passphrase)?;
    let passphrase = passphrase.as_ref();
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem(passphrase)?),
        "der" => TextOrBytes::Bytes(key.to_der(passphrase)?),
        "jwk" => TextOrBytes::Text(key.to_jwk()?),
        "ssh" => TextOrBytes::Text(key.to_ssh(passphrase)?),
        "raw" => TextOrBytes::Bytes(key.to_bytes()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// A form of a public key. Only a line of SSH has a comment.
pub fn export_public(key: &PublicKey, form: &str, comment: Option<&str>) -> Result<TextOrBytes> {
    if comment.is_some() && form != "ssh" {
        return Err(Error::InvalidOption("only an SSH line has a comment"));
    }
    Ok(match form {
        "pem" => TextOrBytes::Text(key.to_pem().into()),
        "der" => TextOrBytes::Bytes(key.to_der().into()),
        "jwk" => TextOrBytes::Text(key.to_jwk()?.into()),
        "ssh" => TextOrBytes::Text(key.to_ssh(comment.unwrap_or_default())?.into()),
        "raw" => TextOrBytes::Bytes(key.to_bytes().to_vec().into()),
        _ => return Err(Error::unknown_algorithm(form, FORMS)),
    })
}

/// Whether it signs so slowly that it does not belong on a thread that must not wait.
pub fn is_slow(key: &PrivateKey) -> bool {
    key.kind() == Kind::RsaSign
}

/// Bits of each choice in their number.
const BITS: u32 = 4;

/// The chosen hash, encoding and scheme as one number, which is 0 if none is chosen.
pub fn choices(hash: Option<&str>, encoding: Option<&str>, scheme: Option<&str>) -> Result<u32> {
    let hash = place(&Hash::ALL, hash.map(str::parse).transpose()?);
    let encoding = place(&Encoding::ALL, encoding.map(str::parse).transpose()?);
    let scheme = place(&Scheme::ALL, scheme.map(str::parse).transpose()?);
    Ok(hash | encoding << BITS | scheme << (2 * BITS))
}

/// Options of a signature. What is not there has its default, by the kind of the key.
#[call]
#[derive(Clone, Copy)]
pub struct SignOptions<'a> {
    /// The number of a hash, an encoding and a scheme that [`choices`] gives; 0 of none.
    pub choices: u32,
    /// The context; an empty one is none.
    pub context: Option<&'a [u8]>,
    /// The id of a user of SM2.
    pub id: Option<&'a [u8]>,
}

impl<'a> SignOptions<'a> {
    /// Reads them.
    pub fn read(&self) -> Options<'a> {
        let mut options = Options::new().context(self.context.unwrap_or_default());
        if let Some(hash) = chosen(&Hash::ALL, self.choices) {
            options = options.hash(hash);
        }
        if let Some(encoding) = chosen(&Encoding::ALL, self.choices >> BITS) {
            options = options.encoding(encoding);
        }
        if let Some(scheme) = chosen(&Scheme::ALL, self.choices >> (2 * BITS)) {
            options = options.scheme(scheme);
        }
        if let Some(id) = self.id { options.id(id) } else { options }
    }
}

/// The choices for a signature of RSA that a host makes: the names of the scheme and of the hash, with a space between.
pub fn by_rsa(choices: u32) -> String {
    let scheme = chosen(&Scheme::ALL, choices >> (2 * BITS)).unwrap_or_default();
    let hash = chosen(&Hash::ALL, choices).unwrap_or(Hash::Sha256);
    format!("{} {}", scheme.name(), hash.name())
}

/// The place of what is chosen among all, from 1 on; 0 of nothing.
fn place<T: PartialEq>(all: &[T], chosen: Option<T>) -> u32 {
    let place = all.iter().zip(1..).find_map(|(one, place)| (Some(one) == chosen.as_ref()).then_some(place));
    place.unwrap_or_default()
}

/// The item at such a place.
fn chosen<T: Copy>(all: &[T], place: u32) -> Option<T> {
    let place = place % (1 << BITS);
    place.checked_sub(1).map(|at| all[at as usize])
}

/// Options that live as long as the work that they are for.
pub struct Chosen {
    choices: u32,
    context: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
}

impl From<SignOptions<'_>> for Chosen {
    fn from(SignOptions { choices, context, id }: SignOptions<'_>) -> Self {
        Self { choices, context: context.map(<[u8]>::to_vec), id: id.map(<[u8]>::to_vec) }
    }
}

impl Chosen {
    fn options(&self) -> Options<'_> {
        SignOptions { choices: self.choices, context: self.context.as_deref(), id: self.id.as_deref() }.read()
    }
}

/// Signs what was loaded.
pub fn sign_loaded(
    key: Arc<PrivateKey>,
    loading: Arc<Loading>,
    chosen: Chosen,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<u8>> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let message = loading.take();
        job.check()?;
        let signature = key.sign_with(&chosen.options(), &message)?;
        job.add(message.len());
        Ok(signature)
    })
}

/// Verifies a signature of what was loaded.
pub fn verify_loaded(
    key: Arc<PublicKey>,
    loading: Arc<Loading>,
    signature: Vec<u8>,
    chosen: Chosen,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<()> + Send + 'static> {
    Work::new(&COMPUTE, move || {
        let message = loading.take();
        job.check()?;
        job.add(message.len());
        key.verify_with(&chosen.options(), &message, &signature)
    })
}
