//! The blob in the armour, and the signed bytes (spec/signature.md sections 1 to 3).

use super::{Comment, Namespace, comment_fault};
use crate::error::{Error, Result};
use crate::hash::Algorithm;
use crate::key::{Reader, SigningKey, kind_of_name, public_of_blob, string};
use crate::reserved::FILES;
use crate::sign::{Kind, PublicKey};

const VERSION: u32 = 1;
/// The most bytes of an encoded number: 32, and a zero byte that makes it positive.
const NUMBER_MAX_LEN: usize = 33;
/// The most bytes of a number that is in range.
const LEN: usize = 32;

/// The hash functions of a kind for content. The writer uses the first.
pub(super) fn hashes(kind: Kind) -> &'static [Algorithm] {
    match kind {
        Kind::Ed25519 | Kind::P256Sign => &[Algorithm::Sha512, Algorithm::Sha256],
        Kind::Sm2Sign => &[Algorithm::Sm3],
        _ => &[Algorithm::Sha512],
    }
}

/// A well-formed blob. Its key and its signature are not checked yet.
pub(super) struct Blob<'a> {
    pub(super) kind: Kind,
    /// The key as a blob of SSH.
    pub(super) key: &'a [u8],
    /// The bytes of the public key.
    pub(super) public: &'a [u8],
    pub(super) namespace: &'a [u8],
    pub(super) comment: &'a str,
    pub(super) hash: Algorithm,
    /// The signature, in the form that [`PublicKey`] verifies.
    value: Vec<u8>,
}

impl<'a> Blob<'a> {
    /// Steps 2, from the magic on, to 6 of section 6.1.
    pub(super) fn read(blob: &'a [u8]) -> Result<Self> {
        const CUT: Error = Error::MalformedSignature("it is cut short, or bytes are left over (section 1)");
        let behind = blob.strip_prefix(FILES).ok_or(Error::MalformedSignature("it begins with SSHSIG (section 1)"))?;
        let mut reader = Reader(behind);
        if reader.number().map_err(|_| CUT)? != VERSION {
            return Err(Error::UnsupportedSignature("its version is not 1"));
        }
        let mut strings = [&[][..]; 5];
        for place in &mut strings {
            *place = reader.string().map_err(|_| CUT)?;
        }
        reader.end().map_err(|_| CUT)?;
        let [key, namespace, reserved, hash, signature] = strings;
        if namespace.is_empty() {
            return Err(Error::MalformedSignature("its namespace is empty (section 1)"));
        }
        let name = Reader(key).string().map_err(|_| CUT)?;
        let kind = kind_of_name(name).ok_or(Error::UnsupportedSignature(
            "its key is not of ed25519, p256-sign, ml-dsa-65, hybrid-sign, hybrid44-sign or sm2-sign",
        ))?;
        let hash = hashes(kind).iter().copied().find(|one| one.name().as_bytes() == hash);
        let hash = hash.ok_or(Error::UnsupportedSignature("the kind of its key does not have its hash"))?;
        let comment =
            std::str::from_utf8(reserved).ok().filter(|text| text.is_empty() || comment_fault(text).is_none());
        let comment = comment.ok_or(Error::UnsupportedSignature("its reserved field is not a comment (section 3)"))?;
        let public = public_of_blob(key)
            .ok_or(Error::MalformedSignature("its key does not have the structure of its kind (section 2)"))?;
        let value = read_value(kind, name, signature);
        let value =
            value.ok_or(Error::MalformedSignature("its value does not have the structure of its kind (section 2)"))?;
        Ok(Self { kind, key, public, namespace, comment, hash, value })
    }

    /// Verifies the signature over the content's digest, with the trusted key that equals the blob's.
    pub(super) fn verify(&self, key: &PublicKey, digest: &[u8]) -> Result<()> {
        key.verify_of_file(&signed_data(self.namespace, self.comment, self.hash, digest), &self.value)
    }
}

/// Signs the digest of content, which the first hash function of the key's kind has computed; returns the blob.
pub(super) fn sign(
    key: &SigningKey,
    namespace: &Namespace,
    comment: Option<&Comment>,
    digest: &[u8],
) -> Result<Vec<u8>> {
    let (kind, publickey) = (key.kind(), key.signer().blob());
    let hash = hashes(kind)[0];
    let (namespace, comment) = (namespace.as_str().as_bytes(), comment.map_or("", Comment::as_str));
    let value = key.private_key().sign_of_file(&signed_data(namespace, comment, hash, digest))?;
    let name = Reader(publickey).string().expect("blob: a key begins with its name");
    let mut signature = Vec::new();
    string(&mut signature, name);
    string(&mut signature, &write_value(kind, value));
    let mut blob = [FILES, &VERSION.to_be_bytes()].concat();
    for part in [publickey, namespace, comment.as_bytes(), hash.name().as_bytes(), &signature] {
        string(&mut blob, part);
    }
    Ok(blob)
}

/// The bytes that the key signs.
fn signed_data(namespace: &[u8], comment: &str, hash: Algorithm, digest: &[u8]) -> Vec<u8> {
    let mut signed_data = FILES.to_vec();
    for part in [namespace, comment.as_bytes(), hash.name().as_bytes(), digest] {
        string(&mut signed_data, part);
    }
    signed_data
}

/// Reads the value of a signature in the form that [`PublicKey`] verifies, with two numbers as r ‖ s. If a number is too long
/// to be in range, the value is empty, which no key verifies.
fn read_value(kind: Kind, name: &[u8], signature: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(signature);
    let (found, value) = (reader.string().ok()?, reader.string().ok()?);
    reader.end().ok()?;
    if found != name {
        return None;
    }
    let [r, s] = match kind {
        Kind::P256Sign => {
            let mut reader = Reader(value);
            let numbers = [reader.string().ok()?, reader.string().ok()?];
            reader.end().ok()?;
            // The encoding of zero has no bytes.
            if numbers.contains(&&[0][..]) {
                return None;
            }
            numbers.map(|bytes| if bytes.is_empty() { &[0][..] } else { bytes })
        }
        Kind::Sm2Sign => {
            let (sequence, behind) = split_element(0x30, value)?;
            let (r, rest) = split_element(0x02, sequence)?;
            let (s, rest) = split_element(0x02, rest)?;
            if !behind.is_empty() || !rest.is_empty() {
                return None;
            }
            [r, s]
        }
        _ => return (kind.signature_len() == Some(value.len())).then(|| value.to_vec()),
    };
    let [r, s] = [read_number(r)?, read_number(s)?];
    Some(if r.len().max(s.len()) > LEN { Vec::new() } else { [pad(r), pad(s)].concat() })
}

/// Reads a number in two's complement that is not negative and has no superfluous bytes.
fn read_number(bytes: &[u8]) -> Option<&[u8]> {
    let is_high = |byte: &u8| byte & 0x80 != 0;
    let is_wrong = match bytes {
        [] => true,
        // A zero byte is allowed only where it makes the number positive.
        [0, next, ..] => !is_high(next),
        [first, ..] => is_high(first),
    };
    (!is_wrong && bytes.len() <= NUMBER_MAX_LEN).then(|| bytes.strip_prefix(&[0]).unwrap_or(bytes))
}

fn pad(number: &[u8]) -> [u8; LEN] {
    let mut padded = [0; LEN];
    padded[LEN - number.len()..].copy_from_slice(number);
    padded
}

/// Splits the first element off DER; returns its content, and the bytes behind it. Two numbers of 33 bytes need no long form of
/// lengths.
fn split_element(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    match der {
        [found, len @ 0..=0x7f, rest @ ..] if *found == tag => rest.split_at_checked(usize::from(*len)),
        _ => None,
    }
}

/// Encodes a signature of [`SigningKey`] as signatures of the kind have it.
fn write_value(kind: Kind, value: Vec<u8>) -> Vec<u8> {
    let numbers = |value: &[u8]| {
        let (r, s) = value.split_at(LEN);
        [r, s].map(|number| {
            let zeros = number.iter().take_while(|byte| **byte == 0).count();
            let sign = number.get(zeros).is_some_and(|byte| byte & 0x80 != 0);
            [&[0][..usize::from(sign)], &number[zeros..]].concat()
        })
    };
    match kind {
        Kind::P256Sign => {
            let mut written = Vec::new();
            for number in numbers(&value) {
                string(&mut written, &number);
            }
            written
        }
        Kind::Sm2Sign => {
            let short = |tag: u8, content: &[u8]| {
                let len = u8::try_from(content.len()).expect("blob: two numbers are short");
                [&[tag, len], content].concat()
            };
            // Neither number is zero, whose encoding would have a byte.
            short(0x30, &numbers(&value).map(|number| short(0x02, &number)).concat())
        }
        _ => value,
    }
}
