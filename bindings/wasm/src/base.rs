//! The exports of the part `base`, one of each call. `make generate` writes them.

use crate::boundary::{Last, Moved, Output, Record, size, small};
use crate::handles::{all, held, held_any, hold, hold_all, hold_any, hold_read, last};
use sealstone_engine::calls::records::Inspection;
use sealstone_engine::files::EncryptOptions;
use sealstone_engine::forms::Read;
use sealstone_engine::numbers::number;
use sealstone_engine::parts::Part;
use sealstone_engine::text::into_plain;
use sealstone_engine::{Work, calls};
use zeroize::Zeroizing;

exports! {
    fn backend() -> String = calls::base::backend::backend()?;
    fn chunked_key(suite: &str, key: &[u8]) -> u32 = hold(calls::base::chunked::chunked_key(suite, key)?)?;
    fn chunked_sealer(key: u32, context: &[u8]) -> u32 =
        hold(calls::base::chunked::chunked_sealer(&*held(key)?, context)?)?;
    fn chunked_opener(key: u32, context: &[u8], head: &[u8]) -> u32 =
        hold(calls::base::chunked::chunked_opener(&*held(key)?, context, head)?)?;
    fn chunked_head_len() -> f64 = number(calls::base::chunked::chunked_head_len() as u64);
    fn chunked_encrypt(key: u32, context: &[u8], plaintext: &[u8]) -> Vec<u8> =
        calls::base::chunked::chunked_encrypt(&*held(key)?, context, plaintext)?;
    fn chunked_decrypt(key: u32, context: &[u8], ciphertext: &[u8]) -> Vec<u8> =
        calls::base::chunked::chunked_decrypt(&*held(key)?, context, ciphertext)?;
    fn tag_len() -> f64 = number(calls::base::chunked::tag_len() as u64);
    fn encrypt_armoured(encryptor: Last, plaintext: &[u8]) -> Vec<u8> =
        calls::base::files::encrypt_armoured(last(encryptor)?, plaintext)?;
    fn decrypt_armoured(decryptor: Last, file: &[u8]) -> Vec<u8> =
        calls::base::files::decrypt_armoured(last(decryptor)?, file)?;
    fn decrypt_range(decryptor: u32, file: &[u8], start: u64, end: u64) -> Vec<u8> =
        calls::base::files::decrypt_range(&*held(decryptor)?, file, start, end)?;
    fn rewrap(rewrapper: u32, file: &[u8]) -> Vec<u8> = calls::base::files::rewrap(&*held(rewrapper)?, file)?;
    fn inspect(file: &[u8]) -> Record<Inspection> = Record(calls::base::files::inspect(file)?);
    fn chunk_len() -> f64 = number(calls::base::host::chunk_len() as u64);
    fn sealer_key(sealer: u32, algorithm: &str) -> Zeroizing<Vec<u8>> =
        calls::base::host::sealer_key(&*held(sealer)?, algorithm)?;
    fn sealer_nonces(sealer: u32, len: u64) -> Vec<u8> =
        calls::base::host::sealer_nonces(&*held(sealer)?, size(len))?;
    fn opener_key(opener: u32, algorithm: &str) -> Zeroizing<Vec<u8>> =
        calls::base::host::opener_key(&*held(opener)?, algorithm)?;
    fn opener_nonces(opener: u32, first: u64, len: u64, is_end: bool) -> Vec<u8> =
        calls::base::host::opener_nonces(&*held(opener)?, first, size(len), is_end)?;
    fn not_authentic(chunk: Option<u64>) -> () = calls::base::host::not_authentic(chunk)?;
    fn chunk_key(algorithm: &str, key: &[u8]) -> u32 = hold(calls::base::host::chunk_key(algorithm, key)?)?;
    fn chunk_seal(key: u32, nonce: &[u8], plaintext: Moved, sealed: Output) -> () =
        calls::base::host::chunk_seal(&*held(key)?, nonce, sealed.moving(plaintext))?;
    fn chunk_open(key: u32, nonce: &[u8], sealed: Moved, plaintext: Output) -> () =
        calls::base::host::chunk_open(&*held(key)?, nonce, plaintext.moving(sealed))?;
    fn stretch_asked(of: u32, file: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::base::host::stretch_asked(&held_any(of)?, file)?;
    fn stretch_known(of: u32, asked: &[u8], key: &[u8]) -> () =
        calls::base::host::stretch_known(&held_any(of)?, asked, key)?;
    fn stretching(asked: &[u8]) -> u32 = hold(calls::base::host::stretching(asked)?)?;
    fn stretching_step(stretching: u32, amount: u64) -> bool =
        calls::base::host::stretching_step(&*held(stretching)?, small(amount));
    fn stretching_key(stretching: u32) -> Zeroizing<Vec<u8>> = calls::base::host::stretching_key(&*held(stretching)?);
    fn identity_generate(kind: Option<&str>) -> u32 = hold(calls::base::keys::identity_generate(kind)?)?;
    fn identity_of_passphrase(text: &[u8]) -> u32 = hold(calls::base::keys::identity_of_passphrase(text)?)?;
    fn identity_of_key(bytes: &[u8]) -> u32 = hold(calls::base::keys::identity_of_key(bytes)?)?;
    fn identity_kind(identity: u32) -> String = calls::base::keys::identity_kind(&*held(identity)?).to_owned();
    fn identity_is_slow(identity: u32) -> bool = calls::base::keys::identity_is_slow(&*held(identity)?);
    fn identity_recipient(identity: u32) -> u32 = hold(calls::base::keys::identity_recipient(&*held(identity)?))?;
    fn recipient_kind(recipient: u32) -> String = calls::base::keys::recipient_kind(&*held(recipient)?).to_owned();
    fn recipient_fingerprint(recipient: u32) -> Option<String> =
        calls::base::keys::recipient_fingerprint(&*held(recipient)?);
    fn identities_read(file: &[u8], passphrase: Option<&[u8]>) -> Read<u32> =
        hold_read(calls::base::keys::identities_read(file, passphrase)?)?;
    fn identities_read_by(decryptor: u32, file: &[u8]) -> Read<u32> =
        hold_read(calls::base::keys::identities_read_by(&*held(decryptor)?, file)?)?;
    fn identities_of_bytes(bytes: &[u8]) -> Vec<u32> = hold_all(calls::base::keys::identities_of_bytes(bytes)?)?;
    fn identity_string(identity: u32, form: &str, passphrase: Option<&[u8]>) -> Option<String> =
        calls::base::keys::identity_string(&*held(identity)?, form, passphrase)?.map(into_plain);
    fn identity_bytes(identity: u32) -> Zeroizing<Vec<u8>> = calls::base::keys::identity_bytes(&*held(identity)?);
    fn recipients_read(file: &[u8]) -> Read<u32> = hold_read(calls::base::keys::recipients_read(file)?)?;
    fn recipients_of_bytes(bytes: &[u8]) -> Vec<u32> = hold_all(calls::base::keys::recipients_of_bytes(bytes)?)?;
    fn recipient_string(recipient: u32, form: &str) -> Option<String> =
        calls::base::keys::recipient_string(&*held(recipient)?, form)?;
    fn recipient_bytes(recipient: u32) -> Zeroizing<Vec<u8>> = calls::base::keys::recipient_bytes(&*held(recipient)?);
    fn message_len(recipient: u32, plaintext_len: u64) -> f64 =
        number(calls::base::messages::message_len(&*held(recipient)?, size(plaintext_len))? as u64);
    fn message_seal_into(recipient: u32, plaintext: &[u8], aad: &[u8], message: Output) -> () =
        calls::base::messages::message_seal_into(&*held(recipient)?, plaintext, aad, message.bytes())?;
    fn message_seal_armoured(recipient: u32, plaintext: &[u8], aad: &[u8]) -> String =
        calls::base::messages::message_seal_armoured(&*held(recipient)?, plaintext, aad)?;
    fn message_is_armoured(start: &[u8]) -> bool = calls::base::messages::message_is_armoured(start);
    fn message_head_len(identity: u32, start: &[u8], message_len: u64) -> f64 =
        number(calls::base::messages::message_head_len(&*held(identity)?, start, size(message_len))? as u64);
    fn message_open_into(identity: u32, message: &[u8], aad: &[u8], plaintext: Output) -> () =
        calls::base::messages::message_open_into(&*held(identity)?, message, aad, plaintext.bytes())?;
    fn message_open_armoured(identity: u32, message: &[u8], aad: &[u8]) -> Vec<u8> =
        calls::base::messages::message_open_armoured(&*held(identity)?, message, aad)?;
    fn message_begin(recipient: u32) -> Zeroizing<Vec<u8>> =
        calls::base::messages::message_begin(&*held(recipient)?)?;
    fn message_opening(identity: u32, head: &[u8]) -> Zeroizing<Vec<u8>> =
        calls::base::messages::message_opening(&*held(identity)?, head)?;
    fn encryptor(
        recipients: Vec<u32>, suite: Option<&str>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<&str>, armour: Option<bool>, threads: Option<u32>,
    ) -> u32 = hold(calls::base::options::encryptor(
            &all(&recipients)?,
            EncryptOptions { suite, context, allow_mixed, profile, armour, threads },
        )?)?;
    fn decryptor(identities: Vec<u32>, context: Option<&[u8]>, profile: Option<&str>, threads: Option<u32>) -> u32 =
        hold(calls::base::options::decryptor(&all(&identities)?, context, profile, threads)?)?;
    fn rewrapper(
        identities: Vec<u32>, recipients: Vec<u32>, replace: Option<bool>, allow_mixed: Option<bool>,
        profile: Option<&str>,
    ) -> u32 = hold(calls::base::options::rewrapper(
            &all(&identities)?,
            &all(&recipients)?,
            replace,
            allow_mixed,
            profile,
        )?)?;
    fn encryptor_check(encryptor: u32) -> () = calls::base::options::encryptor_check(&*held(encryptor)?)?;
    fn encryptor_armours(encryptor: u32) -> bool = calls::base::options::encryptor_armours(&*held(encryptor)?);
    fn sealer(
        recipients: Vec<u32>, suite: Option<&str>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<&str>, armour: Option<bool>, threads: Option<u32>, plaintext_len: u64,
    ) -> (u32, Option<u64>) = {
        let (object, len) = calls::base::parts::sealer(
            &all(&recipients)?,
            EncryptOptions { suite, context, allow_mixed, profile, armour, threads },
            plaintext_len,
        )?;
        (hold(object)?, len)
    };
    fn sealer_of(encryptor: u32) -> u32 = hold(calls::base::parts::sealer_of(&*held(encryptor)?)?)?;
    fn sealer_file_len(sealer: u32, plaintext_len: u64) -> f64 =
        number(calls::base::parts::sealer_file_len(&*held(sealer)?, plaintext_len)? as u64);
    fn seal_into(sealer: Last, plaintext: &[u8], file: Output, threads: Option<u32>) -> () =
        calls::base::parts::seal_into(last(sealer)?, plaintext, file.bytes(), threads)?;
    fn sealer_head(sealer: u32) -> Vec<u8> = calls::base::parts::sealer_head(&*held(sealer)?);
    fn sealer_fill(sealer: u32, plaintext: &[u8]) -> f64 =
        number(calls::base::parts::sealer_fill(&*held(sealer)?, plaintext) as u64);
    fn sealer_unit(sealer: u32) -> Option<Part> =
        calls::base::parts::sealer_unit(&*held(sealer)?).map(Work::run).transpose()?;
    fn sealer_finish(sealer: u32) -> Part = calls::base::parts::sealer_finish(&*held(sealer)?).run()?;
    fn units_max(threads: Option<u32>) -> f64 = f64::from(calls::base::parts::units_max(threads));
    fn armour() -> u32 = hold(calls::base::parts::armour())?;
    fn armour_update(armour: u32, file: &[u8]) -> Vec<u8> = calls::base::parts::armour_update(&*held(armour)?, file);
    fn armour_finish(armour: u32) -> Vec<u8> = calls::base::parts::armour_finish(&*held(armour)?);
    fn dearmour(is_alone: bool) -> u32 = hold(calls::base::parts::dearmour(is_alone))?;
    fn dearmour_update(dearmour: u32, text: &[u8]) -> Part =
        calls::base::parts::dearmour_update(&*held(dearmour)?, text);
    fn dearmour_finish(dearmour: u32) -> Part = calls::base::parts::dearmour_finish(&*held(dearmour)?);
    fn armour_look_len(start: &[u8]) -> f64 = number(calls::base::parts::armour_look_len(start) as u64);
    fn file_start_len() -> f64 = number(calls::base::parts::file_start_len() as u64);
    fn file_head_len(start: &[u8]) -> f64 = number(calls::base::parts::file_head_len(start)? as u64);
    fn file_is_armoured(start: &[u8]) -> bool = calls::base::parts::file_is_armoured(start);
    fn opener(
        identities: Vec<u32>, context: Option<&[u8]>, profile: Option<&str>, threads: Option<u32>, head: &[u8],
        file_len: u64,
    ) -> (u32, Option<u64>) = {
        let (object, len) = calls::base::parts::opener(&all(&identities)?, context, profile, threads, head, file_len)?;
        (hold_any(object)?, len)
    };
    fn opener_of(decryptor: u32, head: &[u8]) -> u32 =
        hold(calls::base::parts::opener_of(&*held(decryptor)?, head)?)?;
    fn opener_head_len(opener: u32) -> f64 = number(calls::base::parts::opener_head_len(&*held(opener)?) as u64);
    fn opener_plaintext_len(opener: u32, file_len: u64) -> f64 =
        number(calls::base::parts::opener_plaintext_len(&*held(opener)?, file_len)? as u64);
    fn open_into(opener: Last, file: &[u8], plaintext: Output, threads: Option<u32>) -> () =
        calls::base::parts::open_into(last(opener)?, file, plaintext.bytes(), threads)?;
    fn opener_fill(opener: u32, chunks: &[u8]) -> f64 =
        number(calls::base::parts::opener_fill(&*held(opener)?, chunks) as u64);
    fn opener_unit(opener: u32) -> Option<Part> =
        calls::base::parts::opener_unit(&*held(opener)?).map(Work::run).transpose()?;
    fn opener_finish(opener: u32, is_end: bool) -> Part =
        calls::base::parts::opener_finish(&*held(opener)?, is_end).run()?;
    fn opener_at(opener: u32, first: u64, chunks: &[u8]) -> Vec<u8> =
        calls::base::parts::opener_at(&*held(opener)?, first, chunks)?;
}
