//! XSalsa20-Poly1305: NaCl's `secretbox`.

use bench_protocol::aead::{self, Aead, KEY, TAG_LEN, X_NONCE_LEN};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::nacl;

pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    aead::X_OPERATIONS.iter().copied().filter(|name| name.starts_with("aead/xsalsa20-poly1305/"))
}

pub(crate) fn prepare(task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let key = nacl::SecretBox::new(&KEY).map_err(|error| Refusal::Error(error.to_string()))?;
    aead::prepare_x(SecretBox(key), task)
}

struct SecretBox(nacl::SecretBox);

impl Aead<X_NONCE_LEN> for SecretBox {
    fn seal(&self, nonce: &[u8; X_NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        self.0.seal_in_place(nonce, buffer).expect("the nonce has its length")
    }

    fn open(&self, nonce: &[u8; X_NONCE_LEN], sealed: &mut [u8]) -> bool {
        let (buffer, tag) = sealed.split_last_chunk_mut().expect("there is a tag");
        self.0.open_in_place(nonce, buffer, tag).is_ok()
    }
}
