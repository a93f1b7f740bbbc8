//! JSON Web Keys (RFC 7517): P-256 (RFC 7518 section 6.2) and X25519 (RFC 8037).

use super::Kind;
use super::parsed::{Algorithm, Half, INVALID_PUBLIC_KEY, Parsed, Refusal};
use crate::error::{KeyFault, Result, UnsupportedKey};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Deref;
use zeroize::{Zeroize, Zeroizing};

/// How a JWK names the algorithm of a kind. Keys of the type `EC` have two coordinates, those of `OKP` are one value.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) kty: &'static str,
    pub(super) crv: &'static str,
}

const EC: &str = "EC";

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

/// Reads one half.
pub(super) fn read(json: &str, half: Half) -> Result<Parsed, Refusal> {
    const DAMAGED: KeyFault =
        KeyFault::Other("a value of the JWK has the wrong length or alphabet, or is out of range");
    let (kind, names, jwk) = parse(json)?;
    let (bytes, beside, wrong) = match (half, jwk.d.as_deref()) {
        (Half::Private, None) => return Err(KeyFault::PublicKey.into()),
        (Half::Public, Some(_)) => return Err(KeyFault::PrivateKey.into()),
        (Half::Private, Some(secret)) => {
            let secret = decode(secret).ok_or(DAMAGED)?;
            let damaged = KeyFault::Other("the public key in the JWK is missing or damaged");
            (secret, vec![public(names, &jwk).ok_or(damaged)], DAMAGED)
        }
        (Half::Public, None) => {
            let damaged = KeyFault::Other("a value of the JWK is missing or damaged");
            (Zeroizing::new(public(names, &jwk).ok_or(damaged)?), Vec::new(), INVALID_PUBLIC_KEY)
        }
    };
    Ok(Parsed { algorithm: Algorithm::Of(kind), bytes, beside, wrong, was_encrypted: false })
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
    let names = kind.row().jwk.as_ref().ok_or(UnsupportedKey::NoJwk)?;
    let (x, y) = if names.kty == EC { public[1..].split_at(32) } else { (public, &[][..]) };
    let y = if y.is_empty() { None } else { Some(member("y", y)) };
    let mut json = Zeroizing::new(String::with_capacity(256));
    json.extend(["{\"kty\":\"", names.kty, "\",\"crv\":\"", names.crv, "\""]);
    for member in [Some(member("x", x)), y, d].into_iter().flatten() {
        json.push_str(&member);
    }
    json.push('}');
    Ok(json)
}

fn parse(json: &str) -> Result<(Kind, &'static Names, Jwk<'_>), Refusal> {
    let jwk: Jwk<'_> = serde_json::from_str(json).map_err(|_| KeyFault::Other("this is not a JWK"))?;
    if jwk.keys.is_some() {
        return Err(UnsupportedKey::JwkSet.into());
    }
    let mut all = Kind::ALL.into_iter().filter_map(|kind| Some((kind, kind.row().jwk.as_ref()?)));
    let (kind, names) = match (jwk.kty.as_deref(), jwk.crv.as_deref()) {
        (Some("EC" | "OKP"), None) => return Err(KeyFault::Other("the JWK does not name its curve").into()),
        (None, _) => return Err(KeyFault::Other("the JWK does not name its type").into()),
        (Some(kty), crv) => {
            all.find(|(_, names)| kty == names.kty && crv == Some(names.crv)).ok_or(UnsupportedKey::JwkAlgorithm)?
        }
    };
    let signs = |operation: &Text<'_>| matches!(&**operation, "sign" | "verify");
    if jwk.usage.as_deref() == Some("sig") || jwk.key_ops.as_ref().is_some_and(|all| all.iter().any(signs)) {
        return Err(KeyFault::Other("the JWK is for signatures").into());
    }
    if jwk.alg.as_deref().is_some_and(|alg| !alg.starts_with("ECDH-ES") && !alg.starts_with("HPKE")) {
        return Err(KeyFault::Other("the JWK is for another algorithm").into());
    }
    Ok((kind, names, jwk))
}

/// The public key as its kind has it; `None` when a value is missing, or is no base64url of its length.
fn public(names: &Names, jwk: &Jwk<'_>) -> Option<Vec<u8>> {
    let coordinate = |value: Option<&str>| decode(value?).filter(|bytes| bytes.len() == 32);
    let x = coordinate(jwk.x.as_deref())?;
    if names.kty == EC {
        return Some([&[4], &x[..], &coordinate(jwk.y.as_deref())?[..]].concat());
    }
    Some(x.to_vec())
}

/// In constant time, since it may be a secret.
fn decode(value: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; value.len()]);
    let len = Base64UrlUnpadded::decode(value, &mut bytes).ok()?.len();
    bytes.truncate(len);
    Some(bytes)
}
