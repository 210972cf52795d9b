"""Is what is in dist/ a release? Version, changelog, and what the archives hold.

Not a pytest module: ``make release-check`` runs it after building. A release has its version in
``src/projstg/__init__.py``, in CITATION.cff and as the newest heading of CHANGELOG.md, with a date
and nothing left under *Unreleased*; the sdist is what git tracks, and the wheel what it tracks of
the package.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# For whoever works in a checkout; no part of the source that is shipped.
NOT_SHIPPED = (".ci/", ".github/", ".pre-commit-config.yaml")
# The largest figure has 0.4 MB. More than this is a page or a cache that nobody meant to ship.
MOST_BYTES = 1_000_000


def version_of(init):
    """Return the version that a text of ``__init__.py`` states.

    Examples
    --------
    >>> version_of('__version__ = "0.2.0"')
    '0.2.0'
    """
    return re.search(r'^__version__ = "([^"]+)"', init, re.MULTILINE)[1]


def changelog_troubles(changelog, version):
    """Say why a changelog is not that of a release.

    Examples
    --------
    >>> changelog_troubles("## Unreleased\\n\\n## 0.2.0 - 2026-12-01\\n\\n- New.", "0.2.0")
    []
    >>> changelog_troubles("## Unreleased\\n\\n- New.\\n\\n## 0.1.0 - 2026-12-01\\n", "0.2.0")
    ['something is under Unreleased; move it under "## 0.2.0 - YYYY-MM-DD".',
     'the newest heading is "0.1.0 - 2026-12-01"; it should be "0.2.0 - YYYY-MM-DD".']
    """
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    titles, bodies = zip(*(section.partition("\n")[::2] for section in sections), strict=True)
    wanted, troubles = f"{version} - YYYY-MM-DD", []
    if titles[0] != "Unreleased":
        return [f'the first heading is "{titles[0]}"; keep an empty "Unreleased" above it.']
    if bodies[0].strip():
        troubles.append(f'something is under Unreleased; move it under "## {wanted}".')
    newest = titles[1] if len(titles) > 1 else "none"
    if not re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", newest):
        troubles.append(f'the newest heading is "{newest}"; it should be "{wanted}".')
    return troubles


def compared(what, held, wanted):
    """Say what an archive lacks and what it should not hold.

    Examples
    --------
    >>> compared("the sdist", {"a.py", "b.py"}, {"a.py", "c.py"})
    ['the sdist lacks c.py', 'the sdist should not hold b.py']
    """
    return [f"{what} lacks {name}" for name in sorted(wanted - held)] + [
        f"{what} should not hold {name}" for name in sorted(held - wanted)
    ]


def _tracked():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {name for name in listed.stdout.split("\0") if name and not name.startswith(NOT_SHIPPED)}


def _sizes(dist, version):
    """Return {name: bytes} of the sdist and of the wheel, without the folder both begin with."""
    with tarfile.open(dist / f"projstg-{version}.tar.gz") as archive:
        files = [one for one in archive.getmembers() if one.isfile()]
        source = {one.name.split("/", 1)[1]: one.size for one in files}
    (path,) = dist.glob(f"projstg-{version}-*.whl")
    with zipfile.ZipFile(path) as archive:
        wheel = {one.filename: one.file_size for one in archive.infolist()}
    return source, wheel


def troubles():
    """Say all that stands in the way of a release."""
    package = ROOT / "src" / "projstg"
    version = version_of((package / "__init__.py").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = [f"CHANGELOG.md: {one}" for one in changelog_troubles(changelog, version)]
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        found.append(f"CITATION.cff: the version should be {version}")
    source, wheel = _sizes(ROOT / "dist", version)
    tracked = _tracked()
    found += compared("the sdist", set(source) - {"PKG-INFO"}, tracked)
    own = {name.removeprefix("src/") for name in tracked if name.startswith("src/projstg/")}
    found += compared("the wheel", {one for one in wheel if ".dist-info/" not in one}, own)
    for name, size in {**source, **wheel}.items():
        if size > MOST_BYTES:
            found.append(f"{name} has {size / 1e6:.1f} MB; what is so large is not shipped")
    return version, found


def main():
    version, found = troubles()
    for trouble in found:
        print(trouble, file=sys.stderr)
    print(
        f"projstg {version}: " + (f"{len(found)} in the way" if found else "ready to be released")
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
