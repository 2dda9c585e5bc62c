//! Rules about the workspace that no compiler checks: its layers, names, sources, dependencies and its map.

mod architecture;
mod crate_files;
mod default_build;
mod dependencies;
mod layering;
mod names;
mod sources;
