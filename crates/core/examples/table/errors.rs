//! Python's classes of errors: one for each code.

use sealstone::Error;
use sealstone::interop::fise;
use std::fmt::Write as _;

/// Each code with the class of Python's own that its class also extends, which is empty for none, and with the class's docstring.
const CLASSES: &[(&str, &str, &str)] = &[
    ("internal", "", "A bug of Sealstone's: please report it."),
    ("not_sealstone", "", "This is not a Sealstone file, or not a message."),
    (
        "unsupported_version",
        "",
        "This release does not know the file's version of the format, or what its flags ask for.",
    ),
    ("unsupported_suite", "", "This release does not know the file's suite."),
    ("malformed_header", "", "The header breaks a rule of the format."),
    ("malformed_armour", "", "The ASCII armour breaks a rule of the format."),
    ("malformed_compression", "", "A frame or the seek table of a compressed file breaks a rule of the format."),
    ("malformed_archive", "", "A member or the index of an archive breaks a rule of the format."),
    ("unsafe_member", "", "A member of an archive is not extracted, because it could harm."),
    ("not_an_archive", "ValueError", "The file is not an archive, so it has no members."),
    ("no_such_member", "LookupError", "The archive has no member of this path."),
    ("names_collide", "OSError", "The file system takes the names of two members for one."),
    ("incomplete_archive", "", "Some members were not read, or changed while they were read."),
    ("truncated", "", "The file is cut short."),
    ("context_required", "ValueError", "The file is bound to a context, and none was given."),
    ("context_not_bound", "ValueError", "A context was given, and the file is bound to none."),
    ("cost_too_high", "", "A file, or a stored password, asks for more work than is accepted."),
    ("no_matching_identity", "", "None of the identities opens the file, or the passphrase is wrong."),
    ("header_not_authentic", "", "The key fits, and the header was changed or damaged."),
    ("not_authentic", "", "The content was changed or damaged, or the context or associated data differ."),
    ("mixed_recipients", "ValueError", "Post-quantum and classical recipients are together, which was not allowed."),
    ("invalid_recipients", "ValueError", "These recipients cannot be used together, or there is no recipient."),
    ("invalid_recipient", "ValueError", "A recipient is damaged, or is something else."),
    ("invalid_identity", "ValueError", "An identity is damaged, or is something else."),
    ("unsupported_key", "ValueError", "The key's type, or the form that was asked for, is not supported."),
    ("passphrase_required", "ValueError", "The key is protected, and no passphrase was given."),
    ("not_in_profile", "", "The profile does not allow it."),
    ("invalid_passphrase", "ValueError", "The passphrase is empty, too long or not text."),
    ("invalid_context", "ValueError", "A context has 1 to 1,024 bytes."),
    ("unknown_algorithm", "ValueError", "There is no algorithm, kind, suite or form of this name."),
    ("invalid_option", "ValueError", "The algorithm, or the kind of key, does not have this option."),
    ("invalid_cost", "ValueError", "The algorithm does not have such a cost."),
    ("wrong_length", "ValueError", "A key, a nonce, an IV or a buffer has the wrong length."),
    ("invalid_encoding", "ValueError", "The text is not what its encoding allows."),
    (
        "invalid_key",
        "ValueError",
        "A key that signs, agrees or encrypts with RSA is damaged, is the wrong half, or is of another kind.",
    ),
    ("invalid_signature", "", "The signature does not belong to these data and this key."),
    ("not_a_signature", "", "This is not a signature file."),
    ("malformed_signature", "", "The signature file breaks a rule of its format."),
    ("unsupported_signature", "", "The signature file is of a kind that is not supported."),
    ("wrong_namespace", "", "The signature was made for another purpose."),
    ("unknown_signer", "", "The signature is by a key that is not trusted."),
    ("invalid_namespace", "ValueError", "The text is not a valid namespace."),
    ("invalid_comment", "ValueError", "The text is not a valid comment."),
    ("invalid_signer", "ValueError", "A signer's key is damaged, or is something else."),
    ("malformed_ciphertext", "", "The ciphertext does not have the form of its algorithm."),
    ("empty_plaintext", "ValueError", "SM2 cannot encrypt an empty plaintext."),
    ("invalid_user_id", "ValueError", "The user id of SM2 is too long."),
    ("partial_block", "ValueError", "Without padding, the mode takes whole blocks only."),
    ("legacy_encryption", "ValueError", "An old cipher encrypts only if that is explicitly allowed."),
    ("invalid_padding", "", "The padding is wrong: the key, the IV or the data is wrong."),
    ("unavailable_backend", "", "SEALSTONE_BACKEND names a backend that this CPU does not have."),
    ("range_out_of_bounds", "ValueError", "The range begins after the end, or ends before it begins."),
    ("not_seekable", "OSError", "The input cannot be read at any position: it is a pipe or armour, for example."),
    ("too_long", "ValueError", "The data is longer than the algorithm or the format allows."),
    ("plugin_failed", "", "A plugin of age has failed."),
    ("no_randomness", "", "The system gives no randomness."),
    ("same_file", "ValueError", "The output is the input."),
    ("output_exists", "FileExistsError", "The output exists, and replacing it was not allowed."),
    (
        "hard_links",
        "OSError",
        "The file to be replaced has other names (hard links), which would keep the old content.",
    ),
    (
        "not_regular_file",
        "OSError",
        "The name stands for a FIFO, a device or a socket; or for a symbolic link, where a file is to be replaced.",
    ),
    ("input_changed", "", "The input was changed while it was read."),
    ("cancelled", "", "The work was ended, or the file was closed before."),
    ("too_many_objects", "", "There are more keys in use than there is room for."),
    ("io", "OSError", "The system refused to read or to write. `errno` is its number."),
];

/// The same of FISE: an error has the code, and its class is below `FiseError`.
const FISE_CLASSES: [(fise::Error, &str, &str); 8] = [
    (
        fise::Error::Rules(String::new()),
        "ValueError",
        "A profile breaks a rule, or is not for this data; or a frame cannot be written so.",
    ),
    (fise::Error::NoSalt, "", "Nothing in the envelope fits the profile and the timestamp."),
    (fise::Error::NoMarker, "", "The envelope has a marker, and no writer made what it leads to."),
    (fise::Error::Ambiguous, "", "The envelope can be read in more than one way."),
    (fise::Error::Malformed(""), "", "The stream of frames breaks a rule of the format."),
    (
        fise::Error::Order { expected: 0, found: None },
        "",
        "A frame is not the next one of its stream: frames were lost, repeated, exchanged or mixed.",
    ),
    (fise::Error::Truncated, "", "The stream of frames is cut short."),
    (fise::Error::KeyRequired, "", "A frame is authenticated, and its reader has no key."),
];

/// Classes below `Io`, which have its code: the name, the class of Python's own that it also extends, and the docstring.
const REFUSALS: [(&str, &str, &str); 3] = [
    ("NotFound", "FileNotFoundError", "There is no such file."),
    ("AccessDenied", "PermissionError", "The system does not allow it."),
    ("IsAFolder", "IsADirectoryError", "It is a folder."),
];

/// The module `errors.py`. `_errors.py` beside it chooses the class of a failure.
pub(crate) fn python(generated: &str) -> String {
    let own = ["internal", "too_many_objects"];
    let has_class = |code: &&str| CLASSES.iter().any(|(of, ..)| of == code);
    assert!(Error::CODES.iter().all(has_class), "table: each code has a class");
    assert_eq!(
        CLASSES.len(),
        Error::CODES.len() + own.len(),
        "table: each class has a code of core's or of the engine's"
    );
    let mut text = format!(
        r#"# Generated {generated}.
"""The errors: a class for each code, all of them `Error`.

A wrong value is a `ValueError` as well, and what the system refuses an `OSError`. A wrong type is Python's own `TypeError`.
"""

from typing import ClassVar


class Error(Exception):
    """A failure of Sealstone's. `code` is its name, which never changes; the text is for people."""

    code: ClassVar[str] = "internal"


class FiseError(Error):
    """A profile, an envelope or a stream of frames of FISE is refused. A class below this one says why."""
"#
    );
    let mut names = vec!["Error".to_owned(), "FiseError".to_owned()];
    let mut add = |base: &str, code: &str, also: &str, doc: &str| {
        let (name, comma) = (class_name(code), if also.is_empty() { "" } else { ", " });
        write!(text, "\n\nclass {name}({base}{comma}{also}):\n    \"\"\"{doc}\"\"\"\n\n    code = \"{code}\"\n")
            .expect("table: memory");
        names.push(name);
    };
    for (code, also, doc) in CLASSES {
        add("Error", code, also, doc);
    }
    for (error, also, doc) in FISE_CLASSES {
        add("FiseError", error.code(), also, doc);
    }
    for (name, also, doc) in REFUSALS {
        write!(text, "\n\nclass {name}(Io, {also}):\n    \"\"\"{doc} Its code is that of `Io`.\"\"\"\n")
            .expect("table: memory");
        names.push(name.to_owned());
    }
    names.sort();
    text.push_str("\n\n__all__ = [\n");
    for name in names {
        writeln!(text, "    \"{name}\",").expect("table: memory");
    }
    text + "]\n"
}

/// `not_a_signature` as `NotASignature`.
fn class_name(code: &str) -> String {
    code.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
