//! Parsers of option values, and the options for printing bytes.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sealstone::hash;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::str::FromStr;

/// The options for printing bytes.
#[derive(Args)]
pub(crate) struct Written {
    /// Print hexadecimal digits (the default)
    #[arg(long, conflicts_with_all = ["base64", "raw"])]
    pub(crate) hex: bool,
    /// Print base64
    #[arg(long, conflicts_with = "raw")]
    pub(crate) base64: bool,
    /// Print the bytes as they are, without a line end
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
}

/// A parser of names that core knows. Shells complete the names, and errors list them.
pub(crate) fn one_of<T: FromStr<Err: Debug> + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(|name| name.parse().expect("args: the core knows the names that are offered"))
}

/// A parser of hash functions by name, in any case, also by the names of standards and other programs.
#[derive(Clone)]
pub(crate) struct DigestNames;

impl TypedValueParser for DigestNames {
    type Value = hash::Algorithm;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = value.to_string_lossy();
        digest_name(&text).ok_or_else(|| {
            // Suggests no similar name, since the user never means a similar digest.
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let names = hash::Algorithm::ALL.iter().map(|algorithm| algorithm.name().to_owned()).collect();
            let option = option.map_or_else(String::new, ToString::to_string);
            error.insert(ContextKind::InvalidArg, ContextValue::String(option));
            error.insert(ContextKind::InvalidValue, ContextValue::String(text.into_owned()));
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(hash::Algorithm::ALL.iter().map(|algorithm| PossibleValue::new(algorithm.name()))))
    }
}

/// The hash function of this name, in any of its spellings.
pub(crate) fn digest_name(text: &str) -> Option<hash::Algorithm> {
    let text = text.replace('_', "-");
    hash::Algorithm::ALL.into_iter().find(|algorithm| {
        let mut names = algorithm.spellings().iter().copied().chain([algorithm.name()]);
        names.any(|name| name.eq_ignore_ascii_case(&text))
    })
}

/// Parses a range of bytes, `A..B` or `A..`.
pub(crate) fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("expected A..B or A.. with byte offsets A ≤ B, such as 0..1024, got {text:?}");
    let (from, to) = text.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| digits).ok_or_else(expected)
    };
    let range: (u64, u64) = (number(from)?, if to.is_empty() { u64::MAX } else { number(to)? });
    if range.0 <= range.1 { Ok(range) } else { Err(expected()) }
}
