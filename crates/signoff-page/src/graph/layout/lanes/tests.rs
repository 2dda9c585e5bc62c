use std::collections::BTreeSet;

use super::*;

fn drawn(dependencies: &[&[usize]]) -> String {
    let dependencies: Vec<Vec<usize>> = dependencies.iter().map(|list| list.to_vec()).collect();
    let rows = draw(&dependencies, 40).expect("it fits");
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for cell in &row.cells {
            line.push(if cell.node { '●' } else { cell.line() });
            line.push(if cell.gap { '─' } else { ' ' });
        }
        text.push_str(line.trim_end());
        if let Some(node) = row.node {
            text.extend([" ", &node.to_string()]);
        }
        text.push('\n');
    }
    text
}

#[track_caller]
fn check(dependencies: &[&[usize]], expected: &str) {
    assert_eq!(drawn(dependencies), expected, "\n{}", drawn(dependencies));
}

#[test]
fn a_chain_is_a_straight_line() {
    check(&[&[], &[0], &[1]], "● 0\n● 1\n● 2\n");
}

#[test]
fn a_fan_needs_two_lanes() {
    check(
        &[&[], &[0], &[0], &[0], &[1, 2, 3]],
        "● 0\n├─●─╮ 1\n├─●─┤ 2\n╰─●─┤ 3\n●───╯ 4\n",
    );
}

#[test]
fn steps_without_dependencies_stand_alone() {
    check(&[&[], &[], &[]], "● 0\n  ● 1\n● 2\n");
    check(&[&[], &[], &[0, 1]], "●─╮ 0\n●─┤ 1\n  ● 2\n");
}

#[test]
fn lanes_that_have_nothing_to_do_with_a_line_stay_whole() {
    check(
        &[&[], &[], &[], &[0, 2], &[1], &[0, 3, 4]],
        "● 0\n│ ● 1\n│ │ ● 2\n├─│─● 3\n├─│─╯\n│ ● 4\n├─╯\n● 5\n",
    );
}

/// Reads a drawing as a person does: what each node waits for.
fn read(rows: &[LaneRow]) -> Vec<BTreeSet<usize>> {
    let mut found = Vec::new();
    // What flows down each lane.
    let mut flows: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); 100];
    for row in rows {
        let cell = |at: usize| row.cells.get(at).copied().unwrap_or_default();
        for (at, flow) in flows.iter_mut().enumerate() {
            if !cell(at).up && !cell(at).node {
                flow.clear();
            }
        }
        let nodes = (0..row.cells.len()).filter(|at| cell(*at).node);
        let joining = |at: &usize| cell(*at).up && !cell(*at).down && row.node.is_none();
        let column = nodes.chain((0..row.cells.len()).filter(joining)).next();
        let column = column.expect("a node, or a lane that ends");
        let mut inputs = std::mem::take(&mut flows[column]);
        let mut output = None;
        let left = (0..column).rev().take_while(|at| cell(*at).gap);
        for at in left.filter(|at| cell(*at).right && cell(*at).up) {
            if row.node.is_none() {
                output = Some(at);
            } else {
                inputs.extend(&flows[at]);
            }
        }
        let right = (column + 1..row.cells.len()).take_while(|at| cell(*at - 1).gap);
        for at in right.filter(|at| cell(*at).left) {
            if cell(at).down {
                output = Some(at);
            } else if cell(at).up {
                inputs.extend(&flows[at]);
            }
        }
        for (at, flow) in flows.iter_mut().enumerate() {
            if at != column && !cell(at).down {
                flow.clear();
            }
        }
        let out = row
            .node
            .map_or_else(|| inputs.clone(), |node| [node].into());
        flows[output.unwrap_or(column)].extend(out);
        if row.node.is_some() {
            found.push(inputs);
        }
    }
    found
}

#[test]
fn every_drawing_can_be_read_back() {
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).expect("31 bits") % below
    };
    for case in 0..3000 {
        let count = 2 + case % 14;
        let direct = (0..count)
            .map(|node| (0..node).filter(|_| random(count) < 2).collect())
            .collect();
        let dependencies = super::super::StepGraph::from_dependencies(direct).dependencies;
        let rows = draw(&dependencies, 100).expect("it fits");
        let expected: Vec<BTreeSet<usize>> = dependencies
            .iter()
            .map(|own| own.iter().copied().collect())
            .collect();
        let lists: Vec<&[usize]> = dependencies.iter().map(Vec::as_slice).collect();
        assert_eq!(read(&rows), expected, "{dependencies:?}\n{}", drawn(&lists));
    }
}

#[test]
fn too_many_lanes_are_no_drawing() {
    let dependencies: Vec<Vec<usize>> = (0..40)
        .map(|node| if node < 20 { vec![] } else { vec![node - 20] })
        .collect();
    assert_eq!(draw(&dependencies, 10), None);
    assert!(draw(&dependencies, 20).is_some());
}
