//! RSA with OAEP and SHA-256: `sealstone::rsa`.

use bench_protocol::public_key::{Encryption, encryption, generation, rsa_private_key_pkcs1};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::rsa::{Oaep, PrivateKey, PublicKey};

pub(crate) const OPERATIONS: &[&str] = &[
    "rsa/2048/encrypt",
    "rsa/2048/decrypt",
    "rsa/2048/generate",
    "rsa/4096/encrypt",
    "rsa/4096/decrypt",
    "rsa/4096/generate",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (bits, verb) = task.operation.strip_prefix("rsa/")?.split_once('/')?;
    let bits: u16 = bits.parse().ok()?;
    if verb == "generate" {
        let generate = move || PrivateKey::generate(bits.into()).map(Key::of).map_err(|error| error.to_string());
        return Some(Ok(generation(generate, task.clone())));
    }
    let key = PrivateKey::from_bytes(&rsa_private_key_pkcs1(bits)).map(Key::of);
    Some(key.map_err(|error| Refusal::Error(error.to_string())).and_then(|key| encryption(key, task.clone())))
}

struct Key {
    private: PrivateKey,
    public: PublicKey,
}

impl Key {
    fn of(private: PrivateKey) -> Box<Self> {
        Box::new(Self { public: private.public_key(), private })
    }
}

impl Encryption for Key {
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
        self.public.encrypt(&Oaep::default(), plaintext).map_err(|error| error.to_string())
    }

    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
        let plaintext = self.private.decrypt(&Oaep::default(), ciphertext).map_err(|error| error.to_string())?;
        Ok(plaintext.to_vec())
    }
}
