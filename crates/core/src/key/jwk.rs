//! JSON Web Keys (RFC 7517): curves and RSA (RFC 7518 section 6; RFC 8812), X25519 and Ed25519 (RFC 8037), and ML-DSA (RFC 9964).

#[cfg(feature = "jwk")]
mod read;

use super::names::JwkType as Type;
use super::parsed::Algorithm;
#[cfg(not(feature = "jwk"))]
use super::parsed::{Parsed, Refusal, Wanted};
use crate::error::{Result, UnsupportedKey};
use crate::rsa::{PrivateDer, PublicDer};
use base64ct::{Base64UrlUnpadded, Encoding};
#[cfg(feature = "jwk")]
pub(super) use read::read;
use zeroize::Zeroizing;

/// Refuses every JWK.
#[cfg(not(feature = "jwk"))]
pub(super) fn read(_json: &str, _wanted: &Wanted) -> Result<Parsed, Refusal> {
    Err(UnsupportedKey::JwkFeature.into())
}

impl Type {
    fn text(self) -> &'static str {
        match self {
            Self::Ec => "EC",
            Self::Okp => "OKP",
            Self::Rsa => "RSA",
            Self::Akp => "AKP",
        }
    }
}

pub(super) fn write(algorithm: Algorithm, public: &[u8], secret: Option<&[u8]>) -> Result<Zeroizing<String>> {
    let names = algorithm.row().jwk.as_ref().ok_or(UnsupportedKey::NoJwk)?;
    let mut members = vec![];
    match (names.kty, secret) {
        (Type::Ec, _) => {
            let (x, y) = public[1..].split_at(names.len);
            members.extend([("x", x), ("y", y)]);
            members.extend(secret.map(|d| ("d", d)));
        }
        (Type::Okp, _) => {
            members.push(("x", public));
            members.extend(secret.map(|d| ("d", d)));
        }
        (Type::Akp, _) => {
            members.push(("pub", public));
            members.extend(secret.map(|seed| ("priv", seed)));
        }
        (Type::Rsa, Some(secret)) => members = PrivateDer::read(secret).expect("jwk: the key was read").members(),
        (Type::Rsa, None) => members = PublicDer::read(public).expect("jwk: the key was read").members(),
    }
    let values =
        members.into_iter().map(|(name, value)| (name, Zeroizing::new(Base64UrlUnpadded::encode_string(value))));
    let values: Vec<_> = values.collect();
    // The full capacity is reserved at once, so that growth leaves no copies behind.
    let len = 64 + values.iter().map(|(name, value)| name.len() + value.len() + 6).sum::<usize>();
    let mut json = Zeroizing::new(String::with_capacity(len));
    json.extend(["{\"kty\":\"", names.kty.text()]);
    match names.kty {
        Type::Ec | Type::Okp => json.extend(["\",\"crv\":\"", names.name]),
        Type::Akp => json.extend(["\",\"alg\":\"", names.name]),
        Type::Rsa => {}
    }
    for (name, value) in &values {
        json.extend(["\",\"", name, "\":\"", value]);
    }
    json.push_str("\"}");
    Ok(json)
}
