//! A fast hash of numbers: of files, nodes and declarations. Names have the standard one, whose collisions a text cannot bring about.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`NumberHasher`]s.
pub(super) type NumberHash = BuildHasherDefault<NumberHasher>;

/// Hashes the numbers that a key consists of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NumberHasher(u64);

/// An odd number without a pattern: the multiplication spreads each bit of a number over all higher ones.
const SPREAD: u64 = 0xF135_7AEA_2E62_A9C5;

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.wrapping_add(number).wrapping_mul(SPREAD);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        // Tables choose by the lowest bits, which the multiplication has spread least.
        self.0.rotate_left(26)
    }
}
