//! The style and the scripts, in the binary.

use std::fmt::Write as _;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// A file that the page loads.
#[derive(Debug)]
pub struct Asset {
    /// Below `/assets/`.
    pub name: &'static str,
    pub kind: &'static str,
    pub text: &'static str,
    hash: OnceLock<String>,
}

const SCRIPTS: &str = "text/javascript; charset=utf-8";

pub static STYLE: Asset = Asset::new(
    "page.css",
    "text/css; charset=utf-8",
    include_str!("assets/page.css"),
);
/// Sets light or dark before anything is painted; so it is not a module.
pub static THEME: Asset = Asset::new("theme.js", SCRIPTS, include_str!("assets/theme.js"));
pub static SCRIPT: Asset = Asset::new("page.js", SCRIPTS, include_str!("assets/page.js"));
static MODULES: [Asset; 9] = [
    Asset::new("live.js", SCRIPTS, include_str!("assets/live.js")),
    Asset::new("morph.js", SCRIPTS, include_str!("assets/morph.js")),
    Asset::new("keyboard.js", SCRIPTS, include_str!("assets/keyboard.js")),
    Asset::new("palette.js", SCRIPTS, include_str!("assets/palette.js")),
    Asset::new("review.js", SCRIPTS, include_str!("assets/review.js")),
    Asset::new("editor.js", SCRIPTS, include_str!("assets/editor.js")),
    Asset::new("inbox.js", SCRIPTS, include_str!("assets/inbox.js")),
    Asset::new("forms.js", SCRIPTS, include_str!("assets/forms.js")),
    Asset::new("notify.js", SCRIPTS, include_str!("assets/notify.js")),
];

/// The file of this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    let first = [&STYLE, &THEME, &SCRIPT].into_iter();
    let mut all = first.chain(&MODULES);
    all.find(|asset| asset.name == name)
}

impl Asset {
    const fn new(name: &'static str, kind: &'static str, text: &'static str) -> Self {
        Self {
            name,
            kind,
            text,
            hash: OnceLock::new(),
        }
    }

    /// Where pages load it from. Not by its hash: modules name each other.
    pub fn address(&self) -> String {
        format!("/assets/{}", self.name)
    }

    /// Its `ETag`.
    pub fn tag(&self) -> &str {
        self.hash.get_or_init(|| {
            let mut tag = "\"".to_owned();
            for byte in Sha256::digest(self.text.as_bytes()).iter().take(12) {
                let _ = write!(tag, "{byte:02x}");
            }
            tag.push('"');
            tag
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a module imports, and what a page names.
    #[test]
    fn every_module_that_is_imported_is_there() {
        for asset in [&STYLE, &THEME, &SCRIPT].into_iter().chain(&MODULES) {
            assert!(std::ptr::eq(find(asset.name).unwrap(), asset));
            let imports = asset.text.split("from \"./").skip(1);
            for name in imports.filter_map(|rest| rest.split('"').next()) {
                assert!(find(name).is_some(), "{} imports {name}", asset.name);
            }
            assert!(
                !asset.text.contains("innerHTML"),
                "{}: text only as text",
                asset.name
            );
        }
        assert!(find("../Cargo.toml").is_none());
    }

    /// A page is told of what it does not listen for by nobody.
    #[test]
    fn a_page_listens_for_every_event() {
        let live = find("live.js").unwrap().text;
        let (_, listed) = live.split_once("const EVENTS = `").unwrap();
        let (listed, _) = listed.split_once('`').unwrap();
        let listed: Vec<&str> = listed.split_whitespace().collect();
        let of_runs = include_str!("../../signoff-api/tests/samples/event-v1.jsonl").lines();
        let of_runs = of_runs.map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            event["type"].as_str().unwrap().to_owned()
        });
        let of_plans = signoff_engine::PlanState::ALL;
        let of_plans = of_plans
            .iter()
            .map(|state| format!("plan_{}", state.name()));
        for event in of_runs.chain(of_plans) {
            assert!(listed.contains(&event.as_str()), "{event}");
        }
    }

    /// People sign here: nothing comes from elsewhere.
    #[test]
    fn nothing_names_another_server() {
        for asset in [&STYLE, &THEME, &SCRIPT].into_iter().chain(&MODULES) {
            let named = asset.text.replace("http://www.w3.org/2000/svg", "");
            assert!(
                !named.contains("http:") && !named.contains("https:"),
                "{}",
                asset.name
            );
        }
    }
}
