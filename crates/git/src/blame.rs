//! Who changed lines last.

use std::collections::HashMap;

use symd_base::{RelPath, Timestamp};

use super::{Commit, GitError, Repository};

/// A line with the commit that changed it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    /// From 1, in the file as the commit that was asked about has it.
    pub line: usize,
    /// The start of the commit's hash.
    pub commit: String,
    pub author: String,
    /// When it was written.
    pub time: Timestamp,
    /// The first line of its message.
    pub summary: String,
}

impl Repository<'_> {
    /// Returns who changed the lines `first` to `last` (from 1, inclusive) of a file last, as `commit` has it. The file on
    /// the disk is not read: git would run its filters.
    pub fn blame(
        &self,
        commit: &Commit,
        path: &RelPath,
        (first, last): (usize, usize),
    ) -> Result<Vec<BlamedLine>, GitError> {
        let range = format!("{first},{last}");
        let asked = [
            "blame",
            "--porcelain",
            "--no-textconv",
            "--no-ext-diff",
            "--no-progress",
            "-L",
            &range,
            &commit.0,
            "--",
            path.as_str(),
        ];
        let told = self.output(&asked, b"").map_err(|error| match error {
            // `blame.ignoreRevsFile` may name any file, and the message would show its first line.
            GitError::Failed(_) => GitError::Failed(format!("`git blame {path}` shows why")),
            other => other,
        })?;
        Ok(porcelain(&String::from_utf8_lossy(&told)))
    }
}

/// What the porcelain format says of a commit, where it mentions it first.
#[derive(Clone, Debug, Default)]
struct SaidOfCommit {
    author: String,
    seconds: u64,
    summary: String,
}

/// Reads git-blame's porcelain format: for each line a head (hash, line of origin, line), keys, and the text after a tab.
fn porcelain(told: &str) -> Vec<BlamedLine> {
    let mut commits: HashMap<String, SaidOfCommit> = HashMap::new();
    let mut heads: Vec<(String, usize)> = Vec::new();
    let mut is_head = true;
    for line in told.split('\n') {
        if is_head {
            let words: Vec<&str> = line.split(' ').collect();
            let (Some(hash), Some(Ok(number))) = (words.first(), words.get(2).map(|word| word.parse()))
            else {
                break;
            };
            heads.push(((*hash).to_owned(), number));
            is_head = false;
            continue;
        }
        is_head = line.starts_with('\t');
        let Some((hash, _)) = heads.last().filter(|_| !is_head) else { continue };
        let said = commits.entry(hash.clone()).or_default();
        match line.split_once(' ') {
            Some(("author", name)) => name.clone_into(&mut said.author),
            Some(("author-time", seconds)) => said.seconds = seconds.parse().unwrap_or_default(),
            Some(("summary", text)) => text.clone_into(&mut said.summary),
            _ => {}
        }
    }
    let blamed = heads.into_iter().map(|(hash, line)| {
        let said = commits.get(&hash).cloned().unwrap_or_default();
        BlamedLine {
            line,
            commit: hash.chars().take(10).collect(),
            author: said.author,
            time: Timestamp::from_seconds(said.seconds),
            summary: said.summary,
        }
    });
    blamed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_porcelain_format_is_read() {
        let (one, other) = ("1".repeat(40), "2".repeat(40));
        let told = format!(
            "{one} 3 7 1\nauthor Ann B\nauthor-time 1700000000\nauthor-tz +0100\nsummary till: closes\nfilename a.kt\n\tcode\n\
             {other} 9 8 1\nauthor Bo\nauthor-time 1600000000\nsummary begin\nboundary\nfilename a.kt\n\t\n{one} 5 9\n\tmore\n"
        );
        let shown: Vec<String> = porcelain(&told)
            .iter()
            .map(|line| format!("{} {} {} {}", line.line, &line.commit[..1], line.author, line.summary))
            .collect();
        assert_eq!(shown, ["7 1 Ann B till: closes", "8 2 Bo begin", "9 1 Ann B till: closes"]);
        assert_eq!(porcelain(""), []);
        assert_eq!(porcelain("fatal: no such path"), []);
    }
}
