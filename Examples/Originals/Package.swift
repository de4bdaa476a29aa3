// swift-tools-version: 6.2
import PackageDescription

/// The libraries that ours are named after, and our library for each; operations are Foundation's own.
let originals: [(name: String, products: [String])] = [
  ("Coroutines", ["Coroutines", "CoroutinesFoundation"]),
  ("ClosureTasks", ["ClosureTasks"]),
  ("Streams", ["ReactiveStreams"]),
  ("Operations", []),
]

let package = Package(
  name: "originals",
  platforms: [.macOS(.v15)],
  // In a package of your own: its URL and a version.
  dependencies: [.package(name: "fanout", path: "../..")],
  // Each twice: in Swift 5 mode as users type it, in Swift 6 mode with annotations.
  targets: originals.flatMap { name, products in
    [("5", SwiftLanguageMode.v5), ("6", .v6)].map { suffix, mode in
      .executableTarget(
        name: name + suffix, dependencies: products.map { .product(name: $0, package: "fanout") },
        swiftSettings: [.swiftLanguageMode(mode)])
    }
  }
)
