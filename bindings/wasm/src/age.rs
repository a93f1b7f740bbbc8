//! The exports of the part `age`, one of each call. `make generate` writes them.

use crate::boundary::small;
use crate::handles::{all, held, held_any, hold};
use sealstone_engine::numbers::number;
use sealstone_engine::parts::Part;
use sealstone_engine::text::into_plain;
use sealstone_engine::{Work, calls};
use zeroize::Zeroizing;

exports! {
    fn age_identity_generate(kind: &str) -> String = into_plain(calls::age::age_identity_generate(kind)?);
    fn age_identity(text: &[u8], passphrase: Option<&[u8]>) -> u32 =
        hold(calls::age::age_identity(text, passphrase)?)?;
    fn age_identity_of_passphrase(text: &[u8]) -> u32 = hold(calls::age::age_identity_of_passphrase(text)?)?;
    fn age_identity_recipient(identity: u32) -> String = calls::age::age_identity_recipient(&*held(identity)?)?;
    fn age_recipient(text: &str) -> u32 = hold(calls::age::age_recipient(text)?)?;
    fn age_recipient_of_passphrase(text: &[u8], log_n: u64) -> u32 =
        hold(calls::age::age_recipient_of_passphrase(text, small(log_n))?)?;
    fn age_recipient_of_point(point: &[u8]) -> String = calls::age::age_recipient_of_point(point)?;
    fn age_encryptor(recipients: Vec<u32>, threads: Option<u32>) -> u32 =
        hold(calls::age::age_encryptor(&all(&recipients)?, threads)?)?;
    fn age_decryptor(identities: Vec<u32>, threads: Option<u32>) -> u32 =
        hold(calls::age::age_decryptor(&all(&identities)?, threads))?;
    fn age_asked(of: u32, head: &[u8]) -> Zeroizing<Vec<u8>> = calls::age::age_asked(&held_any(of)?, head)?;
    fn age_know(of: u32, asked: &[u8], key: &[u8]) -> () = calls::age::age_know(&held_any(of)?, asked, key)?;
    fn age_stretching(asked: &[u8]) -> u32 = hold(calls::age::age_stretching(asked)?)?;
    fn age_stretching_step(stretching: u32, amount: u64) -> bool =
        calls::age::age_stretching_step(&*held(stretching)?, small(amount));
    fn age_stretching_key(stretching: u32) -> Zeroizing<Vec<u8>> =
        calls::age::age_stretching_key(&*held(stretching)?);
    fn age_head_len(start: &[u8]) -> f64 = number(calls::age::age_head_len(start)? as u64);
    fn age_sealed_len(plaintext_len: u64) -> f64 = number(calls::age::age_sealed_len(plaintext_len)? as u64);
    fn age_opened_len(chunks_len: u64) -> f64 = number(calls::age::age_opened_len(chunks_len)? as u64);
    fn age_chunk_len() -> f64 = number(calls::age::age_chunk_len() as u64);
    fn age_stanzas(head: &[u8]) -> Vec<u8> = calls::age::age_stanzas(head)?;
    fn age_wrap(recipient: u32, file_key: &[u8]) -> Vec<u8> = calls::age::age_wrap(&*held(recipient)?, file_key)?;
    fn age_x25519_share(stanza: &[u8]) -> Vec<u8> = calls::age::age_x25519_share(stanza)?;
    fn age_x25519_file_key(stanza: &[u8], public_key: &[u8], secret: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::age::age_x25519_file_key(stanza, public_key, secret)?;
    fn age_file_key(decryptor: u32, header: &[u8]) -> Vec<u8> = calls::age::age_file_key(&*held(decryptor)?, header)?;
    fn age_units_max() -> f64 = f64::from(calls::age::age_units_max());
    fn age_sealer(encryptor: u32) -> u32 = hold(calls::age::age_sealer(&*held(encryptor)?)?)?;
    fn age_sealer_of_stanzas(stanzas: &[u8], file_key: &[u8]) -> u32 =
        hold(calls::age::age_sealer_of_stanzas(stanzas, file_key)?)?;
    fn age_sealer_head(sealer: u32) -> Vec<u8> = calls::age::age_sealer_head(&*held(sealer)?);
    fn age_sealer_fill(sealer: u32, plaintext: &[u8]) -> f64 =
        number(calls::age::age_sealer_fill(&*held(sealer)?, plaintext) as u64);
    fn age_sealer_unit(sealer: u32) -> Option<Part> =
        calls::age::age_sealer_unit(&*held(sealer)?).map(Work::run).transpose()?;
    fn age_sealer_finish(sealer: u32) -> Part = calls::age::age_sealer_finish(&*held(sealer)?).run()?;
    fn age_opener(decryptor: u32, head: &[u8]) -> u32 = hold(calls::age::age_opener(&*held(decryptor)?, head)?)?;
    fn age_opener_of_file_key(head: &[u8], file_key: &[u8]) -> u32 =
        hold(calls::age::age_opener_of_file_key(head, file_key)?)?;
    fn age_opener_fill(opener: u32, chunks: &[u8]) -> f64 =
        number(calls::age::age_opener_fill(&*held(opener)?, chunks) as u64);
    fn age_opener_unit(opener: u32) -> Option<Part> =
        calls::age::age_opener_unit(&*held(opener)?).map(Work::run).transpose()?;
    fn age_opener_finish(opener: u32, is_end: bool) -> Part =
        calls::age::age_opener_finish(&*held(opener)?, is_end).run()?;
    fn age_opener_at(opener: u32, first: u64, chunks: &[u8], is_end: bool) -> Vec<u8> =
        calls::age::age_opener_at(&*held(opener)?, first, chunks, is_end)?;
    fn age_armour(file: &[u8]) -> String = calls::age::age_armour(file);
    fn age_dearmour(text: &[u8]) -> Vec<u8> = calls::age::age_dearmour(text)?;
    fn age_is_armoured(start: &[u8]) -> bool = calls::age::age_is_armoured(start);
}
