import Foundation

let options: Options
do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
  FileHandle.standardError.write(Data("EasyRacer: \(error)\n".utf8))
  exit(2)
}
do {
  switch options.mode {
  case .help: print(Options.help)
  case .serve: try Server().run()
  case .race: exit(try await Meeting(options).run() ? 0 : 1)
  case .urlSession: try await measureURLSession()
  }
} catch {
  FileHandle.standardError.write(Data("EasyRacer: \(error)\n".utf8))
  exit(1)
}
