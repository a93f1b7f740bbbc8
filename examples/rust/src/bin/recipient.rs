//! Encrypts a file to a public key, and decrypts it with the secret one.
//!
//!     recipient FILE      writes FILE.key, FILE.seal and FILE.copy

use sealstone::{Decryptor, Encryptor, Identity, Kind, parse_identities, parse_recipients};
use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: recipient FILE")?;

    // The secret key stays with whoever is to decrypt; nobody else may read it.
    let identity = Identity::generate(Kind::Hybrid)?;
    let mut key_file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(format!("{file}.key"))?;
    writeln!(key_file, "{}", identity.to_text().expect("a generated one has a text").as_str())?;
    // The public one goes to whoever encrypts.
    let recipient = identity.recipient().to_string();

    Encryptor::new(parse_recipients(&recipient)?).encrypt_file(&file, format!("{file}.seal"))?;

    let identities = parse_identities(&std::fs::read_to_string(format!("{file}.key"))?, None)?;
    let done = Decryptor::new(identities).decrypt_file(format!("{file}.seal"), format!("{file}.copy"))?;
    println!("{} bytes came back", done.plaintext);
    Ok(())
}
