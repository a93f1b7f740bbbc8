//! Archives (`spec/archive.md`): the vectors, and real folders.

#![cfg(unix)]

mod support;

use data_encoding::HEXLOWER;
use sealstone::{
    Archive, Archiver, Compression, Decryptor, Encryptor, Entry, Error, Extractor, Identity, Input, MemberKind, Output,
    Pattern, Result, parse_identities,
};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use support::{decryptor, encryptor, names, sha256, vectors};

/// How many vectors of archives there were when this was written.
const TOTAL_MIN: usize = 500;

/// A vector of an archive, as `vectors/README.md` has it.
struct Vector {
    name: String,
    /// The codes of reading in order, of listing and of extracting.
    archive: String,
    list: String,
    extract: String,
    members: Vec<String>,
    data: BTreeMap<Vec<u8>, String>,
    identities: Vec<Identity>,
    context: Option<String>,
    file: Vec<u8>,
}

impl Vector {
    /// `None` if the vector does not test an archive.
    fn parse(name: &str, bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
        let (mut values, mut identities) = (BTreeMap::<&str, Vec<&str>>::new(), Vec::new());
        for line in std::str::from_utf8(&bytes[..end]).expect("text").split('\n') {
            let (key, value) = line.split_once(": ").expect("key and value");
            match key {
                "identity" => identities.push(value.parse().unwrap()),
                "identity-pkcs8" => {
                    let der = data_encoding::BASE64.decode(value.as_bytes()).unwrap();
                    identities.append(&mut parse_identities(der, None).unwrap());
                }
                _ => values.entry(key).or_default().push(value),
            }
        }
        let one = |key: &str| values.get(key).map(|values| values[0].to_owned());
        let archive = one("archive")?;
        let data = values.get("data").into_iter().flatten().map(|line| {
            let (path, digest) = line.split_once(' ').expect("path and digest");
            (HEXLOWER.decode(path.as_bytes()).unwrap(), digest.to_owned())
        });
        Some(Self {
            name: name.to_owned(),
            list: one("list").unwrap_or_else(|| archive.clone()),
            extract: one("extract").unwrap_or_else(|| archive.clone()),
            members: values.get("member").into_iter().flatten().map(ToString::to_string).collect(),
            data: data.collect(),
            context: one("context"),
            archive,
            identities,
            file: bytes[end + 2..].to_vec(),
        })
    }

    fn decryptor(&self, threads: usize) -> Decryptor {
        let decryptor = Decryptor::new(self.identities.iter().cloned()).threads(threads);
        match &self.context {
            Some(context) => decryptor.context(context).unwrap(),
            None => decryptor,
        }
    }

    fn has_long_name(&self) -> bool {
        let paths = self.members.iter().filter_map(|member| member.split(' ').nth(4));
        let mut paths = paths.map(|path| HEXLOWER.decode(path.as_bytes()).unwrap());
        paths.any(|path| path.split(|byte| *byte == b'/').any(|name| name.len() > 255))
    }

    /// The ways of reading that differ.
    fn faults(&self, threads: usize) -> Vec<String> {
        let mut faults = Vec::new();
        let place = tempfile::tempdir().unwrap();
        let (file, folder) = (place.path().join("file"), place.path().join("folder"));
        fs::write(&file, &self.file).unwrap();
        {
            let decryptor = self.decryptor(threads);
            let mut judge = |way: &str, found: &Result<()>, expected: &str| {
                let code = found.as_ref().map_or_else(Error::code, |()| "success");
                if code != expected {
                    faults.push(format!("{}: {way} with {threads} threads: {code}, not {expected}", self.name));
                }
            };
            judge("verify", &decryptor.verify(Input::open(&file).unwrap()).map(drop), &self.archive);
            judge("verify of a stream", &decryptor.verify(Input::reader(&self.file[..])).map(drop), &self.archive);
            let is_armoured = sealstone::is_armoured(&self.file);
            let mut listed = Vec::new();
            if !is_armoured {
                let list = Archive::open(&decryptor, Input::open(&file).unwrap()).and_then(|mut archive| {
                    for entry in archive.entries()? {
                        listed.push(shown(&entry?));
                    }
                    Ok(())
                });
                judge("list", &list, &self.list);
                if list.is_ok() && !self.members.is_empty() && listed != self.members {
                    faults.push(format!("{}: listed {listed:?}, not {:?}", self.name, self.members));
                }
            }
            let extractor = Extractor::new(decryptor.clone()).sync(false);
            for way in ["file", "stream"] {
                let input = if way == "file" { Input::open(&file).unwrap() } else { Input::reader(&self.file[..]) };
                let extracted = extractor.extract(input, &folder);
                let code = extracted.as_ref().map_or_else(Error::code, |_| "success");
                // Names of over 255 bytes, links of 4,096 and files of 2^63 are more than a file system takes.
                let is_long = self.name.contains("2_pow_63") || self.name.contains("link_4096");
                let is_refused = code == "io" && (self.has_long_name() || is_long);
                if code != self.extract && !is_refused {
                    faults.push(format!("{}: extract {way}: {code}, not {}", self.name, self.extract));
                }
                if extracted.is_ok() {
                    for (path, digest) in &self.data {
                        let data = fs::read(folder.join(path_of(path)));
                        if data.as_ref().map_or(String::new(), |data| sha256(data)) != *digest {
                            faults.push(format!("{}: {} has other data", self.name, path.escape_ascii()));
                        }
                    }
                    fs::remove_dir_all(&folder).unwrap();
                }
                if names(place.path()) != ["file"] {
                    faults.push(format!("{}: left {:?}", self.name, names(place.path())));
                }
            }
            if !is_armoured && self.archive == "success" {
                let mut archive = Archive::open(&decryptor, Input::open(&file).unwrap()).unwrap();
                for (path, digest) in &self.data {
                    let data = archive.read(path);
                    if data.as_ref().map_or(String::new(), |data| sha256(data)) != *digest {
                        faults.push(format!("{}: read {}: {:?}", self.name, path.escape_ascii(), data.err()));
                    }
                }
            }
        }
        faults
    }
}

fn path_of(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(path).into()
}

/// An entry as a vector has it.
fn shown(entry: &Entry) -> String {
    let kind = entry.kind.name().replace('-', "_");
    let (seconds, nanoseconds) = (entry.modified.seconds, entry.modified.nanoseconds);
    let mut shown =
        format!("{kind} {:04o} {seconds}.{nanoseconds:09} {} {}", entry.mode, entry.size, HEXLOWER.encode(&entry.path));
    if !entry.link.is_empty() {
        shown = format!("{shown} {}", HEXLOWER.encode(&entry.link));
    }
    shown
}

#[test]
fn every_vector_of_an_archive_gives_its_verdict_in_every_way_of_reading() {
    let mut all: Vec<Vector> = fs::read_dir(vectors("file"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| Vector::parse(path.file_name().unwrap().to_str().unwrap(), &fs::read(&path).unwrap()))
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let count = all.len();
    let half = count / 2;
    let mut faults = std::thread::scope(|scope| {
        let (first, second) = all.split_at(half);
        let judge = |part: &[Vector]| {
            // One thread and several in turn: with the other number, the vector beside it breaks a similar rule.
            part.iter().enumerate().flat_map(|(i, vector)| vector.faults(1 + i % 2 * 2)).collect::<Vec<_>>()
        };
        let other = scope.spawn(move || judge(first));
        let mut faults = judge(second);
        faults.extend(other.join().unwrap());
        faults
    });
    faults.sort();
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
    assert!(count >= TOTAL_MIN, "only {count} vectors");
}

/// A folder with every kind of member.
fn make_tree(top: &Path) {
    fs::create_dir_all(top.join("a/deep/folder")).unwrap();
    fs::create_dir(top.join("empty")).unwrap();
    fs::write(top.join("a/file"), "attack at dawn").unwrap();
    fs::write(top.join("a.txt"), "").unwrap();
    fs::write(top.join("a/deep/large"), vec![7; 3_000_001]).unwrap();
    for i in 0..300 {
        fs::write(top.join(format!("a/deep/folder/{i}")), format!("file {i}\n").repeat(i * 3)).unwrap();
    }
    fs::hard_link(top.join("a/file"), top.join("b")).unwrap();
    symlink("a/file", top.join("link")).unwrap();
    symlink("../a.txt", top.join("a/up")).unwrap();
    fs::set_permissions(top.join("a/file"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(top.join("empty"), fs::Permissions::from_mode(0o500)).unwrap();
    let holes = fs::File::create(top.join("holes")).unwrap();
    holes.set_len(10 << 20).unwrap();
    std::os::unix::fs::FileExt::write_at(&holes, b"in the middle", 5 << 20).unwrap();
    fs::write(top.join(path_of(b"caf\xe9")), "not UTF-8").unwrap();
    fs::write(top.join(format!("{}{}", "long".repeat(50), "ü")), "a long name").unwrap();
}

/// All facts about a tree.
fn facts(top: &Path) -> BTreeMap<PathBuf, String> {
    let mut facts = BTreeMap::new();
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stat = fs::symlink_metadata(&path).unwrap();
            let content = match () {
                () if stat.is_dir() => String::new(),
                () if stat.is_symlink() => fs::read_link(&path).unwrap().to_string_lossy().into_owned(),
                () => format!("{} {} {}", stat.len(), stat.nlink(), sha256(&fs::read(&path).unwrap())),
            };
            let fact = format!("{:o} {}.{} {content}", stat.mode(), stat.mtime(), stat.mtime_nsec());
            facts.insert(path.strip_prefix(top).unwrap().to_path_buf(), fact);
            if stat.is_dir() {
                folders.push(path);
            }
        }
    }
    facts
}

#[test]
fn a_folder_comes_back_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let (top, file, back) = (place.path().join("top"), place.path().join("top.tar.seal"), place.path().join("back"));
    make_tree(&top);
    for (compression, threads) in [
        (Compression::None, 1),
        (Compression::None, 3),
        (Compression::Auto, 1),
        (Compression::Auto, 3),
        (Compression::Zstd(1), 2),
    ] {
        let archiver = Archiver::new(encryptor().compression(compression).threads(threads));
        let output = || Output::file(&file).unwrap().replace(true).sync(false);
        let made = archiver.archive([&top], output()).unwrap();
        assert_eq!((made.left_out, made.members), (0, facts(&top).len() as u64 + 1));
        let mut first = Vec::new();
        decryptor().decrypt_to(Input::open(&file).unwrap(), Output::writer(&mut first)).unwrap();
        archiver.archive([&top], output()).unwrap();
        let mut second = Vec::new();
        decryptor().decrypt_to(Input::open(&file).unwrap(), Output::writer(&mut second)).unwrap();
        assert!(first == second, "the same folder gives the same archive");
        decryptor().verify(Input::open(&file).unwrap()).unwrap();

        let extractor = Extractor::new(decryptor().threads(threads)).sync(false);
        let extracted = extractor.extract(Input::open(&file).unwrap(), &back).unwrap();
        assert_eq!((extracted.members, extracted.file_bytes), (made.members, made.file_bytes));
        assert_eq!(facts(&back.join("top")), facts(&top));
        assert!(fs::metadata(back.join("top/holes")).unwrap().blocks() < 1000, "holes are holes again");
        fs::remove_dir_all(&back).unwrap();

        let stream = fs::File::open(&file).unwrap();
        extractor.extract(Input::reader(stream), &back).unwrap();
        assert_eq!(facts(&back.join("top")), facts(&top));
        fs::remove_dir_all(&back).unwrap();
    }
    assert_eq!(names(place.path()), ["top", "top.tar.seal"]);
}

#[test]
fn single_members_are_taken_out() {
    let place = tempfile::tempdir().unwrap();
    let (top, file, back) = (place.path().join("top"), place.path().join("top.tar.seal"), place.path().join("back"));
    make_tree(&top);
    Archiver::new(encryptor().compression(Compression::Auto)).archive([&top], Output::file(&file).unwrap()).unwrap();
    let mut archive = Archive::open(&decryptor(), Input::open(&file).unwrap()).unwrap();
    assert_eq!(archive.members(), facts(&top).len() as u64 + 1);
    for path in ["a/file", "b", "a/deep/large", "holes", "a.txt", "a/deep/folder/7"] {
        assert!(archive.read(format!("top/{path}").as_bytes()).unwrap() == fs::read(top.join(path)).unwrap(), "{path}");
    }
    for path in ["top/none", "top/link", "top/a", "top", ""] {
        assert_eq!(archive.read(path.as_bytes()).unwrap_err().code(), "no_such_member", "{path}");
    }
    let extractor = Extractor::new(decryptor()).sync(false);
    let extract = |paths: &[&str]| extractor.extract_members(Input::open(&file).unwrap(), &back, paths);
    extract(&["top/b", "top/a/deep/folder/", "./top/link"]).unwrap();
    let (all, some) = (facts(&top), facts(&back.join("top")));
    // Only one name of the two is there.
    assert_eq!(some[Path::new("b")].replace("14 1 ", "14 2 "), all[Path::new("b")]);
    assert_eq!(some.len(), 305);
    assert!(some.iter().filter(|(path, _)| path.starts_with("a/deep/folder/")).all(|(path, fact)| all[path] == *fact));
    assert_eq!(extract(&["top/b"]).unwrap_err().code(), "output_exists");
    assert_eq!(extract(&["top/a", "top/none"]).unwrap_err().code(), "no_such_member");
    extractor.clone().replace(true).extract_members(Input::open(&file).unwrap(), &back, ["top"]).unwrap();
    assert_eq!(facts(&back.join("top")), all);
    assert_eq!(names(&back), ["top"]);
}

#[test]
fn a_private_folder_stays_private_if_a_file_in_it_is_elsewhere_too() {
    let place = tempfile::tempdir().unwrap();
    let (top, file, back) = (place.path().join("top"), place.path().join("top.tar.seal"), place.path().join("back"));
    for folder in ["a", "private/deep"] {
        fs::create_dir_all(top.join(folder)).unwrap();
    }
    fs::write(top.join("a/file"), "attack at dawn").unwrap();
    fs::write(top.join("m"), "between them").unwrap();
    fs::hard_link(top.join("a/file"), top.join("private/deep/link")).unwrap();
    fs::hard_link(top.join("a/file"), top.join("private/z")).unwrap();
    for folder in ["private/deep", "private"] {
        fs::set_permissions(top.join(folder), fs::Permissions::from_mode(0o700)).unwrap();
    }
    Archiver::new(encryptor()).archive([&top], Output::file(&file).unwrap()).unwrap();
    let extractor = Extractor::new(decryptor()).sync(false);
    extractor.extract_members(Input::open(&file).unwrap(), &back, ["top/private"]).unwrap();
    let (all, some) = (facts(&top), facts(&back.join("top")));
    for folder in ["private", "private/deep"] {
        assert_eq!(some[Path::new(folder)], all[Path::new(folder)]);
    }
    let link = &some[Path::new("private/deep/link")];
    assert_eq!((some.len(), link), (4, &all[Path::new("a/file")].replace("14 3 ", "14 2 ")));
    assert_eq!(some[Path::new("private/z")], *link);
}

#[test]
fn a_hard_link_that_is_taken_out_names_a_file_of_the_archive() {
    let mut judged = 0;
    for name in ["a_folder", "a_hard_link", "a_missing_path", "a_symbolic_link"] {
        let name = format!("archive_hard_link_to_no_file_{name}");
        let vector = Vector::parse(&name, &fs::read(vectors("file").join(&name)).unwrap()).unwrap();
        assert_eq!((&*vector.list, &*vector.extract), ("success", "malformed_archive"), "{name}");
        let place = tempfile::tempdir().unwrap();
        let (file, folder) = (place.path().join("file"), place.path().join("folder"));
        fs::write(&file, &vector.file).unwrap();
        let decryptor = vector.decryptor(1);
        let mut archive = Archive::open(&decryptor, Input::open(&file).unwrap()).unwrap();
        let entries: Vec<Entry> = archive.entries().unwrap().collect::<Result<_>>().unwrap();
        for link in entries.iter().filter(|entry| entry.kind == MemberKind::HardLink) {
            // A file of the user's own has the name.
            let own = folder.join(path_of(&link.link));
            fs::create_dir_all(own.parent().unwrap()).unwrap();
            if !entries.iter().any(|entry| entry.path == link.link) {
                fs::write(&own, "not of the archive").unwrap();
            }
            let extractor = Extractor::new(decryptor.clone()).sync(false).replace(true);
            let paths = entries.iter().map(|entry| &entry.path);
            let extracted = extractor.extract_members(Input::open(&file).unwrap(), &folder, paths);
            assert_eq!(extracted.unwrap_err().code(), "malformed_archive", "{name}");
            assert!(!folder.join(path_of(&link.path)).exists(), "{name}");
            judged += 1;
        }
    }
    assert!(judged >= 4, "only {judged} links");
}

#[test]
fn a_file_that_changes_between_its_names_is_stored_again() {
    let place = tempfile::tempdir().unwrap();
    let (top, file) = (place.path().join("top"), place.path().join("top.tar.seal"));
    fs::create_dir(&top).unwrap();
    fs::write(top.join("a"), "before").unwrap();
    for other in ["y", "z"] {
        fs::hard_link(top.join("a"), top.join(other)).unwrap();
    }
    rustix::fs::mknodat(rustix::fs::CWD, top.join("b"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    // It is longer than a part, so one thread reports the pipe before it looks for the names behind.
    fs::write(top.join("c"), vec![7; 5_000_000]).unwrap();
    let changed = top.join("z");
    let archiver =
        Archiver::new(encryptor().threads(1)).on_left_out(move |_| fs::write(&changed, "after, and longer").unwrap());
    assert_eq!(archiver.archive([&top], Output::file(&file).unwrap()).unwrap().left_out, 0);
    let mut archive = Archive::open(&decryptor(), Input::open(&file).unwrap()).unwrap();
    let kinds: Vec<_> = archive.entries().unwrap().map(|entry| entry.unwrap().kind).collect();
    assert_eq!(kinds[1..], [MemberKind::File, MemberKind::File, MemberKind::File, MemberKind::HardLink]);
    assert_eq!(archive.read(b"top/a").unwrap(), b"before");
    for name in ["top/y", "top/z"] {
        assert_eq!(archive.read(name.as_bytes()).unwrap(), b"after, and longer");
    }
}

#[test]
fn what_is_excluded_or_cannot_be_read_is_left_out() {
    let place = tempfile::tempdir().unwrap();
    let (top, file) = (place.path().join("top"), place.path().join("top.tar.seal"));
    make_tree(&top);
    let left = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&left);
    rustix::fs::mknodat(rustix::fs::CWD, top.join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let archiver = Archiver::new(encryptor())
        .exclude(Pattern::new("folder/").unwrap())
        .exclude(Pattern::new("/top/a/f*").unwrap())
        .on_left_out(move |why| noted.lock().unwrap().push(why.code()));
    let made = archiver.archive([&top], Output::file(&file).unwrap()).unwrap();
    assert_eq!((made.left_out, &**left.lock().unwrap()), (0, &["not_regular_file"][..]));
    let mut archive = Archive::open(&decryptor(), Input::open(&file).unwrap()).unwrap();
    let entries: Vec<Entry> = archive.entries().unwrap().collect::<Result<_>>().unwrap();
    let paths: Vec<String> = entries.iter().map(|entry| String::from_utf8_lossy(&entry.path).into_owned()).collect();
    assert!(paths.contains(&"top/a/deep/large".to_owned()) && paths.contains(&"top/b".to_owned()), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("folder") || path == "top/a/file" || path == "top/fifo"));
    // Its other name is excluded, so this one is the file.
    let b = entries.iter().find(|entry| entry.path == b"top/b").unwrap();
    assert_eq!((b.kind, b.size), (MemberKind::File, 14));
}

#[test]
fn the_paths_of_an_archive_are_refused_before_any_work() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("x/same")).unwrap();
    fs::create_dir_all(place.path().join("y/same")).unwrap();
    let archive = |paths: &[&str]| {
        let paths = paths.iter().map(|path| place.path().join(path));
        Archiver::new(encryptor()).archive(paths, Output::file(place.path().join("out")).unwrap())
    };
    for (paths, code) in [
        (&[][..], "invalid_option"),
        (&["x/same", "y/same"], "invalid_option"),
        (&["x/.", "y"], "invalid_option"),
        (&["x/.."], "invalid_option"),
        (&["none"], "io"),
    ] {
        assert_eq!(archive(paths).unwrap_err().code(), code, "{paths:?}");
    }
    archive(&["x/."]).unwrap();
    let mut opened = Archive::open(&decryptor(), Input::open(place.path().join("out")).unwrap()).unwrap();
    let entries: Vec<Entry> = opened.entries().unwrap().collect::<Result<_>>().unwrap();
    assert_eq!(entries.iter().map(|entry| &entry.path[..]).collect::<Vec<_>>(), [b"same"]);
    assert_eq!(names(place.path()), ["out", "x", "y"]);
}

#[test]
fn a_file_that_is_no_archive_has_no_members() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, encryptor().encrypt(b"attack at dawn").unwrap()).unwrap();
    let opened = Archive::open(&decryptor(), Input::open(&file).unwrap());
    assert_eq!(opened.unwrap_err().code(), "not_an_archive");
    let extracted = Extractor::new(decryptor()).extract(Input::open(&file).unwrap(), place.path().join("out"));
    assert_eq!(extracted.unwrap_err().code(), "not_an_archive");
    assert_eq!(names(place.path()), ["file"]);
}

#[test]
fn an_existing_folder_is_refused_and_kept() {
    let place = tempfile::tempdir().unwrap();
    let (top, file) = (place.path().join("top"), place.path().join("file"));
    make_tree(&top);
    Archiver::new(encryptor()).archive([&top], Output::file(&file).unwrap()).unwrap();
    let (own, back) = (place.path().join("back/own"), place.path().join("back"));
    fs::create_dir(&back).unwrap();
    fs::write(&own, "mine").unwrap();
    let extractor = Extractor::new(decryptor()).sync(false);
    let refused = extractor.extract(Input::open(&file).unwrap(), &back);
    assert_eq!(refused.unwrap_err().code(), "output_exists");
    assert_eq!(names(&back), ["own"]);
    extractor.replace(true).extract(Input::open(&file).unwrap(), &back).unwrap();
    assert_eq!(fs::read(own).unwrap(), b"mine");
    assert_eq!(facts(&back.join("top")), facts(&top));
}

#[test]
fn a_damaged_archive_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (top, file, back) = (place.path().join("top"), place.path().join("file"), place.path().join("back"));
    make_tree(&top);
    Archiver::new(Encryptor::new([support::key().recipient()])).archive([&top], Output::file(&file).unwrap()).unwrap();
    let good = fs::read(&file).unwrap();
    for at in [good.len() - 20, good.len() / 2, good.len() / 3, 5000] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&file, &bad).unwrap();
        let extracted = Extractor::new(decryptor()).sync(false).extract(Input::open(&file).unwrap(), &back);
        assert_eq!(extracted.unwrap_err().code(), "not_authentic");
        assert_eq!(names(place.path()), ["file", "top"]);
    }
}
