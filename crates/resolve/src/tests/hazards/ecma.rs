//! Effects of renames in JavaScript and TypeScript that no use of the name shows.

use super::check;

#[test]
fn names_that_the_language_calls() {
    for new in ["then", "toJSON", "toString", "valueOf", "constructor", "hasOwnProperty"] {
        check(new, "//- a.ts\nclass A { $0show() { return 1; } }\n", &["breaks"]);
    }
    check("name", "//- a.ts\nclass A { static $0label = 1; }\n", &["breaks"]);
    check("name", "//- a.ts\nclass A { $0label = 1; }\n", &[]);
    check("run", "//- a.ts\nclass A { $0then(f: any) { f(1); } }\n", &["breaks"]);
    let iterator = "//- a.ts\nclass A { $0next() {} [Symbol.iterator]() { return this; } }\n";
    check("advance", iterator, &["breaks"]);
    check("advance", "//- a.ts\nclass A { $0next() {} }\n", &[]);
    let element = "//- a.ts\nclass A extends HTMLElement { formResetCallback() {} static observedAttributes = [1]; size = 1; }\n";
    check("reset", &element.replace("formR", "$0formR"), &["breaks"]);
    check("names", &element.replace("observed", "$0observed"), &["breaks"]);
    check("names", &element.replace("HTMLElement", "B").replace("observed", "$0observed"), &[]);
    check("length", &element.replace("size", "$0size"), &[]);
}

#[test]
fn names_that_cannot_be_declared() {
    check("eval", "//- a.ts\nexport const $0total = 1;\n", &["breaks"]);
    check("undefined", "//- a.ts\nexport const $0total = 1;\n", &["breaks"]);
    check("string", "//- a.ts\nexport interface $0Box { size: number }\n", &["breaks"]);
    check("string", "//- a.ts\nexport const $0box = 1;\n", &[]);
    check("require", "//- a.js\nfunction $0load() {}\nmodule.exports = { load };\n", &["breaks"]);
    check("require", "//- a.js\nexport function $0load() {}\n", &[]);
    let typed = "//- lib/a.ts\nexport const $0total = 1;\n";
    check("module", typed, &["breaks"]);
    check("module", &format!("{typed}//- package.json\n{{ \"type\": \"module\" }}\n"), &[]);
    let nearer = "//- package.json\n{ \"type\": \"module\" }\n//- lib/package.json\n{}\n";
    check("module", &format!("{typed}{nearer}"), &["breaks"]);
}

#[test]
fn keys_by_their_beginning_or_end() {
    let own = "//- a.ts\nclass A {\n  $0on_open() {}\n  fire(e: string) { (this as any)[\"on_\" + e](); }\n}\n\
        class B {\n  fire(e: string) { (this as any)[\"on_\" + e](); }\n}\n";
    check("opened", own, &["doubt a.ts:3"]);
    let other = "//- a.ts\nexport class A { $0on_open() {} }\n\
        //- b.ts\nexport const call = (a: any, e: string) => a[`on_${e}`]();\n\
        const key = \"on_\" + x;\na[key]();\nstyle[`on_${e}`];\na[\"off_\" + e];\nlist(`on_${e}`);\n";
    check("opened", other, &["doubt b.ts:1 b.ts:3"]);
    let end = "//- a.ts\nclass A { $0userName = 1 }\nlet v = a[kind + \"Name\"];\n";
    check("login", end, &["doubt a.ts:2"]);
    let module = "//- views.ts\nexport function $0view_home() {}\n\
        //- main.ts\nimport * as views from \"./views\";\nimport * as others from \"./others\";\n\
        views[\"view_\" + n]();\nothers[\"view_\" + n]();\n";
    check("home", module, &["doubt main.ts:3"]);
}

#[test]
fn names_of_constants_as_texts() {
    let fixture = "//- a.ts\nexport enum Color { $0Red, Blue }\n\
        //- b.ts\nimport { Color } from \"./a\";\nconst a = Color[Color.Blue];\nconst b = Object.keys(Color);\n\
        for (const c in Color) f(c);\nconst d = Color.Blue;\nconst e = Object.values(Color);\n";
    check("Crimson", fixture, &["doubt b.ts:2 b.ts:3 b.ts:4 b.ts:6"]);
    check("Crimson", "//- a.ts\nenum Color { $0Red = \"r\" }\nObject.values(Color);\nf(Color.Red);\n", &[]);
}

#[test]
fn names_that_a_type_makes_of_others() {
    let fixture = "//- a.ts\nexport interface Person { $0name: string }\n\
        export type Getters<T> = { [K in keyof T as `get_${string & K}`]: T[K] };\n\
        export type Plain<T> = { [K in keyof T]: T[K] };\n\
        //- b.ts\nconst a: Getters<Person> = f();\nconst b: Plain<Person> = f();\nconst c: Getters<Other> = f();\n";
    check("title", fixture, &["doubt b.ts:1"]);
}

#[test]
fn members_that_are_written_out_or_read_in() {
    let fixture = "//- a.ts\nexport interface User { $0name: string }\nexport interface Order { buyer: User }\n\
        export interface Other { code: number }\n\
        //- b.ts\nexport function save(u: User) { return JSON.stringify(u); }\n\
        export function send(o: Order) { return JSON.stringify(o); }\n\
        export function skip(x: Other) { return JSON.stringify(x); }\n\
        export function query(u: User) { return new URLSearchParams({ ...u }); }\n\
        export function load(s: string): User {\n  return JSON.parse(s);\n}\nconst v = JSON.parse(s) as Other;\n";
    check("title", fixture, &["doubt b.ts:1 b.ts:2 b.ts:4", "doubt b.ts:6"]);
    let nested = "//- a.ts\nexport interface User { $0name: string }\n\
        export const all = (u: User) => JSON.stringify([...[...[...[u.name]]], { a: { ...u } }]);\n";
    check("title", nested, &["doubt a.ts:2"]);
    let looped = "//- a.ts\nexport interface User { $0name: string }\nexport interface Other { code: number }\n\
        export function dump(u: User) { for (const k in u) log(k); }\n\
        export function skip(o: Other) { for (const k in o) log(k); }\n";
    check("title", looped, &["doubt a.ts:3"]);
    let private = "//- a.ts\nexport interface User { $0name: string }\n\
        class A { #user: User; dump() { return JSON.stringify(this.#user); } }\n";
    check("title", private, &["doubt a.ts:2"]);
    let own = "//- a.ts\nclass Point { $0x = 1; dump() { return JSON.stringify(this); } }\n\
        class Line { dump() { return JSON.stringify(this); } }\n";
    check("left", own, &["doubt a.ts:1"]);
    let unrelated = "//- a.ts\nexport interface User { $0name: string }\n\
        export function save(value: any, u: User) { return JSON.stringify(value); }\n";
    check("title", unrelated, &[]);
    let others = "//- a.ts\nexport interface User { $0name: string }\nexport interface Order { buyer: User }\n\
        export interface Row { order: Order }\nclass A { text(order) { return JSON.stringify(order) + JSON.stringify(this); } }\n\
        export function text() {}\n//- b.ts\nexport const f = (order) => JSON.stringify(order);\n";
    check("title", others, &["doubt a.ts:4"]);
    check(
        "words",
        "//- a.ts\nclass A { show() { return JSON.stringify(this); } }\nexport function $0text() {}\n",
        &[],
    );
    let of_member = "//- a.ts\nexport interface User { $0name: string; tags: string[] }\n\
        export const f = (tags: User[\"tags\"]) => JSON.stringify(tags);\n";
    check("title", of_member, &[]);
    let imported = "//- a.ts\nexport interface User { $0name: string }\nexport const user: User = f();\n\
        //- b.ts\nimport { user } from \"./a\";\nJSON.stringify(user);\n";
    check("title", imported, &["doubt b.ts:2"]);
    let function = "//- a.ts\nexport interface User { $0call: (n: number) => void }\n\
        export function save(u: User) { return JSON.stringify(u); }\n";
    check("run", function, &[]);
    check("show", "//- a.ts\nclass A { $0dump() { return JSON.stringify(this); } }\n", &[]);
}

#[test]
fn a_class_that_fits_an_interface() {
    let lib = "//- a.ts\nexport interface Shape { area(): number }\nexport class Square { $0area() { return 1; } }\n";
    check("size", lib, &[]);
    let certain = format!("{lib}//- b.ts\nconst s: Shape = new Square();\n");
    check("size", &certain, &["breaks b.ts:1"]);
    let near = format!("{lib}//- b.ts\nconst s: Shape[] = [];\ns.push(new Square());\n");
    check("size", &near, &["doubt b.ts:2"]);
    let passed = "//- a.ts\nexport interface Named { label?: string }\nexport class Cat { $0label = 1 }\n\
        export function show<T extends Named>(x: T[]) {}\nexport function keep(x: any) {}\n\
        //- b.ts\nshow([new Cat()]);\n//- c.ts\nkeep(new Cat());\n";
    check("title", passed, &["doubt b.ts:1"]);
    let more = "//- a.ts\nexport interface Shape { area(): number; sides: number }\nexport class Square { $0area() { return 1; } }\n\
        //- b.ts\nconst s: Shape[] = [];\nnew Square();\n";
    check("size", more, &[]);
}

#[test]
fn names_that_are_read_as_texts() {
    let fixture = "//- a.ts\nexport class Base { show() { return this.constructor.name; } }\nexport class $0Box extends Base {}\n\
        //- b.ts\nconst n = Box.name;\nconst m = other.name;\n";
    check("Crate", fixture, &["doubt a.ts:1 b.ts:1"]);
    let keys = "//- a.ts\nexport function $0helper() {}\n//- b.ts\nimport * as all from \"./a\";\nf(Object.keys(all));\n";
    check("assist", keys, &["doubt b.ts:2"]);
}

#[test]
fn decorators_that_may_use_the_name() {
    let lib = "//- lib.ts\nexport function reg(v: any, ctx: any) { names.push(ctx.name); }\n\
        export function log(v: any, ctx: any) { return v; }\n";
    check("unlock", &format!("{lib}//- a.ts\nclass Box {{ @reg $0open() {{}} }}\n"), &["doubt a.ts:1"]);
    check("unlock", &format!("{lib}//- a.ts\nclass Box {{ @log $0open() {{}} }}\n"), &[]);
    check("unlock", "//- a.ts\nclass Box { @Column() $0open = 1 }\n", &["doubt a.ts:1"]);
}

#[test]
fn declarations_beside_a_script() {
    let fixture = "//- a.d.ts\nexport declare class Box { $0open(): number }\n//- a.js\nexports.Box = class Box { open() {} };\n\
        //- b.js\nfunction open() {}\n";
    check("unlock", fixture, &["doubt a.js:1"]);
}

#[test]
fn objects_that_are_printed() {
    let fixture = "//- a.ts\nexport class User { $0age = 1; }\nexport interface Order { buyer: User }\n\
        //- b.ts\nimport { User, Order } from \"./a\";\nconst user = new User();\nconst other = new Box();\nconsole.log(user);\n\
        console.log(user.age, \"user\", other);\nfunction show(order: Order) { console.log(\"order\", order); }\n";
    check("years", fixture, &["doubt b.ts:4 b.ts:6"]);
    let items = "//- a.ts\nexport class User { $0age = 1; }\nconst users = [new User()];\nfor (const user of users) console.log(user);\n\
        const boxes = [new Box()];\nfor (const box of boxes) console.log(box);\n";
    check("years", items, &["doubt a.ts:3"]);
    let class = fixture.replace("class User { $0age", "class $0User { age");
    check("Person", &class, &["doubt b.ts:4 b.ts:6"]);
    check("Command", &fixture.replace("$0age", "age").replace("interface Order", "interface $0Order"), &[]);
}

#[test]
fn names_of_functions_that_a_variable_holds() {
    let own = "//- a.ts\nexport function $0code() { return 1; }\nexport const all = [code].map((f) => f.name + f());\n";
    check("status", own, &["doubt a.ts:2"]);
    let user = "//- a.ts\nexport function $0code() {}\nlet x = { name: 1 };\nuse(code, x.name);\n";
    check("status", user, &[]);
    let passed = "//- a.ts\nimport { use, log } from \"./b\";\nexport function $0code() {}\nuse(code);\n\
        //- b.ts\nexport function use(f: any) { return f.name; }\nexport function log(f: any) { return f.name; }\n";
    check("status", passed, &["doubt b.ts:1"]);
}

#[test]
fn types_that_comments_write_out() {
    let class = "export class A { get $0sides() { return 1; } }\n";
    let typed = "/** @param {{ n: number, sides: number }} s */\nexport function f(s) { return s.sides; }\n";
    check("edges", &format!("//- a.js\n{class}{typed}"), &["doubt a.js:2"]);
    check("edges", &format!("//- a.ts\n{class}{typed}"), &[]);
    check(
        "edges",
        &format!("//- a.js\n{class}/** @param {{number}} sides of it */\nfunction f(sides) {{}}\n"),
        &[],
    );
    let property = "/**\n * @typedef {object} Plain\n * @property {number} sides how many\n */\n";
    check("edges", &format!("//- a.js\n{class}{property}"), &["doubt a.js:4"]);
    check("edges", &format!("//- a.js\n{class}//- b.js\n{property}"), &[]);
}

#[test]
fn data_from_responses_and_rests_of_patterns() {
    let read = "//- a.ts\nexport interface User { $0age: number }\n//- b.ts\nimport type { User } from \"./a\";\n\
        const one = (await response.json()) as User;\nconst two: User = await response.json();\nconst three = (await response.json()) as Box;\n";
    check("years", read, &["doubt b.ts:2 b.ts:3"]);
    let rest = "//- a.ts\nexport interface User { $0age: number }\nfunction f(user: User, other: Box) {\n  const { id, ...rest } = user;\n\
        \x20 const { no, ...more } = other;\n  return [Object.keys(rest), Object.keys(more)];\n}\n\
        function g({ id, ...rest2 }: User) { return JSON.stringify(rest2); }\n";
    check("years", rest, &["doubt a.ts:5 a.ts:7"]);
}

#[test]
fn scripts_that_are_too_large_to_be_looked_at() {
    let large = |name: &str| format!("//- large.js\n/*{}*/\nlet {name} = 1;\n", " ".repeat(4 << 20));
    let own = "//- a.js\nexport function $0load() {}\n";
    check("read", &format!("{own}{}", large("more")), &[]);
    check("read", &format!("{own}{}", large("load")), &["doubt"]);
}
