//! The base module: keys and their strings, files, messages, and algorithms for one buffer. What the engine says of a function is
//! not said again here.

use crate::boundary::{Moved, Output, Result};
use crate::handles::{all, held, hold, hold_all, last};
use sealstone::aead::{Aead, Algorithm};
use sealstone::chunked::{CHUNK_LEN, ChunkedKey, HEAD_LEN};
use sealstone::{
    ArmourDecoder, Asks, Decryptor, Encryptor, Error, FileOpener, Identity, Input, Inspection, Passphrase, Recipient,
    Rewrapper, message,
};
use sealstone_engine::aead::{self as one_buffer, Tag};
use sealstone_engine::files::{self, EncryptOptions};
use sealstone_engine::forms::{self, Read};
use sealstone_engine::numbers::number;
use sealstone_engine::parts::{self, Armouring, Dearmouring, Opening, Part, Sealing};
use sealstone_engine::stretching::{self, Stretching};
use sealstone_engine::text;
use sealstone_engine::{keys, messages};
use std::any::Any;
use std::sync::Arc;
use std::{mem, slice};
use zeroize::Zeroizing;

exports! {
    fn backend() -> String = sealstone::aead::backend()?;
    // Keys.
    fn identity_generate(kind: Option<&str>) -> u32 = hold(keys::generate(kind)?)?;
    fn identities_read(file: &[u8], passphrase: Option<&[u8]>) -> Read<u32> =
        held_keys(forms::read_identities(file, passphrase)?)?;
    fn identities_read_by(decryptor: u32, file: &[u8]) -> Read<u32> =
        held_keys(forms::read_identities_by(Some(&*held::<Decryptor>(decryptor)?), file)?)?;
    fn identities_of_bytes(bytes: &[u8]) -> Vec<u32> = hold_all(forms::identities_from_bytes(bytes)?)?;
    fn identity_of_passphrase(text: &[u8]) -> u32 = hold(Identity::from(Passphrase::from_utf8(text)?))?;
    fn identity_of_key(bytes: &[u8]) -> u32 = hold(keys::identity_of_key(bytes)?)?;
    fn identity_kind(identity: u32) -> String = held::<Identity>(identity)?.kind().name().to_owned();
    fn identity_is_slow(identity: u32) -> bool = keys::is_slow(&*held::<Identity>(identity)?);
    fn identity_recipient(identity: u32) -> u32 = hold(held::<Identity>(identity)?.recipient())?;
    fn identity_string(identity: u32, form: &str, passphrase: Option<&[u8]>) -> Option<String> =
        forms::export_identity(&*held::<Identity>(identity)?, form, passphrase)?.map(text::taken);
    fn identity_bytes(identity: u32) -> Zeroizing<Vec<u8>> =
        forms::identities_to_bytes(slice::from_ref(&*held::<Identity>(identity)?));
    fn recipients_read(file: &[u8]) -> Read<u32> = held_keys(forms::read_recipients(file)?)?;
    fn recipients_of_bytes(bytes: &[u8]) -> Vec<u32> = hold_all(forms::recipients_from_bytes(bytes)?)?;
    fn recipient_kind(recipient: u32) -> String = held::<Recipient>(recipient)?.kind().name().to_owned();
    fn recipient_fingerprint(recipient: u32) -> Option<String> = held::<Recipient>(recipient)?.fingerprint();
    fn recipient_string(recipient: u32, form: &str) -> Option<String> =
        forms::export_recipient(&*held::<Recipient>(recipient)?, form)?;
    fn recipient_bytes(recipient: u32) -> Zeroizing<Vec<u8>> =
        forms::recipients_to_bytes(slice::from_ref(&*held::<Recipient>(recipient)?));
    // Options.
    fn encryptor(
        recipients: Vec<u32>, suite: Option<&str>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<&str>, armour: Option<bool>, threads: Option<u32>,
    ) -> u32 = {
        let (suite, profile) = (suite.map(str::to_owned), profile.map(str::to_owned));
        let options = EncryptOptions { suite, context, allow_mixed, profile, armour, threads };
        hold(files::encryptor(&all(&recipients)?, &options)?)?
    };
    fn encryptor_check(encryptor: u32) -> () = held::<Encryptor>(encryptor)?.check_recipients()?;
    fn decryptor(ids: Vec<u32>, context: Option<&[u8]>, profile: Option<&str>, threads: Option<u32>) -> u32 =
        hold(files::decryptor(&all(&ids)?, context, profile, threads)?)?;
    fn rewrapper(
        own: Vec<u32>, new: Vec<u32>, replace: Option<bool>, allow_mixed: Option<bool>, profile: Option<&str>,
    ) -> u32 = hold(files::rewrapper(&all(&own)?, &all(&new)?, replace, allow_mixed, profile)?)?;
    // Keys of passphrases that another instance derives, in steps: what an encryptor, a decryptor or a rewrapper asks for.
    fn stretch_asked(of: u32, file: &[u8]) -> Zeroizing<Vec<u8>> = stretching::asked(&*asks(of)?, file);
    fn stretch_known(of: u32, asked: &[u8], key: &[u8]) -> () = stretching::know(&*asks(of)?, asked, key)?;
    fn stretching(asked: &[u8]) -> u32 = hold(Stretching::new::<Encryptor>(asked)?)?;
    fn stretching_step(stretching: u32, amount: u64) -> bool =
        held::<Stretching>(stretching)?.step(u32::try_from(amount).unwrap_or(u32::MAX));
    fn stretching_key(stretching: u32) -> Zeroizing<Vec<u8>> = held::<Stretching>(stretching)?.key();
    // Files in parts.
    fn sealer(
        recipients: Vec<u32>, suite: Option<&str>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<&str>, threads: Option<u32>, plaintext_len: u64,
    ) -> (u32, Option<u64>) = {
        let (suite, profile) = (suite.map(str::to_owned), profile.map(str::to_owned));
        let options = EncryptOptions { suite, context, allow_mixed, profile, armour: None, threads };
        let sealing = Sealing::new(&files::encryptor(&all(&recipients)?, &options)?)?;
        let len = sealing.file_len(plaintext_len)?;
        (hold(sealing)?, Some(len))
    };
    fn sealer_later(encryptor: u32) -> u32 = hold(Sealing::new(&*held::<Encryptor>(encryptor)?)?)?;
    fn sealer_file_len(sealer: u32, plaintext_len: u64) -> f64 =
        number(held::<Sealing>(sealer)?.file_len(plaintext_len)?);
    fn seal_into(sealer: u32, plaintext: &[u8], file: Output, threads: Option<u32>) -> () =
        last::<Sealing>(sealer)?.seal_into(plaintext, file.bytes(), threads)?;
    fn sealer_head(sealer: u32) -> Vec<u8> = held::<Sealing>(sealer)?.head();
    fn sealer_fill(sealer: u32, plaintext: &[u8]) -> f64 = number(held::<Sealing>(sealer)?.fill(plaintext) as u64);
    fn sealer_unit(sealer: u32) -> Option<Part> = match held::<Sealing>(sealer)?.unit() {
        Some(unit) => Some(unit.run()?),
        None => None,
    };
    fn sealer_finish(sealer: u32) -> Vec<u8> = held::<Sealing>(sealer)?.finish().run()?.0;
    fn units_max(threads: Option<u32>) -> f64 = f64::from(parts::units_max(threads));
    fn armour() -> u32 = hold(Armouring::default())?;
    fn armour_update(armour: u32, file: &[u8]) -> Vec<u8> = held::<Armouring>(armour)?.update(file);
    fn armour_finish(armour: u32) -> Vec<u8> = held::<Armouring>(armour)?.finish();
    fn dearmour(is_alone: bool) -> u32 = hold(Dearmouring::new(is_alone))?;
    fn dearmour_update(dearmour: u32, text: &[u8]) -> Part = held::<Dearmouring>(dearmour)?.update(text);
    fn dearmour_finish(dearmour: u32) -> Part = held::<Dearmouring>(dearmour)?.finish();
    fn armour_look_len(start: &[u8]) -> f64 = number(ArmourDecoder::look_len(start) as u64);
    fn file_start_len() -> f64 = number(FileOpener::START_LEN as u64);
    fn file_head_len(start: &[u8]) -> f64 = number(FileOpener::read_head_len(start)? as u64);
    fn file_is_armoured(start: &[u8]) -> bool = sealstone::is_armoured(start);
    /// Of a file of so many bytes, of which `head` is the beginning; a decryptor alone for one that is armoured.
    fn opener(
        ids: Vec<u32>, context: Option<&[u8]>, profile: Option<&str>, threads: Option<u32>, head: &[u8], file_len: u64,
    ) -> (u32, Option<u64>) = {
        let decryptor = files::decryptor(&all(&ids)?, context, profile, threads)?;
        if sealstone::is_armoured(head) {
            (hold(decryptor)?, None)
        } else {
            let opening = Opening::new(&decryptor, head)?;
            let len = opening.plaintext_len(file_len)?;
            (hold(opening)?, Some(len))
        }
    };
    fn opener_later(decryptor: u32, head: &[u8]) -> u32 = hold(Opening::new(&*held::<Decryptor>(decryptor)?, head)?)?;
    fn opener_head_len(opener: u32) -> f64 = number(held::<Opening>(opener)?.head_len() as u64);
    fn opener_plaintext_len(opener: u32, file_len: u64) -> f64 =
        number(held::<Opening>(opener)?.plaintext_len(file_len)?);
    fn open_into(opener: u32, file: &[u8], plaintext: Output, threads: Option<u32>) -> () =
        last::<Opening>(opener)?.open_into(file, plaintext.bytes(), threads)?;
    fn opener_fill(opener: u32, chunks: &[u8]) -> f64 = number(held::<Opening>(opener)?.fill(chunks) as u64);
    fn opener_unit(opener: u32) -> Option<Part> = match held::<Opening>(opener)?.unit() {
        Some(unit) => Some(unit.run()?),
        None => None,
    };
    fn opener_finish(opener: u32, is_end: bool) -> Part = held::<Opening>(opener)?.finish(is_end).run()?;
    fn opener_at(opener: u32, first: u64, chunks: &[u8]) -> Vec<u8> = held::<Opening>(opener)?.open_at(first, chunks)?;
    // Chunks that the host seals and opens: its AEAD is faster than the core's is here.
    fn chunk_len() -> f64 = number(CHUNK_LEN as u64);
    fn sealer_key(sealer: u32, algorithm: &str) -> Vec<u8> =
        mem::take(&mut *held::<Sealing>(sealer)?.key(algorithm.parse()?));
    /// Of the next chunks, which have so many bytes of the file.
    fn sealer_nonces(sealer: u32, len: u64) -> Vec<u8> = held::<Sealing>(sealer)?.nonces(size(len))?;
    fn opener_key(opener: u32, algorithm: &str) -> Vec<u8> =
        mem::take(&mut *held::<Opening>(opener)?.key(algorithm.parse()?));
    fn opener_nonces(opener: u32, first: u64, len: u64, is_end: bool) -> Vec<u8> =
        held::<Opening>(opener)?.nonces(first, size(len), is_end)?;
    /// The failure of what the host could not open: a chunk, or without a number one buffer.
    fn not_authentic(chunk: Option<u64>) -> () = Err(Error::NotAuthentic { chunk })?;
    // Files in memory.
    fn encryptor_armours(encryptor: u32) -> bool = held::<Encryptor>(encryptor)?.armours();
    fn encrypt_armoured(encryptor: u32, plaintext: &[u8]) -> Vec<u8> = last::<Encryptor>(encryptor)?.encrypt(plaintext)?;
    fn decrypt_armoured(decryptor: u32, file: &[u8]) -> Vec<u8> = last::<Decryptor>(decryptor)?.decrypt(file)?;
    fn decrypt_range(decryptor: u32, file: &[u8], start: u64, end: u64) -> Vec<u8> =
        held::<Decryptor>(decryptor)?.decrypt_range(file, start..end)?;
    fn rewrap(rewrapper: u32, file: &[u8]) -> Vec<u8> = held::<Rewrapper>(rewrapper)?.rewrap(file)?;
    fn inspect(file: &[u8]) -> Inspection = sealstone::inspect(Input::reader(file))?;
    // Messages, and chunked encryption under a key.
    fn message_len(recipient: u32, plaintext_len: u64) -> f64 =
        number(message::sealed_len(&*held::<Recipient>(recipient)?, size(plaintext_len))? as u64);
    fn message_seal_into(recipient: u32, plaintext: &[u8], aad: &[u8], message: Output) -> () =
        message::seal_into(&*held::<Recipient>(recipient)?, plaintext, aad, message.bytes())?;
    fn message_seal_armoured(recipient: u32, plaintext: &[u8], aad: &[u8]) -> String =
        messages::seal_armoured(&*held::<Recipient>(recipient)?, plaintext, aad)?;
    fn message_is_armoured(start: &[u8]) -> bool = message::is_armoured(start);
    fn message_head_len(identity: u32, start: &[u8], len: u64) -> f64 =
        number(message::place(&*held::<Identity>(identity)?, start, size(len))?.start as u64);
    /// Of a message that the host seals or opens.
    fn message_begin(recipient: u32) -> Zeroizing<Vec<u8>> = messages::begin(&*held::<Recipient>(recipient)?)?;
    fn message_opening(identity: u32, head: &[u8]) -> Zeroizing<Vec<u8>> =
        messages::opening(&*held::<Identity>(identity)?, head)?;
    fn message_open_into(identity: u32, message: &[u8], aad: &[u8], plaintext: Output) -> () =
        message::open_into(&*held::<Identity>(identity)?, message, aad, plaintext.bytes())?;
    fn message_open_armoured(identity: u32, message: &[u8], aad: &[u8]) -> Vec<u8> =
        message::open(&*held::<Identity>(identity)?, message, aad)?;
    fn chunked_key(suite: &str, key: &[u8]) -> u32 = hold(ChunkedKey::new(suite.parse()?, key)?)?;
    fn chunked_sealer(key: u32, context: &[u8]) -> u32 = hold(Sealing::chunked(&*held::<ChunkedKey>(key)?, context)?)?;
    fn chunked_opener(key: u32, context: &[u8], head: &[u8]) -> u32 =
        hold(Opening::chunked(&*held::<ChunkedKey>(key)?, context, head)?)?;
    fn chunked_head_len() -> f64 = number(HEAD_LEN as u64);
    fn chunked_encrypt(key: u32, context: &[u8], plaintext: &[u8]) -> Vec<u8> =
        held::<ChunkedKey>(key)?.encrypt(context, plaintext)?;
    fn chunked_decrypt(key: u32, context: &[u8], ciphertext: &[u8]) -> Vec<u8> =
        held::<ChunkedKey>(key)?.decrypt(context, ciphertext)?;
    // Of chunks and messages; then what a worker does with chunks.
    fn tag_len() -> f64 = number(size_of::<Tag>() as u64);
    fn chunk_key(algorithm: &str, key: &[u8]) -> u32 = hold(Aead::new(algorithm.parse::<Algorithm>()?, key)?)?;
    fn chunk_seal(key: u32, nonce: &[u8], plaintext: Moved, sealed: Output) -> () =
        one_buffer::seal_in_place(&*held::<Aead>(key)?, Some(nonce), &[], sealed.moved(plaintext, 0, size_of::<Tag>()))?;
    fn chunk_open(key: u32, nonce: &[u8], sealed: Moved, plaintext: Output) -> () = {
        let (Moved(len), mut plaintext) = (sealed, plaintext);
        held::<Aead>(key)?.open_in_place(nonce, &[], &mut plaintext.whole()[..len])?;
    };
}

type OwnAsks = dyn Asks<Kdf = <Encryptor as Asks>::Kdf>;

fn asks(number: u32) -> Result<Arc<OwnAsks>> {
    held::<Encryptor>(number)
        .map(|one| one as Arc<OwnAsks>)
        .or_else(|_| held::<Decryptor>(number).map(|one| one as Arc<OwnAsks>))
        .or_else(|_| held::<Rewrapper>(number).map(|one| one as Arc<OwnAsks>))
}

/// The length of chunks that are in JavaScript's memory, of which a part is asked for at once.
fn size(len: u64) -> usize {
    usize::try_from(len).expect("base: chunks are in memory")
}

fn held_keys<T: Any + Send + Sync>(read: Read<T>) -> Result<Read<u32>> {
    Ok(match read {
        Read::Keys(keys) => Read::Keys(hold_all(keys)?),
        Read::Other => Read::Other,
        Read::Opened(opened) => Read::Opened(opened),
    })
}
