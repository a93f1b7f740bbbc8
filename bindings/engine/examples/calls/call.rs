//! The calls, as they are read from the sources.

use quote::ToTokens;
use sealstone::Error;
use std::fs;
use std::path::Path;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, FnArg, Item, Lit, Meta, Pat, ReturnType, Signature, Token};

/// The modules of WebAssembly.
pub(crate) const MODULES: [&str; 9] = ["age", "base", "cipher", "compat", "digest", "exchange", "forms", "rsa", "sign"];

/// All calls and records, in the order of the sources.
pub(crate) struct Calls {
    pub(crate) calls: Vec<Call>,
    pub(crate) records: Vec<Record>,
}

/// One call.
pub(crate) struct Call {
    /// The folder or file of `calls/` that has it: a module of WebAssembly, or `native`.
    pub(crate) module: String,
    /// The path of the function below `calls`.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    /// The codes that it may give, in core's order, except those that every call may give.
    pub(crate) errors: Vec<&'static str>,
    pub(crate) words: Words,
    pub(crate) takes: Vec<Param>,
    pub(crate) gives: Given,
    /// The type of the result, of work that of what the work gives.
    pub(crate) gives_type: String,
    /// Whether the call itself can fail, before any work.
    pub(crate) fails: bool,
    pub(crate) runs: Runs,
}

/// Where a call runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    AtOnce,
    Promised,
    /// Promised where there is work.
    MaybePromised,
}

/// The words of the attribute.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Words {
    pub(crate) native: bool,
    pub(crate) wasm: bool,
    pub(crate) js: bool,
    pub(crate) c: bool,
    pub(crate) stack_kib: Option<u32>,
    /// The operation, its algorithm's kind, and where there is one the parameter that has the data.
    pub(crate) counts: Vec<String>,
    pub(crate) takes: Vec<String>,
    pub(crate) makes: Option<String>,
    pub(crate) tells_kind: bool,
}

/// A parameter.
#[derive(Clone)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The type of an object.
    pub(crate) of: String,
}

/// The kind of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Object,
    AnyObject,
    Shared,
    Job,
    Last,
    Objects,
    Bytes,
    OptionalBytes,
    Lent,
    OptionalLent,
    Data,
    OwnBytes,
    SecretBytes,
    Text,
    OptionalText,
    OwnText,
    OptionalOwnText,
    SecretText,
    Numbers,
    OwnNumbers,
    U32,
    U64,
    Usize,
    OptionalU32,
    OptionalU64,
    Bool,
    OptionalBool,
    Path,
    OptionalPath,
    /// An input, and memory that it moves to, by their names.
    Moving(String, String),
    Lending,
    Exact,
    AtMost,
    Output,
    Record(String),
    Give,
}

/// The kind of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    Nothing,
    Object,
    Objects,
    /// An object of one of several kinds, or of one, and a length where there is one.
    ObjectAndLen(bool),
    Bool,
    U32,
    Len,
    Lens,
    Numbers,
    Bytes,
    SecretBytes,
    /// A name that the program has.
    Name,
    Text,
    SecretText,
    OptionalText,
    OptionalSecretText,
    TextOrBytes,
    Part,
    Read,
    Delivery,
    DeliveredText,
    Record(String),
    Records(String),
    /// Text, which a function takes.
    ToFunction,
}

/// A record: options, or a result.
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) fields: Vec<Field>,
}

/// A field of a record.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) written: String,
}

impl Field {
    /// The field as a parameter.
    pub(crate) fn param(&self) -> Param {
        Param::of(&self.name, &self.written)
    }

    /// The kind of the field in a result.
    pub(crate) fn result(&self) -> Given {
        given_of(&self.written)
    }
}

impl Calls {
    /// Reads all sources of the engine. It panics where one has a type or a word that calls have not.
    pub(crate) fn read(sources: &Path) -> Self {
        let mut all = Self { calls: Vec::new(), records: Vec::new() };
        all.read_folder(sources, "");
        all.calls.sort_by_key(|call| call.module.clone());
        for call in &all.calls {
            all.check(call);
        }
        all
    }

    fn read_folder(&mut self, folder: &Path, path: &str) {
        let entries = fs::read_dir(folder).expect("calls: a folder");
        let mut entries: Vec<_> = entries.map(|entry| entry.expect("calls: a file").path()).collect();
        entries.sort();
        for entry in entries {
            let stem = entry.file_stem().expect("calls: a name").to_string_lossy().into_owned();
            let inner = if path.is_empty() { stem } else { format!("{path}::{stem}") };
            if entry.is_dir() {
                self.read_folder(&entry, &inner);
            } else {
                self.read_file(&entry, &inner);
            }
        }
    }

    fn read_file(&mut self, file: &Path, path: &str) {
        let text = fs::read_to_string(file).expect("calls: a source");
        let source = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for item in source.items {
            match item {
                Item::Fn(function) if words_of(&function.attrs).is_some() => {
                    let path = path.strip_prefix("calls::").expect("calls: calls are below calls/");
                    self.calls.push(Call::of(path, &function.attrs, &function.sig));
                }
                Item::Struct(record) if words_of(&record.attrs).is_some() => {
                    let fields = record.fields.iter().map(|field| Field {
                        name: field.ident.as_ref().expect("calls: fields have names").to_string(),
                        docs: docs_of(&field.attrs),
                        written: written(&field.ty),
                    });
                    let (name, docs) = (record.ident.to_string(), docs_of(&record.attrs));
                    self.records.push(Record { name, docs, fields: fields.collect() });
                }
                _ => {}
            }
        }
    }

    /// Panics where a call has a type that none of its bindings has.
    fn check(&self, call: &Call) {
        for param in &call.takes {
            if let Kind::Record(name) = &param.kind {
                let is_record = self.records.iter().any(|record| record.name == *name);
                assert!(
                    is_record,
                    "calls: {}: {} of type {name} is no record, and no type of calls",
                    call.name, param.name
                );
            }
        }
        let is_for_addon = matches!(call.gives, Given::Delivery | Given::DeliveredText | Given::Lens);
        let needs_threads = call.takes.iter().any(|param| matches!(param.kind, Kind::Job | Kind::Path | Kind::Lending));
        assert!(
            !call.is_wasm() || !(is_for_addon || needs_threads),
            "calls: {} is `native`: WebAssembly has no such types",
            call.name
        );
    }

    /// Whether only calls that C alone has give a record.
    pub(crate) fn is_of_c_alone(&self, record: &Record) -> bool {
        let mut givers = self.calls.iter().filter(|call| call.gives == Given::Record(record.name.clone())).peekable();
        givers.peek().is_some() && givers.all(Call::is_c_alone)
    }

    /// A record by its name.
    pub(crate) fn record(&self, name: &str) -> &Record {
        self.records.iter().find(|record| record.name == name).unwrap_or_else(|| panic!("calls: no record {name}"))
    }

    /// The parameters of a call as they cross: the fields of a record one after the other, and of memory that an input moves to both.
    pub(crate) fn crossing(&self, call: &Call) -> Vec<Param> {
        let crossing = call.takes.iter().flat_map(|param| match &param.kind {
            Kind::Record(record) => {
                let fields = self.record(record).fields.iter();
                fields.map(Field::param).collect()
            }
            Kind::Moving(input, output) => vec![
                Param { name: input.clone(), kind: Kind::Lent, of: String::new() },
                Param { name: output.clone(), kind: Kind::Output, of: String::new() },
            ],
            Kind::Give => vec![],
            _ => vec![param.clone()],
        });
        crossing.collect()
    }
}

impl Param {
    fn of(name: &str, written: &str) -> Self {
        let object = ["Arc<", "Last<", "&[Arc<"].into_iter().find_map(|before| written.strip_prefix(before));
        let object = object.map(|rest| rest.trim_end_matches(']').strip_suffix('>').unwrap_or_default());
        let of = object.or_else(|| written.strip_prefix('&')).unwrap_or_default().to_owned();
        Self { kind: kind_of(name, written), name: name.to_owned(), of }
    }
}

impl Call {
    fn of(path: &str, attributes: &[Attribute], function: &Signature) -> Self {
        let name = function.ident.to_string();
        let takes = function.inputs.iter().map(|input| {
            let FnArg::Typed(input) = input else { panic!("calls: {name} is no method") };
            let Pat::Ident(param) = &*input.pat else { panic!("calls: parameters of {name} have names") };
            Param::of(&param.ident.to_string(), &written(&input.ty))
        });
        let takes: Vec<_> = takes.collect();
        let gives = match &function.output {
            ReturnType::Default => "()".to_owned(),
            ReturnType::Type(_, gives) => written(gives),
        };
        let (gives, fails) = inner(&gives, "Result<").map_or((&*gives, false), |gives| (first(gives), true));
        let (gives, runs) = match gives.strip_prefix("Option<Work<") {
            Some(work) => (promised(work), Runs::MaybePromised),
            None => gives.strip_prefix("Work<").map_or((gives, Runs::AtOnce), |work| (promised(work), Runs::Promised)),
        };
        let (gives_type, gives) = (gives.to_owned(), given_of(gives));
        // The failure of a part is in it.
        let can_fail = fails || runs != Runs::AtOnce || gives == Given::Part;
        let mut docs = docs_of(attributes);
        let line = docs.iter().position(|line| line.starts_with(ERRORS)).map(|at| docs.split_off(at).join(" "));
        let errors = match line {
            Some(line) if can_fail => errors_of(&name, &line),
            None if !can_fail => Vec::new(),
            None => panic!("calls: {name} does not say its errors"),
            Some(_) => panic!("calls: {name} has no errors"),
        };
        Self {
            module: path.split("::").next().unwrap_or_default().to_owned(),
            path: path.to_owned(),
            docs,
            errors,
            words: words_of(attributes).expect("calls: it has the attribute"),
            gives,
            gives_type,
            name,
            takes,
            fails,
            runs,
        }
    }

    /// Whether the addon has it.
    pub(crate) fn is_native(&self) -> bool {
        !self.words.wasm && !self.is_c_alone()
    }

    /// Whether only C has it.
    fn is_c_alone(&self) -> bool {
        self.words.c && !self.words.wasm
    }

    /// Whether a module of WebAssembly has it.
    pub(crate) fn is_wasm(&self) -> bool {
        !self.words.native && self.module != "native" && !self.is_c_alone()
    }

    /// Whether it works on files by name.
    pub(crate) fn is_of_files(&self) -> bool {
        self.takes.iter().any(|param| matches!(param.kind, Kind::Path))
    }

    pub(crate) fn takes_kind(&self, kind: &Kind) -> bool {
        self.takes.iter().any(|param| param.kind == *kind)
    }
}

/// A type without spaces that say nothing.
fn written(of: &impl ToTokens) -> String {
    let text = of.to_token_stream().to_string().replace("& ", "&").replace("'static ", "").replace("'a ", "");
    let text = text
        .replace(" < '_ >", "")
        .replace("< '_ >", "")
        .replace(" ,", ",")
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">");
    text.replace(" (", "(").replace("( ", "(").replace(" )", ")").trim().to_owned()
}

/// The argument of a generic type.
fn inner<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    text.strip_prefix(before)?.strip_suffix('>')
}

/// The first of several types.
fn first(types: &str) -> &str {
    let mut depth = 0;
    let end = types.char_indices().find(|(_, letter)| {
        depth += match letter {
            '<' | '(' | '[' => 1,
            '>' | ')' | ']' => -1,
            _ => 0,
        };
        *letter == ',' && depth == 0
    });
    end.map_or(types, |(at, _)| &types[..at])
}

/// The result of promised work.
fn promised(work: &str) -> &str {
    let result = work.split_once("Result<").expect("calls: work gives a result").1;
    let mut depth = 1;
    let end = result.char_indices().find(|(_, letter)| {
        depth += match letter {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        depth == 0
    });
    &result[..end.expect("calls: a type ends").0]
}

fn kind_of(name: &str, written: &str) -> Kind {
    match written {
        "&[u8]" => Kind::Bytes,
        "Option<&[u8]>" => Kind::OptionalBytes,
        "&Lent" => Kind::Lent,
        "Option<&Lent>" => Kind::OptionalLent,
        "&Data" => Kind::Data,
        "Vec<u8>" => Kind::OwnBytes,
        "Zeroizing<Vec<u8>>" => Kind::SecretBytes,
        "&str" => Kind::Text,
        "Option<&str>" => Kind::OptionalText,
        "String" => Kind::OwnText,
        "Option<String>" => Kind::OptionalOwnText,
        "Zeroizing<String>" => Kind::SecretText,
        "&[u32]" => Kind::Numbers,
        "Vec<u32>" => Kind::OwnNumbers,
        "u32" => Kind::U32,
        "u64" => Kind::U64,
        "usize" => Kind::Usize,
        "Option<u32>" => Kind::OptionalU32,
        "Option<u64>" => Kind::OptionalU64,
        "bool" => Kind::Bool,
        "Option<bool>" => Kind::OptionalBool,
        "PathBuf" => Kind::Path,
        "Option<PathBuf>" => Kind::OptionalPath,
        "&mut [u8]" => Kind::Output,
        "Exact" => Kind::Exact,
        "AtMost" => Kind::AtMost,
        "M" => Kind::Lending,
        "&Object" => Kind::AnyObject,
        "Arc<Job>" => Kind::Job,
        "impl Moving" => {
            let (input, output) = name.split_once("_to_").expect("calls: an input moves to an output");
            Kind::Moving(input.to_owned(), output.to_owned())
        }
        _ if written.starts_with("impl FnOnce(&str)") => Kind::Give,
        _ if written.starts_with("Arc<") => Kind::Shared,
        _ if written.starts_with("Last<") => Kind::Last,
        _ if written.starts_with("&[Arc<") => Kind::Objects,
        _ if written.starts_with('&') => Kind::Object,
        _ => Kind::Record(written.to_owned()),
    }
}

fn given_of(written: &str) -> Given {
    match written {
        "()" => Given::Nothing,
        "bool" => Given::Bool,
        "u32" => Given::U32,
        "u64" | "usize" => Given::Len,
        "Vec<u64>" | "Vec<i64>" => Given::Lens,
        "Vec<u32>" => Given::Numbers,
        "&str" => Given::Name,
        "String" => Given::Text,
        "Zeroizing<String>" => Given::SecretText,
        "Option<String>" => Given::OptionalText,
        "Option<Zeroizing<String>>" => Given::OptionalSecretText,
        "TextOrBytes" => Given::TextOrBytes,
        "Part" => Given::Part,
        "Delivery" => Given::Delivery,
        "DeliveredText" => Given::DeliveredText,
        "T" => Given::ToFunction,
        "Vec<u8>" | "Made" | "Tag" => Given::Bytes,
        "Zeroizing<Vec<u8>>" | "Key" => Given::SecretBytes,
        "(Object, Option<u64>)" => Given::ObjectAndLen(true),
        "Inspection" | "Processed" | "Progress" | "BatchResult" | "Verification" | "Signed" | "KeyPairText"
        | "Archived" | "Extracted" | "Listing" => Given::Record(written.to_owned()),
        "Vec<StanzaInfo>" | "Vec<ItemFailure>" | "Vec<LeftOut>" => {
            Given::Records(written[4..written.len() - 1].to_owned())
        }
        _ if written.starts_with("Zeroizing<[u8") => Given::Bytes,
        _ if written.starts_with("Read<") => Given::Read,
        _ if written.starts_with("Vec<") => Given::Objects,
        _ if written.ends_with(", Option<u64>)") => Given::ObjectAndLen(false),
        _ => Given::Object,
    }
}

/// How the last line of a call's documentation begins; a long one goes on below.
const ERRORS: &str = "Errors: ";

/// The codes of such a line.
fn errors_of(name: &str, line: &str) -> Vec<&'static str> {
    let listed = line
        .strip_prefix(ERRORS)
        .and_then(|line| line.strip_suffix('.'))
        .unwrap_or_else(|| panic!("calls: the errors of {name} end with a full stop"));
    if listed == "none" {
        return Vec::new();
    }
    let place = |listed: &str| {
        let code = listed.strip_prefix('`').and_then(|code| code.strip_suffix('`'));
        let place = Error::CODES.iter().position(|known| Some(*known) == code);
        place.unwrap_or_else(|| panic!("calls: core has no error {listed}, which {name} names"))
    };
    let places: Vec<_> = listed.split(", ").map(place).collect();
    assert!(places.is_sorted_by(|one, next| one < next), "calls: the errors of {name} are not in core's order");
    places.into_iter().map(|place| Error::CODES[place]).collect()
}

/// The lines of a documentation.
fn docs_of(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(value) => match &value.lit {
                Lit::Str(line) => Some(line.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect()
}

/// The words of the attribute `call`; nothing of an item that has it not.
fn words_of(attributes: &[Attribute]) -> Option<Words> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("call"))?;
    let mut words = Words::default();
    let Meta::List(list) = &attribute.meta else { return Some(words) };
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).expect("calls: words of `call`");
    for meta in metas {
        let name = meta.path().get_ident().expect("calls: a word").to_string();
        match (&*name, &meta) {
            ("native", _) => words.native = true,
            ("wasm", _) => words.wasm = true,
            ("js", _) => words.js = true,
            ("c", _) => words.c = true,
            ("tells_kind", _) => words.tells_kind = true,
            ("stack", Meta::NameValue(pair)) => {
                let kib = pair.value.to_token_stream().to_string();
                words.stack_kib = Some(kib.parse().expect("calls: a number of KiB"));
            }
            ("counts" | "takes" | "makes", Meta::List(list)) => {
                let args = list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
                let args =
                    args.expect("calls: words").iter().map(|arg| arg.to_token_stream().to_string()).collect::<Vec<_>>();
                match &*name {
                    "counts" => words.counts = args,
                    "takes" => words.takes = args,
                    _ => words.makes = args.into_iter().next(),
                }
            }
            _ => panic!("calls: `call` has no word {name}"),
        }
    }
    Some(words)
}
