//! The Gradle modules of a project, by its settings and build files, and which of them each sees. Where these do not write
//! it down, a module may see all. Nothing is run.

use std::collections::{HashMap, HashSet};

use super::BUILD_SOURCES;
use super::build_text::{NamedModules, Settings, accessor, named_modules, settings};
use super::source_set::{SourceSet, flavor_of_test, set_directory};
use crate::sources::Sources;
use symd_base::RelPath;

const SETTINGS: [&str; 2] = ["settings.gradle.kts", "settings.gradle"];
const BUILD_FILES: [&str; 2] = ["build.gradle.kts", "build.gradle"];
/// Extensions of what plugins are written in.
const PLUGIN_SOURCES: [&str; 4] = ["kt", "kts", "java", "groovy"];

/// Words of scripts that declare product flavors.
const FLAVORS: [&str; 2] = ["roductFlavor", "flavorDimension"];

/// How many sources of plugins are read.
const MAX_PLUGIN_SOURCES: usize = 500;

/// A module: a directory with sources of its own.
#[derive(Debug)]
struct GradleModule {
    directory: RelPath,
    /// The directory of the build's settings.
    build: RelPath,
    /// The modules that it sees, itself among them; `None` for all.
    sees: Option<HashSet<usize>>,
}

/// The modules of all builds of a project.
#[derive(Debug, Default)]
pub struct GradleModules {
    modules: Vec<GradleModule>,
    by_directory: HashMap<RelPath, usize>,
    /// The directories of builds of plugins.
    included: Vec<RelPath>,
    /// Whether a text could not be read.
    lacks_texts: bool,
    /// Whether a script, or a plugin of the project, tells of product flavors.
    has_flavors: bool,
    /// The source sets that hold tests of a product flavor, each with the directory of its module.
    variants: HashSet<(RelPath, String)>,
}

impl GradleModules {
    /// Reads the settings and build files of a project. None for a project without settings: nothing is known then.
    pub fn read(sources: &dyn Sources) -> GradleModules {
        let mut found = GradleModules::default();
        // Their texts are read as they are now: no content of the index is needed.
        let files: Vec<&RelPath> = sources.snapshot().files.paths_within(&RelPath::root()).collect();
        let builds: Vec<(RelPath, Settings)> = files
            .iter()
            .filter(|path| SETTINGS.contains(&path.file_name()))
            .filter_map(|path| {
                let text = sources.text(path);
                found.lacks_texts |= text.is_none();
                Some((path.parent()?, settings(&text?)))
            })
            .collect();
        if builds.is_empty() {
            return found;
        }
        let is_build = |directory: &RelPath| builds.iter().any(|(root, _)| root == directory);
        let build_of = |path: &RelPath| {
            std::iter::successors(path.parent(), RelPath::parent).find(|directory| is_build(directory))
        };
        let mut paths: Vec<String> = Vec::new();
        let mut add = |found: &mut GradleModules, directory: RelPath, build: RelPath, path: String| {
            if found.by_directory.contains_key(&directory) {
                return;
            }
            found.by_directory.insert(directory.clone(), found.modules.len());
            found.modules.push(GradleModule { directory, build, sees: None });
            paths.push(path);
        };
        for (root, declared) in &builds {
            add(&mut found, root.clone(), root.clone(), ":".to_owned());
            for path in &declared.modules {
                let written = declared.directories.get(path).cloned();
                let written = written.unwrap_or_else(|| path.trim_start_matches(':').replace(':', "/"));
                let names = written.split('/').filter(|name| !name.is_empty() && *name != ".");
                let directory = names.fold(root.clone(), |directory, name| directory.join(name));
                add(&mut found, directory, root.clone(), path.clone());
            }
        }
        // Modules that settings include by other means.
        for path in files.iter().filter(|path| is_build_file(path)) {
            if let (Some(directory), Some(build)) = (path.parent(), build_of(path)) {
                let beneath = directory.as_str().get(build.as_str().len()..).unwrap_or("");
                let path = format!(":{}", beneath.trim_matches('/').replace('/', ":"));
                add(&mut found, directory, build, path);
            }
        }
        let included = builds.iter().flat_map(|(root, declared)| {
            declared.builds.iter().map(|path| path.split('/').fold(root.clone(), |at, name| at.join(name)))
        });
        found.included = included.collect();
        found.read_dependencies(sources, &files, &paths);
        if found.has_flavors {
            found.read_variants(sources, &files);
        }
        found
    }

    /// Notes the source sets of tests beside which their module has the set of a product flavor of that name: `src/testFree` beside `src/free`.
    fn read_variants(&mut self, sources: &dyn Sources, files: &[&RelPath]) {
        for path in files.iter().filter(|path| path.as_str().contains("src/test")) {
            let Some(module) = self.module_of(path).map(|at| &self.modules[at].directory) else { continue };
            let Some(("src", set)) = set_directory(path, module) else { continue };
            let Some(flavor) = flavor_of_test(set) else { continue };
            let variant = (module.clone(), set.to_owned());
            let has_set = || {
                let directory = module.join("src").join(&flavor);
                sources.snapshot().files.paths_within(&directory).next().is_some()
            };
            if !self.variants.contains(&variant) && has_set() {
                self.variants.insert(variant);
            }
        }
    }

    /// Returns the source set of a file of a module.
    fn set_of(&self, path: &RelPath, module: &RelPath) -> SourceSet {
        let is_variant = |set: &str| self.variants.contains(&(module.clone(), set.to_owned()));
        match set_directory(path, module) {
            Some(("src", set)) if !self.variants.is_empty() && is_variant(set) => SourceSet::OF_LOCAL_TESTS,
            _ => SourceSet::of(path, module),
        }
    }

    /// Whether the file at a path is one of those that tell the modules.
    pub fn depends_on(&self, path: &RelPath) -> bool {
        is_script(path) || self.is_plugin_source(path)
    }

    /// Whether a file with this path may be one of those that tell the modules, by its name.
    pub fn may_read(path: &RelPath) -> bool {
        path.extension().is_some_and(|end| end == "gradle" || PLUGIN_SOURCES.contains(&end))
    }

    /// Whether all texts could be read.
    pub fn is_whole(&self) -> bool {
        !self.lacks_texts
    }

    /// Reads which modules each one depends on.
    fn read_dependencies(&mut self, sources: &dyn Sources, files: &[&RelPath], paths: &[String]) {
        let mut own: Vec<Option<NamedModules>> = self.modules.iter().map(|_| None).collect();
        // What every module may depend on by plugins and scripts.
        let mut shared: Vec<NamedModules> = Vec::new();
        let mut plugin_sources = 0;
        for path in files {
            let name = path.file_name();
            let module = path.parent().and_then(|directory| self.by_directory.get(&directory).copied());
            if SETTINGS.contains(&name) || !self.depends_on(path) {
                continue;
            }
            plugin_sources += usize::from(!is_script(path));
            if plugin_sources > MAX_PLUGIN_SOURCES {
                return;
            }
            let named = match sources.text(path) {
                Some(text) => {
                    self.has_flavors |= FLAVORS.iter().any(|word| text.contains(word));
                    named_modules(&text)
                }
                None => {
                    self.lacks_texts = true;
                    NamedModules { may_be_more: true, ..NamedModules::default() }
                }
            };
            let is_of_root = |module: usize| self.modules[module].directory == self.modules[module].build;
            let is_own = is_build_file(path);
            match module {
                Some(module) if is_own && !is_of_root(module) && own[module].is_none() => {
                    own[module] = Some(named);
                }
                // The root's file and plugins configure other modules.
                _ => shared.push(named),
            }
        }
        if shared.iter().any(|named| named.may_be_more) {
            return;
        }
        let accessors: Vec<String> = paths.iter().map(|path| accessor(path)).collect();
        let meant = |named: &NamedModules, build: &RelPath| -> Option<Vec<usize>> {
            let find = |is_it: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..self.modules.len()).filter(|&at| self.modules[at].build == *build && is_it(at)).collect()
            };
            let mut all = Vec::new();
            for path in &named.mentioned {
                all.extend(find(&|at| paths[at] == *path));
            }
            for path in &named.paths {
                let found = find(&|at| paths[at] == *path);
                let is_known = !found.is_empty();
                all.extend(found);
                is_known.then_some(())?;
            }
            for name in &named.accessors {
                let found = find(&|at| accessors[at] == *name);
                let is_known = !found.is_empty();
                all.extend(found);
                is_known.then_some(())?;
            }
            (!named.may_be_more).then_some(all)
        };
        let direct: Vec<Option<Vec<usize>>> = (0..self.modules.len())
            .map(|at| {
                let module = &self.modules[at];
                let mut all = meant(own[at].as_ref()?, &module.build)?;
                for named in &shared {
                    all.extend(meant(named, &module.build)?);
                }
                Some(all)
            })
            .collect();
        for at in 0..self.modules.len() {
            self.modules[at].sees = reached(&direct, at);
        }
    }

    fn is_plugin_source(&self, path: &RelPath) -> bool {
        path.extension().is_some_and(|end| PLUGIN_SOURCES.contains(&end))
            && is_build_logic(path, &self.included)
    }

    /// Returns the module of a file: that of the nearest directory around it.
    fn module_of(&self, path: &RelPath) -> Option<usize> {
        let mut directories = std::iter::successors(path.parent(), RelPath::parent);
        directories.find_map(|directory| self.by_directory.get(&directory).copied())
    }

    /// Whether code in one file may name what another file declares for others.
    pub(crate) fn may_see(&self, from: &RelPath, declared: &RelPath) -> bool {
        let (Some(one), Some(other)) = (self.module_of(from), self.module_of(declared)) else { return true };
        let (module, target) = (&self.modules[one], &self.modules[other]);
        // Builds see each other's modules by coordinates.
        if module.build != target.build {
            return true;
        }
        let sees_module = one == other || module.sees.as_ref().is_none_or(|sees| sees.contains(&other));
        sees_module && self.set_of(from, &module.directory).may_see(self.set_of(declared, &target.directory))
    }

    /// Returns how far a declaring file is from another one: of one source set, of one module, of one build, or further.
    pub(crate) fn distance(&self, from: &RelPath, declared: &RelPath) -> u8 {
        let (Some(one), Some(other)) = (self.module_of(from), self.module_of(declared)) else { return 4 };
        let (module, target) = (&self.modules[one], &self.modules[other]);
        match (one == other, module.build == target.build) {
            (true, _) => {
                match set_directory(from, &module.directory) == set_directory(declared, &module.directory) {
                    true => 1,
                    false => 2,
                }
            }
            // Where it is not known which modules it sees, one of an included build is as likely.
            (false, true) if module.sees.is_some() => 3,
            (false, _) => 4,
        }
    }

    /// Whether two files are of different modules, so that one does not see what is `internal` in the other.
    pub(crate) fn are_apart(&self, one: &RelPath, other: &RelPath) -> bool {
        matches!((self.module_of(one), self.module_of(other)), (Some(one), Some(other)) if one != other)
    }
}

/// Whether a file belongs to a build of plugins: `buildSrc`, or one that settings include.
fn is_build_logic(path: &RelPath, included: &[RelPath]) -> bool {
    let mut directories = std::iter::successors(path.parent(), RelPath::parent);
    directories.any(|directory| directory.file_name() == BUILD_SOURCES || included.contains(&directory))
}

fn is_script(path: &RelPath) -> bool {
    path.file_name().ends_with(".gradle") || path.file_name().ends_with(".gradle.kts")
}

/// Whether a file is the build file of its directory, by its usual name or that of the directory.
fn is_build_file(path: &RelPath) -> bool {
    let name = path.file_name();
    let stem = name.strip_suffix(".gradle").or_else(|| name.strip_suffix(".gradle.kts"));
    let is_named_after = || stem.is_some_and(|stem| path.parent().is_some_and(|of| of.file_name() == stem));
    BUILD_FILES.contains(&name) || is_named_after()
}

/// Returns the modules that one depends on, over others too; `None` where one of these is not known.
fn reached(direct: &[Option<Vec<usize>>], from: usize) -> Option<HashSet<usize>> {
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &next in direct[at].as_ref()? {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    Some(seen)
}
