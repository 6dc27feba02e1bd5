/** Every store of a coordinator passes the same suites. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Eventually } from '../../src/base/ports.ts';
import type { StoreUnderTest } from '../../src/check/contracts/contract.ts';
import { enrolmentStoreContract } from '../../src/check/contracts/enrolment-store.ts';
import { operatorStoreContract } from '../../src/check/contracts/operator-store.ts';
import { runStoreContract } from '../../src/check/contracts/run-store.ts';
import { MemoryStore } from '../../src/host/memory-store.ts';
import type { Store } from '../../src/host/ports.ts';
import { Bucket } from '../../src/nats/bucket.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { JetStreamStore } from '../../src/nats/jetstream-store.ts';
import { PostgresStore } from '../../src/node/store/postgres-store.ts';
import { SqliteStore } from '../../src/node/store/sqlite-store.ts';
import { asyncStore } from '../helpers/async-store.ts';
import { NatsServer, natsProgram } from '../helpers/nats.ts';
import { PostgresServer, postgresProgram } from '../helpers/postgres.ts';

function memory(): StoreUnderTest<Store> {
  const store = new MemoryStore();
  return { store, reopen: () => store, close: () => {} };
}

function sqlite(): StoreUnderTest<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-contract-'));
  const path = join(folder, 'kindred.db');
  let store = new SqliteStore(path);
  return {
    store,
    reopen: () => {
      store.close();
      store = new SqliteStore(path);
      return store;
    },
    close: () => {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function asynchronous(): StoreUnderTest<Store> {
  const store = asyncStore(new MemoryStore());
  return { store, reopen: () => store, close: () => store.close() };
}

function suites(open: () => Eventually<StoreUnderTest<Store>>): void {
  describe('runs', () => runStoreContract((name, run) => test(name, run, 120_000), open));
  describe('enrolments', () => enrolmentStoreContract(test, open));
  describe('tokens and audit log', () => operatorStoreContract(test, open));
}

describe.each([
  ['memory', memory],
  ['SQLite', sqlite],
  ['an asynchronous store', asynchronous],
] as const)('%s', (_, open) => suites(open));

describe.skipIf(!natsProgram)('JetStream', () => {
  let server: NatsServer;
  let connection: NatsConnection;
  let stores = 0;
  beforeAll(async () => {
    // Small messages: what is larger is cut into pieces.
    server = await NatsServer.start('max_payload: 4096');
    connection = await connectNats({ servers: [server.url], name: 'test' });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.end();
  });

  suites(async () => {
    const bucket = await Bucket.create(connection, { name: `contract-${++stores}` });
    const open = () => JetStreamStore.open({ connection, bucket, name: bucket.name });
    let store = await open();
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open();
        return store;
      },
      close: async () => {
        await store.close();
        await bucket.destroy();
      },
    };
  });
});

describe.skipIf(!postgresProgram)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  suites(async () => {
    const url = await server.newDatabase();
    let store = await PostgresStore.open(url);
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await PostgresStore.open(url);
        return store;
      },
      close: () => store.close(),
    };
  });
});
