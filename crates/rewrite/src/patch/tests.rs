use std::collections::BTreeMap;

use super::*;
use symd_base::RelPath;

/// Applies a patch to a tree; returns every file with its text, or the error.
fn patched_with(
    fuzz: usize,
    patch: &str,
    files: &[(&str, &str)],
) -> Result<(BTreeMap<String, String>, PatchPlan), String> {
    let patch = parse(patch).map_err(|error| error.to_string())?;
    let mut tree: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let before = tree.clone();
    let mut read = |path: &RelPath| match before.get(path.as_str()) {
        Some(text) if text == "BINARY" => Ok(Some(FileToPatch::NoText("binary file".to_owned()))),
        text => Ok(text.cloned().map(FileToPatch::Text)),
    };
    let plan = plan(&patch, PatchOptions { fuzz }, &mut read).map_err(|error| error.to_string())?;
    for operation in &plan.operations {
        match operation {
            PatchOperation::Update { path, edits, new_path } => {
                let text = tree.remove(path.as_str()).expect("there");
                let after = edits.apply(&text).expect("inside");
                let back = edits.inverse(&text).expect("inside").apply(&after).expect("inside");
                assert_eq!(back, text, "undone");
                tree.insert(new_path.as_ref().unwrap_or(path).as_str().to_owned(), after);
            }
            PatchOperation::Add { path, text, .. } => {
                assert!(tree.insert(path.as_str().to_owned(), text.clone()).is_none(), "vacant");
            }
            PatchOperation::Delete { path } => {
                tree.remove(path.as_str()).expect("there");
            }
        }
    }
    Ok((tree, plan))
}

fn patched(patch: &str, files: &[(&str, &str)]) -> String {
    match patched_with(0, patch, files) {
        Err(error) => format!("Error: {error}"),
        Ok((tree, plan)) => {
            let mut shown: Vec<String> = tree.iter().map(|(path, text)| format!("{path}={text:?}")).collect();
            shown.extend(plan.inexact_hunks.iter().map(|shift| format!("({shift})")));
            shown.extend(plan.notes.iter().map(|note| format!("({note})")));
            shown.join(" ")
        }
    }
}

/// (patch, files before it, expected result)
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

fn check(cases: &[Case<'_>]) {
    for (patch, files, expected) in cases {
        assert_eq!(patched(patch, files), *expected, "{patch}");
    }
}

#[test]
fn unified_diffs_are_applied() {
    check(&[
        // The contract's example.
        (
            "--- a/file.txt\n+++ b/file.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n",
            &[("file.txt", "old\n")],
            r#"file.txt="new\n""#,
        ),
        // As git writes it, with all optional parts.
        (
            "From 1234 Mon Sep 17 00:00:00 2001\nSubject: x\n---\n f | 2 +-\n\ndiff --git a/d/f b/d/f\nindex 1..2 100644\n--- a/d/f\n+++ b/d/f\n@@ -1,3 +1,4 @@ fn x\n a\n-b\n+B\n+😀\n c\n-- \n2.40\n",
            &[("d/f", "a\nb\nc\n")],
            r#"d/f="a\nB\n😀\nc\n""#,
        ),
        // A file in a directory that is named like a prefix.
        ("--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", &[("a/f", "x\n")], r#"a/f="y\n""#),
        // diff -u: the one of the two names that exists.
        ("--- f.orig\t2026-01-01\n+++ f\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n", &[("f", "x\n")], r#"f="y\n""#),
        ("--- f\n+++ f.new\n@@ -1 +1 @@\n-x\n+y\n", &[("f", "x\n")], r#"f="y\n""#),
        // Created and deleted files.
        (
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
            &[],
            r#"n="a\nb""#,
        ),
        ("--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", &[("f", "a\nb\n")], ""),
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0..e\n", &[], r#"e="""#),
        ("diff --git a/e b/e\ndeleted file mode 100644\nindex e..0\n", &[("e", "")], ""),
        (
            "diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
            &[("o", "a\nb\n")],
            r#"n="a\nc\n""#,
        ),
        (
            "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n",
            &[("o", "a")],
            r#"n="a""#,
        ),
        (
            "diff --git a/o b/n\ncopy from o\ncopy to n\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n",
            &[("o", "a\n")],
            r#"n="b\n" o="a\n""#,
        ),
        (
            "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n",
            &[("x.sh", "")],
            r#"x.sh="" (x.sh: the change of its mode from 100644 to 100755 is not applied)"#,
        ),
        (
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n@@ -1 +1 @@\n-x\n+y\n",
            &[("ä", "x\n")],
            r#"ä="y\n""#,
        ),
        // Lines that look like headers.
        ("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n", &[("f", "a\n-- b\n")], r#"f="a\n++ c\n""#),
        // Two sections for one file; both refer to its original text.
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+A\n--- f\n+++ f\n@@ -3 +3 @@\n-c\n+C\n",
            &[("f", "a\nb\nc\n")],
            r#"f="A\nb\nC\n""#,
        ),
    ]);
}

#[test]
fn line_endings_are_the_files() {
    check(&[
        ("--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n", &[("f", "a\r\nb\r\n")], r#"f="a\r\nc\r\nd\r\n""#),
        ("--- f\r\n+++ f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n", &[("f", "a\nb\n")], r#"f="a\nc\n""#),
        ("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", &[("f", "a\rb\r")], r#"f="a\rc\r""#),
        // A diff that changes line endings.
        ("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n", &[("f", "a\r\nb\r\n")], r#"f="a\r\nb\n""#),
        // Mixed endings: the new line gets that of its place.
        ("--- f\n+++ f\n@@ -2,2 +2,2 @@\n b\n-c\n+d\n", &[("f", "a\nb\r\nc\r\n")], r#"f="a\nb\r\nd\r\n""#),
        // The final line break.
        ("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", &[("f", "a")], r#"f="b""#),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", &[("f", "a")], r#"f="b\n""#),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", &[("f", "a\n")], r#"f="b""#),
        ("--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n", &[("f", "a")], r#"f="a\nb""#),
        ("--- f\n+++ f\n@@ -2 +2,2 @@\n-b\n+c\n+d\n", &[("f", "a\r\nb")], r#"f="a\r\nc\r\nd""#),
    ]);
}

#[test]
fn hunks_are_found_by_their_context() {
    let file = "a\nb\nc\nd\ne\nf\n";
    check(&[
        (
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n d\n-e\n+E\n",
            &[("f", file)],
            r#"f="a\nb\nc\nd\nE\nf\n" (f: hunk 1 applied at line 4 (offset 3))"#,
        ),
        (
            "--- f\n+++ f\n@@ -40,2 +40,2 @@\n d\n-e\n+E\n",
            &[("f", file)],
            r#"f="a\nb\nc\nd\nE\nf\n" (f: hunk 1 applied at line 4 (offset -36))"#,
        ),
        // The second hunk is searched from the place of the first.
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-x\n+X\n@@ -3 +3 @@\n-x\n+Y\n",
            &[("f", "q\nx\nq\nx\n")],
            r#"f="q\nX\nq\nY\n" (f: hunk 1 applied at line 2 (offset 1)) (f: hunk 2 applied at line 4 (offset 1))"#,
        ),
        // The nearer place is chosen; two equally near ones are rejected.
        (
            "--- f\n+++ f\n@@ -2,1 +2,1 @@\n-x\n+y\n",
            &[("f", "a\nb\nx\nc\nx\n")],
            r#"f="a\nb\ny\nc\nx\n" (f: hunk 1 applied at line 3 (offset 1))"#,
        ),
        (
            "--- f\n+++ f\n@@ -2,1 +2,1 @@\n-x\n+y\n",
            &[("f", "x\nb\nx\n")],
            "Error: f: hunk 1 is ambiguous: its context occurs at lines 1 and 3; give more context, or a line number in its header",
        ),
        ("--- f\n+++ f\n@@ @@\n-x\n+y\n", &[("f", "a\nx\n")], r#"f="a\ny\n""#),
        (
            "--- f\n+++ f\n@@ ... @@\n-x\n+y\n",
            &[("f", "x\nb\nx\n")],
            "Error: f: hunk 1 is ambiguous: its context occurs at lines 1 and 3; give more context, or a line number in its header",
        ),
        // White space may differ; exact matches are preferred.
        (
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n x\n-y \n+z\n",
            &[("f", "x\ny\n")],
            r#"f="x\nz\n" (f: hunk 1 applied at line 1 (white space at line ends differs))"#,
        ),
        (
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n x\n-y\n+\tz\n",
            &[("f", "x\n\ty\n")],
            r#"f="x\n\tz\n" (f: hunk 1 applied at line 1 (indentation differs))"#,
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-x\n+z\n",
            &[("f", " x\nx\n")],
            r#"f=" x\nz\n" (f: hunk 1 applied at line 2 (offset 1))"#,
        ),
        // Wrong counts; blank context lines without their blank.
        (
            "--- f\n+++ f\n@@ -1,9 +1,9 @@\n a\n\n-b\n+B\n\n",
            &[("f", "a\n\nb\n")],
            r#"f="a\n\nB\n" (line 3 of the patch: the counts of hunk 1 are wrong)"#,
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+A\n b\n-c\n",
            &[("f", "a\nb\nc\n")],
            r#"f="A\nb\n" (line 3 of the patch: the counts of hunk 1 are wrong)"#,
        ),
    ]);
    let patch = "--- f\n+++ f\n@@ -1,3 +1,3 @@\n X\n-b\n+B\n c\n";
    assert!(patched(patch, &[("f", file)]).starts_with("Error: f: hunk 1 does not apply"));
    let (tree, plan) = patched_with(1, patch, &[("f", file)]).expect("with fuzz");
    assert_eq!(tree["f"], "a\nB\nc\nd\ne\nf\n");
    assert_eq!(plan.inexact_hunks[0].to_string(), "f: hunk 1 applied at line 1 (fuzz 1)");
}

#[test]
fn begin_patch_is_applied() {
    let python =
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";
    check(&[
        (
            "*** Begin Patch\n*** Add File: n/a.txt\n+x\n+\n+y\n*** Update File: f\n@@\n a\n-b\n+B\n*** Delete File: g\n*** End Patch\n",
            &[("f", "a\nb\n"), ("g", "z")],
            r#"f="a\nB\n" n/a.txt="x\n\ny\n""#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n*** Move to: d/h\n@@ class B:\n     def f(self):\n-        return 1\n+        return 2\n*** End Patch",
            &[("f", python)],
            r#"d/h="class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n""#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n*** End Patch",
            &[("f", python)],
            r#"f="class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n""#,
        ),
        // The header may occur once more in the context.
        (
            "*** Begin Patch\n*** Update File: f\n@@ class B:\n class B:\n-    def f(self):\n+    def g(self):\n*** End Patch",
            &[("f", python)],
            r#"f="class A:\n    def f(self):\n        return 1\n\nclass B:\n    def g(self):\n        return 1\n""#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@\n     def f(self):\n-        return 1\n+        return 2\n*** End Patch",
            &[("f", python)],
            "Error: f: hunk 1 is ambiguous: its context occurs at lines 2 and 6; give more context, or a line number in its header",
        ),
        (
            "*** Begin Patch\n*** Update File: f\n     def f(self):\n-        return 1\n+        return 2\n*** End of File\n*** End Patch",
            &[("f", python)],
            r#"f="class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n""#,
        ),
        // Only new lines: inserted at the end, or after the header.
        (
            "*** Begin Patch\n*** Update File: f\n@@\n+b\n*** End Patch",
            &[("f", "a\r\n")],
            r#"f="a\r\nb\r\n""#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@ a\n+b\n*** End Patch",
            &[("f", "a\nc\n")],
            r#"f="a\nb\nc\n""#,
        ),
        // A unified diff inside.
        (
            "*** Begin Patch\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n*** End Patch\n",
            &[("f", "a\n")],
            r#"f="b\n""#,
        ),
        (
            "*** Begin Patch\r\n*** Update File: f\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n",
            &[("f", "a\n")],
            r#"f="b\n""#,
        ),
        ("*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch", &[("f", "a")], r#"g="a""#),
        // Indented headers.
        (
            " *** Begin Patch\n  *** Delete File: g\n  *** Update File: f \n@@\n-a\n+b\n*** End Patch ",
            &[("f", "a\n"), ("g", "")],
            r#"f="b\n""#,
        ),
        // Deleted and created again: replaced as a whole.
        (
            "*** Begin Patch\n*** Delete File: f\n*** Add File: f\n+x\n*** End Patch",
            &[("f", "a\nb\n")],
            r#"f="x\n""#,
        ),
        // A file that is not text can be deleted and moved.
        (
            "*** Begin Patch\n*** Delete File: f\n*** Update File: g\n*** Move to: h\n*** End Patch",
            &[("f", "BINARY"), ("g", "BINARY")],
            r#"h="BINARY""#,
        ),
        // Typographic characters match plain ones, with the lowest priority.
        (
            "*** Begin Patch\n*** Update File: f\n@@\n-say \"it's\" - now\n+x\n*** End Patch",
            &[("f", "  say “it’s” —\u{a0}now\n")],
            r#"f="x\n" (f: hunk 1 applied at line 1 (typographic characters differ))"#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@\n-a - b\n+x\n*** End Patch",
            &[("f", "a – b\na - b\n")],
            r#"f="a – b\nx\n""#,
        ),
        // The final line break as one more, empty line; and the same where such a line exists.
        (
            "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n \n*** End of File\n*** End Patch",
            &[("f", "a\nb\n")],
            r#"f="a\nc\n""#,
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n \n*** End Patch",
            &[("f", "a\nb\n\na\nb\n")],
            r#"f="a\nc\n\na\nb\n""#,
        ),
    ]);
}

#[test]
fn what_cannot_be_applied_says_why() {
    let one = |file: &str| format!("--- {file}\n+++ {file}\n@@ -1 +1 @@\n-a\n+b\n");
    let in_envelope = |inner: &str| format!("*** Begin Patch\n{inner}\n*** End Patch");
    let cases: &[Case<'_>] = &[
        (
            "",
            &[],
            "The patch contains no file: give a unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 +1,3 @@`) or `*** Begin Patch` with `*** Update File: path`, `*** Add File: path` or `*** Delete File: path`",
        ),
        (
            "*** Begin Patch\n*** Delete File: f\n",
            &[],
            "line 1 of the patch: `*** Begin Patch` has no `*** End Patch`",
        ),
        (
            "@@ -1 +1 @@\n-a\n+b\n",
            &[],
            "line 1 of the patch: expected the names of a file (`--- a/file`, `+++ b/file`) before its first hunk, found: `@@ -1 +1 @@`",
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\nc\n@@ -9 +9 @@\n",
            &[("f", "a\n")],
            "line 7 of the patch: expected the names of a file (`--- a/file`, `+++ b/file`) before its first hunk, found: `@@ -9 +9 @@`",
        ),
        (
            "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\nb\n-c\n",
            &[],
            "line 5 of the patch: expected a line of the hunk, beginning with ' ', '-' or '+', or the next `@@`, found: `b`",
        ),
        ("--- f\n+++ f\n", &[], "line 1 of the patch: there are no hunks for f; begin them with `@@`"),
        (
            "--- ../f\n+++ ../f\n@@ -1 +1 @@\n-a\n+b\n",
            &[],
            "line 1 of the patch: Path is outside the project: ../f",
        ),
        (
            "--- /etc/f\n+++ /etc/f\n@@ -1 +1 @@\n-a\n+b\n",
            &[],
            "line 1 of the patch: Path must be relative, got: /etc/f",
        ),
        (
            "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n",
            &[],
            "line 3 of the patch: b/i.png is binary; binary patches cannot be applied, write the file as a whole",
        ),
        (
            "diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\n",
            &[],
            "line 3 of the patch: a file is binary; binary patches cannot be applied, write the file as a whole",
        ),
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
            &[],
            "line 2 of the patch: b/l has mode 120000; only ordinary files can be patched",
        ),
        (
            &in_envelope("*** Rename File: f"),
            &[],
            "line 2 of the patch: expected `*** Update File: path`, `*** Add File: path`, `*** Delete File: path` or `*** End Patch`, found: `*** Rename File: f`",
        ),
        (
            &in_envelope("*** Add File: f\nx"),
            &[],
            "line 3 of the patch: expected a line of the new file, beginning with '+', found: `x`",
        ),
        (
            &in_envelope("*** Update File: f\n@@\nx"),
            &[],
            "line 4 of the patch: expected a line of the hunk, beginning with ' ', '-' or '+', or `@@`, found: `x`",
        ),
        (
            &in_envelope("*** Update File: f"),
            &[],
            "line 2 of the patch: there are no hunks for f; begin them with `@@`",
        ),
        (
            &in_envelope("*** Update File: f\n@@ class X\n-a"),
            &[("f", "a\n")],
            "f: hunk 1: there is no line `class X` after line 0",
        ),
        (&one("f"), &[], "f: there is no such file to update"),
        (&one("f"), &[("f", "BINARY")], "f: binary file"),
        (
            &one("f"),
            &[("f", "x\n")],
            "f: hunk 1 does not apply: line 4 of the patch expects `a`, but line 1 of the file is `x`",
        ),
        (
            &one("f"),
            &[("f", "")],
            "f: hunk 1 does not apply: line 4 of the patch expects `a`, but line 1 of the file is past its end",
        ),
        (
            "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            &[("f", "q\na\nb\nd\n")],
            "f: hunk 1 does not apply: line 7 of the patch expects `c`, but line 4 of the file is `d`",
        ),
        (
            "--- f\n+++ f\n@@ -9,0 +10 @@\n+x\n",
            &[("f", "a\n")],
            "f: hunk 1 does not apply: line 4 of the patch expects a line before it, but line 2 of the file is past its end",
        ),
        (
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n c\n",
            &[("f", "a\nc\n")],
            "f: hunk 1: line 5 of the patch is marked `\\ No newline at end of file`, but more text follows it",
        ),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
            &[("f", "a\n")],
            "f: hunk 1 does not apply: line 4 of the patch expects `a`, but line 1 of the file is `a`",
        ),
        (
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
            &[("n", "")],
            "n: the file exists already; update it instead",
        ),
        (
            "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            &[("f", "a\nb\n")],
            "f: the patch deletes the file, but would leave text in it; it is not the file the patch was made for",
        ),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", &[], "f: there is no such file to delete"),
        (&in_envelope("*** Add File: f\n+x\n*** Delete File: f"), &[], "f: there is no such file to delete"),
        (
            &in_envelope("*** Delete File: f\n*** Add File: f\n+x\n*** Add File: f\n+y"),
            &[("f", "")],
            "f: the patch names the file twice, and not only to update it; give it in one section",
        ),
        (&in_envelope("*** Delete File: f\n*** Add File: f\n+x"), &[("f", "BINARY")], "f: binary file"),
        (
            &in_envelope("*** Add File: f\n+x\n*** Update File: f\n@@\n-x"),
            &[],
            "f: the patch names the file twice, and not only to update it; give it in one section",
        ),
        (
            &in_envelope("*** Update File: f\n*** Move to: g\n*** Update File: h\n*** Move to: g"),
            &[("f", ""), ("h", "")],
            "g: the patch names the file twice, and not only to update it; give it in one section",
        ),
        (
            &in_envelope("*** Update File: f\n*** Move to: g"),
            &[("f", ""), ("g", "")],
            "g: the file exists already; update it instead",
        ),
        (&format!("{}{}", one("f"), one("f")), &[("f", "a\n")], "f: two edits overlap: 0..2 and 0..2"),
    ];
    for (patch, files, expected) in cases {
        assert_eq!(patched(patch, files), format!("Error: {expected}"), "{patch}");
    }
}
