//! Chunks that a host seals and opens in place of the core, and keys of passphrases that another instance derives.

use crate::aead;
use crate::failure::Failure;
use crate::handles::{NoObject, Object};
use crate::memory::Moving;
use crate::parts::{Opening, Sealing};
use crate::stretching::{self, Stretching};
use sealstone::aead::{Aead, Algorithm, TAG_LEN};
use sealstone::chunked::CHUNK_LEN;
use sealstone::{Asks, Decryptor, Encryptor, Error, Result, Rewrapper};
use sealstone_call::call;
use zeroize::Zeroizing;

/// Says how many bytes of plaintext every chunk but the last has.
#[call(wasm, stack = 16)]
pub fn chunk_len() -> usize {
    CHUNK_LEN
}

/// Gives the key of a file's chunks where this algorithm seals them; else no bytes.
/// Errors: `unknown_algorithm`.
#[call(wasm, stack = 16)]
pub fn sealer_key(sealer: &Sealing, algorithm: &str) -> Result<Zeroizing<Vec<u8>>> {
    Ok(sealer.key(algorithm.parse()?))
}

/// Gives the nonces of the next chunks, which have so many bytes of the file. None is given out twice.
/// Errors: `too_long`.
#[call(wasm, stack = 16)]
pub fn sealer_nonces(sealer: &Sealing, len: usize) -> Result<Vec<u8>> {
    sealer.nonces(len)
}

/// As `sealer_key`.
/// Errors: `unknown_algorithm`.
#[call(wasm, stack = 16)]
pub fn opener_key(opener: &Opening, algorithm: &str) -> Result<Zeroizing<Vec<u8>>> {
    Ok(opener.key(algorithm.parse()?))
}

/// Gives the nonces of the chunks from number `first` on, which have so many bytes of the file.
/// Errors: `truncated`, `too_long`.
#[call(wasm, stack = 16)]
pub fn opener_nonces(opener: &Opening, first: u64, len: usize, is_end: bool) -> Result<Vec<u8>> {
    opener.nonces(first, len, is_end)
}

/// Fails as opening does: a chunk by its number, or one buffer.
/// Errors: `not_authentic`.
#[call(wasm, stack = 16)]
pub fn not_authentic(chunk: Option<u64>) -> Result<()> {
    Err(Error::NotAuthentic { chunk })
}

/// Makes the key by which a worker seals and opens chunks.
/// Errors: `unknown_algorithm`, `wrong_length`.
#[call(wasm, stack = 16)]
pub fn chunk_key(algorithm: &str, key: &[u8]) -> Result<Aead> {
    Aead::new(algorithm.parse::<Algorithm>()?, key)
}

/// Seals a chunk into memory. Its length: the plaintext's plus `tag_len`. After an error the memory is zero, unless the input lay there.
/// Errors: `wrong_length`, `too_long`.
#[call(wasm, stack = 16)]
pub fn chunk_seal(key: &Aead, nonce: &[u8], plaintext_to_sealed: impl Moving) -> Result<()> {
    let len = plaintext_to_sealed.input_len();
    plaintext_to_sealed.with(0..len, 0, TAG_LEN, |chunk| aead::seal_in_place(key, Some(nonce), &[], chunk))
}

/// Opens a chunk into memory. Its length: the ciphertext's less `tag_len`. After an error the memory is zero, unless the input lay there;
/// after `not_authentic` it is zero in any case.
/// Errors: `not_authentic`, `wrong_length`.
#[call(wasm, stack = 16)]
pub fn chunk_open(key: &Aead, nonce: &[u8], sealed_to_plaintext: impl Moving) -> Result<()> {
    aead::open_moved(key, Some(nonce), &[], sealed_to_plaintext)
}

/// Says which key of a passphrase an encryptor, a decryptor or a rewrapper needs before it works on a file; no bytes where it needs none.
/// Errors: none.
#[call(wasm)]
pub fn stretch_asked(of: &Object, file: &[u8]) -> Result<Zeroizing<Vec<u8>>, NoObject> {
    Ok(stretching::asked(asks(of)?, file))
}

/// Lets it know the key. An encryptor uses it once.
/// Errors: `invalid_passphrase`.
#[call(wasm)]
pub fn stretch_known(of: &Object, asked: &[u8], key: &[u8]) -> Result<(), Failure> {
    Ok(stretching::know(asks(of)?, asked, key)?)
}

/// Begins to derive such a key.
/// Errors: `cost_too_high`, `invalid_passphrase`.
#[call(wasm)]
pub fn stretching(asked: &[u8]) -> Result<Stretching> {
    Stretching::new::<Encryptor>(asked)
}

/// Derives a part of it; returns whether all is done.
#[call(wasm)]
pub fn stretching_step(stretching: &Stretching, amount: u32) -> bool {
    stretching.step(amount)
}

/// Gives the key, once.
#[call(wasm)]
pub fn stretching_key(stretching: &Stretching) -> Zeroizing<Vec<u8>> {
    stretching.key()
}

type OwnAsks = dyn Asks<Kdf = <Encryptor as Asks>::Kdf>;

fn asks(of: &Object) -> Result<&OwnAsks, NoObject> {
    let encryptor = of.kind::<Encryptor>().map(|one| one as &OwnAsks);
    let decryptor = || of.kind::<Decryptor>().map(|one| one as &OwnAsks);
    let rewrapper = || of.kind::<Rewrapper>().map(|one| one as &OwnAsks);
    encryptor.or_else(decryptor).or_else(rewrapper).ok_or(NoObject::Unknown)
}
