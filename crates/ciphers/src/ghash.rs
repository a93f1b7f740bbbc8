//! GHASH (SP 800-38D section 6.4), on the fastest backend of this CPU.

use crate::portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::wasm32;
#[cfg(target_arch = "x86_64")]
use crate::{cpu, x86_64};

type Block = [u8; 16];

/// A key H of GHASH with its powers, for modes of any block cipher. Zeroed on drop.
///
/// ```
/// use sealstone_ciphers::ghash::Ghash;
///
/// let key = Ghash::new(&[7; 16]);
/// let (mut whole, mut parts) = ([0; 16], [0; 16]);
/// key.update_padded(&mut whole, &[1; 40]);
/// key.update_padded(&mut parts, &[1; 32]);
/// key.update_padded(&mut parts, &[1; 8]);
/// assert_eq!(whole, parts);
/// ```
pub struct Ghash(Key);

/// The key, with the powers or tables that its backend needs.
enum Key {
    Portable(portable::ghash::Ghash),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(wasm32::ghash::Ghash),
    #[cfg(target_arch = "x86_64")]
    Clmul(cpu::Clmul, Box<x86_64::ghash::Powers>),
    #[cfg(target_arch = "x86_64")]
    Vpclmul256(cpu::VpclmulAvx2, Box<x86_64::ghash::Powers>),
    #[cfg(target_arch = "x86_64")]
    Vpclmul512(cpu::VpclmulAvx512, Box<x86_64::ghash::Powers>),
}

impl Ghash {
    /// Prepares a key for the backend that is fastest on this CPU.
    #[must_use]
    pub fn new(h: &Block) -> Self {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Self(Key::Simd128(wasm32::ghash::Ghash::new(h)));
        #[cfg(target_arch = "x86_64")]
        if let Some(clmul) = cpu::Clmul::detect() {
            return Self(if let Some(cpu) = cpu::VpclmulAvx512::detect() {
                Key::Vpclmul512(cpu, x86_64::ghash::Powers::new_512(clmul, cpu, h))
            } else if let Some(cpu) = cpu::VpclmulAvx2::detect() {
                Key::Vpclmul256(cpu, x86_64::ghash::Powers::new(clmul, h))
            } else {
                Key::Clmul(clmul, x86_64::ghash::Powers::new(clmul, h))
            });
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Self::portable(h)
    }

    pub(crate) fn portable(h: &Block) -> Self {
        Self(Key::Portable(portable::ghash::Ghash::new(h)))
    }

    /// Hashes blocks into `state`, which is zero at the beginning and the hash at the end.
    pub fn update(&self, state: &mut Block, blocks: &[Block]) {
        match &self.0 {
            Key::Portable(key) => key.update(state, blocks),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Key::Simd128(key) => key.update(state, blocks),
            #[cfg(target_arch = "x86_64")]
            Key::Clmul(cpu, powers) => x86_64::ghash::update_clmul(*cpu, powers, state, blocks),
            #[cfg(target_arch = "x86_64")]
            Key::Vpclmul256(cpu, powers) => x86_64::ghash::update_vpclmul256(*cpu, powers, state, blocks),
            #[cfg(target_arch = "x86_64")]
            Key::Vpclmul512(cpu, powers) => x86_64::ghash::update_vpclmul512(*cpu, powers, state, blocks),
        }
    }

    /// Hashes bytes into `state`, the last block padded with zeros.
    pub fn update_padded(&self, state: &mut Block, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<16>();
        self.update(state, blocks);
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            self.update(state, &[last]);
        }
    }
}

impl std::fmt::Debug for Ghash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ghash(..)")
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// A CPU with wide registers would otherwise never run the narrow kernel.
    #[test]
    fn every_width_agrees_with_the_portable_one() {
        let clmul = cpu::Clmul::detect();
        let mut ran = 0;
        for h in [[0; 16], [0xff; 16], [0x80; 16], std::array::from_fn(|i| (i as u8).wrapping_mul(37))] {
            let narrow = || clmul.expect("ghash: it was found");
            let powers = || x86_64::ghash::Powers::new(narrow(), &h);
            let all_powers = |cpu| x86_64::ghash::Powers::new_512(narrow(), cpu, &h);
            let own = [
                clmul.map(|cpu| Ghash(Key::Clmul(cpu, powers()))),
                cpu::VpclmulAvx2::detect().map(|cpu| Ghash(Key::Vpclmul256(cpu, powers()))),
                cpu::VpclmulAvx512::detect().map(|cpu| Ghash(Key::Vpclmul512(cpu, all_powers(cpu)))),
            ];
            for count in 0..200 {
                let blocks: Vec<Block> = (0..count).map(|i: u8| [i.wrapping_mul(3).wrapping_add(3); 16]).collect();
                let mut expected = [9; 16];
                Ghash::portable(&h).update(&mut expected, &blocks);
                for ghash in own.iter().flatten() {
                    let mut state = [9; 16];
                    ghash.update(&mut state, &blocks);
                    assert_eq!(state, expected, "{count} blocks");
                    ran += 1;
                }
            }
        }
        assert!(ran > 0 || clmul.is_none());
    }
}
