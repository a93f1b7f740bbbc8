//! Every vector of `vectors/signature/` and `vectors/allowed_signers/`, in every way that the toolkit can read them.

mod support;

use sealstone::sign::{Kind, PrivateKey};
use sealstone::signature::{
    AllowedSigners, MAX_LEN, Namespace, SignatureReader, SignatureWriter, Signers, SigningKey, Verified, claims,
};
use sealstone::{Error, Input, Output, Restriction, Result};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use support::{Pieces, hex, names, sha256, vectors};

/// The fewest for each expectation.
const SIGNATURES_MIN: &[(&str, usize)] = &[
    ("invalid_namespace", 10),
    ("invalid_signature", 105),
    ("invalid_signer", 22),
    ("malformed_signature", 140),
    ("not_a_signature", 20),
    ("success", 107),
    ("unknown_signer", 30),
    ("unsupported_signature", 68),
    ("wrong_namespace", 11),
];
const ALLOWED_SIGNERS_MIN: &[(&str, usize)] = &[("invalid_signer", 66), ("success", 73)];

struct Vector {
    name: String,
    /// The values of each key, in their order.
    lines: HashMap<String, Vec<String>>,
    file: Vec<u8>,
}

impl Vector {
    fn parse(name: String, bytes: &[u8]) -> Self {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let mut lines: HashMap<String, Vec<String>> = HashMap::new();
        for line in std::str::from_utf8(&bytes[..end]).unwrap().split('\n') {
            let (key, value) = line.split_once(": ").expect("a key and a value");
            lines.entry(key.to_owned()).or_default().push(value.to_owned());
        }
        Self { name, lines, file: bytes[end + 2..].to_vec() }
    }

    /// Those of a folder, of which there are at least so many with each expectation.
    fn all(folder: &str, min: &[(&str, usize)]) -> Vec<Self> {
        let entries = std::fs::read_dir(vectors(folder)).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: &Path| {
            Self::parse(path.file_name().unwrap().to_str().unwrap().to_owned(), &std::fs::read(path).unwrap())
        };
        let all: Vec<Self> = entries.map(|path| read(&path)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for vector in &all {
            *counts.entry(vector.one("expect").unwrap()).or_default() += 1;
        }
        println!("{folder}: {counts:?}");
        for (expect, min) in min {
            let found = counts.get(expect).copied().unwrap_or_default();
            assert!(found >= *min, "only {found} vectors of {folder} with {expect}");
        }
        all
    }

    fn one(&self, key: &str) -> Option<&str> {
        match self.lines.get(key).map(Vec::as_slice) {
            None => None,
            Some([value]) => Some(value),
            Some(_) => panic!("{}: {key} stands several times", self.name),
        }
    }

    fn several(&self, key: &str) -> &[String] {
        self.lines.get(key).map_or(&[], Vec::as_slice)
    }
}

/// What a reader says: a code, and what it says of the signature.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    expect: String,
    signed_by: Option<String>,
    note: Option<String>,
    /// Of what was released.
    released: Option<String>,
}

impl Answer {
    fn of(vector: &Vector) -> Self {
        let one = |key| vector.one(key).map(str::to_owned);
        let (expect, signed_by, note) = (one("expect").unwrap(), one("signed-by"), one("note"));
        Self { expect, signed_by, note, released: one("released") }
    }

    fn new(verified: Result<Verified>, released: Option<&[u8]>) -> Self {
        match verified {
            Ok(verified) => Self {
                expect: "success".to_owned(),
                signed_by: Some(format!("{} {}", verified.kind(), verified.fingerprint())),
                note: verified.comment().map(str::to_owned),
                released: released.map(|released| {
                    assert_eq!(verified.content_len(), released.len() as u64);
                    sha256(released)
                }),
            },
            Err(error) => {
                assert_eq!(released.unwrap_or_default(), b"", "{error}");
                let signed_by = match &error {
                    Error::UnknownSigner { kind, fingerprint, .. } => Some(format!("{kind} {fingerprint}")),
                    _ => None,
                };
                Self { expect: error.code().to_owned(), signed_by, note: None, released: None }
            }
        }
    }
}

/// The reader of a vector.
fn reader(vector: &Vector) -> Result<SignatureReader> {
    let namespace = Namespace::new(vector.one("namespace").unwrap())?;
    let mut signers = Signers::default();
    for line in vector.several("signer") {
        signers.append(Signers::parse(line).map_err(|error| error.error)?);
    }
    Ok(SignatureReader::new(signers).namespace(namespace))
}

/// The answers in all ways of reading.
fn answers(vector: &Vector, folder: &Path) -> Vec<Answer> {
    let reader = match reader(vector) {
        Ok(reader) => reader,
        Err(error) => return vec![Answer::new(Err(error), None)],
    };
    let path = folder.join("input");
    if vector.one("form") == Some("detached") {
        let times = vector.one("times").map_or(1, |times| times.parse().unwrap());
        let content = hex(vector.one("content").unwrap()).repeat(times);
        std::fs::write(&path, &content).unwrap();
        let inputs = [Input::reader(Pieces::new(&content, &[1, 9, 70_000])), Input::open(&path).unwrap()];
        return inputs.map(|input| Answer::new(reader.detached(input, &vector.file), None)).into();
    }
    std::fs::write(&path, &vector.file).unwrap();
    let file = &vector.file[..];
    let inputs: [&dyn Fn() -> Input<'static>; 2] =
        [&|| Input::open(&path).unwrap(), &|| Input::reader(std::io::Cursor::new(file.to_vec()))];
    let mut answers = Vec::new();
    for input in inputs {
        let mut released = Vec::new();
        let verified = reader.attached(input(), Output::writer(&mut released));
        answers.push(Answer::new(verified, Some(&released)));
        let output = folder.join("output");
        let verified = reader.attached(input(), Output::file(&output).unwrap());
        let released = std::fs::read(&output).unwrap_or_default();
        assert_eq!(verified.is_ok(), output.exists(), "{}", vector.name);
        answers.push(Answer::new(verified, Some(&released)));
        _ = std::fs::remove_file(output);
        assert_eq!(names(folder), ["input"], "{}", vector.name);
        let verified = reader.check_attached(input());
        let released = answers[0].released.clone();
        answers.push(Answer { released, ..Answer::new(verified, None) });
    }
    for lengths in [&[1][..], &[16_383, 16_384, 16_385], &[3, 5000]] {
        let mut released = Vec::new();
        let verified = reader.attached(Input::reader(Pieces::new(file, lengths)), Output::writer(&mut released));
        answers.push(Answer::new(verified, Some(&released)));
    }
    for is_stream in [true, false] {
        let released = answers[0].released.clone();
        answers.push(Answer { released, ..Answer::new(in_parts(&reader, file, is_stream), None) });
    }
    answers
}

/// A signed file in parts: the signature behind the content, or before it.
fn in_parts(reader: &SignatureReader, file: &[u8], is_stream: bool) -> Result<Verified> {
    let mut verifying = reader.begin_attached()?;
    let before = file.len().saturating_sub(MAX_LEN);
    let first = if is_stream { before } else { 0 };
    verifying.update(&file[..first]);
    let end = before + verifying.behind(&file[before..])?;
    file[first..end].chunks(5000).for_each(|part| verifying.update(part));
    verifying.finish()
}

#[test]
fn every_signature_vector_gives_its_verdict_in_every_way_of_reading() {
    let folder = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    let mut readings = 0;
    for vector in Vector::all("signature", SIGNATURES_MIN) {
        let expected = Answer::of(&vector);
        let answers = answers(&vector, folder.path());
        readings += answers.len();
        faults.extend(
            answers
                .into_iter()
                .filter(|answer| *answer != expected)
                .map(|found| format!("{}: {found:?} instead of {expected:?}", vector.name)),
        );
    }
    faults.sort();
    assert!(faults.is_empty(), "{} readings differ:\n{}", faults.len(), faults.join("\n"));
    assert!(readings > 1300, "only {readings} readings");
}

#[test]
fn what_a_signature_claims_is_what_its_vector_says() {
    let mut claimed = 0;
    for vector in Vector::all("signature", SIGNATURES_MIN) {
        if vector.one("form") != Some("detached") {
            continue;
        }
        match (claims(&vector.file), vector.one("signed-by")) {
            (Ok(claims), Some(signed_by)) => {
                assert_eq!(format!("{} {}", claims.kind, claims.fingerprint), signed_by, "{}", vector.name);
                assert_eq!(claims.namespace.as_deref(), vector.one("namespace"), "{}", vector.name);
                claimed += 1;
            }
            (Err(error), signed_by) => {
                assert_eq!(signed_by, None, "{}", vector.name);
                let expect = vector.one("expect").unwrap();
                assert!([error.code(), "invalid_signer", "invalid_namespace"].contains(&expect), "{}", vector.name);
            }
            (Ok(_), None) => assert!(
                ["invalid_signature", "wrong_namespace", "invalid_signer", "invalid_namespace"]
                    .contains(&vector.one("expect").unwrap()),
                "{}",
                vector.name
            ),
        }
    }
    assert!(claimed > 60, "{claimed}");
}

/// A time of a vector, `YYYYMMDDhhmmssZ`, by the calendar and without the toolkit's own code.
fn moment(text: &str) -> SystemTime {
    let number = |from: usize, len: usize| text[from..from + len].parse::<u64>().unwrap();
    let (year, month, day) = (number(0, 4), number(4, 2), number(6, 2));
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days_of = |month| match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let days = (1970..year).map(|year| 365 + u64::from(is_leap(year))).sum::<u64>()
        + (1..month).map(days_of).sum::<u64>()
        + day
        - 1;
    UNIX_EPOCH + Duration::from_secs(((days * 24 + number(8, 2)) * 60 + number(10, 2)) * 60 + number(12, 2))
}

#[test]
fn every_file_of_allowed_signers_gives_its_signers() {
    let mut faults = Vec::new();
    for vector in Vector::all("allowed_signers", ALLOWED_SIGNERS_MIN) {
        let time = moment(vector.one("time").unwrap());
        let found = AllowedSigners::parse(&vector.file).map(|allowed| {
            let signers = allowed.signers(vector.one("principal"), vector.one("namespace").unwrap(), time);
            let line = |signer: &sealstone::signature::Signer| {
                let (line, principals) = (signer.line().unwrap(), signer.principals().unwrap());
                format!("{line} {} {} {principals}", signer.kind(), signer.fingerprint())
            };
            signers.iter().map(line).collect::<Vec<_>>()
        });
        let fault = match (found, vector.one("expect").unwrap()) {
            (Ok(signers), "success") if signers == vector.several("signer") => continue,
            (Err(error), expect) if error.error.code() == expect => continue,
            (found, expect) => format!("{}: {found:?} instead of {expect} {:?}", vector.name, vector.several("signer")),
        };
        faults.push(fault);
    }
    faults.sort();
    assert!(faults.is_empty(), "{} vectors differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn lines_that_are_skipped_are_told_and_the_wrong_line_is_named() {
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";
    let file = format!("# who\n\na {key}\nb cert-authority {key}\r\n  \"c d\" {key}");
    let allowed = AllowedSigners::parse(&file).unwrap();
    assert_eq!(allowed.skipped(), [4]);
    let given = allowed.signers(None, "file", SystemTime::now());
    let given: Vec<_> = given.iter().map(|signer| (signer.line().unwrap(), signer.principals().unwrap())).collect();
    assert_eq!(given, [(3, "a"), (5, "c d")]);
    let error = AllowedSigners::parse(format!("{file}\ne unknown {key}\n")).unwrap_err();
    assert_eq!((error.line, error.error.code()), (Some(6), "invalid_signer"));
    // Of several lines that have a key, the one that is nearest to giving it is told.
    let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519).unwrap()).unwrap();
    let line = key.signer().to_line("").unwrap();
    let file = format!("a valid-before=\"20200101\" {line}\nc namespaces=\"git\" {line}\nb {line}\n");
    let signed = SignatureWriter::new(&key).detached(Input::reader(&b""[..])).unwrap();
    for (principal, namespace, line, restriction) in [
        (Some("a"), "file", 1, Restriction::Until),
        (Some("z"), "file", 3, Restriction::Principals),
        (Some("c"), "file", 2, Restriction::Namespaces),
    ] {
        let signers = AllowedSigners::parse(&file).unwrap().signers(principal, namespace, SystemTime::now());
        let error = SignatureReader::new(signers).detached(Input::reader(&b""[..]), signed.as_bytes()).unwrap_err();
        let Error::UnknownSigner { withheld: Some(withheld), .. } = error else { panic!("{error}") };
        assert_eq!((withheld.line, withheld.restriction), (line, restriction));
    }
    // Whom it gives is nobody, which is no fault of the caller's.
    let nobody = allowed.signers(Some("z"), "file", SystemTime::now());
    assert!(nobody.is_empty());
    let signature = std::fs::read(vectors("signature/ssh_keygen_ed25519")).unwrap();
    let signature = Vector::parse(String::new(), &signature).file;
    let refused = SignatureReader::new(nobody).detached(Input::reader(&b""[..]), &signature).unwrap_err();
    assert_eq!(refused.code(), "unknown_signer");
    let error = AllowedSigners::parse("\n\n").unwrap_err();
    assert_eq!((error.line, error.error.code()), (None, "invalid_signer"));
}

/// The example of `spec/signature.md` section 1.1.
#[test]
fn the_example_file_is_verified() {
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/signature.md")).unwrap();
    let (begin, end) = ("-----BEGIN SSH SIGNATURE-----\nU1NI", "-----END SSH SIGNATURE-----\n");
    let from = spec.find(begin).unwrap();
    let text = &spec[from..from + spec[from..].find(end).unwrap() + end.len()];
    assert_eq!(text.len(), 294);
    let line = spec.lines().find(|line| line.starts_with("ssh-ed25519 ")).unwrap();
    let reader = SignatureReader::new(Signers::parse(line).unwrap());
    let content = b"Hello, Sealstone\n";
    let verified = reader.detached(Input::reader(&content[..]), text.as_bytes()).unwrap();
    let signer = verified.signer();
    assert_eq!(signer.fingerprint(), "SHA256:7ee0725d6d44b65fd2ff83fc988cc196631434d0d0eb990099d0ec6c3581b2a3");
    assert_eq!(signer.ssh_fingerprint(), "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg");
    let attached = [content, text.as_bytes()].concat();
    assert_eq!(reader.check_attached(Input::reader(&attached[..])).unwrap().content_len(), 17);
}
