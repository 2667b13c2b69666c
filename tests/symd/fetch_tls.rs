//! fetch_webpage over TLS, against a server with certificates made here: the trusted authorities are exactly
//! those in `SSL_CERT_FILE` of the daemon's environment at its start.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::support::{PATIENCE, User, write};

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Authority {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// Writes the authority's certificate to a file.
    fn in_file(&self, path: PathBuf) -> PathBuf {
        write(&path, &self.pem);
        path
    }

    /// Returns the configuration of a server with the host names `names`.
    fn server_called(&self, names: &[&str]) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.issuer).unwrap();
        let chain = vec![CertificateDer::from(certificate)];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring).with_safe_default_protocol_versions().unwrap();
        Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap())
    }
}

/// Answers one connection with a page; the thread returns the first line received through TLS, if any.
fn serve(config: Arc<ServerConfig>) -> (u16, JoinHandle<Option<String>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut lines = BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
        let mut first = String::new();
        // A client that does not trust the certificate sends an alert, and nothing else.
        lines.read_line(&mut first).ok().filter(|read| *read > 0)?;
        let mut line = first.clone();
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
        let mut stream = lines.into_inner();
        stream.write_all(format!("{head}<h1>Secret</h1>").as_bytes()).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        Some(first)
    });
    (port, serving)
}

/// Returns the answer of `symd call`, from a daemon that is started with `trusted` in its environment.
fn fetched(user: &User, trusted: &Path, url: &str) -> Value {
    let arguments = json!({ "url": url, "timeout_seconds": 60 }).to_string();
    let mut command = user.symd();
    command.args(["call", "--yes", "--json", "--toolset", "cli_agent", "fetch_webpage", &arguments]);
    let output = command.env("SSL_CERT_FILE", trusted).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_server_of_an_authority_in_ssl_cert_file_is_trusted() {
    let user = User::new();
    let authority = Authority::new("ours");
    let trusted = authority.in_file(user.path("home/authority.pem"));
    for host in ["localhost", "127.0.0.1"] {
        let (port, serving) = serve(authority.server_called(&["localhost", "127.0.0.1"]));
        let url = format!("https://{host}:{port}/page?q=1");
        let answer = fetched(&user, &trusted, &url);
        assert_eq!(answer["output"], format!("Fetched content from {url} (0.0 KB)\n# Secret\n"), "{answer}");
        assert_eq!(answer["metadata"]["status_code"], 200);
        assert_eq!(serving.join().unwrap().unwrap(), "GET /page?q=1 HTTP/1.1\r\n");
    }
}

#[test]
fn a_server_of_another_authority_or_name_is_told_nothing() {
    let user = User::new();
    let authority = Authority::new("ours");
    let trusted = authority.in_file(user.path("home/authority.pem"));
    let cases = [
        (Authority::new("theirs").server_called(&["localhost"]), "UnknownIssuer"),
        (authority.server_called(&["other.example"]), "not valid for name \"localhost\""),
    ];
    for (config, why) in cases {
        let (port, serving) = serve(config);
        let answer = fetched(&user, &trusted, &format!("https://localhost:{port}/"));
        assert_eq!(answer["error"]["code"], "network_error", "{answer}");
        let output = answer["output"].as_str().unwrap();
        assert!(output.starts_with("Error: Failed to fetch - ") && output.contains(why), "{output}");
        assert_eq!(serving.join().unwrap(), None, "nothing came through");
    }
}
