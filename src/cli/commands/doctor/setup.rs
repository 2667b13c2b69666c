//! Checks the project's configuration: its languages, and whether it is trusted.

use super::Check;
use crate::cli::context::Context;
use crate::config::Trust;
use crate::serve::DaemonPaths;

pub(super) fn checks(context: &Context, place: &DaemonPaths) -> Vec<Check> {
    let setup = match context.setup(place) {
        Ok(setup) => setup,
        Err(failure) => {
            return vec![Check::fail("languages", failure.text, "the daemon does not start with this")];
        }
    };
    let known = setup.languages.all().count();
    let mut checks = vec![Check::ok("languages", format!("{known} known"))];
    let left_out = setup.notes.iter().map(|note| {
        Check::warn("languages", note.to_string(), "the rest of symd's configuration is in effect")
    });
    checks.extend(left_out);
    checks.push(match &setup.trust {
        Trust::Trusted => Check::ok("trust", setup.trust.to_string()),
        Trust::Never => Check::ok(
            "trust",
            format!("{}: servers that run its code are not started (`symd trust`)", setup.trust),
        ),
        Trust::Lapsed { .. } => {
            Check::warn("trust", setup.trust.to_string(), "review the change, then `symd trust`")
        }
    });
    checks
}
