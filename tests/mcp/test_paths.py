"""What an agent may name: everything in the roots, and nothing that a link or a dot leads out to."""

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from traindx.errors import TraindxError
from traindx.mcp.paths import Roots, roots_from


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "in" / "runs").mkdir(parents=True)
    (tmp_path / "in" / "runs" / "log.csv").write_text("step,loss\n0,1\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.csv").write_text("step,loss\n0,1\n")
    return tmp_path


def roots_at(place: Path) -> Roots:
    return roots_from([str(place / "in")])


@pytest.mark.parametrize("path", ["runs/log.csv", "runs", ".", "runs/../runs/log.csv", "./runs/"])
def test_what_is_inside_may_be_named(path: str, place: Path) -> None:
    assert roots_at(place).inside(path).is_relative_to(place / "in")


@pytest.mark.parametrize(
    "path",
    ["..", "../out/secret.csv", "runs/../../out/secret.csv", "/etc/passwd", "~", "", "a\0b", "-", "x" * 5000],
)
def test_what_is_not_inside_is_refused(path: str, place: Path) -> None:
    with pytest.raises(TraindxError):
        roots_at(place).readable(path)


def test_an_absolute_path_inside_may_be_named(place: Path) -> None:
    assert roots_at(place).readable(str(place / "in" / "runs")) == "runs"


def test_a_sibling_that_only_begins_like_a_root_is_outside(place: Path) -> None:
    (place / "inside").mkdir()
    with pytest.raises(TraindxError, match="not in the allowed folders"):
        roots_at(place).inside(str(place / "inside"))


@pytest.mark.parametrize(
    ("link", "target", "read"),
    [
        ("secret.csv", "out/secret.csv", "secret.csv"),
        ("elsewhere", "out", "elsewhere/secret.csv"),
        ("runs/secret.csv", "out/secret.csv", "runs"),
        ("runs/config.yaml", "out/secret.csv", "runs/log.csv"),
        ("runs/files", "out", "runs/log.csv"),
        ("runs/.hydra", "out", "runs"),
    ],
)
def test_a_link_does_not_lead_out(link: str, target: str, read: str, place: Path) -> None:
    (place / "in" / link).symlink_to(place / target)
    with pytest.raises(TraindxError, match="allowed folders"):
        roots_at(place).readable(read)


def test_links_that_stay_inside_and_folders_that_are_not_read_are_no_matter(place: Path) -> None:
    (place / "in" / "latest").symlink_to(place / "in" / "runs")
    (place / "in" / "runs" / "again.csv").symlink_to(place / "in" / "runs" / "log.csv")
    (place / "in" / "runs" / "data").symlink_to(place / "out")
    assert roots_at(place).readable("latest") == "runs"


def test_a_root_that_is_a_link_holds_what_it_leads_to(place: Path) -> None:
    (place / "link").symlink_to(place / "in")
    assert roots_from([str(place / "link")]).readable("runs/log.csv") == "runs/log.csv"


def test_roots_of_the_client_take_away_and_never_add(place: Path) -> None:
    roots = roots_at(place)
    assert roots.narrowed([(place / "in" / "runs").as_uri()]).readable("runs/log.csv")
    for uris in (
        [(place / "out").as_uri()],
        ["https://example.org/runs"],
        [(place / "in" / "other").as_uri()],
    ):
        with pytest.raises(TraindxError):
            roots.narrowed(uris).readable("runs/log.csv")
    with pytest.raises(TraindxError):
        roots.narrowed([place.as_uri()]).readable("../out/secret.csv")


def test_output_goes_below_our_folder_and_through_no_link(place: Path) -> None:
    roots = roots_at(place)
    assert roots.output(roots.home, "reports") == place / "in" / ".traindx" / "reports"
    (place / "in" / ".traindx").symlink_to(place / "out")
    with pytest.raises(TraindxError, match="a link out of"):
        roots.output(roots.home, "reports")


def test_without_a_root_it_is_the_working_directory_but_never_the_whole_disk(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "in")
    assert roots_from([]).home == place / "in"
    monkeypatch.chdir("/")
    with pytest.raises(TraindxError, match="--root DIR"):
        roots_from([])


def test_a_root_may_begin_at_the_home_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place))
    assert roots_from(["~/in"]).home == place / "in"


def test_a_root_that_is_no_folder_is_refused(place: Path) -> None:
    with pytest.raises(TraindxError, match="not a folder"):
        roots_from([str(place / "missing")])
