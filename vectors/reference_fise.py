"""A reader and a writer of FISE profiles and frames, straight from spec/fise-frames.md, for vectors: slow and strict."""

import base64
import json
from dataclasses import dataclass, field

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
ALNUM = "".join(chr(c) for c in [*range(65, 91), *range(97, 123), *range(48, 58)])
BASE64 = ALNUM + "+/"


class Refused(Exception):
    """What a reader must refuse, by its code."""

    def __init__(self, code, why=""):
        super().__init__(f"{code}: {why}")
        self.code = code


def rem(a, b):
    """The remainder of a division that is cut off towards zero."""
    return abs(a) % b * (-1 if a < 0 else 1)


# Section 1: form of a profile. A member is (least, most, else), or what else it may be.
OFFSETS = {
    "linear": {"multiplier": (0, 2**20, 7), "modulo": (1, 2**31 - 1, 11), "salt_multiplier": (0, 2**20, 0)},
    "fraction": {"numerator": (0, 2**16, 1), "denominator": (1, 2**16, 2)},
    "modulo": {"divisor": (1, 2**31 - 1, 7)},
    "xor": {},
}
MARKERS = {"digits": {"alphabet": "alphabet", "width": (1, 16, 2), "prefix": "prefix"}, "uint16": {}}
SALT = {"min": (1, 65535, 10), "max": (1, 65535, 99), "alphabet": "alphabet", "place": ("tail", "head", "interleaved")}
DECOYS = {"head": (0, 65535, 0), "tail": (0, 65535, 0), "every": (0, 65535, 0)}


def bad(why):
    return Refused("fise_rules", why)


def is_shown(text):
    return isinstance(text, str) and all(0x20 <= ord(c) <= 0x7E for c in text)


def value(name, form, given, default_alphabet):
    if form == "alphabet":
        text = default_alphabet if given is None else given
        if not is_shown(text) or not 2 <= len(text) <= 95 or len(set(text)) != len(text):
            raise bad(f"{name}: 2 to 95 different shown characters")
        return text
    if form == "prefix":
        text = "" if given is None else given
        if not is_shown(text) or len(text) > 16:
            raise bad(f"{name}: at most 16 shown characters")
        return text
    if isinstance(form[0], str):
        word = form[0] if given is None else given
        if word not in form:
            raise bad(f"{name}: one of {form}")
        return word
    least, most, other = form
    number = other if given is None else given
    if isinstance(number, bool) or not isinstance(number, int | float) or number != int(number):
        raise bad(f"{name}: an integer")
    if not least <= number <= most:
        raise bad(f"{name}: {least} to {most}")
    return int(number)


def members(what, given, forms, default_alphabet=ALNUM):
    if not isinstance(given, dict):
        raise bad(f"{what}: an object")
    for name in given:
        if name not in forms:
            raise bad(f"{what}: no member {name}")
        if given[name] is None:
            raise bad(f"{what}.{name}: null")
    return {name: value(f"{what}.{name}", form, given.get(name), default_alphabet) for name, form in forms.items()}


def kind_of(what, given, kinds, default):
    if not isinstance(given, dict):
        raise bad(f"{what}: an object")
    kind = given.get("kind", default)
    if kind not in kinds:
        raise bad(f"{what}.kind")
    rest = {name: given[name] for name in given if name != "kind"}
    return {"kind": kind} | members(what, rest, kinds[kind], DIGITS)


class Profile:
    """The rules of section 1, with all members."""

    def __init__(self, data):
        if not isinstance(data, dict):
            raise bad("an object")
        for name in data:
            if name not in ("fise", "offset", "marker", "salt", "decoys"):
                raise bad(f"no member {name}")
        version = data.get("fise")
        if isinstance(version, bool) or version != 1:
            raise bad("fise: 1")
        self.offset = kind_of("offset", data.get("offset", {}), OFFSETS, "linear")
        self.marker = kind_of("marker", data.get("marker", {}), MARKERS, "digits")
        self.salt = members("salt", data.get("salt", {}), SALT)
        self.decoys = members("decoys", data.get("decoys", {}), DECOYS)
        if self.offset["kind"] == "fraction" and self.offset["numerator"] > self.offset["denominator"]:
            raise bad("offset.numerator is over the denominator")
        if self.salt["min"] > self.salt["max"]:
            raise bad("salt.min is over salt.max")
        if self.marker["kind"] == "digits":
            digits = self.marker["alphabet"]
            if len(digits) ** self.marker["width"] <= self.salt["max"]:
                raise bad("salt.max has no number of so many digits")

    def data(self):
        return {"fise": 1, "offset": self.offset, "marker": self.marker, "salt": self.salt, "decoys": self.decoys}

    def marker_of(self, n):
        """The units of a marker."""
        if self.marker["kind"] == "uint16":
            return [n >> 8, n & 255]
        digits = self.marker["alphabet"]
        out = ""
        for _ in range(self.marker["width"]):
            out = digits[n % len(digits)] + out
            n //= len(digits)
        return list((self.marker["prefix"] + out).encode())

    def offset_of(self, l, t, n):
        big, rule = max(1, l), self.offset
        match rule["kind"]:
            case "linear":
                at = rem(rule["multiplier"] * big + rem(t, rule["modulo"]) + rule["salt_multiplier"] * n, big)
            case "fraction":
                at = rule["numerator"] * big // rule["denominator"]
            case "modulo":
                at = big % rule["divisor"]
            case "xor":
                word = t % 2**32
                at = rem(big ^ (word - 2**32 if word >= 2**31 else word), big)
        return min(max(at, 0), l)

    # Section 2. Envelopes are lists of units.

    def placed(self, body, salt):
        match self.salt["place"]:
            case "tail":
                return body + salt
            case "head":
                return salt + body
        e = len(body) + len(salt)
        places = {j * e // len(salt): unit for j, unit in enumerate(salt)}
        rest = iter(body)
        return [places[i] if i in places else next(rest) for i in range(e)]

    def parted(self, units, n):
        """The body and the salt."""
        e = len(units)
        match self.salt["place"]:
            case "tail":
                return units[: e - n], units[e - n :]
            case "head":
                return units[n:], units[:n]
        places = [j * e // n for j in range(n)]
        taken = set(places)
        return [unit for i, unit in enumerate(units) if i not in taken], [units[i] for i in places]

    def decoy_count(self, e):
        every = self.decoys["every"]
        return self.decoys["head"] + (e // every if every else 0) + self.decoys["tail"]

    def with_decoys(self, units, decoys):
        assert len(decoys) == self.decoy_count(len(units))
        draw, every = iter(decoys), self.decoys["every"]
        out = [next(draw) for _ in range(self.decoys["head"])]
        for i, unit in enumerate(units):
            out.append(unit)
            if every and (i + 1) % every == 0:
                out.append(next(draw))
        return out + list(draw)

    def without_decoys(self, units):
        head, tail, every = (self.decoys[name] for name in ("head", "tail", "every"))
        inner = units[head : len(units) - tail] if len(units) >= head + tail else None
        if inner is None:
            raise Refused("fise_no_salt", "shorter than its decoys")
        if not every:
            return inner
        out = [unit for i, unit in enumerate(inner) if (i + 1) % (every + 1) != 0]
        if len(out) + len(out) // every != len(inner):
            raise Refused("fise_no_salt", "no envelope has so many decoys")
        return out

    def readings(self, units, t):
        """For each reading the ciphertext and the salt."""
        found = []
        for n in range(self.salt["min"], self.salt["max"] + 1):
            marker = self.marker_of(n)
            if n + len(marker) > len(units):
                break
            body, salt = self.parted(units, n)
            at = self.offset_of(len(body) - len(marker), t, n)
            if body[at : at + len(marker)] == marker:
                found.append((body[:at] + body[at + len(marker) :], salt))
        return found

    def seal(self, plaintext, salt, decoys, t=0):
        """An envelope with this salt: of a str a str, and of bytes bytes."""
        if isinstance(plaintext, str):
            if self.marker["kind"] == "uint16":
                raise bad("uint16 has no text")
            words = plaintext.encode("utf-16-le", "surrogatepass")
            codes = [int.from_bytes(words[i : i + 2], "little") for i in range(0, len(words), 2)]
            mixed = b"".join((c ^ ord(salt[i % len(salt)])).to_bytes(2, "little") for i, c in enumerate(codes))
            ciphertext = list(base64.b64encode(mixed.decode("utf-16-le").encode()))
        else:
            ciphertext = [byte ^ ord(salt[i % len(salt)]) for i, byte in enumerate(plaintext)]
        n = len(salt)
        assert self.salt["min"] <= n <= self.salt["max"] and all(c in self.salt["alphabet"] for c in salt)
        at = self.offset_of(len(ciphertext), t, n)
        body = ciphertext[:at] + self.marker_of(n) + ciphertext[at:]
        units = self.placed(body, list(salt.encode()))
        if len(self.readings(units, t)) != 1:
            raise bad("another salt is needed")
        out = bytes(self.with_decoys(units, list(decoys)))
        return out.decode() if isinstance(plaintext, str) else out

    def open(self, envelope, t=0):
        is_text = isinstance(envelope, str)
        if is_text and self.marker["kind"] == "uint16":
            raise bad("uint16 has no text")
        # Units of UTF-16, of which those that are not ASCII are none of an envelope.
        utf16 = envelope.encode("utf-16-le", "surrogatepass") if is_text else b""
        units = [min(a | b << 8, 255) for a, b in zip(utf16[::2], utf16[1::2])] if is_text else list(envelope)
        found = self.readings(self.without_decoys(units), t)
        if not found:
            raise Refused("fise_no_salt")
        alphabet = self.salt["alphabet"].encode()
        kept = []
        for ciphertext, salt in found:
            if not all(unit in alphabet for unit in salt):
                continue
            try:
                kept.append(self.unmixed(ciphertext, salt, is_text))
            except (ValueError, UnicodeError):
                pass
        if not kept:
            raise Refused("fise_no_marker")
        if len(kept) > 1:
            raise Refused("fise_ambiguous")
        return kept[0]

    def unmixed(self, ciphertext, salt, is_text):
        if not is_text:
            return bytes(byte ^ salt[i % len(salt)] for i, byte in enumerate(ciphertext))
        text = "".join(map(chr, ciphertext))
        mixed = base64.b64decode(text, validate=True)
        if base64.b64encode(mixed).decode() != text:
            raise ValueError("not canonical")
        words = mixed.decode().encode("utf-16-le")
        codes = [int.from_bytes(words[i : i + 2], "little") for i in range(0, len(words), 2)]
        plain = b"".join((c ^ salt[i % len(salt)]).to_bytes(2, "little") for i, c in enumerate(codes))
        return plain.decode("utf-16-le")


def random_profile(seed):
    """The profile of a seed (section 4)."""
    x = 0x811C9DC5
    for byte in seed.encode():
        x = (x ^ byte) * 0x01000193 % 2**32
    x = x or 0x9E3779B9

    def draw(k):
        nonlocal x
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        return x % k

    def beginning(count):
        chars = list(ALNUM)
        for i in range(len(chars) - 1, 0, -1):
            j = draw(i + 1)
            chars[i], chars[j] = chars[j], chars[i]
        return "".join(chars[:count])

    kind = ("linear", "fraction", "modulo", "xor")[draw(4)]
    offset = {"kind": kind}
    if kind == "linear":
        offset |= {"multiplier": 1 + draw(64), "modulo": 2 + draw(64), "salt_multiplier": draw(8)}
    if kind == "fraction":
        denominator = 2 + draw(15)
        offset |= {"numerator": draw(denominator + 1), "denominator": denominator}
    if kind == "modulo":
        offset |= {"divisor": 2 + draw(63)}
    marker = {"kind": "digits", "alphabet": beginning(16 + draw(47)), "width": 2 + draw(2)}
    marker |= {"prefix": "".join(ALNUM[draw(62)] for _ in range(draw(3)))}
    least = 10 + draw(20)
    salt = {"min": least, "max": least + 20 + draw(50), "alphabet": beginning(32 + draw(31))}
    salt |= {"place": ("tail", "head", "interleaved")[draw(3)]}
    decoys = {"head": draw(9), "tail": draw(9)}
    decoys |= {"every": 0 if draw(2) == 0 else 8 + draw(57)}
    return Profile({"fise": 1, "offset": offset, "marker": marker, "salt": salt, "decoys": decoys})


# Section 3.

MAGIC, INDEX_MAGIC = b"FISEFRM\x01", b"FISEIDX\x01"
HEADER_LEN, FRAME_HEAD_LEN, INDEX_TAIL_LEN = 20, 16, 24
INDEXED, LAST, AUTHENTICATED = 1, 1, 2
ENVELOPE_MAX_LEN = 2**22


@dataclass
class Frame:
    """A frame to be written. What is `None` is right."""

    content: bytes = b""
    metadata: bytes = b""
    rule: int = 0
    salt: str = ""
    decoys: bytes = b""
    flags: int | None = None
    stream: int | None = None
    number: int | None = None
    metadata_len: int | None = None
    envelope_len: int | None = None
    # The id of a key and a tag.
    key: bytes = b""
    envelope: bytes | None = None


@dataclass
class Stream:
    """A stream to be written. What is `None` is right."""

    rules: list
    frames: list
    timestamp: int = 0
    length: int = 2**14
    number: int = 0x01020304
    indexed: bool = False
    magic: bytes = MAGIC
    flags: int | None = None
    zero: int = 0
    rules_count: int | None = None
    index: list | None = None
    index_number: int | None = None
    index_count: int | None = None
    index_at: int | None = None
    index_magic: bytes = INDEX_MAGIC
    behind: bytes = b""
    lengths: list = field(default_factory=list)

    def bytes(self):
        def u(value, right, size):
            return (right if value is None else value).to_bytes(size, "big")

        out = self.magic + u(self.flags, INDEXED if self.indexed else 0, 2)
        out += bytes([self.zero]) + u(self.rules_count, len(self.rules), 1)
        out += self.length.to_bytes(4, "big") + self.number.to_bytes(4, "big")
        self.lengths = []
        for i, frame in enumerate(self.frames):
            envelope = frame.envelope
            if envelope is None:
                profile = self.rules[frame.rule % len(self.rules)]
                envelope = profile.seal(frame.metadata + frame.content, frame.salt, frame.decoys, self.timestamp)
            one = u(frame.flags, LAST if i + 1 == len(self.frames) else 0, 1) + bytes([frame.rule])
            one += u(frame.metadata_len, len(frame.metadata), 2) + u(frame.stream, self.number, 4)
            one += u(frame.number, i, 4) + u(frame.envelope_len, len(envelope), 4)
            one += frame.key + envelope
            self.lengths.append((len(one), len(frame.content)))
            out += one
        if self.indexed:
            at = len(out)
            for one, content in self.lengths if self.index is None else self.index:
                out += one.to_bytes(4, "big") + content.to_bytes(4, "big")
            out += self.index_magic + u(self.index_number, self.number, 4)
            out += u(self.index_count, len(self.frames), 4) + u(self.index_at, at, 8)
        return out + self.behind


def malformed(why):
    return Refused("fise_malformed", why)


def open_frames(data, rules, timestamp=0):
    """The metadata and content of all frames of a stream."""
    if len(data) < HEADER_LEN:
        # What is there must be the beginning of a header.
        raise Refused("fise_truncated") if MAGIC.startswith(data[:8]) else malformed("magic")
    number = lambda at, size: int.from_bytes(data[at : at + size], "big")  # noqa: E731
    flags, length, stream = number(8, 2), number(12, 4), number(16, 4)
    if data[:8] != MAGIC or flags & ~INDEXED or data[10] != 0 or data[11] != len(rules):
        raise malformed("header")
    if not 2**14 <= length <= 2**20:
        raise malformed("frame length")
    at, frames, lengths, is_last = HEADER_LEN, [], [], False
    while not is_last:
        head = data[at : at + FRAME_HEAD_LEN]
        if len(head) < FRAME_HEAD_LEN:
            raise Refused("fise_truncated")
        if head[0] & ~(LAST | AUTHENTICATED):
            raise malformed("flags")
        if number(at + 4, 4) != stream or number(at + 8, 4) != len(frames):
            raise Refused("fise_order")
        if head[0] & AUTHENTICATED:
            raise Refused("fise_key_required")
        is_last = bool(head[0] & LAST)
        rule, metadata_len, envelope_len = head[1], number(at + 2, 2), number(at + 12, 4)
        if rule >= len(rules) or envelope_len > ENVELOPE_MAX_LEN:
            raise malformed("rule or length")
        envelope = data[at + FRAME_HEAD_LEN :][:envelope_len]
        if len(envelope) < envelope_len:
            raise Refused("fise_truncated")
        plaintext = rules[rule].open(envelope, timestamp)
        if not metadata_len <= len(plaintext) <= metadata_len + length:
            raise malformed("plaintext")
        frames.append((plaintext[:metadata_len], plaintext[metadata_len:]))
        lengths.append((FRAME_HEAD_LEN + envelope_len, len(plaintext) - metadata_len))
        at += FRAME_HEAD_LEN + envelope_len
    rest = data[at:]
    if not flags & INDEXED:
        if rest:
            raise malformed("bytes behind")
        return frames
    index = b"".join(one.to_bytes(4, "big") + content.to_bytes(4, "big") for one, content in lengths)
    index += INDEX_MAGIC + stream.to_bytes(4, "big") + len(frames).to_bytes(4, "big") + at.to_bytes(8, "big")
    if rest != index:
        raise Refused("fise_truncated") if len(rest) < len(index) else malformed("index")
    return frames


def check(folder):
    """Reads all vectors of a folder; returns how many there are."""
    count = 0

    def outcome(work):
        try:
            return work()
        except Refused as refused:
            return refused.code

    def same(case, got, expected):
        nonlocal count
        count += 1
        assert got == expected, f"{case['name']}: {got!r}, and not {expected!r}"

    for case in json.loads((folder / "profiles.json").read_text()):
        got = outcome(lambda: Profile(case["profile"]).data())
        same(case, got, case.get("complete", case.get("error")))
    for case in json.loads((folder / "random.json").read_text()):
        same(case, random_profile(case["seed"]).data(), case["profile"])
    for case in json.loads((folder / "envelopes.json").read_text()):
        profile, t, is_text = Profile(case["profile"]), case["timestamp"], case["form"] == "text"
        of = (lambda text: text) if is_text else bytes.fromhex
        plaintext = of(case["plaintext"]) if "plaintext" in case else None
        if "envelope" in case:
            expected = case["error"] if plaintext is None else plaintext
            same(case, outcome(lambda: profile.open(of(case["envelope"]), t)), expected)
        if "salt" in case:
            decoys = case["decoys"].encode() if is_text else bytes.fromhex(case["decoys"])
            sealed = outcome(lambda: profile.seal(plaintext, case["salt"], decoys, t))
            same(case, sealed, of(case["envelope"]) if "envelope" in case else case["error"])
    for case in json.loads((folder / "frames.json").read_text()):
        rules = [Profile(one) for one in case["rules"]]
        got = outcome(lambda: open_frames(base64.b64decode(case["stream"]), rules, case["timestamp"]))
        frames = [(bytes.fromhex(one["metadata"]), base64.b64decode(one["content"])) for one in case.get("frames", [])]
        same(case, got, case.get("error", frames))
    return count
