"""A first federation from Python: a server, three participants, a model, and a newcomer who personalises it.

Run it as a program (python3 examples/python/first_federation.py), or cell by cell: editors take `# %%` as the start of a cell.
Everything runs on this machine; the rows of the participants stay in their own processes.
"""

# %% The client is one file: copy it beside your program, or name its folder.
import csv
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))
import kindred  # noqa: E402

# %% Generated data of four people; the first three take part, the fourth comes later.
folder = tempfile.TemporaryDirectory(prefix="first-federation-")
data = Path(folder.name) / "people.csv"
kindred.run(
    *("data", "make", "regression", "--heterogeneity", "diverse", "--seed", 7),
    *("--participants", 4, "--rows", 120, "--features", 8, "--out", data),
)

# %% A server of our own, at a free port, with a federation that starts when three have joined.
server = kindred.start_server({"objective": "regression", "minParticipants": 3, "stop": {"gap": 1e-4}})
federation = server.client.federation()
print(f"server   {server.url}")

# %% Participants are processes of their own: usually on other machines.
participants = [
    kindred.spawn("join", server.url, "--data", data, "--task", person, "--state", Path(folder.name) / f"state-{person}")
    for person in (1, 2, 3)
]
state = federation.wait(timeout=120)
for participant in participants:
    participant.result(timeout=60)
print(f"training {state['round']} rounds, relative gap {state['relativeGap']:.1e}")
print(f"people   {', '.join(one['id'] for one in federation.participants())}")

# %% Rows of the fourth person: 30 are labelled, the others are to be predicted.
with open(data, encoding="utf-8", newline="") as file:
    own = [row for row in csv.DictReader(file) if row["task"] == "4"]
targets = [float(row["y"]) for row in own]
features = [name for name in own[0] if name not in ("task", "y")]
rows = [[float(row[name]) for name in features] for row in own]
labelled, rest = slice(0, 30), slice(30, None)

# %% The shared part alone, and with a personal part from 30 labelled rows. Rows go to our own server, on this machine.
shared = federation.model()
fitted = server.client.personalise(shared, rows[labelled], targets[labelled], participant="4", features=features)["model"]


def error(predictions):
    """Root mean square."""
    squares = [(one["prediction"] - target) ** 2 for one, target in zip(predictions, targets[rest])]
    return (sum(squares) / len(squares)) ** 0.5


by_shared = federation.predict(rows[rest], features)
by_personal = server.client.predict(fitted, rows[rest], participant="4", features=features)

# %%
print(f"\n{'model':<28}{'rows':>6}{'error':>10}")
print(f"{'shared part':<28}{len(by_shared):>6}{error(by_shared):>10.3f}")
print(f"{'with 30 labelled rows':<28}{len(by_personal):>6}{error(by_personal):>10.3f}")

# %% The model file is for all other commands, too.
kindred.save_model(fitted, Path(folder.name) / "newcomer.json")

# %%
server.stop()
folder.cleanup()
