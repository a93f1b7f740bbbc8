//! Numbers with their nouns.

/// A count with its noun in the singular or plural: `1 file`, `2 files`.
pub(crate) fn count_noun(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        let all: Vec<String> = [0, 1, 2].into_iter().map(|count: usize| count_noun(count, "file")).collect();
        assert_eq!(all, ["0 files", "1 file", "2 files"]);
    }
}
