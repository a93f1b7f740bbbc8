//! Encrypts a text with a passphrase, and decrypts it.
//!
//!     passphrase WORDS    in a real program they come from a prompt: other processes see arguments

use sealstone::{Decryptor, Encryptor, Identity, Passphrase};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let passphrase = Passphrase::new(&std::env::args().nth(1).ok_or("usage: passphrase WORDS")?)?;
    let identity = Identity::from(passphrase);

    let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;

    // Each attempt to open it takes some tenths of a second, also for those who guess.
    let text = String::from_utf8(Decryptor::new([identity]).decrypt(&file)?)?;
    println!("{text}");

    let wrong = Identity::from(Passphrase::new("another passphrase")?);
    let error = Decryptor::new([wrong]).decrypt(&file).unwrap_err();
    println!("with another one: {}", error.code());
    Ok(())
}
