//! Has what tests start thousands of times start quicker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Without this the loader relocates some hundred thousand addresses of an unoptimised binary, which takes it longer than
    // most commands take. What ships keeps its random addresses.
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
