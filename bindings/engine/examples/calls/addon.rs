//! The addon's side: an export of each call.

use crate::call::{Call, Calls, Given, Kind, Param, Runs};
use std::fmt::Write as _;

const HEAD: &str = "//! The exports, one of each call of the engine. `make generate` writes them.

use crate::answer::{Answer, Env, IfAny, Returned};
use crate::call::{Call, Export};
use crate::handles::{all, held, hold, hold_all, hold_any, job_of, last, with};
use crate::memory::Moved;
use sealstone_engine::calls::records::{RECORDS};
use sealstone_engine::calls::{age, base, cipher, compat, digest, exchange, native, rsa, sign};
use sealstone_engine::exchange::AgreedBy;
use sealstone_engine::files::{self, EncryptOptions};
use sealstone_engine::kdf::{CrossingCost, DerivedOf};
use sealstone_engine::rsa::OaepOptions;
use sealstone_engine::sign::SignOptions;

";

pub(crate) fn written(calls: &Calls) -> String {
    let records: Vec<_> =
        calls.records.iter().filter(|record| is_given(calls, &record.name) && !calls.is_of_c_alone(record)).collect();
    let names: Vec<_> = records.iter().map(|record| record.name.as_str()).collect();
    let mut text = HEAD.replace("RECORDS", &names.join(", "));
    let own: Vec<_> = calls.calls.iter().filter(|call| call.is_native()).collect();
    text.push_str("/// The exports by their names in JavaScript.\npub const EXPORTS: &[(&str, Export)] = &[\n");
    for call in &own {
        _ = writeln!(text, "    (\"{}\", {}),", camel(&call.name), call.name);
    }
    text.push_str("];\n");
    for call in &own {
        _ = write!(text, "\n{}", export(calls, call));
    }
    for record in records {
        _ = write!(text, "\nimpl Answer for {} {{\n    fn put(self, env: Env) -> Returned {{\n", record.name);
        text.push_str("        env.object(&[\n");
        for field in &record.fields {
            let put = if field.result() == Given::OptionalText { "put_if_any" } else { "put" };
            _ = writeln!(text, "            (c\"{}\", self.{}.{put}(env)?),", camel(&field.name), field.name);
        }
        text.push_str("        ])\n    }\n}\n");
    }
    text
}

/// Whether calls give a record, or a list of them in another.
fn is_given(calls: &Calls, name: &str) -> bool {
    let is_inner = |written: &str| written == format!("Vec<{name}>");
    calls.calls.iter().any(|call| call.gives == Given::Record(name.to_owned()))
        || calls.records.iter().flat_map(|record| &record.fields).any(|field| is_inner(&field.written))
}

/// A closure, or the function that it would call with its parameter alone.
fn closure(param: &str, work: &str) -> String {
    match work.strip_suffix(&format!("({param})")) {
        Some(function) if !function.contains('(') => function.to_owned(),
        _ => format!("|{param}| {work}"),
    }
}

fn export(calls: &Calls, call: &Call) -> String {
    let crossing = calls.crossing(call);
    let at = |name: &str| crossing.iter().position(|param| param.name == name).expect("calls: it crosses");
    let mut text = format!("fn {}(call: &Call) -> Returned {{\n", call.name);
    // All that is read is read, or copied where it overlaps, before anything refers to the memory that is written to.
    let is_written = |param: &&Param| matches!(param.kind, Kind::Output | Kind::Lending);
    let output = crossing.iter().find(is_written).map(|param| param.name.clone());
    if let Some(output) = &output {
        _ = writeln!(text, "    let {output} = call.memory({});", at(output));
        for param in crossing.iter().filter(|param| is_read_first(call, param)) {
            _ = writeln!(text, "    let {} = {};", param.name, read(&param.kind, at(&param.name), output));
        }
    }
    assert!(crossing.len() <= 12, "calls: {} has more parameters than the addon reads", call.name);
    let args = call.takes.iter().map(|param| match &param.kind {
        Kind::Record(record) => {
            let fields = calls
                .record(record)
                .fields
                .iter()
                .map(|field| format!("{}: {}", field.name, read_argument(&field.param(), at(&field.name))));
            format!("{record} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Kind::Moving(input, output) => format!("Moved::new(call.memory({}), {output})", at(input)),
        Kind::Give => "|text| call.env().string(text)".to_owned(),
        Kind::Exact | Kind::AtMost => format!("{}.len", param.name),
        Kind::Output => format!("{}_bytes", param.name),
        Kind::Lending => param.name.clone(),
        Kind::OptionalBytes | Kind::OptionalLent if output.is_some() => format!("{}.as_deref()", param.name),
        _ if output.is_some() && is_read_first(call, param) => format!("&{}", param.name),
        Kind::Object | Kind::Data => param.name.clone(),
        _ => read_argument(param, at(&param.name)),
    });
    let mut work = format!("{}::{}({})", call.path, call.name, args.collect::<Vec<_>>().join(", "));
    if let Some(output) = call.takes.iter().find(|param| param.kind == Kind::Output) {
        let fill = if call.fails { "fill" } else { "with" };
        work = format!("{}.{fill}({})", output.name, closure(&format!("{}_bytes", output.name), &work));
    }
    for param in call.takes.iter().rev().filter(|param| param.kind == Kind::Data) {
        work = format!("call.data({}, {})", at(&param.name), closure(&param.name, &work));
    }
    for param in call.takes.iter().rev().filter(|param| param.kind == Kind::Object) {
        work = format!("with(call.number({}), {})", at(&param.name), closure(&param.name, &work));
    }
    if call.fails {
        work.push('?');
    }
    if let Some(Param { name, kind, .. }) = call.takes.iter().find(|param| is_room(&param.kind)) {
        _ = writeln!(text, "    let {name} = call.memory({});\n    let result = {work};", at(name));
        _ = if *kind == Kind::Exact {
            writeln!(text, "    {name}.write(result.as_ref());\n    ().put(call.env())\n}}")
        } else {
            writeln!(text, "    {name}.part(0, result.len()).write(&result);\n    result.len().put(call.env())\n}}")
        };
        return text;
    }
    _ = writeln!(text, "    {}\n}}", answered(call, &work));
    text
}

/// Whether it is the length of memory that a result is written to.
fn is_room(kind: &Kind) -> bool {
    matches!(kind, Kind::Exact | Kind::AtMost)
}

fn answered(call: &Call, work: &str) -> String {
    match (call.runs, &call.gives) {
        (Runs::AtOnce, Given::ToFunction) => format!("Ok({work})"),
        (Runs::AtOnce, Given::Object) => format!("hold({work}).put(call.env())"),
        (Runs::AtOnce, Given::Objects) => format!("hold_all({work}).put(call.env())"),
        (Runs::AtOnce, Given::ObjectAndLen(is_any)) => {
            format!(
                "let (object, len) = {work};\n    call.env().begun({}(object), len)",
                if *is_any { "hold_any" } else { "hold" }
            )
        }
        (Runs::AtOnce, _) => format!("{work}.put(call.env())"),
        (_, Given::Object) => format!("call.promise({work}, hold)"),
        (_, Given::Objects) => format!("call.promise({work}, hold_all)"),
        (_, Given::Nothing) => format!("call.promise({work}, |()| ())"),
        _ => format!("call.promise({work}, |result| result)"),
    }
}

/// Whether a parameter of a call that writes to memory is read before.
fn is_read_first(call: &Call, param: &Param) -> bool {
    let is_moved = call.takes.iter().any(|one| matches!(&one.kind, Kind::Moving(input, _) if *input == param.name));
    let kinds = [Kind::Bytes, Kind::Lent, Kind::OptionalBytes, Kind::OptionalLent, Kind::Numbers];
    !is_moved && kinds.contains(&param.kind)
}

fn read(kind: &Kind, at: usize, output: &str) -> String {
    match kind {
        Kind::Bytes | Kind::Lent => format!("call.memory({at}).beside({output}, call)"),
        Kind::Numbers => format!("call.lengths({at})"),
        _ => format!("call.optional({at}).map(|bytes| bytes.beside({output}, call))"),
    }
}

/// The expression that reads a parameter.
fn read_argument(param: &Param, at: usize) -> String {
    match &param.kind {
        Kind::AnyObject => format!("&held_any(call.number({at}))"),
        Kind::Shared => format!("held(call.number({at}))"),
        Kind::Job => format!("job_of(call.number({at}))"),
        Kind::Last => format!("last(call.number({at}))"),
        Kind::Objects => format!("&all(&call.numbers({at}))"),
        Kind::Bytes | Kind::Lent => format!("call.bytes({at})"),
        Kind::OptionalBytes | Kind::OptionalLent => format!("call.optional_bytes({at})"),
        Kind::OwnBytes => format!("call.bytes({at}).to_vec()"),
        Kind::SecretBytes => format!("call.bytes({at}).to_vec().into()"),
        Kind::Text => format!("&call.string({at})"),
        Kind::OptionalText => format!("call.optional_string({at}).as_ref().map(|text| text.as_str())"),
        Kind::OwnText => format!("call.string({at}).to_string()"),
        Kind::OptionalOwnText => format!("call.optional_string({at}).map(|text| text.to_string())"),
        Kind::SecretText => format!("call.string({at})"),
        Kind::Numbers => format!("&call.lengths({at})"),
        Kind::OwnNumbers => format!("call.lengths({at})"),
        Kind::U32 => format!("call.number({at})"),
        Kind::U64 => format!("call.length({at})"),
        Kind::Usize => format!("call.size({at})"),
        Kind::OptionalU32 => format!("call.optional_number({at})"),
        Kind::OptionalU64 => format!("call.optional_length({at})"),
        Kind::Bool => format!("call.flag({at})"),
        Kind::OptionalBool => format!("call.choice({at})"),
        Kind::Path => format!("files::path(call.bytes({at}))"),
        Kind::OptionalPath => format!("call.optional_bytes({at}).map(files::path)"),
        kind => panic!("calls: {kind:?} is read elsewhere"),
    }
}

/// A name as JavaScript has it.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
}
