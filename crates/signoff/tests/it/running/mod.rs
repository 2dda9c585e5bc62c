//! Plans that are carried out: agents, contracts, questions, and what people see of them.

mod acceptance;
mod again;
mod agent_tools;
mod agents;
mod asking;
mod choosing_roles;
mod confined;
mod connected_agents;
mod control;
mod dialects_run;
mod edit_during_run;
mod every_event;
mod flood;
mod gates;
mod ignored_work;
mod kept_runs;
mod live;
mod logins;
mod ordinary_user;
mod permissions;
mod prepare;
mod proposals_run;
mod questions;
mod quick;
mod real_agents;
mod recovering;
mod reviewing;
pub(crate) mod seeds_run;
#[cfg(feature = "otel")]
mod telemetry;
mod warm;
mod webhook;
