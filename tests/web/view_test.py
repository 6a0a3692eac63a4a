"""`parfait view`: what must be refused, and what a page can do. usage: view_test.py PARFAIT SOURCE"""

import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402

PARFAIT, SOURCE = "", pathlib.Path()



class Viewer:
    """A server of its own."""

    def __init__(self, *targets, more=("--no-open",), **environment):
        self.process = subprocess.Popen([PARFAIT, "view", *more, *map(str, targets)], cwd=SOURCE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment})
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/open\?token=([0-9a-f]{64})", line)
            if found:
                self.address, self.port, self.token = found.group(0), int(found.group(1)), found.group(2)
                return
        raise AssertionError(self.process.stderr.read())

    def request(self, method="GET", path="/api/session", body=None, headers=None, own=True, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        given = {"X-Parfait-Token": self.token} if own else {}
        given.update(headers or {})
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            headers, body = dict(answer.getheaders()), answer.read()
            return answer.status, headers, gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
        finally:
            connection.close()

    def status(self, **more):
        return self.request(**more)[0]

    def json(self, path):
        return json.loads(self.request(path=path)[2])

    def facts(self):
        """Threads and open descriptors of the server."""
        folder = f"/proc/{self.process.pid}"
        threads = int(re.search(r"Threads:\s+(\d+)", pathlib.Path(folder, "status").read_text()).group(1))
        return threads, len(os.listdir(folder + "/fd"))

    def close(self, patience=20, interrupt=True):
        if interrupt and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(patience)
        finally:
            self.process.stdout.close()
            self.process.stderr.close()


class Refusals(unittest.TestCase):
    """The rules, over a real connection."""

    @classmethod
    def setUpClass(cls):
        cls.viewer = Viewer("examples/double_pendulum/double_pendulum.xml")

    @classmethod
    def tearDownClass(cls):
        cls.viewer.close()

    def test_listens_on_the_loopback_alone(self):
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        mine = [line.split()[1] for line in lines
                if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == self.viewer.port]
        self.assertEqual([a.split(":")[0] for a in mine], ["0100007F"])
        sixth = pathlib.Path("/proc/net/tcp6").read_text().splitlines()[1:]
        self.assertFalse([1 for line in sixth if line.split()[3] == "0A"
                          and int(line.split()[1].split(":")[1], 16) == self.viewer.port])

    def test_needs_the_token(self):
        self.assertEqual(self.viewer.status(), 200)
        self.assertEqual(self.viewer.status(own=False), 401)
        self.assertEqual(self.viewer.status(own=False, headers={"X-Parfait-Token": "0" * 64}), 401)
        self.assertEqual(self.viewer.status(own=False, path="/open?token=" + "0" * 64), 401)
        self.assertEqual(self.viewer.status(own=False, path="/"), 401)
        self.assertEqual(self.viewer.status(own=False, path="/parfait.js"), 401)

    def test_the_opening_address_gives_a_cookie_and_goes_on_by_itself(self):
        status, headers, body = self.viewer.request(own=False, path="/open?token=" + self.viewer.token,
                                                    headers={"Sec-Fetch-Site": "cross-site"})
        self.assertEqual(status, 200)
        cookie = headers["Set-Cookie"]
        self.assertTrue(cookie.startswith(f"parfait-{self.viewer.port}={self.viewer.token};"))
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)
        self.assertIn(b'http-equiv="refresh"', body)
        self.assertEqual(self.viewer.status(own=False, headers={"Cookie": cookie.split(";")[0]}), 200)

    def test_other_hosts_and_origins(self):
        for host in ("localhost", f"localhost:{self.viewer.port}", "evil.example", "127.0.0.1"):
            self.assertEqual(self.viewer.status(headers={"Host": host}), 421, host)
        for origin in ("http://evil.example", "null", f"http://localhost:{self.viewer.port}"):
            self.assertEqual(self.viewer.status(headers={"Origin": origin}), 403, origin)
        self.assertEqual(self.viewer.status(headers={"Sec-Fetch-Site": "cross-site"}), 403)
        self.assertEqual(self.viewer.status(headers={"Origin": f"http://127.0.0.1:{self.viewer.port}"}), 200)

    def test_content_types_sizes_and_chunks(self):
        post = {"method": "POST", "path": "/api/jobs"}
        self.assertEqual(self.viewer.status(**post, body="{}", headers={"Content-Type": "text/plain"}), 415)
        self.assertEqual(self.viewer.status(**post, body="{}", headers={"Content-Type": "application/json"}), 400)
        with self.connection() as raw:  # only the head: nothing of the body is waited for
            raw.sendall(self.head("POST", "/api/jobs", "Content-Type: application/json\r\n"
                                  "Transfer-Encoding: chunked\r\n"))
            self.assertIn(b" 411 ", raw.recv(100))
        with self.connection() as raw:
            raw.sendall(self.head("POST", "/api/jobs", "Content-Type: application/json\r\n"
                                  f"Content-Length: {9 << 20}\r\n"))
            try:
                sent = b"x" * 65536
                for _ in range((9 << 20) // len(sent)):
                    raw.sendall(sent)
            except OSError:
                pass  # it need not listen to the end
            self.assertIn(b" 413 ", raw.recv(100))
        self.assertEqual(self.viewer.status(method="PUT", path="/api/jobs", body="{}"), 405)
        self.assertEqual(self.viewer.status(), 200)

    def connection(self):
        return socket.create_connection(("127.0.0.1", self.viewer.port), timeout=30)

    def head(self, method, path, more):
        return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.viewer.port}\r\n"
                f"X-Parfait-Token: {self.viewer.token}\r\n{more}\r\n").encode()

    def test_headers(self):
        for path in ("/", "/parfait.js", "/api/session", "/nothing"):
            headers = self.viewer.request(path=path)[1]
            policy = headers["Content-Security-Policy"]
            for part in ("default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
                self.assertIn(part, policy, path)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertNotIn(b"<script>", self.viewer.request(path="/")[2])

    def test_no_path_and_no_code_from_a_request(self):
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "/api/runs/../../etc/passwd/block",
                     "/api/runs/r1/..%2f..%2fetc", "/examples/double_pendulum/double_pendulum.xml",
                     "/api/runs/r999/block", "/api/runs//etc/report"):
            self.assertEqual(self.viewer.status(path=path), 404, path)
        def job(**request):
            return self.viewer.request("POST", "/api/jobs", json.dumps(request), {"Content-Type": "application/json"})
        for request in ({"kind": "plugin", "file": "/somewhere/x.so"}, {"kind": "fit"}, {"kind": 3}, {}):
            self.assertEqual(job(**request)[0], 400, request)
        # Names of files in a request mean nothing: the model is the one of the command line, and nothing is written.
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "other.xml")
            shutil.copy(SOURCE / "examples/pendulum/pendulum.xml", other)
            status, _, body = job(kind="simulate", until=0.1, file=str(other), model=str(other), plugin=str(other),
                                  out=f"{folder}/out")
            self.assertEqual(status, 200)
            deadline = time.monotonic() + 60
            while not self.viewer.json("/api/session")["runs"] and time.monotonic() < deadline:
                time.sleep(0.05)
            run = self.viewer.json("/api/session")["runs"][-1]["id"]
            names = [column["name"] for column in self.viewer.json(f"/api/runs/{run}/table")["columns"]]
            self.assertTrue(any(name.startswith("Upper.") for name in names), names)  # the double pendulum
            self.assertEqual(os.listdir(folder), ["other.xml"])

    def test_connections_wait_while_it_is_busy(self):
        # Stopped it accepts nothing: what the kernel keeps for it is the backlog.
        os.kill(self.viewer.process.pid, signal.SIGSTOP)
        waiting = []
        try:
            for _ in range(100):
                waiting.append(socket.create_connection(("127.0.0.1", self.viewer.port), timeout=5))
        finally:
            os.kill(self.viewer.process.pid, signal.SIGCONT)
            for raw in waiting:
                raw.close()
        self.assertEqual(len(waiting), 100)
        self.assertEqual(self.viewer.status(), 200)

    def test_two_hundred_at_once(self):
        answers = []

        def ask():
            try:
                answers.append(self.viewer.status(timeout=120))
            except OSError as error:
                answers.append(error)

        begun = time.monotonic()
        threads = [threading.Thread(target=ask) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [200] * 200)
        print(f"200 requests at once: {time.monotonic() - begun:.2f} s", file=sys.stderr)

    def test_listeners_are_limited_and_dead_ones_go(self):
        before = self.viewer.facts()
        open_ones = []
        deadline = time.monotonic() + 30
        while len(open_ones) < 8 and time.monotonic() < deadline:
            raw = self.connection()
            raw.sendall(self.head("GET", "/api/events", ""))
            if b" 200 " in raw.recv(200):
                open_ones.append(raw)
            else:  # one of another test has not been missed yet
                raw.close()
                time.sleep(0.2)
        self.assertEqual(len(open_ones), 8)
        self.assertEqual(self.viewer.status(path="/api/events"), 503)
        self.assertEqual(self.viewer.status(), 200)  # the page itself can still be had
        for raw in open_ones:  # killed, not closed
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            raw.close()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with self.connection() as raw:
                raw.sendall(self.head("GET", "/api/events", ""))
                if b" 200 " in raw.recv(200):
                    break
            time.sleep(0.2)
        else:
            self.fail("dead listeners keep their places")
        deadline = time.monotonic() + 30
        while self.viewer.facts()[1] > before[1] + 1 and time.monotonic() < deadline:
            time.sleep(0.2)
        after = self.viewer.facts()
        self.assertLessEqual(after[0], before[0] + 2)  # one that computes may have begun
        self.assertLessEqual(after[1], before[1] + 1)

    def test_events_resume(self):
        self.viewer.request("POST", "/api/jobs", '{"kind": "simulate", "until": 0.1}', {"Content-Type": "application/json"})
        def events(last):
            with self.connection() as raw:
                raw.sendall(self.head("GET", "/api/events", f"Last-Event-ID: {last}\r\n"))
                text = b""
                deadline = time.monotonic() + 10
                while b"over" not in text and time.monotonic() < deadline:
                    text += raw.recv(65536)
                return [int(n) for n in re.findall(rb"id: (\d+)", text)]
        numbers = events(0)
        self.assertGreater(len(numbers), 1)
        later = events(numbers[0])
        self.assertEqual(min(later), numbers[0] + 1)


class Ending(unittest.TestCase):
    def test_ctrl_c_ends_it_even_while_it_computes_and_is_listened_to(self):
        viewer = Viewer("examples/hexapod/hexapod.xml")
        listener = socket.create_connection(("127.0.0.1", viewer.port))
        listener.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\n"
                         f"X-Parfait-Token: {viewer.token}\r\n\r\n".encode())
        listener.recv(100)
        viewer.request("POST", "/api/jobs", '{"kind": "simulate", "until": 100000, "step": 1}',
                       {"Content-Type": "application/json"})
        time.sleep(0.5)
        begun = time.monotonic()
        self.assertEqual(viewer.close(60), 0)
        print(f"Ctrl-C: ended after {time.monotonic() - begun:.2f} s", file=sys.stderr)
        listener.close()

    def test_ctrl_c_is_heard_as_soon_as_the_address_is_printed(self):
        for _ in range(8):  # before it listens, or when it has begun
            viewer = Viewer("examples/pendulum/pendulum.xml")
            self.assertEqual(viewer.close(), 0)

    def test_a_taken_port_and_a_missing_file_are_told(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = subprocess.run([PARFAIT, "view", "--no-open", "--port", str(port),
                                   "examples/pendulum/pendulum.xml"], cwd=SOURCE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"--port {port}", done.stderr)
        done = subprocess.run([PARFAIT, "view", "nowhere.xml"], cwd=SOURCE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere.xml", done.stderr)

    def test_ctrl_c_does_not_wait_for_half_a_request(self):
        viewer = Viewer("examples/pendulum/pendulum.xml")
        with socket.create_connection(("127.0.0.1", viewer.port)) as half:
            half.sendall(b"GET / HTTP/1.1\r\nHost:")
            time.sleep(0.2)
            begun = time.monotonic()
            self.assertEqual(viewer.close(), 0)
            self.assertLess(time.monotonic() - begun, 5)  # its timeout is 10 s; measured 0.3 s

    def test_a_second_ctrl_c_does_not_wait(self):
        codes = []
        while len(codes) < 5 and 128 + signal.SIGTERM not in codes:  # it may have come to its end before it hears the second
            viewer = Viewer("examples/pendulum/pendulum.xml")
            viewer.process.send_signal(signal.SIGSTOP)  # so that it hears both at once
            viewer.process.send_signal(signal.SIGINT)
            viewer.process.send_signal(signal.SIGTERM)
            viewer.process.send_signal(signal.SIGCONT)
            codes.append(viewer.close(interrupt=False))
        self.assertIn(128 + signal.SIGTERM, codes)

    def test_once_it_ends_with_its_page(self):
        viewer = Viewer("examples/pendulum/pendulum.xml", more=("--no-open", "--once=1"))
        time.sleep(1)
        self.assertIsNone(viewer.process.poll())  # nobody has looked yet
        with socket.create_connection(("127.0.0.1", viewer.port)) as page:
            page.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\n"
                         f"X-Parfait-Token: {viewer.token}\r\n\r\n".encode())
            page.recv(100)
            time.sleep(1)
            self.assertIsNone(viewer.process.poll())
        self.assertEqual(viewer.process.wait(30), 0)
        viewer.close()

    def test_the_browser_gets_a_file_that_only_the_user_can_read_and_no_process_shows_the_token(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            opener = folder / "xdg-open"
            opener.write_text("#!/bin/sh\n"
                              f"echo \"$@\" > {folder}/arguments.new\n"
                              f"stat -c '%a %U' \"$1\" \"$(dirname \"$1\")\" > {folder}/rights\n"
                              f"cp \"$1\" {folder}/page.html; grep SigBlk /proc/self/status > {folder}/blocked\n"
                              f"mv {folder}/arguments.new {folder}/arguments\n")
            opener.chmod(0o700)
            viewer = Viewer("examples/pendulum/pendulum.xml", more=(), PATH=f"{name}:{os.environ['PATH']}", DISPLAY=":99")
            deadline = time.monotonic() + 30
            while not (folder / "arguments").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            given = (folder / "arguments").read_text().split()
            self.assertEqual(len(given), 1)
            self.assertNotIn(viewer.token, given[0])
            user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
            self.assertEqual((folder / "rights").read_text().split(), ["600", user, "700", user])
            self.assertIn(viewer.address, (folder / "page.html").read_text())
            self.assertEqual(int((folder / "blocked").read_text().split()[1], 16) & 1 << (signal.SIGTERM - 1), 0)
            for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.assertNotIn(viewer.token.encode(), entry.read_bytes())
                except OSError:
                    continue
            viewer.close()
            self.assertFalse(os.path.exists(given[0]))  # nothing is left behind

    def test_meshes_are_parsed_and_never_served(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "leg.obj").write_text("# a secret remark\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            text = (SOURCE / "examples/pendulum/pendulum.xml").read_text()
            (folder / "m.xml").write_text(re.sub(r"</body>", '<shape kind="mesh" file="leg.obj"/></body>', text, count=1))
            viewer = Viewer(folder / "m.xml")
            block = viewer.request(path="/api/model")[2]
            self.assertIn(b'"vertices"', block)
            self.assertNotIn(b"secret remark", block)
            for path in ("/leg.obj", "/api/model/leg.obj", "/m.xml", f"/{folder}/leg.obj", "/api/runs/r1/leg.obj"):
                self.assertEqual(viewer.status(path=path), 404, path)
            viewer.close()


class Pages(unittest.TestCase):
    """What a person does with it."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def view(self, *targets):
        viewer = Viewer(*targets)
        self.addCleanup(viewer.close)
        return viewer

    def open(self, viewer, **more):
        page = self.browser.open(viewer.address, **more)
        page.wait("document.documentElement.dataset.parfait === 'ready'")
        self.addCleanup(page.close)
        return page

    def test_a_model_is_seen_simulated_and_searched(self):
        viewer = self.view("examples/double_pendulum/double_pendulum.xml")
        page = self.open(viewer)
        self.assertEqual(page.evaluate("location.href"), f"http://127.0.0.1:{viewer.port}/")  # no token left
        self.assertEqual(page.evaluate("parfait.player.view.scene.bodies.length"), 2)
        page.evaluate("document.querySelector('input[name=until]').value = '1'")
        page.evaluate("document.querySelector('#start').click()")
        page.wait("parfait.state.shown.length === 1 && parfait.player.view.motion.t.length > 10")
        self.assertAlmostEqual(page.evaluate("parfait.player.view.motion.t.at(-1)"), 1)
        page.wait("parfait.plots.size > 0")
        page.evaluate("(s => {s.value = 'elbow.ang'; s.dispatchEvent(new Event('input'))})"
                      "(document.querySelector('input[type=search]'))")
        page.wait("[...document.querySelectorAll('.hits button')].some(b => b.textContent === 'Elbow.angle')")
        page.evaluate("[...document.querySelectorAll('.hits button')].find(b => b.textContent === 'Elbow.angle').click()")
        page.evaluate("document.querySelector('#start').click()")
        page.wait("parfait.facts.runs.length === 2 && parfait.plots.has('Elbow.angle')")
        # The second run over the first.
        page.evaluate("parfait.compare(parfait.facts.runs[0].id)")
        page.wait("parfait.player.view.overlay !== null")
        self.assertIn("in pale orange", page.evaluate("document.querySelector('.explained').textContent"))
        self.assertIn("dashed lines: simulation 1", page.evaluate("document.body.innerText"))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.choice')].find(c => c.textContent.startsWith('with'))"
                                       ".querySelector('select').selectedIndex"), 1)
        self.assertEqual(page.errors, [])

    def test_a_fit_is_watched_live(self):
        viewer = self.view("examples/hexapod/problem.xml")
        page = self.open(viewer)
        other = self.open(viewer)  # a second tab sees the same
        page.evaluate("document.querySelector('#start').click()")
        page.wait("parfait.facts.runs.length === 1 && parfait.state.job === null")
        self.assertGreaterEqual(page.evaluate("document.querySelectorAll('#iterations tbody tr').length"), 5)
        page.wait("document.querySelectorAll('#estimates tbody tr').length === 6")
        rows = page.evaluate("[...document.querySelectorAll('#estimates tbody tr')].map(r => r.innerText)")
        self.assertGreater(page.evaluate("parfait.liveBlocks"), 0)  # bodies moved while it worked
        self.assertAlmostEqual(float(rows[0].split()[1]), 395.475, delta=0.01)
        self.assertEqual(page.evaluate("parfait.player.view.scene.bodies.length"), 13)
        other.wait("parfait.facts.runs.length === 1")
        self.assertEqual(page.errors + other.errors, [])
        report = self.browser.open(f"http://127.0.0.1:{viewer.port}/api/runs/r1/report")
        self.addCleanup(report.close)
        report.wait("document.documentElement.dataset.parfait === 'ready'")
        self.assertEqual(report.errors, [])

    def test_a_job_is_cancelled_and_what_was_found_stays(self):
        viewer = self.view("examples/hexapod/hexapod.xml")
        page = self.open(viewer)
        page.evaluate("document.querySelector('input[name=until]').value = '100000';"
                      "document.querySelector('input[name=step]').value = '0.5'")
        page.evaluate("document.querySelector('#start').click()")
        page.wait("parfait.state.job !== null")
        page.wait("document.querySelector('progress').value > 0")
        page.evaluate("document.querySelector('#cancel').click()")
        page.wait("parfait.state.job === null && parfait.state.shown.length === 1")
        page.wait("document.querySelector('[role=status]').textContent.includes('Cancelled')")
        self.assertEqual(page.errors, [])

    def test_a_file_that_changes_is_read_again(self):
        file = self.path / "model.xml"
        shutil.copy(SOURCE / "examples/double_pendulum/double_pendulum.xml", file)
        viewer = self.view(file)
        page = self.open(viewer)
        text = file.read_text()
        time.sleep(0.1)
        file.write_text(text.replace("<force", "<forse", 1))
        page.wait("document.querySelector('[role=status]').textContent.includes('forse')")
        self.assertEqual(page.evaluate("parfait.player.view.scene.bodies.length"), 2)  # the last good one
        file.write_text(text.replace('mass="2"', 'mass="5"', 1))
        page.wait("document.querySelector('[role=status]').textContent.includes('read again')")
        page.wait("parfait.player.view.scene.bodies[0].mass === 5")

    def test_run_folders_and_tables(self):
        for name, until in (("a", "1"), ("b", "2")):
            subprocess.run([PARFAIT, "simulate", "examples/pendulum/pendulum.xml", "--until", until, "--quiet",
                            "--out", self.path / "runs" / name], cwd=SOURCE, check=True)
        page = self.open(self.view(self.path / "runs"))
        self.assertEqual(page.evaluate("parfait.facts.runs.length"), 2)
        page.wait("parfait.plots.size > 0")
        table = self.open(self.view(self.path / "runs" / "a" / "trajectory.csv"))
        table.wait("parfait.plots.size > 0")
        self.assertEqual(page.errors + table.errors, [])

    def test_a_page_of_another_origin_gets_nothing(self):
        viewer = self.view("examples/pendulum/pendulum.xml")
        self.open(viewer)  # the browser has the cookie
        evil = self.path / "evil.html"
        evil.write_text("<p>hello</p>")
        page = self.browser.open(evil.as_uri())
        self.addCleanup(page.close)
        base = f"http://127.0.0.1:{viewer.port}"
        for what in (f"fetch('{base}/api/session', {{credentials: 'include'}})",
                     f"fetch('{base}/api/session', {{mode: 'no-cors', credentials: 'include'}})"
                     ".then(r => {if (r.type === 'opaque') throw 1; return r})",
                     f"fetch('{base}/api/jobs', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: '{{}}'}})"
                     ".then(r => {if (r.type === 'opaque') throw 1; return r})"):
            got = page.evaluate(f"{what}.then(r => r.text()).then(t => 'got ' + t).catch(() => 'nothing')")
            self.assertEqual(got, "nothing")
        # Not even as a script, for which no permission is asked.
        included = page.evaluate(f"new Promise(done => {{const s = document.createElement('script'); s.src = '{base}/parfait.js';"
                                 "s.onload = () => done('got it'); s.onerror = () => done('nothing'); document.body.append(s)})")
        self.assertEqual(included, "nothing")
        self.assertEqual(page.evaluate(f"fetch('{base}/api/jobs', {{method: 'POST', mode: 'no-cors', credentials: 'include',"
                                       "headers: {'Content-Type': 'text/plain'}, body: '{\"kind\": \"simulate\", \"until\": 0.1}'})"
                                       ".then(() => 'sent', () => 'sent')"), "sent")
        framed = page.evaluate(f"new Promise(done => {{const f = document.createElement('iframe'); f.src = '{base}/';"
                               "f.onload = () => {try {done(f.contentDocument.body.innerText)} catch {done('nothing')}};"
                               "document.body.append(f)})")
        self.assertIn(framed, ("nothing", ""))
        facts = viewer.json("/api/session")
        self.assertEqual((facts["jobs"], facts["runs"]), ([], []))


if __name__ == "__main__":
    PARFAIT, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
