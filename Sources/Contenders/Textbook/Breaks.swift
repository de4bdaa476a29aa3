import UploadScenario

/// What each shape breaks of the contract, as `bench verify --contenders 'textbook/*'` shows it. A requirement that is broken and not
/// listed fails there, and so does one that is listed and holds.
let breaks: [String: [BrokenRequirement]] = [
  "textbook/dispatch-group": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init("cancellation", in: [.publish], "its handle cancels nothing"),
    .init("cancelled-post", in: [.publish], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.publish], "it waits for the other uploads, which go on after a failure"),
  ],
  "textbook/closure-task": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init("cancellation", in: [.publish], "its handle cancels nothing"),
    .init("cancelled-post", in: [.publish], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.publish], "it waits for the other uploads, which go on after a failure"),
  ],
  "textbook/operation": [
    .init("cancellation", in: [.publish, .sequence], "its handle cancels nothing"),
    .init("cancelled-post", in: [.publish, .sequence], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.publish], "it waits for the other uploads, which go on after a failure"),
    .init("no-start-after-failure", in: [.sequence], "the queue starts the operations that are left"),
    .init("in-order", in: [.sequence], "an operation that comes after a failed one is started"),
  ],
  "textbook/task-group": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init("cancellation", in: [.publish], "its handle cancels nothing"),
    .init("cancelled-post", in: [.publish], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.publish], "it waits for the other uploads, which go on after a failure"),
  ],
  "textbook/async-let": [
    .init("cancellation", in: [.zip], "its handle cancels nothing"),
    .init("cancelled-post", in: [.zip], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.zip], "it waits for the other uploads, which go on after a failure"),
  ],
  "textbook/serial-await": [
    .init("cancellation", in: [.zipSerial], "its handle cancels nothing"),
    .init("cancelled-post", in: [.zipSerial], "its handle cancels nothing, the post neither"),
  ],
  "textbook/zip": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init(
      "no-needless-cancel", in: [.publish, .zip],
      "dropping the handle, and what the sink is stored in with it, cancels the uploads"),
    .init("cancellation", in: [.publish, .zip], "a cancelled sink calls nothing"),
    .init(
      "empty-post", in: [.publish], "a zip of no publishers ends without a value, so nothing creates the post"
    ),
  ],
  "textbook/bridge": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init(
      "empty-post", in: [.publish], "a zip of no publishers ends without a value, so nothing creates the post"
    ),
  ],
  "textbook/coroutine": [
    .init("limit", in: [.publish], "all uploads begin at once"),
    .init("cancellation", in: [.publish], "its handle cancels nothing"),
    .init("cancelled-post", in: [.publish], "its handle cancels nothing, the post neither"),
    .init("first-failure", in: [.publish], "it waits for the other uploads, which go on after a failure"),
    .init("in-flight-cancelled", in: [.publish], "what is in flight goes on after a failure"),
  ],
]
