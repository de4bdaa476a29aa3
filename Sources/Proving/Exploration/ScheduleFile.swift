import CExploration

/// A file by which an interleaving can be replayed: one that failed, or the one that was running when the process crashed.
///
///     schedule of DoorTests/DoorTests.swift:41
///     choices: 0 1 0 0 2
///
///     the problem and the steps, for a reader
public struct ScheduleFile: Sendable, Hashable {
  /// The source position of the call of `everySchedule` that wrote the file.
  public let place: String
  /// The choice at each step, as an index among the ready steps.
  public let choices: [Int]

  /// The environment variable that holds the path of the file to replay.
  public static let variable = "FANOUT_SCHEDULE"
  private static let first = "schedule of "
  private static let second = "\nchoices:"
  private static let mostBytes = 1 << 20

  /// The error that is thrown if a file cannot be replayed.
  public struct Unreadable: Error, CustomStringConvertible {
    let path: String
    public var description: String {
      "\(path) cannot be read, or is no schedule file: give the path that the failure named"
    }
  }

  /// Reads the file at this path, perhaps from a process that crashed.
  public init(path: String) throws(Unreadable) {
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.mostBytes) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) {
        max(0, journal_read(path, $0.baseAddress!, Self.mostBytes))
      }
    }
    let lines = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count >= 2, lines[0].hasPrefix(Self.first), lines[1].hasPrefix(Self.second.dropFirst()) else {
      throw Unreadable(path: path)
    }
    place = String(lines[0].dropFirst(Self.first.count))
    choices = Self.choices(lines[1].dropFirst(Self.second.count - 1))
  }

  /// Writes a file, or replaces the one for the same source position. Returns its path, or `nil` if that fails.
  public static func write(place: String, choices: [Int], _ reading: String) -> String? {
    let path = folder + "/" + slug(place) + ".schedule"
    let text = head(place) + choices.map { " \($0)" }.joined() + "\n\n" + reading + "\n"
    return journal_write(path, text) ? path : nil
  }

  static func head(_ place: String) -> String {
    first + String(place.map { $0.isNewline ? " " : $0 }) + second
  }

  static func choices(_ text: some StringProtocol) -> [Int] {
    text.split { !$0.isNumber }.compactMap { Int($0) }
  }

  static var folder: String { environment("TMPDIR") ?? "/tmp" }

  static func slug(_ place: String) -> String {
    String(place.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.suffix(150))
  }

  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
