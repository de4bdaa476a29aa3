// Makes a forecast from three requests at once, and an album from any number. Classes are Sendable, or the main actor's.
import Foundation
import ReactiveStreams

struct ServiceError: Error {
  let cause: Error
  init(_ cause: Error) { self.cause = cause }
}
struct Offline: Error {}

/// A request, answered on a thread of the service.
struct Request<Response: Sendable>: Sendable {
  let answer: Result<Response, Error>

  func execute() -> AnyPublisher<Response, Error> {
    let answer = answer
    return FromCallback<Response, Error, Void> { resolver in
      DispatchQueue.global().async { resolver(answer) }
    }.eraseToAnyPublisher()
  }
}

final class Canceller: @unchecked Sendable {
  private let lock = NSLock()
  private var isCancelled = false
  private var kept: AnyCancellable?

  var cancellable: AnyCancellable? {
    get { lock.withLock { kept } }
    set {
      let isLate: Bool = lock.withLock {
        kept = newValue
        return isCancelled
      }
      if isLate { newValue?.cancel() }
    }
  }

  func cancel() {
    let cancellable: AnyCancellable? = lock.withLock {
      isCancelled = true
      return kept
    }
    cancellable?.cancel()
  }
}

final class WeatherClient: Sendable {
  func responsePublisher<Response>(for request: Request<Response>) -> AnyPublisher<Response, ServiceError> {
    request.execute()
      .mapError { .init($0) }
      .eraseToAnyPublisher()
  }

  // An awaited publisher: cancelled both ways, resumed once.
  func response<Response>(for request: Request<Response>) async throws -> Response {
    let canceller = Canceller()
    return try await withTaskCancellationHandler {
      return try await withCheckedThrowingContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
          return
        }
        canceller.cancellable = responsePublisher(for: request)
          .handleEvents(receiveCancel: {
            continuation.resume(throwing: CancellationError())
          })
          .sink { completion in
            switch completion {
            case .failure(let error):
              continuation.resume(throwing: error)
            case .finished:
              break
            }
          } receiveValue: { value in
            continuation.resume(returning: value)
          }
      }
    } onCancel: {
      canceller.cancel()
    }
  }
}

@MainActor
final class WeatherScreen {
  let client = WeatherClient()
  let message = CurrentValueSubject<String, Never>("")
  let isLoading = CurrentValueSubject<Bool, Never>(true)
  let forecast = CurrentValueSubject<String, Never>("")
  let album = CurrentValueSubject<[String], Never>([])
  var cancellables = Set<AnyCancellable>()

  // One request.
  func load(_ request: Request<String>) {
    client.responsePublisher(for: request)
      .sink { [weak self] completion in
        switch completion {
        case .failure(let error):
          self?.message.value = "\(error.cause)"
        case .finished:
          break
        }
      } receiveValue: { [weak self] text in
        self?.forecast.value = text
      }
      .store(in: &cancellables)
  }

  // Three at once, and one that needs them.
  func loadForecast() {
    Publishers.Zip3(
      client.responsePublisher(for: Request(answer: .success(21))),
      client.responsePublisher(for: Request(answer: .success("wind"))),
      client.responsePublisher(for: Request(answer: .success([0.5])))
    )
    .flatMap { [weak self] degrees, wind, rain -> AnyPublisher<String, ServiceError> in
      guard let self = self else { return Empty(completeImmediately: true).eraseToAnyPublisher() }
      return self.client.responsePublisher(for: Request(answer: .success("\(degrees), \(wind), \(rain[0])")))
    }
    .receive(on: DispatchQueue.main)
    .sink { [weak self] completion in
      self?.isLoading.value = false
      switch completion {
      case .finished:
        break
      case .failure(let error):
        self?.message.value = error.localizedDescription
      }
    } receiveValue: { [weak self] forecast in
      guard let self = self else { return }
      self.forecast.value = forecast
    }
    .store(in: &cancellables)
  }

  // Any number of requests.
  func loadAlbum(of pictures: [String]) {
    let requests: [AnyPublisher<String, ServiceError>] = pictures.map { name in
      client.responsePublisher(for: Request(answer: .success("\(name).jpeg")))
    }
    if requests.isEmpty { return }
    Publishers.ZipMany(requests)
      .flatMap { [weak self] names -> AnyPublisher<[String], ServiceError> in
        guard let self = self else {
          return Empty(completeImmediately: true).eraseToAnyPublisher()
        }
        return self.client.responsePublisher(for: Request(answer: .success(names)))
      }
      .receive(on: DispatchQueue.main)
      .sink { [weak self] completion in
        if case .failure(let error) = completion { self?.message.value = error.localizedDescription }
      } receiveValue: { [weak self] album in
        self?.album.value = album
      }.store(in: &cancellables)
  }

  // The same, awaited.

  func forecastAtOnce() async throws -> String {
    async let degrees = client.response(for: Request(answer: .success(21)))
    async let wind = client.response(for: Request(answer: .success("wind")))
    async let rain = client.response(for: Request(answer: .success([0.5])))
    return try await "\(degrees), \(wind), \(rain[0])"
  }

  func forecastOneByOne() async throws -> String {
    let degrees = try await client.response(for: Request(answer: .success(21)))
    let wind = try await client.response(for: Request(answer: .success("wind")))
    let rain = try await client.response(for: Request(answer: .success([0.5])))
    return "\(degrees), \(wind), \(rain[0])"
  }

  func awaitedAlbum(of pictures: [String]) async throws -> [String] {
    var names: [String] = Array(repeating: "", count: pictures.count)
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for picture in pictures.enumerated() {
        group.addTask {
          return (
            picture.offset,
            try await self.client.response(for: Request(answer: .success("\(picture.element).jpeg")))
          )
        }
      }
      for try await (index, name) in group {
        names[index] = name
      }
    }
    return names
  }
}

// What it does.

@main
enum Weather {
  static func check(_ isRight: Bool, _ what: String) {
    print(isRight ? "right:" : "wrong:", what)
    if !isRight { exit(1) }
  }

  /// The first value of a subject that satisfies the condition.
  static func value<Value>(
    of subject: CurrentValueSubject<Value, Never>, where isIt: @escaping @Sendable (Value) -> Bool
  )
    async throws -> Value
  {
    try await subject.filter(isIt).value
  }

  static func main() async throws {
    let screen = WeatherScreen()
    screen.load(Request(answer: .success("sunny")))
    check(try await value(of: screen.forecast) { $0 == "sunny" } == "sunny", "one request is answered")
    screen.load(Request(answer: .failure(Offline())))
    check(try await value(of: screen.message) { !$0.isEmpty } == "Offline()", "a failure is mapped and shown")
    screen.loadForecast()
    let forecast = "21, wind, 0.5"
    check(try await value(of: screen.forecast) { $0 == forecast } == forecast, "three at once are zipped")
    let pictures = (0..<5).map { "\($0)" }
    let album = pictures.map { "\($0).jpeg" }
    screen.loadAlbum(of: pictures)
    check(try await value(of: screen.album) { !$0.isEmpty } == album, "any number keep their order")

    check(try await screen.forecastAtOnce() == forecast, "three are awaited at once")
    check(try await screen.forecastOneByOne() == forecast, "and one after another")
    check(try await screen.awaitedAlbum(of: pictures) == album, "a group keeps the order by an index")
    for number in 0..<2_000 {
      let client = WeatherClient()
      let request = Request<Int>(answer: number % 3 == 0 ? .failure(Offline()) : .success(number))
      let call = Task { try await client.response(for: request) }
      if number % 2 == 0 { call.cancel() }
      switch await call.result {
      case .success(let value): if value != number { check(false, "call \(number) gave \(value)") }
      case .failure(is ServiceError): if number % 3 > 0 { check(false, "call \(number) failed") }
      case .failure: if number % 2 > 0 { check(false, "call \(number) was cancelled") }
      }
    }
    check(true, "2,000 calls, half of them cancelled, end once each")
  }
}
