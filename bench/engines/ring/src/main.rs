//! ring, used as its documentation shows for keys whose nonces the caller makes.

use bench_protocol::aead::{self, Aead, KEY, NONCE_LEN, Suite, TAG_LEN};
use bench_protocol::{About, Engine, Refusal, Task, Trial, locked_version, serve};
use ring::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

fn main() -> std::io::Result<()> {
    serve(&Ring)
}

struct Ring;

impl Engine for Ring {
    fn about(&self) -> About {
        About { name: "ring", version: locked_version(include_str!("../Cargo.lock"), "ring"), backend: String::new() }
    }

    fn operations(&self) -> Vec<&str> {
        aead::OPERATIONS.to_vec()
    }

    fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
        let algorithm = match Suite::of(&task.operation) {
            Suite::Aes256Gcm => &AES_256_GCM,
            Suite::ChaCha20Poly1305 => &CHACHA20_POLY1305,
        };
        let key = UnboundKey::new(algorithm, &KEY).expect("both take 32 bytes");
        aead::prepare(Key(LessSafeKey::new(key)), &task)
    }
}

struct Key(LessSafeKey);

impl Aead for Key {
    fn seal(&self, nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, Aad::empty(), buffer).expect("it is not too long");
        tag.as_ref().try_into().expect("both have tags of 16 bytes")
    }

    fn open(&self, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) -> bool {
        self.0.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), sealed).is_ok()
    }
}
