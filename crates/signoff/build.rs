//! Has what is started thousands of times start quicker.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // Without this the loader writes some fifty thousand addresses before each command, which takes it as long as the rest of
    // a start. What ships keeps its random addresses: `docs/design/dependencies.md` says what they are worth.
    if !ships() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    if is("CARGO_CFG_TARGET_ENV", "gnu") {
        include_unwinder();
    }
}

/// Whether it is built by the profile `dist`; cargo names only the profile that it inherits.
fn ships() -> bool {
    let folder = out_folder();
    let profile = folder.ancestors().nth(3).and_then(Path::file_name);
    profile.is_some_and(|name| name == "dist")
}

fn out_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"))
}

fn is_native() -> bool {
    std::env::var("HOST") == std::env::var("TARGET")
}

fn is(name: &str, value: &str) -> bool {
    std::env::var(name).is_ok_and(|found| found == value)
}

/// Every start opens, maps and relocates each shared library, so the one that unwinds stacks becomes a part of the binary: the
/// linker finds this file under the library's name, which sends it to the static one. A compiler that has none changes nothing.
fn include_unwinder() {
    if !is_native() || !has_static_library("libgcc_eh.a") {
        return;
    }
    let folder = out_folder().join("link");
    std::fs::create_dir_all(&folder).expect("cargo's folder is ours");
    let named = folder.join("libgcc_s.so");
    std::fs::write(named, "INPUT(-lgcc_eh -lgcc)\n").expect("cargo's folder is ours");
    println!("cargo::rustc-link-search=native={}", folder.display());
}

/// The C compiler prints where the file is, or only its name.
fn has_static_library(name: &str) -> bool {
    let asked = format!("-print-file-name={name}");
    let printed = Command::new("cc").arg(asked).output();
    let printed = printed.map(|done| done.stdout).unwrap_or_default();
    PathBuf::from(String::from_utf8_lossy(&printed).trim()).is_absolute()
}
