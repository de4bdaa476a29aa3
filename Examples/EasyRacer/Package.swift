// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "easy-racer",
  // In a package of your own: its URL and a version.
  dependencies: [.package(name: "fanout", path: "../..")],
  targets: [
    .systemLibrary(name: "CEpoll"),
    .executableTarget(
      name: "EasyRacer",
      dependencies: ["CEpoll"]
        + ["Coroutines", "Futures", "ClosureTasks", "ReactiveStreams"].map {
          .product(name: $0, package: "fanout")
        }),
  ]
)
