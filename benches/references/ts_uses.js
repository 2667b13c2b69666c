// Writes what TypeScript's language service resolves in a tree as a table for references.py.
//
//     node ts_uses.js DIR GLOB-PREFIXES... > T.tsv      (DIR/tsconfig.json is read for its options; typescript is taken from NODE_PATH)
//
// Each declaration outside of function bodies is asked for its references. Uses that the service lists under another declaration
// (a base's member, a shorthand's local) are neither: rows whose first column is "~".
const ts = require("typescript"), fs = require("fs"), path = require("path");
const [dir, ...under] = process.argv.slice(2);
const root = fs.realpathSync(dir);
let options = {};
const config = ts.findConfigFile(root, ts.sys.fileExists);
if (config && config.startsWith(root)) options = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, path.dirname(config)).options;
Object.assign(options, { noEmit: true, allowJs: true, checkJs: false, skipLibCheck: true, composite: false, incremental: false });
const files = ts.sys.readDirectory(root, [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"], ["**/node_modules", "**/dist", "**/.*/"], undefined)
  .filter(f => !f.endsWith(".d.ts") && (!under.length || under.some(u => path.relative(root, f).startsWith(u))));
const host = {
  getCompilationSettings: () => options, getScriptFileNames: () => files, getScriptVersion: () => "1",
  getScriptSnapshot: f => fs.existsSync(f) ? ts.ScriptSnapshot.fromString(fs.readFileSync(f, "utf8")) : undefined,
  getCurrentDirectory: () => root, getDefaultLibFileName: o => ts.getDefaultLibFilePath(o),
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory, directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories,
};
const service = ts.createLanguageService(host), program = service.getProgram(), S = ts.SyntaxKind;
const kinds = new Map([[S.ClassDeclaration, "class"], [S.InterfaceDeclaration, "interface"], [S.TypeAliasDeclaration, "type"], [S.EnumDeclaration, "enum"],
  [S.EnumMember, "enum member"], [S.FunctionDeclaration, "function"], [S.MethodDeclaration, "method"], [S.MethodSignature, "interface method"],
  [S.PropertyDeclaration, "field"], [S.PropertySignature, "interface property"], [S.GetAccessor, "accessor"], [S.SetAccessor, "accessor"], [S.VariableDeclaration, "variable"]]);
const rows = new Set(), rel = f => path.relative(root, f), shown = new Set(files.map(rel));
let failed = 0;
for (const f of files) {
  const source = program.getSourceFile(f), lineOf = p => source.getLineAndCharacterOfPosition(p).line + 1;
  for (const d of program.getSyntacticDiagnostics(source)) console.error("syntax:", rel(f), d.messageText);
  for (const d of program.getSemanticDiagnostics(source)) if ([2307, 2304, 2792].includes(d.code) && failed++ < 10) console.error("unresolved:", rel(f), ts.flattenDiagnosticMessageText(d.messageText, " "));
  (function walk(node) {
    const name = node.name;
    if (kinds.has(node.kind) && name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))
        && !(node.kind === S.MethodDeclaration && ts.isObjectLiteralExpression(node.parent))) {
      const at = name.getStart(source), key = `${name.text}\t${rel(f)}\t${lineOf(at)}\t${kinds.get(node.kind)}`;
      rows.add(`-\t0\t${key}`);
      for (const symbol of service.findReferences(f, at) || []) {
        const own = symbol.references.some(r => r.fileName === f && r.textSpan.start === at);
        for (const r of symbol.references) {
          if (r.isDefinition || !shown.has(rel(r.fileName)) || (r.fileName === f && r.textSpan.start === at)) continue;
          const there = program.getSourceFile(r.fileName);
          if (there.text.substr(r.textSpan.start, r.textSpan.length) !== name.text) continue;
          rows.add(`${own ? "" : "~"}${rel(r.fileName)}\t${there.getLineAndCharacterOfPosition(r.textSpan.start).line + 1}\t${key}`);
        }
      }
    }
    if (ts.isFunctionLike(node) && node.body) return;
    if (node.kind === S.Block && node.parent.kind !== S.SourceFile) return;
    ts.forEachChild(node, walk);
  })(source);
}
process.stdout.write([...rows].sort().map(r => r + "\n").join(""));
console.error(`${files.length} files, ${rows.size} rows, ${failed} unresolved`);
