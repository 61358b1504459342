"""The driver sees what is broken on a page, and reaches no other machine."""

from __future__ import annotations

from urllib.parse import quote

from tests.browser.chromium import Chromium

BROKEN = """<!doctype html><title>broken</title><p>ready</p><script>
console.error("said aloud");
fetch("http://example.org/").catch(() => { document.querySelector("p").textContent = "not reached"; });
throw new Error("thrown");
</script>"""


def test_a_broken_page_is_noticed(chromium: Chromium) -> None:
    page = chromium.open("data:text/html," + quote(BROKEN))
    page.wait_for_text("not reached")
    for word in ("console: ['said aloud']", "script: Error: thrown", "request: net::ERR_NAME_NOT_RESOLVED"):
        assert any(complaint.startswith(word) for complaint in page.complaints), page.complaints
    page.close()


def test_a_sound_page_gives_no_complaint(chromium: Chromium) -> None:
    page = chromium.open("data:text/html," + quote("<!doctype html><title>sound</title><button>Press</button>"))
    page.run("document.querySelector('button').onclick = event => { event.target.textContent = 'Pressed'; }; 0")
    page.click("button")
    page.wait_for_text("Pressed")
    assert page.complaints == []
    page.close()
