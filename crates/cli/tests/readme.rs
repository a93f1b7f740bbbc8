//! README's commands, as they stand there. Its blocks in Go and C are compiled by the tests of these bindings.

mod support;

use support::{Sandbox, noise, repository, skip_in_ci_too};

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
