import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What an app gets from its platform, as far as the programs use it.

@MainActor class Controller {
  let picture = Picture()
  let label = Label()
}

@MainActor class Picture { var image: Image? }
@MainActor class Label { var text: String? }

class Image {
  let pixels: Int
  init?(data: Data) {
    if data.isEmpty { return nil }
    pixels = data.count
  }
  init(pixels: Int) { self.pixels = pixels }
  func scaled(by factor: Int) -> Image { Image(pixels: pixels / factor) }
}

/// A context with its own queue.
class Store {
  private let queue = DispatchQueue(label: "store")
  func perform(_ block: @escaping () -> Void) { queue.async { block() } }
  func rows<Row>(of query: Query<Row>) throws -> [Row] { query.rows }
}

class Query<Row> {
  let rows: [Row]
  init(rows: [Row]) { self.rows = rows }
}

/// A library's call with a callback.
func countLater(_ completion: @escaping (Int) -> Void) {
  DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { completion(5) }
}

/// Answers every request with seven bytes, without a network.
class Answers: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() {
    let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("picture".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
  override func stopLoading() {}
}
