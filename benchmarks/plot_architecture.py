"""Draw docs/architecture.svg from the table of rooms in docs/architecture.md.

    python benchmarks/plot_architecture.py            write the picture
    python benchmarks/plot_architecture.py --check    exit status 1 where it is stale

A room stands below the rooms it may import, as low as the rooms that build on it allow. An arrow
goes from a room to one that builds on it; an arrow that follows from others is left out. Private
files that import nothing stand at the top without arrows.
"""

import argparse
import re
import sys
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import fmean as mean

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "architecture.md", DOCS / "architecture.svg"

# In units of the picture. On a phone 480 of them are 360 points, and a letter is 11 points high.
WIDTH, ROW, BOX_HEIGHT, GAP, LETTER, PADDING = 480, 68, 34, 12, 9, 11
STYLE = """
text { font: 15px ui-monospace, Menlo, Consolas, monospace; fill: #1b1f24; text-anchor: middle }
.note { font: 15px system-ui, sans-serif; fill: #57606a }
rect { fill: #fff; stroke: #57606a; stroke-width: 1.2 }
.core { fill: #ddf0ff; stroke: #0072b2 }
.apart { stroke-dasharray: 4 3 }
.paper { stroke: none }
path { fill: none; stroke: #57606a; stroke-width: 1.4; marker-end: url(#tip) }
marker path { fill: #57606a; stroke: none; marker-end: none }
"""


def rooms(text):
    """Room -> the rooms it may import, in the order of the table."""
    rows = [line.split("|")[1:-1] for line in text.splitlines()]
    cells = [[re.findall("`([^`]+)`", cell) for cell in row] for row in rows if len(row) == 3]
    plan = {first[0]: last for first, _, last in cells if first}

    def named(name):  # `_core/*` is every room of _core
        inside = name.removesuffix("*")
        return [room for room in plan if room.startswith(inside)] if inside != name else [name]

    return {room: {one for name in may for one in named(name)} for room, may in plan.items()}


def drawn_rooms(text):
    """The rooms as the picture has them: those of `tables` are one."""

    def shown(room):
        return "tables" if room.startswith("tables/") else room

    plan = {}
    for room, may in rooms(text).items():
        plan.setdefault(shown(room), set()).update(shown(one) for one in may)
    return {room: may - {room} for room, may in plan.items()}


def arrows(plan):
    """Pairs (room, one that builds on it) that do not follow from others."""

    @cache
    def below(room):
        return plan[room].union(*map(below, plan[room]))

    return [
        (one, room)
        for room, may in plan.items()
        for one in sorted(may)
        if not is_apart(one, plan) and not any(one in below(other) for other in may)
    ]


def is_apart(room, plan):
    """Whether a room is a private file that imports nothing; most others use it."""
    return room.startswith("_") and not plan[room]


def levels(plan, pairs):
    """Room -> its row, as low as the rooms that build on it allow; those apart have none."""

    @cache
    def height(room):
        return 1 + max((height(user) for one, user in pairs if one == room), default=-1)

    drawn = [room for room in plan if not is_apart(room, plan)]
    top = max(map(height, drawn))
    level = {room: top - height(room) for room in drawn}
    for room in drawn:  # what nothing builds on stands right below what it imports
        if height(room) == 0:
            level[room] = 1 + max((level[one] for one, user in pairs if user == room), default=-1)
    return level


def placed(pairs, level):
    """Rows of nodes, and the nodes each arrow passes: rooms, and points (arrow, row) between."""
    rows = [[room for room in level if level[room] == i] for i in range(max(level.values()) + 1)]
    ways = {}
    for pair in pairs:
        first, last = (level[room] for room in pair)
        points = [(pair, i) for i in range(first + 1, last)]
        ways[pair] = [pair[0], *points, pair[1]]
        for point in points:
            rows[point[1]].append(point)
    return ordered(rows, ways), ways


def ordered(rows, ways):
    """Rows in which each node is near the mean of its neighbours, so that few arrows cross."""
    above, below = {}, {}
    for way in ways.values():
        for one, other in pairwise(way):
            above.setdefault(other, []).append(one)
            below.setdefault(one, []).append(other)
    for neighbours, order in ((above, 1), (below, -1)):  # more sweeps change nothing
        for row in rows[::order]:
            x = middle(rows)
            row.sort(key=lambda node, x=x, of=neighbours: mean(x[n] for n in of.get(node, [node])))
    return rows


def width(node):
    return len(label(node)) * LETTER + 2 * PADDING if isinstance(node, str) else 12


def label(room):
    return room.removeprefix("_core/")


def middle(rows):
    """Node -> its x; the nodes of a row have equal gaps."""
    found = {}
    for row in rows:
        gap = (WIDTH - sum(map(width, row))) / (len(row) + 1)
        x = gap
        for node in row:
            found[node] = x + width(node) / 2
            x += width(node) + gap
    return found


def wrapped(rooms):
    """Rows of rooms, as many in each as its width takes."""
    rows = [[]]
    for room in rooms:
        if sum(map(width, [*rows[-1], room])) + GAP * (len(rows[-1]) + 2) > WIDTH:
            rows.append([])
        rows[-1].append(room)
    return rows


def box(room, x, y, kind):
    wide = width(room)
    return (
        f'<rect class="{kind}" x="{x - wide / 2:.0f}" y="{y - BOX_HEIGHT / 2:.0f}" '
        f'width="{wide}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}">{escape(label(room))}</text>'
    )


def line(way, x, y):
    """A curve from the lower edge of the first node through the points to the upper edge."""
    (x0, y0), *others = [(x[node], y[node]) for node in way]
    y0 += BOX_HEIGHT / 2
    text = f"M{x0:.0f} {y0:.0f}"
    for i, (x1, y1) in enumerate(others):
        end = y1 - BOX_HEIGHT / 2 - (4 if i == len(others) - 1 else 0)
        half = (y0 + end) / 2
        text += f" C{x0:.0f} {half:.0f} {x1:.0f} {half:.0f} {x1:.0f} {end:.0f}"
        if i < len(others) - 1:
            text += f" V{y1 + BOX_HEIGHT / 2:.0f}"
        x0, y0 = x1, y1 + BOX_HEIGHT / 2
    return f'<path d="{text}"/>'


def picture(text):
    """Return the drawing of the table in a page."""
    plan = drawn_rooms(text)
    pairs = arrows(plan)
    rows, ways = placed(pairs, levels(plan, pairs))
    apart = wrapped([room for room in plan if is_apart(room, plan)])
    x = middle([*apart, *rows])
    y = {room: 58 + i * (BOX_HEIGHT + GAP) for i, row in enumerate(apart) for room in row}
    top = max(y.values()) + 48  # a line of text stands between
    y |= {node: top + 46 + i * ROW for i, row in enumerate(rows) for node in row}
    height = max(y.values()) + BOX_HEIGHT / 2 + 14
    parts = [line(way, x, y) for way in ways.values()]
    for room in plan:
        is_core = room.startswith("_core/")
        kind = "core" if is_core else "apart" if is_apart(room, plan) else "room"
        parts.append(box(room, x[room], y[room], kind))
    notes = [(24, "These import nothing; most others use them."), (top, "Blue: rooms of _core.")]
    parts += [f'<text class="note" x="{WIDTH // 2}" y="{at}">{note}</text>' for at, note in notes]
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}" role="img" aria-label="Rooms of the package">',
        f"<style>{STYLE}</style>",
        tip,
        f'<rect class="paper" width="{WIDTH}" height="{height:.0f}"/>',
        *parts,
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say whether stale")
    drawn = picture(PAGE.read_text(encoding="utf-8"))
    if not parser.parse_args().check:
        PICTURE.write_text(drawn, encoding="utf-8", newline="\n")
    elif PICTURE.read_text(encoding="utf-8") != drawn:
        sys.exit(f"{PICTURE} is stale; run python benchmarks/plot_architecture.py")


if __name__ == "__main__":
    main()
