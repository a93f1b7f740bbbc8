//! A stream in FISE's frames, which hide and do not encrypt: `sealstone::interop::fise`. It comes in chunks of 64 KiB, and nothing that
//! comes out is kept: its length is counted.

use bench_protocol::{Refusal, Task, Trial};
use sealstone::interop::fise::{Error, FRAME_LEN, FrameDecoder, FrameEncoder, Profile};
use std::borrow::Cow;
use std::hint::black_box;

pub(crate) const OPERATIONS: &[&str] = &["fise/frames/encode", "fise/frames/decode"];

/// A frame is filled by a whole number of them.
const CHUNK_LEN: usize = 1 << 16;

/// `None` of other operations.
pub(crate) fn prepare(task: &Task) -> Option<Result<Box<dyn Trial>, Refusal>> {
    let verb = task.operation.strip_prefix("fise/frames/")?;
    Some(set_up(verb == "encode", &task.input).map_err(|error| Refusal::Error(error.to_string())))
}

fn set_up(encodes: bool, input: &[u8]) -> Result<Box<dyn Trial>, Error> {
    let source = if encodes { input.to_vec() } else { kept(encode, input)? };
    Ok(Box::new(Stream { work: if encodes { encode } else { decode }, encodes, source, output: String::new() }))
}

/// Goes through a stream, and hands on each part that it makes.
type Work = fn(&[u8], &mut dyn FnMut(&[u8])) -> Result<(), Error>;

fn rules() -> Result<[Profile; 1], Error> {
    Ok([Profile::from_json(r#"{"fise": 1}"#)?])
}

fn encode(source: &[u8], take: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
    let mut encoder = FrameEncoder::new(rules()?)?;
    let (mut content, mut bytes) = (Vec::with_capacity(FRAME_LEN), Vec::new());
    let mut frame = |content: &[u8], is_last| {
        bytes.clear();
        encoder.append_frame(&mut bytes, b"", content, is_last)?;
        take(&bytes);
        Ok::<_, Error>(())
    };
    for chunk in source.chunks(CHUNK_LEN) {
        // A full frame waits for what is behind it, since it may be the last.
        if content.len() == FRAME_LEN {
            frame(&content, false)?;
            content.clear();
        }
        content.extend_from_slice(chunk);
    }
    frame(&content, true)
}

fn decode(source: &[u8], take: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
    let mut decoder = FrameDecoder::new(rules()?)?;
    for chunk in source.chunks(CHUNK_LEN) {
        decoder.push(chunk);
        while let Some(frame) = decoder.next_frame()? {
            take(&frame.content);
        }
    }
    decoder.finish()
}

fn kept(work: Work, source: &[u8]) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    work(source, &mut |part| all.extend_from_slice(part))?;
    Ok(all)
}

struct Stream {
    work: Work,
    encodes: bool,
    source: Vec<u8>,
    /// The length of what was made, in digits.
    output: String,
}

impl Trial for Stream {
    fn run(&mut self) -> Result<(), String> {
        let mut len = 0;
        (self.work)(&self.source, &mut |part| len += black_box(part).len()).map_err(|error| error.to_string())?;
        self.output = len.to_string();
        Ok(())
    }

    fn output(&self) -> &[u8] {
        self.output.as_bytes()
    }

    /// Another time, in full.
    fn agreed(&self) -> Result<Cow<'_, [u8]>, String> {
        let made = kept(self.work, &self.source);
        let opened = if self.encodes { made.and_then(|hidden| kept(decode, &hidden)) } else { made };
        opened.map(Cow::Owned).map_err(|error| error.to_string())
    }
}
