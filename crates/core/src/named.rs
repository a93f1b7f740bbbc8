//! Names of algorithms and kinds, which are the same in every language, option and report.

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum, from lines of a variant and its name. A variant may be `if` a feature:
/// without the feature, the variant stays, but neither `ALL` nor `FromStr` has it.
macro_rules! named_enum {
    ($type:ident { $($(#[cfg($cfg:meta)])? $variant:ident = $name:literal $(if $feature:literal)?,)+ }) => {
        impl $type {
            /// All variants, in the order of the documentation.
            pub const ALL: [Self; named_enum!(@names $($(#[cfg($cfg)])? $name $(if $feature)?,)+).len()] =
                [$($(#[cfg($cfg)])? $(#[cfg(feature = $feature)])? Self::$variant),+];

            /// The identifier used in every language, option and report.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Self::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::error::Error;

            fn from_str(text: &str) -> crate::error::Result<Self> {
                match text {
                    $($(#[cfg($cfg)])? $(#[cfg(feature = $feature)])? $name => Ok(Self::$variant),)+
                    _ => Err(crate::error::Error::unknown_algorithm(
                        text,
                        named_enum!(@list $($(#[cfg($cfg)])? $name $(if $feature)?,)+),
                    )),
                }
            }
        }
    };
    (@names $($(#[cfg($cfg:meta)])? $name:literal $(if $feature:literal)?,)+) => {
        [$($(#[cfg($cfg)])? $(#[cfg(feature = $feature)])? $name),+]
    };
    (@list $($row:tt)+) => {{
        const NAMES: &[&str] = &named_enum!(@names $($row)+);
        const BYTES: [u8; crate::named::list_len(NAMES)] = crate::named::list(NAMES);
        const {
            match std::str::from_utf8(&BYTES) {
                Ok(list) => list,
                Err(_) => panic!("named: names are text"),
            }
        }
    }};
}

const SEPARATOR: &[u8] = b", ";

/// Bytes of [`list`].
pub(crate) const fn list_len(names: &[&str]) -> usize {
    let (mut len, mut i) = ((names.len() - 1) * SEPARATOR.len(), 0);
    while i < names.len() {
        len += names[i].len();
        i += 1;
    }
    len
}

/// The names in one text, while the compiler runs: `concat!` takes no row that a feature has.
pub(crate) const fn list<const LEN: usize>(names: &[&str]) -> [u8; LEN] {
    let (mut list, mut at, mut i) = ([0; LEN], 0, 0);
    while i < names.len() {
        let parts = [if i == 0 { b"" } else { SEPARATOR }, names[i].as_bytes()];
        let mut part = 0;
        while part < parts.len() {
            list.split_at_mut(at).1.split_at_mut(parts[part].len()).0.copy_from_slice(parts[part]);
            at += parts[part].len();
            part += 1;
        }
        i += 1;
    }
    list
}
