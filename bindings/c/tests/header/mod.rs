//! The functions of `sealstone.h`, and a program that calls each of them with nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

pub(crate) struct Header(Vec<Function>);

pub(crate) struct Function {
    pub(crate) name: String,
    gives: String,
    takes: Vec<Param>,
}

struct Param {
    /// As C writes it, without spaces at its ends.
    of: String,
    name: String,
}

/// Objects that may be NULL, and options, which all may.
const OPTIONAL: &[&str] = &[
    "const sealstone_job *",
    "const sealstone_agreed_by *",
    "const sealstone_cost *",
    "const sealstone_derived_of *",
    "const sealstone_encrypt_options *",
    "const sealstone_oaep_options *",
    "const sealstone_sign_options *",
];

impl Header {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/sealstone.h");
        let text = without_comments(&fs::read_to_string(path).unwrap());
        let text: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let functions = text.join(" ");
        let functions = functions.split(';').filter_map(|statement| {
            let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
            let (head, takes) = statement.trim_end_matches(')').split_once('(')?;
            let (gives, name) = declared(head.rsplit('{').next()?.trim())?;
            let takes = takes.split(", ").filter(|param| *param != "void").filter_map(declared);
            let takes = takes.map(|(of, name)| Param { of, name }).collect();
            name.starts_with("sealstone_").then_some(Function { name, gives, takes })
        });
        Self(functions.collect())
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.0.iter()
    }

    /// A program in C11 and C++17. It fails where a function takes nothing in place of an object, leaves something in the place of a result, or
    /// calls any bytes and texts a bug.
    pub(crate) fn everything(&self) -> String {
        let mut program = String::from(PRELUDE);
        for function in self.functions() {
            program.push_str(&function.called());
        }
        program.push_str("int main(void)\n{\n");
        for Function { name, .. } in self.functions() {
            _ = writeln!(program, "    call_{name}();");
        }
        program.push_str("    return ended(\"everything\");\n}\n");
        program
    }
}

const PRELUDE: &str = "#include \"check.h\"

static const char *const TEXTS[] = {\"\", \"sha256\", \"x25519\", \"aes-256-gcm\", \"aes-128-cbc\", \"ed25519\", \"pem\", \"sm2\", \"p256\", \"\\xff\"};
static const size_t LENGTHS[] = {0, 1, 16, 32, 64};
static uint8_t memory[64];
static uint8_t written[64];
static uint32_t numbers[64];

/** A function with nothing in the place of what it needs. */
static void refused(const char *name, sealstone_error *error)
{
    fails(\"invalid_argument\", error, name, 0);
}

/** A function with any bytes: all but a bug is right. */
static void no_bug(const char *name, sealstone_error *error)
{
    checks++;
    if (sealstone_error_number(error) == SEALSTONE_INTERNAL) {
        fault(\"%s: %s\", name, sealstone_error_message(error));
    }
    sealstone_error_free(error);
}

";

impl Function {
    /// A function of C that calls this one.
    fn called(&self) -> String {
        let Self { name, gives, takes } = self;
        let mut text = format!("static void call_{name}(void)\n{{\n");
        let nothing = takes.iter().map(Param::nothing).collect::<Vec<_>>().join(", ");
        if gives != "sealstone_error *" || takes.iter().all(|param| param.of != "sealstone_error *" && takes.is_empty())
        {
            let ignored = if gives == "void" { "" } else { "(void)" };
            _ = writeln!(text, "    {ignored}{name}({nothing});\n    checks++;\n}}\n");
            return text;
        }
        let needs = takes.iter().any(|param| param.is_object() || param.place().is_some());
        let judged = if needs { "refused" } else { "no_bug" };
        _ = writeln!(text, "    {judged}(\"{name}\", {name}({nothing}));");
        for (param, place) in takes.iter().filter_map(|param| Some((param, param.place()?))) {
            _ = writeln!(text, "    {};", place.declared(&param.name));
        }
        let with = |other: &dyn Fn(&Param) -> String| {
            let one = |param: &Param| param.place().map_or_else(|| other(param), |_| format!("&{}", param.name));
            takes.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        if takes.iter().any(Param::is_object) {
            _ = writeln!(text, "    refused(\"{name}\", {name}({}));", with(&Param::nothing));
            for param in takes.iter().filter(|param| matches!(param.place(), Some(Place::Object(_)))) {
                _ = writeln!(text, "    check({} == NULL, \"{name} leaves nothing\", __LINE__);", param.name);
            }
        } else {
            text.push_str("    for (size_t i = 0; i < 50; i++) {\n        const char *text = TEXTS[i / 5];\n");
            text.push_str("        size_t len = LENGTHS[i % 5];\n        (void)text;\n        (void)len;\n");
            _ = writeln!(text, "        no_bug(\"{name}\", {name}({}));", with(&Param::something));
            for param in takes {
                if let Some(Place::Object(noun)) = param.place() {
                    _ = writeln!(text, "        {noun}_free({});", param.name);
                }
            }
            text.push_str("    }\n");
        }
        text.push_str("}\n\n");
        text
    }
}

/// Where a function puts a result.
enum Place {
    /// An object, which has a function that frees it.
    Object(String),
    /// A structure of numbers.
    Numbers(String),
    /// Anything else.
    Value(String),
}

impl Place {
    fn declared(&self, name: &str) -> String {
        match self {
            Self::Object(noun) => format!("{noun} *{name} = ({noun} *)memory"),
            Self::Numbers(of) => format!("STRUCTURE({of}, {name})"),
            Self::Value(of) => format!("{of}{name} = 0"),
        }
    }
}

impl Param {
    fn place(&self) -> Option<Place> {
        let of = self.of.strip_suffix('*')?;
        if self.of.starts_with("const sealstone_") || self.of == "uint8_t *" || self.of == "void *" {
            return None;
        }
        match of.strip_suffix(" *") {
            Some(noun) if noun.starts_with("sealstone_") => Some(Place::Object(noun.to_owned())),
            Some("const char") => Some(Place::Value("const char *".to_owned())),
            _ if of.starts_with("sealstone_") => Some(Place::Numbers(of.trim().to_owned())),
            _ if self.of.starts_with("const ") => None,
            _ => Some(Place::Value(of.to_owned())),
        }
    }

    /// Whether NULL is refused whatever else is given.
    fn is_object(&self) -> bool {
        self.of.starts_with("const sealstone_") && !OPTIONAL.contains(&&*self.of) && !self.of.contains("const *")
    }

    fn nothing(&self) -> String {
        if self.of.ends_with('*') {
            "NULL".to_owned()
        } else if self.of == "bool" {
            "false".to_owned()
        } else {
            "0".to_owned()
        }
    }

    /// Bytes and texts of a loop; of a list of objects none.
    fn something(&self) -> String {
        match &*self.of {
            "const char *" => "text".to_owned(),
            "const uint8_t *" => "memory".to_owned(),
            "uint8_t *" => "written".to_owned(),
            "const uint32_t *" => "numbers".to_owned(),
            "size_t" if self.name.ends_with("count") => "0".to_owned(),
            "size_t" => "len".to_owned(),
            "uint32_t" | "uint64_t" => "32".to_owned(),
            _ => self.nothing(),
        }
    }
}

/// The type and the name of a declaration.
fn declared(text: &str) -> Option<(String, String)> {
    let at = text.rfind([' ', '*'])? + 1;
    let (of, name) = text.split_at(at);
    Some((of.trim().to_owned(), name.to_owned()))
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once("*/").expect("a comment ends").1)
}
