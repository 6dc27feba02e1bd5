"""Kindred from Python: servers, federations and models. One file, standard library only, Python 3.9 or later.

    import kindred

    with kindred.start_server({"minParticipants": 3}) as server:
        federation = server.client.federation()
        ...                                         # participants join server.url
        federation.wait()
        model = federation.model()                  # the shared part, as the dict of a model file
        federation.predict([{"x1": 0.5, "x2": 1}])

    client = kindred.Client("https://example.org:7070", token="...", ca="ca.pem")

Computations are done by a server, through its HTTP API: rows given to predict, evaluate and personalise LEAVE THIS PROCESS and
reach that server. For rows that must stay on this machine use a server of your own (start_server). Rows of participants never
travel: `kindred join` trains where they are.

Whatever a server sends comes back as dicts and lists, so that newer servers can say more. Everything that goes wrong is a
KindredError with a stable code (docs/errors.md).
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

__all__ = [
    "Client",
    "Federation",
    "KindredError",
    "Process",
    "Server",
    "load_model",
    "program",
    "run",
    "save_model",
    "spawn",
    "start_server",
]

Json = Dict[str, Any]
PathLike = Union[str, "os.PathLike[str]"]
Participants = Union[str, Sequence[str], None]

_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_MOST_BYTES = 256 * 1024 * 1024


class KindredError(Exception):
    """`code` is stable and for programs, `message` is one sentence for people; `status` is that of HTTP, where there was one."""

    def __init__(self, code: str, message: str, status: Optional[int] = None):
        super().__init__(f"{message} [{code}]")
        self.code = code
        self.message = message
        self.status = status


# ---------------------------------------------------------------------------------------------------------------- a server's API


class Client:
    """A running server. `token`: an operator token (needed for changes, and for everything where the server is not on this machine).
    `ca`: file of the authority that signed the server's certificate, where it is not a public one."""

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        ca: Optional[PathLike] = None,
        timeout: float = 60.0,
    ):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KindredError("BAD_URL", f"url: expected http://host:port or https://host:port, got {url!r}")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self.token = token
        self.timeout = timeout
        self._opener = _opener(parts.hostname, ca)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def federations(self) -> List[Json]:
        """A summary of every federation."""
        return self.request("GET", "/v1/federations")["federations"]

    def federation(self, name: str = "default") -> Federation:
        """Whether there is one of that name is found out when it is used."""
        return Federation(self, name)

    def create_federation(self, name: str, options: Optional[Mapping[str, Any]] = None) -> Federation:
        """Options: `kindred settings federation` lists them."""
        self.request("POST", "/v1/federations", {"name": name, "options": dict(options or {})})
        return self.federation(name)

    def predict(
        self,
        model: Mapping[str, Any],
        rows: Any,
        participant: Participants = None,
        features: Optional[Sequence[str]] = None,
    ) -> List[Json]:
        """One dict for each row. `participant`: whose rows they are, or one name for each row; names that the model does not know, and
        None, get the shared part. Rows are lists of numbers in the model's order or in that of `features`, dicts by feature, or
        anything with `tolist` or `columns` (numpy, pandas)."""
        body = _rows_body(rows, participant, features)
        return self.request("POST", "/v1/predict", {"model": dict(model), **body})["predictions"]

    def evaluate(
        self,
        model: Mapping[str, Any],
        rows: Any,
        targets: Any,
        participant: Participants = None,
        features: Optional[Sequence[str]] = None,
    ) -> Json:
        """Metrics of every participant of the rows, and their means."""
        body = {**_rows_body(rows, participant, features), "targets": _listed(targets)}
        return self.request("POST", "/v1/evaluate", {"model": dict(model), **body})

    def personalise(
        self,
        model: Mapping[str, Any],
        rows: Any,
        targets: Any,
        participant: Participants = "me",
        features: Optional[Sequence[str]] = None,
        options: Optional[Mapping[str, Any]] = None,
    ) -> Json:
        """Fits personal parts to labelled rows. `model` in the result is the model with them; `options` are those of `kindred
        settings personalising`."""
        body = {**_rows_body(rows, participant, features), "targets": _listed(targets)}
        body["options"] = dict(options or {})
        return self.request("POST", "/v1/personalise", {"model": dict(model), **body})

    def request(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        """Any route of the API (`/v1/openapi.json` describes them): JSON in, JSON out."""
        headers = {"accept": "application/json"}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = _to_json(body)
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                return self._json_in(response, method, path)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except (urllib.error.URLError, OSError) as error:
            raise self._unreachable(getattr(error, "reason", error)) from error

    def _unreachable(self, reason: Any) -> KindredError:
        if isinstance(reason, ssl.SSLError):
            return KindredError("NOT_TRUSTED", f"{self.url}: expected a trusted TLS connection (ca), got {reason}")
        if isinstance(reason, ConnectionRefusedError):
            return KindredError("NOT_RUNNING", f"{self.url}: connection refused; is kindred serve running?")
        return KindredError("NOT_REACHED", f"{self.url}: {reason}")

    def _json_in(self, response: Any, method: str, path: str) -> Any:
        text = response.read(_MOST_BYTES)
        try:
            return json.loads(text)
        except ValueError:
            raise KindredError(
                "NOT_A_SERVER", f"{self.url}: expected JSON for {method} {path}, got something else: is it a kindred server?"
            ) from None

    def _refusal(self, error: urllib.error.HTTPError) -> KindredError:
        with error:
            try:
                body = json.loads(error.read(_MOST_BYTES))["error"]
                return KindredError(str(body["code"]), str(body["message"]), error.code)
            except (ValueError, KeyError, TypeError, OSError):
                what = f"expected an answer of a kindred server, got HTTP status {error.code}"
                return KindredError("NOT_A_SERVER", f"{self.url}: {what}", error.code)


class Federation:
    """A federation of a server, by name."""

    def __init__(self, client: Client, name: str):
        self.client = client
        self.name = name
        self._path = f"/v1/federations/{urllib.parse.quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"Federation({self.name!r} of {self.client.url})"

    @property
    def url(self) -> str:
        """For `kindred join`."""
        return f"{self.client.url}/{urllib.parse.quote(self.name, safe='')}"

    def state(self) -> Json:
        """Phase, round, certificate, participants, options and more."""
        return self._get("")

    def participants(self) -> List[Json]:
        return self._get("/participants")["participants"]

    def history(self) -> List[Json]:
        """Primal, dual and gap of every round."""
        return self._get("/history")

    def rounds(self, after: int = 0) -> Iterator[Json]:
        """Closed rounds in full, oldest first."""
        following: Optional[int] = after
        while following is not None:
            page = self._get(f"/rounds?after={following}&limit=1000")
            yield from page["rounds"]
            following = page["next"]

    def model(self) -> Json:
        """The current shared model as the dict of a model file; personal parts stay with the participants."""
        return self._get("/model")

    def predict(self, rows: Any, features: Optional[Sequence[str]] = None) -> List[Json]:
        """With the shared part. See `Client.predict` for rows, and for personal models."""
        return self._post("/predict", _rows_body(rows, None, features))["predictions"]

    def invite(
        self,
        participant: Optional[str] = None,
        count: int = 1,
        lifetime_seconds: Optional[float] = None,
    ) -> List[Json]:
        """Invitations; each has its `token`, which is shown this once."""
        body: Json = {"count": count}
        if participant is not None:
            body["participant"] = participant
        if lifetime_seconds is not None:
            body["lifetimeMs"] = 1000 * lifetime_seconds
        return self._post("/invitations", body)["invitations"]

    def wait(self, timeout: Optional[float] = None, poll: float = 0.25) -> Json:
        """Waits until training rests, and gives the state."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            state = self.state()
            if state["phase"] == "finished":
                return state
            if until is not None and time.monotonic() + poll > until:
                waits = f"; it waits for {state['waitingFor']}" if state.get("waitingFor") else ""
                what = f"expected the end of training within {timeout} s, got round {state['round']}{waits}"
                raise KindredError("TIMEOUT", f"federation {self.name!r}: {what}")
            time.sleep(poll)

    def pause(self) -> Json:
        return self._post("/pause")

    def resume(self) -> Json:
        return self._post("/resume")

    def finish(self) -> Json:
        """Ends training; everybody receives the result."""
        return self._post("/finish")

    def recount(self) -> Json:
        """Asks all participants again."""
        return self._post("/recount")

    def reopen(self) -> Json:
        """Continues after the end of a training."""
        return self._post("/reopen")

    def forget(self, participant: str) -> Json:
        """Removes a participant's contribution from the model."""
        return self._post(f"/participants/{urllib.parse.quote(participant, safe='')}/forget")

    def revoke(self, participant: str) -> Json:
        """Ends a participant's access."""
        return self._post(f"/participants/{urllib.parse.quote(participant, safe='')}/revoke")

    def delete(self) -> Json:
        """Ends the federation and deletes all its data."""
        return self.client.request("DELETE", self._path)

    def _get(self, path: str) -> Any:
        return self.client.request("GET", self._path + path)

    def _post(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return self.client.request("POST", self._path + path, body or {})


# ------------------------------------------------------------------------------------------------------- the program, as a child


def program() -> List[str]:
    """The command that starts kindred: $KINDRED (words), `kindred` on the PATH, or bin/kindred.js beside this file's repository."""
    words = os.environ.get("KINDRED", "").split()
    if words:
        return words
    found = shutil.which("kindred")
    if found:
        return [found]
    launcher = Path(__file__).resolve().parents[2] / "bin" / "kindred.js"
    node = shutil.which("node")
    if launcher.is_file() and node:
        return [node, str(launcher)]
    raise KindredError(
        "NO_PROGRAM", "kindred: expected the program on the PATH, or its command in the environment variable KINDRED"
    )


def run(*arguments: object, timeout: Optional[float] = None) -> Any:
    """Runs a command with --json and gives its document: `run("data", "make", "har", "--out", "har.csv")`."""
    words = [*program(), *map(str, arguments), "--json"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise KindredError("TIMEOUT", f"{' '.join(map(str, arguments))}: not done within {timeout} s") from None
    if done.returncode != 0:
        raise _failure(done.stderr, done.returncode)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise KindredError("PROGRAM_FAILED", f"{arguments[0]}: expected one JSON document on stdout") from None


class Process:
    """A command that goes on beside this program: `result` waits for its document. End it with `stop`, or use `with`."""

    def __init__(self, *arguments: object):
        self.arguments = [*map(str, arguments)]
        self._stderr = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._child = subprocess.Popen(
            [*program(), *self.arguments, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            encoding="utf-8",
        )

    @property
    def is_running(self) -> bool:
        return self._child.poll() is None

    def result(self, timeout: Optional[float] = None) -> Any:
        """Its JSON document; a KindredError where it failed."""
        try:
            stdout, _ = self._child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise KindredError("TIMEOUT", f"kindred {self.arguments[0]}: not done within {timeout} s") from None
        if self._child.returncode != 0:
            raise self._failure()
        return json.loads(stdout)

    def first_line(self, timeout: float) -> Any:
        """JSON that it prints while it goes on."""
        # One that neither says anything nor ends is ended; reading comes to its end, too.
        alarm = threading.Timer(timeout, self._child.kill)
        alarm.start()
        line = self._child.stdout.readline()  # type: ignore[union-attr]
        alarm.cancel()
        if line:
            return json.loads(line)
        self._child.wait()
        raise self._failure()

    def stderr(self) -> str:
        """What it has reported so far."""
        self._stderr.seek(0)
        return self._stderr.read()

    def stop(self, timeout: float = _STOP_SECONDS) -> None:
        """It saves what it must, as after ctrl-c; one that does not end is killed."""
        if self.is_running:
            self._child.terminate()
        try:
            self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()  # type: ignore[union-attr]
        self._stderr.close()

    def _failure(self) -> KindredError:
        return _failure(self.stderr(), self._child.returncode)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def spawn(*arguments: object) -> Process:
    """Starts a command with --json in the background: `spawn("join", url, "--data", "mine.csv", ...)`."""
    return Process(*arguments)


class Server:
    """A server of one's own on this machine, as a child process: on loopback, at a free port. End it with `stop`, or use `with`."""

    def __init__(
        self,
        options: Optional[Mapping[str, Any]] = None,
        folder: Optional[PathLike] = None,
        arguments: Sequence[object] = (),
    ):
        with contextlib.ExitStack() as opened:
            if folder is None:
                folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="kindred-"))
            self.folder = Path(folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            words = ["--port", "0", "--store", str(self.folder / "kindred.db"), "--log-level", "warn"]
            if options:
                file = self.folder / "federation.json"
                file.write_text(json.dumps(dict(options)), encoding="utf-8")
                words += ["--federation-file", str(file)]
            self.process = opened.enter_context(Process("serve", *words, *arguments))
            said = self.process.first_line(_START_SECONDS)
            self.url: str = said["url"]
            # For browsers: of this machine, and of whoever is to take part.
            self.dashboard: str = said["dashboard"]
            self.page: str = said["page"]
            self.token = _token_in(said["operatorTokenFile"])
            # Where it has made a certificate of its own (--tls-self-signed).
            self.ca: Optional[str] = said.get("certificate", {}).get("file")
            self.client = Client(self.dashboard, self.token, self.ca)
            # In the reverse order when it is stopped: the process, then the folder.
            self._opened = opened.pop_all()

    @property
    def is_running(self) -> bool:
        return self.process.is_running

    def stop(self) -> None:
        """Everything is stored already; participants reconnect when it runs again. A temporary folder is removed."""
        self._opened.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _token_in(file: Optional[str]) -> str:
    """Without a file the server has it from the environment, as we have."""
    return Path(file).read_text(encoding="utf-8").strip() if file else os.environ["KINDRED_OPERATOR_TOKEN"]


def start_server(
    options: Optional[Mapping[str, Any]] = None,
    folder: Optional[PathLike] = None,
    arguments: Sequence[object] = (),
) -> Server:
    """Starts `kindred serve` here. `options`: of its federation "default" (`kindred settings federation`). `folder`: for its store; by
    default a temporary one, gone with the server. `arguments`: further ones of `kindred serve`."""
    return Server(options, folder, arguments)


# ------------------------------------------------------------------------------------------------------------------ model files


def load_model(path: PathLike) -> Json:
    """A model file, as `kindred train --model` writes it."""
    try:
        model = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        code = "FILE_NOT_FOUND" if isinstance(error, FileNotFoundError) else "NO_PERMISSION"
        raise KindredError(code, f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise KindredError("MODEL_NOT_JSON", f"{path}: expected a model as JSON, got {error}") from error
    if not isinstance(model, dict) or model.get("format") != "kindred-model":
        raise KindredError("MODEL_FORMAT", f'{path}: expected a kindred model, got JSON without "format": "kindred-model"')
    return model


def save_model(model: Mapping[str, Any], path: PathLike) -> None:
    """For `kindred predict --model` and others; the file is whole or not there."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(model, file)
            file.write("\n")
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


# ----------------------------------------------------------------------------------------------------------------------- helpers


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is for the server it was given for, and for no other."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener(host: str, ca: Optional[PathLike]) -> urllib.request.OpenerDirector:
    handlers: List[urllib.request.BaseHandler] = [_NoRedirect()]
    if _is_loopback(host):
        # A proxy is not on the way to this machine.
        handlers.append(urllib.request.ProxyHandler({}))
    try:
        context = ssl.create_default_context(cafile=None if ca is None else os.fspath(ca))
    except (OSError, ssl.SSLError) as error:
        raise KindredError("BAD_CERTIFICATE", f"{ca}: expected a certificate, PEM: {error}") from error
    handlers.append(urllib.request.HTTPSHandler(context=context))
    return urllib.request.build_opener(*handlers)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _rows_body(rows: Any, participant: Participants, features: Optional[Sequence[str]]) -> Json:
    if hasattr(rows, "columns") and hasattr(rows, "values"):
        features = features or [str(name) for name in rows.columns]
        rows = rows.values
    table = _listed(rows)
    if table and isinstance(table[0], Mapping):
        features = features or list(table[0])
        table = [_in_order(row, features, i) for i, row in enumerate(table)]
    body: Json = {"rows": [_listed(row) for row in table]}
    if features is not None:
        body["features"] = [str(name) for name in features]
    if participant is not None:
        body["participant"] = participant if isinstance(participant, str) else [str(name) for name in participant]
    return body


def _in_order(row: Any, features: Sequence[str], i: int) -> List[Any]:
    if not isinstance(row, Mapping) or set(row) != set(features):
        got = sorted(map(str, row)) if isinstance(row, Mapping) else type(row).__name__
        raise KindredError("BAD_ROWS", f"rows[{i}]: expected the features {sorted(features)}, got {got}")
    return [row[name] for name in features]


def _listed(values: Any) -> List[Any]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise KindredError("BAD_ROWS", f"rows and targets: expected lists, got {type(values).__name__}")
    return list(values)


def _to_json(body: Mapping[str, Any]) -> bytes:
    def plain(value: Any) -> Any:
        # numpy's numbers
        if hasattr(value, "item"):
            return value.item()
        raise TypeError(f"{type(value).__name__} is not JSON")

    try:
        return json.dumps(body, allow_nan=False, default=plain).encode()
    except (ValueError, TypeError) as error:
        raise KindredError("BAD_ROWS", f"expected numbers and texts that JSON has, got others: {error}") from error


_SENTENCE = re.compile(r"^kindred: (.*) \[([A-Z0-9_]+)\]$", re.MULTILINE)


def _failure(stderr: str, code: int) -> KindredError:
    """Of a command: its last sentence, `kindred: message [CODE]`."""
    found = _SENTENCE.findall(stderr)
    if found:
        message, name = found[-1]
        return KindredError(name, message)
    return KindredError("PROGRAM_FAILED", f"kindred ended with code {code}: {stderr.strip()[-500:]}")
