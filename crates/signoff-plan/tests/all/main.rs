//! What holds of whole plans, in every dialect: one binary, so that it is linked once.

mod coverage;
mod exercise;
mod generate;
mod laws;
mod world;

mod conversion;
mod corpus;
mod edit;
mod examples;
mod format;
mod import;
mod limits;
mod marks_converted;
mod properties;
mod proposal;
mod read_only;
mod record;
mod shell_oracle;
mod thread;
mod toolplan;
mod write;
