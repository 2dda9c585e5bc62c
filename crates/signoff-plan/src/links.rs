//! Where a path of a tree leads through the symbolic links of the tree, worked out without a file system.

/// Links on the way before it counts as a circle.
const MOST: usize = 40;

/// The way that a path takes through a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkRoute {
    /// The links on it, each by a path without links.
    pub links: Vec<Vec<u8>>,
    /// Where it ends, by a path without links; empty = the root. `None`: it leaves the tree, or goes in circles.
    pub end: Option<Vec<u8>>,
}

/// Follows a path from the tree's root. `target` says what the link at a path holds, if there is a link. An absolute
/// target stays inside where it begins with `root`.
pub fn route(
    path: &[u8],
    root: Option<&[u8]>,
    mut target: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> LinkRoute {
    let mut route = LinkRoute::default();
    let mut left: Vec<Vec<u8>> = reversed_parts(path);
    let mut at: Vec<Vec<u8>> = Vec::new();
    while let Some(part) = left.pop() {
        match part.as_slice() {
            b"" | b"." => continue,
            b".." if at.pop().is_none() => return route,
            b".." => continue,
            _ => at.push(part),
        }
        let here = at.join(&b'/');
        let Some(to) = target(&here) else {
            continue;
        };
        if route.links.len() == MOST {
            return route;
        }
        route.links.push(here);
        at.pop();
        let Some(to) = below_root(&to, root, &mut at) else {
            return route;
        };
        left.extend(reversed_parts(to));
    }
    route.end = Some(at.join(&b'/'));
    route
}

/// The same for text.
pub fn end_of(path: &str, mut target: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let at = |path: &[u8]| Some(target(std::str::from_utf8(path).ok()?)?.into_bytes());
    String::from_utf8(route(path.as_bytes(), None, at).end?).ok()
}

/// What is left to follow of a link's target: relative to `at`, which an absolute one sets back to the root.
fn below_root<'t>(
    target: &'t [u8],
    root: Option<&[u8]>,
    at: &mut Vec<Vec<u8>>,
) -> Option<&'t [u8]> {
    if !target.starts_with(b"/") {
        return Some(target);
    }
    let rest = target.strip_prefix(root?)?;
    at.clear();
    (rest.is_empty() || rest.starts_with(b"/")).then_some(rest)
}

fn reversed_parts(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path.split(|byte| *byte == b'/');
    parts.rev().map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [(&str, &str); 9] = [
        ("check.sh", "tools/scripts/check.sh"),
        ("scripts", "tools/scripts"),
        ("tools/scripts/data", "../../data/./x"),
        ("ext", "/etc"),
        ("own", "/work/p/data"),
        ("beside", "/work/px"),
        ("up", "a/../../x"),
        ("one", "two"),
        ("two", "one/x"),
    ];

    #[track_caller]
    fn check(path: &str, links: &[&str], end: Option<&str>) {
        let target = |path: &[u8]| {
            let mut links = LINKS.iter();
            let (_, to) = links.find(|(link, _)| link.as_bytes() == path)?;
            Some(to.as_bytes().to_vec())
        };
        let found = route(path.as_bytes(), Some(b"/work/p"), target);
        let names: Vec<_> = found
            .links
            .iter()
            .map(|link| String::from_utf8_lossy(link))
            .collect();
        let found = found.end.map(|end| String::from_utf8(end).unwrap());
        assert_eq!(found.as_deref(), end, "{path}");
        if end.is_some() {
            assert_eq!(names, links, "{path}");
        }
    }

    #[test]
    fn links_are_followed_wherever_they_are_on_the_way() {
        check("a/./b/../c", &[], Some("a/c"));
        check("check.sh", &["check.sh"], Some("tools/scripts/check.sh"));
        check(
            "scripts/check.sh",
            &["scripts"],
            Some("tools/scripts/check.sh"),
        );
        check(
            "scripts/data",
            &["scripts", "tools/scripts/data"],
            Some("data/x"),
        );
        check("scripts/../y", &["scripts"], Some("tools/y"));
        check("own/x", &["own"], Some("data/x"));
        check("own/../..", &["own"], None);
    }

    #[test]
    fn what_leaves_the_tree_or_goes_in_circles_ends_nowhere() {
        for path in [
            "ext/passwd",
            "up",
            "one",
            "../x",
            "scripts/../../../x",
            "beside",
        ] {
            check(path, &[], None);
        }
    }

    #[test]
    fn text_has_no_root() {
        let target = |path: &str| (path == "a").then(|| "/work/p/x".to_owned());
        assert_eq!(end_of("a", target), None);
        assert_eq!(end_of("b/a", target).as_deref(), Some("b/a"));
    }
}
