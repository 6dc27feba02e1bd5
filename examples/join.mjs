/**
 * A participant inside your own service: it takes part in a federation in the background, and predicts at any time.
 * The rows are generated and never leave this process. It needs a server:
 *
 *     npm run build && node examples/join.mjs http://127.0.0.1:7070 [state-folder]
 */
import { predict, tableFrom } from 'kindred';
import { joinFederation } from 'kindred/client';

const [url = 'http://127.0.0.1:7070', stateFolder = 'state-of-room-7'] = process.argv.slice(2);
const FEATURES = ['noise', 'light', 'warmth'];

// 1. Your own rows: x row by row, y is 1 if the room was occupied. They are the same after every start; if they change,
//    the participant answers again.
const table = tableFrom([{ id: 'room-7', ...observe(60) }], { features: FEATURES });

// 2. Join. The folder holds keys and state: after a crash or a restart the same call continues where it stopped.
const participation = joinFederation({
  url,
  stateFolder,
  participant: 'room-7',
  data: { table },
  testFraction: 0.25,
  onEvent: (event) => {
    if (event.type === 'solved') console.log(`round ${event.round}: ${event.passes} passes`);
    if (event.type === 'lost') console.log(`no connection (${event.why}), trying again`);
  },
});
// The state stays when the service stops; `participation.leave()` would leave permanently.
process.once('SIGTERM', () => participation.close());

// 3. Wait for the end of training, or of the service.
const { reason, rounds, test } = await participation.done;
console.log(
  `ended after ${rounds} rounds: ${reason}; errors on ${test?.rows} rows kept aside: ${test?.errorRate}`,
);

// 4. Predict, locally and without a network.
const model = participation.model();
if (model) {
  const [{ decision }] = predict(
    model,
    tableFrom([{ id: 'room-7', x: [0.9, 0.8, 0.7] }], { features: FEATURES }),
  );
  console.log(`loud, bright and warm: ${decision > 0 ? 'somebody is' : 'nobody is'} in the room`);
}

function observe(n) {
  const x = [];
  const y = [];
  for (let i = 0; i < n; i++) {
    const isThere = i % 3 !== 0;
    const level = (j) => (isThere ? 0.7 : 0.2) + 0.25 * Math.sin(12.9898 * (3 * i + j));
    x.push(level(0), level(1), level(2));
    y.push(isThere ? 1 : -1);
  }
  return { x, y };
}
