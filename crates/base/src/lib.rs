//! Basic types of all higher layers: paths, text, positions, hashes, cancellation. Also the only place where
//! symd writes its own state. Contains no access to the project's files, no protocol messages and no tokio.

pub mod cancel;
pub mod cores;
pub mod declared_encoding;
pub mod edits;
pub mod escape;
pub mod hash;
pub mod path;
pub mod position;
pub mod programs;
pub mod state;
pub mod text;
pub mod timestamp;

pub use cancel::Cancel;
pub use declared_encoding::DeclaredEncoding;
pub use edits::{TextEdit, TextEditError, TextEdits};
pub use escape::{escaped, unescaped};
pub use hash::{ContentHash, ContentHasher};
pub use path::{PathError, RelPath};
pub use position::{LineColumn, TextRange};
pub use text::Text;
pub use timestamp::Timestamp;
