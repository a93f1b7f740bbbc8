//! Frames from an input to an output.

use super::frames::{Frame, FrameDecoder, FrameEncoder, FrameReader};
use super::{Error, Result};
use crate::format::Summary;
use crate::pipeline::{Input, Meter, Output, Settings, Source};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;

/// Hides an input in frames, and reads frames from an input, in constant memory. **This does not encrypt.**
///
/// In the summaries, the plaintext is the content, and the ciphertext the stream of frames.
///
/// ```
/// use sealstone::interop::fise::{FileFrames, FrameDecoder, FrameEncoder, Profile};
/// use sealstone::{Input, Output};
///
/// let rules = [Profile::random("a video")];
/// let (mut stream, mut content) = (Vec::new(), Vec::new());
/// let encoder = FrameEncoder::new(rules.clone())?;
/// FileFrames::new().encode(encoder, Input::reader(&b"not a secret"[..]), Output::writer(&mut stream))?;
/// let decoder = FrameDecoder::new(rules)?;
/// let done = FileFrames::new().decode(decoder, Input::reader(&stream[..]), Output::writer(&mut content))?;
/// assert_eq!((done.plaintext, &content[..]), (12, &b"not a secret"[..]));
/// # Ok::<(), sealstone::interop::fise::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FileFrames {
    settings: Settings,
    each_line: bool,
}

/// The most bytes of one read from a stream of frames.
const PART_LEN: usize = 1 << 17;

impl FileFrames {
    /// An operation without callbacks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    crate::pipeline::callback_methods!();

    /// Whether [`encode`](Self::encode) makes a frame of each line as soon as it has come, for a feed. A line has its line end, and one that
    /// is longer than a frame becomes several. The last frame has all behind the last line end, or nothing.
    #[must_use]
    pub fn each_line(mut self, each_line: bool) -> Self {
        self.each_line = each_line;
        self
    }

    /// Hides a whole input in frames without metadata. Each has as much content as the encoder allows, but for the last, or one line.
    ///
    /// # Errors
    /// Those of [`FrameEncoder::frame`]; in [`Error::Core`], those about files of [`Encryptor::encrypt_to`](crate::Encryptor::encrypt_to).
    /// After an error, an output file is unchanged.
    pub fn encode(self, encoder: FrameEncoder, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        let each_line = self.each_line;
        self.run(input, output, |source, meter, writer| {
            let mut reader = Reader::new(source, meter);
            if each_line {
                encode_lines(encoder, &mut reader, writer)
            } else {
                encode_full(encoder, &mut reader, writer)
            }?;
            Ok(Summary { plaintext: reader.read, ciphertext: writer.written })
        })
    }

    /// Writes the content of a whole stream, without the metadata of its frames.
    ///
    /// # Errors
    /// Those of [`FrameDecoder::next_frame`] and [`FrameDecoder::finish`], and otherwise as [`encode`](Self::encode). An output that is a
    /// stream has then received the content of the frames before the error.
    pub fn decode(self, decoder: FrameDecoder, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        self.run(input, output, |source, meter, writer| {
            let mut reader = Reader::new(source, meter);
            reader.frames(decoder, |frame| writer.write(&frame.content))?;
            Ok(Summary { plaintext: writer.written, ciphertext: reader.read })
        })
    }

    /// Reads a whole stream, and calls `take` with each frame as it is read.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), and those of `take`.
    pub fn read(self, decoder: FrameDecoder, input: Input<'_>, take: impl FnMut(Frame) -> Result<()>) -> Result<()> {
        self.run(input, Output::nothing(), |source, meter, _| Reader::new(source, meter).frames(decoder, take))
    }

    /// Writes a range of the content of a stream that has an index. It reads only the frames that the range touches, and the range may end
    /// behind the content. Returns the bytes that were written.
    ///
    /// # Errors
    /// Those of [`FrameReader::open`] and [`FrameReader::read`]; [`crate::Error::NotSeekable`]; otherwise as [`decode`](Self::decode).
    pub fn decode_range(
        self,
        decoder: FrameDecoder,
        mut input: Input<'_>,
        range: Range<u64>,
        output: Output<'_>,
    ) -> Result<u64> {
        // An empty file is a stream too.
        if input.head(1)?.is_empty() {
            return Err(Error::Truncated);
        }
        self.run(input, output, |source, meter, writer| {
            let Source::Region(region) = source else { return Err(crate::Error::NotSeekable.into()) };
            let mut reader = FrameReader::with_rules(region.reader(0), decoder.into_rules())?;
            let range = range.start..range.end.min(reader.content_len());
            reader.read_parts(range, |part| {
                meter.check_cancelled()?;
                writer.write(part)
            })?;
            Ok(writer.written)
        })
    }

    /// Runs an operation from an input to an output.
    fn run<T>(
        self,
        mut input: Input<'_>,
        output: Output<'_>,
        work: impl FnOnce(Source<'_>, &Meter<'_>, &mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        output.check(&input)?;
        let meter = Meter::new(&self.settings, input.len());
        let mut destination = output.begin(None)?;
        let done = destination.with_writer(|writer| {
            let mut writer = Writer { inner: writer, written: 0 };
            let done = work(input.source(0), &meter, &mut writer);
            Ok(done.and_then(|done| writer.flush().map(|()| done)))
        })?;
        // That the file was changed meanwhile explains an error of its frames.
        input.finish()?;
        let done = done?;
        destination.commit()?;
        Ok(done)
    }
}

/// Hides a source in full frames.
fn encode_full(mut encoder: FrameEncoder, reader: &mut Reader<'_>, writer: &mut Writer<'_>) -> Result<()> {
    let len = encoder.content_max_len();
    let (mut content, mut next, mut frame) = (Vec::new(), Vec::new(), Vec::new());
    reader.read_whole(&mut content, len)?;
    loop {
        // A full frame may be the last, which the bytes behind it show.
        next.clear();
        if content.len() == len {
            reader.read_whole(&mut next, len)?;
        }
        frame.clear();
        encoder.append_frame(&mut frame, &[], &content, next.is_empty())?;
        writer.write(&frame)?;
        if next.is_empty() {
            return Ok(());
        }
        std::mem::swap(&mut content, &mut next);
    }
}

/// Hides each line of a source in a frame.
fn encode_lines(mut encoder: FrameEncoder, reader: &mut Reader<'_>, writer: &mut Writer<'_>) -> Result<()> {
    let max = encoder.content_max_len();
    let (mut part, mut frame) = (vec![0; PART_LEN], Vec::new());
    // What has come of a line, without a line end.
    let mut begun: Vec<u8> = Vec::new();
    let mut write = |line: &[u8], is_last| {
        frame.clear();
        encoder.append_frame(&mut frame, &[], line, is_last)?;
        writer.write(&frame)
    };
    loop {
        let read = reader.read_some(&mut part)?;
        if read == 0 {
            return write(&begun, true);
        }
        for line in part[..read].split_inclusive(|&byte| byte == b'\n') {
            let mut rest = line;
            while begun.len() + rest.len() >= max {
                let (first, behind) = rest.split_at(max - begun.len());
                begun.extend_from_slice(first);
                write(&begun, false)?;
                begun.clear();
                rest = behind;
            }
            begun.extend_from_slice(rest);
            if rest.ends_with(b"\n") {
                write(&begun, false)?;
                begun.clear();
            }
        }
    }
}

/// Reads a source, and counts its bytes.
struct Reader<'a> {
    inner: Box<dyn Read + Send + 'a>,
    meter: &'a Meter<'a>,
    read: u64,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, meter: &'a Meter<'a>) -> Self {
        Self { inner: source.into_reader(), meter, read: 0 }
    }

    /// Reads the next `len` bytes, or fewer at the end.
    fn read_whole(&mut self, bytes: &mut Vec<u8>, len: usize) -> Result<()> {
        let read = (&mut self.inner).take(len as u64).read_to_end(bytes);
        self.count(read).map(drop)
    }

    /// Reads what has come, and nothing at the end alone.
    fn read_some(&mut self, part: &mut [u8]) -> Result<usize> {
        loop {
            match self.inner.read(part) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => return self.count(read),
            }
        }
    }

    /// Reads all frames, each as soon as its bytes have come.
    fn frames(&mut self, mut decoder: FrameDecoder, mut take: impl FnMut(Frame) -> Result<()>) -> Result<()> {
        let mut part = vec![0; PART_LEN];
        loop {
            let read = self.read_some(&mut part)?;
            if read == 0 {
                return decoder.finish();
            }
            decoder.push(&part[..read]);
            while let Some(frame) = decoder.next_frame()? {
                take(frame)?;
            }
        }
    }

    fn count(&mut self, read: io::Result<usize>) -> Result<usize> {
        let read = read.map_err(|error| crate::Error::from_io("read", None, error))?;
        self.read += read as u64;
        self.meter.add(read);
        self.meter.check_cancelled()?;
        Ok(read)
    }
}

/// Writes to a destination, and counts its bytes.
struct Writer<'a> {
    inner: &'a mut (dyn Write + Send),
    written: u64,
}

impl Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.inner.write_all(bytes).map_err(write_error)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush().map_err(write_error)
    }
}

fn write_error(error: io::Error) -> Error {
    crate::Error::from_io("write", None, error).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interop::fise::Profile;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    const LEN: usize = 1 << 14;

    fn rules() -> [Profile; 2] {
        ["even", "odd"].map(Profile::random)
    }

    fn encoded(content: &[u8], has_index: bool) -> Vec<u8> {
        let encoder = FrameEncoder::new(rules()).unwrap().frame_len(LEN).unwrap().index(has_index);
        let mut stream = Vec::new();
        let done = FileFrames::new().encode(encoder, Input::reader(content), Output::writer(&mut stream)).unwrap();
        assert_eq!((done.plaintext, done.ciphertext), (content.len() as u64, stream.len() as u64));
        stream
    }

    fn decoder() -> FrameDecoder {
        FrameDecoder::new(rules()).unwrap()
    }

    fn range_of(input: Input<'_>, range: Range<u64>) -> Result<Vec<u8>> {
        let mut part = Vec::new();
        let len = FileFrames::new().decode_range(decoder(), input, range, Output::writer(&mut part))?;
        assert_eq!(len, part.len() as u64);
        Ok(part)
    }

    #[test]
    fn a_line_is_a_frame_and_a_longer_one_several() {
        let long = [vec![b'x'; 2 * LEN], vec![b'\n']].concat();
        let content = [b"\none\r\n", &long[..], &long[1..], &long[2..], b"end"].concat();
        let expected = [1, 5, LEN, LEN, 1, LEN, LEN, LEN, LEN - 1, 3];
        for input in [Input::reader(&content[..]), Input::reader(OneByte(&content))] {
            let encoder = FrameEncoder::new(rules()).unwrap().frame_len(LEN).unwrap();
            let (mut stream, mut found) = (Vec::new(), Vec::new());
            FileFrames::new().each_line(true).encode(encoder, input, Output::writer(&mut stream)).unwrap();
            let take = |frame: Frame| {
                found.push(frame);
                Ok(())
            };
            FileFrames::new().read(decoder(), Input::reader(&stream[..]), take).unwrap();
            assert_eq!(found.iter().map(|frame| frame.content.len()).collect::<Vec<_>>(), expected);
            assert_eq!(found.iter().flat_map(|frame| frame.content.clone()).collect::<Vec<_>>(), content);
        }
    }

    /// Gives one byte at a time.
    struct OneByte<'a>(&'a [u8]);

    impl Read for OneByte<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let len = bytes.len().min(1);
            self.0.read(&mut bytes[..len])
        }
    }

    #[test]
    fn a_content_comes_back_and_its_last_frame_is_empty_only_if_it_is() {
        for len in [0, 1, LEN - 1, LEN, LEN + 1, 3 * LEN] {
            let content = vec![7; len];
            let stream = encoded(&content, true);
            let (mut found, mut frames) = (Vec::new(), Vec::new());
            let done = FileFrames::new().decode(decoder(), Input::reader(&stream[..]), Output::writer(&mut found));
            assert_eq!((done.unwrap().plaintext, &found), (len as u64, &content));
            let take = |frame: Frame| {
                frames.push((frame.content.len(), frame.len));
                Ok(())
            };
            FileFrames::new().read(decoder(), Input::reader(&stream[..]), take).unwrap();
            assert_eq!(frames.len(), len.div_ceil(LEN).max(1));
            let in_stream: usize = frames.iter().map(|(_, len)| len + 8).sum();
            assert_eq!(in_stream + 20 + 24, stream.len());
        }
    }

    #[test]
    fn a_range_is_read_from_a_file_with_an_index_alone() {
        let content: Vec<u8> = (0..=250).cycle().take(2 * LEN + 5).collect();
        let place = tempfile::tempdir().unwrap();
        let input = |bytes: &[u8]| {
            std::fs::write(place.path().join("stream"), bytes).unwrap();
            Input::open(place.path().join("stream")).unwrap()
        };
        let (stream, len) = (encoded(&content, true), content.len() as u64);
        for (from, to) in [(0, len), (0, 0), (LEN as u64 - 1, LEN as u64 + 1), (len, len), (len - 1, u64::MAX)] {
            let part = range_of(input(&stream), from..to).unwrap();
            let (from, to) = (usize::try_from(from).unwrap(), usize::try_from(to.min(len)).unwrap());
            assert!(part == content[from..to], "{from}..{to}");
        }
        let code = |input: Input<'_>, range| range_of(input, range).unwrap_err().code();
        assert_eq!(code(input(&stream), len + 1..u64::MAX), "range_out_of_bounds");
        assert_eq!(code(input(&stream[..stream.len() - 1]), 0..1), "fise_truncated");
        assert_eq!(code(input(&encoded(&content, false)), 0..1), "fise_malformed");
        assert_eq!(code(input(&[]), 0..1), "fise_truncated");
        assert_eq!(code(Input::reader(&stream[..]), 0..1), "not_seekable");
    }

    #[test]
    fn progress_is_told_and_an_operation_can_be_cancelled() {
        let stream = encoded(&[1; LEN], false);
        let seen = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&seen);
        let frames = FileFrames::new().on_progress(move |progress| counter.store(progress.done, Ordering::Relaxed));
        frames.read(decoder(), Input::reader(&stream[..]), |_| Ok(())).unwrap();
        assert_eq!(seen.load(Ordering::Relaxed), stream.len() as u64);
        let frames = FileFrames::new().cancel_when(|| true);
        let done = frames.decode(decoder(), Input::reader(&stream[..]), Output::writer(io::sink()));
        assert_eq!(done.unwrap_err().code(), "cancelled");
    }
}
