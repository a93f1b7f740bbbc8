//! Files of age.

use crate::boundary::Bytes;
use crate::exports::{Processed, Unit, deliver};
use crate::handles::{all, held, hold, job_of};
use sealstone::Passphrase;
use sealstone::interop::age::{self, Decryptor, Encryptor, Identity, Recipient};
use sealstone_engine::age::{self as files, Opening, Sealing};
use sealstone_engine::files::{decrypt_file, decrypt_range_file, encrypt_file, path};
use sealstone_engine::numbers::{length, number, short};
use sealstone_engine::parts;
use sealstone_engine::text::taken;

exports! {
    fn age_identity_generate(kind: String) -> String = files::generate(&kind).map(taken);
    fn age_identity(text: &[u8], passphrase: Option<&[u8]>) -> u32 = files::identity(text, passphrase).map(hold);
    fn age_identity_of_passphrase(text: &[u8]) -> u32 = Ok(hold(Identity::from(Passphrase::from_utf8(text)?)));
    fn age_identity_recipient(identity: u32) -> String = files::recipient_text(&held(identity));
    fn age_recipient(text: String) -> u32 = text.parse::<Recipient>().map(hold);
    fn age_recipient_of_passphrase(text: &[u8], log_n: u32) -> u32 =
        files::recipient_of_passphrase(text, log_n).map(hold);
    fn age_recipient_of_point(point: &[u8]) -> String = files::recipient_of_point(point);
    fn age_encryptor(recipients: Vec<u32>, threads: Option<u32>) -> u32 =
        files::encryptor(&all(&recipients), threads).map(hold);
    fn age_decryptor(identities: Vec<u32>, threads: Option<u32>) -> u32 =
        Ok(hold(files::decryptor(&all(&identities), threads)));
    fn age_head_len(start: &[u8]) -> u32 = files::head_len(start).map(short);
    fn age_sealed_len(plaintext_len: f64) -> f64 = age::sealed_len(length(plaintext_len)).map(number);
    fn age_opened_len(chunks_len: f64) -> f64 = age::opened_len(length(chunks_len)).map(number);
    fn age_chunk_len() -> u32 = Ok(short(age::CHUNK_LEN));
    fn age_stanzas(head: &[u8]) -> Bytes = files::stanzas(head);
    fn age_wrap(recipient: u32, file_key: &[u8]) -> Bytes = files::wrap(&held(recipient), file_key);
    fn age_x25519_share(stanza: &[u8]) -> Bytes = files::x25519_share(stanza);
    fn age_x25519_file_key(stanza: &[u8], public: &[u8], secret: &[u8]) -> Bytes =
        files::x25519_file_key(stanza, public, secret).map(Bytes);
    fn age_units_max() -> u32 = Ok(parts::units_max(None));
    fn age_sealer_of_stanzas(stanzas: &[u8], file_key: &[u8]) -> u32 = Sealing::of_stanzas(stanzas, file_key).map(hold);
    fn age_sealer_head(sealer: u32) -> Bytes = Ok(held::<Sealing>(sealer).head());
    fn age_sealer_fill(sealer: u32, plaintext: &[u8]) -> u32 = Ok(short(held::<Sealing>(sealer).fill(plaintext)));
    fn age_opener_of_file_key(head: &[u8], file_key: &[u8]) -> u32 = Opening::of_file_key(head, file_key).map(hold);
    fn age_opener_fill(opener: u32, chunks: &[u8]) -> u32 = Ok(short(held::<Opening>(opener).fill(chunks)));
    fn age_opener_at(opener: u32, first: f64, chunks: &[u8], is_end: bool) -> Bytes =
        held::<Opening>(opener).open_at(length(first), chunks, is_end);
    fn age_armour(file: &[u8]) -> String = Ok(age::armour(file));
    fn age_dearmour(text: &[u8]) -> Bytes = age::dearmour(text);
    fn age_is_armoured(start: &[u8]) -> bool = Ok(age::is_armoured(start));
}

promises! {
    fn age_sealer_later(encryptor: u32, job: u32) => hold, Sealing::later(held(encryptor), job_of(job));
    fn age_opener_later(decryptor: u32, head: &[u8], job: u32) => hold,
        Opening::later(held(decryptor), head.to_vec(), job_of(job));
    fn age_file_key_later(decryptor: u32, header: &[u8], job: u32) => Bytes::from,
        files::file_key_later(held::<Decryptor>(decryptor), header.to_vec(), job_of(job));
    fn age_sealer_unit(sealer: u32) => Unit::from, held::<Sealing>(sealer).unit();
    fn age_sealer_finish(sealer: u32) => Unit::from, held::<Sealing>(sealer).finish();
    fn age_opener_unit(opener: u32) => Unit::from, held::<Opening>(opener).unit();
    fn age_opener_finish(opener: u32, is_end: bool) => Unit::from, held::<Opening>(opener).finish(is_end);
    fn age_encrypt_file(by: u32, input: &[u8], output: &[u8], replace: bool, special: bool, job: u32) => Processed::from,
        encrypt_file(held::<Encryptor>(by), path(input), path(output), replace, special, job_of(job));
    fn age_decrypt_file(by: u32, input: &[u8], output: &[u8], replace: bool, special: bool, job: u32) => Processed::from,
        decrypt_file(held::<Decryptor>(by), path(input), path(output), replace, special, job_of(job));
    fn age_decrypt_range_file(decryptor: u32, input: &[u8], start: f64, end: f64, special: bool, job: u32) => deliver,
        decrypt_range_file(held::<Decryptor>(decryptor), path(input), length(start)..length(end), special, job_of(job));
}
