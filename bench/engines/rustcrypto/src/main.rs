//! The crates `aes-gcm`, `chacha20poly1305` and `crypto_secretbox` with their default features, in place with a separate
//! tag, `sm4`, `sm2` and the crates of hashes.

mod hash;
mod secretbox;
mod sm2;
mod sm4;

use aes_gcm::aead::array::Array;
use aes_gcm::aead::array::typenum::U16;
use aes_gcm::{AeadInOut, Aes256Gcm, KeyInit};
use bench_protocol::aead::{self, Aead, KEY, Suite, TAG_LEN};
use bench_protocol::{About, Engine, Refusal, Task, Trial, locked_version, serve};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

fn main() -> std::io::Result<()> {
    serve(&RustCrypto)
}

struct RustCrypto;

impl Engine for RustCrypto {
    fn about(&self) -> About {
        let version = |package| locked_version(include_str!("../Cargo.lock"), package);
        let backend = [
            "aes",
            "polyval",
            "chacha20",
            "poly1305",
            "sm4",
            "cbc",
            "ctr",
            "ghash",
            "sm2",
            "sm3",
            "sha2",
            "sha3",
            "blake2",
            "crypto_secretbox",
            "salsa20",
        ]
        .map(|package| format!("{package} {}", version(package)));
        About {
            name: "rustcrypto",
            version: format!("aes-gcm {}, chacha20poly1305 {}", version("aes-gcm"), version("chacha20poly1305")),
            backend: backend.join(", "),
        }
    }

    fn operations(&self) -> Vec<&str> {
        let others = hash::OPERATIONS.iter().chain(bench_protocol::sm2::OPERATIONS).copied();
        aead::OPERATIONS.iter().chain(aead::X_OPERATIONS).copied().chain(sm4::operations()).chain(others).collect()
    }

    fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
        if task.operation.starts_with("sm4/") {
            return sm4::prepare(&task);
        }
        if task.operation.starts_with("sm2/") {
            return sm2::prepare(task);
        }
        if let Some(trial) = hash::prepare(&task) {
            return Ok(trial);
        }
        if task.operation.starts_with("aead/xsalsa20-poly1305/") {
            return secretbox::prepare(&task);
        }
        if task.operation.starts_with("aead/xchacha20-poly1305/") {
            return aead::prepare_x(Key(XChaCha20Poly1305::new(&KEY.into())), &task);
        }
        match Suite::of(&task.operation) {
            Suite::Aes256Gcm => aead::prepare(Key(Aes256Gcm::new(&KEY.into())), &task),
            Suite::ChaCha20Poly1305 => aead::prepare(Key(ChaCha20Poly1305::new(&KEY.into())), &task),
        }
    }
}

struct Key<C>(C);

impl<C: AeadInOut<TagSize = U16> + Sync + 'static, const N: usize> Aead<N> for Key<C>
where
    [u8; N]: Into<Array<u8, C::NonceSize>>,
{
    fn seal(&self, nonce: &[u8; N], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        let tag = self.0.encrypt_inout_detached(&(*nonce).into(), b"", buffer.into()).expect("it is not too long");
        tag.into()
    }

    fn open(&self, nonce: &[u8; N], sealed: &mut [u8]) -> bool {
        let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("there is a tag");
        self.0.decrypt_inout_detached(&(*nonce).into(), b"", buffer.into(), &(*tag).into()).is_ok()
    }
}
