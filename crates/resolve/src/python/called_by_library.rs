//! Members that Python's library calls by their names on objects that it is given: `close` by `contextlib.closing(x)`, `write` by
//! `print(file=x)` and on `sys.stdout`. By the text that tells which names hold objects of a class.

use crate::conflicts::SourcePlace;
use crate::context::last_chain;
use crate::hierarchy::heads::arguments;
use crate::name_places::{places_of, with_name};
use crate::python::dynamic_receivers::{held, holders};
use crate::python::outside::origins;
use crate::python::replaced_variables::for_each_set_by_string;
use crate::python::replaced_variables::string_sets::GivenArguments;
use crate::python::replaced_variables::values::{held_by, value_set};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// A function that calls members of what it is given.
struct Caller {
    function: &'static str,
    members: &'static [&'static str],
    /// Which argument that is; `None` where only a keyword passes it.
    place: Option<usize>,
    keyword: &'static str,
}

const fn caller(
    function: &'static str,
    members: &'static [&'static str],
    place: Option<usize>,
    keyword: &'static str,
) -> Caller {
    Caller { function, members, place, keyword }
}

const CALLERS: [Caller; 21] = [
    caller("contextlib.closing", &["close"], Some(0), "thing"),
    caller("contextlib.aclosing", &["aclose"], Some(0), "thing"),
    caller("contextlib.redirect_stdout", &["write", "flush"], Some(0), "new_target"),
    caller("contextlib.redirect_stderr", &["write", "flush"], Some(0), "new_target"),
    caller("builtins.print", &["write", "flush"], None, "file"),
    caller("json.dump", &["write"], Some(1), "fp"),
    caller("json.load", &["read"], Some(0), "fp"),
    caller("pickle.dump", &["write"], Some(1), "file"),
    caller("pickle.load", &["read", "readline", "readinto"], Some(0), "file"),
    caller("pickle.Pickler", &["write"], Some(0), "file"),
    caller("pickle.Unpickler", &["read", "readline", "readinto"], Some(0), "file"),
    caller("marshal.dump", &["write"], Some(1), "file"),
    caller("marshal.load", &["read", "readinto"], Some(0), "file"),
    caller("csv.writer", &["write"], Some(0), "csvfile"),
    caller("csv.DictWriter", &["write"], Some(0), "f"),
    caller("logging.StreamHandler", &["write", "flush"], Some(0), "stream"),
    caller("pprint.pprint", &["write"], Some(1), "stream"),
    caller("traceback.print_exc", &["write"], Some(1), "file"),
    caller("traceback.print_exception", &["write"], Some(4), "file"),
    caller("shutil.copyfileobj", &["read"], Some(0), "fsrc"),
    caller("shutil.copyfileobj", &["write"], Some(1), "fdst"),
];

impl Caller {
    /// Returns the argument whose members it calls; all that may be it where others are spread out before.
    fn object<'t>(&self, arguments: &[&'t str]) -> Vec<&'t str> {
        let given = GivenArguments::of(arguments);
        let is_spread = |one: &&&str| one.trim().starts_with('*');
        let spread = given
            .positional
            .iter()
            .take(self.place.map_or(0, |place| place + 1))
            .position(|one| is_spread(&one));
        match spread {
            Some(from) => given.positional[from..].to_vec(),
            None => given.at(self.place.unwrap_or(usize::MAX), &[self.keyword]).into_iter().collect(),
        }
    }
}

/// Variables of `sys`, and the members that the library calls on what they hold.
const STREAMS: [(&str, &[&str]); 3] =
    [("stdout", &["write", "flush"]), ("stderr", &["write", "flush"]), ("stdin", &["read", "readline"])];

/// Finds where the library is given what may be an object of the `classes`, and calls its member `name`. `self` may be one in these and
/// their bases, `around`.
pub(crate) fn given_to_library(
    resolver: &Resolver,
    (classes, around): (&[IndexedDeclaration], &[IndexedDeclaration]),
    name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let callers: Vec<&Caller> = CALLERS.iter().filter(|caller| caller.members.contains(&name)).collect();
    if callers.is_empty() && !STREAMS.iter().any(|(_, all)| all.contains(&name)) {
        return Ok(Vec::new());
    }
    let holders = holders(resolver, classes)?;
    let is_one = |here: &CurrentFile, range: TextRange, value: &str| match held(value) {
        "self" => {
            let own = scope::class_around(here, range.start);
            own.is_some_and(|own| around.iter().any(|one| one.is_same_declaration(&own)))
        }
        name => holders.contains(name),
    };
    let mut found = Vec::new();
    for caller in callers {
        let called = caller.function.rsplit('.').next().unwrap_or_default();
        for here in with_name(resolver, called)? {
            for range in places_of(&here, called) {
                let given = arguments(here.text.as_str(), range.end as usize).unwrap_or_default();
                let given = caller.object(&given);
                if given.iter().any(|one| is_one(&here, range, one))
                    && means(resolver, &here, range, caller.function)?
                {
                    found.push((here.file.path.clone(), range));
                }
            }
        }
    }
    for (stream, _) in STREAMS.iter().filter(|(_, all)| all.contains(&name)) {
        for here in with_name(resolver, stream)? {
            let text = here.text.as_str();
            for range in places_of(&here, stream) {
                let is_of_sys = last_chain(&text[..range.start as usize]) == "sys.";
                let value = value_set(text, range).filter(|_| is_of_sys);
                if value.is_some_and(|value| held_by(&value).iter().any(|one| is_one(&here, range, one))) {
                    found.push((here.file.path.clone(), range));
                }
            }
        }
    }
    for_each_set_by_string(resolver, |here, range, set| {
        let is_stream = STREAMS.iter().any(|(stream, all)| *stream == set.variable && all.contains(&name));
        let of_sys = [set.module, set.path.map(|path| path.strip_suffix(&set.variable).unwrap_or(path))];
        let is_of_sys = of_sys.into_iter().flatten().any(|of| {
            let of = of.trim_end_matches('.').trim_end_matches(".__dict__");
            of == "sys" || of.ends_with(".sys")
        });
        if is_stream && is_of_sys && set.values.iter().any(|one| is_one(here, range, one)) {
            found.push((here.file.path.clone(), range));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Whether the name at `range` may mean the function of this full name.
fn means(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    function: &str,
) -> Result<bool, Cancelled> {
    let text = here.text.as_str();
    let start = range.start as usize - last_chain(&text[..range.start as usize]).len();
    let chain: Vec<&str> = text[start..range.end as usize].split('.').collect();
    Ok(origins(resolver, &here.file, &chain)?.iter().any(|origin| origin == function))
}
