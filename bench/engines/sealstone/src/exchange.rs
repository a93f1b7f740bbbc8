//! Secrets that two sides share: `sealstone::exchange`. What is agreed is the bare secret, as peers give it.

use bench_protocol::public_key::{Agreement, Encapsulation, agreement, encapsulation, other_private_key, private_key};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::exchange::{Kind, PrivateKey, PublicKey};

pub(crate) const OPERATIONS: &[&str] = &[
    "exchange/x25519/agree",
    "exchange/p256/agree",
    "exchange/p384/agree",
    "exchange/ml-kem-768/encapsulate",
    "exchange/ml-kem-768/decapsulate",
    "exchange/hybrid/encapsulate",
    "exchange/hybrid/decapsulate",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (kind, verb) = task.operation.strip_prefix("exchange/")?.split_once('/')?;
    let pair = Pair::of(kind).map_err(|error| Refusal::Error(error.to_string()));
    Some(pair.and_then(|pair| match verb {
        "agree" => Ok(agreement(Box::new(pair))),
        _ => encapsulation(Box::new(pair), task.clone()),
    }))
}

struct Pair {
    private: PrivateKey,
    public: PublicKey,
    /// Of the other side.
    other: PublicKey,
}

impl Pair {
    fn of(kind: &str) -> sealstone::Result<Self> {
        let kind: Kind = kind.parse()?;
        let len = u8::try_from(kind.private_key_len()).expect("it is no key of RSA");
        let private = PrivateKey::from_bytes(kind, &private_key(len))?;
        let other = PrivateKey::from_bytes(kind, &other_private_key(len))?.public_key();
        Ok(Self { public: private.public_key(), private, other })
    }
}

impl Agreement for Pair {
    fn agree(&self, secret: &mut Vec<u8>) -> Result<(), String> {
        let shared = self.private.hazmat_shared_secret(&self.other).map_err(|error| error.to_string())?;
        secret.clear();
        secret.extend_from_slice(&shared);
        Ok(())
    }
}

impl Encapsulation for Pair {
    fn encapsulate(&self, both: &mut Vec<u8>) -> Result<(), String> {
        let (ciphertext, secret) = self.public.encapsulate().map_err(|error| error.to_string())?;
        both.clear();
        both.extend_from_slice(&ciphertext);
        both.extend_from_slice(&secret[..]);
        Ok(())
    }

    fn decapsulate(&self, ciphertext: &[u8], secret: &mut Vec<u8>) -> Result<(), String> {
        let shared = self.private.decapsulate(ciphertext).map_err(|error| error.to_string())?;
        secret.clear();
        secret.extend_from_slice(&shared[..]);
        Ok(())
    }
}
