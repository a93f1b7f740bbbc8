//! Random profiles (section 4).

use super::Profile;
use super::profile::{ALNUM, Decoys, Marker, Offset, Place, Salt};

impl Profile {
    /// Makes the profile of a seed: the same in every implementation, and only as secret as the seed, which has at most 32 bits.
    ///
    /// ```
    /// use sealstone::interop::fise::Profile;
    ///
    /// let profile = Profile::random("2026-11-28");
    /// assert_eq!(Profile::random("2026-11-28"), profile);
    /// assert_eq!(profile.decode_text(&profile.encode_text("hidden", 0)?, 0)?, "hidden");
    /// # Ok::<(), sealstone::interop::fise::Error>(())
    /// ```
    #[must_use]
    pub fn random(seed: &str) -> Self {
        let mut draw = Draw::from_seed(seed);
        let offset = match draw.below(4) {
            0 => Offset::Linear {
                multiplier: 1 + draw.below(64),
                modulo: 2 + draw.below(64),
                salt_multiplier: draw.below(8),
            },
            1 => {
                let denominator = 2 + draw.below(15);
                Offset::Fraction { numerator: draw.below(denominator + 1), denominator }
            }
            2 => Offset::Modulo { divisor: 2 + draw.below(63) },
            _ => Offset::Xor,
        };
        let alphabet = draw.beginning(16, 47);
        let width = draw.number(2, 2);
        let prefix = (0..draw.below(3)).map(|_| char::from(ALNUM.as_bytes()[draw.below(62) as usize])).collect();
        let marker = Marker::Digits { alphabet, width, prefix };
        let min: u16 = draw.number(10, 20);
        let max = min + draw.number::<u16>(20, 50);
        let alphabet = draw.beginning(32, 31);
        let place = Place::ALL[draw.below(3) as usize].1;
        let (head, tail) = (draw.number(0, 9), draw.number(0, 9));
        let every = if draw.below(2) == 0 { 0 } else { draw.number(8, 57) };
        Self { fise: 1, offset, marker, salt: Salt { min, max, alphabet, place }, decoys: Decoys { head, tail, every } }
    }
}

/// FNV-1a of the seed, and then xorshift.
struct Draw(u32);

impl Draw {
    fn from_seed(seed: &str) -> Self {
        let hash = seed.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self(if hash == 0 { 0x9e37_79b9 } else { hash })
    }

    fn below(&mut self, count: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % count
    }

    /// A number from `least` on, one of `count`.
    fn number<T: TryFrom<u32, Error: std::fmt::Debug>>(&mut self, least: u32, count: u32) -> T {
        T::try_from(least + self.below(count)).expect("fise: it is small")
    }

    /// The beginning of the shuffled letters and digits.
    fn beginning(&mut self, least: u32, count: u32) -> String {
        let len = self.number(least, count);
        let mut chars: Vec<char> = ALNUM.chars().collect();
        for i in (1..chars.len()).rev() {
            let bound = u32::try_from(i + 1).expect("fise: 62 characters");
            chars.swap(i, self.below(bound) as usize);
        }
        chars.truncate(len);
        chars.into_iter().collect()
    }
}
