"""Files as one piece of bytes, on their way to a node and back."""

import io
import os
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from traindx.errors import TraindxError


def packed(files: Iterable[tuple[Path, str]]) -> bytes:
    """Files under the names they are to have, with their modes and times; links as what they point at."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", dereference=True) as archive:
        for path, name in files:
            archive.add(path, name, recursive=False)
    return content.getvalue()


def unpacked(content: bytes, into: Path) -> None:
    """Write the files below a folder; refused before any is written where one would come to lie elsewhere."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = archive.getmembers()
        for member in members:
            name = PurePosixPath(member.name)
            if not member.isreg() or name.is_absolute() or ".." in name.parts or not name.parts:
                raise TraindxError(
                    f'a node sent "{member.name}", which is no file of an arm; nothing was kept'
                )
        for member in members:
            target = into / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = archive.extractfile(member)
            assert source is not None
            with source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
            target.chmod(0o600 | member.mode & 0o777)
            os.utime(target, (member.mtime, member.mtime))
