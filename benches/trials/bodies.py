#!/usr/bin/env python3
"""Puts bodies of a project's own functions back through native and serena, as if they had been written for other
columns, and holds the file against what it was.

    python3 benches/trials/bodies.py --symd target/debug/symd --project ../flask-3.1.2 --home /tmp/trial [--seed 1]

The project is copied beneath --home; the copy is what is edited. Every body is put back dedented, over-indented, with
the other kind of white space (tabs where the file has spaces), and each of these with and without the white space of its
first line; and inserted behind itself. Lines that begin inside a string literal keep their bytes: who writes a body for
another column does not change what a literal holds. A form that cannot be taken back by moving its lines (a comment left
of the symbol's own column, tabs within spaces) is left out and counted.

Verdicts: `identical`; `refused`, with a line; `kept`: serena's ruling leaves further lines verbatim where only the first
line lost its white space and the rest stands too far right; `changed`: the file is another, and still means the same;
`BROKEN`: it does not parse, or a literal or a name path is another. Python is held against its own parser, everything
else against symd's outline.
"""

import argparse
import ast
import collections
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import subprocess
import sys

LANGUAGES = {
    ".py": "python", ".kt": "kotlin", ".kts": "kotlin", ".ts": "typescript", ".tsx": "typescript", ".js": "javascript",
    ".rs": "rust", ".java": "java", ".go": "go", ".cs": "csharp", ".cpp": "cpp", ".cc": "cpp", ".hpp": "cpp",
}
CALLABLE = {6, 9, 12}
FORMS = ["as it is", "dedented", "dedented, bare", "one level less", "over-indented", "over-indented, bare",
         "other white space", "other white space, dedented", "inserted, dedented"]


class Client:
    """A connection over `symd mcp`."""

    def __init__(self, symd, project, toolset, environment):
        command = [symd, "mcp", "--project", str(project), "--toolset", toolset]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bodies", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the connection ended")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, arguments):
        """Returns the text, and whether it is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result["content"][0]["text"], bool(result.get("isError"))


def literal_lines(language, text):
    """Returns the 0-based lines that begin inside a string literal (Python: except literals that are statements of their own)."""
    inside = set()
    if language == "python":
        tree = ast.parse(text)
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        def visit(node):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docs:
                if isinstance(node, ast.JoinedStr) or isinstance(node.value, (str, bytes)):
                    inside.update(range(node.lineno, node.end_lineno))
            for child in ast.iter_child_nodes(node):
                if id(node) not in docs:
                    visit(child)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docs:
                visit(node)
        # Adjacent literals in brackets are one node: a line that begins between two of them is code.
        starts = line_starts(text)
        return {line for line in inside if in_python_string(text, starts[line])}
    quotes = {"kotlin": ['"""'], "java": ['"""'], "typescript": ["`"], "javascript": ["`"], "go": ["`"],
              "rust": ["RUST"], "csharp": ['"""', '@"'], "cpp": ['R"(']}[language]
    at, line, end, count = 0, 0, None, len(text)
    while at < count:
        if text[at] == "\n":
            line += 1
            at += 1
            if end:
                inside.add(line)
            continue
        if end:
            if end == "`" and text[at] == "\\":
                at += 2
            elif text.startswith(end, at):
                at += len(end)
                end = None
            else:
                at += 1
            continue
        if text.startswith("//", at):
            at = text.find("\n", at) if "\n" in text[at:] else count
            continue
        if text.startswith("/*", at):
            close = text.find("*/", at + 2)
            close = count if close < 0 else close + 2
            line += text.count("\n", at, close)
            at = close
            continue
        raw = re.compile(r'r(#*)"').match(text, at) if "RUST" in quotes else None
        if raw:
            end, at = '"' + raw.group(1), raw.end()
            continue
        mark = next((mark for mark in quotes if mark != "RUST" and text.startswith(mark, at)), None)
        if mark:
            at += len(mark)
            end = {'@"': '"', 'R"(': ')"'}.get(mark, mark)
            continue
        plain = re.compile(r'"(?:\\.|[^"\\\n])*"').match(text, at) or re.compile(r"'(?:\\.|[^'\\\n])*'").match(text, at)
        at = plain.end() if plain else at + 1
    return inside


def in_python_string(text, offset):
    """Reports whether `offset` is inside a string token."""
    return any(start < offset < end for start, end in python_strings(text))


PYTHON_STRINGS = {}


def python_strings(text):
    if text not in PYTHON_STRINGS:
        PYTHON_STRINGS.clear()
        spans, at = [], 0
        token = re.compile(r"""#[^\n]*|(?i:[rbuf]{0,2})('''|\"\"\"|'|")""")
        while True:
            found = token.search(text, at)
            if not found:
                break
            quote = found.group(1)
            at = found.end()
            if not quote:
                continue
            close = re.compile(r"(?:\\.|(?!%s).)*%s" % (quote, quote), re.S).match(text, at)
            at = close.end() if close else len(text)
            spans.append((found.start(), at))
        PYTHON_STRINGS[text] = spans
    return PYTHON_STRINGS[text]


def line_starts(text):
    return [0] + [found.end() for found in re.finditer("\n", text)]


def indent_of(line):
    return line[: len(line) - len(line.lstrip(" \t"))]


class Body:
    """A function as it is in its file."""

    def __init__(self, path, name_path, text, first, last, literal):
        self.path, self.name_path = path, name_path
        lines = text.split("\n")
        self.lines = lines[first:last + 1]
        self.literal = [number in literal for number in range(first, last + 1)]
        self.indent = indent_of(lines[first])
        self.whole = lines
        self.first, self.last = first, last

    def moved(self, indent):
        """Returns the text moved from its own column to that of `indent`; `None` if the move cannot be reversed."""
        out = []
        for line, is_literal in zip(self.lines, self.literal):
            if is_literal or not line.strip():
                if line and not is_literal:
                    return None
                out.append(line)
            elif line.startswith(self.indent):
                out.append(indent + line[len(self.indent):])
            else:
                return None
        return "\n".join(out)

    def translated(self, indent, level, other):
        """Returns the text at `indent` (of the other kind), with each `level` replaced by `other`."""
        out = []
        for line, is_literal in zip(self.lines, self.literal):
            if is_literal or not line.strip():
                if line and not is_literal:
                    return None
                out.append(line)
                continue
            if not line.startswith(self.indent):
                return None
            rest = line[len(self.indent):]
            own = indent_of(rest)
            if level == "\t":
                levels, left = len(own) - len(own.lstrip("\t")), own.lstrip("\t")
                if len(left) >= 4:
                    return None
            else:
                if "\t" in own:
                    return None
                levels, left = len(own) // len(level), own[len(own) // len(level) * len(level):]
            out.append(indent + other * levels + left + rest[len(own):])
        return "\n".join(out)


def forms(body, level):
    """Returns each form's name, tool and text, and the expected lines of the file."""
    other = "    " if level == "\t" else "\t"
    levels = len(body.indent) // len(level)
    if body.indent != level * levels:
        return {}
    bare = lambda text: text if text is None else text.lstrip(" \t")
    made = {
        "as it is": "\n".join(body.lines),
        "dedented": body.moved("") if levels else None,
        "one level less": body.moved(level * (levels - 1)) if levels > 1 else None,
        "over-indented": body.moved(body.indent + level),
        "other white space": body.translated(other * levels, level, other),
        "other white space, dedented": body.translated("", level, other) if levels else None,
        "inserted, dedented": body.moved("") if levels else None,
    }
    made["dedented, bare"] = bare(made["dedented"])
    made["over-indented, bare"] = bare(made["over-indented"])
    return made


def level_of(text):
    """Returns the indentation level of most lines that are one level deeper than the line before."""
    counts, before = collections.Counter(), ""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("*"):
            continue
        own = indent_of(line)
        if own.startswith(before) and len(own) > len(before):
            step = own[len(before):]
            counts["\t" if step[0] == "\t" else step] += 1
        before = own
    steps = [step for step, _ in counts.most_common() if step == "\t" or len(step) > 1]
    return steps[0] if steps else "    "


def literals(text):
    tree = ast.parse(text)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]


def outline(client, path):
    text, failed = client.call("get_symbols_overview", {"relative_path": path, "depth": 9})
    return [] if failed else json.loads(text)


def flat(symbols):
    for symbol in symbols:
        yield symbol
        yield from flat(symbol.get("children", []))


def is_broken(language, before, after, names, client, path):
    if language == "python":
        try:
            compile(after, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        if literals(before) != literals(after):
            return "literals differ"
    now = [symbol["name_path"] for symbol in flat(outline(client, path))]
    return None if now == names else f"symbols differ: {sorted(set(names) ^ set(now))[:5]}"


def candidates(project, serena, rng, count):
    """Returns functions of several lines, in random order of files and of functions; methods as far as there are enough."""
    files = [path for path in sorted(project.rglob("*")) if path.suffix in LANGUAGES and path.is_file()
             and not any(part.startswith(".") or part == "node_modules" for part in path.relative_to(project).parts)]
    rng.shuffle(files)
    per_file = max(4, 3 * count // max(1, len(files)))
    found = []
    for path in files:
        if sum(1 for _, body in found if body.indent) >= count:
            break
        relative, language = path.relative_to(project).as_posix(), LANGUAGES[path.suffix]
        try:
            text = path.read_bytes().decode("utf-8")
            literal = literal_lines(language, text)
        except (UnicodeDecodeError, SyntaxError, ValueError):
            continue
        if "\r" in text or text.startswith("\ufeff"):
            continue
        symbols = [symbol for symbol in flat(outline(serena, relative)) if symbol["kind"] in CALLABLE
                   and symbol["body_location"]["end_line"] > symbol["body_location"]["start_line"]]
        rng.shuffle(symbols)
        lines = text.split("\n")
        for symbol in symbols[:per_file]:
            first, last = symbol["body_location"]["start_line"], symbol["body_location"]["end_line"]
            body = Body(relative, symbol["name_path"], text, first, last, literal)
            # A function that shares its lines with something else has no lines of its own.
            if indent_of(lines[first]) == lines[first][: len(body.indent)] and lines[first].strip():
                found.append((language, body))
    rng.shuffle(found)
    return sorted(found, key=lambda one: not one[1].indent)[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--symd", required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--home", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--show", type=int, default=3, help="how many of each verdict that is not identical to show")
    options = parser.parse_args()
    home = pathlib.Path(options.home).resolve()
    symd = str(pathlib.Path(options.symd).resolve())
    project = home / "project" / pathlib.Path(options.project).resolve().name
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(options.project, project, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    environment["SYMD_HOME"] = str(home)
    clients = {toolset: Client(symd, project, toolset, environment) for toolset in ["native", "serena"]}
    rng = random.Random(options.seed)
    chosen = candidates(project, clients["serena"], rng, options.count)
    table = collections.defaultdict(collections.Counter)
    shown = collections.Counter()
    left_out = collections.Counter()

    def say(verdict, toolset, form, body, text, more):
        shown[verdict, form] += 1
        if verdict != "kept" and shown[verdict, form] <= options.show:
            print(f"--- {verdict}: {toolset}, {form}, {body.path} {body.name_path}\n{more}\n{text}", file=sys.stderr)

    for language, body in chosen:
        path = project / body.path
        before = path.read_bytes()
        text = before.decode("utf-8")
        names = [symbol["name_path"] for symbol in flat(outline(clients["serena"], body.path))]
        made = forms(body, level_of(text))
        for form in FORMS:
            given = made.get(form)
            if given is None:
                left_out[form] += 1
                continue
            for toolset, client in clients.items():
                is_insertion = form.startswith("inserted")
                tool = "insert_after_symbol" if is_insertion else "replace_symbol_body"
                arguments = {"name_path": "/" + body.name_path, "relative_path": body.path, "body": given}
                if toolset == "native":
                    # native only edits text that its connection has read.
                    client.call("read_file", {"relative_path": body.path})
                answer, failed = client.call(tool, arguments)
                after = path.read_bytes()
                expected = before
                if is_insertion:
                    lines = body.whole[: body.last + 1] + [""] + body.lines + body.whole[body.last + 1:]
                    expected = "\n".join(lines).encode("utf-8")
                verdict = "identical"
                if failed:
                    verdict = "refused" if re.search(r"\bline \d+|:\d+\b", answer) and after == before else "BROKEN"
                elif after != expected:
                    wrong = None if is_insertion else is_broken(
                        language, text, after.decode("utf-8"), names, clients["serena"], body.path)
                    is_ruled = toolset == "serena" and form == "over-indented, bare"
                    verdict = "BROKEN" if wrong else "kept" if is_ruled else "changed"
                    answer = f"{wrong or ''} {answer}"
                table[toolset, form][verdict] += 1
                if verdict != "identical":
                    say(verdict, toolset, form, body, answer, given if failed else difference(expected, after))
                if after != before:
                    path.write_bytes(before)
    for client in clients.values():
        client.process.stdin.close()
        client.process.wait()
    subprocess.run([symd, "--project", str(project), "stop"], env=environment, stdout=subprocess.DEVNULL, check=False)
    report(options, symd, project.name, len(chosen), table, left_out)
    sys.exit(any(counts["BROKEN"] for counts in table.values()))


def difference(one, other):
    import difflib
    lines = lambda data: data.decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(list(difflib.unified_diff(lines(one), lines(other), "expected", "found"))[:40])


def report(options, symd, project, count, table, left_out):
    version = subprocess.run([symd, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line), "?")
    print(f"{datetime.date.today()}, {version}, {os.cpu_count()} cores of {processor}, {platform.system()} {platform.release()}")
    print(f"command: bodies.py --project {project} --seed {options.seed} --count {options.count}; {count} bodies\n")
    verdicts = ["identical", "refused", "kept", "changed", "BROKEN"]
    print(f"| toolset | form | {' | '.join(verdicts)} | left out |\n|---|---|{'---|' * (len(verdicts) + 1)}")
    for toolset in ["native", "serena"]:
        for form in FORMS:
            counts = table[toolset, form]
            cells = " | ".join(str(counts[verdict]) for verdict in verdicts)
            print(f"| {toolset} | {form} | {cells} | {left_out[form]} |")


if __name__ == "__main__":
    main()
