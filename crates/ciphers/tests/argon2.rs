//! Argon2's memory on every backend that this CPU has, in lanes and on threads: another library, and the backends among each other.

#[allow(dead_code, reason = "others use the rest")]
mod support;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use sealstone_ciphers::argon2::{BLOCK_LEN, Backend, Memory, Variant};
use support::{backends, noise};

const VARIANTS: [(Variant, Algorithm); 3] =
    [(Variant::D, Algorithm::Argon2d), (Variant::I, Algorithm::Argon2i), (Variant::Id, Algorithm::Argon2id)];

/// Kibibytes and lanes: the least, lengths that are rounded, segments longer than a block of addresses.
const SHAPES: [(u32, u32); 7] = [(8, 1), (39, 1), (1100, 1), (16, 2), (67, 3), (4500, 4), (56, 7)];

/// After one pass the other library's memory still has the blocks that it began with.
#[test]
fn one_pass_is_as_another_library_has_it() {
    for (kib, lanes) in SHAPES {
        for (variant, theirs) in VARIANTS {
            let params = Params::new(kib, 1, lanes, None).unwrap();
            let lane_len = params.block_count() / lanes as usize;
            let mut blocks = vec![Block::default(); params.block_count()];
            Argon2::new(theirs, Version::V0x13, params).fill_memory(b"password", b"saltsalt", &mut blocks).unwrap();
            let bytes = |block: &Block| -> [u8; BLOCK_LEN] {
                let bytes: Vec<u8> = block.as_ref().iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes.try_into().unwrap()
            };
            let lanes_of = || blocks.chunks(lane_len);
            let mut expected = [0; BLOCK_LEN];
            for lane in lanes_of() {
                expected.iter_mut().zip(bytes(&lane[lane_len - 1])).for_each(|(sum, byte)| *sum ^= byte);
            }
            for backend in backends() {
                let mut memory = Memory::with_backend(backend, kib, lanes).unwrap();
                for (i, lane) in lanes_of().enumerate() {
                    memory.begin(i, [&bytes(&lane[0]), &bytes(&lane[1])]);
                }
                assert!(memory.fill(variant, 1, 1) == expected, "{backend:?}, {variant:?}, {kib} KiB, {lanes} lanes");
            }
        }
    }
}

#[test]
fn passes_are_the_same_on_every_backend_and_on_any_number_of_threads_and_in_any_steps() {
    for (kib, lanes) in SHAPES {
        let begin: Vec<[u8; BLOCK_LEN]> =
            (0..2 * lanes).map(|i| noise(i.into(), BLOCK_LEN).try_into().unwrap()).collect();
        for (variant, _) in VARIANTS {
            for passes in 1..=3 {
                let begun = |backend| {
                    let mut memory = Memory::with_backend(backend, kib, lanes).unwrap();
                    for (lane, blocks) in begin.as_chunks().0.iter().enumerate() {
                        let [first, second] = blocks;
                        memory.begin(lane, [first, second]);
                    }
                    memory
                };
                let last = |backend, threads| begun(backend).fill(variant, passes, threads);
                let expected = last(Backend::Portable, 1);
                for backend in backends() {
                    for threads in [0, 1, 2, 5] {
                        let what = || {
                            format!("{backend:?}, {variant:?}, {kib} KiB, {lanes} lanes, {passes} passes, {threads}")
                        };
                        assert!(last(backend, threads) == expected, "{}", what());
                    }
                    // In steps that end anywhere; threads do not begin in the middle.
                    for step in [1, 127, 128, 1000, u64::MAX] {
                        let what = || {
                            format!(
                                "{backend:?}, {variant:?}, {kib} KiB, {lanes} lanes, {passes} passes, steps of {step}"
                            )
                        };
                        let mut memory = begun(backend);
                        let mut steps = 1;
                        while !memory.step(variant, passes, step) {
                            steps += 1;
                        }
                        let blocks = u64::from(kib / (4 * lanes) * 4 * lanes * passes);
                        assert_eq!(steps, blocks.div_ceil(step), "{}", what());
                        assert!(memory.fill(variant, passes, 5) == expected, "{}", what());
                        let mut memory = begun(backend);
                        memory.step(variant, passes, step);
                        assert!(memory.fill(variant, passes, 5) == expected, "{}", what());
                    }
                }
            }
        }
    }
}

#[test]
#[should_panic = "argon2: a lane has at least eight blocks"]
fn a_lane_has_eight_blocks() {
    _ = Memory::new(31, 4);
}
