//! AES in CBC mode with PKCS#7 padding (SP 800-38A; RFC 5652 section 6.3), for encrypted private keys.

use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, Algorithm, DecryptionContext, EncryptionContext, PaddedBlockDecryptingKey,
    PaddedBlockEncryptingKey, UnboundCipherKey,
};
use zeroize::Zeroizing;

/// Bytes of a block, and of an IV.
pub(crate) const BLOCK_LEN: usize = 16;

/// Encrypts and pads; the key has 16, 24 or 32 bytes.
pub(crate) fn encrypt_aes_cbc(key: &[u8], iv: &[u8; BLOCK_LEN], plaintext: &[u8]) -> Vec<u8> {
    // Reserved for the padding, so that no copy of the plaintext is left behind by growth.
    let mut buffer = Vec::with_capacity(plaintext.len() + BLOCK_LEN);
    buffer.extend_from_slice(plaintext);
    PaddedBlockEncryptingKey::cbc_pkcs7(unbound(key))
        .and_then(|key| key.less_safe_encrypt(&mut buffer, EncryptionContext::Iv128(iv.into())))
        .expect("cipher: key and IV have AES's lengths");
    buffer
}

/// Decrypts and takes the padding off; `None` when there is no block or no good padding.
pub(crate) fn decrypt_aes_cbc(key: &[u8], iv: &[u8; BLOCK_LEN], ciphertext: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if ciphertext.is_empty() || !ciphertext.len().is_multiple_of(BLOCK_LEN) {
        return None;
    }
    let mut buffer = Zeroizing::new(ciphertext.to_vec());
    let key = PaddedBlockDecryptingKey::cbc_pkcs7(unbound(key)).expect("cipher: the key has one of AES's lengths");
    let len = key.decrypt(&mut buffer, DecryptionContext::Iv128(iv.into())).ok()?.len();
    buffer.truncate(len);
    Some(buffer)
}

fn unbound(key: &[u8]) -> UnboundCipherKey {
    let algorithm: &Algorithm = match key.len() {
        16 => &AES_128,
        24 => &AES_192,
        _ => &AES_256,
    };
    UnboundCipherKey::new(algorithm, key).expect("cipher: the key has one of AES's lengths")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP 800-38A appendix F.2: the first block of each, whose padding is a second one.
    #[test]
    fn sp_800_38a_examples() {
        let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
        let iv: [u8; 16] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let plaintext = hex("6bc1bee22e409f96e93d7e117393172a");
        for (key, first) in [
            ("2b7e151628aed2a6abf7158809cf4f3c", "7649abac8119b246cee98e9b12e9197d"),
            ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "4f021db243bc633d7178183a9fa071e8"),
            ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "f58c4c04d6e5f1ba779eabfb5f7bfbd6"),
        ] {
            let key = hex(key);
            let sealed = encrypt_aes_cbc(&key, &iv, &plaintext);
            assert_eq!((sealed.len(), &sealed[..16]), (32, &hex(first)[..]));
            assert_eq!(*decrypt_aes_cbc(&key, &iv, &sealed).unwrap(), plaintext);
        }
    }

    #[test]
    fn every_length_comes_back_and_every_other_length_is_refused() {
        for len in 0..100 {
            let plaintext = vec![9; len];
            let sealed = encrypt_aes_cbc(&[7; 32], &[1; 16], &plaintext);
            assert_eq!(sealed.len(), len / 16 * 16 + 16);
            assert_eq!(*decrypt_aes_cbc(&[7; 32], &[1; 16], &sealed).unwrap(), plaintext);
            if len % 16 != 0 {
                assert!(decrypt_aes_cbc(&[7; 32], &[1; 16], &plaintext).is_none(), "{len} bytes");
            }
        }
        assert!(decrypt_aes_cbc(&[7; 32], &[1; 16], &[]).is_none());
    }

    #[test]
    fn of_all_last_bytes_only_those_of_good_padding_are_taken() {
        let mut taken = 0;
        for last in 0..=255u8 {
            let mut block = [0x55; 16];
            let good = (1..=16).contains(&last);
            let from = if good { 16 - usize::from(last) } else { 15 };
            block[from..].fill(last);
            // The block with its own padding cut off: CBC of a whole block, whose last bytes are then judged.
            let sealed = encrypt_aes_cbc(&[7; 16], &[1; 16], &block);
            let opened = decrypt_aes_cbc(&[7; 16], &[1; 16], &sealed[..16]);
            assert_eq!(opened.as_deref().map(|opened| &opened[..]), good.then(|| &block[..from]), "{last:02x}");
            taken += usize::from(good);
        }
        assert_eq!(taken, 16);
    }
}
