//! RSA with OAEP and SHA-256.

use aws_lc_rs::rsa::{
    KeySize, OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, OaepPublicEncryptingKey, PrivateDecryptingKey,
};
use bench_protocol::public_key::{Encryption, encryption, generation, rsa_private_key};
use bench_protocol::{Refusal, Task, Trial};

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
        let size = if bits == 2048 { KeySize::Rsa2048 } else { KeySize::Rsa4096 };
        let generate = move || {
            let key = PrivateDecryptingKey::generate(size).map_err(|error| error.to_string())?;
            Key::of(key).map_err(|error| error.to_string())
        };
        return Some(Ok(generation(generate, task.clone())));
    }
    let key = PrivateDecryptingKey::from_pkcs8(&rsa_private_key(bits)).expect("the key is one");
    let key = Key::of(key).map_err(|error| Refusal::Error(error.to_string()));
    Some(key.and_then(|key| encryption(key, task.clone())))
}

struct Key {
    private: OaepPrivateDecryptingKey,
    public: OaepPublicEncryptingKey,
}

impl Key {
    fn of(private: PrivateDecryptingKey) -> Result<Box<Self>, aws_lc_rs::error::Unspecified> {
        let public = OaepPublicEncryptingKey::new(private.public_key())?;
        Ok(Box::new(Self { private: OaepPrivateDecryptingKey::new(private)?, public }))
    }
}

impl Encryption for Key {
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
        let mut ciphertext = vec![0; self.public.ciphertext_size()];
        let encrypted = self.public.encrypt(&OAEP_SHA256_MGF1SHA256, plaintext, &mut ciphertext, None);
        encrypted.map_err(|error| error.to_string())?;
        Ok(ciphertext)
    }

    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
        let mut plaintext = vec![0; self.private.min_output_size()];
        let decrypted = self.private.decrypt(&OAEP_SHA256_MGF1SHA256, ciphertext, &mut plaintext, None);
        let len = decrypted.map_err(|error| error.to_string())?.len();
        plaintext.truncate(len);
        Ok(plaintext)
    }
}
