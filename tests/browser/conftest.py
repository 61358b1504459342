"""One browser and one demo for all tests here. PLANPROOF_BROWSER names the browser, PLANPROOF_SCREENSHOTS a folder
that pictures of the pages go to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, browsing
from tests.demo import Demo, set_up


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    command = os.environ.get("PLANPROOF_BROWSER")
    if not command:
        pytest.skip("PLANPROOF_BROWSER does not name a browser, such as chromium")
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not on the PATH; on Debian: apt install chromium")
    with browsing(command, tmp_path_factory.mktemp("browser") / "of its own") as browser:
        yield browser


@pytest.fixture(scope="session")
def demo(chromium: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with set_up(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ.get("PLANPROOF_SCREENSHOTS")
    return Path(named) if named else tmp_path_factory.mktemp("pictures")
