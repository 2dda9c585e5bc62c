//! Where what happens is told: the variables that OpenTelemetry has for that.

use std::ffi::{OsStr, OsString};

use signoff_work::environment::Variables;

/// The collector, and how this process calls itself there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Without the path of a signal.
    pub(crate) endpoint: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) service: String,
    /// For the proxy, if there is one.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

impl Settings {
    /// What the variables say; nothing if they name no collector.
    pub(crate) fn of(variables: &Variables) -> Option<Self> {
        let variable = |name: &str| {
            let value = variables.get(OsStr::new(name))?.to_str()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|word| word == "true");
        let endpoint = variable("OTEL_EXPORTER_OTLP_ENDPOINT").filter(|_| !is_off)?;
        let headers = variable("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default();
        Some(Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            headers: pairs(&headers),
            service: variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "signoff".to_owned()),
            environment: variables.clone().into_iter().collect(),
        })
    }
}

/// `NAME=VALUE,NAME=VALUE`.
fn pairs(text: &str) -> Vec<(&'static str, String)> {
    // A process reads them once, and has them until it ends.
    let name = |name: &str| &*Box::leak(name.trim().to_owned().into_boxed_str());
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(word, value)| (name(word), value.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_the_specification_has_them() {
        let read = pairs("authorization=Basic a=, x-tenant = 7,broken");
        let expected = [("authorization", "Basic a="), ("x-tenant", "7")];
        assert_eq!(read, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
