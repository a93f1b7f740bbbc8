//! The C library as its users have it: packed, compiled against and linked, from C11 and from C++17, with the archive and with the shared
//! library.
//!
//! The crate has no Rust library, so `cargo test -p sealstone-c` builds none: `cargo build -p sealstone-c` before it does, and so does
//! `make graph`. Programs that run are `vectors.c`, `families.c`, `misuse.c`, and `everything.c`, which is written here of the header.

mod header;

use header::Header;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// A language, by its compiler.
#[derive(Clone, Copy)]
enum Language {
    C,
    Cpp,
}
use Language::{C, Cpp};

/// A library that a program is linked with.
#[derive(Clone, Copy)]
enum Library {
    Archive,
    Shared,
}
use Library::{Archive, Shared};

#[test]
fn the_libraries_export_what_the_header_declares_and_nothing_else() {
    let Some(packed) = packed() else { return };
    let declared: BTreeSet<String> = Header::read().functions().map(|function| function.name.clone()).collect();
    assert!(declared.len() > 300, "{}", declared.len());
    let shared = ["-D", "--defined-only"];
    for (options, library) in [(&shared[..], "libsealstone.so"), (&["-g", "--defined-only"], "libsealstone.a")] {
        let listed = text(Command::new("nm").args(options).arg(packed.join("lib").join(library)));
        let exported = listed.lines().filter_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [_, kind, name] if !["W", "V", "w", "v"].contains(&kind) => Some(name.to_owned()),
            _ => None,
        });
        let exported: BTreeSet<String> = exported.collect();
        let (missing, extra) = (declared.difference(&exported), exported.difference(&declared));
        let faults: Vec<_> = missing.map(|name| format!("lacks {name}")).collect();
        let faults: Vec<_> = faults.into_iter().chain(extra.map(|name| format!("exports {name}"))).collect();
        assert!(faults.is_empty(), "{library} {}", faults.join(", "));
    }
}

#[test]
fn the_shared_library_says_the_number_of_its_interface() {
    let Some(packed) = packed() else { return };
    let listed = text(Command::new("objdump").arg("-p").arg(packed.join("lib/libsealstone.so")));
    let name = listed.lines().find_map(|line| line.trim().strip_prefix("SONAME")).map(str::trim);
    assert_eq!(name, Some(&*format!("libsealstone.so.{}", abi())));
    let version = text(pkg_config(&packed).args(["--modversion", "sealstone"]));
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
}

/// The number of the binary interface: of versions before 1.0 two parts, and then one.
fn abi() -> String {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    if major == "0" { format!("0.{minor}") } else { major.to_owned() }
}

const TWICE: &str = "#include <sealstone.h>
#include <sealstone.h>
#include <stdio.h>
int main(void) { return puts(sealstone_abi()) < 0; }
";

#[test]
fn the_header_alone_is_c_and_cpp_and_may_be_included_twice() {
    let Some(packed) = packed() else { return };
    let source = folder("twice").join("twice.c");
    fs::write(&source, TWICE).unwrap();
    for (language, library) in [(C, Archive), (C, Shared), (Cpp, Archive), (Cpp, Shared)] {
        let program = built(&packed, &[&source], "twice", language, library, &[]);
        assert_eq!(ran(&packed, &program, &[]).trim(), abi());
    }
}

#[test]
fn every_function_refuses_nothing_and_none_calls_it_a_bug() {
    let Some(packed) = packed() else { return };
    let folder = folder("everything");
    let source = folder.join("everything.c");
    fs::write(&source, Header::read().everything()).unwrap();
    let program = built(&packed, &[&source], "everything", C, Shared, &[]);
    let said = run_in(&packed, &program, &folder, &[]);
    println!("{said}");
    built(&packed, &[&source], "everything", Cpp, Shared, &["-fsyntax-only"]);
}

/// The first way, and before a release all: the answers take seconds, and neither the language nor the library changes them.
fn ways(all: &[(Language, Library)]) -> &[(Language, Library)] {
    let is_exhaustive = std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some_and(|value| value == "1");
    if is_exhaustive { all } else { &all[..1] }
}

#[test]
fn every_vector_gives_its_answer() {
    let Some(packed) = packed() else { return };
    for &(language, library) in ways(&[(C, Archive), (Cpp, Shared)]) {
        let program = built(&packed, &[&tests().join("vectors.c")], "vectors", language, library, &[]);
        println!("{}", ran(&packed, &program, &[repository().join("vectors").to_str().unwrap()]));
    }
}

#[test]
fn every_family_gives_known_answers() {
    let Some(packed) = packed() else { return };
    for &(language, library) in ways(&[(Cpp, Shared), (C, Archive)]) {
        let program = built(&packed, &[&tests().join("families.c")], "families", language, library, &[]);
        println!("{}", run_in_a_folder(&packed, &program, "families"));
    }
}

#[test]
fn misuse_is_told_or_works() {
    let Some(packed) = packed() else { return };
    for (language, library) in [(C, Archive), (Cpp, Shared)] {
        let program = built(&packed, &[&tests().join("misuse.c")], "misuse", language, library, &["-pthread"]);
        println!("{}", run_in_a_folder(&packed, &program, "misuse"));
    }
}

#[test]
fn another_archive_of_rust_may_be_in_the_same_program() {
    let Some(packed) = packed() else { return };
    let (folder, sources) = (folder("two_archives"), tests().join("two_archives"));
    let archive = folder.join("libother.a");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let mut other = Command::new(rustc);
    other.args(["--edition", "2024", "--crate-type", "staticlib", "-C", "panic=abort", "-o"]).arg(&archive);
    done(other.arg(sources.join("other.rs")));
    // With all members of both, since a linker would take those of one alone that both have.
    let [all, needed] = ["-Wl,--whole-archive", "-Wl,--no-whole-archive"].map(Path::new);
    let inputs = [&*sources.join("main.c"), all, &*archive, &*packed.join("lib/libsealstone.a"), needed];
    let program = built(&packed, &inputs, "two_archives", C, Archive, &[]);
    assert_eq!(ran(&packed, &program, &[]), "the other archive: 4 threads, 10\nsealstone: attack at dawn\n");
}

#[test]
fn the_examples_run() {
    let Some(packed) = packed() else { return };
    let (folder, sources) = (folder("examples"), repository().join("examples/c"));
    let example = |name: &str| {
        let source = sources.join(name).with_extension("c");
        assert!(fs::read_to_string(&source).unwrap().lines().count() < 80, "{name} is no longer short");
        let pthread = if name == "file" { &["-pthread"][..] } else { &[] };
        built(&packed, &[&source], name, C, Shared, pthread)
    };
    let content: Vec<u8> = (0..=250).cycle().take(1_000_000).collect();
    empty(&folder);
    fs::write(folder.join("letter"), &content).unwrap();
    fs::write(folder.join("key"), [7; 32]).unwrap();

    let said = run_in(&packed, &example("file"), &folder, &["letter"]);
    assert!(said.ends_with("1000000 bytes came back\n"), "{said}");
    assert_eq!(fs::read(folder.join("letter.copy")).unwrap(), content);
    assert_ne!(fs::read(folder.join("letter.seal")).unwrap(), content);

    let stream = example("stream");
    let through = |how: &str, from: &[u8]| {
        let mut command = command(&packed, &stream);
        command
            .args([how, "key"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || _ = stdin.write_all(from));
            child.wait_with_output().unwrap()
        })
    };
    let sealed = through("encrypt", &content);
    assert!(sealed.status.success() && sealed.stdout.len() > content.len(), "{}", shown(&sealed));
    let opened = through("decrypt", &sealed.stdout);
    assert!(opened.status.success() && opened.stdout == content, "{}", shown(&opened));
    for broken in [&sealed.stdout[..sealed.stdout.len() - 1], &sealed.stdout[..sealed.stdout.len() / 2], b"no file"] {
        let refused = through("decrypt", broken);
        assert!(!refused.status.success() && !refused.stderr.is_empty(), "{}", shown(&refused));
        assert!(content.starts_with(&refused.stdout), "what was given is authentic");
    }

    let said = ran(&packed, &example("sm4"), &[]);
    assert_eq!(said, "sm4-gcm: attack at dawn\nsm4-cbc: attack at dawn\nsm2: the signature is right\n");
}

#[test]
fn the_code_of_the_guide_and_of_the_readme_compiles() {
    let Some(packed) = packed() else { return };
    let pages = ["docs/guide/c.md", "README.md"].map(|page| fs::read_to_string(repository().join(page)).unwrap());
    let blocks = pages.iter().flat_map(|page| page.split("```c\n").skip(1));
    let blocks: Vec<_> = blocks.map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 4 && pages[1].contains("```c\n"), "{blocks:?}");
    let mut program = String::from("#include <sealstone.h>\n#include <stdio.h>\n");
    for (block, number) in blocks.into_iter().zip(0..) {
        let given = "sealstone_error *error, const uint8_t *key, const uint8_t *iv, const uint8_t *text, \
                     uint8_t *memory, const sealstone_encryptor *encryptor, sealstone_processed done";
        let function = format!("void block_{number}({given})");
        program.extend([&function, ";\n", &function, "\n{\n{\n", block, "}\n}\n"]);
    }
    let source = folder("guide").join("guide.c");
    fs::write(&source, program).unwrap();
    // What a block does not use another one shows.
    built(&packed, &[&source], "guide", C, Shared, &["-fsyntax-only", "-Wno-unused", "-Wno-unused-parameter"]);
}

#[test]
#[ignore = "make test-release"]
fn valgrind_finds_nothing() {
    let Some(packed) = packed().filter(|_| has(&["valgrind"])) else { return };
    for (name, options) in [("families", &[][..]), ("misuse", &["-pthread"])] {
        let program = built(&packed, &[&tests().join(name).with_extension("c")], name, C, Shared, options);
        let folder = folder(&format!("valgrind {name}"));
        done(valgrind(&packed).arg(&program).arg(empty(&folder)));
    }
    // The pairs that `every_vector_gives_its_answer` does not have.
    for (language, library) in [(C, Shared), (Cpp, Archive)] {
        let program = built(&packed, &[&tests().join("vectors.c")], "vectors", language, library, &[]);
        done(valgrind(&packed).arg(&program).arg(repository().join("vectors")));
    }
}

fn valgrind(packed: &Path) -> Command {
    let mut command = command(packed, Path::new("valgrind"));
    command.args(["--quiet", "--error-exitcode=1", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
    command.args(["--errors-for-leak-kinds=definite,indirect", "--trace-children=no"]);
    command
}

#[test]
#[ignore = "make test-release"]
fn sanitizers_find_nothing() {
    let Some(packed) = packed() else { return };
    let vectors = repository().join("vectors");
    for sanitizer in ["address", "undefined"] {
        let options =
            [&*format!("-fsanitize={sanitizer}"), "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-pthread"];
        for name in ["families", "misuse", "vectors"] {
            let program = built(&packed, &[&tests().join(name).with_extension("c")], name, C, Archive, &options);
            let folder = folder(&format!("{sanitizer} {name}"));
            let given = if name == "vectors" { vectors.clone() } else { empty(&folder).to_path_buf() };
            done(
                command(&packed, &program).arg(given).env("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1"),
            );
        }
    }
}

/* ---- Building and running ---- */

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("bindings/c is two below").to_path_buf()
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A folder for one test, or for one program.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c tests").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The same with nothing in it.
fn empty(folder: &Path) -> &Path {
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir(folder).unwrap();
    folder
}

/// The library, packed once for all tests; nothing where a tool is missing.
fn packed() -> Option<PathBuf> {
    static PACKED: OnceLock<PathBuf> = OnceLock::new();
    let cc = words("CC", "cc");
    let is_there = has(&[&cc[0], &words("CXX", "c++")[0], "pkg-config", "ld", "objcopy", "objdump", "ar", "nm"]);
    is_there.then(|| PACKED.get_or_init(pack).clone())
}

fn pack() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    // target/debug/deps/c-0123456789abcdef
    let from = own.ancestors().nth(2).expect("a test stands in a target folder");
    require_built(from);
    let to = folder("packed");
    done(Command::new("sh").arg(repository().join("bindings/c/pack.sh")).arg(from).arg(&to));
    to
}

/// Asserts that the libraries are of these sources, which the file beside them lists.
fn require_built(folder: &Path) {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let listed = fs::read_to_string(folder.join("libsealstone_c.d")).unwrap_or_default();
    let sources = listed.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, sources)| sources);
    // A space in a name has a backslash before it.
    let sources = sources.replace("\\ ", "\u{0}");
    let sources: Vec<_> = sources.split(' ').map(|path| PathBuf::from(path.replace('\u{0}', " "))).collect();
    let is_new = |library: &str| {
        let built = modified(&folder.join(library));
        built.is_some() && sources.iter().all(|source| modified(source).is_some() && built >= modified(source))
    };
    assert!(
        sources.len() > 100 && is_new("libsealstone_c.a") && is_new("libsealstone_c.so"),
        "the C library is not there, or older than its sources: cargo build -p sealstone-c, or make graph"
    );
}

/// The words of a variable that names a program, such as `ccache cc`.
fn words(variable: &str, otherwise: &str) -> Vec<String> {
    let named = std::env::var(variable).unwrap_or_default();
    let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() { vec![otherwise.to_owned()] } else { words }
}

/// Whether tools are there. Where one is not the test says so and ends, and with CI=true it fails.
fn has(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |tool: &str| {
        Path::new(tool).is_absolute() || std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
    };
    let Some(missing) = tools.iter().find(|tool| !is_there(tool)) else { return true };
    let why = format!("there is no {missing}");
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    println!("skipped: {why}");
    // A test that passes is not heard: `make test` shows this file at its end.
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped.txt");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    writeln!(File::options().create(true).append(true).open(list).unwrap(), "{test}: {why}").unwrap();
    false
}

fn pkg_config(packed: &Path) -> Command {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", packed.join("lib/pkgconfig"));
    command
}

/// Compiles a program as pkg-config says, and links it. Of the archive and the shared library a linker takes the latter, so a program with
/// the archive has a folder of that alone.
fn built(
    packed: &Path,
    sources: &[&Path],
    name: &str,
    language: Language,
    library: Library,
    options: &[&str],
) -> PathBuf {
    let (variable, compiler, standard) = match language {
        C => ("CC", "cc", vec!["-std=c11"]),
        Cpp => ("CXX", "c++", vec!["-std=c++17", "-x", "c++"]),
    };
    let is_static = matches!(library, Archive);
    let mut how = format!("{standard:?}{is_static}{options:?}");
    how.retain(|letter| letter.is_ascii_alphanumeric());
    let program = folder("programs").join(format!("{name}-{how}"));
    let said = |options: &[&str]| {
        let mut command = pkg_config(&packed_with(packed, library));
        let said = text(command.args(options).arg("sealstone"));
        // The folders of this machine may have spaces, which pkg-config writes with a backslash.
        let said = said.trim().replace("\\ ", "\u{0}");
        said.split(' ').map(|word| word.replace('\u{0}', " ")).filter(|word| !word.is_empty()).collect::<Vec<_>>()
    };
    let compiler = words(variable, compiler);
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]).args(WARNINGS).arg("-g").args(options).arg("-I").arg(tests());
    command.args(said(&["--cflags"])).args(standard).args(sources);
    command.args(["-x", "none"]).arg("-o").arg(&program);
    command.args(said(if is_static { &["--static", "--libs"] } else { &["--libs"] }));
    done(&mut command);
    program
}

/// The prefix for a library: with the archive alone, or with both.
fn packed_with(packed: &Path, library: Library) -> PathBuf {
    static ALONE: OnceLock<PathBuf> = OnceLock::new();
    if matches!(library, Shared) {
        return packed.to_path_buf();
    }
    let alone = ALONE.get_or_init(|| {
        let alone = folder("packed with the archive alone");
        for name in ["include/sealstone.h", "lib/libsealstone.a", "lib/pkgconfig/sealstone.pc"] {
            let to = alone.join(name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(packed.join(name), to).unwrap();
        }
        alone
    });
    alone.clone()
}

/// A program that finds the shared library.
fn command(packed: &Path, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", packed.join("lib")).stdin(Stdio::null());
    command
}

fn run_in(packed: &Path, program: &Path, folder: &Path, arguments: &[&str]) -> String {
    text(command(packed, program).args(arguments).current_dir(folder))
}

/// Runs a program with an empty folder, which it names.
fn run_in_a_folder(packed: &Path, program: &Path, name: &str) -> String {
    let folder = folder(&format!("files of {name}"));
    text(command(packed, program).arg(empty(&folder)))
}

fn ran(packed: &Path, program: &Path, arguments: &[&str]) -> String {
    text(command(packed, program).args(arguments))
}

/// Runs a program that succeeds; returns what it printed.
fn text(command: &mut Command) -> String {
    String::from_utf8(done(command).stdout).unwrap()
}

fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", shown(&output));
    output
}

fn shown(Output { status, stdout, stderr }: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(20_000)]).into_owned();
    format!("{status}\n{}\n{}", text(stdout), text(stderr))
}
