import UploadScenario

/// One promise that contenders make.
public struct Rule: Sendable, Hashable, Codable {
  /// Names it in every report: `first-failure`.
  public let name: String
  /// What is promised, in one sentence.
  public let promise: String
  /// The patterns that make the promise.
  public let patterns: [Pattern]
  /// Whether it is about one pattern's own promise, rather than one that all share.
  let isSpecial: Bool

  init(_ name: String, _ promise: String, in patterns: [Pattern] = Pattern.allCases, isSpecial: Bool = false)
  {
    self.name = name
    self.promise = promise
    self.patterns = patterns
    self.isSpecial = isSpecial
  }

  /// Whether it says little about why it was broken: a script that tries a special rule reports that one instead.
  var isVague: Bool { [.ends, .notEarly, .limit, .limitUsed, .postLast].contains(self) }

  /// Every rule, in the order in which they are tried.
  public static let all: [Rule] = Script.all.map(\.rule)
}

extension [Pattern] {
  /// Those whose uploads are as many as the post has media, or chunks.
  static let uploads = Pattern.allCases.filter { !$0.looksUp }
  /// Those whose requests can be cancelled.
  static let cancellable = Pattern.allCases.filter { !$0.blocksThreads }
  static let limited = Pattern.allCases.filter { $0.width != .all }
  /// Those in which several requests are in flight at once.
  static let concurrent = Pattern.allCases.filter { !$0.isSerial && !$0.blocksThreads }
}
