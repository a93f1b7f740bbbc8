//! How fast the kernels are on this machine: the numbers of docs/design/sm4.md, by the best of many runs.
//!
//! `cargo run --release -p sealstone-ciphers --example speed [BACKEND]`

use sealstone_ciphers::sm4::{Backend, Block, Message, Sm4, Sm4Ccm, Sm4Gcm};
use std::time::{Duration, Instant};

const KEY: Block = *b"1234567890abcdef";
const NONCE: [u8; 12] = [1; 12];
const FITS: &str = "speed: the backend is there, and the lengths are the modes'";

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |backend: &Backend| only.as_deref().is_none_or(|name| name == backend.name());
    let available = Backend::ALL.into_iter().filter(|backend| backend.is_available());
    available.filter(wanted).for_each(measure);
}

fn measure(backend: Backend) {
    let mut blocks = vec![[1; 16]; 1 << 16];
    let (mut iv, mut ivs, mut tag) = ([3; 16], [[0; 16]; 16], [0; 16]);
    let key = Sm4::with_backend(backend, &KEY).expect(FITS);
    let gcm = Sm4Gcm::with_backend(backend, &KEY).expect(FITS);
    let ccm = Sm4Ccm::with_backend(backend, &KEY).expect(FITS);
    for bytes in [1 << 10, 1 << 14, 1 << 20] {
        let blocks = &mut blocks[..bytes / 16];
        let print = |mode, rate| println!("{:<12} {mode:<16} {bytes:>8} bytes {rate:>8.3} GB/s", backend.name());
        print("ECB", rate(bytes, || key.encrypt_blocks(blocks)));
        print("CTR", rate(bytes, || key.ctr(&mut iv, blocks.as_flattened_mut())));
        print("CBC decryption", rate(bytes, || key.cbc_decrypt(&mut iv, blocks)));
        print("CBC", rate(bytes, || key.cbc_encrypt(&mut iv, blocks)));
        let batch = || {
            let messages = ivs.iter_mut().zip(blocks.chunks_mut(bytes / 256));
            key.cbc_encrypt_batch(&mut messages.map(|(iv, blocks)| Message { iv, blocks }).collect::<Vec<_>>());
        };
        print("CBC, 16 parts", rate(bytes, batch));
        let seal = || gcm.seal_in_place(&NONCE, b"", blocks.as_flattened_mut(), &mut tag).expect(FITS);
        print("GCM", rate(bytes, seal));
        let seal = || ccm.seal_in_place(&NONCE, b"", blocks.as_flattened_mut(), &mut tag).expect(FITS);
        print("CCM", rate(bytes, seal));
    }
}

/// Gigabytes a second, in the best stretch of a third of a second.
fn rate(bytes: usize, mut run: impl FnMut()) -> f64 {
    let runs = (2_000_000 / bytes).max(1);
    let started = Instant::now();
    let mut best = Duration::MAX;
    while started.elapsed() < Duration::from_millis(300) {
        let stretch = Instant::now();
        for _ in 0..runs {
            run();
        }
        best = best.min(stretch.elapsed());
    }
    let gigabytes = f64::from(u32::try_from(bytes * runs).expect("speed: a stretch is short")) / 1e9;
    gigabytes / best.as_secs_f64()
}
