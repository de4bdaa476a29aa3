import Foundation
import Synchronization
import UploadScenario

/// Links of one commit that differ in nothing but where its code lies.
///
/// Where the linker happens to put a loop can cost it a per cent or two, and two builds are two such places. Code that is put into
/// another order with every link (T. Mytkowicz, A. Diwan, M. Hauswirth and P. F. Sweeney, “Producing Wrong Data Without Doing
/// Anything Obviously Wrong!”, ASPLOS 2009; C. Curtsinger and E. D. Berger, “STABILIZER”, ASPLOS 2013) makes of that an error that
/// pairs average out.
enum Layouts {
  static let option = Option(
    "--layouts", "N",
    "link each side so often, its code in another order each time: what only lies elsewhere is no slow-down (1: as it is)"
  )

  /// So that the linker can move every function by itself.
  static let compilerOptions = [
    "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
  ]

  /// - Parameter seed: from 1.
  static func linkerOptions(seed: Int) -> [String] { ["-Xlinker", "--shuffle-sections=.text*=\(seed)"] }

  static func refuseIfImpossible() throws {
    #if os(Linux)
      if try Tool.run("ld.lld", ["--version"], timeout: .seconds(20)).status == 0 { return }
      let lacking = "ld.lld, which Swift's toolchains bring along, is not on the path"
    #else
      let lacking = "this platform's linker cannot"
    #endif
    throw UsageError(
      "--layouts needs a linker that puts code into another order: \(lacking). Without it, a margin below 2 % may be a matter of where code lies."
    )
  }
}

/// Which of several links of a build is started next.
final class LayoutTurns: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  /// One of them at random; there is at least one.
  func next(of executables: [URL]) -> URL {
    if executables.count == 1 { return executables[0] }
    return generator.withLock { executables.randomElement(using: &$0) ?? executables[0] }
  }
}
