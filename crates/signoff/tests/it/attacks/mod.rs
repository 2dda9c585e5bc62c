//! Agents that attack their judge, the store and the person's files.

mod attacked_trees;
mod attackers;
mod bent_judge;
