//! `sealstone random`

use crate::args::{Common, Written};
use crate::encoded;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::terminal::Terminal;
use crate::whole::write;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sealstone::hazmat::{ccm, cipher, wrap};
use sealstone::{FileMode, aead, mac, random};
use serde_json::{Value, json};
use std::time::SystemTime;
use zeroize::Zeroizing;

/// Print random bytes, a UUID, a password, a passphrase or a key, from the system's generator
#[derive(Args)]
#[command(after_help = "\
Without an option, random prints 32 bytes as hexadecimal digits. The output is a secret. For a password or passphrase, random also says how many \
bits of entropy it has: on stderr, unless -q is given, or in --json.

Examples:
  sealstone random --bytes 16 --base64
  sealstone random --password --length 24
  sealstone random --words 6
  (umask 077; sealstone random --key aes-256-gcm > key)
  sealstone random --uuid 7")]
#[command(group = clap::ArgGroup::new("what"))]
pub(crate) struct Random {
    /// Print N random bytes (default: 32)
    #[arg(long, value_name = "N", group = "what", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) bytes: Option<u32>,
    /// Print a UUID: 4 is random, 7 begins with the time
    #[arg(long, value_name = "VERSION", group = "what", conflicts_with = "Written", value_parser = PossibleValuesParser::new(["4", "7"]).map(|version| if version == "7" { Uuid::V7 } else { Uuid::V4 }))]
    pub(crate) uuid: Option<Uuid>,
    /// Print a password
    #[arg(long, group = "what", conflicts_with = "Written")]
    pub(crate) password: bool,
    /// Length of the password in characters
    #[arg(long, value_name = "N", requires = "password", conflicts_with_all = OTHERS_THAN_PASSWORDS, default_value_t = random::PASSWORD_LEN as u32, value_parser = clap::value_parser!(u32).range(1..=random::TEXT_MAX_LEN as i64))]
    pub(crate) length: u32,
    /// The characters to draw the password from: at least two, and none of them twice
    #[arg(long, value_name = "CHARACTERS", requires = "password", conflicts_with_all = OTHERS_THAN_PASSWORDS, default_value = random::PASSWORD_ALPHABET)]
    pub(crate) alphabet: String,
    /// Print a passphrase of N words of the EFF's list, with hyphens between them; 6 words have 77 bits
    #[arg(long, value_name = "N", group = "what", conflicts_with = "Written", value_parser = clap::value_parser!(u32).range(1..=random::TEXT_MAX_LEN as i64))]
    pub(crate) words: Option<u32>,
    /// Print a key for an algorithm, such as aes-256-gcm or hmac-sha256
    #[arg(long, value_name = "ALGORITHM", group = "what")]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// A version of UUIDs.
#[derive(Clone, Copy)]
pub(crate) enum Uuid {
    V4,
    V7,
}

/// The default number of bytes.
const LEN: usize = 32;

pub(crate) fn run(command: &Random, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if let Some(version) = command.uuid {
        let text = random::uuid_text(&make_uuid(version)?);
        return print_text(&text, &json!({ "uuid": text }), common);
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
        return print_secret("password", &password, bits, common, terminal);
    }
    if let Some(count) = command.words {
        let count = count as usize;
        let passphrase = random::words(&random::EFF_WORDS, count, "-")?;
        let bits = random::entropy_bits(random::EFF_WORDS.len(), count);
        return print_secret("passphrase", &passphrase, bits, common, terminal);
    }
    let bytes = match &command.key {
        Some(algorithm) => make_key(algorithm)?,
        None => {
            let mut bytes = Zeroizing::new(vec![0; command.bytes.map_or(LEN, |len| len as usize)]);
            random::fill(&mut bytes)?;
            bytes
        }
    };
    if command.written.raw {
        return write(None, &bytes, FileMode::Private, common, &Guard::new(common));
    }
    let text = encoded::encode(&bytes, &command.written)?;
    print_text(&text, &json!({ encoded::encoding(&command.written).name(): *text, "bytes": bytes.len() }), common)
}

fn make_uuid(version: Uuid) -> Result<[u8; 16], Failure> {
    Ok(match version {
        Uuid::V4 => random::uuid_v4()?,
        Uuid::V7 => {
            let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            random::uuid_v7(u64::try_from(time.as_millis()).expect("random: the year is below 10,000"))?
        }
    })
}

/// Generates a key for an algorithm of any family.
fn make_key(name: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
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

/// Prints a secret text and its entropy.
fn print_secret(name: &str, text: &str, bits: f64, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    print_text(text, &json!({ name: text, "entropy_bits": bits }), common)?;
    terminal.note(&format!("{bits:.1} bits of entropy"));
    Ok(())
}

fn print_text(text: &str, value: &Value, common: &Common) -> Result<(), Failure> {
    let line = Zeroizing::new(if common.json { format!("{value}\n") } else { format!("{text}\n") });
    write(None, line.as_bytes(), FileMode::Private, common, &Guard::new(common))
}

/// The options that exclude --length and --alphabet. They must be listed, because clap does not check `requires` for an option in
/// conflict with another.
const OTHERS_THAN_PASSWORDS: [&str; 4] = ["bytes", "uuid", "words", "key"];
