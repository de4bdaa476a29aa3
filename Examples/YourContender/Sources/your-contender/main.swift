import FanoutCommand
import CallbackUploads

// Ratios refer to the first.
Bench.main(contenders: [CallbackUploads(), YourContender()])
