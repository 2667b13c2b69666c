//! Commits, the files in them, and their texts.

use std::collections::BTreeMap;

use symd_base::RelPath;

use super::{GitError, Repository};

/// Maximum length of a revision's name, in bytes.
const MAX_REVISION: usize = 250;

/// A commit, by its hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Commit(pub(super) String);

impl Commit {
    /// Returns the start of the hash, as git shows it.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

/// A file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the project's root.
    pub path: RelPath,
    /// The hash of its content.
    pub blob: String,
    /// The size in bytes; `None` if the clone lacks the content, as a partial one does until git fetches it.
    pub size: Option<u64>,
}

/// A blob's hash and content.
type BlobText = (String, Vec<u8>);

/// The hash and size of a file's content in each of several tags; `None` for a tag that lacks it.
pub type BlobsOfTags = Vec<Option<(String, u64)>>;

impl Repository<'_> {
    /// Returns the commit that a tag, a branch, a hash or another revision names.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let is_name = !revision.is_empty()
            && revision.len() <= MAX_REVISION
            && !revision.starts_with('-')
            && !revision.chars().any(char::is_control);
        let none = || GitError::NoCommit(revision.to_owned());
        if !is_name {
            return Err(none());
        }
        let asked = ["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")];
        match self.output(&asked, b"") {
            Ok(hash) => hash_of(&hash).map(Commit).ok_or_else(none),
            Err(GitError::Failed(_)) => Err(none()),
            Err(other) => Err(other),
        }
    }

    /// Returns the commit that is checked out.
    pub fn head(&self) -> Result<Commit, GitError> {
        self.commit("HEAD")
    }

    /// Returns the newest tags, the newest first.
    pub fn tags(&self, count: usize) -> Result<Vec<String>, GitError> {
        let count = format!("--count={count}");
        let asked =
            ["for-each-ref", "--sort=-creatordate", &count, "--format=%(refname:strip=2)", "refs/tags"];
        let told = self.output(&asked, b"")?;
        Ok(String::from_utf8_lossy(&told).lines().map(str::to_owned).collect())
    }

    /// Returns the project's files in a commit; no links, no submodules.
    pub fn files(&self, commit: &Commit) -> Result<Vec<TreeFile>, GitError> {
        // Without --full-tree paths are those beneath the directory in which git runs, relative to it.
        let told = self.output(&["ls-tree", "-r", "-l", "-z", &commit.0], b"")?;
        Ok(told.split(|byte| *byte == 0).filter_map(tree_file).collect())
    }

    /// Returns what the tags have of each file, in the order of `paths`.
    pub fn blobs_at(&self, tags: &[String], paths: &[&RelPath]) -> Result<Vec<BlobsOfTags>, GitError> {
        if tags.is_empty() {
            return Ok(vec![Vec::new(); paths.len()]);
        }
        let names = |path: &&RelPath| -> String {
            tags.iter().map(|tag| format!("refs/tags/{tag}:./{path}\n")).collect()
        };
        let input: String = paths.iter().map(names).collect();
        let told = self.output(&["cat-file", "--batch-check"], input.as_bytes())?;
        let told = String::from_utf8_lossy(&told);
        let mut all: BlobsOfTags = told.lines().map(blob_line).collect();
        all.resize(tags.len() * paths.len(), None);
        Ok(all.chunks(tags.len()).map(<[_]>::to_vec).collect())
    }

    /// Returns the contents of blobs, by their hashes; those that the repository lacks are left out.
    pub fn contents(&self, blobs: &[&str]) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        Ok(self.batch(blobs.iter().map(|blob| (*blob).to_owned()))?.into_iter().flatten().collect())
    }

    /// Returns the contents of files as a commit has them, in the order of `paths`; `None` for those that it lacks.
    pub fn contents_at(&self, commit: &Commit, paths: &[&RelPath]) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        let names = paths.iter().map(|path| format!("{}:./{path}", commit.0));
        let mut all: Vec<Option<Vec<u8>>> =
            self.batch(names)?.into_iter().map(|found| found.map(|(_, content)| content)).collect();
        all.resize(paths.len(), None);
        Ok(all)
    }

    fn batch(&self, names: impl Iterator<Item = String>) -> Result<Vec<Option<BlobText>>, GitError> {
        let input: String = names.map(|name| name + "\n").collect();
        Ok(batch(&self.output(&["cat-file", "--batch"], input.as_bytes())?))
    }
}

/// Returns the hash that a line is.
fn hash_of(line: &[u8]) -> Option<String> {
    let hash = std::str::from_utf8(line).ok()?.trim();
    let is_hash = matches!(hash.len(), 40 | 64) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash.to_owned())
}

/// `100644 blob HASH    SIZE<tab>PATH`; the size is `BAD` where the content is missing.
fn tree_file(entry: &[u8]) -> Option<TreeFile> {
    let (head, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
    let [mode, "blob", hash, size] = *head.split_ascii_whitespace().collect::<Vec<_>>() else { return None };
    if !mode.starts_with("100") {
        return None;
    }
    Some(TreeFile {
        path: RelPath::new(path).ok()?,
        blob: hash_of(hash.as_bytes())?,
        size: if size == "BAD" { None } else { Some(size.parse().ok()?) },
    })
}

/// `HASH blob SIZE`, or `NAME missing`
fn blob_line(line: &str) -> Option<(String, u64)> {
    let [hash, "blob", size] = *line.split(' ').collect::<Vec<_>>() else { return None };
    Some((hash_of(hash.as_bytes())?, size.parse().ok()?))
}

/// Reads what `cat-file --batch` prints, for each name: a line as [`blob_line`] reads it, the content, a line break; or a
/// line alone.
fn batch(mut told: &[u8]) -> Vec<Option<BlobText>> {
    let mut all = Vec::new();
    while let Some(end) = told.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&told[..end]);
        let rest = &told[end + 1..];
        told = rest;
        let Some((hash, size)) = blob_line(&line) else {
            all.push(None);
            continue;
        };
        let Ok(size) = usize::try_from(size) else { break };
        let (Some(content), Some(after)) = (rest.get(..size), rest.get(size + 1..)) else { break };
        all.push(Some((hash, content.to_vec())));
        told = after;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_read() {
        let hash = "0123456789012345678901234567890123456789";
        let file = tree_file(format!("100644 blob {hash}      12\tapp/A b.kt").as_bytes()).unwrap();
        assert_eq!((file.path.as_str(), file.size), ("app/A b.kt", Some(12)));
        let missing = tree_file(format!("100644 blob {hash}     BAD\tapp/A.kt").as_bytes()).unwrap();
        assert_eq!(missing.size, None);
        for other in [
            format!("120000 blob {hash} 12\tlink"),
            format!("160000 commit {hash} -\tmodule"),
            format!("100644 blob {hash} 12\t../up"),
            "100644 blob 12 12\ta".to_owned(),
            String::new(),
        ] {
            assert_eq!(tree_file(other.as_bytes()), None, "{other}");
        }
        let told = format!("{hash} blob 3\na\nb\nrefs/tags/x:./a missing\n{} blob 0\n\n", "f".repeat(40));
        let all = batch(told.as_bytes());
        assert_eq!(all[0], Some((hash.to_owned(), b"a\nb".to_vec())));
        assert_eq!(all[1], None);
        assert_eq!(all[2], Some(("f".repeat(40), Vec::new())));
        assert_eq!(batch(format!("{hash} blob 30\na\n").as_bytes()).len(), 0);
    }
}
