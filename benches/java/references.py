"""Holds symd's references in Java files, without a language server, against javac.

    javac -d OUT JavacUses.java && (cd DIR && java -cp OUT JavacUses "" $(find src/main/java -name '*.java' | grep -v -e package-info -e module-info)) > T.tsv
    python3 references.py --symd BIN --project DIR --truth T.tsv --home H [--n 500] [--seed 7] [--wrong FILE]

For each sampled declaration: lines that use it, imports left out, in the files that javac read. H is a folder for symd's own HOME.
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
        run("start")
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
        return json.loads(self.ask("tools/call", {"name": "references", "arguments": arguments})["result"]["content"][0]["text"])


texts = {}
def line(path, number):
    if path not in texts: texts[path] = open(os.path.join(a.project, path), encoding="utf8", errors="replace").read().split("\n")
    return texts[path][number - 1]


truth, kinds, read = collections.defaultdict(set), {}, set()
for row in open(a.truth):
    path, number, name, declared, at, kind = row.rstrip("\n").split("\t")
    key = (declared, int(at), name); kinds[key] = kind; read |= {path, declared}; truth[key]
    if not line(path, int(number)).lstrip().startswith("import "): truth[key].add((path, int(number)))
keys = sorted(truth); random.Random(a.seed).shuffle(keys); keys = keys[:a.n]
client, wrong = Client(), []
sums = collections.defaultdict(collections.Counter)
for key in keys:
    declared, at, name = key
    answer, uses = client.references(name, f"{declared}:{at}"), truth[key]
    hits = [one for one in answer["references"] if one["role"] != "import" and one["path"] in read]
    told = {(one["path"], one["line"]) for one in hits}
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
