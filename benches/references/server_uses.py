"""Writes what a language server resolves in a tree as a table for references.py.

    python3 server_uses.py --project DIR --language cpp --glob '*.cc,*.h' --out T.tsv -- clangd --background-index

Each symbol that the server lists in each file, macros left out, is asked for its references, declarations left out. Left out of the
comparison: uses that macros expand to, the bodies of macros, inactive branches of the preprocessor, and names behind `using n::Name;`,
of which clangd lists no uses. Files in which the server reports an error are named on standard error and left out, uses in them too.
"""
import argparse, fnmatch, json, os, re, queue, subprocess, sys, threading, time, urllib.parse

a = argparse.ArgumentParser()
for name in ("project", "language", "glob", "out"):
    a.add_argument("--" + name, required=True)
a.add_argument("--settle", type=float, default=20, help="seconds without progress reports after which the server counts as ready")
a.add_argument("--init", default="{}")
a.add_argument("command", nargs="+")
a = a.parse_args()
root = os.path.realpath(a.project)
uri = lambda path: "file://" + urllib.parse.quote(os.path.join(root, path))
def path_of(u):
    p = urllib.parse.unquote(u[len("file://"):])
    return os.path.relpath(p, root) if p.startswith(root + "/") else None
server = subprocess.Popen(a.command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
inactive = {}
answers, errors, last, ids = {}, {}, [time.time()], [0]
lock = threading.Condition()
active = set()
def send(m):
    b = json.dumps(m).encode(); server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(b) + b); server.stdin.flush()
def read():
    while True:
        n = 0
        while (h := server.stdout.readline().strip()):
            if h.lower().startswith(b"content-length:"): n = int(h.split(b":")[1])
        if n == 0: return
        m = json.loads(server.stdout.read(n))
        with lock:
            if "method" in m:
                if "id" in m:
                    r = None
                    if m["method"] == "workspace/configuration": r = [None] * len(m["params"]["items"])
                    send({"jsonrpc": "2.0", "id": m["id"], "result": r})
                elif m["method"] == "textDocument/publishDiagnostics":
                    d = [x for x in m["params"]["diagnostics"] if x.get("severity") == 1]
                    errors[m["params"]["uri"]] = [x["message"] for x in d]; last[0] = time.time()
                elif m["method"] == "textDocument/inactiveRegions": inactive[m["params"]["textDocument"]["uri"]] = m["params"]["regions"]
                elif m["method"] == "$/progress": last[0] = time.time()
            else: answers[m["id"]] = m
            lock.notify_all()
threading.Thread(target=read, daemon=True).start()
def ask(method, params, timeout=120):
    ids[0] += 1; i = ids[0]
    send({"jsonrpc": "2.0", "id": i, "method": method, "params": params})
    with lock:
        if not lock.wait_for(lambda: i in answers, timeout): raise SystemExit(f"no answer to {method}")
        m = answers.pop(i)
    return m.get("result")
ask("initialize", {"processId": os.getpid(), "rootUri": uri("."), "workspaceFolders": [{"uri": uri(""), "name": "p"}],
    "initializationOptions": json.loads(a.init),
    "capabilities": {"window": {"workDoneProgress": True}, "workspace": {"configuration": True, "workspaceFolders": True},
      "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}, "publishDiagnostics": {}, "references": {}, "inactiveRegionsCapabilities": {"inactiveRegions": True}}}})
send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
globs = a.glob.split(",")
files = sorted(os.path.relpath(os.path.join(d, f), root) for d, ds, fs in os.walk(root) for f in fs
    if any(fnmatch.fnmatch(f, g) for g in globs) and "/." not in d and "node_modules" not in d)
for f in files:
    send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri(f), "languageId": a.language, "version": 1,
        "text": open(os.path.join(root, f), encoding="utf8", errors="replace").read()}}})
while time.time() - last[0] < a.settle: time.sleep(0.5)
bad = {path_of(u) for u, e in errors.items() if e}
for u, e in errors.items():
    if e: print("left out:", path_of(u), e[:2], file=sys.stderr)
good = [f for f in files if f not in bad]
KINDS = {5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor", 10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "constant", 22: "enum member", 23: "struct", 26: "type parameter", 2: "module", 3: "namespace"}
texts = {}
def text(path, range):
    if path not in texts: texts[path] = open(os.path.join(root, path), encoding="utf8", errors="replace").read().split("\n")
    return texts[path][range["start"]["line"]].encode("utf-16-le")[2 * range["start"]["character"]:2 * range["end"]["character"]].decode("utf-16-le")
rows, count = set(), 0
def walk(symbols, f, outer):
    global count
    for s in symbols or []:
        kind = KINDS.get(s["kind"], str(s["kind"])); p = s["selectionRange"]["start"]
        inside = outer + [kind]
        if kind not in ("namespace", "module", "15") and not any(k in ("function", "method", "constructor") for k in outer):
            refs = ask("textDocument/references", {"textDocument": {"uri": uri(f)}, "position": p, "context": {"includeDeclaration": False}})
            count += 1
            key = f"{s['name']}\t{f}\t{p['line'] + 1}\t{kind}"
            rows.add(f"-\t0\t{key}")
            for r in refs or []:
                q = path_of(r["uri"])
                # Other text stands where a macro is expanded.
                if q in good and text(q, r["range"]) == s["name"].split("::")[-1]: rows.add(f"{q}\t{r['range']['start']['line'] + 1}\t{key}")
        walk(s.get("children"), f, inside)
for f in good: walk(ask("textDocument/documentSymbol", {"textDocument": {"uri": uri(f)}}), f, [])
# The bodies of macros: the server lists what they use where they are expanded.
for f in good:
    is_in = False
    for number, one in enumerate(open(os.path.join(root, f), encoding="utf8", errors="replace"), 1):
        is_in = is_in or one.lstrip().startswith("#") and a.language in ("c", "cpp")
        if is_in: rows.add(f"?\t0\t-\t{f}\t{number}\t{number}")
        is_in = is_in and one.rstrip().endswith("\\")
    # Behind `using n::Name;` the server lists no uses of the name.
    code = open(os.path.join(root, f), encoding="utf8", errors="replace").read()
    for name in re.findall(r"using\s+[\w:]+::(\w+)\s*;", code) if a.language == "cpp" else []:
        for number, one in enumerate(code.split("\n"), 1):
            if re.search(rf"\b{name}\b", one): rows.add(f"?\t0\t-\t{f}\t{number}\t{number}")
for u, regions in inactive.items():
    for r in regions: rows.add(f"?\t0\t-\t{path_of(u)}\t{r['start']['line'] + 1}\t{r['end']['line'] + 1}")
open(a.out, "w").write("".join(sorted(x + "\n" for x in rows)))
print(f"{len(files)} files, {len(bad)} left out, {count} declarations, {len(rows)} rows", file=sys.stderr)
server.kill()
