//! Lines that are added to the answers of symd's own contract: what a crash left, which texts an editor has
//! not saved, and that one has not told its texts. The other contracts' texts are fixed.

use symd_ops::Project;
use symd_ops::buffers::SilentEditor;
use symd_toolsets::native::NATIVE;
use symd_toolsets::native::untold_texts::{self, Format};
use symd_toolsets::{Offered, Reply};

use crate::session::Session;

/// Adds what holds for the answer of `offered`. `named` are the paths that the call named; `silent` is an editor of whose texts
/// nothing was known when the tool began.
pub(super) fn with_marks(
    session: &Session,
    project: &Project,
    (offered, format): (Offered, Format),
    (named, silent): (&[String], Option<&SilentEditor>),
    mut reply: Reply,
) -> Reply {
    let is_native = offered.toolset.name == NATIVE.name
        && NATIVE.tools.iter().any(|known| known.name == offered.tool.name);
    if !is_native {
        return reply;
    }
    if let Some(silent) = silent {
        untold_texts::mark(
            offered.tool.name,
            format,
            &mut reply,
            &format!(
                "{silent}; ask again, and if it stays so restart the language server in that editor, or close it"
            ),
        );
    }
    // Programs are told of no more than that the answer is incomplete.
    if format == Format::Text {
        mark_recovered(session, &mut reply);
        mark_unsaved(project, offered, named, &mut reply);
    }
    reply
}

/// Adds the recovered edits to the first answer after a start.
fn mark_recovered(session: &Session, reply: &mut Reply) {
    if let Some(operations) = session.host.take_recovered() {
        let told: String = operations.iter().map(|operation| format!("[recovered: {operation}]\n")).collect();
        reply.text.insert_str(0, &told);
    }
}

/// Names the files of the answer whose text is that of an editor, not that of the file.
fn mark_unsaved(project: &Project, offered: Offered, named: &[String], reply: &mut Reply) {
    let changes = !offered.tool.annotations.read_only;
    for path in project.engine.unsaved().paths() {
        let is_meant = named.iter().any(|name| name == path.as_str()) || reply.text.contains(path.as_str());
        let state = project.buffers.state(&path);
        if !is_meant || state.dirty_in.is_empty() {
            continue;
        }
        let editors = state.dirty_in.join(" and ");
        let differs =
            if state.differs { ", with different texts; this is the one that changed last" } else { "" };
        // A file that never was is not gone.
        let was_file = project.engine.unsaved().outlasts_file(&path);
        let file = match (project.buffers.is_file_gone(&path), changes && !state.differs) {
            (true, _) if was_file => "; the file is gone from the disk",
            (true, _) => "",
            (false, true) => "; a build sees the file as it was saved",
            (false, false) => "",
        };
        let mark = format!("[unsaved: {path} in {editors}{differs}{file}]");
        if !reply.text.is_empty() && !reply.text.ends_with('\n') {
            reply.text.push('\n');
        }
        reply.text.push_str(&mark);
    }
}
