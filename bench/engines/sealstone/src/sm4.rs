//! SM4 in its modes.

use bench_protocol::aead::{self, Aead, NONCE_LEN, TAG_LEN};
use bench_protocol::cipher::{self, BATCH, Block, Cipher, SM4_KEY};
use bench_protocol::{Refusal, Task, Trial};
use sealstone_ciphers::sm4::{Ctr, Message, Sm4, Sm4Gcm};

pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    cipher::OPERATIONS.iter().chain([&cipher::ONE_BY_ONE]).chain(aead::SM4_OPERATIONS).copied()
}

/// Which kernels compute here.
pub(crate) fn backend() -> String {
    format!("SM4: {}", Sm4::new(&SM4_KEY).backend().name())
}

pub(crate) fn prepare(task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    if aead::SM4_OPERATIONS.contains(&task.operation.as_str()) {
        return aead::prepare(Gcm(Sm4Gcm::new(&SM4_KEY)), task);
    }
    cipher::prepare(Key(Sm4::new(&SM4_KEY)), task)
}

struct Key(Sm4);

impl Cipher for Key {
    fn ecb_encrypt(&self, data: &mut [u8]) {
        self.0.encrypt_blocks(blocks(data));
    }

    fn ecb_decrypt(&self, data: &mut [u8]) {
        self.0.decrypt_blocks(blocks(data));
    }

    fn cbc_encrypt(&self, iv: &Block, data: &mut [u8]) {
        self.0.cbc_encrypt(&mut iv.clone(), blocks(data));
    }

    fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]) {
        self.0.cbc_decrypt(&mut iv.clone(), blocks(data));
    }

    fn ctr(&self, counter: &Block, data: &mut [u8]) {
        Ctr::new(*counter).apply(&self.0, data);
    }

    fn cbc_encrypt_batch(&self, ivs: &[Block; BATCH], messages: [&mut [u8]; BATCH]) {
        let mut ivs = *ivs;
        let mut ivs = ivs.iter_mut();
        let mut messages = messages.map(|message| {
            let iv = ivs.next().expect("there is an IV for each message");
            Message { iv, blocks: blocks(message) }
        });
        self.0.cbc_encrypt_batch(&mut messages);
    }
}

/// Whole blocks.
fn blocks(data: &mut [u8]) -> &mut [Block] {
    data.as_chunks_mut().0
}

struct Gcm(Sm4Gcm);

impl Aead for Gcm {
    fn seal(&self, nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        self.0.seal_in_place(nonce, b"", buffer)
    }

    fn open(&self, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) -> bool {
        let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("there is a tag");
        self.0.open_in_place(nonce, b"", buffer, tag).is_ok()
    }
}
