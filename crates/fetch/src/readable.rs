//! Converts HTML to readable text: one pass over the tokens of the HTML standard, with blocks on their own
//! lines and white space collapsed as in a browser. Builds no tree, so deep nesting and unmatched tags do not
//! matter. Invariant: the work and the result are bounded by the length of the page.

use html5gum::{DefaultEmitter, Token, Tokenizer};

/// Elements whose content is not shown to readers.
const SKIPPED: [&str; 10] =
    ["script", "style", "template", "noscript", "svg", "math", "iframe", "noembed", "noframes", "object"];

/// Elements with an empty line before and after.
const APART: [&str; 19] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "dl",
    "pre",
    "blockquote",
    "table",
    "figure",
    "form",
    "fieldset",
    "hr",
    "address",
    "title",
];

/// Elements that begin and end lines.
const LINES: [&str; 24] = [
    "article",
    "aside",
    "body",
    "caption",
    "dd",
    "details",
    "dialog",
    "div",
    "dt",
    "figcaption",
    "footer",
    "head",
    "header",
    "hgroup",
    "html",
    "legend",
    "li",
    "main",
    "nav",
    "option",
    "section",
    "summary",
    "tr",
    "br",
];

/// The most levels of nested lists that are indented; deeper ones are indented no further.
const MAX_INDENT: usize = 8;

/// Whether a page without a media type begins like HTML.
pub(super) fn looks_like_html(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let begins = |word: &[u8]| start.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    [b"<!doctype html".as_slice(), b"<html", b"<head", b"<body", b"<script", b"<!--", b"<h1", b"<div", b"<p>"]
        .into_iter()
        .any(begins)
}

/// Converts HTML to readable text.
pub fn readable(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    // Otherwise the content of scripts and styles would be parsed as tags.
    emitter.naively_switch_states(true);
    let mut page = Page::default();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => page.open(&String::from_utf8_lossy(&tag.name), tag.self_closing),
            Token::EndTag(tag) => page.close(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page.finish()
}

/// The text built so far.
#[derive(Default)]
struct Page {
    text: String,
    /// The separator that must precede the next word.
    gap: Gap,
    /// The element that is skipped, and how many elements of its name are open.
    skipped: Option<(String, usize)>,
    /// Number of open `pre` elements.
    verbatim: usize,
    /// Open lists; `Some` holds the number of the last item of a numbered list.
    lists: Vec<Option<usize>>,
    /// The prefix of the next word's line: the sign of a heading or a list item.
    sign: String,
    /// Whether a table cell precedes on the same line.
    after_cell: bool,
}

/// The separator between two words; the greater one wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    Space,
    Line,
    Paragraph,
}

impl Page {
    fn open(&mut self, name: &str, is_closed: bool) {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name && !is_closed {
                *depth += 1;
            }
            return;
        }
        if SKIPPED.contains(&name) {
            if !is_closed {
                self.skipped = Some((name.to_owned(), 1));
            }
            return;
        }
        self.boundary(name, self.lists.len());
        match name {
            "pre" => self.verbatim += 1,
            "ul" => self.lists.push(None),
            "ol" => self.lists.push(Some(0)),
            "li" => self.item(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes().get(1).map_or(1, |digit| usize::from(digit - b'0'));
                self.sign = format!("{} ", "#".repeat(level));
            }
            "hr" => self.word("---"),
            "td" | "th" if self.after_cell => {
                self.after_cell = false;
                self.need(Gap::Space);
                self.word("|");
                self.need(Gap::Space);
            }
            "tr" => self.after_cell = false,
            _ => {}
        }
        if name == "hr" {
            self.need(Gap::Paragraph);
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        self.boundary(name, self.lists.len().saturating_sub(1));
        match name {
            "pre" => self.verbatim = self.verbatim.saturating_sub(1),
            "ul" | "ol" => {
                self.lists.pop();
            }
            "td" | "th" => self.after_cell = true,
            "tr" | "table" => self.after_cell = false,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" => self.sign.clear(),
            _ => {}
        }
    }

    /// Adds the line break or empty line that begins and ends the element; `around` is the number of lists
    /// around it.
    fn boundary(&mut self, name: &str, around: usize) {
        // A list within a list belongs to its item.
        let is_inner_list = matches!(name, "ul" | "ol") && around > 0;
        if APART.contains(&name) && !is_inner_list {
            self.need(Gap::Paragraph);
        } else if LINES.contains(&name) || is_inner_list {
            self.need(Gap::Line);
        }
    }

    fn item(&mut self) {
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(MAX_INDENT));
        self.sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{indent}{number}. ")
            }
            _ => format!("{indent}- "),
        };
    }

    fn need(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.verbatim > 0 {
            return self.verbatim(text);
        }
        let is_space = |c: char| c.is_ascii_whitespace() || c == '\u{a0}';
        if text.starts_with(is_space) {
            self.need(Gap::Space);
        }
        for (number, word) in text.split(is_space).filter(|word| !word.is_empty()).enumerate() {
            if number > 0 {
                self.need(Gap::Space);
            }
            self.word(word);
        }
        if text.ends_with(is_space) {
            self.need(Gap::Space);
        }
    }

    fn verbatim(&mut self, text: &str) {
        // A line break directly after the tag is not part of the text.
        let text = if self.gap >= Gap::Line { text.strip_prefix('\n').unwrap_or(text) } else { text };
        if !text.is_empty() {
            self.word(text);
        }
    }

    fn word(&mut self, word: &str) {
        let gap = match self.gap {
            _ if self.text.is_empty() => "",
            Gap::Nothing => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        if !gap.trim_matches(' ').is_empty() {
            self.text.truncate(self.text.trim_end_matches([' ', '\n']).len());
        }
        self.text.push_str(gap);
        self.text.push_str(&self.sign);
        self.sign.clear();
        self.text.push_str(word);
        self.gap = Gap::Nothing;
    }

    fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_a_browser_shows_it() {
        let html = "<!DOCTYPE html><html><head><title>The  page &amp; more</title><style>p { color: red }</style>\n\
            <script>document.write('<p>no</p>')</script></head>\n<body><!-- no -->\n<h1>Head<em>line</em></h1>\n\
            <p>Some <b>bold</b>\n text,&nbsp;<a href=\"/x\">a link</a>.<br>Next line\n<p>Second</p>\n\
            <ul><li>one<li>two<ul><li>inner</ul></li><li>three</ul>\
            <ol><li>first</li><li>second</li></ol>\
            <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>\
            <pre>\n  a\n    b  c\n</pre><hr><div>x</div><div>y<svg><text>no</text></svg></div>Gr&ouml;&szlig;e &#128512;\
            <noscript>no <p>no</noscript></body></html>";
        assert_eq!(
            readable(html),
            "The page & more\n\n# Headline\n\nSome bold text, a link.\nNext line\n\nSecond\n\n\
             - one\n- two\n  - inner\n- three\n\n1. first\n2. second\n\nA | B\n1 | 2\n\n\
             \u{20}\u{20}a\n    b  c\n\n---\n\nx\ny\nGröße 😀\n"
        );
    }

    #[test]
    fn what_is_no_page_still_ends() {
        assert_eq!(readable(""), "");
        assert_eq!(readable("plain & simple < text"), "plain & simple < text\n");
        assert_eq!(readable("</p></ul></table><b>x"), "x\n");
        assert_eq!(readable("<script>never closed"), "");
        let deep = "<div><ul><li><table><tr><td>".repeat(20_000) + "deep";
        assert!(readable(&deep).trim_start().len() < 100);
        let lists = "<ul><li>x".repeat(20_000);
        assert!(readable(&lists).len() <= lists.len() * 3);
    }
}
