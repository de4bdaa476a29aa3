/// The command line.
struct Options {
  enum Mode { case race, urlSession, serve, help }

  struct Problem: Error, CustomStringConvertible { let description: String }

  static let help = """
    Usage: EasyRacer [--short] [--careless] [--only LIBRARY] | --urlsession | --help

    Runs the eleven EasyRacer scenarios in each library. Exit code 1: an answer was wrong.

      --short         times a tenth as long, and fewer requests in scenario 3 for all but one library
      --careless      requests ignore that they are cancelled: scenarios with losers must be wrong
      --only LIBRARY  one of: \(Meeting.libraries.map { $0.name }.joined(separator: ", "))
      --urlsession    how far URLSession gets in scenario 3
    """

  var mode = Mode.race
  var isShort = false
  var isCareless = false
  var only: String?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--short": isShort = true
      case "--careless": isCareless = true
      case "--only":
        let names = Meeting.libraries.map { $0.name }
        guard let name = rest.popFirst(), names.contains(name) else {
          throw Problem(description: "--only takes one of: \(names.joined(separator: ", "))")
        }
        only = name
      case "--urlsession": mode = .urlSession
      case "--serve": mode = .serve
      case "--help", "-h": mode = .help
      default: throw Problem(description: "unknown option \(argument); --help lists them")
      }
    }
  }
}
