#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/vendor_headers.py: copies the headers of other projects that an offline build includes, so
that it needs no development packages where it runs. `./dev vendor-headers DIR` calls it.

usage    vendor_headers.py CMAKE NINJA BUILD DIR

What is included is read from what the compiler wrote down when it built BUILD (`ninja -t deps`),
for the sources of an offline build, which CMake lists. A header of those headers that another
compiler or processor would include comes along: what is named in an #include and lies in the same
package. The compiler's own headers, the C library's, the kernel's and CUDA's come with the
compilers and stay. DIR then holds include/, licenses/<package> and README.md; what it held before
is deleted, and a folder that is not its own work is refused. Exit status: 0 done, 1 not, 2 usage.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_BYTES = 20_000_000  # what may travel beside a checkout
SOURCES = {".c", ".cc", ".cu"}
TITLE = "# Headers of other projects"
# Packages that come with a compiler, nvcc among them.
COMPILERS = re.compile(
    r"lib(c6|stdc\+\+|gcc|crypt|c\+\+|clang)[-\d].*|linux-libc-dev|(gcc|g\+\+|clang|cpp)-.*"
    r"|(cuda|nvidia-cuda|libcu|libnv).*"
)


class Refusal(Exception):
    """What a person reads instead of a traceback."""


def output_of(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if done.returncode:
        raise Refusal(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def offline_sources(cmake, ninja, folder):
    """The files an offline build compiles, those CMake writes relative to its build folder."""
    output_of(
        cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
        "-DTENON_OFFLINE=ON", "-DTENON_UNITY=OFF",
    )  # fmt: skip
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    files = [pathlib.Path(entry["file"]) for entry in entries]
    return [each.relative_to(folder) if each.is_relative_to(folder) else each for each in files]


def recorded_headers(ninja, build):
    """Source file to all it included, of each object file that was built."""
    headers = {}
    listed = output_of(ninja, "-C", build, "-t", "deps")
    for block in listed.split("\n\n"):
        lines = [line.strip() for line in block.splitlines()[1:]]
        if lines:
            paths = [pathlib.Path(os.path.normpath(build / line)) for line in lines]
            # More than one where the files of a folder are compiled together.
            sources = [path for path in paths if path.suffix in SOURCES] or paths[:1]
            headers |= dict.fromkeys(sources, [path for path in paths if path not in sources])
    return headers


def owners_of(paths):
    """Path to package, of those that belong to one."""
    done = subprocess.run(["dpkg-query", "-S", *map(str, paths)], capture_output=True, text=True)
    owners = {}
    for line in done.stdout.splitlines():
        packages, _, path = line.partition(": ")
        owners[pathlib.Path(path)] = packages.split(",")[0].split(":")[0]
    return owners


def is_compilers(path):
    """Of a toolkit that no package owns, or of a compiler's own folder."""
    text = str(path)
    return "/cuda" in text or "/usr/lib/gcc/" in text or "/usr/lib/llvm" in text


def third_party(paths):
    """Header to package; an error names what belongs to nobody."""
    outside = [each for each in paths if not is_compilers(each)]
    owners = owners_of(outside)
    orphans = sorted(str(each) for each in outside if each not in owners)
    if orphans:
        raise Refusal(f"no package owns {', '.join(orphans[:5])}: whose licence is it under?")
    return {path: name for path, name in owners.items() if not COMPILERS.fullmatch(name)}


def named_in(path, base):
    """Files that the text of a header includes, under whatever condition."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, flags=re.MULTILINE):
        for folder in (path.parent, base):
            candidate = pathlib.Path(os.path.normpath(folder / name))
            if candidate.is_file() and candidate.is_relative_to(base):
                yield candidate


def with_conditional(headers, base):
    """All of `headers`, and what they would include elsewhere, of the same packages."""
    packages = set(headers.values())
    folders = {path.relative_to(base).parts[0] for path in headers}
    reached, todo = set(headers), list(headers)
    while todo:
        for path in named_in(todo.pop(), base):
            if path not in reached and path.relative_to(base).parts[0] in folders:
                reached.add(path)
                todo.append(path)
    return {path: name for path, name in owners_of(reached).items() if name in packages}


def write(headers, base, target):
    readme = target / "README.md"
    if target.exists() and any(target.iterdir()):
        if not readme.is_file() or not readme.read_text(encoding="utf-8").startswith(TITLE):
            raise Refusal(f"{target} is not empty and was not written by this command")
        shutil.rmtree(target)
    for path in headers:
        copy = target / "include" / path.relative_to(base)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    rows = []
    (target / "licenses").mkdir()
    for name in sorted(set(headers.values())):
        licence = pathlib.Path("/usr/share/doc") / name / "copyright"
        shutil.copyfile(licence, target / "licenses" / name)
        version = output_of("dpkg-query", "-W", "-f", "${Version}\n", name).split()[0]
        sizes = [path.stat().st_size for path, owner in headers.items() if owner == name]
        rows.append(f"| {name} | {version} | {len(sizes)} | {sum(sizes)} | licenses/{name} |")
    readme.write_text(
        f"{TITLE}\n\nWhat Tenon's offline build includes, copied by `./dev vendor-headers` from "
        "Debian packages, unchanged.\n\n| package | version | files | bytes | licence |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows) + "\n",
        encoding="utf-8",
    )
    return sum(each.stat().st_size for each in target.rglob("*") if each.is_file())


def main():
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    cmake, ninja = sys.argv[1:3]
    build, target = (pathlib.Path(each).resolve() for each in sys.argv[3:])
    base = pathlib.Path("/usr/include")
    try:
        recorded = recorded_headers(ninja, build)
        paths, missing = set(), []
        for source in offline_sources(cmake, ninja, build.parent / "vendor-headers"):
            source = source if source.is_absolute() else build / source
            if source not in recorded and not source.is_relative_to(build):
                missing.append(str(source))
            paths.update(recorded.get(source, []))
        if missing:
            raise Refusal(f"not built in {build}: {', '.join(missing[:5])}")
        outside = {p for p in paths if not p.is_relative_to(ROOT) and not p.is_relative_to(build)}
        headers = third_party(sorted(outside))
        size = write(with_conditional(headers, base), base, target)
    except (Refusal, OSError) as error:
        print(f"vendor-headers: {error}", file=sys.stderr)
        return 1
    print(f"{target}: {size / 1e6:.1f} MB")
    if size > MOST_BYTES:
        print(f"vendor-headers: more than {MOST_BYTES / 1e6:.0f} MB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
