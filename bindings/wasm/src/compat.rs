//! The exports of the part `compat`, one of each call. `make generate` writes them.

use crate::boundary::{Moved, Output, Record};
use sealstone_engine::calls;
use sealstone_engine::calls::records::KeyPairText;
use sealstone_engine::numbers::number;
use sealstone_engine::text::into_plain;

exports! {
    fn yuants_key_pair(seed: Option<&[u8]>) -> Record<KeyPairText> = Record(calls::compat::yuants_key_pair(seed)?);
    fn yuants_key_pair_of(private_key: &str) -> Record<KeyPairText> =
        Record(calls::compat::yuants_key_pair_of(private_key)?);
    fn yuants_x25519() -> Record<KeyPairText> = Record(calls::compat::yuants_x25519()?);
    fn yuants_shared_key(public_key: &str, private_key: &str) -> String =
        into_plain(calls::compat::yuants_shared_key(public_key, private_key)?);
    fn yuants_sign(private_key: &[u8], message: &[u8]) -> Vec<u8> = calls::compat::yuants_sign(private_key, message)?;
    fn yuants_sign_text(private_key: &str, message: &[u8]) -> String =
        calls::compat::yuants_sign_text(private_key, message)?;
    fn yuants_verify(public_key: &str, message: &[u8], signature: &str, malleable: Option<bool>) -> bool =
        calls::compat::yuants_verify(public_key, message, signature, malleable)?;
    fn yuants_head_len(format: &str) -> f64 = number(calls::compat::yuants_head_len(format)? as u64);
    fn yuants_tail_len(format: &str) -> f64 = number(calls::compat::yuants_tail_len(format)? as u64);
    fn yuants_head_len_of(format: &str, sealed: &[u8]) -> f64 =
        number(calls::compat::yuants_head_len_of(format, sealed)? as u64);
    fn yuants_seal(format: &str, key: &str, plaintext: Moved, sealed: Output) -> () =
        calls::compat::yuants_seal(format, key, sealed.moving(plaintext))?;
    fn yuants_open(format: &str, key: &str, sealed: Moved, plaintext: Output) -> f64 =
        number(calls::compat::yuants_open(format, key, plaintext.moving(sealed))? as u64);
    fn yuants_hmac(hash: &str, key: &[u8], data: &[u8]) -> Vec<u8> = calls::compat::yuants_hmac(hash, key, data)?;
    fn yuants_fnv(data: &[u8]) -> String = calls::compat::yuants_fnv(data);
    fn encode_text(encoding: &str, data: &[u8]) -> String = calls::compat::encode_text(encoding, data)?;
    fn decode_text(encoding: &str, text: &str) -> Vec<u8> = calls::compat::decode_text(encoding, text)?;
}
