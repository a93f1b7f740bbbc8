//! GHASH (SP 800-38D section 6.4), on the backend that was chosen for a key.

use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::{cpu, x86_64};

type Block = [u8; 16];

/// A key H, with its powers where the backend has them.
pub(crate) enum Ghash {
    Portable(portable::ghash::Ghash),
    #[cfg(target_arch = "x86_64")]
    Clmul(cpu::Clmul, Box<x86_64::ghash::Powers>),
    #[cfg(target_arch = "x86_64")]
    Vpclmul256(cpu::VpclmulAvx2, Box<x86_64::ghash::Powers>),
    #[cfg(target_arch = "x86_64")]
    Vpclmul512(cpu::VpclmulAvx512, Box<x86_64::ghash::Powers>),
}

impl Ghash {
    /// On the backend that is fastest on this CPU.
    pub(crate) fn new(h: &Block) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(clmul) = cpu::Clmul::detect() {
            return if let Some(cpu) = cpu::VpclmulAvx512::detect() {
                Self::Vpclmul512(cpu, x86_64::ghash::Powers::new_512(clmul, cpu, h))
            } else if let Some(cpu) = cpu::VpclmulAvx2::detect() {
                Self::Vpclmul256(cpu, x86_64::ghash::Powers::new(clmul, h))
            } else {
                Self::Clmul(clmul, x86_64::ghash::Powers::new(clmul, h))
            };
        }
        Self::portable(h)
    }

    pub(crate) fn portable(h: &Block) -> Self {
        Self::Portable(portable::ghash::Ghash::new(h))
    }

    /// Puts blocks into the state.
    pub(crate) fn update(&self, state: &mut Block, blocks: &[Block]) {
        match self {
            Self::Portable(key) => key.update(state, blocks),
            #[cfg(target_arch = "x86_64")]
            Self::Clmul(cpu, powers) => x86_64::ghash::update_clmul(*cpu, powers, state, blocks),
            #[cfg(target_arch = "x86_64")]
            Self::Vpclmul256(cpu, powers) => x86_64::ghash::update_vpclmul256(*cpu, powers, state, blocks),
            #[cfg(target_arch = "x86_64")]
            Self::Vpclmul512(cpu, powers) => x86_64::ghash::update_vpclmul512(*cpu, powers, state, blocks),
        }
    }

    /// Puts bytes into the state, the last block filled up with zeros.
    pub(crate) fn update_padded(&self, state: &mut Block, bytes: &[u8]) {
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

    /// On a CPU with the wide ones nothing else would run the narrow one.
    #[test]
    fn every_width_agrees_with_the_portable_one() {
        let clmul = cpu::Clmul::detect();
        let mut ran = 0;
        for h in [[0; 16], [0xff; 16], [0x80; 16], std::array::from_fn(|i| (i as u8).wrapping_mul(37))] {
            let narrow = || clmul.expect("ghash: it was found");
            let powers = || x86_64::ghash::Powers::new(narrow(), &h);
            let all_powers = |cpu| x86_64::ghash::Powers::new_512(narrow(), cpu, &h);
            let own = [
                clmul.map(|cpu| Ghash::Clmul(cpu, powers())),
                cpu::VpclmulAvx2::detect().map(|cpu| Ghash::Vpclmul256(cpu, powers())),
                cpu::VpclmulAvx512::detect().map(|cpu| Ghash::Vpclmul512(cpu, all_powers(cpu))),
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
