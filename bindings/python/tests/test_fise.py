"""`sealstone.fise`, against the vectors of `spec/fise-frames.md` and the reference beside them."""

import copy
import importlib.util
import io
import itertools
import json
import multiprocessing
import os
import pickle
import random
import sys
import threading
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sealstone
from helpers import lets_others_run, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors
from sealstone.fise import Frame, FrameDecoder, FrameEncoder, FrameReader, Profile, decode_frames, encode_frames

PLAIN = {"fise": 1}
INTERLEAVED = Profile({"fise": 1, "salt": {"place": "interleaved"}, "decoys": {"every": 5, "head": 3}})
FRAME_LENGTH = 1 << 14
HEADER_LENGTH = 20
TIMESTAMP_MAX = 2**53 - 1

TIMESTAMPS = st.integers(-TIMESTAMP_MAX, TIMESTAMP_MAX)
SEEDS = st.text(max_size=4)


@pytest.fixture(scope="session")
def reference(vectors: Path) -> ModuleType:
    """The second implementation, straight from the specification."""
    spec = importlib.util.spec_from_file_location("reference_fise", vectors / "reference_fise.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def cases(vectors: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((vectors / "fise" / f"{name}.json").read_text())
    assert len(found) > 25, name
    return found


def outcome(call: Callable[[], Any]) -> Any:
    """The result, or the code of the error."""
    try:
        return call()
    except errors.FiseError as error:
        return error.code


def pieces(data: bytes, length: int) -> Iterator[bytes]:
    return (data[at : at + length] for at in range(0, len(data), length))


def frames_of(parts: Iterable[bytes], rules: Any, timestamp: int = 0) -> list[Frame]:
    decoder = FrameDecoder(rules, timestamp=timestamp)
    frames: list[Frame] = []
    for part in parts:
        decoder.push(part)
        frames += decoder
    decoder.finish()
    return frames


def stream_of(*contents: bytes, rules: Any = PLAIN, index: bool = False) -> list[bytes]:
    """The bytes of a stream: the header, and then each frame."""
    encoder = FrameEncoder(rules, index=index)
    frames = [encoder.frame(content) for content in contents[:-1]] + [encoder.last_frame(contents[-1])]
    return [frames[0][:HEADER_LENGTH], frames[0][HEADER_LENGTH:], *frames[1:]]


def read_until_a_fault(stream: bytes, rules: Any = PLAIN) -> tuple[list[bytes], str]:
    """The contents that come before an error, and its code."""
    got: list[bytes] = []
    try:
        for part in decode_frames(stream, rules):
            got.append(part)
    except errors.FiseError as error:
        return got, error.code
    return got, "whole"


def test_profiles_are_read_and_refused_as_the_vectors_say(vectors: Path) -> None:
    ran: Counter[str] = Counter()
    for case in cases(vectors, "profiles"):
        expected = case.get("complete", case.get("error"))
        for rules in (case["profile"], json.dumps(case["profile"])):
            if isinstance(rules, (dict, str)):
                assert outcome(lambda rules=rules: Profile(rules).to_dict()) == expected, case["name"]
                ran["complete" if "complete" in case else "error"] += 1
    assert ran["complete"] > 10 and ran["error"] > 100, ran
    for text in ("", '{"fise": 1', "[]", '{"fise": NaN}'):
        assert outcome(lambda text=text: Profile(text)) == "fise_rules"


def test_a_seed_has_the_profile_of_the_vectors(vectors: Path) -> None:
    for case in cases(vectors, "random"):
        assert Profile.random(case["seed"]).to_dict() == case["profile"], case["name"]


def test_envelopes_are_opened_as_the_vectors_say(vectors: Path) -> None:
    ran: Counter[str] = Counter()
    for case in cases(vectors, "envelopes"):
        profile, envelope, timestamp = Profile(case["profile"]), case["envelope"], case["timestamp"]
        if case["form"] == "text":
            found = outcome(lambda: profile.decode_text(envelope, timestamp=timestamp))  # noqa: B023
        else:
            found = outcome(lambda: profile.decode(bytes.fromhex(envelope), timestamp=timestamp).hex())  # noqa: B023
        assert found == case.get("plaintext", case.get("error")), case["name"]
        ran[case.get("error", case["form"])] += 1
    assert ran["text"] > 100 and ran["bytes"] > 100, ran
    assert set(ran) >= {"fise_no_salt", "fise_no_marker", "fise_ambiguous"}, ran


def test_streams_are_read_and_refused_as_the_vectors_say_as_a_whole_and_in_pieces(vectors: Path) -> None:
    ran: Counter[str] = Counter()
    for case in cases(vectors, "frames"):
        stream, rules, timestamp = b64decode(case["stream"]), case["rules"], case["timestamp"]
        expected = case.get("error") or [
            (bytes.fromhex(frame["metadata"]), b64decode(frame["content"])) for frame in case["frames"]
        ]
        for length in (1 << 20, 7):
            found = outcome(lambda length=length: frames_of(pieces(stream, length), rules, timestamp))  # noqa: B023
            if isinstance(found, list):
                assert [frame.number for frame in found] == list(range(len(found)))
                assert [frame.is_last for frame in found] == [False] * (len(found) - 1) + [True]
                found = [(frame.metadata, frame.content) for frame in found]
            assert found == expected, case["name"]
        ran[case.get("error", "whole")] += 1
        reader = outcome(lambda: FrameReader(io.BytesIO(stream), rules, timestamp=timestamp))  # noqa: B023
        if isinstance(expected, list) and isinstance(reader, FrameReader):
            content = b"".join(content for _, content in expected)
            assert (reader.frames, reader.content_length) == (len(expected), len(content)), case["name"]
            assert reader.read(0, len(content)) == content, case["name"]
            ran["by index"] += 1
        if case["name"].startswith("index_"):
            found = reader if isinstance(reader, str) else outcome(lambda: reader.read(0, reader.content_length))  # noqa: B023
            assert found in ("fise_malformed", "fise_truncated"), case["name"]
            ran["broken index"] += 1
    assert ran["whole"] > 10 and ran["by index"] >= 5 and ran["broken index"] > 10, ran
    assert set(ran) >= {"fise_malformed", "fise_order", "fise_truncated", "fise_key_required", "fise_no_salt"}, ran


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.text(), st.binary(), TIMESTAMPS)
def test_what_is_hidden_comes_back_here_and_by_the_reference(
    reference: ModuleType, seed: str, text: str, data: bytes, timestamp: int
) -> None:
    profile, theirs = Profile.random(seed), reference.random_profile(seed)
    assert profile.to_dict() == theirs.data()
    envelope = profile.encode_text(text, timestamp=timestamp)
    assert envelope.isascii()
    assert profile.decode_text(envelope, timestamp=timestamp) == theirs.open(envelope, timestamp) == text
    hidden = profile.encode(data, timestamp=timestamp)
    assert profile.decode(hidden, timestamp=timestamp) == theirs.open(hidden, timestamp) == data


@pytest.mark.parametrize("length", [0, 1, 2047, 2048, 100_000, (4 << 20) + 1])
def test_envelopes_of_every_kind_of_buffer(length: int) -> None:
    data = random.Random(length).randbytes(length)
    for buffer in (bytes, bytearray, memoryview, lambda data: np.frombuffer(data, "u1")):
        envelope = INTERLEAVED.encode(buffer(data), timestamp=9)
        assert INTERLEAVED.decode(buffer(envelope), timestamp=9) == data
    assert data not in INTERLEAVED.encode(data) or length < 2


def test_a_profile_is_a_value() -> None:
    profile = Profile.random("a value")
    for other in (Profile(str(profile)), Profile(profile.to_dict()), Profile(profile), eval(repr(profile))):
        assert other == profile and hash(other) == hash(profile) and other is not profile
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(profile, protocol)) == profile
    assert copy.copy(profile) == copy.deepcopy(profile) == profile
    assert profile != Profile.random("another") and profile != str(profile)
    assert len({profile, Profile(str(profile)), Profile(PLAIN)}) == 2
    # The default is that of FISE 0.1.5, whatever is written out of it.
    assert Profile(PLAIN) == Profile({"fise": 1.0, "offset": {}, "salt": {"min": 10}})
    profile.to_dict()["salt"]["min"] = 1
    assert profile == Profile.random("a value")


def test_a_profile_is_validated() -> None:
    usual = Profile({"fise": 1}).validate()
    proof = {"by": "exhaustion", "lengths": 104, "timestamps": 21}
    assert usual == {"ok": True, "bytes": proof, "text": {"by": "cases", "cases": 100_000}}
    marker = {"alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "width": 1}
    salt = {"min": 1, "max": 50, "alphabet": "aB"}
    short = Profile({"fise": 1, "offset": {"salt_multiplier": 3}, "marker": marker, "salt": salt})
    found = short.validate()
    assert not found["ok"]
    assert found["text"]["by"] == "failure"
    with pytest.raises(errors.FiseRules):
        short.encode_text(found["text"]["plaintext"], timestamp=found["text"]["timestamp"])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_profile_goes_to_other_processes(method: str) -> None:
    profile = Profile.random("a worker")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        envelope = pool.submit(profile.encode, b"a job", timestamp=7).result()
    assert profile.decode(envelope, timestamp=7) == b"a job"


def test_envelopes_let_other_threads_run() -> None:
    profile, data = Profile.random("long"), bytes(3_000_000)
    text = "x" * len(data)
    envelope, hidden = profile.encode(data), profile.encode_text(text)
    calls: list[Callable[[], object]] = [
        lambda: profile.encode(data),
        lambda: profile.decode(envelope),
        lambda: profile.encode_text(text),
        lambda: profile.decode_text(hidden),
    ]
    for call in calls:
        assert lets_others_run(call)


def test_a_timestamp_is_any_integer_that_javascript_has() -> None:
    profile = Profile({"fise": 1, "offset": {"kind": "xor"}})
    for timestamp in (TIMESTAMP_MAX, -TIMESTAMP_MAX, np.int64(5), True):
        assert profile.decode(profile.encode(b"x", timestamp=timestamp), timestamp=timestamp) == b"x"
    for timestamp in (2**53, -(2**53), 2**63 - 1, 2**64, -(2**70)):
        refused(
            errors.FiseRules,
            lambda: profile.encode(b"x", timestamp=timestamp),  # noqa: B023
            lambda: profile.decode(b"x", timestamp=timestamp),  # noqa: B023
            lambda: profile.encode_text("x", timestamp=timestamp),  # noqa: B023
            lambda: profile.decode_text("x", timestamp=timestamp),  # noqa: B023
            lambda: FrameEncoder(profile, timestamp=timestamp).frame(b"x"),  # noqa: B023
            lambda: frames_of(stream_of(b"x", rules=profile), profile, timestamp),  # noqa: B023
        )
    refused(TypeError, lambda: profile.encode(b"x", timestamp=0.5), lambda: profile.encode(b"x", timestamp=None))  # type: ignore[arg-type]


def test_a_lone_surrogate_is_refused_in_a_text_and_no_unit_of_an_envelope() -> None:
    profile = Profile({"fise": 1, "decoys": {"head": 1}})
    for text in ("\ud800", "a\udfffb", "\ud83d\ude00"):
        with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
            profile.encode_text(text)
        refused(UnicodeEncodeError, lambda: Profile.random(text), lambda: Profile(text))  # noqa: B023
    envelope = profile.encode_text("hidden")
    # A reader skips decoys, whatever they are.
    assert profile.decode_text("\ud800" + envelope[1:]) == "hidden"
    for at in range(1, len(envelope)):
        for unit in ("\ud800", "é", "中"):
            changed = envelope[:at] + unit + envelope[at + 1 :]
            assert outcome(lambda: profile.decode_text(changed)) in ("fise_no_salt", "fise_no_marker")  # noqa: B023


def test_wrong_use_of_a_profile() -> None:
    profile = Profile(PLAIN)
    refused(
        TypeError,
        lambda: Profile(),  # type: ignore[call-arg]
        lambda: Profile(1),  # type: ignore[arg-type]
        lambda: Profile(None),  # type: ignore[arg-type]
        lambda: Profile([PLAIN]),  # type: ignore[arg-type]
        lambda: Profile(b'{"fise": 1}'),  # type: ignore[arg-type]
        lambda: Profile({"fise": b""}),
        lambda: Profile.random(1),  # type: ignore[arg-type]
        lambda: profile.encode("text"),  # type: ignore[arg-type]
        lambda: profile.decode("text"),  # type: ignore[arg-type]
        lambda: profile.encode_text(b"bytes"),  # type: ignore[arg-type]
        lambda: profile.decode_text(b"bytes"),  # type: ignore[arg-type]
        lambda: profile.encode(b"", 0),  # type: ignore[misc]
        lambda: profile.encode(b"", time=0),  # type: ignore[call-arg]
    )
    refused(BufferError, lambda: profile.encode(memoryview(b"abc")[::2]))
    only_bytes = Profile({"fise": 1, "marker": {"kind": "uint16"}})
    assert only_bytes.decode(only_bytes.encode(b"abc")) == b"abc"
    refused(errors.FiseRules, lambda: only_bytes.encode_text("x"), lambda: only_bytes.decode_text("x"))
    refused(errors.FiseNoSalt, lambda: profile.decode(b""), lambda: profile.decode_text(""))
    with pytest.raises(errors.FiseRules, match=r"salt\.min must be an integer from 1 to 65535"):
        Profile({"fise": 1, "salt": {"min": 0}})
    with pytest.raises(TypeError, match="a Profile, a dict or JSON text, not 'int'"):
        Profile(1)  # type: ignore[arg-type]


def test_an_error_is_of_the_package_and_of_python() -> None:
    with pytest.raises(ValueError) as caught:
        Profile({"fise": 2})
    assert isinstance(caught.value, (errors.FiseError, sealstone.Error)) and caught.value.code == "fise_rules"  # type: ignore[attr-defined]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(SEEDS, min_size=1, max_size=3),
    st.lists(st.tuples(st.binary(max_size=200), st.binary(max_size=200)), max_size=6),
    TIMESTAMPS,
    st.integers(1, 300),
    st.data(),
)
def test_a_stream_comes_back_here_and_by_the_reference(
    reference: ModuleType,
    seeds: list[str],
    parts: list[tuple[bytes, bytes]],
    timestamp: int,
    length: int,
    data: st.DataObject,
) -> None:
    rules = [Profile.random(seed) for seed in seeds]
    encoder = FrameEncoder(rules, timestamp=timestamp, index=True)
    stream = b"".join(encoder.frame(content, metadata) for metadata, content in parts)
    stream += encoder.last_frame(metadata=b"end")
    expected = [*parts, (b"end", b"")]
    found = frames_of(pieces(stream, length), rules, timestamp)
    assert [(frame.metadata, frame.content) for frame in found] == expected
    assert [frame.rule for frame in found] == [i % len(rules) for i in range(len(found))]
    theirs = [reference.random_profile(seed) for seed in seeds]
    assert reference.open_frames(stream, theirs, timestamp) == expected
    content = b"".join(content for _, content in parts)
    reader = FrameReader(io.BytesIO(stream), rules, timestamp=timestamp)
    start, end = sorted(data.draw(st.lists(st.integers(0, len(content)), min_size=2, max_size=2)))
    assert reader.read(start, end) == content[start:end]
    assert [reader.frame(i) for i in range(reader.frames)] == found


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("length", [0, 1, FRAME_LENGTH - 1, FRAME_LENGTH, FRAME_LENGTH + 1, 2 * FRAME_LENGTH, 50_001])
def test_every_source_of_every_length_around_that_of_a_frame(tmp_path: Path, length: int, index: bool) -> None:
    rules = [PLAIN, INTERLEAVED, str(Profile.random("third"))]
    data = random.Random(length).randbytes(length)
    (tmp_path / "film").write_bytes(data)

    def reused(data: bytes, size: int) -> Iterator[bytearray]:
        memory = bytearray()
        for piece in pieces(data, size):
            memory += piece
            yield memory
            memory.clear()

    with (tmp_path / "film").open("rb") as file, (tmp_path / "film").open("rb", buffering=0) as raw:
        sources = [
            *(data, bytearray(data), memoryview(data), np.frombuffer(data, "u1"), io.BytesIO(data), file, raw),
            *(pieces(data, 999), list(pieces(data, FRAME_LENGTH)), [b"", data, b""], reused(data, 4096)),
            [np.frombuffer(data, "u1"), np.zeros((0, 2), "u1")],
        ]
        streams = [
            b"".join(encode_frames(source, rules, timestamp=5, frame_length=FRAME_LENGTH, index=index))
            for source in sources
        ]
        assert not file.closed and not raw.closed
    for stream in streams:
        assert b"".join(decode_frames(stream, rules, timestamp=5)) == data
        frames = frames_of([stream], rules, 5)
        assert len(frames) == max(1, -(-length // FRAME_LENGTH))
        assert {len(frame.content) for frame in frames[:-1]} <= {FRAME_LENGTH}
    (tmp_path / "hidden").write_bytes(streams[0])
    with (tmp_path / "hidden").open("rb") as file, (tmp_path / "hidden").open("rb", buffering=0) as raw:
        hidden = streams[0]
        sources = [file, raw, io.BytesIO(hidden), pieces(hidden, 1000), [hidden, b""], reused(hidden, 777)]
        for source in sources:
            assert b"".join(decode_frames(source, rules, timestamp=5)) == data


def test_a_source_without_an_end_takes_no_more_memory_than_a_frame() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        for number in itertools.count():
            taken += 5000
            yield bytes([number % 256]) * 5000

    shown = decode_frames(encode_frames(endless(), INTERLEAVED, frame_length=FRAME_LENGTH), INTERLEAVED)
    given_out = 0
    for content in itertools.islice(shown, 50):
        given_out += len(content)
        # What was taken is in the frame that is held, or in the part that filled it.
        assert taken - given_out < FRAME_LENGTH + 2 * 5000
    assert given_out == 50 * FRAME_LENGTH


def test_a_feed_is_read_as_it_comes() -> None:
    encoder = FrameEncoder(PLAIN)
    read, write = os.pipe()
    with open(read, "rb") as feed, open(write, "wb", buffering=0) as sender:
        shown = decode_frames(feed, PLAIN)
        for message in (b"hello", b"", b"how are you"):
            sender.write(encoder.frame(message))
            if message:
                assert next(shown) == message
        sender.write(encoder.last_frame(b"bye"))
        sender.close()
        assert list(shown) == [b"bye"]


def test_frames_let_other_threads_run(tmp_path: Path) -> None:
    content = bytes(1 << 20)
    encoder = FrameEncoder(INTERLEAVED, frame_length=1 << 20)
    assert lets_others_run(lambda: encoder.frame(content))
    stream = b"".join(encode_frames(content, INTERLEAVED, index=True))
    assert lets_others_run(lambda: frames_of([stream], INTERLEAVED))
    (tmp_path / "film.fise").write_bytes(stream)
    with FrameReader(tmp_path / "film.fise", INTERLEAVED) as reader:
        assert lets_others_run(lambda: reader.read(0, 1 << 20))


def test_a_frame_is_a_value_that_does_not_print_its_content() -> None:
    [first, last] = frames_of(stream_of(b"hidden", b""), PLAIN)
    assert (first.number, first.rule, first.metadata, first.content, first.is_last) == (0, 0, b"", b"hidden", False)
    assert last == Frame(1, 0, b"", b"", True) != first
    assert pickle.loads(pickle.dumps(first)) == first and "hidden" not in repr(first)
    with pytest.raises(AttributeError):
        first.number = 1  # type: ignore[misc]


def test_rules_are_one_profile_or_several_in_any_form() -> None:
    profile = Profile(PLAIN)
    for one in (profile, PLAIN, str(profile), [profile], (PLAIN,), iter([str(profile)])):
        assert frames_of(stream_of(b"x", rules=one), profile)[0].content == b"x"
    many = [Profile.random(str(i)) for i in range(255)]
    assert frames_of(stream_of(b"x", rules=many), many)[0].content == b"x"
    makers: list[Callable[[Any], object]] = [
        FrameEncoder,
        FrameDecoder,
        lambda rules: encode_frames(b"", rules),
        lambda rules: decode_frames(b"", rules),
        lambda rules: FrameReader(io.BytesIO(), rules),
    ]
    for make in makers:
        for rules in ([], [*many, profile], itertools.repeat(PLAIN), {"fise": 2}, [PLAIN, "{}"], "", {}):
            refused(errors.FiseRules, lambda: make(rules))  # noqa: B023
        for rules in (1, None, b"{}", [1], [[PLAIN]], [None]):
            refused(TypeError, lambda: make(rules))  # noqa: B023
        with pytest.raises(ZeroDivisionError):
            make(1 / 0 for _ in range(3))


def test_lost_repeated_and_exchanged_frames_are_noticed_after_those_before_them() -> None:
    header, first, second, third, last = stream_of(b"a", b"b", b"c", b"")
    other = stream_of(b"x", b"y")

    def read(*parts: bytes) -> str:
        contents, end = read_until_a_fault(b"".join(parts))
        return f"{b''.join(contents).decode()} {end}"

    assert read(header, first, second, third, last) == "abc whole"
    assert read(header, first, third, last) == "a fise_order"
    assert read(header, first, second, second, third, last) == "ab fise_order"
    assert read(header, first, third, second, last) == "a fise_order"
    assert read(header, second, third, last) == " fise_order"
    assert read(header, first, other[2], third, last) == "a fise_order"
    assert read(header, first, second, third) == "abc fise_truncated"
    assert read(header, first, second, third[:-1]) == "ab fise_truncated"
    assert read(header, first, second, third, last, last) == "abc fise_malformed"
    assert read(header, first, second, third, last, b"!") == "abc fise_malformed"
    assert read(header) == read() == " fise_truncated"
    assert read(b"FISE!") == read(bytes(50)) == read(first) == " fise_malformed"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=60), min_size=1, max_size=5), st.integers(0, 3), st.booleans(), st.data())
def test_a_fault_of_transmission_never_goes_unnoticed(
    contents: list[bytes], kind: int, index: bool, data: st.DataObject
) -> None:
    header, *frames = stream_of(*contents, b"end", rules=INTERLEAVED, index=index)
    i = data.draw(st.integers(0, len(frames) - 1))
    j = data.draw(st.integers(0, len(frames) - 1))
    if kind == 0:
        del frames[i]
    elif kind == 1:
        frames.insert(j, frames[i])
    elif kind == 2:
        frames[i], frames[j] = frames[j], frames[i]
    else:
        # Frames have a salt of any length, so the place is a fraction.
        length = int(data.draw(st.floats(0, 1, exclude_max=True)) * len(frames[i]))
        frames = [*frames[:i], frames[i][:length]]
    found, end = read_until_a_fault(header + b"".join(frames), INTERLEAVED)
    assert (end == "whole") == (kind == 2 and i == j)
    # Nothing came in a wrong place.
    expected = [content for content in [*contents, b"end"] if content]
    assert found == expected[: len(found)]


@pytest.mark.parametrize("index", [False, True])
def test_a_stream_that_is_cut_anywhere_is_truncated(index: bool) -> None:
    stream = b"".join(stream_of(b"first", b"", b"second", b"end", rules=INTERLEAVED, index=index))
    assert read_until_a_fault(stream, INTERLEAVED) == ([b"first", b"second", b"end"], "whole")
    for length in range(len(stream)):
        contents, end = read_until_a_fault(stream[:length], INTERLEAVED)
        assert end == "fise_truncated", length
        assert contents == [b"first", b"second", b"end"][: len(contents)]
        expected = ("fise_truncated",) if length < HEADER_LENGTH or index else ("fise_truncated", "fise_malformed")
        found = outcome(lambda: FrameReader(io.BytesIO(stream[:length]), INTERLEAVED))  # noqa: B023
        assert found in expected, length


def test_no_frame_comes_after_an_error() -> None:
    header, first, second, last = stream_of(b"a", b"b", b"c")
    decoder = FrameDecoder(PLAIN)
    decoder.push(header + second)
    refused(errors.FiseOrder, decoder.next_frame, lambda: list(decoder))
    decoder.push(first + second + last)
    refused(errors.FiseOrder, decoder.next_frame, decoder.finish)
    refused(ValueError, decoder.next_frame, decoder.finish, lambda: decoder.push(b""))


def test_another_profile_and_another_timestamp_are_refused() -> None:
    # The content becomes letters and digits, so no other place looks like a marker.
    ours, theirs = (
        Profile({"fise": 1, "offset": {"kind": "xor"}, "marker": {"prefix": prefix}}) for prefix in ("#", "!")
    )
    stream = b"".join(encode_frames(bytes(500), ours, timestamp=1))
    assert list(decode_frames(stream, ours, timestamp=1)) == [bytes(500)]
    assert outcome(lambda: list(decode_frames(stream, ours, timestamp=2))) == "fise_no_salt"
    assert outcome(lambda: list(decode_frames(stream, theirs, timestamp=1))) == "fise_no_salt"
    with pytest.raises(errors.FiseMalformed, match="another number of rules"):
        list(decode_frames(stream, [ours, ours], timestamp=1))


def test_a_reader_gives_every_range_of_frames_of_every_length() -> None:
    contents = [b"", b"a", b"bcd", b"", b"efghi", b"j", b""]
    stream = b"".join(stream_of(*contents, rules=[PLAIN, INTERLEAVED], index=True))
    reader, content = FrameReader(io.BytesIO(stream), [PLAIN, INTERLEAVED]), b"".join(contents)
    assert (reader.frames, reader.content_length) == (len(contents), len(content)) == (7, 10)
    ran = 0
    for start in range(-1, len(content) + 2):
        for end in range(-1, len(content) + 2):
            if 0 <= start <= end <= len(content):
                assert reader.read(start, end) == content[start:end]
                ran += 1
            else:
                refused(errors.RangeOutOfBounds, lambda: reader.read(start, end))  # noqa: B023
    assert ran == 66
    assert [reader.frame(i).content for i in range(len(contents))] == contents
    refused(errors.RangeOutOfBounds, lambda: reader.frame(len(contents)))
    for number in (-1, 2**32 - 1, 2**32, 2**64, -(2**64)):
        refused(errors.RangeOutOfBounds, lambda: reader.frame(number), lambda: reader.read(0, number))  # noqa: B023


def test_a_reader_reads_at_all_boundaries_of_long_frames_by_a_path_and_by_an_object(tmp_path: Path) -> None:
    data = random.Random(7).randbytes(3 * FRAME_LENGTH + 5)
    path = tmp_path / "film.fise"
    with path.open("wb") as file:
        file.writelines(encode_frames(data, INTERLEAVED, timestamp=3, frame_length=FRAME_LENGTH, index=True))
    places = sorted(
        {place + near for place in range(0, len(data), FRAME_LENGTH) for near in (-1, 0, 1) if place + near >= 0}
        | {len(data) - 1, len(data)}
    )
    for name in (path, str(path), os.fsencode(path)):
        with FrameReader(name, INTERLEAVED, timestamp=3) as reader:
            for start, end in itertools.combinations_with_replacement(places, 2):
                assert reader.read(start, end) == data[start:end]
        refused(ValueError, lambda: reader.read(0, 1))
        assert reader.content_length == len(data)
    with path.open("rb") as file, path.open("rb", buffering=0) as raw:
        for source in (file, raw, io.BytesIO(path.read_bytes())):
            with FrameReader(source, INTERLEAVED, timestamp=3) as reader:
                assert reader.read(1, len(data)) == data[1:]
            assert not source.closed
            assert reader.read(FRAME_LENGTH, FRAME_LENGTH + 2) == data[FRAME_LENGTH : FRAME_LENGTH + 2]
            source.close()
            refused(ValueError, lambda: reader.read(0, 1), lambda: FrameReader(source, INTERLEAVED))  # noqa: B023
    with FrameReader(path, INTERLEAVED, timestamp=4) as reader:
        refused(errors.FiseError, lambda: reader.read(0, len(data)))


def test_a_reader_reads_no_more_than_the_frames_that_hold_the_range() -> None:
    class Counting(io.BytesIO):
        total = 0

        def read(self, size: int | None = -1, /) -> bytes:
            part = super().read(size)
            self.total += len(part)
            return part

    file = Counting(b"".join(encode_frames(bytes(5_000_000), PLAIN, frame_length=FRAME_LENGTH, index=True)))
    reader = FrameReader(file, PLAIN)
    # The head, the end and the index, with what is read ahead.
    assert file.total < 3 * (1 << 16) + 8 * 306
    file.total = 0
    assert reader.read(3_000_000, 3_000_001) == b"\x00"
    assert file.total < FRAME_LENGTH + (1 << 16)


def test_an_exception_of_a_file_reaches_the_caller_and_the_next_read_works() -> None:
    class Failing(io.BytesIO):
        fault: Any = None

        def read(self, size: int | None = -1, /) -> Any:
            return self.fault(super().read(size)) if self.fault else super().read(size)

    def interrupt(_: bytes) -> bytes:
        raise KeyboardInterrupt

    file = Failing(b"".join(encode_frames([b"attack at dawn"], PLAIN, index=True)))
    reader = FrameReader(file, PLAIN)
    faults: list[tuple[type[BaseException], Callable[[bytes], object]]] = [
        (ZeroDivisionError, lambda _: 1 / 0),
        (KeyboardInterrupt, interrupt),
        (BlockingIOError, lambda _: None),
        (TypeError, lambda part: part.decode("latin-1")),
        (ValueError, lambda part: part + bytes(1 << 20)),
        (errors.FiseTruncated, lambda _: b""),
        (ValueError, lambda _: reader.read(0, 1)),
    ]
    for error, fault in faults:
        file.fault = fault
        for use in (lambda: reader.read(0, 5), lambda: reader.frame(0), lambda: FrameReader(file, PLAIN)):
            with pytest.raises(error):
                use()
        file.fault = None
        assert reader.read(0, 6) == b"attack"


def test_a_file_may_give_less_than_was_asked_for() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(1)

    file = Slow(b"".join(encode_frames([b"attack at dawn"], PLAIN, index=True)))
    assert FrameReader(file, PLAIN).read(0, 14) == b"attack at dawn"


def test_files_that_a_reader_cannot_read(tmp_path: Path) -> None:
    class Unseekable(io.RawIOBase):
        def readable(self) -> bool:
            return True

    refused(FileNotFoundError, lambda: FrameReader(tmp_path / "none", PLAIN))
    refused(IsADirectoryError, lambda: FrameReader(tmp_path, PLAIN))
    refused(io.UnsupportedOperation, lambda: FrameReader(Unseekable(), PLAIN))  # type: ignore[arg-type]
    refused(AttributeError, lambda: FrameReader(1, PLAIN), lambda: FrameReader(None, PLAIN))  # type: ignore[arg-type]
    refused(errors.FiseTruncated, lambda: FrameReader(io.BytesIO(), PLAIN))
    with pytest.raises(errors.FiseMalformed, match="no index"):
        FrameReader(io.BytesIO(b"".join(encode_frames(bytes(100), PLAIN))), PLAIN)


def test_threads_that_share_a_reader_each_get_what_is_at_its_place(tmp_path: Path) -> None:
    data = random.Random(3).randbytes(200_000)
    path = tmp_path / "film.fise"
    path.write_bytes(b"".join(encode_frames(data, INTERLEAVED, frame_length=FRAME_LENGTH, index=True)))
    faults: list[int] = []
    with FrameReader(path, INTERLEAVED) as reader:

        def read(seed: int) -> None:
            chosen = random.Random(seed)
            for _ in range(30):
                at = chosen.randrange(len(data))
                if reader.read(at, min(at + 20_000, len(data))) != data[at : at + 20_000]:
                    faults.append(at)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults == []


def test_use_after_the_end() -> None:
    encoder, decoder = FrameEncoder(PLAIN), FrameDecoder(PLAIN)
    stream = encoder.last_frame(b"only")
    refused(errors.FiseRules, lambda: encoder.frame(b""), encoder.last_frame)
    decoder.push(stream)
    with pytest.raises(ValueError, match="iterate over the decoder before finish"):
        decoder.finish()
    decoder = FrameDecoder(PLAIN)
    decoder.push(stream)
    assert [frame.content for frame in decoder] == [b"only"]
    assert decoder.next_frame() is None and list(decoder) == []
    decoder.finish()
    with pytest.raises(ValueError, match="was finished"):
        decoder.finish()
    refused(ValueError, decoder.next_frame, lambda: list(decoder), lambda: decoder.push(b""))
    shown = decode_frames(stream[:-1], PLAIN)
    refused(errors.FiseTruncated, lambda: next(shown))
    refused(StopIteration, lambda: next(shown))


def test_lengths_over_the_limits_are_refused_and_the_stream_goes_on() -> None:
    encoder = FrameEncoder(PLAIN, frame_length=FRAME_LENGTH)
    stream = encoder.frame(bytes(FRAME_LENGTH))
    refused(
        errors.FiseRules,
        lambda: encoder.frame(bytes(FRAME_LENGTH + 1)),
        lambda: encoder.last_frame(b"", bytes(1 << 16)),
    )
    stream += encoder.last_frame(b"end", bytes((1 << 16) - 1))
    frames = frames_of([stream], PLAIN)
    assert [(len(frame.content), len(frame.metadata)) for frame in frames] == [(FRAME_LENGTH, 0), (3, 65_535)]
    for length in (0, -1, FRAME_LENGTH - 1, (1 << 20) + 1, 2**64, -(2**64)):
        refused(
            errors.FiseRules,
            lambda: FrameEncoder(PLAIN, frame_length=length),  # noqa: B023
            lambda: encode_frames(b"", PLAIN, frame_length=length),  # noqa: B023
        )


def test_wrong_types_of_streams() -> None:
    encoder, decoder = FrameEncoder(PLAIN), FrameDecoder(PLAIN)
    refused(
        TypeError,
        lambda: encoder.frame("text"),  # type: ignore[arg-type]
        lambda: encoder.frame(b"", "text"),  # type: ignore[arg-type]
        lambda: encoder.frame(),  # type: ignore[call-arg]
        lambda: encoder.last_frame("text"),  # type: ignore[arg-type]
        lambda: decoder.push("text"),  # type: ignore[arg-type]
        lambda: decoder.push(None),  # type: ignore[arg-type]
        lambda: FrameEncoder(PLAIN, 0),  # type: ignore[misc]
        lambda: FrameEncoder(PLAIN, frame_length=20_000.5),  # type: ignore[arg-type]
        lambda: FrameEncoder(PLAIN, index=1),  # type: ignore[arg-type]
        lambda: encode_frames(1, PLAIN),  # type: ignore[arg-type]
        lambda: encode_frames("film.mkv", PLAIN),  # type: ignore[arg-type]
        lambda: decode_frames("", PLAIN),  # type: ignore[arg-type]
        lambda: list(encode_frames(["text"], PLAIN)),  # type: ignore[list-item]
        lambda: list(encode_frames([1], PLAIN)),  # type: ignore[list-item]
        lambda: list(encode_frames(io.StringIO("text"), PLAIN)),  # type: ignore[arg-type]
        lambda: list(decode_frames(["text"], PLAIN)),  # type: ignore[list-item]
        lambda: list(decode_frames(io.StringIO("text"), PLAIN)),  # type: ignore[arg-type]
        lambda: pickle.dumps(encoder),
        lambda: pickle.dumps(decoder),
        lambda: copy.copy(encoder),
        lambda: pickle.dumps(FrameReader(io.BytesIO(b"".join(encode_frames(b"", PLAIN, index=True))), PLAIN)),
    )
    refused(BufferError, lambda: encoder.frame(memoryview(b"abc")[::2]), lambda: decoder.push(memoryview(b"abc")[::2]))
    assert frames_of([encoder.last_frame(b"still good")], PLAIN)[0].content == b"still good"


def test_an_exception_of_a_source_reaches_the_caller() -> None:
    def failing(*parts: bytes) -> Iterator[bytes]:
        yield from parts
        raise ZeroDivisionError

    class Empty(io.RawIOBase):
        def read(self, size: int = -1, /) -> bytes | None:
            return None

    refused(ZeroDivisionError, lambda: list(encode_frames(failing(b"a"), PLAIN)))
    shown = decode_frames(failing(*stream_of(b"a", b"b")[:2]), PLAIN)
    assert next(shown) == b"a"
    refused(ZeroDivisionError, lambda: next(shown))
    refused(
        BlockingIOError,
        lambda: list(encode_frames(Empty(), PLAIN)),  # type: ignore[arg-type]
        lambda: list(decode_frames(Empty(), PLAIN)),  # type: ignore[arg-type]
    )
    closed = io.BytesIO(b"x")
    closed.close()
    refused(ValueError, lambda: list(encode_frames(closed, PLAIN)), lambda: list(decode_frames(closed, PLAIN)))
