//! `review` and `watch` in a real terminal: tmux draws what the screens send to it, and takes the keys.

mod review;
mod tmux;
mod watch;
