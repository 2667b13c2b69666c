"""Holds symd's references, without a language server, against a table of what a compiler or a language server resolved.

    python3 references.py --symd BIN --project DIR --truth T.tsv --home H [--n 500] [--seed 7] [--wrong FILE]

A row of the table is: path, line, name, declaring file, its line, kind. The path "-" declares without a use; "?" takes the lines
from the fifth to the sixth column of the fourth out of the comparison; a "~" before the path says that the line uses what the
declaration is connected with: neither right nor wrong. For each sampled declaration: lines that use it, in the files that the table
names, without imports, lists of exports and lines of comments. H is a folder for symd's own HOME; DIR, H and BIN are absolute.
"""
import argparse, collections, json, os, random, socket, subprocess

a = argparse.ArgumentParser()
for name in ("symd", "project", "truth", "home"):
    a.add_argument("--" + name, required=True)
a.add_argument("--n", type=int, default=500); a.add_argument("--seed", type=int, default=7); a.add_argument("--wrong")
a = a.parse_args()
os.makedirs(a.home, exist_ok=True)
env = {"HOME": a.home, "SYMD_HOME": a.home, "PATH": os.environ["PATH"]}


def run(*words):
    return subprocess.run([a.symd, *words, "--project", a.project], env=env, capture_output=True, text=True).stdout


class Client:
    def __init__(self):
        run("stop"); run("start")
        self.socket = socket.socket(socket.AF_UNIX); self.socket.connect(run("socket").strip())
        self.lines, self.id = self.socket.makefile("rb"), 0
        self.send({"symd": {"protocol": [1, 1], "version": "bench", "toolset": ["native"], "client": "bench"}}); self.lines.readline()
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def ask(self, method, params):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        while (answer := json.loads(self.lines.readline())).get("id") != self.id: pass
        return answer

    def references(self, name, place):
        arguments = {"name_path": name, "relative_path": place, "format": "json", "limit": 1000000}
        text = self.ask("tools/call", {"name": "references", "arguments": arguments})["result"]["content"][0]["text"]
        try: return json.loads(text)
        except ValueError: return text


texts = {}
def line(path, number):
    if path not in texts: texts[path] = open(os.path.join(a.project, path), encoding="utf8", errors="replace").read().split("\n")
    return texts[path][number - 1]


beside = collections.defaultdict(set)
truth, kinds, read, skipped = collections.defaultdict(set), {}, set(), set()
for row in open(a.truth):
    path, number, name, declared, at, kind = row.rstrip("\n").split("\t")
    if path == "?": skipped.update((declared, n) for n in range(int(at), int(kind) + 1)); continue
    key = (declared, int(at), name); kinds[key] = kind; read |= {path.lstrip("~"), declared}; truth[key]
    if path[0] == "~": beside[key].add((path[1:], int(number))); continue
    if path == "-": continue
    if not line(path, int(number)).lstrip().startswith(("import ", "from ", "export default ", "export {", "export type {", "* ", "*/", "//")): truth[key].add((path, int(number)))
# A server counts overridden destructors, and the lines of a class's constructors as uses of the class.
truth = {key: uses for key, uses in truth.items() if not key[2].split("::")[-1].startswith("~")}
built = collections.defaultdict(set)
for declared, at, name in truth:
    if kinds[declared, at, name] == "constructor": built[name.split("::")[-1]].add((declared, at))
for key in truth:
    if kinds[key] in ("class", "struct"): truth[key] = truth[key] - built[key[2].split('::')[-1]]
# `typedef struct a a;` declares two of one name.
truth = {key: uses - skipped for key, uses in truth.items() if line(key[0], key[1]).count(key[2].split("::")[-1]) < 2 or kinds[key] != "class"}
keys = sorted(truth); random.Random(a.seed).shuffle(keys); keys = keys[:a.n]
client, wrong = Client(), []
sums = collections.defaultdict(collections.Counter)
for key in keys:
    declared, at, name = key
    answer, uses = client.references(name.split("::")[-1], f"{declared}:{at}"), truth[key]
    if isinstance(answer, str):
        sums["not found"].update(n=1); wrong.append([key, kinds[key], answer, sorted(uses), []]); continue
    if "overloads" in answer: answer["references"] = [use for one in answer["overloads"] for use in one["references"]]
    hits = [one for one in answer["references"] if one["role"] != "import" and one["path"] in read and (one["path"], one["line"]) not in skipped]
    told = {(one["path"], one["line"]) for one in hits}
    told -= beside[key] - uses
    if kinds[key] in ("class", "struct"): told -= built[name.split('::')[-1]]
    certain = {(one["path"], one["line"]) for one in hits if one["certainty"] == "certain"}
    for sum in (sums["all"], sums[kinds[key]]):
        sum.update(n=1, right=len(told & uses), told=len(told), uses=len(uses), exact=told == uses, certain=len(certain), sure=len(certain & uses),
                   complete=answer["complete"], lie=answer["complete"] and told != uses)
    if told != uses: wrong.append([key, kinds[key], answer["complete"], sorted(uses - told), sorted(told - uses)])
run("stop")
share = lambda part, whole: f"{part / max(1, whole):.3f}"
print("| kind | declarations | P | R | exact | certain P | certain share | complete | of those wrong |\n|---|---|---|---|---|---|---|---|---|")
for kind, s in sums.items():
    print(f"| {kind.lower()} | {s['n']} | {share(s['right'], s['told'])} | {share(s['right'], s['uses'])} | {share(s['exact'], s['n'])} | "
          f"{share(s['sure'], s['certain'])} | {share(s['sure'], s['uses'])} | {share(s['complete'], s['n'])} | {share(s['lie'], s['complete'])} |")
if a.wrong: open(a.wrong, "w").write("".join(json.dumps(one) + "\n" for one in wrong))
