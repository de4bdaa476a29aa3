// Prints a book: makes covers and pages at once, and binds them when all exist.
import ClosureTasks
import Foundation

typealias Task = ClosureTask<Void>

struct Sheet { var text: String }
struct Book {
  var title: String
  var covers: [Sheet]
  var pages: [Sheet]
}
struct PaperJam: Error {}

class Press {
  private let queue = DispatchQueue(label: "press")
  private var texts: [String] = []
  var printed: [String] { queue.sync { texts } }

  func run(_ text: String, then handler: @escaping (Error?) -> Void) {
    queue.async {
      if text.isEmpty { return handler(PaperJam()) }
      self.texts.append(text)
      handler(nil)
    }
  }
}

// A task around a call with a callback.

extension Task {
  static func printing(_ sheet: Sheet, on press: Press) -> Task {
    return Task { controller in
      press.run(sheet.text) { error in
        if let error = error {
          controller.fail(with: error)
        } else {
          controller.finish()
        }
      }
    }
  }

  static func binding(_ book: Book, on press: Press) -> Task {
    return Task { controller in
      press.run("bound: \(book.title)") { error in
        if let error = error {
          controller.fail(with: error)
        } else {
          controller.finish()
        }
      }
    }
  }
}

// A group, and a sequence of the group and a task.

func publish(_ book: Book, on press: Press, then handler: @escaping (Outcome) -> Void) {
  let covers = book.covers.map { cover in
    return Task.printing(cover, on: press)
  }
  let pages = book.pages.map { page in
    return Task.printing(page, on: press)
  }
  let sequence = Task.sequence([
    .group(covers + pages),
    .binding(book, on: press),
  ])
  sequence.perform(then: handler)
}

// What it does.

func check(_ isRight: Bool, _ what: String) {
  print(isRight ? "right:" : "wrong:", what)
  if !isRight { exit(1) }
}

class Answer {
  var outcome: Outcome?
}

func wait(for start: (@escaping (Outcome) -> Void) -> Void) -> Outcome {
  let done = DispatchSemaphore(value: 0)
  let answer = Answer()
  start { outcome in
    answer.outcome = outcome
    done.signal()
  }
  done.wait()
  return answer.outcome!
}

func hasSucceeded(_ outcome: Outcome) -> Bool {
  switch outcome {
  case .success:
    return true
  case .failure(let error):
    print("it failed:", error)
    return false
  }
}

let sheets = ["one", "two", "three"].map { Sheet(text: $0) }

let loose = Press()
for sheet in sheets {
  let task = Task.printing(sheet, on: loose)
  check(hasSucceeded(wait { task.perform(then: $0) }), "\(sheet.text) is performed by itself")
}
check(loose.printed == ["one", "two", "three"], "one after another")

let own = DispatchQueue(label: "own")
let queued = wait { handler in
  Task.printing(Sheet(text: "on a queue"), on: loose).perform(on: own) { outcome in
    handler(outcome)
  }
}
check(hasSucceeded(queued), "a task is performed on a queue of one's own")

let covers = Task.group(sheets.map { Task.printing($0, on: loose) })
check(hasSucceeded(wait { covers.perform(then: $0) }), "a group is a task")

let press = Press()
let book = Book(title: "Ways", covers: [Sheet(text: "front"), Sheet(text: "back")], pages: sheets)
check(hasSucceeded(wait { publish(book, on: press, then: $0) }), "a book is printed and bound")
check(
  press.printed.last == "bound: Ways" && press.printed.count == 6, "it is bound when all sheets are there")

let jammed = Press()
let torn = Book(title: "Torn", covers: [Sheet(text: "")], pages: sheets)
check(!hasSucceeded(wait { publish(torn, on: jammed, then: $0) }), "a sheet that fails is the outcome")
check(!jammed.printed.contains("bound: Torn"), "nothing is bound after it")
