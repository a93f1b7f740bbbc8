//! Reads JSON Web Keys.

use crate::error::{KeyFault, Result, UnsupportedKey};
use crate::key::names::{JwkNames as Names, JwkType as Type};
use crate::key::parsed::{Algorithm, Half, INVALID_PUBLIC_KEY, Parsed, Refusal, Use, Wanted};
use crate::rsa::{PrivateDer, PublicDer};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Deref;
use zeroize::{Zeroize, Zeroizing};

/// The known members of a JWK, none of which may occur twice. Other members are ignored, as RFC 7517 section 4 requires.
#[derive(Deserialize)]
struct Jwk<'a> {
    #[serde(borrow)]
    kty: Option<Text<'a>>,
    crv: Option<Text<'a>>,
    x: Option<Text<'a>>,
    y: Option<Text<'a>>,
    d: Option<Text<'a>>,
    n: Option<Text<'a>>,
    e: Option<Text<'a>>,
    p: Option<Text<'a>>,
    q: Option<Text<'a>>,
    dp: Option<Text<'a>>,
    dq: Option<Text<'a>>,
    qi: Option<Text<'a>>,
    oth: Option<IgnoredAny>,
    #[serde(rename = "pub")]
    public: Option<Text<'a>>,
    #[serde(rename = "priv")]
    private: Option<Text<'a>>,
    #[serde(rename = "use")]
    usage: Option<Text<'a>>,
    alg: Option<Text<'a>>,
    key_ops: Option<Vec<Text<'a>>>,
    keys: Option<IgnoredAny>,
}

/// A borrowed text, so that no secret is copied. Only a text with escapes, which no program writes, is copied, and zeroed on
/// drop.
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

/// Reads one half of a key pair.
pub(in crate::key) fn read(json: &str, wanted: &Wanted) -> Result<Parsed, Refusal> {
    const DAMAGED: KeyFault =
        KeyFault::Other("a value of the JWK has the wrong length or alphabet, or is out of range");
    let (algorithm, names, jwk) = parse(json, wanted)?;
    match (wanted.half, jwk.d.as_ref().or(jwk.private.as_ref())) {
        (Half::Private, None) => Err(KeyFault::PublicKey.into()),
        (Half::Public, Some(_)) => Err(KeyFault::PrivateKey.into()),
        (Half::Private, Some(_)) => {
            let damaged = KeyFault::Other("the public key in the JWK is missing or damaged");
            let parsed = Parsed::new(algorithm, private(names, &jwk).ok_or(DAMAGED)?, DAMAGED);
            Ok(Parsed { beside: vec![public(names, &jwk).ok_or(damaged)], ..parsed })
        }
        (Half::Public, None) => {
            let damaged = KeyFault::Other("a value of the JWK is missing or damaged");
            let bytes = Zeroizing::new(public(names, &jwk).ok_or(damaged)?);
            Ok(Parsed::new(algorithm, bytes, INVALID_PUBLIC_KEY))
        }
    }
}

fn parse<'a>(json: &'a str, wanted: &Wanted) -> Result<(Algorithm, &'static Names, Jwk<'a>), Refusal> {
    let jwk: Jwk<'_> = serde_json::from_str(json).map_err(|_| KeyFault::Other("this is not a JWK"))?;
    if jwk.keys.is_some() {
        return Err(UnsupportedKey::JwkSet.into());
    }
    let (Some(kty), crv, alg) = (jwk.kty.as_deref(), jwk.crv.as_deref(), jwk.alg.as_deref()) else {
        return Err(KeyFault::Other("the JWK does not name its type").into());
    };
    if matches!(kty, "EC" | "OKP") && crv.is_none() {
        return Err(KeyFault::Other("the JWK does not name its curve").into());
    }
    let is_named = |names: &Names| {
        kty == names.kty.text()
            && match names.kty {
                Type::Ec | Type::Okp => crv == Some(names.name),
                Type::Akp => alg == Some(names.name),
                Type::Rsa => true,
            }
    };
    let mut all = Algorithm::ALL.iter().filter_map(|algorithm| Some((*algorithm, algorithm.row().jwk.as_ref()?)));
    let found = all.find(|(algorithm, names)| is_named(names) && (wanted.takes)(*algorithm).is_ok());
    let (algorithm, names) = found.ok_or(UnsupportedKey::JwkAlgorithm)?;
    check_usage(wanted.usage, names, &jwk)?;
    Ok((algorithm, names, jwk))
}

/// Refuses a key whose JWK states another use.
fn check_usage(usage: Use, names: &Names, jwk: &Jwk<'_>) -> Result<(), KeyFault> {
    let (other, operations, fault): (_, &[&str], _) = match usage {
        Use::Encrypts => ("sig", &["sign", "verify"], "the JWK is for signatures"),
        Use::Signs => (
            "enc",
            &["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"],
            "the JWK is for encryption",
        ),
    };
    let is_other = |operation: &Text<'_>| operations.contains(&&**operation);
    if jwk.usage.as_deref() == Some(other) || jwk.key_ops.as_ref().is_some_and(|all| all.iter().any(is_other)) {
        return Err(KeyFault::Other(fault));
    }
    let fits = |alg: &str| match usage {
        Use::Encrypts if names.kty == Type::Rsa => alg.starts_with("RSA-OAEP") || alg == "RSA1_5",
        Use::Encrypts => alg.starts_with("ECDH-ES") || alg.starts_with("HPKE"),
        Use::Signs => names.signs.contains(&alg),
    };
    if jwk.alg.as_deref().is_none_or(fits) { Ok(()) } else { Err(KeyFault::Other("the JWK is for another algorithm")) }
}

/// The public key in the encoding of its algorithm; `None` if a value is missing, or is not base64url of its length.
fn public(names: &Names, jwk: &Jwk<'_>) -> Option<Vec<u8>> {
    let value = |value: &Option<Text<'_>>| decode(value.as_deref()?);
    let exactly = |text: &Option<Text<'_>>| value(text).filter(|bytes| bytes.len() == names.len);
    match names.kty {
        Type::Ec => Some([&[4], &exactly(&jwk.x)?[..], &exactly(&jwk.y)?[..]].concat()),
        Type::Okp => Some(exactly(&jwk.x)?.to_vec()),
        Type::Akp => Some(exactly(&jwk.public)?.to_vec()),
        Type::Rsa => PublicDer::write(&value(&jwk.n)?, &value(&jwk.e)?),
    }
}

/// The private key in the encoding of its algorithm; `None` as for the public key.
fn private(names: &Names, jwk: &Jwk<'_>) -> Option<Zeroizing<Vec<u8>>> {
    let value = |value: &Option<Text<'_>>| decode(value.as_deref()?);
    match names.kty {
        Type::Ec | Type::Okp => value(&jwk.d),
        Type::Akp => value(&jwk.private),
        // A key of more than two primes, which is not supported.
        Type::Rsa if jwk.oth.is_some() => None,
        Type::Rsa => {
            let numbers = [&jwk.n, &jwk.e, &jwk.d, &jwk.p, &jwk.q, &jwk.dp, &jwk.dq, &jwk.qi];
            PrivateDer::write(&numbers.into_iter().map(value).collect::<Option<Vec<_>>>()?)
        }
    }
}

/// Decodes in constant time, because the value may be secret.
fn decode(value: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; value.len()]);
    let len = Base64UrlUnpadded::decode(value, &mut bytes).ok()?.len();
    bytes.truncate(len);
    Some(bytes)
}
