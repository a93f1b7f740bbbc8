//! Sealing and opening of one buffer, of text, and of many items.

use crate::boundary::Bytes;
use crate::direct::{Answer, Call};
use crate::handles::{held, hold, with};
use crate::memory::Memory;
use sealstone::aead::{Aead, Algorithm};
use sealstone::{Error, Result};
use sealstone_engine::aead::{self, Tag};
use sealstone_engine::hashing::encoding_of;
use sealstone_engine::numbers::short;

/// Of a key, a nonce, `aad`, an input and an output.
pub fn seal(call: &Call) -> Result<Answer> {
    let (nonce, aad, plaintext, output) = (call.memory(1), call.memory(2), call.needed(3), call.needed(4));
    with(call.number(0), |key| seal_into(key, nonce, aad, plaintext, output)).map(|()| Answer::NOTHING)
}

/// As [`seal`].
pub fn open(call: &Call) -> Result<Answer> {
    let (nonce, aad, sealed, output) = (call.memory(1), call.memory(2), call.needed(3), call.needed(4));
    with(call.number(0), |key| open_into(key, nonce, aad, sealed, output)).map(|()| Answer::NOTHING)
}

/// Of a key, a nonce, `aad`, a plaintext and an encoding.
pub fn seal_text(call: &Call) -> Result<Answer> {
    let (key, encoding) = (held::<Aead>(call.number(0)), encoding_of(call.number(4)));
    call.bytes(1, |nonce| {
        call.data(2, |aad| {
            call.data(3, |plaintext| aead::seal_text(&key, nonce, aad, plaintext, encoding, |text| call.ascii(text)))
        })
    })
}

/// As [`seal_text`].
pub fn open_text(call: &Call) -> Result<Answer> {
    let (key, encoding) = (held::<Aead>(call.number(0)), encoding_of(call.number(4)));
    call.bytes(1, |nonce| {
        call.data(2, |aad| {
            call.data(3, |sealed| aead::open_text(&key, nonce, aad, sealed, encoding, |text| call.text(text)))
        })
    })
}

exports! {
    fn aead(algorithm: String, key: &[u8]) -> u32 = Aead::new(algorithm.parse::<Algorithm>()?, key).map(hold);
    fn aead_key_len(algorithm: String) -> u32 = Ok(short(algorithm.parse::<Algorithm>()?.key_len()));
    fn aead_nonce_len(algorithm: String) -> u32 = Ok(short(algorithm.parse::<Algorithm>()?.nonce_len()));
    fn aead_tag_len() -> u32 = Ok(short(size_of::<Tag>()));
    fn aead_seal_batch(key: u32, aad: &[u8], data: Memory, lengths: &[u32], out: Memory) -> () =
        data.apart(out, |data, out| aead::seal_batch(&held(key), aad, data, lengths, out));
    fn aead_open_batch(key: u32, aad: &[u8], data: Memory, lengths: &[u32], out: Memory) -> Bytes =
        Ok(data.apart(out, |data, out| aead::open_batch(&held(key), aad, data, lengths, out)));
}

/// Seals `plaintext` into `output`, which is longer by a tag and may overlap it. Without a nonce one is drawn and stands before
/// the ciphertext, and `output` is longer by that as well.
fn seal_into(key: &Aead, nonce: Option<Memory>, aad: Option<Memory>, plaintext: Memory, output: Memory) -> Result<()> {
    let (nonce, aad) = (nonce.map(|nonce| nonce.beside(output)), aad.map(|aad| aad.beside(output)));
    let (before, after) = aead::room(key, nonce.is_none());
    output.with_moved(plaintext, before, after, |output| {
        aead::seal_in_place(key, nonce.as_deref(), aad.as_deref().unwrap_or_default(), output)
    })
}

/// Opens `sealed` into `output`, which has the plaintext's length or room for the tag as well, and may overlap it. Without a nonce it
/// is read from before the ciphertext. After an error the memory is all zero.
fn open_into(key: &Aead, nonce: Option<Memory>, aad: Option<Memory>, sealed: Memory, output: Memory) -> Result<()> {
    let aad = aad.map(|aad| aad.beside(output));
    let aad = aad.as_deref().unwrap_or_default();
    let (nonce, sealed) = match nonce {
        Some(nonce) => (nonce, sealed),
        None => sealed.split_at(aead::room(key, true).0).ok_or_else(aead::too_short)?,
    };
    let nonce = nonce.beside(output);
    let done = match sealed.split_last() {
        Some((ciphertext, tag)) => output
            .part(0, ciphertext.len)
            .with_moved(ciphertext, 0, 0, |buffer| key.open_in_place_separate_tag(&nonce, aad, buffer, &tag)),
        None => key.open_in_place(&nonce, aad, &mut []).map(drop),
    };
    if let Err(error) = &done
        && (matches!(error, Error::NotAuthentic { .. }) || !output.overlaps(sealed))
    {
        output.clear();
    }
    done
}
