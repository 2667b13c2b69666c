//! What names mean and which types expressions have, from syntax trees and the declarations of the project:
//! facts that a compiler would find without its build. Knows neither the index nor files; both come through
//! [`kotlin::KotlinSources`]. Invariant: an answer is `Certain` only where every rule that led to it is one of the
//! language, applied to declarations that were all found.

pub mod kotlin;
