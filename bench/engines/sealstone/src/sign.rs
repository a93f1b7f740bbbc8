//! Signatures of data: `sealstone::sign`.

use bench_protocol::public_key::{Signing, private_key, rsa_private_key_pkcs1, signing};
use bench_protocol::{Refusal, Task, Trial};
use sealstone::sign::{Kind, Options, PrivateKey, PublicKey, Scheme};

pub(crate) const OPERATIONS: &[&str] = &[
    "sign/ed25519/sign",
    "sign/ed25519/verify",
    "sign/p256-sign/sign",
    "sign/p256-sign/verify",
    "sign/p384-sign/sign",
    "sign/p384-sign/verify",
    "sign/ml-dsa-65/sign",
    "sign/ml-dsa-65/verify",
    "sign/hybrid-sign/sign",
    "sign/hybrid-sign/verify",
    "sign/rsa-2048/sign",
    "sign/rsa-2048/verify",
    "sign/rsa-2048-pkcs1/sign",
    "sign/rsa-2048-pkcs1/verify",
    "sign/rsa-4096/sign",
    "sign/rsa-4096/verify",
    "sign/rsa-4096-pkcs1/sign",
    "sign/rsa-4096-pkcs1/verify",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (kind, _) = task.operation.strip_prefix("sign/")?.split_once('/')?;
    let key = Key::of(kind).map_err(|error| Refusal::Error(error.to_string()));
    Some(key.and_then(|key| signing(Box::new(key), task.clone())))
}

struct Key {
    private: PrivateKey,
    public: PublicKey,
    options: Options<'static>,
}

impl Key {
    fn of(kind: &str) -> sealstone::Result<Self> {
        let (kind, scheme) = kind.strip_suffix("-pkcs1").map_or((kind, None), |kind| (kind, Some(Scheme::Pkcs1)));
        let private = match kind {
            "rsa-2048" => PrivateKey::from_bytes(Kind::RsaSign, &rsa_private_key_pkcs1(2048))?,
            "rsa-4096" => PrivateKey::from_bytes(Kind::RsaSign, &rsa_private_key_pkcs1(4096))?,
            _ => {
                let kind: Kind = kind.parse()?;
                let len = kind.private_len().and_then(|len| u8::try_from(len).ok()).expect("it is no key of RSA");
                PrivateKey::from_bytes(kind, &private_key(len))?
            }
        };
        let options = scheme.map_or(Options::new(), |scheme| Options::new().scheme(scheme));
        Ok(Self { public: private.public_key(), private, options })
    }
}

impl Signing for Key {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        *signature = self.private.sign_with(&self.options, message).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        self.public.verify_with(&self.options, message, signature).map_err(|error| error.to_string())
    }
}
