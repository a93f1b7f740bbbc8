//! The report says what the records say: of whole runs, of noisy ones, and of those in which nearly all is missing.

use sealstone_bench::definition::Definition;
use sealstone_bench::record::{Beside, Contender, EngineInfo, FORMAT, Kind, Machine, Outcome, Record, Sample};
use sealstone_bench::report::{self, Published, Shows};
use std::collections::BTreeSet;
use std::path::Path;

const README: &str = "# Benchmarks\n\n| command | what it does |\n|---|---|\n\
    | `make bench` | the default definitions |\n\
    | `make bench-all` | all of *them* |\n\n## Bias\n\n\
    - We tuned Sealstone for `files` of *many* megabytes.\n- <b>Not</b> HTML.";

/// Numbers that look like measurements, the same in every run.
struct Wobble(u64);

impl Wobble {
    /// Around 1, mostly within this part of it.
    fn next(&mut self, spread: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 40) as f64 / f64::from(1 << 24);
        1.0 + spread * (unit - 0.4)
    }

    fn samples(&mut self, count: usize, seconds: f64, threads: f64, spread: f64) -> Vec<Sample> {
        let mut sample = || {
            let iterations = if seconds < 1e-3 { 1000 } else { 1 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Nanoseconds of some seconds.
            let wall_ns = (seconds * 1e9 * self.next(spread) * iterations as f64) as u64;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let cpu_ns = (wall_ns as f64 * threads * 0.97) as u64;
            Sample { wall_ns, cpu_ns, iterations, longest_ns: None, mean_ns: None }
        };
        (0..count).map(|_| sample()).collect()
    }
}

fn contender(name: &str, engine: &str, samples: Vec<Sample>, peak_bytes: u64) -> Contender {
    Contender {
        name: name.to_owned(),
        engine: engine.to_owned(),
        ours: engine.starts_with("sealstone"),
        measure: false,
        note: None,
        digest: None,
        output_bytes: 0,
        units: 1,
        peak_bytes,
        timing: None,
        samples,
        beside: None,
        error: None,
    }
}

fn outcome(definition: &str, group: &str, operation: &str, (size, bytes): (&str, u64)) -> Outcome {
    Outcome {
        definition: definition.to_owned(),
        question: format!("What does {operation} cost?"),
        group: group.to_owned(),
        kind: Kind::Throughput,
        operation: operation.to_owned(),
        size: size.to_owned(),
        bytes,
        place: None,
        reference: "Sealstone".to_owned(),
        fit: true,
        steal: 0.001,
        contenders: Vec::new(),
    }
}

fn record(mut results: Vec<Outcome>) -> Record {
    results.iter_mut().for_each(Outcome::summarize);
    let engine = |title: &str, version: &str, used: &str, skipped: Option<&str>| EngineInfo {
        title: title.to_owned(),
        language: "Rust".to_owned(),
        version: version.to_owned(),
        used: used.to_owned(),
        skipped: skipped.map(str::to_owned),
    };
    let engines = [
        ("sealstone", engine("Sealstone", "0.1.0, aes-256-gcm by ring", "Aes256Gcm::seal, in place", None)),
        ("age", engine("age", "v1.3.1", "age -R FILE -o FILE FILE, its defaults", None)),
        ("cp", engine("cp (GNU coreutils)", "9.1", "cp --reflink=never", None)),
        ("openssl", engine("OpenSSL", "3.0.19", "EVP_EncryptUpdate, one context for all", None)),
        ("ring", engine("ring", "0.17.14", "LessSafeKey::seal_in_place_separate_tag", None)),
        ("rust-crypto", engine("RustCrypto", "0.10.3", "AeadInPlace::encrypt_in_place_detached", None)),
        ("nkcrypto", engine("nkCryptoTool", "", "nkCryptoTool --mode hybrid", Some("there is no cmake"))),
    ];
    Record {
        format: FORMAT,
        round: "pressure".to_owned(),
        started: 1_795_262_400,
        date: "2026-11-21".to_owned(),
        command: "bench run --all".to_owned(),
        commit: "0123456789ab".to_owned(),
        machine: Machine {
            cpu: "AMD EPYC 9B14".to_owned(),
            vendor: "amd".to_owned(),
            family: "25".to_owned(),
            model: "1".to_owned(),
            cores: 2,
            features: ["aes", "pclmulqdq", "avx2", "vaes", "vpclmulqdq"].map(str::to_owned).to_vec(),
            kernel: "Linux 6.18.44".to_owned(),
            memory_bytes: 8_323_272_704,
            is_virtual: true,
            governor: "unknown".to_owned(),
            rustc: "rustc 1.95.0 (59807616e 2026-04-14)".to_owned(),
            cc: "cc (Debian 12.2.0-14+deb12u1) 12.2.0".to_owned(),
        },
        engines: engines.into_iter().map(|(name, engine)| (name.to_owned(), engine)).collect(),
        results,
    }
}

/// Files beside `cp`, on two places, with four sizes.
fn files(wobble: &mut Wobble) -> Vec<Outcome> {
    let sizes = [("1 KB", 1_000), ("1 MB", 1_000_000), ("100 MB", 100_000_000), ("256 MiB", 1 << 28)];
    let mut results = Vec::new();
    for (operation, factor) in [("file/encrypt", 1.0), ("file/decrypt", 1.07)] {
        for (place, slower) in [("tmpfs", 1.0), ("disk", 1.3)] {
            for size in sizes {
                // Start of the process, seconds a GB, threads, peak.
                let engines = [
                    ("cp", "cp", 0.0015, 0.58, 1.0, 2.2),
                    ("Sealstone, 2 threads", "sealstone-command", 0.0019, 0.42, 1.9, 3.9),
                    ("Sealstone, 1 thread", "sealstone-command", 0.0019, 0.74, 1.0, 3.4),
                    ("age", "age", 0.0046, 1.34, 1.1, 9.8),
                    ("rage", "rage", 0.0024, 1.93, 1.0, 4.5),
                    ("openssl enc (not authenticated)", "openssl", 0.0112, 1.27, 1.0, 6.2),
                ];
                let mut one = outcome("files", "files", operation, size);
                "How long does a user of the command line wait for a file?".clone_into(&mut one.question);
                one.place = Some(place.to_owned());
                "cp".clone_into(&mut one.reference);
                one.contenders = engines
                    .into_iter()
                    .map(|(name, engine, start, per_gb, threads, peak): (_, _, f64, f64, _, f64)| {
                        let factor = if engine == "cp" { 1.0 } else { factor };
                        let seconds = start + per_gb * factor * slower * size.1 as f64 / 1e9;
                        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Some MiB.
                        let peak = (peak * 1_048_576.0) as u64;
                        let mut contender = contender(name, engine, wobble.samples(9, seconds, threads, 0.13), peak);
                        if engine != "cp" {
                            let copy = 0.0015 + 0.58 * slower * size.1 as f64 / 1e9;
                            let samples = wobble.samples(9, copy, 1.0, 0.13);
                            contender.beside = Some(Beside { name: "cp".to_owned(), samples });
                        }
                        contender
                    })
                    .collect();
                // Disks are noisy.
                if place == "disk" && size.1 > 1_000_000 {
                    one.steal = 0.043;
                }
                results.push(one);
            }
        }
    }
    results
}

fn aeads(wobble: &mut Wobble) -> Vec<Outcome> {
    let sizes = [
        ("16 B", 16),
        ("256 B", 256),
        ("1 KiB", 1 << 10),
        ("16 KiB", 1 << 14),
        ("1 MiB", 1 << 20),
        ("64 MiB", 1 << 26),
    ];
    let mut results = Vec::new();
    for operation in ["aead/aes-256-gcm/seal", "aead/aes-256-gcm/open"] {
        for size in sizes {
            let mut one = outcome("aes-256-gcm", "aead", operation, size);
            "How fast does one thread seal AES-256-GCM, one key, one nonce?".clone_into(&mut one.question);
            let engines = [
                ("Sealstone", "sealstone", 95e-9, 5.9),
                ("ring", "ring", 88e-9, 5.85),
                ("OpenSSL EVP", "openssl", 310e-9, 6.9),
                ("RustCrypto", "rust-crypto", 180e-9, 1.4),
                ("Go crypto/cipher", "go", 120e-9, 5.1),
                ("libgcrypt", "gcrypt", 900e-9, 3.1),
                ("BouncyCastle", "bouncy", 2900e-9, 0.51),
                ("WebCrypto (Node 22)", "node", 31_000e-9, 3.6),
            ];
            one.contenders = engines
                .into_iter()
                .map(|(name, engine, fixed, gb)| {
                    let seconds = fixed + size.1 as f64 / (gb * 1e9);
                    contender(name, engine, wobble.samples(9, seconds, 1.0, 0.03), (3 << 20) + 2 * size.1)
                })
                .collect();
            one.contenders[0].note = Some("in place".to_owned());
            if size.0 == "16 KiB" {
                one.contenders[3].samples.clear();
                one.contenders[3].error = Some("thread 'main' panicked at <anon>".to_owned());
            }
            if size.0 == "256 B" && operation.ends_with("open") {
                one.contenders[0].samples = wobble.samples(9, 140e-9, 1.0, 0.8);
            }
            results.push(one);
        }
    }
    results
}

fn workloads(wobble: &mut Wobble) -> Vec<Outcome> {
    let mut results = Vec::new();
    for (size, bytes, units) in
        [("100 records", 8_900, 100), ("1,000 records", 96_000, 1000), ("10,000 records", 958_000, 10_000)]
    {
        let mut one = outcome("records", "workload", "workload/records/seal", (size, bytes));
        "How many records of a service are sealed in a second, and how long is the longest pause?"
            .clone_into(&mut one.question);
        one.kind = Kind::Operations;
        let engines = [
            ("Sealstone", "sealstone", 140e-9),
            ("ring", "ring", 150e-9),
            ("Node 22 crypto", "node", 2600e-9),
            ("Go crypto/cipher", "go", 240e-9),
        ];
        one.contenders = engines
            .into_iter()
            .map(|(name, engine, each)| {
                let mut contender =
                    contender(name, engine, wobble.samples(9, each * f64::from(units), 1.0, 0.06), 5 << 20);
                contender.units = u64::try_from(units).unwrap();
                for (at, sample) in contender.samples.iter_mut().enumerate() {
                    sample.longest_ns =
                        Some(sample.wall_ns / sample.iterations / u64::try_from(units).unwrap() * (9 + at as u64));
                }
                contender
            })
            .collect();
        results.push(one);
    }
    results
}

fn kems(wobble: &mut Wobble) -> Vec<Outcome> {
    let mut results = Vec::new();
    for operation in ["kem/hybrid/encrypt", "kem/hybrid/decrypt"] {
        let mut one = outcome("kem", "kem", operation, ("1 KB", 1000));
        one.kind = Kind::Latency;
        "What does it cost to encrypt 1 KB to a public key in memory?".clone_into(&mut one.question);
        one.contenders = vec![
            contender("Sealstone", "sealstone", wobble.samples(9, 110e-6, 1.0, 0.04), 4 << 20),
            contender("nkCryptoTool", "nkcrypto", wobble.samples(9, 112e-6, 1.0, 0.04), 30 << 20),
        ];
        results.push(one);
    }
    results
}

fn realistic() -> Record {
    let mut wobble = Wobble(42);
    let parts = [files(&mut wobble), aeads(&mut wobble), kems(&mut wobble), workloads(&mut wobble)];
    record(parts.into_iter().flatten().collect())
}

const PUBLISHED: &str = r#"
title = "nkCryptoTool: a file to a public key"
source = "nkCryptoTool README, 16 × 4.7 GHz"
url = "https://example.org/nk?a=1&b=2"
note = "The build behind it reused one key and IV for every chunk."
columns = [
    { title = "encrypt, ECC", operation = "file/encrypt", theirs = "age" },
    { title = "encrypt, Hybrid", operation = "file/encrypt", theirs = "nkCryptoTool", ours = "Sealstone, 1 thread" },
    { title = "decrypt, ECC", operation = "file/decrypt", theirs = "rage", place = "tmpfs" },
    { title = "decrypt, PQC" },
]
rows = [
    ["1 KB", "16.58 ms", "20.50 ms", "15.74 ms", "16.29 ms"],
    ["10 MB", "35.81 ms", "32.81 ms", "31.84 ms", "32.18 ms"],
    ["6.7 GB, MB/s", "593", "812", "422", "425"],
]
at = { "6.7 GB, MB/s" = { size = "256 MiB", shows = "rate" } }
"#;

/// A definition with a published table.
fn published() -> Vec<Definition> {
    let folder = tempfile::tempdir().unwrap();
    let text = "question = 'Files?'\nkind = 'throughput'\ngroup = 'files'\noperations = ['file/encrypt']\n\
        sizes = ['1 KB']\ncheck = 'round-trip'\nreference = 'cp'\n\
        [[contender]]\nengine = 'cp'\nname = 'cp'\n[published]\n";
    std::fs::write(folder.path().join("files.toml"), format!("{text}{PUBLISHED}")).unwrap();
    Definition::read_all(folder.path()).unwrap()
}

fn render(records: &[Record], definitions: &[Definition]) -> [String; 3] {
    let folder = tempfile::tempdir().unwrap();
    report::write(records, definitions, README, folder.path()).unwrap();
    ["index.html", "report.md", "report.json"].map(|name| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        sound(name, &text);
        text
    })
}

/// No number that is none, and HTML in which every element is closed where it should be.
fn sound(name: &str, text: &str) {
    let numbers = |word: &str| word == "NaN" || word == "inf" || word == "Infinity" || word == "nan";
    let word = text.split(|letter: char| !letter.is_ascii_alphanumeric()).find(|word| numbers(word));
    assert_eq!(word, None, "{name}");
    match name {
        "index.html" => balanced(text),
        "report.json" => drop(serde_json::from_str::<serde_json::Value>(text).unwrap()),
        _ => rectangular(text),
    }
}

fn balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let (_, mut rest) = html.split_once("<!DOCTYPE html>").unwrap();
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>') || open.last() == Some(&"style"), "a bare > in {text:?}");
        let (tag, after) = after.split_once('>').unwrap_or_else(|| panic!("not closed: {:?}", &after[..60]));
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in {tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(!["script", "link", "img", "iframe", "object"].contains(&name), "{tag}");
        if let Some((_, id)) = tag.split_once(" id=\"") {
            let id = id.split('"').next().unwrap();
            assert!(ids.insert(id), "{id} twice");
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "before {:?}", &after[..after.len().min(60)]);
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = after;
    }
    assert_eq!(open, [""; 0]);
    for reference in html.split("href=\"#").skip(1) {
        let id = reference.split('"').next().unwrap();
        assert!(ids.contains(id), "nothing is called {id}");
    }
}

/// All lines of a table have as many cells.
fn rectangular(markdown: &str) {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut before = None;
    for line in markdown.lines() {
        let own = line.starts_with('|').then(|| cells(line));
        if let (Some(before), Some(own)) = (before, own) {
            assert_eq!(before, own, "{line}");
        }
        before = own;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\'', "&#39;").replace('"', "&quot;")
}

#[test]
fn every_contender_question_and_failure_is_named() {
    let record = realistic();
    let [html, markdown, json] = render(std::slice::from_ref(&record), &published());
    for outcome in &record.results {
        assert!(html.contains(&escaped(&outcome.question)), "{}", outcome.question);
        assert!(html.contains(&format!("<h4>{}", outcome.operation)), "{}", outcome.operation);
        for contender in &outcome.contenders {
            assert!(
                html.contains(&format!("<th scope=\"row\">{}</th>", escaped(&contender.name))),
                "{}",
                contender.name
            );
            assert!(markdown.contains(&contender.name), "{}", contender.name);
            assert!(json.contains(&contender.name), "{}", contender.name);
        }
    }
    for text in [
        "thread &#39;main&#39; panicked at &lt;anon&gt;",
        "there is no cmake",
        "AMD EPYC 9B14",
        "vpclmulqdq",
        "bench run --all",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(html.contains("<em>many</em> megabytes") && html.contains("&lt;b&gt;Not&lt;/b&gt;"), "the section Bias");
    assert!(html.contains("make bench-all") && markdown.contains("make bench-all"));
}

#[test]
fn charts_say_what_they_are_and_load_nothing() {
    let [html, ..] = render(&[realistic()], &[]);
    let charts = html.matches("<svg ").count();
    assert!(charts > 15, "{charts} charts");
    assert_eq!(html.matches("<desc ").count(), charts);
    let wide = ["0 0 400 ", "0 0 360 "].map(|wide| html.matches(&format!("<svg viewBox=\"{wide}")).count());
    assert_eq!(wide, [charts - 1, 1], "all are as wide as a phone");
    for outside in ["http://", "url(", "@import", "src="] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("prefers-color-scheme: dark") && html.contains("@media print"));
    assert!(!html.contains("#ff") || html.contains("--paper"), "colours are variables");
    assert!(html.contains("class=\"ours\""));
}

#[test]
fn a_verdict_is_of_pairs_and_a_noisy_machine_is_said_once() {
    let mut one = outcome("noisy", "aead", "aead/sm4-gcm/seal", ("1 KiB", 1024));
    one.steal = 0.2;
    one.contenders = vec![
        contender("Sealstone", "sealstone", Wobble(1).samples(9, 1e-6, 1.0, 0.4), 1 << 20),
        contender("ring", "ring", Wobble(2).samples(9, 9e-6, 1.0, 0.4), 1 << 20),
        contender("aws-lc", "aws-lc", Wobble(3).samples(9, 1e-6, 1.0, 0.4), 1 << 20),
    ];
    let [html, markdown, _] = render(&[record(vec![one])], &[]);
    for text in [&html, &markdown] {
        assert!(text.contains("faster in 1 ("), "the summary");
        assert!(text.contains("too noisy to say in 1"), "the summary");
        assert_eq!(text.matches("The machine was noisy in 1 of 1 results").count(), 1);
    }
}

#[test]
fn the_summary_counts_what_was_won_and_lost() {
    let mut results = Vec::new();
    for (size, peer) in [(("1 KiB", 1 << 10), 3e-6), (("1 MiB", 1 << 20), 0.5e-6), (("4 MiB", 4 << 20), 1e-6)] {
        let mut one = outcome("gcm", "aead", "aead/aes-256-gcm/seal", size);
        one.contenders = vec![
            contender("Sealstone", "sealstone", Wobble(1).samples(9, 1e-6, 1.0, 0.02), 1 << 20),
            contender("ring", "ring", Wobble(3).samples(9, peer, 1.0, 0.02), 1 << 20),
        ];
        results.push(one);
    }
    let ring = results[2].contenders[1].samples.clone();
    results[2].contenders[0].samples = ring;
    let [html, ..] = render(&[record(results)], &[]);
    let summary = html.split_once("<p class=\"summary\">").unwrap().1.split_once("</p>").unwrap().0;
    let summary = summary.replace('\u{202f}', " ");
    assert!(summary.contains("Against 1 peer, in 3 comparisons"), "{summary}");
    assert!(summary.contains("faster in 1 (3.0 ×), slower in 1 (0.50 ×), level in 1"), "{summary}");
    let behind = html.split_once("<details class=\"behind-table\">").unwrap().1.split_once("</details>").unwrap().0;
    assert!(behind.contains("<summary>Farthest behind: ring in gcm (0.50).</summary>"), "{behind}");
    let rows: Vec<&str> = behind.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), 1, "{behind}");
    for cell in [">ring<", ">gcm<", ">1 of 3<", ">aead/aes-256-gcm/seal, 1 MiB<", ">0.499×"] {
        assert!(rows[0].replace('\u{202f}', " ").contains(cell), "{cell}: {}", rows[0]);
    }
}

#[test]
fn the_first_screen_says_who_is_fastest_at_what() {
    let times = [("1 KiB", 0.5e-6), ("16 KiB", 1.01e-6), ("1 MiB", 1.3e-6), ("4 MiB", 9e-6)];
    let mut results = Vec::new();
    for (bytes, (size, peer)) in (1..).zip(times) {
        let mut one = outcome("gcm", "aead", "aead/aes-256-gcm/seal", (size, bytes));
        one.contenders = vec![
            contender("Sealstone", "sealstone", Wobble(1).samples(9, 1e-6, 1.0, 0.002), 1 << 20),
            contender("ring", "ring", Wobble(1).samples(9, peer, 1.0, 0.002), 1 << 20),
        ];
        results.push(one);
    }
    // Of pairs that are far apart nobody says which is faster, though the median is 9.
    let mut late = results[3].clone();
    "16 MiB".clone_into(&mut late.size);
    for (at, sample) in late.contenders[1].samples.iter_mut().enumerate().filter(|(at, _)| at % 2 == 1) {
        sample.wall_ns /= 10 + at as u64;
    }
    results.push(late);
    let whole = record(results);
    let [html, markdown, _] = render(std::slice::from_ref(&whole), &[]);
    let rows = [
        ("1 KiB", "ring", "▼ 0.50", "behind far"),
        ("16 KiB", "level", "= 1.01", "level"),
        ("1 MiB", "Sealstone", "▲ 1.30", "ahead"),
        ("4 MiB", "Sealstone", "▲ 9.00", "ahead farthest"),
        ("16 MiB", "too noisy", "? 9.00", "noisy"),
    ];
    for (size, fastest, cell, class) in rows {
        assert!(markdown.contains(&format!("| seal | {size} | {fastest} | {cell} |")), "{markdown}");
        let (_, row) = html.split_once(&format!("class=\"size\">{size}</th>")).unwrap();
        let (row, _) = row.split_once("</tr>").unwrap();
        let ends = format!(">{cell}</td>");
        assert!(row.contains(&format!(">{fastest}</td><td class=\"{class}\"")) && row.ends_with(&ends), "{row}");
    }
    let counts = "ahead: 2 40\u{202f}%; level: 1 20\u{202f}%; behind: 1 20\u{202f}%; too noisy to say: 1 20\u{202f}%.";
    assert!(html.contains("All 5 comparisons with a peer") && html.contains(counts), "{html}");
    assert!(!html.contains("the same in all charts"), "there is no job");
    // Before all else but the title, also where a newer record is of a part alone.
    let part =
        Record { round: "part".to_owned(), command: "make bench Q=kem".to_owned(), ..record(kems(&mut Wobble(7))) };
    let [both, ..] = render(&[part, whole], &[]);
    for page in [html, both] {
        let (first, _) = page.split_once("<nav").unwrap();
        assert!(first.contains("class=\"matrix\"") && first.contains("<th scope=\"rowgroup\" rowspan=\"5\">seal</th>"));
    }
}

/// A record that has two of the jobs, with one peer that failed, one that is level, and one of which nobody can say.
fn jobs() -> Record {
    let mut sm4 = outcome("sm4", "sm4", "sm4/gcm/seal", ("1 MiB", 1 << 20));
    sm4.contenders = vec![
        contender("Sealstone", "sealstone", Wobble(1).samples(9, 2e-4, 1.0, 0.002), 1 << 20),
        contender("OpenSSL", "openssl", Wobble(1).samples(9, 2.01e-4, 1.0, 0.002), 1 << 20),
        contender("RustCrypto", "rust-crypto", Wobble(2).samples(9, 4e-4, 1.0, 3.0), 1 << 20),
        contender("tjfoc/gmsm", "go", Wobble(1).samples(9, 5e-3, 1.0, 0.002), 1 << 20),
        contender("emmansun/gmsm", "go", Vec::new(), 0),
    ];
    sm4.contenders[4].error = Some("died".to_owned());
    let mut fise = outcome("fise", "fise", "fise/ascii/decrypt", ("1 KB", 1000));
    fise.contenders = vec![
        contender("Sealstone", "sealstone", Wobble(1).samples(9, 2e-6, 1.0, 0.002), 1 << 20),
        contender("FISE", "node", Wobble(1).samples(9, 3e-3, 1.0, 0.002), 1 << 20),
        contender("node:crypto", "node", Wobble(1).samples(9, 1e-6, 1.0, 0.002), 1 << 20),
    ];
    fise.contenders[1].note = Some("version 0.1.5".to_owned());
    (fise.contenders[2].note, fise.contenders[2].measure) = (Some("AES-256-GCM".to_owned()), true);
    record(vec![sm4, fise])
}

#[test]
fn each_job_that_a_record_has_is_a_chart_of_who_takes_how_long() {
    let [html, markdown, json] = render(&[jobs()], &[]).map(|text| text.replace('\u{202f}', " "));
    let (first, _) = html.split_once("<nav").unwrap();
    let charts: Vec<&str> = first.split("<svg ").skip(1).collect();
    assert!(first.contains("the same in all charts"));
    let [sm4, fise, all] = charts[..] else { panic!("{} charts", charts.len()) };
    assert!(all.contains(">All 4 comparisons with a peer</title>"), "a measure is no peer: {all}");
    for (chart, title, sentence, lines) in [
        (
            sm4,
            "SM4-GCM of 1 MiB on one core",
            "25 × as fast as tjfoc/gmsm, as fast as OpenSSL",
            &[
                ["Sealstone", "200 µs", ""],
                ["OpenSSL", "200 µs", "level"],
                ["tjfoc/gmsm", "5.0 ms", "25×"],
                ["emmansun/gmsm", "", "failed"],
            ][..],
        ),
        (
            fise,
            "A text of 1 KB out of a FISE envelope (obfuscation)",
            "1500 × as fast as FISE",
            &[["Sealstone", "2.0 µs", ""], ["FISE", "3.0 ms", "1500×"]],
        ),
    ] {
        assert!(
            chart.contains(&format!(">{title}</text>")) && chart.contains(&format!(">{sentence}</text>")),
            "{chart}"
        );
        for text in [&markdown, &json] {
            assert!(text.contains(title) && text.contains(sentence));
        }
        let mut rest = chart;
        for text in lines.iter().flatten().filter(|text| !text.is_empty()) {
            let found = rest.split_once(&format!(">{text}</text>"));
            rest = found.unwrap_or_else(|| panic!("{text} is not behind the others in {chart}")).1;
        }
    }
    assert!(sm4.contains("RustCrypto") && sm4.contains(">noisy</text>") && sm4.contains("class=\"bar hollow noisy\""));
    assert!(fise.contains("Sealstone: 2.0 µs; FISE (version 0.1.5): 3.0 ms 1500×."), "{fise}");
}

#[test]
fn the_charts_of_a_document_are_files_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("README.md");
    let record = Record { round: "default".to_owned(), ..jobs() };
    std::fs::write(&document, "before\n<!-- bench:begin charts -->\n<!-- bench:end -->\nafter\n").unwrap();
    let records = [record];
    report::splice(&document, &records).unwrap();
    report::check(&document, &records).unwrap();
    let text = std::fs::read_to_string(&document).unwrap();
    let pictures: Vec<&str> = text.split("<picture>").skip(1).collect();
    assert_eq!(pictures.len(), 3, "{text}");
    assert!(
        pictures[0].contains("alt=\"SM4-GCM of 1 MiB on one core: 25 × as fast as tjfoc/gmsm, as fast as OpenSSL\""),
        "{text}"
    );
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
    for picture in pictures {
        let [dark, light] =
            ["srcset=\"", "src=\""].map(|name| picture.split_once(name).unwrap().1.split_once('"').unwrap().0);
        let [dark, light] = [dark, light].map(|path| {
            let svg = read(path);
            balanced(&format!("<!DOCTYPE html>{svg}"));
            assert!(
                svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=") && svg.contains("role=\"img\"")
            );
            for outside in ["var(", "url(", "href", "@import", "http://"] {
                assert_eq!(svg.matches(outside).count(), usize::from(outside == "http://"), "{outside} in {path}");
            }
            svg
        });
        assert_ne!(dark, light);
    }
    // One that was edited, and one that no result of the record has.
    for name in ["docs/bench/fise-dark.svg", "docs/bench/file-light.svg"] {
        std::fs::write(folder.path().join(name), "<svg/>").unwrap();
        assert!(report::check(&document, &records).unwrap_err().contains("charts"));
        report::splice(&document, &records).unwrap();
        report::check(&document, &records).unwrap();
    }
    assert!(!folder.path().join("docs/bench/file-light.svg").exists());
}

/// One gibibyte to a public key, measured by itself.
fn large_file(date: &str) -> Record {
    let mut large = outcome("files-tmpfs-large", "files", "file/encrypt", ("1 GiB", 1 << 30));
    large.contenders = vec![
        contender("Sealstone", "sealstone-cli", Wobble(1).samples(5, 0.4, 1.0, 0.002), 1 << 20),
        contender("age", "age", Wobble(1).samples(5, 2.0, 1.0, 0.002), 1 << 20),
    ];
    let (date, round) = (date.to_owned(), "files-tmpfs-large".to_owned());
    Record { date, command: format!("make bench Q={round}"), round, ..record(vec![large]) }
}

#[test]
fn a_job_that_was_measured_by_itself_is_a_chart_of_the_document_of_its_machine() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("README.md");
    let whole = Record { round: "default".to_owned(), ..jobs() };
    std::fs::write(&document, "<!-- bench:begin charts -->\n<!-- bench:end -->\n").unwrap();
    let mut elsewhere = large_file("2026-07-03");
    elsewhere.machine.cpu = "another".to_owned();
    report::splice(&document, &[elsewhere, large_file("2026-07-02"), whole]).unwrap();
    let text = std::fs::read_to_string(&document).unwrap();
    assert!(text.contains("alt=\"A file of 1 GiB in memory to a public key: 5.0 × as fast as age\""), "{text}");
    assert!(
        text.contains("A file of 1 GiB in memory to a public key: 2026-07-02, `make bench Q=files-tmpfs-large`.\n"),
        "{text}"
    );
    assert!(!text.contains("2026-07-03"), "{text}");
}

#[test]
fn text_of_a_record_stays_text() {
    let mut one = outcome("a\"b<c>", "x<y", "op&|er", ("1 <KB>", 1000));
    one.contenders = vec![
        contender("Sealstone", "sealstone", Wobble(1).samples(5, 1e-3, 1.0, 0.01), 1 << 20),
        contender("<script>alert('a|b')</script>", "ev\"il", Wobble(2).samples(5, 1e-3, 1.0, 0.01), 1 << 20),
        contender("control \u{1b}[31m\u{0}", "evil", Vec::new(), 0),
    ];
    one.contenders[1].note = Some("</p><script>".to_owned());
    let [html, markdown, _] = render(&[record(vec![one])], &[]);
    assert!(!html.contains("<script") && !html.contains('\u{1b}') && !html.contains('\0'));
    assert!(html.contains("&lt;script&gt;alert(&#39;a|b&#39;)&lt;/script&gt;"));
    assert!(!markdown.contains("<script") && !markdown.contains('\u{1b}'));
}

#[test]
fn what_is_missing_is_no_number() {
    let zero = Sample { wall_ns: 0, cpu_ns: 0, iterations: 0, longest_ns: Some(0), mean_ns: Some(0) };
    let mut results = Vec::new();
    for (operation, group) in [("aead/aes-256-gcm/seal", "aead"), ("workload/records/seal", "workload")] {
        for size in [("0 B", 0), ("1 KiB", 1024), ("2 KiB", 2048)] {
            let mut one = outcome(group, group, operation, size);
            one.contenders = vec![
                contender("Sealstone", "sealstone", vec![zero; 3], 0),
                contender("empty", "one", Vec::new(), 0),
                contender("failed", "two", Vec::new(), 0),
                contender("single", "three", Wobble(1).samples(1, 1e-6, 1.0, 0.0), 1),
            ];
            one.contenders[2].error = Some("died".to_owned());
            results.push(one);
        }
    }
    let [html, ..] = render(&[record(results)], &[]);
    assert!(html.contains("failed: died") && html.contains("not measured"));
    // The reference itself may be missing.
    let mut one = outcome("lost", "aead", "aead/aes-256-gcm/seal", ("1 KiB", 1024));
    one.contenders = vec![contender("ring", "ring", Wobble(1).samples(5, 1e-6, 1.0, 0.01), 1 << 20)];
    let [html, ..] = render(&[record(vec![one])], &[]);
    assert!(html.contains("none compares Sealstone with a peer"));
}

#[test]
fn one_contender_alone_and_no_results_are_reports_too() {
    let mut one = outcome("alone", "aead", "aead/aes-256-gcm/seal", ("1 KiB", 1024));
    one.contenders = vec![contender("Sealstone", "sealstone", Wobble(1).samples(5, 1e-6, 1.0, 0.01), 1 << 20)];
    let [html, ..] = render(&[record(vec![one])], &published());
    assert!(html.contains("<td class=\"words short\">reference</td>"));
    let named = "Not measured in these records: nkCryptoTool: a file to a public key (make bench Q=files).";
    assert!(html.contains(named) && !html.contains("not run here"), "a published table of which there is nothing");
    render(&[record(Vec::new())], &[]);
    render(&[], &[]);
    render(&[realistic(), realistic()], &published());
}

#[test]
fn a_published_table_has_theirs_and_ours_beside() {
    let [html, markdown, json] = render(&[realistic()], &published());
    assert!(html.contains("<a href=\"https://example.org/nk?a=1&amp;b=2\">"));
    for text in [&html, &markdown, &json] {
        assert!(text.contains("16.58 ms") && text.contains("593") && text.contains("not run here"));
    }
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = &json["published"][0]["rows"];
    assert!(rows[0][0]["ratio"]["median"].as_f64().unwrap() > 1.5, "age ÷ Sealstone at 1 KB");
    assert_eq!(rows[0][1]["theirs"], "not available here", "its engine was left out");
    assert!(rows[0][1]["ours"].as_str().unwrap().ends_with("ms"));
    assert_eq!(rows[1][0]["ours"], "not run here", "10 MB is no size of the definition");
    assert!(rows[2][0]["ours"].as_str().unwrap().ends_with("B/s"), "a row of rates");
    assert_eq!(rows[2][3]["ours"], "not run here", "a column without an operation");
}

#[test]
fn a_published_table_has_sizes_of_another_definition_and_how_long_outputs_are() {
    let folder = tempfile::tempdir().unwrap();
    let text = "question = 'Long?'\nkind = 'latency'\ngroup = 'node'\noperations = ['encrypt']\n\
        sizes = ['1 KB']\ncheck = 'round-trip'\nreference = 'Sealstone'\n\
        [[contender]]\nengine = 'sealstone'\nname = 'Sealstone'\n\
        [published]\nsource = 'x'\nalso = ['longer']\n\
        columns = [{ title = 'long', operation = 'encrypt', shows = 'expansion' }, { title = 'time', operation = 'encrypt' }]\n\
        rows = [['1 KB', '107 %', '1 ms'], ['1 MB', '100 %', '2 ms']]\n";
    std::fs::write(folder.path().join("long.toml"), text).unwrap();
    let mut outcomes = [("long", ("1 KB", 1000)), ("longer", ("1 MB", 1_000_000))]
        .map(|(name, size)| outcome(name, "node", "encrypt", size));
    for outcome in &mut outcomes {
        let mut ours = contender("Sealstone", "sealstone", Wobble(1).samples(5, 1e-3, 1.0, 0.01), 1 << 20);
        ours.output_bytes = outcome.bytes + 50;
        outcome.contenders.push(ours);
    }
    // Of two runs.
    let records = outcomes.map(|outcome| record(vec![outcome]));
    let [.., json] = render(&records, &Definition::read_all(folder.path()).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = &json["published"][0]["rows"];
    assert_eq!([&rows[0][0]["ours"], &rows[1][0]["ours"]], ["105.00\u{202f}%", "100.01\u{202f}%"]);
    assert!(rows[1][1]["ours"].as_str().unwrap().ends_with("ms"));
}

#[test]
fn a_cell_adds_two_times_or_says_what_one_gains_over_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let text = "question = 'Gain?'\nkind = 'latency'\ngroup = 'node'\noperations = ['encrypt', 'decrypt']\n\
        sizes = ['1 KB']\ncheck = 'round-trip'\nreference = 'Sealstone'\n\
        [[contender]]\nengine = 'sealstone'\nname = 'Sealstone'\n\
        [published]\nsource = 'x'\nalso = ['far']\n\
        columns = [\
        { title = 'total', operation = 'encrypt', theirs = 'quick', shows = 'total', with = { operation = 'decrypt' } },\
        { title = 'gain', operation = 'encrypt', theirs = 'quick', shows = 'improvement', with = { theirs = 'slow' } },\
        ]\n\
        rows = [['1 KB', '', ''], ['times', '', ''], ['saved', '', ''], ['far', '', ''], ['died', '', ''],\n\
        ['lost', '', ''], ['later', '', '']]\n\
        [published.at]\n\
        times = { size = '1 KB', shows = 'speed-up', with = { theirs = 'slow', operation = 'decrypt' } }\n\
        saved = { size = '1 KB', shows = 'saving' }\n\
        far = { size = '1 KB', theirs = 'far' }\n\
        died = { size = '1 KB', theirs = 'died', shows = 'memory' }\n\
        lost = { size = '1 KB', with = { theirs = 'gone' } }\n\
        later = { size = '1 KB', with = { operation = 'sign' } }\n";
    std::fs::write(folder.path().join("gain.toml"), text).unwrap();
    let measured = |definition, operation, milliseconds: f64, quick| {
        let mut outcome = outcome(definition, "node", operation, ("1 KB", 1000));
        let taking = |name, times| {
            let samples = Wobble(1).samples(5, times * milliseconds * 1e-3, 1.0, 0.0);
            contender(name, if name == "Sealstone" { "sealstone" } else { "node" }, samples, 1 << 20)
        };
        outcome.contenders = vec![taking("Sealstone", 1.0), taking(quick, 2.0), taking("slow", 3.0)];
        let died = contender("died", "node", Vec::new(), 0);
        outcome.contenders.push(Contender { error: Some("died".to_owned()), ..died });
        outcome
    };
    let outcomes = vec![
        measured("gain", "encrypt", 1.0, "quick"),
        measured("gain", "decrypt", 2.0, "quick"),
        measured("far", "encrypt", 10.0, "far"),
    ];
    let [.., json] = render(&[record(outcomes)], &Definition::read_all(folder.path()).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let said = |row: usize, column: usize| {
        let cell = &json["published"][0]["rows"][row][column];
        [&cell["theirs"], &cell["ours"]].map(|text| text.as_str().unwrap().replace('\u{202f}', " "))
    };
    assert_eq!(said(0, 0), ["6.00 ms", "3.00 ms"], "encrypt and decrypt");
    assert_eq!(json["published"][0]["rows"][0][0]["ratio"]["median"], 2.0);
    assert_eq!(said(0, 1), ["+50 %", "+0.0 %"], "3 ms in place of 2 ms, and ours is compared with itself");
    assert_eq!(said(1, 1), ["3.0×", "2.0×"], "6 ms and 2 ms of the other operation");
    assert_eq!(said(2, 1)[0], "+33 %", "1 ms of 3 ms");
    assert_eq!(said(3, 1), ["+50 %", "+0.0 %"], "beside who is slow in the same result");
    assert_eq!(said(4, 1), ["failed here", "1.00 MiB"]);
    assert!(json["published"][0]["rows"][4][1]["ratio"].is_null(), "who failed has no memory");
    assert_eq!(said(5, 1), ["not available here", "+0.0 %"]);
    assert_eq!(said(6, 1), ["not run here"; 2], "nobody has signed");
}

#[test]
fn a_published_table_may_show_how_long_units_waited_and_the_score() {
    let folder = tempfile::tempdir().unwrap();
    let columns = ["mean", "longest", "score"]
        .map(|shows| format!("{{ title = '{shows}', operation = 'seal', theirs = 'gmsm', shows = '{shows}' }}"));
    let text = format!(
        "question = 'Long?'\nkind = 'operations'\ngroup = 'workload'\noperations = ['seal']\n\
        sizes = ['1 MB']\ncheck = 'digest'\nreference = 'Sealstone'\n\
        [[contender]]\nengine = 'sealstone'\nname = 'Sealstone'\n\
        [published]\nsource = 'x'\ncolumns = [{}]\nrows = [['1 MB', 'under 200 ms', '–', '–']]\n",
        columns.join(", ")
    );
    std::fs::write(folder.path().join("requests.toml"), text).unwrap();
    let mut one = outcome("requests", "workload", "seal", ("1 MB", 1_000_000));
    for (name, engine, times) in [("Sealstone", "sealstone", 1), ("gmsm", "gmsm", 4)] {
        let mut all = contender(name, engine, Wobble(1).samples(5, 0.03 * times as f64, 2.0, 0.0), 1 << 20);
        for sample in &mut all.samples {
            (sample.mean_ns, sample.longest_ns) = (Some(15_000_000 * times), Some(29_000_000 * times));
        }
        one.contenders.push(all);
    }
    let [.., json] = render(&[record(vec![one])], &Definition::read_all(folder.path()).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let cells = json["published"][0]["rows"][0].as_array().unwrap();
    let said = |of: &str| cells.iter().map(|cell| cell[of].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(said("ours"), ["15.0\u{202f}ms", "29.0\u{202f}ms", "100"]);
    // A quarter of 40, of 30 and of 5, and all of 20 and of 5.
    assert_eq!(said("theirs"), ["60.0\u{202f}ms", "116\u{202f}ms", "44"]);
    assert_eq!(cells[0]["ratio"]["median"], 4.0);
    assert!(cells[2]["ratio"].is_null());
}

#[test]
fn a_published_table_of_another_shape_is_refused() {
    for (text, what) in [
        ("source = 'x'\ncolumns = [{ title = 'a' }]\nrows = [['1 KB']]", "a row has 1 strings"),
        ("source = 'x'\ncolumns = [{ title = 'a', their = 'b' }]\nrows = []", "unknown field"),
        ("columns = []\nrows = []", "missing field"),
    ] {
        let error = Published::of("files", &toml::from_str(text).unwrap()).unwrap_err();
        assert!(error.starts_with("files: published: ") && error.contains(what), "{error}");
    }
    let two =
        toml::from_str::<toml::Value>(&format!("[[published]]\n{PUBLISHED}\n[[published]]\n{PUBLISHED}")).unwrap();
    assert_eq!(Published::of("files", &two["published"]).unwrap().len(), 2);
}

#[test]
fn every_published_table_names_what_its_definition_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../definitions");
    let mut tables = 0;
    let definitions = Definition::read_all(&folder).unwrap();
    for definition in &definitions {
        let name = &definition.name;
        let Some(value) = &definition.published else { continue };
        for table in Published::of(name, value).unwrap() {
            tables += 1;
            let also = table.also.iter().map(|also| definitions.iter().find(|one| one.name == *also).unwrap());
            let all: Vec<_> = std::iter::once(definition).chain(also).collect();
            for label in table.rows.iter().map(|row| &row[0]) {
                let placed = table.columns.iter().map(|column| table.place(column, label));
                for (column, size) in
                    placed.flat_map(|(column, size)| column.with(&size).into_iter().chain([(column, size)]))
                {
                    let compares =
                        matches!(column.shows, Shows::Total | Shows::SpeedUp | Shows::Improvement | Shows::Saving);
                    assert_eq!(compares, column.with.is_some(), "{name}: {label}: {column:?}");
                    let Some(operation) = &column.operation else { continue };
                    let has = |one: &&&Definition| {
                        one.operations.contains(operation) && one.sizes.iter().any(|one| one.label == size)
                    };
                    let mut those = all.iter().filter(has).peekable();
                    assert!(those.peek().is_some(), "{name}: {label}: {column:?}");
                    let contenders: Vec<_> = those.flat_map(|one| &one.contenders).map(|one| &one.name).collect();
                    let named = column.ours.iter().chain(&column.theirs);
                    assert!(named.into_iter().all(|one| contenders.contains(&one)), "{name}: {label}: {column:?}");
                }
            }
        }
    }
    assert!(tables >= 2, "nkCryptoTool's, and that of the Go study");
}

#[test]
fn the_table_of_the_readme_is_spliced_and_checked() {
    let record = realistic();
    let table = report::table(&record).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2 + 6 + 2, "{table}");
    assert!(lines[2].starts_with("| cp |") && lines[2].contains("| 1 |"), "{table}");
    assert!(lines[3].starts_with("| **Sealstone**, 2 threads |"), "{table}");
    assert!(table.contains("2026-11-21") && table.contains("`bench run --all`") && table.contains("AMD EPYC"));
    rectangular(&table);
    sound("table", &table);

    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("README.md");
    let records = [Record { round: "default".to_owned(), ..record }];
    std::fs::write(&document, "before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n").unwrap();
    assert!(report::check(&document, &records).unwrap_err().contains("is of no record"));
    report::splice(&document, &records).unwrap();
    report::check(&document, &records).unwrap();
    let spliced = std::fs::read_to_string(&document).unwrap();
    assert_eq!(spliced, format!("before\n<!-- bench:begin -->\n{table}<!-- bench:end -->\nafter\n"));
    report::splice(&document, &records).unwrap();
    assert_eq!(spliced, std::fs::read_to_string(&document).unwrap());
    std::fs::write(&document, "no end\n<!-- bench:begin -->").unwrap();
    assert!(report::splice(&document, &records).unwrap_err().contains("bench:begin"));
    report::check(&document, &[]).unwrap_err();
    let error = report::table(&self::record(Vec::new())).unwrap_err();
    assert!(error.contains("file/encrypt of 256 MiB on tmpfs"), "{error}");
}

#[test]
fn a_document_has_definitions_in_brief_and_no_number_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("page.md");
    let write = |names: &str, more: &str| {
        let text = format!("## By the bench\n<!-- bench:begin {names} -->\n<!-- bench:end -->\n{more}");
        std::fs::write(&document, text).unwrap();
    };
    let older = realistic();
    let mut newer = self::record(vec![outcome("other", "aead", "seal", ("1 KiB", 1024))]);
    newer.results[0].contenders = vec![
        contender("Sealstone", "sealstone", Wobble(1).samples(5, 1e-6, 1.0, 0.0), 1),
        contender("ring_1", "ring", Wobble(1).samples(5, 3e-6, 1.0, 0.0), 1),
        contender("aws-lc", "aws-lc", Wobble(1).samples(5, 1.5e-6, 1.0, 0.0), 1),
    ];
    let mut newer = self::record(newer.results);
    (newer.started, newer.date) = (older.started + 1, "2026-11-22".to_owned());
    let records = [newer, older];
    write("other files", "");
    report::splice(&document, &records).unwrap();
    let text = std::fs::read_to_string(&document).unwrap();
    assert!(text.contains("| `other` | seal | 1 KiB | 1.00 µs | ring\\_1 3.0; aws-lc 1.5 |\n"), "{text}");
    assert!(text.contains("| `files` | file/encrypt, tmpfs | 1 KB … 256 MiB | "), "{text}");
    assert!(text.contains("other: AMD EPYC 9B14") && text.contains("files: AMD EPYC 9B14"), "{text}");
    rectangular(text.split("-->\n").nth(1).unwrap().split("\n\n").next().unwrap());
    report::check(&document, &records).unwrap();
    // Who runs the benchmark has a newer record, which says something else.
    let newest = self::record(vec![outcome("other", "aead", "open", ("1 KiB", 1024))]);
    let three: Vec<_> = std::iter::once(newest).chain(records.iter().cloned()).collect();
    report::check(&document, &three).unwrap();
    std::fs::write(&document, text.replace("ring\\_1 3.0", "ring\\_1 3.1")).unwrap();
    assert!(report::check(&document, &records).unwrap_err().contains("is of no record"));
    write("nothing", "");
    let error = report::splice(&document, &records).unwrap_err();
    assert!(error.contains("no record has nothing") && error.contains("make bench Q=nothing ARCHIVE=yes"), "{error}");
    write("other", "\n| seal | 1.2 × |\n");
    report::splice(&document, &records).unwrap();
    let error = report::check(&document, &records).unwrap_err();
    assert!(error.contains("page.md:10: a number of the benchmark is written by hand"), "{error}");
}

/// To look at: it stays in the target directory's `tmp/report`.
#[test]
fn a_realistic_page_is_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    report::write(&[realistic()], &published(), README, &folder).unwrap();
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("nkCryptoTool"), "{}", folder.display());
    assert!(report::table(&realistic()).unwrap().contains("256 MiB"));
}
