"""Headless Chromium over its debugging pipe: no package but Python's own library.

    with Browser() as browser:
        page = browser.open("file:///…/report.html", width=1280, height=800)
        page.wait("document.documentElement.dataset.parfait === 'ready'")
        page.evaluate("1 + 1")

Messages are JSON that ends with a zero byte: the browser reads them from its descriptor 3 and writes to 4.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def find_program():
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class PageError(Exception):
    pass


class Browser:
    def __init__(self, arguments=()):
        program = find_program()
        if not program:
            raise PageError("chromium is missing: see scripts/packages-web.txt")
        self.profile = tempfile.mkdtemp(prefix="parfait-chromium-")
        to_browser, self.out = os.pipe()
        self.back, from_browser = os.pipe()

        def hand_over():
            # Out of the way first: a descriptor may be 3 or 4 already.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--hide-scrollbars", "--mute-audio",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync",
             "--disable-dev-shm-usage", "--disable-component-update", "--disable-default-apps",
             "--font-render-hinting=none", f"--user-data-dir={self.profile}", *arguments, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=hand_over, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.answers = {}
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except Exception:  # whatever it was doing, it must go
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self, deadline):
        import select
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise PageError("the browser did not answer in time")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise PageError("the browser has gone")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].heard(message["method"], message["params"])

    def send(self, method, session=None, timeout=60, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + timeout
        while number not in self.answers:
            self._read(deadline)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise PageError(f'{method}: {answer["error"]["message"]}')
        return answer["result"]

    def open(self, address=None, width=1280, height=800, dark=False, offline=False, new_context=False):
        more = {}
        if new_context:
            more["browserContextId"] = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", **more)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.resize(width, height)
        page.media(dark=dark)
        if offline:
            page.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0,
                      uploadThroughput=0)
        if address:
            page.go(address)
        return page


class Page:
    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.errors, self.requests, self.loaded = [], [], 0

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def heard(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded += 1
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, dark=False, kind="screen"):
        self.send("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def go(self, address, timeout=60):
        before = self.loaded
        failed = self.send("Page.navigate", url=address).get("errorText")
        if failed:
            raise PageError(f"{address}: {failed}")
        deadline = time.monotonic() + timeout
        while self.loaded == before:
            self.browser._read(deadline)

    def evaluate(self, expression, timeout=60):
        answer = self.browser.send("Runtime.evaluate", self.session, timeout=timeout, expression=expression,
                                   returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, condition, timeout=60):
        deadline = time.monotonic() + timeout
        while not self._holds(condition):
            if time.monotonic() > deadline:
                raise PageError(f"did not happen in {timeout} s: {condition}; errors: {self.errors}")
            time.sleep(0.05)

    def _holds(self, condition):
        try:
            return self.evaluate(f"Boolean({condition})")
        except PageError:
            return False  # between two pages there is nothing to ask

    def key(self, key, modifiers=0):
        code = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Escape": 27, "Tab": 9, " ": 32}
        text = {"text": key} if len(key) == 1 else {}
        number = code.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=number, modifiers=modifiers,
                      **(text if kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y, count=1):
        self.move(x, y)
        for i in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=i)
            self.mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=i)

    def drag(self, x, y, to_x, to_y, steps=5):
        self.move(x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", buttons=0, clickCount=1)

    def box(self, selector):
        """left, top, width, height of an element that is scrolled into sight."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        return self.evaluate(f"(r => [r.left, r.top, r.width, r.height])"
                             f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    def screenshot(self, file, whole=False):
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": self._whole()} if whole else {}))
        pathlib.Path(file).write_bytes(base64.b64decode(shot["data"]))

    def _whole(self):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}

    def pdf(self, file):
        made = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=False)
        pathlib.Path(file).write_bytes(base64.b64decode(made["data"]))

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)
