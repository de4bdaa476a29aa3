import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

/// A run directory may come from anywhere: what it says of its machine is shown, and obeyed by nobody.
@Suite(.ownThread) struct HostileRecordTests {
  private static let hostile =
    "\u{1B}[2J\u{7}\u{9B}31m\r\nbench: all is well\u{202E}<script>alert(1)</script>"

  private static let context: ReportContext = {
    var environment = SyntheticRun.context.environment!
    environment.commandLine += [hostile]
    environment.warnings += [hostile]
    environment.notes["drop_rule"] = hostile
    environment.toolchain = hostile
    environment.commit = "\u{1B}c" + hostile
    environment.operatingSystem = hostile
    environment.cpuModel = hostile
    environment.parts = ["a", "b"].map { name in
      var part = environment
      part.machine = name + hostile
      part.kernel = hostile
      return part
    }
    return ReportContext(environment: environment)
  }()

  @Test(arguments: [
    SyntheticRun.analysis.document(context).text(),
    SyntheticRun.analysis.document(context).markdown,
  ])
  func `recorded text is shown without control characters`(report: String) {
    let steering = report.unicodeScalars.filter {
      $0 != "\n" && (SafeText.visible(String($0)) != String($0))
    }
    #expect(steering.isEmpty)
    #expect(!report.contains("\nbench: all is well"))
    #expect(report.contains("[2J"))
  }

  @Test func `recorded markup is escaped`() {
    let report = SyntheticRun.analysis.document(Self.context).markdown
    // Within backticks it is text.
    for line in report.split(separator: "\n") where !line.hasPrefix("Command: `") {
      #expect(!line.contains("<script>"))
    }
  }
}
