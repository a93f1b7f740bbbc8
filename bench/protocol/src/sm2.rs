//! Operations of SM2 over a peer's key: each peer does the same around its own calls.
//!
//! The key is there before the clock, as a server has it. Signatures and ciphertexts are DER, which OpenSSL and
//! certificates have, and every peer reads; they are random, so [`Trial::opens`] is how engines check each other.

use crate::{Refusal, Task, Trial};
use std::borrow::Cow;

/// The private key of the examples in GB/T 32918.5.
pub const PRIVATE_KEY: [u8; 32] = [
    0x39, 0x45, 0x20, 0x8f, 0x7b, 0x21, 0x44, 0xb1, 0x3f, 0x36, 0xe3, 0x8a, 0xc6, 0xd3, 0x9f, 0x95, 0x88, 0x93, 0x93,
    0x69, 0x28, 0x60, 0xb5, 0x1a, 0x42, 0xfb, 0x81, 0xef, 0x4d, 0xf7, 0xc5, 0xb8,
];
/// The user id of whoever has agreed on no other.
pub const ID: &str = "1234567812345678";

/// What [`prepare`] can set up.
pub const OPERATIONS: &[&str] = &["sm2/sign", "sm2/verify", "sm2/encrypt", "sm2/decrypt"];

/// A key of a peer, which is [`PRIVATE_KEY`] and its public one; the user is [`ID`].
pub trait Sm2: 'static {
    /// Signs a message: DER.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String>;

    /// Whether the signature is this key's and user's for the message.
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String>;

    /// Encrypts: DER.
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String>;

    /// Decrypts.
    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String>;
}

/// Sets up one of [`OPERATIONS`]; what is verified and decrypted is the peer's own, made before the clock.
pub fn prepare<K: Sm2>(key: K, task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let message = task.input;
    Ok(match task.operation.as_str() {
        "sm2/sign" => Box::new(Sign { key, message, signature: Vec::new() }),
        "sm2/verify" => {
            let signature = key.sign(&message).map_err(Refusal::Error)?;
            Box::new(Verify { key, message, signature })
        }
        "sm2/encrypt" => Box::new(Encrypt { key, plaintext: message, ciphertext: Vec::new() }),
        "sm2/decrypt" => {
            let ciphertext = key.encrypt(&message).map_err(Refusal::Error)?;
            Box::new(Decrypt { key, ciphertext, plaintext: Vec::new() })
        }
        other => return Err(Refusal::Unsupported(format!("{other} is no operation of SM2"))),
    })
}

struct Sign<K> {
    key: K,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl<K: Sm2> Trial for Sign<K> {
    fn run(&mut self) -> Result<(), String> {
        self.signature = self.key.sign(&self.message)?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.signature
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        self.opens(&self.signature).map(Cow::Owned)
    }

    fn opens(&self, signature: &[u8]) -> Result<Vec<u8>, String> {
        self.key.verify(&self.message, signature)?;
        Ok(self.message.clone())
    }
}

struct Verify<K> {
    key: K,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl<K: Sm2> Trial for Verify<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.verify(&self.message, &self.signature)
    }

    fn output(&self) -> &[u8] {
        &self.message
    }
}

struct Encrypt<K> {
    key: K,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
}

impl<K: Sm2> Trial for Encrypt<K> {
    fn run(&mut self) -> Result<(), String> {
        self.ciphertext = self.key.encrypt(&self.plaintext)?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.ciphertext
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        self.opens(&self.ciphertext).map(Cow::Owned)
    }

    fn opens(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
        self.key.decrypt(ciphertext)
    }
}

struct Decrypt<K> {
    key: K,
    ciphertext: Vec<u8>,
    plaintext: Vec<u8>,
}

impl<K: Sm2> Trial for Decrypt<K> {
    fn run(&mut self) -> Result<(), String> {
        self.plaintext = self.key.decrypt(&self.ciphertext)?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.plaintext
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A signature is the message reversed, and a ciphertext its bytes turned over.
    struct Toy;

    impl Sm2 for Toy {
        fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
            Ok(message.iter().rev().copied().collect())
        }

        fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
            if message.iter().rev().eq(signature) { Ok(()) } else { Err("no signature of it".to_owned()) }
        }

        fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
            Ok(plaintext.iter().map(|byte| !byte).collect())
        }

        fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
            self.encrypt(ciphertext)
        }
    }

    fn trial(operation: &str) -> Box<dyn Trial> {
        let task = Task { operation: operation.to_owned(), input: b"abc".to_vec(), options: BTreeMap::new() };
        let mut trial = prepare(Toy, task).unwrap();
        trial.run().unwrap();
        trial
    }

    #[test]
    fn all_agree_on_the_input_however_random_their_output() {
        for operation in OPERATIONS {
            assert_eq!(*trial(operation).agreed().unwrap(), *b"abc", "{operation}");
        }
        assert_eq!((trial("sm2/sign").output(), trial("sm2/verify").output()), (&b"cba"[..], &b"abc"[..]));
        assert_eq!(trial("sm2/encrypt").output(), [!b'a', !b'b', !b'c']);
    }

    #[test]
    fn the_output_of_another_engine_is_opened_or_refused() {
        assert_eq!(trial("sm2/sign").opens(b"cba").unwrap(), b"abc");
        assert!(trial("sm2/sign").opens(b"abc").is_err());
        assert_eq!(trial("sm2/encrypt").opens(&[!b'x']).unwrap(), b"x");
        assert!(trial("sm2/verify").opens(b"cba").is_err());
    }
}
