//! Sealstone: what `sealstone speed` measures, the workloads over `sealstone::aead`, NaCl's secretbox, hashes, messages, key pairs, SM2,
//! SM4, and FISE's frames.

mod exchange;
mod fise;
mod hash;
mod message;
mod rsa;
mod secretbox;
mod sign;
mod sm2;
mod sm4;

use bench_protocol::aead::{self, Aead, KEY, NONCE_LEN, TAG_LEN};
use bench_protocol::{About, Engine, Refusal, Task, Trial, locked_version, serve};
use sealstone::aead::Algorithm;
use sealstone_speed::Operation;
use std::borrow::Cow;

fn main() -> std::io::Result<()> {
    serve(&Sealstone)
}

struct Sealstone;

impl Engine for Sealstone {
    fn about(&self) -> About {
        About {
            name: "sealstone",
            version: locked_version(include_str!("../Cargo.lock"), "sealstone"),
            backend: sealstone::backend().unwrap_or_else(|error| error.to_string()).replace('\n', "; "),
        }
    }

    fn operations(&self) -> Vec<&str> {
        let workloads = aead::OPERATIONS.iter().copied().filter(|name| name.starts_with("workload/"));
        let pairs = sign::OPERATIONS.iter().chain(exchange::OPERATIONS).chain(rsa::OPERATIONS);
        let others = message::OPERATIONS.iter().chain(bench_protocol::sm2::OPERATIONS).chain(fise::OPERATIONS);
        let own = hash::OPERATIONS.iter().chain(others).chain(pairs);
        // `speed` has hashes and key pairs as well; here they are what every engine does, around the public calls.
        let speed = Operation::ALL.iter().map(Operation::name).filter(|name| !is_own(name));
        speed.chain(workloads).chain(secretbox::operations()).chain(sm4::operations()).chain(own.copied()).collect()
    }

    fn prepare(&self, task: Task) -> Result<Box<dyn Trial>, Refusal> {
        if task.operation.starts_with("sm2/") {
            return sm2::prepare(task);
        }
        if let Some(trial) = hash::prepare(&task) {
            return Ok(trial);
        }
        let others = [message::prepare, sign::prepare, exchange::prepare, rsa::prepare, fise::prepare];
        if let Some(trial) = others.iter().find_map(|prepare| prepare(&task)) {
            return trial;
        }
        match Operation::ALL.iter().find(|operation| operation.name() == task.operation) {
            Some(operation) => {
                let trial = operation.prepare(task.input).map_err(|error| Refusal::Error(error.to_string()))?;
                Ok(Box::new(Measured { trial, random: task.operation.starts_with("kem/") }))
            }
            None if task.operation.starts_with("sm4/") => sm4::prepare(&task),
            None if task.operation.starts_with("aead/xsalsa20-poly1305/") => secretbox::prepare(&task),
            None => {
                let key = sealstone::aead::Aead::new(Algorithm::Aes256Gcm, &KEY);
                aead::prepare(Key(key.map_err(|error| Refusal::Error(error.to_string()))?), &task)
            }
        }
    }
}

fn is_own(operation: &str) -> bool {
    ["hash/", "sm2/", "sign/", "exchange/"].iter().any(|group| operation.starts_with(group))
}

struct Measured {
    trial: sealstone_speed::Trial,
    /// Whether two outputs differ.
    random: bool,
}

impl Trial for Measured {
    fn run(&mut self) -> Result<(), String> {
        self.trial.run().map_err(|error| error.to_string())
    }

    fn output(&self) -> &[u8] {
        self.trial.output()
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        if self.random {
            return self.trial.plaintext().map(Cow::Owned).map_err(|error| error.to_string());
        }
        Ok(Cow::Borrowed(self.output()))
    }
}

struct Key(sealstone::aead::Aead);

impl Aead for Key {
    fn seal(&self, nonce: &[u8; NONCE_LEN], buffer: &mut [u8]) -> [u8; TAG_LEN] {
        self.0.seal_in_place(nonce, b"", buffer).expect("the buffer is within the limit")
    }

    fn open(&self, nonce: &[u8; NONCE_LEN], sealed: &mut [u8]) -> bool {
        self.0.open_in_place(nonce, b"", sealed).is_ok()
    }
}
