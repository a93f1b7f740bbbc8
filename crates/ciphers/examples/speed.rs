//! How fast the kernels are on this machine: the numbers of docs/design/sm4.md and chacha20-poly1305.md, by the best of many
//! runs.
//!
//! `cargo run --release -p sealstone-ciphers --example speed [BACKEND]`

use sealstone_ciphers::chacha20::{self, ChaCha20, ChaCha20Poly1305, XChaCha20Poly1305};
use sealstone_ciphers::poly1305::Poly1305;
use sealstone_ciphers::salsa20::XSalsa20Poly1305;
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
    let wanted = |backend: &chacha20::Backend| only.as_deref().is_none_or(|name| name == backend.name());
    let available = chacha20::Backend::ALL.into_iter().filter(|backend| backend.is_available());
    available.filter(wanted).for_each(measure_chacha);
}

fn measure_chacha(backend: chacha20::Backend) {
    let mut buffer = vec![1; 1 << 20];
    let key = [7; 32];
    let chacha = ChaCha20::with_backend(backend, &key).expect(FITS);
    let aead = ChaCha20Poly1305::with_backend(backend, &key).expect(FITS);
    let extended = XChaCha20Poly1305::with_backend(backend, &key).expect(FITS);
    let secretbox = XSalsa20Poly1305::with_backend(backend, &key).expect(FITS);
    for bytes in [50, 256, 1 << 10, 1 << 14, 1 << 20] {
        let buffer = &mut buffer[..bytes];
        let print = |mode, rate| println!("{:<12} {mode:<18} {bytes:>8} bytes {rate:>8.3} GB/s", backend.name());
        print("ChaCha20", rate(bytes, || chacha.add_keystream(&NONCE, 0, buffer).expect(FITS)));
        let mac = || {
            let mut mac = Poly1305::with_backend(backend, &key).expect(FITS);
            mac.update(buffer);
            std::hint::black_box(mac.tag());
        };
        print("Poly1305", rate(bytes, mac));
        let seal = || _ = std::hint::black_box(aead.seal_in_place(&NONCE, b"", buffer).expect(FITS));
        print("ChaCha20-Poly1305", rate(bytes, seal));
        // Sealing comes with it, so that there is something to open.
        let open = || {
            let tag = aead.seal_in_place(&NONCE, b"", buffer).expect(FITS);
            aead.open_in_place(&NONCE, b"", buffer, &tag).expect(FITS);
        };
        print("both ways", 2.0 * rate(bytes, open));
        let seal = || _ = std::hint::black_box(extended.seal_in_place(&[1; 24], b"", buffer).expect(FITS));
        print("XChaCha20-Poly1305", rate(bytes, seal));
        let seal = || _ = std::hint::black_box(secretbox.seal_in_place(&[1; 24], buffer).expect(FITS));
        print("XSalsa20-Poly1305", rate(bytes, seal));
    }
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
            key.cbc_encrypt_batch(messages.map(|(iv, blocks)| Message { iv, blocks }));
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
    // Short enough that some stretch is not interrupted.
    let runs = (2_000_000 / bytes).clamp(1, 2_000);
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
