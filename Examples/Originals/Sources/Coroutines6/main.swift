import Coroutines
import CoroutinesFoundation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The programs of ../Coroutines5 in Swift 6 mode, with `Sendable` and `@MainActor`.

let address = URL(string: "http://pictures/1")!

extension Store: CoroutineScheduler {
  func scheduleTask(_ task: @escaping @Sendable () -> Void) {
    perform(task)
  }
}

func makeCountFuture() -> CoFuture<Int> {
  let promise = CoPromise<Int>()
  countLater { count in
    promise.success(count)
  }
  return promise
}

class Gallery: Controller {
  /// A future, work on another queue, and the main queue again.
  func showPicture(_ done: CoPromise<String>) {
    DispatchQueue.main.startCoroutine { @MainActor in
      let dataFuture = URLSession.shared.dataTaskFuture(for: address)
      let data: Data = try dataFuture.await().data
      guard let image = Image(data: data) else { return }
      let small: Image = try DispatchQueue.global().await { image.scaled(by: 7) }
      self.picture.image = small
      done.success("picture of \(self.picture.image?.pixels ?? 0)")
    }
  }

  /// A callback of three arguments.
  func request(_ done: CoPromise<String>) {
    DispatchQueue.main.startCoroutine { @MainActor in
      let (data, response, error) = try Coroutine.await { callback in
        URLSession.shared.dataTask(with: address, completionHandler: callback).resume()
      }
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      done.success("\(status), \(data?.count ?? 0) bytes, \(error == nil ? "no error" : "an error")")
    }
  }

  /// A custom scheduler.
  func queryStore(_ done: CoPromise<String>) {
    DispatchQueue.main.startCoroutine { @MainActor in
      let store = Store()
      let query: Query<NSDictionary> = Query(rows: [["title": "one"], ["title": "two"]])
      let rows: [NSDictionary] = try store.await { try store.rows(of: query) }
      done.success("\(rows.count) rows")
    }
  }

  /// Two futures at once.
  func add(_ done: CoPromise<String>) {
    let future1: CoFuture<Int> = makeCountFuture()
    let future2: CoFuture<Int> = DispatchQueue.global().coroutineFuture {
      try Coroutine.delay(.milliseconds(30))
      return 6
    }
    DispatchQueue.main.startCoroutine { @MainActor in
      let sum: Int = try future1.await() + future2.await()
      self.label.text = "Sum is \(sum)"
      done.success(self.label.text ?? "")
    }
  }
}

/// A future made of others.
func addAll(_ done: CoPromise<String>) {
  let futures: [CoFuture<Int>] = (1...4).map { number in DispatchQueue.global().coroutineFuture { number } }
  let sum = CoFuture { try futures.reduce(0) { try $0 + $1.await() } }
  sum.whenSuccess { done.success("sum of four: \($0)") }
  sum.whenFailure { done.fail($0) }
}

/// A producer and a consumer.
func exchange(_ done: CoPromise<String>) {
  let channel = CoChannel<Int>(capacity: 1)
  DispatchQueue.global().startCoroutine {
    for number in 0..<100 {
      try Coroutine.delay(.microseconds(10))
      try channel.awaitSend(number)
    }
    channel.close()
  }
  DispatchQueue.global().startCoroutine {
    var received = 0
    for number in channel.makeIterator() { received += number }
    do {
      _ = try channel.awaitReceive()
    } catch CoChannelError.closed {
      done.success("received \(received), closed")
    }
  }
}

/// Work that ends with its owner.
class Feed: Controller {
  let scope = CoScope()
  var shown: [Int] = []

  func makePosts() -> CoChannel<Int> {
    let posts = CoChannel<Int>()
    for number in 1...3 { posts.offer(number) }
    return posts
  }

  func show(_ ended: CoPromise<String>) {
    let posts = makePosts().added(to: scope)
    posts.whenComplete { ended.success("cancelled: \(posts.isCanceled)") }
    DispatchQueue.main.startCoroutine(in: scope) { @MainActor [weak self] in
      for post in posts.makeIterator() {
        try self?.show(post)
      }
    }
  }

  func show(_ post: Int) throws {
    let future = DispatchQueue.global().coroutineFuture { post * 10 }.added(to: scope)
    let text = try future.await()
    shown.append(text)
  }
}

// What they do.

func check(_ isRight: Bool, _ what: String) {
  print(isRight ? "right:" : "wrong:", what)
  if !isRight { exit(1) }
}

@MainActor func runAll() {
  _ = URLProtocol.registerClass(Answers.self)
  let gallery = Gallery()
  let programs = [
    (gallery.showPicture, "picture of 1"),
    (gallery.request, "200, 7 bytes, no error"),
    (gallery.queryStore, "2 rows"),
    (gallery.add, "Sum is 11"),
    (addAll, "sum of four: 10"),
    (exchange, "received 4950, closed"),
  ]
  let results = programs.map { program, right -> (CoFuture<String>, String) in
    let promise = CoPromise<String>()
    program(promise)
    return (promise, right)
  }
  var feed: Feed? = Feed()
  let feedEnd = CoPromise<String>()
  feed?.show(feedEnd)
  DispatchQueue.main.startCoroutine { @MainActor in
    do {
      for (result, right) in results { check(try result.await(timeout: .seconds(30)) == right, right) }
      while let shown = feed?.shown, shown.count < 3 { try Coroutine.delay(.milliseconds(1)) }
      check(feed?.shown == [10, 20, 30], "a feed shows what its channel gives")
      feed = nil
      check(try feedEnd.await(timeout: .seconds(30)) == "cancelled: true", "it ends with its owner")
      exit(0)
    } catch {
      check(false, "\(error)")
    }
  }
}

DispatchQueue.main.async { runAll() }
RunLoop.main.run()
