import Results
import Synchronization
import UploadScenario

/// Makes the requests of a post and counts the answers, with as little work as possible: its CPU time is that of the service.
///
/// A post allocates nothing: it reuses the closures of an earlier post. It can neither fail nor be cancelled.
package struct ServiceDriver: PartialContender {
  package let name = ExternalBaseline.service
  package let summary = "calls the service and counts its answers; it is no contender"
  package let patterns = [Pattern.publish, .sequence, .zip]
  private let uploads = IdlePosts(AskedPost.uploads)
  private let lookUps = IdlePosts(AskedPost.lookUps)

  package init() {}

  package func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    guard !post.media.isEmpty else { return service.createPost(post, receipts: [], completion: completion) }
    return uploads.next(for: post).start(service, limit, completion)
  }

  package func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    publish(post, to: service, limit: 1, completion: completion)
  }

  package func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion)
    -> any Cancellable
  {
    lookUps.next(for: post).start(service, nil, completion)
  }
}

extension Scenario {
  /// Whether ``ServiceDriver`` can do this scenario: the service answers immediately, and no post ends early.
  package var hasServiceDriver: Bool {
    service == .instant && ServiceDriver().patterns.contains(pattern) && faults.isEmpty && cancelAfter == nil
  }
}

private final class IdlePosts: Sendable {
  private let posts = Mutex<[AskedPost]>([])
  private let make: @Sendable (Post) -> AskedPost

  init(_ make: @escaping @Sendable (Post) -> AskedPost) { self.make = make }

  deinit { for post in posts.withLock({ $0 }) { post.end() } }

  /// An unused object that was made for an equal post, or else a new one. Unused objects for other posts are released.
  func next(for post: Post) -> AskedPost {
    let known = posts.withLock { posts -> AskedPost? in
      while let last = posts.popLast() {
        if last.post == post { return last }
        last.end()
      }
      return nil
    }
    let next = known ?? make(post)
    next.idle = self
    return next
  }

  func add(_ post: AskedPost) { posts.withLock { $0.append(post) } }
}

private final class AskedPost: Cancellable, @unchecked Sendable {
  /// Wraps a closure, because an array of bare closures wraps each one again at every access.
  private struct Ask { let ask: (any UploadService) -> any Cancellable }
  private struct Create { let create: (any UploadService, @escaping Completion) -> any Cancellable }

  let post: Post
  // Invariant: these closures are set before the first post starts. They retain this object until `end`.
  private var asks: [Ask] = []
  private var create: Create?
  // Invariant: the thread that starts a post writes these before its first request; others read them until `left` is 0.
  var idle: IdlePosts?
  private var service: (any UploadService)?
  private var completion: Completion?
  private var isLimited = false
  // Invariant: the thread that makes a request stores its handle before `left` can be 0. A later post overwrites it after that.
  private let handles: UnsafeMutableBufferPointer<(any Cancellable)?>
  private let asked = Atomic<Int>(0)
  private let left = Atomic<Int>(0)

  private init(_ post: Post, requests: Int) {
    self.post = post
    handles = .allocate(capacity: requests)
    handles.initialize(repeating: nil)
  }

  deinit {
    handles.deinitialize()
    handles.deallocate()
  }

  @Sendable static func uploads(of post: Post) -> AskedPost {
    let this = AskedPost(post, requests: post.media.count)
    let receipts = KeptReceipts(of: post)
    this.asks = post.media.indices.map { index in
      let media = post.media[index]
      let answered: Callback<Receipt> = { this.arrived($0) { receipts.answered[index] = $0 } }
      return Ask { $0.upload(media, completion: answered) }
    }
    this.create = Create { $0.createPost(post, receipts: receipts.collect(), completion: $1) }
    return this
  }

  @Sendable static func lookUps(of post: Post) -> AskedPost {
    let this = AskedPost(post, requests: PostDetail.allCases.count)
    let details = KeptDetails()
    let author: Callback<Author> = { this.arrived($0) { details.author = $0 } }
    let place: Callback<Place> = { this.arrived($0) { details.place = $0 } }
    let audience: Callback<Audience> = { this.arrived($0) { details.audience = $0 } }
    this.asks = [
      Ask { $0.author(of: post, completion: author) }, Ask { $0.place(of: post, completion: place) },
      Ask { $0.audience(of: post, completion: audience) },
    ]
    this.create = Create { $0.createPost(post, details: details.all, completion: $1) }
    return this
  }

  func end() { (asks, create) = ([], nil) }

  func start(_ service: some UploadService, _ limit: Int?, _ completion: @escaping Completion)
    -> any Cancellable
  {
    let first = min(limit ?? .max, asks.count)
    (self.service, self.completion, isLimited) = (service, completion, first < asks.count)
    asked.store(first, ordering: .relaxed)
    left.store(asks.count, ordering: .relaxed)
    for index in 0..<first - 1 { handles[index] = asks[index].ask(service) }
    // The last handle is not stored: the post may have ended, and this object may already serve another post.
    _ = asks[first - 1].ask(service)
    return self
  }

  private func arrived<Value>(_ answer: Result<Value, any Error>, keep: (Value) -> Void) {
    guard case .success(let value) = answer else { return completion!(.failure(DriverMissedAnAnswer())) }
    keep(value)
    if isLimited {
      let next = asked.add(1, ordering: .relaxed).oldValue
      if next < asks.count { handles[next] = asks[next].ask(service!) }
    }
    countDown()
  }

  private func countDown() {
    guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    let (idle, service, completion) = (idle.take()!, service.take()!, completion.take()!)
    let creation = create!.create(service, completion)
    idle.add(self)
    withExtendedLifetime(creation) {}
  }

  func cancel() {}
}

private final class KeptReceipts: @unchecked Sendable {
  // Invariant: only the answer to a media file's upload writes that file's receipt, before the answer is counted. All receipts
  // are read after the last answer. Receipts hold no references.
  let answered: UnsafeMutableBufferPointer<Receipt>
  /// The receipts of the last post. The next post reuses the array unless something else retains it.
  private var collected: [Receipt]

  init(of post: Post) {
    collected = post.media.map { Receipt(mediaIndex: $0.index, byteCount: 0, checksum: 0) }
    answered = .allocate(capacity: collected.count)
    _ = answered.initialize(from: collected)
  }

  deinit { answered.deallocate() }

  func collect() -> [Receipt] {
    for index in collected.indices { collected[index] = answered[index] }
    return collected
  }
}

private final class KeptDetails: @unchecked Sendable {
  // Invariant: only the answer to a lookup writes that lookup's variable. All variables are read after the last answer.
  var author: Author?
  var place: Place?
  var audience: Audience?

  var all: PostDetails { PostDetails(author: author!, place: place!, audience: audience!) }
}

/// The service failed in a scenario that has no failures.
struct DriverMissedAnAnswer: Error {}

/// An injected slow-down, to test whether a comparison of builds finds it: 0.1 means 10 % more. The worker adds whole posts,
/// which use threads like the measured ones, and spins for the rest.
package enum SlowDown: Sendable, Hashable {
  case cost(Double)
  case wall(Double)
  /// CPU time and wall time. The part that whole posts do not add is spun, and added to the wall time as a number.
  case both(Double)

  func wholePosts(of posts: Int) -> Int { Int(share * Double(posts)) }

  /// Spins for the part of the slow-down that the added posts did not cover, and adds that time to the sample.
  func lengthen(_ reply: inout SampleReply, added: Int, _ clock: HarnessClock) {
    let posts = Double(reply.iterations)
    let lacking = posts * (1 + share) / (posts + Double(added)) - 1
    let usage = ResourceUsage.now()
    let start = clock.nanoseconds()
    var extra = ResourceUsage()
    var wall: UInt64 = 0
    while isShort(reply, lacking, extra, wall) {
      extra = ResourceUsage()
      extra.add(since: usage)
      wall = clock.nanoseconds() - start
    }
    if case .both = self { wall = UInt64(max(0, lacking) * Double(reply.wallNanoseconds)) }
    reply.usage.add(extra)
    reply.wallNanoseconds += wall
  }

  private var share: Double {
    switch self {
    case .cost(let share), .wall(let share), .both(let share): share
    }
  }

  private func isShort(_ reply: SampleReply, _ lacking: Double, _ extra: ResourceUsage, _ wall: UInt64)
    -> Bool
  {
    switch self {
    case .cost, .both: Double(extra.cpuNanoseconds) < lacking * Double(reply.usage.cpuNanoseconds)
    case .wall: Double(wall) < lacking * Double(reply.wallNanoseconds)
    }
  }
}
