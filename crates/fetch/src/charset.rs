//! Decodes bytes to text. The encoding is taken from the byte-order mark, else the HTTP header, else the
//! document's own declaration, else it is UTF-8 if the bytes are valid UTF-8. Invariant: bytes that are not
//! text are not returned as text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::body::Body;

/// The first bytes of a document, which are searched for its encoding (the HTML standard's prescan).
const PRESCAN_BYTES: usize = 1024;

/// Returns the text; `None` if the bytes are not text. `content_type` is the header in lower case.
pub(super) fn decode(body: &Body, content_type: &str, is_html: bool) -> Option<String> {
    let bytes = body.bytes.as_slice();
    let said = Encoding::for_bom(bytes).map(|(encoding, _)| encoding).or_else(|| said_in(content_type));
    let said = said.or_else(|| if is_html || is_xml(bytes) { said_in_document(bytes) } else { None });
    let is_text = content_type.starts_with("text/") || is_html || said.is_some();
    if let Some(encoding) = said {
        return Some(encoding.decode(bytes).0.into_owned());
    }
    // The HTML standard uses Windows-1252 for pages that declare no encoding and are not UTF-8.
    match std::str::from_utf8(whole_characters(body)) {
        Ok(text) if !text.contains('\0') || is_text => Some(text.to_owned()),
        Err(_) if is_text => Some(WINDOWS_1252.decode(bytes).0.into_owned()),
        _ => None,
    }
}

/// Returns the encoding that a header names: `text/html; charset="utf-8"`.
fn said_in(content_type: &str) -> Option<&'static Encoding> {
    let (_, parameters) = content_type.split_once(';')?;
    let value = parameters.split(';').find_map(|one| one.trim().strip_prefix("charset"))?;
    let value = value.trim_start().strip_prefix('=')?;
    Encoding::for_label(value.trim().trim_matches(['"', '\'']).as_bytes())
}

fn is_xml(bytes: &[u8]) -> bool {
    bytes.starts_with(b"<?xml")
}

/// Returns the encoding that the start of a document names: `<meta charset=…>`, `<meta …
/// content="…charset=…">` or `<?xml … encoding="…">`. A document whose declaration is readable this way is
/// not UTF-16, even if it says so.
fn said_in_document(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let declared =
        if is_xml(bytes) { start.split("?>").next().and_then(|xml| value_of(xml, "encoding")) } else { None };
    let in_meta = || {
        start
            .split("<meta")
            .skip(1)
            .find_map(|tag| value_of(tag.split('>').next().unwrap_or_default(), "charset"))
    };
    let encoding = Encoding::for_label(declared.or_else(in_meta)?.as_bytes())?;
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

/// Returns the value after `name=`, without quotes.
fn value_of<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(name)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    Some(
        rest.split(|c: char| matches!(c, '"' | '\'' | ';' | '/') || c.is_ascii_whitespace())
            .next()
            .unwrap_or(rest),
    )
}

/// Returns the bytes without a last character that the size limit cut in two.
fn whole_characters(body: &Body) -> &[u8] {
    match std::str::from_utf8(&body.bytes) {
        Err(error) if body.is_cut && error.error_len().is_none() => &body.bytes[..error.valid_up_to()],
        _ => &body.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], content_type: &str, is_html: bool) -> Option<String> {
        super::decode(&Body { bytes: bytes.to_vec(), is_cut: false }, content_type, is_html)
    }

    #[test]
    fn the_nearest_word_on_the_encoding_counts() {
        let html = |bytes: &[u8], content_type: &str| decode(bytes, content_type, true);
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(html(b"gr\xF6\xDFe", "text/html; charset=\"iso-8859-1\""), is("größe"));
        assert_eq!(html(b"<meta charset=shift_jis>\x93\xFA", "text/html"), is("<meta charset=shift_jis>日"));
        let tag = "<META http-equiv=x content='text/html; charset=koi8-r'/>";
        assert_eq!(html(&[tag.as_bytes(), b"\xC1"].concat(), "text/html"), is(&format!("{tag}а")));
        assert_eq!(
            html(b"<?xml version='1.0' encoding='latin1'?>\xE4", ""),
            is("<?xml version='1.0' encoding='latin1'?>ä")
        );
        assert_eq!(html(b"\xEF\xBB\xBF\xC3\xA4", "text/html; charset=latin1"), is("ä"));
        assert_eq!(html(b"\xFF\xFEa\0", "text/html; charset=latin1"), is("a"));
        assert_eq!(html(b"<meta charset=utf-16>\xC3\xA4", "text/html"), is("<meta charset=utf-16>ä"));
        assert_eq!(html("größe".as_bytes(), "text/html"), is("größe"));
        assert_eq!(html(b"gr\xF6\xDFe \x80", "text/html; charset=nonsense"), is("größe €"));
    }

    #[test]
    fn what_is_no_text_is_none() {
        assert_eq!(decode(b"\x89PNG\0", "image/png", false), None);
        assert_eq!(decode(b"\xFF\xD8\xFF", "image/jpeg", false), None);
        assert_eq!(decode(b"{}", "application/json", false).as_deref(), Some("{}"));
        assert_eq!(decode(b"\xE4", "text/plain", false).as_deref(), Some("ä"));
        let cut = Body { bytes: b"a\xE2\x82".to_vec(), is_cut: true };
        assert_eq!(super::decode(&cut, "application/json", false).as_deref(), Some("a"));
    }
}
