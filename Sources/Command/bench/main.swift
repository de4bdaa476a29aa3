import BenchEntry

runBench()
