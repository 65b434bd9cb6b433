"""Known files through a real Postfix: what is recognised although it was changed, what is not, and containers that
want to harm whoever opens them."""

import email.message
import io
import json
import pathlib
import random
import signal
import smtplib
import sys
import tarfile
import unittest
import urllib.request
import zipfile
import zlib

import harness
from mta import Postfix, SmtpSink

SECONDS = 60
EX_CONFIG = 78
LISTS = ("[{name: bad, symbol: KNOWN_BAD, score: 8, similarity_min: 50},"
         " {name: forms, symbol: OUR_FORM, score: 0, good: true}]")
WORDS = ("invoice payment account order delivery customer meeting report project market service company office "
         "letter contract number amount balance quarter season winter summer machine garden kitchen window river "
         "mountain forest village station teacher doctor engineer history language science music theatre").split()


def noise(size, seed):
    return random.Random(seed).randbytes(size)


def text(words, seed):
    chosen = random.Random(seed)
    return " ".join(f"{chosen.choice(WORDS)}{chosen.randrange(100)}" for _ in range(words))


def zipped(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.openxmlformats.org/{2006 + i}/wordprocessing/{prefix}/main"'
    for i, prefix in enumerate("wpc cx cx1 cx2 cx3 cx4 cx5 mc aink am3d o r m v wp14 wp w10 w w14 w15 w16cex".split()))
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def document(paragraphs):
    """A text document with all that an office program puts beside the text, the same in each."""
    body = "".join(f'<w:p w:rsidR="00AB{i:04X}" w:rsidRDefault="00AB0001"><w:pPr><w:spacing w:after="160"/></w:pPr>'
                   f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r></w:p>' for i, words in enumerate(paragraphs))
    styles = "".join(f'<w:style w:type="paragraph" w:styleId="Heading{i}"><w:name w:val="heading {i}"/><w:pPr>'
                     f'<w:spacing w:before="{i * 20}"/></w:pPr><w:rPr><w:sz w:val="{i}"/></w:rPr></w:style>'
                     for i in range(300))
    separator = '<w:footnote w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    return {
        "[Content_Types].xml": XML + '<Types><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": XML + '<Relationships><Relationship Id="rId1" Target="word/document.xml"/></Relationships>',
        "docProps/app.xml": XML + "<Properties><Application>Office</Application></Properties>",
        "docProps/core.xml": XML + "<cp:coreProperties/>",
        "word/_rels/document.xml.rels": XML + "<Relationships/>",
        "word/document.xml": XML + f"<w:document {NAMESPACES}><w:body>{body}<w:sectPr><w:pgSz w:w=\"11906\"/>"
                                   "</w:sectPr></w:body></w:document>",
        "word/fontTable.xml": XML + f"<w:fonts {NAMESPACES}/>",
        "word/footnotes.xml": XML + f"<w:footnotes {NAMESPACES}>{separator}</w:footnotes>",
        "word/settings.xml": XML + f"<w:settings {NAMESPACES}/>",
        "word/styles.xml": XML + f"<w:styles {NAMESPACES}>{styles}</w:styles>",
        "word/theme/theme1.xml": XML + "<a:theme>" + text(800, "theme") + "</a:theme>",
    }


def docx(paragraphs):
    return zipped(document(paragraphs))


def paragraphs(seed, count=60):
    return [text(40, f"{seed} {i}") for i in range(count)]


def pdf(seed, size=60_000):
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + noise(size, seed) + b"\n%%EOF\n"


def program(seed, size=50_000):
    return b"MZ\x90\0" + noise(size, seed)


def nested(depth):
    data = b"the innermost"
    for _ in range(depth):
        data = zipped({"inner.zip": data}, zipfile.ZIP_STORED)
    return data


def lying_sizes():
    """A zip that gives its entry as 4 GB, in both places."""
    data = bytearray(zipped({"a": noise(20_000, "lie")}, zipfile.ZIP_STORED))
    for mark, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        start = data.index(mark) + at
        data[start:start + 4] = (0xfffffff0).to_bytes(4, "little")
    return bytes(data)


def encrypted():
    data = bytearray(zipped({"secret": noise(20_000, "secret")}, zipfile.ZIP_STORED))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def gzip_bomb(layers=2):
    data = bytes(20_000_000)
    for _ in range(layers):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        data = packer.compress(data) + packer.flush()
    return data


class KnownFiles(unittest.TestCase):
    def setUp(self):
        reason = Postfix.missing()
        if reason:
            self.skipTest(reason)
        self.tmp = harness.temporary_folder(self)
        self.sink = SmtpSink()
        self.addCleanup(self.sink.close)
        self.count = 0

    def start(self, **settings):
        """A daemon with the samples that were added before, and a Postfix before it."""
        # Its limits of work stop a hostile file here, not its limit of time, which depends on the machine.
        settings = {"enabled": "true", "file": self.tmp / "similar.db", "lists": LISTS,
                    "containers.time_max": "1m"} | settings
        self.daemon = self.enterContext(harness.Daemon(
            self.tmp, overrides=[f"similar.{key}={value}" for key, value in settings.items()]))
        self.mta = self.enterContext(Postfix(self.tmp, self.daemon.milter_port, self.sink.port))

    def add(self, into, name, content):
        folder = self.tmp / "samples"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        done = harness.run("similar", "add", "--file", str(self.tmp / "similar.db"), "--list", into, str(folder / name))
        self.assertEqual(0, done.returncode, done.stderr)

    def letter(self, name, content):
        self.count += 1
        message = email.message.EmailMessage()
        message["From"] = "sender@example.net"
        message["To"] = "user@example.org"
        message["Subject"] = f"number {self.count}"
        message.set_content("See the attachment.")
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
        return message.as_bytes(policy=message.policy.clone(linesep="\r\n"))

    def send(self, name, content):
        """Through Postfix: what is delivered, its headers unfolded."""
        message = self.letter(name, content)
        with smtplib.SMTP("127.0.0.1", self.mta.port, timeout=SECONDS) as smtp:
            smtp.sendmail("sender@example.net", ["user@example.org"], message)
        delivered = self.sink.wait_for(f"Subject: number {self.count}\r\n".encode())
        return delivered.partition(b"\r\n\r\n")[0].decode().replace("\r\n\t", " ").replace("\r\n ", " ")

    def assert_known(self, headers, sample, piece, symbol="KNOWN_BAD"):
        self.assertRegex(headers, rf"(?m)^X-Shingled-Result: {symbol}; .*{sample} of \w+ in {piece}",
                         self.daemon.log())

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.daemon.status_port}/stat", timeout=SECONDS) as page:
            return json.load(page)["metrics"].get(name, [])

    def test_changed_files_are_recognised_and_others_are_not(self):
        pages = paragraphs("letter")
        files = {f"folder/{i}.txt": text(600, f"file {i}").encode() for i in range(6)}
        self.add("bad", "letter.docx", docx(pages))
        self.add("bad", "invoice.pdf", pdf("invoice"))
        self.add("bad", "collection.zip", zipped(files))
        self.add("bad", "evil.exe", program("evil"))
        self.start()

        edited = list(pages)
        edited[30] = edited[30].replace(edited[30].split()[5], "elsewhere", 1)
        headers = self.send("changed.docx", docx(edited))
        self.assert_known(headers, "letter.docx", "changed.docx")
        self.assertRegex(headers, r"(?m)^X-Spam: Yes")
        self.assert_known(self.send("longer.pdf", pdf("invoice") + noise(1024, "tail")), "invoice.pdf", "longer.pdf")
        turned = dict(reversed(files.items()))
        self.assert_known(self.send("stored.zip", zipped(turned, zipfile.ZIP_STORED)), "collection.zip", "stored.zip")
        self.assert_known(self.send("other.tar.gz", tarred(turned)), "collection.zip", "other.tar.gz")
        within = zipped({"readme.txt": text(3000, "readme"), "bin/setup.exe": program("evil")}, zipfile.ZIP_LZMA)
        self.assert_known(self.send("setup.zip", within), "evil.exe", "setup.zip!bin/setup.exe")

        for name, content in (("stranger.docx", docx(paragraphs("another letter"))), ("other.pdf", pdf("report")),
                              ("tiny.docx", docx(["hello"])), ("other.zip", zipped({"a": program("good")}))):
            with self.subTest(name):
                self.assertNotIn("X-Shingled-Result", self.send(name, content), self.daemon.log())

        self.assertRegex(self.daemon.log(), r'similar="KNOWN_BAD:\d\.\d\d:similarity \d+.*bad/[^ ]*letter.docx:changed.docx')
        self.assertEqual({"bad": True}, {sample["labels"]["list"]: sample["value"] >= 5
                                         for sample in self.metrics("shingled_similar_hits")})
        self.assertGreaterEqual(self.metrics("shingled_similar_containers")[0]["value"], 7)

        # scan and explain say the same, and how to undo it.
        message = self.letter("setup.zip", within)
        scanned = json.loads(self.daemon.run("scan", "--json", stdin=message).stdout)
        hit = next(hit for hit in scanned["similar"]["hits"] if hit["entry"])
        self.assertEqual(("bad", "bin/setup.exe", "KNOWN_BAD", 100, False),
                         (hit["list"], hit["entry"], hit["symbol"], hit["similarity"], hit["spared"]))
        explained = self.daemon.run("explain", stdin=message)
        out = explained.stdout
        self.assertEqual(0, explained.returncode, explained.stderr)
        self.assertIn("evil.exe", out)
        self.assertIn("setup.zip!bin/setup.exe", out)
        self.assertRegex(out, r"similarity 100 and \d+ of \d+ n-grams \(\d+ %\)")
        undo = next(line for line in out.splitlines() if "undo" in line and "similar del --id" in line)
        done = harness.run("similar", "del", "--file", str(self.tmp / "similar.db"), "--id", undo.split()[-1])
        self.assertEqual(0, done.returncode, done.stderr)
        harness.wait_until(lambda: "similar_refreshed" in self.daemon.log(), SECONDS, "the daemon notices")
        self.assertNotIn("X-Shingled-Result", self.send("setup.zip", within), self.daemon.log())

    def test_what_is_known_as_good_is_spared(self):
        form = paragraphs("our form")
        abused = list(form)
        abused[10:14] = paragraphs("a bad thing", 4)
        self.add("bad", "abused.docx", docx(abused))
        self.start()
        self.assert_known(self.send("form.docx", docx(form)), "abused.docx", "form.docx")
        self.add("forms", "form.docx", docx(form))
        harness.wait_until(lambda: "similar_refreshed" in self.daemon.log(), SECONDS, "the daemon notices")

        filled = list(form)
        filled[50] = filled[50].replace(filled[50].split()[3], "somebody", 1)
        headers = self.send("filled.docx", docx(filled))
        self.assertRegex(headers, r"X-Shingled-Result: KNOWN_BAD; .*spared by a known good file")
        self.assert_known(headers, "form.docx", "filled.docx", "OUR_FORM")
        self.assertNotIn("X-Spam: Yes", headers)
        headers = self.send("again.docx", docx(abused))
        self.assertRegex(headers, r"(?m)^X-Spam: Yes", self.daemon.log())
        self.assertNotIn("spared", headers)

    def test_hostile_containers_are_delivered_with_a_note(self):
        self.start()
        cases = {
            "zip bomb": (zipped({"zeros": bytes(50_000_000)}), "ratio limit reached"),
            "10 000 entries": (zipped({f"{i}": b"x" for i in range(10_000)}), "entry limit reached"),
            "nested 100 deep": (nested(100), "depth limit reached"),
            "a bomb in a bomb": (gzip_bomb(), "ratio limit reached"),
            "lying sizes": (lying_sizes(), None),
            "out of the folder": (zipped({"../../../escaped": noise(9000, "escape"), "/escaped": noise(9000, "root")}),
                                  None),
            "encrypted": (encrypted(), "an entry is encrypted"),
            "cut off": (zipped({"a": noise(50_000, "cut")})[:30_000], "broken container"),
        }
        before = self.files()
        written = self.written()
        for name, (content, note) in cases.items():
            with self.subTest(name):
                seen = len(self.daemon.log())
                headers = self.send(name + ".zip", content)
                self.assertNotIn("X-Shingled-Result", headers)
                line = self.message_line(seen)
                self.assertIn("action=pass", line)
                if note:
                    self.assertRegex(line, rf'similar_notes="[^"]*{note}', line)
        self.assertEqual(before, self.files(), "nothing is written")
        self.assertFalse(pathlib.Path("/escaped").exists())
        self.assertLess(self.written() - written, 1 << 20)
        notes = {sample["labels"]["note"] for sample in self.metrics("shingled_similar_notes")}
        self.assertLessEqual({"ratio limit reached", "entry limit reached", "depth limit reached"}, notes)

    def files(self):
        """All there is in the daemon's folder but the counters, the judgements of rules and what Postfix keeps."""
        return sorted(str(path) for path in self.tmp.rglob("*")
                      if not {"postfix", "counters"} & set(path.parts) and path.suffix != ".judgements")

    def written(self):
        """Bytes that the daemon caused to be written to a disk so far."""
        lines = pathlib.Path(f"/proc/{self.daemon.process.pid}/io").read_text().splitlines()
        return int(dict(line.split(": ") for line in lines)["write_bytes"])

    def message_line(self, since):
        found = []

        def written():
            found[:] = [line for line in self.daemon.log()[since:].splitlines() if " message " in line]
            return bool(found)

        harness.wait_until(written, SECONDS, "the log line of the message")
        return found[-1]

    def test_no_library_is_an_error_at_the_start_and_none_later(self):
        broken = self.tmp / "similar.db"
        broken.write_bytes(b"no database at all, " * 100)
        refused = harness.Daemon(self.tmp, overrides=["similar.enabled=true", f"similar.file={broken}",
                                                      f"similar.lists={LISTS}"])
        done = refused.run("run")
        self.assertEqual(EX_CONFIG, done.returncode, done.stderr)
        self.assertIn(f"similar.file: {broken}", done.stderr + done.stdout)

        broken.unlink()
        self.add("bad", "evil.exe", program("evil"))
        self.start()
        broken.write_bytes(b"no database any more, " * 1000)
        self.assert_known(self.send("a.exe", program("evil")), "evil.exe", "a.exe")

    def test_a_reload_opens_what_is_wanted_now(self):
        configuration = self.tmp / "shingled.yaml"
        self.add("bad", "evil.exe", program("evil"))

        def configure(enabled):
            configuration.write_text(f"similar:\n  enabled: {enabled}\n  file: {self.tmp}/similar.db\n"
                                     "  lists: [{name: bad, symbol: KNOWN_BAD, score: 8}]\n")

        configure("no")
        self.daemon = self.enterContext(harness.Daemon(self.tmp, config=configuration))
        self.mta = self.enterContext(Postfix(self.tmp, self.daemon.milter_port, self.sink.port))
        self.assertNotIn("X-Shingled-Result", self.send("a.exe", program("evil")))
        configure("yes")
        self.daemon.signal(signal.SIGHUP)
        harness.wait_until(lambda: "reloaded" in self.daemon.log(), SECONDS, "the reload")
        self.assert_known(self.send("b.exe", program("evil")), "evil.exe", "b.exe")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
