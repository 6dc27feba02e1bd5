"""kindred.py against real servers and the real program. Run: python3 -m unittest discover -s clients/python (after npm run build)."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kindred  # noqa: E402

MODEL = {
    "format": "kindred-model",
    "version": 2,
    "method": "mtl",
    "objective": "regression",
    "features": ["a", "b"],
    "bias": False,
    "scaling": {"mode": "none", "shift": [0, 0], "factor": [1, 1]},
    "w": [1, 10],
    "participants": [{"id": "ada", "v": [100, 0]}],
    "servesNewcomers": True,
    "options": {"c1": 1, "c2": 1, "epsilon": 0.1},
    "seed": 1,
}


def values(predictions):
    return [one["prediction"] for one in predictions]


class Refusals(unittest.TestCase):
    @contextlib.contextmanager
    def refused(self, code, pattern=""):
        with self.assertRaisesRegex(kindred.KindredError, pattern) as caught:
            yield caught
        self.assertEqual(caught.exception.code, code)


class WithServer(Refusals):
    @classmethod
    def setUpClass(cls):
        cls.server = kindred.start_server({"minParticipants": 2, "objective": "regression"})
        cls.addClassCleanup(cls.server.stop)
        cls.client = cls.server.client


class Predictions(WithServer):
    def test_rows_may_be_lists_dicts_tuples_or_arrays(self):
        for rows in ([[1, 2]], [(1, 2)], ((1, 2),), [{"a": 1, "b": 2}], [{"b": 2, "a": 1}], Array([[1, 2]])):
            self.assertEqual(values(self.client.predict(MODEL, rows)), [21])
        self.assertEqual(values(self.client.predict(MODEL, Frame(["b", "a"], [[2, 1]]))), [21])
        self.assertEqual(values(self.client.predict(MODEL, [[2, 1]], features=["b", "a"])), [21])
        self.assertEqual(self.client.predict(MODEL, []), [])

    def test_a_known_participant_gets_its_own_model_and_others_the_shared_part(self):
        self.assertEqual(values(self.client.predict(MODEL, [[1, 2]], participant="ada")), [121])
        self.assertEqual(values(self.client.predict(MODEL, [[1, 2], [1, 2]], participant=["ada", "ben"])), [121, 21])

    def test_evaluates_and_personalises(self):
        rows = [[i, 1] for i in range(20)]
        targets = [3 * i + 10 for i in range(20)]
        before = self.client.evaluate(MODEL, rows, targets)
        self.assertGreater(before["mean"]["rmse"], 10)
        fitted = self.client.personalise(MODEL, rows, targets, participant="eve", options={"c1": 100})
        self.assertEqual([one["part"] for one in fitted["participants"]], ["added"])
        self.assertEqual([one["id"] for one in fitted["model"]["participants"]], ["ada", "eve"])
        after = self.client.evaluate(fitted["model"], rows, targets, participant="eve")
        self.assertLess(after["mean"]["rmse"], 1)

    def test_bad_rows_models_and_targets_are_refused(self):
        with self.refused("BAD_ROWS", "2 features"):
            self.client.predict(MODEL, [[1]])
        with self.refused("BAD_ROWS", r'rows\[1\], feature "b": expected a finite number, got "x"'):
            self.client.predict(MODEL, [[1, 2], [1, "x"]])
        with self.refused("BAD_ROWS", "missing"):
            self.client.predict(MODEL, [{"a": 1, "c": 2}])
        with self.refused("BAD_ROWS", r"rows\[1\]: expected the features"):
            self.client.predict(MODEL, [{"a": 1, "b": 2}, {"a": 1}])
        with self.refused("BAD_ROWS", "JSON"):
            self.client.predict(MODEL, [[1, float("nan")]])
        with self.refused("BAD_ROWS", "expected lists"):
            self.client.predict(MODEL, "all of them")
        with self.refused("BAD_ROWS", "one for each"):
            self.client.evaluate(MODEL, [[1, 2]], [1, 2])
        with self.refused("BAD_MODEL", "w: expected 2 numbers") as caught:
            self.client.predict({**MODEL, "w": [1]}, [[1, 2]])
        self.assertEqual(caught.exception.status, 400)


class Federations(WithServer):
    def test_are_listed_created_invited_to_and_deleted(self):
        wards = self.client.create_federation("wards", {"minParticipants": 5})
        self.assertEqual([one["name"] for one in self.client.federations()], ["default", "wards"])
        state = wards.state()
        self.assertEqual((state["phase"], state["options"]["minParticipants"]), ("gathering", 5))
        self.assertEqual(wards.url, f"{self.server.url}/wards")
        self.assertEqual((wards.participants(), list(wards.rounds()), wards.history()), ([], [], []))
        invitations = wards.invite(count=2, lifetime_seconds=60)
        self.assertEqual(len({one["token"] for one in invitations}), 2)
        self.assertEqual(wards.invite("ada")[0]["participant"], "ada")
        self.assertTrue(wards.pause()["paused"])
        self.assertFalse(wards.resume()["paused"])
        wards.delete()
        with self.refused("NO_SUCH_FEDERATION"):
            wards.state()

    def test_say_what_is_wrong(self):
        with self.refused("NO_MODEL"):
            self.client.federation().model()
        with self.refused("NO_MODEL"):
            self.client.federation().predict([[1, 2]])
        with self.refused("NAME_TAKEN"):
            self.client.create_federation("default")
        with self.refused("BAD_OPTIONS", "colour"):
            self.client.create_federation("other", {"colour": "red"})
        with self.refused("TIMEOUT", "round 0"):
            self.client.federation().wait(timeout=0.1, poll=0.05)
        with self.refused("NO_SUCH_PARTICIPANT"):
            self.client.federation().forget("nobody/else")

    def test_tokens(self):
        for token, code in ((None, "TOKEN_NEEDED"), ("wrong-token", "WRONG_TOKEN")):
            with self.refused(code):
                kindred.Client(self.server.url, token).create_federation("mine")
        # Reading needs none on this machine.
        self.assertEqual(kindred.Client(self.server.url).federation().state()["name"], "default")


class Training(Refusals):
    def test_a_federation_trains_and_its_model_predicts(self):
        with tempfile.TemporaryDirectory() as name, kindred.start_server({"minParticipants": 2}) as server:
            folder = Path(name)
            data = folder / "har.csv"
            kindred.run("data", "make", "har", "--participants", 2, "--rows", 40, "--features", 4, "--out", data)
            federation = server.client.federation()
            with contextlib.ExitStack() as joined:
                people = [
                    joined.enter_context(
                        kindred.spawn("join", federation.url, "--data", data, "--task", k, "--state", folder / f"{k}")
                    )
                    for k in (1, 2)
                ]
                state = federation.wait(timeout=60)
                results = [one.result(timeout=60) for one in people]
            self.assertEqual(state["finish"], "gap")
            self.assertEqual([one["participant"] for one in results], ["1", "2"])
            self.assertEqual([one["id"] for one in federation.participants()], ["1", "2"])
            rounds = list(federation.rounds())
            self.assertEqual([one["round"] for one in rounds], [one["round"] for one in federation.history()])
            model = federation.model()
            kindred.save_model(model, folder / "model.json")
            self.assertEqual(kindred.load_model(folder / "model.json"), model)
            rows = [[0.1, 0.2, 0.3, 0.4]]
            shared = federation.predict(rows)
            self.assertEqual(shared, server.client.predict(model, rows))
            predicted = folder / "rows.csv"
            predicted.write_text("x1,x2,x3,x4\n0.1,0.2,0.3,0.4\n")
            document = kindred.run("predict", "--model", folder / "model.json", predicted)
            self.assertEqual(document["predictions"], shared)


class Programs(Refusals):
    def test_a_failed_command_is_an_error_with_its_code(self):
        with self.refused("FILE_NOT_FOUND", "nowhere.csv"):
            kindred.run("train", "nowhere.csv")
        with kindred.spawn("train", "nowhere.csv") as process, self.refused("FILE_NOT_FOUND"):
            process.result(timeout=60)
        with self.refused("BAD_OPTIONS", "colour"):
            kindred.start_server({"colour": "red"})
        with self.refused("TIMEOUT"):
            kindred.run("data", "make", "har", timeout=0.01)

    def test_a_program_that_is_not_kindred_is_reported(self):
        with mock.patch.dict(os.environ, KINDRED=f"{sys.executable} -c pass"), self.refused("PROGRAM_FAILED"):
            kindred.start_server()
        nowhere = {"PATH": "/nowhere", "KINDRED": ""}
        with mock.patch.dict(os.environ, nowhere), mock.patch.object(kindred, "__file__", "/a/b/c/kindred.py"):
            with self.refused("NO_PROGRAM"):
                kindred.program()

    def test_a_server_with_a_certificate_of_its_own_is_trusted_by_its_client(self):
        with kindred.start_server(arguments=["--tls-self-signed", "--host", "0.0.0.0"]) as server:
            self.assertRegex(server.dashboard, r"^https://127\.0\.0\.1:\d+/$")
            self.assertTrue(server.page.endswith("/join/default"))
            self.assertEqual(server.client.federation().state()["phase"], "gathering")
            with self.refused("NOT_TRUSTED"):
                kindred.Client(server.dashboard, server.token).federations()

    def test_a_server_ends_with_its_block_and_leaves_nothing(self):
        with kindred.start_server() as server:
            self.assertTrue(server.is_running)
            folder = server.folder
        self.assertFalse(server.is_running)
        self.assertFalse(folder.exists())
        with self.refused("NOT_RUNNING", "is kindred serve running"):
            server.client.federations()

    def test_a_server_with_a_folder_goes_on_from_its_store(self):
        with tempfile.TemporaryDirectory() as folder:
            with kindred.start_server(folder=folder) as server:
                server.client.create_federation("wards")
            with kindred.start_server(folder=folder) as server:
                self.assertIn("wards", [one["name"] for one in server.client.federations()])
                with self.refused("STORE_IN_USE"):
                    kindred.start_server(folder=folder)


class OtherServers(Refusals):
    def test_addresses_that_are_none(self):
        for url in ("ftp://host", "host:7070", "http://"):
            with self.refused("BAD_URL"):
                kindred.Client(url)

    def test_what_is_not_a_kindred_server_is_reported_and_gets_no_token_by_a_redirect(self):
        seen = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append((self.path, self.headers.get("authorization")))
                if self.path == "/v1/federations":
                    self.send_response(302)
                    self.send_header("location", "/elsewhere")
                else:
                    self.send_response(200)
                self.end_headers()
                self.wfile.write(b"<html>")

            def log_message(self, *_):
                pass

        web = HTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(web.server_close)
        self.addCleanup(web.shutdown)
        threading.Thread(target=web.serve_forever, daemon=True).start()
        client = kindred.Client(f"http://127.0.0.1:{web.server_port}", token="secret-token")
        with self.refused("NOT_A_SERVER", "302"):
            client.federations()
        with self.refused("NOT_A_SERVER", "expected JSON"):
            client.federation().state()
        self.assertNotIn("/elsewhere", [path for path, _ in seen])

    def test_a_server_that_does_not_answer(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            client = kindred.Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)
            with self.refused("NOT_REACHED"):
                client.federations()

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_tls_with_a_certificate_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
            words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
            names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert]
            subprocess.run([*words.split(), *names], check=True, capture_output=True)
            with kindred.start_server(arguments=["--tls-cert", cert, "--tls-key", key]) as server:
                self.assertTrue(server.url.startswith("https://"))
                trusting = kindred.Client(server.url, server.token, ca=cert)
                self.assertEqual([one["name"] for one in trusting.federations()], ["default"])
                with self.refused("NOT_TRUSTED"):
                    server.client.federations()
        with self.refused("BAD_CERTIFICATE"):
            kindred.Client("https://localhost", ca="/nowhere.pem")


class ModelFiles(Refusals):
    def test_are_read_and_written_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "model.json"
            kindred.save_model(MODEL, path)
            self.assertEqual(kindred.load_model(path), MODEL)
            with self.assertRaises(TypeError):
                kindred.save_model({"format": object()}, path)
            self.assertEqual(os.listdir(name), ["model.json"])
            self.assertEqual(kindred.load_model(path), MODEL)
            for text, code in (("{", "MODEL_NOT_JSON"), ("[]", "MODEL_FORMAT"), (json.dumps({"w": 1}), "MODEL_FORMAT")):
                path.write_text(text)
                with self.refused(code):
                    kindred.load_model(path)
            with self.refused("FILE_NOT_FOUND"):
                kindred.load_model(Path(name) / "none.json")


class Array:
    """Like numpy's."""

    def __init__(self, rows):
        self._rows = rows

    def tolist(self):
        return self._rows


class Frame:
    """Like pandas'."""

    def __init__(self, columns, rows):
        self.columns = columns
        self.values = Array(rows)


if __name__ == "__main__":
    unittest.main()
