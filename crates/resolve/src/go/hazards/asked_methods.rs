//! Methods that Go's library asks values for, without a word of the interface: `fmt` calls `String`, `encoding/json` calls
//! `MarshalJSON`, `flag.Var` wants `Set` beside `String`.

use super::{GoOwner, GoRenamed};
use crate::family_texts::FamilyTexts;
use crate::go::value_types::embeds;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;

/// Methods that packages look for in any value they are given: the name, what stands behind it without blanks and names of
/// parameters, the package that asks, and what it does then.
const ASKED: [(&str, &str, &str); 20] = [
    ("String", "()string", "fmt"),
    ("Error", "()string", "fmt"),
    ("GoString", "()string", "fmt"),
    ("Format", "(", "fmt"),
    ("MarshalJSON", "()([]byte,error)", "encoding/json"),
    ("UnmarshalJSON", "(", "encoding/json"),
    ("MarshalText", "()([]byte,error)", "encoding"),
    ("UnmarshalText", "(", "encoding"),
    ("MarshalBinary", "()([]byte,error)", "encoding"),
    ("UnmarshalBinary", "(", "encoding"),
    ("MarshalXML", "(", "encoding/xml"),
    ("UnmarshalXML", "(", "encoding/xml"),
    ("GobEncode", "()([]byte,error)", "encoding/gob"),
    ("GobDecode", "(", "encoding/gob"),
    ("Unwrap", "()", "errors"),
    ("WriteTo", "(", "io"),
    ("ReadFrom", "(", "io"),
    ("WriteString", "(", "io"),
    ("Flush", "()", "net/http"),
    ("IsZero", "()bool", "encoding/json"),
];

/// Interfaces of the library that types satisfy for a package: their methods beyond those that are always taken to be asked for.
const OF_PACKAGES: [(&str, &str, &[&str]); 22] = [
    ("flag", "flag.Value", &["String", "Set"]),
    ("database/sql", "driver.Valuer", &["Value"]),
    ("database/sql/driver", "driver.Valuer", &["Value"]),
    ("io/fs", "fs.FileInfo", &["Name", "Size", "Mode", "ModTime", "IsDir", "Sys"]),
    ("os", "os.FileInfo", &["Name", "Size", "Mode", "ModTime", "IsDir", "Sys"]),
    ("io/fs", "fs.DirEntry", &["Name", "IsDir", "Type", "Info"]),
    ("io/fs", "fs.FS", &["Open"]),
    ("io/fs", "fs.File", &["Stat", "Read", "Close"]),
    ("hash", "hash.Hash", &["Write", "Sum", "Reset", "Size", "BlockSize"]),
    ("net", "net.Addr", &["Network", "String"]),
    ("net", "net.Error", &["Error", "Timeout", "Temporary"]),
    ("net", "net.Listener", &["Accept", "Close", "Addr"]),
    ("net/http", "http.FileSystem", &["Open"]),
    ("net/http", "http.ResponseWriter", &["Header", "Write", "WriteHeader"]),
    ("image", "image.Image", &["ColorModel", "Bounds", "At"]),
    ("context", "context.Context", &["Deadline", "Done", "Err", "Value"]),
    ("log/slog", "slog.LogValuer", &["LogValue"]),
    ("log/slog", "slog.Handler", &["Enabled", "Handle", "WithAttrs", "WithGroup"]),
    ("math/rand", "rand.Source", &["Int63", "Seed"]),
    ("go/ast", "ast.Visitor", &["Visit"]),
    ("encoding/xml", "xml.Marshaler", &["MarshalXML"]),
    ("encoding/gob", "gob.GobEncoder", &["GobEncode"]),
];

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    let GoOwner::Receiver(of) = &symbol.owner else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let written: String = symbol.behind().chars().filter(|c| !c.is_whitespace()).collect();
    let asked = |name: &str| {
        let is_it = |one: &&(&str, &str, &str)| one.0 == name && written.starts_with(one.1);
        ASKED.iter().find(is_it).map(|one| one.2)
    };
    if let Some(package) = asked(symbol.new) {
        let text = format!(
            "package {package} calls a method '{}' of any value that has it, so values of '{of}' may be treated differently",
            symbol.new
        );
        found.extend(RenameHazard::doubt(text, vec![place(symbol)]));
    }
    for (package, interface, methods) in OF_PACKAGES {
        if !methods.contains(&symbol.old.as_str()) {
            continue;
        }
        let import = format!("\"{package}\"");
        if !texts.iter().any(|one| one.text.contains(&import)) || !has_all(symbol, of, methods)? {
            continue;
        }
        let text = format!(
            "'{of}' satisfies {interface}, which asks for '{}': what takes it for one would not any more",
            symbol.old
        );
        found.extend(RenameHazard::breaks_at(text, vec![place(symbol)]));
        break;
    }
    Ok(found)
}

/// Whether a type of the symbol's directory has all these methods.
fn has_all(symbol: &GoRenamed, of: &str, methods: &[&str]) -> Result<bool, Cancelled> {
    for method in methods {
        let embeds_rest = *method != symbol.old && embeds_interface(symbol, of);
        if !embeds_rest && !symbol.has_method(of, method)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a type embeds another one, which may bring the methods that it lacks.
fn embeds_interface(symbol: &GoRenamed, of: &str) -> bool {
    let rows = &symbol.here.outline.rows;
    let text = symbol.here.text.as_str();
    let is_of = |row: &&symd_syntax::Row| {
        row.parent().is_some_and(|parent| symbol.here.outline.name(&rows[parent]) == of)
    };
    rows.iter().filter(is_of).any(|row| embeds(text, row.name_start as usize + usize::from(row.name_len)))
}

/// Returns the place of the word `func`: the name itself is changed.
fn place(symbol: &GoRenamed) -> crate::conflicts::SourcePlace {
    let start = symbol.row.start;
    (symbol.here.file.path.clone(), symd_base::TextRange::new(start, start.saturating_add(4)))
}
