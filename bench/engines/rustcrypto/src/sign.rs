//! Signatures by `ed25519-dalek`, `p256`, `p384` and `ml-dsa`. Those of ECDSA are DER; those of ML-DSA are hedged.

use bench_protocol::public_key::{Signing, private_key, signing};
use bench_protocol::{Refusal, Task, Trial};
use ed25519_dalek::Signature as Ed25519Signature;
use getrandom::SysRng;
use ml_dsa::{MlDsa65, Signature as MlDsaSignature};
use p256::ecdsa::DerSignature as P256Signature;
use p256::ecdsa::signature::{SignatureEncoding, Signer, Verifier};
use p384::ecdsa::DerSignature as P384Signature;

pub(crate) const OPERATIONS: &[&str] = &[
    "sign/ed25519/sign",
    "sign/ed25519/verify",
    "sign/p256-sign/sign",
    "sign/p256-sign/verify",
    "sign/p384-sign/sign",
    "sign/p384-sign/verify",
    "sign/ml-dsa-65/sign",
    "sign/ml-dsa-65/verify",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (kind, _) = task.operation.strip_prefix("sign/")?.split_once('/')?;
    let key: Box<dyn Signing> = match kind {
        "ed25519" => {
            let seed: [u8; 32] = private_key(32).try_into().expect("so many were asked for");
            let key = ed25519_dalek::SigningKey::from_bytes(&seed);
            Box::new(Pair { verifies: key.verifying_key(), signs: key, of: read::<Ed25519Signature> })
        }
        "p256-sign" => {
            let key = p256::ecdsa::SigningKey::from_slice(&private_key(32)).expect("it is below the order");
            Box::new(Pair { verifies: *key.verifying_key(), signs: key, of: read::<P256Signature> })
        }
        "p384-sign" => {
            let key = p384::ecdsa::SigningKey::from_slice(&private_key(48)).expect("it is below the order");
            Box::new(Pair { verifies: *key.verifying_key(), signs: key, of: read::<P384Signature> })
        }
        _ => {
            let seed: [u8; 32] = private_key(32).try_into().expect("so many were asked for");
            let key = ml_dsa::SigningKey::<MlDsa65>::from_seed(&seed.into());
            Box::new(Hedged { verifies: key.expanded_key().verifying_key(), signs: key })
        }
    };
    Some(signing(key, task.clone()))
}

fn read<S: SignatureEncoding>(bytes: &[u8]) -> Option<S> {
    S::try_from(bytes).ok()
}

struct Pair<K, P, S> {
    signs: K,
    verifies: P,
    /// Reads a signature.
    of: fn(&[u8]) -> Option<S>,
}

const NONE: &str = "it is no signature";

impl<K, P, S> Signing for Pair<K, P, S>
where
    K: Signer<S> + 'static,
    P: Verifier<S> + 'static,
    S: SignatureEncoding + 'static,
{
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        let made = self.signs.try_sign(message).map_err(|error| error.to_string())?;
        signature.clear();
        signature.extend_from_slice(made.to_bytes().as_ref());
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let signature = (self.of)(signature).ok_or(NONE)?;
        self.verifies.verify(message, &signature).map_err(|error| error.to_string())
    }
}

/// FIPS 204, algorithm 2, with fresh randomness for each signature, as the other engines sign.
struct Hedged {
    signs: ml_dsa::SigningKey<MlDsa65>,
    verifies: ml_dsa::VerifyingKey<MlDsa65>,
}

impl Signing for Hedged {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        let made = self.signs.expanded_key().sign_randomized(message, b"", &mut SysRng);
        signature.clear();
        signature.extend_from_slice(&made.map_err(|error| error.to_string())?.encode());
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let signature = MlDsaSignature::<MlDsa65>::try_from(signature).map_err(|_| NONE)?;
        if self.verifies.verify_with_context(message, b"", &signature) { Ok(()) } else { Err(NONE.to_owned()) }
    }
}
