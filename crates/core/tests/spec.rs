//! The example of `spec/format.md` section 1.2 is a file that this implementation opens.

use sealstone::{Decryptor, Encryptor, Input, SymmetricKey, inspect};

/// The values of section 1.3, by name.
fn value(name: &str) -> Vec<u8> {
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/format.md")).unwrap();
    let section = spec.split("### 1.3 Example values").nth(1).expect("the spec has example values");
    let line = section.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
    data_encoding::HEXLOWER.decode(line.expect("the spec has this value").as_bytes()).unwrap()
}

fn key() -> SymmetricKey {
    SymmetricKey::from_bytes(&value("key").try_into().unwrap())
}

#[test]
fn the_example_file_opens_to_its_plaintext() {
    assert_eq!(Decryptor::new([key().into()]).decrypt(&value("file")).unwrap(), value("plaintext"));
}

#[test]
fn the_armoured_example_opens_too_and_is_what_a_writer_would_write() {
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/format.md")).unwrap();
    let from = spec.rfind("-----BEGIN SEALSTONE FILE-----").unwrap();
    let end = "-----END SEALSTONE FILE-----\n";
    let text = &spec[from..from + spec[from..].find(end).unwrap() + end.len()];
    assert_eq!(Decryptor::new([key().into()]).decrypt(text.as_bytes()).unwrap(), value("plaintext"));
}

#[test]
fn a_file_of_ours_has_the_lengths_of_the_example() {
    let sealed = Encryptor::new([key().into()]).encrypt(&value("plaintext")).unwrap();
    let example = value("file");
    assert_eq!(sealed.len(), example.len());
    assert_eq!(sealed[..28], example[..28], "prefix, area length, stanza head and key id are not random");
    let (ours, theirs) = (inspect(Input::reader(&sealed[..])).unwrap(), inspect(Input::reader(&example[..])).unwrap());
    assert_eq!(ours, theirs);
}
