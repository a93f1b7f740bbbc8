//! SM4 in its modes.

use bench_protocol::aead;
use bench_protocol::cipher::{self, BATCH, Block, SM4_KEY};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::aead::Aead;
use sealstone::hazmat::cipher::{Algorithm, Cipher};

pub(crate) fn operations() -> impl Iterator<Item = &'static str> {
    cipher::OPERATIONS.iter().chain([&cipher::ONE_BY_ONE]).chain(aead::SM4_OPERATIONS).copied()
}

pub(crate) fn prepare(task: &Task) -> Result<Box<dyn Trial>, Refusal> {
    let refused = |error: sealstone::Error| Refusal::Error(error.to_string());
    if aead::SM4_OPERATIONS.contains(&task.operation.as_str()) {
        let key = Aead::new(sealstone::aead::Algorithm::Sm4Gcm, &SM4_KEY).map_err(refused)?;
        return aead::prepare(super::Key(key), task);
    }
    let of = |algorithm| Cipher::new(algorithm, &SM4_KEY).map_err(refused);
    let key = Key { ecb: of(Algorithm::Sm4Ecb)?, cbc: of(Algorithm::Sm4Cbc)?, ctr: of(Algorithm::Sm4Ctr)? };
    cipher::prepare(key, task)
}

/// A key in each mode.
struct Key {
    ecb: Cipher,
    cbc: Cipher,
    ctr: Cipher,
}

const FITS: &str = "IV and data have the mode's lengths";

impl cipher::Cipher for Key {
    fn ecb_encrypt(&self, data: &mut [u8]) {
        self.ecb.encrypt_in_place(&[], data).expect(FITS);
    }

    fn ecb_decrypt(&self, data: &mut [u8]) {
        self.ecb.decrypt_in_place(&[], data).expect(FITS);
    }

    fn cbc_encrypt(&self, iv: &Block, data: &mut [u8]) {
        self.cbc.encrypt_in_place(iv, data).expect(FITS);
    }

    fn cbc_decrypt(&self, iv: &Block, data: &mut [u8]) {
        self.cbc.decrypt_in_place(iv, data).expect(FITS);
    }

    fn ctr(&self, counter: &Block, data: &mut [u8]) {
        self.ctr.encrypt_in_place(counter, data).expect(FITS);
    }

    fn cbc_encrypt_batch(&self, ivs: &[Block; BATCH], messages: [&mut [u8]; BATCH]) {
        self.cbc.encrypt_batch(ivs.iter().map(|iv| &iv[..]).zip(messages)).expect(FITS);
    }
}
