//! Key agreement by `x25519-dalek`, `p256` and `p384`, and ML-KEM-768 by `ml-kem`.

use bench_protocol::public_key::{Agreement, Encapsulation, agreement, encapsulation, other_private_key, private_key};
use bench_protocol::{Refusal, Task, Trial};
use ml_kem::{Decapsulate, DecapsulationKey, Encapsulate, MlKem768};

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
        "x25519" => Ok(agreement(Box::new(X25519::new()))),
        "p256" => Ok(agreement(Box::new(P256::new()))),
        "p384" => Ok(agreement(Box::new(P384::new()))),
        _ => encapsulation(Box::new(MlKem::new()), task.clone()),
    })
}

struct X25519(x25519_dalek::StaticSecret, x25519_dalek::PublicKey);

impl X25519 {
    fn new() -> Self {
        let of = |bytes: Vec<u8>| -> [u8; 32] { bytes.try_into().expect("so many were asked for") };
        let other = x25519_dalek::StaticSecret::from(of(other_private_key(32)));
        Self(of(private_key(32)).into(), (&other).into())
    }
}

impl Agreement for X25519 {
    fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String> {
        let shared = self.0.diffie_hellman(&self.1);
        if !shared.was_contributory() {
            return Err("the point has low order".to_owned());
        }
        secret.clear();
        secret.extend_from_slice(shared.as_bytes());
        Ok(())
    }
}

macro_rules! curves {
    ($($name:ident = $curve:ident, $len:literal;)+) => {$(
        struct $name($curve::SecretKey, $curve::PublicKey);

        impl $name {
            fn new() -> Self {
                let of = |bytes: Vec<u8>| $curve::SecretKey::from_slice(&bytes).expect("the number is a key");
                Self(of(private_key($len)), of(other_private_key($len)).public_key())
            }
        }

        impl Agreement for $name {
            fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String> {
                let shared = $curve::ecdh::diffie_hellman(self.0.to_nonzero_scalar(), self.1.as_affine());
                secret.clear();
                secret.extend_from_slice(shared.raw_secret_bytes());
                Ok(())
            }
        }
    )+};
}

curves! {
    P256 = p256, 32;
    P384 = p384, 48;
}

struct MlKem(DecapsulationKey<MlKem768>);

impl MlKem {
    fn new() -> Self {
        let seed: [u8; 64] = private_key(64).try_into().expect("so many were asked for");
        Self(DecapsulationKey::from_seed(seed.into()))
    }
}

impl Encapsulation for MlKem {
    fn encapsulate(&self, both: &mut Vec<u8>) -> Result<(), String> {
        let (ciphertext, secret) = self.0.encapsulation_key().encapsulate();
        both.clear();
        both.extend_from_slice(&ciphertext);
        both.extend_from_slice(&secret);
        Ok(())
    }

    fn decapsulate(&self, ciphertext: &[u8], secret: &mut Vec<u8>) -> Result<(), String> {
        let ciphertext = ciphertext.try_into().map_err(|_| "the ciphertext has another length".to_owned())?;
        secret.clear();
        secret.extend_from_slice(&self.0.decapsulate(ciphertext));
        Ok(())
    }
}
