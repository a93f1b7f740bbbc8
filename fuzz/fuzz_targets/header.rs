//! Arbitrary bytes as a file: nothing panics, and every way of reading it agrees.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sealstone::{Error, Input, inspect};
use sealstone_fuzz::decryptor;

/// Verdicts of the header's form, which no key can change (format section 8, steps 1 and 2). No identity here is a
/// passphrase, so `malformed_header` never comes from a cost.
const OF_FORM: [&str; 4] = ["not_sealstone", "unsupported_version", "unsupported_suite", "malformed_header"];

fuzz_target!(|file: &[u8]| {
    let decryptor = decryptor();
    let opened = decryptor.decrypt(file);
    let mut released = Vec::new();
    let streamed = decryptor.decrypt_stream(file, &mut released);
    let range = decryptor.decrypt_range(file, 1..20_000);
    let seen = inspect(Input::reader(file));

    assert_eq!(of_form(&streamed), of_form(&seen), "decrypt and inspect judge the header's form alike");
    match opened {
        Ok(plaintext) => {
            let summary = streamed.expect("a stream opens what memory opens");
            let seen = seen.expect("what opens can be inspected");
            assert_eq!(released, plaintext);
            assert_eq!(summary.plaintext, plaintext.len() as u64);
            assert!(seen.compressed || seen.plaintext_len == summary.plaintext);
            assert_eq!(seen.file_len(), summary.ciphertext);
            match plaintext.get(1..) {
                Some(rest) => assert_eq!(range.expect("a range of a good file"), rest[..rest.len().min(19_999)]),
                None => assert_eq!(range.unwrap_err().code(), "range_out_of_bounds"),
            }
        }
        Err(error) => assert!(streamed.is_err(), "a stream opened what memory refused: {error}"),
    }
});

fn of_form<T>(result: &Result<T, Error>) -> Option<&'static str> {
    let code = result.as_ref().err()?.code();
    OF_FORM.into_iter().find(|form| *form == code)
}
