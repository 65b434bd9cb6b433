# Covers milter/api/route.cpp, milter/api/route_examples.cpp.
"""The API as its own document describes it: the document is a valid OpenAPI 3.1 document, each route does what its
example shows, and each role may do what the document says and nothing else. The client is Python's `requests`."""

import re
import unittest
import urllib.parse

import requests

import harness

SECONDS = 120
ROLES = ("metrics", "read", "count", "report", "change")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
# What an example may meet: its message, case or bucket is made up, or something is off here.
TOLD = (200, 202, 404, 409, 503)
# Signing in and out: wrong passwords are refused whoever asks.
SIGNING = ("post", "/api/1/session")
# What its body is can only be told by a history.
UNSHOWN = ("post", "/api/1/reports/kept")


class Document(unittest.TestCase):
    """A daemon whose own machine may do nothing without a key, and a key of each role."""

    @classmethod
    def setUpClass(cls):
        cls.tmp = harness.temporary_folder(cls)
        cls.keys_file = cls.tmp / "http.keys"
        cls.daemon = cls.enterClassContext(harness.Daemon(cls.tmp, overrides=(
            "http.local=off", f"http.keys_file={cls.keys_file}", f"http.users_file={cls.tmp / 'users'}",
            "reports.trusted_reporters=[ann@example.org]", "ratelimit.rates.ip=[100, 100 / 1h]", "ratelimit.file=''")))
        cls.base = f"http://127.0.0.1:{cls.daemon.status_port}"
        cls.keys = {}
        for role in ROLES:
            done = cls.daemon.run("key", "add", role, "--role", role)
            assert done.returncode == 0, done.stderr
            cls.keys[role] = done.stdout.splitlines()[0]
        harness.wait_until(lambda: cls.sent("get", "/api/1/system", role="change").status_code == 200, SECONDS,
                           "the daemon knows the keys")
        cls.document = requests.get(cls.base + "/api/1/openapi.json", timeout=SECONDS).json()

    # unittest wants it of a class as of an object.
    @classmethod
    def addCleanup(cls, *arguments, **options):
        cls.addClassCleanup(*arguments, **options)

    @classmethod
    def sent(cls, method, target, role=None, body=None, content=None):
        headers = {"X-Shingled": "test"}
        if role:
            headers["Authorization"] = f"Bearer {cls.keys[role]}"
        if content:
            headers["Content-Type"] = content
        with requests.request(method, cls.base + target, headers=headers, data=body, timeout=SECONDS, stream=True) as answer:
            if not answer.headers["Content-Type"].startswith("text/event-stream"):
                answer.content  # all of it; a stream of events has no end
            return answer

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield method, path, operation

    def request_of(self, path, operation):
        """The target, the body and its type, as the document shows them."""
        query = {}
        for parameter in operation.get("parameters", ()):
            if "example" not in parameter:
                self.assertFalse(parameter["required"], f"{path}: {parameter['name']} is needed and has no example")
                continue
            if parameter["in"] == "path":
                path = path.replace("{%s}" % parameter["name"], urllib.parse.quote(str(parameter["example"]), safe=""))
            else:
                query[parameter["name"]] = parameter["example"]
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        for content, media in operation.get("requestBody", {}).get("content", {}).items():
            example = media["example"]
            return target, example if isinstance(example, str) else requests.compat.json.dumps(example), content
        return target, None, None

    def test_the_document_is_valid(self):
        document = self.document
        self.assertRegex(document["openapi"], r"^3\.1\.\d+$")
        self.assertLessEqual({"title", "version"}, set(document["info"]))
        self.assertLessEqual(set(document), {"openapi", "info", "jsonSchemaDialect", "servers", "paths", "webhooks",
                                             "components", "security", "tags", "externalDocs"})
        names = []
        for path, item in document["paths"].items():
            self.assertTrue(path.startswith("/"), path)
            self.assertLessEqual(set(item), set(METHODS), path)
        for method, path, operation in self.operations():
            with self.subTest(operation=f"{method} {path}"):
                names.append(operation["operationId"])
                self.assertTrue(operation["summary"].endswith("."))
                self.check_parameters(path, operation)
                self.assertLessEqual({"200", "default"}, set(operation["responses"]))
                for response in operation["responses"].values():
                    self.assertTrue(self.resolved(response)["description"])
        self.assertEqual(len(names), len(set(names)), "names of operations are unique")
        for name in names:
            self.assertRegex(name, r"^[a-z][a-z0-9_]*$")

    def check_parameters(self, path, operation):
        parameters = operation.get("parameters", [])
        places = [(one["name"], one["in"]) for one in parameters]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(set(re.findall(r"\{(\w+)\}", path)), {name for name, place in places if place == "path"})
        for one in parameters:
            self.assertIn(one["in"], ("path", "query"))
            self.assertTrue(one["required"] or one["in"] == "query")
            if "example" in one:
                self.check_value(one["example"], one["schema"], one["name"])

    def resolved(self, thing):
        """What a reference leads to."""
        while "$ref" in thing:
            target = self.document
            for step in thing["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            thing = target
        return thing

    def check_value(self, value, schema, where):
        """As much of JSON Schema as the document uses."""
        schema = self.resolved(schema)
        self.assertLessEqual(set(schema), {"type", "required", "properties", "minimum", "maximum", "enum", "items",
                                           "description"}, where)
        kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
        if "type" in schema:
            self.assertIsInstance(value, kinds[schema["type"]], where)
        if "enum" in schema:
            self.assertIn(value, schema["enum"], where)
        if "minimum" in schema:
            self.assertTrue(schema["minimum"] <= value <= schema["maximum"], where)
        for name in schema.get("required", ()):
            self.assertIn(name, value, where)
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                self.check_value(value[name], inner, f"{where}.{name}")

    def test_each_route_has_an_example_that_fits(self):
        for method, path, operation in self.operations():
            with self.subTest(operation=f"{method} {path}"):
                for content, media in operation["responses"]["200"]["content"].items():
                    self.assertIn("example", media, "milter/api/route_examples.cpp has none")
                    self.check_value(media["example"], media["schema"], f"{content} of {path}")
                self.request_of(path, operation)

    def test_who_may_does_and_nobody_else(self):
        for method, path, operation in self.operations():
            target, body, content = self.request_of(path, operation)
            roles = operation["x-roles"]
            for role in (None, *ROLES):
                with self.subTest(operation=f"{method} {path}", role=role):
                    answer = self.sent(method, target, role, body, content)
                    if (method, path) == SIGNING:
                        self.assertIn(answer.status_code, (401, 403, 429))
                    elif not roles or role in roles:
                        self.assertIn(answer.status_code, TOLD + (400,) * ((method, path) == UNSHOWN), answer.text)
                        self.check_answer(answer, operation)
                    else:
                        self.assertEqual(403 if role else 401, answer.status_code, answer.text)
                        self.check_problem(answer)
                        if role:
                            self.assertIn(f"'{operation['x-role']}'", answer.json()["detail"])

    def check_answer(self, answer, operation):
        if answer.status_code >= 300:
            return self.check_problem(answer)
        content, media = next(iter(operation["responses"]["200"]["content"].items()))
        if content == "application/json":
            self.check_value(answer.json(), media["schema"], answer.url)

    def check_problem(self, answer):
        self.assertEqual("application/problem+json", answer.headers["Content-Type"].partition(";")[0])
        problem = answer.json()
        shown = self.document["components"]["responses"]["Problem"]["content"]["application/problem+json"]
        self.check_value(problem, shown["schema"], answer.url)
        self.assertEqual(answer.status_code, problem["status"])

    def test_arguments_are_checked_as_the_document_says(self):
        for method, path, operation in self.operations():
            target, body, content = self.request_of(path, operation)
            with self.subTest(operation=f"{method} {path}"):
                if (method, path) == SIGNING:
                    continue
                glue = "&" if "?" in target else "?"
                answer = self.sent(method, f"{target}{glue}unheard-of=1", "change", body, content)
                self.assertEqual(400, answer.status_code, answer.text)
                self.check_problem(answer)
                for parameter in operation.get("parameters", ()):
                    schema = parameter["schema"]
                    if parameter["in"] != "query" or schema.get("type") == "string":
                        continue
                    wrong = "maybe" if "enum" in schema else schema["maximum"] + 1
                    without = re.sub(rf"(?<=[?&]){parameter['name']}=[^&]*&?", "", target).rstrip("?&")
                    glue = "&" if "?" in without else "?"
                    answer = self.sent(method, f"{without}{glue}{parameter['name']}={wrong}", "change", body, content)
                    if isinstance(wrong, int) and wrong > 2**63 - 1 and answer.status_code == 400:
                        continue
                    self.assertEqual(400, answer.status_code, answer.text)
                    self.assertIn(parameter["name"], answer.json()["detail"])
                other = next(one for one in ("get", "post", "delete") if one not in self.document["paths"][path]) \
                    if len(self.document["paths"][path]) < 3 else None
                if other:
                    refused = self.sent(other, target, "change")
                    self.assertIn(refused.status_code, (400, 404, 405), refused.text)


if __name__ == "__main__":
    unittest.main()
