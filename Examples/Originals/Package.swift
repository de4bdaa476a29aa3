// swift-tools-version: 6.2
import PackageDescription

/// What readers of the originals type: for each original a program in Swift 5 mode, as its texts have it, and one in Swift 6 mode
/// that adds `Sendable` and `@MainActor` only.
let programs: [(name: String, products: [String])] = [
  ("Coroutines", ["Coroutines", "CoroutinesFoundation"])
]

let package = Package(
  name: "originals",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: programs.flatMap { program in
    [(5, SwiftLanguageMode.v5), (6, .v6)].map { number, mode in
      .executableTarget(
        name: "\(program.name)Swift\(number)",
        dependencies: program.products.map { .product(name: $0, package: "fanout") },
        path: "Sources/\(program.name)/Swift\(number)", swiftSettings: [.swiftLanguageMode(mode)])
    }
  }
)
