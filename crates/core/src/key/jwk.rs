//! JSON Web Keys (RFC 7517): P-256 (RFC 7518 section 6.2) and X25519 (RFC 8037).

use super::asn1::{OF_ANOTHER, PRIVATE_HERE, PUBLIC_HERE};
use super::{Identity, Kind, Recipient};
use crate::error::{Error, Result};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Deref;
use zeroize::{Zeroize, Zeroizing};

/// Kinds that JWK does not know, or that are no public keys.
pub(super) const NO_FORM: Error = Error::UnsupportedKey("key format: only p256 and x25519 keys have a JWK form");
const OTHER_KEY: Error = Error::UnsupportedKey("key type: the JWK is not of P-256 or X25519");

/// The members that matter, none of which may be there twice; others are ignored, as RFC 7517 section 4 asks.
#[derive(Deserialize)]
struct Jwk<'a> {
    #[serde(borrow)]
    kty: Option<Text<'a>>,
    crv: Option<Text<'a>>,
    x: Option<Text<'a>>,
    y: Option<Text<'a>>,
    d: Option<Text<'a>>,
    #[serde(rename = "use")]
    usage: Option<Text<'a>>,
    alg: Option<Text<'a>>,
    key_ops: Option<Vec<Text<'a>>>,
    keys: Option<IgnoredAny>,
}

/// Borrowed, so that no secret is copied, unless it is written with escapes, which no program does.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Drop for Text<'_> {
    fn drop(&mut self) {
        if let Cow::Owned(text) = &mut self.0 {
            text.zeroize();
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

pub(super) fn read_identity(json: &str) -> Result<Identity> {
    let (kind, jwk) = parse(json, Error::InvalidIdentity)?;
    let secret = jwk.d.as_deref().ok_or(Error::InvalidIdentity(PUBLIC_HERE))?;
    let damaged = Error::InvalidIdentity("a value of the JWK has the wrong length or alphabet, or is out of range");
    let secret = decode(secret).and_then(|secret| Identity::from_bytes(kind, secret)).ok_or(damaged)?;
    let public = public(kind, &jwk).ok_or(Error::InvalidIdentity("the public key in the JWK is missing or damaged"))?;
    if secret.public_bytes() == public { Ok(secret) } else { Err(OF_ANOTHER) }
}

pub(super) fn read_recipient(json: &str) -> Result<Recipient> {
    let (kind, jwk) = parse(json, Error::InvalidRecipient)?;
    if jwk.d.is_some() {
        return Err(Error::InvalidRecipient(PRIVATE_HERE));
    }
    let public = public(kind, &jwk).ok_or(Error::InvalidRecipient("a value of the JWK is missing or damaged"))?;
    Recipient::from_bytes(kind, &public).ok_or(Error::InvalidRecipient("the key is not a valid public key of its kind"))
}

pub(super) fn write(kind: Kind, public: &[u8], secret: Option<&[u8]>) -> Result<Zeroizing<String>> {
    let member = |name: &str, value: &[u8]| {
        let value = Zeroizing::new(Base64UrlUnpadded::encode_string(value));
        // The capacity that is needed at once, so that growth leaves no copies behind.
        let mut text = Zeroizing::new(String::with_capacity(name.len() + value.len() + 6));
        text.extend([",\"", name, "\":\"", &value, "\""]);
        text
    };
    let d = secret.map(|secret| member("d", secret));
    let (start, x, y) = match kind {
        Kind::P256 => {
            let (x, y) = public[1..].split_at(32);
            (r#"{"kty":"EC","crv":"P-256""#, member("x", x), Some(member("y", y)))
        }
        Kind::X25519 => (r#"{"kty":"OKP","crv":"X25519""#, member("x", public), None),
        _ => return Err(NO_FORM),
    };
    let mut json = Zeroizing::new(String::with_capacity(256));
    json.push_str(start);
    for member in [Some(x), y, d].into_iter().flatten() {
        json.push_str(&member);
    }
    json.push('}');
    Ok(json)
}

fn parse(json: &str, invalid: fn(&'static str) -> Error) -> Result<(Kind, Jwk<'_>)> {
    let jwk: Jwk<'_> = serde_json::from_str(json).map_err(|_| invalid("this is not a JWK"))?;
    if jwk.keys.is_some() {
        return Err(Error::UnsupportedKey("key format: a set of JWKs, where one is expected"));
    }
    let kind = match (jwk.kty.as_deref(), jwk.crv.as_deref()) {
        (Some("EC"), Some("P-256")) => Kind::P256,
        (Some("OKP"), Some("X25519")) => Kind::X25519,
        (Some("EC" | "OKP"), None) => return Err(invalid("the JWK does not name its curve")),
        (None, _) => return Err(invalid("the JWK does not name its type")),
        _ => return Err(OTHER_KEY),
    };
    let signs = |operation: &Text<'_>| matches!(&**operation, "sign" | "verify");
    if jwk.usage.as_deref() == Some("sig") || jwk.key_ops.as_ref().is_some_and(|all| all.iter().any(signs)) {
        return Err(invalid("the JWK is for signatures"));
    }
    if jwk.alg.as_deref().is_some_and(|alg| !alg.starts_with("ECDH-ES") && !alg.starts_with("HPKE")) {
        return Err(invalid("the JWK is for another algorithm"));
    }
    Ok((kind, jwk))
}

/// The public key as its kind has it; `None` when a value is missing, or is no base64url of its length.
fn public(kind: Kind, jwk: &Jwk<'_>) -> Option<Vec<u8>> {
    let coordinate = |value: Option<&str>| decode(value?).filter(|bytes| bytes.len() == 32);
    let x = coordinate(jwk.x.as_deref())?;
    match kind {
        Kind::P256 => Some([&[4], &x[..], &coordinate(jwk.y.as_deref())?[..]].concat()),
        _ => Some(x.to_vec()),
    }
}

/// In constant time, since it may be a secret.
fn decode(value: &str) -> Option<Zeroizing<Vec<u8>>> {
    Base64UrlUnpadded::decode_vec(value).ok().map(Zeroizing::new)
}
