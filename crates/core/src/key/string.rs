//! Keys as strings in Bech32 (c2sp.org/age, format section 12).

use super::Kind;
use super::parsed::{Half, INVALID_PUBLIC_KEY, Parsed, Refusal, WRONG_LENGTH};
use super::{digits, symmetric};
use crate::encoding::decode_bech32;
use crate::error::{KeyFault, looks_secret};
use crate::plugin;

/// Reads a key in a line: a string, or hexadecimal digits.
pub(super) fn read(text: &str, half: Half) -> Result<Parsed, Refusal> {
    if digits::is_digits(text.as_bytes()) {
        return digits::read(text, half);
    }
    let Some((kind, hrp)) = find_kind(text, half).filter(|_| !is_plugin(text, half)) else {
        return Err(explain_unknown(text, half).into());
    };
    let (damaged, wrong) = match (half, kind) {
        (Half::Private, Kind::Key) => (symmetric::EXPECTED, symmetric::EXPECTED),
        (Half::Private, _) => (DAMAGED, WRONG_LENGTH),
        (Half::Public, _) => (DAMAGED, INVALID_PUBLIC_KEY),
    };
    let bytes = decode_bech32(hrp, text).ok_or(damaged)?;
    let algorithm = kind.algorithm().expect("string: a kind with strings has an algorithm");
    Ok(Parsed::new(algorithm, bytes, wrong))
}

const DAMAGED: KeyFault = KeyFault::Other("a character is wrong, missing or extra");

/// Finds the kind whose prefix the text begins with; also returns the prefix. Of several kinds, the one with the longest prefix
/// wins.
fn find_kind(text: &str, half: Half) -> Option<(Kind, &'static str)> {
    let prefix = |kind: Kind| match half {
        Half::Private => kind.identity_prefix(),
        Half::Public => kind.recipient_prefix(),
    };
    let prefixes = Kind::ALL.into_iter().filter_map(|kind| Some((kind, prefix(kind)?)));
    let begins = |hrp: &str| text.strip_prefix(hrp).is_some_and(|rest| rest.starts_with('1'));
    prefixes.filter(|(_, hrp)| begins(hrp)).max_by_key(|(_, hrp)| hrp.len())
}

/// Whether a text is the string of a plugin of age. A plugin's recipient begins like age's own recipients.
fn is_plugin(text: &str, half: Half) -> bool {
    match half {
        Half::Private => plugin::Identity::plugin_of(text).is_some(),
        Half::Public => plugin::Recipient::plugin_of(text).is_some(),
    }
}

fn explain_unknown(text: &str, half: Half) -> KeyFault {
    match half {
        _ if is_plugin(text, half) => KeyFault::OfPlugin,
        Half::Private if find_kind(text, Half::Public).is_some() => KeyFault::RecipientString,
        Half::Private => KeyFault::UnknownIdentity,
        Half::Public if looks_secret(text) => KeyFault::SecretString,
        Half::Public => KeyFault::Other("a recipient begins with age1 or age1pq1, or is PEM, DER or JWK"),
    }
}
