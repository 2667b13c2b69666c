//! A list of numbers that takes two bytes for each where all of them are that small: offsets in a file are, mostly.
//! Invariant: it is wide if and only if it holds a number that two bytes do not, so equal lists compare as equal.

/// Numbers below 2^32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompactNumbers {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Default for CompactNumbers {
    fn default() -> CompactNumbers {
        CompactNumbers::Narrow(Vec::new())
    }
}

impl CompactNumbers {
    pub(super) fn with_capacity(count: usize) -> CompactNumbers {
        CompactNumbers::Narrow(Vec::with_capacity(count))
    }

    /// Returns the number at an index.
    ///
    /// # Panics
    /// If the list is not that long.
    pub(super) fn at(&self, index: usize) -> u32 {
        match self {
            CompactNumbers::Narrow(numbers) => u32::from(numbers[index]),
            CompactNumbers::Wide(numbers) => numbers[index],
        }
    }

    pub(super) fn push(&mut self, number: u32) {
        if let CompactNumbers::Narrow(numbers) = self {
            match u16::try_from(number) {
                Ok(number) => return numbers.push(number),
                Err(_) => *self = widened(numbers),
            }
        }
        if let CompactNumbers::Wide(numbers) = self {
            numbers.push(number);
        }
    }

    /// Replaces the number at `index` by an equal or a larger one; does nothing if the list is not that long.
    pub(super) fn raise(&mut self, index: usize, number: u32) {
        if let CompactNumbers::Narrow(numbers) = self {
            let Some(slot) = numbers.get_mut(index) else { return };
            match u16::try_from(number) {
                Ok(number) => return *slot = number,
                Err(_) => *self = widened(numbers),
            }
        }
        if let CompactNumbers::Wide(numbers) = self
            && let Some(slot) = numbers.get_mut(index)
        {
            *slot = number;
        }
    }

    /// Returns how many numbers at the beginning are less than `limit`, in a list in ascending order.
    pub(super) fn count_below(&self, limit: u32) -> usize {
        match self {
            CompactNumbers::Narrow(numbers) => numbers.partition_point(|number| u32::from(*number) < limit),
            CompactNumbers::Wide(numbers) => numbers.partition_point(|number| *number < limit),
        }
    }

    /// Returns how many bytes of memory it takes.
    pub(super) fn memory(&self) -> usize {
        match self {
            CompactNumbers::Narrow(numbers) => numbers.capacity() * size_of::<u16>(),
            CompactNumbers::Wide(numbers) => numbers.capacity() * size_of::<u32>(),
        }
    }
}

fn widened(numbers: &[u16]) -> CompactNumbers {
    CompactNumbers::Wide(numbers.iter().map(|number| u32::from(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written_and_wide_only_where_it_must() {
        for numbers in [vec![], vec![0, 7, 65_535], vec![1, 65_536, 2], vec![u32::MAX, 0]] {
            let mut pushed = CompactNumbers::with_capacity(1);
            let mut raised = CompactNumbers::default();
            for number in &numbers {
                pushed.push(*number);
                raised.push(0);
            }
            for (at, number) in numbers.iter().enumerate() {
                raised.raise(at, *number);
            }
            raised.raise(numbers.len(), 3);
            assert_eq!(pushed, raised);
            assert_eq!((0..numbers.len()).map(|at| raised.at(at)).collect::<Vec<_>>(), numbers);
            let is_wide = matches!(raised, CompactNumbers::Wide(_));
            assert_eq!(is_wide, numbers.iter().any(|number| *number > 65_535));
        }
    }

    #[test]
    fn a_limit_is_looked_up_in_lists_of_both_widths() {
        for last in [9, 90_000] {
            let mut numbers = CompactNumbers::default();
            [2, 4, 4, last].into_iter().for_each(|number| numbers.push(number));
            assert_eq!([0, 3, 4, 5, 100_000].map(|limit| numbers.count_below(limit)), [0, 1, 1, 3, 4]);
        }
    }
}
