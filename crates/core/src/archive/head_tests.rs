use super::super::support::{
    MODIFIED, Stored, blocks_of, entry, file, folder, hard_link, rule_of, sparse, symbolic_link,
};
use super::*;
use crate::archive::LINK_MAX_LEN;
use std::ops::Range;

/// The records and the header block of a member.
fn head(stored: &Stored) -> (String, Vec<u8>) {
    let (bytes, _) = blocks_of(stored);
    let header = Header::parse(bytes.first_chunk().unwrap()).unwrap();
    if header.typeflag != EXTENDED {
        return (String::new(), bytes[..BLOCK_LEN].to_vec());
    }
    let (size, typeflag) = (header.size, EXTENDED);
    assert_eq!(header, Header { name: b"././@PaxHeader", mode: 0o644, size, typeflag, ..Header::default() });
    let size = usize::try_from(size).unwrap();
    let records = bytes[BLOCK_LEN..BLOCK_LEN + size].iter().map(|byte| char::from(*byte)).collect();
    let at = BLOCK_LEN + size.next_multiple_of(BLOCK_LEN);
    (records, bytes[at..at + BLOCK_LEN].to_vec())
}

fn records(stored: &Stored) -> String {
    head(stored).0
}

/// What the field of a header block has.
fn field(stored: &Stored, field: Range<usize>) -> String {
    head(stored).1[field].iter().map(|byte| char::from(*byte)).collect()
}

#[test]
fn numbers_are_octal_digits_that_fill_their_field_up_to_a_nul() {
    let (mut member, data) = file("a.txt", &[7; 600]);
    member.entry.mode = 0o4751;
    let stored = (member, data);
    let (records, block) = head(&stored);
    assert_eq!(records, "");
    let mut expected = b"a.txt".to_vec();
    expected.resize(100, 0);
    expected.extend_from_slice(b"0004751\x000000000\x000000000\x0000000001130\x0015125632645\x00");
    expected.extend_from_slice(b"010234\0 0");
    expected.resize(257, 0);
    expected.extend_from_slice(b"ustar\x0000");
    expected.resize(329, 0);
    expected.extend_from_slice(b"0000000\x000000000\x00");
    expected.resize(512, 0);
    assert_eq!(block, expected);
    assert_eq!(blocks_of(&stored).1, 3);
}

#[test]
fn the_name_is_the_path_and_of_a_folder_with_a_slash_behind_it() {
    assert_eq!(&field(&folder("a/b"), 0..5), "a/b/\0");
    assert_eq!(&field(&file("a/b", b""), 0..5), "a/b\0\0");
    assert_eq!(field(&hard_link("b", "a"), 156..159), "1a\0");
    assert_eq!(field(&symbolic_link("b", "../a/"), 156..163), "2../a/\0");
    assert_eq!(field(&folder("a"), 156..158), "5\0");
}

#[test]
fn a_value_that_its_field_cannot_hold_goes_into_a_record() {
    let long = "a".repeat(100);
    assert_eq!(records(&file(&long, b"")), "");
    assert_eq!(field(&file(&long, b""), 0..100), long);
    assert_eq!(records(&folder(&long)), format!("111 path={long}/\n"));
    assert_eq!(field(&folder(&long), 0..100), long);
    assert_eq!(records(&file(&format!("{long}b"), b"")), format!("111 path={long}b\n"));
    assert_eq!(records(&symbolic_link("b", &long)), "");
    assert_eq!(records(&symbolic_link("b", &format!("{long}b"))), format!("115 linkpath={long}b\n"));
    assert_eq!(field(&symbolic_link("b", &format!("{long}b")), 157..257), long);

    let mut large = Member::new(entry(MemberKind::File, b"a", (1 << 33) - 1, b""));
    let mut out = Vec::new();
    assert_eq!(large.write_head(&mut out).unwrap(), 1 + (1 << 24));
    assert_eq!((out.len(), &out[124..136]), (512, &b"77777777777\0"[..]));
    out.clear();
    large.entry.size += 1;
    assert_eq!(large.write_head(&mut out).unwrap(), 3 + (1 << 24));
    assert_eq!(out[512..532], *b"19 size=8589934592\n\0");
    assert_eq!(out[1024 + 124..1024 + 136], *b"00000000000\0");
}

#[test]
fn a_path_that_is_not_ascii_goes_into_a_record_and_one_that_is_not_utf_8_sets_the_charset() {
    assert_eq!(records(&file("é", b"")), "11 path=Ã©\n");
    assert_eq!(field(&file("é", b""), 0..3), "Ã©\0");
    assert_eq!(records(&folder("é")), "12 path=Ã©/\n");
    assert_eq!(records(&symbolic_link("b", "é")), "15 linkpath=Ã©\n");
    let bytes = (Member::new(entry(MemberKind::SymbolicLink, b"b", 0, b"\xe9")), Vec::new());
    assert_eq!(records(&bytes), "21 hdrcharset=BINARY\n14 linkpath=é\n");
    let bytes = (Member::new(entry(MemberKind::Folder, b"\xe9", 0, b"")), Vec::new());
    assert_eq!(records(&bytes), "21 hdrcharset=BINARY\n11 path=é/\n");
}

#[test]
fn a_time_with_a_fraction_or_before_1970_or_after_2242_goes_into_a_record() {
    for (seconds, nanoseconds, record, field_value) in [
        (0, 0, "", "00000000000"),
        ((1 << 33) - 1, 0, "", "77777777777"),
        (1 << 33, 0, "20 mtime=8589934592\n", "00000000000"),
        (5, 500_000_000, "13 mtime=5.5\n", "00000000005"),
        (5, 1, "21 mtime=5.000000001\n", "00000000005"),
        (5, 999_999_990, "20 mtime=5.99999999\n", "00000000005"),
        (-1, 0, "12 mtime=-1\n", "00000000000"),
        (-1, 750_000_000, "15 mtime=-0.25\n", "00000000000"),
        (-2, 500_000_000, "14 mtime=-1.5\n", "00000000000"),
        (i64::MIN, 0, "30 mtime=-9223372036854775808\n", "00000000000"),
        (i64::MIN, 1, "40 mtime=-9223372036854775807.999999999\n", "00000000000"),
        (i64::MAX, 999_999_999, "39 mtime=9223372036854775807.999999999\n", "00000000000"),
    ] {
        let (mut member, data) = file("a", b"");
        member.entry.modified = Time { seconds, nanoseconds };
        let stored = (member, data);
        assert_eq!(records(&stored), record);
        assert_eq!(field(&stored, 136..147), field_value, "{record}");
        let value = record.trim_end().split_once('=').map(|(_, value)| value.as_bytes());
        assert!(value.is_none_or(|value| records::time(value) == Some(stored.0.entry.modified)), "{record}");
    }
}

#[test]
fn a_time_that_is_no_decimal_number_of_1_to_9_fractional_digits_is_none() {
    for text in [
        "",
        "-",
        "+1",
        "1.",
        ".5",
        "1.1234567890",
        "1.x",
        "01",
        "1 ",
        "--1",
        "1.5.5",
        "9223372036854775808",
        "-9223372036854775809",
        "-9223372036854775808.1",
        "1e5",
        "99999999999999999999",
    ] {
        assert_eq!(records::time(text.as_bytes()), None, "{text}");
    }
    assert_eq!(records::time(b"-0"), Some(Time::default()));
    assert_eq!(records::time(b"7.500"), Some(Time { seconds: 7, nanoseconds: 500_000_000 }));
}

#[test]
fn owners_are_written_only_if_the_caller_asked() {
    let (mut member, data) = file("a", b"");
    assert_eq!(field(&(member.clone(), data.clone()), 265..329), "\0".repeat(64));
    let names = ["u".repeat(31), "g".repeat(32)];
    let [user_name, group_name] = names.each_ref().map(|name| name.as_bytes().to_vec());
    member.owner = Some(Owner { user: (1 << 21) - 1, group: 1 << 21, user_name, group_name });
    let stored = (member, data);
    assert_eq!(field(&stored, 108..124), "7777777\x000000000\0");
    assert_eq!(field(&stored, 265..329), format!("{}{}", names[0], "\0".repeat(33)));
    assert_eq!(records(&stored), format!("15 gid=2097152\n42 gname={}\n", names[1]));
}

#[test]
fn records_are_in_the_order_of_the_list_and_attributes_in_that_of_their_names() {
    let (mut member, _) = sparse("\u{e9}", vec![8..10], 20);
    member.entry.modified.nanoseconds = 10;
    let name = b"n".repeat(32);
    member.owner = Some(Owner { user: 1 << 21, group: 1 << 22, user_name: name.clone(), group_name: name });
    member.attributes = [(b"user.b".to_vec(), b"2\n=".to_vec()), (b"user.a".to_vec(), b"".to_vec())].into();
    let text = records(&(member, vec![1, 2]));
    let keys: Vec<_> = text.split_inclusive('\n').filter_map(|line| line.split_once(' ')?.1.split_once('=')).collect();
    let keys: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
    let sparse = ["GNU.sparse.major", "GNU.sparse.minor", "GNU.sparse.name", "GNU.sparse.realsize"];
    let attributes = ["SCHILY.xattr.user.a", "SCHILY.xattr.user.b"];
    assert_eq!(keys, [&["mtime", "uid", "gid", "uname", "gname"][..], &sparse, &attributes].concat());
}

#[test]
fn a_sparse_file_is_in_the_form_that_gnu_tar_calls_1_0() {
    let stored = sparse("a/b", vec![1000..1512, 2000..2001], 3000);
    assert_eq!(
        records(&stored),
        "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n23 GNU.sparse.name=a/b\n28 GNU.sparse.realsize=3000\n"
    );
    assert_eq!(field(&stored, 0..18), "GNUSparseFile.0/b\0");
    assert_eq!(field(&stored, 124..135), "00000002001");
    let (bytes, blocks) = blocks_of(&stored);
    assert_eq!(blocks, 6);
    let map = b"3\n1000\n512\n2000\n1\n3000\n0\n";
    assert_eq!(bytes[3 * 512..][..map.len()], *map);
    assert_eq!(sparse::map_len(&[1000..1512, 2000..2001], 3000), map.len() as u64);
    assert_eq!(bytes[4 * 512..][..514], *[&b"x".repeat(513)[..], b"\0"].concat());
    // One that ends with data, one of a hole, and an empty one.
    for (regions, size, map) in [(vec![5..9], 9, "1\n5\n4\n\0"), (vec![], 9, "1\n9\n0\n\0"), (vec![], 0, "0\n\0")] {
        let (bytes, _) = blocks_of(&sparse("a", regions, size));
        assert_eq!(bytes[3 * 512..][..map.len()], *map.as_bytes());
    }
}

#[test]
fn a_member_that_cannot_keep_the_rules_is_not_written() {
    let invalid = |change: &dyn Fn(&mut Member)| {
        let (mut member, _) = file("a", b"");
        change(&mut member);
        let mut out = vec![1, 2, 3];
        let (_, rule) = rule_of(member.write_head(&mut out));
        assert_eq!(out, [1, 2, 3]);
        rule
    };
    let kind = |kind: MemberKind, link: &[u8]| invalid(&|member| member.entry = entry(kind, b"b", 0, link));
    let path = "a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)";
    assert_eq!(invalid(&|member| member.entry.path = b"a//b".to_vec()), path);
    assert_eq!(
        invalid(&|member| member.entry.path = vec![b'a'; 4097]),
        "a path has over 4096 bytes (archive section 3.1)"
    );
    assert_eq!(
        invalid(&|member| member.entry.path = b"a/".repeat(257)[..513].to_vec()),
        "a path has over 256 components (archive section 3.1)"
    );
    let link = "a hard link names no member before it (archive section 3.2)";
    assert_eq!(kind(MemberKind::HardLink, b"c"), link);
    assert_eq!(kind(MemberKind::HardLink, b""), link);
    let target = "the target of a symbolic link is empty or has a NUL (archive section 3.2)";
    assert_eq!(kind(MemberKind::SymbolicLink, b""), target);
    assert_eq!(kind(MemberKind::SymbolicLink, b"a\0"), target);
    assert_eq!(
        kind(MemberKind::SymbolicLink, &[b'a'; LINK_MAX_LEN + 1]),
        "the target of a symbolic link has over 4096 bytes (archive section 3.2)"
    );
    assert_eq!(kind(MemberKind::File, b"a"), "only a link has a linkname (archive section 3.2)");
    let nanoseconds = "the nanoseconds of a time are a second or more (archive section 3.4)";
    assert_eq!(invalid(&|member| member.entry.modified.nanoseconds = 1_000_000_000), nanoseconds);
    assert_eq!(invalid(&|member| member.entry.mode = 0o10000), "a mode has over 12 bits (archive section 3.2)");
    assert_eq!(invalid(&|member| member.entry.size = 1 << 52), TOO_LONG);
    let name = "the name of an attribute is empty, or has a `=` or NUL (archive section 3.2)";
    assert_eq!(invalid(&|member| member.attributes = [(b"user.a=b".to_vec(), vec![])].into()), name);
    assert_eq!(
        invalid(&|member| member.attributes = [(b"user.a".to_vec(), vec![0; 1 << 20])].into()),
        RECORDS_TOO_LONG
    );

    let map = "the map of a sparse file breaks a rule (archive section 3.3)";
    #[expect(clippy::reversed_empty_ranges, reason = "a region that is none")]
    let regions = [vec![0..0], vec![5..2], vec![0..11], vec![0..5, 4..6], vec![5..6, 1..2]];
    for regions in regions {
        let rule = invalid(&|member| (member.entry.size, member.regions) = (10, Some(regions.clone())));
        assert_eq!(rule, map, "{regions:?}");
    }
    let many: Vec<_> = (0..1 << 17).map(|n| 1024 * n..1024 * n + 512).collect();
    let rule = invalid(&|member| (member.entry.size, member.regions) = (1 << 30, Some(many.clone())));
    assert_eq!(rule, "the map of a sparse file has over 2^20 bytes (archive section 3.3)");
    let rule = invalid(&|member| (member.entry.size, member.regions) = (10, Some(vec![0..5, 6..7])));
    assert_eq!(rule, "a region of a sparse file other than the last is not whole blocks (archive section 3.3)");
    let rule = invalid(&|member| {
        member.entry = entry(MemberKind::Folder, b"a", 0, b"");
        member.regions = Some(Vec::new());
    });
    assert_eq!(rule, SPARSE_RULE);
    assert_eq!(MODIFIED.nanoseconds, 0);
}

#[test]
fn the_length_of_a_record_counts_its_own_digits() {
    for len in (0..1100).chain(9_980..10_020) {
        let mut out = Vec::new();
        records::put(&mut out, records::PATH, &vec![b'a'; len]);
        let digits = out.iter().position(|byte| *byte == b' ').unwrap();
        assert_eq!(out[..digits], *out.len().to_string().as_bytes());
        let parsed = Records::parse(&out).unwrap();
        assert_eq!(parsed.get(records::PATH).unwrap().len(), len);
    }
}

#[test]
fn a_record_that_breaks_the_syntax_of_pax_is_refused() {
    for sound in ["9 path=a\n", "8 path=\n", "9 path=\n\n", "10 a=b=cd\n", "9 a b=\0x\n", "9 path=a\n9 size=0\n", ""] {
        assert!(Records::parse(sound.as_bytes()).is_ok(), "{sound:?}");
    }
    for broken in [
        "9",
        "9 ",
        "9 path=a",
        "11 path=a\n",
        "8 path=a\n",
        "09 path=a\n",
        " 9 path=a\n",
        "9\tpath=a\n",
        "+9 path=a\n",
        "9 path=aa",
        "5 =a\n",
        "8 path a\n",
        "0 path=a\n",
        "1 path=a\n",
        "2 path=a\n",
        "3 \n",
        "4 =\n",
        "9 path=a\n\0",
        "00000000009 path=a\n",
        "18446744073709551625 path=a\n",
        "-9 path=a\n",
        "9 path=a\n9 size=",
        "0 ",
    ] {
        let rule = Records::parse(broken.as_bytes()).unwrap_err();
        assert_eq!(rule, "a record breaks the syntax of pax (archive section 3.2)", "{broken:?}");
    }
    for twice in ["9 path=a\n9 path=a\n", "8 uid=1\n8 uid=2\n", "25 SCHILY.xattr.user.a=1\n25 SCHILY.xattr.user.a=2\n"]
    {
        let rule = Records::parse(twice.as_bytes()).unwrap_err();
        assert_eq!(rule, "a record comes twice (archive section 3.2)", "{twice:?}");
    }
    // Of those that are skipped, two are no fault.
    assert!(Records::parse(b"11 atime=1\n11 atime=2\n").is_ok());
}

#[test]
fn regions_are_widened_to_whole_blocks_and_joined_where_they_meet() {
    for (regions, size, expected) in [
        (vec![], 9, vec![]),
        (vec![5..6], 9, vec![0..9]),
        (vec![5..6], 4096, vec![0..512]),
        (vec![5..6, 511..513, 2000..2048, 2048..2049], 4096, vec![0..1024, 1536..2560]),
        (vec![512..1024, 4095..4097], 4097, vec![512..1024, 3584..4097]),
        (vec![512..1024, 1024..1536], 4097, vec![512..1536]),
        (vec![u64::MAX - 1..u64::MAX], u64::MAX, vec![u64::MAX - 511..u64::MAX]),
    ] {
        let aligned = sparse::align(&regions, size);
        assert_eq!(aligned, expected, "{regions:?}");
        assert_eq!(sparse::check(&aligned, size), Ok(()));
    }
}
