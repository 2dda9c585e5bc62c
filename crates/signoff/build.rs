//! Has what is started thousands of times start quicker.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // Without this the loader relocates some hundred thousand addresses of an unoptimised binary, which takes it longer than
    // most commands take. What ships keeps its random addresses.
    if is("PROFILE", "debug") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    } else if is_for_this_machine() && starts_with(PACKED) {
        println!("cargo::rustc-link-arg-bins={PACKED}");
    }
    if is("CARGO_CFG_TARGET_ENV", "gnu") {
        include_unwinder();
    }
}

/// Keeps some fifty thousand relocations in bitmaps: the loader reads a megabyte less at each start.
const PACKED: &str = "-Wl,-z,pack-relative-relocs";

/// Whether what is built stays here. What ships (the profile `dist`) has to start with loaders that know no such bitmaps.
fn is_for_this_machine() -> bool {
    let folder = out_folder();
    let profile = folder.ancestors().nth(3).and_then(Path::file_name);
    is_native() && profile.is_some_and(|name| name == "release")
}

/// Whether a program that is linked with this option starts: linker and loader have to know it.
fn starts_with(option: &str) -> bool {
    let (source, program) = (out_folder().join("starts.rs"), out_folder().join("starts"));
    std::fs::write(&source, "fn main() {}\n").expect("cargo's folder is ours");
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let rustc = variable("RUSTC").expect("cargo sets it");
    let mut link = Command::new(rustc);
    link.args([&source, Path::new("-o"), &program]);
    if let Some(flags) = variable("CARGO_ENCODED_RUSTFLAGS") {
        link.args(flags.split('\u{1f}'));
    }
    if let Some(linker) = variable("RUSTC_LINKER") {
        link.arg(format!("-Clinker={linker}"));
    }
    link.arg(format!("-Clink-arg={option}"));
    let succeeds = |command: &mut Command| command.output().is_ok_and(|done| done.status.success());
    succeeds(&mut link) && succeeds(&mut Command::new(&program))
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
