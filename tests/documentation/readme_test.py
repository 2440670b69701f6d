"""The code in the README is what the tests run: readme_test.py README.md readme.cpp robertson.c DAEDALUS FOLDER."""
import pathlib
import re
import subprocess
import sys
import textwrap

readme, source, c_source, program, folder = sys.argv[1:]
blocks = re.findall(r"```(\w+)\n(.*?)```", pathlib.Path(readme).read_text(), re.S)
code = {language: [text for name, text in blocks if name == language] for language, _ in blocks}

for language, file in (("cpp", source), ("c", c_source)):
    [written] = code[language]
    inside = re.search(r"// begin\n(.*?) *// end\n", pathlib.Path(file).read_text(), re.S).group(1)
    assert written == textwrap.dedent(inside), f"the README's code differs from {file}"

[model] = code["modelica"]
path = pathlib.Path(folder) / "pendulum.mo"
path.write_text(model)
run = subprocess.run([program, "simulate", str(path)], capture_output=True, text=True)
assert run.returncode == 0, run.stderr
assert "finished at t = 10 s" in run.stdout, run.stdout
