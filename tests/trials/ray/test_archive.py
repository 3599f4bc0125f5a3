"""Files on their way to a node and back."""

import io
import tarfile
from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.trials.ray.task import packed, unpacked


def test_files_come_out_as_they_went_in(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    script, table = tmp_path / "run.sh", tmp_path / "data" / "table.csv"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    table.write_bytes(b"\x00\xff")
    (tmp_path / "link").symlink_to(table)
    content = packed((path, name) for path, name in ((script, "run.sh"), (tmp_path / "link", "data/one.csv")))
    unpacked(content, tmp_path / "there")
    there = tmp_path / "there"
    assert (there / "run.sh").stat().st_mode & 0o777 == 0o755
    assert int((there / "run.sh").stat().st_mtime) == int(script.stat().st_mtime)
    assert (there / "data" / "one.csv").read_bytes() == b"\x00\xff"
    assert not (there / "data" / "one.csv").is_symlink()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../outside", tarfile.REGTYPE),
        ("/outside", tarfile.REGTYPE),
        ("in/../../outside", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("hard", tarfile.LNKTYPE),
        ("pipe", tarfile.FIFOTYPE),
    ],
)
def test_what_would_lie_elsewhere_is_refused_before_anything_is_written(
    name: str, kind: bytes, tmp_path: Path
) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("good"))
        bad = tarfile.TarInfo(name)
        bad.type, bad.linkname = kind, "../outside"
        archive.addfile(bad)
    with pytest.raises(TraindxError, match="not a file of a trial run"):
        unpacked(content.getvalue(), tmp_path / "there")
    assert list(tmp_path.iterdir()) == []
