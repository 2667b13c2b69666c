#!/usr/bin/env python3
"""Holds stack frames against the compiler: each method and line of a project's class files (`javap -l`) becomes a frame, which `resolve_stack_trace`
places; what K2 says is declared there (the DECL lines of refdump, see README.md) is the truth.

    line_tables.py --project DIR --classes DIR --refdump FILE [--prefix PATH] [--symd PROGRAM] [--mapping FILE [--stripped]]

With a mapping that ProGuard wrote for these classes (`-dontshrink -dontoptimize -printmapping FILE`; in the project, its path beneath it), frames have the names that
it gives, and no files; with `--stripped` no lines either, and then a place is right if it is a declaration that a line of the method is in. Prints the frames that have another declaration without a doubt, by kind of method, and how many are right, in doubt and not placed. `--prefix` is that of the
sources that count. A frame is right if its place is in the innermost declaration of K2's that holds its line; lambdas, locals and accessors count as what they
stand in, a primary constructor and an initializer as their class. Where K2 says that a line is the class's own, a method with the name of a member counts as that member:
the compiler gives the line of the class to bridges, accessors and what delegates, and a property of a primary constructor has no declaration of its own."""
import argparse, collections, json, pathlib, re, subprocess

KINDS = {"FirNamedFunctionImpl", "FirPropertyImpl", "FirRegularClassImpl", "FirConstructorImpl", "FirTypeAliasImpl", "FirEnumEntryImpl"}


def declared(refdump, project):
    """Returns, by path, the declarations that are no locals: start and end in characters, and the name path; and the paths and names of classes."""
    found, classes = collections.defaultdict(list), set()
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
        if kind == "FirRegularClassImpl":
            classes.add((path, name))
    return found, classes


JAVA_TYPES = {"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short", "Z": "boolean", "V": "void"}


def signature(descriptor):
    """Returns a method's result and parameters as mappings write them: `(I[Ljava/lang/String;)V` → `void`, `int,java.lang.String[]`."""
    types = [(JAVA_TYPES[one[-1]] if one[-1] != ";" else one.lstrip("[")[1:-1].replace("/", ".")) + "[]" * one.count("[") for one in re.findall(r"\[*(?:L[^;]+;|[A-Z])", descriptor)]
    return types[-1], ",".join(types[:-1])


def frames(classes):
    """Returns class, method with its signature, file and line of each line of each method."""
    all_paths = [path for path in sorted(pathlib.Path(classes).rglob("*.class")) if "META-INF" not in path.parts]
    for start in range(0, len(all_paths), 100):
        text = subprocess.run(["javap", "-l", "-p", "-s", *all_paths[start : start + 100]], text=True, capture_output=True).stdout
        file = name = method = None
        for line in text.splitlines():
            if compiled := re.match(r'Compiled from "(.+)"', line):
                file, name, method = compiled[1], None, None
            elif not line.startswith(" ") and (head := re.search(r"\b(?:class|interface|enum) ([\w.$-]+)", line)):
                name = head[1]
            elif re.match(r"  \S.*;$", line):
                last = line.strip().split("(")[0].split(" ")[-1]
                method = "<clinit>" if line.strip().startswith("static {}") else "<init>" if last == name else last
            elif described := re.match(r"    descriptor: (\(.*)", line):
                types = signature(described[1])
            elif (entry := re.match(r"      line (\d+): \d+", line)) and method and file:
                yield name, (method, *types), file, int(entry[1])


def obfuscated_names(mapping):
    """Returns the classes of a mapping, and its methods: class, and name with signature → obfuscated name."""
    classes, methods, own = {}, {}, None
    for line in pathlib.Path(mapping).read_text().splitlines():
        if not line.startswith(" ") and line.endswith(":"):
            own, name = line[:-1].split(" -> ")
            classes[own] = name
        elif member := re.match(r"\s+(?:\d+:\d+:)?(\S+) (.+?)\((.*?)\) -> (.+)$", line):
            methods[own, (member[2], member[1], member[3])] = member[4]
    return classes, methods


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

    def resolved(self, text, mapping):
        more = {"mapping": mapping} if mapping else {}
        answer = self.asked("tools/call", {"name": "resolve_stack_trace", "arguments": {"text": text, **more}})
        return answer["content"][0]["text"]


def main():
    parser = argparse.ArgumentParser()
    for name in ("project", "classes", "refdump"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--symd", default="target/debug/symd")
    parser.add_argument("--mapping")
    parser.add_argument("--stripped", action="store_true")
    asked = parser.parse_args()
    truth, declared_classes = declared(asked.refdump, asked.project)
    by_name = collections.defaultdict(list)
    for path in truth:
        by_name[path.rsplit("/", 1)[-1]].append(path)
    texts = {path: (pathlib.Path(asked.project) / path).read_text() for path in truth}
    packages = {path: (re.search(r"^package ([\w.]+)", text, re.M) or ["", ""])[1] for path, text in texts.items()}
    symd = Symd(asked.symd, asked.project)
    classes, methods = obfuscated_names(pathlib.Path(asked.project) / asked.mapping) if asked.mapping else ({}, {})
    count, wrong, elsewhere = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    # What may be meant by a frame: more than one line only if it has none.
    meant = collections.defaultdict(lambda: (None, set()))
    for class_name, called, file, line in sorted(set(frames(asked.classes))):
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
        method = called[0]
        frame = f"{class_name}.{method}({file}:{line})"
        if asked.mapping:
            place = "SourceFile" if asked.stripped else f"SourceFile:{line}"
            frame = f"{classes[class_name]}.{methods.get((class_name, called), method)}({place})"
        key = (frame, class_name, called if asked.stripped else (method, line))
        meant[key] = (path, meant[key][1] | {expected})
    for (frame, class_name, (method, *_)), (path, all_expected) in sorted(meant.items(), key=str):
        answer = symd.resolved(f"java.lang.Error: x\n\tat {frame}\n", asked.mapping)
        places = [one for one in answer.splitlines()[1:] if re.match(r"(\? )?\S+\.kt:\d+", one)]
        found = re.match(r"(\? )?(\S+?):(\d+)(?: in (\S+))?", places[0]) if len(places) == 1 else None
        place = re.sub(r"\[\d+\]|`", "", found[4] or "") if found else ""
        is_right = found and found[2] == path and place in all_expected
        around = place.rpartition("/")[0]
        if found and not is_right and found[2] == path and around in all_expected and (path, around) in declared_classes:
            # The names that the compiler makes of a member's.
            member = place.rpartition("/")[2]
            name = re.sub(r"^access\$|\$(?:jd|p|cp|default)(?=$|\$)", "", method)
            made = {member, "get" + member[:1].upper() + member[1:], "set" + member[:1].upper() + member[1:], "<init>"}
            is_right = re.sub(r"\$.*", "", name) in made
            count["of these: by the name, on the line of the class"] += bool(is_right)
        said = f"{frame} ({class_name}.{method}): {sorted(all_expected)}, not {places}"
        if found and is_right:
            count["right in doubt" if found[1] else "right"] += 1
        elif found and not found[1]:
            count["other, no doubt"] += 1
            wrong[method].append(said)
        elif len(places) > 1:
            count["several, in doubt"] += 1
            elsewhere[method].append(said)
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
