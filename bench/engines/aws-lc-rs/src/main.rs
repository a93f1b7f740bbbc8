//! aws-lc-rs, used as its documentation shows: for keys whose nonces the caller makes, and for key pairs.

mod exchange;
mod rsa;
mod sign;

use aws_lc_rs::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use bench_protocol::aead::{self, Aead, KEY, NONCE_LEN, Suite, TAG_LEN};
use bench_protocol::{About, Engine, Refusal, Task, Trial, locked_version, serve};

fn main() -> std::io::Result<()> {
    serve(&AwsLcRs)
}

struct AwsLcRs;

impl Engine for AwsLcRs {
    fn about(&self) -> About {
        let version = |package| locked_version(include_str!("../Cargo.lock"), package);
        About {
            name: "aws-lc-rs",
            version: version("aws-lc-rs"),
            backend: format!("aws-lc-sys {}", version("aws-lc-sys")),
        }
    }

    fn operations(&self) -> Vec<&str> {
        let pairs = sign::OPERATIONS.iter().chain(exchange::OPERATIONS).chain(rsa::OPERATIONS);
        aead::OPERATIONS.iter().chain(pairs).copied().collect()
    }

    fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
        let pairs = [sign::prepare, exchange::prepare, rsa::prepare];
        if let Some(trial) = pairs.iter().find_map(|prepare| prepare(&task)) {
            return trial;
        }
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
