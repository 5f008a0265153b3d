// SPDX-License-Identifier: Apache-2.0
// tests/rust/ends.rs: what calls do after the end of a runtime, a context, a thread, and while the
// program ends. Without a harness, which would compute in a thread of its own: each case is this
// program once more, told by its argument what to do.

use std::cell::RefCell;
use tenon::{sys, Context, Result, Runtime, RuntimeOptions};

extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

/// What a call does: "5", or the status and the words of its error.
fn outcome() -> String {
    let sum = || -> Result<f64> { (&tenon::ones([1])? + 4.0)?.item() };
    match sum() {
        Ok(value) => value.to_string(),
        Err(error) => format!("{:?} {}", error.status, error.message),
    }
}
fn tell(when: &str) {
    println!("{when}: {}", outcome());
}

struct Teller(&'static str);
impl Drop for Teller {
    fn drop(&mut self) {
        tell(self.0);
    }
}

thread_local! {
    static EARLY: RefCell<Option<Teller>> = const { RefCell::new(None) };
    static LATE: RefCell<Option<Teller>> = const { RefCell::new(None) };
}

extern "C" fn early_handler() {
    tell("early handler");
}
extern "C" fn late_handler() {
    tell("late handler");
}

fn work() {
    EARLY.with(|place| *place.borrow_mut() = Some(Teller("early")));
    tell("before");
    LATE.with(|place| *place.borrow_mut() = Some(Teller("late")));
}

fn runtime_and_context() -> Result<()> {
    let runtime = Runtime::new(&RuntimeOptions::default())?;
    let context = Context::new(&runtime)?;
    let handle = runtime.handle();
    drop(runtime); // the context holds it
    context.enter(|| tell("runtime dropped"));
    let held = unsafe { Context::borrow(context.handle()) };
    unsafe { sys::tenon_runtime_release(handle) };
    held.enter(|| tell("runtime released in C"));
    std::mem::forget(context); // which would release it once more
    Ok(())
}

fn context_released() -> Result<()> {
    let mut made = std::ptr::null_mut();
    let runtime = Runtime::shared()?;
    unsafe { sys::tenon_context_create(runtime.handle(), std::ptr::null_mut(), &mut made) };
    let context = unsafe { Context::borrow(made) };
    let kept = context.enter(|| tenon::ones([1]))?;
    unsafe { sys::tenon_context_release(made) };
    context.enter(|| tell("context released in C"));
    println!("its tensor: {}", (&kept + 4.0)?.item()?);
    Ok(())
}

fn run(case: &str) {
    match case {
        "runtime" => runtime_and_context().unwrap(),
        "context" => context_released().unwrap(),
        "thread" => {
            std::thread::spawn(work).join().unwrap();
            let frozen = std::thread::spawn(|| tenon::ones([1]).unwrap().freeze().unwrap());
            let tensor = frozen.join().unwrap().tensor().unwrap();
            println!("its tensor: {}", (&tensor + 4.0).unwrap().item().unwrap());
        }
        "exit" => unsafe {
            atexit(early_handler);
            work();
            atexit(late_handler);
        },
        "first" => unsafe {
            atexit(early_handler);
        },
        "late" => unsafe {
            atexit(early_handler);
            std::thread::spawn(|| tell("thread")).join().unwrap();
        },
        "meanwhile" => {
            let (started, computed) = std::sync::mpsc::channel();
            for _ in 0..3 {
                let started = started.clone();
                std::thread::spawn(move || -> Result<()> {
                    let x = tenon::ones([200, 200])?;
                    while tenon::matmul(&x, &x).is_ok() {
                        let _ = started.send(());
                    }
                    loop {
                        std::thread::yield_now();
                    }
                });
            }
            for _ in 0..9 {
                computed.recv().unwrap();
            }
        }
        _ => panic!("no case {case}"),
    }
}

const OWN: &str =
    "TENON_E_STATE Context: the thread's own: expected one that is there, found one that has ended";
const SHARED: &str =
    "TENON_E_STATE Runtime::shared: runtime: expected the one of the process, found it \
                      has ended, with the program";

fn main() {
    if let Some(case) = std::env::args()
        .nth(1)
        .filter(|each| !each.starts_with("--"))
    {
        return run(&case);
    }
    let own = |when: &str| format!("{when}: {OWN}");
    let five = |when: &str| format!("{when}: 5");
    let cases = [
        (
            "runtime",
            vec![
                five("runtime dropped"),
                "runtime released in C: TENON_E_RUNTIME".into(),
            ],
        ),
        (
            "context",
            vec![
                "context released in C: TENON_E_HANDLE".into(),
                five("its tensor"),
            ],
        ),
        (
            "thread",
            vec![
                five("before"),
                five("late"),
                own("early"),
                five("its tensor"),
            ],
        ),
        (
            "exit",
            vec![
                five("before"),
                five("late"),
                own("early"),
                own("late handler"),
                format!("early handler: {SHARED}"),
            ],
        ),
        ("meanwhile", vec![]),
        ("first", vec![five("early handler")]),
        (
            "late",
            vec![five("thread"), format!("early handler: {SHARED}")],
        ),
    ];
    for (case, expected) in cases {
        let program = std::env::current_exe().unwrap();
        let done = std::process::Command::new(program)
            .arg(case)
            .output()
            .unwrap();
        let printed = String::from_utf8(done.stdout).unwrap();
        let lines: Vec<_> = printed.lines().collect();
        println!("{case}: {}\n{printed}", done.status);
        assert!(done.status.success());
        assert_eq!(lines.len(), expected.len());
        for (line, begin) in lines.iter().zip(&expected) {
            assert!(line.starts_with(begin), "{line}\nis not\n{begin}");
        }
    }
}
