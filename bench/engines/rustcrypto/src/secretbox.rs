//! The crate `crypto_secretbox`, whose traits are those of an `aead` before that of the other crates.

use bench_protocol::aead::{self, Aead, KEY, TAG_LEN, X_NONCE_LEN};
use bench_protocol::{Refusal, Task, Trial};
use crypto_secretbox::aead::AeadInPlace;
use crypto_secretbox::{KeyInit, XSalsa20Poly1305};

pub(crate) fn prepare(task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    aead::prepare_x(SecretBox(XSalsa20Poly1305::new(&KEY.into())), task)
}

struct SecretBox(XSalsa20Poly1305);

impl Aead<X_NONCE_LEN> for SecretBox {
    fn seal(&self, nonce: &[u8; X_NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        self.0.encrypt_in_place_detached(nonce.into(), b"", buffer).expect("it is not too long").into()
    }

    fn open(&self, nonce: &[u8; X_NONCE_LEN], sealed: &mut [u8]) -> bool {
        let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("there is a tag");
        self.0.decrypt_in_place_detached(nonce.into(), b"", buffer, (&*tag).into()).is_ok()
    }
}
