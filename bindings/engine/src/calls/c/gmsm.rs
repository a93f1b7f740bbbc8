//! `Sm4GCM` of the Go module tjfoc/gmsm, which is not GCM.

use sealstone::Result;
use sealstone::interop::gmsm;
use sealstone_call::call;
use zeroize::Zeroizing;

/// Encrypts as `Sm4GCM` of tjfoc/gmsm 1.4.1 does; returns the ciphertext, and behind it the tag of 16 bytes. It is for programs that still
/// open data with that: other software does not, and two IVs can give one keystream. The key has 16 bytes.
/// Errors: `wrong_length`, `unavailable_backend`.
#[call(c)]
#[expect(deprecated, reason = "old programs read it")]
pub fn gmsm_gcm_seal(key: &[u8], iv: &[u8], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
    let (mut sealed, tag) = gmsm::seal_gcm(key, iv, aad, plaintext)?;
    sealed.extend(tag);
    Ok(sealed)
}

/// Decrypts the ciphertext of `Sm4GCM` of tjfoc/gmsm 1.4.1, after it has verified the tag, which that does not.
/// Errors: `not_authentic`, `wrong_length`, `unavailable_backend`.
#[call(c)]
pub fn gmsm_gcm_open(key: &[u8], iv: &[u8], aad: &[u8], ciphertext: &[u8], tag: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    gmsm::open_gcm(key, iv, aad, ciphertext, tag)
}
