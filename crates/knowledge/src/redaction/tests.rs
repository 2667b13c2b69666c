//! Secrets, and what only looks like one.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn every_rule_is_a_pattern() {
    assert_eq!(RULES.len(), 16);
    assert_eq!(redact("a text"), ("a text".to_owned(), 0));
}

const TAKEN_OUT: &[(&str, &str)] = &[
    ("password=hunter2, user=jo", "password=<secret>, user=jo"),
    (r#"{"apiKey": "abc def", "n": 1}"#, r#"{"apiKey": <secret>, "n": 1}"#),
    ("Authorization: Bearer abcdefghijkl.mno", "Authorization: <secret>"),
    ("-H 'Authorization: Token abc' x", "-H 'Authorization: <secret>' x"),
    ("ghp_0123456789abcdefghij", "<token>"),
    ("see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "see <token>"),
    ("jdbc:postgresql://jo:pw@db.local/x", "jdbc:postgresql://<secret>@db.local/x"),
    ("redis://:pw@db/0", "redis://<secret>@db/0"),
    ("/home/jo/shop/Till.kt:3", "~/shop/Till.kt:3"),
    (r"C:\Users\jo\shop", r"~\shop"),
    (r"C:\Users\Jo Doe\shop", r"~\shop"),
    (r"C:\\Users\\jo\\shop", r"~\\shop"),
    ("file:///C:/Users/jo/shop", "file:///~/shop"),
    ("at /root/x and /root", "at ~/x and ~"),
    ("mail jo.doe@example.com now", "mail <e-mail> now"),
    ("AKIAABCDEFGHIJKLMNOP", "<token>"),
    ("-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----!", "<private key>!"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nab\n-----END PGP PRIVATE KEY BLOCK-----!", "<private key>!"),
    ("storePassword \"hunter2\"\nkeyPassword 'x'", "storePassword <secret>\nkeyPassword <secret>"),
    ("mysql --password x --user jo", "mysql --password <secret> --user jo"),
    ("password(\"x\")", "password(<secret>)"),
    (r#"body {\"password\":\"hunter2\",\"n\":1}"#, r#"body {\"password\":<secret>,\"n\":1}"#),
    ("<password>x</password>", "<password><secret></password>"),
    (r#"<string name="api_key">x</string>"#, r#"<string name="api_key"><secret></string>"#),
    (r#"android:name="API_KEY" android:value="x"/>"#, r#"android:name="API_KEY" android:value=<secret>/>"#),
    ("secretKey=abc", "secretKey=<secret>"),
    ("SECRET_KEY_BASE=abc", "SECRET_KEY_BASE=<secret>"),
    ("signing_key=abc", "signing_key=<secret>"),
    ("passphrase=abc", "passphrase=<secret>"),
    ("Cookie: sid=abc; b=c", "Cookie: <secret>"),
    ("Set-Cookie: sid=abc; Path=/\nnext", "Set-Cookie: <secret>\nnext"),
    (r#""password":"ab\"cd", "n""#, r#""password":<secret>, "n""#),
    ("password=pw)rest", "password=<secret>"),
    ("connect(password=pw)", "connect(password=<secret>)"),
    ("val token: String = \"abc\"", "val token: String = <secret>"),
    (
        r#"buildConfigField "String", "API_KEY", "\"abc\"""#,
        r#"buildConfigField "String", "API_KEY", <secret>"#,
    ),
    ("mapOf(\"password\" to \"x\")", "mapOf(\"password\" to <secret>)"),
    ("Invalid token: 4f3a9bc", "Invalid token: <secret>"),
    ("password == \"hunter2\"", "password == <secret>"),
    ("Basic dXNlcjpwYXNz", "Basic <token>"),
    ("password=\"never ends", "password=<secret>"),
];

#[test]
fn secrets_are_taken_out_and_the_rest_stays() {
    for (given, expected) in TAKEN_OUT {
        let (redacted, removed) = redact_of(given, None);
        assert_eq!(redacted, *expected, "{given}");
        assert!(removed > 0, "{given}");
    }
    assert_eq!(count_redacted(&redact("pwd=a at /home/jo, jo@a.example in /home/jo").0), 3);
}

#[test]
fn what_is_redacted_stays_as_it_is() {
    for (_, once) in TAKEN_OUT {
        assert_eq!(redact_of(once, None), ((*once).to_owned(), 0));
    }
    let once = redact("token: abc, /Users/jo/x, Bearer abcdefghijkl").0;
    assert_eq!(redact(&once).0, once);
}

#[test]
fn code_and_messages_of_parsers_stay() {
    for plain in [
        "at shop.app.Till.sell(Till.kt:12) with key: Isbn and 3 tokens",
        "a basic understanding of Basic authentication",
        "Unexpected token: IDENTIFIER",
        "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "val token = repo.load()",
        "if (password == null) return",
        "fun login(password: String)",
        "password = null",
        "/rooted and /srv/root/x",
    ] {
        assert_eq!(redact_of(plain, None), (plain.to_owned(), 0));
    }
}

#[test]
fn the_home_directory_is_taken_out_wherever_it_is() {
    let home = |text| redact_of(text, Some(Path::new("/srv/people/jo")));
    assert_eq!(home("/srv/people/jo/x: no; /srv/people/jo"), ("~/x: no; ~".to_owned(), 2));
    assert_eq!(home("/srv/people/joan and /old/srv/people/jo-2").1, 0);
    assert_eq!(redact_of("a/b", Some(Path::new("/"))).1, 0);
}
