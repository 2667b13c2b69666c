//! Tests replace_content against a model that does the same in the simplest way: a text is a sequence of
//! characters, any line break counts as one, and an expression is matched by trying all possibilities. Random
//! texts, needles and replacements.

use std::cell::Cell;
use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::{
    BoxedStrategy, Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::*;

/// The number of texts, needles and replacements of each kind to try.
const TRIES: u32 = 3_000;

/// A character as the matcher sees it, with its original spelling in the text.
struct Token {
    seen: char,
    original: String,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut original = character.to_string();
        if character == '\r' && rest.next_if_eq(&'\n').is_some() {
            original.push('\n');
        }
        tokens.push(Token { seen: if character == '\r' { '\n' } else { character }, original });
    }
    tokens
}

fn seen(text: &str) -> Vec<char> {
    tokens(text).iter().map(|token| token.seen).collect()
}

/// A regular expression.
#[derive(Clone, Debug)]
enum Node {
    One(char),
    Any,
    Among(Vec<char>),
    NotAmong(Vec<char>),
    LineStart,
    LineEnd,
    Row(Vec<Node>),
    Either(Vec<Node>),
    Group(usize, Box<Node>),
    Same(usize),
    Ahead(Box<Node>),
    NotAhead(Box<Node>),
    /// (expression, minimum, maximum, greedy or lazy)
    Repeat(Box<Node>, usize, usize, Taste),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Taste {
    Greedy,
    Lazy,
}

type Groups = Vec<Option<Range<usize>>>;
type MatchedGroups = Option<(usize, Groups)>;
type Then<'a> = &'a mut dyn FnMut(usize, &Groups) -> MatchedGroups;

impl Node {
    fn written(&self) -> String {
        let set = |characters: &[char]| characters.iter().map(|c| written(*c)).collect::<String>();
        match self {
            Node::One(character) => written(*character),
            Node::Any => ".".to_owned(),
            Node::Among(characters) => format!("[{}]", set(characters)),
            Node::NotAmong(characters) => format!("[^{}]", set(characters)),
            Node::LineStart => "^".to_owned(),
            Node::LineEnd => "$".to_owned(),
            Node::Row(nodes) => nodes.iter().map(Node::written).collect(),
            Node::Either(nodes) => {
                format!("(?:{})", nodes.iter().map(Node::written).collect::<Vec<_>>().join("|"))
            }
            Node::Group(_, node) => format!("({})", node.written()),
            // In a group of its own, so that no digit after it becomes part of the number.
            Node::Same(group) => format!("(?:\\{group})"),
            Node::Ahead(node) => format!("(?={})", node.written()),
            Node::NotAhead(node) => format!("(?!{})", node.written()),
            Node::Repeat(node, least, most, taste) => {
                let lazy = if *taste == Taste::Lazy { "?" } else { "" };
                format!("(?:{}){{{least},{most}}}{lazy}", node.written())
            }
        }
    }

    /// Returns the minimum number of characters that it matches.
    fn least(&self) -> usize {
        match self {
            Node::One(_) | Node::Any | Node::Among(_) | Node::NotAmong(_) => 1,
            Node::LineStart | Node::LineEnd | Node::Same(_) | Node::Ahead(_) | Node::NotAhead(_) => 0,
            Node::Row(nodes) => nodes.iter().map(Node::least).sum(),
            Node::Either(nodes) => nodes.iter().map(Node::least).min().unwrap_or(0),
            Node::Group(_, node) => node.least(),
            Node::Repeat(node, least, ..) => node.least() * least,
        }
    }

    /// Numbers the groups and lets references refer to groups that are complete; `groups` counts them, `closed`
    /// lists the complete ones.
    fn number(&mut self, groups: &mut usize, closed: &mut Vec<usize>) {
        match self {
            Node::One(_) | Node::Any | Node::Among(_) | Node::NotAmong(_) => {}
            Node::LineStart | Node::LineEnd => {}
            Node::Row(nodes) | Node::Either(nodes) => {
                nodes.iter_mut().for_each(|node| node.number(groups, closed));
            }
            Node::Group(number, node) => {
                *groups += 1;
                *number = *groups;
                node.number(groups, closed);
                closed.push(*number);
            }
            Node::Same(any) => {
                let of = any.checked_rem(closed.len());
                *self = of.map_or(Node::Any, |of| Node::Same(closed[of]));
            }
            Node::Ahead(node) | Node::NotAhead(node) | Node::Repeat(node, ..) => node.number(groups, closed),
        }
    }

    /// Matches at `at`, and passes the end of each possible match to `then` until it accepts one.
    fn run(&self, text: &[char], at: usize, groups: &Groups, then: Then<'_>) -> MatchedGroups {
        let one = |fits: bool, then: Then<'_>| if fits { then(at + 1, groups) } else { None };
        let here = |fits: bool, then: Then<'_>| if fits { then(at, groups) } else { None };
        let next = text.get(at);
        match self {
            Node::One(character) => one(next == Some(character), then),
            Node::Any => one(next.is_some(), then),
            Node::Among(characters) => one(next.is_some_and(|next| characters.contains(next)), then),
            Node::NotAmong(characters) => one(next.is_some_and(|next| !characters.contains(next)), then),
            Node::LineStart => here(at == 0 || text[at - 1] == '\n', then),
            Node::LineEnd => here(next.is_none_or(|next| *next == '\n'), then),
            Node::Row(nodes) => row(nodes, text, at, groups, then),
            Node::Either(nodes) => nodes.iter().find_map(|node| node.run(text, at, groups, then)),
            Node::Group(number, node) => node.run(text, at, groups, &mut |end, groups| {
                let mut groups = groups.clone();
                groups[*number] = Some(at..end);
                then(end, &groups)
            }),
            Node::Same(number) => {
                let held = text[groups[*number].clone()?].to_vec();
                if text[at..].starts_with(&held) { then(at + held.len(), groups) } else { None }
            }
            Node::Ahead(node) => {
                let (_, groups) =
                    node.run(text, at, groups, &mut |end, groups| Some((end, groups.clone())))?;
                then(at, &groups)
            }
            Node::NotAhead(node) => {
                let found = node.run(text, at, groups, &mut |end, groups| Some((end, groups.clone())));
                here(found.is_none(), then)
            }
            Node::Repeat(node, least, most, taste) => {
                repeat((node, *taste), (*least, *most), text, at, groups, then)
            }
        }
    }

    /// Returns the first match that begins at `from` or later.
    fn first(&self, text: &[char], from: usize, groups: usize) -> Option<(Range<usize>, Groups)> {
        (from..=text.len()).find_map(|start| {
            let none = vec![None; groups + 1];
            let (end, mut groups) =
                self.run(text, start, &none, &mut |end, groups| Some((end, groups.clone())))?;
            groups[0] = Some(start..end);
            Some((start..end, groups))
        })
    }
}

fn row(nodes: &[Node], text: &[char], at: usize, groups: &Groups, then: Then<'_>) -> MatchedGroups {
    match nodes {
        [] => then(at, groups),
        [first, rest @ ..] => {
            first.run(text, at, groups, &mut |at, groups| row(rest, text, at, groups, then))
        }
    }
}

fn repeat(
    what: (&Node, Taste),
    (least, most): (usize, usize),
    text: &[char],
    at: usize,
    groups: &Groups,
    then: Then<'_>,
) -> MatchedGroups {
    let again = |then: Then<'_>| {
        if most == 0 {
            return None;
        }
        let left = (least.saturating_sub(1), most - 1);
        what.0.run(text, at, groups, &mut |at, groups| repeat(what, left, text, at, groups, then))
    };
    match (least, what.1) {
        (1.., _) => again(then),
        (0, Taste::Greedy) => again(then).or_else(|| then(at, groups)),
        (0, Taste::Lazy) => then(at, groups).or_else(|| again(then)),
    }
}

fn written(character: char) -> String {
    match character {
        '\n' => "\\n".to_owned(),
        other => regex::escape(&other.to_string()),
    }
}

/// Few characters, so that much repeats; some are special in expressions, some are wide.
const CHARACTERS: [char; 7] = ['a', 'b', 'é', '😀', '.', '$', '\n'];

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: TRIES,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

fn character() -> impl Strategy<Value = char> + Clone {
    // Mostly one of the first two.
    prop_oneof![select(&CHARACTERS[..2]), select(&CHARACTERS[..])]
}

fn text(longest: usize) -> impl Strategy<Value = String> {
    const ENDINGS: [&[&str]; 4] = [&["\n"], &["\r\n"], &["\r"], &["\n", "\r\n", "\r"]];
    let text = move |endings: &'static [&'static str]| {
        let piece = |(character, ending): (char, &str)| match character {
            '\n' => ending.to_owned(),
            other => other.to_string(),
        };
        vec((character(), select(endings)).prop_map(piece), 0..=longest)
    };
    select(&ENDINGS[..]).prop_flat_map(text).prop_map(|pieces| pieces.concat())
}

/// Random expressions, whose groups and references have no numbers yet.
fn node(depth: usize) -> BoxedStrategy<Node> {
    let some = || vec(character(), 1..3);
    let leaf = prop_oneof![
        4 => character().prop_map(Node::One),
        1 => Just(Node::Any),
        1 => some().prop_map(Node::Among),
        1 => some().prop_map(Node::NotAmong),
        1 => select(vec![Node::LineStart, Node::LineEnd]),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = node(depth - 1);
    let repeat = |(inner, least, more, taste): (Node, usize, usize, Taste)| match inner.least() {
        // Engines differ in the repetition of an empty match.
        0 => inner,
        _ => Node::Repeat(Box::new(inner), least, least + more, taste),
    };
    // Without groups: their content after a lookahead is not compared.
    let ahead = || node(0).prop_map(Box::new);
    prop_oneof![
        24 => leaf,
        6 => vec(inner.clone(), 1..4).prop_map(Node::Row),
        3 => vec(inner.clone(), 2..4).prop_map(Node::Either),
        3 => inner.clone().prop_map(|inner| Node::Group(0, Box::new(inner))),
        3 => (inner, 0..3_usize, 0..3_usize, select(vec![Taste::Greedy, Taste::Lazy])).prop_map(repeat),
        1 => any::<usize>().prop_map(Node::Same),
        1 => ahead().prop_map(Node::Ahead),
        1 => ahead().prop_map(Node::NotAhead),
    ]
    .boxed()
}

/// Random expressions, and the numbers of their groups.
fn pattern() -> impl Strategy<Value = (Node, usize)> {
    (node(3), node(1)).prop_map(|(mut first, mut second)| {
        let mut groups = 0;
        first.number(&mut groups, &mut Vec::new());
        // Gets an empty list of groups of its own, so that no reference leads into an open group.
        second.number(&mut groups, &mut Vec::new());
        (Node::Row(vec![first, second]), groups)
    })
}

fn replacement() -> impl Strategy<Value = String> {
    const PIECES: [&str; 13] =
        ["x", "é", "\n", "\r\n", "$!0", "$!1", "$!2", "$!", "$1", "\\1", "$$!1", "$!01", "$!10"];
    vec(select(&PIECES[..]), 0..4).prop_map(|pieces| pieces.concat())
}

/// Returns the text that the model expects.
fn expected(text: &str, found: &[(Range<usize>, Groups)], replacement: &str, mode: ReplaceMode) -> String {
    let tokens = tokens(text);
    let original =
        |range: Range<usize>| tokens[range].iter().map(|token| token.original.as_str()).collect::<String>();
    let mut after = String::new();
    let mut from = 0;
    for (range, groups) in found {
        after.push_str(&original(from..range.start));
        let is_break = |token: &&Token| token.seen == '\n';
        let line = tokens[range.start..]
            .iter()
            .find(is_break)
            .or_else(|| tokens[..range.start].iter().rfind(is_break));
        let ending = line.map_or("\n", |token| token.original.as_str());
        let mut rest = replacement;
        while let Some(character) = rest.chars().next() {
            let digits: String = match rest.strip_prefix("$!") {
                Some(behind) if mode == ReplaceMode::Regex => {
                    behind.chars().take_while(char::is_ascii_digit).collect()
                }
                _ => String::new(),
            };
            if !digits.is_empty() {
                let group = groups[digits.parse::<usize>().expect("short")].clone();
                after.push_str(&group.map_or(String::new(), original));
                rest = &rest[2 + digits.len()..];
                continue;
            }
            let taken = if rest.starts_with("\r\n") { 2 } else { character.len_utf8() };
            if matches!(character, '\r' | '\n') {
                after.push_str(ending)
            } else {
                after.push(character)
            }
            rest = &rest[taken..];
        }
        from = range.end;
    }
    after.push_str(&original(from..tokens.len()));
    after
}

/// Returns a group that the replacement refers to and the expression does not have.
fn unknown_group(replacement: &str, groups: usize) -> Option<String> {
    let asked = replacement.split("$!").skip(1);
    let digits = asked.map(|behind| behind.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|digits| !digits.is_empty()).find(|digits| digits.parse::<usize>().expect("short") > groups)
}

fn outcome(result: Result<Replacement, ReplaceError>, text: &str) -> Result<(String, usize), ReplaceError> {
    result.map(|replaced| (replaced.edits.apply(text).expect("inside"), replaced.count))
}

fn replaced_here(
    text: &str,
    needle: &str,
    replacement: &str,
    mode: ReplaceMode,
    how_many: ExpectedCount,
) -> Result<Replacement, ReplaceError> {
    let means = MatchContext { program: None, cancel: &symd_base::Cancel::new() };
    replace_content("f", text, needle, replacement, mode, how_many, means)
}

fn counted(
    found: Vec<(Range<usize>, Groups)>,
    text: &str,
    replacement: &str,
    mode: ReplaceMode,
    how_many: ExpectedCount,
) -> Result<(String, usize), ReplaceError> {
    let path = "f".to_owned();
    match found.len() {
        0 => Err(ReplaceError::NoMatches { path }),
        count @ 2.. if how_many == ExpectedCount::One => Err(ReplaceError::Many { count, path }),
        count => Ok((expected(text, &found, replacement, mode), count)),
    }
}

fn how_many() -> impl Strategy<Value = ExpectedCount> {
    prop_oneof![2 => Just(ExpectedCount::Any), 1 => Just(ExpectedCount::One)]
}

#[test]
fn literal_text_is_replaced_as_the_model_does() {
    let replaced = Cell::new(0);
    let inputs = (text(24), text(3), replacement(), how_many());
    proptest!(config(), |((text, needle, replacement, how_many) in inputs)| {
        let (characters, wanted) = (seen(&text), seen(&needle));
        let got = replaced_here(&text, &needle, &replacement, ReplaceMode::Literal, how_many);
        if wanted.is_empty() {
            prop_assert_eq!(got, Err(PatternError::Empty.into()));
            return Ok(());
        }
        let mut found = Vec::new();
        let mut at = 0;
        while at + wanted.len() <= characters.len() {
            if characters[at..].starts_with(&wanted) {
                found.push((at..at + wanted.len(), Vec::new()));
                at += wanted.len();
            } else {
                at += 1;
            }
        }
        let model = counted(found, &text, &replacement, ReplaceMode::Literal, how_many);
        replaced.set(replaced.get() + usize::from(model.is_ok()));
        prop_assert_eq!(outcome(got, &text), model);
    });
    assert!(replaced.get() > 500, "only {} of {TRIES} replaced anything", replaced.get());
}

#[test]
fn expressions_are_replaced_as_the_model_does() {
    let (replaced, ambiguous) = (Cell::new(0), Cell::new(0));
    let inputs = (text(16), pattern(), replacement(), how_many());
    proptest!(config(), |((text, (pattern, groups), replacement, how_many) in inputs)| {
        let needle = pattern.written();
        let got = replaced_here(&text, &needle, &replacement, ReplaceMode::Regex, how_many);
        let model = match unknown_group(&replacement, groups) {
            Some(group) => Err(ReplaceError::UnknownGroup { group, count: groups }),
            None => find_all(&pattern, groups, &seen(&text))
                .and_then(|found| counted(found, &text, &replacement, ReplaceMode::Regex, how_many)),
        };
        replaced.set(replaced.get() + usize::from(model.is_ok()));
        ambiguous.set(ambiguous.get() + usize::from(model == Err(ReplaceError::Ambiguous)));
        prop_assert_eq!(outcome(got, &text), model, "{}", needle);
    });
    assert!(
        replaced.get() > 500 && ambiguous.get() > 5,
        "only {} of {TRIES} replaced anything, {} were ambiguous",
        replaced.get(),
        ambiguous.get()
    );
}

/// As Python's `re.finditer`: after a non-empty match the next one may be empty; after an empty match one
/// character is skipped.
fn find_all(
    pattern: &Node,
    groups: usize,
    text: &[char],
) -> Result<Vec<(Range<usize>, Groups)>, ReplaceError> {
    let mut found: Vec<(Range<usize>, Groups)> = Vec::new();
    let mut from = 0;
    while let Some((range, held)) = pattern.first(text, from, groups) {
        let matched = &text[range.clone()];
        if matched.contains(&'\n') && pattern.first(&matched[1..], 0, groups).is_some() {
            return Err(ReplaceError::Ambiguous);
        }
        from = range.end + usize::from(range.is_empty());
        found.push((range, held));
    }
    Ok(found)
}
