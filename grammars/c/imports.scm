; Includes: everything in the file. The vocabulary is described in crates/syntax/src/imports/roles.rs.

((preproc_include path: [(string_literal) (system_lib_string)] @import.module) @import
  (#set! star))
