//! Plans that are carried out: agents, contracts, questions, and what people see of them.

mod acceptance;
mod again;
mod agent_tools;
mod agents;
mod asking;
mod confined;
mod connected_agents;
mod control;
mod dialects_run;
mod edit_during_run;
mod every_event;
mod flood;
mod gates;
mod ignored_work;
mod live;
mod logins;
mod ordinary_user;
mod permissions;
mod prepare;
mod proposals_run;
mod questions;
mod quick;
mod real_agents;
mod seeds_run;
mod warm;
