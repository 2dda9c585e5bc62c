//! The client behind every request of ours: its certificates and its proxy.

mod proxy;
pub mod stream;

use std::ffi::OsString;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

const WHO: &str = concat!("signoff/", env!("CARGO_PKG_VERSION"));

/// A client for requests to this server. It follows no redirect: it would take headers along.
pub(crate) fn agent(uri: &Uri, environment: &[(OsString, OsString)], time: Duration) -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(roots(uri))
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .proxy(proxy::for_server(uri, environment))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // Nothing at all would be no limit at all.
        .timeout_global(Some(time.max(Duration::from_millis(1))))
        .user_agent(WHO)
        .build()
        .new_agent()
}

/// Whom a server may be vouched for by: the machine's own certificates, among which a company may have
/// put one of its own. They are read once.
fn roots(uri: &Uri) -> RootCerts {
    static ROOTS: OnceLock<RootCerts> = OnceLock::new();
    if uri.scheme_str() != Some("https") {
        return RootCerts::new_with_certs(&[]);
    }
    let load = || {
        let found = rustls_native_certs::load_native_certs().certs;
        let certificates = found
            .iter()
            .map(|der| Certificate::from_der(der).to_owned());
        RootCerts::from(certificates)
    };
    ROOTS.get_or_init(load).clone()
}
