//! Terminals: what is asked there, what is not written there, and how they are left.

mod support;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::chance::{wait_saying, wait_until};
use support::{Sandbox, has, noise, repository};

/// A terminal with one program on it.
struct Terminal {
    /// What a person types goes in here.
    keyboard: File,
    line: File,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    child: Child,
}

impl Terminal {
    /// Runs a line of shell on a terminal of its own; `None` where that is not possible.
    fn run(sandbox: &Sandbox, line: &str) -> Option<Self> {
        if !has("setsid") {
            return None;
        }
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let name = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let open = || File::options().read(true).write(true).open(name).unwrap();
        let mut command: Command = sandbox.command("setsid");
        // A session of its own, whose terminal this is: passphrases are asked on /dev/tty.
        command
            .args(["-c", "sh", "-c", line])
            .stdin(Stdio::from(open()))
            .stdout(Stdio::from(open()))
            .stderr(Stdio::from(open()));
        let line = open();
        let child = command.spawn().unwrap();
        drop(command);
        let keyboard = File::from(keyboard);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let (mut screen, shown) = (keyboard.try_clone().unwrap(), Arc::clone(&shown));
            move || {
                let mut buffer = [0; 4096];
                while let Ok(n @ 1..) = screen.read(&mut buffer) {
                    shown.lock().unwrap().extend_from_slice(&buffer[..n]);
                }
            }
        });
        Some(Self { keyboard, line, shown, reader, child })
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    fn echoes(&self) -> bool {
        tcgetattr(&self.line).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// Waits until something is shown.
    fn expect(&self, text: &str) {
        self.wait(&format!("the terminal shows {text:?}"), || self.shown().contains(text));
    }

    /// Waits for a question, and for the echo to be off: a person does not type before either.
    fn asked(&self, question: &str) {
        self.expect(question);
        self.wait("the echo is off", || !self.echoes());
    }

    fn wait(&self, what: &str, happened: impl Fn() -> bool) {
        wait_saying(|| format!("{what}: {:?}", self.shown()), happened);
    }

    /// Writes to a FIFO, on a thread: half of the bytes at once, then little by little until the terminal shows what is told, then the
    /// rest. Little by little they take seconds: there is a bar after less than one.
    fn feed(&self, fifo: PathBuf, bytes: Vec<u8>, until: &'static str) -> JoinHandle<()> {
        let shown = Arc::clone(&self.shown);
        std::thread::spawn(move || {
            let mut fifo = File::options().write(true).open(fifo).unwrap();
            let (first, rest) = bytes.split_at(bytes.len() / 2);
            fifo.write_all(first).unwrap();
            let mut pieces = rest.chunks(16_384);
            wait_until("a FIFO is read", || {
                let piece = pieces.next().unwrap_or_default();
                fifo.write_all(piece).unwrap();
                piece.is_empty() || String::from_utf8_lossy(&shown.lock().unwrap()).contains(until)
            });
            pieces.for_each(|piece| fifo.write_all(piece).unwrap());
        })
    }

    fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// The exit status, whether the terminal echoes, and all that it showed.
    fn end(mut self) -> (Option<i32>, bool, String) {
        let status = self.child.wait().unwrap().code();
        let echoes = self.echoes();
        // When nobody has the terminal open, its reader sees the end.
        drop(self.line);
        self.reader.join().unwrap();
        let shown = String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned();
        (status, echoes, shown)
    }
}

#[test]
fn a_passphrase_is_asked_for_twice_without_echo_and_once_to_decrypt() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone encrypt -p -o out.seal alice.txt") else { return };
    terminal.asked("New passphrase for the file: ");
    terminal.types("correct horse\n");
    terminal.expect("Repeat the passphrase: ");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct horse\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert!(!shown.contains("horse"), "{shown}");

    let mut terminal = Terminal::run(&sandbox, "exec sealstone decrypt -p -o out out.seal").unwrap();
    terminal.asked("Passphrase for the file: ");
    terminal.types("correct horse\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert!(!shown.contains("horse") && !shown.contains("again"), "{shown}");
    assert_eq!(sandbox.read("out"), sandbox.read("alice.txt"));
}

#[test]
fn two_different_passphrases_are_refused() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone encrypt -p -o out.seal alice.txt") else { return };
    terminal.asked("New passphrase for the file: ");
    terminal.types("correct horse\n");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct house\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(2), true), "{shown}");
    assert!(shown.contains("sealstone: error: the two passphrases differ [usage]"), "{shown}");
    assert!(!sandbox.path("out.seal").exists());
}

#[test]
fn an_empty_passphrase_is_refused_on_a_terminal() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone encrypt -p --passphrase-file pass.txt -o there.seal alice.txt");
    for (arguments, question) in [
        ("encrypt -p -o out alice.txt", "assphrase for the"),
        ("decrypt -p -o out there.seal", "assphrase for the"),
        ("keygen -p -o out", "assphrase for the"),
        ("kdf -a argon2id --salt-hex 00112233445566778899aabbccddeeff", "Password for the key"),
    ] {
        let Some(mut terminal) = Terminal::run(&sandbox, &format!("exec sealstone {arguments}")) else { return };
        terminal.asked(question);
        terminal.types("\n");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(2), true), "{arguments}: {shown}");
        assert!(shown.contains("[invalid_passphrase]"), "{arguments}: {shown}");
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn each_file_that_the_passphrases_so_far_do_not_open_is_asked_about_once() {
    let sandbox = Sandbox::new();
    sandbox.write("other.txt", "other horse\n");
    for (name, pass) in [("a", "pass.txt"), ("b", "other.txt"), ("c", "pass.txt"), ("d", "other.txt")] {
        sandbox.ok(&format!(
            "echo {name} > {name}; sealstone encrypt -p --passphrase-file {pass} -o {name}.seal {name}; rm {name}"
        ));
    }
    let all = "a.seal b.seal c.seal d.seal";
    for (command, first) in [("decrypt", "a.seal"), ("decrypt -p", "the file"), ("verify", "a.seal")] {
        // Those of the two passphrases are tried on what follows.
        let Some(mut terminal) = Terminal::run(&sandbox, &format!("exec sealstone {command} --force {all}")) else {
            return;
        };
        terminal.asked(&format!("Passphrase for {first}: "));
        terminal.types("correct horse\n");
        terminal.asked("Passphrase for b.seal: ");
        terminal.types("other horse\n");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(0), true), "{command}: {shown}");
        assert_eq!(shown.matches("Passphrase for").count(), 2, "{command}: {shown}");
        assert!(!shown.contains("wrong"), "{command}: {shown}");

        // A slip costs one file, and nobody is asked twice about one.
        let line = format!("exec sealstone {command} --force {all}");
        let mut terminal = Terminal::run(&sandbox, &line).unwrap();
        terminal.asked(&format!("Passphrase for {first}: "));
        terminal.types("slip\n");
        terminal.asked("Passphrase for b.seal: ");
        terminal.types("slip\n");
        terminal.asked("Passphrase for c.seal: ");
        terminal.types("correct horse\n");
        terminal.asked("Passphrase for d.seal: ");
        terminal.types("other horse\n");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(5), true), "{command}: {shown}");
        assert_eq!(shown.matches("Passphrase for").count(), 4, "{command}: {shown}");
        for name in ["a.seal", "b.seal"] {
            assert!(shown.contains(&format!("error: {name}: wrong passphrase")), "{command}: {shown}");
        }
        assert!(shown.contains("2 of 4 files failed"), "{command}: {shown}");
    }
    for name in ["a", "b", "c", "d"] {
        assert_eq!(sandbox.read(name), format!("{name}\n").as_bytes());
    }

    let line = format!("exec sealstone rewrap -r alice.txt --replace {all}");
    let mut terminal = Terminal::run(&sandbox, &line).unwrap();
    terminal.asked("Passphrase for a.seal: ");
    terminal.types("correct horse\n");
    terminal.asked("Passphrase for b.seal: ");
    terminal.types("other horse\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    sandbox.ok(&format!("sealstone verify -i alice.key {all}"));
}

#[test]
fn a_passphrase_from_a_source_is_tried_on_all_and_nobody_is_asked() {
    let sandbox = Sandbox::new();
    sandbox.write("other.txt", "other horse\n");
    sandbox.ok("for n in a c; do echo $n > $n; sealstone encrypt -p --passphrase-file pass.txt $n; done");
    sandbox.ok("echo b > b; sealstone encrypt -p --passphrase-file other.txt b");
    let line = "exec sealstone verify --passphrase-file pass.txt a.seal b.seal c.seal";
    let Some(terminal) = Terminal::run(&sandbox, line) else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(5), "{shown}");
    assert!(!shown.contains("Passphrase for") && shown.contains("b.seal: wrong passphrase"), "{shown}");
    assert!(shown.contains("a.seal: authentic") && shown.contains("c.seal: authentic"), "{shown}");
}

#[test]
fn no_answer_is_no_passphrase() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone encrypt -p -o out alice.txt") else { return };
    terminal.asked("New passphrase for the file: ");
    terminal.types("\u{4}");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(2), true), "{shown}");
    assert!(shown.ends_with(": \r\nsealstone: error: no passphrase was entered for the file [usage]\r\n"), "{shown:?}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn the_echo_is_back_after_a_signal() {
    let sandbox = Sandbox::new();
    for signal in ["^C", "INT", "TERM", "HUP"] {
        let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone encrypt -p -o out alice.txt") else { return };
        terminal.asked("New passphrase for the file: ");
        if signal == "^C" {
            terminal.types("corr\u{3}");
        } else {
            sandbox.ok(&format!("kill -{signal} {}", terminal.child.id()));
        }
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(130), true), "{signal}: {shown}");
        assert!(!shown.contains("corr"), "{signal}: {shown}");
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn an_identity_file_is_sealed_and_opened_on_a_terminal() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone keygen -p -o id.txt") else { return };
    terminal.asked("New passphrase for the identity file: ");
    terminal.types("correct horse\n");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct horse\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    let mut terminal = Terminal::run(&sandbox, "exec sealstone recipients id.txt").unwrap();
    terminal.asked("Passphrase for id.txt: ");
    terminal.types("correct horse\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("age1pq1"), "{shown}");
}

#[test]
fn a_name_in_a_question_is_escaped() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q -p --passphrase-file pass.txt -o \"$(printf 'id\\033[31m')\"");
    let line = "exec sealstone recipients \"$(printf 'id\\033[31m')\"";
    let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
    terminal.asked("Passphrase for id\\u{1b}[31m: ");
    terminal.types("correct horse\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn a_new_pem_identity_is_encrypted_with_a_passphrase_that_is_asked_for_twice() {
    let sandbox = Sandbox::new();
    let line = "exec sealstone keygen -p --kind p256 -o key";
    let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
    terminal.asked("New passphrase for the identity file: ");
    terminal.types("correct horse\n");
    terminal.expect("Repeat the passphrase: ");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct horse\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert!(!shown.contains("horse") && shown.contains("next: sealstone recipients key > me.pub"), "{shown}");
    assert_eq!(shown.matches("assphrase for").count(), 1, "{shown}");
    assert!(sandbox.read("key").starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    sandbox.ok("sealstone recipients --passphrase-file pass.txt key > me.pub");
    let fingerprint = sandbox.ok("sealstone key fingerprint me.pub | cut -d' ' -f1");
    assert!(shown.contains(fingerprint.trim()), "{shown}: {fingerprint}");

    let mut terminal = Terminal::run(&sandbox, "exec sealstone keygen -p --kind p256 -o other").unwrap();
    terminal.asked("New passphrase for the identity file: ");
    terminal.types("correct horse\n");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct house\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(2), true), "{shown}");
    assert!(!sandbox.path("other").exists());
}

#[test]
fn the_passphrase_of_an_encrypted_pem_identity_is_asked_for_once() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind p256 --passphrase-file pass.txt -o one");
    sandbox.ok("sealstone keygen -q --kind p256 --passphrase-file pass.txt -o other; umask 077; cat one other > key");
    sandbox.ok("sealstone recipients --passphrase-file pass.txt other > public");
    sandbox.ok("sealstone encrypt -r public -o out.seal alice.txt; rm one other");
    let line = "exec sealstone decrypt -i key -o out out.seal";
    let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
    terminal.asked("Passphrase for key: ");
    terminal.types("correct horse\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert_eq!(shown.trim(), "Passphrase for key:", "{shown}");
    assert_eq!(sandbox.read("out"), sandbox.read("alice.txt"));

    let mut terminal = Terminal::run(&sandbox, "exec sealstone decrypt -i key -o wrong out.seal").unwrap();
    terminal.asked("Passphrase for key: ");
    terminal.types("correct house\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(3), true), "{shown}");
    assert_eq!(shown.matches("Passphrase for").count(), 1, "{shown}");
    assert!(shown.contains("key: wrong passphrase") && !shown.contains("house"), "{shown}");
    assert!(!sandbox.path("wrong").exists());
}

#[test]
fn the_time_that_a_passphrase_takes_is_not_that_of_the_work() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(20_000_000));
    sandbox.ok("sealstone keygen -q --kind p256 --passphrase-file pass.txt -o key");
    sandbox.ok("sealstone recipients --passphrase-file pass.txt key > public");
    sandbox.ok("sealstone encrypt -r public -o plain.seal plain");
    sandbox.ok("mkfifo fifo");
    let Some(mut terminal) = Terminal::run(&sandbox, "sealstone decrypt -i key -o out < fifo") else { return };
    let feeding = terminal.feed(sandbox.path("fifo"), sandbox.read("plain.seal"), "/s");
    terminal.asked("Passphrase for key: ");
    // It is at least so long, and what the program says is at most what is measured here.
    std::thread::sleep(Duration::from_millis(1500));
    let typed = Instant::now();
    terminal.types("correct horse\n");
    feeding.join().unwrap();
    let (status, echoes, shown) = terminal.end();
    let worked = typed.elapsed().as_secs_f64();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert_eq!(sandbox.read("out"), sandbox.read("plain"));
    // It is there since there was a bar.
    let last = shown.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let seconds = last
        .split_once("sealstone: stdin: 20.02 MB in ")
        .and_then(|(_, rest)| rest.split(' ').next()?.parse::<f64>().ok());
    let seconds = seconds.unwrap_or_else(|| panic!("no result in {shown:?}"));
    assert!(seconds <= worked + 0.1, "{seconds} s of {worked} s: {shown}");
}

#[test]
fn a_passphrase_that_is_changed_is_asked_for_and_the_new_one_twice() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind ml-kem-768 --passphrase-file pass.txt -o key");
    sandbox.ok("sealstone recipients --passphrase-file pass.txt key > public");
    sandbox.write("new.txt", "new horse\n");
    for (line, new, with) in [
        ("exec sealstone key convert --to der -p -o copy key", "New passphrase for the result: ", "copy"),
        ("exec sealstone key passphrase key", "New passphrase for the identity file: ", "key"),
    ] {
        let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
        terminal.asked("Passphrase for key: ");
        terminal.types("correct horse\n");
        terminal.asked(new);
        terminal.types("new horse\n");
        terminal.asked("Repeat the passphrase: ");
        terminal.types("new horse\n");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(0), true), "{line}: {shown}");
        assert!(!shown.contains("horse"), "{line}: {shown}");
        sandbox.ok(&format!("sealstone recipients --passphrase-file new.txt {with} | cmp - public"));
    }
}

#[test]
fn der_is_not_written_to_a_terminal_unless_asked() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind p256 -o key");
    for public in ["", "--public"] {
        let line = format!("exec sealstone key convert --to der {public} key");
        let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(2), "{shown:?}");
        assert!(shown.contains("DER is not written to a terminal [usage]") && !shown.contains("0\u{13}"), "{shown:?}");
        let (status, _, shown) = Terminal::run(&sandbox, &format!("{line} -o -")).unwrap().end();
        // The algorithm identifier: a sequence of 19 bytes.
        assert_eq!(status, Some(0), "{shown:?}");
        assert!(shown.contains("0\u{13}"), "{shown:?}");
    }
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone key convert --to pem --public key").unwrap().end();
    assert_eq!(status, Some(0), "{shown:?}");
    assert!(shown.starts_with("-----BEGIN PUBLIC KEY-----"), "{shown:?}");
}

#[test]
fn ciphertext_is_not_written_to_a_terminal_unless_asked() {
    let sandbox = Sandbox::new();
    let Some(terminal) = Terminal::run(&sandbox, "cat bob.txt | sealstone encrypt -r bob.txt") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(2), "{shown}");
    assert!(shown.contains("sealstone: error: binary output is not written to a terminal [usage]"), "{shown}");
    assert!(shown.contains("-o FILE") && !shown.contains("SEAL\r"), "{shown}");

    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone encrypt -r bob.txt -o - bob.txt").unwrap().end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("SEAL\r"), "{shown}");

    let (status, _, shown) = Terminal::run(&sandbox, "cat bob.txt | sealstone encrypt -r bob.txt -a").unwrap().end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("-----END SEALSTONE FILE-----"), "{shown}");
}

#[test]
fn fise_writes_text_to_a_terminal_and_bytes_only_if_asked() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "{\"fise\": 1}");
    for command in ["encode --bytes", "frames encode"] {
        let line = format!("exec sealstone fise {command} --profile p p");
        let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(2), "{shown}");
        assert!(shown.contains("sealstone: error: binary output is not written to a terminal [usage]"), "{shown}");
    }
    let line = "sealstone fise encode --profile p p > e; sealstone fise encode --profile p p && exec sealstone fise decode --profile p e";
    let (status, _, shown) = Terminal::run(&sandbox, line).unwrap().end();
    assert!(status == Some(0) && shown.ends_with("{\"fise\": 1}"), "{shown:?}");
    for command in ["decode --bytes --profile p e", "frames decode --profile p s"] {
        sandbox.ok("printf 'a\\033[2Jb' > escape; sealstone fise encode --force --bytes --profile p -o e escape");
        sandbox.ok("sealstone fise frames encode --force --profile p -o s escape");
        let line = format!("exec sealstone fise {command}");
        let (status, _, shown) = Terminal::run(&sandbox, &line).unwrap().end();
        assert!(status == Some(2) && !shown.contains('\u{1b}') && shown.contains(" [usage]"), "{shown:?}");
    }
}

#[test]
fn a_named_file_is_sealed_and_opened_beside_itself() {
    let sandbox = Sandbox::new();
    sandbox.write("film", noise(100_000));
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone encrypt -r bob.txt film") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!((status, shown.as_str()), (Some(0), ""));
    sandbox.ok("mv film before");
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone decrypt -i bob.key film.seal").unwrap().end();
    assert_eq!((status, shown.as_str()), (Some(0), ""));
    sandbox.ok("cmp film before; test \"$(stat -c %a film)\" = 600");
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone decrypt -i bob.key film.seal").unwrap().end();
    assert_eq!(status, Some(1), "{shown}");
    assert!(shown.contains("film already exists [output_exists]"), "{shown}");

    // Another name has no ending that could be left out.
    sandbox.ok("cp film.seal film.bin");
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone decrypt -i bob.key film.bin").unwrap().end();
    assert_eq!(status, Some(2), "{shown}");
    assert!(shown.contains("film.bin does not end in .seal, .age or .nkct") && shown.contains("-o FILE"), "{shown}");
}

#[test]
fn input_without_a_name_on_a_terminal_says_what_it_waits_for() {
    let sandbox = Sandbox::new();
    let waits = "sealstone: reading from the terminal";
    for line in [
        "exec sealstone encrypt -r bob.txt -a",
        "exec sealstone encrypt -r bob.txt -o out",
        "exec sealstone verify -i bob.key",
        "exec sealstone inspect",
        "exec sealstone hash",
        "exec sealstone message seal -r bob.txt",
        "exec sealstone encrypt -R - -o out bob.txt",
    ] {
        let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
        terminal.expect(waits);
        terminal.types("age1\n\u{4}");
        terminal.end();
    }
    for line in
        ["exec sealstone encrypt -q -r bob.txt -o quiet", "exec sealstone encrypt -r bob.txt -o empty < /dev/null"]
    {
        let mut terminal = Terminal::run(&sandbox, line).unwrap();
        terminal.types("\u{4}");
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(0), "{line}: {shown}");
        assert!(!shown.contains(waits), "{line}: {shown}");
    }
}

#[test]
fn ciphertext_is_refused_before_a_passphrase_is_asked_for() {
    let sandbox = Sandbox::new();
    let Some(terminal) = Terminal::run(&sandbox, "cat bob.txt | sealstone encrypt -p") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(2), "{shown}");
    assert!(!shown.contains("assphrase"), "{shown}");
}

#[test]
fn plaintext_with_control_characters_is_not_written_to_a_terminal_unless_asked() {
    let sandbox = Sandbox::new();
    for (name, content) in [("escape", "a\u{1b}[2Jb"), ("bell", "a\u{7}b"), ("delete", "a\u{7f}b"), ("null", "a\0b")] {
        sandbox.write(name, content);
        sandbox.ok(&format!("sealstone encrypt -r bob.txt -o {name}.seal {name}"));
        let line = format!("exec sealstone decrypt -i bob.key < {name}.seal");
        let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(2), "{name}: {shown:?}");
        assert!(
            shown.contains("the plaintext is not text, and is not written to a terminal [usage]"),
            "{name}: {shown:?}"
        );
        let (status, _, shown) = Terminal::run(&sandbox, &format!("{line} -o -")).unwrap().end();
        assert_eq!(status, Some(0), "{name}: {shown:?}");
        assert!(shown.contains(content), "{name}: {shown:?}");
    }
}

#[test]
fn the_second_range_of_control_characters_is_not_written_to_a_terminal_either() {
    // U+009B begins a command as ESC [ does, on terminals that know it; the bare byte does so on those without UTF-8.
    let sandbox = Sandbox::new();
    for (name, content) in [("encoded", &b"a\xc2\x9b2Jb"[..]), ("bare", b"a\x9b2Jb")] {
        sandbox.write(name, content);
        sandbox.ok(&format!("sealstone encrypt -r bob.txt -o {name}.seal {name}"));
        let line = format!("exec sealstone decrypt -i bob.key < {name}.seal");
        let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(2), "{name}: {shown:?}");
    }
}

#[test]
fn text_is_written_to_a_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", "a\tb\r\n\u{e9}\u{4e2d}\u{1f600}\n");
    sandbox.ok("sealstone encrypt -r bob.txt -o plain.seal plain");
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone decrypt -i bob.key < plain.seal") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("\u{e9}\u{4e2d}\u{1f600}"), "{shown}");
}

#[test]
fn letters_are_not_torn_at_the_borders_of_chunks() {
    // 16,384 is no multiple of three: a chunk ends within a letter.
    let sandbox = Sandbox::new();
    sandbox.write("plain", "\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\u{4e2d}\n".repeat(20_000));
    sandbox.ok("sealstone encrypt -r bob.txt -o plain.seal plain");
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone decrypt -i bob.key < plain.seal") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0));
    assert_eq!(shown.matches('\u{4e2d}').count(), 180_000);
}

#[test]
fn quiet_and_redirected_runs_draw_no_bar() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", noise(2_000_000));
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone encrypt --quiet -r bob.txt -o out plain") else {
        return;
    };
    assert_eq!(terminal.end(), (Some(0), true, String::new()));
    assert_eq!(sandbox.run("encrypt -r bob.txt -o out2 plain").stderr, "");
}

#[test]
fn a_name_beside_a_digest_moves_no_cursor() {
    let sandbox = Sandbox::new();
    sandbox.ok("printf abc > \"$(printf 'a\\033[2Jb\\nc')\"");
    let Some(terminal) =
        Terminal::run(&sandbox, "sealstone hash a* > list; sealstone hash a* *lice.txt; exec sealstone hash -c list")
    else {
        return;
    };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert!(shown.contains("  a\\u{1b}[2Jb\\nc\r\n") && shown.contains("\\a\\u{1b}[2Jb\\nc: OK"), "{shown}");
}

#[test]
fn hashing_shows_how_far_it_is_and_digests_stand_on_lines_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.ok("mkfifo one two");
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone hash --threads 2 one pass.txt two") else { return };
    // A digest is written while there is a bar.
    let one = terminal.feed(sandbox.path("one"), vec![0; 20_000_000], "/s");
    let two = terminal.feed(sandbox.path("two"), vec![0; 20_000_000], "  one");
    one.join().unwrap();
    two.join().unwrap();
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("3 files") && shown.contains("/s"), "{shown}");
    for name in ["one", "pass.txt", "two"] {
        let line = shown.lines().find(|line| line.ends_with(&format!("  {name}"))).unwrap_or_default();
        // Before it a bar is removed.
        let digest = line.rsplit(['\r', 'K']).next().unwrap_or_default();
        assert_eq!(digest.len(), 64 + 2 + name.len(), "{shown:?}");
    }
}

#[test]
fn what_sm2_makes_is_digits_on_a_terminal_and_bytes_only_when_asked() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q --kind sm2 -o k; sealstone recipients k > r");
    for (command, start) in [("sign -i k", "3"), ("encrypt -r r", "04"), ("encrypt -r r --form der", "30")] {
        let Some(terminal) = Terminal::run(&sandbox, &format!("exec sealstone sm2 {command} pass.txt")) else { return };
        let (status, _, shown) = terminal.end();
        let line = shown.trim_end();
        assert_eq!(status, Some(0), "{shown}");
        assert!(line.len() > 100 && line.bytes().all(|byte| byte.is_ascii_hexdigit()), "{command}: {shown}");
        assert!(line.starts_with(start), "{command}: {shown}");
        let Some(terminal) = Terminal::run(&sandbox, &format!("exec sealstone sm2 {command} -o - pass.txt")) else {
            return;
        };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(0), "{shown}");
        assert!(!shown.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit()), "{command}: {shown}");
    }
    sandbox.write("control", "a\u{1b}[2J");
    sandbox.ok("sealstone sm2 encrypt -r r -o text pass.txt; sealstone sm2 encrypt -r r -o bad control");
    for (name, expected, part) in [("text", 0, "correct horse"), ("bad", 2, "not written to a terminal")] {
        let Some(terminal) = Terminal::run(&sandbox, &format!("exec sealstone sm2 decrypt -i k {name}")) else {
            return;
        };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(expected), "{shown}");
        assert!(shown.contains(part) && !shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn the_passphrase_of_a_file_is_asked_for_without_an_option() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone encrypt -p --passphrase-file pass.txt -o one.seal alice.txt");
    sandbox.ok("sealstone encrypt -a -p --passphrase-file pass.txt -o two.seal bob.txt");
    for (line, question) in [
        ("exec sealstone decrypt -o out one.seal", "Passphrase for one.seal: "),
        ("exec sealstone decrypt -o out2 < two.seal", "Passphrase for stdin: "),
        ("exec sealstone decrypt -i bob.key -o out3 two.seal", "Passphrase for two.seal: "),
        ("exec sealstone verify one.seal two.seal", "Passphrase for one.seal: "),
        ("exec sealstone rewrap -r bob.txt --replace one.seal", "Passphrase for one.seal: "),
    ] {
        let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
        terminal.asked(question);
        terminal.types("correct horse\n");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(0), true), "{line}: {shown}");
        assert_eq!(shown.matches("Passphrase for").count(), 1, "{line}: {shown}");
    }
    assert_eq!(sandbox.read("out"), sandbox.read("alice.txt"));
    assert_eq!(sandbox.read("out2"), sandbox.read("bob.txt"));

    let mut terminal = Terminal::run(&sandbox, "exec sealstone decrypt -o wrong two.seal").unwrap();
    terminal.asked("Passphrase for two.seal: ");
    terminal.types("correct house\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(3), "{shown}");
    assert!(shown.contains("error: two.seal: wrong passphrase [no_matching_identity]"), "{shown}");
    // Who is not there is not asked, nor about what exists already.
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone decrypt -o out two.seal").unwrap().end();
    assert_eq!(status, Some(1), "{shown}");
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone decrypt -o new two.seal 2> said").unwrap().end();
    assert_eq!((status, &shown[..]), (Some(2), ""));
}

#[test]
fn a_file_asks_for_its_own_passphrase_and_not_for_that_of_the_default_identity() {
    let sandbox = Sandbox::new();
    sandbox.ok("sealstone keygen -q -p --passphrase-file pass.txt -o ~/.config/sealstone/identity.txt");
    sandbox.ok("sealstone recipients --passphrase-file pass.txt > me.pub; echo other > other");
    sandbox.ok("sealstone encrypt -p --passphrase-file other -o one.seal alice.txt; sealstone encrypt -r me.pub -o two.seal bob.txt");
    for (file, question, answer) in
        [("one", "Passphrase for one.seal: ", "other\n"), ("two", "sealstone/identity.txt: ", "correct horse\n")]
    {
        let Some(mut terminal) = Terminal::run(&sandbox, &format!("exec sealstone decrypt -o {file} {file}.seal"))
        else {
            return;
        };
        terminal.asked(question);
        terminal.types(answer);
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(0), "{shown}");
        assert_eq!(shown.matches("Passphrase for").count(), 1, "{shown}");
    }
}

#[test]
fn a_key_made_on_a_terminal_goes_to_the_default_place_and_never_replaces_one() {
    let sandbox = Sandbox::new();
    let Some(terminal) = Terminal::run(&sandbox, "exec sealstone keygen") else { return };
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    let identity = "home/.config/sealstone/identity.txt";
    assert!(shown.contains(identity) && shown.contains("next: sealstone recipients > me.pub"), "{shown}");
    assert!(!shown.contains("SECRET") && !shown.contains("age1pq1") && shown.len() < 500, "{shown}");
    assert_eq!(sandbox.ok("stat -c %a home/.config/sealstone home/.config/sealstone/identity.txt"), "700\n600\n");
    let fingerprint = sandbox.ok("sealstone recipients > me.pub; sealstone key fingerprint me.pub | cut -d' ' -f1");
    assert!(shown.contains(fingerprint.trim()), "{shown}: {fingerprint}");
    assert_eq!(sandbox.ok("echo letter | sealstone encrypt -r me.pub | sealstone decrypt"), "letter\n");

    let before = sandbox.read(identity);
    for line in ["exec sealstone keygen", "exec sealstone keygen --force", "exec sealstone keygen -p --force"] {
        let (status, _, shown) = Terminal::run(&sandbox, line).unwrap().end();
        assert_eq!(status, Some(1), "{line}: {shown}");
        assert!(shown.contains("[output_exists]") && shown.contains("-o FILE"), "{line}: {shown}");
        assert_eq!(sandbox.read(identity), before, "{line}");
    }
    // With XDG_CONFIG_HOME it is a place of its own, and what is printed is printed when asked.
    let line = "XDG_CONFIG_HOME=$PWD/xdg exec sealstone keygen";
    let (status, _, shown) = Terminal::run(&sandbox, line).unwrap().end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(sandbox.path("xdg/sealstone/identity.txt").exists());
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone keygen -q -o -").unwrap().end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("AGE-SECRET-KEY-PQ-1"));
}

#[test]
fn a_key_that_signs_is_made_and_used_on_a_terminal() {
    let sandbox = Sandbox::new();
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone keygen --sign -p") else { return };
    terminal.asked("New passphrase for the key: ");
    terminal.types("correct horse\n");
    terminal.asked("Repeat the passphrase: ");
    terminal.types("correct horse\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    let key = "home/.config/sealstone/signing.pem";
    assert!(shown.contains(key) && shown.contains("next: sealstone key public ") && shown.len() < 700, "{shown}");
    assert_eq!(sandbox.ok("stat -c %a home/.config/sealstone home/.config/sealstone/signing.pem"), "700\n600\n");
    let before = sandbox.read(key);
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone keygen --sign --force").unwrap().end();
    assert_eq!(status, Some(1), "{shown}");
    assert!(shown.contains("[output_exists]") && sandbox.read(key) == before, "{shown}");

    sandbox.write("film", "hello");
    let mut terminal = Terminal::run(&sandbox, "exec sealstone sign film").unwrap();
    terminal.asked("signing.pem: ");
    terminal.types("correct horse\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    sandbox.ok(&format!("sealstone key public --passphrase-file pass.txt {key} > me.pub"));
    sandbox.ok("sealstone verify-sig -q -k me.pub film");
    // Nothing is asked of whoever is refused for another reason, and content with control characters stays away from a terminal.
    let (status, _, shown) = Terminal::run(&sandbox, "exec sealstone sign film").unwrap().end();
    assert!(status == Some(1) && shown.contains("[output_exists]"), "{shown}");
    sandbox.ok(&format!("sealstone key passphrase --passphrase-file pass.txt --remove {key}"));
    let line = "printf 'a\\033[31m' | exec sealstone sign --attach";
    let (status, _, shown) = Terminal::run(&sandbox, line).unwrap().end();
    assert!(status == Some(2) && !shown.contains("\u{1b}[31m"), "{shown:?}");
    let (status, _, shown) = Terminal::run(&sandbox, "printf hello | exec sealstone sign --attach").unwrap().end();
    assert!(status == Some(0) && shown.contains("hello-----BEGIN SSH SIGNATURE-----"), "{shown}");
}

#[test]
fn a_key_without_a_place_is_not_shown_on_a_terminal() {
    let sandbox = Sandbox::new();
    for line in [
        "exec sealstone keygen --kind key",
        "exec sealstone keygen --kind ml-kem-1024",
        "exec sealstone keygen --kind ml-dsa-87",
        "HOME= exec sealstone keygen",
        "HOME= exec sealstone keygen --sign",
    ] {
        let Some(terminal) = Terminal::run(&sandbox, line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(2), "{line}: {shown}");
        assert!(shown.contains("-o FILE") && !shown.contains("-KEY-"), "{line}: {shown}");
    }
}

#[test]
fn a_terminal_shows_how_a_recipient_is_printed_and_not_the_recipient() {
    let sandbox = Sandbox::new();
    for kind in ["hybrid", "x25519"] {
        let line = format!("exec sealstone keygen --kind {kind} -o {kind}");
        let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
        let (status, _, shown) = terminal.end();
        assert_eq!(status, Some(0), "{shown}");
        let next = format!("next: sealstone recipients {kind} > me.pub");
        assert!(shown.contains(&next) && !shown.contains("age1"), "{shown}");
    }
}

#[test]
fn progress_fits_forty_columns() {
    let sandbox = Sandbox::new();
    let name = "a film whose name is rather long.mkv";
    sandbox.ok(&format!("mkfifo one '{name}'"));
    let line = format!(
        "stty cols 40; sealstone hash < one; echo hashed; sealstone encrypt -r bob.txt -o out '{name}'; \
         sealstone decrypt -i bob.key -o copy --threads 1 out"
    );
    let Some(terminal) = Terminal::run(&sandbox, &line) else { return };
    terminal.feed(sandbox.path("one"), noise(20_000_000), "/s").join().unwrap();
    terminal.expect("hashed");
    let bars = terminal.shown().matches("/s").count();
    terminal.feed(sandbox.path(name), noise(20_000_000), "no bar is waited for").join().unwrap();
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert!(bars > 0 && shown.matches("/s").count() > bars, "no bars in {shown:?}");
    let without_escapes: String = shown
        .split('\u{1b}')
        .enumerate()
        .map(|(n, part)| {
            if n == 0 { part } else { part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest) }
        })
        .collect();
    for part in without_escapes.split(['\r', '\n']).filter(|part| part.contains("/s") && !part.contains("sealstone: "))
    {
        assert!(part.chars().count() < 40, "{part:?}");
    }
}

/// Makes a file for the plugin of tests, and its identity, which does these things.
fn with_plugin(sandbox: &Sandbox, words: &str) {
    support::require_plugin();
    sandbox.ok(&format!(
        "echo letter > a; sealstone encrypt --format age --force -r $(age-plugin-sealtest --recipient x) a; \
         age-plugin-sealtest --identity {words} > id; chmod 600 id"
    ));
}

#[test]
fn a_plugin_asks_for_a_choice_a_name_and_a_secret() {
    let sandbox = Sandbox::new();
    with_plugin(&sandbox, "confirm,acknowledge,name,pin,message");
    let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone decrypt -i id -o out a.age") else { return };
    let question = "plugin sealtest: Is it there? (1: Insert it, 2: skip it) ";
    terminal.expect(question);
    // What is no choice is asked again.
    terminal.types("x\n");
    terminal.wait("it asks again", || terminal.shown().matches(question).count() == 2);
    terminal.types("1\n");
    terminal.expect("plugin sealtest: Ready? (Enter: go on) ");
    terminal.types("\n");
    terminal.expect("plugin sealtest: Which slot? ");
    terminal.types("slot 7\n");
    terminal.asked("plugin sealtest: PIN? ");
    terminal.types("1234\n");
    let (status, echoes, shown) = terminal.end();
    assert_eq!((status, echoes), (Some(0), true), "{shown}");
    assert!(!shown.contains("1234") && shown.contains("slot 7"), "{shown}");
    assert!(shown.contains("sealstone: plugin sealtest: touch the \\u{1b}[31mtoken"), "{shown}");
    assert_eq!(sandbox.read("out"), b"letter\n");
}

#[test]
fn a_plugin_is_told_the_other_choice_and_that_nobody_answered() {
    let sandbox = Sandbox::new();
    for (words, question, typed, said) in [
        ("confirm", "skip it) ", "2\n", "it said: it was skipped"),
        // The end of the input.
        ("name", "Which slot? ", "\x04", "it said: there is no such slot"),
        ("pin", "PIN? ", "12345\n", "it said: the PIN is wrong"),
    ] {
        with_plugin(&sandbox, words);
        let Some(mut terminal) = Terminal::run(&sandbox, "exec sealstone decrypt -i id -o out a.age") else { return };
        terminal.expect(question);
        terminal.types(typed);
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(1), true), "{words}: {shown}");
        assert!(shown.contains(said), "{words}: {shown}");
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn ctrl_c_ends_a_question_of_a_plugin_and_the_plugin() {
    let sandbox = Sandbox::new();
    for (words, question) in [("name", "Which slot? "), ("pin", "PIN? ")] {
        with_plugin(&sandbox, words);
        sandbox.ok("rm -rf tmp; mkdir tmp");
        let line = "TMPDIR=$PWD/tmp exec sealstone decrypt -i id -o out a.age";
        let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
        terminal.expect(question);
        if words == "pin" {
            terminal.asked(question);
        }
        terminal.types("\x03");
        let (status, echoes, shown) = terminal.end();
        assert_eq!((status, echoes), (Some(130), true), "{words}: {shown}");
        assert_eq!(sandbox.names("tmp"), [""; 0], "{words}");
    }
}

#[test]
fn a_plugin_may_ask_on_the_terminal_by_itself() {
    let sandbox = Sandbox::new();
    with_plugin(&sandbox, "x");
    // In another process group than that of the terminal it would be stopped as it reads.
    sandbox.ok(concat!(
        "mkdir bin; printf '#!/bin/sh\\nprintf \"own PIN? \" > /dev/tty; read pin < /dev/tty; test \"$pin\" = 77 || exit 9\\n",
        "exec age-plugin-sealtest \"$@\"\\n' > bin/age-plugin-asks; chmod +x bin/age-plugin-asks",
    ));
    let line = "PATH=$PWD/bin:$PATH exec sealstone decrypt -j asks -o out a.age";
    let Some(mut terminal) = Terminal::run(&sandbox, line) else { return };
    terminal.expect("own PIN? ");
    terminal.types("77\n");
    let (status, _, shown) = terminal.end();
    assert_eq!(status, Some(0), "{shown}");
    assert_eq!(sandbox.read("out"), b"letter\n");
}

#[test]
fn readme_s_picture_of_a_terminal_shows_commands_that_do_what_it_says() {
    let folder = repository().join("docs/terminal");
    let commands = std::fs::read_to_string(folder.join("first-minutes.sh")).unwrap();
    let picture = std::fs::read_to_string(folder.join("first-minutes.svg")).unwrap();
    let sandbox = Sandbox::new();
    sandbox.make_folder("home");
    sandbox.write("film.mkv", noise(2_000_000));
    let mut refused = 0;
    for line in commands.lines() {
        let drawn = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let drawn = if line.starts_with('#') { drawn } else { format!("$ {drawn}") };
        assert!(picture.contains(&format!(">{drawn}</text>")), "run `make picture`: {line}");
        let Some(terminal) = Terminal::run(&sandbox, line) else { return };
        let (status, _, shown) = terminal.end();
        if line.contains("damaged.mkv") {
            assert_eq!(status, Some(4), "{line}: {shown}");
            refused += 1;
        } else {
            assert_eq!(status, Some(0), "{line}: {shown}");
        }
    }
    assert_eq!(refused, 1);
    assert!(!sandbox.path("damaged.mkv").exists());
}
