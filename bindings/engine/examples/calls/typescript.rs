//! TypeScript's side: the types of all calls, and how they cross to WebAssembly.

use crate::addon::camel;
use crate::call::{Call, Calls, Given, Kind, MODULES, Record, Runs};
use sealstone::Error;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(crate) fn types(calls: &Calls) -> String {
    let mut text = String::from(HEAD);
    for record in calls.records.iter().filter(|record| !calls.is_of_c_alone(record)) {
        text.push_str(&if is_taken(calls, record) { tuple(record) } else { interface(record) });
    }
    let parts = |is_of: fn(&Call) -> bool, suffix: &str, text: &mut String| -> String {
        let mut names = Vec::new();
        for module in calls.calls.iter().map(|call| &call.module).collect::<BTreeSet<_>>() {
            let own: Vec<_> = calls.calls.iter().filter(|call| call.module == *module && is_of(call)).collect();
            if own.is_empty() {
                continue;
            }
            let part = format!("{}{}", module[..1].to_uppercase(), &module[1..]);
            let name = format!("{}{suffix}", suffix.strip_prefix(&part).map_or(&*part, |_| ""));
            _ = writeln!(text, "\nexport interface {name} {{");
            members(text, calls, own.into_iter(), suffix == "WasmCalls");
            text.push_str("}\n");
            names.push(name);
        }
        names.join(",\n    ")
    };
    let both = |call: &Call| call.is_native() && call.is_wasm() && call.runs == Runs::AtOnce;
    let mut sync = parts(both, "Calls", &mut text);
    let native = |call: &Call| call.is_native() && !call.is_wasm() && call.runs == Runs::AtOnce;
    _ = write!(sync, ",\n    {}", parts(native, "NativeCalls", &mut text));
    let bulk = |call: &Call| call.is_native() && call.runs != Runs::AtOnce && !call.is_of_files();
    let bulk = parts(bulk, "Promises", &mut text);
    text.push_str(&SYNC.replace("PARTS", &sync));
    text.push_str(&BULK.replace("PARTS", &bulk));
    text.push_str(FILES);
    members(&mut text, calls, calls.calls.iter().filter(|call| call.is_native() && call.is_of_files()), false);
    text.push_str("}\n");
    text.push_str(WASM);
    parts(|call| call.words.wasm || (call.is_wasm() && call.runs != Runs::AtOnce), "WasmCalls", &mut text);
    text
}

const HEAD: &str = "// The types of all calls, and of what they give. `make generate` writes them of the engine's functions.
// `@throws` has the codes of a call's errors, except those that every call may give (docs/design/calls.md).

import type { Borrowed } from '../basics/bytes.js'

/** An object by its number, which means nothing on another thread, nor to another copy of what computes. */
export type Handle = number

/** Why work failed, where an error cannot be thrown: in the result of a promise, of a part or of a batch. */
export interface Failure {
  readonly code: string
  readonly message: string
  /** The system's number for what it refused. */
  readonly errno?: number
}

/** A part of a stream's result, and the failure behind it. */
export interface Part {
  readonly bytes: Out
  readonly failure?: Failure
}

/** The value of a promise whose result is long: `resultTake` fetches it. */
export interface Undelivered {
  readonly undelivered: Handle
  readonly length: number
}

/** Keys of a file; or null where the module of forms reads them, with the bytes that were sealed in the file, if it is sealed. */
export interface Read {
  readonly keys: Handle[] | null
  readonly opened: Out | undefined
}

/** A promise; work that fails fulfils it too. */
export type Later<T> = Promise<T | Failure | Undelivered>
/** Bytes that come out, in memory of their own. */
export type Out = Uint8Array<ArrayBuffer>
/** Bytes of the caller's, which are read during the call alone. */
export type Lent = Uint8Array | Borrowed
/** Bytes, or text that is well-formed, which stands for its UTF-8. */
export type Data = Lent | string
";

const SYNC: &str = "
/** Calls that answer at once, in the addon as in WebAssembly. The rest of this package knows no algorithm, length or default. */
export interface SyncCalls
  extends PARTS {
  release(object: Handle): void
  /** Releases an object some time after its owner is collected, also while a loop makes more of them without a turn. */
  own(object: Handle, owner: object): void
  /** Another number for an object, which lives until both are released. */
  again(object: Handle): Handle
  /** Memory for a result that comes in parts. Until all work on them has ended nobody else may see it. */
  memory(len: number): Out
}
";

const BULK: &str = "
/** Calls that may take long, which other threads or a host compute. Those of `…Loaded` work on bytes that `loadingUpdate` took before. */
export interface BulkCalls
  extends PARTS {}
";

const FILES: &str = "
/** Calls that work on files by name, which only Node has. */
export interface FileCalls {
";

const WASM: &str = "
// Calls that WebAssembly alone has, and those that it answers at once where the addon promises.
";

fn is_taken(calls: &Calls, record: &Record) -> bool {
    calls.calls.iter().any(|call| call.takes_kind(&Kind::Record(record.name.clone())))
}

fn docs(text: &mut String, lines: &[String], errors: &[&str], indent: &str) {
    let doc = camels(lines.join(" ").trim());
    if doc.is_empty() {
        return;
    }
    if errors.is_empty() && indent.len() + doc.len() + 8 <= 140 {
        _ = writeln!(text, "{indent}/** {doc} */");
        return;
    }
    _ = writeln!(text, "{indent}/**");
    filled(text, &doc, indent);
    if !errors.is_empty() {
        filled(text, &format!("@throws `{}`", errors.join("`, `")), indent);
    }
    _ = writeln!(text, "{indent} */");
}

/// A documentation with the names of calls and parameters as JavaScript has them; codes of errors are the same there.
fn camels(doc: &str) -> String {
    let mut camels = String::new();
    for (at, part) in doc.split('`').enumerate() {
        let is_name = at % 2 == 1
            && part.contains('_')
            && !Error::CODES.contains(&part)
            && part.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit());
        let tick = if at > 0 { "`" } else { "" };
        _ = write!(camels, "{tick}{}", if is_name { camel(part) } else { part.to_owned() });
    }
    camels
}

/// Lines of a comment.
fn filled(text: &mut String, paragraph: &str, indent: &str) {
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        if indent.len() + 3 + line.len() + word.len() + 1 > 140 {
            _ = writeln!(text, "{indent} *{line}");
            line.clear();
        }
        _ = write!(line, " {word}");
    }
    _ = writeln!(text, "{indent} *{line}");
}

fn interface(record: &Record) -> String {
    let mut text = String::from("\n");
    docs(&mut text, &record.docs, &[], "");
    _ = writeln!(text, "export interface {} {{", record.name);
    for field in &record.fields {
        docs(&mut text, &field.docs, &[], "  ");
        let given = field.result();
        let (mark, of) = match &given {
            Given::OptionalText => ("?", "string | undefined".to_owned()),
            _ => ("", type_given(&given)),
        };
        _ = writeln!(text, "  readonly {}{mark}: {of}", camel(&field.name));
    }
    text.push_str("}\n");
    text
}

/// A record that is taken crosses as its fields, one after the other.
fn tuple(record: &Record) -> String {
    let mut text = String::from("\n");
    docs(&mut text, &record.docs, &[], "");
    let fields: Vec<_> = record
        .fields
        .iter()
        .map(|field| format!("{}: {}", camel(&field.name), type_taken(&field.param().kind)))
        .collect();
    let line = format!("export type {} = readonly [{}]\n", record.name, fields.join(", "));
    if line.len() <= 121 {
        text.push_str(&line);
    } else {
        _ = writeln!(text, "export type {} = readonly [\n  {},\n]", record.name, fields.join(",\n  "));
    }
    text
}

fn members<'a>(text: &mut String, calls: &Calls, own: impl Iterator<Item = &'a Call>, at_once: bool) {
    let mut file = String::new();
    for call in own {
        if call.path != file {
            if !file.is_empty() || !text.ends_with("{\n") {
                text.push('\n');
            }
            file.clone_from(&call.path);
        }
        docs(text, &call.docs, &call.errors, "  ");
        let params: Vec<_> = calls
            .crossing(call)
            .iter()
            .map(|param| format!("{}: {}", camel(&param.name), type_taken(&param.kind)))
            .collect();
        let gives = answer(call, at_once);
        let name = if at_once { name_at_once(call) } else { camel(&call.name) };
        let line = format!("  {name}({}): {gives}\n", params.join(", "));
        if line.len() <= 121 {
            text.push_str(&line);
        } else {
            _ = writeln!(text, "  {name}(\n    {},\n  ): {gives}", params.join(",\n    "));
        }
    }
}

/// A call of WebAssembly's, which answers at once where the addon promises.
fn name_at_once(call: &Call) -> String {
    let now = if call.is_native() && call.runs != Runs::AtOnce { "Now" } else { "" };
    format!("{}{now}", camel(&call.name))
}

fn answer(call: &Call, at_once: bool) -> String {
    if call.takes_kind(&Kind::Exact) {
        return "void".to_owned();
    }
    if call.takes_kind(&Kind::AtMost) {
        return "number".to_owned();
    }
    let gives = type_given(&call.gives);
    match call.runs {
        Runs::AtOnce if gives == "undefined" => "void".to_owned(),
        Runs::AtOnce => gives,
        Runs::Promised if at_once => gives,
        Runs::MaybePromised if at_once => format!("{gives} | null"),
        Runs::Promised => format!("Later<{gives}>"),
        Runs::MaybePromised => format!("Later<{gives}> | null"),
    }
}

fn type_taken(kind: &Kind) -> &'static str {
    match kind {
        Kind::Object | Kind::AnyObject | Kind::Shared | Kind::Job | Kind::Last => "Handle",
        Kind::Objects => "readonly Handle[]",
        Kind::Bytes | Kind::OwnBytes | Kind::SecretBytes | Kind::Path | Kind::Exact | Kind::AtMost | Kind::Output => {
            "Uint8Array"
        }
        Kind::OptionalBytes | Kind::OptionalPath => "Uint8Array | undefined",
        Kind::Lent => "Lent",
        Kind::OptionalLent => "Lent | undefined",
        Kind::Data => "Data",
        Kind::Text | Kind::OwnText | Kind::SecretText => "string",
        Kind::OptionalText | Kind::OptionalOwnText => "string | undefined",
        Kind::Numbers | Kind::OwnNumbers => "Uint32Array",
        Kind::U32 | Kind::U64 | Kind::Usize => "number",
        Kind::OptionalU32 | Kind::OptionalU64 => "number | undefined",
        Kind::Bool => "boolean",
        Kind::OptionalBool => "boolean | undefined",
        Kind::Lending => "Out",
        Kind::Moving(..) | Kind::Record(_) | Kind::Give => unreachable!("calls: it crosses otherwise"),
    }
}

fn type_given(given: &Given) -> String {
    match given {
        Given::Nothing => "undefined",
        Given::Object => "Handle",
        Given::Objects => "Handle[]",
        Given::ObjectAndLen(true) => "readonly [Handle, number?]",
        Given::ObjectAndLen(false) => "readonly [Handle, number]",
        Given::Bool => "boolean",
        Given::U32 | Given::Len => "number",
        Given::Lens | Given::Numbers => "readonly number[]",
        Given::Bytes | Given::SecretBytes | Given::Delivery => "Out",
        Given::Name | Given::Text | Given::SecretText | Given::ToFunction | Given::DeliveredText => "string",
        Given::OptionalText | Given::OptionalSecretText => "string | null",
        Given::TextOrBytes => "string | Out",
        Given::Part => "Part",
        Given::Read => "Read",
        Given::Record(name) => name,
        Given::Records(name) => return format!("readonly {name}[]"),
    }
    .to_owned()
}

pub(crate) fn signatures(calls: &Calls) -> String {
    let mut text = String::from(SIGNATURES);
    for module in MODULES {
        _ = writeln!(text, "\nexport const {} = {{\n  ...OBJECTS,", module.to_uppercase());
        for call in calls.calls.iter().filter(|call| call.module == module && call.is_wasm()) {
            let takes: String = calls.crossing(call).iter().map(|param| letter_taken(&param.kind)).collect();
            let moves = call.takes.iter().any(|param| matches!(param.kind, Kind::Moving(..)));
            let takes = if moves { takes.replace("bo", "io") } else { takes };
            let stack = call.words.stack_kib.map_or_else(String::new, |kib| kib.to_string());
            _ = writeln!(text, "  {}: '{takes}>{}{stack}',", name_at_once(call), letter_given(call));
        }
        text.push_str("} as const\n");
    }
    text.push_str(NAMES);
    text
}

const SIGNATURES: &str = "// What the modules of WebAssembly have, a letter for each parameter and for the result. `make generate` writes it of the engine's functions. The
// module says the same of itself, and instance.ts compares the two: a module of another version is refused.
//
// Parameters: h an object, x one whose number ends, H several; n a number, m one or undefined, q threads or undefined; l a boolean, p one or
// undefined; b bytes, c bytes or undefined; s bytes, or text as its UTF-8; t text, u text or undefined; a an array of numbers; o an output; i
// bytes that begin the output.
// Results: v undefined; h, H, n, l, b and t as above; u text or null; e text or bytes; w an object, and a length where there is one; r
// several objects, or the bytes for the module of forms; j a record as JSON; P a part of a stream; Q one, or null. Behind it is the
// stack that is zeroed after the call, in KiB; without a number it is all of the stack.

/** The exports that each module has. */
export const OBJECTS = {
  again: 'h>h16',
  release: 'h>v16',
  heldCount: '>n16',
} as const
";

const NAMES: &str = "
/** Exports by their names in TypeScript. */
export type Signatures = { readonly [name: string]: string }

/** The name that a module has for an export. A call that ends in `Now` is promised under the rest of its name. */
export function exportName(name: string): string {
  return name.replace(/Now$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
";

fn letter_taken(kind: &Kind) -> char {
    match kind {
        Kind::Object | Kind::AnyObject | Kind::Shared => 'h',
        Kind::Last => 'x',
        Kind::Objects => 'H',
        Kind::Bytes | Kind::Lent | Kind::OwnBytes | Kind::SecretBytes => 'b',
        Kind::OptionalBytes | Kind::OptionalLent => 'c',
        Kind::Data => 's',
        Kind::Text | Kind::OwnText | Kind::SecretText => 't',
        Kind::OptionalText | Kind::OptionalOwnText => 'u',
        Kind::Numbers | Kind::OwnNumbers => 'a',
        Kind::U32 | Kind::U64 | Kind::Usize => 'n',
        Kind::OptionalU32 => 'q',
        Kind::OptionalU64 => 'm',
        Kind::Bool => 'l',
        Kind::OptionalBool => 'p',
        Kind::Exact | Kind::AtMost | Kind::Output => 'o',
        kind => panic!("calls: {kind:?} does not cross to WebAssembly"),
    }
}

fn letter_given(call: &Call) -> char {
    if call.takes_kind(&Kind::Exact) {
        return 'v';
    }
    if call.takes_kind(&Kind::AtMost) {
        return 'n';
    }
    match &call.gives {
        Given::Nothing => 'v',
        Given::Object => 'h',
        Given::Objects => 'H',
        Given::ObjectAndLen(_) => 'w',
        Given::Bool => 'l',
        Given::U32 | Given::Len => 'n',
        Given::Bytes | Given::SecretBytes => 'b',
        Given::Name | Given::Text | Given::SecretText | Given::ToFunction => 't',
        Given::OptionalText | Given::OptionalSecretText => 'u',
        Given::TextOrBytes => 'e',
        Given::Part if call.runs == Runs::MaybePromised => 'Q',
        Given::Part => 'P',
        Given::Read => 'r',
        Given::Record(_) => 'j',
        given => panic!("calls: {given:?} does not cross from WebAssembly"),
    }
}
