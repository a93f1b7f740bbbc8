//! `sealstone random`

use crate::args::{Common, Random, Uuid};
use crate::encoded;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::terminal::Terminal;
use crate::whole::write;
use sealstone::hazmat::{ccm, cipher, wrap};
use sealstone::{FileMode, aead, mac, random};
use serde_json::{Value, json};
use std::time::SystemTime;
use zeroize::Zeroizing;

/// Bytes where nobody says otherwise.
const LEN: usize = 32;

pub(crate) fn run(command: &Random, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if let Some(version) = command.uuid {
        let text = random::uuid_text(&uuid(version)?);
        return say(&text, &json!({ "uuid": text }), common);
    }
    if command.password {
        let (alphabet, len) = (&command.alphabet, command.length as usize);
        let twice = alphabet.char_indices().find(|(at, character)| alphabet[..*at].contains(*character));
        if let Some((_, character)) = twice {
            return Err(Failure::usage(format!(
                "the alphabet has {character:?} twice, so that it would be drawn more often"
            )));
        }
        let password = random::text(alphabet, len)?;
        let bits = random::entropy_bits(alphabet.chars().count(), len);
        return secret("password", &password, bits, common, terminal);
    }
    if let Some(count) = command.words {
        let count = count as usize;
        let passphrase = random::words(&random::EFF_WORDS, count, "-")?;
        let bits = random::entropy_bits(random::EFF_WORDS.len(), count);
        return secret("passphrase", &passphrase, bits, common, terminal);
    }
    let bytes = match &command.key {
        Some(algorithm) => key(algorithm)?,
        None => {
            let mut bytes = Zeroizing::new(vec![0; command.bytes.map_or(LEN, |len| len as usize)]);
            random::fill(&mut bytes)?;
            bytes
        }
    };
    if command.written.raw {
        return write(None, &bytes, FileMode::Private, common, &Keyring::new(common));
    }
    let text = encoded::text(&bytes, &command.written)?;
    say(&text, &json!({ encoded::encoding(&command.written).name(): *text, "bytes": bytes.len() }), common)
}

fn uuid(version: Uuid) -> Result<[u8; 16], Failure> {
    Ok(match version {
        Uuid::V4 => random::uuid_v4()?,
        Uuid::V7 => {
            let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            random::uuid_v7(u64::try_from(time.as_millis()).expect("random: the year is below 10,000"))?
        }
    })
}

/// A new key for an algorithm of any family.
fn key(name: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut names = Vec::new();
    macro_rules! families {
        ($($family:ident),+) => { $(
            match name.parse::<$family::Algorithm>() {
                Ok(algorithm) => return Ok(algorithm.generate_key()?),
                Err(_) => names.extend($family::Algorithm::ALL.map($family::Algorithm::name)),
            }
        )+ };
    }
    families!(aead, mac, cipher, ccm, wrap);
    Err(Failure::usage_with_hint("no algorithm of this name has keys", format!("these have: {}", names.join(", "))))
}

/// A secret of characters, and how hard it is to guess.
fn secret(name: &str, text: &str, bits: f64, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    say(text, &json!({ name: text, "entropy_bits": bits }), common)?;
    terminal.note(&format!("{bits:.1} bits of entropy"));
    Ok(())
}

fn say(text: &str, value: &Value, common: &Common) -> Result<(), Failure> {
    let line = Zeroizing::new(if common.json { format!("{value}\n") } else { format!("{text}\n") });
    write(None, line.as_bytes(), FileMode::Private, common, &Keyring::new(common))
}
