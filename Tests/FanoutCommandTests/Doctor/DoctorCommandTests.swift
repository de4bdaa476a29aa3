import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct DoctorCommandTests {
  private func readings(failures: [String] = []) -> DoctorReadings {
    DoctorReadings {
      $0.isReleaseBuild = true
      $0.harnessOverheadNanoseconds = 1
      $0.failures = failures
      $0.seconds = 1
    }
  }

  @Test func `a debug build is refused`() {
    guard !Environment.isReleaseBuild else { return }
    let error = #expect(throws: UsageError.self) {
      try DoctorCommand.run([], among: ContenderList([Named("a")]))
    }
    #expect(error?.description.hasPrefix("this is a debug build, whose times say nothing.") == true)
    #expect(error?.description.contains("--allow-debug-build") == true)
  }

  @Test func `unknown readings are inconclusive and a failed contender is a failure`() {
    #expect(DoctorCommand.exitCode(DoctorReport(readings(failures: ["a: died"]))) == .contenderFailed)
    #expect(DoctorCommand.exitCode(DoctorReport(readings())) == .inconclusive)
  }
}
