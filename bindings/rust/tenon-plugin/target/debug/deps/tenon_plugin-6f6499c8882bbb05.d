/work/main/bindings/rust/tenon-plugin/target/debug/deps/tenon_plugin-6f6499c8882bbb05.d: src/lib.rs src/backend.rs src/collective.rs src/dataset.rs src/describe.rs src/format.rs src/guard.rs src/launch.rs src/layer.rs src/plugin.rs src/rule.rs src/schedule.rs src/tokenizer.rs src/transform.rs src/layout.rs src/raw.rs

/work/main/bindings/rust/tenon-plugin/target/debug/deps/libtenon_plugin-6f6499c8882bbb05.rmeta: src/lib.rs src/backend.rs src/collective.rs src/dataset.rs src/describe.rs src/format.rs src/guard.rs src/launch.rs src/layer.rs src/plugin.rs src/rule.rs src/schedule.rs src/tokenizer.rs src/transform.rs src/layout.rs src/raw.rs

src/lib.rs:
src/backend.rs:
src/collective.rs:
src/dataset.rs:
src/describe.rs:
src/format.rs:
src/guard.rs:
src/launch.rs:
src/layer.rs:
src/plugin.rs:
src/rule.rs:
src/schedule.rs:
src/tokenizer.rs:
src/transform.rs:
src/layout.rs:
src/raw.rs:
