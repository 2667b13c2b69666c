//! `symd help agents`: it is short, and every command in it works as described.

use std::process::{Command, Output};

use crate::support::{User, write};

/// The maximum length of the help text, in characters.
const MOST: usize = 6_000;

const MODELS: &str = "\
class Service:
    \"\"\"What all services share.\"\"\"

    def validate(self, name: str) -> bool:
        return bool(name)


class UserService(Service):
    \"\"\"Keeps users.\"\"\"

    def validate(self, name: str) -> bool:
        \"\"\"Whether a name may be used.\"\"\"
        return len(name) > LIMIT


LIMIT = 3
";

const APP: &str = "\
from models import Service, UserService


def main() -> None:
    service: UserService = UserService()
    print(service.validate(\"anna\"))


def known(service: Service) -> bool:
    return service.validate(\"bo\")
";

/// Returns the commands of the skill's examples, each with its input text.
fn commands(skill: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for block in skill.split("```sh\n").skip(1) {
        let (block, _) = block.split_once("\n```").unwrap();
        let mut lines = block.lines();
        while let Some(line) = lines.next() {
            let mut command = line.to_owned();
            if line.ends_with("<<'EOF'") {
                for line in lines.by_ref() {
                    command = format!("{command}\n{line}");
                    if line == "EOF" {
                        break;
                    }
                }
            }
            commands.push(command);
        }
    }
    commands
}

fn run(user: &User, command: &str) -> Output {
    let bin = user.path("bin");
    if !bin.exists() {
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_symd"), bin.join("symd")).unwrap();
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    user.dressed(Command::new("sh")).env("PATH", path).args(["-c", command]).output().unwrap()
}

#[test]
fn every_command_of_the_skill_works() {
    let user = User::new();
    let skill = user.check(&["help", "agents"], 0);
    assert!(skill.chars().count() <= MOST, "{} characters", skill.chars().count());
    assert!(skill.starts_with("---\nname: symd\ndescription: "), "{skill}");
    std::fs::create_dir(user.path("project/src")).unwrap();
    write(&user.path("project/src/models.py"), MODELS);
    write(&user.path("project/src/app.py"), APP);
    write(&user.path("project/config.yaml"), "max_retries: 5\n");
    let commands = commands(&skill);
    assert!(commands.len() > 20, "{commands:#?}");
    for command in &commands {
        let output = run(&user, command);
        let (text, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let exit = output.status.code();
        // This test does not require a language server.
        let may_lack_server = command.starts_with("symd diagnostics") && exit == Some(4);
        assert!(exit == Some(0) || may_lack_server, "{command}\n{exit:?}\n{text}\n{talk}");
        assert!(!text.trim().is_empty(), "{command}: no answer");
        for nothing in
            ["No symbols", "No references", "No callers", "No callees", "No implementation", "No definition"]
        {
            assert!(!text.contains(nothing), "{command}\n{text}");
        }
        if command.contains("rename UserService AccountService") {
            let app = std::fs::read_to_string(user.path("project/src/app.py")).unwrap();
            assert!(app.contains("AccountService()") && !app.contains("UserService"), "{app}");
        }
    }
    let app = std::fs::read_to_string(user.path("project/src/app.py")).unwrap();
    assert!(app.contains("validate(\"bob\")") && !app.contains("unused"), "{app}");
    assert_eq!(std::fs::read_to_string(user.path("project/config.yaml")).unwrap(), "max_retries: 7\n");
}

#[test]
fn help_explains_commands() {
    let user = User::new();
    assert!(user.check(&["help"], 0).contains("Commands:"));
    assert!(user.check(&["help", "refs"], 0).contains("--unlisted"));
    assert!(user.check(&["help", "approvals", "add"], 0).contains("--expires"));
    let talk = user.fails(&["help", "nothing"], 2);
    assert!(talk.contains("there is no command \"nothing\""), "{talk}");
}
