//! Key agreement, and ML-KEM-768.

use aws_lc_rs::agreement::{self, Algorithm, PrivateKey, UnparsedPublicKey};
use aws_lc_rs::kem::{DecapsulationKey, EncapsulationKey, ML_KEM_768};
use bench_protocol::public_key::{
    Agreement, Encapsulation, agreement as agree, encapsulation, other_private_key, private_key,
};
use bench_protocol::{Refusal, Task, Trial};

pub(crate) const OPERATIONS: &[&str] = &[
    "exchange/x25519/agree",
    "exchange/p256/agree",
    "exchange/p384/agree",
    "exchange/ml-kem-768/encapsulate",
    "exchange/ml-kem-768/decapsulate",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (kind, _) = task.operation.strip_prefix("exchange/")?.split_once('/')?;
    Some(match kind {
        "x25519" => Ok(agree(Box::new(Pair::new(&agreement::X25519, 32)))),
        "p256" => Ok(agree(Box::new(Pair::new(&agreement::ECDH_P256, 32)))),
        "p384" => Ok(agree(Box::new(Pair::new(&agreement::ECDH_P384, 48)))),
        _ => encapsulation(Box::new(MlKem::new()), task.clone()),
    })
}

/// The public key is the other side's, whose bytes are parsed in each call: the crate gives it away to the agreement.
struct Pair {
    private: PrivateKey,
    algorithm: &'static Algorithm,
    other: Vec<u8>,
}

impl Pair {
    fn new(algorithm: &'static Algorithm, len: u8) -> Self {
        let key = |bytes: &[u8]| PrivateKey::from_private_key(algorithm, bytes).expect("the number is a key");
        let other = key(&other_private_key(len)).compute_public_key().expect("a key has a public one");
        Self { private: key(&private_key(len)), algorithm, other: other.as_ref().to_vec() }
    }
}

impl Agreement for Pair {
    fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String> {
        let other = UnparsedPublicKey::new(self.algorithm, &self.other);
        agreement::agree(&self.private, other, "it is no public key".to_owned(), |shared| {
            secret.clear();
            secret.extend_from_slice(shared);
            Ok(())
        })
    }
}

struct MlKem(DecapsulationKey, EncapsulationKey);

impl MlKem {
    /// The crate reads no seeds: `ml-kem` expands that of all engines.
    fn new() -> Self {
        let seed: [u8; 64] = private_key(64).try_into().expect("so many were asked for");
        let key = ml_kem::DecapsulationKey::<ml_kem::MlKem768>::from_seed(seed.into());
        #[expect(deprecated, reason = "there is no other name for it")]
        let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key);
        let private = DecapsulationKey::new(&ML_KEM_768, &expanded).expect("it was expanded");
        // The encapsulation key is inside of it (FIPS 203 algorithm 16).
        let public = EncapsulationKey::new(&ML_KEM_768, &expanded[1152..2336]).expect("it is a key");
        Self(private, public)
    }
}

impl Encapsulation for MlKem {
    fn encapsulate(&self, both: &mut Vec<u8>) -> Result<(), String> {
        let (ciphertext, secret) = self.1.encapsulate().map_err(|error| error.to_string())?;
        both.clear();
        both.extend_from_slice(ciphertext.as_ref());
        both.extend_from_slice(secret.as_ref());
        Ok(())
    }

    fn decapsulate(&self, ciphertext: &[u8], secret: &mut Vec<u8>) -> Result<(), String> {
        let shared = self.0.decapsulate(ciphertext.into()).map_err(|error| error.to_string())?;
        secret.clear();
        secret.extend_from_slice(shared.as_ref());
        Ok(())
    }
}
