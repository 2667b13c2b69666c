//! The web server of a scenario: serves the scenario's pages on this machine while the scenario runs.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::scenario::{Hangs, Page};
use super::tree::unhex;
use crate::support::PATIENCE;

pub struct Site {
    address: SocketAddr,
    pages: Arc<Mutex<Vec<Page>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Site {
    pub fn new(pages: &[Page]) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let pages = Arc::new(Mutex::new(pages.to_vec()));
        let (over, shown) = (Arc::clone(&is_over), Arc::clone(&pages));
        let serving = std::thread::spawn(move || {
            // Connections that hang are kept open until the scenario ends.
            let mut hanging = Vec::new();
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let stream = stream.unwrap();
                let pages = shown.lock().unwrap().clone();
                // A client that disconnects is not an error.
                if let Ok(true) = answer(&stream, &pages, address) {
                    hanging.push(stream);
                }
            }
        });
        Site { address, pages, is_over, serving: Some(serving) }
    }

    /// Replaces the pages.
    pub fn show(&self, pages: &[Page]) {
        *self.pages.lock().unwrap() = pages.to_vec();
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        url(self.address)
    }

    /// `http://localhost:PORT`
    pub fn url_by_name(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
        let _ = self.serving.take().map(JoinHandle::join);
    }
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// Answers one request; returns whether to keep the connection open and silent.
fn answer(stream: &TcpStream, pages: &[Page], address: SocketAddr) -> std::io::Result<bool> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream).lines();
    let Some(request) = lines.next().transpose()? else { return Ok(false) };
    while lines.next().transpose()?.is_some_and(|header| !header.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or_default();
    let Some(page) = pages.iter().find(|page| page.path == path) else {
        (&*stream).write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        return Ok(false);
    };
    let body = page.hex.as_ref().map_or_else(|| page.text.repeat(page.times).into_bytes(), |hex| unhex(hex));
    let mut head = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", page.status);
    for (name, value) in page.headers.iter().filter(|(_, value)| !value.is_empty()) {
        head.push_str(&format!("{name}: {}\r\n", value.replace("{HTTP}", &url(address))));
    }
    if !page.headers.keys().any(|name| name.eq_ignore_ascii_case("content-length")) {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    if page.hangs == Some(Hangs::BeforeHead) {
        return Ok(true);
    }
    (&*stream).write_all(format!("{head}\r\n").as_bytes())?;
    (&*stream).write_all(&body)?;
    Ok(page.hangs.is_some())
}

#[test]
fn pages_are_served_as_they_are_described() {
    let pages = "[[page]]\npath = \"/a\"\nstatus = 302\nheaders = { Location = \"{HTTP}/b\" }\n\
                 [[page]]\npath = \"/b\"\ntext = \"ab\"\ntimes = 3\n\
                 [[page]]\npath = \"/c\"\nhex = \"00ff\"\nheaders = { content-length = \"9\" }\nhangs = \"behind_body\"\n";
    let pages: std::collections::BTreeMap<String, Vec<Page>> = toml::from_str(pages).unwrap();
    let site = Site::new(&pages["page"]);
    let get = |path: &str| {
        let mut stream = TcpStream::connect(site.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        stream
    };
    let all = |path: &str| std::io::read_to_string(get(path)).unwrap();
    let head = "\r\nConnection: close\r\n";
    assert_eq!(
        all("/a"),
        format!("HTTP/1.1 302 Said{head}Location: {}/b\r\nContent-Length: 0\r\n\r\n", site.url())
    );
    assert_eq!(all("/b"), format!("HTTP/1.1 200 Said{head}Content-Length: 6\r\n\r\nababab"));
    assert!(all("/none").starts_with("HTTP/1.1 404 "));
    let mut hanging = get("/c");
    let mut got = vec![0; format!("HTTP/1.1 200 Said{head}content-length: 9\r\n\r\n").len() + 2];
    std::io::Read::read_exact(&mut hanging, &mut got).unwrap();
    assert!(got.ends_with(b"\r\n\r\n\x00\xff"));
    hanging.set_nonblocking(true).unwrap();
    let more = std::io::Read::read(&mut hanging, &mut got).map_err(|error| error.kind());
    assert_eq!(more, Err(std::io::ErrorKind::WouldBlock));
}
