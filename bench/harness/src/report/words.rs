//! What is said in sentences: computed, and the same in every form of the report.

use super::model::{Comparison, Run};
use super::number::{self, SPACE};
use super::published::Reproduced;
use crate::stats::{NOISY_SPREAD, NOISY_STEAL, Spread, Verdict};

/// The whole run in one paragraph.
pub(super) fn summary(run: &Run) -> String {
    let all: Vec<&Comparison> = run.with_peers().collect();
    if all.is_empty() {
        return format!("{} results; none compares Sealstone with a peer.", run.results);
    }
    let mut peers: Vec<&str> = all.iter().map(|comparison| comparison.engine.as_str()).collect();
    peers.sort_unstable();
    peers.dedup();
    let counts = format!(
        "Against {} {}, in {} {} of one operation at one size, Sealstone was {}.",
        peers.len(),
        plural(peers.len(), "peer"),
        all.len(),
        plural(all.len(), "comparison"),
        tally(&all)
    );
    format!(
        "{counts} A number with × is the peer's time divided by Sealstone's, pair by pair; above 1 Sealstone took less time."
    )
}

/// The published tables of which nothing was measured, and how to get them; nothing where there is none.
pub(super) fn unmeasured(tables: &[Reproduced]) -> Option<String> {
    let name = |table: &Reproduced| {
        let by = table.missing().into_iter().collect::<Vec<_>>().join(" ");
        let by = if by.is_empty() { table.table.definition.clone() } else { by };
        let by = if by.contains(' ') { format!("'{by}'") } else { by };
        format!("{} (make bench Q={by})", table.title())
    };
    let names: Vec<String> = tables.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("Not measured in these records: {}.", names.join("; ")))
}

/// A chapter's title.
pub(super) fn title(group: &str) -> String {
    match group {
        "files" => "Files".to_owned(),
        "archive" => "Archives of folders".to_owned(),
        "aead" => "AEADs in memory".to_owned(),
        "sm4" => "SM4 in memory".to_owned(),
        "sm2" => "SM2 in memory".to_owned(),
        "hash" => "Hashes in memory".to_owned(),
        "python" => "The Python wheel".to_owned(),
        "spark" => "The Python wheel on Spark".to_owned(),
        "node" => "The npm package in Node, with its addon".to_owned(),
        "node-wasm" => "The npm package in Node, in WebAssembly".to_owned(),
        "browser" => "The npm package in a page in Chromium".to_owned(),
        "fise" => "FISE, in JavaScript".to_owned(),
        "sign" => "Signatures, key exchange and RSA in memory".to_owned(),
        "sign-files" => "Signature files".to_owned(),
        "kem" => "To a public key, in memory".to_owned(),
        "workload" => "Workloads".to_owned(),
        other => {
            let mut letters = other.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
    }
}

pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// `faster in 20 (1.2 to 8.9 ×), slower in 3 (0.61 to 0.83 ×), …`.
pub(super) fn tally(comparisons: &[&Comparison]) -> String {
    let part = |verdict: Verdict| {
        let medians: Vec<f64> =
            comparisons.iter().filter(|one| one.verdict == verdict).map(|one| one.ratio.median).collect();
        let count = medians.len();
        let range = || format!("{}{SPACE}×", number::range(&medians));
        match (verdict, count) {
            (Verdict::Faster, 0) => Some("faster in none".to_owned()),
            (_, 0) => None,
            (Verdict::Faster, _) => Some(format!("faster in {count} ({})", range())),
            (Verdict::Slower, _) => Some(format!("slower in {count} ({})", range())),
            (Verdict::Level, _) => Some(format!("level in {count}")),
            (Verdict::Noisy, _) => Some(format!("too noisy to say in {count}")),
        }
    };
    let order = [Verdict::Faster, Verdict::Slower, Verdict::Level, Verdict::Noisy];
    order.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
}

/// How Sealstone stands beside a peer.
pub(super) fn standing(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "ahead",
        Verdict::Slower => "behind",
        Verdict::Level => "level",
        Verdict::Noisy => "too noisy to say",
    }
}

/// `28 × as fast as yuants, 1.8 × as sodium-native`, of peers and their times ÷ ours: beside the first, and beside the fastest.
pub(super) fn pace(peers: &[(&str, Option<Spread>)]) -> String {
    let timed = || peers.iter().filter_map(|(name, ratio)| Some((*name, (*ratio)?)));
    let fastest = timed().min_by(|(_, one), (_, other)| one.median.total_cmp(&other.median));
    let first = peers.first().map(|(name, ratio)| match ratio {
        Some(ratio) => beside(name, *ratio, "as fast as"),
        None => format!("{name} failed"),
    });
    let fastest = fastest.filter(|(name, _)| peers[0].0 != *name).map(|(name, ratio)| beside(name, ratio, "as"));
    first.into_iter().chain(fastest).collect::<Vec<_>>().join(", ")
}

fn beside(peer: &str, ratio: Spread, as_fast_as: &str) -> String {
    match Verdict::of(ratio) {
        Verdict::Faster | Verdict::Slower => {
            format!("{}{SPACE}× {as_fast_as} {peer}", number::factor(ratio.median))
        }
        Verdict::Level => format!("as fast as {peer}"),
        Verdict::Noisy => format!("beside {peer} too noisy to say"),
    }
}

/// What the charts of the first screen show.
pub(super) const JOBS: &str = "A logarithmic scale, the same in all charts; shorter is better. × is the other's time ÷ \
    Sealstone's, the median of pairs. Sealstone uses all cores where the others have one. yuants, @ldesign/crypto and FISE are \
    rewritten here from their formats (Bias in bench/README.md).";

/// So many are named.
const FARTHEST: usize = 5;

/// Where Sealstone is farthest behind a peer: each peer of each question once.
pub(super) fn behind(run: &Run) -> String {
    let name = |slower: &Vec<&Comparison>| {
        let one = slower[0];
        format!("{} in {} ({})", one.peer, one.definition, number::plain(one.ratio.median, 2))
    };
    let names: Vec<String> = run.behind().iter().take(FARTHEST).map(name).collect();
    if names.is_empty() {
        "It is behind nowhere.".to_owned()
    } else {
        format!("Farthest behind: {}.", names.join(", "))
    }
}

/// What the table of those shows.
pub(super) const BEHIND: &str =
    "Each question in which a peer took less time, and the comparison in which it led the most";

/// What a matrix shows.
pub(super) const MATRIX: &str = "Each cell is the peer's time divided by Sealstone's, measured in one run: \
    ▲ Sealstone takes less time, ▼ the peer does, = level (a lead of less than 3 %), ? too noisy to say.";

/// Whether the machine was noisy.
pub(super) fn noise(run: &Run) -> String {
    let limits = format!(
        "the quartiles of the reference's own times are over {} of their median apart, or over {} of the time was stolen by the hypervisor",
        number::percent(NOISY_SPREAD),
        number::percent(NOISY_STEAL)
    );
    match run.noisy {
        0 => format!("The machine was quiet in all of {} results: in none {limits}.", run.results),
        count => format!(
            "The machine was noisy in {count} of {} results: {limits}. A verdict compares runs one right after the other, and holds even then.",
            run.results
        ),
    }
}

/// How every number was made.
pub(super) const METHOD: &str = "\
    Every contender runs once a round, each round beginning with another one. A number is the median over the \
    rounds, beside it the quartiles. A ratio is the median of the ratios of the pairs of one round, so the columns \
    do not divide exactly; beside it is the interval that it lies in with 95 % (the bootstrap of the pairs). Faster or \
    slower: that interval is beyond 3 %. Level: it is within 3 %. Too noisy to say: neither. Numbers have two digits, or three where two \
    would not tell the quartiles apart. A peer that takes over a second, and three times as long as Sealstone or more, has two rounds. CPU is that of all threads for one operation; memory is the peak of the \
    process that does the work. GB is 1,000,000,000 bytes, MiB is 1,048,576.";
