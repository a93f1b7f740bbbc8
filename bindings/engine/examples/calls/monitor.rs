//! The calls that a monitor counts.

use crate::addon::camel;
use crate::call::{Call, Calls};
use std::fmt::Write as _;

pub(crate) fn written(calls: &Calls) -> String {
    let mut text = String::from(HEAD);
    text.push_str("\n/** The calls that are counted. Calls that only prepare something are no operations. */\nexport const ROWS: { readonly [call: string]: Row } = {\n");
    for call in calls.calls.iter().filter(|call| !call.words.counts.is_empty()) {
        let [operation, of, data @ ..] = &call.words.counts[..] else {
            panic!("calls: {} counts something", call.name)
        };
        let data = data.first().map_or_else(String::new, |data| format!(", {}", place(calls, call, data)));
        _ = writeln!(text, "  {}: [{}, '{of}'{data}],", camel(&call.name), operation.replace('"', "'"));
    }
    text.push_str("}\n\n/** Calls that take the data of one that ends it, and is counted. */\nexport const TAKERS: { readonly [call: string]: readonly [operation: string, algorithm: string] } = {\n");
    for call in calls.calls.iter().filter(|call| !call.words.takes.is_empty()) {
        let [operation, of] = &call.words.takes[..] else { panic!("calls: {} takes something", call.name) };
        _ = writeln!(text, "  {}: [{}, '{of}'],", camel(&call.name), operation.replace('"', "'"));
    }
    text.push_str("}\n\n/** Calls that make objects of an algorithm. */\nexport const MAKERS: { readonly [call: string]: Of } = {\n");
    for call in &calls.calls {
        if let Some(of) = &call.words.makes {
            _ = writeln!(text, "  {}: '{of}',", camel(&call.name));
        }
    }
    text.push_str("  again: 'object',\n}\n\n/** Calls that say of which kind a key is. */\nexport const KINDS: readonly string[] = [\n");
    for call in calls.calls.iter().filter(|call| call.words.tells_kind) {
        _ = writeln!(text, "  '{}',", camel(&call.name));
    }
    text.push_str("]\n");
    text
}

const HEAD: &str = "// The calls that a monitor counts. `make generate` writes them of the engine's functions.

/**
 * How the first argument of a call tells the algorithm: by its name, by the number of a hash function, or by an object that another call
 * made. Files, those of age, messages, signature files and stored passwords say it in their keys and texts, and RSA that encrypts has one
 * algorithm.
 */
export type Of = 'name' | 'hash' | 'object' | 'age' | 'file' | 'message' | 'signature' | 'password' | 'rsa'

/**
 * A call that is counted: the operation, how its algorithm is known, and which argument is its data; without one its result is. Of a file
 * that is read by its name, and of data that was loaded to be signed, the job knows how long it is, which is the last argument. Data that
 * was `taken` the calls of `TAKERS` took, and `none` is not counted.
 */
export type Row = readonly [operation: string, of: Of, data?: 1 | 2 | 3 | 'job' | 'none' | 'taken']
";

fn place(calls: &Calls, call: &Call, data: &str) -> String {
    if ["job", "none", "taken"].contains(&data) {
        return format!("'{data}'");
    }
    let place = calls.crossing(call).iter().position(|param| param.name == data);
    place.unwrap_or_else(|| panic!("calls: {} has no parameter {data}", call.name)).to_string()
}
