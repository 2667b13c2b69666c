//! Turns the texts of answers, HTML or Markdown, into short plain ones.

/// Maximum number of characters of an excerpt: the contract's.
const MAX_CHARS: usize = 200;

/// Characters before the first word of the query.
const BEFORE: usize = 60;

/// Returns HTML as one line of text.
pub(super) fn of_html(html: &str) -> String {
    one_line(&symd_fetch::readable(html))
}

/// Returns Markdown as one line of text, without the signs of code blocks, headings and comments.
pub(super) fn of_markdown(markdown: &str) -> String {
    let mut kept = String::new();
    let mut rest = markdown;
    // Templates of issues hold their advice in comments.
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    let lines = kept.lines().map(|line| line.trim_start_matches(['#', '>', '`', ' ']));
    one_line(&lines.collect::<Vec<_>>().join("\n"))
}

/// Returns the text on one line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns at most 200 characters of a line, from shortly before the first of `words`.
pub(super) fn excerpt(text: &str, words: &[String]) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= MAX_CHARS {
        return text.to_owned();
    }
    // Some letters have a lower-case form of two characters: then the places would differ.
    let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let place = |word: &String| {
        let word: Vec<char> = word.chars().collect();
        lower.windows(word.len().max(1)).position(|window| window == word)
    };
    let first = words.iter().filter_map(place).min().unwrap_or(0);
    let mut start = match first {
        0..=BEFORE => 0,
        _ => first - BEFORE,
    };
    if start > 0 {
        // At the start of a word.
        start = (start..first).find(|&at| chars[at - 1] == ' ').unwrap_or(start);
    }
    let room = MAX_CHARS - 1 - usize::from(start > 0);
    let mut end = (start + room).min(chars.len());
    if end < chars.len()
        && let Some(space) = (start + room / 2..end).rev().find(|&at| chars[at] == ' ')
    {
        end = space;
    }
    let mut excerpt = String::new();
    if start > 0 {
        excerpt.push('…');
    }
    excerpt.extend(&chars[start..end]);
    if end < chars.len() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_their_markup() {
        assert_eq!(of_html("a <span class=\"highlight\">NullPointer</span> &amp;\n b"), "a NullPointer & b");
        assert_eq!(
            of_markdown("<!-- read this -->\n## Steps\n```kotlin\nval a = 1\n```\n> said"),
            "Steps kotlin val a = 1 said"
        );
        assert_eq!(of_markdown("open <!-- never closed"), "open");
        assert_eq!(one_line("a\u{1b}[31m\tb\r\n"), "a [31m b");
    }

    #[test]
    fn an_excerpt_has_two_hundred_characters_at_most() {
        let words = vec!["needle".to_owned()];
        assert_eq!(excerpt("short", &words), "short");
        let long = format!("{}Needle {}", "hay ".repeat(100), "é ".repeat(300));
        let cut = excerpt(&long, &words);
        assert!(cut.chars().count() <= 200 && cut.contains("Needle") && cut.starts_with('…'), "{cut}");
        let solid = excerpt(&"x".repeat(1_000), &words);
        assert_eq!(solid.chars().count(), 200);
    }
}
