//! The buffers that an edit concerns, and whether it may be made beneath them. Invariant: no file changes beneath a buffer whose text was not
//! saved.

use std::sync::Arc;

use super::BufferTable;
use super::open_buffer::OpenBuffer;
use super::port::EditorPort;
use super::reloads::AwaitedReload;
use symd_base::{RelPath, Text};
use symd_edit::{EditError, StagedContent};

/// One buffer that is to change.
#[derive(Clone, Debug)]
pub(super) struct BufferTarget {
    pub(super) editor: u64,
    /// The path by which the editor knows the document.
    pub(super) path: RelPath,
    pub(super) file: RelPath,
    /// The buffer's text before and afterwards, as the editor counts it.
    pub(super) before: String,
    pub(super) after: String,
    /// The text afterwards as the file has it; `None` if the buffer stays unsaved.
    pub(super) saved: Option<String>,
}

/// The buffers that an edit concerns.
#[derive(Debug, Default)]
pub(super) struct ConcernedBuffers {
    /// Those that make the change themselves.
    pub(super) targets: Vec<BufferTarget>,
    /// Those whose editors read the changed file again.
    pub(super) reloads: Vec<AwaitedReload>,
}

impl BufferTable {
    /// Refuses files that would appear beneath a buffer that was never saved there.
    pub(super) fn check_created(&self, created: &[RelPath]) -> Result<(), EditError> {
        let mut open = self.buffers.iter().filter(|(_, buffer)| buffer.is_dirty() || buffer.is_lost);
        match open.find(|(_, buffer)| created.contains(&buffer.file)) {
            None => Ok(()),
            Some(((editor, _), buffer)) => Err(EditError::NotInEditor(format!(
                "{} is open in {} with a text that was not saved; save it there, or close it, then repeat the edit",
                buffer.file,
                self.name_of(*editor)
            ))),
        }
    }

    /// Refuses changes of files beneath buffers that are not saved, or whose text is unknown. `targets` have
    /// made the change themselves.
    pub(super) fn check_untouched(
        &self,
        touched: &[RelPath],
        targets: &[BufferTarget],
    ) -> Result<(), EditError> {
        let is_target = |editor: u64, path: &RelPath| {
            targets.iter().any(|target| target.editor == editor && target.path == *path)
        };
        for ((editor, path), buffer) in &self.buffers {
            if !touched.contains(&buffer.file) || is_target(*editor, path) {
                continue;
            }
            let why = match (buffer.is_lost, buffer.is_dirty()) {
                (true, _) => "with a text that symd does not know; close it there and open it again",
                (false, true) => "and changed there just now; save it there, or repeat the edit",
                (false, false) => continue,
            };
            return Err(EditError::NotInEditor(format!(
                "{} is open in {} {why}",
                buffer.file,
                self.name_of(*editor)
            )));
        }
        Ok(())
    }

    /// Refuses an edit that one of its buffers no longer has. What the user typed after it is no reason.
    pub(super) fn check_made(&self, targets: &[BufferTarget]) -> Result<(), EditError> {
        let is_made = |target: &BufferTarget| {
            let buffer = self.buffers.get(&(target.editor, target.path.clone()));
            buffer.is_some_and(|buffer| {
                !buffer.is_lost && (buffer.text() != target.before || target.before == target.after)
            })
        };
        match targets.iter().find(|target| !is_made(target)) {
            None => Ok(()),
            Some(target) => Err(EditError::NotInEditor(format!(
                "{} made the change of {}, and closed the file or took the change back before the edit was done; \
                 repeat the edit",
                self.name_of(target.editor),
                target.file
            ))),
        }
    }

    /// Returns the buffers of these files, or why the edit cannot be made.
    pub(super) fn concerned(&self, contents: &[StagedContent]) -> Result<ConcernedBuffers, EditError> {
        let mut concerned = ConcernedBuffers::default();
        for content in contents {
            let mut is_made = false;
            for ((editor, path), buffer) in &self.buffers {
                if buffer.file != content.path {
                    continue;
                }
                let Some(connected) = self.editors.get(editor) else { continue };
                let refused = |why: &str| {
                    Err(EditError::NotInEditor(format!(
                        "{} is open in {} {why}",
                        content.path, connected.name
                    )))
                };
                if buffer.is_lost {
                    return refused("with a text that symd does not know; close it there and open it again");
                }
                let (Some(after), Ok(before)) = (&content.after, text_of(&content.before)) else { continue };
                let Ok(after) = text_of(after) else { continue };
                let seen = buffer.seen();
                let new = if buffer.hides_cr() { after.replace("\r\n", "\n") } else { after.clone() };
                if content.in_editor && seen != before.as_str() {
                    return refused(
                        "with another text than in another window; make them agree, or close one",
                    );
                }
                let keeps_ends = buffer.keeps_line_ends_of(&after);
                if content.in_editor && !keeps_ends {
                    return refused(
                        "with unsaved changes, and the edit leaves line ends of both kinds or of another kind, which editors \
                         change; save it there, then repeat the edit",
                    );
                }
                if !content.in_editor
                    && (!connected.abilities.saves || !keeps_ends || seen != before.as_str())
                {
                    // The file changes, and the editor reads it again. Without its encoding only the editor can tell whether it
                    // did.
                    if !buffer.is_lossy || connected.abilities.reloads {
                        let (editor, path) = (*editor, path.clone());
                        let is_current = buffer.is_lossy || seen == before.as_str();
                        let after = (!buffer.is_lossy).then_some(new);
                        concerned.reloads.push(AwaitedReload { editor, path, after, is_current });
                    }
                    continue;
                }
                if !connected.abilities.applies {
                    return Err(EditError::Unsaved { path: content.path.clone() });
                }
                is_made = true;
                concerned.targets.push(BufferTarget {
                    editor: *editor,
                    path: path.clone(),
                    file: content.path.clone(),
                    before: buffer.text().to_owned(),
                    after: new,
                    saved: (!content.in_editor).then_some(after),
                });
            }
            if content.in_editor && !is_made {
                return Err(EditError::Unsaved { path: content.path.clone() });
            }
        }
        Ok(concerned)
    }

    pub(super) fn has(&self, target: &BufferTarget, text: &str) -> bool {
        let buffer = self.buffers.get(&(target.editor, target.path.clone()));
        buffer.is_some_and(|buffer| !buffer.is_lost && buffer.text() == text)
    }

    /// Whether a buffer has the planned text, or had it and was typed in since.
    pub(super) fn has_had_planned(&self, target: &BufferTarget) -> bool {
        let buffer = self.buffers.get(&(target.editor, target.path.clone()));
        let has_had = |buffer: &OpenBuffer| buffer.text() == target.after || buffer.has_seen_planned();
        buffer.is_some_and(|buffer| !buffer.is_lost && has_had(buffer))
    }

    pub(super) fn name_of(&self, editor: u64) -> String {
        self.editors.get(&editor).map_or_else(|| "an editor".to_owned(), |editor| editor.name.clone())
    }

    /// Returns the version of the buffer and its editor's port, if the buffer has `text`.
    pub(super) fn version_of(&self, target: &BufferTarget, text: &str) -> Option<(i64, Arc<dyn EditorPort>)> {
        let buffer = self.buffers.get(&(target.editor, target.path.clone()))?;
        let editor = self.editors.get(&target.editor)?;
        (!buffer.is_lost && buffer.text() == text).then(|| (buffer.version, Arc::clone(&editor.port)))
    }
}

fn text_of(bytes: &[u8]) -> Result<String, symd_base::text::Binary> {
    Ok(Text::decode(bytes.to_vec())?.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_stands_while_its_buffers_have_it_and_other_buffers_are_saved() {
        let path = |name: &str| RelPath::new(name).unwrap();
        let on_disk = || symd_vfs::FileBytes { bytes: b"a\n".to_vec(), stat: symd_vfs::Stat::default() };
        let buffer =
            |name: &str, text: &str| OpenBuffer::new(path(name), (1, text.to_owned()), Some(on_disk()));
        let (before, after) = ("a\n".to_owned(), "b\n".to_owned());
        let target =
            BufferTarget { editor: 1, path: path("t.py"), file: path("t.py"), before, after, saved: None };
        let mut table = BufferTable::default();
        assert!(table.check_made(std::slice::from_ref(&target)).is_err(), "closed");
        for (text, is_made) in [("b\n", true), ("b\ntyped\n", true), ("a\n", false)] {
            table.buffers.insert((1, path("t.py")), buffer("t.py", text));
            assert_eq!(table.check_made(std::slice::from_ref(&target)).is_ok(), is_made, "{text:?}");
        }
        let touched = [path("t.py"), path("moved.py")];
        table.buffers.insert((1, path("t.py")), buffer("t.py", "b\n"));
        table.buffers.insert((2, path("moved.py")), buffer("moved.py", "a\n"));
        let check = |table: &BufferTable| table.check_untouched(&touched, std::slice::from_ref(&target));
        assert!(check(&table).is_ok());
        table.buffers.insert((2, path("moved.py")), buffer("moved.py", "typed\n"));
        assert!(check(&table).is_err(), "typed");
        let mut lost = buffer("moved.py", "a\n");
        lost.is_lost = true;
        table.buffers.insert((2, path("moved.py")), lost);
        assert!(check(&table).is_err(), "lost");
    }
}
