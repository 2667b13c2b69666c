//! The declarations of kotlin-stdlib and kotlinx.coroutines, generated into `library/`, and some of kotlin-test; parsed once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::packages::is_within_package;
use super::source_file::SourceFile;
use super::universe::{DeclarationId, FileKey};
use symd_base::{Cancel, Text};
use symd_syntax::{Grammar, flat_tree};

/// The key of the library's first file.
const FIRST: FileKey = 1 << 31;

macro_rules! sources {
    ($($name:literal)*) => {
        [$((include_str!(concat!("../../library/", $name, ".kt"))),)*]
    };
}

/// `library/generator/make.sh` writes all but `kotlin.test`.
static SOURCES: [&str; 30] = sources! {
    "kotlin"
    "kotlin.annotation"
    "kotlin.collections"
    "kotlin.comparisons"
    "kotlin.concurrent"
    "kotlin.concurrent.atomics"
    "kotlin.contracts"
    "kotlin.coroutines"
    "kotlin.coroutines.intrinsics"
    "kotlin.enums"
    "kotlin.io"
    "kotlin.io.encoding"
    "kotlin.io.path"
    "kotlin.jvm"
    "kotlin.math"
    "kotlin.properties"
    "kotlin.random"
    "kotlin.ranges"
    "kotlin.reflect"
    "kotlin.sequences"
    "kotlin.system"
    "kotlin.test"
    "kotlin.text"
    "kotlin.time"
    "kotlin.uuid"
    "kotlinx.coroutines"
    "kotlinx.coroutines.channels"
    "kotlinx.coroutines.flow"
    "kotlinx.coroutines.selects"
    "kotlinx.coroutines.sync"
};

pub(super) struct Library {
    files: Vec<Arc<SourceFile>>,
    declared: HashMap<String, Vec<DeclarationId>>,
    members: HashMap<String, Vec<DeclarationId>>,
}

pub(super) fn is_of_library(file: FileKey) -> bool {
    file >= FIRST
}

pub(super) fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(Library::read)
}

impl Library {
    fn read() -> Library {
        let mut library = Library { files: Vec::new(), declared: HashMap::new(), members: HashMap::new() };
        let Some(grammar) = Grammar::named("kotlin") else { return library };
        for (source, key) in SOURCES.iter().zip(FIRST..) {
            // Tested: it parses.
            let tree = flat_tree(grammar, source, &Cancel::new()).unwrap_or_default();
            let Ok(text) = Text::decode(source.as_bytes().to_vec()) else { continue };
            let file = SourceFile::new(text, tree);
            for number in file.tree().root().into_iter().flat_map(|root| file.all_in_scope(root)) {
                let name = file.name_of(number).to_owned();
                library.declared.entry(name).or_default().push(DeclarationId::new(key, number));
            }
            for number in file.class_members() {
                let name = file.name_of(number).to_owned();
                library.members.entry(name).or_default().push(DeclarationId::new(key, number));
            }
            library.files.push(Arc::new(file));
        }
        library
    }

    pub(super) fn has_package(&self, name: &str) -> bool {
        self.files.iter().any(|file| is_within_package(&file.package, name))
    }

    pub(super) fn file(&self, key: FileKey) -> Option<&Arc<SourceFile>> {
        self.files.get(key.checked_sub(FIRST)? as usize)
    }

    /// Iterates over the declarations of `name` outside of classes.
    pub(super) fn declared(&self, name: &str) -> impl Iterator<Item = DeclarationId> + '_ {
        self.declared.get(name).into_iter().flatten().copied()
    }

    /// Iterates over the members of classes that are called `name`.
    pub(super) fn members(&self, name: &str) -> impl Iterator<Item = DeclarationId> + '_ {
        self.members.get(name).into_iter().flatten().copied()
    }
}
