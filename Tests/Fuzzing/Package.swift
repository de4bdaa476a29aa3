// swift-tools-version: 6.2
import PackageDescription

// A separate package: its executables have libFuzzer's main function, and link only with `--sanitize=fuzzer`.

let package = Package(
  name: "fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: ["fuzz-files", "fuzz-reports"].map {
    .executableTarget(
      name: $0,
      dependencies: [.product(name: "_Records", package: "fanout")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  }
)
