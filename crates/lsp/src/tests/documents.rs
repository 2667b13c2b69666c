//! Which documents and changes a server is sent, and in which order.

use serde_json::{Value, json};

use super::peer::{Peer, Stage, able};
use crate::documents::OPEN_DOCUMENTS;
use crate::{Change, ServerError, Span};
use symd_base::RelPath;

type Asking = tokio::task::JoinHandle<Result<Vec<Span>, ServerError>>;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn ask(stage: &Stage, file: &str) -> Asking {
    let (session, at) = (stage.session.clone(), stage.at(file, ""));
    tokio::spawn(async move { session.references(&at).await })
}

/// Reads up to the request, answers it, and returns the messages before it.
async fn before_references(peer: &mut Peer) -> Vec<Value> {
    let mut before = Vec::new();
    loop {
        let message = peer.next().await.unwrap();
        if message["method"] == "textDocument/references" {
            peer.answer(&message, Value::Null).await;
            return before;
        }
        before.push(message);
    }
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["method"].as_str().unwrap().rsplit('/').next().unwrap()).collect()
}

/// Notes a change, and returns the messages that the server receives.
async fn change(stage: &mut Stage, file: &str, change: Change) -> Vec<Value> {
    stage.session.file_changed(&path(file), change);
    let mut heard = Vec::new();
    loop {
        let message = stage.peer.next().await.unwrap();
        let is_last = message["method"] == "workspace/didChangeWatchedFiles";
        heard.push(message);
        if is_last {
            return heard;
        }
    }
}

#[tokio::test]
async fn a_document_is_opened_once_and_changed_where_it_differs() {
    let mut stage = Stage::new(&[("ä b.py", "x = \"😀\"\r\ny = 1\r\n")], able()).await;
    let asking = ask(&stage, "ä b.py");
    let before = before_references(&mut stage.peer).await;
    asking.await.unwrap().unwrap();
    assert_eq!(methods(&before), ["didOpen"]);
    let opened = &before[0]["params"]["textDocument"];
    assert_eq!(opened["uri"], json!(stage.uri("ä b.py")));
    assert_eq!(
        (&opened["languageId"], &opened["text"]),
        (&json!("python"), &json!("x = \"😀\"\r\ny = 1\r\n"))
    );

    let asking = ask(&stage, "ä b.py");
    assert!(before_references(&mut stage.peer).await.is_empty());
    asking.await.unwrap().unwrap();

    stage.write("ä b.py", "x = \"😀\u{1F601}\"\r\ny = 1\r\n");
    let heard = change(&mut stage, "ä b.py", Change::Written).await;
    assert_eq!(heard[0]["params"]["changes"], json!([{"uri": stage.uri("ä b.py"), "type": 2}]));
    let asking = ask(&stage, "ä b.py");
    let before = before_references(&mut stage.peer).await;
    asking.await.unwrap().unwrap();
    assert_eq!(methods(&before), ["didChange"]);
    let place = json!({"line": 0, "character": 7});
    let expected = json!([{"range": {"start": place, "end": place}, "text": "\u{1F601}"}]);
    assert_eq!(before[0]["params"]["contentChanges"], expected);
    assert!(before[0]["params"]["textDocument"]["version"].as_i64() > opened["version"].as_i64());
}

#[tokio::test]
async fn changes_are_told_as_the_server_asks() {
    for (sync, expected) in [
        (json!(1), vec!["didChange"]),
        (json!({"openClose": true, "change": 1}), vec!["didChange"]),
        (json!({"openClose": true}), vec!["didClose", "didOpen"]),
        (json!(0), vec![]),
        (json!(null), vec![]),
    ] {
        let capabilities = json!({"referencesProvider": true, "textDocumentSync": sync});
        let mut stage = Stage::new(&[("a.py", "x = 1\n")], capabilities).await;
        let asking = ask(&stage, "a.py");
        let before = before_references(&mut stage.peer).await;
        asking.await.unwrap().unwrap();
        assert_eq!(methods(&before), if expected.is_empty() { vec![] } else { vec!["didOpen"] }, "{sync}");
        stage.write("a.py", "x = 2\n");
        change(&mut stage, "a.py", Change::Written).await;
        let asking = ask(&stage, "a.py");
        let before = before_references(&mut stage.peer).await;
        asking.await.unwrap().unwrap();
        assert_eq!(methods(&before), expected, "{sync}");
        let text = before.last().map(|last| last["params"].to_string());
        assert!(text.is_none_or(|text| text.contains("x = 2\\n")), "{sync}");
    }
}

#[tokio::test]
async fn other_open_documents_are_brought_up_to_date_too() {
    let files = [("a.py", "x = 1\n"), ("b.py", "y = 1\n"), ("c.py", "z = 1\n")];
    let mut stage = Stage::new(&files, able()).await;
    for (file, _) in files {
        let asking = ask(&stage, file);
        before_references(&mut stage.peer).await;
        asking.await.unwrap().unwrap();
    }
    stage.write("b.py", "y = 2\n");
    change(&mut stage, "b.py", Change::Written).await;
    // The content is unchanged, so nothing is sent.
    change(&mut stage, "c.py", Change::Written).await;
    let asking = ask(&stage, "a.py");
    let before = before_references(&mut stage.peer).await;
    asking.await.unwrap().unwrap();
    assert_eq!(methods(&before), ["didChange"]);
    assert_eq!(before[0]["params"]["textDocument"]["uri"], json!(stage.uri("b.py")));
}

#[tokio::test]
async fn what_is_gone_is_closed_before_it_is_told() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")], able()).await;
    let asking = ask(&stage, "a.py");
    before_references(&mut stage.peer).await;
    asking.await.unwrap().unwrap();
    let at = stage.at("a.py", "x");
    #[allow(clippy::disallowed_methods)]
    std::fs::remove_file(stage.folder.path().join("a.py")).unwrap();
    let heard = change(&mut stage, "a.py", Change::Deleted).await;
    assert_eq!(methods(&heard), ["didClose", "didChangeWatchedFiles"]);
    assert_eq!(heard[1]["params"]["changes"][0]["type"], json!(3));
    assert_eq!(stage.session.references(&at).await, Err(ServerError::Changed { path: "a.py".into() }));
    let asking = ask(&stage, "b.py");
    assert_eq!(methods(&before_references(&mut stage.peer).await), ["didOpen"]);
    asking.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_question_about_another_version_is_not_asked() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n")], able()).await;
    let old = stage.at("a.py", "x");
    stage.write("a.py", "\nx = 1\n");
    assert_eq!(stage.session.references(&old).await, Err(ServerError::Changed { path: "a.py".into() }));
    let asking = ask(&stage, "a.py");
    let before = before_references(&mut stage.peer).await;
    assert_eq!(before[0]["params"]["textDocument"]["text"], json!("\nx = 1\n"));
    asking.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_answer_about_a_version_that_was_replaced_meanwhile_does_not_count() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n")], able()).await;
    let first = ask(&stage, "a.py");
    stage.peer.expect("textDocument/didOpen").await;
    let request = stage.peer.expect("textDocument/references").await;
    stage.write("a.py", "x = 2\n");
    change(&mut stage, "a.py", Change::Written).await;
    let second = ask(&stage, "a.py");
    before_references(&mut stage.peer).await;
    second.await.unwrap().unwrap();
    stage.peer.answer(&request, Value::Null).await;
    assert_eq!(first.await.unwrap(), Err(ServerError::Changed { path: "a.py".into() }));
}

#[tokio::test]
async fn what_is_no_text_cannot_be_asked() {
    let stage = Stage::new(&[("a.py", "x\0y")], able()).await;
    let at = stage.at("a.py", "x");
    let error = stage.session.references(&at).await.unwrap_err().to_string();
    assert_eq!(error, "peer failed: a.py: binary file");
}

#[tokio::test]
async fn the_longest_unasked_document_is_closed_unless_a_question_is_under_way() {
    let names: Vec<String> = (0..=OPEN_DOCUMENTS + 1).map(|number| format!("f{number}.py")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x = 1\n")).collect();
    let mut stage = Stage::new(&files, able()).await;
    // The first request stays in progress all the time.
    let pinned = ask(&stage, &names[0]);
    stage.peer.expect("textDocument/didOpen").await;
    let request = stage.peer.expect("textDocument/references").await;
    let mut closed = Vec::new();
    for name in &names[1..] {
        let asking = ask(&stage, name);
        for message in before_references(&mut stage.peer).await {
            if message["method"] == "textDocument/didClose" {
                closed.push(message["params"]["textDocument"]["uri"].clone());
            }
        }
        asking.await.unwrap().unwrap();
    }
    assert_eq!(closed, [json!(stage.uri("f1.py")), json!(stage.uri("f2.py"))]);
    stage.peer.answer(&request, Value::Null).await;
    pinned.await.unwrap().unwrap();
}

#[tokio::test]
async fn many_changes_are_told_in_batches_and_before_the_next_question() {
    let mut stage = Stage::new(&[("a.py", "x = 1\n")], able()).await;
    for number in 0..2500 {
        stage.session.file_changed(&path(&format!("n{number:04}.py")), Change::Created);
    }
    let asking = ask(&stage, "a.py");
    let before = before_references(&mut stage.peer).await;
    asking.await.unwrap().unwrap();
    let sizes: Vec<usize> =
        before.iter().filter_map(|message| message["params"]["changes"].as_array()).map(Vec::len).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 2500);
    assert!(sizes.iter().all(|&size| size <= 1000), "{sizes:?}");
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_opened_is_read_again() {
    // The change comes between reading and opening: the table must not treat the text as current.
    use crate::capabilities::{Sync, SyncKind};
    use crate::documents::{Content, Documents};
    let content = |text: &str| Content {
        hash: symd_base::ContentHash::of(text.as_bytes()),
        text: symd_base::Text::decode(text.as_bytes().to_vec()).unwrap(),
    };
    let sync = Sync { opens: true, change: SyncKind::Incremental };
    let mut documents = Documents::new(sync, crate::ColumnEncoding::Utf16);
    let read_at = documents.tick();
    documents.changed(&path("a.py"));
    documents.open(&path("a.py"), ("u".into(), "python".into()), content("old"), read_at, 0);
    assert_eq!(documents.stale(), [path("a.py")]);
    // An earlier read does not replace a later one.
    let later = documents.tick();
    assert_eq!(documents.update(&path("a.py"), content("new"), later, 0).len(), 1);
    assert!(documents.stale().is_empty());
    assert!(documents.update(&path("a.py"), content("old"), read_at, 0).is_empty());
    assert_eq!(documents.sent_state(&path("a.py")).unwrap().content.text.as_str(), "new");
}
