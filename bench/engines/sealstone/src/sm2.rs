//! SM2 as anybody uses it: `sealstone::sm2`.

use bench_protocol::public_key::{Encryption, Signing};
use bench_protocol::sm2::{ID, PRIVATE_KEY};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::sm2::{Form, PrivateKey, PublicKey, Signature};

pub(crate) fn prepare(task: Task) -> Result<Box<dyn Trial>, Refusal> {
    let private = PrivateKey::from_bytes(&PRIVATE_KEY).map_err(|error| Refusal::Error(error.to_string()))?;
    let public = private.public_key();
    bench_protocol::sm2::prepare(Key { private, public }, task)
}

struct Key {
    private: PrivateKey,
    public: PublicKey,
}

impl Signing for Key {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        *signature = self.private.sign(ID.as_bytes(), message).map_err(|error| error.to_string())?.to_der();
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let signature = Signature::from_der(signature).map_err(|error| error.to_string())?;
        self.public.verify(ID.as_bytes(), message, &signature).map_err(|error| error.to_string())
    }
}

impl Encryption for Key {
    fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>, String> {
        self.public.encrypt(Form::Der, plaintext).map_err(|error| error.to_string())
    }

    fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>, String> {
        Ok(self.private.decrypt(Form::Der, ciphertext).map_err(|error| error.to_string())?.to_vec())
    }
}
