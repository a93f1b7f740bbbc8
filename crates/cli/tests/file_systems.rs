//! File systems other than Linux's own.

#[path = "support/fuse.rs"]
mod fuse;
mod support;

use fuse::{Fuse, Traits};
use support::Sandbox;

#[test]
fn the_file_system_of_these_tests_has_what_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let folder = sandbox.make_folder("fuse");
    let traits = Traits { key: str::to_lowercase, hard_links: false, rename_flags: false };
    let Some(_mounted) = Fuse::mount(&folder, traits) else { return };
    sandbox.ok("cd fuse; echo one > One; test \"$(cat one)\" = one; echo two > ONE; cat One; ls");
    sandbox
        .ok("head -c 3000000 /dev/urandom > big; cp big fuse/big; cmp big fuse/BIG; ln -s big fuse/l; cmp fuse/L big");
    sandbox.ok("mkdir -p fuse/d/E; echo 1 > fuse/D/e/f; rm -r fuse/d; test ! -e fuse/D; chmod 600 fuse/big; stat -c %a fuse/big | grep 600");
    sandbox.ok("mv fuse/big fuse/other; cmp fuse/Other big; test ! -e fuse/big; : > fuse/other; test ! -s fuse/OTHER");
    assert_ne!(sandbox.sh("ln fuse/one fuse/link").status, Some(0));
    assert_eq!(sandbox.names("fuse"), ["One", "l", "other"]);
}
