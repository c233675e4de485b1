"""Apply t' = A*t + B (seconds) to every time stamp of an SRT file on standard input."""

import re
import sys
from fractions import Fraction

STAMP = re.compile(r"(\d+):([0-5]\d):([0-5]\d),(\d{3})")


def conform(line, a, b):
    def move(m):
        h, mi, s, ms = map(int, m.groups())
        t = max(0, round((((h * 60 + mi) * 60 + s) * 1000 + ms) * a + 1000 * b))
        return f"{t // 3600000:02}:{t // 60000 % 60:02}:{t // 1000 % 60:02},{t % 1000:03}"

    return STAMP.sub(move, line) if "-->" in line else line


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: conform.py A B < in.srt > out.srt   (A may be a fraction, such as 1000/1001)")
    a, b = Fraction(sys.argv[1]), Fraction(sys.argv[2])
    for text in sys.stdin:
        sys.stdout.write(conform(text, a, b))
