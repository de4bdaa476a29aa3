import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CountsFileTests {
  private static let header =
    "toolchain,system,architecture,turns,contender,scenario,allocations,allocated_bytes,objects,retains\n"
  private static let here = CountKey(
    toolchain: "swift-6.3.1-RELEASE", system: "debian-12", architecture: "x86_64", turns: "real-time")
  private static let there = CountKey(
    toolchain: "swift-6.2-RELEASE", system: "ubuntu-24.04", architecture: "arm64", turns: "batch")

  private static func line(_ key: CountKey, _ rest: String) -> String {
    "\(key.toolchain),\(key.system),\(key.architecture),\(key.turns),\(rest)\n"
  }

  private static func row(_ contender: String, _ allocations: Int) -> CountRecord {
    var row = CountRecord {
      $0.key = here
      $0.contender = contender
      $0.scenario = "publish-10"
    }
    row[.allocations] = .exact(allocations)
    row[.objects] = .within(2...4)
    return row
  }

  /// - Parameter keeping: is given the folder, which lives as long.
  private func read<Value>(_ text: String, _ use: (CountsFile) throws -> Value) throws -> Value {
    let folder = try TemporaryFolder()
    return try use(CountsFile(try folder.write(text, to: "counters.csv")))
  }

  @Test func onlyTheSectionOfOneKeyIsReplacedAndAllElseStaysByteForByte() throws {
    // Quoted though it need not be: nobody writes it so today.
    let odd = Self.line(Self.there, "\"a\",publish-10,00009,,2..4,")
    let text =
      Self.header + odd + Self.line(Self.here, "a,publish-10,1,,,")
      + Self.line(Self.here, "b,publish-10,2,,,")
      + Self.line(Self.there, "b,publish-10,8,,,")
    try read(text) { file in
      #expect(file.keys == [Self.there, Self.here])
      #expect(file.text() == text)
      let replaced = try file.text(replacing: Self.here, with: [Self.row("a", 3)])
      #expect(
        replaced == Self.header + odd
          + Self.line(Self.here, "a,publish-10,3,,2..4,") + Self.line(Self.there, "b,publish-10,8,,,"))
    }
  }

  @Test func aNewSectionIsTheLastAndANewFileHasOnlyThat() throws {
    let old = Self.header + Self.line(Self.there, "a,publish-10,1,,,")
    let new = Self.line(Self.here, "a,publish-10,3,,2..4,")
    try read(old) { file in
      let replaced = try file.text(replacing: Self.here, with: [Self.row("a", 3)])
      #expect(replaced == old + new)
    }
    let folder = try TemporaryFolder()
    let file = CountsFile(newAt: folder.path + "/deep/er/counters.csv")
    #expect(file.text() == "")
    try file.write(try file.text(replacing: Self.here, with: [Self.row("a", 3)]))
    #expect(try contents(file.path) == Self.header + new)
    #expect(try CountsFile(file.path).rows == [Self.row("a", 3)])
    // Nothing is left beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep/er") == ["counters.csv"])
  }

  @Test(arguments: [0o444, 0o400])
  func aFileThatNobodyIsToWriteIsRefused(permissions: Int) throws {
    try read(Self.header) { file in
      try file.checkWritable()
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
      #expect(
        throws: ResultsError.cannotWrite(
          path: file.path, reason: "the file is read-only", option: "--counters")
      ) { try file.checkWritable() }
    }
    try CountsFile(newAt: "/nowhere/counters.csv").checkWritable()
  }

  @Test func aLinkStaysOneAndWhatItPointsAtIsReplaced() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.header, to: "counters.csv")
    let link = folder.path + "/link.csv"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let file = try CountsFile(link)
    try file.write(try file.text(replacing: Self.here, with: [Self.row("a", 3)]))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try CountsFile(path).rows == [Self.row("a", 3)])
  }

  @Test func whatIsNoFileIsNotWaitedFor() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    for (path, reason) in [
      (pipe, "it is no regular file"), ("/dev/zero", "it is no regular file"),
      (folder.path, "it is a folder"),
    ] {
      #expect(throws: ResultsError.cannotRead(path: path, reason: reason)) { try CountsFile(path) }
    }
  }

  @Test func aLineWithoutEndIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.header + String(repeating: "x", count: 3 << 20), to: "counters.csv")
    guard
      case .malformed(_, 2, nil, "has no end after 1048576 bytes", _) = #expect(
        throws: ResultsError.self, performing: { try CountsFile(path) })
    else {
      Issue.record("it is read to its end")
      return
    }
  }

  @Test func aFolderThatIsNotThereIsTold() throws {
    let folder = try TemporaryFolder()
    #expect(CountsFile(newAt: folder.path + "/a/b/c.csv").missingFolder == folder.path + "/a/b")
    #expect(CountsFile(newAt: folder.path + "/c.csv").missingFolder == nil)
    #expect(CountsFile(newAt: "c.csv").missingFolder == nil)
  }

  struct Fault: Sendable {
    let text: String
    let line: Int
    let column: String?
    let problem: String
  }

  private static let faults: [Fault] = [
    Fault(text: "", line: 1, column: nil, problem: "the file is empty"),
    Fault(text: "a,b\n", line: 1, column: "toolchain", problem: "is missing from the header, as are 9 more"),
    Fault(
      text: header + line(here, "a,publish-10,nan,,,"), line: 2, column: "allocations",
      problem: "holds \"nan\", which is neither a whole number nor a range such as 45..47"),
    Fault(
      text: header + line(here, "a,publish-10,1.5,,,"), line: 2, column: "allocations",
      problem: "holds \"1.5\", which is neither a whole number nor a range such as 45..47"),
    Fault(
      text: header + line(here, "a,publish-10,4..2,,,"), line: 2, column: "allocations",
      problem: "holds \"4..2\", which is neither a whole number nor a range such as 45..47"),
    Fault(
      text: header + line(here, "a,publish-10,1..2..3,,,"), line: 2, column: "allocations",
      problem: "holds \"1..2..3\", which is neither a whole number nor a range such as 45..47"),
    Fault(
      text: header + line(here, "a,publish-10,0..9223372036854775807,,,"), line: 2, column: "allocations",
      problem: "is 9223372036854775807, and no post has more than 1000000000000"),
    Fault(
      text: header + line(here, "a,publish-10,varies,,,"), line: 2, column: "allocations",
      problem: "holds \"varies\", which is neither a whole number nor a range such as 45..47"),
    Fault(
      text: header + line(here, "a,publish-10,-1..2,,,"), line: 2, column: "allocations",
      problem: "is -1, which is negative"),
    Fault(
      text: header + line(here, "a,publish-10,1,,,") + line(here, "b,publish-10,1,,,-3"), line: 3,
      column: "retains", problem: "is -3, which is negative"),
    Fault(
      text: header + line(here, "a,publish-10,1,,,") + line(here, "a,publish-10,1,,,"), line: 3,
      column: "scenario", problem: "holds \"publish-10\", which the section has of a already"),
    Fault(
      text: header + line(here, "a,publish-10,1"), line: 2, column: nil,
      problem: "has 7 fields where 10 belong"),
    Fault(
      text: header + String(line(here, "a,publish-10,1,,,").dropLast()), line: 2, column: nil,
      problem: "is cut off: it does not end with a line feed"),
    Fault(
      text: header + line(here, ",publish-10,1,,,"), line: 2, column: "contender",
      problem: "is empty, but this column always has a value"),
  ]

  @Test(arguments: faults)
  func everyFaultNamesLineAndColumnAndSaysWhatToDo(fault: Fault) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(fault.text, to: "counters.csv")
    let error = #expect(throws: ResultsError.self) { try CountsFile(path) }
    guard case .malformed(path, let line, let column, let problem, let advice) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((line, column, problem) == (fault.line, fault.column, fault.problem))
    #expect(
      advice.contains("anew with `check --counters") || advice == "Remove one of the two lines.", "\(advice)")
    #expect(try contents(path) == fault.text)
  }
}
