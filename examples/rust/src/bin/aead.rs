//! Seals packets under a key that both sides have, each in the place where it is.

use sealstone::aead::{Aead, Algorithm};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let algorithm = Algorithm::ChaCha20Poly1305;
    // In a real program both sides have it from a key exchange.
    let key = Aead::new(algorithm, &[7; 32])?;

    let mut received = Vec::new();
    for (number, text) in ["attack", "at", "dawn"].into_iter().enumerate() {
        // The number of a packet makes its nonce, which must never serve twice under one key.
        let mut nonce = vec![0; algorithm.nonce_len()];
        nonce[..8].copy_from_slice(&(number as u64).to_le_bytes());
        // What is not secret, and must not be changed either.
        let header = format!("packet {number}");

        let mut packet = text.as_bytes().to_vec();
        let tag = key.seal_in_place(&nonce, header.as_bytes(), &mut packet)?;
        packet.extend(tag);

        let len = key.open_in_place(&nonce, header.as_bytes(), &mut packet)?;
        received.push(String::from_utf8(packet[..len].to_vec())?);
    }
    println!("{}", received.join(" "));
    Ok(())
}
