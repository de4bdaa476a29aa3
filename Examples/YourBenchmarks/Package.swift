// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "your-benchmarks",
  platforms: [.macOS(.v15)],
  // Elsewhere: .package(url: "<where Fanout is>", from: "1.0.0")
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: [
    .executableTarget(
      name: "your-benchmarks",
      dependencies: [
        .product(name: "Benchmarking", package: "fanout"),
        // A library of this repository: take your own.
        .product(name: "Futures", package: "fanout"),
      ], path: "Sources/YourBenchmarks")
  ]
)
