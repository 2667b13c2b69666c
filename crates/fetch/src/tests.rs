//! Tests against a local server that sends the bytes each test specifies.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::connect::{AddressPolicy, Reached};
use super::*;

/// Long enough for a machine under load; no test waits for it to pass.
const PATIENCE: Duration = Duration::from_secs(60);

/// `<p>größe</p>` in Latin-1.
const GZIPPED: &[u8] = include_bytes!("../../../fixtures/fetch/latin1.html.gz");

/// 8 MB of spaces, 8 KB compressed.
const BOMB: &[u8] = include_bytes!("../../../fixtures/fetch/spaces.gz");

struct Server {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
    /// The connection being served.
    open: Arc<Mutex<Option<TcpStream>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers each connection with what `answer` returns for the path, then waits for the client to close if
    /// the answer ends in `Then::Hold`.
    fn new(answer: impl Fn(&str) -> (Vec<u8>, Then) + Send + 'static) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bound");
        let address = listener.local_addr().expect("has one");
        let (requests, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, stop) = (Arc::clone(&requests), Arc::clone(&stopped));
        let open = Arc::new(Mutex::new(None));
        let served = Arc::clone(&open);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                count.fetch_add(1, Ordering::Relaxed);
                let stream = stream.expect("accepted");
                *served.lock().expect("unpoisoned") = stream.try_clone().ok();
                serve(stream, &answer);
                // Otherwise the connection would stay open.
                *served.lock().expect("unpoisoned") = None;
            }
        });
        Server { address, requests, stopped, open, thread: Some(thread) }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // A task that is no longer polled may hold the client's end.
        if let Some(open) = self.open.lock().expect("unpoisoned").as_ref() {
            let _ = open.shutdown(Shutdown::Both);
        }
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

enum Then {
    Close,
    Hold,
}

fn serve(mut stream: TcpStream, answer: &impl Fn(&str) -> (Vec<u8>, Then)) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) if byte[0].is_ascii() && (byte[0] > 0x16 || !head.is_empty()) => head.push(byte[0]),
            // For example TLS's greeting.
            _ => return,
        }
    }
    let head = String::from_utf8(head).expect("ASCII");
    let path = head.split(' ').nth(1).expect("a request line").to_owned();
    let (bytes, then) = answer(&path);
    // A client that has enough closes the connection.
    let _ = stream.write_all(&bytes);
    if let Then::Hold = then {
        while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    }
}

fn response(head: &str, body: &[u8]) -> (Vec<u8>, Then) {
    let head = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n");
    ([head.as_bytes(), body].concat(), Then::Close)
}

fn html(body: &str) -> (Vec<u8>, Then) {
    response("200 OK\r\nContent-Type: text/html", body.as_bytes())
}

fn wanted(url: impl Into<String>, approval: Approval) -> FetchRequest {
    FetchRequest { url: url.into(), time_limit: PATIENCE, approval }
}

async fn approved(url: impl Into<String>) -> Result<Page, FetchError> {
    fetch(&wanted(url, Approval::ThisUrl)).await
}

fn text(page: &Page) -> &str {
    match &page.content {
        PageContent::Text(text) => text,
        PageContent::Binary => panic!("binary"),
    }
}

#[tokio::test]
async fn a_page_is_read_decompressed_and_decoded() {
    let server = Server::new(|path| match path {
        "/page" => html("<title>T</title><p>Größe"),
        "/gzip" => response(
            "200 OK\r\nContent-Type: Text/HTML; Charset=ISO-8859-1\r\nContent-Encoding: gzip",
            GZIPPED,
        ),
        "/latin" => response("200 OK\r\nContent-Type: text/plain; charset=latin1", b"gr\xF6\xDFe\r\n"),
        "/json" => response("200 OK\r\nContent-Type: application/json", b"{\"<b>\": 1}"),
        "/png" => response("200 OK\r\nContent-Type: image/png", b"\x89PNG\r\n\x1A\n\0\0"),
        "/untyped" => response("200 OK", b"<!doctype HTML><p>x"),
        "/empty" => response("204 No Content", b""),
        other => panic!("{other}"),
    });
    let page = approved(server.url("/page")).await.expect("fetched");
    assert_eq!(text(&page), "T\n\nGröße\n");
    assert_eq!((page.status, page.length, page.is_cut), (200, 26, false));
    assert_eq!((page.media_type.as_str(), page.redirected_to), ("text/html", None));
    for (path, expected) in [
        ("/gzip", "größe\n"),
        ("/latin", "größe\r\n"),
        ("/json", "{\"<b>\": 1}"),
        ("/untyped", "x\n"),
        ("/empty", ""),
    ] {
        assert_eq!(text(&approved(server.url(path)).await.expect(path)), expected, "{path}");
    }
    assert_eq!(approved(server.url("/png")).await.expect("fetched").content, PageContent::Binary);
}

#[tokio::test]
async fn no_more_is_read_than_the_limit() {
    let server = Server::new(|path| match path {
        "/long" => response("200 OK\r\nContent-Type: text/plain", &vec![b'x'; 2 << 20]),
        "/exact" => response("200 OK\r\nContent-Type: text/plain", &vec![b'x'; MAX_BODY_BYTES]),
        "/bomb" => response("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip", BOMB),
        other => panic!("{other}"),
    });
    for (path, is_cut) in [("/long", true), ("/exact", false), ("/bomb", true)] {
        let page = approved(server.url(path)).await.expect(path);
        assert_eq!((page.length, page.is_cut), (MAX_BODY_BYTES, is_cut), "{path}");
    }
}

#[tokio::test]
async fn failures_say_what_happened() {
    let server = Server::new(|path| match path {
        "/short" => response("200 OK\r\nContent-Length: 100", b"ten bytes."),
        "/404" => response("404 Not Found", b"gone"),
        "/503" => response("503 Busy", b""),
        "/loop" => response("302 Found\r\nLocation: /loop", b""),
        "/mail" => response("302 Found\r\nLocation: mailto:a@b.example", b""),
        "/file" => response("302 Found\r\nLocation: file:///etc/passwd", b""),
        "/user" => response("302 Found\r\nLocation: http://user:word@127.0.0.1/", b""),
        "/br" => response("200 OK\r\nContent-Encoding: br", b"x"),
        "/junk" => (b"SSH-2.0-OpenSSH\r\n".to_vec(), Then::Close),
        "/nothing" => (Vec::new(), Then::Close),
        other => panic!("{other}"),
    });
    let failed = async |path: &str| approved(server.url(path)).await.expect_err(path);
    assert_eq!(failed("/404").await, FetchError::Status(404));
    assert_eq!(failed("/503").await, FetchError::Status(503));
    assert_eq!(failed("/loop").await, FetchError::Redirects);
    assert_eq!(failed("/br").await, FetchError::Encoding("br".to_owned()));
    assert_eq!(failed("/mail").await, FetchError::RedirectNowhere(InvalidUrl::Scheme("mailto".to_owned())));
    assert_eq!(failed("/file").await, FetchError::RedirectNowhere(InvalidUrl::Scheme("file".to_owned())));
    assert_eq!(failed("/user").await, FetchError::RedirectNowhere(InvalidUrl::Credentials));
    for path in ["/short", "/junk", "/nothing"] {
        let error = failed(path).await;
        assert!(matches!(error, FetchError::Connection(_)), "{path}: {error:?}");
    }
    let unused = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bound").local_addr().expect("has one");
    assert_eq!(approved(format!("http://{unused}/")).await, Err(FetchError::Refused));
    let host = "does-not-exist.invalid".to_owned();
    assert_eq!(approved(format!("https://{host}/")).await, Err(FetchError::Unresolved(host)));
    let tls = failed_tls(&server).await;
    assert!(matches!(tls, FetchError::Connection(_)), "{tls:?}");
}

/// Fetches by https from a server that does not speak TLS.
async fn failed_tls(server: &Server) -> FetchError {
    approved(format!("https://{}/nothing", server.address)).await.expect_err("no TLS")
}

#[tokio::test]
async fn the_time_limit_covers_everything() {
    let server = Server::new(|path| match path {
        "/silent" => (Vec::new(), Then::Hold),
        "/slow" => (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nstart".to_vec(), Then::Hold),
        other => panic!("{other}"),
    });
    for path in ["/silent", "/slow"] {
        let wanted = FetchRequest {
            time_limit: Duration::from_millis(100),
            ..wanted(server.url(path), Approval::ThisUrl)
        };
        assert_eq!(fetch(&wanted).await, Err(FetchError::TimedOut), "{path}");
    }
}

#[tokio::test]
async fn only_an_approved_url_leads_to_a_private_address() {
    let server = Server::new(|_| html("<p>private"));
    let port = server.address.port();
    // Each of these is this very server; the last one by its name.
    let hosts =
        ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost"];
    for host in hosts {
        let url = format!("http://{host}:{port}/");
        let refused = fetch(&wanted(&url, Approval::ByRule)).await.expect_err(host);
        assert!(matches!(refused, FetchError::Private { .. }), "{host}: {refused:?}");
    }
    assert_eq!(server.requests(), 0, "no connection was made");
    for (count, host) in hosts.into_iter().enumerate() {
        let page = approved(format!("http://{host}:{port}/")).await.expect(host);
        assert_eq!((text(&page), server.requests()), ("private\n", count + 1), "{host}");
    }
    let metadata =
        fetch(&wanted("http://169.254.169.254/latest/", Approval::ByRule)).await.expect_err("metadata");
    assert_eq!(
        metadata.to_string(),
        "169.254.169.254 leads to 169.254.169.254, which is not a public address"
    );
}

#[tokio::test]
async fn no_redirect_leads_to_another_private_url_than_the_one_that_was_approved() {
    let inner = Server::new(|_| html("<p>secret"));
    let to = inner.url("/");
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::new(move |path| match path {
        "/" => response("301 Moved\r\nLocation: login?x", b""),
        "/out" => response(&format!("307 Temporary\r\nLocation: {to}"), b""),
        // Redirects to the same URL, as a page does that sets a cookie first.
        "/again" if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
            response("302 Found\r\nLocation: /again#top", b"")
        }
        "/again" => html("<p>here"),
        other => panic!("{other}"),
    });
    let address = IpAddr::from([127, 0, 0, 1]);
    for (path, url) in [("/", server.url("/login?x")), ("/out", inner.url("/"))] {
        let refused = approved(server.url(path)).await.expect_err("not this URL");
        assert_eq!(refused, FetchError::RedirectToPrivate { url, address });
    }
    assert_eq!((server.requests(), inner.requests()), (2, 0));
    assert_eq!(text(&approved(server.url("/again")).await.expect("fetched")), "here\n");
}

#[test]
fn no_redirect_leads_from_a_public_page_to_a_private_one() {
    let url = |text: &str| Url::parse(text).expect(text);
    let (public, private) = (url("http://a.example/"), url("http://127.0.0.1/"));
    let anywhere = AddressPolicy::of(Approval::ThisUrl);
    let after = |reached, from: &Url, to: &Url| anywhere.for_redirect(reached, from, to);
    assert_eq!(after(Reached::Private, &private, &private), AddressPolicy::Anywhere);
    // Also if the name of a public page resolves to another address later: the next look-up is checked again.
    assert_eq!(after(Reached::Public, &public, &public), AddressPolicy::PublicAfterRedirect);
    assert_eq!(after(Reached::Public, &public, &private), AddressPolicy::PublicAfterRedirect);
    for other in ["http://127.0.0.1:8080/", "http://127.0.0.1/a", "http://127.0.0.1/?a", "https://127.0.0.1/"]
    {
        assert_eq!(
            after(Reached::Private, &private, &url(other)),
            AddressPolicy::PublicAfterRedirect,
            "{other}"
        );
    }
    let by_rule = AddressPolicy::of(Approval::ByRule);
    assert_eq!(by_rule.for_redirect(Reached::Public, &public, &public), AddressPolicy::PublicAfterRedirect);
}

#[tokio::test]
async fn a_connection_is_made_to_the_addresses_that_were_judged_and_to_no_other() {
    let server = Server::new(|_| html("<p>pinned"));
    // No resolver knows this name, so the answer comes from the given address.
    let url = Url::parse(&format!("http://pinned.invalid:{}/", server.address.port())).expect("valid");
    let client = connect::client(url.clone(), vec![server.address]).await.expect("built");
    let response = client.get(url).send().await.expect("answered");
    assert_eq!(response.remote_addr(), Some(server.address));
    // A name that was not resolved before cannot be reached, even if the system knows it.
    let other = format!("http://localhost:{}/", server.address.port());
    assert!(client.get(other).send().await.is_err());
    assert_eq!(server.requests(), 1);
}
