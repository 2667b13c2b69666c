#!/usr/bin/env python3
"""Holds stack frames against the compiler: each method and line of a project's class files (`javap -l`) becomes a frame, which `resolve_stack_trace`
places; what K2 says is declared there (the DECL lines of refdump, see README.md) is the truth.

    line_tables.py --project DIR --classes DIR --refdump FILE [--prefix PATH] [--symd PROGRAM]

Prints the frames that have another declaration without a doubt, by kind of method, and how many are right, in doubt and not placed. `--prefix` is that of the
sources that count. A frame is right if its place is in the innermost declaration of K2's that holds its line; lambdas, locals and accessors count as what they
stand in, a primary constructor and an initializer as their class. Where K2 says that a line is the class's own, a method with the name of a member counts as that member:
the compiler gives the line of the class to bridges, accessors and what delegates, and a property of a primary constructor has no declaration of its own."""
import argparse, collections, json, pathlib, re, subprocess

KINDS = {"FirNamedFunctionImpl", "FirPropertyImpl", "FirRegularClassImpl", "FirConstructorImpl", "FirTypeAliasImpl", "FirEnumEntryImpl"}


def declared(refdump, project):
    """Returns, by path, the declarations that are no locals: start and end in characters, and the name path."""
    found = collections.defaultdict(list)
    for row in pathlib.Path(refdump).read_text().splitlines():
        fields = row.split("\t")
        if fields[0] != "DECL" or fields[4] not in KINDS or "<local>" in fields[5] or "<anonymous>" in fields[5]:
            continue
        path, start, end, kind, symbol = fields[1:6]
        # A local has no package.
        if "/" not in symbol:
            continue
        name = symbol.rsplit("/", 1)[-1].replace(".", "/")
        if kind == "FirConstructorImpl":
            name = name.rsplit("/", 1)[0] + "/constructor"
        found[path].append((int(start), int(end), name))
    return found


def is_class(declarations, name):
    """Whether other declarations stand in the one with a name path."""
    return any(other.startswith(name + "/") for _, _, other in declarations)


def frames(classes):
    """Returns class, method, file and line of each line of each method."""
    for path in sorted(pathlib.Path(classes).rglob("*.class")):
        if "META-INF" in path.parts:
            continue
        text = subprocess.run(["javap", "-l", "-p", path], text=True, capture_output=True).stdout
        file = re.search(r'Compiled from "(.+)"', text)
        name = path.relative_to(classes).as_posix().removesuffix(".class").replace("/", ".")
        method = None
        for line in text.splitlines():
            if re.match(r"  \S.*;$", line):
                signature = line.strip().split("(")[0]
                last = signature.split(" ")[-1]
                method = "<clinit>" if line.strip().startswith("static {}") else "<init>" if last == name else last
            elif (entry := re.match(r"      line (\d+): \d+", line)) and method and file:
                yield name, method, file[1], int(entry[1])


class Symd:
    """A session of symd in a project."""

    def __init__(self, program, project):
        self.process = subprocess.Popen([program, "mcp", "--toolset", "native"], cwd=project, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0
        self.asked("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "line_tables", "version": "1"}})

    def asked(self, method, params):
        self.count += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer["result"]
        raise SystemExit("symd has ended")

    def resolved(self, text):
        answer = self.asked("tools/call", {"name": "resolve_stack_trace", "arguments": {"text": text}})
        return answer["content"][0]["text"]


def main():
    parser = argparse.ArgumentParser()
    for name in ("project", "classes", "refdump"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--symd", default="target/debug/symd")
    asked = parser.parse_args()
    truth = declared(asked.refdump, asked.project)
    by_name = collections.defaultdict(list)
    for path in truth:
        by_name[path.rsplit("/", 1)[-1]].append(path)
    texts = {path: (pathlib.Path(asked.project) / path).read_text() for path in truth}
    packages = {path: (re.search(r"^package ([\w.]+)", text, re.M) or ["", ""])[1] for path, text in texts.items()}
    symd = Symd(asked.symd, asked.project)
    count, wrong, elsewhere = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    for class_name, method, file, line in sorted(set(frames(asked.classes))):
        package = class_name.rpartition(".")[0]
        paths = [path for path in by_name[file] if packages[path] == package and path.startswith(asked.prefix)]
        if len(paths) != 1:
            count["no source"] += 1
            continue
        path, text = paths[0], texts[paths[0]]
        lines = text.split("\n")
        if line > len(lines):
            count["past the end of the file"] += 1
            continue
        start = sum(len(one) + 1 for one in lines[: line - 1])
        at = start + len(lines[line - 1]) - len(lines[line - 1].lstrip())
        holding = [one for one in truth[path] if one[0] <= at < one[1]]
        expected = min(holding, key=lambda one: one[1] - one[0])[2] if holding else ""
        frame = f"{class_name}.{method}({file}:{line})"
        answer = symd.resolved(f"java.lang.Error: x\n\tat {frame}\n")
        places = [one for one in answer.splitlines()[1:] if re.match(r"(\? )?\S+\.kt:\d+", one)]
        found = re.match(r"(\? )?(\S+?):(\d+)(?: in (\S+))?", places[0]) if len(places) == 1 else None
        place = re.sub(r"\[\d+\]|`", "", found[4] or "") if found else ""
        is_right = found and found[2] == path and place == expected
        if found and not is_right and found[2] == path and place.rpartition("/")[0] == expected and is_class(truth[path], expected):
            # The names that the compiler makes of a member's.
            member = place.rpartition("/")[2]
            name = re.sub(r"^access\$|\$(?:jd|p|cp|default)(?=$|\$)", "", method)
            made = {member, "get" + member[:1].upper() + member[1:], "set" + member[:1].upper() + member[1:], "<init>"}
            is_right = re.sub(r"\$.*", "", name) in made
            count["of these: by the name, on the line of the class"] += bool(is_right)
        said = f"{frame}: {expected}, not {places}"
        if found and is_right:
            count["right in doubt" if found[1] else "right"] += 1
        elif found and not found[1]:
            count["other, no doubt"] += 1
            wrong[method].append(said)
        else:
            count["in doubt, elsewhere" if places else "not placed"] += 1
            elsewhere[method].append(said)
    for title, all in (("other declarations without a doubt", wrong), ("elsewhere in doubt, or not placed", elsewhere)):
        print(title)
        for method, of_method in sorted(all.items(), key=lambda one: -len(one[1])):
            print(f"  {len(of_method)} {method}: {of_method[0]}")
    print(dict(count))
    symd.process.stdin.close()


main()
