// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/build.rs: where libtenon lies: in $TENON_LIB_DIR, beside the installed
// crate, where pkg-config finds it, or where the linker looks anyway.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TENON_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if std::env::var_os("CARGO_FEATURE_LOAD").is_some() {
        return;
    }
    if let Some(folder) = given().or_else(beside).or_else(of_pkg_config) {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
    println!("cargo:rustc-link-lib=dylib=tenon");
}

fn given() -> Option<PathBuf> {
    std::env::var_os("TENON_LIB_DIR").map(PathBuf::from)
}

/// The crate is installed as <prefix>/share/tenon/rust/tenon-sys.
fn beside() -> Option<PathBuf> {
    let prefix = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?)
        .ancestors()
        .nth(4)?
        .to_owned();
    let folders = ["lib".into(), "lib64".into(), multiarch()];
    let mut folders = folders.iter().map(|folder: &String| prefix.join(folder));
    folders.find(|folder| folder.join("libtenon.so").exists())
}

/// "lib/x86_64-linux-gnu", where Debian has libraries.
fn multiarch() -> String {
    let part = |name: &str| std::env::var(name).unwrap_or_default();
    format!(
        "lib/{}-{}-gnu",
        part("CARGO_CFG_TARGET_ARCH"),
        part("CARGO_CFG_TARGET_OS")
    )
}

fn of_pkg_config() -> Option<PathBuf> {
    let asked = Command::new("pkg-config")
        .args(["--variable=libdir", "tenon"])
        .output()
        .ok()?;
    let folder = String::from_utf8(asked.stdout).ok()?;
    let folder = folder.trim();
    (asked.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}
