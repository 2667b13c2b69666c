//! Properties of the patch parser that must hold for any input of a client. See `symd::properties`.

use super::patch::{self, FileToPatch, PatchOperation, PatchOptions};
use symd_base::RelPath;

/// The maximum length of a reason in bytes, beyond what it quotes.
const REASON_BYTES: usize = 500;

/// The files that patches may change.
const FILES: [(&str, &str); 3] = [
    ("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 2\n"),
    ("b.txt", "one\r\ntwo\r\n"),
    ("c", "é"),
];

/// A patch in either form is parsed or rejected; its plan changes only files that were read, and grows them
/// by no more than the size of the patch.
pub fn patches(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed = match patch::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(error.to_string().len() <= REASON_BYTES + 2 * text.len(), "{error}");
            return;
        }
    };
    for fuzz in [0, 2] {
        let mut read = |path: &RelPath| {
            let known = FILES.iter().find(|(name, _)| *name == path.as_str());
            Ok(known.map(|(_, text)| FileToPatch::Text((*text).to_owned())))
        };
        let Ok(plan) = patch::plan(&parsed, PatchOptions { fuzz }, &mut read) else { continue };
        for operation in &plan.operations {
            match operation {
                PatchOperation::Update { path, edits, .. } => {
                    let (_, before) = FILES.iter().find(|(name, _)| *name == path.as_str()).unwrap();
                    let after = edits.apply(before).unwrap();
                    assert!(after.len() <= before.len() + 2 * text.len(), "{after:?}");
                }
                PatchOperation::Add { text: added, .. } => {
                    let most = FILES.iter().map(|(_, text)| text.len()).sum::<usize>() + 2 * text.len();
                    assert!(added.len() <= most, "{added:?}");
                }
                PatchOperation::Delete { path } => {
                    assert!(FILES.iter().any(|(name, _)| *name == path.as_str()));
                }
            }
        }
    }
}

/// Seeds for patches, in either form.
pub fn patch_seeds() -> Vec<Vec<u8>> {
    [
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 3\n",
        "diff --git a/c b/d\nsimilarity index 90%\nrename from c\nrename to d\n--- a/c\n+++ b/d\n@@ -1 +1 @@\n-é\n\\ No newline at end of file\n+e\n",
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: z.py\n@@ def g():\n-    return 2\n+    return 4\n*** End of File\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: n\n+x\n*** Delete File: b.txt\n*** End Patch\n",
        "*** Begin Patch\n--- b.txt\n+++ b.txt\n@@ -1,2 +1 @@\n one\r\n-two\r\n*** End Patch\n",
    ]
    .map(|it| it.into())
    .into()
}

/// Words from which patches are generated.
pub const PATCH_WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "--- ",
    "+++ ",
    "a.py",
    "b.txt",
    "/dev/null",
    "@@ -1,2 +1,2 @@",
    "@@ -0,0 +1 @@",
    "@@",
    " ",
    "+",
    "-",
    "def f():",
    "    return 1",
    "one",
    "two",
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "*** End of File",
    "\\ No newline at end of file",
    "diff --git a/a.py b/a.py",
    "rename from ",
    "rename to ",
    "copy from ",
    "new file mode 100755",
    "deleted file mode 100644",
    "99999999999",
    "..",
    "\"",
];
