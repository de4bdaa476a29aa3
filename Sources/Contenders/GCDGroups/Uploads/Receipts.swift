import Dispatch
import UploadScenario

/// The receipts of a post's uploads, in the order of its media.
struct Receipts: Sendable {
  private var receipts: [Receipt?]
  /// How many media files have been started, from the first on.
  var started = 0

  init(count: Int) { receipts = Array(repeating: nil, count: count) }

  var all: [Receipt] { receipts.compactMap { $0 } }

  /// Whether there is a media file left to start.
  mutating func keep(_ receipt: Receipt, at index: Int) -> Bool {
    while index >= receipts.count { receipts.append(nil) }
    receipts[index] = receipt
    return started < receipts.count
  }

  mutating func startNext() -> Int? {
    guard started < receipts.count else { return nil }
    defer { started += 1 }
    return started
  }
}

extension GroupJob where Progress == Receipts {
  convenience init(
    _ post: Post, service: some UploadService, on queue: DispatchQueue?, completion: @escaping Completion
  ) {
    let receipts = Receipts(count: post.media.count)
    self.init(post, service: service, on: queue, progress: receipts, completion: completion)
  }

  /// Starts as many media files as may be under way, and creates the post when none is.
  func run(limit: Int? = nil, _ start: (Int) -> Void) -> Self {
    let places = min(limit ?? .max, post.media.count)
    change { $0.started = places }
    return run {
      for index in 0..<places { start(index) }
    } then: {
      self.createPost()
    }
  }

  /// Keeps a receipt, and starts the next media file in its place: no thread waits until there is one.
  func keep(_ receipt: Receipt, at index: Int, then start: (Int) -> Void) {
    guard change({ $0.keep(receipt, at: index) }) == true else { return }
    advance { if let next = change({ $0.startNext() }) ?? nil { start(next) } }
  }

  func createPost() {
    let receipts = change({ $0.all }) ?? []
    create { service.createPost(post, receipts: receipts, completion: $0) }
  }
}
