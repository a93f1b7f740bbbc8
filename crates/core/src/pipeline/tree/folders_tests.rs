//! Tests of the memory of folders.

use super::*;

#[test]
fn folders_come_back_in_the_reverse_order_and_take_little_memory() {
    let mut folders = Folders::default();
    let mut expected = Vec::new();
    for a in 0..100_u32 {
        for b in 0..=100_u32 {
            let path = if b == 0 { format!("long/name/{a:05}") } else { format!("long/name/{a:05}/{b:05}") };
            let owner = b.is_multiple_of(7).then_some((a, b));
            let last = Last { mode: u16::try_from(b).unwrap(), modified: (-i64::from(a), b), owner };
            folders.push(path.as_bytes(), last);
            expected.push((path, last));
        }
    }
    assert_eq!(size_of::<Remembered>(), 24);
    assert!(folders.ends.len() <= 6 * expected.len(), "{}", folders.ends.len());
    while let Some((path, last)) = folders.pop() {
        let (expected_path, expected_last) = expected.pop().unwrap();
        assert_eq!(
            (path, last.mode, last.modified, last.owner),
            (expected_path.into_bytes(), expected_last.mode, expected_last.modified, expected_last.owner)
        );
    }
    assert!(expected.is_empty());
}
