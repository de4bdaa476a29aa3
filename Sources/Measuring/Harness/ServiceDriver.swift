import Results
import Synchronization
import UploadScenario

/// Asks the service for what a post needs and counts its answers, with no idiom: what it takes is what the service costs.
///
/// It is no contender. It can neither fail nor be cancelled, so it is for scenarios in which nothing does.
package struct ServiceDriver: PartialContender {
  package let name = ExternalBaseline.service
  package let summary = "asks the service and counts its answers: no contender"
  package let patterns = [Pattern.publish, .sequence, .zip]

  package init() {}

  /// Nothing of it could be moved anywhere.
  package func on(_ context: CompletionContext) -> (any Contender)? { self }

  package func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let answers = Answers(post, service, isLimited: limit.map { $0 < post.media.count } ?? false, completion)
    guard !post.media.isEmpty else { return service.createPost(post, receipts: [], completion: completion) }
    for _ in 0..<min(limit ?? .max, post.media.count) { answers.askForNext() }
    return answers
  }

  package func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    publish(post, to: service, limit: 1, completion: completion)
  }

  package func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion)
    -> any Cancellable
  {
    let details = Details(post, service, completion)
    _ = service.author(of: post) {
      details.author = try? $0.get(); details.countDown()
    }
    _ = service.place(of: post) {
      details.place = try? $0.get(); details.countDown()
    }
    _ = service.audience(of: post) {
      details.audience = try? $0.get(); details.countDown()
    }
    return details
  }
}

extension Scenario {
  /// Whether what the service costs can be told apart from what contenders add: the service answers at once, and nothing ends early.
  package var hasServiceDriver: Bool {
    service == .instant && ServiceDriver().patterns.contains(pattern) && faults.isEmpty && cancelAfter == nil
  }
}

/// The receipts of a post, until all are there.
private final class Answers<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: one `Receipt` is initialised at each index, by its answer alone; nobody reads before the countdown, which every
  // answer takes part in, has come to zero. Receipts hold no references, so there is nothing to deinitialise.
  private let receipts: UnsafeMutableBufferPointer<Receipt>
  private let asked = Atomic<Int>(0)
  private let left: Atomic<Int>
  private let post: Post
  private let service: Service
  private let isLimited: Bool
  private let completion: Completion

  init(_ post: Post, _ service: Service, isLimited: Bool, _ completion: @escaping Completion) {
    (self.post, self.service, self.isLimited, self.completion) = (post, service, isLimited, completion)
    receipts = .allocate(capacity: post.media.count)
    left = Atomic(post.media.count)
  }

  deinit { receipts.deallocate() }

  func askForNext() {
    let index = asked.add(1, ordering: .relaxed).oldValue
    guard index < post.media.count else { return }
    _ = service.upload(post.media[index]) { [self] result in
      guard case .success(let receipt) = result else { return completion(.failure(DriverMissedAnAnswer())) }
      receipts.initializeElement(at: index, to: receipt)
      if left.subtract(1, ordering: .acquiringAndReleasing).newValue > 0 {
        if isLimited { askForNext() }
        return
      }
      _ = service.createPost(post, receipts: Array(receipts), completion: completion)
    }
  }

  func cancel() {}
}

/// The details of a post, until all are there.
private final class Details<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: each is written once, by its answer alone, and read after the countdown, which every answer takes part in.
  var author: Author?
  var place: Place?
  var audience: Audience?
  private let left = Atomic<Int>(PostDetail.allCases.count)
  private let post: Post
  private let service: Service
  private let completion: Completion

  init(_ post: Post, _ service: Service, _ completion: @escaping Completion) {
    (self.post, self.service, self.completion) = (post, service, completion)
  }

  func countDown() {
    guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    guard let author, let place, let audience else { return completion(.failure(DriverMissedAnAnswer())) }
    let details = PostDetails(author: author, place: place, audience: audience)
    _ = service.createPost(post, details: details, completion: completion)
  }

  func cancel() {}
}

/// The service failed where nothing was to fail.
struct DriverMissedAnAnswer: Error {}

/// By how much a worker makes its samples longer, as a share of 1, to show that a slow-down is found.
///
/// By whole posts that are not counted, which leave the threads of an idiom as they are; the rest keeps the processor busy.
package enum SlowDown: Sendable, Hashable {
  case cost(Double)
  case wall(Double)
  /// Both times, for what is judged by either; what is no whole post is spent of the processor and only counted on the clock.
  case both(Double)

  /// How many whole posts are to be added to so many.
  func wholePosts(of posts: Int) -> Int { Int(share * Double(posts)) }

  /// Keeps the processor busy for what the posts that were added lack, and counts it as part of the sample, which has their time.
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
    reply.usageNanoseconds = (reply.usageNanoseconds ?? 0) + wall
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
