//! What names in strings refer to.

use super::*;

#[test]
fn strings_name_symbols_by_paths_and_beside_their_objects() {
    let fixture = "//- lib/__init__.py\nfrom .box import Box\n\
        //- lib/box.py\nclass Base:\n    def $0go_on(self): pass\n\
        class Box(Base):\n    def __getattribute__(self, name):\n        return name in ('go_on',)\n\
        class Other:\n    def go_on(self): pass\n    def __getattr__(self, name): return name == 'go_on'\n\
        //- use.py\nfrom unittest import mock\nfrom lib import Box\nimport lib.box as b\nimport os\n\
        x = 'lib.box.Base.go_on'\nx = 'lib.Box.go_on.more'\nx = 'lib.box:Other.go_on'\nx = 'os.go_on'\n\
        mock.patch.object(Box, 'go_on')\ngetattr(b.Other, 'go_on')\ngetattr(os, 'go_on')\n\
        def f(y, **options):\n    getattr(y, 'go_on')\n    options.pop('go_on', 1)\n    return 'go_on' in options\n\
        x = 'go_on'\n";
    let shown = named_by_strings(fixture, "go_on");
    let expected = [
        "lib/box.py:5 symbol",
        "lib/box.py:8 other",
        "use.py:5 symbol",
        "use.py:6 symbol",
        "use.py:7 other",
        "use.py:8 unknown",
        "use.py:9 symbol",
        "use.py:10 other",
        "use.py:11 other",
        "use.py:13 unknown",
        "use.py:14 other",
        "use.py:15 other",
        "use.py:16 unknown",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn slots_name_the_attributes_of_their_class() {
    // Slots that nothing assigns are attributes of their own (docs/kinds.md): those of `Below`.
    let fixture = "//- box.py\nclass Box:\n    __slots__ = (\n        'other',  # (not this)\n        'size',\n    )\n    def __init__(self):\n        \
        self.$0size = 1\nclass Below(Box):\n    __slots__: list[str] = ['size']\n    names = ('size',)\nclass Apart:\n    __slots__ = 'size'\n    \
        def __init__(self):\n        self.size = 2\nclass Read:\n    x = Box.__slots__ == ('size',)\n";
    let expected =
        ["box.py:4 symbol", "box.py:9 other", "box.py:10 unknown", "box.py:12 other", "box.py:16 unknown"];
    assert_eq!(named_by_strings(fixture, "size"), expected);
}

/// Returns what each string names that ends with the name, by file and line.
fn named_by_strings(fixture: &str, name: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let quoted = |(path, text): &(RelPath, String)| {
        let is_quoted = |at: &usize| {
            let line = &text[..*at];
            line.rsplit('\n').next().unwrap_or_default().matches('\'').count() % 2 == 1
        };
        let found: Vec<usize> = text.match_indices(name).map(|(at, _)| at).filter(is_quoted).collect();
        let place = |at: usize| {
            let start = u32::try_from(at).expect("short");
            let end = u32::try_from(at + name.len()).expect("short");
            (path.clone(), TextRange::new(start, end))
        };
        found.into_iter().map(place).collect::<Vec<_>>()
    };
    let places: Vec<(RelPath, TextRange)> = memory.texts.iter().flat_map(quoted).collect();
    let targets = [target];
    let named = everywhere(&memory, |memory| {
        string_names(memory, &targets, &places, &Cancel::new()).expect("not cancelled")
    });
    places
        .iter()
        .zip(named)
        .map(|((path, range), named)| {
            let text = &memory.texts.iter().find(|(known, _)| known == path).expect("there").1;
            let line = text[..range.start as usize].matches('\n').count() + 1;
            format!("{path}:{line} {named:?}").to_lowercase()
        })
        .collect()
}
