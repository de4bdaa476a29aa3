// A book is printed: covers and pages at once, and bound when all of them are there. What tasks capture is Sendable.
import ClosureTasks
import Foundation
import Synchronization

typealias Task = ClosureTask<Void>

struct Sheet { var text: String }
struct Book {
  var title: String
  var covers: [Sheet]
  var pages: [Sheet]
}
struct PaperJam: Error {}

final class Press: Sendable {
  private let queue = DispatchQueue(label: "press")
  private let texts = Mutex<[String]>([])
  var printed: [String] { texts.withLock { $0 } }

  func run(_ text: String, then handler: @escaping @Sendable (Error?) -> Void) {
    queue.async {
      if text.isEmpty { return handler(PaperJam()) }
      self.texts.withLock { $0.append(text) }
      handler(nil)
    }
  }
}

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

func publish(_ book: Book, on press: Press, then handler: @escaping @Sendable (Outcome) -> Void) {
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

@main
enum Printing {
  static func check(_ isRight: Bool, _ what: String) {
    print(isRight ? "right:" : "wrong:", what)
    if !isRight { exit(1) }
  }

  static func main() async throws {
    let sheets = ["one", "two", "three"].map { Sheet(text: $0) }
    let loose = Press()
    for sheet in sheets {
      let task = Task.printing(sheet, on: loose)
      try await task.value
    }
    check(loose.printed == ["one", "two", "three"], "tasks are awaited one after another")

    let press = Press()
    let book = Book(title: "Ways", covers: [Sheet(text: "front"), Sheet(text: "back")], pages: sheets)
    let outcome = await withCheckedContinuation { done in
      publish(book, on: press) { outcome in
        done.resume(returning: outcome)
      }
    }
    if case .failure(let error) = outcome { check(false, "a book is printed: \(error)") }
    check(
      press.printed.last == "bound: Ways" && press.printed.count == 6, "it is bound when all sheets are there"
    )

    let jammed = Press()
    let torn = Book(title: "Torn", covers: [Sheet(text: "")], pages: sheets)
    let failure = await withCheckedContinuation { done in
      publish(torn, on: jammed) { done.resume(returning: $0) }
    }
    if case .success = failure { check(false, "a sheet that fails is the outcome") }
    check(!jammed.printed.contains("bound: Torn"), "nothing is bound after a failure")
  }
}
