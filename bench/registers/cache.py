# SPDX-License-Identifier: Apache-2.0

"""Results on disk, keyed by the content of everything that they depend on. A run that was stopped finds its earlier
results again, and two runs may share a folder."""

import hashlib
import json
import os
import sys
import tempfile
import threading

# Part of every key. Increase it when the meaning of the stored results changes.
_VERSION = "1"


def content_hash(content):
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def file_hash(path):
    with open(path, "rb") as file:
        return content_hash(file.read())


def default_folder():
    """Returns a folder within the user's cache folder ($XDG_CACHE_HOME, where it is absolute, or ~/.cache)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "ptxmir", "registers")


class Cache:
    """If `folder` is None, nothing is stored. A folder that cannot be written is reported once."""

    def __init__(self, folder):
        self._folder = folder
        self._lock = threading.Lock()
        self.found = 0
        self.made = 0
        self._is_reported = False

    def get(self, key_parts, make):
        """Returns the result, a JSON object, for a list of texts. make() returns it and whether it may be stored."""
        path = self._path(key_parts)
        result = self._read(path)
        with self._lock:
            self.found += result is not None
            self.made += result is None
        if result is not None:
            return result
        result, may_be_kept = make()
        if may_be_kept and path is not None:
            self._keep(path, result)
        return result

    def _keep(self, path, result):
        try:
            self._write(path, result)
        except OSError as error:
            with self._lock:
                if not self._is_reported:
                    print(f"warning: results are not kept: {error}", file=sys.stderr)
                self._is_reported = True

    def _path(self, key_parts):
        if self._folder is None:
            return None
        # JSON, so that no two lists of texts give the same key.
        key = content_hash(json.dumps([_VERSION, *key_parts]))
        return os.path.join(self._folder, key[:2], key[2:] + ".json")

    @staticmethod
    def _read(path):
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None  # missing or damaged: computed again

    @staticmethod
    def _write(path, result):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Atomic, even if we are stopped at any moment.
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(result, file)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
