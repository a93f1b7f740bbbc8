//! `workload/text/deflate-seal` and `sm4/gcm/deflate-seal`: compressed, then sealed.

use super::{Aead, TAG_LEN, nonce};
use crate::Trial;
use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use std::borrow::Cow;
use std::io::Read;

/// One compressor, begun anew for each text, as flate2's documentation recommends where there are many.
pub(super) struct DeflateSeal<K> {
    key: K,
    input: Vec<u8>,
    deflate: Compress,
    sealed: Vec<u8>,
}

impl<K: Aead> DeflateSeal<K> {
    pub(super) fn new(key: K, input: &[u8]) -> Self {
        let deflate = Compress::new(Compression::new(6), false);
        // What cannot be compressed is stored, with five bytes a block of at most 65,535; the rest is slack.
        let sealed = Vec::with_capacity(input.len() + input.len() / 1000 + 64 + TAG_LEN);
        Self { key, input: input.to_vec(), deflate, sealed }
    }
}

impl<K: Aead> Trial for DeflateSeal<K> {
    fn run(&mut self) -> Result<(), String> {
        self.deflate.reset();
        self.sealed.clear();
        let done = self.deflate.compress_vec(&self.input, &mut self.sealed, FlushCompress::Finish);
        if done.map_err(|error| error.to_string())? != Status::StreamEnd {
            return Err("the output of deflate is longer than it may be".to_owned());
        }
        let tag = self.key.seal(&nonce(), &mut self.sealed);
        self.sealed.extend_from_slice(&tag);
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.sealed
    }

    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        let mut opened = self.sealed.clone();
        if !self.key.open(&nonce(), &mut opened) {
            return Err("not authentic".to_owned());
        }
        opened.truncate(opened.len() - TAG_LEN);
        let mut inflated = Vec::new();
        DeflateDecoder::new(&opened[..]).read_to_end(&mut inflated).map_err(|error| error.to_string())?;
        Ok(Cow::Owned(inflated))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Toy;
    use super::*;

    #[test]
    fn what_is_sealed_opens_and_inflates_to_the_input() {
        let noise: Vec<u8> = (0..200_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for input in [&b""[..], b"a", &vec![b'a'; 100_000], &noise] {
            let mut trial = DeflateSeal::new(Toy, input);
            for _ in 0..2 {
                trial.run().unwrap();
                assert!(trial.agreed().unwrap() == input);
            }
            assert!(input.len() != 100_000 || trial.output().len() < 1000, "{}", trial.output().len());
        }
    }
}
