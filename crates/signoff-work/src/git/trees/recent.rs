//! What git said lately about commits and trees. They never change, so git is asked once.

use std::collections::VecDeque;

use crate::git::entries::{Difference, IndexEntry};
use crate::git::trees::links::TreeLinks;
use crate::git::{Id, Name, TreeDepth};

/// Answers that are longer are not worth their memory.
const LONGEST: usize = 1000;

/// The last answers to questions of one kind, the newest last.
#[derive(Debug)]
pub(crate) struct Recent<Q, A, const MOST: usize>(VecDeque<(Q, A)>);

impl<Q, A, const MOST: usize> Default for Recent<Q, A, MOST> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<Q: PartialEq, A: Clone, const MOST: usize> Recent<Q, A, MOST> {
    pub(crate) fn get(&self, question: &Q) -> Option<A> {
        let found = self.0.iter().rev().find(|(known, _)| known == question);
        found.map(|(_, answer)| answer.clone())
    }

    /// Takes the place of an earlier answer, or of the oldest one.
    pub(crate) fn insert(&mut self, question: Q, answer: A) {
        if let Some(at) = self.0.iter().position(|(known, _)| *known == question) {
            self.0.remove(at);
        } else if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((question, answer));
    }
}

/// A step asks for the same few again and again, and the next one for others.
#[derive(Debug, Default)]
pub(crate) struct RecentAnswers {
    /// The trees of commits; a tree is its own.
    pub(crate) trees: Recent<Id, Id, 256>,
    /// The trees of the first parents of commits.
    pub(crate) trees_before: Recent<Id, Id, 16>,
    differences: Recent<[Id; 2], Vec<Difference>, 16>,
    entries: Recent<(Id, Vec<Name>, TreeDepth), Vec<IndexEntry>, 8>,
    links: Recent<Id, TreeLinks, 8>,
}

impl RecentAnswers {
    /// The tree of a commit, where that is known: what is asked of a commit is known of its tree.
    fn tree_or_self(&self, id: &Id) -> Id {
        self.trees.get(id).unwrap_or_else(|| id.clone())
    }

    /// What differs between two commits or trees.
    pub(crate) fn differences(&self, from: &Id, to: &Id) -> Option<Vec<Difference>> {
        self.differences
            .get(&[from, to].map(|id| self.tree_or_self(id)))
    }

    pub(crate) fn note_differences(&mut self, from: &Id, to: &Id, found: &[Difference]) {
        if found.len() <= LONGEST {
            let trees = [from, to].map(|id| self.tree_or_self(id));
            self.differences.insert(trees, found.to_vec());
        }
    }

    /// What a commit or tree has at these paths.
    pub(crate) fn entries(
        &self,
        tree: &Id,
        names: &[Name],
        depth: TreeDepth,
    ) -> Option<Vec<IndexEntry>> {
        if names.len() > LONGEST {
            return None;
        }
        let question = (self.tree_or_self(tree), names.to_vec(), depth);
        self.entries.get(&question)
    }

    pub(crate) fn note_entries(
        &mut self,
        tree: &Id,
        names: &[Name],
        depth: TreeDepth,
        found: &[IndexEntry],
    ) {
        if names.len() + found.len() <= LONGEST {
            let question = (self.tree_or_self(tree), names.to_vec(), depth);
            self.entries.insert(question, found.to_vec());
        }
    }

    /// The symbolic links of a commit or tree.
    pub(crate) fn links(&self, tree: &Id) -> Option<TreeLinks> {
        self.links.get(&self.tree_or_self(tree))
    }

    /// The symbolic links of another tree, with what differs between that one and this.
    pub(crate) fn links_before(&self, tree: &Id) -> Option<(TreeLinks, Vec<Difference>)> {
        let tree = self.tree_or_self(tree);
        let mut known = self.differences.0.iter().rev();
        known.find_map(|([from, to], differences)| {
            let links = (*to == tree).then(|| self.links.get(from)).flatten();
            Some((links?, differences.clone()))
        })
    }

    pub(crate) fn note_links(&mut self, tree: &Id, links: &TreeLinks) {
        let tree = self.tree_or_self(tree);
        self.links.insert(tree, links.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> Id {
        digit.to_string().repeat(40).parse().expect("an id")
    }

    fn difference(name: &[u8]) -> Difference {
        Difference {
            name: name.into(),
            before: None,
            after: Some((0o100_644, id('f'))),
        }
    }

    #[test]
    fn a_pair_is_known_in_its_direction_alone() {
        let mut recent = RecentAnswers::default();
        let found = [difference(b"a")];
        recent.note_differences(&id('1'), &id('2'), &found);
        assert_eq!(
            recent.differences(&id('1'), &id('2')).as_deref(),
            Some(&found[..])
        );
        assert_eq!(recent.differences(&id('2'), &id('1')), None);
        assert_eq!(recent.differences(&id('1'), &id('3')), None);
    }

    #[test]
    fn what_is_known_of_a_tree_is_known_of_its_commits() {
        let mut recent = RecentAnswers::default();
        recent.trees.insert(id('a'), id('1'));
        recent.note_differences(&id('a'), &id('2'), &[difference(b"x")]);
        recent.note_links(&id('1'), &[("l".to_owned(), "t".to_owned())].into());
        recent.note_entries(&id('1'), &[b"x".to_vec()], TreeDepth::Files, &[]);
        recent.trees.insert(id('b'), id('2'));
        assert!(recent.differences(&id('1'), &id('b')).is_some());
        assert!(recent.links(&id('a')).is_some());
        assert!(recent.links_before(&id('b')).is_some());
        assert!(recent.links_before(&id('a')).is_none());
        let entries = |names: &[Name], depth| recent.entries(&id('a'), names, depth);
        assert!(entries(&[b"x".to_vec()], TreeDepth::Files).is_some());
        assert!(entries(&[b"x".to_vec()], TreeDepth::Entries).is_none());
        assert!(entries(&[b"y".to_vec()], TreeDepth::Files).is_none());
    }

    #[test]
    fn the_oldest_answer_goes_first_and_a_long_one_is_not_kept() {
        let mut recent: Recent<u8, u8, 2> = Recent::default();
        for (question, answer) in [(1, 1), (2, 2), (1, 3), (3, 4)] {
            recent.insert(question, answer);
        }
        assert_eq!(
            [1, 2, 3].map(|at| recent.get(&at)),
            [Some(3), None, Some(4)]
        );
        let mut recent = RecentAnswers::default();
        let long = vec![difference(b"a"); LONGEST + 1];
        recent.note_differences(&id('2'), &id('3'), &long);
        assert_eq!(recent.differences(&id('2'), &id('3')), None);
    }
}
