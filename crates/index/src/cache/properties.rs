//! Properties of outlines on disk that must hold whatever the files contain. See `symd::properties`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::pack::{self, Pack};
use super::{Key, codec};
use symd_base::{Cancel, ContentHash};
use symd_syntax::{self as syntax, Grammar, Outline};

/// Bytes of memory that an outline decoded from damaged bytes may take for each of them.
const PER_BYTE: usize = 64;

/// Checks that bytes are rejected, or decode to an outline that can be read throughout and is the same once
/// it is encoded.
pub fn outline(bytes: &[u8]) {
    let Some(outline) = codec::decode(bytes) else { return };
    read_through(&outline, bytes.len());
    assert_eq!(codec::decode(&codec::encode(&outline)).as_ref(), Some(&outline));
}

fn read_through(outline: &Outline, bytes: usize) {
    for (at, row) in outline.rows.iter().enumerate() {
        outline.name_path(at);
        row.kind();
    }
    for hash in &outline.occurrences.hashes {
        assert!(outline.occurrences.offsets_of_hash(*hash).count() <= bytes);
    }
    let list = outline.imports.unpack();
    let text: usize = list.iter().map(|import| import.module.len()).sum();
    assert!(text <= PER_BYTE * bytes + syntax::MAX_IMPORTED_BYTES, "{text} bytes of {bytes}");
    assert!(outline.imports.statements().count() <= bytes);
}

/// Checks that a file is rejected, or is a pack whose entries are read or missed; and that a pack contains
/// what was written.
pub fn pack(bytes: &[u8]) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("0.pack");
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    if let Some(pack) = Pack::open(&path) {
        for key in pack.keys() {
            let read = pack.find(key).and_then(|place| pack.read(place));
            assert!(read.is_none_or(|read| read.len() <= bytes.len()));
        }
    }
    let entries: BTreeMap<Key, Vec<u8>> = bytes
        .chunks(1 + bytes.len() / 5)
        .map(|part| (Key { content: ContentHash::of(part), fingerprint: part.len() as u64 }, part.to_vec()))
        .collect();
    let path = scratch.path().join("1.pack");
    write(&path, &entries);
    let pack = Pack::open(&path).unwrap();
    for (key, bytes) in &entries {
        assert_eq!(pack.find(*key).and_then(|place| pack.read(place)).as_ref(), Some(bytes));
    }
    assert_eq!(pack.keys().count(), entries.len());
}

fn write(path: &Path, entries: &BTreeMap<Key, Vec<u8>>) {
    pack::write(path, entries.iter().map(|(key, bytes)| (*key, Some(bytes.clone())))).unwrap();
}

/// Returns encoded outlines to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        ("python", "from a.b import c as d, e\nimport a.b\nclass A:\n    def f(self, größe): return größe\n"),
        ("kotlin", "package a\nimport a.b.*\nobject O { fun f() = 1 }\n"),
        ("rust", "use a::{b, c};\nimpl A for B { fn f() {} }\n"),
    ];
    let encoded = texts.map(|(grammar, text)| {
        let grammar = Grammar::named(grammar).unwrap();
        codec::encode(&syntax::outline(grammar, text, &Cancel::new()).unwrap())
    });
    encoded.into()
}

/// Returns packs to start from.
pub fn packs() -> Vec<Vec<u8>> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("0.pack");
    let key = |at: usize| Key { content: ContentHash::of(&[u8::try_from(at).unwrap()]), fingerprint: 7 };
    write(&path, &seeds().into_iter().enumerate().map(|(at, bytes)| (key(at), bytes)).collect());
    vec![std::fs::read(&path).unwrap()]
}
