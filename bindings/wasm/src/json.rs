//! Records as JSON.

use std::fmt::Write as _;
use zeroize::Zeroizing;

/// A value that is written as JSON.
pub trait Json {
    fn write(&self, text: &mut String);

    /// Whether an object has no property for it.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Writes an object.
pub fn object(text: &mut String, properties: &[(&str, &dyn Json)]) {
    let mut before = '{';
    for (name, value) in properties.iter().filter(|(_, value)| !value.is_absent()) {
        _ = write!(text, "{before}\"{name}\":");
        value.write(text);
        before = ',';
    }
    text.push('}');
}

macro_rules! plain {
    ($($type:ty),*) => { $(
        impl Json for $type {
            fn write(&self, text: &mut String) {
                _ = write!(text, "{self}");
            }
        }
    )* };
}

plain!(bool, u32, u64);

impl Json for String {
    fn write(&self, text: &mut String) {
        text.push('"');
        for letter in self.chars() {
            match letter {
                '"' | '\\' => text.extend(['\\', letter]),
                '\0'..=' ' if letter != ' ' => _ = write!(text, "\\u{:04x}", u32::from(letter)),
                _ => text.push(letter),
            }
        }
        text.push('"');
    }
}

impl Json for Zeroizing<String> {
    fn write(&self, text: &mut String) {
        (**self).write(text);
    }
}

impl Json for Option<String> {
    fn write(&self, text: &mut String) {
        if let Some(value) = self {
            value.write(text);
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, text: &mut String) {
        text.push('[');
        for (at, item) in self.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            item.write(text);
        }
        text.push(']');
    }
}
