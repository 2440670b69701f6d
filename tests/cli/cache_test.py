"""Compiled code that is kept on disk: taken again, whatever happened to it meanwhile."""

import os
import stat
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

    def complaint(self):
        """What one run says of the cache: one warning, the same in the JSON, and no code from there."""
        run = self.simulated()
        self.assertFalse(run["code_from_cache"])
        warnings = [text for text in run["warnings"] if "cache" in text]
        self.assertEqual(len(warnings), 1, run["warnings"])
        said = self.succeeds("simulate", "decay.mo", env=self.environment).stderr
        return warnings[0], said

    def test_the_folder_is_for_the_user_alone(self):
        self.cache = self.folder / "new" / "cache"
        self.environment = environment(DAEDALUS_CACHE=str(self.cache))
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        self.simulated()
        for folder in (self.cache, self.cache.parent):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        for file in self.cache.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode) & 0o077, 0)

    def test_a_folder_that_others_may_write_is_not_used(self):
        self.simulated()
        kept = {file.name: file.read_bytes() for file in self.cache.iterdir()}
        for mode in (0o777, 0o770, 0o702):
            self.cache.chmod(mode)
            warning, said = self.complaint()
            self.assertIn(f"the cache was not used: others may write `{self.cache}`", warning)
            self.assertEqual(said.count("the cache was not used"), 1)
        self.assertEqual({file.name: file.read_bytes() for file in self.cache.iterdir()}, kept)
        self.cache.chmod(0o755)
        self.assertTrue(self.simulated()["code_from_cache"])

    def test_a_file_that_others_may_write_is_not_used(self):
        self.simulated()
        for file in self.cache.iterdir():
            file.chmod(0o666)
        run = self.simulated()
        self.assertFalse(run["code_from_cache"])
        self.assertEqual(sum("the cache was not used: others may write" in text for text in run["warnings"]), 1)
        again = self.simulated()  # the files have been replaced
        self.assertTrue(again["code_from_cache"])
        self.assertEqual(again["warnings"], [])

    def test_links_are_followed_before_they_are_trusted(self):
        self.simulated()
        elsewhere = self.folder / "elsewhere"
        self.cache.rename(elsewhere)
        self.cache.symlink_to(elsewhere)
        self.assertTrue(self.simulated()["code_from_cache"])
        elsewhere.chmod(0o777)
        self.assertIn("others may write", self.complaint()[0])
        elsewhere.chmod(0o700)
        for file in list(elsewhere.iterdir()):
            target = self.folder / file.name
            file.rename(target)
            target.chmod(0o622)
            file.symlink_to(target)
        self.assertFalse(self.simulated()["code_from_cache"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_what_belongs_to_somebody_else_is_not_used(self):
        self.simulated()
        os.chown(self.cache, 12345, -1)
        self.assertIn("belongs to another user", self.complaint()[0])
        os.chown(self.cache, 0, -1)
        for file in self.cache.iterdir():
            os.chown(file, 12345, -1)
        run = self.simulated()
        self.assertFalse(run["code_from_cache"])
        self.assertIn("belongs to another user", "".join(run["warnings"]))

    def test_what_is_no_file_does_not_hold_it_up(self):
        self.simulated()
        for file in list(self.cache.iterdir()):
            file.unlink()
            os.mkfifo(file)
        self.assertFalse(self.simulated()["code_from_cache"])

    def test_no_cache_keeps_and_takes_nothing(self):
        self.assertFalse(self.simulated("--no-cache")["code_from_cache"])
        self.assertFalse(self.cache.exists())


if __name__ == "__main__":
    unittest.main()
