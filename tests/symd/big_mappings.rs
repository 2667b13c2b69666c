//! Mappings of ProGuard and R8 that are broken or huge: those that a copy cut off, and those of gigabytes, of which only what the
//! trace names is kept in memory.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::git_stage::{given, shop};
use crate::support::{User, write};

const CRASH: &str = "bk: empty\n\tat be.a(SourceFile:47)\n\tat bd.a(SourceFile:19)\n\tat bf.a(SourceFile:53)\n\tat \
                     shop.app.MainKt.g(SourceFile:69)\n\tat shop.app.MainKt.main(SourceFile:1103)\n";

fn obfuscated() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/obfuscated/mapping.txt");
    std::fs::read_to_string(path).unwrap()
}

fn mapping_of(user: &User) -> PathBuf {
    user.path("project/mapping.txt")
}

fn traced(user: &User) -> String {
    given(user, &["trace", "--mapping", "mapping.txt"], CRASH)
}

/// Returns the largest number of bytes that the daemon has had in memory.
fn peak(user: &User) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", user.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Writes the mapping with a comment of `bytes` between two classes, a hole that takes no room on the disk.
fn with_hole(user: &User, bytes: u64) {
    let text = obfuscated();
    let class = text[text.len() / 2..].find("\nshop.").unwrap() + text.len() / 2 + 1;
    let mut file = std::fs::File::create(mapping_of(user)).unwrap();
    file.write_all(&[&text.as_bytes()[..class], b"# "].concat()).unwrap();
    file.seek(SeekFrom::Current(bytes.try_into().unwrap())).unwrap();
    file.write_all(&[b"\n", &text.as_bytes()[class..]].concat()).unwrap();
}

#[test]
fn a_mapping_of_a_gigabyte_is_read_piece_by_piece() {
    let user = shop();
    write(&mapping_of(&user), &obfuscated());
    let expected = traced(&user);
    assert!(expected.contains("Catalog.kt:47 in Catalog/Companion/check"), "{expected}");
    let before = peak(&user);
    with_hole(&user, 1 << 30);
    assert_eq!(traced(&user), expected);
    let after = peak(&user);
    println!("peak before {} MiB, after {} MiB", before >> 20, after >> 20);
    assert!(after < before + (128 << 20), "{before} bytes before, {after} after");
}

#[test]
fn a_mapping_beyond_the_limit_is_named_with_it() {
    let user = shop();
    with_hole(&user, 5 << 30);
    let answer = traced(&user);
    assert!(
        answer.contains("mapping.txt is not used: it has ")
            && answer.contains("more than the 4 GiB that symd reads"),
        "{answer}"
    );
}

fn sure_places(answer: &str) -> Vec<&str> {
    let is_place = |line: &&str| line.split(' ').next().is_some_and(|place| place.contains(".kt:"));
    answer.lines().filter(is_place).collect()
}

#[test]
fn a_mapping_that_is_cut_gives_no_other_place() {
    let user = shop();
    let text = obfuscated();
    write(&mapping_of(&user), &text);
    let whole = traced(&user);
    let known = sure_places(&whole);
    let head = text.find("shop.core.Catalog -> ").unwrap();
    let class = text[head..].find("\n    ").unwrap() + head + 1;
    // In the head of a class, in the middle of its members' lines, and between them.
    let mut cuts: Vec<usize> = (0..24).map(|part| text.len() * part / 24).collect();
    cuts.extend([head + 3, head + 19, class, class + 9, text[class..].find("\n").unwrap() + class + 1]);
    let (mut with_note, mut placed) = (0, 0);
    for at in cuts {
        write(&mapping_of(&user), &text[..at]);
        let answer = traced(&user);
        with_note += usize::from(
            answer.contains("mapping.txt ends in the middle of a line, so more of it may be missing"),
        );
        for place in sure_places(&answer) {
            assert!(known.contains(&place), "cut at {at}: {place}\n{whole}");
            placed += 1;
        }
    }
    assert!(with_note > 5 && placed > 5, "{with_note} notes, {placed} places");
}

#[test]
fn what_is_no_mapping_is_named() {
    let user = shop();
    for text in ["", "<html><body>Sign in</body></html>\n", "\0\0\0\0\n", "{\"error\":404}"] {
        write(&mapping_of(&user), text);
        let answer = traced(&user);
        assert!(
            answer.contains("mapping.txt is not used: it is no mapping of ProGuard or R8"),
            "{text:?}: {answer}"
        );
    }
    std::fs::remove_file(mapping_of(&user)).unwrap();
    std::fs::create_dir(mapping_of(&user)).unwrap();
    assert!(traced(&user).contains("mapping.txt is not used: it is no file"));
}
