//! Signatures: key pairs, and public keys that are parsed. Those of ECDSA are DER; RSA is PSS, or PKCS#1 v1.5.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, ParsedPublicKey, PqdsaKeyPair, RsaEncoding,
    RsaKeyPair, VerificationAlgorithm,
};
use bench_protocol::public_key::{Signing, private_key, rsa_private_key, signing};
use bench_protocol::{Refusal, Task, Trial};

pub(crate) const OPERATIONS: &[&str] = &[
    "sign/ed25519/sign",
    "sign/ed25519/verify",
    "sign/p256-sign/sign",
    "sign/p256-sign/verify",
    "sign/p384-sign/sign",
    "sign/p384-sign/verify",
    "sign/ml-dsa-65/sign",
    "sign/ml-dsa-65/verify",
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
    let key: Box<dyn Signing> = match kind {
        "ed25519" => Ed25519::new(),
        "p256-sign" => Ecdsa::new(32, &signature::ECDSA_P256_SHA256_ASN1_SIGNING, &signature::ECDSA_P256_SHA256_ASN1),
        "p384-sign" => Ecdsa::new(48, &signature::ECDSA_P384_SHA384_ASN1_SIGNING, &signature::ECDSA_P384_SHA384_ASN1),
        "ml-dsa-65" => MlDsa65::new(),
        _ => {
            let (bits, is_pkcs1) = match kind.strip_prefix("rsa-")?.split_once('-') {
                Some((bits, _)) => (bits, true),
                None => (kind.strip_prefix("rsa-")?, false),
            };
            Rsa::new(bits.parse().ok()?, is_pkcs1)
        }
    };
    Some(signing(key, task.clone()))
}

fn parsed(algorithm: &'static dyn VerificationAlgorithm, pair: &impl KeyPair) -> ParsedPublicKey {
    ParsedPublicKey::new(algorithm, pair.public_key().as_ref()).expect("a pair has a public key")
}

fn verify(key: &ParsedPublicKey, message: &[u8], signature: &[u8]) -> Result<(), String> {
    key.verify_sig(message, signature).map_err(|_| "it is no signature of the message".to_owned())
}

struct Ed25519(Ed25519KeyPair, ParsedPublicKey);

impl Ed25519 {
    fn new() -> Box<dyn Signing> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&private_key(32)).expect("any 32 bytes are a seed");
        let public = parsed(&signature::ED25519, &pair);
        Box::new(Self(pair, public))
    }
}

impl Signing for Ed25519 {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        signature.clear();
        signature.extend_from_slice(self.0.sign(message).as_ref());
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        verify(&self.1, message, signature)
    }
}

struct Ecdsa(EcdsaKeyPair, ParsedPublicKey);

impl Ecdsa {
    fn new(
        len: u8,
        signs: &'static EcdsaSigningAlgorithm,
        verifies: &'static dyn VerificationAlgorithm,
    ) -> Box<dyn Signing> {
        // RFC 5915, without the public key.
        let der = [&[0x30, len + 5, 2, 1, 1, 4, len], &private_key(len)[..]].concat();
        let pair = EcdsaKeyPair::from_private_key_der(signs, &der).expect("the number is below the order");
        let public = parsed(verifies, &pair);
        Box::new(Self(pair, public))
    }
}

impl Signing for Ecdsa {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        signature.clear();
        let made = self.0.sign(&SystemRandom::new(), message).map_err(|error| error.to_string())?;
        signature.extend_from_slice(made.as_ref());
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        verify(&self.1, message, signature)
    }
}

struct MlDsa65(PqdsaKeyPair, ParsedPublicKey);

impl MlDsa65 {
    fn new() -> Box<dyn Signing> {
        let pair = PqdsaKeyPair::from_seed(&signature::ML_DSA_65_SIGNING, &private_key(32));
        let pair = pair.expect("any 32 bytes are a seed");
        let public = parsed(&signature::ML_DSA_65, &pair);
        Box::new(Self(pair, public))
    }
}

impl Signing for MlDsa65 {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        signature.resize(self.0.algorithm().signature_len(), 0);
        self.0.sign(message, signature).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        verify(&self.1, message, signature)
    }
}

struct Rsa(RsaKeyPair, &'static dyn RsaEncoding, ParsedPublicKey);

impl Rsa {
    fn new(bits: u16, is_pkcs1: bool) -> Box<dyn Signing> {
        let pair = RsaKeyPair::from_pkcs8(&rsa_private_key(bits)).expect("the key is one");
        let (encoding, verifies): (&'static dyn RsaEncoding, &'static dyn VerificationAlgorithm) = if is_pkcs1 {
            (&signature::RSA_PKCS1_SHA256, &signature::RSA_PKCS1_2048_8192_SHA256)
        } else {
            (&signature::RSA_PSS_SHA256, &signature::RSA_PSS_2048_8192_SHA256)
        };
        let public = parsed(verifies, &pair);
        Box::new(Self(pair, encoding, public))
    }
}

impl Signing for Rsa {
    fn sign(&self, message: &[u8], signature: &mut Vec<u8>) -> Result<(), String> {
        signature.resize(self.0.public_modulus_len(), 0);
        self.0.sign(self.1, &SystemRandom::new(), message, signature).map_err(|error| error.to_string())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        verify(&self.2, message, signature)
    }
}
