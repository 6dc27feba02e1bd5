/**
 * A web page against a server on the visitor's machine, in a real Chromium: on an origin of its own, and on a name of its own that points to
 * this machine (DNS rebinding). Whatever it tries, it can neither read nor enrol nor change anything.
 */
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as NetServer,
} from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { chromium, pageResult } from '../helpers/chromium.ts';
import { ask } from '../helpers/http.ts';
import { QUICK, ServerTest } from '../helpers/server.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const servers = new ServerTest();
let site: Server;
/** What the page of the other origin attacks. */
let target = '';

/** Every way that a page has to send something; what it could read, or undefined. */
function attack(base: string, ws: string) {
  const json = { 'content-type': 'application/json' };
  const home = `${base}/v1/federations/default`;
  const read = async (name: string, request: () => Promise<Response>) => {
    try {
      const response = await request();
      if (response.type === 'opaque') return [name, 'opaque'];
      return [name, response.ok ? await response.text() : `refused ${response.status}`];
    } catch {
      return [name, 'failed'];
    }
  };
  const tag = (name: string, make: () => HTMLElement & { src?: string }) =>
    new Promise((resolve) => {
      const element = make();
      element.onload = () => resolve([name, 'loaded']);
      element.onerror = () => resolve([name, 'failed']);
      document.body.append(element);
      setTimeout(() => resolve([name, 'nothing']), 3000);
    });
  const element = (kind: string, url: string) => {
    const made = document.createElement(kind) as HTMLScriptElement;
    made.src = url;
    return made;
  };
  const socket = () =>
    new Promise((resolve) => {
      const open = new WebSocket(`${ws}/v1/federations/default/connect`, ['kindred.v7', 'ticket.x']);
      open.onopen = () => resolve(['socket', 'open']);
      open.onerror = () => resolve(['socket', 'failed']);
      setTimeout(() => resolve(['socket', 'nothing']), 3000);
    });
  return Promise.all([
    read('model', () => fetch(`${home}/model`)),
    read('model with credentials', () => fetch(`${home}/model`, { credentials: 'include' })),
    read('model no-cors', () => fetch(`${home}/model`, { mode: 'no-cors' })),
    read('challenge', () => fetch(`${home}/challenge`, { method: 'POST', headers: json, body: '{}' })),
    read('challenge as text', () => fetch(`${home}/challenge`, { method: 'POST', body: '{}' })),
    read('challenge no-cors', () => fetch(`${home}/challenge`, { method: 'POST', mode: 'no-cors' })),
    read('pause no-cors', () => fetch(`${home}/pause`, { method: 'POST', mode: 'no-cors' })),
    read('token', () => fetch(`${home}/pause`, { method: 'POST', headers: { authorization: 'Bearer x' } })),
    read('openapi', () => fetch(`${base}/v1/openapi.json`)),
    read('metrics', () => fetch(`${base}/metrics`)),
    tag('script', () => element('script', `${home}/model`)),
    tag('image', () => element('img', `${base}/healthz`)),
    tag('style', () =>
      Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${home}/model` }),
    ),
    read('events', () => fetch(`${home}/events`)),
    read('events no-cors', () => fetch(`${home}/events`, { mode: 'no-cors' })),
    read('whoami', () => fetch(`${base}/v1/whoami`)),
    ...[`${home}/events`, `${base}/v1/events`].map(
      (url) =>
        new Promise((resolve) => {
          const events = new EventSource(url);
          events.onopen = () => resolve([`event source ${url}`, 'open']);
          events.onerror = () => resolve([`event source ${url}`, 'failed']);
        }),
    ),
    new Promise((resolve) => {
      const frame = element('iframe', `${home}/model`) as unknown as HTMLIFrameElement;
      frame.onload = () => {
        try {
          resolve([
            'frame',
            frame.contentDocument?.body.innerText.includes('kindred-model') ? 'read' : 'failed',
          ]);
        } catch {
          resolve(['frame', 'failed']);
        }
      };
      document.body.append(frame);
      setTimeout(() => resolve(['frame', 'failed']), 3000);
    }),
    new Promise((resolve) => {
      const [form, frame] = [document.createElement('form'), document.createElement('iframe')];
      Object.assign(frame, { name: 'hidden', onload: () => resolve(['form', 'failed']) });
      Object.assign(form, {
        action: `${home}/pause`,
        method: 'post',
        enctype: 'text/plain',
        target: 'hidden',
      });
      document.body.append(frame, form);
      form.submit();
    }),
    Promise.resolve(['beacon', navigator.sendBeacon(`${home}/challenge`, '{}') ? 'opaque' : 'failed']),
    socket(),
  ]);
}

function pageFor(base: string): string {
  return `<!doctype html><body><pre id="out">null</pre><script type="module">
    const attack = ${attack};
    const results = await attack(${JSON.stringify(base)}, ${JSON.stringify(base.replace('http', 'ws'))});
    document.getElementById('out').textContent = JSON.stringify(Object.fromEntries(results));
  </script>`;
}

beforeAll(async () => {
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(pageFor(target));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(() => site.close());

/** A server with a model to steal. */
async function trained(): Promise<CoordinatorServer> {
  const server = await servers.start({}, QUICK);
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  for (const trainer of trainers) await trainer.join(server.url);
  for (const trainer of trainers) await trainer.finished;
  expect((await ask(`${server.url}/v1/federations/default/model`)).status).toBe(200);
  return server;
}

async function expectNothing(server: CoordinatorServer, results: Record<string, string>): Promise<void> {
  for (const [name, result] of Object.entries(results))
    expect(result, name).toMatch(/^(failed|opaque|refused 403)$/);
  expect(await server.store.enrolments('default')).toHaveLength(2);
  const log = server.store.auditLines(0, 100) as readonly { line: string }[];
  expect(log.some(({ line }) => line.includes('pauseFederation'))).toBe(false);
}

test.skipIf(!chromium)(
  'a page of another origin reads nothing, enrols nobody and changes nothing',
  async () => {
    const server = await trained();
    const { port } = site.address() as AddressInfo;
    // Also by other ways to write this machine: browsers take them all.
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', 'evil.localhost']) {
      target = server.url.replace('127.0.0.1', host);
      const rules = ['MAP evil.example 127.0.0.1'];
      const results = await pageResult<Record<string, string>>(`http://evil.example:${port}/`, rules);
      await expectNothing(server, results);
      expect(Object.keys(results)).toHaveLength(22);
    }
  },
  60_000,
);

test.skipIf(!chromium)(
  'nor does a page of another port of this machine, which is of the same site',
  async () => {
    const server = await trained();
    target = server.url;
    const { port } = site.address() as AddressInfo;
    await expectNothing(server, await pageResult<Record<string, string>>(`http://127.0.0.1:${port}/`));
  },
  60_000,
);

/**
 * The name points to the attacker's site for the first request and to the server from then on, on the same port: to the browser all of it is
 * one origin, as after a change in DNS.
 */
async function rebound(server: CoordinatorServer, page: string): Promise<NetServer> {
  const { port } = new URL(server.url);
  const front = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (first) => {
      if (first.toString('latin1').startsWith('GET / ')) {
        const head = ['HTTP/1.1 200 OK', 'content-type: text/html', 'connection: close'];
        socket.end(`${head.join('\r\n')}\r\n\r\n${page}`);
        return;
      }
      const onward = connect(Number(port), '127.0.0.1', () => onward.write(first));
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => front.listen(Number(port), '127.0.0.2', resolve));
  return front;
}

test.skipIf(!chromium).each(['127.attacker.example', 'attacker.example', 'localhost.attacker.example'])(
  'a page on %s, which points to this machine, reads nothing, enrols nobody and changes nothing',
  async (name) => {
    const server = await trained();
    const { port } = new URL(server.url);
    const front = await rebound(server, pageFor(`http://${name}:${port}`));
    try {
      const rules = [`MAP ${name} 127.0.0.2`];
      const results = await pageResult<Record<string, string>>(`http://${name}:${port}/`, rules);
      await expectNothing(server, results);
      expect(results.model).toBe('refused 403');
    } finally {
      front.close();
    }
  },
  60_000,
);
