#if OURS
  import ReactiveStreams
  import ReactiveStreamsOperators
#else
  import OpenCombine

  // OpenCombine has no merge: as its users write it.
  extension Publisher {
    func merge<B: Publisher>(with b: B) -> AnyPublisher<Output, Failure>
    where B.Output == Output, B.Failure == Failure {
      [eraseToAnyPublisher(), b.eraseToAnyPublisher()].publisher.setFailureType(to: Failure.self).flatMap {
        $0
      }
      .eraseToAnyPublisher()
    }

    func merge<B: Publisher, C: Publisher>(with b: B, _ c: C) -> AnyPublisher<Output, Failure>
    where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
      [eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher()].publisher
        .setFailureType(to: Failure.self).flatMap { $0 }.eraseToAnyPublisher()
    }
  }
#endif

public struct Broken: Error, Hashable, CustomStringConvertible {
  public let number: Int
  public var description: String { "broken \(number)" }
}

/// What a source does at a moment.
public enum Marble: CustomStringConvertible {
  case value(Int)
  case finished
  case failed

  public var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .finished: "|"
    case .failed: "X"
    }
  }
}

/// What three sources do, one event after another. A source goes on after its end: nobody may notice.
public func marbles(_ seed: UInt64, _ length: Int) -> [(source: Int, marble: Marble)] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
  func random(_ bound: UInt64) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % bound)
  }
  return (0..<length).map { _ in
    let source = random(3)
    switch random(24) {
    case 0, 1: return (source, .finished)
    case 2: return (source, .failed)
    default: return (source, .value(random(6)))
    }
  }
}

public struct Sources {
  let a = PassthroughSubject<Int, Broken>()
  let b = PassthroughSubject<Int, Broken>()
  let c = CurrentValueSubject<Int, Broken>(-1)
}

public struct Pipeline {
  public let name: String
  public let run: (_ seed: UInt64, _ length: Int) -> [String]

  /// `inAnyOrder`: what one marble brings comes in no order, as a subject of OpenCombine has several subscribers in none.
  init<P: Publisher>(_ name: String, inAnyOrder: Bool = false, _ make: @escaping (Sources) -> P) {
    self.name = name
    run = { seed, length in
      let sources = Sources()
      let log = Log()
      let sink = make(sources).sink(
        receiveCompletion: {
          log.hasEnded = true
          switch $0 {
          case .finished: log.lines.append("|")
          case .failure(let error): log.lines.append("X \(error)")
          }
        }, receiveValue: { log.lines.append("\($0)") })
      for (source, marble) in marbles(seed, length) {
        let before = log.lines.count
        defer { if inAnyOrder { log.lines[before...].sort() } }
        if log.hasEnded { break }
        switch (source, marble) {
        case (0, .value(let value)): sources.a.send(value)
        case (1, .value(let value)): sources.b.send(value)
        case (_, .value(let value)): sources.c.send(value)
        case (0, .finished): sources.a.send(completion: .finished)
        case (1, .finished): sources.b.send(completion: .finished)
        case (_, .finished): sources.c.send(completion: .finished)
        case (0, .failed): sources.a.send(completion: .failure(Broken(number: 1)))
        case (1, .failed): sources.b.send(completion: .failure(Broken(number: 2)))
        case (_, .failed): sources.c.send(completion: .failure(Broken(number: 3)))
        }
      }
      return withExtendedLifetime(sink) { log.lines }
    }
  }
}

/// A pipeline runs on one thread.
final class Log: @unchecked Sendable {
  var lines: [String] = []
  var hasEnded = false
}

@Sendable private func odd(_ value: Int) -> Bool { value % 2 != 0 }

@Sendable private func checked(_ value: Int) throws -> Int {
  if value == 5 { throw Broken(number: 5) }
  return value
}

/// A publisher for a value: one, several, none, or a failure.
@Sendable private func inner(_ value: Int) -> AnyPublisher<Int, Broken> {
  switch value {
  case 0: Empty().eraseToAnyPublisher()
  case 5: Fail(error: Broken(number: value)).eraseToAnyPublisher()
  case 1: Just(10).setFailureType(to: Broken.self).eraseToAnyPublisher()
  default: (0..<max(0, value)).publisher.setFailureType(to: Broken.self).eraseToAnyPublisher()
  }
}

public let groups: [String: [Pipeline]] = [
  "values": values, "asking": asking, "trying": trying, "parts": parts, "inners": inners, "several": several,
  "failures": failures, "chains": chains,
]

private let values = [
  Pipeline("map") { $0.a.map { $0 * 2 } },
  Pipeline("filter") { $0.a.filter(odd) },
  Pipeline("compactMap") { $0.a.compactMap { odd($0) ? $0 : nil } },
  Pipeline("scan") { $0.a.scan(0) { $0 + $1 } },
  Pipeline("removeDuplicates") { $0.a.removeDuplicates() },
  Pipeline("removeDuplicates by") { $0.a.removeDuplicates { $0 / 2 == $1 / 2 } },
  Pipeline("replaceNil") { $0.a.map { odd($0) ? $0 : nil }.replaceNil(with: -7) },
  Pipeline("collect 2") { $0.a.collect(2) },
  Pipeline("collect 3 of map") { $0.a.map { -$0 }.collect(3) },
  Pipeline("current value") { $0.c.map { $0 } },
  Pipeline("buffer") { $0.a.map { $0 }.scan(1) { $0 * 2 + $1 } },
  Pipeline("handleEvents") { sources -> AnyPublisher<Int, Broken> in
    let log = Log()
    return sources.a.handleEvents(receiveOutput: { log.lines.append("\($0)") }).map { $0 + log.lines.count }
      .eraseToAnyPublisher()
  },
]

private let asking = [
  Pipeline("collect") { $0.a.collect() },
  Pipeline("count") { $0.a.count() },
  Pipeline("reduce") { $0.a.reduce(1) { $0 * 3 + $1 } },
  Pipeline("min") { $0.a.min() },
  Pipeline("max") { $0.a.max() },
  Pipeline("min by") { $0.a.min { $0 % 3 < $1 % 3 } },
  Pipeline("max by") { $0.a.max { $0 % 3 < $1 % 3 } },
  Pipeline("contains") { $0.a.contains(3) },
  Pipeline("contains where") { $0.a.contains { $0 > 4 } },
  Pipeline("allSatisfy") { $0.a.allSatisfy { $0 < 5 } },
  Pipeline("last") { $0.a.last() },
  Pipeline("last where") { $0.a.last(where: odd) },
  Pipeline("ignoreOutput") { $0.a.ignoreOutput() },
  Pipeline("replaceEmpty") { $0.a.filter { $0 > 4 }.replaceEmpty(with: 99) },
]

private let trying = [
  Pipeline("tryMap") { $0.a.tryMap(checked) },
  Pipeline("tryFilter") { $0.a.tryFilter { odd(try checked($0)) } },
  Pipeline("tryCompactMap") { $0.a.tryCompactMap { odd(try checked($0)) ? $0 : nil } },
  Pipeline("tryScan") { $0.a.tryScan(0) { $0 + (try checked($1)) } },
  Pipeline("tryReduce") { $0.a.tryReduce(0) { $0 + (try checked($1)) } },
  Pipeline("tryRemoveDuplicates") { $0.a.tryRemoveDuplicates { try checked($0) / 2 == checked($1) / 2 } },
  Pipeline("tryFirst") { $0.a.tryFirst { odd(try checked($0)) } },
  Pipeline("tryLast") { $0.a.tryLast { odd(try checked($0)) } },
  Pipeline("tryContains") { $0.a.tryContains { try checked($0) == 4 } },
  Pipeline("tryAllSatisfy") { $0.a.tryAllSatisfy { try checked($0) < 4 } },
  Pipeline("tryMin") { $0.a.tryMin { try checked($0) < checked($1) } },
  Pipeline("tryMax") { $0.a.tryMax { try checked($0) < checked($1) } },
  Pipeline("tryDrop") { $0.a.tryDrop { try checked($0) < 3 } },
  Pipeline("tryPrefix") { $0.a.tryPrefix { try checked($0) < 4 } },
  Pipeline("tryCatch") { sources in sources.a.tryCatch { _ in sources.b } },
]

private let parts = [
  Pipeline("first") { $0.a.first() },
  Pipeline("first where") { $0.a.first(where: odd) },
  Pipeline("prefix 3") { $0.a.prefix(3) },
  Pipeline("prefix 0") { $0.a.prefix(0) },
  Pipeline("dropFirst 2") { $0.a.dropFirst(2) },
  Pipeline("drop while") { $0.a.drop { $0 < 3 } },
  Pipeline("prefix while") { $0.a.prefix { $0 < 4 } },
  Pipeline("output at") { $0.a.output(at: 2) },
  Pipeline("output in") { $0.a.output(in: 1..<4) },
  Pipeline("prefix until") { $0.a.prefix(untilOutputFrom: $0.b) },
  Pipeline("drop until") { $0.a.drop(untilOutputFrom: $0.b) },
  Pipeline("prefix until a first") { $0.a.prefix(untilOutputFrom: $0.b.first { $0 > 3 }) },
  Pipeline("drop until an end") { $0.a.drop(untilOutputFrom: $0.b.collect()) },
  Pipeline("drop until current") { $0.a.drop(untilOutputFrom: $0.c) },
]

private let inners = [
  Pipeline("flatMap") { $0.a.flatMap(inner) },
  Pipeline("flatMap to a subject", inAnyOrder: true) { sources in
    sources.a.flatMap { value in sources.b.map { [value, $0] } }
  },
  Pipeline("flatMap one at a time") { sources in
    sources.a.flatMap(maxPublishers: .max(1)) { value in sources.b.first().map { [value, $0] } }
  },
  Pipeline("flatMap to the current", inAnyOrder: true) { sources in
    sources.a.flatMap { value in sources.c.map { [value, $0] } }
  },
  Pipeline("switchToLatest") { sources in
    sources.a.map { value in sources.b.map { [value, $0] } }.switchToLatest()
  },
  Pipeline("switchToLatest of sequences") { $0.a.map(inner).switchToLatest() },
  Pipeline("flatMap, failures replaced") {
    $0.a.flatMap { inner($0).replaceError(with: -5).setFailureType(to: Broken.self) }
  },
]

private let several = [
  Pipeline("merge") { $0.a.merge(with: $0.b) },
  Pipeline("merge 3", inAnyOrder: true) { $0.a.merge(with: $0.b, $0.c) },
  Pipeline("merge with itself", inAnyOrder: true) { $0.a.merge(with: $0.a) },
  Pipeline("zip") { $0.a.zip($0.b) { [$0, $1] } },
  Pipeline("zip 3") { $0.a.zip($0.b, $0.c) { [$0, $1, $2] } },
  Pipeline("zip of parts") { $0.a.filter(odd).zip($0.b.dropFirst()) { [$0, $1] } },
  Pipeline("zip 4") { sources in
    sources.a.zip(sources.b, sources.c, (1...9).publisher.setFailureType(to: Broken.self)) {
      [$0, $1, $2, $3]
    }
  },
  Pipeline("zip of a merge") { $0.a.merge(with: $0.b).zip($0.c) { [$0, $1] } },
  Pipeline("zip with one value") { $0.a.zip(Just(1).setFailureType(to: Broken.self)) { [$0, $1] } },
  Pipeline("zip with numbers") { $0.a.zip((1...4).publisher.setFailureType(to: Broken.self)) { [$0, $1] } },
  Pipeline("append") { $0.a.append($0.b) },
  Pipeline("append current") { $0.a.append($0.c) },
  Pipeline("prepend") { $0.a.prepend($0.b) },
  Pipeline("append values") { $0.a.append(7, 8) },
  Pipeline("prepend a sequence") { $0.a.prepend([7, 8]) },
  Pipeline("share", inAnyOrder: true) { sources -> AnyPublisher<Int, Broken> in
    let shared = sources.a.map { $0 + 1 }.share()
    return shared.merge(with: shared.map { -$0 }).eraseToAnyPublisher()
  },
  Pipeline("multicast") { $0.a.multicast { PassthroughSubject() }.autoconnect() },
  Pipeline("multicast to a current value") { $0.a.multicast(subject: CurrentValueSubject(77)).autoconnect() },
]

private let failures = [
  Pipeline("catch") { sources in sources.a.catch { _ in sources.b } },
  Pipeline("catch with the current") { sources in sources.a.catch { _ in sources.c } },
  Pipeline("replaceError") { $0.a.replaceError(with: 42) },
  Pipeline("mapError") { $0.a.mapError { Broken(number: 10 * $0.number) } },
  Pipeline("retry") { $0.a.retry(2) },
  Pipeline("retry of what fails early") { $0.c.flatMap(inner).first { $0 > 2 }.retry(1) },
  Pipeline("assign failure type") {
    $0.a.replaceError(with: 42).setFailureType(to: Broken.self).merge(with: $0.b)
  },
]

private let chains = [
  Pipeline("map filter scan") { $0.a.map { $0 + 1 }.filter(odd).scan(0) { $0 + $1 } },
  Pipeline("zip of shares", inAnyOrder: true) { sources -> AnyPublisher<[Int], Broken> in
    let shared = sources.a.share()
    return shared.zip(shared.dropFirst()) { [$0, $1] }.eraseToAnyPublisher()
  },
  Pipeline("merge prefix") { $0.a.merge(with: $0.b).prefix { $0 < 5 } },
  Pipeline("collect of flatMap") { $0.a.flatMap(inner).collect(4) },
  Pipeline("catch in flatMap") { sources in
    sources.a.flatMap { inner($0).catch { _ in Just(-1).setFailureType(to: Broken.self) } }.merge(
      with: sources.b)
  },
  Pipeline("prefix until a zip") { $0.a.prefix(untilOutputFrom: $0.b.zip($0.c) { $0 + $1 }) },
  Pipeline("switchToLatest of merges") { sources in
    sources.a.map { value in sources.b.merge(with: sources.c).map { [value, $0] } }.switchToLatest()
  },
  Pipeline("append of firsts") { $0.a.first().append($0.b.first()).append($0.c.first()) },
  Pipeline("scan of a zip") { $0.a.zip($0.b) { $0 * $1 }.scan(0) { $0 + $1 } },
  Pipeline("collect of a switch") { sources in
    sources.a.map { value in sources.b.map { [value, $0] } }.switchToLatest().collect()
  },
  Pipeline("drop until, then prefix until") {
    $0.a.drop(untilOutputFrom: $0.b).prefix(untilOutputFrom: $0.c.dropFirst(2))
  },
  Pipeline("last of a zip") { $0.a.zip($0.c) { [$0, $1] }.last() },
  Pipeline("contains of a merge") { $0.a.merge(with: $0.b, $0.c).contains(4) },
]
