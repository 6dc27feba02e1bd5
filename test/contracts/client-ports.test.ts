/** Every state store and every transport of a participant passes the same suite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import {
  type ClientTransportUnderTest,
  clientTransportContract,
} from '../../src/check/contracts/client-transport.ts';
import { type StatePlace, stateStoreContract } from '../../src/check/contracts/state-store.ts';
import { parseEndpoint } from '../../src/client/endpoint.ts';
import { MemoryState } from '../../src/client/memory-store.ts';
import { transportTo } from '../../src/node/client/join.ts';
import { openFolder } from '../../src/node/client/state-folder.ts';
import { webTransport } from '../../src/node/client/web-transport.ts';
import { newKeyPair, signerOf } from '../../src/node/crypto.ts';
import { encode } from '../../src/protocol/codec.ts';
import { ConnectProxy } from '../helpers/connect-proxy.ts';
import { MemoryServer, slowStore } from '../helpers/memory-server.ts';
import { TestServer } from '../helpers/test-server.ts';

function inMemory(): StatePlace {
  const state = new MemoryState();
  return {
    open: (newcomer) => state.open(newcomer, crypto.getRandomValues(new Uint8Array(32))),
    close: () => {},
  };
}

function inSlowMemory(): StatePlace {
  const { open, close } = inMemory();
  return { open: async (newcomer) => slowStore(await open(newcomer)), close };
}

function inFolder(): StatePlace {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-contract-'));
  const path = join(folder, 'state');
  return {
    open: (newcomer) => openFolder(path, newcomer).store,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe('state in memory', () => stateStoreContract(test, inMemory));
describe('state in slow memory', () => stateStoreContract(test, inSlowMemory));
describe('state folder', () => stateStoreContract(test, inFolder));

async function throughProxy(): Promise<ClientTransportUnderTest> {
  const proxy = await ConnectProxy.start({ password: 'secret' });
  const env = { HTTP_PROXY: proxy.urlFor('ada') };
  const under = await overWebSocket((url) => transportTo({ url: proxy.named(url), env }));
  const close = async () => {
    await under.close();
    await proxy.stop();
  };
  return { ...under, close };
}

async function overWebSocket(
  transportFor = (url: string) => webTransport(parseEndpoint(url)),
): Promise<ClientTransportUnderTest> {
  const server = await TestServer.start();
  let taken = 0;
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => (holds() ? resolve() : setImmediate(check));
      check();
    });
  return {
    transport: transportFor(server.url),
    signer: signerOf(newKeyPair()),
    send: (frame) => server.say('ada', frame),
    received: async () => {
      await until(() => server.heard.length > taken);
      return encode(server.heard[taken++].message, 'f64');
    },
    disconnect: (code) => server.disconnect(code),
    gone: () => until(() => server.connected === 0),
    close: () => server.close(),
  };
}

describe('memory transport', () => clientTransportContract(test, () => new MemoryServer().underTest()));
describe('HTTP and WebSocket', () => clientTransportContract(test, () => overWebSocket()));
describe('HTTP and WebSocket through a proxy', () => clientTransportContract(test, throughProxy));
