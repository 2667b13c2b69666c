//! Runs one scenario, with its own connection and its own files, on a daemon that others of its fixture may have used: an
//! answer that reflects the files of an earlier scenario is wrong.

use std::time::Instant;

use libtest_mimic::Failed;
use serde_json::{Value, json};
use symd::toolsets::{Reach, Risk, Tool};

use super::compare::difference;
use super::http::Site;
use super::scenario::{Scenario, Step, Uid};
use super::stage::{Answered, Connection, Kind, Stage};
use super::stage_pool::StagePool;
use super::tools_of;
use super::tree::{empty, fill, look};
use crate::edit_support::{Things, things_of};
use crate::fake_editor::FakeEditor;
use crate::support::PATIENCE;

/// Runs a scenario of a tool.
pub fn run(
    (toolset, tool): (&'static str, &str),
    scenario: &Scenario,
    stages: &StagePool,
) -> Result<(), Failed> {
    let fixture = format!("{toolset}/{tool}");
    let stage = stages.take(&fixture, Kind::of(scenario));
    let site = (!scenario.http.is_empty() && stage.site.is_none()).then(|| Site::new(&scenario.http));
    if let Some(site) = &stage.site {
        site.show(&scenario.http);
    }
    let mut performance = Performance { stage: &stage, toolset, tool, scenario, site, wrong: Vec::new() };
    performance.run();
    let wrong = performance.wrong;
    if wrong.is_empty() {
        stages.give_back(fixture, stage);
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

struct Performance<'a> {
    stage: &'a Stage,
    toolset: &'a str,
    tool: &'a str,
    scenario: &'a Scenario,
    site: Option<Site>,
    wrong: Vec<String>,
}

impl Performance<'_> {
    fn run(&mut self) {
        let told = self.scenario.environment.iter();
        let environment = told.map(|(name, value)| (name.clone(), self.fill_in(value))).collect();
        let environment = self.scenario.tells_environment.then_some(&environment);
        let mut connection = self.stage.connect(self.toolset, environment);
        if self.scenario.uid == Uid::Nobody {
            assert_ne!(self.stage.daemon_uid(), 0, "root may write everything");
        }
        self.set_up();
        let _editor = self.connect_editor();
        let before = self.must_change_nothing().then(|| things_of(&self.stage.root()));
        for (number, step) in self.scenario.steps.iter().enumerate() {
            fill(&self.stage.root(), &step.write, &|text| self.fill_in(text));
            for time in 1..=step.times {
                self.step(&mut connection, number, step, time);
            }
        }
        self.look_afterwards(before);
    }

    /// Connects the scenario's editor, which has told symd everything when this returns.
    fn connect_editor(&self) -> Option<FakeEditor> {
        let messages = &self.scenario.editor;
        let mut editor = (!messages.is_empty()).then(|| self.stage.edit())?;
        for message in messages {
            editor.tell(&message.method, serde_json::from_str(&self.fill_in(&message.params)).unwrap());
        }
        editor.settle();
        Some(editor)
    }

    /// Removes the files of the scenario before, and creates those of this one.
    fn set_up(&self) {
        let fill_in = |text: &str| self.fill_in(text);
        for (directory, files) in
            [(self.stage.root(), &self.scenario.files), (self.stage.outside(), &self.scenario.outside)]
        {
            empty(&directory);
            fill(&directory, files, &fill_in);
        }
        self.stage.keep_solutions(&self.scenario.solutions);
        self.stage.forget_web();
        self.stage.hand_over(&[self.stage.root(), self.stage.outside()]);
    }

    fn step(&mut self, connection: &mut Connection, number: usize, step: &Step, time: usize) {
        let tool = step.tool.as_deref().unwrap_or(self.tool);
        let arguments = self.arguments(step, time);
        let wrong = match connection.call(tool, &arguments) {
            Ok(Answered { result, asked }) => {
                let wrong = self.judge(step, &result);
                let wrong =
                    if step.polled { self.poll(connection, step, &arguments, result, wrong) } else { wrong };
                wrong.or_else(|| self.judge_question(step, asked))
            }
            Err(answered) => Some(answered),
        };
        if let Some(wrong) = wrong {
            let which = if self.scenario.steps.len() > 1 {
                format!("  call {} ({tool}):\n", number + 1)
            } else {
                String::new()
            };
            self.wrong.push(format!("{which}{wrong}"));
        }
    }

    /// Returns the difference when all expected output has arrived, or no more can: `write_stdin` itself
    /// waits for output.
    fn poll(
        &self,
        connection: &mut Connection,
        step: &Step,
        arguments: &Value,
        mut result: Value,
        mut wrong: Option<String>,
    ) -> Option<String> {
        let deadline = Instant::now() + PATIENCE;
        let more = json!({ "session_id": arguments["session_id"], "chars": "" });
        while wrong.is_some() && result["isError"] == false && Instant::now() < deadline {
            result = match connection.call("write_stdin", &more) {
                Ok(Answered { result: came, .. }) if came["isError"] == true => came,
                Ok(Answered { result: came, .. }) => joined(&result, &came),
                Err(answered) => return Some(answered),
            };
            wrong = self.judge(step, &result);
        }
        wrong
    }

    fn arguments(&self, step: &Step, time: usize) -> Value {
        let fill_in = |text: &str| self.fill_in(&text.replace("{NUMBER}", &time.to_string()));
        match &step.json {
            Some(text) => {
                serde_json::from_str(&fill_in(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
            }
            None => filled_in(json!(step.arguments.clone().unwrap_or_default()), &fill_in),
        }
    }

    fn judge(&self, step: &Step, result: &Value) -> Option<String> {
        let Some(is_error) = result["isError"].as_bool() else {
            return Some(format!("  no isError in {result}"));
        };
        if let Some(content) = &step.content_json {
            let expected: Value = serde_json::from_str(&self.fill_in(content)).unwrap();
            if expected != result["content"] {
                return Some(format!("  the content is {}", result["content"]));
            }
        } else {
            let expected = self.fill_in(step.text.as_ref().or(step.text_json.as_ref()).unwrap());
            let content = result["content"].as_array().unwrap();
            let (1, Some(text)) = (content.len(), content[0]["text"].as_str()) else {
                return Some(format!("  the content is {}", result["content"]));
            };
            if let Some(difference) = difference(&expected, text) {
                return Some(difference);
            }
        }
        (is_error != step.is_error).then(|| format!("  isError is {is_error}"))
    }

    fn judge_question(&self, step: &Step, asked: Option<String>) -> Option<String> {
        let expected = self.fill_in(step.asked.as_ref()?);
        match asked {
            None if expected.is_empty() => None,
            Some(asked) if expected.is_empty() => Some(format!("  the user was asked:\n{asked}")),
            None => Some("  the user was not asked".to_owned()),
            Some(asked) => difference(&expected, &asked).map(|difference| format!("  asked:\n{difference}")),
        }
    }

    fn look_afterwards(&mut self, before: Option<Things>) {
        let root = self.stage.root();
        for seen in &self.scenario.after {
            if let Err(wrong) = look(&root, seen, &|text| self.fill_in(text)) {
                self.wrong.push(format!("  afterwards {wrong}"));
            }
        }
        if let Some(before) = before {
            let now = things_of(&root);
            for path in now.keys().chain(before.keys()) {
                if now.get(path) != before.get(path) {
                    self.wrong.push(format!("  {} changed, and `after` does not say so", path.display()));
                }
            }
        }
    }

    /// Whether none of the calls may have changed a file, because they only read or were rejected.
    fn must_change_nothing(&self) -> bool {
        // Only root can inspect the files of another user.
        let may_look = self.scenario.uid == Uid::Mine || rustix::process::geteuid().is_root();
        may_look
            && self.scenario.after.is_empty()
            && self.scenario.steps.iter().all(|step| {
                let tool = self.tool_of(step);
                step.write.is_empty()
                    && (tool.risk == Risk::ReadOnly || step.is_error && tool.reach == Reach::Project)
            })
    }

    fn tool_of(&self, step: &Step) -> &'static Tool {
        let name = step.tool.as_deref().unwrap_or(self.tool);
        let toolset = symd::toolsets::all().iter().find(|toolset| toolset.name == self.toolset).unwrap();
        tools_of(toolset)
            .map(|(tool, _)| tool)
            .find(|tool| tool.name == name)
            .unwrap_or_else(|| panic!("{} has no {name}", self.toolset))
    }

    fn fill_in(&self, text: &str) -> String {
        repeated(text)
            .replace("{ROOT}", self.stage.root().to_str().unwrap())
            .replace("{OUTSIDE}", self.stage.outside().to_str().unwrap())
            .replace("{CONFIG}", self.stage.config().to_str().unwrap())
            .replace("{LOCALHOST}", &self.site().map_or(String::new(), Site::url_by_name))
            .replace("{HTTP}", &self.site().map_or(String::new(), Site::url))
    }

    /// Returns the scenario's web server.
    fn site(&self) -> Option<&Site> {
        self.site.as_ref().or(self.stage.site.as_ref())
    }
}

/// Every string of `value` with its placeholders replaced.
fn filled_in(value: Value, fill_in: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill_in(&text)),
        Value::Array(values) => values.into_iter().map(|value| filled_in(value, fill_in)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, filled_in(value, fill_in))).collect()
        }
        other => other,
    }
}

/// `{REPEAT 3 ab}` as `ababab`.
fn repeated(text: &str) -> String {
    let mut pieces = text.split("{REPEAT ");
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (what, rest) = piece.split_once('}').expect("{REPEAT times text}");
        let (times, unit) = what.split_once(' ').expect("{REPEAT times text}");
        all.push_str(&unit.repeat(times.parse().expect("{REPEAT times text}")));
        all.push_str(rest);
    }
    all
}

/// Joins two answers of a terminal into one.
fn joined(first: &Value, second: &Value) -> Value {
    let read = |result: &Value| -> Value {
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    };
    let (first, second) = (read(first), read(second));
    let output = format!("{}{}", first["output"].as_str().unwrap(), second["output"].as_str().unwrap());
    let truncated = first["truncated"] == true || second["truncated"] == true;
    let text = format!("{{\"output\":{},\"truncated\":{truncated}}}", Value::from(output));
    json!({ "content": [{ "type": "text", "text": text }], "isError": false })
}
