//! Lists of the words that cannot be names, separated by blanks: those that the language itself reserves everywhere.
//! Words that are reserved in some places only (`record` in Java, `get` in C#) can be names elsewhere and are
//! not in these tables.

/// Python 3.13, section 2.3.1 of its reference.
pub(super) const PYTHON: &str = "False None True and as assert async await break class continue def del elif else except finally \
     for from global if import in is lambda nonlocal not or pass raise return try while with yield";

/// Kotlin's hard keywords (kotlinlang.org, Keywords and operators).
pub(super) const KOTLIN: &str = "as break class continue do else false for fun if in interface is null object package return super \
     this throw true try typealias typeof val var when while";

/// Java, section 3.9 of its specification, with the literals of 3.10.
pub(super) const JAVA: &str = "_ abstract assert boolean break byte case catch char class const continue default do double else \
     enum extends false final finally float for goto if implements import instanceof int interface long native new null \
     package private protected public return short static strictfp super switch synchronized this throw throws transient \
     true try void volatile while";

/// ECMAScript, ReservedWord in section 12.7.2, with what strict mode (every module and class) adds.
pub(super) const JAVASCRIPT: &str = "await break case catch class const continue debugger default delete do else enum export extends \
     false finally for function if implements import in instanceof interface let new null package private protected \
     public return static super switch this throw true try typeof var void while with yield";

/// Rust's strict and reserved keywords, edition 2024, and `_`.
pub(super) const RUST: &str = "Self _ abstract as async await become box break const continue crate do dyn else enum extern false \
     final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super \
     trait true try type typeof unsafe unsized use virtual where while yield";

/// Go's keywords (specification, Keywords) and the blank identifier.
pub(super) const GO: &str = "_ break case chan const continue default defer else fallthrough for func go goto if import interface \
     map package range return select struct switch type var";

/// C23, section 6.4.1.
pub(super) const C: &str = "_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary \
     _Noreturn _Static_assert _Thread_local alignas alignof auto bool break case char const constexpr continue default do \
     double else enum extern false float for goto if inline int long nullptr register restrict return short signed sizeof \
     static static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while";

/// C++23, section 5.11, with the alternative tokens.
pub(super) const CPP: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t \
     class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype \
     default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long \
     mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
     reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this \
     thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// C#'s keywords, without the contextual ones.
pub(super) const CSHARP: &str = "abstract as base bool break byte case catch char checked class const continue decimal default \
     delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int \
     interface internal is lock long namespace new null object operator out override params private protected public \
     readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint \
     ulong unchecked unsafe ushort using virtual void volatile while";
