//! Numbers without bias, UUIDs by their layout, passwords and passphrases, and every refusal.

use sealstone::random::{EFF_WORDS, TEXT_MAX_LEN, below, entropy_bits, fill, text, uuid_text, uuid_v4, uuid_v7, words};
use std::collections::HashSet;
use std::num::NonZero;

/// Chi-square of 2^16 draws: under what 1 of a million fair generators exceeds (Wilson and Hilferty's approximation, z = 4.753).
#[test]
fn numbers_below_n_have_no_bias() {
    for n in [2, 3, 5, 6, 10, 62, 95, 256, 1_000] {
        let mut counts = vec![0.0; n];
        for _ in 0..1 << 16 {
            counts[usize::try_from(below(NonZero::new(n as u64).unwrap()).unwrap()).unwrap()] += 1.0;
        }
        fair(&counts, &format!("below {n}"));
    }
}

fn fair(counts: &[f64], what: &str) {
    let expected = counts.iter().sum::<f64>() / f64::from(u32::try_from(counts.len()).unwrap());
    let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    let freedom = f64::from(u32::try_from(counts.len() - 1).unwrap());
    let spread = 2.0 / (9.0 * freedom);
    let limit = freedom * (1.0 - spread + 4.753 * spread.sqrt()).powi(3);
    assert!(chi_square < limit, "{what}: {chi_square} of {limit}");
}

/// Where a third of all draws must be drawn again: without that, the lowest third would come twice as often.
#[test]
fn numbers_below_two_thirds_of_2_to_the_64_have_no_bias() {
    let n = u64::MAX / 3 * 2;
    let mut thirds = [0.0; 3];
    for _ in 0..1 << 16 {
        let drawn = below(NonZero::new(n).unwrap()).unwrap();
        assert!(drawn < n);
        thirds[usize::try_from(drawn / (n / 3)).unwrap().min(2)] += 1.0;
    }
    fair(&thirds, "thirds");
    for n in [1, 2, 1 << 63, u64::MAX] {
        assert!(below(NonZero::new(n).unwrap()).unwrap() < n);
    }
}

/// RFC 9562 sections 4 and 5; its example of version 7 in appendix A.6 begins with this time.
#[test]
fn uuids_have_their_version_variant_and_time() {
    let mut seen = HashSet::new();
    for _ in 0..1_000 {
        let (random, timed) = (uuid_v4().unwrap(), uuid_v7(0x017f_22e2_79b0).unwrap());
        for (version, uuid) in [(4, random), (7, timed)] {
            assert_eq!((uuid[6] >> 4, uuid[8] >> 6), (version, 2));
            assert!(seen.insert(uuid));
            let shown = uuid_text(&uuid);
            let groups: Vec<usize> = shown.split('-').map(str::len).collect();
            assert_eq!(groups, [8, 4, 4, 4, 12]);
            assert_eq!(data_encoding::HEXLOWER.decode(shown.replace('-', "").as_bytes()).unwrap(), uuid);
        }
        assert_eq!(timed[..6], [0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0]);
    }
    assert_eq!(uuid_v7(u64::MAX).unwrap()[..6], [0xff; 6]);
    assert!(uuid_v7(0).unwrap()[..6] == [0; 6]);
    // All other bits take both values.
    for (bits, fixed) in [(4, &[6, 8][..]), (7, &[0, 1, 2, 3, 4, 5, 6, 8])] {
        let of_version = || seen.iter().filter(|uuid| uuid[6] >> 4 == bits);
        for at in (0..16).filter(|at| !fixed.contains(at)) {
            assert_eq!(of_version().fold(0, |all, uuid| all | uuid[at]), 0xff, "byte {at}");
            assert_eq!(of_version().fold(0xff, |all, uuid| all & uuid[at]), 0, "byte {at}");
        }
    }
}

#[test]
fn passwords_are_of_their_alphabet_alone_without_bias() {
    for alphabet in ["01", "abcdefghijkmnpqrstuvwxyz23456789", "äöü€🔑x"] {
        let drawn = text(alphabet, 1 << 16).unwrap();
        let characters: Vec<char> = alphabet.chars().collect();
        let mut counts = vec![0.0; characters.len()];
        for drawn in drawn.chars() {
            counts[characters.iter().position(|character| *character == drawn).unwrap()] += 1.0;
        }
        assert_eq!(drawn.chars().count(), 1 << 16);
        fair(&counts, alphabet);
    }
    assert_eq!(text("ab", 0).unwrap().as_str(), "");
    assert_ne!(text("0123456789abcdef", 32).unwrap(), text("0123456789abcdef", 32).unwrap());
}

#[test]
fn passphrases_are_words_of_the_list() {
    let list: HashSet<&str> = EFF_WORDS.iter().copied().collect();
    assert_eq!(list.len(), 7_776);
    assert!(EFF_WORDS.is_sorted());
    // "drop-down", "felt-tip", "t-shirt" and "yo-yo" are in it.
    assert!(list.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    for count in [0, 1, 6, 1_000] {
        let passphrase = words(&EFF_WORDS, count, " ").unwrap();
        let drawn: Vec<&str> = passphrase.split_terminator(' ').collect();
        assert_eq!(drawn.len(), count);
        assert!(drawn.iter().all(|word| list.contains(word)));
    }
    assert_eq!(words(&["a", "b"], 9, "--").unwrap().len(), 9 + 8 * 2);
}

#[test]
fn entropy_is_that_of_the_draws() {
    for (choices, count, expected) in
        [(2, 128, 128.0), (7_776, 6, 77.549), (62, 20, 119.084), (1, 9, 0.0), (10, 0, 0.0)]
    {
        assert!((entropy_bits(choices, count) - expected).abs() < 0.001, "{choices} {count}");
    }
}

#[test]
fn what_cannot_be_drawn_from_is_refused() {
    for alphabet in ["", "a", "aa", "abca", "🔑🔑"] {
        assert_eq!(text(alphabet, 5).unwrap_err().code(), "invalid_encoding", "{alphabet}");
    }
    for list in [&[][..], &["one"], &["one", "two", "one"]] {
        assert_eq!(words(list, 5, " ").unwrap_err().code(), "invalid_encoding", "{list:?}");
    }
    for len in [TEXT_MAX_LEN + 1, usize::MAX] {
        assert_eq!(text("ab", len).unwrap_err().code(), "too_long");
        assert_eq!(words(&["a", "b"], len, "").unwrap_err().code(), "too_long");
    }
}

#[test]
fn bytes_are_filled_whole() {
    for len in [0, 1, 16, 1_000, 100_000] {
        let mut bytes = vec![0; len];
        fill(&mut bytes).unwrap();
        assert!(len < 1_000 || bytes[len - 100..].iter().any(|byte| *byte != 0));
    }
}
