import BenchEntry
import URLSessionTransport

runBench(http: { URLSessionTransport() })
