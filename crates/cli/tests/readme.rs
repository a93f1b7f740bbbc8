//! README's commands, as they stand there.

mod support;

use support::{Sandbox, has, noise, repository, skip_in_ci_too};

/// README's block in a language that begins so; there is one.
fn block(language: &str, begins: &str) -> String {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = readme.split(&fence).skip(1).map(|block| block.split("```").next().unwrap());
    let blocks: Vec<&str> = blocks.filter(|block| block.starts_with(begins)).collect();
    assert_eq!(blocks.len(), 1, "{blocks:?}");
    blocks[0].to_owned()
}

/// A folder with `film.mkv.seal`, and the identity where `decrypt` looks for it.
fn with_film() -> (Sandbox, Vec<u8>) {
    let (sandbox, film) = (Sandbox::new(), noise(100_000));
    sandbox.write("film.mkv", &film);
    sandbox.ok("mkdir -p home/.config/sealstone && cp alice.key home/.config/sealstone/identity.txt");
    sandbox.ok("sealstone encrypt -r alice.txt film.mkv && rm film.mkv");
    (sandbox, film)
}

#[test]
fn the_commands_of_the_readme_encrypt_a_file_and_decrypt_it() {
    let sandbox = Sandbox::new();
    sandbox.write("film.mkv", noise(100_000));
    sandbox.ok(&block("sh", "sealstone "));
    sandbox.ok("cmp film.mkv copy.mkv; ! cmp -s film.mkv film.mkv.seal");
}

#[test]
fn the_line_of_go_has_the_plaintext_and_an_error_of_what_is_not_authentic() {
    if !has("go") {
        return;
    }
    let (sandbox, film) = with_film();
    let line = block("go", "");
    sandbox.write(
        "main.go",
        format!(
            "package main\nimport (\"os\"; \"os/exec\")\nfunc main() {{\n{line}\
             if err != nil {{ os.Exit(9) }}\nos.WriteFile(\"copy.mkv\", film, 0o600) }}\n"
        ),
    );
    // Go's cache is the user's: the packages of its library are compiled once.
    let cache = std::process::Command::new("go").args(["env", "GOCACHE"]).output().unwrap().stdout;
    let cache = String::from_utf8(cache).unwrap();
    sandbox.ok(&format!("GOCACHE='{}' go build -o with-go main.go && ./with-go", cache.trim()));
    assert_eq!(sandbox.read("copy.mkv"), film);
    refuses(&sandbox, "./with-go", 9);
}

#[test]
fn the_line_of_java_decrypts_a_file_and_has_the_exit_status() {
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("javac").is_file())
    {
        // Continuous integration installs no Java.
        skip_in_ci_too("there is no javac");
        return;
    }
    let (sandbox, film) = with_film();
    let line = block("java", "");
    let program = format!(
        "class Main {{ public static void main(String[] arguments) throws Exception {{\n{line}System.exit(status); }} }}\n"
    );
    sandbox.write("Main.java", program);
    sandbox.ok("javac Main.java && java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp . Main");
    assert_eq!(sandbox.read("copy.mkv"), film);
    refuses(&sandbox, "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp . Main", 4);
}

#[test]
fn the_line_of_c_decrypts_a_file_and_has_the_exit_status() {
    let (sandbox, film) = with_film();
    let line = block("c", "");
    let program = format!(
        "#include <stdlib.h>\n#include <sys/wait.h>\nint main(void) {{\n{line}return WEXITSTATUS(status); }}\n"
    );
    sandbox.write("main.c", program);
    sandbox.ok("cc -Wall -Werror -o with-c main.c && ./with-c");
    assert_eq!(sandbox.read("copy.mkv"), film);
    refuses(&sandbox, "./with-c", 4);
}

/// The same program ends with this status, and leaves nothing, when the last byte was changed.
fn refuses(sandbox: &Sandbox, program: &str, status: i32) {
    let mut file = sandbox.read("film.mkv.seal");
    *file.last_mut().unwrap() ^= 1;
    sandbox.write("film.mkv.seal", file);
    std::fs::remove_file(sandbox.path("copy.mkv")).unwrap();
    let done = sandbox.sh(program);
    assert_eq!(done.status, Some(status), "{done}");
    assert!(!sandbox.path("copy.mkv").exists());
}
