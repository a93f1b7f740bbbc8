//! Tags of messages. An encoding crosses as its place among the engine's.

use crate::boundary::Bytes;
use crate::direct::{Answer, Call};
use crate::handles::{held, hold, job_of, with};
use sealstone::Result;
use sealstone::mac::{Mac, Tag};
use sealstone_engine::files::path;
use sealstone_engine::hashing::encoding_of;
use sealstone_engine::mac::{self, Signing};
use sealstone_engine::numbers::short;

/// Of a key, data and memory for the tag, which may be the data's.
#[allow(clippy::unnecessary_wraps, reason = "others of these exports fail")]
pub fn into(call: &Call) -> Result<Answer> {
    let tag = signed(call);
    call.needed(2).write(tag.as_bytes());
    Ok(Answer::NOTHING)
}

/// Of a key, data and an encoding.
#[allow(clippy::unnecessary_wraps, reason = "others of these exports fail")]
pub fn text(call: &Call) -> Result<Answer> {
    let (tag, encoding) = (signed(call), encoding_of(call.number(2)));
    Ok(encoding.with(tag.as_bytes(), |text| call.ascii(text)))
}

/// Of a key, data, a tag, and whether that is truncated.
pub fn verify(call: &Call) -> Result<Answer> {
    let (tag, is_truncated) = (call.needed(2), call.flag(3));
    with(call.number(0), |key| call.data(1, |data| tag.read(|tag| mac::verify(key, data, tag, is_truncated))))?;
    Ok(Answer::NOTHING)
}

/// Of a key, data, a tag as text, an encoding, and whether the tag is truncated.
pub fn verify_text(call: &Call) -> Result<Answer> {
    let (encoding, is_truncated) = (encoding_of(call.number(3)), call.flag(4));
    with(call.number(0), |key| {
        call.data(1, |data| call.data(2, |tag| mac::verify_text(key, data, tag, encoding, is_truncated)))
    })?;
    Ok(Answer::NOTHING)
}

fn signed(call: &Call) -> Tag {
    with(call.number(0), |key: &Mac| call.data(1, |data| key.sign(data)))
}

exports! {
    fn mac(algorithm: String, key: &[u8], customization: Option<&[u8]>, tag_len: u32) -> u32 =
        mac::mac(&algorithm, key, customization, tag_len).map(hold);
    fn mac_tag_len(key: u32) -> u32 = Ok(short(held::<Mac>(key).tag_len()));
    fn mac_signer(key: u32) -> u32 = Ok(hold(Signing::new(&held::<Mac>(key))));
    fn mac_signer_update(signer: u32, data: &[u8]) -> () = Ok(held::<Signing>(signer).update(data));
    fn mac_signer_tag(signer: u32) -> Bytes = Ok(bytes(held::<Signing>(signer).tag()));
    fn mac_signer_text(signer: u32, encoding: u32) -> String =
        Ok(encoding_of(encoding).with(held::<Signing>(signer).tag().as_bytes(), str::to_owned));
    fn mac_signer_verify(signer: u32, tag: &[u8], is_truncated: bool) -> () =
        held::<Signing>(signer).verify(tag, is_truncated);
    fn mac_signer_verify_text(signer: u32, tag: String, encoding: u32, is_truncated: bool) -> () =
        held::<Signing>(signer).verify_text(tag.as_bytes(), encoding_of(encoding), is_truncated);
}

promises! {
    fn mac_file(key: u32, file: &[u8], special: bool, job: u32) => bytes,
        mac::file(held(key), path(file), special, job_of(job));
}

fn bytes(tag: Tag) -> Bytes {
    tag.as_bytes().into()
}
