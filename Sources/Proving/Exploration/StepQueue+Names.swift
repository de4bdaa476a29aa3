extension StepQueue {
  func description(at index: Int, _ line: (UInt64) -> String?) -> String {
    let next = ready[index]
    let (cause, subject) = (line(next.cause), subject(at: index, line))
    if next.actor >= 0 { return "\(name(ofActor: next.actor)) runs \(subject)" }
    if case .actor = next.route { return "an actor runs \(subject)" }
    if next.task < 0 { return "\(subject) goes on" }
    if steps[index].id == steps[index].lane { return "\(subject) starts" }
    if next.left >= 0 { return "\(subject) is back from \(name(ofActor: next.left))" }
    if case .yield = next.route { return "\(subject) goes on after its yield" }
    return "\(subject) goes on\(cause.map { ", resumed in \($0)" } ?? "")"
  }

  func subject(at index: Int, _ line: (UInt64) -> String?) -> String {
    let next = ready[index]
    return next.task < 0
      ? "what was resumed\(line(next.cause).map { " in \($0)" } ?? "")" : name(ofTask: next.task)
  }

  private func name(ofTask index: Int) -> String {
    let task = tasks[index]
    if let name = task.name { return "“\(name)”" }
    if task.parent < 0 { return index == 0 ? "the body" : "a task from outside" }
    return "task \(task.ordinal) of \(name(ofTask: task.parent))"
  }

  private func name(ofActor index: Int) -> String { actors[index].label ?? "an actor" }

  var unended: [String] {
    tasks.indices.filter { tasks[$0].isWatched && !tasks[$0].hasEnded }.map { index in
      let place = tasks[index].actor < 0 ? "" : " in \(name(ofActor: tasks[index].actor))"
      return
        "\(name(ofTask: index)) \(tasks[index].last == 0 ? "has not started" : "waits\(place) since step \(tasks[index].last - 1)")"
    }
  }

  var last: String { tasks.indices.max { tasks[$0].last < tasks[$1].last }.map(name(ofTask:)) ?? "the body" }
}
