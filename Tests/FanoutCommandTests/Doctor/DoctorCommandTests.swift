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

  @Test func aDebugBuildShowsNoFigures() {
    guard !Environment.isReleaseBuild else { return }
    let error = #expect(throws: UsageError.self) {
      try DoctorCommand.run([], among: ContenderList([Named("a")]))
    }
    #expect(error?.description.hasPrefix("this is a debug build, whose times say nothing.") == true)
    #expect(error?.description.contains("--allow-debug-build") == true)
  }

  @Test func whatIsNotKnownIsInconclusive() {
    #expect(DoctorCommand.exitCode(DoctorReport(readings())) == .inconclusive)
  }

  @Test func aContenderThatFailedIsWorse() {
    #expect(DoctorCommand.exitCode(DoctorReport(readings(failures: ["a: died"]))) == .contenderFailed)
  }
}
