// SPDX-License-Identifier: Apache-2.0
// tests/rust/opened.rs: the library that the program opens when it runs: one that is not there, one
// that is none, and the right one.

use tenon::Status;

#[test]
fn the_library_is_opened_by_name() -> tenon::Result<()> {
    let missing = tenon::open("nowhere/libtenon.so").unwrap_err();
    assert_eq!(missing.status, Status::NOT_FOUND);
    assert!(missing.message.contains("nowhere/libtenon.so"), "{missing}");
    let other = tenon::open("libc.so.6").unwrap_err();
    assert!(
        other.message.contains("libc.so.6: has no function tenon_"),
        "{other}"
    );
    assert_eq!(tenon::open("a\0b").unwrap_err().status, Status::NOT_FOUND);
    // The first call opens $TENON_LIBRARY, and then another name changes nothing.
    assert_eq!(tenon::ones([2])?.size()?, 2);
    tenon::open("nowhere/libtenon.so")
}
