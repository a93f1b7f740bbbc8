"""Runs first-minutes.sh in a terminal, line by line, and draws what it shows as an animated picture.

    python3 docs/terminal/recording.py target/release/sealstone

It writes first-minutes.svg beside itself. The folder that it works in is shown as `~`; all else is as the terminal had it. Pauses
are drawn shorter or longer than they were: a command takes the time of its typing, and its output appears after the time that the
command took.
"""

import html
import os
import pty
import re
import select
import struct
import sys
import tempfile
import time
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

HERE = Path(__file__).resolve().parent
COLUMNS = 122
FILM_LEN = 1 << 30
# In pixels.
ADVANCE, LINE, MARGIN, BAR = 8, 19, 18, 32
# In seconds.
KEY, THINK, READ, HOLD = 0.03, 0.5, 1.2, 8.0


@dataclass
class Line:
    """A line of the screen: when it begins to appear, and for how long it is typed."""

    text: str
    kind: str
    at: float
    typed: float = 0.0


def run(command: str, folder: Path) -> tuple[str, float]:
    """What the terminal received of a line of shell, and how many seconds the line took."""
    begin = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve("/bin/sh", ["sh", "-c", command], {**os.environ, "HOME": str(folder), "TERM": "xterm-256color"})
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    received = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # Linux says so of a terminal whose other side has ended.
            break
        if not part:
            break
        received += part
    os.waitpid(child, 0)
    return received.decode(), time.monotonic() - begin


def screen(received: str, folder: Path) -> list[str]:
    """The lines that stay on the screen: a line that was written over shows its end alone."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", received).replace("\r\n", "\n").replace(str(folder), "~")
    lines = [line.rsplit("\r", 1)[-1] for line in text.split("\n")]
    return [line[at : at + COLUMNS] for line in lines if line for at in range(0, len(line), COLUMNS)]


def record(program: Path) -> tuple[list[Line], float]:
    """All lines, and how long the whole takes."""
    lines: list[Line] = []
    now = THINK
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        with open(folder / "film.mkv", "wb") as film:
            for _ in range(FILM_LEN >> 20):
                film.write(os.urandom(1 << 20))
        for command in (HERE / "first-minutes.sh").read_text().splitlines():
            if command.startswith("#"):
                lines.append(Line(command, "comment", now))
                now += READ
                continue
            typed = KEY * len(command)
            lines.append(Line(f"$ {command}", "command", now, typed))
            received, took = run(command, folder)
            now += typed + took + THINK / 2
            shown = screen(received, folder)
            lines += [Line(line, "error" if "error:" in line else "output", now) for line in shown]
            now += READ if shown else THINK
    return lines, now + HOLD


def draw(lines: list[Line], whole: float) -> str:
    """The picture. Where nothing moves, it shows all lines."""
    width, height = COLUMNS * ADVANCE + 2 * MARGIN, BAR + len(lines) * LINE + MARGIN
    frames, texts = [], []
    for number, line in enumerate(lines):
        begin = 100 * line.at / whole
        end = 100 * (line.at + line.typed) / whole
        steps = f"animation-timing-function:steps({len(line.text)})" if line.typed else ""
        frames.append(
            f"@keyframes l{number}{{0%,{begin:.3f}%{{clip-path:inset(0 100% 0 0);{steps}}}"
            f"{max(end, begin + 0.001):.3f}%,100%{{clip-path:inset(0)}}}}#l{number}{{animation-name:l{number}}}"
        )
        texts.append(
            f'<text id="l{number}" class="{line.kind}" x="{MARGIN}" y="{BAR + LINE * (number + 1)}" textLength="{ADVANCE * len(line.text)}" '
            f'lengthAdjust="spacingAndGlyphs">{html.escape(line.text, quote=False)}</text>'
        )
    buttons = "".join(f'<circle cx="{MARGIN + 18 * at}" cy="{BAR // 2}" r="5" fill="#4a5160"/>' for at in range(3))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="A terminal in which sealstone encrypts, decrypts and signs a film">
<style>
text{{font:13px ui-monospace,"DejaVu Sans Mono","Liberation Mono",Menlo,Consolas,monospace;white-space:pre;fill:#c8ccd4}}
.command{{fill:#fff;font-weight:600}}.comment{{fill:#7f8ea3}}.error{{fill:#ff8a80}}
@media (prefers-reduced-motion:no-preference){{text{{animation-duration:{whole:.2f}s;animation-iteration-count:infinite}}
{chr(10).join(frames)}}}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#1b1f27"/>{buttons}
{chr(10).join(texts)}
</svg>
"""


def main() -> None:
    """Records and draws."""
    lines, whole = record(Path(sys.argv[1]).resolve())
    (HERE / "first-minutes.svg").write_text(draw(lines, whole))
    print(f"docs/terminal/first-minutes.svg: {len(lines)} lines, {whole:.0f} seconds")


if __name__ == "__main__":
    main()
