//! Whether the time of a function tells two classes of secrets apart (dudect: Reparaz, Balasch and Verbauwhede, 2017): one
//! secret again and again, and random ones, in random turns, compared by Welch's t test. A report, which is as good as the
//! machine is quiet; `check.sh` runs it.

use sealstone_ciphers::chacha20::{self, ChaCha20Poly1305};
use sealstone_ciphers::poly1305::Poly1305;
use sealstone_ciphers::salsa20::XSalsa20Poly1305;
use sealstone_ciphers::sm4::{Backend, Block, Sm4, Sm4Gcm};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// For each function, in both classes together.
const MEASUREMENTS: usize = 200_000;
/// From this |t| on the classes differ, by dudect's convention.
const LEAK: f64 = 10.0;
/// Interrupts are longer than what is measured: the slowest are left out, more and less of them. In percent.
const KEPT: [usize; 6] = [50, 75, 90, 95, 99, 100];
const NONCE: [u8; 12] = [9; 12];

fn main() -> ExitCode {
    println!("{:<12} {:<24} {:>10} {:>10} {:>8}", "backend", "function", "median/ns", "apart/ns", "|t|");
    let control = leaks(
        "control",
        "early-exit comparison",
        |random, first| {
            let tag = random.block();
            (tag, other(tag, first))
        },
        |(a, b)| a.iter().zip(b.iter()).all(|(a, b)| black_box(a) == b),
    );
    if !control {
        println!("timing: the control leaks, and was not found: this machine is too noisy to tell anything");
        return ExitCode::FAILURE;
    }
    let others = chacha20::Backend::ALL.into_iter().filter(|backend| backend.is_available());
    let found = Backend::ALL.into_iter().filter(|backend| backend.is_available()).map(functions).sum::<usize>()
        + others.map(chacha_functions).sum::<usize>();
    println!("timing: {found} leaks, besides the control's; a difference counts from |t| = {LEAK} on");
    ExitCode::from(u8::from(found > 0))
}

/// All functions on a backend; returns how many leak.
fn functions(backend: Backend) -> usize {
    let name = backend.name();
    let cipher = |key: &Block| Sm4::with_backend(backend, key).expect("timing: the backend is available");
    let gcm = |key: &Block| Sm4Gcm::with_backend(backend, key).expect("timing: the backend is available");
    let mut fixed = Random(1);
    let (own_key, own_blocks) = (fixed.block(), fixed.blocks());
    let mut sealed = [7; 64];
    let mut tag = [0; 16];
    gcm(&own_key).seal_in_place(&NONCE, b"", &mut sealed, &mut tag).expect("timing: the lengths are GCM's");
    let receiver = gcm(&own_key);
    let key = |random: &mut Random, own| select(own, own_key, random.block());
    let blocks = |random: &mut Random, own| {
        let mut blocks = random.blocks();
        blocks.iter_mut().zip(own_blocks).for_each(|(block, own_block)| *block = select(own, own_block, *block));
        blocks
    };
    let found = [
        leaks(name, "key schedule", key, |key| cipher(key)),
        leaks(
            name,
            "one block",
            |random, own| (cipher(&key(random, own)), [select(own, own_blocks[0], random.block())]),
            |(key, block)| key.encrypt_blocks(block),
        ),
        leaks(
            name,
            "64 blocks",
            |random, own| (cipher(&key(random, own)), blocks(random, own)),
            |(key, blocks)| key.encrypt_blocks(blocks),
        ),
        leaks(
            name,
            "GHASH of 64 blocks",
            |random, own| (gcm(&key(random, own)), blocks(random, own)),
            |(key, blocks)| key.seal_in_place(&NONCE, blocks.as_flattened(), &mut [], &mut [0; 16]),
        ),
        leaks(
            name,
            "a wrong tag's place",
            |_, first| (sealed, other(tag, first)),
            |(data, tag)| receiver.open_in_place(&NONCE, b"", data, tag),
        ),
    ];
    found.into_iter().filter(|leak| *leak).count()
}

/// The same of ChaCha20, Salsa20 and Poly1305.
fn chacha_functions(backend: chacha20::Backend) -> usize {
    const THERE: &str = "timing: the backend is available";
    let name = backend.name();
    let mut fixed = Random(1);
    let (own_key, own_blocks) = ([fixed.block(), fixed.block()], fixed.blocks());
    let key = |random: &mut Random, own| {
        let blocks = own_key.map(|own_block| select(own, own_block, random.block()));
        *blocks.as_flattened().first_chunk::<32>().expect("timing: a key is two blocks")
    };
    let blocks = |random: &mut Random, own| {
        let mut blocks = random.blocks();
        blocks.iter_mut().zip(own_blocks).for_each(|(block, own_block)| *block = select(own, own_block, *block));
        blocks
    };
    let receiver = ChaCha20Poly1305::with_backend(backend, &[3; 32]).expect(THERE);
    let mut sealed = [7; 64];
    let tag = receiver.seal_in_place(&NONCE, b"", &mut sealed).expect("timing: the lengths are the cipher's");
    let found = [
        leaks(
            name,
            "ChaCha20-Poly1305, 1 KiB",
            |random, own| {
                let key = ChaCha20Poly1305::with_backend(backend, &key(random, own)).expect(THERE);
                (key, blocks(random, own))
            },
            |(key, blocks)| key.seal_in_place(&NONCE, b"", blocks.as_flattened_mut()),
        ),
        leaks(
            name,
            "XSalsa20-Poly1305, 1 KiB",
            |random, own| {
                let key = XSalsa20Poly1305::with_backend(backend, &key(random, own)).expect(THERE);
                (key, blocks(random, own))
            },
            |(key, blocks)| key.seal_in_place(&[9; 24], blocks.as_flattened_mut()),
        ),
        leaks(
            name,
            "Poly1305, 1 KiB",
            |random, own| (Poly1305::with_backend(backend, &key(random, own)), blocks(random, own)),
            |(mac, blocks)| {
                let mut mac = mac.take().expect(THERE);
                mac.update(blocks.as_flattened());
                mac.tag()
            },
        ),
        leaks(
            name,
            "a wrong tag's place",
            |_, first| (sealed, other(tag, first)),
            |(data, tag)| receiver.open_in_place(&NONCE, b"", data, tag),
        ),
    ];
    found.into_iter().filter(|leak| *leak).count()
}

/// A block that differs in its first byte, or in its last.
fn other(block: Block, first: bool) -> Block {
    let [at_first, at_last] = [1_u128, 1 << 120].map(u128::to_le_bytes);
    let difference = u128::from_le_bytes(select(first, at_first, at_last));
    (u128::from_le_bytes(block) ^ difference).to_le_bytes()
}

/// Without a branch, which would go on to be seen in what is measured.
fn select(first: bool, a: Block, b: Block) -> Block {
    let mask = black_box(u128::from(first)).wrapping_neg();
    (u128::from_ne_bytes(a) & mask | u128::from_ne_bytes(b) & !mask).to_ne_bytes()
}

/// Measures `run` on what `prepare` makes of each class, and says whether the classes differ: once more when they seem to,
/// since what else runs on the machine is not always the same for both.
fn leaks<I, O>(
    backend: &str,
    function: &str,
    prepare: impl Fn(&mut Random, bool) -> I,
    run: impl Fn(&mut I) -> O,
) -> bool {
    let mut random = Random(2);
    (0..2).all(|_| {
        let mut times = Vec::with_capacity(MEASUREMENTS);
        for _ in 0..MEASUREMENTS {
            let class = random.next() & 1 == 1;
            let mut input = black_box(prepare(&mut random, class));
            let start = Instant::now();
            let output = black_box(run(&mut input));
            let time = start.elapsed();
            drop(output);
            times.push((time.as_secs_f64() * 1e9, class));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (t, apart) = KEPT
            .into_iter()
            .map(|kept| welch(&times[..times.len() * kept / 100]))
            .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
            .expect("timing: something is kept");
        let median = times[times.len() / 2].0;
        let verdict = if t.abs() < LEAK { "" } else { "  apart" };
        println!("{backend:<12} {function:<24} {median:>10.0} {apart:>10.2} {:>8.1}{verdict}", t.abs());
        t.abs() >= LEAK
    })
}

/// Welch's t, and how far the means are apart.
fn welch(times: &[(f64, bool)]) -> (f64, f64) {
    let [a, b] = [true, false].map(|class| {
        let own = || times.iter().filter(|time| time.1 == class).map(|time| time.0);
        let count = own().map(|_| 1.0).sum::<f64>();
        let mean = own().sum::<f64>() / count;
        let variance = own().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, variance / count)
    });
    // Where all times are the same, so are the classes.
    let error = (a.1 + b.1).sqrt().max(f64::MIN_POSITIVE);
    ((a.0 - b.0) / error, a.0 - b.0)
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn block(&mut self) -> Block {
        (u128::from(self.next()) << 64 | u128::from(self.next())).to_ne_bytes()
    }

    fn blocks(&mut self) -> [Block; 64] {
        std::array::from_fn(|_| self.block())
    }
}
