"""Makes the vectors in `fise/`: profiles, random profiles, envelopes and streams of frames (spec/fise-frames.md).

    python generate_fise.py
    python generate_fise.py check

What a case expects is written down by hand, and the reference then has to agree. All randomness comes from SHA-256 over the case's
name and a counter, so the bytes of a case do not depend on the others.
"""

import base64
import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

from reference_fise import (
    ALNUM, AUTHENTICATED, BASE64, DIGITS, ENVELOPE_MAX_LEN, HEADER_LEN, LAST, Frame, Profile, Refused, Stream, check, random_profile,
)  # fmt: skip

FOLDER = Path(__file__).parent / "fise"


class Draw:
    """Numbers from a name."""

    def __init__(self, *name):
        self.name, self.count = "\0".join(["sealstone fise 1", *map(str, name)]), 0

    def below(self, k):
        self.count += 1
        return int.from_bytes(hashlib.sha256(f"{self.name}\0{self.count}".encode()).digest()[:6], "big") % k

    def of(self, alphabet, count):
        return "".join(alphabet[self.below(len(alphabet))] for _ in range(count))

    def bytes(self, count):
        out = b""
        while len(out) < count:
            self.count += 1
            out += hashlib.sha256(f"{self.name}\0{self.count}".encode()).digest()
        return out[:count]


def sealed(name, profile, plaintext, timestamp, alphabet=None):
    """A salt, decoys, and the envelope with them. Salts that leave a second reading are drawn again."""
    draw, is_text = Draw(name), isinstance(plaintext, str)
    for _ in range(1000):
        n = profile.salt["min"] + draw.below(profile.salt["max"] - profile.salt["min"] + 1)
        salt = draw.of(alphabet or profile.salt["alphabet"], n)
        length = 4 * ((len(mixed_bytes(plaintext, salt)) + 2) // 3) if is_text else len(plaintext)
        count = profile.decoy_count(length + n + len(profile.marker_of(n)))
        decoys = draw.of(BASE64, count).encode() if is_text else draw.bytes(count)
        try:
            return salt, decoys, profile.seal(plaintext, salt, decoys, timestamp)
        except Refused as refused:
            assert refused.code == "fise_rules"
    raise AssertionError(f"{name}: no salt")


def mixed_bytes(text, salt):
    words = text.encode("utf-16-le")
    codes = [int.from_bytes(words[i : i + 2], "little") for i in range(0, len(words), 2)]
    return b"".join((c ^ ord(salt[i % len(salt)])).to_bytes(2, "little") for i, c in enumerate(codes)).decode("utf-16-le").encode()


# The presets of FiseBuilder with their default arguments.
PRESETS = {
    "defaults": {},
    "timestamp": {"offset": {"kind": "linear", "multiplier": 13, "modulo": 17}},
    "prime": {"offset": {"kind": "linear", "multiplier": 17, "modulo": 23}},
    "fixed": {"offset": {"kind": "fraction"}},
    "length_based": {"offset": {"kind": "modulo"}},
    "multi_factor": {"offset": {"kind": "linear", "salt_multiplier": 3}},
    "xor": {"offset": {"kind": "xor"}},
    "hex": {"marker": {"kind": "digits", "alphabet": DIGITS[:16]}},
    "base62": {"marker": {"kind": "digits", "alphabet": ALNUM[52:] + ALNUM[:52]}},
    "base64": {"marker": {"kind": "digits", "alphabet": BASE64}},
    "custom_chars": {"marker": {"kind": "digits", "alphabet": "!@#$%^&*()"}},
}
# And what 0.1.5 does not have.
OWN = {
    "head": {"salt": {"place": "head"}},
    "interleaved": {"salt": {"place": "interleaved"}},
    "interleaved_short": {"salt": {"place": "interleaved", "min": 1, "max": 3}, "offset": {"kind": "fraction"}},
    "long_salt": {"salt": {"min": 1000, "max": 1200}, "marker": {"kind": "digits", "width": 4}},
    "one_length": {"salt": {"min": 16, "max": 16}},
    "prefix": {"marker": {"kind": "digits", "prefix": "~<>"}},
    "two_digits": {"marker": {"kind": "digits", "alphabet": "-+", "width": 7}},
    "salt_alphabet": {"salt": {"alphabet": " !\"#~", "min": 20, "max": 40}},
    "decoys": {"decoys": {"head": 3, "tail": 5, "every": 4}},
    "decoys_every": {"decoys": {"every": 1}, "salt": {"place": "interleaved"}},
    "decoys_ends": {"decoys": {"head": 300, "tail": 1}, "salt": {"place": "head"}},
}
BYTES_ONLY = {
    "uint16": {"marker": {"kind": "uint16"}},
    "uint16_long": {"marker": {"kind": "uint16"}, "salt": {"min": 255, "max": 300, "place": "head"}},
}
TEXTS = [
    "", "a", "{\"id\":1}", "naïve é ü", "世界你好，。支付", "😀🛒ab😀", "\0\x7f\u0080\u07ff\u0800\uffff\U0010ffff\ufeff",
    "The quick brown fox jumps over the lazy dog. " * 12, "￿" * 40,
]  # fmt: skip
BYTES = [b"", b"\0", b"abc", bytes(range(256)), b"\xff" * 33, Draw("bytes").bytes(1000)]
TIMESTAMPS = [0, 5, 29_400_000, -7, 1_763_770_000_123, 2**53 - 1, 1 - 2**53, 2**31, -(2**31)]


def envelope_cases():
    cases = []

    def add(name, data, plaintext, timestamp=0):
        profile = Profile(data)
        salt, decoys, envelope = sealed(name, profile, plaintext, timestamp)
        is_text = isinstance(plaintext, str)
        shown = (lambda one: one) if is_text else bytes.hex
        cases.append({
            "name": name, "form": "text" if is_text else "bytes", "profile": data, "timestamp": timestamp,
            "plaintext": shown(plaintext), "salt": salt,
            "decoys": decoys.decode() if is_text else decoys.hex(), "envelope": shown(envelope),
        })  # fmt: skip
        return envelope

    def refused(name, data, envelope, error, timestamp=0):
        is_text = isinstance(envelope, str)
        cases.append({
            "name": name, "form": "text" if is_text else "bytes", "profile": data, "timestamp": timestamp,
            "envelope": envelope if is_text else envelope.hex(), "error": error,
        })  # fmt: skip

    turn = 0
    for name, data in [*PRESETS.items(), *OWN.items(), *BYTES_ONLY.items()]:
        data = {"fise": 1} | data
        for i, plaintext in enumerate([*TEXTS, *BYTES]):
            if isinstance(plaintext, str) and name in BYTES_ONLY:
                continue
            # All timestamps with all plaintexts, over the profiles.
            turn += 1
            add(f"{name}_{i}", data, plaintext, TIMESTAMPS[turn * 5 % len(TIMESTAMPS)])
    for i in range(24):
        data = random_profile(f"envelope {i}").data()
        for plaintext in (TEXTS[i % len(TEXTS)], BYTES[i % len(BYTES)], Draw("random", i).of(ALNUM, 40 * i)):
            add(f"random_{i}_{len(cases)}", data, plaintext, TIMESTAMPS[i % len(TIMESTAMPS)])

    default = {"fise": 1}
    text = add("to_be_changed", default, "not a secret", 5)
    refused("another_timestamp", default, text, "fise_no_salt", 6)
    refused("empty_text", default, "", "fise_no_salt")
    refused("empty_bytes", default, b"", "fise_no_salt")
    refused("only_a_salt", default, "A" * 11, "fise_no_salt")
    refused("cut_short", default, text[:-1], "fise_no_marker", 5)
    # A salt of ten `A`, and a ciphertext that no writer makes: of three digits, with spare bits, with a digit of base64url, of a byte
    # that UTF-8 does not have, and of a surrogate.
    for name, ciphertext in {
        "three_digits": "QUJ", "spare_bits": "QR==", "no_padding": "QUI", "base64url": "QU-_", "not_utf_8": "/w==",
        "surrogate": base64.b64encode(b"\xed\xa0\x80").decode(), "long_utf_8": base64.b64encode(b"\xc0\x80").decode(),
        "white_space": "QU I", "not_ascii": "QUÎI", "above_ascii": "QU\u0141I",
    }.items():  # fmt: skip
        refused(f"ciphertext_{name}", default, "0a" + ciphertext + "A" * 10, "fise_no_marker")
    refused("salt_that_no_writer_draws", default, "0aQUJD" + "A" * 9 + "-", "fise_no_marker")
    refused("salt_that_no_writer_draws_in_bytes", default, b"0aABC" + b"A" * 9 + b"\xc1", "fise_no_marker")
    refused("salt_of_another_alphabet", default | {"salt": {"alphabet": "abcdef"}}, "0aQUJD" + "abcdefabcg", "fise_no_marker")
    # Two lengths of the salt, each with its marker at its place.
    fixed = default | {"offset": {"kind": "fraction"}}
    refused("two_readings", fixed, two_readings(Profile(fixed)), "fise_ambiguous")
    refused("two_readings_of_text", fixed, two_readings(Profile(fixed), BASE64).decode(), "fise_ambiguous")
    refused("text_with_uint16", default | {"marker": {"kind": "uint16"}}, "AAAAAAAAAAAAAAAA", "fise_rules")
    many = default | {"decoys": {"head": 3, "tail": 5, "every": 4}}
    refused("shorter_than_its_decoys", many, "ABCDEFG", "fise_no_salt")
    refused("no_such_number_of_decoys", many, "ABC" + "0aAA" + "QUJD"[:0] + "A" * 10 + "ABCDE", "fise_no_salt")
    whole = add("with_decoys_to_be_cut", many, b"some bytes that are longer than all decoys")
    # Behind four units there is a decoy, so that no envelope has four, nine and so on between its ends.
    refused("a_decoy_is_missing", many, whole[: len(whole) - (len(whole) - 8 + 1) % 5], "fise_no_salt")
    return cases


def two_readings(profile, alphabet=None):
    """An envelope of bytes in which salts of 10 and of 12 have their markers at their places, both with units of the alphabet."""
    for count in range(24, 60):
        draw = Draw("two readings", count, alphabet)
        # Of text, both ciphertexts have whole groups of four digits, and all is ASCII after the XOR of none.
        if alphabet and ((count - 12) % 4 or (count - 16) % 4):
            continue
        base = bytearray(draw.of(alphabet or ALNUM, count).encode())
        longer = 12 if not alphabet else 14
        for n in (10, longer):
            at = profile.offset_of(count - n - 2, 0, n)
            base[at : at + 2] = bytes(profile.marker_of(n))
        try:
            profile.open(base.decode() if alphabet else bytes(base))
        except Refused as refused:
            if refused.code == "fise_ambiguous":
                return bytes(base)
    return search_two_readings(profile)


def search_two_readings(profile):
    """Of text, both ciphertexts must be base64 of UTF-8: digits whose bytes are ASCII."""
    digits = base64.b64encode(b"abcdefghijklmnopqrstuvwxyz0123456789" * 2).decode()
    for count in range(28, 100):
        for shift in range(0, 40):
            for longer in range(11, 40):
                base = bytearray(digits[shift : shift + count].encode())
                for n in (10, longer):
                    at = profile.offset_of(count - n - 2, 0, n)
                    base[at : at + 2] = bytes(profile.marker_of(n))
                try:
                    profile.open(base.decode())
                except Refused as refused:
                    if refused.code == "fise_ambiguous":
                        return bytes(base)
    raise AssertionError("no text has two readings")


def profile_cases():
    whole = Profile({"fise": 1}).data()
    good = {
        "least": ({"fise": 1}, whole),
        "whole": (whole, whole),
        "integers_of_other_forms": ({"fise": 1.0, "salt": {"min": 1e1}}, whole),
        "empty_members": ({"fise": 1, "offset": {}, "marker": {}, "salt": {}, "decoys": {}}, whole),
        "greatest": (
            {
                "fise": 1,
                "offset": {"kind": "linear", "multiplier": 2**20, "modulo": 2**31 - 1, "salt_multiplier": 2**20},
                "marker": {"kind": "digits", "alphabet": "".join(map(chr, range(0x20, 0x7F))), "width": 16, "prefix": "~" * 16},
                "salt": {"min": 65535, "max": 65535, "alphabet": "".join(map(chr, range(0x20, 0x7F))), "place": "interleaved"},
                "decoys": {"head": 65535, "tail": 65535, "every": 65535},
            },
            None,
        ),
        "least_of_each": (
            {
                "fise": 1,
                "offset": {"kind": "fraction", "numerator": 0, "denominator": 1},
                "marker": {"kind": "digits", "alphabet": "ab", "width": 1, "prefix": ""},
                "salt": {"min": 1, "max": 1, "alphabet": "ab", "place": "head"},
                "decoys": {"head": 0, "tail": 0, "every": 0},
            },
            None,
        ),
        "whole_fraction": ({"fise": 1, "offset": {"kind": "fraction", "numerator": 65536, "denominator": 65536}}, None),
        "uint16": ({"fise": 1, "marker": {"kind": "uint16"}, "salt": {"min": 1, "max": 65535}}, None),
    }
    cases = [
        {"name": name, "profile": data, "complete": expected or whole | data | {"salt": whole["salt"] | data.get("salt", {})}}
        for name, (data, expected) in good.items()
    ]
    broken = {
        "an_array": [], "a_number": 1, "a_text": "fise", "null": None, "no_version": {}, "version_2": {"fise": 2},
        "version_as_text": {"fise": "1"}, "version_true": {"fise": True}, "version_null": {"fise": None},
        "unknown_member": {"name": "x"}, "member_of_another_case": {"Offset": {}},
        "offset_null": {"offset": None}, "offset_text": {"offset": "linear"}, "offset_unknown": {"offset": {"kind": "random"}},
        "offset_kind_null": {"offset": {"kind": None}}, "offset_member_of_another_kind": {"offset": {"kind": "xor", "modulo": 3}},
        "multiplier_negative": {"offset": {"kind": "linear", "multiplier": -1}},
        "multiplier_great": {"offset": {"kind": "linear", "multiplier": 2**20 + 1}},
        "multiplier_fraction": {"offset": {"kind": "linear", "multiplier": 1.5}},
        "multiplier_text": {"offset": {"kind": "linear", "multiplier": "7"}},
        "multiplier_true": {"offset": {"kind": "linear", "multiplier": True}},
        "modulo_0": {"offset": {"kind": "linear", "modulo": 0}},
        "modulo_great": {"offset": {"kind": "linear", "modulo": 2**31}},
        "salt_multiplier_great": {"offset": {"kind": "linear", "salt_multiplier": 2**20 + 1}},
        "numerator_great": {"offset": {"kind": "fraction", "numerator": 3, "denominator": 2}},
        "denominator_0": {"offset": {"kind": "fraction", "numerator": 0, "denominator": 0}},
        "denominator_great": {"offset": {"kind": "fraction", "denominator": 2**16 + 1}},
        "divisor_0": {"offset": {"kind": "modulo", "divisor": 0}},
        "divisor_great": {"offset": {"kind": "modulo", "divisor": 2**31}},
        "marker_unknown": {"marker": {"kind": "radix"}}, "uint16_with_alphabet": {"marker": {"kind": "uint16", "alphabet": "01"}},
        "alphabet_of_one": {"marker": {"alphabet": "0", "width": 2}}, "alphabet_twice": {"marker": {"alphabet": "0120"}},
        "alphabet_not_shown": {"marker": {"alphabet": "01\t"}}, "alphabet_not_ascii": {"marker": {"alphabet": "01é"}},
        "alphabet_array": {"marker": {"alphabet": ["0", "1"]}}, "alphabet_null": {"marker": {"alphabet": None}},
        "width_0": {"marker": {"width": 0}}, "width_great": {"marker": {"width": 17}},
        "width_too_small": {"salt": {"min": 10, "max": 36}, "marker": {"width": 1}},
        "width_too_small_by_one": {"salt": {"min": 10, "max": 1296}},
        "prefix_great": {"marker": {"prefix": "~" * 17}}, "prefix_not_shown": {"marker": {"prefix": "\x7f"}},
        "prefix_number": {"marker": {"prefix": 0}},
        "salt_array": {"salt": [10, 99]}, "min_0": {"salt": {"min": 0}}, "min_over_max": {"salt": {"min": 50, "max": 49}},
        "min_over_the_usual_max": {"salt": {"min": 100}},
        "max_great": {"salt": {"max": 65536}, "marker": {"width": 4}}, "max_fraction": {"salt": {"max": 99.5}},
        "salt_alphabet_of_one": {"salt": {"alphabet": "A"}}, "salt_alphabet_twice": {"salt": {"alphabet": "AA"}},
        "salt_alphabet_empty": {"salt": {"alphabet": ""}}, "salt_alphabet_not_ascii": {"salt": {"alphabet": "Aÿ"}},
        "place_unknown": {"salt": {"place": "middle"}}, "place_number": {"salt": {"place": 0}},
        "decoys_text": {"decoys": "none"}, "decoys_negative": {"decoys": {"head": -1}}, "decoys_great": {"decoys": {"tail": 65536}},
        "every_great": {"decoys": {"every": 65536}}, "decoys_unknown": {"decoys": {"alphabet": "01"}},
    }  # fmt: skip
    for name, data in broken.items():
        data = {"fise": 1} | data if isinstance(data, dict) and "fise" not in data and name != "no_version" else data
        cases.append({"name": name, "profile": data, "error": "fise_rules"})
    return cases


def random_cases():
    seeds = ["", "a", "b", "sealstone", "2026-11-28", "世界", "😀", "a seed of many words, longer than a line of a terminal is " * 2]
    return [
        {"name": f"seed_{i}", "seed": seed, "profile": random_profile(seed).data()}
        for i, seed in enumerate([*seeds, *(str(n) for n in range(24))])
    ]


def frame_cases():
    cases = []
    default, prime = {"fise": 1}, {"fise": 1} | PRESETS["prime"]
    mixed = [default, {"fise": 1} | OWN["interleaved"] | {"decoys": {"every": 9}}, {"fise": 1} | BYTES_ONLY["uint16"]]

    def drawn(name, stream):
        """The stream, with salts and decoys for frames that have none."""
        frames = []
        for i, frame in enumerate(stream.frames):
            if frame.envelope is None and not frame.salt:
                profile = stream.rules[frame.rule % len(stream.rules)]
                plaintext = frame.metadata + frame.content
                salt, decoys, _ = sealed((name, i), profile, plaintext, stream.timestamp)
                frame = replace(frame, salt=salt, decoys=decoys)
            frames.append(frame)
        return replace(stream, frames=frames)

    def case(name, rules, stream, timestamp, **expected):
        data = stream if isinstance(stream, bytes) else stream.bytes()
        shown = base64.b64encode(data).decode()
        cases.append({"name": name, "rules": rules, "timestamp": timestamp, "stream": shown} | expected)
        return data

    def good(name, rules, frames, **rest):
        stream = drawn(name, Stream([Profile(one) for one in rules], frames, **rest))
        shown = [{"metadata": one.metadata.hex(), "content": base64.b64encode(one.content).decode()} for one in frames]
        case(name, rules, stream, stream.timestamp, frames=shown)
        return stream

    def bad(name, error, stream, rules=None, timestamp=None):
        rules = rules or [one.data() for one in stream.rules]
        timestamp = stream.timestamp if timestamp is None else timestamp
        case(name, rules, drawn(name, stream), timestamp, error=error)

    def part(i, count):
        return Draw("part", i).bytes(count)

    good("empty", [default], [Frame()])
    good("empty_indexed", [default], [Frame()], indexed=True)
    good("one_byte", [default], [Frame(b"\0")])
    good("shortest_whole_frame", [default], [Frame(part(0, 2**14)), Frame(part(1, 2**14)), Frame(part(2, 5))], indexed=True)
    good("last_frame_empty", [prime], [Frame(part(3, 2**14)), Frame()], timestamp=29_400_000)
    good("frames_between_empty", [default], [Frame(b"a"), Frame(), Frame(b"b", b"at 12:00"), Frame(b"c")])
    good("only_metadata", [default], [Frame(b"", b"key frame"), Frame(b"", b"\0" * 300)], indexed=True)
    good("longest_metadata", [default], [Frame(b"content", part(4, 65535))])
    good("rules_in_turn", mixed, [Frame(part(i, 50 * i), b"%d" % i, i % 3) for i in range(9)], indexed=True, timestamp=77)
    good("rules_in_any_order", mixed, [Frame(b"x" * i, rule=rule) for i, rule in enumerate([2, 0, 0, 1, 2])])
    good("rules_of_which_one_is_used", mixed, [Frame(b"alone", rule=1)])
    good("longest_frame_length", [default], [Frame(b"short")], length=2**20)
    good("numbers_of_the_stream_0", [default], [Frame(b"a"), Frame(b"b")], number=0, indexed=True)
    good("numbers_of_the_stream_greatest", [default], [Frame(b"a"), Frame(b"b")], number=2**32 - 1, indexed=True)
    good("255_rules", [*[default] * 254, prime], [Frame(b"the first"), Frame(b"the last", rule=254)], timestamp=12)

    three = [Frame(b"first", b"m"), Frame(b"second"), Frame(b"third")]
    whole = drawn("three", Stream([Profile(default)], three, indexed=True))
    plain = replace(whole, indexed=False)
    data, bare = whole.bytes(), plain.bytes()
    ends = [HEADER_LEN]
    for length, _ in whole.lengths:
        ends.append(ends[-1] + length)
    pieces = [data[ends[i] : ends[i + 1]] for i in range(3)]
    for name, order, error in (
        ("lost", [0, 2], "fise_order"), ("first_lost", [1, 2], "fise_order"), ("repeated", [0, 1, 1, 2], "fise_order"),
        ("exchanged", [1, 0, 2], "fise_order"), ("last_lost", [0, 1], "fise_truncated"), ("all_lost", [], "fise_truncated"),
        ("behind_the_last", [0, 1, 2, 2], "fise_malformed"),
    ):  # fmt: skip
        case(f"frame_{name}", [default], bare[:HEADER_LEN] + b"".join(pieces[i] for i in order), 0, error=error)
    for end in (0, 1, 8, 10, HEADER_LEN - 1, HEADER_LEN + 1, HEADER_LEN + 15, HEADER_LEN + 16, ends[1] - 1, ends[2], ends[3] - 1):
        case(f"cut_at_{end}", [default], bare[:end], 0, error="fise_truncated")
    for end in (ends[3], ends[3] + 1, ends[3] + 24, len(data) - 1):
        case(f"index_cut_at_{end - ends[3]}", [default], data[:end], 0, error="fise_truncated")
    case("other_rules", [prime], bare, 5, error="fise_no_salt")
    case("other_number_of_rules", [default, default], bare, 0, error="fise_malformed")

    one = replace(plain, frames=plain.frames[:1])
    header = {
        "magic": {"magic": b"FISEFRN\x01"}, "version": {"magic": b"FISEFRM\x02"}, "flags": {"flags": 2}, "flags_high": {"flags": 0x8000},
        "zero": {"zero": 1}, "no_rules": {"rules_count": 0}, "length_short": {"length": 2**14 - 1}, "length_long": {"length": 2**20 + 1},
        "length_0": {"length": 0},
    }  # fmt: skip
    for name, change in header.items():
        bad(f"header_{name}", "fise_malformed", replace(one, **change))
    first = one.frames[0]
    for name, error, change in (
        ("flag", "fise_malformed", {"flags": LAST | 4}), ("flag_high", "fise_malformed", {"flags": LAST | 0x80}),
        ("rule", "fise_malformed", {"rule": 1}), ("stream", "fise_order", {"stream": 5}), ("number", "fise_order", {"number": 1}),
        ("number_great", "fise_order", {"number": 2**32 - 1}), ("metadata_longer", "fise_malformed", {"metadata_len": 7}),
        ("envelope_long", "fise_malformed", {"envelope_len": ENVELOPE_MAX_LEN + 1}),
        ("envelope_longest_cut", "fise_truncated", {"envelope_len": ENVELOPE_MAX_LEN}),
        ("key", "fise_key_required", {"flags": LAST | AUTHENTICATED, "key": bytes(24)}),
        ("key_without_place", "fise_key_required", {"flags": LAST | AUTHENTICATED}),
        ("envelope_empty", "fise_no_salt", {"envelope": b""}),
        ("envelope_of_another_salt", "fise_no_marker", {"envelope": b"0aABC" + b"A" * 9 + b"\xc1"}),
        ("envelope_of_two_readings", "fise_ambiguous", None),
    ):  # fmt: skip
        if change is None:
            fixed = Profile({"fise": 1} | PRESETS["fixed"])
            bad(f"frame_{name}", error, replace(one, rules=[fixed], frames=[Frame(envelope=two_readings(fixed))]))
            continue
        bad(f"frame_{name}", error, replace(one, frames=[replace(first, **change)]))
    bad("content_too_long", "fise_malformed", replace(one, frames=[Frame(part(9, 2**14 + 1))]))
    right = [(ends[i + 1] - ends[i], len(three[i].content)) for i in range(3)]
    for name, change in {
        "length": {"index": [(right[0][0] + 1, right[0][1]), (right[1][0] - 1, right[1][1]), right[2]]},
        "content_length": {"index": [right[0], (right[1][0], right[1][1] + 1), right[2]]},
        "entry_more": {"index": [*right, (0, 0)]}, "stream": {"index_number": 5},
        "count": {"index_count": 2}, "offset": {"index_at": ends[3] + 1}, "magic": {"index_magic": b"FISEIDX\x02"},
        "behind": {"behind": b"\0"},
    }.items():  # fmt: skip
        bad(f"index_{name}", "fise_malformed", replace(whole, **change))
    bad("index_entry_missing", "fise_truncated", replace(whole, index=right[:2]))
    bad("index_without_its_flag", "fise_malformed", replace(whole, flags=0))
    bad("index_missing", "fise_truncated", replace(plain, flags=1))
    bad("bytes_behind", "fise_malformed", replace(plain, behind=b"\0"))
    return cases


def write(name, cases):
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n")


# What a schema cannot say.
BEYOND_THE_SCHEMA = {"numerator_great", "min_over_max", "min_over_the_usual_max", "width_too_small", "width_too_small_by_one"}


def check_schema():
    """The schema takes every profile that the reference takes, and refuses the others but for these rules."""
    import fastjsonschema

    schema = json.loads((FOLDER.parent.parent / "spec" / "fise-profile.schema.json").read_text())
    takes = fastjsonschema.compile(schema, use_default=False)
    taken = set()
    for case in json.loads((FOLDER / "profiles.json").read_text()):
        try:
            takes(case["profile"])
        except fastjsonschema.JsonSchemaException:
            assert "error" in case, f"the schema refuses {case['name']}"
        else:
            taken |= {case["name"]} if "error" in case else set()
    assert taken == BEYOND_THE_SCHEMA, taken


def main():
    if sys.argv[1:] != ["check"]:
        FOLDER.mkdir(exist_ok=True)
        write("profiles", profile_cases())
        write("random", random_cases())
        write("envelopes", envelope_cases())
        write("frames", frame_cases())
    check_schema()
    count = check(FOLDER)
    assert count > 700, count
    print(f"{count} cases of fise/ agree with the reference")


if __name__ == "__main__":
    main()
