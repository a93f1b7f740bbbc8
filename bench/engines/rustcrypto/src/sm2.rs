//! The crate `sm2` with its default features.

use bench_protocol::public_key::{Encryption, Signing};
use bench_protocol::sm2::{ID, PRIVATE_KEY};
use bench_protocol::{Refusal, Task, Trial};
use getrandom::SysRng;
use sm2::SecretKey;
use sm2::dsa::signature::{RandomizedSigner, Verifier};
use sm2::dsa::{Signature, SigningKey};
use sm2::pke::{DecryptingKey, EncryptingKey};

pub(crate) fn prepare(task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let key = Key::new().map_err(Refusal::Error)?;
    bench_protocol::sm2::prepare(key, task)
}

struct Key {
    signing: SigningKey,
    decrypting: DecryptingKey,
    encrypting: EncryptingKey,
}

impl Key {
    fn new() -> Result<Self, String> {
        let secret = SecretKey::from_slice(&PRIVATE_KEY).map_err(|error| error.to_string())?;
        Ok(Self {
            signing: SigningKey::new(ID, &secret).map_err(|error| error.to_string())?,
            encrypting: EncryptingKey::new(secret.public_key()),
            decrypting: DecryptingKey::new(secret),
        })
    }
}

impl Signing for Key {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        let made = self.signing.try_sign_with_rng(&mut SysRng, message).map_err(|error| error.to_string())?;
        signature.clear();
        signature.extend_from_slice(made.to_der().as_bytes());
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let signature = Signature::from_der(signature).map_err(|error| error.to_string())?;
        self.signing.verifying_key().verify(message, &signature).map_err(|error| error.to_string())
    }
}

impl Encryption for Key {
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
        self.encrypting.encrypt_der(&mut SysRng, plaintext).map_err(|error| error.to_string())
    }

    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
        self.decrypting.decrypt_der(ciphertext).map_err(|error| error.to_string())
    }
}
