//! Renames in texts with all line endings, byte-order marks and encodings, and with characters outside the
//! basic plane before the name, counted in each of the units that servers use. Text that is not renamed keeps
//! every byte.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, play};

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

/// Returns the script of a server with that encoding, which renames `run` wherever it occurs in `text`.
fn script(encoding: &str, text: &str) -> Value {
    let columns = |before: &str| -> u32 {
        let count = match encoding {
            "utf-8" => before.len(),
            "utf-16" => before.encode_utf16().count(),
            _ => before.chars().count(),
        };
        u32::try_from(count).unwrap()
    };
    let mut edits = Vec::new();
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    for (number, line) in lines.split('\n').enumerate() {
        for (at, _) in line.match_indices("run") {
            let (from, to) = (columns(&line[..at]), columns(&line[..at + 3]));
            edits.push(json!({ "range": range(u32::try_from(number).unwrap(), from, to), "newText": "go" }));
        }
    }
    let changes = json!([{ "textDocument": { "uri": "{root}/a.py", "version": null }, "edits": edits }]);
    json!({
        "capabilities": { "renameProvider": true, "positionEncoding": encoding },
        "on": { "textDocument/rename": [{ "answer": { "documentChanges": changes } }] },
    })
}

#[test]
fn every_spelling_of_a_text_is_kept() {
    let text = "def run():\r\n    pass\n\r\ns = \"\u{1F600}\u{20AC}\u{e9}\"; run(); \"\u{1F468}\u{200D}\u{1F469}\"; run()\rt = run";
    let after = text.replace("run", "go");
    type Spell = fn(&str) -> Vec<u8>;
    let spellings: [(&str, Spell); 4] = [
        ("UTF-8", |text| text.as_bytes().to_vec()),
        ("with a byte-order mark", |text| [b"\xEF\xBB\xBF", text.as_bytes()].concat()),
        ("UTF-16, little end first", |text| {
            [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
        }),
        ("UTF-16, big end first", |text| {
            [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect()
        }),
    ];
    for (name, spell) in spellings {
        for encoding in ["utf-8", "utf-16", "utf-32"] {
            let bytes = spell(text);
            play(&[("a.py", &bytes)], Answers::Fake(script(encoding, text), ""), async |stage| {
                let done = stage.done("rename_symbol", json!({ "name_path": "run", "new_name": "go" })).await;
                assert!(done.contains("a.py: 4\n"), "{name} {encoding}: {done}");
                assert!(stage.bytes("a.py") == spell(&after), "{name} {encoding}");
                stage.undo().await;
                assert!(stage.bytes("a.py") == bytes, "{name} {encoding}");
            });
        }
    }
}

#[test]
fn a_server_is_told_of_files_with_a_mark_before_it_is_asked() {
    let lib = "def run():\n    pass\n";
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain("run\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let files: [(&str, &[u8]); 5] = [
        ("a.py", lib.as_bytes()),
        ("marked.py", b"\xEF\xBB\xBFfrom a import run; run()\n"),
        ("other.py", b"\xEF\xBB\xBFfrom a import other\n"),
        ("plain.py", b"from a import run\n"),
        ("wide.py", &wide),
    ];
    play(&files, Answers::Fake(script("utf-8", lib), ""), async |stage| {
        stage.done("rename_symbol", json!({ "name_path": "run", "new_name": "go", "force": true })).await;
        let log = stage.log();
        let asked = log.find("textDocument/rename").unwrap();
        let opened =
            |name: &str| log[..asked].lines().any(|line| line.contains("didOpen") && line.contains(name));
        assert!(opened("marked.py") && opened("wide.py"), "{log}");
        assert!(!opened("other.py") && !opened("plain.py"), "{log}");
        assert!(!log.contains("\u{FEFF}") && !log.contains("\\ufeff"), "{log}");
    });
}
