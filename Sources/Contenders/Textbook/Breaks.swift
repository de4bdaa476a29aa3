import UploadScenario

/// The requirements that each textbook contender breaks: all others must be met, or `bench verify` fails.
let breaks: [String: [BrokenRequirement]] = [
  "textbook/dispatch-group": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.publish],
      because: "the job's handle cancels nothing"),
    BrokenRequirement(
      "first-failure", "in-flight-cancelled", "no-start-after-failure", "in-order", in: [.publish],
      because: "the other uploads continue after a failure"),
  ],
  "textbook/closure-task": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.publish],
      because: "the job's handle cancels nothing"),
    BrokenRequirement(
      "first-failure", "in-flight-cancelled", "no-start-after-failure", "in-order", in: [.publish],
      because: "the other uploads continue after a failure"),
  ],
  "textbook/operation": [
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.publish, .sequence],
      because: "the job's handle cancels nothing"),
    BrokenRequirement(
      "first-failure", "in-flight-cancelled", "no-start-after-failure", "in-order",
      in: [.publish, .sequence], because: "the other uploads continue after a failure"),
  ],
  "textbook/task-group": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.publish],
      because: "the job's handle cancels nothing"),
  ],
  "textbook/async-let": [
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.zip],
      because: "the job's handle cancels nothing"),
    BrokenRequirement(
      "first-failure", "in-flight-cancelled", "no-start-after-failure", "in-order", in: [.zip],
      because: "the other child tasks continue until the caller awaits the failed one"),
  ],
  "textbook/serial-await": [
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.zipSerial],
      because: "the job's handle cancels nothing")
  ],
  "textbook/zip": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "cancellation", "cancelled-post", in: [.publish, .zip],
      because: "a cancelled sink never calls the completion"),
    BrokenRequirement(
      "no-needless-cancel", "without-handle", in: [.publish, .zip],
      because: "the job's handle owns the sink, so releasing the handle cancels the uploads"),
    BrokenRequirement(
      "empty-post", "ends", in: [.publish],
      because: "its code returns early if there is nothing to upload"),
  ],
  "textbook/bridge": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "empty-post", "ends", in: [.publish],
      because: "a zip of no publishers ends without a value, so nothing creates the post"),
  ],
  "textbook/coroutine": [
    BrokenRequirement("limit", in: [.publish], because: "all uploads begin at once"),
    BrokenRequirement(
      "cancellation", "cancelled-post", "cancellation-stops", in: [.publish],
      because:
        "the scope cancels the coroutine before the uploads, and a coroutine that has not begun never ends"),
    BrokenRequirement(
      "first-failure", "in-flight-cancelled", "no-start-after-failure", "in-order", in: [.publish],
      because: "the other uploads continue after a failure"),
  ],
]
