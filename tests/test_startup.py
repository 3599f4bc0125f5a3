"""What is loaded when: start-up is fast because heavy modules wait until they are needed."""

import subprocess
import sys

import pytest

CALL = """
try:
    from traindx.cli import main
    main({argv!r})
except SystemExit:
    pass
"""


def loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('LOADED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["inspect", "--help"],
        ["--version"],
        [],
        ["nonsense"],
        ["inspect", "--bad", "x"],
        ["diagnose", "--help"],
        ["compare", "--bad"],
        ["causes", "--help"],
        ["explain", "--help"],
        ["demo", "--help"],
        ["run", "--help"],
        ["examine", "--help"],
        ["examine"],
        ["mcp", "--help"],
        ["skill", "--help"],
        ["skill", "install", "--help"],
    ],
)
def test_help_and_bad_usage_load_neither_numpy_nor_rich(argv: list[str]) -> None:
    assert loaded_by(CALL.format(argv=argv)).isdisjoint({"numpy", "rich", "yaml", "msgspec"})


def test_importing_traindx_loads_nothing_heavy() -> None:
    loaded = loaded_by("import traindx")
    assert loaded.isdisjoint({"torch", "pandas", "matplotlib", "numpy", "rich"})


def test_reading_a_log_loads_no_framework(tmp_path: object) -> None:
    path = f"{tmp_path}/m.csv"
    with open(path, "w") as file:
        file.write("step,loss\n0,1\n1,0.5\n")
    loaded = loaded_by(f"import traindx; traindx.load({path!r})")
    assert "numpy" in loaded
    assert loaded.isdisjoint({"torch", "pandas", "matplotlib", "rich", "tensorboard", "wandb"})


def test_diagnosing_a_log_loads_no_framework(tmp_path: object) -> None:
    path = f"{tmp_path}/m.csv"
    with open(path, "w") as file:
        file.write("step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(30)))
    loaded = loaded_by(CALL.format(argv=["diagnose", path, "--json", f"{tmp_path}/o.json"]))
    assert loaded.isdisjoint({"torch", "pandas", "matplotlib", "plotly", "tensorboard", "wandb"})


def test_every_public_name_can_be_had() -> None:
    loaded = loaded_by("import traindx\nfor name in dir(traindx): getattr(traindx, name)")
    assert {
        "traindx.readers.loading.runs",
        "traindx.diagnosis.engine",
        "traindx.comparison.engine",
    } <= loaded
