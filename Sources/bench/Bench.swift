@main
enum Bench {
  static func main() { print("bench") }
}
