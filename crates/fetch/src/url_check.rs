//! Parses URLs that can be fetched. Invariant: a parsed URL has the scheme http or https, a host, no user and
//! no password.

use url::Url;

/// Why a URL cannot be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// The text is not a URL.
    #[error("it is not a URL")]
    Malformed,
    /// The scheme is not http or https.
    #[error("its scheme is {0}, not http or https")]
    Scheme(String),
    /// The URL contains a user name or a password, which would be visible in logs and rules.
    #[error("it contains a user name or a password")]
    Credentials,
}

/// Parses a URL that a client wrote. Rejects what browsers repair: a scheme without `//`, or with more
/// slashes.
pub(super) fn parse(text: &str) -> Result<Url, InvalidUrl> {
    let has_controls = text.chars().any(|c| c.is_ascii_control() || c == ' ');
    let url = check(Url::parse(text).map_err(|_| InvalidUrl::Malformed)?)?;
    let behind = text.get(url.scheme().len()..).and_then(|rest| rest.strip_prefix("://"));
    if has_controls || behind.is_none_or(|rest| rest.starts_with(['/', '\\'])) {
        return Err(InvalidUrl::Malformed);
    }
    Ok(url)
}

/// Rejects a well-formed URL that cannot be fetched.
pub(super) fn check(url: Url) -> Result<Url, InvalidUrl> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(InvalidUrl::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(InvalidUrl::Credentials);
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(InvalidUrl::Malformed);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_fetched_gets_through() {
        for text in
            ["http://a.example", "HTTPS://a.example:8443/x?y#z", "http://[::1]/", "http://bücher.example/"]
        {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "a.example",
            "/x",
            "http://",
            "http:a.example",
            "http:///a",
            "http://a b/",
            "http://a:99999/",
            "http://a.example/\n",
            " http://a.example",
        ] {
            assert_eq!(parse(text).map(String::from), Err(InvalidUrl::Malformed), "{text}");
        }
        for text in
            ["ftp://a/", "file:///etc/passwd", "gopher://a", "javascript:alert(1)", "data:text/plain,x"]
        {
            assert!(matches!(parse(text), Err(InvalidUrl::Scheme(_))), "{text}");
        }
        for text in ["http://user@a/", "http://user:word@a/", "http://:word@a/"] {
            assert_eq!(parse(text), Err(InvalidUrl::Credentials), "{text}");
        }
    }
}
