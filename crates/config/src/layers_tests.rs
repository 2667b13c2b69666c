//! How layers merge, which files are rejected, and what an untrusted project's file cannot do.

use super::*;
use symd_base::RelPath;

const USER: &str = "/home/u/.config/symd/languages.toml";
const PROJECT: &str = ".symd/languages.toml";

fn load(user: &str, project: &str, trust: &Trust) -> Result<Loaded, LanguagesError> {
    let layer = |file, text: &'static str| (!text.is_empty()).then_some(LayerText { file, text });
    let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    Languages::load(layer(USER, leak(user)), layer(PROJECT, leak(project)), trust)
}

#[track_caller]
fn loaded(user: &str, project: &str, trust: &Trust) -> Loaded {
    load(user, project, trust).unwrap_or_else(|error| panic!("{error}"))
}

fn language_of(languages: &Languages, path: &str) -> Option<String> {
    let id = languages.language_of(&RelPath::new(path).expect(path))?;
    Some(languages.get(id).name.clone())
}

fn servers_of(languages: &Languages, name: &str) -> Vec<String> {
    let language = languages.get(languages.by_name(name).expect(name));
    language.language_servers.iter().map(|used| used.name.clone()).collect()
}

#[test]
fn without_files_it_is_the_binarys() {
    let loaded = loaded("", "", &Trust::Never);
    assert!(Arc::ptr_eq(&loaded.languages, Languages::builtin()));
}

#[test]
fn tables_merge_by_name_and_lists_are_replaced() {
    let user = r#"
[language-server.ty]
args = ["server", "--verbose"]
config.ty.diagnosticMode = "workspace"

[language-server.mine]
command = "/opt/mine/bin/mine"

[[language]]
name = "python"
language-servers = ["mine", { name = "ty", only-features = ["hover"] }]

[[language]]
name = "nushell"
file-types = ["nu"]
"#;
    let project = r#"
[language-server.mine]
timeout = 7
[[language]]
name = "nushell"
language-servers = ["mine"]
"#;
    let Loaded { languages, notes } = loaded(user, project, &Trust::Trusted);
    assert_eq!(notes, []);
    let builtin = Languages::builtin();
    let (ty, shipped) = (languages.server("ty").expect("ty"), builtin.server("ty").expect("ty"));
    assert_eq!(ty.args, ["server", "--verbose"]);
    assert_eq!((&ty.command, &ty.install), (&shipped.command, &shipped.install), "the rest stays");
    let mine = languages.server("mine").expect("mine");
    assert_eq!((mine.command.as_str(), mine.timeout), ("/opt/mine/bin/mine", 7));
    assert_eq!(servers_of(&languages, "python"), ["mine", "ty"]);
    assert_eq!(servers_of(&languages, "nushell"), ["mine"]);
    assert_eq!(language_of(&languages, "a.py").as_deref(), Some("python"), "file types stay");
    assert_eq!(language_of(&languages, "a.nu").as_deref(), Some("nushell"));
    let python = languages.get(languages.by_name("python").expect("python"));
    let used = &python.language_servers[1];
    assert!(used.provides("hover") && !used.provides("goto-reference"));
    assert_eq!(languages.by_name("python"), builtin.by_name("python"), "in the place it had");
}

#[test]
fn a_later_layer_takes_what_it_claims() {
    assert_eq!(language_of(Languages::builtin(), "a.h").as_deref(), Some("c"));
    let user = "[[language]]\nname = \"cpp\"\nfile-types = [\"cpp\", \"h\"]\n";
    let Loaded { languages, .. } = loaded(user, "", &Trust::Never);
    assert_eq!(language_of(&languages, "a.h").as_deref(), Some("cpp"));
    assert_eq!(language_of(&languages, "a.c").as_deref(), Some("c"));
    assert_eq!(language_of(&languages, "a.hpp"), None, "the list was replaced");
}

#[test]
fn vendored_rules_and_grammars_are_in_effect() {
    let user = "[[language]]\nname = \"nushell\"\nfile-types = [\"nu\"]\ngrammar = \"python\"\nvendored = [{ name = \"nu_libs\" }]\n";
    let Loaded { languages, .. } = loaded(user, "", &Trust::Never);
    assert!(languages.vendored_rules().any(|rule| rule.name == "nu_libs"));
    let id = languages.language_of(&RelPath::new("a.nu").expect("valid")).expect("known");
    assert_eq!(languages.get(id).grammar.as_deref(), Some("python"));
}

#[test]
fn mistakes_of_the_user_are_refused_with_file_line_and_key() {
    let cases = [
        ("\n\n[[language]]\nname = \"a\"\nfile_types = []", "line 5", "unknown field `file_types`"),
        ("[language-server.x]\ncommand = \"x\"\ncomand = \"y\"", "line 3", "unknown field `comand`"),
        (
            "[language-server.x]\ncommand = \"x\"\n\n[language-server.x.readiness]\ngrace = 1",
            "line 5",
            "`grace`",
        ),
        ("[language-server.x]\ntimeout = \"long\"", "line 2", "invalid type: string \"long\""),
        (
            "[[language]]\nname = \"a\"\nlanguage-servers = [\n{ name = \"ty\", only = [] }]",
            "line 4",
            "`only`",
        ),
        (
            "[[language]]\nname = \"a\"\nlanguage-servers = [{ name = \"ty\", only-features = [\"fly\"] }]",
            "line 3",
            "`fly`",
        ),
        ("[[language]]\nfile-types = []", "line 1", "missing field `name`"),
        ("[server.x]", "line 1", "unknown field `server`"),
        ("[[language]\n", "line 1", ""),
    ];
    for (text, line, key) in cases {
        let error = load(text, "", &Trust::Never).expect_err(text).to_string();
        assert!(error.starts_with(USER) && error.contains(line) && error.contains(key), "{text}\n{error}");
    }
    let error = |text: &str| load(text, "", &Trust::Never).expect_err(text).to_string();
    let twice =
        "[[language]]\nname = \"a\"\nfile-types = [\"x\"]\n[[language]]\nname = \"b\"\nfile-types = [\"x\"]";
    assert_eq!(error(twice), format!("{USER}: file type \"x\" belongs to a and to b: remove it from one"));
    let unknown = error("[[language]]\nname = \"python\"\nlanguage-servers = [\"tyy\"]");
    assert!(unknown.contains("python names the language server \"tyy\", which is not defined"), "{unknown}");
    assert!(error("[language-server.x]\nargs = []").contains("[language-server.x] has no command"));
    assert!(error("[language-server.x]\ncommand = \"./x\"").contains("relative path"));
}

#[test]
fn mistakes_of_the_project_leave_its_file_out() {
    let user = "[[language]]\nname = \"nushell\"\nfile-types = [\"nu\"]\n";
    for project in [
        "[[language]]\nname = \"python\"\nfile-types = []\nx = 1",
        "no toml",
        "[[language]]\nname = \"a\"\nlanguage-servers = [\"b\"]",
    ] {
        let Loaded { languages, notes } = loaded(user, project, &Trust::Trusted);
        assert_eq!(notes.len(), 1, "{project}");
        let told = notes[0].to_string();
        assert!(told.starts_with(".symd/languages.toml: the whole file is ignored: "), "{told}");
        assert_eq!(language_of(&languages, "a.py").as_deref(), Some("python"));
        assert_eq!(language_of(&languages, "a.nu").as_deref(), Some("nushell"));
    }
}

#[test]
fn an_untrusted_file_cannot_change_a_server() {
    let user = "[language-server.mine]\ncommand = \"mine\"\n";
    let changes = [
        "command = \"evil\"",
        "args = [\"--exec\", \"evil\"]",
        "environment = { LD_PRELOAD = \"./evil.so\" }",
        "config = { python = { pythonPath = \"./evil\" } }",
        "requires = []",
        "timeout = 1",
        "install = [{ registry = \"npm\", package = \"evil\", version = \"1\" }]",
        "runs-project-code = \"\"",
        "fatal-stderr = []",
    ];
    for server in ["ty", "basedpyright", "mine", "evil"] {
        for change in changes {
            let project = format!("[language-server.{server}]\n{change}\n");
            for trust in [Trust::Never, Trust::Lapsed { changed: vec![PROJECT.to_owned()] }] {
                let Loaded { languages, notes } = loaded(user, &project, &trust);
                let plain = loaded(user, "", &Trust::Never).languages;
                assert!(languages.servers().eq(plain.servers()), "{project}");
                assert_eq!(notes.len(), 1, "{project}");
                let told = notes[0].to_string();
                assert!(
                    told.contains(&format!("[language-server.{server}]")) && told.contains("symd trust"),
                    "{told}"
                );
            }
        }
    }
}

#[test]
fn an_untrusted_file_chooses_only_among_known_servers() {
    let project = r#"
[language-server.evil]
command = "evil"
[[language]]
name = "python"
language-servers = ["evil", "basedpyright", { name = "evil", only-features = ["hover"] }]
[[language]]
name = "rust"
language-servers = ["evil"]
[[language]]
name = "go"
language-servers = []
[[language]]
name = "evil"
file-types = ["py", "evil"]
shebangs = ["sh"]
language-servers = ["evil", "ty"]
"#;
    let Loaded { languages, notes } = loaded("", project, &Trust::Never);
    assert_eq!(servers_of(&languages, "python"), ["basedpyright"]);
    assert_eq!(servers_of(&languages, "rust"), servers_of(Languages::builtin(), "rust"));
    assert_eq!(servers_of(&languages, "go"), [""; 0], "none is a choice");
    assert_eq!(servers_of(&languages, "evil"), ["ty"], "what it may claim, it may not run");
    assert_eq!(language_of(&languages, "a.py").as_deref(), Some("evil"));
    assert!(languages.servers().eq(Languages::builtin().servers()));
    assert_eq!(notes.len(), 5, "{notes:?}");
    let Loaded { languages, notes } = loaded("", project, &Trust::Trusted);
    assert_eq!((servers_of(&languages, "rust"), notes), (vec!["evil".to_owned()], Vec::new()));
}

#[test]
fn what_is_shown_of_a_project_cannot_steer_the_terminal() {
    let text =
        "[language-server.\"e\\u001b[2J\"]\ncommand = \"sh\"\nargs = [\"-c\", \"\\u202e evil \\u001b[1A\"]\n";
    let tables = server_tables(LayerText { file: PROJECT, text });
    assert_eq!(tables.len(), 1);
    let shown = format!("{tables:?}") + &loaded("", text, &Trust::Never).notes[0].to_string();
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
    assert_eq!(tables[0].1.len(), 2);
    assert_eq!(tables[0].1[1], "command = \"sh\"");
    let broken = loaded("", "x = \u{1b}[2J", &Trust::Never).notes[0].to_string();
    assert!(!broken.contains('\u{1b}') && broken.contains("\\u{1b}"), "{broken}");
}
