//! README's commands, as they stand there.

mod support;

use support::{Sandbox, repository};

#[test]
fn the_commands_of_the_readme_encrypt_a_file_and_decrypt_it() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let commands = readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let commands: Vec<&str> = commands.filter(|block| block.starts_with("sealstone ")).collect();
    assert_eq!(commands.len(), 1);
    let sandbox = Sandbox::new();
    sandbox.ok("head -c 100000 /dev/urandom > film.mkv");
    sandbox.ok(commands[0]);
    sandbox.ok("cmp film.mkv copy.mkv; ! cmp -s film.mkv film.mkv.seal");
}
