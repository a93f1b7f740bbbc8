//! Hash functions: the standards' examples, pieces, files and every refusal.

mod support;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sealstone::hash::{Algorithm, Digest, Hasher, hash, hash_into};
use sealstone::{Error, FileHasher, Input};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::{Pieces, pattern, vectors};

/// The digests of nothing, of "abc" and of a million times "a": FIPS 180-4 and FIPS 202 by NIST's examples, RFC 7693
/// appendix A, GB/T 32905-2016 appendix A, and BLAKE3 as LLVM's tests have it.
const KNOWN: &[(&str, [&str; 3])] = &[
    (
        "sha256",
        [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ],
    ),
    (
        "sha384",
        [
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985",
        ],
    ),
    (
        "sha512",
        [
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
        ],
    ),
    (
        "sha3-256",
        [
            "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1",
        ],
    ),
    (
        "sha3-512",
        [
            "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26",
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
            "3c3a876da14034ab60627c077bb98f7e120a2a5370212dffb3385a18d4f38859ed311d0a9d5141ce9cc5c66ee689b266a8aa18ace8282a0e0db596c90b0a7b87",
        ],
    ),
    (
        "blake2b",
        [
            "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce",
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
            "98fb3efb7206fd19ebf69b6f312cf7b64e3b94dbe1a17107913975a793f177e1d077609d7fba363cbba00d05f7aa4e4fa8715d6428104c0a75643b0ff3fd3eaf",
        ],
    ),
    (
        "blake3",
        [
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
            "616f575a1b58d4c9797d4217b9730ae5e6eb319d76edef6549b46f4efe31ff8b",
        ],
    ),
    (
        "sm3",
        [
            "1ab21d8355cfa17f8e61194831e81a8f22bec8c728fefb747ed035eb5082aa2b",
            "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
            "c8aaf89429554029e231941a2acc0ad61ff2a5acd8fadd25847a3a732b3b02c3",
        ],
    ),
];

#[test]
fn the_standards_examples() {
    let million = vec![b'a'; 1_000_000];
    for &(name, expected) in KNOWN {
        let algorithm: Algorithm = name.parse().unwrap();
        for (message, expected) in [b"", &b"abc"[..], &million].into_iter().zip(expected) {
            let digest = hash(algorithm, message);
            assert_eq!(digest.to_string(), expected, "{name}, {} bytes", message.len());
            assert_eq!(digest.as_bytes().len(), algorithm.digest_len(), "{name}");
        }
    }
}

/// `hashes.json`: NIST's vectors, the documents' examples, and those of the functions' authors.
#[test]
fn every_borrowed_digest() {
    let text = std::fs::read_to_string(vectors("borrowed").join("hashes.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut ran = BTreeMap::<&str, usize>::new();
    for row in &rows {
        let name = row["algorithm"].as_str().unwrap();
        let algorithm: Algorithm = name.parse().unwrap();
        *ran.entry(name).or_default() += 1;
        let bytes = |field: &str| HEXLOWER_PERMISSIVE.decode(row[field].as_str().unwrap().as_bytes()).unwrap();
        if let Some(rounds) = row["rounds"].as_array() {
            let expected: Vec<&str> = rounds.iter().map(|digest| digest.as_str().unwrap()).collect();
            assert_eq!(monte_carlo(algorithm, &bytes("seed"), rounds.len()), expected, "{name}");
            continue;
        }
        let message =
            row["pattern"].as_u64().map_or_else(|| bytes("message"), |len| counted(usize::try_from(len).unwrap()));
        let expected = bytes("digest");
        let mut digest = vec![0; expected.len()];
        hash_into(algorithm, &message, &mut digest).unwrap();
        assert_eq!(HEXLOWER.encode(&digest), HEXLOWER.encode(&expected), "{name}, {} bytes", message.len());
        let mut hasher = Hasher::new(algorithm);
        message.chunks(61).for_each(|piece| hasher.update(piece));
        hasher.finish_into(&mut digest).unwrap();
        assert_eq!(digest, expected, "{name}, {} bytes in pieces", message.len());
    }
    for algorithm in Algorithm::ALL {
        let name = algorithm.name();
        let least = match algorithm {
            // crypto-js, which has it under another name, is what the npm package compares these with.
            _ if name.starts_with("keccak-") => 2,
            Algorithm::Md5 | Algorithm::Ripemd160 | Algorithm::Sm3 => 6,
            _ => 25,
        };
        assert!(ran.get(name).is_some_and(|count| *count >= least), "{name} has too few vectors: {ran:?}");
    }
    assert_eq!(rows.len(), 1361);
}

/// The Monte Carlo test of SHAVS, section 6.4, and of SHA3VS, section 6.2.3: 1,000 digests of digests a round.
fn monte_carlo(algorithm: Algorithm, seed: &[u8], rounds: usize) -> Vec<String> {
    let mut seed = seed.to_vec();
    let mut digests = Vec::new();
    for _ in 0..rounds {
        let mut last = [seed.clone(), seed.clone(), seed.clone()];
        for _ in 0..1000 {
            let message = if algorithm.name().starts_with("sha3-") { last[2].clone() } else { last.concat() };
            last = [last[1].clone(), last[2].clone(), hash(algorithm, &message).as_bytes().to_vec()];
        }
        seed.clone_from(&last[2]);
        digests.push(HEXLOWER.encode(&seed));
    }
    digests
}

/// The inputs of BLAKE3's vectors: 0 to 250, over and over.
fn counted(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

#[test]
fn a_digest_has_any_length_where_the_algorithm_is_extendable() {
    let message = pattern(1000);
    for algorithm in Algorithm::ALL {
        let (own, usual) = (algorithm.digest_len(), hash(algorithm, &message));
        let mut longest = vec![0; 1000];
        let long = hash_into(algorithm, &message, &mut longest);
        assert_eq!(long.is_ok(), algorithm.is_extendable(), "{algorithm}");
        for len in 0..=200 {
            let mut out = vec![1; len];
            let done = hash_into(algorithm, &message, &mut out);
            let mut hasher = Hasher::new(algorithm);
            hasher.update(&message);
            let mut finished = vec![1; len];
            let ended = hasher.finish_into(&mut finished);
            if len == own || (algorithm.is_extendable() && len > 0) {
                done.unwrap();
                ended.unwrap();
                let expected = if algorithm.is_extendable() { &longest[..len] } else { usual.as_bytes() };
                assert_eq!((&out[..], &finished[..]), (expected, expected), "{algorithm}, {len} bytes");
            } else {
                for refused in [done.unwrap_err(), ended.unwrap_err()] {
                    let lengths = if len == 0 && algorithm.is_extendable() {
                        "at least 1 byte".into()
                    } else {
                        format!("{own} bytes")
                    };
                    assert_eq!(refused.to_string(), format!("the digest must be {lengths}, got {len}"), "{algorithm}");
                    assert_eq!(refused.code(), "wrong_length");
                }
                assert!(out.iter().all(|byte| *byte == 1), "{algorithm}: an output was touched");
            }
        }
    }
    let broken: Vec<_> = Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_broken()).collect();
    assert_eq!(broken, [Algorithm::Md5, Algorithm::Sha1]);
}

#[test]
fn a_file_has_digests_of_any_length_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for len in [0, 1000, 131_072, 131_073, 1_000_000] {
        let message = pattern(len);
        std::fs::write(&path, &message).unwrap();
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_extendable()) {
            for digest_len in [1, 32, 33, 64, 500] {
                let (mut expected, mut found) = (vec![0; digest_len], vec![0; digest_len]);
                hash_into(algorithm, &message, &mut expected).unwrap();
                FileHasher::new(Hasher::new(algorithm)).run_into(Input::open(&path).unwrap(), &mut found).unwrap();
                assert_eq!(found, expected, "{algorithm}, {len} bytes");
            }
        }
    }
    let refused = FileHasher::new(Hasher::new(Algorithm::Sha256)).run_into(Input::open(&path).unwrap(), &mut [0; 31]);
    assert_eq!(refused.unwrap_err().code(), "wrong_length");
}

/// GB/T 32905-2016 appendix A.2: 64 bytes, so that the padding has a block of its own.
#[test]
fn sm3_of_a_whole_block() {
    let digest = hash(Algorithm::Sm3, b"abcd".repeat(16).as_slice());
    assert_eq!(digest.to_string(), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732");
}

#[test]
fn every_split_of_a_message_gives_the_same() {
    let message = pattern(300);
    for algorithm in Algorithm::ALL {
        let whole = hash(algorithm, &message);
        for at in 0..=message.len() {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(&message[..at]);
            // A copy goes its own way.
            let other = hasher.clone();
            hasher.update(&message[at..]);
            assert_eq!(hasher.finish(), whole, "{algorithm}, cut at {at}");
            assert_eq!(other.finish(), hash(algorithm, &message[..at]), "{algorithm}, {at} bytes");
        }
        for len in 1..=200 {
            let mut hasher = Hasher::new(algorithm);
            message.chunks(len).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.finish(), whole, "{algorithm}, pieces of {len}");
        }
    }
}

#[test]
fn names_are_read_and_others_refused() {
    for algorithm in Algorithm::ALL {
        assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
    }
    let names = Algorithm::ALL.map(Algorithm::name).join(", ");
    for name in ["", "SHA256", "sha-256", "sha-1", "MD5", "sha-0", "shake", "sm3 "] {
        let error = name.parse::<Algorithm>().unwrap_err();
        assert!(matches!(error, Error::UnknownAlgorithm { known, .. } if known == names), "{name}");
    }
}

#[test]
fn digests_are_the_same_only_with_the_same_bytes() {
    let digest = |message| hash(Algorithm::Sha256, message);
    assert_eq!(digest(b"a"), digest(b"a"));
    assert_ne!(digest(b"a"), digest(b"b"));
    assert_ne!(digest(b""), hash(Algorithm::Sha512, b""));
    assert!(format!("{:?}", digest(b"")).starts_with("Digest(e3b0c442"));
}

/// Lengths around what is read at once, and around a subtree of BLAKE3.
const LENGTHS: [usize; 9] = [0, 1, 1_025, 131_071, 131_072, 131_073, 262_144, 262_145, 11 * 131_072 + 1_000];

#[test]
fn files_streams_and_memory_give_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for len in LENGTHS {
        let message = pattern(len);
        std::fs::write(&path, &message).unwrap();
        for algorithm in Algorithm::ALL {
            let whole = hash(algorithm, &message);
            for threads in [1, 2, 7] {
                let hasher = || FileHasher::new(Hasher::new(algorithm)).threads(threads);
                assert_eq!(hasher().run(Input::open(&path).unwrap()).unwrap(), whole, "{algorithm}, {len} bytes");
                let reader = Pieces::new(&message, &[1, 100_000, 7]);
                assert_eq!(hasher().run(Input::reader(reader)).unwrap(), whole, "{algorithm}, {len} bytes");
            }
        }
    }
}

/// Around every power of two of the parts that threads hash apart from each other, and of the chunks below them.
#[test]
fn blake3_of_a_file_is_the_same_around_every_node_of_its_tree() {
    const PART_LEN: usize = 131_072;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let message = pattern(33 * PART_LEN + 1);
    let parts = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33].map(|parts| parts * PART_LEN);
    for len in parts.into_iter().chain([1_024, 2_048, PART_LEN / 2]).flat_map(|len| [len - 1, len, len + 1]) {
        std::fs::write(&path, &message[..len]).unwrap();
        let whole = hash(Algorithm::Blake3, &message[..len]);
        for threads in 1..=8 {
            let hasher = FileHasher::new(Hasher::new(Algorithm::Blake3)).threads(threads);
            assert_eq!(hasher.run(Input::open(&path).unwrap()).unwrap(), whole, "{len} bytes, {threads} threads");
        }
    }
}

#[test]
fn a_file_goes_on_where_updates_ended_and_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let message = pattern(1_500_000);
    std::fs::write(&path, &message).unwrap();
    for algorithm in Algorithm::ALL {
        let mut hasher = Hasher::new(algorithm);
        hasher.update(b"before");
        let expected = hash(algorithm, &[b"before", &message[..]].concat());
        assert_eq!(FileHasher::new(hasher).run(Input::open(&path).unwrap()).unwrap(), expected, "{algorithm}");
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::Start(1000)).unwrap();
        let input = Input::from_file(file, None).unwrap();
        assert_eq!(
            FileHasher::new(Hasher::new(algorithm)).run(input).unwrap(),
            hash(algorithm, &message[1000..]),
            "{algorithm}"
        );
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for algorithm in [Algorithm::Sha256, Algorithm::Blake3] {
        for new_len in [1_000, 1_999_999, 2_000_001] {
            std::fs::write(&path, pattern(2_000_000)).unwrap();
            let input = Input::open(&path).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(new_len).unwrap();
            let error = FileHasher::new(Hasher::new(algorithm)).run(input).unwrap_err();
            assert!(matches!(&error, Error::InputChanged(name) if *name == path), "{algorithm}, {new_len}: {error}");
        }
        std::fs::write(&path, pattern(2_000_000)).unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        // Clocks of files are coarse: this one is then later for sure.
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        let input = Input::open(&path).unwrap();
        file.write_all(b"x").unwrap();
        assert_eq!(
            FileHasher::new(Hasher::new(algorithm)).run(input).unwrap_err().code(),
            "input_changed",
            "{algorithm}"
        );
    }
}

#[test]
fn progress_reaches_the_end_and_work_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, pattern(3_000_000)).unwrap();
    for algorithm in Algorithm::ALL {
        let most = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&most);
        let digest: Digest = FileHasher::new(Hasher::new(algorithm))
            .on_progress(move |progress| {
                assert_eq!(progress.total, Some(3_000_000));
                seen.fetch_max(progress.done, Ordering::Relaxed);
            })
            .run(Input::open(&path).unwrap())
            .unwrap();
        assert_eq!(digest, hash(algorithm, &pattern(3_000_000)), "{algorithm}");
        assert_eq!(most.load(Ordering::Relaxed), 3_000_000, "{algorithm}");
        let cancelled = FileHasher::new(Hasher::new(algorithm)).cancel_when(|| true).run(Input::open(&path).unwrap());
        assert!(matches!(cancelled, Err(Error::Cancelled)), "{algorithm}");
    }
}
