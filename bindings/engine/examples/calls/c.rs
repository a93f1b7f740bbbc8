//! C's side: a function of each call that C has, and the header.
//!
//! An object is a pointer to it, text ends in a zero byte, and bytes are a pointer and a length. A call that is promised elsewhere is run
//! at once: where a call has two forms, C has the one that a job ends, under the name of the other.

use crate::call::{Call, Calls, Given, Kind, Param, Record, Runs};
use sealstone::Error;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Objects: the module of calls, the type there, the name in C, and the type's path. A module that is not named has those of `base`.
const OBJECTS: &[(&str, &str, &str, &str)] = &[
    ("age", "Decryptor", "age_decryptor", "sealstone::interop::age::Decryptor"),
    ("age", "Encryptor", "age_encryptor", "sealstone::interop::age::Encryptor"),
    ("age", "Identity", "age_identity", "sealstone::interop::age::Identity"),
    ("age", "Opening", "age_opener", "sealstone_engine::age::Opening"),
    ("age", "Recipient", "age_recipient", "sealstone::interop::age::Recipient"),
    ("age", "Sealing", "age_sealer", "sealstone_engine::age::Sealing"),
    ("base", "Armouring", "armour", "sealstone_engine::parts::Armouring"),
    ("base", "ChunkedKey", "chunked_key", "sealstone::chunked::ChunkedKey"),
    ("base", "Dearmouring", "dearmour", "sealstone_engine::parts::Dearmouring"),
    ("base", "Decryptor", "decryptor", "sealstone::Decryptor"),
    ("base", "Encryptor", "encryptor", "sealstone::Encryptor"),
    ("base", "Identity", "identity", "sealstone::Identity"),
    ("base", "Opening", "opener", "sealstone_engine::parts::Opening"),
    ("base", "Recipient", "recipient", "sealstone::Recipient"),
    ("base", "Rewrapper", "rewrapper", "sealstone::Rewrapper"),
    ("base", "Sealing", "sealer", "sealstone_engine::parts::Sealing"),
    ("c", "Cipher", "cipher", "sealstone::hazmat::cipher::Cipher"),
    ("c", "DecryptStream", "decrypt_stream", "sealstone_engine::streams::DecryptStream"),
    ("c", "EncryptStream", "encrypt_stream", "sealstone_engine::streams::EncryptStream"),
    ("c", "Exchanged", "sm2_exchanged", "sealstone::sm2::Exchanged"),
    ("c", "PrivateKey", "sm2_private", "sealstone::sm2::PrivateKey"),
    ("c", "PublicKey", "sm2_public", "sealstone::sm2::PublicKey"),
    ("c", "Unit", "unit", "sealstone_engine::streams::Unit"),
    ("c", "Wanted", "job", "sealstone_engine::Wanted"),
    ("c", "Writer", "writer", "sealstone_engine::streams::Writer"),
    ("cipher", "Aead", "aead", "sealstone::aead::Aead"),
    ("cipher", "Ccm", "ccm", "sealstone::hazmat::ccm::Ccm"),
    ("cipher", "Cipher", "cipher", "sealstone::hazmat::cipher::Cipher"),
    ("cipher", "KeyWrap", "key_wrap", "sealstone::hazmat::wrap::KeyWrap"),
    ("cipher", "LegacyCipher", "legacy", "sealstone::hazmat::legacy::LegacyCipher"),
    ("digest", "Hashing", "hasher", "sealstone_engine::hashing::Hashing"),
    ("digest", "Keys", "key_cache", "sealstone_engine::kdf::Keys"),
    ("digest", "Mac", "mac", "sealstone::mac::Mac"),
    ("digest", "Signing", "mac_signer", "sealstone_engine::mac::Signing"),
    ("exchange", "PrivateKey", "exchange_private", "sealstone::exchange::PrivateKey"),
    ("exchange", "PublicKey", "exchange_public", "sealstone::exchange::PublicKey"),
    ("native", "Wanted", "job", "sealstone_engine::Wanted"),
    ("rsa", "PrivateKey", "rsa_private", "sealstone::rsa::PrivateKey"),
    ("rsa", "PublicKey", "rsa_public", "sealstone::rsa::PublicKey"),
    ("sign", "Parts<Signing>", "signature_signing", SIGNING),
    ("sign", "Parts<Verifying>", "signature_verifying", VERIFYING),
    ("sign", "PrivateKey", "sign_private", "sealstone::sign::PrivateKey"),
    ("sign", "PublicKey", "sign_public", "sealstone::sign::PublicKey"),
    ("sign", "SignatureReader", "signature_reader", "sealstone::signature::SignatureReader"),
    ("sign", "SignatureWriter", "signature_writer", "sealstone::signature::SignatureWriter"),
    ("sign", "Trusting", "signature_trusting", "sealstone_engine::signature::Trusting"),
];
const SIGNING: &str = "sealstone_engine::signature::Parts<sealstone::signature::Signing>";
const VERIFYING: &str = "sealstone_engine::signature::Parts<sealstone::signature::Verifying>";

/// Records that a call takes, with their paths, and the name in C where it is another.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("AgreedBy", "agreed_by", "sealstone_engine::exchange::AgreedBy"),
    ("CrossingCost", "cost", "sealstone_engine::kdf::CrossingCost"),
    ("DerivedOf", "derived_of", "sealstone_engine::kdf::DerivedOf"),
    ("EncryptOptions", "encrypt_options", "sealstone_engine::files::EncryptOptions"),
    ("OaepOptions", "oaep_options", "sealstone_engine::rsa::OaepOptions"),
    ("SignOptions", "sign_options", "sealstone_engine::sign::SignOptions"),
];

/// The number of each code, for ever: a new code gets the next one.
pub(crate) const NUMBERS: &[&str] = &[
    "internal",
    "invalid_argument",
    "not_sealstone",
    "unsupported_version",
    "unsupported_suite",
    "malformed_header",
    "malformed_armour",
    "truncated",
    "context_required",
    "context_not_bound",
    "cost_too_high",
    "no_matching_identity",
    "header_not_authentic",
    "not_authentic",
    "mixed_recipients",
    "invalid_recipients",
    "invalid_recipient",
    "invalid_identity",
    "unsupported_key",
    "passphrase_required",
    "not_in_profile",
    "invalid_passphrase",
    "invalid_context",
    "unknown_algorithm",
    "invalid_option",
    "invalid_cost",
    "wrong_length",
    "invalid_encoding",
    "invalid_key",
    "invalid_signature",
    "not_a_signature",
    "malformed_signature",
    "unsupported_signature",
    "wrong_namespace",
    "unknown_signer",
    "invalid_namespace",
    "invalid_comment",
    "invalid_signer",
    "malformed_ciphertext",
    "empty_plaintext",
    "invalid_user_id",
    "partial_block",
    "legacy_encryption",
    "invalid_padding",
    "unavailable_backend",
    "range_out_of_bounds",
    "not_seekable",
    "too_long",
    "plugin_failed",
    "no_randomness",
    "same_file",
    "output_exists",
    "hard_links",
    "not_regular_file",
    "input_changed",
    "cancelled",
    "io",
    "malformed_compression",
    "malformed_archive",
    "unsafe_member",
    "not_an_archive",
    "no_such_member",
    "names_collide",
    "incomplete_archive",
];

/// A parameter of a function: in C, and in Rust.
struct Crossing {
    c: String,
    rust: String,
}

fn crossing(name: &str, c: &str, rust: &str) -> Crossing {
    // A word of C++.
    let in_c = if name == "namespace" { "namespace_" } else { name };
    let space = if c.ends_with('*') { "" } else { " " };
    Crossing { c: format!("{c}{space}{in_c}"), rust: format!("{name}: {rust}") }
}

/// A function, and the call behind it.
pub(crate) struct Function<'a> {
    pub(crate) call: &'a Call,
    pub(crate) name: String,
}

/// The functions, in the order of the calls.
pub(crate) fn functions(calls: &Calls) -> Vec<Function<'_>> {
    let of = |name: &str, module: &str| calls.calls.iter().find(|call| call.name == name && call.module == module);
    let mut functions = Vec::new();
    for call in calls.calls.iter().filter(|call| has(call)) {
        let later = of(&format!("{}_later", call.name), &call.module);
        if later.is_some_and(|later| has(later) && later.takes_kind(&Kind::Job)) {
            continue;
        }
        let mut name = call.name.clone();
        if let Some(at_once) = name.strip_suffix("_later").and_then(|name| of(name, &call.module)) {
            if !call.takes_kind(&Kind::Job) {
                continue;
            }
            name.clone_from(&at_once.name);
        } else if let Some(noun) = name.strip_suffix("_later") {
            noun.to_owned().clone_into(&mut name);
        }
        if OBJECTS.iter().any(|(.., noun, _)| *noun == name) {
            name.push_str("_new");
        }
        functions.push(Function { call, name });
    }
    functions
}

/// Whether C has a call: not what is made for an event loop, for strings that are no bytes, or for packages of JavaScript's.
fn has(call: &Call) -> bool {
    let is_of_js = |of: &str| matches!(of, "Loading" | "Undelivered");
    let is_for_js = call.words.js
        || call.module == "compat"
        || is_of_js(&call.gives_type)
        || call.takes.iter().any(|param| matches!(param.kind, Kind::Give | Kind::Lending) || is_of_js(&param.of));
    !is_for_js && (call.words.c || !call.words.wasm)
}

pub(crate) fn object(module: &str, of: &str) -> (&'static str, &'static str) {
    let of = of.trim_start_matches("files::").trim_start_matches("sealstone::");
    let find = |module: &str| OBJECTS.iter().find(|object| (object.0, object.1) == (module, of));
    let (.., noun, path) = find(module)
        .or_else(|| find("base"))
        .unwrap_or_else(|| panic!("calls: C has no name for the objects {of} of {module}"));
    (noun, path)
}

pub(crate) fn options(name: &str) -> (&'static str, &'static str) {
    let found = OPTIONS.iter().find(|(one, ..)| *one == name.trim_end_matches("<'_>"));
    let (_, noun, path) = found.unwrap_or_else(|| panic!("calls: C has no name for the options {name}"));
    (noun, path)
}

pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Whether a record is a structure of numbers; otherwise it is an object with a function for each field.
pub(crate) fn is_numbers(record: &Record) -> bool {
    record.fields.iter().all(|field| matches!(&*field.written, "u32" | "u64"))
}

/// The hash of a call crosses elsewhere by its number.
pub(crate) fn is_hash(param: &Param) -> bool {
    param.kind == Kind::U32 && param.name == "algorithm"
}

fn params(module: &str, param: &Param) -> Vec<Crossing> {
    let name = &param.name;
    let pair = |c: &str, rust: &str, len: &str| {
        vec![crossing(name, c, rust), crossing(&format!("{name}_{len}"), "size_t", "usize")]
    };
    let one = |c: &str, rust: &str| vec![crossing(name, c, rust)];
    let pointer = |of: &str| {
        let (noun, path) = object(module, of);
        one(&format!("const sealstone_{noun} *"), &format!("*const {path}"))
    };
    match &param.kind {
        Kind::Object | Kind::Shared | Kind::Last => pointer(&param.of),
        Kind::Job => one("const sealstone_job *", "*const sealstone_engine::Wanted"),
        Kind::Objects => {
            let (noun, path) = object(module, &param.of);
            pair(&format!("const sealstone_{noun} *const *"), &format!("*const *const {path}"), "count")
        }
        Kind::Bytes
        | Kind::Lent
        | Kind::Data
        | Kind::OwnBytes
        | Kind::SecretBytes
        | Kind::OptionalBytes
        | Kind::OptionalLent => pair("const uint8_t *", "*const u8", "len"),
        Kind::Text
        | Kind::OptionalText
        | Kind::OwnText
        | Kind::OptionalOwnText
        | Kind::SecretText
        | Kind::Path
        | Kind::OptionalPath => one("const char *", "*const c_char"),
        Kind::Numbers | Kind::OwnNumbers => pair("const uint32_t *", "*const u32", "count"),
        Kind::U32 if is_hash(param) => one("const char *", "*const c_char"),
        Kind::U32 | Kind::OptionalU32 => one("uint32_t", "u32"),
        Kind::U64 | Kind::OptionalU64 => one("uint64_t", "u64"),
        Kind::Usize => one("size_t", "usize"),
        Kind::Bool => one("bool", "bool"),
        Kind::OptionalBool => one("sealstone_choice", "u32"),
        Kind::Output | Kind::Exact => pair("uint8_t *", "*mut u8", "len"),
        Kind::AtMost => {
            let mut all = pair("uint8_t *", "*mut u8", "len");
            all.push(crossing("written", "size_t *", "*mut usize"));
            all
        }
        Kind::Moving(input, output) => {
            let bytes = |name: &str, c: &str, rust: &str| {
                [crossing(name, c, rust), crossing(&format!("{name}_len"), "size_t", "usize")]
            };
            bytes(input, "const uint8_t *", "*const u8")
                .into_iter()
                .chain(bytes(output, "uint8_t *", "*mut u8"))
                .collect()
        }
        Kind::Record(record) => {
            let noun = options(record).0;
            one(&format!("const sealstone_{noun} *"), &format!("*const {}", type_of(noun)))
        }
        kind => panic!("calls: C has no parameter {kind:?} ({name})"),
    }
}

/// A type of Rust for a structure of C's.
fn type_of(noun: &str) -> String {
    noun.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

/// The parameter of the result.
fn place_of(call: &Call) -> &'static str {
    if call.takes.iter().any(|param| param.name == "out") { "result" } else { "out" }
}

/// Where the result is put, in C and in Rust, and `nothing` of it; nothing where there is no result.
fn out(calls: &Calls, call: &Call) -> Option<(Crossing, String)> {
    let place = |c: &str, rust: &str, nothing: &str| {
        Some((crossing(place_of(call), &format!("{c}*"), &format!("*mut {rust}")), nothing.to_owned()))
    };
    match &call.gives {
        _ if call.takes.iter().any(|param| matches!(param.kind, Kind::Exact | Kind::AtMost)) => None,
        Given::Nothing => None,
        Given::Object => {
            let (noun, path) = object(&call.module, &call.gives_type);
            place(&format!("sealstone_{noun} *"), &format!("*mut {path}"), "null_mut()")
        }
        Given::Objects => {
            let of =
                call.gives_type.strip_prefix("Vec<").and_then(|rest| rest.strip_suffix('>')).expect("calls: a list");
            let (noun, path) = object(&call.module, of);
            place(&format!("sealstone_{noun}_list *"), &format!("*mut List<{path}>"), "null_mut()")
        }
        Given::Bool => place("bool ", "bool", "false"),
        Given::U32 => place("uint32_t ", "u32", "0"),
        Given::Len if call.gives_type == "usize" => place("size_t ", "usize", "0"),
        Given::Len => place("uint64_t ", "u64", "0"),
        Given::Name => place("const char *", "*const c_char", "null()"),
        Given::Bytes
        | Given::SecretBytes
        | Given::Text
        | Given::SecretText
        | Given::OptionalText
        | Given::OptionalSecretText
        | Given::TextOrBytes
        | Given::Delivery
        | Given::DeliveredText
        | Given::Part => place("sealstone_bytes *", "*mut Bytes", "null_mut()"),
        Given::Record(name) => {
            let (noun, record) = (snake(name), calls.record(name));
            if is_numbers(record) {
                place(&format!("sealstone_{noun} "), &type_of(&noun), "")
            } else {
                place(&format!("sealstone_{noun} *"), &format!("*mut {name}"), "null_mut()")
            }
        }
        given => panic!("calls: C has no result {given:?} ({})", call.name),
    }
}

/// Whether a function returns its result: it takes no pointer, and cannot fail.
pub(crate) fn returns(call: &Call) -> bool {
    call.takes.is_empty()
        && !call.fails
        && call.runs == Runs::AtOnce
        && matches!(call.gives, Given::Len | Given::Bool | Given::U32)
}

/// The expression that reads a parameter.
fn read(module: &str, param: &Param) -> String {
    let name = &param.name;
    let read = |function: &str| format!("given::{function}({name}, \"{name}\")?");
    let counted = |function: &str, len: &str| format!("given::{function}({name}, {name}_{len}, \"{name}\")?");
    match &param.kind {
        Kind::Object => read("object"),
        Kind::Shared | Kind::Last => read("shared"),
        Kind::Job => format!("Watched::of({name})"),
        Kind::Objects => counted("objects", "count"),
        Kind::Bytes | Kind::Lent | Kind::Data => counted("bytes", "len"),
        Kind::OwnBytes => format!("{}.to_vec()", counted("bytes", "len")),
        Kind::SecretBytes => format!("Zeroizing::new({}.to_vec())", counted("bytes", "len")),
        Kind::OptionalBytes | Kind::OptionalLent => counted("optional_bytes", "len"),
        Kind::U32 if is_hash(param) => format!("algorithm_id({})?", read("text")),
        Kind::Text => read("text"),
        Kind::OwnText => format!("{}.to_owned()", read("text")),
        Kind::SecretText => format!("Zeroizing::new({}.to_owned())", read("text")),
        Kind::OptionalText => read("optional_text"),
        Kind::OptionalOwnText => format!("{}.map(str::to_owned)", read("optional_text")),
        Kind::Path => read("path"),
        Kind::OptionalPath => format!("given::optional_path({name})"),
        Kind::Numbers => counted("numbers", "count"),
        Kind::OwnNumbers => format!("{}.to_vec()", counted("numbers", "count")),
        Kind::U32 | Kind::U64 | Kind::Usize | Kind::Bool => name.clone(),
        Kind::OptionalU32 | Kind::OptionalU64 => format!("given::optional_number({name})"),
        Kind::OptionalBool => read("choice"),
        Kind::Record(_) => read("options"),
        Kind::Output | Kind::Exact | Kind::AtMost => format!("Memory::new({name}, {name}_len, \"{name}\")?"),
        kind => panic!("calls: {kind:?} of {module} is read elsewhere"),
    }
}

/// The bytes of a call that are read while it writes to memory.
fn read_beside(call: &Call) -> String {
    let others = call.takes.iter().filter_map(|param| match param.kind {
        Kind::Bytes | Kind::Lent | Kind::Data => Some(format!("({0}, \"{0}\")", param.name)),
        Kind::OptionalBytes | Kind::OptionalLent => Some(format!("({0}.unwrap_or_default(), \"{0}\")", param.name)),
        _ => None,
    });
    others.collect::<Vec<_>>().join(", ")
}

fn function(calls: &Calls, function: &Function<'_>) -> String {
    let Function { call, name } = function;
    let (mut text, path) = (String::new(), format!("calls::{}::{}", call.path, call.name));
    if returns(call) {
        let kind = if call.gives == Given::Bool { "bool" } else { &call.gives_type };
        _ = write!(
            text,
            "\n#[unsafe(no_mangle)]\npub extern \"C\" fn sealstone_{name}() -> {kind} {{\n    {path}()\n}}\n"
        );
        return text;
    }
    let out = out(calls, call);
    let mut rust: Vec<_> =
        call.takes.iter().flat_map(|param| params(&call.module, param)).map(|one| one.rust).collect();
    rust.extend(out.iter().map(|(out, _)| out.rust.clone()));
    _ = write!(
        text,
        "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{name}({}) -> *mut Error {{\n",
        rust.join(", ")
    );
    text.push_str(if rust.is_empty() {
        "    guard(|| {\n"
    } else {
        "    // SAFETY: the caller keeps the rules of the header.\n    guard(|| unsafe {\n"
    });
    let is_sized = matches!(&call.gives, Given::Record(record) if is_numbers(calls.record(record)));
    if let Some((_, nothing)) = &out {
        let name = place_of(call);
        let place = if is_sized {
            format!("PlaceOfSize::of({name}, \"{name}\")?")
        } else {
            format!("Place::of({name}, {nothing}, \"{name}\")?")
        };
        _ = writeln!(text, "        let {name} = {place};");
    }
    if call.takes_kind(&Kind::AtMost) {
        text.push_str("        let written = Place::of(written, 0, \"written\")?;\n");
    }
    for param in &call.takes {
        match &param.kind {
            Kind::Moving(input, output) => {
                _ = writeln!(text, "        let {input} = given::bytes({input}, {input}_len, \"{input}\")?;");
                _ = writeln!(text, "        let {output} = Memory::new({output}, {output}_len, \"{output}\")?;");
            }
            Kind::U32 | Kind::U64 | Kind::Usize | Kind::Bool if !is_hash(param) => {}
            _ => _ = writeln!(text, "        let {} = {};", param.name, read(&call.module, param)),
        }
    }
    let beside = read_beside(call);
    for param in &call.takes {
        let output = match &param.kind {
            Kind::Output => &param.name,
            Kind::Moving(_, output) => output,
            _ => continue,
        };
        if !beside.is_empty() {
            _ = writeln!(text, "        let {output} = {output}.apart(\"{output}\", &[{beside}])?;");
        }
    }
    let args = call.takes.iter().map(|param| {
        let name = &param.name;
        match &param.kind {
            Kind::Moving(input, output) => format!("Moved::new({input}, {output})"),
            Kind::Exact | Kind::AtMost => format!("{name}_len"),
            Kind::Output => format!("{name}_bytes"),
            Kind::Job => format!("{name}.get()"),
            Kind::Objects | Kind::Numbers if param.kind == Kind::Objects => format!("&{name}"),
            Kind::Record(_) => format!("{name}.read()?"),
            _ => name.clone(),
        }
    });
    let mut work = format!("{path}({})", args.collect::<Vec<_>>().join(", "));
    if call.fails {
        work.push('?');
    }
    work = match call.runs {
        Runs::AtOnce => work,
        Runs::Promised => format!("{work}.run()?"),
        Runs::MaybePromised => format!("{work}.map(Work::run).transpose()?"),
    };
    if let Some(output) = call.takes.iter().find(|param| param.kind == Kind::Output) {
        work = format!("{0}.fill(|{0}_bytes| Ok::<_, Failure>({work}))?", output.name);
    }
    text.push_str(&delivered(call, &work, out.is_some(), is_sized));
    text.push_str("    })\n}\n");
    text
}

/// How a result gets to its place.
fn delivered(call: &Call, work: &str, has_out: bool, is_sized: bool) -> String {
    let mut text = String::new();
    if let Some(exact) = call.takes.iter().find(|param| param.kind == Kind::Exact) {
        _ = writeln!(text, "        let result = {work};\n        {0}.write(result.as_ref(), \"{0}\")", exact.name);
    } else if let Some(most) = call.takes.iter().find(|param| param.kind == Kind::AtMost) {
        _ = writeln!(
            text,
            "        let result = {work};\n        written.put({0}.write_at_most(result.as_ref(), \"{0}\")?);\n        Ok(())",
            most.name
        );
    } else if !has_out {
        _ = writeln!(text, "        {work};\n        Ok(())");
    } else {
        let out = place_of(call);
        let put = match &call.gives {
            Given::Object => format!("{out}.put(hold({work}));"),
            Given::Objects => format!("{out}.put(hold(List::from({work})));"),
            Given::Name => format!("{out}.put(results::name({work}));"),
            Given::OptionalText | Given::OptionalSecretText => format!("{out}.put(results::bytes_if_any({work}));"),
            Given::Part if call.runs == Runs::MaybePromised => {
                format!("if let Some(result) = {work} {{\n            return results::part({out}, result);\n        }}")
            }
            Given::Part => format!("return results::part({out}, {work});"),
            Given::Bool | Given::U32 | Given::Len => format!("{out}.put({work});"),
            Given::Record(name) if is_sized => format!("{out}.put(&{}::from({work}));", type_of(&snake(name))),
            Given::Record(name) => format!("{out}.put(hold({name}::from({work})));"),
            _ => format!("{out}.put(results::bytes({work}));"),
        };
        if call.gives == Given::Part && call.runs != Runs::MaybePromised {
            _ = writeln!(text, "        {}", put.trim_start_matches("return ").trim_end_matches(';'));
        } else {
            _ = writeln!(text, "        {put}\n        Ok(())");
        }
    }
    text
}

const HEAD: &str = "//! The functions of the calls, and the structures of their options and results. `make generate` writes them.

#![allow(clippy::wildcard_imports, clippy::needless_update, clippy::struct_excessive_bools, clippy::let_unit_value, clippy::unit_arg, clippy::useless_conversion)]

use crate::arguments::{self as given, Memory, Moved, Read, Watched};
use crate::results::{self, Bytes, Error, List, Place, PlaceOfSize, guard, hold};
use sealstone_engine::calls::{self, records};
use sealstone_engine::hashing::algorithm_id;
use sealstone_engine::{Failure, Work};
use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};
use zeroize::Zeroizing;
";

/// The numbers of errors.
pub(crate) fn numbered() -> String {
    let mut text = String::from(
        "//! The numbers of errors. `make generate` writes them.\n\n/// Codes and their numbers.\npub const NUMBERS: &[(&str, u32)] = &[\n",
    );
    for (code, number) in numbers() {
        _ = writeln!(text, "    (\"{code}\", {number}),");
    }
    text.push_str("];\n");
    text
}

/// Rust's side.
pub(crate) fn written(calls: &Calls) -> String {
    let (functions, mut text) = (functions(calls), HEAD.to_owned());
    for one in &functions {
        text.push_str(&function(calls, one));
    }
    for (noun, path) in nouns(&functions) {
        _ = write!(
            text,
            "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{noun}_free({noun}: *mut {path}) {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ results::release({noun}) }}\n}}\n"
        );
    }
    for (noun, path) in lists(&functions) {
        let of = format!("{noun}_list");
        _ = write!(
            text,
            "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{of}_count(list: *const List<{path}>) -> usize {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ results::count(list) }}\n}}\n"
        );
        _ = write!(
            text,
            "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{of}_at(list: *const List<{path}>, index: usize) -> *const {path} {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ results::item(list, index) }}\n}}\n"
        );
        _ = write!(
            text,
            "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{of}_free(list: *mut List<{path}>) {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ results::release(list) }}\n}}\n"
        );
    }
    for record in taken(calls, &functions) {
        text.push_str(&options_in_rust(record));
    }
    for record in given(calls, &functions) {
        text.push_str(&record_in_rust(record));
    }
    text
}

fn numbers() -> impl Iterator<Item = (&'static str, usize)> {
    let known = Error::CODES.iter().find(|code| !NUMBERS.contains(code));
    assert!(known.is_none(), "calls: the error {known:?} has no number in C: it gets the next one");
    NUMBERS.iter().copied().zip(1..)
}

/// The objects of the functions, by their names.
pub(crate) fn nouns(functions: &[Function<'_>]) -> BTreeMap<&'static str, &'static str> {
    let mut nouns = BTreeMap::new();
    for Function { call, .. } in functions {
        let taken = call
            .takes
            .iter()
            .filter(|param| matches!(param.kind, Kind::Object | Kind::Shared | Kind::Last | Kind::Objects));
        nouns.extend(taken.map(|param| object(&call.module, &param.of)));
        if call.gives == Given::Object {
            nouns.extend([object(&call.module, &call.gives_type)]);
        }
    }
    nouns
}

fn lists(functions: &[Function<'_>]) -> BTreeMap<&'static str, &'static str> {
    let lists = functions.iter().filter(|one| one.call.gives == Given::Objects);
    lists
        .map(|one| object(&one.call.module, one.call.gives_type.trim_start_matches("Vec<").trim_end_matches('>')))
        .collect()
}

/// The records that functions take.
pub(crate) fn taken<'a>(calls: &'a Calls, functions: &[Function<'_>]) -> Vec<&'a Record> {
    let is_taken = |record: &&Record| {
        let kind = |kind: &Kind| matches!(kind, Kind::Record(name) if name.trim_end_matches("<'_>") == record.name);
        functions.iter().any(|one| one.call.takes.iter().any(|param| kind(&param.kind)))
    };
    calls.records.iter().filter(is_taken).collect()
}

/// The records that functions give, and those in them first.
pub(crate) fn given<'a>(calls: &'a Calls, functions: &[Function<'_>]) -> Vec<&'a Record> {
    let outer = |record: &&Record| functions.iter().any(|one| one.call.gives == Given::Record(record.name.clone()));
    let inner = |record: &&Record| {
        let own = format!("Vec<{}>", record.name);
        calls.records.iter().filter(outer).any(|one| one.fields.iter().any(|field| field.written == own))
    };
    calls.records.iter().filter(inner).chain(calls.records.iter().filter(outer)).collect()
}

/// A field of options, which crosses elsewhere as a number of several names.
const CHOICES: [&str; 3] = ["hash", "encoding", "scheme"];

pub(crate) fn fields(record: &Record) -> Vec<Param> {
    let fields = record.fields.iter().flat_map(|field| {
        let param = field.param();
        if param.name != "choices" {
            return vec![param];
        }
        let text = |name: &&str| Param { name: (*name).to_owned(), kind: Kind::OptionalText, of: String::new() };
        CHOICES.iter().map(text).collect()
    });
    fields.collect()
}

fn options_in_rust(record: &Record) -> String {
    let (noun, path) = options(&record.name);
    let own = type_of(noun);
    let mut text = format!("\n#[repr(C)]\npub struct {own} {{\n    pub struct_size: usize,\n");
    for field in fields(record) {
        for one in params("base", &field) {
            _ = writeln!(text, "    pub {},", one.rust);
        }
    }
    _ = write!(
        text,
        "}}\n\nimpl {own} {{\n    /// # Safety\n    /// Its pointers are those of a caller that keeps the rules of the header.\n"
    );
    _ = writeln!(text, "    unsafe fn read<'a>(&self) -> Read<{path}<'a>> {{");
    let names: Vec<_> = fields(record)
        .iter()
        .flat_map(|field| params("base", field))
        .map(|one| one.rust.split_once(':').expect("calls: a name").0.to_owned())
        .collect();
    _ = writeln!(text, "        let Self {{ {}, .. }} = *self;", names.join(", "));
    text.push_str("        // SAFETY: as above.\n        unsafe {\n");
    if record.fields.iter().any(|field| field.name == "choices") {
        text.push_str("            let choices = sealstone_engine::sign::choices(given::optional_text(hash, \"hash\")?, given::optional_text(encoding, \"encoding\")?, given::optional_text(scheme, \"scheme\")?)?;\n");
    }
    let values = record.fields.iter().map(|field| match &*field.name {
        "choices" => "choices".to_owned(),
        name if read("base", &field.param()) == name => name.to_owned(),
        name => format!("{name}: {}", read("base", &field.param())),
    });
    _ = write!(
        text,
        "            Ok({path} {{ {} }})\n        }}\n    }}\n}}\n",
        values.collect::<Vec<_>>().join(", ")
    );
    text
}

fn record_in_rust(record: &Record) -> String {
    let (noun, mut text) = (snake(&record.name), String::new());
    let own = type_of(&noun);
    if is_numbers(record) {
        _ = write!(text, "\n#[repr(C)]\npub struct {own} {{\n    pub struct_size: usize,\n");
        for field in &record.fields {
            _ = writeln!(text, "    pub {}: {},", field.name, field.written);
        }
        _ = write!(
            text,
            "}}\n\nimpl From<records::{0}> for {own} {{\n    fn from(it: records::{0}) -> Self {{\n        Self {{ struct_size: size_of::<Self>()",
            record.name
        );
        for field in &record.fields {
            _ = write!(text, ", {0}: it.{0}", field.name);
        }
        text.push_str(" }\n    }\n}\n");
        return text;
    }
    _ = writeln!(text, "\npub struct {own} {{");
    let (mut made, mut functions) = (String::new(), String::new());
    for field in &record.fields {
        let name = &field.name;
        let (kind, from) = match &*field.written {
            "String" => ("CString".to_owned(), format!("results::text(&it.{name})")),
            "Option<String>" => ("Option<CString>".to_owned(), format!("it.{name}.as_deref().map(results::text)")),
            written => match written
                .strip_prefix("Vec<")
                .and_then(|rest| rest.strip_suffix('>'))
                .filter(|of| !NUMBERS_OF_LISTS.contains(of))
            {
                Some(of) => (
                    format!("List<{}>", type_of(&snake(of))),
                    format!("List::from(it.{name}.into_iter().map({}::from).collect::<Vec<_>>())", type_of(&snake(of))),
                ),
                None => (written.to_owned(), format!("it.{name}")),
            },
        };
        _ = writeln!(text, "    {name}: {kind},");
        _ = write!(made, "{name}: {from}, ");
        for (suffix, args, gives, value) in accessors(&noun, field.written.as_str()) {
            let nothing = if gives.starts_with('*') { "null()" } else { "0" };
            let value = value.replace("FIELD", &format!("it.{name}"));
            let value = if args.contains("len") || args.contains("count") {
                format!(
                    "{{ let values = &it.{name}[..]; Place::of({0}, values.len(), \"{0}\").map_or(null(), |_| values.as_ptr()) }}",
                    args.trim_start_matches(", ").split(':').next().expect("calls: a name")
                )
            } else {
                value
            };
            let or = if gives == "bool" { "is_some_and(".to_owned() } else { format!("map_or({nothing}, ") };
            _ = write!(
                functions,
                "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{noun}_{name}{suffix}({noun}: *const {own}{args}) -> {gives} {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ {noun}.as_ref().{or}|it| {value}) }}\n}}\n"
            );
        }
    }
    _ = write!(
        text,
        "}}\n\nimpl From<records::{0}> for {own} {{\n    fn from(it: records::{0}) -> Self {{\n        Self {{ {made} }}\n    }}\n}}\n{functions}",
        record.name
    );
    _ = write!(
        text,
        "\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn sealstone_{noun}_free({noun}: *mut {own}) {{\n    // SAFETY: the caller keeps the rules of the header.\n    unsafe {{ results::release({noun}) }}\n}}\n"
    );
    text
}

/// The numbers of which a field may have a list.
const NUMBERS_OF_LISTS: [&str; 3] = ["u32", "u64", "i64"];

/// The functions of a field: how their names end, their other arguments, what they return, and the value.
fn accessors(noun: &str, written: &str) -> Vec<(&'static str, &'static str, String, String)> {
    match written {
        "String" => vec![("", "", "*const c_char".into(), "FIELD.as_ptr()".into())],
        "Option<String>" => {
            vec![("", "", "*const c_char".into(), "FIELD.as_ref().map_or(null(), |text| text.as_ptr())".into())]
        }
        "Zeroizing<Vec<u8>>" => vec![("", ", len: *mut usize", "*const u8".into(), String::new())],
        "Vec<u32>" | "Vec<u64>" | "Vec<i64>" => {
            let number = &written["Vec<".len()..written.len() - 1];
            vec![("", ", count: *mut usize", format!("*const {number}"), String::new())]
        }
        "u32" | "u64" | "bool" => vec![("", "", written.to_owned(), "FIELD".into())],
        _ => {
            let of = written
                .strip_prefix("Vec<")
                .and_then(|rest| rest.strip_suffix('>'))
                .unwrap_or_else(|| panic!("calls: C has no field {written} ({noun})"));
            let own = type_of(&snake(of));
            vec![
                ("_count", "", "usize".into(), "results::count(&raw const FIELD)".into()),
                ("_at", ", index: usize", format!("*const {own}"), "results::item(&raw const FIELD, index)".into()),
            ]
        }
    }
}

/// Parts of the header: the modules of calls, and what they are about.
const PARTS: &[(&str, &str)] = &[
    ("base", "Keys, files, messages, and ciphertexts in chunks"),
    ("c", "Streams, units of chunks, SM2, and ciphers over many messages"),
    ("native", "Jobs, randomness and the backend"),
    ("digest", "Hashes, MACs, keys from secrets and passwords"),
    ("cipher", "AEADs, ciphers that authenticate nothing, key wrap"),
    ("sign", "Signatures and signature files"),
    ("exchange", "Key exchange and encapsulation"),
    ("rsa", "RSA encryption"),
    ("age", "Files of age"),
];

/// The header, of a template that has what is written by hand.
pub(crate) fn header(calls: &Calls, template: &str) -> String {
    let functions = functions(calls);
    let mut codes = String::new();
    for (code, number) in numbers() {
        _ = writeln!(codes, "#define SEALSTONE_{} {number}", code.to_uppercase());
    }
    let mut types = String::new();
    for noun in nouns(&functions).into_keys() {
        _ = writeln!(types, "typedef struct sealstone_{noun} sealstone_{noun};");
    }
    for noun in lists(&functions).into_keys() {
        _ = writeln!(types, "typedef struct sealstone_{noun}_list sealstone_{noun}_list;");
    }
    for record in given(calls, &functions).into_iter().filter(|record| !is_numbers(record)) {
        _ = writeln!(types, "typedef struct sealstone_{0} sealstone_{0};", snake(&record.name));
    }
    for record in taken(calls, &functions) {
        comment(&mut types, &record.docs.join(" "), &[], "", &functions);
        _ = writeln!(types, "typedef struct sealstone_{} {{\n    size_t struct_size;", options(&record.name).0);
        for (field, source) in
            fields(record).iter().map(|field| (field, record.fields.iter().find(|one| one.name == field.name)))
        {
            if let Some(source) = source {
                comment(&mut types, &source.docs.join(" "), &[], "    ", &functions);
            }
            for one in params("base", field) {
                _ = writeln!(types, "    {};", one.c);
            }
        }
        _ = writeln!(types, "}} sealstone_{};\n", options(&record.name).0);
    }
    for record in given(calls, &functions).into_iter().filter(|record| is_numbers(record)) {
        comment(&mut types, &record.docs.join(" "), &[], "", &functions);
        _ = writeln!(types, "typedef struct sealstone_{} {{\n    size_t struct_size;", snake(&record.name));
        for field in &record.fields {
            comment(&mut types, &field.docs.join(" "), &[], "    ", &functions);
            _ = writeln!(types, "    {} {};", if field.written == "u64" { "uint64_t" } else { "uint32_t" }, field.name);
        }
        _ = writeln!(types, "}} sealstone_{};\n", snake(&record.name));
    }
    let mut text = String::new();
    for (module, about) in PARTS {
        _ = write!(text, "\n/* ---- {about} ---- */\n");
        for one in functions.iter().filter(|one| one.call.module == *module) {
            declaration(&mut text, calls, one, &functions);
        }
    }
    let modules: Vec<_> = PARTS.iter().map(|(module, _)| *module).collect();
    assert!(
        functions.iter().all(|one| modules.contains(&&*one.call.module)),
        "calls: each module is a part of the header"
    );
    text.push_str("\n/* ---- Fields of results ---- */\n\n");
    for record in given(calls, &functions).into_iter().filter(|record| !is_numbers(record)) {
        fields_in_c(&mut text, record, &functions);
    }
    text.push_str("\n/* ---- Lists, and the end of objects; of NULL these do nothing ---- */\n\n");
    for noun in lists(&functions).into_keys() {
        _ = writeln!(text, "size_t sealstone_{noun}_list_count(const sealstone_{noun}_list *list);");
        _ = writeln!(text, "/** One of a list, which lives as long as the list; NULL where there is none. */");
        _ = writeln!(
            text,
            "const sealstone_{noun} *sealstone_{noun}_list_at(const sealstone_{noun}_list *list, size_t index);"
        );
        _ = writeln!(text, "void sealstone_{noun}_list_free(sealstone_{noun}_list *list);");
    }
    for noun in nouns(&functions).into_keys() {
        _ = writeln!(text, "void sealstone_{noun}_free(sealstone_{noun} *{noun});");
    }
    template.replace("@CODES@\n", &codes).replace("@TYPES@\n", &types).replace("@FUNCTIONS@\n", &text)
}

fn fields_in_c(text: &mut String, record: &Record, functions: &[Function<'_>]) {
    let noun = snake(&record.name);
    for field in &record.fields {
        comment(text, &field.docs.join(" "), &[], "", functions);
        let own = format!("const sealstone_{noun} *{noun}");
        for (suffix, args, gives, _) in accessors(&noun, &field.written) {
            let gives = match &*gives {
                "*const c_char" => "const char *".to_owned(),
                "*const u8" => "const uint8_t *".to_owned(),
                "*const u32" => "const uint32_t *".to_owned(),
                "*const u64" => "const uint64_t *".to_owned(),
                "*const i64" => "const int64_t *".to_owned(),
                "u32" => "uint32_t ".to_owned(),
                "u64" => "uint64_t ".to_owned(),
                "usize" => "size_t ".to_owned(),
                "bool" => "bool ".to_owned(),
                object => format!("const sealstone_{} *", snake(object.trim_start_matches("*const "))),
            };
            let args = match args {
                "" => "",
                ", index: usize" => ", size_t index",
                ", len: *mut usize" => ", size_t *len",
                _ => ", size_t *count",
            };
            _ = writeln!(text, "{gives}sealstone_{noun}_{}{suffix}({own}{args});", field.name);
        }
    }
    _ = writeln!(text, "void sealstone_{noun}_free(sealstone_{noun} *{noun});\n");
}

fn declaration(text: &mut String, calls: &Calls, function: &Function<'_>, functions: &[Function<'_>]) {
    let Function { call, name } = function;
    text.push('\n');
    let mut docs = call.docs.join(" ");
    if call.gives == Given::Part && !call.errors.is_empty() {
        docs.push_str(" An error comes with the bytes before the fault in `*out`, to be freed too.");
    }
    comment(text, &docs, &call.errors, "", functions);
    if returns(call) {
        let gives = match &call.gives {
            Given::Bool => "bool",
            Given::U32 => "uint32_t",
            _ if call.gives_type == "usize" => "size_t",
            _ => "uint64_t",
        };
        _ = writeln!(text, "{gives} sealstone_{name}(void);");
        return;
    }
    let mut args: Vec<_> = call.takes.iter().flat_map(|param| params(&call.module, param)).map(|one| one.c).collect();
    args.extend(out(calls, call).map(|(out, _)| out.c));
    if args.is_empty() {
        args.push("void".to_owned());
    }
    let head = format!("sealstone_error *sealstone_{name}(");
    let line = format!("{head}{});", args.join(", "));
    if line.len() <= WIDTH {
        _ = writeln!(text, "{line}");
        return;
    }
    let mut line = head;
    for (at, arg) in args.iter().enumerate() {
        let end = if at + 1 == args.len() { ");" } else { "," };
        if line.len() + arg.len() + end.len() + 1 > WIDTH {
            _ = writeln!(text, "{}", line.trim_end());
            "    ".clone_into(&mut line);
        }
        _ = write!(line, "{arg}{end}{}", if end == "," { " " } else { "" });
    }
    _ = writeln!(text, "{line}");
}

const WIDTH: usize = 120;

/// A comment, in which the calls have their names in C.
fn comment(text: &mut String, docs: &str, errors: &[&str], indent: &str, functions: &[Function<'_>]) {
    let mut words = String::new();
    let docs = docs.replace("[`", "`").replace("`]", "`");
    for (at, part) in docs.trim().split('`').enumerate() {
        let own = functions.iter().find(|one| {
            at % 2 == 1
                && part.contains('_')
                && (one.name == part || one.call.name == part || one.call.name == format!("{part}_later"))
        });
        match own {
            Some(function) => _ = write!(words, "sealstone_{}()", function.name),
            None => _ = write!(words, "{}{part}", if at == 0 { "" } else { "`" }),
        }
    }
    // A name of C's took both of its marks.
    let mut words = words.replace("()`", "()");
    if !errors.is_empty() {
        _ = write!(words, " Errors: {}.", errors.join(", "));
    }
    if words.is_empty() {
        return;
    }
    if indent.len() + words.len() + 7 <= WIDTH {
        _ = writeln!(text, "{indent}/** {words} */");
        return;
    }
    _ = write!(text, "{indent}/**");
    let mut line = format!("{indent} *");
    text.push('\n');
    for word in words.split(' ') {
        if line.len() + word.len() + 1 > WIDTH {
            _ = writeln!(text, "{line}");
            line = format!("{indent} *");
        }
        _ = write!(line, " {word}");
    }
    _ = writeln!(text, "{line}\n{indent} */");
}
