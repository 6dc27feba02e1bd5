/** Enrolments a second on a file and on JetStream: one durable change for each, and for all that arrive together. */
import { Bucket } from '../../nats/bucket.ts';
import { connectNats } from '../../nats/connection.ts';
import { JetStreamStore } from '../../nats/jetstream-store.ts';
import { LoadAdmission } from '../../node/load/load-admission.ts';
import { NatsProcess } from '../../node/load/nats-process.ts';
import { SqliteStore } from '../../node/store/sqlite-store.ts';
import { median } from '../../reproduce/statistics.ts';
import { inFolder } from './network.ts';

const TOGETHER = 500;
const ALONE = 100;
const REPEATS = 3;

export async function enrolments() {
  const sqlite = await inFolder(async (path) => {
    const store = new SqliteStore(path);
    try {
      return await sideBySide(new LoadAdmission(store));
    } finally {
      store.close();
    }
  });
  const jetstream = await inFolder(async (path) => {
    const nats = await NatsProcess.start(`${path}-nats`);
    const connection = await connectNats({ servers: [nats.url], name: 'bench' });
    try {
      const bucket = await Bucket.create(connection, { name: 'bench' });
      const store = await JetStreamStore.open({ connection, bucket, name: 'bench' });
      const result = await sideBySide(new LoadAdmission(store));
      await store.close();
      return result;
    } finally {
      await connection.close();
      await nats.stop();
    }
  });
  return [
    { store: 'SQLite', ...sqlite },
    { store: 'JetStream', ...jetstream },
  ];
}

/** Medians, in turns: the machine may become slower or faster meanwhile. */
async function sideBySide(load: LoadAdmission) {
  await load.together(ALONE);
  const [alone, together]: [number[], number[]] = [[], []];
  for (let r = 0; r < REPEATS; r++) {
    alone.push(await load.oneByOne(ALONE));
    together.push(await load.together(TOGETHER));
  }
  return { alone: median(alone), together: median(together) };
}
