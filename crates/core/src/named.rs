//! Names of algorithms and kinds: the same words in every language, option and report.

/// Gives an enum `ALL`, its names, `Display` and `FromStr`. A variant and its name stand in one line.
macro_rules! named_enum {
    ($type:ident { $($variant:ident = $name:literal,)+ }) => {
        impl $type {
            /// All of them, in the order in which they are documented.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The identifier used in every language, option and report.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
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
                    $($name => Ok(Self::$variant),)+
                    _ => Err(crate::error::Error::unknown_algorithm(text, named_enum!(@list $($name),+))),
                }
            }
        }
    };
    (@list $first:literal $(, $name:literal)*) => { concat!($first $(, ", ", $name)*) };
}
