//! What Kotlin's programs, and libraries that write values out, do with names.

use super::{Cancel, check, declared, everywhere, rename_hazards};
use symd_base::TextRange;

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
    check("shut", read, &["doubt A.kt:3 A.kt:3"]);
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
class Own { fun named(of: Own) = 1; fun f() = named(this) }
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
    // Another function of the reader's name.
    check("Self", &of("class Own"), &[]);
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

#[test]
fn names_are_read_through_what_names_a_base_or_a_function_alone() {
    let text = "//- Base.kt
abstract class Base { val tag = this::class.simpleName }
sealed interface Event
//- Shop.kt
class $0Shop : Base()
//- Till.kt
class Till(val at: Int)
fun all() = listOf(Till(1))
//- Sale.kt
data class Sale(val sum: Int) : Event
class Quiet(val sum: Int) : Event
//- Use.kt
fun tags() = all().map { it::class.simpleName }
//- Log.kt
fun log(event: Event) = println(\"seen $event\")
";
    check("Store", text, &["doubt Base.kt:1"]);
    let of =
        |class: &str| text.replace("$0", "").replace(&format!("class {class}"), &format!("class $0{class}"));
    check("Desk", &of("Till"), &["doubt Use.kt:1"]);
    check("Sold", &of("Sale"), &["doubt Log.kt:1"]);
    check("Loud", &of("Quiet"), &[]);
    check("total", &text.replace("$0", "").replace("Sale(val sum", "Sale(val $0sum"), &["doubt Log.kt:1"]);
    check("total", &text.replace("$0", "").replace("Quiet(val sum", "Quiet(val $0sum"), &[]);
}

#[test]
fn readers_take_classes_of_libraries() {
    let text = "//- Read.kt
import org.absent.Widget
fun report(e: Throwable) = e.javaClass.simpleName
fun paint(w: Widget) = w::class.simpleName
fun measure(of: CharSequence) = of::class.simpleName
//- Use.kt
import org.absent.Widget
class $0ShopError : Exception()
class Button : Widget()
class Plain
fun f(of: Plain) {
    report(ShopError()); paint(Button())
    measure(\"\"); report(IllegalStateException(of.toString()))
}
";
    let of =
        |class: &str| text.replace("$0", "").replace(&format!("class {class}"), &format!("class $0{class}"));
    check("Failed", text, &["doubt Read.kt:2"]);
    check("Key", &of("Button"), &["doubt Read.kt:3"]);
    check("Other", &of("Plain"), &[]);
}

#[test]
fn readers_are_given_objects_in_every_form() {
    let text = "//- Read.kt
package read
import kotlin.reflect.KClass
fun <T : Any> made(make: () -> T) = make()::class.simpleName
fun named(of: Any) = of::class.simpleName
open class Tagged(of: Any) { val tag = of::class.simpleName }
abstract class Screen(of: KClass<*>) { val route = of.simpleName }
infix fun String.tag(of: Any) = of::class.simpleName
fun KClass<*>.label() = simpleName
val tagOf = { of: Any -> of::class.simpleName }
enum class Kind(val of: KClass<*>) { SHOP(Nine::class); val tag get() = of.simpleName }
class Nine
//- Use.kt
package use
import read.*
class One
class Two
class Three
class Four
class Five
class Six
class Seven
class Eight
object Home : Tagged(Three())
object Start : Screen(Four::class)
fun f(twos: List<Two>, eight: Eight) {
    made { One() }; twos.map(::named); \"a\" tag Five(); Six::class.label(); tagOf(Seven())
    made { 1 }; listOf(1).map(::named); \"a\" tag 1; Int::class.label(); tagOf(2)
    eight.toString()
}
";
    let of = |class: &str| text.replace(&format!("class {class}\n"), &format!("class $0{class}\n"));
    for (class, line) in [
        ("One", 3),
        ("Two", 4),
        ("Three", 5),
        ("Four", 6),
        ("Five", 7),
        ("Six", 8),
        ("Seven", 9),
        ("Nine", 10),
    ] {
        check("Other", &of(class), &[&format!("doubt Read.kt:{line}")]);
    }
    check("Other", &of("Eight"), &[]);
}

#[test]
fn names_of_classes_are_read_by_other_names_and_of_several() {
    let text = "//- Shop.kt
package shop
open class Shop(val size: Int)
class Sub : Shop(1)
class Till
class Desk
class Bell
typealias Store = Shop
enum class Mode { FAST; fun show() = name }
//- Use.kt
package use
import shop.*
import shop.Till as Counter
import kotlin.reflect.full.memberProperties
fun f() {
    Store::class.simpleName
    Counter::class.simpleName
    Sub::class.memberProperties.size
}
//- Lists.kt
package lists
import shop.*
fun g() = listOf(Desk::class, Int::class).forEach { println(it.simpleName) }
fun h() = Bell::class.toString() + listOf(Bell::class).joinToString()
fun i() = with(Bell::class) { simpleName }
";
    let of = |class: &str| {
        text.replace(&format!("class {class}\n"), &format!("class $0{class}\n"))
            .replace(&format!("class {class}("), &format!("class $0{class}("))
    };
    check("Other", &of("Shop"), &["doubt Use.kt:6"]);
    check("Other", &of("Till"), &["doubt Use.kt:7"]);
    check("Other", &of("Desk"), &["doubt Lists.kt:3"]);
    check("Other", &of("Bell"), &["doubt Lists.kt:4 Lists.kt:4 Lists.kt:5"]);
    check("room", &text.replace("val size", "val $0size"), &["doubt Use.kt:8"]);
    check("QUICK", &text.replace("FAST", "$0FAST"), &["doubt Shop.kt:8"]);
}

#[test]
fn references_are_read_unless_a_function_is_expected() {
    let text = "//- Shop.kt
package shop
import kotlin.reflect.*
import org.absent.eq
class Shop(val p: Int)
interface Namer { fun name(of: KProperty<*>) = of.get() }
fun KProperty<*>.show() = println(this)
fun interface Task { fun run(): Int }
fun start(task: Task) = task.run()
fun twice(f: () -> Int = ::n): Int = f()
fun a() = 1
fun b() = 1
fun c() = 1
fun d() = 1
fun e() = 1
fun g() = 1
fun h() = 1
fun i() = 1
fun j() = 1
fun k() = 1
fun l() = 1
fun m() = 1
fun n() = 1
fun o() = 1
fun q() = 1
enum class Ref(val of: KFunction<*>) { ONE(::a) }
enum class Run(val of: () -> Int) { ONE(::b) }
fun result() = ::c
fun written(): () -> Int = ::d
class Row { operator fun get(of: KFunction<*>) = of.name }
fun f(namer: Namer, row: Row, some: Boolean) {
    row[::e]
    val let = ::g.let { println(it.name) }
    var held: Any = 1
    held = ::h
    var kept: () -> Int = { 1 }
    kept = ::i
    start(::j)
    eq(::k, 3)
    val one = if (some) ::l else ::m
    println(one)
    run { ::o }
    val called = (::q)()
}
//- Use.kt
package use
import shop.a as first
import shop.Shop
import shop.Namer
import shop.show
fun f(namer: Namer) {
    ::first.name
    println(::`first`.name)
    namer.name(Shop::p)
    Shop::p.show()
}
";
    let of = |name: &str| text.replace(&format!("fun {name}() = 1"), &format!("fun $0{name}() = 1"));
    for (name, places) in [
        ("a", "Shop.kt:25 Use.kt:7 Use.kt:8"),
        ("c", "Shop.kt:27"),
        ("e", "Shop.kt:31"),
        ("g", "Shop.kt:32"),
        ("h", "Shop.kt:34"),
        ("k", "Shop.kt:38"),
        ("l", "Shop.kt:39"),
        ("m", "Shop.kt:39"),
        ("o", "Shop.kt:41"),
    ] {
        check("other", &of(name), &[&format!("doubt {places}")]);
    }
    for name in ["b", "d", "i", "j", "n", "q"] {
        check("other", &of(name), &[]);
    }
    check("other", &text.replace("val p:", "val $0p:"), &["doubt Use.kt:9 Use.kt:10"]);
}

#[test]
fn androids_and_javas_libraries_call_the_functions_that_they_are_given() {
    let given = |imports: &str, code: &str| {
        format!(
            "//- Shop.kt\nclass Shop {{ val size = 1 }}\nfun $0open(x: Any) {{}}\n//- Use.kt\n{imports}\n{code}\n"
        )
    };
    let of = |class: &str| {
        let imports = format!("import {class}");
        let name = class.rsplit('.').next().expect("a name").to_owned();
        move |ty: &str, call: &str| given(&imports, &format!("fun f(it: {name}{ty}) {{ it.{call} }}"))
    };
    let (view, live) = (of("android.view.View"), of("androidx.lifecycle.LiveData"));
    let (pool, future) = (of("java.util.concurrent.Executor"), of("java.util.concurrent.CompletableFuture"));
    let (list, stream) = (of("java.util.concurrent.CopyOnWriteArrayList"), of("java.io.PrintStream"));
    let absent = of("org.absent.Bus");
    for code in [
        view("", "setOnClickListener(::open)"),
        view("", "post(::open)"),
        live("<Shop>", "observe(1, ::open)"),
        pool("", "execute(::open)"),
        future("<Shop>", "thenAccept(::open)"),
        absent("", "addChangeListener(::open)"),
        given("", "fun f() { unseen.button.setOnClickListener(::open) }"),
        given("import android.view.View", "val a = View.OnClickListener(::open)"),
        given("import androidx.lifecycle.Observer", "val a = Observer<Shop>(::open)"),
        given("", "val a = Runnable(::open)"),
        given("import androidx.compose.material.Button", "fun f() { Button(onClick = ::open) }"),
    ] {
        check("shut", &code, &[]);
    }
    for code in [
        view("", "setTag(::open)"),
        live("<Any>", "observe(1, ::open)"),
        live("<(Any) -> Unit>", "postValue(::open)"),
        list("<Any>", "add(::open)"),
        list("<kotlin.reflect.KFunction<*>>", "forEach(::open)"),
        stream("", "println(::open)"),
        absent("", "register(::open)"),
        absent("", "registerClickListener(::open)"),
        given("import android.view.View\nimport org.absent.*", "fun f(it: View) { it.post(::open) }"),
        given("import android.view.View\nimport org.absent.post", "fun f(it: View) { it.post(::open) }"),
        given("import androidx.compose.runtime.mutableStateOf", "val a = mutableStateOf(::open)"),
        given("import androidx.lifecycle.MutableLiveData", "val a = MutableLiveData(::open)"),
        given("import org.absent.Button", "fun f() { Button(onClick = ::open) }"),
        // One of the project's own, which reads it.
        given(
            "import kotlin.reflect.KFunction",
            "fun setNameListener(of: KFunction<*>) = of.name\nfun f() { setNameListener(::open) }",
        ),
    ] {
        let line = code.split("Use.kt\n").nth(1).expect("a file").lines().count();
        check("shut", &code, &[&format!("doubt Use.kt:{line}")]);
    }
    // A property has a name for whatever takes one.
    let property = live("<Shop>", "observe(1, Shop::size)").replace("$0open", "open");
    check("room", &property.replace("val size", "val $0size"), &["doubt Use.kt:2"]);
}

#[test]
fn files_that_are_not_looked_into_are_told() {
    let files = |count: usize| {
        let reading = (0..count).map(|number| {
            format!("//- Read{number:03}.kt\nfun read{number}(of: Any) = of::class.simpleName\n")
        });
        reading.collect::<String>() + "//- Shop.kt\nclass $0Shop\nfun f() = read600(Shop())\n"
    };
    check("Store", &files(601), &["doubt"]);
    check("Store", &files(600), &[]);
}

#[test]
fn classes_are_given_by_functions_and_properties_of_other_files() {
    let text = "//- A.kt
fun <T : Any> T.kind() = this::class
fun typeOf(of: Any): Class<*> { return of.javaClass }
val Any.type get() = javaClass
fun wide(f: () -> Unit = {}, of: Any): Class<*> = of.javaClass
//- Shop.kt
class $0Shop(val size: Int)
//- B.kt
fun f(shop: Shop) = shop.kind().simpleName
//- C.kt
fun f(shop: Shop) = typeOf(shop).name
//- D.kt
fun label(of: Any) = of.type.name
//- E.kt
fun tag(of: Any) = of.kind().qualifiedName
//- F.kt
fun g(shop: Shop) = label(shop) + tag(shop)
//- G.kt
fun f(of: Named) = of.name
class Named(val name: String)
//- H.kt
fun f(shop: Shop) = shop.type.declaredFields.size + shop.kind().members.size
fun g(shop: Shop) = wide(of = shop).fields
";
    check("Store", text, &["doubt B.kt:1 C.kt:1 D.kt:1 E.kt:1"]);
    check("room", &text.replace("$0", "").replace("val size", "val $0size"), &["doubt H.kt:1 H.kt:1 H.kt:2"]);
    // One that no class is given to.
    let of_named = text.replace("$0", "").replace("class Named", "class $0Named");
    check("Called", &of_named, &[]);
}

#[test]
fn what_gives_a_class_is_found_in_files_that_nothing_else_reads() {
    let text = "//- A.kt
fun <T> T.kind() = this!!::class.java
//- Shop.kt
class $0Shop
//- B.kt
fun tag(of: Any) = of.kind().name
//- C.kt
fun f(shop: Shop) = tag(shop)
";
    check("Store", text, &["doubt B.kt:1"]);
}

#[test]
fn a_class_is_given_through_functions_and_properties_that_do_not_tell_of_one() {
    let text = "//- A.kt
fun <T : Any> T.kind() = this::class.java
//- B.kt
fun <T : Any> T.sort() = kind()
//- C.kt
val Any.shape get() = sort()
fun Any.shaped() = 1
//- Shop.kt
class $0Shop
//- D.kt
fun tag(of: Any) = of.sort().name
fun mark(of: Any) = of.shape.name
//- E.kt
fun f(shop: Shop) = tag(shop) + mark(shop)
fun g(of: Named) = of.name + of.shaped()
class Named(val name: String)
";
    check("Store", text, &["doubt D.kt:1 D.kt:2"]);
}

#[test]
fn a_method_and_what_overrides_it_are_looked_for_together() {
    let text = "//- Shop.kt
interface Shop { fun @open() = 1 }
class Till : Shop { override fun @open() = 2 }
class Desk : Shop { override fun @open() = 3 }
class Other { fun open() = 4 }
fun columns(of: Any) = of::class.members
//- Use.kt
fun f() {
    columns(Desk())
    columns(Other())
    Till::class.members
    Other::class.members
    Desk::open.name
    Till::open.name
    Other::open.name
}
";
    let at = |number: usize| {
        let mut parts = text.split('@').enumerate();
        let first = parts.next().map_or("", |(_, part)| part).to_owned();
        let marked = parts.fold(first, |all, (at, part)| all + if at == number { "$0" } else { "" } + part);
        declared(&marked)
    };
    let (memory, first) = at(1);
    let targets = [first, at(2).1, at(3).1];
    let found = everywhere(&memory, |memory| {
        rename_hazards(memory, &targets, "shut", &Cancel::new()).expect("not cancelled")
    });
    let lines = |path: &str, range: TextRange| {
        let text = &memory.texts.iter().find(|(one, _)| one.as_str() == path).expect("is there").1;
        format!("{path}:{}", text[..range.start as usize].matches('\n').count() + 1)
    };
    let told: Vec<String> = found
        .iter()
        .map(|one| {
            let places: Vec<String> =
                one.places.iter().map(|(path, range)| lines(path.as_str(), *range)).collect();
            format!("{}: {}", one.text, places.join(" "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "the name 'open' is read here as a text: Use.kt:6 Use.kt:7",
            "a text is made here of 'Shop', or of a class linked to it, with the name 'open', or read as one: Shop.kt:5 Use.kt:4",
        ]
    );
}
