//! Operations of key pairs over a peer's keys: each peer does the same around its own calls.
//!
//! The keys are there before the clock, as a server has them, and are the same in all engines, so that each verifies, decrypts and
//! decapsulates what every other one made ([`Trial::opens`]), which is random.

use crate::{Refusal, Task, Trial};
use std::borrow::Cow;

/// Bytes of a secret that is encapsulated.
const SECRET_LEN: usize = 32;

/// A number, or a seed, of so many bytes: 0, 1, 2, …
#[must_use]
pub fn private_key(len: u8) -> Vec<u8> {
    (0..len).collect()
}

/// The private key of the other side of an agreement: 0x40, 0x41, …
#[must_use]
pub fn other_private_key(len: u8) -> Vec<u8> {
    (0x40..).take(len.into()).collect()
}

/// A private key of RSA in PKCS#8, which is known to everybody.
///
/// # Panics
/// For another number of bits than 2,048 and 4,096.
#[must_use]
pub fn rsa_private_key(bits: u16) -> Vec<u8> {
    let digits = match bits {
        2048 => include_str!("../keys/rsa_2048.txt"),
        4096 => include_str!("../keys/rsa_4096.txt"),
        other => panic!("there is no key of RSA with {other} bits"),
    };
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks_exact(2).map(|pair| byte(pair).expect("they are digits")).collect()
}

/// The same as an `RSAPrivateKey`, PKCS#1: what is behind the names of version and algorithm.
#[must_use]
pub fn rsa_private_key_pkcs1(bits: u16) -> Vec<u8> {
    const BEFORE: usize = 26;
    rsa_private_key(bits).split_off(BEFORE)
}

/// Signs and verifies with one key pair.
pub trait Signing: 'static {
    /// Signs a message. The buffer has the signature before.
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String>;

    /// Whether the signature is this key's for the message.
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String>;
}

/// Encrypts to a public key, and decrypts.
pub trait Encryption: 'static {
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String>;

    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String>;
}

/// Agrees on a secret with [`other_private_key`].
pub trait Agreement: 'static {
    /// The secret, into a buffer that has the one before.
    fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String>;
}

/// Encapsulates secrets to one key pair.
pub trait Encapsulation: 'static {
    /// A ciphertext, and behind it its secret, into a buffer that has those before.
    fn encapsulate(&self, both: &mut Vec<u8>) -> Result<(), String>;

    /// The secret of a ciphertext, into a buffer that has the one before.
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut Vec<u8>) -> Result<(), String>;
}

/// Sets up `…/sign` or `…/verify`; what is verified is the peer's own, made before the clock.
pub fn signing<K: Signing + ?Sized>(key: Box<K>, task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let message = task.input;
    let mut signature = Vec::new();
    match verb(&task.operation) {
        "sign" => Ok(Box::new(Sign { message, signature, key })),
        "verify" => {
            key.sign(&message, &mut signature).map_err(Refusal::Error)?;
            Ok(Box::new(Verify { message, signature, key }))
        }
        _ => Err(unknown(&task.operation)),
    }
}

/// Sets up `…/encrypt` or `…/decrypt`, likewise.
pub fn encryption<K: Encryption + ?Sized>(key: Box<K>, task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let plaintext = task.input;
    match verb(&task.operation) {
        "encrypt" => Ok(Box::new(Encrypt { key, plaintext, ciphertext: Vec::new() })),
        "decrypt" => {
            let ciphertext = key.encrypt(&plaintext).map_err(Refusal::Error)?;
            Ok(Box::new(Decrypt { key, ciphertext, plaintext: Vec::new() }))
        }
        _ => Err(unknown(&task.operation)),
    }
}

/// Sets up `…/generate`: a key pair, which the peer makes, and which must decrypt what is encrypted to it.
pub fn generation<K: Encryption + ?Sized>(
    generate: impl Fn() -> Result<Box<K>, String> + 'static,
    task: Task,
) -> Box<dyn Trial> {
    Box::new(Generate { make: generate, message: task.input, key: None })
}

/// Sets up `…/agree`. The output is the secret, which all peers have.
pub fn agreement<K: Agreement + ?Sized>(key: Box<K>) -> Box<dyn Trial> {
    Box::new(Agree { key, secret: Vec::new() })
}

/// Sets up `…/encapsulate` or `…/decapsulate`. What engines agree on is the input, of which nothing is used.
pub fn encapsulation<K: Encapsulation + ?Sized>(key: Box<K>, task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let input = task.input;
    let mut both = Vec::new();
    match verb(&task.operation) {
        "encapsulate" => Ok(Box::new(Encapsulate { input, both, key })),
        "decapsulate" => {
            key.encapsulate(&mut both).map_err(Refusal::Error)?;
            Ok(Box::new(Decapsulate { key, input, both, secret: Vec::new() }))
        }
        _ => Err(unknown(&task.operation)),
    }
}

fn verb(operation: &str) -> &str {
    operation.rsplit('/').next().unwrap_or_default()
}

fn unknown(operation: &str) -> Refusal {
    Refusal::Unsupported(format!("{operation} is none that a key pair has"))
}

struct Sign<K: ?Sized> {
    message: Vec<u8>,
    signature: Vec<u8>,
    key: Box<K>,
}

impl<K: Signing + ?Sized> Trial for Sign<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.sign(&self.message, &mut self.signature)
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

struct Verify<K: ?Sized> {
    message: Vec<u8>,
    signature: Vec<u8>,
    key: Box<K>,
}

impl<K: Signing + ?Sized> Trial for Verify<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.verify(&self.message, &self.signature)
    }

    fn output(&self) -> &[u8] {
        &self.message
    }
}

struct Encrypt<K: ?Sized> {
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    key: Box<K>,
}

impl<K: Encryption + ?Sized> Trial for Encrypt<K> {
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

struct Decrypt<K: ?Sized> {
    ciphertext: Vec<u8>,
    plaintext: Vec<u8>,
    key: Box<K>,
}

impl<K: Encryption + ?Sized> Trial for Decrypt<K> {
    fn run(&mut self) -> Result<(), String> {
        self.plaintext = self.key.decrypt(&self.ciphertext)?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.plaintext
    }
}

struct Generate<F, K: ?Sized> {
    make: F,
    message: Vec<u8>,
    key: Option<Box<K>>,
}

impl<F: Fn() -> Result<Box<K>, String>, K: Encryption + ?Sized> Trial for Generate<F, K> {
    fn run(&mut self) -> Result<(), String> {
        self.key = Some((self.make)()?);
        Ok(())
    }

    /// A key is nobody's to see.
    fn output(&self) -> &[u8] {
        &[]
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        let key = self.key.as_ref().ok_or("there is no key yet")?;
        key.decrypt(&key.encrypt(&self.message)?).map(Cow::Owned)
    }
}

struct Agree<K: ?Sized> {
    secret: Vec<u8>,
    key: Box<K>,
}

impl<K: Agreement + ?Sized> Trial for Agree<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.agree(&mut self.secret)
    }

    fn output(&self) -> &[u8] {
        &self.secret
    }
}

struct Encapsulate<K: ?Sized> {
    input: Vec<u8>,
    both: Vec<u8>,
    key: Box<K>,
}

impl<K: Encapsulation + ?Sized> Trial for Encapsulate<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.encapsulate(&mut self.both)
    }

    fn output(&self) -> &[u8] {
        &self.both
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        self.opens(&self.both).map(Cow::Owned)
    }

    fn opens(&self, both: &[u8]) -> Result<Vec<u8>, String> {
        let (ciphertext, expected) = split(both)?;
        let mut secret = Vec::new();
        self.key.decapsulate(ciphertext, &mut secret)?;
        if secret == expected {
            Ok(self.input.clone())
        } else {
            Err("it is the ciphertext of another secret".to_owned())
        }
    }
}

struct Decapsulate<K: ?Sized> {
    input: Vec<u8>,
    both: Vec<u8>,
    secret: Vec<u8>,
    key: Box<K>,
}

impl<K: Encapsulation + ?Sized> Trial for Decapsulate<K> {
    fn run(&mut self) -> Result<(), String> {
        self.key.decapsulate(split(&self.both)?.0, &mut self.secret)
    }

    fn output(&self) -> &[u8] {
        &self.secret
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        let (_, expected) = split(&self.both)?;
        if self.secret == expected { Ok(Cow::Borrowed(&self.input)) } else { Err("it is another secret".to_owned()) }
    }
}

/// A ciphertext, and the secret behind it.
fn split(both: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let at = both.len().checked_sub(SECRET_LEN).ok_or("there is no secret behind the ciphertext")?;
    Ok(both.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A signature is the message reversed, a ciphertext its bytes turned over, and a secret the ciphertext, which counts.
    struct Toy;

    impl Signing for Toy {
        fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
            *signature = message.iter().rev().copied().collect();
            Ok(())
        }

        fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
            if message.iter().rev().eq(signature) { Ok(()) } else { Err("no signature of it".to_owned()) }
        }
    }

    impl Encryption for Toy {
        fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
            Ok(plaintext.iter().map(|byte| !byte).collect())
        }

        fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
            self.encrypt(ciphertext)
        }
    }

    impl Agreement for Toy {
        fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String> {
            *secret = [private_key(2), other_private_key(2)].concat();
            Ok(())
        }
    }

    impl Encapsulation for Toy {
        fn encapsulate(&self, both: &mut Vec<u8>) -> Result<(), String> {
            let number = both.first().map_or(1, |number| number + 1);
            *both = vec![number; 2 * SECRET_LEN];
            Ok(())
        }

        fn decapsulate(&self, ciphertext: &[u8], secret: &mut Vec<u8>) -> Result<(), String> {
            *secret = ciphertext.to_vec();
            Ok(())
        }
    }

    fn trial(operation: &str) -> Box<dyn Trial> {
        let task = Task { operation: operation.to_owned(), input: b"abc".to_vec(), options: BTreeMap::new() };
        let mut trial = match verb(operation) {
            "sign" | "verify" => signing(Box::new(Toy), task).unwrap(),
            "encrypt" | "decrypt" => encryption(Box::new(Toy), task).unwrap(),
            "generate" => generation(|| Ok(Box::new(Toy)), task),
            "agree" => agreement(Box::new(Toy)),
            _ => encapsulation(Box::new(Toy), task).unwrap(),
        };
        trial.run().unwrap();
        trial
    }

    #[test]
    fn all_agree_on_the_input_however_random_their_output() {
        for operation in ["sign", "verify", "encrypt", "decrypt", "generate", "encapsulate", "decapsulate"] {
            let mut trial = trial(&format!("toy/{operation}"));
            for _ in 0..2 {
                assert_eq!(*trial.agreed().unwrap(), *b"abc", "{operation}");
                trial.run().unwrap();
            }
        }
        assert_eq!((trial("sign").output(), trial("verify").output()), (&b"cba"[..], &b"abc"[..]));
        assert_eq!((trial("encrypt").output(), trial("decrypt").output()), (&[!b'a', !b'b', !b'c'][..], &b"abc"[..]));
        assert_eq!((trial("encapsulate").output(), trial("decapsulate").output()), (&[1; 64][..], &[1; 32][..]));
        assert_eq!((trial("generate").output(), trial("agree").output()), (&[][..], &[0, 1, 0x40, 0x41][..]));
    }

    #[test]
    fn the_output_of_another_engine_is_opened_or_refused() {
        assert_eq!(trial("sign").opens(b"cba").unwrap(), b"abc");
        assert!(trial("sign").opens(b"abc").is_err());
        assert_eq!(trial("encrypt").opens(&[!b'x']).unwrap(), b"x");
        assert_eq!(trial("encapsulate").opens(&[7; 64]).unwrap(), b"abc");
        for other in [&[[7; 32], [8; 32]].concat()[..], &[7; 31]] {
            assert!(trial("encapsulate").opens(other).is_err());
        }
        assert!(trial("verify").opens(b"cba").is_err());
    }

    #[test]
    fn another_verb_is_unsupported() {
        let task =
            |operation: &str| Task { operation: operation.to_owned(), input: Vec::new(), options: BTreeMap::new() };
        assert!(matches!(signing(Box::new(Toy), task("toy/encrypt")), Err(Refusal::Unsupported(_))));
        assert!(matches!(encryption(Box::new(Toy), task("toy/sign")), Err(Refusal::Unsupported(_))));
        assert!(matches!(encapsulation(Box::new(Toy), task("toy")), Err(Refusal::Unsupported(_))));
    }

    #[test]
    fn keys_are_those_of_the_description() {
        assert_eq!((private_key(3), other_private_key(3)), (vec![0, 1, 2], vec![0x40, 0x41, 0x42]));
        for bits in [2048, 4096] {
            let (pkcs8, pkcs1) = (rsa_private_key(bits), rsa_private_key_pkcs1(bits));
            // A SEQUENCE as long as all that is behind its head, which begins with version 0 and a modulus.
            for (der, version) in [(pkcs8, &[2, 1, 0, 0x30][..]), (pkcs1, &[2, 1, 0, 2, 0x82][..])] {
                assert_eq!(usize::from(u16::from_be_bytes([der[2], der[3]])), der.len() - 4, "{bits}");
                assert_eq!((&der[..2], &der[4..4 + version.len()]), (&[0x30, 0x82][..], version));
            }
        }
    }
}
