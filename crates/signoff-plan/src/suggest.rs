//! "Did you mean …?"

/// The candidate that `written` was most likely meant to be, if one is near enough.
pub(crate) fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != written)
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let candidates = ["build", "deploy", "depends_on", "task"];
        assert_eq!(nearest(written, candidates), expected);
    }

    #[test]
    fn only_near_names_are_suggested() {
        check("biuld", Some("build"));
        check("Build", Some("build"));
        check("dependson", Some("depends_on"));
        check("tasks", Some("task"));
        check("note", None);
        check("build", None);
        check("", None);
    }
}
