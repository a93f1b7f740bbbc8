//! The examples of `spec/format.md` sections 4.3 and 4.5, which came from another implementation.

use super::*;
use crate::password::Passphrase;
use data_encoding::HEXLOWER;

/// A value of a section's example.
fn value(section: &str, name: &str) -> Vec<u8> {
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/format.md")).unwrap();
    let text = spec.split(section).nth(1).expect("the spec has the section");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
    HEXLOWER.decode(line.expect("the example has this value").as_bytes()).unwrap()
}

/// The prefix of suite 3 without a context, and the file key 20 ... 3f.
const PREFIX: [u8; PREFIX_LEN] = *b"\x89SEAL\r\n\x1a\x01\x03\0\0";

fn open_stanza(identity: &Identity, stanza: &[u8]) -> Option<FileKey> {
    let binding = Binding { suite: Suite::Sm4Gcm, prefix: &PREFIX };
    let (head, body) = stanza.split_at(4);
    let id = StanzaId(u16::from_be_bytes([head[0], head[1]]));
    id.check(Suite::Sm4Gcm, body.len()).unwrap();
    let candidate = Candidate::new(identity, binding);
    let stanza = Stanza { id, body };
    assert!(candidate.matches(stanza));
    candidate.unwrap(stanza).unwrap()
}

fn file_key() -> Vec<u8> {
    (0x20..=0x3f).collect()
}

#[test]
fn the_example_of_sm2_opens() {
    let section = "### 4.3 `sm2`";
    let key = crate::sm2::PrivateKey::from_bytes(&value(section, "identity")).unwrap();
    assert_eq!(key.public_key().to_bytes()[..], value(section, "recipient"));
    let stanza = value(section, "stanza");
    assert_eq!(open_stanza(&key.into(), &stanza).expect("it opens")[..], file_key());
    let other = Identity::from(crate::sm2::PrivateKey::generate().unwrap());
    assert!(open_stanza(&other, &stanza).is_none());
}

#[test]
fn the_example_of_passphrase_sm3_opens() {
    let stanza = value("### 4.5 `passphrase-sm3`", "stanza");
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    assert_eq!(open_stanza(&passphrase.into(), &stanza).expect("it opens")[..], file_key());
    assert!(open_stanza(&Passphrase::new("wrong").unwrap().into(), &stanza).is_none());
}

#[test]
fn unknown_types_are_classical() {
    for unknown in [0x0005, 0x0007, 0x7777, 0xffff] {
        assert_eq!(StanzaId(unknown).key_kind(), None);
        assert_eq!(StanzaId(unknown).is_post_quantum(), Some(false), "{unknown:#06x} (section 4.7)");
    }
    assert_eq!(StanzaId(0x0020).is_post_quantum(), None);
}
