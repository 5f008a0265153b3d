#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/templates/project.py: what `tenon new` writes builds against an installed Tenon and passes
# its own tests. In a project with an op, an entry of every kind is then one new file each, and
# judged with the rest, more closely. A sample that says the wrong thing lets the project's tests
# fail.
# Usage: project.py <installed prefix> <work folder> <source tree> <kind> <language> <cmake>
#                   <generator> <make program> [<configure option>...]
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


# A call or run that the samples of a template say is refused, and one like it that is taken.
TAKEN_INSTEAD = {
    "op": ('"i64[3]"', '"f64[3]"'),
    "optimizer": ("| lr=-1.0", "| lr=1.0"),
    "layer": ("| features=0", "| features=3"),
    "tokenizer": ('alphabet=\\"aa\\"', 'alphabet=\\"ab\\"'),
    "transform": ("| strength=-1.0", "| strength=1.0"),
}


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(each) for each in command], check=True)


def fails_with(words, *command):
    """Whether the command fails and says `words`."""
    print("+", *command, flush=True)
    done = subprocess.run([str(each) for each in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout, flush=True)
    return done.returncode != 0 and words in done.stdout


def foreign_paths(build, tree, own):
    """Folders of the source tree, outside of `own`, that a compiler was told to look into."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    told = {
        pathlib.Path(folder).resolve()
        for entry in commands
        for folder in re.findall(r"-(?:I|isystem|iquote) ?(\S+)", entry["command"])
    }
    return [
        str(folder)
        for folder in told
        if folder.is_relative_to(tree) and not any(folder.is_relative_to(each) for each in own)
    ]


def entry_kinds(tree, language):
    """The kinds of tenon/kinds.h that have a template, with their plurals."""
    listed = (tree / "c_api/include/tenon/kinds.h").read_text(encoding="utf-8")
    kinds = re.findall(r"^  X\((\w+), (\w+)\)", listed, flags=re.MULTILINE)
    return [each for each in kinds if (tree / "sdk/templates" / each[0] / language).is_dir()]


def add_file(prefix, work, project, kind, language):
    """Drops the source and the golden files of another kind's template into the project."""
    name = f"acme.more_{kind}"
    run(prefix / "bin/tenon", "new", kind, name, "--lang", language, "--into", work)
    sources = sorted((work / name / "src").rglob(f"more_{kind}.*"))
    sources += sorted((work / name / "goldens").rglob("*.json"))
    for source in sources:
        target = project / source.relative_to(work / name)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
    return name


def golden_files(project):
    return {path.relative_to(project): path.read_text(encoding="utf-8")
            for path in sorted((project / "goldens").rglob("*.json"))}


def check_goldens(prefix, build, project):
    """The golden files of a template are what the steps in its make.py make."""
    before = golden_files(project)
    make = project / "goldens/make.py"
    begun = re.search(r"tenon --plugin-path build/plugins golden new (.*) --force",
                      make.read_text(encoding="utf-8"))  # fmt: skip
    if begun:
        run(prefix / "bin/tenon", "--plugin-path", build / "plugins", "golden", "new",
            *begun[1].split(), "--into", project / "goldens", "--force")  # fmt: skip
    run(sys.executable, make)
    if golden_files(project) != before:
        sys.exit("goldens/make.py makes other golden files than those of the template")


def say_the_wrong_thing(project, kind):
    """Changes a refused sample of the template into one that is taken."""
    refused, taken = TAKEN_INSTEAD[kind]
    (source,) = [path for path in (project / "src").rglob("*")
                 if path.is_file() and refused in path.read_text(encoding="utf-8")
                 and not path.stem.startswith("more_")]
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(refused, taken), encoding="utf-8")


def main():
    prefix, work, tree = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    kind, language, cmake, generator, make, *options = sys.argv[4:]
    # A path that stays the same lets a compiler cache help.
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    name = f"acme.{kind}_{language}"
    # Templates must be found without the help of the current folder.
    os.chdir("/")
    # Skipped without PyTorch; tests/outside/torch_plugin_test.py has it.
    extras = ["--with", "torch"] if kind == "op" else []
    run(prefix / "bin/tenon", "new", kind, name, "--lang", language, *extras, "--into", work)
    project, build = work / name, work / "build"
    for path in project.rglob("*"):
        if path.is_file() and re.search(r"@[A-Z]+@", path.read_text(encoding="utf-8")):
            return f"{path} has a placeholder left"
    written = sorted(project.rglob("*"))
    strict = "-Wall -Wextra -Wpedantic -Wshadow -Werror"
    strict_cxx = strict
    if language == "cpp":
        # GCC 12 sees overlaps where std::string appends to a literal (bug 105651 of GCC); clang
        # does not know that warning.
        strict_cxx += " -Wno-restrict -Wno-unknown-warning-option"
    run(cmake, "-S", project, "-B", build, "-G", generator, f"-DCMAKE_MAKE_PROGRAM={make}",
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        f"-DCMAKE_C_FLAGS={strict}", f"-DCMAKE_CXX_FLAGS={strict_cxx}", *options)
    run(cmake, "--build", build)
    test = [pathlib.Path(cmake).with_name("ctest"), "--test-dir", build, "--output-on-failure",
            "--no-tests=error"]
    run(*test)
    if language == "cpp" and (project / "goldens/make.py").is_file():
        check_goldens(prefix, build, project)
    if kind == "op":
        added = {
            plural: add_file(prefix, work, project, other, language)
            for other, plural in entry_kinds(tree, language)
        }
        run(cmake, "--build", build)
        manifest = (build / "plugins" / name / "plugin.json").read_text(encoding="utf-8")
        for list_name, item in added.items():
            if item not in json.loads(manifest)[list_name]:
                return f"{item} was added as one file, and is not found: {manifest}"
        run(*test)
        run(prefix / "bin/tenon", "verify", build / "plugins" / name, "--strict", "--level", "2")
        written = sorted(project.rglob("*"))
    foreign = foreign_paths(build, tree, (prefix, work))
    if foreign:
        return f"the build looked into Tenon's tree: {foreign}"
    left = [path for path in sorted(project.rglob("*")) if path not in written]
    if [path.name for path in left] not in ([], ["Cargo.lock"]):
        return f"the build wrote into the project: {left}"
    if kind in TAKEN_INSTEAD:
        say_the_wrong_thing(project, kind)
        run(cmake, "--build", build)
        if not fails_with("not-refused", *test, "-R", r"\.verify$"):
            return "a sample says the wrong thing, and the project's tests do not fail with it"
    return 0


try:
    sys.exit(main())
except subprocess.CalledProcessError as error:
    sys.exit(f"failed with {error.returncode}: {' '.join(map(str, error.cmd))}")
