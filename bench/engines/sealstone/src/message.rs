//! Compact messages to a public key: HPKE of one text, which is what the peers of the kem definition do.

use bench_protocol::{Refusal, Task, Trial};
use sealstone::{Identity, Kind, Recipient, message};
use std::borrow::Cow;

pub(crate) const OPERATIONS: &[&str] = &[
    "message/x25519/encrypt",
    "message/x25519/decrypt",
    "message/p256/encrypt",
    "message/p256/decrypt",
    "message/ml-kem-768/encrypt",
    "message/ml-kem-768/decrypt",
    "message/hybrid/encrypt",
    "message/hybrid/decrypt",
];

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let (kind, direction) = task.operation.strip_prefix("message/")?.split_once('/')?;
    Some(set_up(kind, direction == "encrypt", &task.input).map_err(|error| Refusal::Error(error.to_string())))
}

fn set_up(kind: &str, encrypts: bool, input: &[u8]) -> sealstone::Result<Box<dyn Trial>> {
    let identity = Identity::generate(kind.parse::<Kind>()?)?;
    let recipient = identity.recipient();
    if encrypts {
        return Ok(Box::new(Encryption { identity, recipient, plaintext: input.to_vec(), sealed: Vec::new() }));
    }
    let sealed = message::seal(&recipient, input, b"")?;
    Ok(Box::new(Decryption { identity, sealed, plaintext: Vec::new() }))
}

struct Encryption {
    identity: Identity,
    recipient: Recipient,
    plaintext: Vec<u8>,
    sealed: Vec<u8>,
}

impl Trial for Encryption {
    fn run(&mut self) -> Result<(), String> {
        self.sealed = message::seal(&self.recipient, &self.plaintext, b"").map_err(|error| error.to_string())?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        message::open(&self.identity, &self.sealed, b"").map(Cow::Owned).map_err(|error| error.to_string())
    }
}

struct Decryption {
    identity: Identity,
    sealed: Vec<u8>,
    plaintext: Vec<u8>,
}

impl Trial for Decryption {
    fn run(&mut self) -> Result<(), String> {
        self.plaintext = message::open(&self.identity, &self.sealed, b"").map_err(|error| error.to_string())?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.plaintext
    }
}
