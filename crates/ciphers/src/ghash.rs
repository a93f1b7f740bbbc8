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
            let powers = x86_64::ghash::Powers::new(clmul, h);
            return if let Some(cpu) = cpu::VpclmulAvx512::detect() {
                Self::Vpclmul512(cpu, powers)
            } else if let Some(cpu) = cpu::VpclmulAvx2::detect() {
                Self::Vpclmul256(cpu, powers)
            } else {
                Self::Clmul(clmul, powers)
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
