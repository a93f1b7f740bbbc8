//! The crate `sm4` in the modes of `cbc`, `ctr` and `aes-gcm`, which takes any block cipher; ECB is its own blocks.

use aes_gcm::AesGcm;
use aes_gcm::aead::array::{Array, typenum::U12};
use bench_protocol::aead;
use bench_protocol::cipher::{self, Block, Cipher, SM4_KEY};
use bench_protocol::{Refusal, Task, Trial};
use ctr::Ctr128BE;
use sm4::Sm4;
use sm4::cipher::consts::U16;
use sm4::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit, StreamCipher,
};

pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    cipher::OPERATIONS.iter().chain(aead::SM4_OPERATIONS).copied()
}

pub(crate) fn prepare(task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let key = Sm4::new(&SM4_KEY.into());
    if aead::SM4_OPERATIONS.contains(&task.operation.as_str()) {
        return aead::prepare(super::Key(AesGcm::<Sm4, U12>::from(key)), task);
    }
    cipher::prepare(Key(key), task)
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
        cbc::Encryptor::inner_iv_init(&self.0, iv.into()).encrypt_blocks(blocks(data));
    }

    fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]) {
        cbc::Decryptor::inner_iv_init(&self.0, iv.into()).decrypt_blocks(blocks(data));
    }

    fn ctr(&self, counter: &Block, data: &mut [u8]) {
        Ctr128BE::from_core(ctr::CtrCore::inner_iv_init(&self.0, counter.into())).apply_keystream(data);
    }
}

/// Whole blocks.
fn blocks(data: &mut [u8]) -> &mut [Array<u8, U16>] {
    Array::slice_as_chunks_mut(data).0
}
