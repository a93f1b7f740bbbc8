//! Recognises names of key files.

/// Whether a text looks like the name of a file and not like a key: it is one word, and ends as key files do or begins as paths
/// do. The text may still be a damaged key, so do not look for such a file, and do not repeat the text in a message.
///
/// ```
/// for name in ["alice.pub", "identity.txt", "keys/KEY.PEM", "/home/alice/.ssh/id_ed25519", "~/key", r"C:\keys\id"] {
///     assert!(sealstone::looks_like_file_name(name), "{name}");
/// }
/// for other in ["age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh", "two words.txt", "alice", "", "/"] {
///     assert!(!sealstone::looks_like_file_name(other), "{other}");
/// }
/// // Base64 may begin with a slash.
/// assert!(!sealstone::looks_like_file_name("/ifIm+zM3yN0hZ6qZp7hXq8a1LQb0dV2m4cKtYpRuWE="));
/// ```
#[must_use]
pub fn looks_like_file_name(text: &str) -> bool {
    let is_ending = |ending: &str| FILE_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    let is_path = || {
        let drive =
            text.get(1..3).is_some_and(|sign| sign == r":\") && text.starts_with(|c: char| c.is_ascii_alphabetic());
        let begins = drive || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start));
        let mut parts = text.split(['/', '\\']);
        begins && text.len() > 1 && parts.all(|part| part.len() < DATA_MIN_LEN)
    };
    let is_word = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word && (text.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending)) || is_path())
}

/// The endings of names of key files.
const FILE_ENDINGS: [&str; 14] =
    ["age", "asc", "crt", "der", "hex", "id", "json", "jwk", "key", "p8", "pem", "pub", "seal", "txt"];

/// The least characters without a separator that look like a key in base64. Names of files have fewer.
const DATA_MIN_LEN: usize = 32;
