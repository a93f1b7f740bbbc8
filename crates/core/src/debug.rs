//! `Debug` of types with secrets, keys' schedules or callers' functions, which a derived `Debug` would print.

/// Implements `Debug` for a type by chosen fields or by a text, so that it prints nothing else of the value.
macro_rules! debug {
    ($type:ident $(<$($lifetime:lifetime),+>)? (..)) => {
        debug!(|_it: $type $(<$($lifetime),+>)?| concat!(stringify!($type), "(..)"));
    };
    ($type:ident $(<$($lifetime:lifetime),+>)? { $($field:ident),+ }) => {
        debug!(|it: $type $(<$($lifetime),+>)?| { $($field: it.$field),+ });
    };
    (|$it:ident: $type:ident $(<$($lifetime:lifetime),+>)?| { $($field:ident: $value:expr),+ }) => {
        impl std::fmt::Debug for $type $(<$($lifetime),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $it = self;
                f.debug_struct(stringify!($type))$(.field(stringify!($field), &$value))+.finish_non_exhaustive()
            }
        }
    };
    (|$it:ident: $type:ident $(<$($lifetime:lifetime),+>)?| $($text:tt)+) => {
        impl std::fmt::Debug for $type $(<$($lifetime),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $it = self;
                write!(f, $($text)+)
            }
        }
    };
}

/// Displays bytes as hexadecimal digits.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
