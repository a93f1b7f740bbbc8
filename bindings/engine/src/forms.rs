//! Keys of a program in two parts: the first reads and writes strings and digits, the second all other forms. Keys cross as bytes.

use crate::keys::{decryptor_of, form, inspect_alone, only_error, open, passphrase_of};
use sealstone::{
    Decryptor, Derivation, Error, Identity, Input, KeyForm, Kind, Recipient, Result, UnsupportedKey, parse_identities,
    parse_identity_strings, parse_recipient_strings,
};
use zeroize::Zeroizing;

/// The result of the first part for a file of keys.
pub enum Read<T> {
    /// The keys of a file that is for it.
    Keys(Vec<T>),
    /// The file is for the second part.
    Other,
    /// The file is sealed, and what was sealed is for the second part.
    Opened(Zeroizing<Vec<u8>>),
}

/// As [`keys::identities`](crate::keys::identities), for the first part.
pub fn read_identities(file: &[u8], passphrase: Option<&[u8]>) -> Result<Read<Identity>> {
    read_identities_by(passphrase_of(passphrase)?.map(decryptor_of).as_ref(), file)
}

/// The same, of a file that a decryptor opens if it is sealed: one with a passphrase, which may know what that was derived to.
pub fn read_identities_by(decryptor: Option<&Decryptor>, file: &[u8]) -> Result<Read<Identity>> {
    let seen = match inspect_alone(file) {
        Ok(seen) => seen,
        Err(Error::NotSealstone(_)) => {
            return Ok(parse_identity_strings(file).map_err(only_error)?.map_or(Read::Other, Read::Keys));
        }
        Err(error) => return Err(error),
    };
    let opened = Zeroizing::new(open(file, &seen, decryptor)?);
    Ok(match seen.parse_identity_strings(&opened).map_err(only_error)? {
        Some(identities) => Read::Keys(identities),
        None => Read::Opened(opened),
    })
}

/// As [`keys::recipients`](crate::keys::recipients), for the first part.
pub fn read_recipients(file: &[u8]) -> Result<Read<Recipient>> {
    Ok(parse_recipient_strings(file).map_err(only_error)?.map_or(Read::Other, Read::Keys))
}

/// The derivations from the passphrase that a host may do before [`read_other_identities`]. Each has four numbers of four bytes,
/// which are its SHA, the length of the key, the iterations and the length of the salt, and then the salt.
pub fn derivations(file: &[u8], opened: Option<&[u8]>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for Derivation { sha, salt, iterations, len } in wanted(file, opened)? {
        let short = |len: usize| u32::try_from(len).expect("forms: keys and salts are short");
        bytes.extend([sha, short(len), iterations, short(salt.len())].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(salt);
    }
    Ok(bytes)
}

fn wanted(file: &[u8], opened: Option<&[u8]>) -> Result<Vec<Derivation>> {
    let wanted = match opened {
        None => sealstone::derivations(file),
        Some(opened) => sealstone::inspect_alone(Input::reader(file))?.derivations(opened),
    };
    wanted.map_err(only_error)
}

/// The rest of [`read_identities`], for the second part: with what was sealed in the file, if it is, and with the keys that a host
/// has derived, one behind the other.
pub fn read_other_identities(
    file: &[u8],
    opened: Option<&[u8]>,
    passphrase: Option<&[u8]>,
    derived: Option<&[u8]>,
) -> Result<Vec<Identity>> {
    let mut passphrase = passphrase_of(passphrase)?;
    if let (Some(passphrase), Some(mut keys)) = (&mut passphrase, derived) {
        for derivation in wanted(file, opened)? {
            let (key, rest) = keys.split_at_checked(derivation.len).expect(WHOLE);
            passphrase.know(derivation, key)?;
            keys = rest;
        }
    }
    let read = match opened {
        None => parse_identities(file, passphrase.as_ref()),
        Some(opened) => sealstone::inspect_alone(Input::reader(file))?.parse_identities(opened, passphrase.as_ref()),
    };
    read.map_err(only_error)
}

/// As [`keys::export_identity`](crate::keys::export_identity), for the first part; `None` of a form that is for the second.
pub fn export_identity(
    identity: &Identity,
    name: &str,
    passphrase: Option<&[u8]>,
) -> Result<Option<Zeroizing<String>>> {
    let (form, _) = form(name, passphrase)?;
    let text = match form {
        KeyForm::Age => identity.to_bech32(),
        KeyForm::Hex => Some(identity.to_hex()?),
        _ => None,
    };
    if text.is_none() {
        is_for_the_second(identity.kind(), form, UnsupportedKey::NoText)?;
    }
    Ok(text)
}

/// As [`keys::export_recipient`](crate::keys::export_recipient), for the first part; `None` of a form that is for the second.
pub fn export_recipient(recipient: &Recipient, form: &str) -> Result<Option<String>> {
    let form: KeyForm = form.parse()?;
    let text = match form {
        KeyForm::Age => recipient.to_bech32(),
        KeyForm::Hex => Some(recipient.to_hex()?),
        _ => None,
    };
    if text.is_none() {
        is_for_the_second(recipient.kind(), form, UnsupportedKey::NoPublicForm)?;
    }
    Ok(text)
}

/// Fails where the kind has no such form. What has no string is text as PEM.
fn is_for_the_second(kind: Kind, form: KeyForm, no_text: UnsupportedKey) -> Result<()> {
    match form {
        KeyForm::Age if kind.has_form(KeyForm::Pem) => Ok(()),
        KeyForm::Age => Err(no_text.into()),
        form if kind.has_form(form) => Ok(()),
        KeyForm::Jwk => Err(UnsupportedKey::NoJwk.into()),
        _ => Err(UnsupportedKey::NoPem.into()),
    }
}

/// Identities as bytes that cross: of each the place of its kind among all kinds, its length in two bytes, and itself.
pub fn identities_to_bytes(identities: &[Identity]) -> Zeroizing<Vec<u8>> {
    joined(identities.iter().map(|identity| (identity.kind(), identity.to_bytes().expect(PAIRS))).collect())
}

/// Identities that have crossed.
pub fn identities_from_bytes(bytes: &[u8]) -> Result<Vec<Identity>> {
    divided(bytes).map(|(kind, key)| Identity::from_bytes(kind, key)).collect()
}

/// As [`identities_to_bytes`].
pub fn recipients_to_bytes(recipients: &[Recipient]) -> Zeroizing<Vec<u8>> {
    let bytes = |recipient: &Recipient| Zeroizing::new(recipient.to_bytes().expect(PAIRS));
    joined(recipients.iter().map(|recipient| (recipient.kind(), bytes(recipient))).collect())
}

/// As [`identities_from_bytes`].
pub fn recipients_from_bytes(bytes: &[u8]) -> Result<Vec<Recipient>> {
    divided(bytes).map(|(kind, key)| Recipient::from_bytes(kind, key)).collect()
}

const PAIRS: &str = "forms: what has another form than a string is a key pair";
const WHOLE: &str = "forms: what crosses is whole";
/// Bytes before each key.
const HEAD_LEN: usize = 3;

fn joined(keys: Vec<(Kind, Zeroizing<Vec<u8>>)>) -> Zeroizing<Vec<u8>> {
    let len = keys.iter().map(|(_, key)| HEAD_LEN + key.len()).sum();
    let mut bytes = Zeroizing::new(Vec::with_capacity(len));
    for (kind, key) in keys {
        let place = Kind::ALL.into_iter().position(|one| one == kind).expect("forms: every kind is among all");
        bytes.push(place.try_into().expect("forms: there are few kinds"));
        bytes.extend(u16::try_from(key.len()).expect("forms: keys are short").to_le_bytes());
        bytes.extend_from_slice(&key);
    }
    bytes
}

fn divided(mut bytes: &[u8]) -> impl Iterator<Item = (Kind, &[u8])> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let ([place, len @ ..], rest) = bytes.split_first_chunk::<HEAD_LEN>().expect(WHOLE);
        let (key, rest) = rest.split_at_checked(u16::from_le_bytes(*len).into()).expect(WHOLE);
        bytes = rest;
        Some((*Kind::ALL.get(usize::from(*place)).expect(WHOLE), key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;
    use crate::text::TextOrBytes;

    fn shown(form: TextOrBytes) -> Vec<u8> {
        match form {
            TextOrBytes::Text(text) => text.as_bytes().to_vec(),
            TextOrBytes::Bytes(bytes) => bytes.to_vec(),
        }
    }

    /// Both parts and the whole agree on each form.
    #[test]
    fn both_parts_say_what_the_whole_says() {
        let mut written = 0;
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_generated());
        for identity in kinds.map(|kind| Identity::generate(kind).unwrap()) {
            let recipient = identity.recipient();
            for form in ["age", "pem", "der", "jwk", "hex", "rot13"] {
                let parts = match export_identity(&identity, form, None) {
                    Ok(None) => {
                        let [crossed] = <[_; 1]>::try_from(
                            identities_from_bytes(&identities_to_bytes(std::slice::from_ref(&identity))).unwrap(),
                        )
                        .unwrap();
                        keys::export_identity(&crossed, form, None)
                    }
                    Ok(Some(text)) => Ok(TextOrBytes::Text(text)),
                    Err(error) => Err(error),
                };
                let whole = keys::export_identity(&identity, form, None);
                let [parts, whole] = [parts, whole].map(|made| made.map(shown).map_err(|error| error.to_string()));
                assert_eq!(parts, whole, "{} as {form}", identity.kind());
                if let Ok(file) = &parts {
                    assert_eq!(read_again(file), recipient.fingerprint(), "{} as {form}", identity.kind());
                    written += 1;
                }

                let parts = match export_recipient(&recipient, form) {
                    Ok(None) => {
                        let bytes = recipients_to_bytes(std::slice::from_ref(&recipient));
                        keys::export_recipient(&recipients_from_bytes(&bytes).unwrap()[0], form)
                    }
                    Ok(Some(text)) => Ok(TextOrBytes::Text(Zeroizing::new(text))),
                    Err(error) => Err(error),
                };
                let whole = keys::export_recipient(&recipient, form);
                let [parts, whole] = [parts, whole].map(|made| made.map(shown).map_err(|error| error.to_string()));
                assert_eq!(parts, whole, "a recipient of {} as {form}", recipient.kind());
            }
        }
        assert!(written >= 15, "{written}");
    }

    fn read_again(file: &[u8]) -> Option<String> {
        let found = match read_identities(file, None).unwrap() {
            Read::Keys(found) => found,
            Read::Other => {
                let read = read_other_identities(file, None, None, None).unwrap();
                identities_from_bytes(&identities_to_bytes(&read)).unwrap()
            }
            Read::Opened(_) => panic!("nothing was sealed"),
        };
        assert_eq!(found.len(), 1);
        found[0].recipient().fingerprint()
    }

    #[test]
    fn keys_that_a_host_derived_are_taken() {
        let passphrase = b"correct horse battery staple".as_slice();
        let secret = passphrase_of(Some(passphrase)).unwrap();
        let pem = Identity::generate(Kind::P256).unwrap().to_pem(secret.as_ref()).unwrap();
        let sealed = sealstone::Encryptor::new([Recipient::from(secret.unwrap())]).encrypt(pem.as_bytes()).unwrap();
        for (file, opened) in [(pem.as_bytes(), None), (&sealed, Some(pem.as_bytes()))] {
            let list = derivations(file, opened).unwrap();
            let (numbers, salt) = list.split_at(16);
            assert_eq!(
                numbers.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)).collect::<Vec<_>>(),
                [256, 32, 600_000, 16]
            );
            assert_eq!(salt.len(), 16);
            let read = |derived| read_other_identities(file, opened, Some(passphrase), derived);
            assert_eq!(read(None).unwrap().len(), 1);
            // It is the wrong one.
            assert_eq!(read(Some(&[7; 32])).err().unwrap().code(), "no_matching_identity");
        }
        let plain = Identity::generate(Kind::P256).unwrap().to_pem(None).unwrap();
        assert!(derivations(plain.as_bytes(), None).unwrap().is_empty());
        assert_eq!(derivations(b"-----BEGIN PRIVATE KEY-----", None).err().unwrap().code(), "invalid_identity");
    }

    #[test]
    fn a_sealed_file_of_either_part_is_read() {
        let passphrase = b"correct horse battery staple".as_slice();
        let encryptor = sealstone::Encryptor::new([Recipient::from(passphrase_of(Some(passphrase)).unwrap().unwrap())]);
        for kind in [Kind::X25519, Kind::P256] {
            let identity = Identity::generate(kind).unwrap();
            let file = encryptor.encrypt(identity.to_text().unwrap().as_bytes()).unwrap();
            let found = match read_identities(&file, Some(passphrase)).unwrap() {
                Read::Keys(found) => found,
                Read::Other => panic!("it was sealed"),
                Read::Opened(opened) => read_other_identities(&file, Some(&opened), Some(passphrase), None).unwrap(),
            };
            assert!(found.len() == 1 && found[0].recipient().is_same(&identity.recipient()));
            assert_eq!(read_identities(&file, None).err().unwrap().code(), "passphrase_required");
        }
    }
}
