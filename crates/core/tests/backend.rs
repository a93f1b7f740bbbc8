//! A backend that the environment names and nobody has ends operations with its error, and never with another one.

#![cfg(all(feature = "gm", feature = "sign", not(sealstone_rustcrypto)))]

use sealstone::sign::{self, Kind as SignKind};
use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey, PublicKey, Signature};
use sealstone::{Identity, Kind};
use std::process::Command;

const CHILD: &str = "SEALSTONE_TEST_BACKEND";

/// G, a key like any other.
const POINT: &str = "32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7\
                     bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0";

#[test]
fn a_missing_backend_is_the_error_of_all_that_sm2_computes() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_missing_backend_is_the_error_of_all_that_sm2_computes"])
        .envs([(CHILD, "1"), ("SEALSTONE_BACKEND", "abacus")])
        .status();
    assert!(status.unwrap().success());
}

fn child() {
    let signature = Signature::from_bytes(&[1; 64]).unwrap();
    let public = PublicKey::from_bytes(&data_encoding::HEXLOWER.decode(POINT.as_bytes()).unwrap()).unwrap();
    let verifier = sign::PublicKey::from_bytes(SignKind::Sm2Sign, &public.to_bytes()).unwrap();
    for error in [
        PrivateKey::generate().err(),
        PrivateKey::from_bytes(&[7; 32]).err(),
        Identity::generate(Kind::Sm2).err(),
        Identity::from_bytes(Kind::Sm2, &[7; 32]).err(),
        "07".repeat(32).parse::<Identity>().err(),
        sign::PrivateKey::generate(SignKind::Sm2Sign).err(),
        public.encrypt(Form::C1C3C2, b"attack at dawn").err(),
        public.verify(DEFAULT_ID, b"attack at dawn", &signature).err(),
        verifier.verify(b"attack at dawn", &signature.to_der()).err(),
    ] {
        assert_eq!(error.expect("there is no such backend").code(), "unavailable_backend");
    }
}
