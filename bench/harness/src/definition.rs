//! Definitions: one question a file, as data.

use crate::record::Kind;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A result has so many rounds at least.
pub const LEAST_REPETITIONS: usize = 5;

/// One question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Of the file, without its ending.
    #[serde(skip)]
    pub name: String,
    pub question: String,
    pub kind: Kind,
    /// The chapter of the report.
    pub group: String,
    pub operations: Vec<String>,
    pub sizes: Vec<Size>,
    /// The size of a sanity round; otherwise the first.
    pub sanity: Option<Size>,
    #[serde(default)]
    pub input: Content,
    /// Where files are written, if any are.
    pub place: Option<Place>,
    #[serde(default = "least")]
    pub repetitions: usize,
    /// Of these so many at least, where fewer say who is faster: a published method may have more than five.
    #[serde(default = "least")]
    pub least_repetitions: usize,
    /// How many operations a sample has at least. Where the time of one is random, such as that of finding a prime, their mean is
    /// what tells something.
    #[serde(default = "one")]
    pub iterations: u64,
    pub check: Check,
    /// Operations whose outputs are random, and where they are short, are opened by every other contender as well.
    #[serde(default)]
    pub exchange: Vec<String>,
    /// The contender that ratios are taken of.
    pub reference: String,
    /// Whether the reference runs again right before every contender of ours.
    #[serde(default)]
    pub beside: bool,
    /// Whether the cost over all sizes is worth a fit.
    #[serde(default)]
    pub fit: bool,
    /// Whether `make bench` takes it; `make bench-all` takes all.
    #[serde(default = "yes")]
    pub in_default: bool,
    #[serde(rename = "contender")]
    pub contenders: Vec<Entry>,
    /// A table that it reproduces; the report reads it.
    pub published: Option<toml::Value>,
}

/// Who takes part, and how.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Folder in `bench/engines`.
    pub engine: String,
    /// Unique in the definition.
    pub name: String,
    /// Passed to `prepare`.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Operations that it offers under another name: `file/encrypt = "file/copy"`.
    #[serde(default)]
    pub instead: BTreeMap<String, String>,
    pub note: Option<String>,
    #[serde(default)]
    pub ours: bool,
    /// Whether it is a measure, such as a copy, and no peer: it is shown, and no count has it.
    #[serde(default)]
    pub measure: bool,
    /// Whether that it fails is a result as any other: it was published so.
    #[serde(default)]
    pub may_fail: bool,
}

/// On what contenders must agree before anything is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The same output.
    Digest,
    /// The input, which every engine gets back from its output.
    RoundTrip,
}

/// What inputs are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Bytes 0 to 250, again and again.
    #[default]
    Pattern,
    /// Bytes that no compressor makes smaller, the same in every run.
    Random,
    /// Lines of [`samples`](crate::samples), whole.
    Records,
    /// The same lines, cut to a length in bytes.
    Text,
    /// Text of packages' sources that this machine has, each once: [`sources`](crate::samples::sources).
    Sources,
}

/// Where files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Tmpfs,
    Disk,
}

impl Place {
    pub fn name(self) -> &'static str {
        match self {
            Self::Tmpfs => "tmpfs",
            Self::Disk => "disk",
        }
    }
}

/// A length as a person writes it: `16 KiB`, `1 MB`, `1,000 records`, `largest`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Size {
    pub label: String,
    /// Bytes, or records.
    pub amount: u64,
}

/// What `largest` is at most: nkCryptoTool's largest file (TABLES.md section 3).
const LARGEST: u64 = 6_700_000_000;

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(label: String) -> Result<Self, String> {
        if label == "largest" {
            return Ok(Self { label, amount: LARGEST });
        }
        let wrong = || format!("{label:?} is no size: write `16 KiB`, `1 MB`, `1,000 records` or `largest`");
        let (number, unit) = label.split_once(' ').ok_or_else(wrong)?;
        let number: u64 = number.replace(',', "").parse().map_err(|_| wrong())?;
        let factor = match unit {
            "B" | "record" | "records" => 1,
            "KB" => 1000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(wrong()),
        };
        let amount = number.checked_mul(factor).filter(|amount| *amount > 0).ok_or_else(wrong)?;
        Ok(Self { label, amount })
    }
}

fn least() -> usize {
    LEAST_REPETITIONS
}

fn one() -> u64 {
    1
}

fn yes() -> bool {
    true
}

impl Definition {
    /// Reads one definition.
    pub fn read(path: &Path) -> Result<Self, String> {
        let fail = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let mut definition: Self = toml::from_str(&text).map_err(|error| fail(error.to_string()))?;
        definition.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        definition.check().map_err(fail)?;
        Ok(definition)
    }

    /// All definitions of a folder, by name.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, String> {
        let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        // Without the ending: `a.toml` is before `a-b.toml`.
        paths.sort_by_key(|path| path.with_extension(""));
        paths.iter().map(|path| Self::read(path)).collect()
    }

    fn check(&self) -> Result<(), String> {
        let names: Vec<_> = self.contenders.iter().map(|entry| &entry.name).collect();
        if !names.contains(&&self.reference) {
            return Err(format!("the reference {:?} is no contender", self.reference));
        }
        if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
            return Err("two contenders have one name".to_owned());
        }
        if self.operations.is_empty() || self.sizes.is_empty() {
            return Err("there is no operation or no size".to_owned());
        }
        if let Some(name) = self.exchange.iter().find(|name| !self.operations.contains(name)) {
            return Err(format!("the outputs of {name} are exchanged, and it is no operation here"));
        }
        if self.least_repetitions < LEAST_REPETITIONS || self.repetitions < self.least_repetitions {
            return Err(format!("a median of less than {LEAST_REPETITIONS} repetitions says nothing"));
        }
        if self.iterations == 0 {
            return Err("a sample without iterations says nothing".to_owned());
        }
        Ok(())
    }
}
