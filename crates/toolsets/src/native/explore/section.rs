//! Sections of an answer that share a number of characters. Each gets its share; what a section does not need
//! is for the ones after it, and what is left in the end for the first ones that were cut.

/// A part of an answer that can show any number of its items.
pub(super) struct Section<'a> {
    /// The heading, which is always shown; empty for none.
    pub(super) title: String,
    /// The noun for its items, and how to request all of them: `callers`, `references with relation:
    /// callers`.
    pub(super) what: (&'static str, &'static str),
    /// The number of items.
    pub(super) items: usize,
    /// The maximum number of items that are shown.
    pub(super) most: usize,
    /// Formats the first items, as many as the argument says.
    pub(super) lines: Box<dyn Fn(usize) -> Vec<String> + 'a>,
}

/// The shown part of a section.
pub(super) struct Fitted {
    /// The lines, the heading first.
    pub(super) lines: Vec<String>,
    /// The number of items shown.
    pub(super) shown: usize,
}

/// Returns the number of characters of the lines, line feeds included.
pub(super) fn characters(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count() + 1).sum()
}

/// Fits the sections into `room` characters, headings included.
pub(super) fn fit(sections: &[Section<'_>], room: usize) -> Vec<Fitted> {
    let with_title = sections.iter().filter(|one| !one.title.is_empty());
    let titles: usize = with_title.map(|one| one.title.chars().count() + 1).sum();
    let mut left = room.saturating_sub(titles);
    let mut shown: Vec<usize> = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let share = left / (sections.len() - at);
        let count = most(section, share);
        left = left.saturating_sub(cost(section, count));
        shown.push(count);
    }
    for (section, count) in sections.iter().zip(&mut shown).filter(|(section, count)| **count < section.most)
    {
        let has = cost(section, *count);
        let more = most(section, left + has);
        left = (left + has).saturating_sub(cost(section, more));
        *count = more;
    }
    let fitted = |(section, &shown): (&Section<'_>, &usize)| {
        let mut lines = vec![section.title.clone()];
        lines.retain(|title| !title.is_empty());
        if shown > 0 {
            lines.extend((section.lines)(shown));
        }
        Fitted { lines, shown }
    };
    sections.iter().zip(&shown).map(fitted).collect()
}

fn cost(section: &Section<'_>, count: usize) -> usize {
    if count == 0 { 0 } else { characters(&(section.lines)(count)) }
}

/// Returns how many items fit into `room` characters.
fn most(section: &Section<'_>, room: usize) -> usize {
    let (mut fits, mut beyond) = (0, section.most.min(section.items) + 1);
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        if cost(section, middle) <= room {
            fits = middle;
        } else {
            beyond = middle;
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(items: usize, width: usize) -> Section<'static> {
        let lines = move |count: usize| vec!["x".repeat(width - 1); count];
        Section { title: "t".to_owned(), what: ("items", "ask"), items, most: items, lines: Box::new(lines) }
    }

    fn shown(sections: &[Section<'_>], room: usize) -> Vec<usize> {
        let fitted = fit(sections, room);
        let lines: Vec<String> = fitted.iter().flat_map(|one| one.lines.clone()).collect();
        assert!(characters(&lines) <= room.max(2 * sections.len()), "{lines:?}");
        fitted.iter().map(|one| one.shown).collect()
    }

    #[test]
    fn all_is_shown_where_it_fits() {
        assert_eq!(shown(&[section(3, 10), section(2, 10)], 54), [3, 2]);
    }

    #[test]
    fn each_gets_its_share_and_what_others_leave() {
        assert_eq!(shown(&[section(9, 10), section(9, 10)], 104), [5, 5]);
        assert_eq!(shown(&[section(2, 10), section(9, 10)], 104), [2, 8]);
        assert_eq!(shown(&[section(9, 10), section(1, 10)], 104), [9, 1]);
        assert_eq!(shown(&[section(9, 10), section(9, 10)], 3), [0, 0]);
    }
}
