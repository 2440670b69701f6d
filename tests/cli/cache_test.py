"""Compiled code that is kept on disk: taken again, whatever happened to it meanwhile."""

import subprocess
import unittest

from support import DECAY, PROGRAM, CliTest, environment


class CacheTest(CliTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.environment = environment(DAEDALUS_CACHE=str(self.cache))

    def simulated(self, *arguments):
        return self.json_of("simulate", "decay.mo", *arguments, env=self.environment)

    def test_the_second_run_compiles_nothing(self):
        first, second = self.simulated(), self.simulated()
        self.assertFalse(first["code_from_cache"])
        self.assertTrue(second["code_from_cache"])
        self.assertEqual(first["final"], second["final"])

    def test_the_second_run_analyses_nothing(self):
        self.assertIn("parse", self.simulated()["phases_s"])
        second = self.simulated()
        self.assertIn("restore", second["phases_s"])
        self.assertNotIn("parse", second["phases_s"])

    def test_warnings_come_again(self):
        self.write("decay.mo", DECAY.replace("parameter Integer n = 2", "parameter Integer n(start = 2)"))
        first = self.succeeds("simulate", "decay.mo", env=self.environment)
        second = self.succeeds("simulate", "decay.mo", env=self.environment)
        self.assertIn("warning", first.stderr)
        self.assertEqual(first.stderr, second.stderr)

    def test_wrong_models_are_wrong_again(self):
        self.write("decay.mo", DECAY.replace("-k*x", "-kk*x"))
        for _ in range(2):
            self.fails(1, "simulate", "decay.mo", says="kk", env=self.environment)

    def test_another_parameter_needs_no_compilation(self):
        self.simulated()
        run = self.simulated("--set", "k=3")
        self.assertTrue(run["code_from_cache"])
        self.assertAlmostEqual(run["final"]["x"], 0.0497870683678639, places=5)

    def test_another_equation_does(self):
        self.simulated()
        self.write("decay.mo", DECAY.replace("-k*x", "-k*x*x"))
        run = self.simulated()
        self.assertFalse(run["code_from_cache"])
        self.assertAlmostEqual(run["final"]["x"], 0.5, places=5)

    def test_damaged_files_are_replaced(self):
        good = self.simulated()
        for damage in (b"", b"nonsense", b"\0" * 100_000):
            for file in self.cache.iterdir():
                file.write_bytes(damage)
            run = self.simulated()
            self.assertFalse(run["code_from_cache"])
            self.assertEqual(run["final"], good["final"])
            self.assertTrue(self.simulated()["code_from_cache"])

    def test_several_programs_at_once(self):
        runs = [subprocess.Popen([PROGRAM, "simulate", "decay.mo", "--json"], cwd=self.folder, env=self.environment,
                                 stdout=subprocess.PIPE, text=True) for _ in range(4)]
        outputs = [run.communicate(timeout=60)[0] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * 4)
        finals = {output[output.index('"final"'):] for output in (text.replace("true", "false") for text in outputs)}
        self.assertEqual(len(finals), 1)

    def test_a_folder_that_cannot_be_written_is_no_trouble(self):
        self.cache.write_text("a file")
        self.assertFalse(self.simulated()["code_from_cache"])

    def test_no_cache_keeps_and_takes_nothing(self):
        self.assertFalse(self.simulated("--no-cache")["code_from_cache"])
        self.assertFalse(self.cache.exists())


if __name__ == "__main__":
    unittest.main()
