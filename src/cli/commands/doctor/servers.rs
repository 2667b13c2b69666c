//! Checks each language's server: which one is used, where it is, its state according to the daemon, and what
//! to install.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Check, State};
use crate::base::programs::ProgramError;
use crate::cli::context::Context;
use crate::cli::languages;
use crate::config::trust::Trust;
use crate::config::{Language, LanguageServer, Languages};
use crate::install::{
    InstallEnvironment, LocatedServer, ServerOrigin, ServerSource, locate, servers_directory, source_of,
};
use crate::serve::DaemonPaths;

/// Returns one check for each language of the project that has servers; outside a project, one for each
/// language whose server is found. `status` is the daemon's status, if one runs.
pub(super) fn checks(context: &Context, place: Option<&DaemonPaths>, status: Option<&Value>) -> Vec<Check> {
    // `setup` has already reported the project's files that are not in effect.
    let configured = match place {
        Some(place) => context.setup(place).map(|setup| (setup.languages, setup.trust)),
        None => languages::of_user(&context.dirs).map(|languages| (languages, Trust::Never)),
    };
    let (languages, trust) = match (configured, place) {
        (Ok(configured), _) => configured,
        (Err(_), Some(_)) => return Vec::new(),
        (Err(failure), None) => {
            return vec![Check::fail("languages", failure.text, "the daemon does not start with this")];
        }
    };
    let mut checks = Vec::new();
    let root = place.map(|place| place.root.as_path());
    let ids: Vec<_> = match root {
        // Another check has already reported a root that cannot be read.
        Some(root) => languages::present_in(root, &languages).unwrap_or_default(),
        None => languages.all().map(|(id, _)| id).collect(),
    };
    let scene = ServerChecks {
        trust,
        servers: servers_directory(&context.dirs),
        here: InstallEnvironment::of_process(root),
        says: status.and_then(|status| status["servers"].as_array()).map_or(&[][..], Vec::as_slice),
    };
    for language in ids.into_iter().map(|id| languages.get(id)) {
        let known = known(&languages, language);
        match scene.choose(&known) {
            Some(chosen) => checks.push(scene.there(language, &chosen)),
            None if root.is_some() && !known.is_empty() => checks.push(scene.absent(language, &known)),
            None => {}
        }
    }
    checks
}

/// The common input for the checks of all languages.
struct ServerChecks<'a> {
    trust: Trust,
    /// The directory in which symd installs servers.
    servers: PathBuf,
    here: InstallEnvironment,
    /// The daemon's status of its servers.
    says: &'a [Value],
}

/// The server that a language uses.
struct Chosen<'a> {
    name: &'a str,
    server: &'a LanguageServer,
    located: LocatedServer,
}

/// Returns the language's servers, in its order.
fn known<'a>(languages: &'a Languages, language: &'a Language) -> Vec<(&'a str, &'a LanguageServer)> {
    let uses = language.language_servers.iter();
    uses.filter_map(|used| Some((used.name.as_str(), languages.server(&used.name)?))).collect()
}

impl ServerChecks<'_> {
    /// Returns the first of a language's servers that is found and may be started, else the first that is
    /// found.
    fn choose<'a>(&self, known: &[(&'a str, &'a LanguageServer)]) -> Option<Chosen<'a>> {
        let locate = |(name, server): &(&'a str, &'a LanguageServer)| {
            let located = locate(&self.servers, name, server, &self.here).ok()?;
            Some(Chosen { name, server, located })
        };
        let mut found: Vec<Chosen<'a>> = known.iter().filter_map(locate).collect();
        let usable = |chosen: &Chosen<'_>| self.may_run(chosen) && chosen.located.missing.is_empty();
        let at = found.iter().position(usable).unwrap_or(0);
        (at < found.len()).then(|| found.swap_remove(at))
    }

    fn may_run(&self, chosen: &Chosen<'_>) -> bool {
        chosen.server.runs_project_code.is_none() || self.trust == Trust::Trusted
    }

    fn there(&self, language: &Language, chosen: &Chosen<'_>) -> Check {
        let Chosen { name, server, located } = chosen;
        let says = self.says.iter().find(|says| says["name"] == *name);
        let text = |key: &str| says.and_then(|says| says[key].as_str());
        let installed = match &located.origin {
            ServerOrigin::Installed(manifest) => Some(manifest.version()),
            ServerOrigin::Path => None,
        };
        let version = text("version").or(installed);
        let life = text("state").unwrap_or("not started");
        let features = says.and_then(|says| says["features"].as_array()).map_or(0, Vec::len);

        let mut found = vec![[Some(*name), version].into_iter().flatten().collect::<Vec<_>>().join(" ")];
        found.push(located.program.display().to_string());
        found.push(text("doing").unwrap_or(life).replace('_', " "));
        if features > 0 {
            found.push(format!("{features} features"));
        }
        let (state, problem, advice) = self.judge(chosen, text("last_error"));
        found.extend(problem);
        let mut check = Check::new(state, language.name.clone(), found.join(", "), advice);
        check.details = json!({
            "name": name,
            "program": located.program,
            "installed": installed,
            "version": version,
            "state": life,
            "doing": text("doing"),
            "runs_project_code": server.runs_project_code,
            "missing": located.missing,
            "last_error": text("last_error"),
            "features": says.map_or_else(|| json!([]), |says| says["features"].clone()),
        });
        check
    }

    /// Returns the server's state, the problem, and what to do about it.
    fn judge(&self, chosen: &Chosen<'_>, last_error: Option<&str>) -> (State, Option<String>, String) {
        let Chosen { name, server, located } = chosen;
        if !located.missing.is_empty() {
            let missing = located.missing.join(", ");
            let brought = server.install.len() > 1 && located.origin == ServerOrigin::Path;
            let advice = if brought {
                format!("symd install {name}")
            } else {
                format!("install {missing}, so that it is on PATH")
            };
            return (State::Warn, Some(format!("not started: it needs {missing}")), advice);
        }
        if let (Some(runs), false) = (&server.runs_project_code, self.may_run(chosen)) {
            let problem = format!("not started, as it runs {runs}, and {}", self.trust);
            return (State::Warn, Some(problem), "review the project, then `symd trust`".to_owned());
        }
        if let Some(error) = last_error {
            let advice = "`symd logs` may show more; `symd restart` starts it again";
            return (State::Warn, Some(error.to_owned()), advice.to_owned());
        }
        (State::Ok, None, String::new())
    }

    /// Returns the check of a language none of whose servers can be started. Servers that are found but
    /// unusable are listed with the reason.
    fn absent(&self, language: &Language, known: &[(&str, &LanguageServer)]) -> Check {
        let told = |(name, server): &(&str, &LanguageServer)| match locate(
            &self.servers,
            name,
            server,
            &self.here,
        ) {
            Ok(_) | Err(ProgramError::Missing(_)) => (*name).to_owned(),
            Err(problem) => format!("{name}: {problem}"),
        };
        let told: Vec<String> = known.iter().map(told).collect();
        let can = known.iter().any(|(_, server)| matches!(source_of(server), ServerSource::Registry(_)));
        let advice = if can {
            format!("symd install {}", language.name)
        } else {
            format!("`symd install {}` says how to get it", language.name)
        };
        let found = format!("no language server ({}); answers come from syntax", told.join(", "));
        let mut check = Check::warn(language.name.clone(), found, advice);
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        check.details = json!({ "name": null, "known": names });
        check
    }
}
