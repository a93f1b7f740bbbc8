//! The kinds of keys. Each has a row with all its properties, which the rest of the crate uses.

use super::algorithm::Algorithm;
use super::form::KeyForm;
use crate::error::UnsupportedKey;
use crate::kem::hpke::Kem;
use crate::sm2;
use crate::suite::Suite;

/// Bytes of a symmetric key.
pub(super) const SYMMETRIC_KEY_LEN: usize = 32;

/// The properties of a kind.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) scheme: Scheme,
    /// Whether the file key is safe from quantum computers; `None` for symmetric keys and passphrases, and for plugins, whose
    /// stanzas state it (format section 4.7).
    post_quantum: Option<bool>,
    /// Whether FIPS publications approve the algorithms, as the profile `fips` requires.
    is_fips: bool,
    /// The stanzas of the kind (format section 4): one for each suite that supports it.
    pub(crate) stanzas: &'static [StanzaRow],
    /// The prefixes of its strings in Bech32.
    pub(super) strings: Option<Strings>,
    /// The algorithm in forms of keys; `None` for a passphrase and for plugins.
    pub(super) algorithm: Option<Algorithm>,
    /// Whether keys are written as bare hexadecimal digits. They name no algorithm, so only one kind can have them.
    pub(super) has_digits: bool,
}

/// The scheme of a kind's keys. Code that depends on it uses a `match`, so that the compiler finds all places to extend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// HPKE, which also seals messages.
    Kem(Kem),
    Sm2,
    Key,
    Passphrase,
    Plugin,
}

/// A stanza type: its number, its name, and the suites that support it.
#[derive(Debug)]
pub(crate) struct StanzaRow {
    pub(crate) id: u16,
    pub(crate) name: &'static str,
    pub(crate) suites: &'static [Suite],
}

/// The prefixes of both halves before the `1` of Bech32.
#[derive(Debug)]
pub(super) struct Strings {
    /// `None` for symmetric keys.
    pub(super) recipient: Option<&'static str>,
    pub(super) identity: &'static str,
}

/// The stanza of a passphrase in a file of Chinese commercial cryptography.
pub(crate) const PASSPHRASE_SM3: u16 = 0x0011;

const WITH_SHA_512: &[Suite] = &[Suite::Aes256Gcm, Suite::ChaCha20Poly1305];
const WITH_SM3: &[Suite] = &[Suite::Sm4Gcm];
const ALL_SUITES: &[Suite] = &Suite::ALL;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal $(if $feature:literal)?, $row:expr;)+) => {
        /// A kind of key, and of its stanzas.
        ///
        /// ```
        /// use sealstone::Kind;
        ///
        /// assert_eq!(Kind::default(), Kind::Hybrid);
        /// assert_eq!("x25519".parse::<Kind>()?.to_string(), "x25519");
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`:", $($doc),+)] $variant,)+
        }

        named_enum!(Kind { $($variant = $name $(if $feature)?,)+ });

        impl Kind {
            pub(crate) fn row(self) -> &'static Row {
                match self { $(Self::$variant => { const ROW: &Row = &$row; ROW })+ }
            }

            /// A description of the kind, in one line.
            ///
            /// ```
            /// assert!(sealstone::Kind::Hybrid.description().starts_with("ML-KEM-768 and X25519 together"));
            /// ```
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii().trim_end_matches('.'),)+ }
            }
        }
    };
}

// The first kind is the default.
kinds! {
    /// ML-KEM-768 and X25519 together, age's post-quantum keys; secure as long as either holds; the default.
    Hybrid = "hybrid", Row {
        scheme: Scheme::Kem(Kem::Hybrid),
        post_quantum: Some(true),
        is_fips: false,
        stanzas: &[StanzaRow { id: 0x0004, name: "hybrid", suites: WITH_SHA_512 }],
        strings: Some(Strings { recipient: Some("age1pq"), identity: "AGE-SECRET-KEY-PQ-" }),
        algorithm: Some(Algorithm::Hybrid),
        has_digits: false,
    };
    /// age's native keys; classical.
    X25519 = "x25519", Row {
        scheme: Scheme::Kem(Kem::X25519),
        post_quantum: Some(false),
        is_fips: false,
        stanzas: &[StanzaRow { id: 0x0001, name: "x25519", suites: WITH_SHA_512 }],
        strings: Some(Strings { recipient: Some("age"), identity: "AGE-SECRET-KEY-" }),
        algorithm: Some(Algorithm::X25519),
        has_digits: false,
    };
    /// the curve of NIST and of smart cards, for those who must use it; classical.
    P256 = "p256", Row {
        scheme: Scheme::Kem(Kem::P256),
        post_quantum: Some(false),
        is_fips: true,
        stanzas: &[StanzaRow { id: 0x0002, name: "p256", suites: WITH_SHA_512 }],
        strings: None,
        algorithm: Some(Algorithm::P256),
        has_digits: false,
    };
    /// FIPS 203 alone, for those who must use it; post-quantum.
    MlKem768 = "ml-kem-768", Row {
        scheme: Scheme::Kem(Kem::MlKem768),
        post_quantum: Some(true),
        is_fips: true,
        stanzas: &[StanzaRow { id: 0x0003, name: "ml-kem-768", suites: WITH_SHA_512 }],
        strings: None,
        algorithm: Some(Algorithm::MlKem768),
        has_digits: false,
    };
    /// the curve of Chinese commercial cryptography, for the suite `sm4-gcm`; classical.
    Sm2 = "sm2" if "gm", Row {
        scheme: Scheme::Sm2,
        post_quantum: Some(false),
        is_fips: false,
        stanzas: &[StanzaRow { id: 0x0006, name: "sm2", suites: WITH_SM3 }],
        strings: None,
        algorithm: Some(Algorithm::Sm2),
        has_digits: true,
    };
    /// a 32-byte symmetric key, for those who share a secret.
    Key = "key", Row {
        scheme: Scheme::Key,
        post_quantum: None,
        is_fips: false,
        stanzas: &[StanzaRow { id: 0x0020, name: "key", suites: ALL_SUITES }],
        strings: Some(Strings { recipient: None, identity: "SEALSTONE-KEY-" }),
        algorithm: Some(Algorithm::Symmetric),
        has_digits: false,
    };
    /// what a person chooses: Argon2id, and with the suite `sm4-gcm` PBKDF2-HMAC-SM3.
    Passphrase = "passphrase", Row {
        scheme: Scheme::Passphrase,
        post_quantum: None,
        is_fips: false,
        stanzas: &[
            StanzaRow { id: 0x0010, name: "passphrase", suites: WITH_SHA_512 },
            StanzaRow { id: PASSPHRASE_SM3, name: "passphrase-sm3", suites: WITH_SM3 },
        ],
        strings: None,
        algorithm: None,
        has_digits: false,
    };
    /// a key that only a plugin of age knows, such as one in a hardware token; as strong as the plugin, up to 128 bits.
    Plugin = "plugin", Row {
        scheme: Scheme::Plugin,
        post_quantum: None,
        is_fips: false,
        stanzas: &[StanzaRow { id: 0x0008, name: "plugin", suites: WITH_SHA_512 }],
        strings: None,
        algorithm: None,
        has_digits: false,
    };
}

impl Default for Kind {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl Kind {
    /// Whether files encrypted to such keys are safe from quantum computers; `None` for symmetric keys and passphrases, which
    /// can be mixed with both, and for plugins, which state it when they wrap (format section 4, "Mixing").
    ///
    /// ```
    /// use sealstone::Kind;
    ///
    /// let found = [Kind::MlKem768, Kind::P256, Kind::Key].map(Kind::is_post_quantum);
    /// assert_eq!(found, [Some(true), Some(false), None]);
    /// ```
    #[must_use]
    pub fn is_post_quantum(self) -> Option<bool> {
        self.row().post_quantum
    }

    /// Whether [`Identity::generate`](crate::Identity::generate) supports the kind: all but passphrases, which a person
    /// chooses, and keys of plugins.
    #[must_use]
    pub fn is_generated(self) -> bool {
        !matches!(self.scheme(), Scheme::Passphrase | Scheme::Plugin)
    }

    /// Whether keys of this kind have a form.
    ///
    /// ```
    /// use sealstone::{KeyForm, Kind};
    ///
    /// assert!(Kind::P256.has_form(KeyForm::Pem) && !Kind::Hybrid.has_form(KeyForm::Pem));
    /// ```
    #[must_use]
    pub fn has_form(self, form: KeyForm) -> bool {
        let row = self.row();
        match form {
            KeyForm::Age => row.strings.is_some(),
            KeyForm::Pem | KeyForm::Der => row.algorithm.is_some_and(Algorithm::has_der),
            KeyForm::Jwk => row.algorithm.is_some_and(Algorithm::has_jwk),
            KeyForm::Hex => row.has_digits,
        }
    }

    /// The type number of the kind's stanza in files of a suite; `None` for a suite that does not support the kind.
    ///
    /// ```
    /// use sealstone::{Kind, Suite};
    ///
    /// assert_eq!(Kind::Passphrase.stanza_id(Suite::Sm4Gcm), Some(0x0011));
    /// assert_eq!(Kind::Sm2.stanza_id(Suite::Aes256Gcm), None);
    /// ```
    #[must_use]
    pub fn stanza_id(self, suite: Suite) -> Option<u16> {
        self.row().stanzas.iter().find(|stanza| stanza.suites.contains(&suite)).map(|stanza| stanza.id)
    }

    /// Whether [`message::seal`](crate::message::seal) supports the kind.
    #[must_use]
    pub fn takes_messages(self) -> bool {
        matches!(self.scheme(), Scheme::Kem(_))
    }

    /// Bytes of a public key in DER and fingerprints; `None` for symmetric keys, passphrases and plugins.
    ///
    /// ```
    /// assert_eq!(sealstone::Kind::Hybrid.public_len(), Some(1216));
    /// ```
    #[must_use]
    pub fn public_len(self) -> Option<usize> {
        match self.scheme() {
            Scheme::Kem(kem) => Some(kem.public_len()),
            Scheme::Sm2 => Some(sm2::PUBLIC_KEY_LEN),
            Scheme::Key | Scheme::Passphrase | Scheme::Plugin => None,
        }
    }

    /// Bytes of a private or symmetric key; `None` for passphrases, which have any length, and for plugins.
    ///
    /// ```
    /// assert_eq!(sealstone::Kind::MlKem768.private_len(), Some(64));
    /// ```
    #[must_use]
    pub fn private_len(self) -> Option<usize> {
        match self.scheme() {
            Scheme::Kem(kem) => Some(kem.private_len()),
            Scheme::Sm2 => Some(sm2::PRIVATE_KEY_LEN),
            Scheme::Key => Some(SYMMETRIC_KEY_LEN),
            Scheme::Passphrase | Scheme::Plugin => None,
        }
    }

    /// The prefix of recipients' strings before the `1` of Bech32; `None` for kinds without such strings.
    ///
    /// ```
    /// assert_eq!(sealstone::Kind::Hybrid.recipient_prefix(), Some("age1pq"));
    /// ```
    #[must_use]
    pub fn recipient_prefix(self) -> Option<&'static str> {
        self.row().strings.as_ref()?.recipient
    }

    /// The prefix of identities' strings before the `1` of Bech32; `None` for kinds without such strings.
    ///
    /// ```
    /// assert_eq!(sealstone::Kind::Key.identity_prefix(), Some("SEALSTONE-KEY-"));
    /// ```
    #[must_use]
    pub fn identity_prefix(self) -> Option<&'static str> {
        Some(self.row().strings.as_ref()?.identity)
    }

    /// Whether FIPS publications approve the kind's algorithms.
    pub(crate) fn is_fips(self) -> bool {
        self.row().is_fips
    }

    /// Refuses a kind whose feature is off.
    pub(super) fn check(self) -> Result<(), UnsupportedKey> {
        if Self::ALL.contains(&self) { Ok(()) } else { Err(UnsupportedKey::Algorithm) }
    }

    pub(crate) fn scheme(self) -> Scheme {
        self.row().scheme
    }

    /// The algorithm in forms of keys; `None` for a passphrase and for plugins.
    pub(super) fn algorithm(self) -> Option<Algorithm> {
        self.row().algorithm
    }

    /// The kind of an algorithm's keys, or the error for an algorithm that encrypts no files.
    pub(super) fn of_algorithm(algorithm: Algorithm) -> Result<Self, UnsupportedKey> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.algorithm() == Some(algorithm)).ok_or(match algorithm {
            Algorithm::P384 | Algorithm::P521 | Algorithm::Secp256k1 => UnsupportedKey::Curve,
            Algorithm::Rsa => UnsupportedKey::Rsa,
            Algorithm::Ed25519 | Algorithm::Ed448 => UnsupportedKey::Signature,
            Algorithm::MlKem512 | Algorithm::MlKem1024 => UnsupportedKey::MlKemSize,
            _ => UnsupportedKey::Algorithm,
        })
    }

    /// The kind of a stanza type, and the type's row; `None` for an unknown type.
    pub(crate) fn of_stanza(id: u16) -> Option<(Self, &'static StanzaRow)> {
        let mut all =
            Self::ALL.into_iter().flat_map(|kind| kind.row().stanzas.iter().map(move |stanza| (kind, stanza)));
        all.find(|(_, stanza)| stanza.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recipient;
    use super::*;
    use crate::error::{KeyFault, RecipientsRule, escape_name};
    use crate::profile::Profile;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_kinds_share_a_number_a_prefix_or_a_name_and_no_suite_takes_two_stanzas_of_one() {
        let stanzas = Kind::ALL.iter().flat_map(|kind| kind.row().stanzas);
        let ids: Vec<u16> = stanzas.map(|stanza| stanza.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for suite in Suite::ALL {
            for kind in Kind::ALL {
                let taken = kind.row().stanzas.iter().filter(|stanza| stanza.suites.contains(&suite));
                assert!(taken.count() <= 1, "{kind}, {suite}");
            }
        }
        let strings: Vec<_> = Kind::ALL.iter().filter_map(|kind| kind.row().strings.as_ref()).collect();
        let prefixes: BTreeSet<_> =
            strings.iter().flat_map(|strings| strings.recipient.into_iter().chain([strings.identity])).collect();
        let recipients = strings.iter().filter(|strings| strings.recipient.is_some());
        assert_eq!(prefixes.len(), strings.len() + recipients.count());
        assert!(Kind::ALL.iter().filter(|kind| kind.row().has_digits).count() <= 1);
        let algorithms: Vec<_> = Kind::ALL.iter().filter_map(|kind| kind.algorithm()).collect();
        let kinds = algorithms.iter().map(|algorithm| Kind::of_algorithm(*algorithm).unwrap().name());
        assert_eq!(kinds.collect::<BTreeSet<_>>().len(), algorithms.len());
        for strings in strings {
            let secret = format!("{}1{}", strings.identity, "q".repeat(52));
            assert!(crate::error::SECRET_MARKS.iter().any(|mark| secret.contains(mark)), "{}", strings.identity);
            assert!(!escape_name(secret.as_ref()).contains("1q"), "{}", strings.identity);
        }
    }

    /// The messages that list kinds are written by hand, because they are sentences.
    #[cfg(feature = "gm")]
    #[test]
    fn messages_name_the_kinds_of_the_table() {
        let has = |form| move |kind: Kind| kind.has_form(form);
        let has_curve = |kind: Kind| kind.algorithm().is_some_and(Algorithm::has_points);
        let is_taken_by_sm4 = |kind: Kind| kind.stanza_id(Suite::Sm4Gcm).is_some();
        let has_public_and_no_messages = |kind: Kind| kind.public_len().is_some() && !kind.takes_messages();
        let mut differences = Vec::new();
        for (text, is_named) in [
            (UnsupportedKey::NoPem.to_string(), &has(KeyForm::Der) as &dyn Fn(Kind) -> bool),
            (UnsupportedKey::Rsa.to_string(), &has(KeyForm::Der)),
            (UnsupportedKey::Signature.to_string(), &has(KeyForm::Der)),
            (UnsupportedKey::Algorithm.to_string(), &has(KeyForm::Der)),
            (UnsupportedKey::Curve.to_string(), &has_curve),
            (UnsupportedKey::NoJwk.to_string(), &has(KeyForm::Jwk)),
            (UnsupportedKey::JwkAlgorithm.to_string(), &has(KeyForm::Jwk)),
            (UnsupportedKey::NoDigits.to_string(), &has(KeyForm::Hex)),
            (KeyFault::DigitsOfPrivateKey.to_string(), &has(KeyForm::Hex)),
            (KeyFault::CompressedDigits.to_string(), &has(KeyForm::Hex)),
            (UnsupportedKey::NoString.to_string(), &has(KeyForm::Age)),
            (Profile::Fips.check_kind(Kind::Hybrid).unwrap_err().to_string(), &Kind::is_fips),
            (Profile::Gm.check_kind(Kind::Hybrid).unwrap_err().to_string(), &is_taken_by_sm4),
            (RecipientsRule::TakenBySuite.to_string(), &is_taken_by_sm4),
            (RecipientsRule::MessageKind.to_string(), &has_public_and_no_messages),
        ] {
            let found = kinds_in(&text);
            let expected: BTreeSet<_> = Kind::ALL.into_iter().filter(|kind| is_named(*kind)).map(Kind::name).collect();
            if found != expected {
                differences.push(format!("{text}: names {found:?}, not {expected:?}"));
            }
        }
        let recipients = || Kind::ALL.into_iter().filter_map(Kind::recipient_prefix).map(|prefix| format!("{prefix}1"));
        let identities = |kind: Kind| kind.identity_prefix().map(|prefix| format!("{prefix}1"));
        let all_identities: BTreeSet<_> = Kind::ALL.into_iter().filter_map(identities).collect();
        for (text, expected) in [
            ("x".parse::<Recipient>().unwrap_err().to_string(), recipients().collect()),
            (KeyFault::UnknownIdentity.to_string(), all_identities),
        ] {
            let words = text.split([' ', ',']).filter(|word| word.ends_with('1'));
            let found: BTreeSet<_> = words.map(str::to_owned).collect();
            if found != expected {
                differences.push(format!("{text}: names {found:?}, not {expected:?}"));
            }
        }
        // The common beginning of all strings.
        let with_public = Kind::ALL.into_iter().filter(|kind| kind.recipient_prefix().is_some());
        for (text, strings) in [
            (KeyFault::SecretString.to_string(), recipients().collect::<Vec<_>>()),
            (KeyFault::RecipientString.to_string(), with_public.filter_map(identities).collect()),
        ] {
            let (_, beginning) = text.rsplit_once(' ').unwrap();
            let others = strings.iter().filter(|string| !string.starts_with(beginning));
            differences.extend(others.map(|string| format!("{text}: {string} begins otherwise")));
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }

    /// The kinds that a sentence names, by their names or those of their algorithms.
    fn kinds_in(text: &str) -> BTreeSet<&'static str> {
        // `key` is an ordinary word, except at the end of a list.
        let text = text.to_ascii_lowercase().replace("and key", "and symmetric");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| *word != "key");
        let kinds = words.filter_map(|word| match word {
            "p-256" => Some(Kind::P256),
            "symmetric" => Some(Kind::Key),
            "passphrases" => Some(Kind::Passphrase),
            _ => word.parse().ok(),
        });
        kinds.map(Kind::name).collect()
    }
}
