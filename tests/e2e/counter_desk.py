"""A stand-in for the counters of a daemon: it keeps what is added, and can answer badly on purpose."""

import hashlib
import http.server
import json
import os
import socket
import struct
import threading
import time

MEASURES = ("mass", "recipients", "bytes", "spam", "ham", "complaint", "rescue", "failed")


def shingle_of(piece):
    if "shingle" in piece:
        return piece["shingle"]
    return hashlib.blake2b(json.dumps([piece["type"], piece["piece"]]).encode(), digest_size=8).hexdigest()


class CounterDesk:
    """Serves /api/1/counters/* on a loopback port within a `with` block.

    `requests` holds what came: (path, body). `replies` maps a path to a list of prepared answers, used up one by one:
    (status, body), raw bytes that are sent instead of a reply, or None for a connection that is reset. `counts` maps (space, type, shingle) to measures.
    """

    def __init__(self):
        self.counts = {}
        self.requests = []
        self.replies = {}
        self.unknown = set()  # types whose counters are not known
        desk = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                desk.serve(self, "")

            def do_POST(self):
                desk.serve(self, self.rfile.read(int(self.headers["Content-Length"])).decode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.slot = int(time.time()) // 600

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def bodies(self, path):
        return [body for asked, body in self.requests if asked == path]

    def serve(self, handler, body):
        assert handler.path.startswith("/api/1/")
        handler.path = handler.path.removeprefix("/api/1")
        self.requests.append((handler.path, body))
        assert handler.headers["X-Shingled"] == "1"
        prepared = self.replies.get(handler.path)
        if prepared:
            answer = prepared.pop(0)
            if answer is None:  # as if it ended with the request done, but not answered
                handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                handler.close_connection = True
                os.close(handler.connection.detach())
                return
            if isinstance(answer, bytes):
                handler.wfile.write(answer)
                handler.close_connection = True
                return
            status, text = answer
        elif handler.path == "/counters/export":
            status, text = 200, "".join(json.dumps({"name": name, "count": count}) + "\n"
                                        for name, count in self.names())
        else:
            status, text = 200, json.dumps(getattr(self, handler.path.rpartition("/")[2])(body))
        handler.send_response(status)
        if status == 200:  # as the daemon streams: in chunks of odd sizes
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            data = text.encode()
            for at in range(0, len(data), 777):
                part = data[at:at + 777]
                handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            handler.wfile.write(b"0\r\n\r\n")
        else:
            handler.send_header("Content-Length", str(len(text.encode())))
            handler.end_headers()
            handler.wfile.write(text.encode())
        handler.close_connection = True

    def names(self):
        numbers = {"link_host": 51, "sender": 10, "from": 14}
        for (space, kind, shingle), amounts in sorted(self.counts.items()):
            for measure, count in amounts.items():
                yield f"{measure}_{space}_{shingle}_{numbers.get(kind, 51)}_10m_{self.slot}", count

    def amounts(self, space, piece):
        return self.counts.get((space, piece["type"], shingle_of(piece)), {})

    def ask(self, body):
        asked = json.loads(body)
        return {"windows": asked["windows"],
                "counters": [{"type": piece["type"], "shingle": shingle_of(piece),
                              "known": piece["type"] not in self.unknown,
                              "sums": [self.amounts(asked["space"], piece) for _ in asked["windows"]]}
                             for piece in asked["pieces"]]}

    def series(self, body):
        asked = json.loads(body)
        return {"now": self.slot,
                "counters": [{"type": piece["type"], "shingle": shingle_of(piece),
                              "entries": [{"unit": "10m", "number": self.slot,
                                           **self.amounts(asked["space"], piece)}]} for piece in asked["pieces"]]}

    def add(self, body):
        asked = json.loads(body)
        for piece in asked["pieces"]:
            amounts = self.counts.setdefault((asked["space"], piece["type"], shingle_of(piece)), {})
            for measure, amount in asked["add"].items():
                amounts[measure] = amounts.get(measure, 0) + amount
        return {"added": len(asked["pieces"])}

    def forget(self, body):
        asked = json.loads(body)
        spaces = [asked["space"]] if "space" in asked else ["in", "out"]
        gone = [self.counts.pop((space, piece["type"], shingle_of(piece)), None)
                for space in spaces for piece in asked["pieces"]]
        return {"forgotten": len([one for one in gone if one is not None])}

    def top(self, body):
        asked = json.loads(body)
        found = sorted(((amounts.get(asked["measure"], 0), key) for key, amounts in self.counts.items()), reverse=True)
        return {"counters": [{"space": space, "type": kind, "shingle": shingle, "piece": None, "count": count,
                              "before": 1} for count, (space, kind, shingle) in found[:asked["most"]]]}

    def learn(self, body):
        return {"learnt": len(json.loads(body)["additions"])}

    def verify(self, _):
        return {"ok": True, "files": 3, "rows": 120}

    def __getattr__(self, name):
        if name == "import":
            return lambda body: {"imported": len({line.split('"')[3].rpartition("_10m_")[0].split("_", 1)[1]
                                                  for line in body.splitlines()})}
        raise AttributeError(name)
