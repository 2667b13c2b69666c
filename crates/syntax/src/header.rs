//! The language of a header. `.h` names C and C++ alike, so the text decides: C++'s grammar reads C too, C's grammar makes
//! errors of classes.

use super::Grammar;
use super::cpp_macros::is_word;

/// Returns the grammar for a text whose file name stands for `named`: C++'s for a header of C that shows C++.
pub fn grammar_of_text(named: Grammar, extension: Option<&str>, text: &[u8]) -> Grammar {
    let shows_it = || text.split(|&byte| byte == b'\n').any(shows_cpp);
    may_be_cpp(named, extension).filter(|_| shows_it()).unwrap_or(named)
}

/// Returns the grammars that [`grammar_of_text`] may return, whatever the text.
pub fn grammars_of_name(named: Grammar, extension: Option<&str>) -> impl Iterator<Item = Grammar> {
    std::iter::once(named).chain(may_be_cpp(named, extension))
}

/// Returns C++'s grammar for a header of C.
fn may_be_cpp(named: Grammar, extension: Option<&str>) -> Option<Grammar> {
    (named.name() == "c" && extension == Some("h")).then(|| Grammar::named("cpp")).flatten()
}

/// Whether a line is code that C does not have. Prose in a comment seldom is: a keyword begins the line, and what follows
/// looks like a declaration.
fn shows_cpp(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if line.starts_with(b"*") || line.starts_with(b"//") || line.starts_with(b"/*") {
        return false;
    }
    let end = line.iter().position(|&byte| !is_word(byte)).unwrap_or(line.len());
    let (word, rest) = (&line[..end], line[end..].trim_ascii_start());
    let declares = || match rest.first() {
        Some(&first) if is_word(first) => {
            let behind = rest.iter().position(|&byte| !is_word(byte)).map_or(&b""[..], |end| &rest[end..]);
            let behind = behind.trim_ascii_start();
            behind.is_empty() || behind.starts_with(b":") || rest.ends_with(b"{") || rest.ends_with(b";")
        }
        _ => false,
    };
    match word {
        b"class" | b"namespace" => declares() || word == b"namespace" && rest.starts_with(b"{"),
        // A base.
        b"struct" => {
            let behind = rest.iter().position(|&byte| !is_word(byte)).map_or(&b""[..], |end| &rest[end..]);
            let behind = behind.trim_ascii_start();
            behind.starts_with(b":") && !behind.starts_with(b"::") && rest.contains(&b'{')
        }
        b"template" => rest.starts_with(b"<"),
        b"public" | b"private" | b"protected" => rest.starts_with(b":") && !rest.starts_with(b"::"),
        b"using" | b"friend" | b"virtual" | b"explicit" | b"constexpr" => {
            rest.ends_with(b";") || rest.ends_with(b"{")
        }
        _ => {
            memchr::memmem::find(line, b"std::").is_some()
                || line.ends_with(b"= default;")
                || line.ends_with(b"= delete;")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_cpp_where_its_text_shows_it() {
        let c = Grammar::named("c").expect("known");
        let of = |extension, text: &str| grammar_of_text(c, Some(extension), text.as_bytes()).name();
        for text in [
            "class A {\n",
            "class A\n{\n",
            "class API A : public B {\n",
            "  class A;\n",
            "namespace a::b {\n",
            "namespace {\n",
            "template<class T> T f(T);\n",
            "struct A {\nprivate:\n  int n;\n};\n",
            "void f(const std::string &text);\n",
            "using A = B;\n",
            "struct A {\n  virtual int f() = 0;\n};\n",
            "struct A {\n  A(const A &) = delete;\r\n};\n",
        ] {
            assert_eq!(of("h", text), "cpp", "{text}");
            assert_eq!(of("c", text), "c", "{text}");
        }
        for text in [
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n",
            "/*\n  class of things\n  public, as all are\n */\n",
            "// class A {\n",
            " * namespace a {\n",
            "struct class_info { int class; };\nint public;\n",
            "typedef struct { int n : 3; } flags;\n",
        ] {
            assert_eq!(of("h", text), "c", "{text}");
        }
    }
}
