//! Estimates the length of a regular expression with its repetitions written out: where its automaton would
//! have too many states, the linear engine takes time proportional to this length times that of the text. The
//! estimate uses the text of the expression alone. Invariant: it terminates on every input; an invalid
//! expression also has some weight.

/// The maximum weight: any pattern of this weight takes long.
const MAX_WEIGHT: u64 = 1 << 32;

/// Returns how many characters `expression` stands for, with counted repetitions written out; at least 1.
pub(super) fn weight(expression: &str) -> u64 {
    let mut bytes = expression.bytes().peekable();
    // For each open group: the weight so far, and that of its last item that could be repeated.
    let mut open: Vec<(u64, u64)> = Vec::new();
    let (mut sum, mut last) = (0_u64, 0_u64);
    while let Some(byte) = bytes.next() {
        match byte {
            b'(' => {
                open.push((sum + last, 0));
                (sum, last) = (0, 0);
            }
            b')' => {
                let inside = (sum + last).max(1);
                (sum, last) = open.pop().map_or((0, inside), |(before, _)| (before, inside));
            }
            b'{' => {
                let mut numbers = [0_u64; 2];
                let mut at = 0;
                while let Some(&next) = bytes.peek() {
                    match next {
                        b'0'..=b'9' => {
                            numbers[at] = (numbers[at] * 10 + u64::from(next - b'0')).min(MAX_WEIGHT);
                        }
                        b',' if at == 0 => at = 1,
                        _ => break,
                    }
                    bytes.next();
                }
                if bytes.next_if_eq(&b'}').is_some() {
                    last = last.max(1).saturating_mul(numbers[0].max(numbers[1]).max(1)).min(MAX_WEIGHT);
                }
            }
            b'[' => {
                sum += last;
                last = 1;
                // A `]` that comes first belongs to the class.
                bytes.next_if_eq(&b'^');
                bytes.next_if_eq(&b']');
                while let Some(inside) = bytes.next() {
                    match inside {
                        b'\\' => drop(bytes.next()),
                        b']' => break,
                        _ => {}
                    }
                }
            }
            b'\\' => {
                bytes.next();
                sum += last;
                last = 1;
            }
            b'*' | b'+' | b'?' | b'|' | b'}' => {}
            _ => {
                sum += last;
                last = 1;
            }
        }
        sum = sum.min(MAX_WEIGHT);
    }
    let unclosed: u64 = open.iter().map(|(before, _)| *before).sum();
    (unclosed + sum + last).clamp(1, MAX_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_written_out() {
        for (expression, expected) in [
            ("", 1),
            ("abc", 3),
            ("a{3}", 3),
            ("a{2,5}b", 6),
            ("a{7,}", 7),
            (r"\w+\s*=", 3),
            ("[ab]*a[ab]{5000}[c-d]", 5003),
            ("(?:a[]x{9}]{300}){50}y", 302 * 50 + 1),
            (r"\{9}", 2),
            ("((a{10}){10}){10}", 1000),
            ("a{99999}{99999}", MAX_WEIGHT),
            ("a{", 1),
            ("(((", 1),
            (")))", 1),
            ("[a", 1),
            ("\\", 1),
        ] {
            assert_eq!(weight(expression), expected, "{expression}");
        }
    }
}
