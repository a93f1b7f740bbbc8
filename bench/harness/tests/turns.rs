//! Whole runs over engines of a few lines of shell: they agree or nobody is timed.

mod scripted;

use scripted::{bench, definition, engine, git, said};

#[test]
fn engines_that_agree_are_timed_in_turns() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "aa", 0);
    definition(root.path(), "\"seal\", \"none\"", &["one", "two"]);
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(done.status.success(), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    let contenders = &record.results[0].contenders;
    assert_eq!(contenders.iter().map(|contender| contender.samples.len()).collect::<Vec<_>>(), [5, 5]);
    assert_eq!(contenders[0].peak_bytes, 4096);
    assert!(record.results[1].contenders.is_empty(), "what nobody offers has no contender");
    let done = bench(root.path(), &["sanity"]);
    assert!(!done.status.success() && said(&done).contains("who: nobody offers none"), "{}", said(&done));
    definition(root.path(), "\"seal\"", &["one", "two"]);
    let done = bench(root.path(), &["sanity", "--strict"]);
    let count = "2 operations of 1 definitions, 0 failed";
    assert!(done.status.success() && said(&done).contains(count), "{}", said(&done));
    let done = bench(root.path(), &["sanity", "--engine", "three"]);
    assert!(!done.status.success() && said(&done).contains("there is no engine three"), "{}", said(&done));
}

#[test]
fn an_engine_that_says_how_long_it_takes_to_warm_up_is_given_that_before_it_is_timed() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    let path = root.path().join("bench/engines/one/engine.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{toml}warm_up_ms = 200\n")).unwrap();
    definition(root.path(), "\"seal\"", &["one"]);
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(done.status.success(), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    let samples = &record.results[0].contenders[0].samples;
    // Each run says that it took 19 ms, and its number as nanoseconds: the eleventh was the last of the warm-up.
    assert!(samples.len() == 5 && samples.iter().all(|sample| sample.wall_ns >= 19_000_012), "{samples:?}");
}

#[test]
fn samples_that_are_far_apart_are_taken_again_once() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    let script = root.path().join("bench/engines/one/engine.sh");
    definition(root.path(), "\"seal\"", &["one"]);
    let record = root.path().join("record.json");
    let times = |fast: &str| {
        // Its first run finds out how many operations a sample has.
        let sample = format!("wall_ns=$(case $runs in {fast}) echo 11000000;; *) echo 19000000;; esac)");
        let text = std::fs::read_to_string(&script).unwrap();
        let (before, after) = text.split_once("wall_ns=").unwrap();
        let (_, after) = after.split_once(" cpu_ns").unwrap();
        std::fs::write(&script, format!("{before}{sample} cpu_ns{after}")).unwrap();
        let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
        assert!(done.status.success(), "{}", said(&done));
        let again = said(&done).matches("all are taken again").count();
        let record = sealstone_bench::record::Record::read(&record).unwrap();
        let samples = record.results[0].contenders[0].samples.iter();
        (samples.map(|sample| sample.wall_ns / 1_000_000).collect::<Vec<_>>(), again)
    };
    assert_eq!(times("2|4"), (vec![19; 5], 1));
    assert_eq!(times("3"), (vec![19, 11, 19, 19, 19], 0), "one that is early changes no median");
    assert_eq!(times("2|4|7|9").1, 1);
}

#[test]
fn rounds_end_once_they_say_who_is_faster_unless_all_are_asked_for() {
    let rounds = |jitter: &str, option: &str| {
        let root = tempfile::tempdir().unwrap();
        engine(root.path(), "one", "aa", 0);
        engine(root.path(), "two", "aa", 0);
        std::fs::write(root.path().join("bench/engines/two/engine.sh.jitter"), jitter).unwrap();
        definition(root.path(), "\"seal\"", &["one", "two"]);
        let path = root.path().join("bench/definitions/who.toml");
        let toml = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, toml.replace("check =", &format!("repetitions = 7\n{option}check ="))).unwrap();
        let record = root.path().join("record.json");
        let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
        assert!(done.status.success(), "{}", said(&done));
        let record = sealstone_bench::record::Record::read(&record).unwrap();
        let counts: Vec<_> = record.results[0].contenders.iter().map(|one| one.samples.len()).collect();
        (counts, said(&done))
    };
    let (counts, said) = rounds("0", "");
    assert!(counts == [5, 5] && said.contains("level in 1"), "{said}");
    assert_eq!(rounds("0", "least_repetitions = 7\n").0, [7, 7]);
    // Every other run of this engine says that it took a quarter less.
    let (counts, said) = rounds("4500001", "");
    assert!(counts == [7, 7] && said.contains("too noisy to say in 1"), "{said}");
}

#[test]
fn a_sample_has_as_many_operations_as_a_definition_asks_for_and_is_their_mean() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    definition(root.path(), "\"seal\"", &["one"]);
    let path = root.path().join("bench/definitions/who.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, toml.replace("check =", "iterations = 7\ncheck =")).unwrap();
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(done.status.success(), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    let samples = &record.results[0].contenders[0].samples;
    assert!(samples.len() == 5 && samples.iter().all(|sample| sample.iterations == 7), "{samples:?}");
    // The engine says that a run took 19 ms, however many operations it had.
    assert!(samples.iter().all(|sample| (sample.seconds() - 0.019 / 7.0).abs() < 1e-6), "{samples:?}");
}

#[test]
fn a_group_stands_for_its_definitions_where_none_has_its_name() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    definition(root.path(), "\"seal\"", &["one"]);
    let named = |name: &str| root.path().join("bench/definitions").join(name);
    std::fs::copy(named("who.toml"), named("whom.toml")).unwrap();
    let of_group = bench(root.path(), &["sanity", "--definition", "aead"]);
    assert!(said(&of_group).contains("2 operations of 2 definitions"), "{}", said(&of_group));
    std::fs::copy(named("who.toml"), named("aead.toml")).unwrap();
    let of_name = bench(root.path(), &["sanity", "--definition", "aead"]);
    assert!(said(&of_name).contains("1 operations of 1 definitions"), "{}", said(&of_name));
    let unknown = bench(root.path(), &["sanity", "--definition", "sm4"]);
    assert!(said(&unknown).contains("there is no definition sm4"), "{}", said(&unknown));
}

#[test]
fn a_planted_wrong_output_stops_the_run_before_anything_is_timed() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "bb", 0);
    definition(root.path(), "\"seal\"", &["one", "two"]);
    for verb in [&["run", "--output", "/dev/null"][..], &["sanity"]] {
        let done = bench(root.path(), verb);
        assert!(!done.status.success());
        assert!(said(&done).contains("who, seal: outputs differ: one has aa, two has bb (1 KB)"), "{}", said(&done));
    }
    assert!(!root.path().join("bench/engines/one/engine.sh.runs").exists(), "something was timed");
}

#[test]
fn outputs_that_are_random_are_opened_by_the_others_before_anything_is_timed() {
    let root = tempfile::tempdir().unwrap();
    definition(root.path(), "\"sign\"", &["one", "two"]);
    let path = root.path().join("bench/definitions/who.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    let toml = toml.replace("check = \"digest\"", "check = \"round-trip\"\nexchange = [\"sign\"]");
    std::fs::write(&path, toml).unwrap();
    // SHA-256 of the input: bytes 0 to 250, again and again, 1,000 of them.
    let input: Vec<u8> = (0..=250).cycle().take(1000).collect();
    std::fs::write(root.path().join("pattern"), input).unwrap();
    let digest = sealstone_bench::measure::digest(&root.path().join("pattern")).unwrap();
    engine(root.path(), "one", &digest, 0);
    engine(root.path(), "two", &digest, 0);
    let done = bench(root.path(), &["sanity"]);
    assert!(done.status.success(), "{}", said(&done));
    // One whose output nobody opens.
    let script = root.path().join("bench/engines/two/engine.sh");
    let honest = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, honest.replace("hex=0two", "hex=x")).unwrap();
    for verb in [&["run", "--output", "/dev/null"][..], &["sanity"]] {
        let done = bench(root.path(), verb);
        let why = "who, sign: one does not open what two put out: not mine (1 KB)";
        assert!(!done.status.success() && said(&done).contains(why), "{}", said(&done));
    }
    // One that opens it to something else.
    std::fs::write(&script, honest.replace("opened digest=", "opened digest=0")).unwrap();
    let done = bench(root.path(), &["sanity"]);
    assert!(said(&done).contains("two does not open what one put out: it opens to 0"), "{}", said(&done));
    assert!(!root.path().join("bench/engines/one/engine.sh.runs").exists(), "something was timed");
    // What is longer than a line holds is not asked for.
    std::fs::write(&script, honest.replace("bytes=3", "bytes=16385").replace("hex=0two", "hex=x")).unwrap();
    let done = bench(root.path(), &["sanity"]);
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_sanity_round_has_the_size_that_a_definition_says() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    definition(root.path(), "\"seal\"", &["one"]);
    let path = root.path().join("bench/definitions/who.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, toml.replace("check =", "sanity = \"7 B\"\ncheck =")).unwrap();
    let done = bench(root.path(), &["sanity"]);
    assert!(done.status.success() && said(&done).contains("who: seal, 7 B"), "{}", said(&done));
}

#[test]
fn a_time_that_cannot_be_is_refused() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "aa", 0);
    definition(root.path(), "\"seal\"", &["one", "two"]);
    let script = root.path().join("bench/engines/two/engine.sh");
    let honest = std::fs::read_to_string(&script).unwrap();
    // No run takes so long as these say, and none takes no time.
    for time in ["0", "9900000000000", "18446744073709551616"] {
        std::fs::write(&script, honest.replace("$((19000000 + runs - runs * jitter % 9000000))", time)).unwrap();
        let record = root.path().join("record.json");
        let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
        assert!(!done.status.success(), "{time}: {}", said(&done));
        let record = sealstone_bench::record::Record::read(&record).unwrap();
        assert!(record.results[0].contenders[1].error.is_some(), "{time}");
    }
}

#[test]
fn an_engine_that_dies_is_named() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "aa", 3);
    definition(root.path(), "\"seal\"", &["one", "two"]);
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(!done.status.success());
    assert!(said(&done).contains("two: it ended without an answer"), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    let contenders = &record.results[0].contenders;
    assert_eq!(contenders[0].samples.len(), 5, "the other is measured all the same");
    assert!(contenders[1].samples.is_empty() && contenders[1].error.is_some());
}

#[test]
fn an_engine_that_may_fail_fails_no_run() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "aa", 3);
    definition(root.path(), "\"seal\"", &["one", "two"]);
    let path = root.path().join("bench/definitions/who.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{toml}may_fail = true\n")).unwrap();
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(done.status.success() && said(&done).contains("two: it ended without an answer"), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    assert!(record.results[0].contenders[1].error.is_some());
}

#[test]
fn an_engine_that_cannot_be_built_is_skipped_and_said_or_an_error() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    engine(root.path(), "two", "aa", 0);
    let path = root.path().join("bench/engines/two/engine.toml");
    let toml = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("needs = [\"no-such-program\"]\nmissing = \"nobody sells it\"\n{toml}")).unwrap();
    definition(root.path(), "\"seal\"", &["one", "two"]);
    let record = root.path().join("record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(done.status.success(), "{}", said(&done));
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    assert_eq!(record.results[0].contenders.len(), 1);
    let why = "no-such-program is not installed: nobody sells it";
    assert_eq!(record.engines["two"].skipped.as_deref(), Some(why));
    let done = bench(root.path(), &["run", "--strict", "--output", "/dev/null"]);
    assert!(!done.status.success() && said(&done).contains(why), "{}", said(&done));
}

#[test]
fn definitions_that_make_no_sense_are_refused() {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "one", "aa", 0);
    definition(root.path(), "\"seal\"", &["one"]);
    let path = root.path().join("bench/definitions/who.toml");
    let good = std::fs::read_to_string(&path).unwrap();
    for (from, to, why) in [
        ("reference = \"one\"", "reference = \"nobody\"", "is no contender"),
        ("1 KB", "1 kilo", "is no size"),
        ("check = \"digest\"", "check = \"digest\"\nrepetitions = 3", "less than 5"),
        ("check = \"digest\"", "check = \"digest\"\niterations = 0", "without iterations"),
        ("check = \"digest\"", "check = \"digest\"\nspeed = 3", "speed"),
        ("check = \"digest\"", "check = \"digest\"\nexchange = [\"open\"]", "is no operation here"),
        ("\"seal\"", "", "no operation"),
    ] {
        std::fs::write(&path, good.replace(from, to)).unwrap();
        let done = bench(root.path(), &["list"]);
        assert!(!done.status.success() && said(&done).contains(why), "{why}: {}", said(&done));
    }
}

#[test]
fn what_a_run_measured_before_it_was_ended_is_not_measured_again() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    engine(root.path(), "one", "aa", 0);
    // Its output is wrong in the second definition, as long as a file that git does not know says so.
    engine(root.path(), "two", "aa", 0);
    let script = path("bench/engines/two/engine.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    let digest =
        format!("ready digest=$(case $rest in open*) cat {};; *) echo aa;; esac)", path("target/digest").display());
    std::fs::write(&script, text.replace("ready digest=aa", &digest)).unwrap();
    definition(root.path(), "\"open\"", &["one", "two"]);
    std::fs::rename(path("bench/definitions/who.toml"), path("bench/definitions/why.toml")).unwrap();
    definition(root.path(), "\"seal\"", &["one", "two"]);
    std::fs::write(path(".gitignore"), "target\n*.runs\n").unwrap();
    git(root.path(), &["init", "--quiet"]);
    git(root.path(), &["add", "."]);
    git(root.path(), &["commit", "--quiet", "--message", "all"]);

    std::fs::create_dir(path("target")).unwrap();
    std::fs::write(path("target/digest"), "bb").unwrap();
    let done = bench(root.path(), &["run"]);
    assert!(!done.status.success() && said(&done).contains("why, open: outputs differ"), "{}", said(&done));
    let unfinished = path("target/bench-unfinished-default.json");
    let mut kept = sealstone_bench::record::Record::read(&unfinished).unwrap();
    assert_eq!(kept.results.len(), 1, "what was measured is there");
    kept.results[0].contenders[0].samples[0].wall_ns = 123;
    kept.write(&unfinished).unwrap();

    std::fs::write(path("target/digest"), "aa").unwrap();
    let record = path("target/record.json");
    let done = bench(root.path(), &["run", "--output", record.to_str().unwrap()]);
    assert!(
        done.status.success() && said(&done).contains("who: the run that was ended has measured it"),
        "{}",
        said(&done)
    );
    let record = sealstone_bench::record::Record::read(&record).unwrap();
    assert_eq!(record.results.iter().map(|outcome| &outcome.definition[..]).collect::<Vec<_>>(), ["who", "why"]);
    assert_eq!(record.results[0].contenders[0].samples[0].wall_ns, 123);
    assert!(!unfinished.exists());

    // Of a tree with changes nobody knows what was measured.
    kept.write(&unfinished).unwrap();
    std::fs::write(path("changed"), "").unwrap();
    let done = bench(root.path(), &["run"]);
    assert!(done.status.success() && !said(&done).contains("has measured it"), "{}", said(&done));

    // What is archived has no samples, of which the target directory has all.
    let text = std::fs::read_to_string(path("target/bench-record.json")).unwrap();
    assert!(text.contains("wall_ns"), "{text}");
    let found = std::fs::read_dir(path("bench/record")).unwrap().map(|machine| machine.unwrap().path());
    let dates = found.flat_map(|machine| std::fs::read_dir(machine).unwrap()).map(|date| date.unwrap().path());
    let archived = std::fs::read_to_string(dates.last().unwrap().join("default.json")).unwrap();
    assert!(archived.contains("\"rounds\": 5") && !archived.contains("wall_ns"), "{archived}");
}
