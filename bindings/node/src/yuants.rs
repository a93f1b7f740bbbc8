//! What `sealstone/compat/yuants` is made of.

use crate::boundary::{Bytes, Result, guard, held, locked, number, promise};
use crate::delivery::deliver;
use crate::files::Loading;
use crate::memory::Memory;
use crate::pool::COMPUTE;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8ArraySlice};
use napi_derive::napi;
use sealstone::interop::yuants::{self, Format, KeyPair};
use sealstone::{Error, encoding};
use zeroize::{Zeroize, Zeroizing};

/// Two keys as text; JavaScript's strings cannot be zeroed.
#[napi(object)]
pub struct KeyPairText {
    pub public_key: String,
    pub private_key: String,
}

impl From<KeyPair> for KeyPairText {
    fn from(mut pair: KeyPair) -> Self {
        Self { public_key: pair.public_key, private_key: std::mem::take(&mut *pair.private_key) }
    }
}

/// Of a seed, or a fresh one.
#[napi]
pub fn yuants_key_pair(seed: Option<&[u8]>) -> Result<KeyPairText> {
    guard(|| Ok(seed.map_or_else(KeyPair::generate, KeyPair::from_seed)?.into()))
}

#[napi]
pub fn yuants_key_pair_of(private: String) -> Result<KeyPairText> {
    let private = Zeroizing::new(private);
    guard(|| Ok(KeyPair::from_private_key(&private)?.into()))
}

#[napi]
pub fn yuants_x25519() -> Result<KeyPairText> {
    guard(|| {
        let (public_key, mut private_key) = yuants::generate_x25519()?;
        Ok(KeyPairText { public_key, private_key: std::mem::take(&mut *private_key) })
    })
}

#[napi]
pub fn yuants_shared_key(public: String, private: String) -> Result<String> {
    let private = Zeroizing::new(private);
    guard(|| Ok(std::mem::take(&mut *yuants::derive_shared_key(&public, &private)?)))
}

#[napi]
pub fn yuants_sign(private: &[u8], message: &[u8]) -> Result<Bytes> {
    guard(|| Ok(Bytes::from(yuants::private_key_of(private)?.sign(message))))
}

#[napi]
pub fn yuants_sign_text(private: String, message: &[u8]) -> Result<String> {
    let private = Zeroizing::new(private);
    guard(|| encoding::encode_base58(&yuants::private_key(&private)?.sign(message)))
}

#[napi]
pub fn yuants_verify(public: String, message: &[u8], signature: String, malleable: Option<bool>) -> Result<bool> {
    guard(|| {
        let (public, signature) = (yuants::public_key(&public)?, encoding::decode_base58(&signature)?);
        let verdict = match malleable {
            Some(true) => public.verify_malleable(message, &signature),
            _ => public.verify(message, &signature),
        };
        match verdict {
            Err(Error::InvalidSignature(_)) => Ok(false),
            other => other.map(|()| true),
        }
    })
}

fn short(len: usize) -> u32 {
    u32::try_from(len).expect("yuants: the parts around a ciphertext are short")
}

#[napi]
pub fn yuants_head_len(format: String) -> Result<u32> {
    guard(|| Ok(short(format.parse::<Format>()?.head_len())))
}

#[napi]
pub fn yuants_tail_len(format: String) -> Result<u32> {
    guard(|| Ok(short(format.parse::<Format>()?.tail_len())))
}

/// Bytes before the ciphertext.
#[napi]
pub fn yuants_head_len_of(format: String, sealed: &[u8]) -> Result<f64> {
    guard(|| Ok(number(format.parse::<Format>()?.head_len_of(sealed)? as u64)))
}

/// Seals into memory that is longer by a head and a tail.
#[napi]
pub fn yuants_seal(
    format: String,
    key: String,
    plaintext: Uint8ArraySlice<'_>,
    sealed: Uint8ArraySlice<'_>,
) -> Result<()> {
    let key = Zeroizing::new(key);
    guard(|| {
        let format: Format = format.parse()?;
        let (head_len, tail_len) = (format.head_len(), format.tail_len());
        Memory::of(&sealed).with_moved(Memory::of(&plaintext), head_len, tail_len, |sealed| {
            let (head, rest) = sealed.split_at_mut(head_len);
            format.seal_in_place(&key, head, rest)
        })
    })
}

/// Opens into memory that has room for all but the head; returns the length of the plaintext.
#[napi]
pub fn yuants_open(
    format: String,
    key: String,
    sealed: Uint8ArraySlice<'_>,
    plaintext: Uint8ArraySlice<'_>,
) -> Result<f64> {
    let key = Zeroizing::new(key);
    guard(|| {
        let (format, output) = (format.parse::<Format>()?, Memory::of(&plaintext));
        let head_len = format.head_len_of(&sealed)?;
        let (head, rest) = Memory::of(&sealed).split_at(head_len).expect("yuants: the head is there");
        let head = head.beside(output);
        let len = output.with_moved(rest, 0, 0, |buffer| format.open_in_place(&key, &head, buffer))?;
        Ok(number(len as u64))
    })
}

/// Seals what was loaded, where it lies: behind room for the head.
#[napi]
pub fn yuants_seal_loaded(env: &Env, format: String, key: String, loading: u32) -> Result<Object<'_>> {
    let key = Zeroizing::new(key);
    let (format, loading) = guard(|| Ok((format.parse::<Format>()?, held::<Loading>(loading))))?;
    let work = move || {
        let mut memory = std::mem::take(&mut *locked(&loading));
        // There is room: the length that was announced has it.
        let len = memory.len() + format.tail_len();
        memory.resize(len, 0);
        let (head, rest) = memory.split_at_mut(format.head_len());
        format.seal_in_place(&key, head, rest)?;
        Ok(std::mem::take(&mut *memory))
    };
    promise(env, &COMPUTE, work, deliver)
}

/// Opens what was loaded, where it lies.
#[napi]
pub fn yuants_open_loaded(env: &Env, format: String, key: String, loading: u32) -> Result<Object<'_>> {
    let key = Zeroizing::new(key);
    let (format, loading) = guard(|| Ok((format.parse::<Format>()?, held::<Loading>(loading))))?;
    let work = move || {
        let mut memory = std::mem::take(&mut *locked(&loading));
        let head_len = format.head_len_of(&memory)?;
        let (head, rest) = memory.split_at_mut(head_len);
        let len = format.open_in_place(&key, head, rest)?;
        memory.copy_within(head_len..head_len + len, 0);
        memory[len..].zeroize();
        memory.truncate(len);
        Ok(std::mem::take(&mut *memory))
    };
    promise(env, &COMPUTE, work, deliver)
}

fn hmac(hash: &str, key: &[u8], data: &[u8]) -> sealstone::Result<Vec<u8>> {
    match hash {
        "sha256" => Ok(yuants::hmac_sha256(key, data).to_vec()),
        "sha512" => Ok(yuants::hmac_sha512(key, data).to_vec()),
        _ => Err(Error::UnknownAlgorithm("sha256, sha512")),
    }
}

#[napi]
pub fn yuants_hmac(hash: String, key: &[u8], data: &[u8]) -> Result<Bytes> {
    guard(|| hmac(&hash, key, data).map(Bytes::from))
}

/// As `yuants_hmac`, of what was loaded.
#[napi]
pub fn yuants_hmac_loaded<'env>(env: &'env Env, hash: String, key: &[u8], loading: u32) -> Result<Object<'env>> {
    let (key, loading) = (Zeroizing::new(key.to_vec()), guard(|| Ok(held::<Loading>(loading)))?);
    promise(env, &COMPUTE, move || hmac(&hash, &key, &locked(&loading)), Bytes::from)
}

/// As 16 hexadecimal digits.
#[napi]
pub fn yuants_fnv(data: &[u8]) -> Result<String> {
    guard(|| Ok(format!("{:016x}", yuants::fnv1a64(data))))
}

const ENCODINGS: Error = Error::UnknownAlgorithm("base58, base64, hex");

#[napi]
pub fn encode_text(encoding: String, data: &[u8]) -> Result<String> {
    guard(|| match encoding.as_str() {
        "base58" => encoding::encode_base58(data),
        "base64" => Ok(encoding::encode_base64(data)),
        "hex" => Ok(encoding::encode_hex(data)),
        _ => Err(ENCODINGS),
    })
}

#[napi]
pub fn decode_text(encoding: String, text: String) -> Result<Bytes> {
    let text = Zeroizing::new(text);
    guard(|| match encoding.as_str() {
        "base58" => encoding::decode_base58(&text).map(Bytes::from),
        "base64" => encoding::decode_base64(&text).map(Bytes::from),
        "hex" => encoding::decode_hex(&text).map(Bytes::from),
        _ => Err(ENCODINGS),
    })
}
