//! Every vector of `vectors/file/` and `vectors/plugin/`, in every way that the toolkit can read a file.

mod support;

use data_encoding::{BASE64, HEXLOWER};
use sealstone::plugin::{self, Plugin};
use sealstone::{Decryptor, Error, Identity, Input, Output, Passphrase, Result, Summary, parse_identities};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Pieces, names, sha256, vectors};

/// How many there were when this was written: none may get lost.
const TOTAL_MIN: usize = 1752;
/// The fewest for each expectation.
const EXPECTED_MIN: &[(&str, usize)] = &[
    ("context_not_bound", 8),
    ("context_required", 8),
    ("cost_too_high", 15),
    ("header_not_authentic", 49),
    ("malformed_armour", 37),
    ("malformed_compression", 117),
    ("malformed_header", 152),
    ("no_matching_identity", 277),
    ("not_authentic", 85),
    ("not_sealstone", 32),
    ("range_out_of_bounds", 7),
    ("success", 861),
    ("truncated", 51),
    ("unsupported_suite", 7),
    ("unsupported_version", 46),
];

#[test]
fn every_vector_gives_its_verdict_in_every_way_of_reading() {
    let folders = ["file", "plugin"].map(|folder| std::fs::read_dir(vectors(folder)).unwrap());
    let mut all: Vec<Vector> = folders
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .map(|path| Vector::parse(path.file_name().unwrap().to_str().unwrap(), &std::fs::read(&path).unwrap()))
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let ways = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(vector) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut run = Run { vector, ways: 0, faults: Vec::new() };
                    run.all();
                    ways.fetch_add(run.ways, Ordering::Relaxed);
                    faults.lock().unwrap().extend(run.report());
                }
            });
        }
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for vector in &all {
        *counts.entry(&vector.expect).or_default() += 1;
    }
    let ways = ways.into_inner();
    println!("{} vectors, {ways} readings: {counts:?}", all.len());
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    assert!(faults.is_empty(), "{} vectors differ:\n{}", faults.len(), faults.join("\n"));
    assert!(all.len() >= TOTAL_MIN, "only {} vectors", all.len());
    assert!(ways >= 12 * TOTAL_MIN, "only {ways} readings");
    for (expect, min) in EXPECTED_MIN {
        let found = counts.get(expect).copied().unwrap_or_default();
        assert!(found >= *min, "only {found} vectors with {expect}");
    }
}

#[test]
fn a_vector_with_an_unknown_or_missing_line_is_no_vector() {
    let good = "expect: success\nsection: 1\ncomment: c\nreleased: 00\n\nbytes";
    assert_eq!(Vector::parse("good", good.as_bytes()).file, b"bytes");
    for bad in [
        good.replace("section", "selection"),
        good.replace("expect: success\n", ""),
        good.replace("released: 00\n", ""),
        good.replace("section: 1\n", "section: 1\nsection: 1\n"),
        good.replace("\n\n", "\n"),
    ] {
        assert!(std::panic::catch_unwind(|| Vector::parse("bad", bad.as_bytes())).is_err(), "{bad}");
    }
}

/// The plugin of a vector: it knows the secret of stanzas of one type.
struct Known {
    kind: String,
    secret: plugin::Secret,
}

impl Known {
    /// By a line of a vector: the type, and the secret in hexadecimal digits.
    fn identity(line: &str) -> plugin::Identity {
        let (kind, secret) = line.split_once(' ').expect("type and secret");
        let secret = HEXLOWER.decode(secret.as_bytes()).unwrap();
        let known = Self { kind: kind.to_owned(), secret: plugin::Secret::new(secret.try_into().unwrap()) };
        plugin::Identity::without_data(kind, std::sync::Arc::new(known)).unwrap()
    }
}

impl Plugin for Known {
    fn wrap(&self, _: &plugin::Recipient, _: &plugin::Secret) -> Result<plugin::Wrapped> {
        unreachable!("vectors are read")
    }

    fn unwrap(&self, _: &plugin::Identity, stanzas: &[plugin::Stanza]) -> Result<Option<plugin::Secret>> {
        let is_there = stanzas.iter().any(|stanza| stanza.kind() == self.kind);
        Ok(is_there.then(|| self.secret.clone()))
    }
}

struct Vector {
    name: String,
    expect: String,
    identities: Vec<Identity>,
    has_passphrases: bool,
    context: Option<String>,
    /// The verdict of reading an archive, which `verify` gives.
    archive: Option<String>,
    range: Option<Range<u64>>,
    chunk: Option<u64>,
    released: String,
    file: Vec<u8>,
}

impl Vector {
    fn parse(name: &str, bytes: &[u8]) -> Self {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let (mut identities, mut passphrases): (Vec<Identity>, Vec<Identity>) = (Vec::new(), Vec::new());
        let mut plugins: Vec<Identity> = Vec::new();
        for line in std::str::from_utf8(&bytes[..end]).expect("text").split('\n') {
            let (key, value) = line.split_once(": ").expect("key and value");
            match key {
                "identity" => identities.push(value.parse().unwrap()),
                "identity-pkcs8" => {
                    let der = BASE64.decode(value.as_bytes()).unwrap();
                    identities.append(&mut parse_identities(der, None).unwrap());
                }
                "plugin" => plugins.push(Known::identity(value).into()),
                "passphrase" => passphrases.push(Passphrase::new(value).unwrap().into()),
                _ => values.entry(key).or_default().push(value),
            }
        }
        let has_passphrases = !passphrases.is_empty();
        identities.append(&mut plugins);
        identities.append(&mut passphrases);
        let mut one = |key| {
            let mut values = values.remove(key)?;
            assert_eq!(values.len(), 1, "{name}: {key} occurs once");
            values.pop().map(str::to_owned)
        };
        let vector = Self {
            name: name.to_owned(),
            expect: one("expect").expect("a verdict"),
            identities,
            has_passphrases,
            context: one("context"),
            archive: one("archive"),
            range: one("range").map(|range| {
                let (start, end) = range.split_once("..").expect("A..B");
                start.parse().unwrap()..end.parse().unwrap()
            }),
            chunk: one("chunk").map(|chunk| chunk.parse().unwrap()),
            released: one("released").expect("a hash"),
            file: bytes[end + 2..].to_vec(),
        };
        assert!(one("section").is_some() && one("comment").is_some(), "{name}: section and comment");
        // `tests/archive.rs` is about these.
        for key in ["list", "extract", "member", "data"] {
            values.remove(key);
        }
        assert!(values.is_empty(), "{name}: unknown keys {values:?}");
        vector
    }

    fn decryptor(&self, threads: usize) -> Decryptor {
        let decryptor = Decryptor::new(self.identities.iter().cloned()).threads(threads);
        match &self.context {
            Some(context) => decryptor.context(context).unwrap(),
            None => decryptor,
        }
    }

    fn is_armoured(&self) -> bool {
        sealstone::is_armoured(&self.file)
    }
}

/// One vector, read in every way.
struct Run<'a> {
    vector: &'a Vector,
    ways: usize,
    /// The way of reading, and what differed.
    faults: Vec<(String, String)>,
}

impl Run<'_> {
    fn all(&mut self) {
        // A passphrase takes its time in the header, with which the number of threads has nothing to do.
        let threads: &[usize] = if self.vector.has_passphrases { &[3] } else { &[1, 3] };
        for &threads in threads {
            let decryptor = self.vector.decryptor(threads);
            match self.vector.range.clone() {
                Some(range) => self.ranges(&decryptor, threads, &range),
                None => self.whole(&decryptor, threads),
            }
        }
    }

    fn whole(&mut self, decryptor: &Decryptor, threads: usize) {
        let file = &self.vector.file;

        let mut written = Vec::new();
        let reader = Pieces::new(file, &[1, 7, 16_400, 333, 65_536, 2]);
        let result = decryptor.decrypt_stream(reader, &mut written);
        self.verdict(&format!("stream, {threads} threads"), result.map(|summary| (summary, written.len())));
        self.released(&format!("stream, {threads} threads"), &written);

        let result = decryptor.decrypt(file);
        if let Ok(plaintext) = &result {
            self.released(&format!("bytes, {threads} threads"), plaintext);
        }
        self.verdict(&format!("bytes, {threads} threads"), result);

        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("input"), folder.path().join("output"));
        std::fs::write(&input, file).unwrap();
        let result = decryptor.decrypt_file(&input, &output);
        if result.is_ok() {
            self.released(&format!("file, {threads} threads"), &std::fs::read(&output).unwrap());
            std::fs::remove_file(&output).unwrap();
        }
        self.verdict(&format!("file, {threads} threads"), result);
        self.nothing_left(&format!("file, {threads} threads"), folder.path());

        let mut written = Vec::new();
        let result = decryptor.decrypt_to(Input::open(&input).unwrap(), Output::writer(&mut written));
        // Of these, a reader that knows the length may know the fault before it releases anything.
        let knows = self.vector.name.contains("compressed_") || self.vector.expect == "truncated";
        if result.is_ok() || !knows {
            self.released(&format!("file to stream, {threads} threads"), &written);
        }
        self.verdict(&format!("file to stream, {threads} threads"), result);

        let result: Result<Summary> = decryptor.verify(Input::open(&input).unwrap());
        self.checked(&format!("verify file, {threads} threads"), result);
        let result = decryptor.verify(Input::reader(Pieces::new(file, &[16_400, 5])));
        self.checked(&format!("verify stream, {threads} threads"), result);

        if !self.vector.is_armoured() {
            let mut written = Vec::new();
            let verify_first = decryptor.clone().verify_first(true);
            let result = verify_first.decrypt_to(Input::open(&input).unwrap(), Output::writer(&mut written));
            if result.is_err() && !written.is_empty() {
                self.fault(&format!("verify first, {threads} threads"), "something was released before the verdict");
            }
            self.verdict(&format!("verify first, {threads} threads"), result);
        }
    }

    fn ranges(&mut self, decryptor: &Decryptor, threads: usize, range: &Range<u64>) {
        let file = &self.vector.file;

        let result = decryptor.decrypt_range(file, range.clone());
        self.released(&format!("range of bytes, {threads} threads"), result.as_deref().unwrap_or_default());
        self.verdict(&format!("range of bytes, {threads} threads"), result);

        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("input"), folder.path().join("output"));
        std::fs::write(&input, file).unwrap();
        let open = || Input::open(&input).unwrap();
        let mut written = Vec::new();
        let result = decryptor.decrypt_range_to(open(), range.clone(), Output::writer(&mut written));
        if let Ok(len) = result
            && len != written.len() as u64
        {
            self.fault(&format!("range to stream, {threads} threads"), "says another length than it wrote");
        }
        self.released(&format!("range to stream, {threads} threads"), &written);
        self.verdict(&format!("range to stream, {threads} threads"), result);

        let result = decryptor.decrypt_range_to(open(), range.clone(), Output::file(&output).unwrap());
        if result.is_ok() {
            self.released(&format!("range to file, {threads} threads"), &std::fs::read(&output).unwrap());
            std::fs::remove_file(&output).unwrap();
        }
        self.verdict(&format!("range to file, {threads} threads"), result);
        self.nothing_left(&format!("range to file, {threads} threads"), folder.path());
    }

    /// The verdict of a check, which looks at the members of an archive.
    fn checked<T>(&mut self, way: &str, result: Result<T>) {
        match (&self.vector.archive, &result) {
            (Some(archive), Err(error)) if error.code() == archive => self.ways += 1,
            (Some(archive), _) if archive != "success" => self.fault(way, &format!("is not {archive}")),
            _ => self.verdict(way, result),
        }
    }

    fn verdict<T>(&mut self, way: &str, result: Result<T>) {
        self.ways += 1;
        let (code, chunk) = match result {
            Ok(_) => ("success", None),
            Err(Error::NotAuthentic { chunk }) => ("not_authentic", chunk),
            Err(error) => (error.code(), None),
        };
        if (code, chunk) != (&self.vector.expect, self.vector.chunk) {
            let found = format!("found {code} {chunk:?}, not {} {:?}", self.vector.expect, self.vector.chunk);
            self.fault(way, &found);
        }
    }

    fn released(&mut self, way: &str, bytes: &[u8]) {
        if sha256(bytes) != self.vector.released {
            self.fault(way, &format!("released other bytes ({} of them)", bytes.len()));
        }
    }

    fn nothing_left(&mut self, way: &str, folder: &std::path::Path) {
        let names = names(folder);
        if names != ["input"] {
            self.fault(way, &format!("left {names:?}"));
        }
    }

    /// One line for the vector; `None` when all is as it should be.
    fn report(&self) -> Option<String> {
        let (way, what) = self.faults.first()?;
        let differ: BTreeSet<_> = self.faults.iter().map(|(way, _)| way).collect();
        let (name, len, ways) = (&self.vector.name, differ.len(), self.ways);
        Some(format!("{name}: differs in {len} of {ways} ways of reading; {way}: {what}"))
    }

    fn fault(&mut self, way: &str, what: &str) {
        self.faults.push((way.to_owned(), what.to_owned()));
    }
}
