//! RSA by AWS-LC's C functions, for two things that its bindings in `aws-lc-rs` lack: a generation that can be cancelled, and
//! the bare private operation, whose padding [`padding::select`](crate::padding::select) checks in constant time.

use aws_lc_sys::{
    BN_GENCB, BN_GENCB_free, BN_GENCB_get_arg, BN_GENCB_new, BN_GENCB_set, BN_free, BN_new, BN_set_u64, OPENSSL_free,
    RSA, RSA_NO_PADDING, RSA_decrypt, RSA_free, RSA_generate_key_ex, RSA_new, RSA_private_key_from_bytes,
    RSA_private_key_to_bytes, RSA_size,
};
use core::ffi::c_int;
use core::ptr::{self, NonNull};
use zeroize::Zeroizing;

/// The public exponent of generated keys: F4, the usual one.
const EXPONENT: u64 = 65_537;

/// A private key (RFC 8017 section 3.2). AWS-LC erases it, and blinds what it computes.
pub struct PrivateKey(NonNull<RSA>);

// SAFETY: this value alone owns the key, and nothing in it is bound to a thread.
unsafe impl Send for PrivateKey {}

// SAFETY: a shared key is only passed to `RSA_size`, `RSA_decrypt` and `RSA_private_key_to_bytes`. AWS-LC says of all three
// that they do not mutate the key for thread-safety purposes and may be used concurrently (openssl/rsa.h).
unsafe impl Sync for PrivateKey {}

impl PrivateKey {
    /// Generates a key with the exponent 65,537. AWS-LC calls `go_on` after each candidate for a prime, hundreds of times; if
    /// it returns false, or AWS-LC fails, the result is `None`. A panic in `go_on` ends the process.
    ///
    /// # Panics
    /// For another length than 2,048, 3,072 or 4,096 bits, and if there is no memory.
    #[must_use]
    pub fn generate(bits: u16, mut go_on: &mut dyn FnMut() -> bool) -> Option<Self> {
        unsafe extern "C" fn ask(_: c_int, _: c_int, callback: *mut BN_GENCB) -> c_int {
            // SAFETY: AWS-LC passes the callback that is set below. Its argument is `go_on`, which outlives the generation and
            // is used nowhere else meanwhile.
            let go_on = unsafe { &mut *BN_GENCB_get_arg(callback).cast::<&mut dyn FnMut() -> bool>() };
            c_int::from(go_on())
        }
        assert!(matches!(bits, 2048 | 3072 | 4096), "rsa: keys are generated with 2048, 3072 or 4096 bits");
        // SAFETY: these functions allocate, and their results are checked below.
        let (key, exponent, callback) = unsafe { (RSA_new(), BN_new(), BN_GENCB_new()) };
        let key = Self(NonNull::new(key).expect("rsa: there is memory"));
        assert!(!exponent.is_null() && !callback.is_null(), "rsa: there is memory");
        // SAFETY: all pointers are of live objects of their types; `callback` keeps the address of `go_on`, which outlives it; each
        // is freed once, after its last use.
        let generated = unsafe {
            BN_GENCB_set(callback, Some(ask), ptr::from_mut(&mut go_on).cast());
            let generated = BN_set_u64(exponent, EXPONENT) == 1
                && RSA_generate_key_ex(key.0.as_ptr(), bits.into(), exponent, callback) == 1;
            BN_GENCB_free(callback);
            BN_free(exponent);
            generated
        };
        generated.then_some(key)
    }

    /// Reads an `RSAPrivateKey` (RFC 8017 appendix A.1.2) of two primes. AWS-LC checks that its numbers are consistent; `None`
    /// for anything else.
    #[must_use]
    pub fn from_der(der: &[u8]) -> Option<Self> {
        // SAFETY: pointer and length are of one slice, and the key copies it.
        let key = unsafe { RSA_private_key_from_bytes(der.as_ptr(), der.len()) };
        NonNull::new(key).map(Self)
    }

    /// Writes the key as an `RSAPrivateKey` in DER.
    ///
    /// # Panics
    /// If there is no memory.
    #[must_use]
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let (mut bytes, mut len) = (ptr::null_mut(), 0);
        // SAFETY: the key is live, and so are the two variables that AWS-LC writes.
        let written = unsafe { RSA_private_key_to_bytes(&raw mut bytes, &raw mut len, self.0.as_ptr()) };
        assert_eq!(written, 1, "rsa: there is memory");
        // SAFETY: AWS-LC has allocated and written `len` bytes.
        let der = Zeroizing::new(unsafe { core::slice::from_raw_parts(bytes, len) }.to_vec());
        // SAFETY: AWS-LC allocated the bytes, and this is their last use. `OPENSSL_free` erases them.
        unsafe { OPENSSL_free(bytes.cast()) };
        der
    }

    /// Bytes of the modulus.
    #[must_use]
    pub fn modulus_len(&self) -> usize {
        // SAFETY: the key is live.
        unsafe { RSA_size(self.0.as_ptr()) as usize }
    }

    /// RSADP (RFC 8017 section 5.1.2): writes the padded message to `out`. Returns false if the ciphertext is not below the
    /// modulus.
    ///
    /// # Panics
    /// If `ciphertext` or `out` is not as long as the modulus.
    #[must_use]
    pub fn decrypt(&self, ciphertext: &[u8], out: &mut [u8]) -> bool {
        let len = self.modulus_len();
        assert!(ciphertext.len() == len && out.len() == len, "rsa: a number is as long as the modulus");
        let mut written = 0;
        // SAFETY: the key is live; pointers and lengths are of two slices, and AWS-LC writes at most the length of the second.
        let decrypted = unsafe {
            let (input, output) = (ciphertext.as_ptr(), out.as_mut_ptr());
            RSA_decrypt(self.0.as_ptr(), &raw mut written, output, len, input, len, RSA_NO_PADDING)
        };
        decrypted == 1 && written == len
    }
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        // SAFETY: the key is live, and this value alone owns it.
        unsafe { RSA_free(self.0.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_ends_when_it_is_told_to() {
        let mut asked = 0;
        let key = PrivateKey::generate(2048, &mut || {
            asked += 1;
            asked < 10
        });
        assert!(key.is_none());
        assert_eq!(asked, 10);
    }

    #[test]
    fn a_key_is_written_and_read_again() {
        let key = PrivateKey::generate(2048, &mut || true).unwrap();
        assert_eq!(key.modulus_len(), 256);
        let der = key.to_der();
        let again = PrivateKey::from_der(&der).unwrap();
        assert_eq!(again.to_der(), der);
        let ciphertext: Vec<u8> = (0..=255).collect();
        let mut outputs = [[0; 256]; 2];
        assert!(key.decrypt(&ciphertext, &mut outputs[0]) && again.decrypt(&ciphertext, &mut outputs[1]));
        assert_eq!(outputs[0], outputs[1]);
        assert_ne!(outputs[0], [0; 256]);
        assert!(!key.decrypt(&[0xff; 256], &mut outputs[0]), "it is not below the modulus");
        for damaged in [&der[..der.len() - 1], &[&der[..], &[0]].concat(), b""] {
            assert!(PrivateKey::from_der(damaged).is_none());
        }
        let mut other = der.to_vec();
        *other.last_mut().unwrap() ^= 1;
        assert!(PrivateKey::from_der(&other).is_none(), "its numbers do not fit");
    }
}
