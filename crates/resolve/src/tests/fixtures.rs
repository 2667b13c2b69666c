//! The fixture that a parameter of a pytest function holds.

use super::*;

#[test]
fn fixtures_are_found_as_pytest_finds_them() {
    let fixture = "//- conftest.py\nimport pytest\n@pytest.fixture\ndef app():\n    app = make()\n    yield app\n\
        @pytest.fixture\ndef box(): return Box()\n\
        //- a/conftest.py\nfrom pytest import fixture\n@fixture(scope='module')\ndef box(app):\n    if app.$0run(): return 1\n    return app\n\
        //- a/b/test_a.py\ndef test_one(app, box, none):\n    app.run(); box.run(); none.run(); app.x.run()\n\
        def test_two(app):\n    app = 1\n    app.run()\ndef helper(app): app.run()\n\
        class TestBox:\n    @fixture\n    def app(self):\n        return Other()\n    def test_three(self, app): app.run()\n";
    let (texts, _) = files(fixture);
    let memory = memory(texts);
    let places: Vec<(RelPath, TextRange)> = memory
        .texts
        .iter()
        .flat_map(|(path, text)| {
            let at = |(at, name): (usize, &str)| {
                let start = u32::try_from(at).expect("short");
                let length = u32::try_from(name.len()).expect("short");
                (path.clone(), TextRange::new(start, start + length))
            };
            text.match_indices("run").map(at).collect::<Vec<_>>()
        })
        .collect();
    let values = fixture_values(&memory, &places, &Cancel::new()).expect("not cancelled");
    let shown = |value: Option<FixtureValue>| {
        value.map_or_else(String::new, |value| {
            let text = &memory.texts.iter().find(|(path, _)| *path == value.file.path).expect("there").1;
            let rest = &text[value.at as usize..];
            let name = &rest[..rest.find(['\n', '(']).unwrap_or(rest.len())];
            [value.file.path.as_str(), name]
                .into_iter()
                .chain(value.path.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    let shown: Vec<String> = values.into_iter().map(shown).collect();
    assert_eq!(
        shown,
        ["conftest.py app", "conftest.py app", "", "", "conftest.py app x", "", "", "a/b/test_a.py Other"]
    );
}
