//! What a dialect knows, the documentation names.

use std::collections::BTreeSet;

use super::{Dialect, names};

/// The words in back-ticks of a page, each also as the whole it stands in.
fn words_in_back_ticks(page: &str) -> BTreeSet<String> {
    let code = page.split('`').skip(1).step_by(2);
    let mut words = BTreeSet::new();
    for span in code {
        let part = |c: char| !c.is_alphanumeric() && c != '_';
        words.extend(span.split(part).map(str::to_lowercase));
        let whole = span.trim_matches(['*', ':', '-', '#', ' ']);
        words.insert(whole.to_lowercase());
        words.insert(whole.to_lowercase().replace(' ', "_"));
    }
    words
}

#[test]
fn every_field_of_every_dialect_is_documented() {
    let native = include_str!("../../../../docs/plan-format.md");
    let others = include_str!("../../../../docs/dialects.md");
    let mut missing = Vec::new();
    for dialect in Dialect::ALL {
        let page = match dialect {
            Dialect::Workunit => native,
            Dialect::Thread | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => others,
        };
        let named = words_in_back_ticks(page);
        for (owner, fields) in names(*dialect) {
            let unnamed = fields
                .iter()
                .filter(|field| !named.contains(&field.to_lowercase()));
            missing.extend(unnamed.map(|field| format!("{dialect}, {owner}: {field}")));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}
