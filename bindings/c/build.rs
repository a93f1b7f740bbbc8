//! The name by which programs find the shared library: with the number of its binary interface.

fn main() {
    let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).expect("build: a package has a version");
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    let abi = if major == "0" { format!("0.{minor}") } else { major };
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsealstone.so.{abi}");
    }
    println!("cargo:rustc-env=SEALSTONE_ABI={abi}");
    println!("cargo:rerun-if-changed=build.rs");
}
