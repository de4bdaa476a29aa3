// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "claims",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: [
    .executableTarget(
      name: "claims", dependencies: [.product(name: "Benchmarking", package: "fanout")],
      path: "Sources/Claims")
  ]
)
