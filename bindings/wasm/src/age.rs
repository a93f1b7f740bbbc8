//! Files of age.

use crate::boundary::Result;
use crate::handles::{all, held, hold};
use sealstone::interop::age::{self, Decryptor, Encryptor, Identity, Recipient};
use sealstone::{Asks, Error, Passphrase};
use sealstone_engine::age::{self as files, Opening, Sealing};
use sealstone_engine::numbers::number;
use sealstone_engine::parts::{self, Part};
use sealstone_engine::stretching::{self, Stretching};
use sealstone_engine::text::taken;
use std::sync::Arc;
use zeroize::Zeroizing;

exports! {
    fn age_identity_generate(kind: &str) -> String = taken(files::generate(kind)?);
    /// What reads keys of SSH would be a third of the module.
    fn age_identity(text: &[u8], _passphrase: Option<&[u8]>) -> u32 = {
        if files::is_ssh(text) {
            Err(Error::UnavailableBackend("SSH private keys need the native part of the package".into()))?;
        }
        hold(files::identity_of_string(text)?)?
    };
    fn age_identity_of_passphrase(text: &[u8]) -> u32 = hold(Identity::from(Passphrase::from_utf8(text)?))?;
    fn age_identity_recipient(identity: u32) -> String = files::recipient_text(&*held::<Identity>(identity)?)?;
    fn age_recipient(text: &str) -> u32 = hold(text.parse::<Recipient>()?)?;
    fn age_recipient_of_passphrase(text: &[u8], log_n: u64) -> u32 =
        hold(files::recipient_of_passphrase(text, u32::try_from(log_n).unwrap_or(u32::MAX))?)?;
    fn age_recipient_of_point(point: &[u8]) -> String = files::recipient_of_point(point)?;
    fn age_encryptor(recipients: Vec<u32>, threads: Option<u32>) -> u32 =
        hold(files::encryptor(&all(&recipients)?, threads)?)?;
    fn age_decryptor(identities: Vec<u32>, threads: Option<u32>) -> u32 =
        hold(files::decryptor(&all(&identities)?, threads))?;
    // Keys of passphrases that another instance derives, in steps: what an encryptor or a decryptor asks for.
    fn age_asked(of: u32, head: &[u8]) -> Zeroizing<Vec<u8>> = stretching::asked(&*asks(of)?, head);
    fn age_know(of: u32, asked: &[u8], key: &[u8]) -> () = stretching::know(&*asks(of)?, asked, key)?;
    fn age_stretching(asked: &[u8]) -> u32 = hold(Stretching::new::<Encryptor>(asked)?)?;
    fn age_stretching_step(stretching: u32, amount: u64) -> bool =
        held::<Stretching>(stretching)?.step(u32::try_from(amount).unwrap_or(u32::MAX));
    fn age_stretching_key(stretching: u32) -> Zeroizing<Vec<u8>> = held::<Stretching>(stretching)?.key();
    fn age_head_len(start: &[u8]) -> f64 = number(files::head_len(start)? as u64);
    fn age_sealed_len(plaintext_len: u64) -> f64 = number(age::sealed_len(plaintext_len)?);
    fn age_opened_len(chunks_len: u64) -> f64 = number(age::opened_len(chunks_len)?);
    fn age_chunk_len() -> f64 = number(age::CHUNK_LEN as u64);
    fn age_stanzas(head: &[u8]) -> Vec<u8> = files::stanzas(head)?;
    fn age_wrap(recipient: u32, file_key: &[u8]) -> Vec<u8> = files::wrap(&*held::<Recipient>(recipient)?, file_key)?;
    fn age_x25519_share(stanza: &[u8]) -> Vec<u8> = files::x25519_share(stanza)?;
    fn age_x25519_file_key(stanza: &[u8], public: &[u8], secret: &[u8]) -> Zeroizing<Vec<u8>> =
        files::x25519_file_key(stanza, public, secret)?;
    fn age_file_key(decryptor: u32, header: &[u8]) -> Vec<u8> =
        files::file_key_of(&*held::<Decryptor>(decryptor)?, header)?;
    fn age_units_max() -> f64 = f64::from(parts::units_max(None));
    fn age_sealer(encryptor: u32) -> u32 = hold(Sealing::new(&*held::<Encryptor>(encryptor)?)?)?;
    fn age_sealer_of_stanzas(stanzas: &[u8], file_key: &[u8]) -> u32 = hold(Sealing::of_stanzas(stanzas, file_key)?)?;
    fn age_sealer_head(sealer: u32) -> Vec<u8> = held::<Sealing>(sealer)?.head();
    fn age_sealer_fill(sealer: u32, plaintext: &[u8]) -> f64 = number(held::<Sealing>(sealer)?.fill(plaintext) as u64);
    fn age_sealer_unit(sealer: u32) -> Option<Part> = match held::<Sealing>(sealer)?.unit() {
        Some(unit) => Some(unit.run()?),
        None => None,
    };
    fn age_sealer_finish(sealer: u32) -> Part = held::<Sealing>(sealer)?.finish().run()?;
    fn age_opener(decryptor: u32, head: &[u8]) -> u32 = hold(Opening::new(&*held::<Decryptor>(decryptor)?, head)?)?;
    fn age_opener_of_file_key(head: &[u8], file_key: &[u8]) -> u32 = hold(Opening::of_file_key(head, file_key)?)?;
    fn age_opener_fill(opener: u32, chunks: &[u8]) -> f64 = number(held::<Opening>(opener)?.fill(chunks) as u64);
    fn age_opener_unit(opener: u32) -> Option<Part> = match held::<Opening>(opener)?.unit() {
        Some(unit) => Some(unit.run()?),
        None => None,
    };
    fn age_opener_finish(opener: u32, is_end: bool) -> Part = held::<Opening>(opener)?.finish(is_end).run()?;
    fn age_opener_at(opener: u32, first: u64, chunks: &[u8], is_end: bool) -> Vec<u8> =
        held::<Opening>(opener)?.open_at(first, chunks, is_end)?;
    fn age_armour(file: &[u8]) -> String = age::armour(file);
    fn age_dearmour(text: &[u8]) -> Vec<u8> = age::dearmour(text)?;
    fn age_is_armoured(start: &[u8]) -> bool = age::is_armoured(start);
}

type OwnAsks = dyn Asks<Kdf = <Encryptor as Asks>::Kdf>;

fn asks(number: u32) -> Result<Arc<OwnAsks>> {
    held::<Encryptor>(number)
        .map(|one| one as Arc<OwnAsks>)
        .or_else(|_| held::<Decryptor>(number).map(|one| one as Arc<OwnAsks>))
}
