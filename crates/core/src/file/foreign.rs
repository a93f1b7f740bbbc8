//! Guesses the type of an input that is not a Sealstone file by its first bytes, for a hint. No decision depends on the
//! guess. `crates/cli/src/failure.rs` has the hints.

use crate::error::LooksLike;
use crate::format::armour::{BEGIN, BEGIN_MESSAGE};
use crate::key::Kind;

/// The first byte of a message: its magic and version. The type of the recipient's key follows.
pub(super) const MESSAGE_MAGIC: u8 = 0xa6;

/// Whether these are the first bytes of a message.
fn is_message(start: &[u8]) -> bool {
    let takes_messages = |id: u8| Kind::of_stanza(id.into()).is_some_and(|(kind, _)| kind.takes_messages());
    matches!(start, [MESSAGE_MAGIC, id, ..] if takes_messages(*id))
}

/// The number of first bytes that distinguishes all types.
pub(super) const LEN: usize = 40;

const _: () = assert!(BEGIN.len() <= LEN && BEGIN_MESSAGE.len() <= LEN, "the beginnings of armour are seen whole");

/// Guesses the type of a file that people may mistake for a sealed file.
pub(super) fn looks_like(start: &[u8]) -> Option<LooksLike> {
    if start.is_empty() {
        return Some(LooksLike::Empty);
    }
    let known = BEGINNINGS.iter().find(|(with, _)| start.starts_with(with)).map(|(_, what)| *what);
    known
        .or_else(|| detect_keys(start))
        .or_else(|| is_message(start).then_some(LooksLike::Message))
        .or_else(|| detect_openpgp(start))
        .or_else(|| detect_cms(start))
}

const BEGINNINGS: &[(&[u8], LooksLike)] = &[
    (b"iVNFQUwNChoB", LooksLike::Base64),
    (b"\x89SEAL\n", LooksLike::ChangedLineEnds),
    (b"\x89SEAL\r\r\n", LooksLike::ChangedLineEnds),
    (b"\x09SEAL", LooksLike::ChangedLineEnds),
    (b"SEAL\r\n\x1a", LooksLike::ChangedLineEnds),
    (BEGIN_MESSAGE, LooksLike::Message),
    (b"> -----BEGIN SEALSTONE ", LooksLike::Quoted),
    (b">-----BEGIN SEALSTONE ", LooksLike::Quoted),
    (b"> -----BEGIN AGE ENCRYPTED ", LooksLike::Quoted),
    (b">-----BEGIN AGE ENCRYPTED ", LooksLike::Quoted),
    (b"# symmetric key: ", LooksLike::Keys),
    (b"-----BEGIN PRIVATE KEY-----", LooksLike::Keys),
    (b"-----BEGIN ENCRYPTED PRIVATE KEY-----", LooksLike::Keys),
    (b"-----BEGIN PUBLIC KEY-----", LooksLike::PublicKeys),
    (b"age-encryption.org/", LooksLike::Age),
    (b"-----BEGIN AGE ENCRYPTED FILE-----", LooksLike::Age),
    (b"NKCT", LooksLike::Nkct),
    (b"NKCS", LooksLike::NkctSignature),
    (b"NKKB", LooksLike::KeyBundle),
    (b"NKC1", LooksLike::Nkc1),
    (b"NKO1", LooksLike::NkctMessage),
    (b"NKB1", LooksLike::NkctMessage),
    (b"NKCB", LooksLike::NkctMessage),
    (b"NKFILE1", LooksLike::NkctMessage),
    (b"redb\x1a\x0a\xa9\x0d\x0a", LooksLike::RedbDatabase),
    (b"-----BEGIN TPM WRAPPED BLOB-----", LooksLike::TpmKey),
    (b"-----BEGIN PGP ", LooksLike::OpenPgp),
    (b"7z\xbc\xaf\x27\x1c", LooksLike::SevenZip),
    (b"PK\x03\x04", LooksLike::Zip),
    (b"PK\x05\x06", LooksLike::Zip),
    (b"PK\x07\x08", LooksLike::Zip),
    (b"Salted__", LooksLike::OpenSslEnc),
    // The base64 of the same: openssl enc -a.
    (b"U2FsdGVkX1", LooksLike::OpenSslEnc),
    (b"-----BEGIN CMS-----", LooksLike::Cms),
    (b"-----BEGIN PKCS7-----", LooksLike::Cms),
    (b"\x1f\x8b", LooksLike::Gzip),
    (b"\xfd7zXZ\0", LooksLike::Xz),
    (b"\x28\xb5\x2f\xfd", LooksLike::Zstd),
    (b"BZh", LooksLike::Bzip2),
];

/// Detects strings of keys by the prefixes of their kinds, and the line that `keygen` writes above an identity.
fn detect_keys(start: &[u8]) -> Option<LooksLike> {
    let begins = |text: &[u8], prefix: Option<&str>| prefix.is_some_and(|prefix| text.starts_with(prefix.as_bytes()));
    let is_recipient = |text: &[u8]| {
        let rest = |kind: Kind| text.strip_prefix(kind.recipient_prefix()?.as_bytes());
        Kind::ALL.into_iter().filter_map(rest).any(|rest| rest.starts_with(b"1"))
    };
    if Kind::ALL.into_iter().any(|kind| begins(start, kind.identity_prefix())) {
        return Some(LooksLike::Keys);
    }
    match start.strip_prefix(b"# public key: ") {
        Some(rest) => is_recipient(rest).then_some(LooksLike::Keys),
        None => is_recipient(start).then_some(LooksLike::PublicKeys),
    }
}

/// Detects the first packet of a file of `gpg` (RFC 9580 sections 4.2 and 5): an encrypted session key of a known version, or
/// the header of compressed, signed or encrypted data.
fn detect_openpgp(start: &[u8]) -> Option<LooksLike> {
    let (&first, rest) = start.split_first()?;
    let (tag, lengths) = match first {
        // The old form: the low bits are the size of the length.
        0x80..=0xbf => (first >> 2 & 15, [1, 2, 4, 0][usize::from(first & 3)]),
        0xc0..=0xff => (
            first & 63,
            match rest.first()? {
                192..=223 => 2,
                255 => 5,
                _ => 1,
            },
        ),
        _ => return None,
    };
    let version = *rest.get(lengths)?;
    let known = match tag {
        // Session keys: to a public key, and from a passphrase.
        1 => matches!(version, 3 | 6),
        3 => matches!(version, 4..=6),
        // A one-pass signature.
        4 => matches!(version, 3 | 6),
        // Compressed data, by the algorithm.
        8 => matches!(version, 1..=3),
        // Encrypted data with integrity protection.
        18 | 20 => matches!(version, 1 | 2),
        _ => false,
    };
    known.then_some(LooksLike::OpenPgp)
}

/// Detects DER that begins with a content type of CMS (RFC 5652).
fn detect_cms(start: &[u8]) -> Option<LooksLike> {
    const PKCS7: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07";
    let rest = start.strip_prefix(b"\x30")?;
    let lengths = match rest.first()? {
        len @ 0x80..=0x84 => usize::from(len & 15) + 1,
        _ => 1,
    };
    rest.get(lengths..)?.starts_with(PKCS7).then_some(LooksLike::Cms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_every_kind_are_recognized() {
        for kind in Kind::ALL {
            if let Some(prefix) = kind.identity_prefix() {
                assert!(prefix.len() < LEN, "{kind}");
                assert_eq!(looks_like(format!("{prefix}1q").as_bytes()), Some(LooksLike::Keys), "{kind}");
            }
            if let Some(prefix) = kind.recipient_prefix() {
                let comment = format!("# public key: {prefix}1");
                assert!(comment.len() <= LEN, "{kind}");
                assert_eq!(looks_like(comment.as_bytes()), Some(LooksLike::Keys), "{kind}");
                assert_eq!(looks_like(format!("{prefix}1q").as_bytes()), Some(LooksLike::PublicKeys), "{kind}");
            }
        }
    }

    #[test]
    fn files_of_other_programs_are_recognized_by_their_first_bytes() {
        let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
        for (start, what) in [
            // The beginnings of files of gpg 2.2 and 2.4: -e, -c, -c with AEAD, -s, and -e with the new form of packets.
            (hex("85018c03"), LooksLike::OpenPgp),
            (hex("8c0d04090302"), LooksLike::OpenPgp),
            (hex("8c2e0509"), LooksLike::OpenPgp),
            (hex("a301"), LooksLike::OpenPgp),
            (hex("900d03"), LooksLike::OpenPgp),
            (hex("c1c04c03"), LooksLike::OpenPgp),
            (hex("c36e06"), LooksLike::OpenPgp),
            (hex("308201e406092a864886f70d010703"), LooksLike::Cms),
            (hex("308006092a864886f70d010703"), LooksLike::Cms),
            (hex("a601"), LooksLike::Message),
            (b"-----BEGIN PGP MESSAGE-----".to_vec(), LooksLike::OpenPgp),
            (b"-----BEGIN SEALSTONE MESSAGE-----\n".to_vec(), LooksLike::Message),
            (b"> -----BEGIN SEALSTONE FILE-----\n".to_vec(), LooksLike::Quoted),
            (b">-----BEGIN SEALSTONE MESSAGE-----\n".to_vec(), LooksLike::Quoted),
            (b"> -----BEGIN AGE ENCRYPTED FILE-----\n".to_vec(), LooksLike::Quoted),
            (b"Salted__12345678".to_vec(), LooksLike::OpenSslEnc),
            (b"NKCS\x02\0\x02".to_vec(), LooksLike::NkctSignature),
            (b"NKKB\x01".to_vec(), LooksLike::KeyBundle),
            (b"NKC1\x01\0\0".to_vec(), LooksLike::Nkc1),
            (b"NKO1\x01".to_vec(), LooksLike::NkctMessage),
            (b"NKB1\x01".to_vec(), LooksLike::NkctMessage),
            (b"NKCB".to_vec(), LooksLike::NkctMessage),
            (b"NKFILE1".to_vec(), LooksLike::NkctMessage),
            (b"redb\x1a\n\xa9\r\n\x03".to_vec(), LooksLike::RedbDatabase),
            (b"-----BEGIN TPM WRAPPED BLOB-----\n".to_vec(), LooksLike::TpmKey),
            (b"age1pq1abc\n".to_vec(), LooksLike::PublicKeys),
            (b"-----BEGIN PUBLIC KEY-----\n".to_vec(), LooksLike::PublicKeys),
        ] {
            assert_eq!(looks_like(&start), Some(what), "{start:x?}");
        }
        for start in [
            &b"hello\n"[..],
            b"\x80",
            b"\xc1",
            b"\x85\x01\x8c\x07",
            b"\x30\x82\x01\xe4\x02\x01",
            b"\xa6\x77",
            b"-----BEGIN SEALSTONE FILES-----",
            b"%PDF-1.7",
            b"\x7fELF",
        ] {
            assert_eq!(looks_like(start), None, "{start:x?}");
        }
    }
}
