//! What Kotlin's programs, and libraries that write values out, do with names.

use super::check;

const POINT: &str = "//- Point.kt
package p
data class $0Point(val x: Int, val y: Int)
data class Line(val from: Point, val to: Point)
sealed interface Shape
data class Dot(val at: Int) : Shape { override fun toString() = \"dot\" }
class Plain(val q: Int)
fun make() = Point(1, 2)
//- Use.kt
package p
fun f(line: Line, plain: Plain, dot: Dot) {
    println(make())
    val text = \"${plain.q} $dot ${dot.at} ${make().x}\"
    println(line)
    println(listOf(make()).size)
    println(\"\" + mapOf(1 to make()))
    listOf(make()).joinToString()
    listOf(make()).joinToString { it.x.toString() }
    make().toString()
}
";

#[test]
fn texts_of_data_classes_hold_the_names_of_their_properties() {
    let printed = ["doubt Use.kt:3 Use.kt:5 Use.kt:7 Use.kt:8 Use.kt:10"];
    check("Spot", POINT, &printed);
    check("left", &POINT.replace("$0Point(val x", "Point(val $0x"), &printed);
    // A class that is no data class, and one with a text of its own.
    check("left", &POINT.replace("$0Point", "Point").replace("Plain(val q", "Plain(val $0q"), &[]);
    check("left", &POINT.replace("$0Point", "Point").replace("Dot(val at", "Dot(val $0at"), &[]);
}

#[test]
fn entries_are_texts_and_are_looked_up_by_name() {
    let text = "//- Mode.kt
enum class Mode { $0FAST, SLOW; fun show() = this.name }
enum class Other { FAST }
//- Use.kt
fun f(mode: Mode, other: Other, written: String) {
    println(\"$mode ${mode.ordinal} $other\")
    Mode.valueOf(written)
    Mode.valueOf(\"SLOW\")
    Other.valueOf(written)
    enumValueOf<Mode>(written)
    mode.name + other.name
    Mode.values().map { it.name }
}
";
    check("QUICK", text, &["doubt Mode.kt:1 Use.kt:2 Use.kt:3 Use.kt:6 Use.kt:7 Use.kt:8"]);
}

#[test]
fn names_of_classes_and_members_are_reflected() {
    let text = "//- Shop.kt
open class $0Shop(val size: Int) { fun label() = this::class.simpleName + javaClass.name }
class Till { fun label() = this::class.simpleName }
//- Use.kt
fun f(shop: Shop, till: Till) {
    Shop::class.java.simpleName
    Till::class.simpleName
    shop::class.qualifiedName
    till.javaClass.name
    Shop::class.memberProperties.size
    till.javaClass.declaredMembers
}
";
    check("Store", text, &["doubt Shop.kt:1 Shop.kt:1 Use.kt:2 Use.kt:4"]);
    let read = "//- A.kt\nfun $0open() = 1\nclass A { fun open() = 2 }\nval a = ::open.name + A::open.name + ::open.names\n";
    check("shut", read, &["doubt A.kt:3"]);
    check("room", &text.replace("$0", "").replace("val size", "val $0size"), &["doubt Use.kt:6"]);
}

#[test]
fn names_are_read_of_the_class_of_whatever_is_given() {
    let text = "//- Tags.kt
fun Any.tag() = this::class.simpleName
val Any.label: String get() = javaClass.simpleName
inline fun <reified T : Any> T.kind() = T::class.qualifiedName
fun <T : Any> T.columns() = this.javaClass.declaredFields
fun named(of: Any) = of::class.java.name
//- Use.kt
class $0Shop(val size: Int) { fun f() = tag() }
class Till(val size: Int) { fun f() = named(this) + label }
class Quiet(val size: Int) { fun f(shop: Shop) = named(shop.size) + shop.size.tag() }
fun f(shop: Shop, till: Till, quiet: Quiet) {
    shop.kind()
    shop.columns()
    till.size.columns()
}
";
    let of = |class: &str| text.replace("$0", "").replace(class, &class.replacen(' ', " $0", 1));
    check("Store", text, &["doubt Tags.kt:1 Tags.kt:3"]);
    check("Desk", &of("class Till"), &["doubt Tags.kt:2 Tags.kt:5"]);
    check("Loud", &of("class Quiet"), &[]);
    let size_of = |class: &str| {
        let list = format!("{class}(val size");
        text.replace("$0", "").replace(&list, &list.replace("size", "$0size"))
    };
    check("room", &size_of("Shop"), &["doubt Tags.kt:4"]);
    check("room", &size_of("Till"), &[]);
}

#[test]
fn constructors_variables_and_aliases_read_names_too() {
    let text = "//- Read.kt
package read
import kotlin.reflect.KClass
class Tagged(of: Any) { val tag = of::class.simpleName }
class Kept(val of: Any) { val tag get() = of::class.simpleName }
class Begun(of: Any) { val tag: String?; init { tag = of::class.simpleName } }
fun <T : Any> made(make: () -> T) = make()::class.simpleName
fun chained(of: Any): String { val c = of::class; return c.java.simpleName }
fun of(c: KClass<*>) = c.simpleName
fun plain(of: Any) = of.hashCode()
//- Use.kt
package use
import read.*
import read.chained as linked
import kotlin.reflect.full.memberProperties as props
class One(val a: Int)
class Two(val a: Int)
class Three(val a: Int)
class Four
class Five
class Six
class Seven
class Eight(val a: Int)
class Nine
fun f() {
    Tagged(One(1)); Kept(Two(1)); Begun(Three(1))
    made(::Four); linked(Five()); of(Six::class)
    println(Seven::class)
    Eight::class.props.map { it.name }
    plain(Nine())
    Nine::class.constructors.map { it.toString() }
}
";
    let of = |class: &str| text.replace(&format!("class {class}"), &format!("class $0{class}"));
    for (class, place) in [
        ("One", "Read.kt:3"),
        ("Two", "Read.kt:4"),
        ("Three", "Read.kt:5"),
        ("Four", "Read.kt:6"),
        ("Five", "Read.kt:7"),
        ("Six", "Read.kt:8"),
        ("Seven", "Use.kt:17"),
        ("Nine", "Use.kt:20"),
    ] {
        check("Other", &of(class), &[&format!("doubt {place}")]);
    }
    check("b", &text.replace("Eight(val a", "Eight(val $0a"), &["doubt Use.kt:18"]);
    check("b", &text.replace("One(val a", "One(val $0a"), &[]);
}

#[test]
fn references_are_given_to_what_reads_their_names() {
    let text = "//- Shop.kt
import kotlin.reflect.*
class Shop(val one: Int, val two: Int, val three: Int, val four: Int, val five: Int, val six: Int, val seven: Int) {
    fun own() = nameOf(::one)
}
fun nameOf(of: KProperty<*>) = of.name
fun valueOf(of: KProperty1<Shop, Int>, shop: Shop) = of.get(shop)
fun <T> KProperty1<T, *>.key() = name
fun f(shop: Shop, shops: List<Shop>) {
    valueOf(Shop::two, shop)
    listOf(Shop::three).map { it.name }
    val kept = Shop::four
    println(kept)
    Shop::five.key()
    shops.map(Shop::six) + Shop::six.get(shop)
    val value = Shop::seven
    value.get(shop)
}
";
    let of = |name: &str| text.replace(&format!("val {name}:"), &format!("val $0{name}:"));
    for (name, line) in [("one", 3), ("three", 10), ("four", 11), ("five", 13)] {
        check("other", &of(name), &[&format!("doubt Shop.kt:{line}")]);
    }
    for name in ["two", "six", "seven"] {
        check("other", &of(name), &[]);
    }
}

#[test]
fn libraries_write_properties_under_their_names() {
    let text = "//- User.kt
import kotlinx.serialization.*
@Serializable
class User(val $0name: String, @SerialName(\"years\") val age: Int)
class Plain(val name: String)
";
    check("title", text, &["doubt User.kt:3"]);
    check("old", &text.replace("$0name", "name").replace("val age", "val $0age"), &[]);
    check("title", &text.replace("$0name", "name").replace("Plain(val name", "Plain(val $0name"), &[]);
}
