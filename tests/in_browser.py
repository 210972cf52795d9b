"""Opens pages in a browser, for tests, and measures what a reader would frown at."""

import json
import re
import shutil
import subprocess
from html import unescape

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
--disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000
--window-size=1400,900 --dump-dom""".split()

# Texts below 11 pixels as they are displayed, texts of a drawing that overlap or leave it, and
# whether the page is wider than its window. A box is as high as its line: a part of it is spared.
LAYOUT = """
const said = (element) => element.textContent.trim().slice(0, 40);
const isSeen = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;
function sizeOf(element) {
  const size = parseFloat(getComputedStyle(element).fontSize);
  if (!element.ownerSVGElement) return size;
  const turn = element.getScreenCTM();
  return size * Math.hypot(turn.a, turn.b);
}
function boxOf(text) {
  const box = text.getBoundingClientRect(), turn = text.getScreenCTM();
  const isUpright = Math.abs(turn.a) >= Math.abs(turn.b);
  const x = isUpright ? 0.5 : 0.18 * box.width, y = isUpright ? 0.18 * box.height : 0.5;
  return {left: box.left + x, right: box.right - x, top: box.top + y, bottom: box.bottom - y};
}
const meets = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const isWithin = (a, b) =>
  a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
function layout() {
  const found = {small: [], overlap: [], outside: []};
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || element.closest("script, style, defs")) continue;
    if (isSeen(element) && sizeOf(element) < 10.99) found.small.push(said(element));
  }
  for (const drawing of document.querySelectorAll("svg")) {
    if (!isSeen(drawing)) continue;
    const whole = drawing.getBoundingClientRect(), own = [...drawing.querySelectorAll("text")];
    const boxes = own.map(boxOf);
    boxes.forEach((box, i) => {
      if (!isWithin(box, whole)) found.outside.push(said(own[i]));
      const met = boxes.findIndex((other, j) => j > i && meets(box, other));
      if (met >= 0) found.overlap.push(said(own[i]) + " | " + said(own[met]));
    });
  }
  found.widths = [document.documentElement.scrollWidth, window.innerWidth];
  return found;
}
"""

# A browser without a screen is at least 500 pixels wide; a frame in it is as narrow as one likes.
FRAME = """<!DOCTYPE html><body><pre id="seen"></pre><script>
const seen = {};
onmessage = (event) => {
  const found = JSON.parse(event.data);
  seen[found.widths[1]] = found;
  document.getElementById("seen").textContent = JSON.stringify(seen);
};
</script>FRAMES</body>"""


def opened(path, folder):
    """Open a file in a browser of its own and return the document and the console's words."""
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={folder}", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def seen_at(widths, page, script, folder):
    """Open a page at each of these widths and return what its script saw at each.

    The script defines ``seen()``, whose value is returned beside that of ``layout()``.
    """
    text = page.read_text(encoding="utf-8")
    if "script-src" not in text:  # the page has no script, and its policy forbids this one
        text = text.replace("style-src 'unsafe-inline'", "style-src * 'unsafe-inline'", 1)
        text = text.replace("default-src 'none'", "script-src 'unsafe-inline'", 1)
    tell = 'parent.postMessage(JSON.stringify({...seen(), ...layout()}), "*");'
    probe = f"<script>{LAYOUT}{script}{tell}</script></body>"
    probed = page.with_name("probed.html")
    probed.write_text(text.replace("</body>", probe), encoding="utf-8")
    frames = "".join(
        f'<iframe src="probed.html" width="{width}" height="900"></iframe>' for width in widths
    )
    around = page.with_name("frames.html")
    around.write_text(FRAME.replace("FRAMES", frames), encoding="utf-8")
    document, console = opened(around, folder)
    found = re.search(r'<pre id="seen">(.+?)</pre>', document, re.DOTALL)
    assert found, f"the page's script did not end: {console}"
    seen = json.loads(unescape(found.group(1)))
    return {int(width): one | {"console": console} for width, one in seen.items()}
