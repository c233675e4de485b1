"""Report cells whose R1C1 expression differs from equal neighbours above and below.

Input: a CSV file holding one sheet, each cell its R1C1 expression or value.
Output: one line a finding: row, column, expression, expression of the neighbours.
"""

import csv
import sys


def outliers(rows):
    """Yield (row, column, expression, expected), counted from 1."""
    width = max((len(r) for r in rows), default=0)
    for c in range(width):
        column = [r[c].strip() if c < len(r) else "" for r in rows]
        for i in range(1, len(column) - 1):
            above, here, below = column[i - 1 : i + 2]
            if above.startswith("=") and above == below and here != above:
                yield i + 1, c + 1, here, above


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: r1c1_outliers.py FILE.csv")
    with open(sys.argv[1], newline="", encoding="utf-8-sig") as f:
        for row, col, here, expected in outliers(list(csv.reader(f))):
            print(f"R{row}C{col}\t{here or '(empty)'}\t{expected}")
