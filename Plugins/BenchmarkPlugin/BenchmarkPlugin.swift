import Foundation
import PackagePlugin

/// Writes the entry of an executable whose benchmarks are a global `benchmarks`, as package-benchmark's plugin of this name does.
@main struct BenchmarkPlugin: BuildToolPlugin {
  private let entry = """
    import Benchmark

    @main struct BenchmarkRunner: BenchmarkRunnerHooks {
      static func registerBenchmarks() { _ = benchmarks() }
    }
    """

  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    guard (target as? SwiftSourceModuleTarget)?.kind == .executable else { return [] }
    let file = context.pluginWorkDirectoryURL.appending(path: "BenchmarkRunner.swift")
    return [
      .buildCommand(
        displayName: "Writing the entry of \(target.name)", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", #"printf '%s\n' "$1" > "$2""#, "sh", entry, file.path], outputFiles: [file])
    ]
  }
}
