//! `bench`: runs definitions, compares records, writes the report.

use clap::{Args, Parser, Subcommand};
use sealstone_bench::before;
use sealstone_bench::command;
use sealstone_bench::definition::Definition;
use sealstone_bench::engine::{Engine, Places};
use sealstone_bench::estimate;
use sealstone_bench::machine;
use sealstone_bench::measure::{self, Engines, Plan};
use sealstone_bench::record::{FORMAT, Record};
use sealstone_bench::regression;
use sealstone_bench::report;
use sealstone_bench::repository;
use sealstone_bench::samples;
use sealstone_bench::stats::Spread;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lets Sealstone and its peers take turns, and makes a report of what they took.
#[derive(Parser)]
#[command(name = "bench", subcommand_required = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// The repository; by default the one that the working directory is in
    #[arg(long, global = true)]
    root: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Verb {
    /// Show the definitions
    List,
    /// Do every operation once and compare outputs; nothing is timed
    Sanity(Selection),
    /// Time the definitions and write a record
    Run(Run),
    /// Compare the newest record of this machine, or BASELINE, with a new run, or with CANDIDATE
    Regression(Regression),
    /// Let Sealstone as COMMIT has it and as it is now take turns in all that it does in the default definitions; name what has
    /// become slower
    Before(Before),
    /// Write the report from records; by default from the newest of each machine and round
    Report {
        records: Vec<PathBuf>,
        /// The folder to write to
        #[arg(long)]
        output: Option<PathBuf>,
    },
    /// Put what the newest records say between the markers of documents; by default the READMEs and all below docs/
    Splice { documents: Vec<PathBuf> },
    /// Fail when what stands there is of no record, or a number of the benchmark stands elsewhere
    Check { documents: Vec<PathBuf> },
    /// Print the first N sample records
    Samples { n: usize },
    /// Build an engine and talk to it on this terminal
    Talk { engine: String },
    /// Be an engine that runs the commands of a file
    Command { file: PathBuf },
}

#[derive(Args, Default)]
struct Selection {
    /// Only this definition, or those of this group; may be repeated
    #[arg(long, short, value_name = "NAME")]
    definition: Vec<String>,
    /// Only this engine; may be repeated
    #[arg(long, short, value_name = "NAME")]
    engine: Vec<String>,
    /// An engine that cannot be built is an error
    #[arg(long)]
    strict: bool,
    /// A folder on a disk; by default the target directory
    #[arg(long, value_name = "FOLDER")]
    disk: Option<PathBuf>,
}

impl Selection {
    /// Whether nothing is left out of what a run measures.
    fn is_whole(&self) -> bool {
        self.definition.is_empty() && self.engine.is_empty()
    }
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    selection: Selection,
    /// All definitions, those that take long too
    #[arg(long)]
    all: bool,
    /// Write the record here instead of bench/record/MACHINE/DATE/ROUND.json
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Archive the record of a part of all definitions too, as NAME.json
    #[arg(long)]
    archive: bool,
}

#[derive(Args)]
struct Regression {
    baseline: Option<PathBuf>,
    candidate: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Args)]
struct Before {
    commit: String,
    /// Only this definition, or those of this group; may be repeated
    #[arg(long, short, value_name = "NAME")]
    definition: Vec<String>,
    /// A folder on a disk; by default the target directory
    #[arg(long, value_name = "FOLDER")]
    disk: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = measure::watch_signals() {
        eprintln!("bench: error: {error}");
    }
    match run(arguments.root, arguments.verb) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: Option<PathBuf>, verb: Verb) -> Result<bool, String> {
    let root = match (&verb, root) {
        // These are of no repository.
        (Verb::Samples { .. } | Verb::Command { .. }, _) => PathBuf::new(),
        (_, Some(root)) => root.canonicalize().unwrap_or(root),
        (_, None) => repository::around_here()?,
    };
    let root = &root;
    match verb {
        Verb::List => list(root),
        Verb::Sanity(selection) => sanity(root, &selection),
        Verb::Run(command) => timed(root, &command),
        Verb::Regression(command) => compared(root, &command),
        Verb::Before(command) => before(root, command),
        Verb::Report { records, output } => written(root, &records, output.as_deref()),
        Verb::Splice { documents } => each(root, documents, report::splice),
        Verb::Check { documents } => each(root, documents, report::check),
        Verb::Talk { engine } => talk(root, &engine),
        Verb::Samples { n } => {
            samples::Records::default().take(n).for_each(|record| println!("{record}"));
            Ok(true)
        }
        Verb::Command { file } => command::serve(&file).map(|()| true),
    }
}

fn list(root: &Path) -> Result<bool, String> {
    let (definitions, plan) = plan(root, &Selection::default(), true)?;
    let known = records(root).unwrap_or_default();
    for definition in definitions {
        let mark = if definition.in_default { ' ' } else { '*' };
        let time = estimate::of(&definition, &known, &plan.places).map_or_else(|| "?".to_owned(), estimate::text);
        println!("{mark} {:<28} {time:>6}  {}", definition.name, definition.question);
    }
    println!("* only in `make bench-all`; times are those of records, besides building");
    Ok(true)
}

/// The definitions that were asked for, and how to run them.
fn plan(root: &Path, selection: &Selection, all: bool) -> Result<(Vec<Definition>, Plan), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut definitions = Definition::read_all(&root.join("bench/definitions"))?;
    let taken: BTreeSet<String> = definitions.iter().map(|one| one.name.clone()).collect();
    // A group is meant where no definition has the name.
    let is_meant = |one: &Definition, name: &String| one.name == *name || one.group == *name && !taken.contains(name);
    if let Some(unknown) = selection.definition.iter().find(|name| !definitions.iter().any(|one| is_meant(one, name))) {
        return Err(format!("there is no definition {unknown}; `bench list` shows all"));
    }
    if let Some(unknown) = selection.engine.iter().find(|name| !root.join("bench/engines").join(name).is_dir()) {
        return Err(format!("there is no engine {unknown} in bench/engines"));
    }
    definitions.retain(|definition| match &selection.definition[..] {
        [] => all || definition.in_default,
        names => names.iter().any(|name| is_meant(definition, name)),
    });
    let shared_memory = PathBuf::from("/dev/shm");
    let plan = Plan {
        places: Places {
            engines: root.join("bench/engines"),
            target: target.clone(),
            bench: std::env::current_exe().map_err(|error| error.to_string())?,
        },
        before: None,
        tmpfs: if shared_memory.is_dir() { shared_memory } else { std::env::temp_dir() },
        disk: selection.disk.clone().unwrap_or(target),
        only: selection.engine.clone(),
        sanity: false,
        strict: selection.strict,
        effort: 100,
    };
    Ok((definitions, plan))
}

fn sanity(root: &Path, selection: &Selection) -> Result<bool, String> {
    let (definitions, plan) = plan(root, selection, true)?;
    let plan = Plan { sanity: true, ..plan };
    let mut engines = Engines::new(&plan);
    let mut failed = 0;
    let mut done = BTreeMap::new();
    for definition in &definitions {
        for outcome in measure::run(definition, &plan, &mut engines)? {
            if outcome.contenders.is_empty() && selection.engine.is_empty() {
                return Err(format!("{}: nobody offers {}", definition.name, outcome.operation));
            }
            for contender in outcome.contenders {
                *done.entry(contender.engine).or_insert(0) += usize::from(contender.error.is_none());
                failed += usize::from(contender.error.is_some());
            }
        }
    }
    for (engine, operations) in &done {
        println!("{engine}: {operations} operations");
    }
    let idle: Vec<_> = selection.engine.iter().filter(|name| done.get(*name).is_none_or(|count| *count == 0)).collect();
    if let Some(engine) = idle.first() {
        return Err(format!("{engine} was asked for, and took part in nothing"));
    }
    let operations: usize = done.values().sum();
    println!("{operations} operations of {} definitions, {failed} failed", definitions.len());
    if operations == 0 {
        return Err("no operation ran".to_owned());
    }
    Ok(failed == 0)
}

fn measured(root: &Path, selection: &Selection, all: bool, effort: u64, round: &str) -> Result<Record, String> {
    let (definitions, plan) = plan(root, selection, all)?;
    let plan = Plan { effort, ..plan };
    let _lock = lock(&plan)?;
    let mut engines = Engines::new(&plan);
    let command = match &selection.definition[..] {
        _ if all => "make bench-all".to_owned(),
        [] => "make bench".to_owned(),
        [one] => format!("make bench Q={one}"),
        some => format!("make bench Q='{}'", some.join(" ")),
    };
    let fresh = begun(root, round, &command);
    // A part is soon measured again.
    let kept = selection.is_whole().then(|| plan.places.target.join(format!("bench-unfinished-{round}.json")));
    let mut record = match kept.as_deref().map(Record::read) {
        Some(Ok(ended)) => ended.or(fresh),
        _ => fresh,
    };
    let known = records(root).unwrap_or_default();
    let (done, open): (Vec<_>, Vec<_>) = definitions
        .iter()
        .partition(|definition| record.results.iter().any(|outcome| outcome.definition == definition.name));
    for definition in done {
        eprintln!("bench: {}: the run that was ended has measured it", definition.name);
    }
    let estimate = |definition: &&Definition| {
        estimate::of(definition, &known, &plan.places).unwrap_or_else(|| estimate::guess(definition))
    };
    let estimates: Vec<_> = open.iter().map(estimate).collect();
    for (at, definition) in open.iter().enumerate() {
        let left = estimate::text(estimates[at..].iter().sum());
        let count = open.len();
        eprintln!("bench: question {} of {count}, about {left} left besides building: {}", at + 1, definition.name);
        record.results.extend(measure::run(definition, &plan, &mut engines)?);
        record.engines.extend(engines.infos());
        if let Some(path) = &kept {
            // A signal in the middle of it leaves the one before.
            let new = path.with_extension("new");
            record.write(&new)?;
            std::fs::rename(&new, path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    if let Some(missing) = engines.missing().first() {
        return Err(format!("{missing} was asked for, and could not take part"));
    }
    record.check_measured()?;
    if let Some(path) = &kept {
        std::fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(record)
}

/// Nobody else measures until it is dropped.
fn lock(plan: &Plan) -> Result<File, String> {
    std::fs::create_dir_all(&plan.disk).map_err(|error| format!("{}: {error}", plan.disk.display()))?;
    let path = plan.disk.join("sealstone-bench.lock");
    let lock = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(_) => Err("another run is under way, and both would measure each other".to_owned()),
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A record that has no result yet.
fn begun(root: &Path, round: &str, command: &str) -> Record {
    let started = now();
    Record {
        format: FORMAT,
        commit: repository::commit(root),
        round: round.to_owned(),
        started,
        date: machine::date(started),
        command: command.to_owned(),
        machine: machine::describe(),
        engines: BTreeMap::new(),
        results: Vec::new(),
    }
}

fn before(root: &Path, command: Before) -> Result<bool, String> {
    let selection = Selection { definition: command.definition, disk: command.disk, ..Selection::default() };
    let (definitions, plan) = plan(root, &selection, false)?;
    let _lock = lock(&plan)?;
    let (commit, places) = repository::check_out(root, &command.commit, &plan.places)?;
    let plan = Plan { before: Some(places), ..plan };
    let record = begun(root, "before", &format!("make bench-before BASE={commit}"));
    let mut engines = Engines::new(&plan);
    let results = before::run(&definitions, &plan, &mut engines)?;
    let record = Record { engines: engines.infos(), results, ..record };
    record.check_measured()?;
    let path = plan.places.target.join("bench-before.json");
    record.write(&path)?;
    let cells = before::cells(&record.results);
    print!("{}", before::table(&cells));
    println!("before is {commit}; wrote {}", path.strip_prefix(root).unwrap_or(&path).display());
    Ok(!cells.iter().any(|(_, cell)| cell.is_failure()))
}

fn timed(root: &Path, command: &Run) -> Result<bool, String> {
    let round = match &command.selection.definition[..] {
        _ if command.all => "pressure".to_owned(),
        [] => "default".to_owned(),
        some => some.join("+"),
    };
    if command.archive && !command.selection.engine.is_empty() {
        return Err("--archive goes with whole questions: leave --engine out".to_owned());
    }
    let record = measured(root, &command.selection, command.all, 100, &round)?;
    let written = |record: &Record, path: &Path| {
        record.write(path)?;
        Ok::<_, String>(format!("wrote {}", path.strip_prefix(root).unwrap_or(path).display()))
    };
    // With all samples, of which an archive has none.
    let target = root.join("target/bench-record.json");
    let mut wrote = vec![written(&record, command.output.as_ref().unwrap_or(&target))?];
    summarize(&record);
    println!("\n{}", report::summary(&record));
    let (definitions, _) = plan(root, &command.selection, command.all)?;
    let may_fail = |name: &String, contender: &String| {
        let definition = definitions.iter().find(|one| one.name == *name);
        definition.is_some_and(|one| one.contenders.iter().any(|entry| entry.name == *contender && entry.may_fail))
    };
    let failed = record.results.iter().any(|outcome| {
        let mut failed = outcome.contenders.iter().filter(|one| one.error.is_some());
        failed.any(|one| !may_fail(&outcome.definition, &one.name))
    });
    // A part of a run is not archived as if it were one, unless that is wanted.
    if command.archive || (command.selection.is_whole() && command.output.is_none()) {
        let folder = root.join("bench/record").join(machine::folder_name(&record.machine)).join(&record.date);
        wrote.push(written(&record.without_samples(), &folder.join(format!("{round}.json")))?);
    }
    println!("{}", wrote.join("\n"));
    Ok(!failed)
}

/// A line a contender: what the report shows in more words.
fn summarize(record: &Record) {
    for outcome in &record.results {
        let place = outcome.place.as_ref().map(|place| format!(" on {place}")).unwrap_or_default();
        println!("\n{}: {}, {}{place}", outcome.definition, outcome.operation, outcome.size);
        for contender in &outcome.contenders {
            let Some(timing) = &contender.timing else {
                println!("  {:<24} {}", contender.name, contender.error.as_deref().unwrap_or("not timed"));
                continue;
            };
            let seconds = timing.seconds;
            let ratio = timing.ratios.get(&outcome.reference).map_or_else(String::new, |ratio| {
                let (Spread { lower, median, upper }, reference) = (ratio, &outcome.reference);
                format!("{median:.2} x {reference} ({lower:.2} to {upper:.2}), ")
            });
            println!(
                "  {:<24} {:>12.3} µs, CPU {:>12.3} µs, {:>8.3} GB/s, {ratio}peak {:.1} MiB",
                contender.name,
                seconds.median * 1e6,
                timing.cpu_seconds * 1e6,
                outcome.bytes as f64 / seconds.median / 1e9,
                contender.peak_bytes as f64 / 1_048_576.0,
            );
        }
    }
}

fn compared(root: &Path, command: &Regression) -> Result<bool, String> {
    let baseline = match &command.baseline {
        Some(path) => Record::read(path)?,
        None => {
            let here = machine::describe();
            let records = records(root)?;
            records.into_iter().find(|record| record.is_whole() && record.machine.is_same(&here)).ok_or_else(|| {
                let name = machine::folder_name(&here);
                format!("there is no record of this machine yet ({name}): `make bench` writes one")
            })?
        }
    };
    let candidate = match &command.candidate {
        Some(path) => Record::read(path)?,
        None => measured(root, &command.selection, baseline.round == "pressure", 50, "regression")?,
    };
    if !baseline.machine.is_same(&candidate.machine) {
        return Err(regression::of_two_machines(&baseline.machine, &candidate.machine));
    }
    let findings = regression::compare(&baseline, &candidate);
    for finding in &findings {
        println!("{finding}");
    }
    let shared = regression::shared(&baseline, &candidate);
    println!("{shared} of {} results compared, {} findings", baseline.results.len(), findings.len());
    if shared == 0 {
        return Err("the two records have no result in common".to_owned());
    }
    Ok(findings.is_empty())
}

/// All records, the newest first.
fn records(root: &Path) -> Result<Vec<Record>, String> {
    let files = files_below(&root.join("bench/record"), "json")?;
    let mut records = files.iter().map(|path| Record::read(path)).collect::<Result<Vec<_>, _>>()?;
    records.sort_by_key(|record| std::cmp::Reverse(record.started));
    Ok(records)
}

/// All files with this ending below a folder.
fn files_below(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            // A link may lead anywhere, also back.
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// All that is below docs/ and the READMEs, unless documents are named.
fn documents(root: &Path, named: Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    if !named.is_empty() {
        return Ok(named);
    }
    let mut documents = files_below(&root.join("docs"), "md")?;
    documents.sort_unstable();
    let others =
        ["README.md", "README.zh-CN.md", "bench/README.md", "bindings/js/README.md", "bindings/python/README.md"];
    documents.extend(others.map(|name| root.join(name)).into_iter().filter(|path| path.exists()));
    Ok(documents)
}

/// What each of the documents is, by all records.
fn each(root: &Path, named: Vec<PathBuf>, of: fn(&Path, &[Record]) -> Result<(), String>) -> Result<bool, String> {
    let records = records(root)?;
    documents(root, named)?.iter().try_for_each(|document| of(document, &records))?;
    Ok(true)
}

fn talk(root: &Path, name: &str) -> Result<bool, String> {
    let (_, plan) = plan(root, &Selection::default(), true)?;
    let engine = Engine::read(name, &plan.places)?;
    engine.build()?;
    let status = engine.command().status().map_err(|error| error.to_string())?;
    Ok(status.success())
}

fn written(root: &Path, paths: &[PathBuf], output: Option<&Path>) -> Result<bool, String> {
    let records = if paths.is_empty() {
        let mut machines = BTreeSet::new();
        let mut all = records(root)?;
        all.retain(|record| machines.insert((machine::folder_name(&record.machine), record.round.clone())));
        all
    } else {
        paths.iter().map(|path| Record::read(path)).collect::<Result<_, _>>()?
    };
    let folder = output.map_or_else(|| root.join("bench/report"), Path::to_path_buf);
    let definitions = Definition::read_all(&root.join("bench/definitions"))?;
    let readme =
        std::fs::read_to_string(root.join("bench/README.md")).map_err(|error| format!("bench/README.md: {error}"))?;
    report::write(&records, &definitions, &readme, &folder)?;
    println!("wrote {}", folder.join("index.html").display());
    Ok(true)
}
