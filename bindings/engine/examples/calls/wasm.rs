//! The side of WebAssembly: a row of each call, in the file of its module.

use crate::addon::camel;
use crate::call::{Call, Calls, Given, Kind, Param, Runs};
use std::fmt::Write as _;

pub(crate) fn written(calls: &Calls, module: &str) -> String {
    let mut rows = String::new();
    for call in calls.calls.iter().filter(|call| call.module == module && call.is_wasm()) {
        rows.push_str(&row(calls, call));
    }
    let mut text =
        format!("//! The exports of the part `{module}`, one of each call. `make generate` writes them.\n\n");
    for (path, names) in USES {
        let used: Vec<_> = names.iter().copied().filter(|name| has_word(&rows, name)).collect();
        match &*used {
            [] => {}
            [name] => _ = writeln!(text, "use {path}::{name};"),
            _ => _ = writeln!(text, "use {path}::{{{}}};", used.join(", ")),
        }
    }
    _ = writeln!(text, "\nexports! {{\n{rows}}}");
    text
}

/// The names that rows have, by their modules.
const USES: [(&str, &[&str]); 14] = [
    ("crate::boundary", &["Data", "Last", "Moved", "Numbers", "Output", "Record", "size", "small"]),
    ("crate::handles", &["all", "held", "held_any", "hold", "hold_all", "hold_any", "hold_read", "last"]),
    ("sealstone_engine", &["Work", "calls"]),
    ("sealstone_engine::calls::records", &["Inspection", "KeyPairText", "Verification"]),
    ("sealstone_engine::exchange", &["AgreedBy"]),
    ("sealstone_engine::files", &["EncryptOptions"]),
    ("sealstone_engine::forms", &["Read"]),
    ("sealstone_engine::kdf", &["CrossingCost", "DerivedOf"]),
    ("sealstone_engine::numbers", &["number"]),
    ("sealstone_engine::parts", &["Part"]),
    ("sealstone_engine::rsa", &["OaepOptions"]),
    ("sealstone_engine::sign", &["SignOptions"]),
    ("sealstone_engine::text", &["TextOrBytes", "into_plain"]),
    ("zeroize", &["Zeroizing"]),
];

fn has_word(text: &str, word: &str) -> bool {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_of_name) && !text[at + word.len()..].starts_with(is_of_name))
}

fn row(calls: &Calls, call: &Call) -> String {
    let crossing = calls.crossing(call);
    let params: Vec<_> = crossing.iter().map(|param| format!("{}: {}", param.name, crossed(&param.kind))).collect();
    let mut params_text = params.join(", ");
    for param in &call.takes {
        if let Kind::Moving(input, _) = &param.kind {
            params_text = params_text.replace(&format!("{input}: &[u8]"), &format!("{input}: Moved"));
        }
    }
    let args = call.takes.iter().map(|param| match &param.kind {
        Kind::Record(record) => {
            let fields = calls.record(record).fields.iter().map(|field| {
                let read = read(&field.param());
                if read == field.name { read } else { format!("{}: {read}", field.name) }
            });
            format!("{record} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Kind::Moving(input, output) => format!("{output}.moving({input})"),
        Kind::Give => "str::to_owned".to_owned(),
        Kind::Exact | Kind::AtMost => format!("{}.room()", param.name),
        Kind::Output => format!("{}.bytes()", param.name),
        _ => read(param),
    });
    let args: Vec<_> = args.collect();
    let mut args_text = args.join(", ");
    if args_text.len() + call.path.len() + call.name.len() > 90 {
        args_text = format!("\n            {},\n        ", args.join(",\n            "));
    }
    let mut work = format!("calls::{}::{}({args_text})", call.path, call.name);
    if call.fails {
        work.push('?');
    }
    match call.runs {
        Runs::AtOnce => {}
        Runs::Promised => work.push_str(".run()?"),
        Runs::MaybePromised => work = format!("{work}.map(Work::run).transpose()?"),
    }
    let output = call.takes.iter().find(|param| matches!(param.kind, Kind::Exact | Kind::AtMost));
    let (gives, work) = match (output, &call.gives) {
        (Some(output), _) if output.kind == Kind::Exact => (
            "()".to_owned(),
            format!("{{\n        let result = {work};\n        {}.write(result.as_ref());\n    }}", output.name),
        ),
        (Some(output), _) => (
            "f64".to_owned(),
            format!("{{\n        let result = {work};\n        {}.begin(&result)\n    }}", output.name),
        ),
        (None, Given::Nothing) => ("()".to_owned(), work),
        (None, Given::Object) => ("u32".to_owned(), format!("hold({work})?")),
        (None, Given::Objects) => ("Vec<u32>".to_owned(), format!("hold_all({work})?")),
        (None, Given::ObjectAndLen(is_any)) => {
            let hold = if *is_any { "hold_any" } else { "hold" };
            (
                "(u32, Option<u64>)".to_owned(),
                format!("{{\n        let (object, len) = {work};\n        ({hold}(object)?, len)\n    }}"),
            )
        }
        (None, Given::Bool) => ("bool".to_owned(), work),
        (None, Given::U32) => ("f64".to_owned(), format!("f64::from({work})")),
        (None, Given::Len) => ("f64".to_owned(), format!("number({work} as u64)")),
        (None, Given::Bytes) => ("Vec<u8>".to_owned(), work),
        (None, Given::SecretBytes) => ("Zeroizing<Vec<u8>>".to_owned(), work),
        (None, Given::Name) => ("String".to_owned(), format!("{work}.to_owned()")),
        (None, Given::SecretText) => ("String".to_owned(), format!("into_plain({work})")),
        (None, Given::Text | Given::ToFunction) => ("String".to_owned(), work),
        (None, Given::OptionalText) => ("Option<String>".to_owned(), work),
        (None, Given::OptionalSecretText) => ("Option<String>".to_owned(), format!("{work}.map(into_plain)")),
        (None, Given::TextOrBytes) => ("TextOrBytes".to_owned(), work),
        (None, Given::Part) if call.runs == Runs::MaybePromised => ("Option<Part>".to_owned(), work),
        (None, Given::Part) => ("Part".to_owned(), work),
        (None, Given::Read) => ("Read<u32>".to_owned(), format!("hold_read({work})?")),
        (None, Given::Record(name)) => (format!("Record<{name}>"), format!("Record({work})")),
        (None, given) => panic!("calls: {} cannot give {given:?} in WebAssembly", call.name),
    };
    let mut head = format!("    fn {}({params_text}) -> {gives} =", call.name);
    if head.len() > WIDTH {
        head = format!("    fn {}(\n{}    ) -> {gives} =", call.name, wrapped(&params_text));
    }
    let begins_with = work.lines().next().unwrap_or_default().len();
    let is_block = work.starts_with('{');
    let fits = head.lines().last().unwrap_or_default().len() + 1 + begins_with < WIDTH;
    if is_block || fits { format!("{head} {work};\n") } else { format!("{head}\n        {work};\n") }
}

/// Columns of a line.
const WIDTH: usize = 118;

/// Parameters on lines of their own, as many as a line has room for.
fn wrapped(params: &str) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for param in params.split(", ") {
        if !line.is_empty() && line.len() + param.len() + 10 > WIDTH {
            _ = writeln!(text, "       {line}");
            line.clear();
        }
        _ = write!(line, " {param},");
    }
    _ = writeln!(text, "       {line}");
    text
}

/// The type by which a parameter crosses.
fn crossed(kind: &Kind) -> &'static str {
    match kind {
        Kind::Object | Kind::AnyObject | Kind::Shared => "u32",
        Kind::Last => "Last",
        Kind::Objects => "Vec<u32>",
        Kind::Bytes | Kind::Lent | Kind::OwnBytes | Kind::SecretBytes => "&[u8]",
        Kind::OptionalBytes | Kind::OptionalLent => "Option<&[u8]>",
        Kind::Data => "Data",
        Kind::Text | Kind::OwnText | Kind::SecretText => "&str",
        Kind::OptionalText | Kind::OptionalOwnText => "Option<&str>",
        Kind::Numbers | Kind::OwnNumbers => "Numbers",
        Kind::U32 | Kind::U64 | Kind::Usize => "u64",
        Kind::OptionalU32 => "Option<u32>",
        Kind::OptionalU64 => "Option<u64>",
        Kind::Bool => "bool",
        Kind::OptionalBool => "Option<bool>",
        Kind::Exact | Kind::AtMost | Kind::Output => "Output",
        kind => panic!("calls: {kind:?} does not cross to WebAssembly"),
    }
}

/// The expression that reads such a parameter.
fn read(param: &Param) -> String {
    let name = &param.name;
    match &param.kind {
        Kind::Object => format!("&*held({name})?"),
        Kind::AnyObject => format!("&held_any({name})?"),
        Kind::Shared => format!("held({name})?"),
        Kind::Last => format!("last({name})?"),
        Kind::Objects => format!("&all(&{name})?"),
        Kind::Data => format!("{name}.0"),
        Kind::Numbers => format!("&{name}.read()"),
        Kind::U32 => format!("small({name})"),
        Kind::Usize => format!("size({name})"),
        _ => name.clone(),
    }
}

/// The records of these calls as JSON.
pub(crate) fn records(calls: &Calls) -> String {
    let given =
        |name: &str| calls.calls.iter().any(|call| call.is_wasm() && call.gives == Given::Record(name.to_owned()));
    let is_inner = |name: &str| {
        let outer = calls.records.iter().filter(|record| given(&record.name)).flat_map(|record| &record.fields);
        outer.into_iter().any(|field| field.written == format!("Vec<{name}>"))
    };
    let own: Vec<_> = calls.records.iter().filter(|record| given(&record.name) || is_inner(&record.name)).collect();
    let names: Vec<_> = own.iter().map(|record| record.name.as_str()).collect();
    let mut text = format!(
        "//! Records that calls give, as JSON. `make generate` writes them.\n\nuse crate::json::{{Json, object}};\nuse sealstone_engine::calls::records::{{{}}};\n",
        names.join(", ")
    );
    for record in own {
        _ = write!(
            text,
            "\nimpl Json for {} {{\n    fn write(&self, text: &mut String) {{\n        object(text, &[\n",
            record.name
        );
        for field in &record.fields {
            _ = writeln!(text, "            (\"{}\", &self.{}),", camel(&field.name), field.name);
        }
        text.push_str("        ]);\n    }\n}\n");
    }
    text
}
