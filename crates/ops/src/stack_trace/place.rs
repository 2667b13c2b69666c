//! The files of the project that frames may lie in: by package and file name, by the variant that was built, by a mapping's readings. Invariant: a
//! place that is not sure says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::PlaceCode;
use super::application_id;
use super::expected::is_expected;
use super::inlined::{called_names, said};
use super::named_text::NamedText;
use super::names::{SourceNames, source_names};
use super::parse::ParsedFrame;
use super::place_in_file::{FramePlace, declaration_at, declarations, outer_doubt, place};
use super::python_place::{self, written_files};
use super::script_text::ScriptLanguage;
use super::source_version::SourceVersion;
use super::variant::{BuildVariant, SetOfVariant, set_words, source_set};
use super::wanted_files::files_of_class;
use crate::code_context::{counted_lines, lines_of};
use symd_base::RelPath;
use symd_base::cancel::Cancelled;

/// The lines of code before and after a place.
const CODE_LINES: usize = 3;

/// The files that frames may lie in.
pub(super) struct SourceFiles<'v> {
    version: &'v dyn SourceVersion,
    /// The absolute path of the project's root.
    root: &'v Path,
    /// The variant of the build that the trace is of, if that is known.
    variant: Option<&'v BuildVariant>,
    /// Flavors and build types that other frames of the same program show.
    shown: BTreeSet<String>,
    /// Flavors and build types that the name of the process shows.
    of_process: BTreeSet<String>,
    /// The files, each with its package, whose lines the trace has.
    lined: BTreeSet<(String, String)>,
    read: BTreeMap<RelPath, Option<Arc<NamedText>>>,
    /// Whether the variant has a source set of its own in these directories of sets.
    own_sets: BTreeMap<String, bool>,
}

impl<'v> SourceFiles<'v> {
    pub(super) fn of(
        version: &'v dyn SourceVersion,
        root: &'v Path,
        variant: Option<&'v BuildVariant>,
    ) -> SourceFiles<'v> {
        SourceFiles {
            version,
            root,
            variant,
            shown: BTreeSet::new(),
            of_process: BTreeSet::new(),
            lined: BTreeSet::new(),
            read: BTreeMap::new(),
            own_sets: BTreeMap::new(),
        }
    }

    /// Takes the frames of the trace whose frames are placed next: of a file with lines, methods without are the compiler's.
    pub(super) fn learn_lines<'p>(&mut self, frames: impl Iterator<Item = &'p ParsedFrame>) {
        let lined = frames.filter(|frame| frame.source_line().is_some() && !frame.file.is_empty());
        let of_package = |frame: &ParsedFrame| Some((source_names(frame)?.package, frame.file.clone()));
        self.lined = lined.filter_map(of_package).collect();
    }

    /// Whether the method of a frame was made by the compiler: others of its file have lines.
    fn is_made(&self, names: &SourceNames, frame: &ParsedFrame) -> bool {
        let is_of_lined = || self.lined.contains(&(names.package.clone(), frame.file.clone()));
        frame.line.is_none() && (frame.is_made || is_of_lined())
    }

    /// Takes the ids of the applications that the text names: if it is one, scripts may tell its flavors and its build type.
    pub(super) fn learn_process(mut self, ids: &BTreeSet<&str>) -> SourceFiles<'v> {
        let mut ids = ids.iter();
        if let (Some(id), None) = (ids.next(), ids.next()) {
            let scripts = application_id::SCRIPTS.iter().flat_map(|name| self.version.named(name));
            let texts = scripts.filter_map(|path| Some((path, self.version.text(path)?)));
            let of_script = |(path, script): (&RelPath, String)| {
                application_id::variants(&script, ScriptLanguage::of(path), id)
            };
            let variants: Vec<BTreeSet<String>> = texts.flat_map(of_script).collect();
            // What all of them have is sure.
            let common = variants.into_iter().reduce(|all, one| &all & &one);
            self.of_process = common.unwrap_or_default();
        }
        self
    }

    /// Takes the places of a program's frames, of which sure ones may show its flavor or build type; returns whether they show any.
    pub(super) fn learn_variant<'p>(&mut self, places: impl Iterator<Item = &'p [FramePlace]>) -> bool {
        if self.variant.is_some() {
            return false;
        }
        let sure = places.filter_map(|places| match places {
            [place] if place.doubt.is_none() => Some(set_words(&place.path)),
            _ => None,
        });
        self.shown = sure.flatten().collect();
        !self.shown.is_empty()
    }

    /// Forgets what another program's frames showed.
    pub(super) fn forget_variant(&mut self) {
        self.shown.clear();
    }

    /// Returns the code around a place.
    pub(super) fn code(&mut self, place: &FramePlace) -> Option<PlaceCode> {
        let text = &self.read(&place.path)?.current.text;
        let last = counted_lines(text);
        if place.line == 0 || place.line > last {
            return None;
        }
        let (first, last) =
            (place.line.saturating_sub(CODE_LINES).max(1), (place.line + CODE_LINES).min(last));
        let lines = (first..=last).map(|line| lines_of(text, line - 1, line - 1)).collect();
        Some(PlaceCode { first_line: first, lines })
    }

    /// Returns the places that a frame may have, the likeliest first; none if it is not of this project.
    pub(super) fn places(&mut self, frame: &ParsedFrame) -> Result<Vec<FramePlace>, Cancelled> {
        if frame.alternatives.is_empty() {
            let mut places = self.places_of(frame)?;
            for place in &mut places {
                place.doubt = place.doubt.take().or_else(|| frame.reading_doubt.clone());
            }
            return Ok(places);
        }
        let readings = std::iter::once(frame).chain(&frame.alternatives);
        let read: Vec<Vec<FramePlace>> = readings.map(|one| self.places_of(one)).collect::<Result<_, _>>()?;
        if let Some(place) = self.of_all_readings(frame, &read)? {
            return Ok(vec![place]);
        }
        let of_mapping = || format!("the mapping has {} methods for it", frame.alternatives.len() + 1);
        let doubt = frame.reading_doubt.clone().unwrap_or_else(of_mapping);
        let mut all: Vec<FramePlace> = Vec::new();
        for place in read.into_iter().flatten() {
            let place = FramePlace { doubt: Some(doubt.clone()), ..place };
            if !all.contains(&place) {
                all.push(place);
            }
        }
        Ok(all)
    }

    /// Returns the place of a frame with several readings if it is sure all the same: that of all, or of the only one whose method holds
    /// the line, where the mapping's lines of each are those of the present sources. `read` is the places of each reading.
    fn of_all_readings(
        &mut self,
        frame: &ParsedFrame,
        read: &[Vec<FramePlace>],
    ) -> Result<Option<FramePlace>, Cancelled> {
        if frame.reading_doubt.is_some() {
            return Ok(None);
        }
        let sure: Vec<Option<&FramePlace>> = read.iter().map(|places| only_sure(places)).collect();
        if let [Some(first), rest @ ..] = sure.as_slice()
            && rest.iter().all(|other| *other == Some(*first))
        {
            return Ok(Some((*first).clone()));
        }
        let mut fitting = sure.into_iter().flatten();
        // A function and what the compiler makes of it for default arguments hold the same lines.
        let is_same = |one: &FramePlace, other: &FramePlace| {
            (&one.path, one.line, &one.name_path) == (&other.path, other.line, &other.name_path)
        };
        let only = fitting.next().filter(|first| fitting.all(|other| is_same(first, other)));
        let Some(place) = only.filter(|place| Some(place.line) == frame.source_line()) else {
            return Ok(None);
        };
        for reading in std::iter::once(frame).chain(&frame.alternatives) {
            let Some((first, _)) = reading.mapped_lines else { return Ok(None) };
            let at_first = ParsedFrame { line: Some(first), ..reading.clone() };
            if only_sure(&self.places_of(&at_first)?).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(place.clone()))
    }

    fn places_of(&mut self, frame: &ParsedFrame) -> Result<Vec<FramePlace>, Cancelled> {
        if !frame.path.is_empty() {
            return Ok(self.of_path(frame));
        }
        let Some(names) = source_names(frame) else { return Ok(self.of_file_alone(frame)) };
        if names.is_inlined() && frame.file.is_empty() && frame.source_line().is_some() {
            return self.of_inlined(frame, "its line is one of code that was inlined here");
        }
        let file_names = match frame.file.as_str() {
            "" => files_of_class(&names.outer),
            file => vec![file.to_owned()],
        };
        let named = file_names.iter().flat_map(|name| self.version.named(name).iter().cloned()).collect();
        let files = self.written(frame, named).into_iter().map(|(path, _)| path).collect();
        let mut all = self.of_names(files, &names, frame)?;
        if all.is_empty() && frame.file.is_empty() {
            let declaring = self.version.declaring(&names.package, &names.outer)?.to_vec();
            all = self.of_names(declaring, &names, frame)?;
        } else if all.is_empty() && names.is_inlined() {
            // Its file and line are those of a library's inline function: its class tells where that was inlined.
            return self.of_inlined(
                frame,
                &format!("its line is one of {}: code that was inlined here", frame.file),
            );
        }
        // An `actual` class has a file for each platform.
        if all.iter().any(|place| frame.platform.may_hold(&place.path)) {
            all.retain(|place| frame.platform.may_hold(&place.path));
        }
        let expected: Vec<bool> = all.iter().map(|place| self.is_expected(place)).collect();
        if expected.contains(&false) {
            let mut expected = expected.into_iter();
            all.retain(|_| expected.next() == Some(false));
        }
        self.keep_variant(&mut all);
        let (sure, doubted): (Vec<_>, Vec<_>) = all.into_iter().partition(|place| place.doubt.is_none());
        Ok(match sure.len() {
            0 => doubted,
            // Of the source sets of two variants each may be the one that was built, and this one be changed since.
            1 => {
                let other = doubted.into_iter().find(|place| self.declares(&place.path, &names));
                let doubt = other.map(|other| format!("{} has it, too, but not on this line", other.path));
                sure.into_iter().map(|place| FramePlace { doubt: doubt.clone(), ..place }).collect()
            }
            count => sure
                .into_iter()
                .map(|place| FramePlace { doubt: Some(format!("{count} files fit it")), ..place })
                .collect(),
        })
    }

    /// Returns the places of a frame of a class that was copied from an inline function, by the name of the class alone.
    fn of_inlined(&mut self, frame: &ParsedFrame, remark: &str) -> Result<Vec<FramePlace>, Cancelled> {
        let of_class = ParsedFrame { file: String::new(), line: None, ..frame.clone() };
        let mut places = self.places_of(&of_class)?;
        for place in &mut places {
            place.remark = Some(remark.to_owned());
        }
        Ok(places)
    }

    /// Returns the places of a frame in those of the files that have its package.
    fn of_names(
        &mut self,
        files: Vec<RelPath>,
        names: &SourceNames,
        frame: &ParsedFrame,
    ) -> Result<Vec<FramePlace>, Cancelled> {
        let mut all = Vec::new();
        for path in files {
            let Some(source) = self.read(&path) else { continue };
            if source.package != names.package && !frame.is_without_package {
                continue;
            }
            let is_made = self.is_made(names, frame);
            let mut place = place(&path, &source, names, (frame, is_made));
            let lines = counted_lines(&source.current.text);
            let is_past_end = frame.source_line().is_some_and(|line| line > lines);
            if let Some(mut doubt) = place.doubt.take_if(|_| is_past_end) {
                let members = declarations(&path, &source, names).members();
                let called = called_names(&source.current, &members);
                let callees = self.version.inline_functions(&called)?;
                if !callees.is_empty() {
                    doubt.extend(["; ", &said(&callees)]);
                }
                // The line is explained, and the name is that of one declaration.
                let is_sure =
                    !callees.is_empty() && members.len() == 1 && outer_doubt(&source, names).is_none();
                *(if is_sure { &mut place.remark } else { &mut place.doubt }) = Some(doubt);
            }
            all.push(place);
        }
        Ok(all)
    }

    /// Returns the files that a frame's path may mean, of those with its name, each with the reason why it may be another one.
    fn written(&self, frame: &ParsedFrame, named: Vec<RelPath>) -> Vec<(RelPath, Option<String>)> {
        let written = match frame.file_path.as_str() {
            "" => Vec::new(),
            path => written_files(path, self.root, &named),
        };
        match written.is_empty() {
            true => named
                .into_iter()
                .map(|path| (path, Some("only the file's name is known".to_owned())))
                .collect(),
            false => written,
        }
    }

    /// Whether a file declares what the frame names.
    fn declares(&mut self, path: &RelPath, names: &SourceNames) -> bool {
        self.read(path).is_some_and(|source| {
            let declared = declarations(path, &source, names);
            outer_doubt(&source, names).is_none()
                && declared.missing().is_none()
                && (declared.has_no_name() || !declared.members().is_empty())
        })
    }

    fn is_expected(&mut self, place: &FramePlace) -> bool {
        place.path.file_name().ends_with(".kt")
            && self.read(&place.path).is_some_and(|source| is_expected(&source, place.line))
    }

    /// Keeps those of several places whose source sets are compiled into the variant, or that other frames show.
    fn keep_variant(&mut self, places: &mut Vec<FramePlace>) {
        let Some(variant) = self.variant else {
            let is_common = |place: &FramePlace| set_words(&place.path).is_empty();
            let is_known = |word: &String| self.shown.contains(word) || self.of_process.contains(word);
            let is_shown = |place: &FramePlace| set_words(&place.path).iter().all(is_known);
            // What is in a set of all variants may have been moved since.
            if !places.iter().any(is_common) && places.iter().any(is_shown) {
                places.retain(is_shown);
            }
            return;
        };
        let is_other = |place: &FramePlace| variant.set_of(&place.path) == SetOfVariant::Other;
        if !places.iter().all(is_other) {
            places.retain(|place| !is_other(place));
            return;
        }
        for place in places {
            if let Some((of_sets, set)) =
                source_set(&place.path).filter(|(sets, _)| self.has_set_of(sets, variant))
            {
                let why = format!("{of_sets}/{set} is not compiled into {}", variant.name());
                place.doubt = place.doubt.take().or(Some(why));
            }
        }
    }

    /// Whether a module has a source set of the variant's own: the names of others' flavors mean nothing in it.
    fn has_set_of(&mut self, sets: &str, variant: &BuildVariant) -> bool {
        if let Some(known) = self.own_sets.get(sets) {
            return *known;
        }
        let names = RelPath::new(sets).map(|sets| self.version.directories(&sets)).unwrap_or_default();
        let of_set = |name: &String| RelPath::new(&format!("{sets}/{name}/_")).ok();
        let has_own = names.iter().filter_map(of_set).any(|path| variant.set_of(&path) == SetOfVariant::Own);
        self.own_sets.insert(sets.to_owned(), has_own);
        has_own
    }

    fn of_path(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        let files = written_files(&frame.path, self.root, self.version.named(&frame.file));
        let placed = |(path, doubt)| {
            let place = python_place::place(&path, &self.read(&path)?.current, frame);
            Some(FramePlace { doubt: place.doubt.clone().or(doubt), ..place })
        };
        files.into_iter().filter_map(placed).collect()
    }

    fn of_file_alone(&mut self, frame: &ParsedFrame) -> Vec<FramePlace> {
        let files = self.written(frame, self.version.named(&frame.file).to_vec());
        let count = files.len();
        let mut all = Vec::new();
        for (path, doubt) in files {
            let Some(source) = self.read(&path) else { continue };
            let current = &source.current;
            let Some(line) = frame.source_line().filter(|line| *line <= counted_lines(&current.text)) else {
                continue;
            };
            let name_path = declaration_at(current, line);
            let doubt = match count {
                1 => doubt,
                count => doubt.map(|doubt| format!("{doubt}, and {count} files have it")),
            };
            all.push(FramePlace {
                path,
                line,
                name_path,
                doubt,
                remark: None,
                differs: false,
                is_by_line: true,
            });
        }
        all
    }

    fn read(&mut self, path: &RelPath) -> Option<Arc<NamedText>> {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let source = self.version.read(path).map(|current| Arc::new(NamedText::of(current)));
        self.read.insert(path.clone(), source.clone());
        source
    }
}

fn only_sure(places: &[FramePlace]) -> Option<&FramePlace> {
    match places {
        [place] if place.doubt.is_none() => Some(place),
        _ => None,
    }
}
