//! The module of what other software uses.

use crate::boundary::{Moved, Output, Result};
use sealstone::interop::yuants::{self, Format};
use sealstone_engine::numbers::number;
use sealstone_engine::text::{self, taken};
use sealstone_engine::yuants::{self as compat, KeyPair};

exports! {
    fn yuants_key_pair(seed: Option<&[u8]>) -> KeyPair = compat::key_pair(seed)?;
    fn yuants_key_pair_of(private: &str) -> KeyPair = compat::key_pair_of(private)?;
    fn yuants_x25519() -> KeyPair = compat::generate_x25519()?;
    fn yuants_shared_key(public: &str, private: &str) -> String =
        taken(yuants::derive_shared_key(public, private)?);
    fn yuants_sign(private: &[u8], message: &[u8]) -> Vec<u8> = yuants::private_key_of(private)?.sign(message).to_vec();
    fn yuants_sign_text(private: &str, message: &[u8]) -> String = compat::sign_text(private, message)?;
    fn yuants_verify(public: &str, message: &[u8], signature: &str, malleable: Option<bool>) -> bool =
        compat::verify(public, message, signature, malleable.unwrap_or(false))?;
    fn yuants_head_len(format: &str) -> f64 = number(format.parse::<Format>()?.head_len() as u64);
    fn yuants_tail_len(format: &str) -> f64 = number(format.parse::<Format>()?.tail_len() as u64);
    fn yuants_head_len_of(format: &str, sealed: &[u8]) -> f64 =
        number(format.parse::<Format>()?.head_len_of(sealed)? as u64);
    fn yuants_seal(format: &str, key: &str, plaintext: Moved, sealed: Output) -> () = {
        let format = format.parse::<Format>()?;
        compat::seal(key, format, sealed.moved(plaintext, format.head_len(), format.tail_len()))?;
    };
    fn yuants_open(format: &str, key: &str, sealed: Moved, plaintext: Output) -> f64 =
        opened(format.parse()?, key, sealed, plaintext)?;
    fn yuants_hmac(hash: &str, key: &[u8], data: &[u8]) -> Vec<u8> = compat::hmac(hash, key, data)?;
    /// As 16 hexadecimal digits.
    fn yuants_fnv(data: &[u8]) -> String = format!("{:016x}", yuants::fnv1a64(data));
    fn encode_text(encoding: &str, data: &[u8]) -> String = text::encode(encoding, data)?;
    fn decode_text(encoding: &str, text: &str) -> Vec<u8> = text::decode(encoding, text)?;
}

fn opened(format: Format, key: &str, Moved(len): Moved, mut plaintext: Output) -> Result<f64> {
    let head_len = format.head_len_of(&plaintext.whole()[..len])?;
    plaintext.keep(len - head_len);
    let memory = plaintext.whole();
    let head = memory[..head_len].to_vec();
    memory.copy_within(head_len..len, 0);
    Ok(number(format.open_in_place(key, &head, &mut memory[..len - head_len])? as u64))
}
