//! GNU tar as the judge of archives: what it lists and extracts of ours, and what it writes itself.

use super::support::{archive, blocks_of, entry, file, folder, hard_link, read_by, sparse, symbolic_link};
use super::*;
use crate::openssl_tests::skip;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use support::Stored;

/// What GNU tar prints, in a time zone and a language that are always the same. `None` where there is none, which is
/// then said.
fn tar(folder: &Path, arguments: &[&str]) -> Option<String> {
    let run = |arguments: &[&str]| {
        let mut tar = Command::new("tar");
        tar.args(arguments).current_dir(folder).env("LC_ALL", "C").env("TZ", "UTC").env_remove("TAR_OPTIONS");
        tar.output()
    };
    let is_gnu = run(&["--version"]).is_ok_and(|said| said.stdout.starts_with(b"tar (GNU tar)"));
    if !is_gnu {
        skip("there is no GNU tar");
        return None;
    }
    let said = run(arguments).unwrap();
    assert!(said.status.success(), "tar {arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
    Some(String::from_utf8(said.stdout).unwrap())
}

/// Members of all kinds, with names and values that need each record.
fn members() -> Vec<Stored> {
    let long = format!("long/{}", "n".repeat(120));
    let mut members = vec![
        file("a", b"attack at dawn"),
        folder("d"),
        folder("d/empty"),
        file("d/f.txt", &b"0123456789abcdef".repeat(100)),
        symbolic_link("d/up", "../a"),
        file("d/\u{fc}ber", b"ue"),
        file("d.txt", b""),
        hard_link("e", "d/f.txt"),
        hard_link("f", "d/\u{fc}ber"),
        folder("long"),
        file(&long, b"long"),
        symbolic_link("long/to", &format!("../{}", &long)),
        sparse("s1", vec![4096..8192, 20_480..20_481], 65_536),
        sparse("s2", vec![0..512, 4096..5120, 8192..8193], 8193),
        sparse("s3", vec![], 4097),
    ];
    let times = [(1_767_323_045, 0), (1_767_323_045, 123_456_789), (1, 500_000_000), (-2, 750_000_000)];
    for (at, (member, _)) in members.iter_mut().enumerate() {
        let (seconds, nanoseconds) = times[at % times.len()];
        member.entry.modified = Time { seconds, nanoseconds };
        if matches!(member.entry.kind, MemberKind::File) {
            member.entry.mode = [0o644, 0o600, 0o755, 0o440][at % 4];
        }
    }
    // A hard link has the mode and the time of its file.
    let files: BTreeMap<_, _> =
        members.iter().map(|(member, _)| (member.entry.path.clone(), member.entry.clone())).collect();
    for (member, _) in &mut members {
        if member.entry.kind == MemberKind::HardLink {
            let file = &files[&member.entry.link];
            (member.entry.mode, member.entry.modified) = (file.mode, file.modified);
        }
    }
    members
}

/// A file with its holes.
fn whole((member, data): &Stored) -> Vec<u8> {
    let Some(regions) = &member.regions else { return data.clone() };
    let (mut whole, mut rest) = (Vec::new(), &data[..]);
    for region in regions {
        whole.resize(usize::try_from(region.start).unwrap(), 0);
        let (part, behind) = rest.split_at(usize::try_from(region.end - region.start).unwrap());
        whole.extend_from_slice(part);
        rest = behind;
    }
    whole.resize(usize::try_from(member.entry.size).unwrap(), 0);
    whole
}

#[test]
fn gnu_tar_extracts_what_was_archived() {
    let (folder, members) = (tempfile::tempdir().unwrap(), members());
    fs::write(folder.path().join("archive"), archive(&members)).unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    if tar(&out, &["-x", "-p", "--no-same-owner", "-f", "../archive"]).is_none() {
        return;
    }
    let mut count = 0;
    let mut open = vec![out.clone()];
    while let Some(folder) = open.pop() {
        for found in fs::read_dir(folder).unwrap() {
            count += 1;
            let found = found.unwrap();
            open.extend(found.file_type().unwrap().is_dir().then(|| found.path()));
        }
    }
    assert_eq!(count, members.len());
    for stored in &members {
        let Entry { path, kind, size, mode, modified, link } = &stored.0.entry;
        let path = out.join(std::ffi::OsStr::from_bytes(path));
        let found = path.symlink_metadata().unwrap();
        let Time { seconds, nanoseconds } = *modified;
        assert_eq!((found.mtime(), found.mtime_nsec()), (seconds, nanoseconds.into()), "{}", path.display());
        match kind {
            MemberKind::SymbolicLink => {
                assert_eq!(fs::read_link(&path).unwrap().as_os_str().as_bytes(), link);
                continue;
            }
            MemberKind::Folder => assert!(found.is_dir()),
            MemberKind::HardLink => {
                let file = out.join(std::ffi::OsStr::from_bytes(link)).symlink_metadata().unwrap();
                assert_eq!((found.ino(), file.nlink()), (file.ino(), 2));
            }
            MemberKind::File => {
                assert_eq!(found.len(), *size);
                assert!(fs::read(&path).unwrap() == whole(stored), "{}", path.display());
            }
        }
        assert_eq!(found.permissions().mode() & 0o7777, *mode, "{}", path.display());
    }
}

#[test]
fn gnu_tar_lists_names_owners_sizes_and_times_as_they_were_archived() {
    let folder = tempfile::tempdir().unwrap();
    let mut members = vec![file("a b", b"1"), file("before", b"22"), support::folder("c"), file("old", b"")];
    members[0].0.entry.modified.nanoseconds = 5_000_000;
    members[1].0.entry.modified = Time { seconds: -2, nanoseconds: 0 };
    members[2].0.entry.mode = 0o1777;
    members[3].0.entry.modified.seconds = 1 << 33;
    let owner = |user, group| Some(Owner { user, group, ..Owner::default() });
    members[0].0.owner = owner(1000, 2_097_151);
    members[3].0.owner = owner(4_000_000_000, 2_097_152);
    let named = (Member::new(entry(MemberKind::File, b"y\xff", 0, b"")), Vec::new());
    members.push(named);
    let large =
        (Member { regions: Some(vec![]), ..Member::new(entry(MemberKind::File, b"zz", 1 << 40, b"")) }, Vec::new());
    members.push(large);
    fs::write(folder.path().join("archive"), archive(&members)).unwrap();
    let Some(listed) = tar(folder.path(), &["-t", "-v", "--full-time", "--numeric-owner", "-f", "archive"]) else {
        return;
    };
    let lines: Vec<Vec<_>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    let expected = [
        "-rw-r--r-- 1000/2097151 1 2026-01-02 03:04:05.005 a b",
        "-rw-r--r-- 0/0 2 1969-12-31 23:59:58 before",
        "drwxrwxrwt 0/0 0 2026-01-02 03:04:05 c/",
        "-rw-r--r-- 4000000000/2097152 0 2242-03-16 12:56:32 old",
        "-rw-r--r-- 0/0 0 2026-01-02 03:04:05 y\\377",
        "-rw-r--r-- 0/0 1099511627776 2026-01-02 03:04:05 zz",
    ];
    assert_eq!(lines, expected.map(|line| line.split(' ').collect::<Vec<_>>()));
}

#[test]
fn members_that_need_no_record_are_those_of_gnu_tar_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let members: Vec<Stored> = members().into_iter().filter(|(member, _)| member.regions.is_none()).collect();
    let members: Vec<Stored> = members
        .into_iter()
        .map(|(mut member, data)| {
            member.entry.modified = support::MODIFIED;
            (member, data)
        })
        .filter(|(member, _)| member.entry.path.is_ascii() && member.entry.link.is_ascii())
        .filter(|(member, _)| member.entry.path.len() <= 100 && member.entry.link.len() <= 100)
        .collect();
    for (member, data) in &members {
        let Entry { path, kind, mode, link, .. } = &member.entry;
        let path = folder.path().join(std::ffi::OsStr::from_bytes(path));
        let link = std::ffi::OsStr::from_bytes(link);
        match kind {
            MemberKind::File => fs::write(&path, data).unwrap(),
            MemberKind::Folder => fs::create_dir(&path).unwrap(),
            MemberKind::HardLink => fs::hard_link(folder.path().join(link), &path).unwrap(),
            MemberKind::SymbolicLink => {
                std::os::unix::fs::symlink(link, &path).unwrap();
                continue;
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
    }
    // The names that are archived: none is in another.
    let mut roots = members.iter().map(|(member, _)| String::from_utf8(member.entry.path.clone()).unwrap());
    let roots: Vec<String> = roots.by_ref().filter(|path| !path.contains('/')).collect();
    let mut arguments = vec!["-c", "-f", "archive", "-b", "1", "--format=posix", "--sort=name", "--numeric-owner"];
    arguments.extend(["--owner=0", "--group=0", "--mtime=@1767323045", "--pax-option=delete=atime,delete=ctime"]);
    arguments.extend(roots.iter().map(String::as_str));
    if tar(folder.path(), &arguments).is_none() {
        return;
    }
    let theirs = fs::read(folder.path().join("archive")).unwrap();
    let theirs = theirs.strip_suffix(&END).unwrap();
    let ours: Vec<u8> = members.iter().flat_map(|stored| blocks_of(stored).0).collect();
    assert!(ours == theirs, "{} bytes, {} bytes", ours.len(), theirs.len());
    let said = read_by(Splitter::run(0), theirs, &[1000]).unwrap();
    assert_eq!(said.stored.into_iter().map(|(stored, ..)| stored).collect::<Vec<_>>(), members);
}
