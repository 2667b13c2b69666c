// Writes what go/types resolves in a module as a table for references.py.
//
//	go run go_uses.go DIR > T.tsv
//
// Each package is checked with its tests, for the system this runs on; files for other systems are left out, as are packages with
// errors, which are named on standard error. Identifiers that declare inside functions are no rows, uses of them neither.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	root, _ := filepath.Abs(os.Args[1])
	os.Chdir(root)
	rows := map[string]bool{}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if base := entry.Name(); dir != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor") {
			return fs.SkipDir
		}
		found, err := build.ImportDir(dir, 0)
		if err != nil {
			return nil
		}
		both := append(append([]string{}, found.GoFiles...), found.TestGoFiles...)
		check(root, dir, found.Name, both, fset, imports, rows)
		check(root, dir, found.Name+"_test", found.XTestGoFiles, fset, imports, rows)
		return nil
	})
	sorted := []string{}
	for row := range rows {
		sorted = append(sorted, row)
	}
	sort.Strings(sorted)
	fmt.Print(strings.Join(sorted, ""))
}

func check(root, dir, name string, names []string, fset *token.FileSet, imports types.Importer, rows map[string]bool) {
	if len(names) == 0 {
		return
	}
	files, failed := []*ast.File{}, 0
	for _, one := range names {
		file, err := parser.ParseFile(fset, filepath.Join(dir, one), nil, parser.ParseComments)
		if err == nil {
			files = append(files, file)
		}
	}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports, FakeImportC: true, Error: func(err error) {
		if failed++; failed < 4 {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
	}}
	config.Check(name, fset, files, &info)
	if failed > 0 {
		fmt.Fprintln(os.Stderr, "left out:", dir, failed, "errors")
		return
	}
	for ident, object := range info.Defs {
		if key := key(root, fset, object); object != nil && key != "" && ident.Name != "_" {
			rows[fmt.Sprintf("-\t0\t%s\n", key)] = true
		}
	}
	for ident, object := range info.Uses {
		if key := key(root, fset, object); key != "" {
			at := fset.Position(ident.Pos())
			path, _ := filepath.Rel(root, at.Filename)
			rows[fmt.Sprintf("%s\t%d\t%s\n", path, at.Line, key)] = true
		}
	}
}

// The name, file, line and kind of a declaration outside function bodies; empty for others and for those of other modules.
func key(root string, fset *token.FileSet, object types.Object) string {
	if object == nil || object.Pkg() == nil || !object.Pos().IsValid() {
		return ""
	}
	at, kind := fset.Position(object.Pos()), ""
	absolute, _ := filepath.Abs(at.Filename)
	path, err := filepath.Rel(root, absolute)
	if err != nil || strings.HasPrefix(path, "..") {
		return ""
	}
	top := object.Parent() == object.Pkg().Scope()
	switch one := object.(type) {
	case *types.Func:
		kind = "function"
		if receiver := one.Type().(*types.Signature).Recv(); receiver != nil {
			kind = "method"
			if types.IsInterface(receiver.Type()) {
				kind = "interface method"
			}
		}
	case *types.Var:
		if one.IsField() {
			kind = "field"
		} else if top {
			kind = "variable"
		}
	case *types.Const:
		if top {
			kind = "constant"
		}
	case *types.TypeName:
		if top {
			kind = "type"
		}
	}
	if kind == "" {
		return ""
	}
	return fmt.Sprintf("%s\t%s\t%d\t%s", object.Name(), path, at.Line, kind)
}
