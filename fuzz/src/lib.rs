//! What the targets share.

use sealstone::{Decryptor, Identity, parse_identities};
use std::sync::LazyLock;

/// The identities that most of `vectors/file` is sealed to: the seeds open with them. They guard nothing.
static IDENTITIES: LazyLock<Vec<Identity>> = LazyLock::new(|| {
    let text = "\
AGE-SECRET-KEY-1X4H0Z6WG0QDC2PPU4F0S6QYZLKRP3VS9HL2U6GRQSXA0U9TWLPMSZJLQ66
AGE-SECRET-KEY-PQ-1E75XJKKZVR7CJG4GQYKZ3V7WZK5GJE9V6ZM47GDPQG2ZSH09HJ3QH4H97D
SEALSTONE-KEY-1LDQGY45VGUPXV9MTC8L00LFLLSVVLPDALFTWMXMC9VAEPECY76LSPM6YTK
";
    parse_identities(text).expect("fuzz: the vectors' identities are good")
});

/// An x25519, a hybrid and a symmetric key.
pub fn identities() -> &'static [Identity] {
    &IDENTITIES
}

/// A reader with these identities, on one thread: the fuzzer runs one process a core.
pub fn decryptor() -> Decryptor {
    Decryptor::new(identities().to_vec()).threads(1)
}
