use super::*;

const PLAN: &str = "---\ntype: plan\nstatus: draft\n---\n\n# T\n\n## Steps\n\n### 1. A\n\n**task:** x\n\n**contract:**\n```shell\ncargo test\n```\n";
const TOOLS: &str = r#"{"steps": [{"id": "a", "description": "d", "tool": "read_file", "args": {"path": "x"}, "dependsOn": []}], "estimatedDuration": 5}"#;
const RECORD: &str =
    r#"{"id": "p", "title": "T", "task": "t", "steps": [{"index": 0, "description": "x"}]}"#;

fn plan_in(reply: &str) -> Result<String, ReplyProblem> {
    read_reply(reply, Dialect::Workunit).map(|plan| plan.text)
}

fn json_in(reply: &str, dialect: Dialect) -> Result<PlanText, ReplyProblem> {
    read_reply(reply, dialect)
}

#[test]
fn a_plan_is_found_in_a_fence_or_bare() {
    let found = Ok(PLAN.to_owned());
    for reply in [
        PLAN.to_owned(),
        format!("Here it is.\n\n{PLAN}"),
        format!("````markdown\n{PLAN}````\n"),
        format!("Sure!\n\n````\n{PLAN}\n````\nI hope it helps.\n"),
        // As long as the fence inside, which names its language.
        format!("```markdown\n{PLAN}```\nDone."),
        format!("~~~\n{PLAN}~~~"),
    ] {
        assert_eq!(plan_in(&reply), found, "{reply}");
    }
}

#[test]
fn a_bare_plan_has_no_end() {
    let has_end = |reply: &str| read_reply(reply, Dialect::Workunit).map(|plan| plan.has_end);
    assert_eq!(has_end(&format!("````\n{PLAN}````\n")), Ok(true));
    for bare in [PLAN.to_owned(), format!("{PLAN}\nI hope it helps.\n")] {
        assert_eq!(has_end(&bare), Ok(false), "{bare}");
    }
}

#[test]
fn a_plan_without_its_head_is_left_to_the_checks() {
    let text = "# T\n\n## Steps\n\n### 1. A\n**task:** x\n";
    assert_eq!(plan_in(&format!("So:\n\n{text}")), Ok(text.to_owned()));
}

#[test]
fn half_a_plan_is_none() {
    let open = format!("````markdown\n{PLAN}");
    assert_eq!(plan_in(&open), Err(ReplyProblem::Cut));
    // The fence inside names no language, so it ends the one around the plan.
    let nested = format!("```\n{}```\n", PLAN.replace("```shell", "```"));
    assert_eq!(
        plan_in(&format!("{nested}\n**on_fail:** abort")),
        Err(ReplyProblem::BehindFence)
    );
    for cut in [TOOLS.len() / 2, TOOLS.len() - 1] {
        let half = &TOOLS[..cut];
        let fenced = format!("```json\n{half}\n```");
        for reply in [half, &fenced] {
            assert_eq!(
                json_in(reply, Dialect::Toolplan),
                Err(ReplyProblem::Cut),
                "{reply}"
            );
        }
    }
}

#[test]
fn several_plans_are_none() {
    for reply in [
        format!("````\n{PLAN}````\nor\n````\n{PLAN}````\n"),
        format!("{PLAN}\n{PLAN}"),
    ] {
        assert_eq!(plan_in(&reply), Err(ReplyProblem::SeveralPlans), "{reply}");
    }
    for (first, second) in [
        (format!("\"plan\": {RECORD}"), format!("\"plan\": {RECORD}")),
        (format!("\"plan\": {RECORD}"), "\"steps\": []".to_owned()),
        ("\"steps\": []".to_owned(), "\"steps\": [1]".to_owned()),
    ] {
        let one = format!("{{{first}, {second}}}");
        let found = json_in(&one, Dialect::Record);
        assert_eq!(found, Err(ReplyProblem::SeveralPlans), "{one}");
    }
    let two = format!("```json\n{TOOLS}\n```\nor\n```json\n{TOOLS}\n```");
    assert_eq!(
        json_in(&two, Dialect::Toolplan),
        Err(ReplyProblem::SeveralPlans)
    );
}

#[test]
fn a_plan_that_a_step_writes_is_a_text() {
    let inner = "---\ntype: plan\n---\n# Inner";
    let text = PLAN.replace(
        "**task:** x",
        &format!("**task:** Write\n```\n{inner}\n```"),
    );
    assert_eq!(plan_in(&text), Ok(text.clone()));
}

#[test]
fn json_is_found_in_a_fence_or_bare() {
    for reply in [
        TOOLS.to_owned(),
        format!("Here: {TOOLS}"),
        format!("Here:\n```json\n{TOOLS}\n```\nNote {{that}} it is short."),
        format!("An example:\n{{\"a\": 1}}\nThe plan:\n{TOOLS}\n"),
    ] {
        let found = json_in(&reply, Dialect::Toolplan).map(|plan| plan.text);
        assert_eq!(found, Ok(format!("{TOOLS}\n")), "{reply}");
    }
}

#[test]
fn a_record_comes_with_its_reasoning() {
    let reply =
        format!("```json\n{{\"plan\": {RECORD}, \"reasoning\": \"so }} \\\"it\\\"\"}}\n```");
    let found = json_in(&reply, Dialect::Record);
    assert_eq!(
        found,
        Ok(PlanText {
            text: format!("{RECORD}\n"),
            reasoning: Some("so } \"it\"".to_owned()),
            has_end: true,
        })
    );
    let bare = json_in(RECORD, Dialect::Record).map(|plan| plan.reasoning);
    assert_eq!(bare, Ok(None));
}

#[test]
fn another_dialect_is_named() {
    let wrong = |found, wanted| Err(ReplyProblem::WrongDialect { found, wanted });
    assert_eq!(
        json_in(TOOLS, Dialect::Record),
        wrong(Dialect::Toolplan, Dialect::Record)
    );
    assert_eq!(
        plan_in(TOOLS).map(|_| ()),
        wrong(Dialect::Toolplan, Dialect::Workunit).map(|_: PlanText| ())
    );
    assert_eq!(
        json_in(PLAN, Dialect::Toolplan),
        wrong(Dialect::Workunit, Dialect::Toolplan)
    );
}

#[test]
fn what_is_no_plan_is_refused_quickly() {
    for dialect in [Dialect::Workunit, Dialect::Toolplan, Dialect::Record] {
        let check = |text: &str| read_reply(text, dialect).unwrap_err();
        assert_eq!(check(" \n"), ReplyProblem::Empty);
        assert_eq!(check("I cannot do that."), ReplyProblem::NoPlan(dialect));
        let large = "x".repeat(10 << 20);
        assert_eq!(check(&large), ReplyProblem::TooLarge { bytes: 10 << 20 });
        for piece in [
            "{",
            "{\n",
            "[",
            "```\n",
            "---\n",
            "\"\n{",
            "## Steps\n",
            "{}\n",
            "a {",
        ] {
            let many = piece.repeat(REPLY_BYTES / 8 / piece.len());
            drop(read_reply(&many, dialect));
        }
    }
}
