//! The fake holds barriers until the test lets them go.

use std::time::Duration;

use super::*;

#[test]
fn a_fake_says_only_what_the_test_says() {
    let (send, notices) = sync_channel(4);
    let (watch, handle) = Watch::fake(move |batch| match send.send(batch) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    let path = RelPath::new("a").expect("valid");
    let numbers = [watch.barrier().expect("asked"), watch.barrier().expect("asked")];
    watch.rescan(&path);
    assert!(handle.tell(vec![Notice::Changed(path.clone())]).is_continue());
    assert!(handle.arrive(Duration::from_secs(1)).is_continue());
    assert_eq!(handle.rescans(), std::slice::from_ref(&path));
    assert_eq!(notices.recv().expect("told"), [Notice::Changed(path)]);
    assert_eq!(notices.recv().expect("told"), numbers.map(Notice::Barrier));
    drop(notices);
    assert!(handle.tell(vec![Notice::Crawled]).is_break());
}
