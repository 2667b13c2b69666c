// Written by hand, after kotlin-test's documentation: those of its functions that return or show a value's type.
package kotlin.test

inline fun <reified T> assertIs(value: Any?, message: String? = TODO()): T
fun <T : Any> assertNotNull(actual: T?, message: String? = TODO()): T
inline fun <T : Any, R> assertNotNull(actual: T?, message: String? = TODO(), block: (T) -> R): Unit
