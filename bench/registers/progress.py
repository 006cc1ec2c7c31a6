# SPDX-License-Identifier: Apache-2.0

"""A progress bar. It is shown only on a terminal."""

import sys
import threading
import time

_WIDTH = 30
_REDRAW_SECONDS = 0.1


class Progress:
    def __init__(self, stream=sys.stderr, is_wanted=True):
        self._stream = stream
        self._is_shown = is_wanted and stream.isatty()
        self._lock = threading.Lock()
        self._total = self._done = 0
        self._started = self._drawn = 0.0

    def begin(self, total):
        self._total = total
        self._started = time.monotonic()

    def advance(self):
        with self._lock:
            self._done += 1
            if self._is_shown and (time.monotonic() - self._drawn > _REDRAW_SECONDS or self._done == self._total):
                self._drawn = time.monotonic()
                self._draw()

    def end(self):
        if self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self):
        passed = self._drawn - self._started
        left = passed / self._done * (self._total - self._done)
        filled = _WIDTH * self._done // max(self._total, 1)
        self._stream.write(f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {self._done}/{self._total}  "
                           f"{passed:.0f} s, about {left:.0f} s left\x1b[K")
        self._stream.flush()
