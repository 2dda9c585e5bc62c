//! Ids of replanned plans: `<base>-v<version>`.

use crate::model::Plan;

/// The id without the version that a replan put at its end. `add-validation` and `auth-v2` keep their
/// names: only what a replan wrote is taken away, so that `x-v2` becomes `x-v3` and not `x-v2-v3`.
pub fn base_id(plan: &Plan) -> Option<&str> {
    let id = plan.id.as_deref()?;
    let replanned = plan.previous.as_ref().and(plan.version);
    let base = replanned.and_then(|version| id.strip_suffix(&format!("-v{version}")));
    Some(base.filter(|base| !base.is_empty()).unwrap_or(id))
}

/// The id that the plan has after the next replan.
pub fn replanned_id(plan: &Plan) -> Option<String> {
    let next = plan.version.unwrap_or(1).saturating_add(1);
    Some(format!("{}-v{next}", base_id(plan)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, version: Option<u64>, previous: Option<&str>, base: &str, next: &str) {
        let plan = Plan {
            id: Some(id.to_owned()),
            version,
            previous: previous.map(str::to_owned),
            ..Plan::default()
        };
        assert_eq!(base_id(&plan), Some(base));
        assert_eq!(replanned_id(&plan).as_deref(), Some(next));
    }

    #[test]
    fn versions_do_not_pile_up() {
        check("x", Some(1), None, "x", "x-v2");
        check("x-v2", Some(2), Some("x"), "x", "x-v3");
        check("x-v10", Some(10), Some("x-v9"), "x", "x-v11");
    }

    #[test]
    fn names_that_only_look_so_stay() {
        check(
            "add-validation",
            Some(1),
            None,
            "add-validation",
            "add-validation-v2",
        );
        check("auth-v2", Some(1), None, "auth-v2", "auth-v2-v2");
        check("auth-v2", Some(2), None, "auth-v2", "auth-v2-v3");
        check("auth-v2", Some(3), Some("auth"), "auth-v2", "auth-v2-v4");
        check("auth-v02", Some(2), Some("auth"), "auth-v02", "auth-v02-v3");
        check("-v2", Some(2), Some("x"), "-v2", "-v2-v3");
        check("x", None, None, "x", "x-v2");
        assert_eq!(replanned_id(&Plan::default()), None);
    }
}
