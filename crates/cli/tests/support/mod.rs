//! What the tests of the command line share: folders to work in, a shell that knows `sealstone`, and tools that may be
//! missing.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fmt;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

pub(crate) mod chance;

/// The binary under test.
pub(crate) const SEALSTONE: &str = env!("CARGO_BIN_EXE_sealstone");

/// The folder that holds everything: of this repository, wherever it is.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/cli is two below").to_path_buf()
}

/// A folder of its own for one test, with keys in it:
///
/// - `alice.key`, `alice.txt`: a hybrid identity and its recipient;
/// - `bob.key`, `bob.txt`: an x25519 identity and its recipient;
/// - `shared.key`: a symmetric key;
/// - `pass.txt`: a passphrase.
///
/// HOME is a folder that does not exist, so that no key is found by itself.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self::empty();
        for (name, content) in keys() {
            let path = sandbox.write(name, content);
            let mode = if ["alice.txt", "bob.txt"].contains(&name.as_str()) { 0o644 } else { 0o600 };
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        }
        sandbox
    }

    fn empty() -> Self {
        Self { folder: tempfile::Builder::new().prefix("sealstone-test-").tempdir().unwrap() }
    }

    /// A name in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names in a folder below, sorted, hidden ones too.
    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(below)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A folder with nothing in it.
    pub(crate) fn make_folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).unwrap();
        path
    }

    /// A program that runs in this folder, knows `sealstone`, and has nothing else of the user's environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        // Signals that whoever runs the tests ignores, as a shell does for what runs in the background, would stay so.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP,QUIT", program]);
        let own = Path::new(SEALSTONE).parent().unwrap().display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        command.current_dir(self.folder()).env_clear().env("PATH", format!("{own}:{own}/examples:{path}"));
        command.env("HOME", self.path("home")).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
        // A suite that runs on a forced backend does so in the programs that it starts too.
        command.envs(std::env::var_os("SEALSTONE_BACKEND").map(|backend| ("SEALSTONE_BACKEND", backend)));
        command
    }

    /// `sealstone` with arguments that are divided at spaces.
    pub(crate) fn sealstone(&self, arguments: &str) -> Command {
        let mut command = self.command(SEALSTONE);
        command.args(arguments.split(' ').filter(|argument| !argument.is_empty()));
        command
    }

    /// Runs `sealstone` to its end.
    pub(crate) fn run(&self, arguments: &str) -> Done {
        self.sealstone(arguments).output().unwrap().into()
    }

    /// Runs a line of shell to its end.
    pub(crate) fn sh(&self, line: &str) -> Done {
        self.command("sh").args(["-c", line]).output().unwrap().into()
    }

    /// Runs a line of shell that must succeed; returns what it printed.
    pub(crate) fn ok(&self, line: &str) -> String {
        let done = self.sh(line);
        assert_eq!(done.status, Some(0), "{line}: {done}");
        done.stdout
    }
}

/// The files that every sandbox has, made once for each test program.
fn keys() -> &'static [(String, Vec<u8>)] {
    static KEYS: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let made = Sandbox::empty();
        for (name, kind) in [("alice", "hybrid"), ("bob", "x25519")] {
            made.ok(&format!("sealstone keygen -q --kind {kind} -o {name}.key"));
            made.ok(&format!("sealstone recipients {name}.key > {name}.txt"));
        }
        made.ok("sealstone keygen -q --kind key -o shared.key");
        made.write("pass.txt", "correct horse\n");
        made.names("").into_iter().map(|name| (name.clone(), made.read(&name))).collect()
    })
}

/// How a program ended.
pub(crate) struct Done {
    /// Its exit status, if it was not ended by a signal.
    pub(crate) status: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) bytes: Vec<u8>,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, signal, stdout, stderr, .. } = self;
        let stdout: String = stdout.chars().take(2000).collect();
        write!(f, "status {status:?}, signal {signal:?}\nstdout: {stdout}\nstderr: {stderr}")
    }
}

/// Whether a tool is there. Where it is not the test says so and ends, and on a machine that must have it it fails.
pub(crate) fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()) || skip(&format!("there is no {tool}"))
}

/// Whether this process may do everything, as changing the user needs.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root() || skip("this needs root")
}

/// Says that a test did not run; `false`. With CI=true that is a failure.
pub(crate) fn skip(why: &str) -> bool {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    skip_in_ci_too(why)
}

/// The same for a program that takes longer to build than continuous integration may wait: there, too, the test is listed only.
pub(crate) fn skip_in_ci_too(why: &str) -> bool {
    println!("skipped: {why}");
    // A test that passes is not heard: `make test` shows this file at its end.
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped.txt");
    let list = std::fs::OpenOptions::new().create(true).append(true).open(list);
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    writeln!(list.unwrap(), "{test}: {why}").unwrap();
    false
}

/// Bytes that do not repeat soon and are the same in every run.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// Python with the libraries of `vectors/requirements.txt`.
pub(crate) fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let folder = target().join("oracle-venv");
        let python = folder.join("bin/python");
        let requirements = repository().join("vectors/requirements.txt");
        let works = || run(Command::new(&python).args(["-c", "import cryptography.hazmat.primitives.hpke, gmssl_pyx"]));
        let made = works()
            || (run(Command::new("python3").arg("-m").arg("venv").arg(&folder))
                && run(Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(&requirements))
                && works());
        made.then_some(python)
    });
    if made.is_none() {
        skip("no Python with the libraries of vectors/requirements.txt");
    }
    made.clone()
}

/// Asserts that the plugin for tests stands in PATH, and that it is of these sources. It is an example, which cargo builds with all tests,
/// but not where somebody asks for one test program.
pub(crate) fn require_plugin() {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built = modified(&Path::new(SEALSTONE).with_file_name("examples").join("age-plugin-sealtest"));
    let source = modified(&repository().join("crates/cli/examples/age-plugin-sealtest.rs"));
    assert!(
        source.is_some() && built >= source,
        "the plugin for tests is not there, or older than its source: cargo build --workspace --examples"
    );
}

/// The folder of the build.
pub(crate) fn target() -> PathBuf {
    // target/debug/sealstone
    Path::new(SEALSTONE).ancestors().nth(2).expect("the binary stands in a target folder").to_path_buf()
}

/// Whether a program ends well.
pub(crate) fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Runs a program in Python.
pub(crate) fn run_python(python: &Path, sandbox: &Sandbox, program: &str, arguments: &[String]) -> Done {
    let mut command = sandbox.command(python.to_str().unwrap());
    command.args(["-c", program]).args(arguments).output().unwrap().into()
}
