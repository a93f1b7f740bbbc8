use super::super::support::{MODIFIED, archive, entry, file, folder, list, rule_of, slice, symbolic_link, trees};
use super::*;
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use proptest::prelude::*;

/// The example of section 3.4.
fn example() -> [(Entry, u64); 2] {
    let folder = entry(MemberKind::Folder, b"a", 0, b"");
    let mut file = entry(MemberKind::File, b"a/b.txt", 3, b"");
    file.modified.nanoseconds = 500_000_000;
    [(folder, 1), (file, 4)]
}

fn hex(text: &str) -> Vec<u8> {
    HEX.decode(text.replace(' ', "").as_bytes()).unwrap()
}

fn index_of(entries: &[(Entry, u64)]) -> Vec<Vec<u8>> {
    let mut writer = IndexWriter::default();
    for (entry, blocks) in entries {
        writer.add(entry, *blocks).unwrap();
    }
    writer.finish().collect()
}

#[test]
fn entries_are_those_of_the_example() {
    let [header, entries, tail] = index_of(&example()).try_into().unwrap();
    let expected = hex("35 00 01 61 01 00 cad6b9950d 00 ed03 30 01 06 2f622e747874 04 03 cad6b9950d 80cab5ee01 a403");
    assert_eq!(entries, expected);
    assert_eq!(tail.len(), BLOCK_LEN - expected.len());
    let locator = hex(&format!("5345414c494458 01 {:016x} {:016x} {:016x}", 1024 + 5 * 512, expected.len(), 2));
    assert_eq!(tail.split_last_chunk::<32>().unwrap().1[..], locator);
    let header = Header::parse(header.first_chunk().unwrap()).unwrap();
    let typeflag = b'0';
    assert_eq!(header, Header { name: b".sealstone-index", mode: 0o600, size: 512, typeflag, ..Header::default() });
}

#[test]
fn an_archive_may_have_no_members() {
    let content = archive(&[]);
    assert_eq!(content.len(), 1024 + 512 + 512);
    assert_eq!(list(&content, 1).unwrap(), []);
}

proptest! {
    #![proptest_config(crate::cases::cases(200))]

    #[test]
    fn entries_are_listed_as_they_were_written_from_pieces_of_any_length(
        tree in trees(true), piece_len in 1_usize..600
    ) {
        let content = archive(&tree);
        let (mut offset, mut expected) = (0, Vec::new());
        for stored in &tree {
            let (_, blocks) = super::super::support::blocks_of(stored);
            expected.push((stored.0.entry.clone(), offset, blocks));
            offset += blocks * 512;
        }
        prop_assert_eq!(list(&content, piece_len).unwrap(), expected);
    }

    #[test]
    fn no_bytes_make_the_reader_of_an_index_panic(
        bytes in prop::collection::vec(prop_oneof![Just(b'0'), Just(b'5'), 0_u8..4, any::<u8>()], 9..80),
        piece_len in 1_usize..80,
    ) {
        let members = bytes.len() as u64 / 9;
        let locator = Locator { archive_len: 1 << 40, entries_len: bytes.len() as u64, members };
        let mut reader = IndexReader::new(&locator);
        'all: for piece in bytes.chunks(piece_len) {
            reader.take(piece);
            loop {
                match reader.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) => {
                        prop_assert_eq!(error.code(), "malformed_archive");
                        break 'all;
                    }
                }
            }
        }
    }
}

#[test]
fn every_varint_is_read_as_it_was_written_and_in_one_way_only() {
    for value in (0..64).flat_map(|shift| [(1_u64 << shift) - 1, 1 << shift]).chain([u64::MAX]) {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, value);
        // Also with other bytes around it.
        for (before, behind) in [(0, 0), (3, 7), (1, 9)] {
            let around = [&[0xff; 3][..before], &bytes, &[0xff; 9][..behind]].concat();
            let mut cursor = Cursor { bytes: &around, at: before };
            assert!(matches!(cursor.varint(), Ok(read) if read == value), "{value}");
            assert_eq!(cursor.at, before + bytes.len());
        }
        for len in 0..bytes.len() {
            assert!(matches!(Cursor { bytes: &bytes[..len], at: 0 }.varint(), Err(Stop::Short)));
        }
    }
    for bytes in ["8000", "ff00", "80808000", "ffffffffffffffffff02", "ffffffffffffffffff7f", "ffffffffffffffffffff01"]
    {
        let bytes = hex(bytes);
        for bytes in [bytes.clone(), [&bytes[..], &[0xff; 9]].concat()] {
            assert!(matches!(Cursor { bytes: &bytes, at: 0 }.varint(), Err(Stop::Rule)), "{bytes:?}");
        }
    }
}

/// What a reader says about entries, with a locator whose sums are right but for `more` blocks and members.
fn read(entries: &str, blocks: u64, members: u64) -> Result<u64> {
    let bytes = hex(entries);
    let archive_len = 1024 + 512 * blocks;
    let locator = Locator { archive_len, entries_len: bytes.len() as u64, members };
    let mut reader = IndexReader::new(&locator);
    reader.take(&bytes);
    let mut count = 0;
    while reader.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

#[test]
fn an_entry_that_breaks_a_rule_is_refused() {
    // kind, shared, rest, blocks, size, seconds, nanoseconds, mode.
    let a = "35 00 01 61 01 00 00 00 00";
    assert_eq!(read(a, 1, 1).unwrap(), 1);
    assert_eq!(read(&format!("{a} 30 01 02 2f62 01 00 00 00 00"), 2, 2).unwrap(), 2);
    assert_eq!(read(&format!("{a} 32 00 01 62 01 00 00 00 00 01 78"), 2, 2).unwrap(), 2);
    let long = format!("81 20 {}", "61".repeat(4097));
    for (entry, rule) in [
        ("33 00 01 62 01 00 00 00 00", ENTRY_RULE),
        ("30 02 01 62 01 00 00 00 00", ENTRY_RULE),
        // One byte of the path before is spelled out.
        ("30 00 03 612f62 01 00 00 00 00", ENTRY_RULE),
        ("30 8000 01 62 01 00 00 00 00", ENTRY_RULE),
        ("30 00 8100 62 01 00 00 00 00", ENTRY_RULE),
        ("30 00 01 62 8100 00 00 00 00", ENTRY_RULE),
        ("30 00 01 62 01 00 ffffffffffffffffff02 00 00", ENTRY_RULE),
        ("30 00 01 62 01 00 00 8080808010 00", ENTRY_RULE),
        (&format!("30 00 {long} 01 00 00 00 00"), ENTRY_RULE),
        (&format!("32 00 01 62 01 00 00 00 00 {long}"), ENTRY_RULE),
        // A length that is only promised is judged before its bytes come.
        ("30 00 ffffffff0f", ENTRY_RULE),
        ("30 01 00 01 00 00 00 00", "a member is out of order, or comes twice (archive section 3.1)"),
        ("30 00 01 5a 01 00 00 00 00", "a member is out of order, or comes twice (archive section 3.1)"),
        ("30 00 03 622f63 01 00 00 00 00", "the folder of a member is not a member before it (archive section 3.1)"),
        (
            "30 00 02 622f 01 00 00 00 00",
            "a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)",
        ),
        ("30 00 01 62 00 00 00 00 00", "the blocks of an entry are wrong (archive section 3.4)"),
        ("30 00 01 62 02 00 00 00 00", "the blocks of an entry are wrong (archive section 3.4)"),
        ("30 00 01 62 ffffffffffffffffff01 00 00 00 00", "the blocks of an entry are wrong (archive section 3.4)"),
        ("35 00 01 62 01 01 00 00 00", "only a file has a size (archive section 3.2)"),
        ("31 00 01 62 01 01 00 00 00 01 61", "only a file has a size (archive section 3.2)"),
        ("30 00 01 62 01 00 00 8094ebdc03 00", "the nanoseconds of a time are a second or more (archive section 3.4)"),
        ("30 00 01 62 01 00 00 00 8020", "a mode has over 12 bits (archive section 3.2)"),
        ("31 00 01 62 01 00 00 00 00 01 62", "a hard link names no member before it (archive section 3.2)"),
        ("31 00 01 62 01 00 00 00 00 01 63", "a hard link names no member before it (archive section 3.2)"),
        ("31 00 01 62 01 00 00 00 00 00", "a hard link names no member before it (archive section 3.2)"),
        ("31 00 01 62 01 00 00 00 00 02 612f", "a hard link names no member before it (archive section 3.2)"),
        ("32 00 01 62 01 00 00 00 00 00", "the target of a symbolic link is empty or has a NUL (archive section 3.2)"),
        (
            "32 00 01 62 01 00 00 00 00 01 00",
            "the target of a symbolic link is empty or has a NUL (archive section 3.2)",
        ),
        ("30 00 01 62 01 00 00 00", LOCATOR_RULE),
        ("30", LOCATOR_RULE),
    ] {
        assert_eq!(rule_of(read(&format!("{a} {entry}"), 2, 2)).1, rule, "{entry}");
    }
    let both = format!("{a} 30 00 01 62 01 00 00 00 00");
    for (blocks, members) in [(3, 2), (2, 1), (2, 3)] {
        assert_eq!(rule_of(read(&both, blocks, members)).1, LOCATOR_RULE);
    }
}

#[test]
fn an_entry_waits_for_its_last_byte() {
    let content = archive(&[folder("a"), file("a/b", b"1"), symbolic_link("c", "a/b")]);
    let locator = Locator::read(content.last_chunk().unwrap(), content.len() as u64).unwrap();
    let range = locator.entries();
    let entries = slice(&content, range);
    let mut reader = IndexReader::new(&locator);
    let mut ends = Vec::new();
    for (at, byte) in entries.iter().enumerate() {
        reader.take(&[*byte]);
        if let Some(listed) = reader.next().unwrap() {
            ends.push((at + 1, listed.entry.path.to_vec()));
        }
    }
    assert_eq!(ends, [(14, b"a".to_vec()), (29, b"a/b".to_vec()), (47, b"c".to_vec())]);
}

#[test]
fn a_locator_that_does_not_fit_the_length_of_the_content_is_refused() {
    let content = archive(&[folder("a"), file("a/b", b"1")]);
    let tail: [u8; 32] = *content.last_chunk().unwrap();
    let len = content.len() as u64;
    let sound = Locator::read(&tail, len).unwrap();
    for other in [0, 32, 512, len - 512, len - 1, len + 1, len + 512, u64::MAX] {
        assert_eq!(rule_of(Locator::read(&tail, other)).1, LOCATOR_RULE);
    }
    // A byte of the archive's length, of the entries' length, and of the number of members.
    for (at, to) in [
        (8, 255),
        (13, 1),
        (14, 0),
        (15, 1),
        (16, 255),
        (20, 1),
        (22, 2),
        (23, 0),
        (24, 1),
        (28, 4),
        (31, 0),
        (31, 200),
    ] {
        let mut tail = tail;
        tail[at] = to;
        assert_eq!(rule_of(Locator::read(&tail, len)).1, LOCATOR_RULE, "{at}");
    }
    let mut other = tail;
    other[7] = 2;
    assert_eq!(
        rule_of(Locator::read(&other, len)).1,
        "it does not end with the locator of an index (archive section 3.4)"
    );
    let empty = Locator { archive_len: 1024, entries_len: 0, members: 0 };
    assert_eq!(Locator::read(&empty.to_bytes(), 2048).unwrap(), empty);
    for (entries_len, members) in [(9, 0), (0, 1), (17, 2)] {
        let wrong = Locator { archive_len: 1024 + 1024, entries_len, members };
        assert_eq!(rule_of(Locator::read(&wrong.to_bytes(), wrong.archive_len + 1024)).1, LOCATOR_RULE);
    }
    assert_eq!(sound.zeros().end, len - 32);
}

#[test]
fn the_header_block_of_the_index_and_the_zeros_behind_its_entries_are_checked() {
    let locator = Locator { archive_len: 1024, entries_len: 0, members: 0 };
    let (header, zeros) = (locator.header(), [0; 480]);
    locator.check(&header, &zeros).unwrap();
    let mut other = header;
    other[500] = 1;
    assert_eq!(
        rule_of(locator.check(&other, &zeros)).1,
        "the header block of the index is wrong (archive section 3.4)"
    );
    let mut ones = zeros;
    ones[479] = 1;
    for zeros in [&ones[..], &zeros[1..]] {
        let rule = "the entries of the index do not end with zeros (archive section 3.4)";
        assert_eq!(rule_of(locator.check(&header, zeros)).1, rule);
    }
}

#[test]
fn a_member_that_is_left_out_leaves_the_index_as_it_was() {
    let [(folder, _), (file, blocks)] = example();
    let mut writer = IndexWriter::default();
    writer.add(&folder, 1).unwrap();
    for (path, size, kind, link) in [
        (&b"A"[..], 0, MemberKind::File, &b""[..]),
        (b"b/c", 0, MemberKind::File, b""),
        (b"a/..", 0, MemberKind::File, b""),
        (b"a/c", 1, MemberKind::Folder, b""),
        (b"a/c", 0, MemberKind::HardLink, b"a/c"),
        (b"a/c", 0, MemberKind::SymbolicLink, b""),
        (b"a/c", 0, MemberKind::File, b"x"),
    ] {
        let (member, rule) = rule_of(writer.add(&entry(kind, path, size, link), 1));
        assert!(member.as_bytes() == path && rule.contains("(archive section 3."), "{rule}");
    }
    writer.add(&file, blocks).unwrap();
    assert_eq!(writer.finish().collect::<Vec<_>>(), index_of(&example()));
}

#[test]
fn an_index_whose_size_has_no_place_in_its_header_block_is_not_written() {
    let mut entries = Entries { len: ENTRIES_MAX_LEN - 16, ..Entries::default() };
    let (long, short) = (entry(MemberKind::File, b"abcdef", 0, b""), entry(MemberKind::File, b"abcde", 0, b""));
    let mut out = Vec::new();
    let rule = "the index has over 2^33 bytes (archive section 3.4)";
    assert_eq!(rule_of(entries.add(long.borrow(), 1, &mut out)), ("abcdef".to_owned(), rule));
    assert!(out.is_empty());
    let short = EntryRef { modified: Time::default(), mode: 0, ..short.borrow() };
    entries.add(short, 1, &mut out).unwrap();
    let locator = entries.locator();
    assert_eq!(Header::parse(&locator.header()).unwrap().size, NUMBER_MAX / 512 * 512);
    assert!(locator.zeros_len() < 512 && MODIFIED > Time::default());
}

#[test]
fn an_entry_that_differs_from_its_member_is_refused() {
    let (member, _) = file("a", b"1");
    let listed = |entry| Listed { entry, offset: 0, blocks: 2 };
    listed(member.entry.borrow()).check(&member, 2).unwrap();
    let rule = "a member differs from its entry (archive section 4.2)";
    assert_eq!(rule_of(listed(member.entry.borrow()).check(&member, 3)), ("a".to_owned(), rule));
    assert_eq!(rule_of(listed(EntryRef { mode: 0, ..member.entry.borrow() }).check(&member, 2)).1, rule);
}
