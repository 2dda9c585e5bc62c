//! What the drivers read in recorded streams of the real programs.

use signoff_sandbox::ExitStatus;
use signoff_work::agent::{
    AgentEvent, AgentExit, AgentProblem, DriverKind, ModelUsage, Prices, ReaderOptions, Spending,
};

use super::world::{Reading, Sample, read_with, samples};

fn case(name: &str) -> impl Iterator<Item = Sample> {
    let name = name.to_owned();
    let mut found = samples()
        .into_iter()
        .filter(move |sample| sample.case == name)
        .peekable();
    assert!(found.peek().is_some(), "no sample");
    found
}

fn has(reading: &Reading, wanted: impl Fn(&AgentEvent) -> bool) -> bool {
    reading.events.iter().any(wanted)
}

/// Old versions of Claude Code call small models beside the work; only the last line counts them.
fn expected_tokens(name: &str) -> u64 {
    if name.starts_with("claude-2.0.50/") {
        9900
    } else {
        2200
    }
}

#[test]
fn work_is_read_whole() {
    for sample in case("works") {
        let name = &sample.name;
        let reading = sample.read(ExitStatus::Exited(0));
        assert_eq!(reading.end.text, "Done: hello.txt is written.", "{name}");
        assert_eq!(reading.end.problem, None, "{name}");
        assert_eq!(reading.tokens(), expected_tokens(name), "{name}");
        let said = |event: &AgentEvent| matches!(event, AgentEvent::Said { text } if text == "Done: hello.txt is written.");
        assert_eq!(
            reading.events.iter().filter(|event| said(event)).count(),
            1,
            "{name}"
        );
        assert!(
            has(
                &reading,
                |event| matches!(event, AgentEvent::Session { id } if !id.is_empty())
            ),
            "{name}"
        );
        assert!(
            has(&reading, |event| matches!(
                event,
                AgentEvent::ToolEnded { ok: true, .. }
            )),
            "{name}"
        );
        assert!(
            reading
                .tools()
                .iter()
                .any(|(_, about)| about.contains("echo hello > hello.txt")),
            "{name}"
        );
    }
}

#[test]
fn each_agent_names_its_tool_and_model() {
    for sample in case("works") {
        let reading = sample.read(ExitStatus::Exited(0));
        let (tool, model) = match sample.driver {
            DriverKind::Claude => ("Bash", Some("claude-sonnet-4-5")),
            DriverKind::Codex => ("shell", None),
            DriverKind::Gemini => ("run_shell_command", Some("gemini-2.5-pro")),
            DriverKind::Opencode => ("bash", None),
            DriverKind::Pi => ("bash", Some("stub-model")),
            DriverKind::Acp | DriverKind::Command => continue,
        };
        assert_eq!(reading.tools()[0].0, tool, "{}", sample.name);
        let named = reading.end.totals[0].model.as_deref();
        assert_eq!(named, model, "{}", sample.name);
        assert_eq!(reading.end.totals[0].input, 2000, "{}", sample.name);
        assert_eq!(reading.end.totals[0].output, 200, "{}", sample.name);
    }
}

#[test]
fn costs_are_the_agents_own_where_it_says_them() {
    for sample in case("works") {
        let reading = sample.read(ExitStatus::Exited(0));
        let mut spending = Spending::default();
        reading.usages().for_each(|usage| spending.add(usage));
        let (stated, cost) = match sample.driver {
            DriverKind::Claude if sample.name.starts_with("claude-2.0.50") => {
                (Some(9000), Some(22500))
            }
            DriverKind::Claude => (Some(9000), Some(9000)),
            DriverKind::Opencode | DriverKind::Pi => (Some(2400), Some(2400)),
            DriverKind::Gemini => (None, Some(4500)),
            _ => (None, None),
        };
        assert_eq!(reading.end.totals[0].usd_e6, stated, "{}", sample.name);
        let by_model = spending.by_model(&Prices::built_in()).into_iter();
        let found: Option<u64> = by_model.map(|priced| priced.usage.usd_e6).sum();
        assert_eq!(found, cost, "{}", sample.name);
    }
}

#[test]
fn words_without_work_are_no_problem_of_the_agent() {
    for sample in case("says-done") {
        let reading = sample.read(ExitStatus::Exited(0));
        assert_eq!(reading.end.problem, None, "{}", sample.name);
        assert_eq!(reading.tools(), [], "{}", sample.name);
        assert_eq!(reading.tokens(), 1100, "{}", sample.name);
    }
}

#[test]
fn a_failed_command_is_a_failed_call() {
    for sample in case("failing-command") {
        let reading = sample.read(ExitStatus::Exited(0));
        assert_eq!(reading.end.problem, None, "{}", sample.name);
        // Gemini says `success` of a command that ran, whatever its exit code.
        let ok = sample.driver == DriverKind::Gemini;
        let ended = |event: &AgentEvent| matches!(event, AgentEvent::ToolEnded { ok: found, output, .. } if *found == ok && output.contains("oops"));
        assert!(has(&reading, ended), "{}", sample.name);
    }
}

#[test]
fn a_denied_tool_is_told_although_the_exit_code_is_0() {
    for sample in case("denied-ask") {
        let problem = sample.read(ExitStatus::Exited(0)).end.problem;
        assert!(
            matches!(&problem, Some(AgentProblem::Denied { tool, .. }) if tool == "bash"),
            "{}: {problem:?}",
            sample.name
        );
    }
    for sample in case("denied").filter(|sample| sample.driver == DriverKind::Claude) {
        let reading = sample.read(ExitStatus::Exited(0));
        assert!(has(
            &reading,
            |event| matches!(event, AgentEvent::Denied { tool, .. } if tool == "Bash")
        ));
        let problem = reading.end.problem.unwrap().to_string();
        assert_eq!(
            problem,
            "the agent was not allowed to use `Bash`: echo hello > hello.txt"
        );
    }
}

/// How a failed agent exits: pi with 0 once it has started, Gemini with a code of its own.
fn exit(sample: &Sample, gemini: i32) -> ExitStatus {
    match sample.driver {
        DriverKind::Pi if sample.case != "not-logged-in" => ExitStatus::Exited(0),
        DriverKind::Gemini => ExitStatus::Exited(gemini),
        _ => ExitStatus::Exited(1),
    }
}

#[test]
fn a_missing_login_is_told() {
    for sample in case("status-401").chain(case("not-logged-in")) {
        let status = exit(&sample, if sample.case == "status-401" { 145 } else { 41 });
        let reading = sample.read(status);
        assert_eq!(
            reading.end.problem,
            Some(AgentProblem::LoginRequired),
            "{}",
            sample.name
        );
        assert_eq!(reading.tokens(), 0, "{}", sample.name);
    }
}

#[test]
fn a_model_that_fails_is_told() {
    let cases = ["status-429", "status-500", "garbage", "half-stream"];
    for sample in cases.into_iter().flat_map(case) {
        let status = exit(&sample, 1);
        let problem = sample.read(status).end.problem;
        assert!(
            matches!(problem, Some(AgentProblem::ModelFailed(_))),
            "{}: {problem:?}",
            sample.name
        );
    }
}

#[test]
fn an_agent_that_hangs_has_no_problem_of_its_own() {
    for sample in case("hang") {
        assert_eq!(
            sample.read(ExitStatus::TimedOut).end.problem,
            None,
            "{}",
            sample.name
        );
        let killed = sample.read(ExitStatus::Signaled(9)).end.problem;
        assert_eq!(killed, Some(AgentProblem::Signaled(9)), "{}", sample.name);
        let gone = sample.read(ExitStatus::Exited(0)).end.problem;
        assert_eq!(gone, Some(AgentProblem::Incomplete), "{}", sample.name);
    }
}

#[test]
fn parts_of_messages_count_their_output_at_once() {
    for sample in case("partial") {
        let reading = sample.read(ExitStatus::Exited(0));
        assert_eq!(reading.tokens(), 2200);
        // All but the cost is known before the end.
        let last = reading.usages().last().unwrap();
        assert_eq!((last.tokens(), last.usd_e6), (0, Some(9000)));
    }
}

#[test]
fn a_continued_session_counts_only_what_is_new() {
    for sample in case("resumed") {
        assert_eq!(sample.read(ExitStatus::Exited(0)).tokens(), 4400);
        let before = [ModelUsage {
            input: 2000,
            output: 200,
            ..ModelUsage::default()
        }];
        let options = ReaderOptions {
            model: Some("gpt-5"),
            used_before: &before,
        };
        let exit = AgentExit {
            status: ExitStatus::Exited(0),
            stderr: b"",
        };
        let reading = read_with(sample.driver, &options, &sample.stdout, exit);
        assert_eq!(reading.tokens(), 2200);
        assert_eq!(reading.end.totals[0].model.as_deref(), Some("gpt-5"));
    }
}

#[test]
fn a_written_file_is_a_changed_file() {
    for sample in case("writes") {
        let reading = sample.read(ExitStatus::Exited(0));
        let changed = |event: &AgentEvent| matches!(event, AgentEvent::FileChanged { path } if path.starts_with("/work/project/h"));
        assert!(
            has(&reading, changed),
            "{}: {:?}",
            sample.name,
            reading.events
        );
    }
}

#[test]
fn totals_are_the_sum_of_the_events() {
    for sample in samples() {
        let reading = sample.read(ExitStatus::Exited(0));
        let totals: u64 = reading.end.totals.iter().map(ModelUsage::tokens).sum();
        assert_eq!(reading.tokens(), totals, "{}", sample.name);
    }
}
