"""Reads every #include of src/ and include/ against the layers that CMake declares, and keeps libraries in their place.

Usage: layers_test.py SOURCE_FOLDER LAYERS_FILE
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path()
LAYERS = {}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

# A library belongs to the folders named here and to no public header.
LIBRARIES = {
    r"llvm(-c)?/": {"codegen"},
    r"Eigen/|unsupported/Eigen/": {"linalg"},
    r"klu\.h|suitesparse/|amd\.h|btf\.h|colamd\.h": {"linalg"},
    r"CLI/": {"cli"},
    r"nlohmann/": {"report", "cli"},
    r"hdf5\.h|H5\w+\.h": {"report"},
}
TEST_LIBRARIES = re.compile(r"(gtest|gmock|benchmark)/")


def sources():
    """(file, its layer, whether it is a public header) for every file of the engine."""
    for base in (ROOT / "src", ROOT / "include" / "daedalus"):
        for file in sorted(base.rglob("*")):
            if file.suffix in (".cpp", ".hpp", ".h"):
                parts = file.relative_to(base).parts
                yield file, parts[0] if len(parts) > 1 else None, base.name == "daedalus"


def includes(file):
    return INCLUDE.findall(file.read_text())


def layer_of_include(file, quote, path):
    """The layer that an include reaches into, or None for the standard library and third parties."""
    if path.startswith("daedalus/"):
        parts = path.split("/")
        return parts[1] if len(parts) > 2 else "daedalus.hpp"
    if quote == '"' and (file.parent / path).exists():
        target = (file.parent / path).resolve().relative_to(ROOT)
        return target.parts[1] if target.parts[0] == "src" else None
    if quote == '"' and (ROOT / "src" / path).exists():
        return path.split("/")[0]
    return None


def is_test(file):
    return file.stem.endswith("_test") or file.stem == "test_support" or file.stem == "scratch"


class Layers(unittest.TestCase):
    def test_every_folder_is_a_declared_layer(self):
        folders = {layer for _, layer, _ in sources() if layer}
        self.assertEqual(folders - set(LAYERS), set())

    def test_no_include_leaves_the_declared_edges(self):
        for file, layer, _ in sources():
            if layer is None or is_test(file):
                continue
            for quote, path in includes(file):
                target = layer_of_include(file, quote, path)
                if target is None or target == layer:
                    continue
                with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                    self.assertIn(target, LAYERS[layer], f"`{layer}` may use {sorted(LAYERS[layer])}")

    def test_no_cycle_among_the_layers(self):
        done = set()
        while len(done) < len(LAYERS):
            ready = {name for name, uses in LAYERS.items() if name not in done and uses <= done}
            self.assertTrue(ready, f"a cycle among {sorted(set(LAYERS) - done)}")
            done |= ready

    def test_private_headers_stay_in_their_layer(self):
        for file, layer, _ in sources():
            if is_test(file):
                continue
            for quote, path in includes(file):
                target = layer_of_include(file, quote, path)
                if quote != '"' or path.startswith("daedalus/") or target is None:
                    continue
                with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                    self.assertEqual(target, layer)

    def test_every_include_in_quotes_exists(self):
        for file, _, _ in sources():
            for quote, path in includes(file):
                if quote != '"' or path.startswith("daedalus/page"):
                    continue
                with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                    here = [ROOT / "include" / path, ROOT / "src" / path, file.parent / path, ROOT / path]
                    self.assertTrue(any(candidate.exists() for candidate in here))


class Libraries(unittest.TestCase):
    def test_each_library_stays_in_its_folder(self):
        for file, layer, _ in sources():
            for _, path in includes(file):
                for pattern, owners in LIBRARIES.items():
                    if re.match(pattern, path) and not is_test(file):
                        with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                            self.assertIn(layer, owners)

    def test_public_headers_show_no_library(self):
        for file, _, public in sources():
            for quote, path in includes(file) if public else ():
                with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                    self.assertTrue(path.startswith("daedalus/") if quote == '"' else "/" not in path and "." not in path,
                                    "only the standard library and our own public headers")

    def test_the_c_header_needs_nothing_but_c(self):
        for quote, path in includes(ROOT / "include/daedalus.h"):
            self.assertIn((quote, path), {("<", "stddef.h"), ("<", "stdint.h")})

    def test_only_the_c_interface_uses_the_c_header(self):
        users = {layer for file, layer, _ in sources() for _, path in includes(file) if path == "daedalus.h"}
        self.assertEqual(users, {"capi"})

    def test_only_tests_use_test_libraries(self):
        for file, _, _ in sources():
            for _, path in includes(file):
                if TEST_LIBRARIES.match(path):
                    with self.subTest(file=str(file.relative_to(ROOT)), include=path):
                        self.assertTrue(is_test(file))


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    for line in pathlib.Path(sys.argv.pop(1)).read_text().splitlines():
        name, _, uses = line.partition(":")
        LAYERS[name.strip()] = set(uses.split())
    unittest.main()
