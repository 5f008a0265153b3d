// SPDX-License-Identifier: Apache-2.0
// tests/rust/alone.rs: what is asked of a process that does nothing beside: threads that end,
// devices, timelines. One test, since tests of one file run at once.

use tenon::{Device, Result};

/// Threads of this process; those of the compute pool stay.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn loaders_that_are_dropped_in_the_middle_leave_no_thread() -> Result<()> {
    tenon::set_threads(1)?;
    let before = threads();
    let mut loader = tenon::Loader::of_numbers(100_000, 4)
        .shuffle(true)
        .workers(4)
        .build()?;
    let mut pass = loader.pass();
    for batch in pass.by_ref().take(3) {
        assert_eq!(batch?.size, 4);
    }
    assert!(threads() >= before + 4, "there are workers");
    drop(pass);
    drop(loader);
    assert_eq!(threads(), before);
    // Nor one whose pass ends with a panic.
    let run = std::panic::catch_unwind(|| {
        let mut loader = tenon::Loader::of_numbers(100_000, 4)
            .workers(4)
            .build()
            .unwrap();
        let batch = loader.next_batch::<1>().unwrap();
        assert!(batch.is_none(), "boom");
    });
    assert!(run.is_err());
    assert_eq!(threads(), before);
    Ok(())
}

fn devices_are_found_at_run_time() -> Result<()> {
    let folder = std::env::var("TENON_TEST_BUILD").expect("TENON_TEST_BUILD") + "/sim_plugins";
    let options = tenon::RuntimeOptions {
        plugin_paths: vec![folder],
        ..Default::default()
    };
    let context = tenon::Context::new(&tenon::Runtime::new(&options)?)?;
    context.enter(|| {
        let sim = Device::new("sim")?;
        let x = tenon::ones([2, 3])?.to(&sim)?;
        assert_eq!(x.device()?, sim);
        assert_eq!(tenon::sum(&(&x + 1)?).call()?.item()?, 12.0);
        let found = x.host::<f32>().err().expect("a refusal").found.clone();
        assert_eq!(found, "one on a device");
        tenon::wait(&sim)
    })
}

#[test]
fn alone() -> Result<()> {
    loaders_that_are_dropped_in_the_middle_leave_no_thread()?;
    devices_are_found_at_run_time()?;
    let (_, json) = tenon::profile(|| tenon::ones([2]))?;
    assert!(json.contains("traceEvents"));
    assert!(tenon::query("ops")?.contains("tenon.add"));
    tenon::release_cache()?;
    Ok(())
}
