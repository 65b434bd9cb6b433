"""The dashboard and the alerts of packaging/monitoring name metrics that exist, and Prometheus takes them."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "packaging" / "monitoring"
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}


def known_metrics():
    """As Prometheus names them: tests/data/metrics.txt, which test_tidy compares with the code, and those of a process."""
    out = {f"process_{name}" for name in ("resident_memory_bytes", "start_time_seconds", "cpu_seconds_total", "open_fds")}
    for line in (ROOT / "tests" / "data" / "metrics.txt").read_text().splitlines():
        name, kind = line.split()[:2]
        out.update(name + suffix for suffix in SUFFIXES[kind])
    return out


def named_metrics(text):
    return set(re.findall(r"\b(?:shingled|process)_[a-z_]+\b(?=[{\[(]|\s|\)|$)", text)) - {"shingled_"}


class Monitoring(unittest.TestCase):
    def test_the_dashboard_names_metrics_that_exist(self):
        dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(expressions), 20)
        for expression in [*expressions, dashboard["annotations"]["list"][0]["expr"]]:
            self.assertTrue(named_metrics(expression), expression)
            self.assertEqual(set(), named_metrics(expression) - known_metrics(), expression)
        self.assertEqual(len(dashboard["panels"]), len({panel["id"] for panel in dashboard["panels"]}))

    def test_prometheus_understands_every_expression_of_the_dashboard(self):
        if shutil.which("promtool") is None:
            self.skipTest("no promtool (package prometheus)")
        dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
        rules = "groups:\n- name: dashboard\n  rules:\n"
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                expression = target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
                rules += f"  - record: dashboard:panel:{panel['id']}\n    expr: {json.dumps(expression)}\n"
                rules += f"    labels: {{target: {target['refId']}}}\n"
        done = subprocess.run(["promtool", "check", "rules", "/dev/stdin"], input=rules, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_the_alerts_name_metrics_that_exist(self):
        text = "".join(line for line in (FOLDER / "prometheus-rules.yml").read_text().splitlines(True)
                       if "description" not in line and "summary" not in line)
        self.assertEqual(set(), named_metrics(text) - known_metrics())

    def test_the_alerts_come_when_they_should(self):
        if shutil.which("promtool") is None:
            self.skipTest("no promtool (package prometheus)")
        for command in (("check", "rules", "prometheus-rules.yml"), ("test", "rules", "prometheus-rules-test.yml")):
            done = subprocess.run(["promtool", *command], cwd=FOLDER, capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
