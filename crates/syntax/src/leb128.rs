//! LEB128: numbers as bytes of seven bits each, the lowest bits first; all bytes but the last have the high bit
//! set. Invariant: a reader that refuses a number has consumed none of its bytes.

/// Maximum number of bytes of a `u32`.
const MAX_U32_BYTES: usize = 5;

/// Maximum number of bytes that [`take_u64`] reads: 63 bits.
const MAX_U64_BYTES: usize = 9;

/// Appends a number.
pub fn push(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return bytes.push(low & 0x7F);
        }
        bytes.push(low | 0x80);
    }
}

/// Returns the number of bytes that [`push`] appends.
pub fn length(number: u64) -> u32 {
    (u64::BITS - number.leading_zeros()).div_ceil(7).max(1)
}

/// Reads a number; `None` if the bytes end within it, if it takes more than five of them, or if it exceeds
/// `u32`.
pub fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = split(bytes, MAX_U32_BYTES)?;
    let number = u32::try_from(number).ok()?;
    *bytes = rest;
    Some(number)
}

/// Reads a number; `None` if the bytes end within it, or if it takes more than nine of them.
pub(crate) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = split(bytes, MAX_U64_BYTES)?;
    *bytes = rest;
    Some(number)
}

/// Returns the first number and the bytes behind it.
fn split(bytes: &[u8], max_bytes: usize) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (at, &byte) in bytes.iter().take(max_bytes).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        push(&mut bytes, number);
        bytes
    }

    #[test]
    fn a_number_is_read_as_it_was_written() {
        assert_eq!(pushed(300), [0xAC, 0x02]);
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX >> 1] {
            let mut bytes = pushed(number);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(take_u64(&mut rest), Some(number));
            assert_eq!(rest, [7]);
            let mut rest = &bytes[..];
            assert_eq!(
                take_u32(&mut rest).map(u64::from),
                Some(number).filter(|n| *n <= u64::from(u32::MAX))
            );
        }
    }

    #[test]
    fn the_length_is_that_of_what_is_written() {
        let edges = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1]).chain([u64::MAX]);
        for number in edges {
            assert_eq!(pushed(number).len(), length(number) as usize, "{number}");
        }
    }

    #[test]
    fn truncated_numbers_are_refused() {
        let bytes = pushed(u64::from(u32::MAX));
        for cut in 0..bytes.len() {
            assert_eq!(take_u32(&mut &bytes[..cut]), None);
            assert_eq!(take_u64(&mut &bytes[..cut]), None);
        }
    }

    #[test]
    fn overlong_numbers_are_refused() {
        let padded = |bytes: usize| [vec![0x80; bytes - 1], vec![0]].concat();
        assert_eq!(take_u32(&mut &padded(MAX_U32_BYTES)[..]), Some(0));
        assert_eq!(take_u32(&mut &padded(MAX_U32_BYTES + 1)[..]), None);
        assert_eq!(take_u64(&mut &padded(MAX_U64_BYTES)[..]), Some(0));
        assert_eq!(take_u64(&mut &padded(MAX_U64_BYTES + 1)[..]), None);
    }

    #[test]
    fn a_number_beyond_its_type_is_refused() {
        assert_eq!(take_u32(&mut &pushed(1 << 32)[..]), None);
        assert_eq!(take_u64(&mut &pushed(1 << 63)[..]), None);
    }

    #[test]
    fn a_refused_number_is_not_consumed() {
        let bytes = [0xFF; 12];
        let mut rest = &bytes[..];
        assert_eq!((take_u32(&mut rest), take_u64(&mut rest)), (None, None));
        assert_eq!(rest, bytes);
    }
}
