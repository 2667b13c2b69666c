//! Encodes outlines as bytes. Decoding checks every offset, so that no file on disk, even one with a correct
//! checksum, can make a later slice panic.

use crate::fields::{Fields, numbers};
use symd_syntax::{Imports, Occurrences, Outline, Row};

/// Bytes of one encoded row.
const ROW: usize = 44;

/// Encodes counts (rows, names, imports, hashes, offsets, flags: 1 errors, 2 hidden types), then the arrays,
/// little endian.
pub fn encode(outline: &Outline) -> Vec<u8> {
    let occurrences = &outline.occurrences;
    let counts = [
        outline.rows.len(),
        outline.names.len(),
        outline.imports.as_bytes().len(),
        occurrences.hashes.len(),
        occurrences.offsets.len(),
        usize::from(outline.has_errors) | usize::from(outline.hides_types) << 1,
    ];
    let mut bytes = Vec::with_capacity(
        24 + outline.rows.len() * ROW
            + outline.names.len()
            + outline.imports.as_bytes().len()
            + occurrences.hashes.len() * 8
            + 4
            + occurrences.offsets.len(),
    );
    for count in counts {
        bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }
    for row in &outline.rows {
        for number in [
            row.start,
            row.end,
            row.name_start,
            row.name_at,
            row.parent,
            row.start_line,
            row.end_line,
            row.name_line,
            row.descendants,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(row.name_len.to_le_bytes());
        bytes.extend(row.index.to_le_bytes());
        bytes.extend([row.kind, row.flags]);
        bytes.extend(row.head.to_le_bytes());
    }
    bytes.extend(outline.names.as_bytes());
    bytes.extend(outline.imports.as_bytes());
    for number in occurrences.hashes.iter().chain(&occurrences.starts) {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(&occurrences.offsets);
    bytes
}

/// Decodes an outline; `None` when the bytes are not a valid one.
pub fn decode(bytes: &[u8]) -> Option<Outline> {
    let mut fields = Fields(bytes);
    let mut count = || Some(fields.u32()? as usize);
    let (rows, names, imports) = (count()?, count()?, count()?);
    let (hashes, offsets, flags) = (count()?, count()?, count()?);
    let rows: Box<[Row]> =
        fields.take(rows.checked_mul(ROW)?)?.chunks_exact(ROW).map(row).collect::<Option<_>>()?;
    let names: Box<str> = std::str::from_utf8(fields.take(names)?).ok()?.into();
    let imports = Imports::from_packed(fields.take(imports)?);
    let hashes = fields.numbers(hashes)?.into();
    // An outline without occurrences may have no starts; otherwise there is one more start than hashes.
    let starts = fields.0.len().checked_sub(offsets)?;
    let starts = numbers(fields.take(starts)?).collect();
    let occurrences = Occurrences { hashes, starts, offsets: fields.0.into() };
    let (has_errors, hides_types) = (flags & 1 != 0, flags & 2 != 0);
    let outline = Outline { rows, names, occurrences, imports, has_errors, hides_types };
    is_sound(&outline).then_some(outline)
}

fn is_sound(outline: &Outline) -> bool {
    let count = outline.rows.len();
    let rows_sound = outline.rows.iter().enumerate().all(|(at, row)| {
        let name = row.name_at as usize..row.name_at as usize + usize::from(row.name_len);
        row.start <= row.end
            && row.parent as usize <= at
            && at + (row.descendants as usize) < count
            && outline.names.get(name).is_some()
    });
    let occurrences = &outline.occurrences;
    let starts_sound = match occurrences.starts.last() {
        None => occurrences.hashes.is_empty(),
        Some(&last) => {
            occurrences.starts.len() == occurrences.hashes.len() + 1
                && last as usize == occurrences.offsets.len()
                && occurrences.starts.is_sorted()
        }
    };
    rows_sound && starts_sound && occurrences.hashes.is_sorted()
}

fn row(bytes: &[u8]) -> Option<Row> {
    let mut fields = Fields(bytes);
    let mut number = || fields.u32();
    let (start, end, name_start, name_at) = (number()?, number()?, number()?, number()?);
    let (parent, start_line, end_line, name_line, descendants) =
        (number()?, number()?, number()?, number()?, number()?);
    let name_len = fields.u16()?;
    let index = fields.u16()?;
    let [kind, flags] = fields.array()?;
    let head = fields.u16()?;
    Some(Row {
        start,
        end,
        name_start,
        name_at,
        parent,
        start_line,
        end_line,
        name_line,
        name_len,
        index,
        kind,
        flags,
        head,
        descendants,
    })
}
