use super::super::block::NUMBER_MAX;
use super::super::head::EXTENDED;
use super::super::support::{
    archive, blocks_of, entry, file, folder, hard_link, list, read, read_by, rule_of, slice, sparse, symbolic_link,
    trees,
};
use super::super::{END, Entry, IndexWriter, PATH_MAX_LEN};
use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(crate::cases::cases(300))]

    #[test]
    fn members_are_read_as_they_were_written_from_pieces_of_any_length(
        tree in trees(true), lens in prop::collection::vec(1_usize..2000, 1..6)
    ) {
        let content = archive(&tree);
        let said = read(&content, &lens).unwrap();
        let file_bytes = tree.iter().map(|(member, _)| member.entry.size).sum();
        prop_assert_eq!(said.totals, Totals { members: tree.len() as u64, file_bytes });
        let listed = list(&content, 4096).unwrap();
        prop_assert_eq!(listed.len(), said.stored.len());
        for ((stored, offset, blocks), listed) in said.stored.iter().zip(listed) {
            prop_assert_eq!((stored.0.entry.clone(), *offset, *blocks), listed);
        }
        let stored: Vec<_> = said.stored.into_iter().map(|(stored, ..)| stored).collect();
        prop_assert_eq!(&stored, &tree);
        // The same folder is the same bytes.
        prop_assert_eq!(archive(&stored), content);
    }

    #[test]
    fn any_run_of_members_is_read_without_the_others(tree in trees(true), from in 0_usize..12, len in 0_usize..12) {
        let content = archive(&tree);
        let listed = list(&content, 4096).unwrap();
        let from = from.min(tree.len());
        let to = (from + len).min(tree.len());
        let offset_of = |at: usize| listed.get(at).map_or(content.len() as u64, |(_, offset, _)| *offset);
        let end = listed[from..to].iter().map(|(_, _, blocks)| blocks * 512).sum::<u64>();
        let begin = offset_of(from);
        let run = slice(&content, begin..begin + end);
        let said = read_by(Splitter::run(begin), run, &[700]).unwrap();
        prop_assert_eq!(said.totals.members, (to - from) as u64);
        for ((stored, offset, blocks), at) in said.stored.into_iter().zip(from..) {
            prop_assert_eq!(&stored, &tree[at]);
            prop_assert_eq!((offset, blocks), (listed[at].1, listed[at].2));
        }
    }

    #[test]
    fn a_changed_byte_changes_no_fact_without_an_error(
        tree in trees(false), at in any::<prop::sample::Index>(), by in 1_u8..
    ) {
        let mut content = archive(&tree);
        let at = at.index(content.len());
        content[at] ^= by;
        match read(&content, &[4096]) {
            Err(error) => prop_assert_eq!(error.code(), "malformed_archive"),
            Ok(said) => {
                let read = said.stored.iter().map(|((member, _), ..)| member);
                // The map of a sparse file may say where other holes are: as its data, it is in no entry.
                let without_map = |member: &Member| Member { regions: None, ..member.clone() };
                let written: Vec<_> = tree.iter().map(|(member, _)| without_map(member)).collect();
                prop_assert_eq!(read.map(without_map).collect::<Vec<_>>(), written);
            }
        }
    }

    #[test]
    fn content_that_ends_too_early_is_refused(tree in trees(true), at in any::<prop::sample::Index>()) {
        let content = archive(&tree);
        let error = read(&content[..at.index(content.len())], &[1000]).unwrap_err();
        prop_assert_eq!(error.code(), "malformed_archive");
    }
}

/// A block with the right checksum, after a change.
fn changed(mut block: [u8; BLOCK_LEN], change: impl FnOnce(&mut [u8; BLOCK_LEN])) -> Vec<u8> {
    change(&mut block);
    block[148..156].copy_from_slice(b"        ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.to_vec()
}

fn block(typeflag: u8, name: &[u8], size: u64) -> [u8; BLOCK_LEN] {
    Header { name, mode: 0o644, size, typeflag, ..Header::default() }.write()
}

/// An extended header of records, before a header block.
fn extended(records: &[u8], block: &[u8]) -> Vec<u8> {
    let mut out = self::block(EXTENDED, b"x", records.len() as u64).to_vec();
    out.extend_from_slice(records);
    out.extend_from_slice(padding(records.len() as u64));
    out.extend_from_slice(block);
    out
}

fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let body = [b" ", key.as_bytes(), b"=", value, b"\n"].concat();
    let len = (1..9).map(|digits| body.len() + digits).find(|len| len - body.len() == len.to_string().len()).unwrap();
    [len.to_string().as_bytes(), &body].concat()
}

/// The only member of a run, or the rule that it breaks, which is the same in pieces.
fn only(bytes: &[u8]) -> std::result::Result<Member, (String, &'static str)> {
    let said = [BLOCK_LEN * 5000, 1, 300].map(|len| match read_by(Splitter::run(0), bytes, &[len]) {
        Ok(mut said) => Ok(said.stored.pop().unwrap().0.0),
        Err(error) => Err(rule_of::<()>(Err(error))),
    });
    assert_eq!(said[0], said[1]);
    assert_eq!(said[0], said[2]);
    said.into_iter().next().unwrap()
}

#[track_caller]
fn refused(bytes: &[u8], member: &str, rule: &str) {
    let (named, said) = only(bytes).unwrap_err();
    assert_eq!((&named[..], said), (member, rule));
}

const NUMBER: &str = "a number of a header block is not octal digits up to a NUL or space (archive section 3.2)";

#[test]
fn a_header_block_is_strictly_one_of_ustar() {
    let sound = block(b'0', b"a", 0);
    assert!(only(&sound).is_ok());
    let mut other = sound;
    other[0] = b'b';
    refused(&other, "", "the checksum of a header block is wrong (archive section 3.2)");
    for magic in [b"ustar  \0", b"ustar\x0001", b"Ustar\x0000", b"\0\0\0\0\0\0\0\0"] {
        let magic = changed(sound, |block| block[257..265].copy_from_slice(magic));
        refused(&magic, "", "the magic of a header block is not that of ustar (archive section 3.2)");
    }
    for (from, to) in [(100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (329, 337), (337, 345)] {
        let with = |text: &[u8]| {
            changed(sound, |block| {
                block[from..to].fill(0);
                block[from..from + text.len()].copy_from_slice(text);
            })
        };
        for sound in [&b"0"[..], b"0 ", b"00 \0 ", b"000000"] {
            assert!(only(&with(sound)).is_ok());
        }
        for broken in
            [&b""[..], b" 0", b"0x", b"8", b"0\x000", b"-1", b"+0", b"\x80\0\0\0\0\0\0\x01", &b"0".repeat(to - from)]
        {
            refused(&with(broken), "", NUMBER);
        }
    }
    for checksum in [b"        ", b"\0\0\0\0\0\0\0\0", b"00000000"] {
        let mut block = sound;
        block[148..156].copy_from_slice(checksum);
        refused(&block, "", NUMBER);
    }
    for typeflag in b"346789gxLKSVDM\0" {
        let bytes = block(*typeflag, b"a", 0);
        match typeflag {
            b'x' => refused(&bytes, "", "it ends within a member (archive section 3.2)"),
            _ => refused(&bytes, "a", "a member is no file, hard link, symbolic link or folder (archive section 3.2)"),
        }
    }
}

#[test]
fn the_prefix_is_a_part_of_the_path_if_no_record_has_one() {
    let header = Header { name: b"b", prefix: b"a", mode: 0o644, typeflag: b'0', ..Header::default() };
    assert_eq!(only(&header.write()).unwrap().entry.path, b"a/b");
    assert_eq!(only(&extended(b"9 path=c\n", &header.write())).unwrap().entry.path, b"c");
}

#[test]
fn a_path_or_link_that_breaks_a_rule_is_refused() {
    let component = "a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)";
    for path in ["/a", "a//b", "..", "a/../b", "./a", "a/"] {
        refused(&block(b'0', path.as_bytes(), 0), path, component);
    }
    for path in ["a//", "/", "./", "a/./"] {
        refused(&block(b'5', path.as_bytes(), 0), &path[..path.len() - 1], component);
    }
    refused(&block(b'0', b"", 0), "", component);
    refused(&extended(&record("path", b"a\0"), &block(b'0', b"a", 0)), "a\\0", component);
    for path in [&b"a"[..], b"a/"] {
        assert_eq!(only(&block(b'5', path, 0)).unwrap().entry.path, b"a");
    }
    let long = extended(&record("path", &[b'a'; 4097]), &block(b'0', b"a", 0));
    refused(&long, &"a".repeat(PATH_MAX_LEN), "a path has over 4096 bytes (archive section 3.1)");
    let deep = extended(&record("path", &b"a/".repeat(257)), &block(b'5', b"a", 0));
    refused(&deep, &"a/".repeat(257)[..513], "a path has over 256 components (archive section 3.1)");

    let with = |typeflag, link: &[u8]| extended(&record("linkpath", link), &block(typeflag, b"b", 0));
    assert_eq!(only(&with(b'1', b"a")).unwrap().entry.link, b"a");
    assert_eq!(only(&with(b'2', &[b'a'; 4096])).unwrap().entry.link.len(), 4096);
    for link in [&b"b"[..], b"c", b"", b"a/../a", b"a\0", b"/a", &[b'a'; 4097]] {
        refused(&with(b'1', link), "b", "a hard link names no member before it (archive section 3.2)");
    }
    for link in [&b""[..], b"a\0"] {
        refused(&with(b'2', link), "b", "the target of a symbolic link is empty or has a NUL (archive section 3.2)");
    }
    let rule = "the target of a symbolic link has over 4096 bytes (archive section 3.2)";
    refused(&with(b'2', &[b'a'; 4097]), "b", rule);
    for typeflag in [b'0', b'5'] {
        refused(&with(typeflag, b"a"), "b", "only a link has a linkname (archive section 3.2)");
        assert!(only(&with(typeflag, b"")).is_ok());
    }
    for typeflag in [b'1', b'2', b'5'] {
        let header = Header { name: b"b", link: b"a", size: 1, typeflag, ..Header::default() };
        let header = Header { link: if typeflag == b'5' { b"" } else { b"a" }, ..header };
        refused(&header.write(), "b", "only a file has a size (archive section 3.2)");
    }
}

#[test]
fn a_record_is_more_than_its_field_and_unknown_ones_are_skipped() {
    let records = [
        record("hdrcharset", b"ISO-IR 10646 2000 UTF-8"),
        record("comment", b"x"),
        record("path", b"\xff"),
        record("size", b"3"),
        record("mtime", b"7.25"),
        record("uid", b"18446744073709551615"),
        record("gid", b"9"),
        record("uname", b"u"),
        record("gname", b"g"),
        record("SCHILY.xattr.", b""),
        record("SCHILY.xattr.security.x", b"="),
        record("SCHILY.xattr.user.a", b"\0\n"),
    ]
    .concat();
    let mut bytes = extended(&records, &block(b'0', b"a", 0));
    bytes.extend_from_slice(b"abc");
    bytes.extend_from_slice(padding(3));
    let member = only(&bytes).unwrap();
    assert_eq!((&member.entry.path[..], member.entry.size), (&b"\xff"[..], 3));
    assert_eq!((member.entry.modified.seconds, member.entry.modified.nanoseconds), (7, 250_000_000));
    let owner = member.owner.unwrap();
    assert_eq!(
        (owner.user, owner.group, &owner.user_name[..], &owner.group_name[..]),
        (u64::MAX, 9, &b"u"[..], &b"g"[..])
    );
    let names: Vec<_> = member.attributes.into_iter().collect();
    assert_eq!(names, [(b"security.x".to_vec(), b"=".to_vec()), (b"user.a".to_vec(), b"\0\n".to_vec())]);

    for (key, value) in [("size", ""), ("size", "-1"), ("size", "01"), ("uid", "x"), ("gid", "18446744073709551616")] {
        let rule = "a number in a record breaks its syntax (archive section 3.2)";
        refused(&extended(&record(key, value.as_bytes()), &block(b'0', b"a", 0)), "a", rule);
    }
    let rule = "a time in a record breaks its syntax (archive section 3.2)";
    refused(&extended(&record("mtime", b"1."), &block(b'0', b"a", 0)), "a", rule);
    let rule = "the data of a member are longer than an archive (archive section 5)";
    refused(&extended(&record("size", b"4503599627370496"), &block(b'0', b"a", 0)), "a", rule);
    refused(
        &extended(b"9 path=a ", &block(b'0', b"a", 0)),
        "",
        "a record breaks the syntax of pax (archive section 3.2)",
    );
    refused(
        &extended(b"9 path=a\n9 path=a\n", &block(b'0', b"a", 0)),
        "",
        "a record comes twice (archive section 3.2)",
    );
}

#[test]
fn one_extended_header_stands_before_a_header_block() {
    let sound = extended(b"9 path=b\n", &block(b'0', b"a", 0));
    assert_eq!(only(&sound).unwrap().entry.path, b"b");
    assert_eq!(only(&extended(b"", &block(b'0', b"a", 0))).unwrap().entry.path, b"a");
    let rule = "two extended headers stand before one member (archive section 3.2)";
    refused(&extended(b"9 path=b\n", &sound), "", rule);
    refused(&extended(b"", &extended(b"", &block(b'0', b"a", 0))), "", rule);

    let most = record("comment", &vec![b'x'; RECORDS_MAX_LEN - 17]);
    assert_eq!(most.len(), RECORDS_MAX_LEN);
    assert!(only(&extended(&most, &block(b'0', b"a", 0))).is_ok());
    refused(&block(EXTENDED, b"a", RECORDS_MAX_LEN as u64 + 1), "", RECORDS_TOO_LONG);
    refused(&block(EXTENDED, b"a", NUMBER_MAX), "", RECORDS_TOO_LONG);
    let magic = "the magic of a header block is not that of ustar (archive section 3.2)";
    refused(&extended(b"9 path=b\n", &END), "", magic);
    // It belongs to no member, but to the end.
    let content = [&extended(b"9 path=b\n", &END)[..], &archive(&[])[1024..]].concat();
    assert_eq!(rule_of(read(&content, &[512])), (String::new(), magic));
}

#[test]
fn padding_that_is_not_zero_is_refused() {
    const RULE: &str = "the padding is not zero (archive section 3.2)";
    let (bytes, _) = blocks_of(&file("a", b"1"));
    for at in [513, 600, 1023] {
        let mut bytes = bytes.clone();
        bytes[at] = 1;
        refused(&bytes, "a", RULE);
    }
    let mut records = extended(b"9 path=b\n", &block(b'0', b"a", 0));
    records[1023] = b'\n';
    refused(&records, "", RULE);
    let (mut sparse, _) = blocks_of(&sparse("a", vec![5..6], 9));
    let at = sparse.len() - 513;
    sparse[at] = b'0';
    refused(&sparse, "a", RULE);
}

/// A sparse file with these records and this map, and `x` behind it.
fn with_map(records: &[(&str, &str)], map: &str, data_len: usize) -> Vec<u8> {
    let records: Vec<_> = records.iter().map(|(key, value)| record(key, value.as_bytes())).collect();
    let mut data = map.as_bytes().to_vec();
    data.extend_from_slice(padding(data.len() as u64));
    data.extend_from_slice(&b"x".repeat(data_len));
    let mut out = extended(&records.concat(), &block(b'0', b"GNUSparseFile.0/a", data.len() as u64));
    out.extend_from_slice(&data);
    out.extend_from_slice(padding(data.len() as u64));
    out
}

const MAJOR: (&str, &str) = ("GNU.sparse.major", "1");
const MINOR: (&str, &str) = ("GNU.sparse.minor", "0");
const NAME: (&str, &str) = ("GNU.sparse.name", "a");
const SIZE: (&str, &str) = ("GNU.sparse.realsize", "100");

#[test]
fn the_records_of_a_sparse_file_are_all_there_and_of_version_1_0() {
    const RULE: &str = "the records of a sparse file break a rule (archive section 3.3)";
    let all = [MAJOR, MINOR, NAME, SIZE];
    assert_eq!(only(&with_map(&all, "1\n0\n5\n", 5)).unwrap().regions, Some(vec![0..5]));
    for at in 0..4 {
        let some: Vec<_> = (0..4).filter(|i| *i != at).map(|i| all[i]).collect();
        let name = if at == 2 { "GNUSparseFile.0/a" } else { "a" };
        let (_, rule) = only(&with_map(&some, "1\n0\n5\n", 5)).unwrap_err();
        assert_eq!(rule, RULE, "{name}");
    }
    for (at, value) in [(0, "2"), (0, "0"), (1, "1"), (0, "01"), (3, ""), (3, "x"), (3, "-1")] {
        let mut other = all;
        other[at].1 = value;
        refused(&with_map(&other, "1\n0\n5\n", 5), "a", RULE);
    }
    refused(&with_map(&[MAJOR, MINOR, NAME, SIZE, ("path", "a")], "1\n0\n5\n", 5), "a", RULE);
    let records = all.map(|(key, value)| record(key, value.as_bytes())).concat();
    refused(&extended(&records, &block(b'5', b"a", 0)), "a", RULE);
    refused(&extended(&records, &block(b'0', b"a", 0)), "a", MAP_SHORT);
}

#[test]
fn the_regions_of_a_sparse_file_ascend_within_its_length() {
    const RULE: &str = "the map of a sparse file breaks a rule (archive section 3.3)";
    const LONG: &str = "the map of a sparse file has over 2^20 bytes (archive section 3.3)";
    let all = [MAJOR, MINOR, NAME, SIZE];
    for (map, data_len, regions) in [
        ("0\n", 0, vec![]),
        ("1\n100\n0\n", 0, vec![]),
        ("1\n0\n100\n", 100, vec![0..100]),
        ("2\n0\n5\n5\n5\n", 10, vec![0..5, 5..10]),
        ("2\n0\n5\n100\n0\n", 5, vec![0..5]),
        ("1\n99\n1\n", 1, vec![99..100]),
    ] {
        assert_eq!(only(&with_map(&all, map, data_len)).unwrap().regions, Some(regions), "{map:?}");
    }
    for map in [
        "1\n50\n0\n",
        "1\n99\n2\n",
        "1\n101\n0\n",
        "2\n0\n5\n4\n5\n",
        "2\n5\n5\n0\n5\n",
        "2\n0\n100\n100\n0\n",
        "2\n100\n0\n100\n0\n",
        "2\n0\n0\n5\n5\n",
        "01\n0\n5\n",
        "1\n\n5\n",
        "1\n0\n+5\n",
        "1\n0 \n5\n",
        "1\n18446744073709551615\n5\n",
        "1\n18446744073709551616\n5\n",
        "1\n000000000000000000005\n",
        "x",
    ] {
        refused(&with_map(&all, map, 5), "a", RULE);
    }
    // The data are less or more, or end within the map.
    for (map, data_len) in [("1\n0\n5\n", 4), ("1\n0\n5\n", 6), ("1\n0\n5\n", 600), ("0\n", 1), ("1\n0\n100\n", 0)] {
        refused(&with_map(&all, map, data_len), "a", MAP_SHORT);
    }
    refused(&with_map(&all, "1\n", 0), "a", RULE);
    for count in ["524288", "9223372036854775808", "18446744073709551615"] {
        refused(&with_map(&all, &format!("{count}\n"), 5), "a", LONG);
    }
    let regions: Vec<_> = (0..270_000).map(|n| format!("{n}\n1\n")).collect();
    let many = format!("270000\n{}", regions.concat());
    refused(&with_map(&[MAJOR, MINOR, NAME, ("GNU.sparse.realsize", "300000")], &many, 270_000), "a", LONG);
}

#[test]
fn members_that_are_out_of_order_or_have_no_folder_are_refused() {
    let join = |members: &[super::super::support::Stored]| -> Vec<u8> {
        members.iter().flat_map(|stored| blocks_of(stored).0).collect()
    };
    let order = "a member is out of order, or comes twice (archive section 3.1)";
    let orphan = "the folder of a member is not a member before it (archive section 3.1)";
    for (members, path, rule) in [
        (join(&[file("b", b""), file("a", b"")]), "a", order),
        (join(&[file("a", b""), file("a", b"")]), "a", order),
        (join(&[folder("a"), file("a.b", b""), file("a/b", b"")]), "a/b", order),
        (join(&[file("a", b""), file("a/b", b"")]), "a/b", orphan),
        (join(&[folder("a"), file("a/b/c", b"")]), "a/b/c", orphan),
    ] {
        let content = [&members[..], &archive(&[])].concat();
        assert_eq!(rule_of(read(&content, &[512])), (path.to_owned(), rule));
        assert_eq!(rule_of(read_by(Splitter::run(0), &members, &[512])), (path.to_owned(), rule));
    }
    // A run may begin in a folder, the whole archive not.
    let (inside, _) = blocks_of(&file("a/b", b""));
    assert!(only(&inside).is_ok());
    assert_eq!(rule_of(read(&inside, &[512])), ("a/b".to_owned(), orphan));
}

#[test]
fn a_hard_link_names_a_file_before_it() {
    let sound = [file("a", b"1"), folder("b"), hard_link("b/c", "a"), hard_link("d", "a")];
    assert!(read(&archive(&sound), &[100]).is_ok());
    // Nothing, a folder, a symbolic link, and a hard link.
    for (named, others) in [
        ("aa", vec![]),
        ("b", vec![]),
        ("c", vec![symbolic_link("c", "a")]),
        ("c", vec![hard_link("c", "a")]),
        ("b/x", vec![]),
    ] {
        let mut members = vec![file("a", b"1"), folder("b")];
        members.extend(others);
        members.extend([hard_link("d", named), file("e", b"")]);
        let rule = "a hard link does not name a file before it (archive section 3.2)";
        for len in [1, 10_000] {
            assert_eq!(rule_of(read(&archive(&members), &[len])), ("d".to_owned(), rule), "{named}");
        }
    }
}

#[test]
fn the_index_differs_from_the_members_in_no_byte() {
    let members = [file("a", b"1"), folder("b"), hard_link("c", "a")];
    let content = archive(&members);
    let begin = content.len() - 1024;
    for at in begin..content.len() {
        let mut other = content.clone();
        other[at] ^= 1;
        let error = read(&other, &[4096]).unwrap_err();
        assert_eq!(error.code(), "malformed_archive", "{}", at - begin);
        // Without a hard link, each is found by the comparison alone.
        let mut other = archive(&members[..2]);
        let at = other.len() + at - content.len();
        other[at] ^= 1;
        assert_eq!(rule_of(read(&other, &[4096])).1, DIFFERS);
    }
    // An index of other members, which is right in itself.
    let mut index = IndexWriter::default();
    index.add(&entry(MemberKind::File, b"a", 2, b""), 2).unwrap();
    let (member, _) = blocks_of(&file("a", b"1"));
    let other: Vec<u8> = [member, END.to_vec()].into_iter().chain(index.finish()).flatten().collect();
    assert_eq!(rule_of(read(&other, &[4096])).1, DIFFERS);
    assert!(list(&other, 4096).is_ok());
}

#[test]
fn an_archive_ends_with_1024_zeros_and_its_index() {
    let content = archive(&[file("a", b"1")]);
    for (len, member, rule) in [
        (0, "", "it ends before its index (archive section 3)"),
        (100, "", "it ends before its index (archive section 3)"),
        (512, "a", "it ends within a member (archive section 3.2)"),
        (513, "a", "it ends within a member (archive section 3.2)"),
        (1024, "", "it ends before its index (archive section 3)"),
        (1536, "", "it ends before its index (archive section 3)"),
        (2047, "", "it ends before its index (archive section 3)"),
        (2048, "", "it ends within its index (archive section 3.4)"),
        (content.len() - 1, "", "it ends within its index (archive section 3.4)"),
    ] {
        assert_eq!(rule_of(read(&content[..len], &[4096])), (member.to_owned(), rule), "{len}");
    }
    let mut other = content.clone();
    other[2047] = 1;
    assert_eq!(rule_of(read(&other, &[99])).1, "there are no 1024 zeros behind the members (archive section 3)");
    let mut other = content.clone();
    other.push(0);
    assert_eq!(rule_of(read(&other, &[99])).1, "there are bytes behind its index (archive section 3.4)");
    // In a run there is no end.
    let magic = "the magic of a header block is not that of ustar (archive section 3.2)";
    assert_eq!(rule_of(read_by(Splitter::run(0), &content, &[99])).1, magic);
    for len in [1, 100, 600, 1023] {
        let rule = "it ends within a member (archive section 3.2)";
        assert_eq!(rule_of(read_by(Splitter::run(0), &content[..len], &[99])).1, rule);
    }
    assert_eq!(read_by(Splitter::run(0), &[], &[1]).unwrap().totals, Totals::default());
}

#[test]
fn the_data_of_a_long_file_are_not_held() {
    let size = 1 << 40;
    let (mut head, mut parts) = (Vec::new(), Vec::new());
    Member::new(Entry { size, ..entry(MemberKind::File, b"a", 0, b"") }).write_head(&mut head).unwrap();
    let mut splitter = Splitter::run(0);
    splitter.take(&head, &mut parts).unwrap();
    let piece = vec![7; 1 << 20];
    for at in 0..8 {
        parts.clear();
        splitter.take(&piece, &mut parts).unwrap();
        assert_eq!(parts, [Part::Data { at: at << 20, range: 0..1 << 20 }]);
    }
    assert!(splitter.held.capacity() <= 1024);
}
