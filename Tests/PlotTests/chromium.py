"""A headless Chromium on two pipes, by its own protocol: nothing but the standard library is needed."""
import json
import os
import select
import shutil
import subprocess
import sys
import time

PATH = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)

# The browser reads from its descriptor 3 and writes to 4, whatever ours are called.
LAUNCH = ("import fcntl, os, sys; read, write = (fcntl.fcntl(int(fd), fcntl.F_DUPFD_CLOEXEC, 10) for fd in sys.argv[1:3]); "
          "os.dup2(read, 3), os.dup2(write, 4); os.execv(sys.argv[3], sys.argv[3:])")


class Browser:
    """One page of a browser; what it logs, throws and asks of a network is kept in `events`."""

    def __init__(self, profile, width: int = 1280, height: int = 900):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out), PATH, "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in), os.close(theirs_out)
        self.ours_in, self.ours_out = ours_in, ours_out
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        try:
            page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
            self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours_in), os.close(self.ours_out)

    def receive(self, deadline: float) -> dict:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.ours_in], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.ours_in, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("the browser says nothing" if not ready else "the browser has ended")
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        message = dict(id=self.number, method=method, params=parameters)
        if self.session:
            message["sessionId"] = self.session
        os.write(self.ours_out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script: str):
        """The value of an expression, or of what it promises."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def open(self, address: str, until: str, seconds: float = 60) -> None:
        """Opens a page and waits for an expression of it to hold."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + seconds
        while not self.evaluate(f"document.readyState === \"complete\" && ({until})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{until} did not come to hold; {self.errors()}")
            time.sleep(0.05)

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def errors(self) -> list:
        """What the console and the page's scripts complained of."""
        found = [e["params"]["exceptionDetails"].get("exception", {}).get("description", "exception")
                 for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        found += [e["params"]["entry"]["text"] for e in self.events if e["method"] == "Log.entryAdded"]
        return found + [str(e["params"]["args"]) for e in self.events if e["method"] == "Runtime.consoleAPICalled"]

    def requests(self) -> list:
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
