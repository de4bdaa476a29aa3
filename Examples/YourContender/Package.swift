// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "your-contender",
  platforms: [.macOS(.v15)],
  // In a package of your own: its URL and a version.
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: [
    .executableTarget(
      name: "your-contender",
      dependencies: [.product(name: "Fanout", package: "fanout")])
  ]
)
