use super::*;

#[test]
fn a_slash_is_less_than_every_other_byte() {
    let sorted: [&[u8]; 8] = [b"a", b"a/a", b"a/b", b"a/b/c", b"a\x01", b"a b", b"a.b", b"b"];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(compare(a, b), i.cmp(&j), "{a:?} {b:?}");
        }
    }
    assert_eq!(compare(b"12345678/", b"12345678!"), Ordering::Less);
    assert_eq!(compare(b"\xff", b"\x7f"), Ordering::Greater);
}

#[test]
fn a_path_has_components_of_bytes_other_than_slash_and_nul() {
    for path in [&b"a"[..], b"a/b", b"...", b"..a/.b", b" ", b"\xff\n", &[b'a'; 4096], &b"a/".repeat(256)[..511]] {
        assert_eq!(check_path(path), Ok(()), "{path:?}");
    }
    for path in [&b""[..], b"/", b"/a", b"a/", b"a//b", b".", b"..", b"a/.", b"../a", b"a/../b", b"a\0", b"\0"] {
        assert_eq!(
            check_path(path),
            Err("a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)")
        );
    }
    assert_eq!(check_path(&[b'a'; 4097]), Err("a path has over 4096 bytes (archive section 3.1)"));
    assert_eq!(check_path(&b"a/".repeat(257)[..513]), Err("a path has over 256 components (archive section 3.1)"));
}

#[test]
fn a_symbolic_link_leads_out_by_a_root_or_by_too_many_folders_up_or_by_one_behind_another_component() {
    for (path, link) in [
        ("a", "b"),
        ("a", "./b/c"),
        ("a", "b//c/."),
        ("a/b", ".."),
        ("a/b", "../c"),
        ("a/b/c", "../../d"),
        ("a/b", "./.."),
        ("a/b", "..//c"),
        ("a", "..."),
        ("a", "..b"),
    ] {
        assert!(!leads_out(path.as_bytes(), link.as_bytes()), "{path} {link}");
    }
    for (path, link) in [
        ("a", "/"),
        ("a/b", "/c"),
        ("a", ".."),
        ("a", "./.."),
        ("a/b", "../.."),
        ("a/b", "..//.."),
        ("a/b/c", "../../../d"),
        ("a/b", "c/.."),
        ("a/b", "../c/.."),
        ("a/b", "c/./../d"),
    ] {
        assert!(leads_out(path.as_bytes(), link.as_bytes()), "{path} {link}");
    }
}

/// Adds paths of folders, and of files where they end with `!`.
fn order(paths: &[&str]) -> Result<Order, &'static str> {
    let mut order = Order::default();
    for path in paths {
        let (path, kind) = path.strip_suffix('!').map_or((*path, MemberKind::Folder), |path| (path, MemberKind::File));
        let path = path.as_bytes();
        let shared = shared_len(order.last(), path);
        order.add(shared, &path[shared..], kind).map_err(|fault| {
            assert_eq!(fault.path, path);
            fault.rule
        })?;
    }
    Ok(order)
}

#[test]
fn members_are_in_ascending_order_and_no_path_comes_twice() {
    for paths in [&[][..], &["a", "a/b", "a/b/c", "a/d", "a.b!", "b!"], &["a!", "ab!", "b"], &["ab", "ab/c!", "abc!"]] {
        assert_eq!(order(paths).unwrap().count(), paths.len() as u64);
    }
    for paths in [&["b!", "a!"][..], &["a!", "a!"], &["a", "a/b", "a"], &["a", "a.b!", "a/b!"], &["ab!", "a!"]] {
        assert_eq!(order(paths).err(), Some(OUT_OF_ORDER), "{paths:?}");
    }
}

#[test]
fn the_folder_of_each_member_is_a_member_before_it() {
    for paths in [
        &["a/b!"][..],
        &["a!", "a/b!"],
        &["a", "a/b/c!"],
        &["a", "a/b!", "a/b/c!"],
        &["a", "a/b", "b/c!"],
        &["a", "ab/c!"],
        &["a", "a/b", "a/b/c", "a/b/cd/e!"],
    ] {
        let rule = "the folder of a member is not a member before it (archive section 3.1)";
        assert_eq!(order(paths).err(), Some(rule), "{paths:?}");
    }
}

#[test]
fn each_path_keeps_the_rules_of_paths_wherever_it_differs_from_the_one_before() {
    let long = "a/".repeat(255) + "b";
    for paths in [
        &[""][..],
        &["/a"],
        &["a", "a/"],
        &["a", "a/."],
        &["a", "a/.."],
        &["a", "a/\0"],
        &["a", "a/.!", "a/..!"],
        &["-", ".!"],
        &["a", "a//b"],
        &["aaa", "aaa\0"],
        &["aaa", "b\0bb"],
    ] {
        let rule = "a component of a path is empty, `.` or `..`, or has a NUL (archive section 3.1)";
        assert_eq!(order(paths).err(), Some(rule), "{paths:?}");
    }
    let mut folders: Vec<_> = (1..256).map(|n| &long[..2 * n - 1]).collect();
    folders.push(&long);
    assert_eq!(order(&folders).unwrap().depth, 255);
    let deeper = format!("{long}/c");
    folders.push(&deeper);
    assert_eq!(order(&folders).err(), Some("a path has over 256 components (archive section 3.1)"));
    let longer = "a".repeat(4097);
    assert_eq!(order(&[&longer]).err(), Some("a path has over 4096 bytes (archive section 3.1)"));
}

#[test]
fn over_2_to_the_26_members_are_refused() {
    let mut order = order(&["a!"]).unwrap();
    order.count = MEMBERS_MAX - 1;
    assert!(order.add(0, b"b", MemberKind::File).is_ok());
    let rule = order.add(0, b"c", MemberKind::File).err().map(|fault| fault.rule);
    assert_eq!(rule, Some("there are over 2^26 members (archive section 3.1)"));
}
