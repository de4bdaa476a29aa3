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
    var row = CountRecord { ($0.key, $0.contender, $0.scenario) = (here, contender, "publish-10") }
    row[.allocations] = .exact(allocations)
    row[.objects] = .within(2...4)
    return row
  }

  private let folder = Scratch()

  private func file(_ text: String) throws -> CountsFile {
    try CountsFile(folder.write(text, to: "counters.csv"))
  }

  @Test func `one key's section is replaced, the rest stays byte for byte`() throws {
    // Quotes that this suite does not write.
    let odd = Self.line(Self.there, "\"a\",publish-10,00009,,2..4,")
    let text =
      Self.header + odd + Self.line(Self.here, "a,publish-10,1,,,")
      + Self.line(Self.here, "b,publish-10,2,,,") + Self.line(Self.there, "b,publish-10,8,,,")
    let file = try self.file(text)
    #expect(file.keys == [Self.there, Self.here])
    #expect(file.text() == text)
    let replaced = try file.text(replacing: Self.here, with: [Self.row("a", 3)])
    #expect(
      replaced == Self.header + odd
        + Self.line(Self.here, "a,publish-10,3,,2..4,") + Self.line(Self.there, "b,publish-10,8,,,"))
  }

  @Test func `a new section comes last, and a new file has only that`() throws {
    let old = Self.header + Self.line(Self.there, "a,publish-10,1,,,")
    let new = Self.line(Self.here, "a,publish-10,3,,2..4,")
    let replaced = try self.file(old).text(replacing: Self.here, with: [Self.row("a", 3)])
    #expect(replaced == old + new)
    let file = CountsFile(newAt: folder.path + "/deep/er/counters.csv")
    #expect(file.text() == "")
    try file.write(try file.text(replacing: Self.here, with: [Self.row("a", 3)]))
    #expect(try contents(file.path) == Self.header + new)
    #expect(try CountsFile(file.path).rows == [Self.row("a", 3)])
    // Nothing is left beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep/er") == ["counters.csv"])
  }

  @Test(arguments: [0o444, 0o400])
  func `a read-only file is refused`(permissions: Int) throws {
    let file = try self.file(Self.header)
    try file.checkWritable()
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    #expect(
      throws: ResultsError.cannotWrite(path: file.path, reason: "the file is read-only", option: "--counters")
    ) { try file.checkWritable() }
    try CountsFile(newAt: "/nowhere/counters.csv").checkWritable()
  }

  @Test func `a link stays, and its target is replaced`() throws {
    let path = try folder.write(Self.header, to: "counters.csv")
    let link = folder.path + "/link.csv"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let file = try CountsFile(link)
    try file.write(try file.text(replacing: Self.here, with: [Self.row("a", 3)]))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try CountsFile(path).rows == [Self.row("a", 3)])
  }

  @Test func `a pipe, device or folder is refused at once`() throws {
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    for (path, reason) in [
      (pipe, "it is no regular file"), ("/dev/zero", "it is no regular file"),
      (folder.path, "it is a folder"),
    ] { #expect(throws: ResultsError.cannotRead(path: path, reason: reason)) { try CountsFile(path) } }
  }

  @Test func `an endless line is refused`() throws {
    let path = try folder.write(Self.header + String(repeating: "x", count: 3 << 20), to: "counters.csv")
    let error = #expect(throws: ResultsError.self) { try CountsFile(path) }
    #expect(error?.description.hasPrefix("\(path):2: has no line feed within 1048576 bytes. ") == true)
  }

  private static let faults: [Fault] =
    [
      Fault("", 1, nil, "the file is empty"),
      Fault("a,b\n", 1, "toolchain", "is missing from the header, as are 9 more"),
      Fault(
        header + line(here, "a,publish-10,0..9223372036854775807,,,"), 2, "allocations",
        "is 9223372036854775807, which is above the limit of 1000000000000"),
      Fault(header + line(here, "a,publish-10,-1..2,,,"), 2, "allocations", "is -1, which is negative"),
      Fault(
        header + line(here, "a,publish-10,1,,,") + line(here, "b,publish-10,1,,,-3"), 3,
        "retains", "is -3, which is negative"),
      Fault(
        header + line(here, "a,publish-10,1,,,") + line(here, "a,publish-10,1,,,"), 3,
        "scenario", "holds \"publish-10\", already listed for a"),
    ]
    + ["nan", "1.5", "4..2", "1..2..3", "varies"].map {
      Fault(
        header + line(here, "a,publish-10,\($0),,,"), 2, "allocations",
        "holds \"\($0)\", which is neither a whole number nor a range such as 45..47")
    }

  @Test(arguments: faults)
  func `every fault names line and column, and what to do`(fault: Fault) throws {
    let path = try folder.write(fault.text, to: "counters.csv")
    let advice = fault.expect(of: path) { _ = try CountsFile(path) }
    #expect(
      advice.contains("anew with `check --counters") || advice == "Remove one of the two lines.", "\(advice)")
    #expect(try contents(path) == fault.text)
  }
}
