//! What JavaScript calls: the interfaces in `bindings/js/src/backend/`. Families have a file of their own. What the engine says of a function is not said again here.

use crate::boundary::{Bytes, Failed, Fresh, text_or_bytes};
use crate::direct::{Answer, Call, directs};
use crate::handles::{all, held, hold, job_of, last};
use crate::memory::Memory;
use crate::{aead as one_buffer, exchange, hash, hazmat, mac, sign};
use napi::bindgen_prelude::{Either, Either3, JsObjectValue, Object, Uint8Array};
use napi_derive::napi;
use sealstone::aead::TAG_LEN;
use sealstone::chunked::{ChunkedKey, HEAD_LEN};
use sealstone::interop::yuants::{self, Format};
use sealstone::{
    ArmourDecoder, Decryptor, Encryptor, FileOpener, Identity, Input, Inspection, Passphrase, Recipient, Result,
    Rewrapper, StanzaInfo, Summary, encoding, message, random,
};
use sealstone_engine::aead;
use sealstone_engine::batch::{self, Batch};
use sealstone_engine::files::{self, EncryptOptions, path};
use sealstone_engine::numbers::{length, number, short};
use sealstone_engine::parts::{self, Armouring, Dearmouring, Opening, Part, Sealing};
use sealstone_engine::text::{self, taken};
use sealstone_engine::yuants::{self as compat, KeyPair};
use sealstone_engine::{Delivery, Failure, Loading, Undelivered, Wanted, keys, loading, messages};
use zeroize::Zeroizing;

/// What is called for every packet, or for 50 bytes of text.
#[napi(module_exports)]
pub fn register(mut exports: Object) -> napi::Result<()> {
    directs! { exports:
        "aeadSeal" = one_buffer::seal;
        "aeadOpen" = one_buffer::open;
        "aeadSealText" = one_buffer::seal_text;
        "aeadOpenText" = one_buffer::open_text;
        "base64EncodeInto" = base64_encode_into;
        "base64DecodeInto" = base64_decode_into;
        "cipherEncryptText" = hazmat::encrypt_text;
        "cipherDecryptText" = hazmat::decrypt_text;
        "exchangeDecapsulate" = exchange::decapsulate;
        "exchangeEncapsulate" = exchange::encapsulate;
        "hashInto" = hash::into;
        "hashText" = hash::text;
        "macInto" = mac::into;
        "macText" = mac::text;
        "macVerify" = mac::verify;
        "macVerifyText" = mac::verify_text;
        "randomFill" = random_fill;
        "signInto" = sign::into;
        "signVerify" = sign::verify;
    }
    Ok(())
}

/// Of bytes, and memory for their digits.
fn base64_encode_into(call: &Call) -> Result<Answer> {
    call.needed(0).apart(call.needed(1), |bytes, digits| {
        encoding::encode_base64_into(bytes, digits);
        Ok(Answer::NOTHING)
    })
}

/// Of digits, and memory for their bytes: how many there are.
fn base64_decode_into(call: &Call) -> Result<Answer> {
    call.needed(0).apart(call.needed(1), encoding::decode_base64_into).map(|len| call.count(len))
}

/// Of memory.
fn random_fill(call: &Call) -> Result<Answer> {
    call.needed(0).fill(random::fill)?;
    Ok(Answer::NOTHING)
}

exports! {
    /// Fails where the environment asks for a backend that is not there, whatever would compute: who asks trusts that one alone.
    fn check_backend() -> () = sealstone::forced_backend().map(drop);
    fn backend() -> String = sealstone::aead::backend();
    fn result_take(undelivered: u32, result: Memory) -> f64 =
        Ok(number(held::<Undelivered>(undelivered).take(|at, bytes| result.to_fill().part(at, bytes.len()).write(bytes)) as u64));
    // Keys.
    fn identity_generate(kind: Option<String>) -> u32 = keys::generate(kind.as_deref()).map(hold);
    fn identities_parse(file: &[u8], passphrase: Option<&[u8]>) -> Vec<u32> =
        keys::identities(file, passphrase).map(hold_all);
    fn identity_of_passphrase(text: &[u8]) -> u32 = Ok(hold(Identity::from(Passphrase::from_utf8(text)?)));
    fn identity_of_key(bytes: &[u8]) -> u32 = keys::identity_of_key(bytes).map(hold);
    fn identity_kind(identity: u32) -> &'static str = Ok(held::<Identity>(identity).kind().name());
    fn identity_is_slow(identity: u32) -> bool = Ok(keys::is_slow(&held::<Identity>(identity)));
    fn identity_recipient(identity: u32) -> u32 = Ok(hold(held::<Identity>(identity).recipient()));
    fn identity_export(identity: u32, form: String, passphrase: Option<&[u8]>) -> Either<String, Bytes> =
        keys::export_identity(&held::<Identity>(identity), &form, passphrase).map(text_or_bytes);
    fn recipients_parse(file: &[u8]) -> Vec<u32> = keys::recipients(file).map(hold_all);
    fn recipient_kind(recipient: u32) -> &'static str = Ok(held::<Recipient>(recipient).kind().name());
    fn recipient_fingerprint(recipient: u32) -> Option<String> = Ok(held::<Recipient>(recipient).fingerprint());
    fn recipient_export(recipient: u32, form: String) -> Either<String, Bytes> =
        keys::export_recipient(&held::<Recipient>(recipient), &form).map(text_or_bytes);
    // Options, and jobs.
    fn encryptor(
        recipients: Vec<u32>, suite: Option<String>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<String>, armour: Option<bool>, threads: Option<u32>,
    ) -> u32 = {
        let options = EncryptOptions { suite, context, allow_mixed, profile, armour, threads };
        files::encryptor(&all(&recipients), &options).map(hold)
    };
    fn decryptor(ids: Vec<u32>, context: Option<&[u8]>, profile: Option<String>, threads: Option<u32>) -> u32 =
        files::decryptor(&all(&ids), context, profile.as_deref(), threads).map(hold);
    fn rewrapper(
        own: Vec<u32>, new: Vec<u32>, replace: Option<bool>, allow_mixed: Option<bool>, profile: Option<String>,
    ) -> u32 = files::rewrapper(&all(&own), &all(&new), replace, allow_mixed, profile.as_deref()).map(hold);
    fn job() -> u32 = Ok(hold(Wanted::new()));
    fn job_cancel(job: u32) -> () = Ok(job_of(job).cancel());
    /// Bytes that are done, and of how many, where that is known.
    fn job_progress(job: u32) -> Vec<f64> = Ok(job_of(job).progress().map(number).collect::<Vec<_>>());
    // Files in parts.
    /// A sealer, and the length of the file of a plaintext of that length.
    fn sealer(
        recipients: Vec<u32>, suite: Option<String>, context: Option<&[u8]>, allow_mixed: Option<bool>,
        profile: Option<String>, threads: Option<u32>, plaintext_len: f64,
    ) -> Vec<f64> = {
        let options = EncryptOptions { suite, context, allow_mixed, profile, armour: None, threads };
        let sealing = Sealing::new(&files::encryptor(&all(&recipients), &options)?)?;
        let len = sealing.file_len(length(plaintext_len))?;
        Ok(vec![f64::from(hold(sealing)), number(len)])
    };
    fn sealer_file_len(sealer: u32, plaintext_len: f64) -> f64 =
        held::<Sealing>(sealer).file_len(length(plaintext_len)).map(number);
    fn seal_into(sealer: u32, plaintext: Memory, file: Memory, threads: Option<u32>) -> () =
        plaintext.apart(file, |plaintext, file| last::<Sealing>(sealer).seal_into(plaintext, file, threads));
    fn sealer_head(sealer: u32) -> Bytes = Ok(held::<Sealing>(sealer).head());
    fn sealer_fill(sealer: u32, plaintext: &[u8]) -> u32 = Ok(short(held::<Sealing>(sealer).fill(plaintext)));
    fn memory(len: f64) -> Fresh = Ok(Fresh(length(len)));
    fn units_max(threads: Option<u32>) -> u32 = Ok(parts::units_max(threads));
    fn armour() -> u32 = Ok(hold(Armouring::default()));
    fn armour_update(armour: u32, file: &[u8]) -> Bytes = Ok(held::<Armouring>(armour).update(file));
    fn armour_finish(armour: u32) -> Bytes = Ok(held::<Armouring>(armour).finish());
    fn dearmour(is_alone: bool) -> u32 = Ok(hold(Dearmouring::new(is_alone)));
    fn dearmour_update(dearmour: u32, text: &[u8]) -> Unit = Ok(held::<Dearmouring>(dearmour).update(text));
    fn dearmour_finish(dearmour: u32) -> Unit = Ok(held::<Dearmouring>(dearmour).finish());
    fn armour_look_len(start: &[u8]) -> u32 = Ok(short(ArmourDecoder::look_len(start)));
    fn file_start_len() -> u32 = Ok(short(FileOpener::START_LEN));
    fn file_head_len(start: &[u8]) -> u32 = FileOpener::read_head_len(start).map(short);
    fn file_is_armoured(start: &[u8]) -> bool = Ok(sealstone::is_armoured(start));
    /// An opener, and the length of the file's plaintext; a decryptor alone for one that is armoured.
    fn opener(
        ids: Vec<u32>, context: Option<&[u8]>, profile: Option<String>, threads: Option<u32>, file: &[u8],
    ) -> Vec<f64> = {
        let decryptor = files::decryptor(&all(&ids), context, profile.as_deref(), threads)?;
        if sealstone::is_armoured(file) {
            return Ok(vec![f64::from(hold(decryptor))]);
        }
        let opening = Opening::new(&decryptor, file)?;
        let len = opening.plaintext_len(file.len() as u64)?;
        Ok(vec![f64::from(hold(opening)), number(len)])
    };
    fn open_into(opener: u32, file: Memory, plaintext: Memory, threads: Option<u32>) -> () =
        file.apart(plaintext, |file, plaintext| last::<Opening>(opener).open_into(file, plaintext, threads));
    fn opener_fill(opener: u32, chunks: &[u8]) -> u32 = Ok(short(held::<Opening>(opener).fill(chunks)));
    fn opener_at(opener: u32, first: f64, chunks: &[u8]) -> Bytes =
        held::<Opening>(opener).open_at(length(first), chunks);
    // Files in memory.
    fn loading() -> u32 = Ok(hold(Loading::default()));
    fn loading_update(loading: u32, part: &[u8], len: f64) -> () = held::<Loading>(loading).update(part, length(len));
    fn encrypt_armoured(encryptor: u32, plaintext: &[u8]) -> Bytes = last::<Encryptor>(encryptor).encrypt(plaintext);
    fn decrypt_armoured(decryptor: u32, file: &[u8]) -> Bytes = last::<Decryptor>(decryptor).decrypt(file);
    fn decrypt_range(decryptor: u32, file: &[u8], start: f64, end: f64) -> Bytes =
        held::<Decryptor>(decryptor).decrypt_range(file, length(start)..length(end));
    fn rewrap(rewrapper: u32, file: &[u8]) -> Bytes = held::<Rewrapper>(rewrapper).rewrap(file);
    fn inspect(file: &[u8]) -> Seen = sealstone::inspect(Input::reader(file));
    // Messages, chunked encryption under a key, and many small files at once.
    fn message_len(recipient: u32, plaintext_len: f64) -> f64 =
        message::sealed_len(&held::<Recipient>(recipient), usize::try_from(length(plaintext_len)).unwrap_or(usize::MAX))
            .map(|len| number(len as u64));
    fn message_seal_into(recipient: u32, plaintext: Memory, aad: Memory, message: Memory) -> () = {
        let aad = aad.beside(message);
        let recipient = held::<Recipient>(recipient);
        plaintext.apart(message, |plaintext, message| message::seal_into(&recipient, plaintext, &aad, message))
    };
    fn message_seal_armoured(recipient: u32, plaintext: &[u8], aad: &[u8]) -> String =
        messages::seal_armoured(&held::<Recipient>(recipient), plaintext, aad);
    fn message_is_armoured(start: &[u8]) -> bool = Ok(message::is_armoured(start));
    fn message_head_len(identity: u32, message: &[u8]) -> f64 =
        message::place(&held::<Identity>(identity), message, message.len()).map(|place| number(place.start as u64));
    fn message_open_into(identity: u32, message: Memory, aad: Memory, plaintext: Memory) -> () = {
        let aad = aad.beside(plaintext);
        let identity = held::<Identity>(identity);
        message.apart(plaintext, |message, plaintext| message::open_into(&identity, message, &aad, plaintext))
    };
    fn message_open_armoured(identity: u32, message: &[u8], aad: &[u8]) -> Bytes =
        message::open(&held::<Identity>(identity), message, aad);
    fn chunked_key(suite: String, key: &[u8]) -> u32 = ChunkedKey::new(suite.parse()?, key).map(hold);
    fn chunked_sealer(key: u32, context: &[u8]) -> u32 = Sealing::chunked(&held::<ChunkedKey>(key), context).map(hold);
    fn chunked_opener(key: u32, context: &[u8], head: &[u8]) -> u32 =
        Opening::chunked(&held::<ChunkedKey>(key), context, head).map(hold);
    fn tag_len() -> u32 = Ok(short(TAG_LEN));
    fn chunked_head_len() -> u32 = Ok(short(HEAD_LEN));
    fn chunked_encrypt(key: u32, context: &[u8], plaintext: &[u8]) -> Bytes =
        held::<ChunkedKey>(key).encrypt(context, plaintext);
    fn chunked_decrypt(key: u32, context: &[u8], ciphertext: &[u8]) -> Bytes =
        held::<ChunkedKey>(key).decrypt(context, ciphertext);
    // What `sealstone/compat/yuants` is made of, and bytes as text.
    fn yuants_key_pair(seed: Option<&[u8]>) -> KeyPairText = compat::key_pair(seed);
    fn yuants_key_pair_of(private: String) -> KeyPairText = compat::key_pair_of(&Zeroizing::new(private));
    fn yuants_x25519() -> KeyPairText = compat::generate_x25519();
    fn yuants_shared_key(public: String, private: String) -> String =
        yuants::derive_shared_key(&public, &Zeroizing::new(private)).map(taken);
    fn yuants_sign(private: &[u8], message: &[u8]) -> Bytes = Ok(yuants::private_key_of(private)?.sign(message));
    fn yuants_sign_text(private: String, message: &[u8]) -> String =
        compat::sign_text(&Zeroizing::new(private), message);
    fn yuants_verify(public: String, message: &[u8], signature: String, malleable: Option<bool>) -> bool =
        compat::verify(&public, message, &signature, malleable.unwrap_or(false));
    fn yuants_head_len(format: String) -> u32 = Ok(short(format.parse::<Format>()?.head_len()));
    fn yuants_tail_len(format: String) -> u32 = Ok(short(format.parse::<Format>()?.tail_len()));
    fn yuants_head_len_of(format: String, sealed: &[u8]) -> f64 =
        Ok(number(format.parse::<Format>()?.head_len_of(sealed)? as u64));
    fn yuants_seal(format: String, key: String, plaintext: Memory, sealed: Memory) -> () = {
        let (key, format) = (Zeroizing::new(key), format.parse::<Format>()?);
        sealed.with_moved(plaintext, format.head_len(), format.tail_len(), |sealed| compat::seal(&key, format, sealed))
    };
    fn yuants_open(format: String, key: String, sealed: Memory, plaintext: Memory) -> f64 = {
        let (key, format) = (Zeroizing::new(key), format.parse::<Format>()?);
        let head_len = sealed.read(|sealed| format.head_len_of(sealed))?;
        let (head, rest) = sealed.split_at(head_len).expect("yuants: the head is there");
        let head = head.beside(plaintext);
        let len = plaintext.with_moved(rest, 0, 0, |buffer| format.open_in_place(&key, &head, buffer))?;
        Ok(number(len as u64))
    };
    fn yuants_hmac(hash: String, key: &[u8], data: &[u8]) -> Bytes = compat::hmac(&hash, key, data);
    /// As 16 hexadecimal digits.
    fn yuants_fnv(data: &[u8]) -> String = Ok(format!("{:016x}", yuants::fnv1a64(data)));
    fn encode_text(encoding: String, data: &[u8]) -> String = text::encode(&encoding, data);
    fn decode_text(encoding: String, text: String) -> Bytes = text::decode(&encoding, &Zeroizing::new(text));
}

promises! {
    fn aead_seal_loaded(key: u32, nonce: Option<&[u8]>, aad: &[u8], loading: u32, job: u32) => deliver,
        aead::seal_loaded(held(key), nonce.map(<[u8]>::to_vec), aad.to_vec(), held(loading), job_of(job));
    fn aead_open_loaded(key: u32, nonce: Option<&[u8]>, aad: &[u8], loading: u32, job: u32) => deliver,
        aead::open_loaded(held(key), nonce.map(<[u8]>::to_vec), aad.to_vec(), held(loading), job_of(job));
    fn identities_parse_later(file: &[u8], passphrase: Option<&[u8]>) => hold_all,
        keys::identities_later(file.to_vec().into(), passphrase)?;
    fn sealer_later(encryptor: u32, job: u32) => hold, Sealing::later(held(encryptor), job_of(job));
    fn opener_later(decryptor: u32, head: &[u8], job: u32) => hold,
        Opening::later(held(decryptor), head.to_vec(), job_of(job));
    fn sealer_unit(sealer: u32) => Unit::from, held::<Sealing>(sealer).unit();
    fn opener_unit(opener: u32) => Unit::from, held::<Opening>(opener).unit();
    fn sealer_finish(sealer: u32) => Unit::from, held::<Sealing>(sealer).finish();
    fn opener_finish(opener: u32, is_end: bool) => Unit::from, held::<Opening>(opener).finish(is_end);
    fn seal_part(sealer: u32, part: Memory, file: Memory) => |()| (), {
        let sealing = held::<Sealing>(sealer);
        let lent = part.read(|part| file.lend(sealing.placed(), |rest| sealing.place(part, rest)))?;
        lent.map(|(unit, lent)| parts::seal_placed(unit, lent))
    };
    fn open_part(opener: u32, part: Memory, plaintext: Memory) => |is_last| is_last, {
        let opening = held::<Opening>(opener);
        let lent = part.read(|part| plaintext.lend(opening.placed(), |rest| opening.place(part, rest)))?;
        lent.map(|(unit, lent)| parts::open_placed(unit, lent))
    };
    fn decrypt_loaded(decryptor: u32, loading: u32, job: u32, threads: Option<u32>) => deliver,
        loading::decrypt_loaded(held(decryptor), held(loading), job_of(job), threads);
    fn encrypt_armoured_loaded(encryptor: u32, loading: u32, job: u32) => deliver,
        loading::encrypt_armoured_loaded(held(encryptor), held(loading), job_of(job));
    fn decrypt_range_loaded(decryptor: u32, loading: u32, start: f64, end: f64, job: u32) => deliver,
        loading::decrypt_range_loaded(held(decryptor), held(loading), length(start)..length(end), job_of(job));
    fn rewrap_loaded(rewrapper: u32, loading: u32, job: u32) => deliver,
        loading::rewrap_loaded(held(rewrapper), held(loading), job_of(job));
    fn encrypt_file(by: u32, input: &[u8], output: &[u8], replace: bool, special: bool, job: u32) => Processed::from,
        files::encrypt_file(held::<Encryptor>(by), path(input), path(output), replace, special, job_of(job));
    fn decrypt_file(by: u32, input: &[u8], output: &[u8], replace: bool, special: bool, job: u32) => Processed::from,
        files::decrypt_file(held::<Decryptor>(by), path(input), path(output), replace, special, job_of(job));
    fn verify_file(decryptor: u32, input: &[u8], special: bool, job: u32) => Processed::from,
        files::verify_file(held(decryptor), path(input), special, job_of(job));
    fn rewrap_file(rewrapper: u32, file: &[u8], split: bool, job: u32) => Processed::from,
        files::rewrap_file(held(rewrapper), path(file), split, job_of(job));
    fn decrypt_range_file(decryptor: u32, input: &[u8], start: f64, end: f64, special: bool, job: u32) => deliver,
        files::decrypt_range_file(held::<Decryptor>(decryptor), path(input), length(start)..length(end), special, job_of(job));
    fn inspect_file(file: &[u8], special: bool, job: u32) => Seen::from,
        files::inspect_file(path(file), special, job_of(job));
    fn message_seal_placed(recipient: u32, aad: &[u8], message: Memory) => |()| (),
        messages::seal_placed(held(recipient), aad.to_vec(), message.lend_all());
    fn message_open_placed(identity: u32, head: &[u8], aad: &[u8], text: Memory, tag: &[u8]) => |()| (), {
        let tag = tag.try_into().expect("exports: a tag has its length");
        messages::open_placed(held(identity), head.to_vec(), aad.to_vec(), text.lend_all(), tag)
    };
    fn message_seal_armoured_loaded(recipient: u32, loading: u32, aad: &[u8], job: u32) => deliver,
        messages::seal_armoured_loaded(held(recipient), held(loading), aad.to_vec(), job_of(job));
    fn message_open_armoured_loaded(identity: u32, loading: u32, aad: &[u8], job: u32) => deliver,
        messages::open_loaded(held(identity), held(loading), aad.to_vec(), job_of(job));
    fn encrypt_batch(encryptor: u32, data: &[u8], lengths: &[u32], job: u32, threads: Option<u32>) => Results::from,
        batch::encrypt_batch(held(encryptor), data.to_vec().into(), lengths.to_vec(), job_of(job), threads);
    fn decrypt_batch(decryptor: u32, data: &[u8], lengths: &[u32], job: u32, threads: Option<u32>) => Results::from,
        batch::decrypt_batch(held(decryptor), data.to_vec().into(), lengths.to_vec(), job_of(job), threads);
    fn yuants_seal_loaded(format: String, key: String, loading: u32) => deliver,
        compat::seal_loaded(Zeroizing::new(key), format.parse()?, held(loading));
    fn yuants_open_loaded(format: String, key: String, loading: u32) => deliver,
        compat::open_loaded(Zeroizing::new(key), format.parse()?, held(loading));
    fn yuants_hmac_loaded(hash: String, key: &[u8], loading: u32) => Bytes::from,
        compat::hmac_loaded(hash, key.to_vec().into(), held(loading));
}

objects! {
    /// A long result that is still the addon's, as JavaScript fetches it.
    Fetched of (rest, len) => (Undelivered, usize) { undelivered: u32 = hold(rest), length: f64 = number(len as u64), }
    /// What a unit of a stream became, and what failed behind it.
    Unit of (bytes, error) => Part {
        bytes: Bytes = bytes.into(), failure: Option<Failed> = error.map(|error| Failure::from(error).into()),
    }
    Processed of done => Summary { plaintext: f64 = number(done.plaintext), ciphertext: f64 = number(done.ciphertext), }
    /// The results of many operations, one behind the other in memory of the addon's: JavaScript cuts them out of it.
    Results of batch => Batch {
        bytes: Uint8Array = batch.bytes.into(), lengths: Vec<u32> = batch.lengths,
        failures: Vec<ResultFailed> = batch.failures.into_iter().map(ResultFailed::from).collect(),
    }
    ResultFailed of (index, failure) => (u32, Failure) {
        index: u32 = index, code: String = failure.code.to_owned(), message: String = failure.message,
    }
    Seen of seen => Inspection {
        version: u8 = seen.version, suite: String = seen.suite.name().to_owned(), context_bound: bool = seen.context_bound,
        armoured: bool = seen.armoured, header_len: f64 = number(seen.header_len),
        stanzas: Vec<SeenStanza> = seen.stanzas.into_iter().map(SeenStanza::from).collect(),
        payload_len: f64 = number(seen.payload_len), plaintext_len: f64 = number(seen.plaintext_len),
        chunks: f64 = number(seen.chunks),
    }
    SeenStanza of stanza => StanzaInfo {
        kind: String = stanza.kind.to_owned(), type_id: u16 = stanza.type_id, body_len: u32 = short(stanza.body_len),
    }
    /// Two keys as text; JavaScript's strings cannot be zeroed.
    KeyPairText of (public, private) => KeyPair { public_key: String = public, private_key: String = taken(private), }
}

/// Hands over a result of work: one that is long is fetched in turns of the event loop.
pub fn deliver(result: impl Into<Delivery>) -> Either3<Bytes, Fetched, String> {
    match result.into() {
        Delivery::AtOnce(bytes) => Either3::A(Bytes(bytes)),
        Delivery::InTurns(rest, len) => Either3::B((rest, len).into()),
        Delivery::Text(text) => Either3::C(taken(text)),
    }
}

fn hold_all<T: Send + Sync + 'static>(found: Vec<T>) -> Vec<u32> {
    found.into_iter().map(hold).collect()
}
