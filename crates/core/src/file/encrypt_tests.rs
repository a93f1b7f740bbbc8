use super::*;
use crate::file::decrypt::Decryptor;
use crate::file::parts::FileSealer;
use crate::key::{Identity, SymmetricKey};
use std::io;

/// On both sides of every border: a chunk, a unit of 16 chunks, and the 64 chunks from which threads are started.
const LENGTHS: &[usize] = &[
    0,
    1,
    16_383,
    16_384,
    16_385,
    16 * 16_384 - 1,
    16 * 16_384,
    16 * 16_384 + 1,
    63 * 16_384,
    64 * 16_384 - 1,
    64 * 16_384,
    64 * 16_384 + 1,
    65 * 16_384,
    80 * 16_384,
    3 * 1024 * 1024 + 5,
];

#[test]
fn one_file_key_and_salt_give_the_same_bytes_in_every_way_at_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let identity: Identity = SymmetricKey::from_bytes(&[7; 32]).into();
    let mut ran = 0;
    for suite in Suite::ALL {
        let encryptor = Encryptor::new([identity.recipient()]).suite(suite);
        for &len in LENGTHS {
            let plaintext: Vec<u8> = (0..=250).cycle().take(len).collect();
            let path = folder.path().join("plaintext");
            std::fs::write(&path, &plaintext).unwrap();
            let started = encryptor.begin(Flags::default()).unwrap();
            let (head, chunks) = &started;
            let serial = serial(head, chunks, &plaintext);
            for threads in [0, 1, 2, 3, 8] {
                let encryptor = encryptor.clone().threads(threads);
                let same = |way: &str, bytes: &[u8]| {
                    assert!(bytes == serial, "{suite}, {len} bytes, {threads} threads, {way}: other bytes");
                };
                let sealer = FileSealer::new(head.clone(), Arc::clone(chunks), encryptor.settings.clone());
                same("memory", &sealer.encrypt(&plaintext).unwrap());

                let out = folder.path().join("sealed");
                let output = Output::file(&out).unwrap().sync(false);
                let summary = run(&encryptor, &started, Input::open(&path).unwrap(), output);
                same("file to file", &std::fs::read(&out).unwrap());
                assert_eq!(summary, Summary { plaintext: len as u64, ciphertext: serial.len() as u64 });
                std::fs::remove_file(&out).unwrap();

                let mut written = Vec::new();
                run(&encryptor, &started, Input::open(&path).unwrap(), Output::writer(&mut written));
                same("file to stream", &written);

                let mut written = Vec::new();
                let reader = Halves(&plaintext);
                let summary = run(&encryptor, &started, Input::reader(reader), Output::writer(&mut written));
                same("stream to stream", &written);
                assert_eq!(summary, Summary { plaintext: len as u64, ciphertext: serial.len() as u64 });

                let output = Output::file(&out).unwrap().sync(false);
                run(&encryptor, &started, Input::reader(&plaintext[..]), output);
                same("stream to file", &std::fs::read(&out).unwrap());
                std::fs::remove_file(&out).unwrap();

                let mut written = Vec::new();
                let armoured = encryptor.clone().armour(true);
                run(&armoured, &started, Input::open(&path).unwrap(), Output::writer(&mut written));
                assert!(written == armour(FILE, &serial), "{len} bytes, {threads} threads: other armour");
                ran += 6;
            }
            let opened = Decryptor::new([identity.clone()]).decrypt(&serial).unwrap();
            assert!(opened == plaintext, "{len} bytes do not come back");
        }
    }
    println!("{ran} encryptions, each as the serial one");
    assert!(ran >= 2 * 5 * 6 * LENGTHS.len());
}

/// Encrypts with a single loop over the chunks, without the pipeline.
fn serial(head: &[u8], chunks: &Arc<Chunks>, plaintext: &[u8]) -> Vec<u8> {
    use crate::pipeline::{Piece, Transform};
    let mut out = head.to_vec();
    let mut pieces: Vec<&[u8]> = plaintext.chunks(16_384).collect();
    if pieces.last().is_none_or(|last| last.len() == 16_384) {
        pieces.push(b"");
    }
    for (index, piece) in (0..).zip(pieces) {
        let mut slot = [piece, &[0; 16]].concat();
        let is_last = piece.len() < 16_384;
        Seal(Arc::clone(chunks)).apply(Piece { index, is_last }, &mut slot, piece.len()).unwrap();
        out.extend_from_slice(&slot);
    }
    out
}

/// Writes one file whose head and keys are known before.
struct Known<'a> {
    settings: Settings,
    head: &'a (Vec<u8>, Arc<Chunks>),
    armours: bool,
}

impl format::Configured for Known<'_> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

impl Writer for Known<'_> {
    type Format = Sealstone;
    type Payload = Seal;

    fn begin_file(&self) -> Result<Head<Seal>> {
        let (bytes, chunks) = self.head.clone();
        Ok(Head { bytes, payload: Seal(chunks), is_armoured: self.armours })
    }
}

fn run(encryptor: &Encryptor, head: &(Vec<u8>, Arc<Chunks>), input: Input<'_>, output: Output<'_>) -> Summary {
    let known = Known { settings: encryptor.settings.clone(), head, armours: encryptor.armours() };
    format::encrypt(&known, input, output).unwrap().publish().unwrap()
}

/// Gives about half of what it could, so that a unit needs several reads.
struct Halves<'a>(&'a [u8]);

impl Read for Halves<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = out.len().div_ceil(2).min(self.0.len());
        self.0.read(&mut out[..len])
    }
}
