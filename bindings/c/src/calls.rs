//! The functions of the calls, and the structures of their options and results. `make generate` writes them.

#![allow(
    clippy::wildcard_imports,
    clippy::needless_update,
    clippy::struct_excessive_bools,
    clippy::let_unit_value,
    clippy::unit_arg,
    clippy::useless_conversion
)]

use crate::arguments::{self as given, Memory, Moved, Read, Watched};
use crate::results::{self, Bytes, Error, List, Place, PlaceOfSize, guard, hold};
use sealstone_engine::calls::{self, records};
use sealstone_engine::hashing::algorithm_id;
use sealstone_engine::{Failure, Work};
use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};
use zeroize::Zeroizing;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_identity_generate(kind: *const c_char, out: *mut *mut Bytes) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::text(kind, "kind")?;
        out.put(results::bytes(calls::age::age_identity_generate(kind)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_identity_new(
    text: *const u8,
    text_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut sealstone::interop::age::Identity,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::bytes(text, text_len, "text")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(calls::age::age_identity(text, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_identity_of_passphrase(
    text: *const u8,
    text_len: usize,
    out: *mut *mut sealstone::interop::age::Identity,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::bytes(text, text_len, "text")?;
        out.put(hold(calls::age::age_identity_of_passphrase(text)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_identity_recipient(
    identity: *const sealstone::interop::age::Identity,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identity = given::object(identity, "identity")?;
        out.put(results::bytes(calls::age::age_identity_recipient(identity)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_recipient_new(
    text: *const c_char,
    out: *mut *mut sealstone::interop::age::Recipient,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::text(text, "text")?;
        out.put(hold(calls::age::age_recipient(text)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_recipient_of_passphrase(
    text: *const u8,
    text_len: usize,
    log_n: u32,
    out: *mut *mut sealstone::interop::age::Recipient,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::bytes(text, text_len, "text")?;
        out.put(hold(calls::age::age_recipient_of_passphrase(text, log_n)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_recipient_of_point(
    point: *const u8,
    point_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let point = given::bytes(point, point_len, "point")?;
        out.put(results::bytes(calls::age::age_recipient_of_point(point)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_encryptor_new(
    recipients: *const *const sealstone::interop::age::Recipient,
    recipients_count: usize,
    threads: u32,
    out: *mut *mut sealstone::interop::age::Encryptor,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipients = given::objects(recipients, recipients_count, "recipients")?;
        let threads = given::optional_number(threads);
        out.put(hold(calls::age::age_encryptor(&recipients, threads)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_decryptor_new(
    identities: *const *const sealstone::interop::age::Identity,
    identities_count: usize,
    threads: u32,
    out: *mut *mut sealstone::interop::age::Decryptor,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identities = given::objects(identities, identities_count, "identities")?;
        let threads = given::optional_number(threads);
        out.put(hold(calls::age::age_decryptor(&identities, threads)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_head_len(start: *const u8, start_len: usize, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::age::age_head_len(start)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealed_len(plaintext_len: u64, out: *mut u64) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        out.put(calls::age::age_sealed_len(plaintext_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opened_len(chunks_len: u64, out: *mut u64) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        out.put(calls::age::age_opened_len(chunks_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_age_chunk_len() -> usize {
    calls::age::age_chunk_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_stanzas(head: *const u8, head_len: usize, out: *mut *mut Bytes) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let head = given::bytes(head, head_len, "head")?;
        out.put(results::bytes(calls::age::age_stanzas(head)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_wrap(
    recipient: *const sealstone::interop::age::Recipient,
    file_key: *const u8,
    file_key_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipient = given::object(recipient, "recipient")?;
        let file_key = given::bytes(file_key, file_key_len, "file_key")?;
        out.put(results::bytes(calls::age::age_wrap(recipient, file_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_x25519_share(
    stanza: *const u8,
    stanza_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let stanza = given::bytes(stanza, stanza_len, "stanza")?;
        out.put(results::bytes(calls::age::age_x25519_share(stanza)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_x25519_file_key(
    stanza: *const u8,
    stanza_len: usize,
    public_key: *const u8,
    public_key_len: usize,
    secret: *const u8,
    secret_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let stanza = given::bytes(stanza, stanza_len, "stanza")?;
        let public_key = given::bytes(public_key, public_key_len, "public_key")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        out.put(results::bytes(calls::age::age_x25519_file_key(stanza, public_key, secret)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_file_key(
    decryptor: *const sealstone::interop::age::Decryptor,
    header: *const u8,
    header_len: usize,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let header = given::bytes(header, header_len, "header")?.to_vec();
        let job = Watched::of(job);
        out.put(results::bytes(calls::age::age_file_key_later(decryptor, header, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_new(
    encryptor: *const sealstone::interop::age::Encryptor,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::age::Sealing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let job = Watched::of(job);
        out.put(hold(calls::age::age_sealer_later(encryptor, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_of_stanzas(
    stanzas: *const u8,
    stanzas_len: usize,
    file_key: *const u8,
    file_key_len: usize,
    out: *mut *mut sealstone_engine::age::Sealing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let stanzas = given::bytes(stanzas, stanzas_len, "stanzas")?;
        let file_key = given::bytes(file_key, file_key_len, "file_key")?;
        out.put(hold(calls::age::age_sealer_of_stanzas(stanzas, file_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_head(
    sealer: *const sealstone_engine::age::Sealing,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let sealer = given::object(sealer, "sealer")?;
        out.put(results::bytes(calls::age::age_sealer_head(sealer)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_fill(
    sealer: *const sealstone_engine::age::Sealing,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let sealer = given::object(sealer, "sealer")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(calls::age::age_sealer_fill(sealer, plaintext));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_unit(
    sealer: *const sealstone_engine::age::Sealing,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let sealer = given::object(sealer, "sealer")?;
        if let Some(result) = calls::age::age_sealer_unit(sealer).map(Work::run).transpose()? {
            return results::part(out, result);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_finish(
    sealer: *const sealstone_engine::age::Sealing,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let sealer = given::object(sealer, "sealer")?;
        results::part(out, calls::age::age_sealer_finish(sealer).run()?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_new(
    decryptor: *const sealstone::interop::age::Decryptor,
    head: *const u8,
    head_len: usize,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::age::Opening,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let head = given::bytes(head, head_len, "head")?.to_vec();
        let job = Watched::of(job);
        out.put(hold(calls::age::age_opener_later(decryptor, head, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_of_file_key(
    head: *const u8,
    head_len: usize,
    file_key: *const u8,
    file_key_len: usize,
    out: *mut *mut sealstone_engine::age::Opening,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let head = given::bytes(head, head_len, "head")?;
        let file_key = given::bytes(file_key, file_key_len, "file_key")?;
        out.put(hold(calls::age::age_opener_of_file_key(head, file_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_fill(
    opener: *const sealstone_engine::age::Opening,
    chunks: *const u8,
    chunks_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let opener = given::object(opener, "opener")?;
        let chunks = given::bytes(chunks, chunks_len, "chunks")?;
        out.put(calls::age::age_opener_fill(opener, chunks));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_unit(
    opener: *const sealstone_engine::age::Opening,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let opener = given::object(opener, "opener")?;
        if let Some(result) = calls::age::age_opener_unit(opener).map(Work::run).transpose()? {
            return results::part(out, result);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_finish(
    opener: *const sealstone_engine::age::Opening,
    is_end: bool,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let opener = given::object(opener, "opener")?;
        results::part(out, calls::age::age_opener_finish(opener, is_end).run()?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_at(
    opener: *const sealstone_engine::age::Opening,
    first: u64,
    chunks: *const u8,
    chunks_len: usize,
    is_end: bool,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let opener = given::object(opener, "opener")?;
        let chunks = given::bytes(chunks, chunks_len, "chunks")?;
        out.put(results::bytes(calls::age::age_opener_at(opener, first, chunks, is_end)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_armour(file: *const u8, file_len: usize, out: *mut *mut Bytes) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(results::bytes(calls::age::age_armour(file)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_dearmour(text: *const u8, text_len: usize, out: *mut *mut Bytes) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::bytes(text, text_len, "text")?;
        out.put(results::bytes(calls::age::age_dearmour(text)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_is_armoured(start: *const u8, start_len: usize, out: *mut bool) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::age::age_is_armoured(start));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_encrypt_file(
    encryptor: *const sealstone::interop::age::Encryptor,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let input = given::path(input, "input")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(&Processed::from(
            calls::age::age_encrypt_file(encryptor, input, output, replace, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_decrypt_file(
    decryptor: *const sealstone::interop::age::Decryptor,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(&Processed::from(
            calls::age::age_decrypt_file(decryptor, input, output, replace, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_decrypt_range_file(
    decryptor: *const sealstone::interop::age::Decryptor,
    input: *const c_char,
    start: u64,
    end: u64,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let job = Watched::of(job);
        out.put(results::bytes(
            calls::age::age_decrypt_range_file(decryptor, input, start, end, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_folder(
    encryptor: *const sealstone::Encryptor,
    folders: *const u8,
    folders_len: usize,
    output: *const c_char,
    replace: bool,
    exclude: *const u8,
    exclude_len: usize,
    compression: *const c_char,
    one_file_system: bool,
    owners: bool,
    attributes: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Archived,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let folders = given::bytes(folders, folders_len, "folders")?.to_vec();
        let output = given::path(output, "output")?;
        let exclude = given::bytes(exclude, exclude_len, "exclude")?.to_vec();
        let compression = given::optional_text(compression, "compression")?.map(str::to_owned);
        let job = Watched::of(job);
        out.put(hold(Archived::from(
            calls::base::archives::encrypt_folder(
                encryptor,
                folders,
                output,
                replace,
                exclude,
                compression,
                one_file_system,
                owners,
                attributes,
                job.get(),
            )
            .run()?,
        )));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_list_archive(
    decryptor: *const sealstone::Decryptor,
    input: *const c_char,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Listing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let job = Watched::of(job);
        out.put(hold(Listing::from(calls::base::archives::list_archive(decryptor, input, job.get()).run()?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_extract_archive(
    decryptor: *const sealstone::Decryptor,
    input: *const c_char,
    folder: *const c_char,
    paths: *const u8,
    paths_len: usize,
    replace: bool,
    outside_links: bool,
    special_bits: bool,
    owners: bool,
    attributes: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Extracted,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let folder = given::path(folder, "folder")?;
        let paths = given::bytes(paths, paths_len, "paths")?.to_vec();
        let job = Watched::of(job);
        out.put(&Extracted::from(
            calls::base::archives::extract_archive(
                decryptor,
                input,
                folder,
                paths,
                replace,
                outside_links,
                special_bits,
                owners,
                attributes,
                job.get(),
            )
            .run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_backend(out: *mut *mut Bytes) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(results::bytes(calls::base::backend::backend()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_key_new(
    suite: *const c_char,
    key: *const u8,
    key_len: usize,
    out: *mut *mut sealstone::chunked::ChunkedKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let suite = given::text(suite, "suite")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::base::chunked::chunked_key(suite, key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_sealer(
    key: *const sealstone::chunked::ChunkedKey,
    context: *const u8,
    context_len: usize,
    out: *mut *mut sealstone_engine::parts::Sealing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let context = given::bytes(context, context_len, "context")?;
        out.put(hold(calls::base::chunked::chunked_sealer(key, context)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_opener(
    key: *const sealstone::chunked::ChunkedKey,
    context: *const u8,
    context_len: usize,
    head: *const u8,
    head_len: usize,
    out: *mut *mut sealstone_engine::parts::Opening,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let context = given::bytes(context, context_len, "context")?;
        let head = given::bytes(head, head_len, "head")?;
        out.put(hold(calls::base::chunked::chunked_opener(key, context, head)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_chunked_head_len() -> usize {
    calls::base::chunked::chunked_head_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_encrypt(
    key: *const sealstone::chunked::ChunkedKey,
    context: *const u8,
    context_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let context = given::bytes(context, context_len, "context")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(results::bytes(calls::base::chunked::chunked_encrypt(key, context, plaintext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_decrypt(
    key: *const sealstone::chunked::ChunkedKey,
    context: *const u8,
    context_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let context = given::bytes(context, context_len, "context")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        out.put(results::bytes(calls::base::chunked::chunked_decrypt(key, context, ciphertext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_tag_len() -> usize {
    calls::base::chunked::tag_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_range(
    decryptor: *const sealstone::Decryptor,
    file: *const u8,
    file_len: usize,
    start: u64,
    end: u64,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::object(decryptor, "decryptor")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(results::bytes(calls::base::files::decrypt_range(decryptor, file, start, end)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rewrap(
    rewrapper: *const sealstone::Rewrapper,
    file: *const u8,
    file_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let rewrapper = given::object(rewrapper, "rewrapper")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(results::bytes(calls::base::files::rewrap(rewrapper, file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspect(file: *const u8, file_len: usize, out: *mut *mut Inspection) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(Inspection::from(calls::base::files::inspect(file)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_batch(
    encryptor: *const sealstone::Encryptor,
    data: *const u8,
    data_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    job: *const sealstone_engine::Wanted,
    threads: u32,
    out: *mut *mut BatchResult,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let data = Zeroizing::new(given::bytes(data, data_len, "data")?.to_vec());
        let lengths = given::numbers(lengths, lengths_count, "lengths")?.to_vec();
        let job = Watched::of(job);
        let threads = given::optional_number(threads);
        out.put(hold(BatchResult::from(
            calls::base::files::encrypt_batch(encryptor, data, lengths, job.get(), threads).run()?,
        )));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_batch(
    decryptor: *const sealstone::Decryptor,
    data: *const u8,
    data_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    job: *const sealstone_engine::Wanted,
    threads: u32,
    out: *mut *mut BatchResult,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let data = Zeroizing::new(given::bytes(data, data_len, "data")?.to_vec());
        let lengths = given::numbers(lengths, lengths_count, "lengths")?.to_vec();
        let job = Watched::of(job);
        let threads = given::optional_number(threads);
        out.put(hold(BatchResult::from(
            calls::base::files::decrypt_batch(decryptor, data, lengths, job.get(), threads).run()?,
        )));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_file(
    encryptor: *const sealstone::Encryptor,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let input = given::path(input, "input")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(&Processed::from(
            calls::base::files::encrypt_file(encryptor, input, output, replace, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_file(
    decryptor: *const sealstone::Decryptor,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(&Processed::from(
            calls::base::files::decrypt_file(decryptor, input, output, replace, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verify_file(
    decryptor: *const sealstone::Decryptor,
    input: *const c_char,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let job = Watched::of(job);
        out.put(&Processed::from(calls::base::files::verify_file(decryptor, input, special, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rewrap_file(
    rewrapper: *const sealstone::Rewrapper,
    file: *const c_char,
    split_links: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let rewrapper = given::shared(rewrapper, "rewrapper")?;
        let file = given::path(file, "file")?;
        let job = Watched::of(job);
        out.put(&Processed::from(calls::base::files::rewrap_file(rewrapper, file, split_links, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_range_file(
    decryptor: *const sealstone::Decryptor,
    input: *const c_char,
    start: u64,
    end: u64,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let input = given::path(input, "input")?;
        let job = Watched::of(job);
        out.put(results::bytes(
            calls::base::files::decrypt_range_file(decryptor, input, start, end, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspect_file(
    file: *const c_char,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Inspection,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::path(file, "file")?;
        let job = Watched::of(job);
        out.put(hold(Inspection::from(calls::base::files::inspect_file(file, special, job.get()).run()?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_generate(
    kind: *const c_char,
    out: *mut *mut sealstone::Identity,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::optional_text(kind, "kind")?;
        out.put(hold(calls::base::keys::identity_generate(kind)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identities_parse(
    file: *const u8,
    file_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut List<sealstone::Identity>,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(List::from(calls::base::keys::identities_parse(file, passphrase)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_of_passphrase(
    text: *const u8,
    text_len: usize,
    out: *mut *mut sealstone::Identity,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let text = given::bytes(text, text_len, "text")?;
        out.put(hold(calls::base::keys::identity_of_passphrase(text)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_of_key(
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::Identity,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::base::keys::identity_of_key(bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_kind(
    identity: *const sealstone::Identity,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let identity = given::object(identity, "identity")?;
        out.put(results::name(calls::base::keys::identity_kind(identity)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_recipient(
    identity: *const sealstone::Identity,
    out: *mut *mut sealstone::Recipient,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identity = given::object(identity, "identity")?;
        out.put(hold(calls::base::keys::identity_recipient(identity)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_export(
    identity: *const sealstone::Identity,
    form: *const c_char,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identity = given::object(identity, "identity")?;
        let form = given::text(form, "form")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(results::bytes(calls::base::keys::identity_export(identity, form, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipients_parse(
    file: *const u8,
    file_len: usize,
    out: *mut *mut List<sealstone::Recipient>,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(List::from(calls::base::keys::recipients_parse(file)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_kind(
    recipient: *const sealstone::Recipient,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let recipient = given::object(recipient, "recipient")?;
        out.put(results::name(calls::base::keys::recipient_kind(recipient)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_fingerprint(
    recipient: *const sealstone::Recipient,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipient = given::object(recipient, "recipient")?;
        out.put(results::bytes_if_any(calls::base::keys::recipient_fingerprint(recipient)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_export(
    recipient: *const sealstone::Recipient,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipient = given::object(recipient, "recipient")?;
        let form = given::text(form, "form")?;
        out.put(results::bytes(calls::base::keys::recipient_export(recipient, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_len(
    recipient: *const sealstone::Recipient,
    plaintext_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let recipient = given::object(recipient, "recipient")?;
        out.put(calls::base::messages::message_len(recipient, plaintext_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_seal_into(
    recipient: *const sealstone::Recipient,
    plaintext: *const u8,
    plaintext_len: usize,
    aad: *const u8,
    aad_len: usize,
    message: *mut u8,
    message_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let recipient = given::object(recipient, "recipient")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let message = Memory::new(message, message_len, "message")?;
        let message = message.apart("message", &[(plaintext, "plaintext"), (aad, "aad")])?;
        message.fill(|message_bytes| {
            Ok::<_, Failure>(calls::base::messages::message_seal_into(recipient, plaintext, aad, message_bytes)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_seal_armoured(
    recipient: *const sealstone::Recipient,
    plaintext: *const u8,
    plaintext_len: usize,
    aad: *const u8,
    aad_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipient = given::object(recipient, "recipient")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        out.put(results::bytes(calls::base::messages::message_seal_armoured(recipient, plaintext, aad)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_is_armoured(
    start: *const u8,
    start_len: usize,
    out: *mut bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::base::messages::message_is_armoured(start));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_head_len(
    identity: *const sealstone::Identity,
    start: *const u8,
    start_len: usize,
    message_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let identity = given::object(identity, "identity")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::base::messages::message_head_len(identity, start, message_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_open_into(
    identity: *const sealstone::Identity,
    message: *const u8,
    message_len: usize,
    aad: *const u8,
    aad_len: usize,
    plaintext: *mut u8,
    plaintext_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let identity = given::object(identity, "identity")?;
        let message = given::bytes(message, message_len, "message")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        let plaintext = plaintext.apart("plaintext", &[(message, "message"), (aad, "aad")])?;
        plaintext.fill(|plaintext_bytes| {
            Ok::<_, Failure>(calls::base::messages::message_open_into(identity, message, aad, plaintext_bytes)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_message_open_armoured(
    identity: *const sealstone::Identity,
    message: *const u8,
    message_len: usize,
    aad: *const u8,
    aad_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identity = given::object(identity, "identity")?;
        let message = given::bytes(message, message_len, "message")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        out.put(results::bytes(calls::base::messages::message_open_armoured(identity, message, aad)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encryptor_new(
    recipients: *const *const sealstone::Recipient,
    recipients_count: usize,
    options: *const EncryptOptions,
    out: *mut *mut sealstone::Encryptor,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let recipients = given::objects(recipients, recipients_count, "recipients")?;
        let options = given::options(options, "options")?;
        out.put(hold(calls::base::options::encryptor(&recipients, options.read()?)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decryptor_new(
    identities: *const *const sealstone::Identity,
    identities_count: usize,
    context: *const u8,
    context_len: usize,
    profile: *const c_char,
    threads: u32,
    out: *mut *mut sealstone::Decryptor,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identities = given::objects(identities, identities_count, "identities")?;
        let context = given::optional_bytes(context, context_len, "context")?;
        let profile = given::optional_text(profile, "profile")?;
        let threads = given::optional_number(threads);
        out.put(hold(calls::base::options::decryptor(&identities, context, profile, threads)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rewrapper_new(
    identities: *const *const sealstone::Identity,
    identities_count: usize,
    recipients: *const *const sealstone::Recipient,
    recipients_count: usize,
    replace: u32,
    allow_mixed: u32,
    profile: *const c_char,
    out: *mut *mut sealstone::Rewrapper,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let identities = given::objects(identities, identities_count, "identities")?;
        let recipients = given::objects(recipients, recipients_count, "recipients")?;
        let replace = given::choice(replace, "replace")?;
        let allow_mixed = given::choice(allow_mixed, "allow_mixed")?;
        let profile = given::optional_text(profile, "profile")?;
        out.put(hold(calls::base::options::rewrapper(&identities, &recipients, replace, allow_mixed, profile)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encryptor_armours(
    encryptor: *const sealstone::Encryptor,
    out: *mut bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let encryptor = given::object(encryptor, "encryptor")?;
        out.put(calls::base::options::encryptor_armours(encryptor));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sealer_new(
    encryptor: *const sealstone::Encryptor,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::parts::Sealing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let job = Watched::of(job);
        out.put(hold(calls::base::parts::sealer_later(encryptor, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sealer_file_len(
    sealer: *const sealstone_engine::parts::Sealing,
    plaintext_len: u64,
    out: *mut u64,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let sealer = given::object(sealer, "sealer")?;
        out.put(calls::base::parts::sealer_file_len(sealer, plaintext_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_seal_into(
    sealer: *const sealstone_engine::parts::Sealing,
    plaintext: *const u8,
    plaintext_len: usize,
    file: *mut u8,
    file_len: usize,
    threads: u32,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let sealer = given::shared(sealer, "sealer")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let file = Memory::new(file, file_len, "file")?;
        let threads = given::optional_number(threads);
        let file = file.apart("file", &[(plaintext, "plaintext")])?;
        file.fill(|file_bytes| {
            Ok::<_, Failure>(calls::base::parts::seal_into(sealer, plaintext, file_bytes, threads)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sealer_head(
    sealer: *const sealstone_engine::parts::Sealing,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let sealer = given::object(sealer, "sealer")?;
        out.put(results::bytes(calls::base::parts::sealer_head(sealer)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_armour_new(out: *mut *mut sealstone_engine::parts::Armouring) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(hold(calls::base::parts::armour()));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_armour_update(
    armour: *const sealstone_engine::parts::Armouring,
    file: *const u8,
    file_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let armour = given::object(armour, "armour")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(results::bytes(calls::base::parts::armour_update(armour, file)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_armour_finish(
    armour: *const sealstone_engine::parts::Armouring,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let armour = given::object(armour, "armour")?;
        out.put(results::bytes(calls::base::parts::armour_finish(armour)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_dearmour_new(
    is_alone: bool,
    out: *mut *mut sealstone_engine::parts::Dearmouring,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(hold(calls::base::parts::dearmour(is_alone)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_dearmour_update(
    dearmour: *const sealstone_engine::parts::Dearmouring,
    text: *const u8,
    text_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let dearmour = given::object(dearmour, "dearmour")?;
        let text = given::bytes(text, text_len, "text")?;
        results::part(out, calls::base::parts::dearmour_update(dearmour, text))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_dearmour_finish(
    dearmour: *const sealstone_engine::parts::Dearmouring,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let dearmour = given::object(dearmour, "dearmour")?;
        results::part(out, calls::base::parts::dearmour_finish(dearmour))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_armour_look_len(start: *const u8, start_len: usize, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::base::parts::armour_look_len(start));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_file_start_len() -> usize {
    calls::base::parts::file_start_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_file_head_len(start: *const u8, start_len: usize, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::base::parts::file_head_len(start)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_file_is_armoured(start: *const u8, start_len: usize, out: *mut bool) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let start = given::bytes(start, start_len, "start")?;
        out.put(calls::base::parts::file_is_armoured(start));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_opener_new(
    decryptor: *const sealstone::Decryptor,
    head: *const u8,
    head_len: usize,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::parts::Opening,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let head = given::bytes(head, head_len, "head")?.to_vec();
        let job = Watched::of(job);
        out.put(hold(calls::base::parts::opener_later(decryptor, head, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_opener_head_len(
    opener: *const sealstone_engine::parts::Opening,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let opener = given::object(opener, "opener")?;
        out.put(calls::base::parts::opener_head_len(opener));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_opener_plaintext_len(
    opener: *const sealstone_engine::parts::Opening,
    file_len: u64,
    out: *mut u64,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let opener = given::object(opener, "opener")?;
        out.put(calls::base::parts::opener_plaintext_len(opener, file_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_open_into(
    opener: *const sealstone_engine::parts::Opening,
    file: *const u8,
    file_len: usize,
    plaintext: *mut u8,
    plaintext_len: usize,
    threads: u32,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let opener = given::shared(opener, "opener")?;
        let file = given::bytes(file, file_len, "file")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        let threads = given::optional_number(threads);
        let plaintext = plaintext.apart("plaintext", &[(file, "file")])?;
        plaintext.fill(|plaintext_bytes| {
            Ok::<_, Failure>(calls::base::parts::open_into(opener, file, plaintext_bytes, threads)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_encrypt_batch(
    cipher: *const sealstone::hazmat::cipher::Cipher,
    ivs: *const u8,
    ivs_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    plaintexts: *const u8,
    plaintexts_len: usize,
    ciphertexts: *mut u8,
    ciphertexts_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let cipher = given::object(cipher, "cipher")?;
        let ivs = given::bytes(ivs, ivs_len, "ivs")?;
        let lengths = given::numbers(lengths, lengths_count, "lengths")?;
        let plaintexts = given::bytes(plaintexts, plaintexts_len, "plaintexts")?;
        let ciphertexts = Memory::new(ciphertexts, ciphertexts_len, "ciphertexts")?;
        let ciphertexts = ciphertexts.apart("ciphertexts", &[(ivs, "ivs")])?;
        calls::c::cipher::cipher_encrypt_batch(cipher, ivs, lengths, Moved::new(plaintexts, ciphertexts))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_iv_len(algorithm: *const c_char, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        out.put(calls::c::cipher::cipher_iv_len(algorithm)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_gmsm_gcm_seal(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    aad: *const u8,
    aad_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::bytes(key, key_len, "key")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(results::bytes(calls::c::gmsm::gmsm_gcm_seal(key, iv, aad, plaintext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_gmsm_gcm_open(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    aad: *const u8,
    aad_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    tag: *const u8,
    tag_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::bytes(key, key_len, "key")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let tag = given::bytes(tag, tag_len, "tag")?;
        out.put(results::bytes(calls::c::gmsm::gmsm_gcm_open(key, iv, aad, ciphertext, tag)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_generate(out: *mut *mut sealstone::sm2::PrivateKey) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(hold(calls::c::sm2::sm2_generate()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_private_parse(
    file: *const u8,
    file_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut sealstone::sm2::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(calls::c::sm2::sm2_private_parse(file, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_private_of(
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::sm2::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::c::sm2::sm2_private_of(bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_private_bytes(
    key: *const sealstone::sm2::PrivateKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(results::bytes(calls::c::sm2::sm2_private_bytes(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_private_export(
    key: *const sealstone::sm2::PrivateKey,
    form: *const c_char,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(results::bytes(calls::c::sm2::sm2_private_export(key, form, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_key(
    key: *const sealstone::sm2::PrivateKey,
    out: *mut *mut sealstone::sm2::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(hold(calls::c::sm2::sm2_public_key(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_parse(
    file: *const u8,
    file_len: usize,
    out: *mut *mut sealstone::sm2::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(calls::c::sm2::sm2_public_parse(file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_of(
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::sm2::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::c::sm2::sm2_public_of(bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_bytes(
    public_key: *const sealstone::sm2::PublicKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        out.put(results::bytes(calls::c::sm2::sm2_public_bytes(public_key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_export(
    public_key: *const sealstone::sm2::PublicKey,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        let form = given::text(form, "form")?;
        out.put(results::bytes(calls::c::sm2::sm2_public_export(public_key, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_digest(
    public_key: *const sealstone::sm2::PublicKey,
    message: *const u8,
    message_len: usize,
    id: *const u8,
    id_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        let message = given::bytes(message, message_len, "message")?;
        let id = given::optional_bytes(id, id_len, "id")?;
        out.put(results::bytes(calls::c::sm2::sm2_digest(public_key, message, id)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_sign(
    key: *const sealstone::sm2::PrivateKey,
    message: *const u8,
    message_len: usize,
    id: *const u8,
    id_len: usize,
    encoding: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let message = given::bytes(message, message_len, "message")?;
        let id = given::optional_bytes(id, id_len, "id")?;
        let encoding = given::optional_text(encoding, "encoding")?;
        out.put(results::bytes(calls::c::sm2::sm2_sign(key, message, id, encoding)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_sign_digest(
    key: *const sealstone::sm2::PrivateKey,
    digest: *const u8,
    digest_len: usize,
    encoding: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let digest = given::bytes(digest, digest_len, "digest")?;
        let encoding = given::optional_text(encoding, "encoding")?;
        out.put(results::bytes(calls::c::sm2::sm2_sign_digest(key, digest, encoding)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_verify(
    public_key: *const sealstone::sm2::PublicKey,
    message: *const u8,
    message_len: usize,
    signature: *const u8,
    signature_len: usize,
    id: *const u8,
    id_len: usize,
    encoding: *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let public_key = given::object(public_key, "public_key")?;
        let message = given::bytes(message, message_len, "message")?;
        let signature = given::bytes(signature, signature_len, "signature")?;
        let id = given::optional_bytes(id, id_len, "id")?;
        let encoding = given::optional_text(encoding, "encoding")?;
        calls::c::sm2::sm2_verify(public_key, message, signature, id, encoding)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_verify_digest(
    public_key: *const sealstone::sm2::PublicKey,
    digest: *const u8,
    digest_len: usize,
    signature: *const u8,
    signature_len: usize,
    encoding: *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let public_key = given::object(public_key, "public_key")?;
        let digest = given::bytes(digest, digest_len, "digest")?;
        let signature = given::bytes(signature, signature_len, "signature")?;
        let encoding = given::optional_text(encoding, "encoding")?;
        calls::c::sm2::sm2_verify_digest(public_key, digest, signature, encoding)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_encrypt(
    public_key: *const sealstone::sm2::PublicKey,
    plaintext: *const u8,
    plaintext_len: usize,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let form = given::optional_text(form, "form")?;
        out.put(results::bytes(calls::c::sm2::sm2_encrypt(public_key, plaintext, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_decrypt(
    key: *const sealstone::sm2::PrivateKey,
    ciphertext: *const u8,
    ciphertext_len: usize,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let form = given::optional_text(form, "form")?;
        out.put(results::bytes(calls::c::sm2::sm2_decrypt(key, ciphertext, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchange(
    key: *const sealstone::sm2::PrivateKey,
    is_initiator: bool,
    id: *const u8,
    id_len: usize,
    ephemeral: *const sealstone::sm2::PrivateKey,
    peer: *const sealstone::sm2::PublicKey,
    peer_id: *const u8,
    peer_id_len: usize,
    peer_ephemeral: *const sealstone::sm2::PublicKey,
    length: usize,
    out: *mut *mut sealstone::sm2::Exchanged,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let id = given::optional_bytes(id, id_len, "id")?;
        let ephemeral = given::object(ephemeral, "ephemeral")?;
        let peer = given::object(peer, "peer")?;
        let peer_id = given::optional_bytes(peer_id, peer_id_len, "peer_id")?;
        let peer_ephemeral = given::object(peer_ephemeral, "peer_ephemeral")?;
        out.put(hold(calls::c::sm2::sm2_exchange(
            key,
            is_initiator,
            id,
            ephemeral,
            peer,
            peer_id,
            peer_ephemeral,
            length,
        )?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchanged_key(
    exchanged: *const sealstone::sm2::Exchanged,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let exchanged = given::object(exchanged, "exchanged")?;
        out.put(results::bytes(calls::c::sm2::sm2_exchanged_key(exchanged)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchanged_confirmation(
    exchanged: *const sealstone::sm2::Exchanged,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let exchanged = given::object(exchanged, "exchanged")?;
        out.put(results::bytes(calls::c::sm2::sm2_exchanged_confirmation(exchanged)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchanged_peer_confirmation(
    exchanged: *const sealstone::sm2::Exchanged,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let exchanged = given::object(exchanged, "exchanged")?;
        out.put(results::bytes(calls::c::sm2::sm2_exchanged_peer_confirmation(exchanged)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchanged_verify(
    exchanged: *const sealstone::sm2::Exchanged,
    confirmation: *const u8,
    confirmation_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let exchanged = given::object(exchanged, "exchanged")?;
        let confirmation = given::bytes(confirmation, confirmation_len, "confirmation")?;
        calls::c::sm2::sm2_exchanged_verify(exchanged, confirmation)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt(
    encryptor: *const sealstone::Encryptor,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::object(encryptor, "encryptor")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(results::bytes(calls::c::streams::encrypt(encryptor, plaintext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt(
    decryptor: *const sealstone::Decryptor,
    file: *const u8,
    file_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::object(decryptor, "decryptor")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(results::bytes(calls::c::streams::decrypt(decryptor, file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_job_progress(
    job: *const sealstone_engine::Wanted,
    out: *mut Progress,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let job = given::object(job, "job")?;
        out.put(&Progress::from(calls::c::streams::job_progress(job)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_stream_new(
    encryptor: *const sealstone::Encryptor,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::streams::EncryptStream,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let job = Watched::of(job);
        out.put(hold(calls::c::streams::encrypt_stream(encryptor, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_stream_update_len(
    stream: *const sealstone_engine::streams::EncryptStream,
    plaintext_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        out.put(calls::c::streams::encrypt_stream_update_len(stream, plaintext_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_stream_update(
    stream: *const sealstone_engine::streams::EncryptStream,
    plaintext: *const u8,
    plaintext_len: usize,
    file: *mut u8,
    file_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let file = Memory::new(file, file_len, "file")?;
        let file = file.apart("file", &[(plaintext, "plaintext")])?;
        out.put(file.fill(|file_bytes| {
            Ok::<_, Failure>(calls::c::streams::encrypt_stream_update(stream, plaintext, file_bytes)?)
        })?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_stream_finish(
    stream: *const sealstone_engine::streams::EncryptStream,
    file: *mut u8,
    file_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        let file = Memory::new(file, file_len, "file")?;
        out.put(
            file.fill(|file_bytes| Ok::<_, Failure>(calls::c::streams::encrypt_stream_finish(stream, file_bytes)?))?,
        );
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_stream_new(
    decryptor: *const sealstone::Decryptor,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::streams::DecryptStream,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let decryptor = given::shared(decryptor, "decryptor")?;
        let job = Watched::of(job);
        out.put(hold(calls::c::streams::decrypt_stream(decryptor, job.get())));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_stream_update_len(
    stream: *const sealstone_engine::streams::DecryptStream,
    file_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        out.put(calls::c::streams::decrypt_stream_update_len(stream, file_len)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_stream_update(
    stream: *const sealstone_engine::streams::DecryptStream,
    file: *const u8,
    file_len: usize,
    plaintext: *mut u8,
    plaintext_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        let file = given::bytes(file, file_len, "file")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        let plaintext = plaintext.apart("plaintext", &[(file, "file")])?;
        out.put(plaintext.fill(|plaintext_bytes| {
            Ok::<_, Failure>(calls::c::streams::decrypt_stream_update(stream, file, plaintext_bytes)?)
        })?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_stream_finish(
    stream: *const sealstone_engine::streams::DecryptStream,
    plaintext: *mut u8,
    plaintext_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let stream = given::object(stream, "stream")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        out.put(plaintext.fill(|plaintext_bytes| {
            Ok::<_, Failure>(calls::c::streams::decrypt_stream_finish(stream, plaintext_bytes)?)
        })?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_chunk_len() -> usize {
    calls::c::streams::chunk_len()
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_sealed_chunk_len() -> usize {
    calls::c::streams::sealed_chunk_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sealer_next_unit(
    sealer: *const sealstone_engine::parts::Sealing,
    length: usize,
    out: *mut *mut sealstone_engine::streams::Unit,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let sealer = given::object(sealer, "sealer")?;
        out.put(hold(calls::c::streams::sealer_next_unit(sealer, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_unit_seal(
    unit: *const sealstone_engine::streams::Unit,
    places: *mut u8,
    places_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let unit = given::object(unit, "unit")?;
        let places = Memory::new(places, places_len, "places")?;
        places.fill(|places_bytes| Ok::<_, Failure>(calls::c::streams::unit_seal(unit, places_bytes)?))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_opener_open(
    opener: *const sealstone_engine::parts::Opening,
    first: u64,
    places: *mut u8,
    places_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let opener = given::object(opener, "opener")?;
        let places = Memory::new(places, places_len, "places")?;
        places.fill(|places_bytes| Ok::<_, Failure>(calls::c::streams::opener_open(opener, first, places_bytes)?))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_writer_new(
    encryptor: *const sealstone::Encryptor,
    output: *const c_char,
    replace: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone_engine::streams::Writer,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let encryptor = given::shared(encryptor, "encryptor")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(hold(calls::c::streams::writer(encryptor, output, replace, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_writer_write(
    writer: *const sealstone_engine::streams::Writer,
    plaintext: *const u8,
    plaintext_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let writer = given::object(writer, "writer")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        calls::c::streams::writer_write(writer, plaintext)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_writer_commit(
    writer: *const sealstone_engine::streams::Writer,
    out: *mut Processed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let writer = given::object(writer, "writer")?;
        out.put(&Processed::from(calls::c::streams::writer_commit(writer)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    out: *mut *mut sealstone::aead::Aead,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::cipher::aead::aead(algorithm, key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_key_len(algorithm: *const c_char, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        out.put(calls::cipher::aead::aead_key_len(algorithm)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_nonce_len(algorithm: *const c_char, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        out.put(calls::cipher::aead::aead_nonce_len(algorithm)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_aead_tag_len() -> usize {
    calls::cipher::aead::aead_tag_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_seal(
    key: *const sealstone::aead::Aead,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    sealed: *mut u8,
    sealed_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let nonce = given::optional_bytes(nonce, nonce_len, "nonce")?;
        let aad = given::optional_bytes(aad, aad_len, "aad")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let sealed = Memory::new(sealed, sealed_len, "sealed")?;
        let sealed =
            sealed.apart("sealed", &[(nonce.unwrap_or_default(), "nonce"), (aad.unwrap_or_default(), "aad")])?;
        calls::cipher::aead::aead_seal(key, nonce, aad, Moved::new(plaintext, sealed))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_open(
    key: *const sealstone::aead::Aead,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    sealed: *const u8,
    sealed_len: usize,
    plaintext: *mut u8,
    plaintext_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let nonce = given::optional_bytes(nonce, nonce_len, "nonce")?;
        let aad = given::optional_bytes(aad, aad_len, "aad")?;
        let sealed = given::bytes(sealed, sealed_len, "sealed")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        let plaintext =
            plaintext.apart("plaintext", &[(nonce.unwrap_or_default(), "nonce"), (aad.unwrap_or_default(), "aad")])?;
        calls::cipher::aead::aead_open(key, nonce, aad, Moved::new(sealed, plaintext))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_seal_batch(
    key: *const sealstone::aead::Aead,
    aad: *const u8,
    aad_len: usize,
    data: *const u8,
    data_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    out: *mut u8,
    out_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let data = given::bytes(data, data_len, "data")?;
        let lengths = given::numbers(lengths, lengths_count, "lengths")?;
        let out = Memory::new(out, out_len, "out")?;
        let out = out.apart("out", &[(aad, "aad"), (data, "data")])?;
        out.fill(|out_bytes| {
            Ok::<_, Failure>(calls::cipher::aead::aead_seal_batch(key, aad, data, lengths, out_bytes)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_open_batch(
    key: *const sealstone::aead::Aead,
    aad: *const u8,
    aad_len: usize,
    data: *const u8,
    data_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    out: *mut u8,
    out_len: usize,
    result: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let result = Place::of(result, null_mut(), "result")?;
        let key = given::object(key, "key")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let data = given::bytes(data, data_len, "data")?;
        let lengths = given::numbers(lengths, lengths_count, "lengths")?;
        let out = Memory::new(out, out_len, "out")?;
        let out = out.apart("out", &[(aad, "aad"), (data, "data")])?;
        result.put(results::bytes(out.fill(|out_bytes| {
            Ok::<_, Failure>(calls::cipher::aead::aead_open_batch(key, aad, data, lengths, out_bytes))
        })?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_base64_encode_into(
    bytes: *const u8,
    bytes_len: usize,
    digits: *mut u8,
    digits_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        let digits = Memory::new(digits, digits_len, "digits")?;
        let digits = digits.apart("digits", &[(bytes, "bytes")])?;
        digits.fill(|digits_bytes| Ok::<_, Failure>(calls::cipher::hazmat::base64_encode_into(bytes, digits_bytes)))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_base64_decode_into(
    digits: *const u8,
    digits_len: usize,
    bytes: *mut u8,
    bytes_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let digits = given::bytes(digits, digits_len, "digits")?;
        let bytes = Memory::new(bytes, bytes_len, "bytes")?;
        let bytes = bytes.apart("bytes", &[(digits, "digits")])?;
        out.put(
            bytes.fill(|bytes_bytes| {
                Ok::<_, Failure>(calls::cipher::hazmat::base64_decode_into(digits, bytes_bytes)?)
            })?,
        );
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    out: *mut *mut sealstone::hazmat::cipher::Cipher,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::cipher::hazmat::cipher(algorithm, key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_key_len(algorithm: *const c_char, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        out.put(calls::cipher::hazmat::cipher_key_len(algorithm)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_pads(
    cipher: *const sealstone::hazmat::cipher::Cipher,
    out: *mut bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let cipher = given::object(cipher, "cipher")?;
        out.put(calls::cipher::hazmat::cipher_pads(cipher));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_encrypt(
    cipher: *const sealstone::hazmat::cipher::Cipher,
    iv: *const u8,
    iv_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    ciphertext: *mut u8,
    ciphertext_len: usize,
    pads: u32,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let cipher = given::object(cipher, "cipher")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let ciphertext = Memory::new(ciphertext, ciphertext_len, "ciphertext")?;
        let pads = given::choice(pads, "pads")?;
        let ciphertext = ciphertext.apart("ciphertext", &[(iv, "iv")])?;
        calls::cipher::hazmat::cipher_encrypt(cipher, iv, Moved::new(plaintext, ciphertext), pads)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_decrypt(
    cipher: *const sealstone::hazmat::cipher::Cipher,
    iv: *const u8,
    iv_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    plaintext: *mut u8,
    plaintext_len: usize,
    pads: u32,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let cipher = given::object(cipher, "cipher")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let plaintext = Memory::new(plaintext, plaintext_len, "plaintext")?;
        let pads = given::choice(pads, "pads")?;
        let plaintext = plaintext.apart("plaintext", &[(iv, "iv")])?;
        out.put(calls::cipher::hazmat::cipher_decrypt(cipher, iv, Moved::new(ciphertext, plaintext), pads)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_legacy_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    encrypts: bool,
    out: *mut *mut sealstone::hazmat::legacy::LegacyCipher,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::cipher::hazmat::legacy(algorithm, key, encrypts)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_legacy_encrypt(
    legacy: *const sealstone::hazmat::legacy::LegacyCipher,
    iv: *const u8,
    iv_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    pads: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let legacy = given::object(legacy, "legacy")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let pads = given::choice(pads, "pads")?;
        out.put(results::bytes(calls::cipher::hazmat::legacy_encrypt(legacy, iv, plaintext, pads)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_legacy_decrypt(
    legacy: *const sealstone::hazmat::legacy::LegacyCipher,
    iv: *const u8,
    iv_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    pads: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let legacy = given::object(legacy, "legacy")?;
        let iv = given::bytes(iv, iv_len, "iv")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let pads = given::choice(pads, "pads")?;
        out.put(results::bytes(calls::cipher::hazmat::legacy_decrypt(legacy, iv, ciphertext, pads)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_wrap_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    out: *mut *mut sealstone::hazmat::wrap::KeyWrap,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::cipher::hazmat::key_wrap(algorithm, key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_wrap_wrap(
    key: *const sealstone::hazmat::wrap::KeyWrap,
    secret: *const u8,
    secret_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        out.put(results::bytes(calls::cipher::hazmat::key_wrap_wrap(key, secret)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_wrap_unwrap(
    key: *const sealstone::hazmat::wrap::KeyWrap,
    wrapped: *const u8,
    wrapped_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let wrapped = given::bytes(wrapped, wrapped_len, "wrapped")?;
        out.put(results::bytes(calls::cipher::hazmat::key_wrap_unwrap(key, wrapped)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_ccm_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    tag_len: usize,
    out: *mut *mut sealstone::hazmat::ccm::Ccm,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        out.put(hold(calls::cipher::hazmat::ccm(algorithm, key, tag_len)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_ccm_seal(
    key: *const sealstone::hazmat::ccm::Ccm,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let nonce = given::bytes(nonce, nonce_len, "nonce")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(results::bytes(calls::cipher::hazmat::ccm_seal(key, nonce, aad, plaintext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_ccm_open(
    key: *const sealstone::hazmat::ccm::Ccm,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    sealed: *const u8,
    sealed_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let nonce = given::bytes(nonce, nonce_len, "nonce")?;
        let aad = given::bytes(aad, aad_len, "aad")?;
        let sealed = given::bytes(sealed, sealed_len, "sealed")?;
        out.put(results::bytes(calls::cipher::hazmat::ccm_open(key, nonce, aad, sealed)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_poly1305(
    key: *const u8,
    key_len: usize,
    data: *const u8,
    data_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::bytes(key, key_len, "key")?;
        let data = given::bytes(data, data_len, "data")?;
        out.put(results::bytes(calls::cipher::hazmat::poly1305(key, data)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hash_len(algorithm: *const c_char, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let algorithm = algorithm_id(given::text(algorithm, "algorithm")?)?;
        out.put(calls::digest::hash::hash_len(algorithm));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hash_into(
    algorithm: *const c_char,
    data: *const u8,
    data_len: usize,
    digest: *mut u8,
    digest_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let algorithm = algorithm_id(given::text(algorithm, "algorithm")?)?;
        let data = given::bytes(data, data_len, "data")?;
        let digest = Memory::new(digest, digest_len, "digest")?;
        let result = calls::digest::hash::hash_into(algorithm, data, digest_len)?;
        digest.write(result.as_ref(), "digest")
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hash_batch(
    algorithm: *const c_char,
    data: *const u8,
    data_len: usize,
    lengths: *const u32,
    lengths_count: usize,
    digests: *mut u8,
    digests_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let algorithm = algorithm_id(given::text(algorithm, "algorithm")?)?;
        let data = given::bytes(data, data_len, "data")?;
        let lengths = given::numbers(lengths, lengths_count, "lengths")?;
        let digests = Memory::new(digests, digests_len, "digests")?;
        let digests = digests.apart("digests", &[(data, "data")])?;
        digests.fill(|digests_bytes| {
            Ok::<_, Failure>(calls::digest::hash::hash_batch(algorithm, data, lengths, digests_bytes)?)
        })?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hasher_new(
    algorithm: *const c_char,
    out: *mut *mut sealstone_engine::hashing::Hashing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = algorithm_id(given::text(algorithm, "algorithm")?)?;
        out.put(hold(calls::digest::hash::hasher(algorithm)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hasher_clone(
    hasher: *const sealstone_engine::hashing::Hashing,
    out: *mut *mut sealstone_engine::hashing::Hashing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hasher = given::object(hasher, "hasher")?;
        out.put(hold(calls::digest::hash::hasher_clone(hasher)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hasher_update(
    hasher: *const sealstone_engine::hashing::Hashing,
    data: *const u8,
    data_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let hasher = given::object(hasher, "hasher")?;
        let data = given::bytes(data, data_len, "data")?;
        calls::digest::hash::hasher_update(hasher, data);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hasher_digest(
    hasher: *const sealstone_engine::hashing::Hashing,
    length: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hasher = given::object(hasher, "hasher")?;
        out.put(results::bytes(calls::digest::hash::hasher_digest(hasher, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hash_file(
    algorithm: *const c_char,
    file: *const c_char,
    special: bool,
    length: usize,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = algorithm_id(given::text(algorithm, "algorithm")?)?;
        let file = given::path(file, "file")?;
        let job = Watched::of(job);
        out.put(results::bytes(calls::digest::hash::hash_file(algorithm, file, special, length, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hkdf(
    hash: *const c_char,
    secret: *const u8,
    secret_len: usize,
    salt: *const u8,
    salt_len: usize,
    info: *const u8,
    info_len: usize,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hash = given::text(hash, "hash")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        let salt = given::bytes(salt, salt_len, "salt")?;
        let info = given::bytes(info, info_len, "info")?;
        out.put(results::bytes(calls::digest::kdf::hkdf(hash, secret, salt, info, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hkdf_extract(
    hash: *const c_char,
    salt: *const u8,
    salt_len: usize,
    secret: *const u8,
    secret_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hash = given::text(hash, "hash")?;
        let salt = given::bytes(salt, salt_len, "salt")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        out.put(results::bytes(calls::digest::kdf::hkdf_extract(hash, salt, secret)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hkdf_expand(
    hash: *const c_char,
    key: *const u8,
    key_len: usize,
    info: *const u8,
    info_len: usize,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hash = given::text(hash, "hash")?;
        let key = given::bytes(key, key_len, "key")?;
        let info = given::bytes(info, info_len, "info")?;
        out.put(results::bytes(calls::digest::kdf::hkdf_expand(hash, key, info, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_concat_kdf(
    hash: *const c_char,
    secret: *const u8,
    secret_len: usize,
    info: *const u8,
    info_len: usize,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let hash = given::text(hash, "hash")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        let info = given::bytes(info, info_len, "info")?;
        out.put(results::bytes(calls::digest::kdf::concat_kdf(hash, secret, info, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_blake3_derive_key(
    context: *const c_char,
    secret: *const u8,
    secret_len: usize,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let context = given::text(context, "context")?;
        let secret = given::bytes(secret, secret_len, "secret")?;
        out.put(results::bytes(calls::digest::kdf::blake3_derive_key(context, secret, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_derive(
    cost: *const Cost,
    of: *const DerivedOf,
    is_bounded: bool,
    length: u32,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let cost = given::options(cost, "cost")?;
        let of = given::options(of, "of")?;
        let job = Watched::of(job);
        out.put(results::bytes(
            calls::digest::kdf::derive_later(cost.read()?, of.read()?, is_bounded, length, job.get())?.run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_cache_new(
    entries: u32,
    lifetime_ms: u64,
    out: *mut *mut sealstone_engine::kdf::Keys,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(hold(calls::digest::kdf::key_cache(entries, lifetime_ms)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_cache_find(
    cache: *const sealstone_engine::kdf::Keys,
    now_ms: u64,
    cost: *const Cost,
    of: *const DerivedOf,
    is_bounded: bool,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let cache = given::object(cache, "cache")?;
        let cost = given::options(cost, "cost")?;
        let of = given::options(of, "of")?;
        out.put(results::bytes(calls::digest::kdf::key_cache_find(
            cache,
            now_ms,
            cost.read()?,
            of.read()?,
            is_bounded,
            length,
        )?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_cache_keep(
    cache: *const sealstone_engine::kdf::Keys,
    now_ms: u64,
    cost: *const Cost,
    of: *const DerivedOf,
    key: *const u8,
    key_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let cache = given::object(cache, "cache")?;
        let cost = given::options(cost, "cost")?;
        let of = given::options(of, "of")?;
        let key = given::bytes(key, key_len, "key")?;
        calls::digest::kdf::key_cache_keep(cache, now_ms, cost.read()?, of.read()?, key)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_cache_clear(cache: *const sealstone_engine::kdf::Keys) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let cache = given::object(cache, "cache")?;
        calls::digest::kdf::key_cache_clear(cache);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_new(
    algorithm: *const c_char,
    key: *const u8,
    key_len: usize,
    customization: *const u8,
    customization_len: usize,
    tag_len: u32,
    out: *mut *mut sealstone::mac::Mac,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let algorithm = given::text(algorithm, "algorithm")?;
        let key = given::bytes(key, key_len, "key")?;
        let customization = given::optional_bytes(customization, customization_len, "customization")?;
        out.put(hold(calls::digest::mac::mac(algorithm, key, customization, tag_len)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_tag_len(key: *const sealstone::mac::Mac, out: *mut usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let key = given::object(key, "key")?;
        out.put(calls::digest::mac::mac_tag_len(key));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_into(
    key: *const sealstone::mac::Mac,
    data: *const u8,
    data_len: usize,
    tag: *mut u8,
    tag_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let data = given::bytes(data, data_len, "data")?;
        let tag = Memory::new(tag, tag_len, "tag")?;
        let result = calls::digest::mac::mac_into(key, data, tag_len);
        tag.write(result.as_ref(), "tag")
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_verify(
    key: *const sealstone::mac::Mac,
    data: *const u8,
    data_len: usize,
    tag: *const u8,
    tag_len: usize,
    is_truncated: bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let data = given::bytes(data, data_len, "data")?;
        let tag = given::bytes(tag, tag_len, "tag")?;
        calls::digest::mac::mac_verify(key, data, tag, is_truncated)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_signer_new(
    key: *const sealstone::mac::Mac,
    out: *mut *mut sealstone_engine::mac::Signing,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(hold(calls::digest::mac::mac_signer(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_signer_update(
    signer: *const sealstone_engine::mac::Signing,
    data: *const u8,
    data_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let signer = given::object(signer, "signer")?;
        let data = given::bytes(data, data_len, "data")?;
        calls::digest::mac::mac_signer_update(signer, data);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_signer_tag(
    signer: *const sealstone_engine::mac::Signing,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let signer = given::object(signer, "signer")?;
        out.put(results::bytes(calls::digest::mac::mac_signer_tag(signer)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_signer_verify(
    signer: *const sealstone_engine::mac::Signing,
    tag: *const u8,
    tag_len: usize,
    is_truncated: bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let signer = given::object(signer, "signer")?;
        let tag = given::bytes(tag, tag_len, "tag")?;
        calls::digest::mac::mac_signer_verify(signer, tag, is_truncated)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_file(
    key: *const sealstone::mac::Mac,
    file: *const c_char,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::shared(key, "key")?;
        let file = given::path(file, "file")?;
        let job = Watched::of(job);
        out.put(results::bytes(calls::digest::mac::mac_file(key, file, special, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_password_needs_rehash(
    stored: *const c_char,
    cost: *const Cost,
    out: *mut bool,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, false, "out")?;
        let stored = given::text(stored, "stored")?;
        let cost = given::options(cost, "cost")?;
        out.put(calls::digest::password::password_needs_rehash(stored, cost.read()?)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_password_cost_raised(
    cost: *const Cost,
    target: u64,
    took: u64,
    out: *mut u32,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let cost = given::options(cost, "cost")?;
        out.put(calls::digest::password::password_cost_raised(cost.read()?, target, took)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_password_hash(
    password: *const u8,
    password_len: usize,
    cost: *const Cost,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let password = Zeroizing::new(given::bytes(password, password_len, "password")?.to_vec());
        let cost = given::options(cost, "cost")?;
        let job = Watched::of(job);
        out.put(results::bytes(
            calls::digest::password::password_hash_later(password, cost.read()?, job.get())?.run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_password_verify(
    password: *const u8,
    password_len: usize,
    stored: *const c_char,
    is_bounded: bool,
    job: *const sealstone_engine::Wanted,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let password = Zeroizing::new(given::bytes(password, password_len, "password")?.to_vec());
        let stored = given::text(stored, "stored")?.to_owned();
        let job = Watched::of(job);
        calls::digest::password::password_verify_later(password, stored, is_bounded, job.get()).run()?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_generate(
    kind: *const c_char,
    out: *mut *mut sealstone::exchange::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::optional_text(kind, "kind")?;
        out.put(hold(calls::exchange::exchange_generate(kind)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_private_parse(
    file: *const u8,
    file_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut sealstone::exchange::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(calls::exchange::exchange_private_parse(file, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_parse(
    file: *const u8,
    file_len: usize,
    out: *mut *mut sealstone::exchange::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(calls::exchange::exchange_public_parse(file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_private_of(
    kind: *const c_char,
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::exchange::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::text(kind, "kind")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::exchange::exchange_private_of(kind, bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_of(
    kind: *const c_char,
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::exchange::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::text(kind, "kind")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::exchange::exchange_public_of(kind, bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_private_kind(
    key: *const sealstone::exchange::PrivateKey,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let key = given::object(key, "key")?;
        out.put(results::name(calls::exchange::exchange_private_kind(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_kind(
    key: *const sealstone::exchange::PublicKey,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let key = given::object(key, "key")?;
        out.put(results::name(calls::exchange::exchange_public_kind(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_key(
    key: *const sealstone::exchange::PrivateKey,
    out: *mut *mut sealstone::exchange::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(hold(calls::exchange::exchange_public_key(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_private_export(
    key: *const sealstone::exchange::PrivateKey,
    form: *const c_char,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(results::bytes(calls::exchange::exchange_private_export(key, form, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_export(
    key: *const sealstone::exchange::PublicKey,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        out.put(results::bytes(calls::exchange::exchange_public_export(key, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_agree(
    key: *const sealstone::exchange::PrivateKey,
    public_key: *const sealstone::exchange::PublicKey,
    by: *const AgreedBy,
    length: u32,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let public_key = given::object(public_key, "public_key")?;
        let by = given::options(by, "by")?;
        out.put(results::bytes(calls::exchange::exchange_agree(key, public_key, by.read()?, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_shared_secret(
    key: *const sealstone::exchange::PrivateKey,
    public_key: *const sealstone::exchange::PublicKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let public_key = given::object(public_key, "public_key")?;
        out.put(results::bytes(calls::exchange::exchange_shared_secret(key, public_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_exchange_secret_len() -> usize {
    calls::exchange::exchange_secret_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_encapsulate(
    public_key: *const sealstone::exchange::PublicKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        out.put(results::bytes(calls::exchange::exchange_encapsulate(public_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_decapsulate(
    key: *const sealstone::exchange::PrivateKey,
    ciphertext: *const u8,
    ciphertext_len: usize,
    secret: *mut u8,
    secret_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let key = given::object(key, "key")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let secret = Memory::new(secret, secret_len, "secret")?;
        let result = calls::exchange::exchange_decapsulate(key, ciphertext, secret_len)?;
        secret.write(result.as_ref(), "secret")
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_check_backend() -> *mut Error {
    guard(|| {
        calls::native::check_backend()?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_random_fill(out: *mut u8, out_len: usize) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Memory::new(out, out_len, "out")?;
        out.fill(|out_bytes| Ok::<_, Failure>(calls::native::random_fill(out_bytes)?))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_job_new(out: *mut *mut sealstone_engine::Wanted) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        out.put(hold(calls::native::job()));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_job_cancel(job: *const sealstone_engine::Wanted) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let job = given::object(job, "job")?;
        calls::native::job_cancel(job);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_generate(
    bits: u32,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone::rsa::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let job = Watched::of(job);
        out.put(hold(calls::rsa::rsa_generate_later(bits, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_private_parse(
    file: *const u8,
    file_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut sealstone::rsa::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(calls::rsa::rsa_private_parse(file, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_public_parse(
    file: *const u8,
    file_len: usize,
    out: *mut *mut sealstone::rsa::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(calls::rsa::rsa_public_parse(file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_public_key(
    key: *const sealstone::rsa::PrivateKey,
    out: *mut *mut sealstone::rsa::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(hold(calls::rsa::rsa_public_key(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_private_bits(
    key: *const sealstone::rsa::PrivateKey,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let key = given::object(key, "key")?;
        out.put(calls::rsa::rsa_private_bits(key));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_public_bits(
    key: *const sealstone::rsa::PublicKey,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let key = given::object(key, "key")?;
        out.put(calls::rsa::rsa_public_bits(key));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_private_export(
    key: *const sealstone::rsa::PrivateKey,
    form: *const c_char,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(results::bytes(calls::rsa::rsa_private_export(key, form, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_public_export(
    key: *const sealstone::rsa::PublicKey,
    form: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        out.put(results::bytes(calls::rsa::rsa_public_export(key, form)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_encrypt(
    key: *const sealstone::rsa::PublicKey,
    plaintext: *const u8,
    plaintext_len: usize,
    oaep: *const OaepOptions,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        let oaep = given::options(oaep, "oaep")?;
        out.put(results::bytes(calls::rsa::rsa_encrypt(key, plaintext, oaep.read()?)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_decrypt(
    key: *const sealstone::rsa::PrivateKey,
    ciphertext: *const u8,
    ciphertext_len: usize,
    oaep: *const OaepOptions,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        let oaep = given::options(oaep, "oaep")?;
        out.put(results::bytes(calls::rsa::rsa_decrypt(key, ciphertext, oaep.read()?)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_encrypt_pkcs1(
    key: *const sealstone::rsa::PublicKey,
    plaintext: *const u8,
    plaintext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let plaintext = given::bytes(plaintext, plaintext_len, "plaintext")?;
        out.put(results::bytes(calls::rsa::rsa_encrypt_pkcs1(key, plaintext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_decrypt_pkcs1(
    key: *const sealstone::rsa::PrivateKey,
    ciphertext: *const u8,
    ciphertext_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let ciphertext = given::bytes(ciphertext, ciphertext_len, "ciphertext")?;
        out.put(results::bytes(calls::rsa::rsa_decrypt_pkcs1(key, ciphertext)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_generate(
    kind: *const c_char,
    out: *mut *mut sealstone::sign::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::optional_text(kind, "kind")?;
        out.put(hold(calls::sign::pairs::sign_generate(kind)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_generate_rsa(
    bits: u32,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut sealstone::sign::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let job = Watched::of(job);
        out.put(hold(calls::sign::pairs::sign_generate_rsa_later(bits, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_private_parse(
    file: *const u8,
    file_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut sealstone::sign::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(hold(calls::sign::pairs::sign_private_parse(file, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_parse(
    file: *const u8,
    file_len: usize,
    out: *mut *mut sealstone::sign::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let file = given::bytes(file, file_len, "file")?;
        out.put(hold(calls::sign::pairs::sign_public_parse(file)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_private_of(
    kind: *const c_char,
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::sign::PrivateKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::text(kind, "kind")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::sign::pairs::sign_private_of(kind, bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_of(
    kind: *const c_char,
    bytes: *const u8,
    bytes_len: usize,
    out: *mut *mut sealstone::sign::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let kind = given::text(kind, "kind")?;
        let bytes = given::bytes(bytes, bytes_len, "bytes")?;
        out.put(hold(calls::sign::pairs::sign_public_of(kind, bytes)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_private_kind(
    key: *const sealstone::sign::PrivateKey,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let key = given::object(key, "key")?;
        out.put(results::name(calls::sign::pairs::sign_private_kind(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_kind(
    key: *const sealstone::sign::PublicKey,
    out: *mut *const c_char,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null(), "out")?;
        let key = given::object(key, "key")?;
        out.put(results::name(calls::sign::pairs::sign_public_kind(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_key(
    key: *const sealstone::sign::PrivateKey,
    out: *mut *mut sealstone::sign::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        out.put(hold(calls::sign::pairs::sign_public_key(key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_private_export(
    key: *const sealstone::sign::PrivateKey,
    form: *const c_char,
    passphrase: *const u8,
    passphrase_len: usize,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        let passphrase = given::optional_bytes(passphrase, passphrase_len, "passphrase")?;
        out.put(results::bytes(calls::sign::pairs::sign_private_export(key, form, passphrase)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_export(
    key: *const sealstone::sign::PublicKey,
    form: *const c_char,
    comment: *const c_char,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::object(key, "key")?;
        let form = given::text(form, "form")?;
        let comment = given::optional_text(comment, "comment")?;
        out.put(results::bytes(calls::sign::pairs::sign_public_export(key, form, comment)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_fingerprint(
    public_key: *const sealstone::sign::PublicKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        out.put(results::bytes(calls::sign::pairs::sign_fingerprint(public_key)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_ssh_fingerprint(
    public_key: *const sealstone::sign::PublicKey,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let public_key = given::object(public_key, "public_key")?;
        out.put(results::bytes(calls::sign::pairs::sign_ssh_fingerprint(public_key)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_max_len(
    key: *const sealstone::sign::PrivateKey,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let key = given::object(key, "key")?;
        out.put(calls::sign::pairs::sign_max_len(key));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_into(
    key: *const sealstone::sign::PrivateKey,
    data: *const u8,
    data_len: usize,
    signature: *mut u8,
    signature_len: usize,
    written: *mut usize,
    options: *const SignOptions,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let written = Place::of(written, 0, "written")?;
        let key = given::object(key, "key")?;
        let data = given::bytes(data, data_len, "data")?;
        let signature = Memory::new(signature, signature_len, "signature")?;
        let options = given::options(options, "options")?;
        let result = calls::sign::pairs::sign_into(key, data, signature_len, options.read()?)?;
        written.put(signature.write_at_most(result.as_ref(), "signature")?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_verify(
    public_key: *const sealstone::sign::PublicKey,
    data: *const u8,
    data_len: usize,
    signature: *const u8,
    signature_len: usize,
    options: *const SignOptions,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let public_key = given::object(public_key, "public_key")?;
        let data = given::bytes(data, data_len, "data")?;
        let signature = given::bytes(signature, signature_len, "signature")?;
        let options = given::options(options, "options")?;
        calls::sign::pairs::sign_verify(public_key, data, signature, options.read()?)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_writer_new(
    key: *const sealstone::sign::PrivateKey,
    namespace: *const c_char,
    comment: *const c_char,
    profile: *const c_char,
    out: *mut *mut sealstone::signature::SignatureWriter,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let key = given::shared(key, "key")?;
        let namespace = given::optional_text(namespace, "namespace")?;
        let comment = given::optional_text(comment, "comment")?;
        let profile = given::optional_text(profile, "profile")?;
        out.put(hold(calls::sign::signature::signature_writer(key, namespace, comment, profile)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_trusting_new(
    namespace: *const c_char,
    profile: *const c_char,
    out: *mut *mut sealstone_engine::signature::Trusting,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let namespace = given::optional_text(namespace, "namespace")?;
        let profile = given::optional_text(profile, "profile")?;
        out.put(hold(calls::sign::signature::signature_trusting(namespace, profile)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_trust_key(
    trusting: *const sealstone_engine::signature::Trusting,
    public_key: *const sealstone::sign::PublicKey,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let trusting = given::object(trusting, "trusting")?;
        let public_key = given::object(public_key, "public_key")?;
        calls::sign::signature::signature_trust_key(trusting, public_key)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_trust_file(
    trusting: *const sealstone_engine::signature::Trusting,
    file: *const u8,
    file_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let trusting = given::object(trusting, "trusting")?;
        let file = given::bytes(file, file_len, "file")?;
        calls::sign::signature::signature_trust_file(trusting, file)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_trust_allowed(
    trusting: *const sealstone_engine::signature::Trusting,
    file: *const u8,
    file_len: usize,
    principal: *const c_char,
    at: u64,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let trusting = given::object(trusting, "trusting")?;
        let file = given::bytes(file, file_len, "file")?;
        let principal = given::optional_text(principal, "principal")?;
        calls::sign::signature::signature_trust_allowed(trusting, file, principal, at)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_reader_new(
    trusting: *const sealstone_engine::signature::Trusting,
    out: *mut *mut sealstone::signature::SignatureReader,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let trusting = given::object(trusting, "trusting")?;
        out.put(hold(calls::sign::signature::signature_reader(trusting)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_signing_new(
    writer: *const sealstone::signature::SignatureWriter,
    out: *mut *mut sealstone_engine::signature::Parts<sealstone::signature::Signing>,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let writer = given::object(writer, "writer")?;
        out.put(hold(calls::sign::signature::signature_signing(writer)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_signing_update(
    signing: *const sealstone_engine::signature::Parts<sealstone::signature::Signing>,
    content: *const u8,
    content_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let signing = given::object(signing, "signing")?;
        let content = given::bytes(content, content_len, "content")?;
        calls::sign::signature::signature_signing_update(signing, content);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_signing_finish(
    signing: *const sealstone_engine::signature::Parts<sealstone::signature::Signing>,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let signing = given::object(signing, "signing")?;
        out.put(results::bytes(calls::sign::signature::signature_signing_finish(signing)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_verifying_new(
    reader: *const sealstone::signature::SignatureReader,
    signature: *const u8,
    signature_len: usize,
    out: *mut *mut sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let reader = given::object(reader, "reader")?;
        let signature = given::bytes(signature, signature_len, "signature")?;
        out.put(hold(calls::sign::signature::signature_verifying(reader, signature)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_attached(
    reader: *const sealstone::signature::SignatureReader,
    out: *mut *mut sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let reader = given::object(reader, "reader")?;
        out.put(hold(calls::sign::signature::signature_attached(reader)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_attached_at(
    verifying: *const sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
    tail: *const u8,
    tail_len: usize,
    out: *mut usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, 0, "out")?;
        let verifying = given::object(verifying, "verifying")?;
        let tail = given::bytes(tail, tail_len, "tail")?;
        out.put(calls::sign::signature::signature_attached_at(verifying, tail)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sealstone_signature_max_len() -> usize {
    calls::sign::signature::signature_max_len()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_verifying_update(
    verifying: *const sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
    content: *const u8,
    content_len: usize,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let verifying = given::object(verifying, "verifying")?;
        let content = given::bytes(content, content_len, "content")?;
        calls::sign::signature::signature_verifying_update(verifying, content);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_verifying_finish(
    verifying: *const sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
    out: *mut *mut Verification,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let verifying = given::object(verifying, "verifying")?;
        out.put(hold(Verification::from(calls::sign::signature::signature_verifying_finish(verifying)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_sign_file(
    writer: *const sealstone::signature::SignatureWriter,
    file: *const c_char,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Bytes,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let writer = given::shared(writer, "writer")?;
        let file = given::path(file, "file")?;
        let job = Watched::of(job);
        out.put(results::bytes(calls::sign::signature::signature_sign_file(writer, file, special, job.get()).run()?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_attach_file(
    writer: *const sealstone::signature::SignatureWriter,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut Signed,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = PlaceOfSize::of(out, "out")?;
        let writer = given::shared(writer, "writer")?;
        let input = given::path(input, "input")?;
        let output = given::path(output, "output")?;
        let job = Watched::of(job);
        out.put(&Signed::from(
            calls::sign::signature::signature_attach_file(writer, input, output, replace, special, job.get()).run()?,
        ));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_verify_file(
    reader: *const sealstone::signature::SignatureReader,
    file: *const c_char,
    signature: *const u8,
    signature_len: usize,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Verification,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let reader = given::shared(reader, "reader")?;
        let file = given::path(file, "file")?;
        let signature = given::bytes(signature, signature_len, "signature")?.to_vec();
        let job = Watched::of(job);
        out.put(hold(Verification::from(
            calls::sign::signature::signature_verify_file(reader, file, signature, special, job.get()).run()?,
        )));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_detach_file(
    reader: *const sealstone::signature::SignatureReader,
    input: *const c_char,
    output: *const c_char,
    replace: bool,
    special: bool,
    job: *const sealstone_engine::Wanted,
    out: *mut *mut Verification,
) -> *mut Error {
    // SAFETY: the caller keeps the rules of the header.
    guard(|| unsafe {
        let out = Place::of(out, null_mut(), "out")?;
        let reader = given::shared(reader, "reader")?;
        let input = given::path(input, "input")?;
        let output = given::optional_path(output);
        let job = Watched::of(job);
        out.put(hold(Verification::from(
            calls::sign::signature::signature_detach_file(reader, input, output, replace, special, job.get()).run()?,
        )));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_aead_free(aead: *mut sealstone::aead::Aead) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(aead) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_decryptor_free(age_decryptor: *mut sealstone::interop::age::Decryptor) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_decryptor) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_encryptor_free(age_encryptor: *mut sealstone::interop::age::Encryptor) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_encryptor) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_identity_free(age_identity: *mut sealstone::interop::age::Identity) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_identity) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_opener_free(age_opener: *mut sealstone_engine::age::Opening) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_opener) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_recipient_free(age_recipient: *mut sealstone::interop::age::Recipient) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_recipient) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_age_sealer_free(age_sealer: *mut sealstone_engine::age::Sealing) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(age_sealer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_armour_free(armour: *mut sealstone_engine::parts::Armouring) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(armour) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_ccm_free(ccm: *mut sealstone::hazmat::ccm::Ccm) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(ccm) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_chunked_key_free(chunked_key: *mut sealstone::chunked::ChunkedKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(chunked_key) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_cipher_free(cipher: *mut sealstone::hazmat::cipher::Cipher) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(cipher) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_dearmour_free(dearmour: *mut sealstone_engine::parts::Dearmouring) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(dearmour) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decrypt_stream_free(decrypt_stream: *mut sealstone_engine::streams::DecryptStream) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(decrypt_stream) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_decryptor_free(decryptor: *mut sealstone::Decryptor) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(decryptor) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encrypt_stream_free(encrypt_stream: *mut sealstone_engine::streams::EncryptStream) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(encrypt_stream) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_encryptor_free(encryptor: *mut sealstone::Encryptor) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(encryptor) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_private_free(exchange_private: *mut sealstone::exchange::PrivateKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(exchange_private) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_exchange_public_free(exchange_public: *mut sealstone::exchange::PublicKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(exchange_public) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_hasher_free(hasher: *mut sealstone_engine::hashing::Hashing) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(hasher) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_free(identity: *mut sealstone::Identity) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(identity) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_job_free(job: *mut sealstone_engine::Wanted) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(job) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_cache_free(key_cache: *mut sealstone_engine::kdf::Keys) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(key_cache) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_key_wrap_free(key_wrap: *mut sealstone::hazmat::wrap::KeyWrap) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(key_wrap) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_legacy_free(legacy: *mut sealstone::hazmat::legacy::LegacyCipher) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(legacy) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_free(mac: *mut sealstone::mac::Mac) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(mac) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_mac_signer_free(mac_signer: *mut sealstone_engine::mac::Signing) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(mac_signer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_opener_free(opener: *mut sealstone_engine::parts::Opening) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(opener) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_free(recipient: *mut sealstone::Recipient) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(recipient) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rewrapper_free(rewrapper: *mut sealstone::Rewrapper) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(rewrapper) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_private_free(rsa_private: *mut sealstone::rsa::PrivateKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(rsa_private) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_rsa_public_free(rsa_public: *mut sealstone::rsa::PublicKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(rsa_public) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sealer_free(sealer: *mut sealstone_engine::parts::Sealing) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sealer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_private_free(sign_private: *mut sealstone::sign::PrivateKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sign_private) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sign_public_free(sign_public: *mut sealstone::sign::PublicKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sign_public) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_reader_free(signature_reader: *mut sealstone::signature::SignatureReader) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(signature_reader) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_signing_free(
    signature_signing: *mut sealstone_engine::signature::Parts<sealstone::signature::Signing>,
) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(signature_signing) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_trusting_free(
    signature_trusting: *mut sealstone_engine::signature::Trusting,
) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(signature_trusting) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_verifying_free(
    signature_verifying: *mut sealstone_engine::signature::Parts<sealstone::signature::Verifying>,
) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(signature_verifying) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_signature_writer_free(signature_writer: *mut sealstone::signature::SignatureWriter) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(signature_writer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_exchanged_free(sm2_exchanged: *mut sealstone::sm2::Exchanged) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sm2_exchanged) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_private_free(sm2_private: *mut sealstone::sm2::PrivateKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sm2_private) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_sm2_public_free(sm2_public: *mut sealstone::sm2::PublicKey) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(sm2_public) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_unit_free(unit: *mut sealstone_engine::streams::Unit) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(unit) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_writer_free(writer: *mut sealstone_engine::streams::Writer) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(writer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_list_count(list: *const List<sealstone::Identity>) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::count(list) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_list_at(
    list: *const List<sealstone::Identity>,
    index: usize,
) -> *const sealstone::Identity {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::item(list, index) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_identity_list_free(list: *mut List<sealstone::Identity>) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(list) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_list_count(list: *const List<sealstone::Recipient>) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::count(list) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_list_at(
    list: *const List<sealstone::Recipient>,
    index: usize,
) -> *const sealstone::Recipient {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::item(list, index) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_recipient_list_free(list: *mut List<sealstone::Recipient>) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(list) }
}

#[repr(C)]
pub struct AgreedBy {
    pub struct_size: usize,
    pub kdf: *const c_char,
    pub hash: *const c_char,
    pub salt: *const u8,
    pub salt_len: usize,
    pub info: *const u8,
    pub info_len: usize,
}

impl AgreedBy {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::exchange::AgreedBy<'a>> {
        let Self { kdf, hash, salt, salt_len, info, info_len, .. } = *self;
        // SAFETY: as above.
        unsafe {
            Ok(sealstone_engine::exchange::AgreedBy {
                kdf: given::text(kdf, "kdf")?,
                hash: given::text(hash, "hash")?,
                salt: given::bytes(salt, salt_len, "salt")?,
                info: given::bytes(info, info_len, "info")?,
            })
        }
    }
}

#[repr(C)]
pub struct EncryptOptions {
    pub struct_size: usize,
    pub suite: *const c_char,
    pub context: *const u8,
    pub context_len: usize,
    pub allow_mixed: u32,
    pub profile: *const c_char,
    pub armour: u32,
    pub threads: u32,
}

impl EncryptOptions {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::files::EncryptOptions<'a>> {
        let Self { suite, context, context_len, allow_mixed, profile, armour, threads, .. } = *self;
        // SAFETY: as above.
        unsafe {
            Ok(sealstone_engine::files::EncryptOptions {
                suite: given::optional_text(suite, "suite")?,
                context: given::optional_bytes(context, context_len, "context")?,
                allow_mixed: given::choice(allow_mixed, "allow_mixed")?,
                profile: given::optional_text(profile, "profile")?,
                armour: given::choice(armour, "armour")?,
                threads: given::optional_number(threads),
            })
        }
    }
}

#[repr(C)]
pub struct Cost {
    pub struct_size: usize,
    pub name: *const c_char,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

impl Cost {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::kdf::CrossingCost<'a>> {
        let Self { name, a, b, c, .. } = *self;
        // SAFETY: as above.
        unsafe { Ok(sealstone_engine::kdf::CrossingCost { name: given::text(name, "name")?, a, b, c }) }
    }
}

#[repr(C)]
pub struct DerivedOf {
    pub struct_size: usize,
    pub password: *const u8,
    pub password_len: usize,
    pub salt: *const u8,
    pub salt_len: usize,
    pub secret: *const u8,
    pub secret_len: usize,
    pub data: *const u8,
    pub data_len: usize,
}

impl DerivedOf {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::kdf::DerivedOf<'a>> {
        let Self { password, password_len, salt, salt_len, secret, secret_len, data, data_len, .. } = *self;
        // SAFETY: as above.
        unsafe {
            Ok(sealstone_engine::kdf::DerivedOf {
                password: given::bytes(password, password_len, "password")?,
                salt: given::bytes(salt, salt_len, "salt")?,
                secret: given::bytes(secret, secret_len, "secret")?,
                data: given::bytes(data, data_len, "data")?,
            })
        }
    }
}

#[repr(C)]
pub struct OaepOptions {
    pub struct_size: usize,
    pub hash: *const c_char,
    pub label: *const u8,
    pub label_len: usize,
}

impl OaepOptions {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::rsa::OaepOptions<'a>> {
        let Self { hash, label, label_len, .. } = *self;
        // SAFETY: as above.
        unsafe {
            Ok(sealstone_engine::rsa::OaepOptions {
                hash: given::optional_text(hash, "hash")?,
                label: given::bytes(label, label_len, "label")?,
            })
        }
    }
}

#[repr(C)]
pub struct SignOptions {
    pub struct_size: usize,
    pub hash: *const c_char,
    pub encoding: *const c_char,
    pub scheme: *const c_char,
    pub context: *const u8,
    pub context_len: usize,
    pub id: *const u8,
    pub id_len: usize,
}

impl SignOptions {
    /// # Safety
    /// Its pointers are those of a caller that keeps the rules of the header.
    unsafe fn read<'a>(&self) -> Read<sealstone_engine::sign::SignOptions<'a>> {
        let Self { hash, encoding, scheme, context, context_len, id, id_len, .. } = *self;
        // SAFETY: as above.
        unsafe {
            let choices = sealstone_engine::sign::choices(
                given::optional_text(hash, "hash")?,
                given::optional_text(encoding, "encoding")?,
                given::optional_text(scheme, "scheme")?,
            )?;
            Ok(sealstone_engine::sign::SignOptions {
                choices,
                context: given::optional_bytes(context, context_len, "context")?,
                id: given::optional_bytes(id, id_len, "id")?,
            })
        }
    }
}

pub struct StanzaInfo {
    kind: CString,
    type_id: u32,
    body_len: u64,
}

impl From<records::StanzaInfo> for StanzaInfo {
    fn from(it: records::StanzaInfo) -> Self {
        Self { kind: results::text(&it.kind), type_id: it.type_id, body_len: it.body_len }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_stanza_info_kind(stanza_info: *const StanzaInfo) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { stanza_info.as_ref().map_or(null(), |it| it.kind.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_stanza_info_type_id(stanza_info: *const StanzaInfo) -> u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { stanza_info.as_ref().map_or(0, |it| it.type_id) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_stanza_info_body_len(stanza_info: *const StanzaInfo) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { stanza_info.as_ref().map_or(0, |it| it.body_len) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_stanza_info_free(stanza_info: *mut StanzaInfo) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(stanza_info) }
}

pub struct LeftOut {
    code: CString,
    message: CString,
}

impl From<records::LeftOut> for LeftOut {
    fn from(it: records::LeftOut) -> Self {
        Self { code: results::text(&it.code), message: results::text(&it.message) }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_left_out_code(left_out: *const LeftOut) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { left_out.as_ref().map_or(null(), |it| it.code.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_left_out_message(left_out: *const LeftOut) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { left_out.as_ref().map_or(null(), |it| it.message.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_left_out_free(left_out: *mut LeftOut) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(left_out) }
}

pub struct ItemFailure {
    index: u32,
    code: CString,
    message: CString,
}

impl From<records::ItemFailure> for ItemFailure {
    fn from(it: records::ItemFailure) -> Self {
        Self { index: it.index, code: results::text(&it.code), message: results::text(&it.message) }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_item_failure_index(item_failure: *const ItemFailure) -> u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { item_failure.as_ref().map_or(0, |it| it.index) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_item_failure_code(item_failure: *const ItemFailure) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { item_failure.as_ref().map_or(null(), |it| it.code.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_item_failure_message(item_failure: *const ItemFailure) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { item_failure.as_ref().map_or(null(), |it| it.message.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_item_failure_free(item_failure: *mut ItemFailure) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(item_failure) }
}

pub struct Inspection {
    version: u32,
    suite: CString,
    context_bound: bool,
    compressed: bool,
    archive: bool,
    armoured: bool,
    header_len: u64,
    stanzas: List<StanzaInfo>,
    payload_len: u64,
    plaintext_len: u64,
    chunks: u64,
}

impl From<records::Inspection> for Inspection {
    fn from(it: records::Inspection) -> Self {
        Self {
            version: it.version,
            suite: results::text(&it.suite),
            context_bound: it.context_bound,
            compressed: it.compressed,
            archive: it.archive,
            armoured: it.armoured,
            header_len: it.header_len,
            stanzas: List::from(it.stanzas.into_iter().map(StanzaInfo::from).collect::<Vec<_>>()),
            payload_len: it.payload_len,
            plaintext_len: it.plaintext_len,
            chunks: it.chunks,
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_version(inspection: *const Inspection) -> u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| it.version) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_suite(inspection: *const Inspection) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(null(), |it| it.suite.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_context_bound(inspection: *const Inspection) -> bool {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().is_some_and(|it| it.context_bound) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_compressed(inspection: *const Inspection) -> bool {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().is_some_and(|it| it.compressed) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_archive(inspection: *const Inspection) -> bool {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().is_some_and(|it| it.archive) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_armoured(inspection: *const Inspection) -> bool {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().is_some_and(|it| it.armoured) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_header_len(inspection: *const Inspection) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| it.header_len) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_stanzas_count(inspection: *const Inspection) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| results::count(&raw const it.stanzas)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_stanzas_at(
    inspection: *const Inspection,
    index: usize,
) -> *const StanzaInfo {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(null(), |it| results::item(&raw const it.stanzas, index)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_payload_len(inspection: *const Inspection) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| it.payload_len) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_plaintext_len(inspection: *const Inspection) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| it.plaintext_len) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_chunks(inspection: *const Inspection) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { inspection.as_ref().map_or(0, |it| it.chunks) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_inspection_free(inspection: *mut Inspection) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(inspection) }
}

#[repr(C)]
pub struct Processed {
    pub struct_size: usize,
    pub plaintext: u64,
    pub ciphertext: u64,
}

impl From<records::Processed> for Processed {
    fn from(it: records::Processed) -> Self {
        Self { struct_size: size_of::<Self>(), plaintext: it.plaintext, ciphertext: it.ciphertext }
    }
}

pub struct Archived {
    plaintext: u64,
    ciphertext: u64,
    members: u64,
    file_bytes: u64,
    left_out: u64,
    notes: List<LeftOut>,
}

impl From<records::Archived> for Archived {
    fn from(it: records::Archived) -> Self {
        Self {
            plaintext: it.plaintext,
            ciphertext: it.ciphertext,
            members: it.members,
            file_bytes: it.file_bytes,
            left_out: it.left_out,
            notes: List::from(it.notes.into_iter().map(LeftOut::from).collect::<Vec<_>>()),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_plaintext(archived: *const Archived) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| it.plaintext) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_ciphertext(archived: *const Archived) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| it.ciphertext) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_members(archived: *const Archived) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| it.members) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_file_bytes(archived: *const Archived) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| it.file_bytes) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_left_out(archived: *const Archived) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| it.left_out) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_notes_count(archived: *const Archived) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(0, |it| results::count(&raw const it.notes)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_notes_at(archived: *const Archived, index: usize) -> *const LeftOut {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { archived.as_ref().map_or(null(), |it| results::item(&raw const it.notes, index)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_archived_free(archived: *mut Archived) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(archived) }
}

pub struct Listing {
    names: Zeroizing<Vec<u8>>,
    path_lengths: Vec<u32>,
    link_lengths: Vec<u32>,
    kinds: Vec<u32>,
    sizes: Vec<u64>,
    modes: Vec<u32>,
    seconds: Vec<i64>,
    nanoseconds: Vec<u32>,
}

impl From<records::Listing> for Listing {
    fn from(it: records::Listing) -> Self {
        Self {
            names: it.names,
            path_lengths: it.path_lengths,
            link_lengths: it.link_lengths,
            kinds: it.kinds,
            sizes: it.sizes,
            modes: it.modes,
            seconds: it.seconds,
            nanoseconds: it.nanoseconds,
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_names(listing: *const Listing, len: *mut usize) -> *const u8 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.names[..];
            Place::of(len, values.len(), "len").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_path_lengths(listing: *const Listing, count: *mut usize) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.path_lengths[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_link_lengths(listing: *const Listing, count: *mut usize) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.link_lengths[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_kinds(listing: *const Listing, count: *mut usize) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.kinds[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_sizes(listing: *const Listing, count: *mut usize) -> *const u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.sizes[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_modes(listing: *const Listing, count: *mut usize) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.modes[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_seconds(listing: *const Listing, count: *mut usize) -> *const i64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.seconds[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_nanoseconds(listing: *const Listing, count: *mut usize) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        listing.as_ref().map_or(null(), |it| {
            let values = &it.nanoseconds[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_listing_free(listing: *mut Listing) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(listing) }
}

#[repr(C)]
pub struct Extracted {
    pub struct_size: usize,
    pub members: u64,
    pub file_bytes: u64,
}

impl From<records::Extracted> for Extracted {
    fn from(it: records::Extracted) -> Self {
        Self { struct_size: size_of::<Self>(), members: it.members, file_bytes: it.file_bytes }
    }
}

#[repr(C)]
pub struct Progress {
    pub struct_size: usize,
    pub done: u64,
    pub total: u64,
}

impl From<records::Progress> for Progress {
    fn from(it: records::Progress) -> Self {
        Self { struct_size: size_of::<Self>(), done: it.done, total: it.total }
    }
}

pub struct BatchResult {
    bytes: Zeroizing<Vec<u8>>,
    lengths: Vec<u32>,
    failures: List<ItemFailure>,
}

impl From<records::BatchResult> for BatchResult {
    fn from(it: records::BatchResult) -> Self {
        Self {
            bytes: it.bytes,
            lengths: it.lengths,
            failures: List::from(it.failures.into_iter().map(ItemFailure::from).collect::<Vec<_>>()),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_batch_result_bytes(batch_result: *const BatchResult, len: *mut usize) -> *const u8 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        batch_result.as_ref().map_or(null(), |it| {
            let values = &it.bytes[..];
            Place::of(len, values.len(), "len").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_batch_result_lengths(
    batch_result: *const BatchResult,
    count: *mut usize,
) -> *const u32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        batch_result.as_ref().map_or(null(), |it| {
            let values = &it.lengths[..];
            Place::of(count, values.len(), "count").map_or(null(), |_| values.as_ptr())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_batch_result_failures_count(batch_result: *const BatchResult) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { batch_result.as_ref().map_or(0, |it| results::count(&raw const it.failures)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_batch_result_failures_at(
    batch_result: *const BatchResult,
    index: usize,
) -> *const ItemFailure {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { batch_result.as_ref().map_or(null(), |it| results::item(&raw const it.failures, index)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_batch_result_free(batch_result: *mut BatchResult) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(batch_result) }
}

pub struct Verification {
    kind: CString,
    fingerprint: CString,
    ssh_fingerprint: CString,
    principals: Option<CString>,
    comment: Option<CString>,
    content_len: u64,
}

impl From<records::Verification> for Verification {
    fn from(it: records::Verification) -> Self {
        Self {
            kind: results::text(&it.kind),
            fingerprint: results::text(&it.fingerprint),
            ssh_fingerprint: results::text(&it.ssh_fingerprint),
            principals: it.principals.as_deref().map(results::text),
            comment: it.comment.as_deref().map(results::text),
            content_len: it.content_len,
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_kind(verification: *const Verification) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(null(), |it| it.kind.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_fingerprint(verification: *const Verification) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(null(), |it| it.fingerprint.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_ssh_fingerprint(verification: *const Verification) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(null(), |it| it.ssh_fingerprint.as_ptr()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_principals(verification: *const Verification) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(null(), |it| it.principals.as_ref().map_or(null(), |text| text.as_ptr())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_comment(verification: *const Verification) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(null(), |it| it.comment.as_ref().map_or(null(), |text| text.as_ptr())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_content_len(verification: *const Verification) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { verification.as_ref().map_or(0, |it| it.content_len) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealstone_verification_free(verification: *mut Verification) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { results::release(verification) }
}

#[repr(C)]
pub struct Signed {
    pub struct_size: usize,
    pub content: u64,
    pub written: u64,
}

impl From<records::Signed> for Signed {
    fn from(it: records::Signed) -> Self {
        Self { struct_size: size_of::<Self>(), content: it.content, written: it.written }
    }
}
