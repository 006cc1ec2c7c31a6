# SPDX-License-Identifier: Apache-2.0

"""Drives a headless Chromium through the DevTools protocol, over pipes, with the standard library only.

    with Browser() as browser:
        browser.open("/tmp/page.html")
        browser.click("[data-view=pressure]")
        assert browser.evaluate("document.title") == "..." and not browser.errors
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_TIMEOUT = 30


def find():
    """Returns the path of a Chromium, or None."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class BrowserError(Exception):
    pass


def _pipe():
    """Returns the ends of a pipe, both above 4, so that none is in the way of descriptors 3 and 4."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return ends


class Browser:
    """A browser with one page. Errors of the page are collected in "errors"."""

    def __init__(self, width=1400, height=900, is_dark=False):
        self.errors = []
        self._width = width
        self._height = height
        self._is_dark = is_dark
        self._process = None
        self._buffer = b""
        self._number = 0
        self._session = None
        self._events = []

    def __enter__(self):
        path = find()
        if path is None:
            raise BrowserError("there is no Chromium")
        self._folder = tempfile.TemporaryDirectory(prefix="browser", ignore_cleanup_errors=True)
        child_in, self._out = _pipe()
        self._in, child_out = _pipe()
        # pipe() returns (reading end, writing end): the child reads commands at 3 and writes answers at 4.
        command = [path, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
                   f"--window-size={self._width},{self._height}", f"--user-data-dir={self._folder.name}", "about:blank"]

        def connect():
            os.dup2(child_in, 3)
            os.dup2(child_out, 4)

        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=connect,
                                             start_new_session=True)
            os.close(child_in)
            os.close(child_out)
            self._attach()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        if self._process is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait()
            self._process = None
            os.close(self._in)
            os.close(self._out)
        self._folder.cleanup()

    def _attach(self):
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(domain + ".enable")
        self._call("Emulation.setDeviceMetricsOverride",
                   {"width": self._width, "height": self._height, "deviceScaleFactor": 1, "mobile": False})
        self.set_dark(self._is_dark)

    def _receive(self, deadline):
        """Returns the next message."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("the browser does not answer")
            data = os.read(self._in, 1 << 16)
            if not data:
                raise BrowserError("the browser has ended")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        """Keeps an event, and the error that it reports."""
        method, parameters = message.get("method"), message.get("params", {})
        self._events.append(method)
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(value.get("value", value.get("description"))) for value in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])

    def _call(self, method, parameters=None, timeout=_TIMEOUT):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        deadline = time.monotonic() + timeout
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _wait_for(self, event, timeout=_TIMEOUT):
        deadline = time.monotonic() + timeout
        while event not in self._events:
            self._note(self._receive(deadline))

    def set_dark(self, is_dark):
        value = "dark" if is_dark else "light"
        self._call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]})

    def open(self, path, fragment=""):
        """Loads a file and waits until it is drawn; returns the seconds that took."""
        url = pathlib.Path(path).resolve().as_uri() + ("#" + fragment if fragment else "")
        # An address that differs only after "#" would not be loaded again.
        self._navigate("about:blank")
        start = time.monotonic()
        self._navigate(url)
        self.settle()
        return time.monotonic() - start

    def _navigate(self, url):
        self._events.clear()
        answer = self._call("Page.navigate", {"url": url})
        if answer.get("errorText"):
            raise BrowserError(f"{url}: {answer['errorText']}")
        self._wait_for("Page.loadEventFired")

    def settle(self):
        """Waits until two frames were drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def evaluate(self, expression):
        """Returns the value of an expression; that of a promise when it is fulfilled."""
        result = self._call("Runtime.evaluate",
                            {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def center(self, selector):
        """Returns the center of the first element with the selector, scrolled into sight."""
        place = self.evaluate(
            f"(() => {{ const node = document.querySelector({json.dumps(selector)}); if (!node) return null;"
            " node.scrollIntoView({block: 'nearest', inline: 'nearest'}); const box = node.getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()")
        if place is None:
            raise BrowserError(f"there is no element {selector}")
        return place

    def click(self, selector):
        """Clicks at the center of the first element with the selector."""
        self.click_at(*self.center(selector))

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent",
                       {"type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left",
                        "clickCount": 0 if kind == "mouseMoved" else 1})
        self.settle()

    def hover(self, selector):
        x, y = self.center(selector)
        self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
        self.settle()

    def press(self, key):
        """Presses a key by its name, for example Escape or ArrowRight."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key})
        self.settle()

    def screenshot(self, path):
        data = self._call("Page.captureScreenshot", {"format": "png"})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
