//! What the fuzzer does with every input, for every driver; `robustness.rs` does it over what the fuzzer found.

use std::sync::LazyLock;

use signoff_sandbox::ExitStatus;
use signoff_work::agent::{
    AgentEvent, AgentExit, DriverKind, LineSplitter, ModelUsage, Prices, ReaderOptions, Spending,
};

/// Reading the table takes longer than reading most inputs.
static PRICES: LazyLock<Prices> = LazyLock::new(Prices::built_in);

/// Reads bytes as the stream of each agent. Nothing in them is fatal, and nothing is counted twice or lost.
pub(crate) fn streams(bytes: &[u8]) {
    for driver in DriverKind::ALL {
        for status in [ExitStatus::Exited(0), ExitStatus::Signaled(9)] {
            stream(driver, bytes, status);
        }
    }
}

fn stream(driver: DriverKind, bytes: &[u8], status: ExitStatus) {
    let mut reader = driver.driver().reader(&ReaderOptions::default());
    let mut spending = Spending::default();
    let mut counted = 0_u64;
    let mut take = |events: Vec<AgentEvent>| {
        for event in events {
            if let AgentEvent::Usage(usage) = event {
                counted = counted.saturating_add(usage.tokens());
                spending.add(&usage);
            }
        }
    };
    let mut lines = LineSplitter::default();
    lines.push(bytes, |line| take(reader.read_line(line)));
    lines.finish(|line| take(reader.read_line(line)));
    let end = reader.finish(AgentExit {
        status,
        stderr: b"",
    });
    let totals = end.totals.iter().map(ModelUsage::tokens);
    let total = totals.fold(0, u64::saturating_add);
    assert_eq!(total, counted, "{driver:?} counts what it tells");
    spending.by_model(&PRICES);
}
