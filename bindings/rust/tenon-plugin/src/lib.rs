// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/lib.rs: what a plugin in Rust is written with.
//! Plugins for Tenon in Rust, without any other crate.
//!
//! `raw` is the C ABI, generated from the headers. Its struct tenon_plugin is `tenon_plugin_`:
//! the crate has that name. The rest is a thin layer over it: constant descriptors ([`op`],
//! [`kernel`], ...), callbacks as traits, operands as checked views, and one exported function
//! ([`export_plugin!`]). A panic in a callback becomes the call's error record, with the panic's
//! words; nothing unwinds into the host.
//!
//! ```ignore
//! pub const UNIT: tenon_plugin::Unit = tenon_plugin::Unit { ops: &[...], ..Unit::EMPTY };
//! tenon_plugin::export_plugin!(id: "acme.square", version: "1.0.0", license: "MIT",
//!                              units: &[&UNIT]);
//! ```
#![allow(non_camel_case_types)]

#[cfg(panic = "abort")]
compile_error!("a plugin must unwind to report a panic: remove panic = \"abort\" from the profile");

mod backend;
mod collective;
mod dataset;
mod describe;
mod format;
mod guard;
mod launch;
mod layer;
#[rustfmt::skip]
mod layout;
mod plugin;
#[rustfmt::skip]
pub mod raw;
mod rule;
mod schedule;
mod tokenizer;
mod transform;

pub use backend::{backend, Backend};
pub use collective::{collective, collective_option, required_collective_option};
pub use collective::{Collective, Transfer};
pub use dataset::{dataset, Dataset, Field, Samples, Target};
pub use describe::*;
pub use format::{format, Content, Entry, Format, Piece};
pub use guard::{check, guard, Error, Failure, Result};
pub use launch::{infer_fn, launch_fn, walk};
pub use launch::{Access, Args, Attrs, Element, Infer, Kernel, Launch, Strided, View};
pub use layer::{layer, layer_option, layer_refused, layer_sample, required_layer_option};
pub use layer::{Describe, Forward, Layer};
pub use plugin::{fingerprint, query, About, Plugin, Unit};
pub use rule::{vjp_fn, Rule, Value, Vjp};
pub use schedule::{schedule, schedule_state, Schedule, Step};
pub use tokenizer::{required_tokenizer_option, tokenizer, tokenizer_info, tokenizer_option};
pub use tokenizer::{tokenizer_refused, tokenizer_sample, Tokenizer};
pub use transform::{required_transform_option, transform, transform_option};
pub use transform::{transform_refused, transform_sample, Batch, Transform};

/// Exports the one function of a plugin, `tenon_plugin_query_v0`.
///
/// `units` is a `&'static [&'static Unit]`. With `init: path` that function, a
/// `fn() -> std::result::Result<(), String>`, runs once for each runtime, and its error or panic
/// refuses the plugin.
#[macro_export]
macro_rules! export_plugin {
    (id: $id:expr, version: $version:expr, license: $license:expr, units: $units:expr $(,)?) => {
        $crate::export_plugin!(id: $id, version: $version, license: $license, units: $units,
                               init: $crate::no_init);
    };
    (id: $id:expr, version: $version:expr, license: $license:expr, units: $units:expr,
     init: $init:path $(,)?) => {
        struct ExportedPlugin;
        impl $crate::Plugin for ExportedPlugin {
            const ABOUT: $crate::About = $crate::About {
                id: $id,
                version: $version,
                license: $license,
                units: $units,
                init: $init,
            };
        }
        /// # Safety
        /// Called by the host, with the pointers that tenon/plugin.h promises.
        #[no_mangle]
        pub unsafe extern "C" fn tenon_plugin_query_v0(
            _host: *const $crate::raw::tenon_host,
            out: *mut $crate::raw::tenon_plugin_,
            diag: *mut $crate::raw::tenon_diag,
        ) -> $crate::raw::tenon_status {
            $crate::query::<ExportedPlugin>(out, diag)
        }
    };
}

/// The `init` of a plugin that needs none.
pub fn no_init() -> std::result::Result<(), String> {
    Ok(())
}
