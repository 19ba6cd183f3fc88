"""First paint of a report's pages from disk, and what each loads: python benchmarks/report.py [results/report]."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

ROUNDS = 5
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-pipe"
)
PAINT = """new Promise((done) => new PerformanceObserver((list) => {
  const paint = list.getEntries().find((each) => each.name === "first-contentful-paint");
  if (paint) done(paint.startTime);
}).observe({ type: "paint", buffered: true }))"""


class Browser:
    """A headless Chromium, spoken to by its pipe."""

    def __init__(self, profile):
        (read, commands), (answers, write) = os.pipe(), os.pipe()
        line = f'exec "$0" {FLAGS} --user-data-dir="$1" about:blank 3<&{read} 4>&{write}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, BROWSER, profile], pass_fds=(read, write), stderr=subprocess.DEVNULL
        )
        for end in (read, write):
            os.close(end)
        self.commands, self.answers, self.count = os.fdopen(commands, "wb", 0), os.fdopen(answers, "rb"), 0
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def call(self, method, session="", **parameters):
        """Send a command and return its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        self.commands.write(json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        while True:
            answer, byte = bytearray(), self.answers.read(1)
            while byte not in (b"\0", b""):
                answer += byte
                byte = self.answers.read(1)
            if (found := json.loads(answer)).get("id") == self.count:
                return found["result"]

    def first_paint(self, page):
        """Open a page and return the milliseconds until it shows something."""
        self.call("Page.navigate", self.session, url=page.resolve().as_uri())
        asked = {"expression": PAINT, "awaitPromise": True, "returnByValue": True}
        return self.call("Runtime.evaluate", self.session, **asked)["result"].get("value", float("nan"))

    def close(self):
        """End the browser."""
        self.call("Browser.close")
        self.process.wait()


def loaded(page):
    """Return the bytes of a page with its styles, scripts and pictures."""
    text = page.read_text(encoding="utf-8")
    own = re.findall(r'<(?:script|img|link)[^>]*?(?:src|href)="(?!data:)([^"]+)"', text)
    return page.stat().st_size + sum((page.parent / unquote(name)).stat().st_size for name in set(own))


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results/report")
    if BROWSER is None or not (folder / "index.html").is_file():
        sys.exit("chromium is not on PATH" if BROWSER is None else f"{folder}: no report there; snakemake makes it")
    pages = [folder / "index.html", *sorted((folder / "pages").glob("study-*.html")), folder / "report.html"]
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        print("first paint (ms), median and worst of", ROUNDS, "| kB loaded")
        for page in pages:
            times = [browser.first_paint(page) for _ in range(ROUNDS)]
            print(f"{page.name:40} {statistics.median(times):6.0f} {max(times):6.0f} | {loaded(page) / 1000:8.0f}")
        browser.close()


if __name__ == "__main__":
    main()
