/** Alerts and dashboard use metrics that a real server, a gateway or an owner of shards has, and every alert has a section of docs/operations.md, both ways. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Bus } from '../../src/nats/bus.ts';
import { addLobbyMetrics } from '../../src/node/gateway/gateway-meters.ts';
import { addOwnerMetrics } from '../../src/node/owner/owner-meters.ts';
import { ERRORS } from '../../src/node/server/api-error.ts';
import { addBusMetrics, addVersionMetrics } from '../../src/node/server/bus-meters.ts';
import { ask } from '../helpers/http.ts';
import { ServerTest } from '../helpers/server.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups } = parse(read('deploy/prometheus/rules.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('deploy/grafana/kindred.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** Of PromQL, as far as it is used here. */
const WORDS = new Set(
  'sum by le rate increase changes count max min quantile group_left and on unless histogram_quantile label_values'.split(
    ' ',
  ),
);

interface Used {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

/** Names in an expression: metrics, and labels that it selects or groups by. */
function usedIn(expression: string): Used {
  const labels = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) =>
    list.split(/, */),
  );
  const selected = [...expression.matchAll(/(\w+)=~?"/g)].map(([, label]) => label);
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(?:by|on) \([^)]*\)/g, '')
    .replace(/\[\w+\]/g, '')
    .replace(/\b\d[\w.-]*/g, '');
  const names = [...bare.matchAll(/[a-z_]\w*/gi)].map(([name]) => name).filter((name) => !WORDS.has(name));
  return { metrics: names, labels: [...labels, ...selected] };
}

const servers = new ServerTest();

/** What gateways and owners of shards declare. With their values: test/nats/metrics.test.ts. */
function onNats(): Promise<string> {
  const registry = new Registry();
  addBusMetrics(registry, { isUp: true, counts: NO_COUNTS } as Bus);
  addVersionMetrics(registry, []);
  addLobbyMetrics(registry, []);
  addOwnerMetrics(registry, []);
  return registry.metrics();
}
const NO_COUNTS = {
  ...{ sent: { messages: 0, bytes: 0 }, received: { messages: 0, bytes: 0 } },
  ...{ dropped: 0, bad: 0 },
};

/** What a real server shows: all that is declared, and that of a histogram. */
async function exposed(): Promise<Map<string, string>> {
  const server = await servers.start();
  const text = `${(await ask(`${server.url}/metrics`)).text}\n${await onNats()}`;
  const found = new Map<string, string>();
  for (const [, name, kind] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    if (kind === 'histogram') for (const part of ['_bucket', '_sum', '_count']) found.set(name + part, kind);
    else found.set(name, kind);
  }
  return found;
}

describe('alerts and dashboard', () => {
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets!.map(({ expr }) => [title, expr] as const)),
  ];

  test('use no metric that a server does not have', async () => {
    const known = await exposed();
    expect(known.size).toBeGreaterThan(40);
    for (const [where, expression] of expressions) {
      const { metrics } = usedIn(expression);
      expect(metrics.length, where).toBeGreaterThan(0);
      // `up` is Prometheus's own.
      for (const name of metrics) expect(name === 'up' || known.has(name), `${where}: ${name}`).toBe(true);
    }
  });

  test('show every metric of shards, partial sums and NATS', async () => {
    const declared = [...(await onNats()).matchAll(/^# TYPE (kindred_(?:nats|nodes|shard|partial)\w*)/gm)];
    const used = new Set(expressions.flatMap(([, expression]) => usedIn(expression).metrics));
    expect(declared.length).toBeGreaterThan(12);
    for (const [, name] of declared) expect(used, name).toContain(name);
  });

  test('take rates of counters only, and compare values of gauges only', async () => {
    const known = await exposed();
    for (const [where, expression] of expressions) {
      const rated = [...expression.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, name]) => name);
      for (const name of rated)
        expect(known.get(name), `${where}: ${name}`).toMatch(/^(?:counter|histogram)$/);
      for (const name of usedIn(expression).metrics)
        if (!rated.includes(name) && name !== 'up')
          expect(known.get(name), `${where}: ${name}`).toBe('gauge');
    }
  });

  test('select by labels that exist, and by codes that exist', () => {
    const labels = new Set(
      'instance job federation outcome code reason kind direction version le'.split(' '),
    );
    for (const [where, expression] of expressions) {
      for (const label of usedIn(expression).labels) expect(labels, where).toContain(label);
      for (const [, codes] of expression.matchAll(/code=~"([^"]*)"/g))
        for (const code of codes.split('|')) expect(Object.keys(ERRORS), where).toContain(code);
      expect(expression.split('(').length, where).toBe(expression.split(')').length);
    }
  });
});

describe('runbooks', () => {
  const document = read('docs/operations.md');
  const sections = [...document.matchAll(/^### ((?:Kindred|Nats)\w+)$/gm)].map(([, name]) => name);

  test('every alert says how bad it is, waits before it fires, and links to its section', () => {
    expect(rules.length).toBeGreaterThan(15);
    for (const { alert, for: patience, labels, annotations } of rules) {
      expect(['page', 'ticket'], alert).toContain(labels.severity);
      expect(patience, alert).toMatch(/^\d+[mh]$/);
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(annotations.summary.length, alert).toBeGreaterThan(15);
    }
  });

  test('every alert has a section, and every section an alert', () => {
    expect([...sections].sort()).toEqual(rules.map(({ alert }) => alert).sort());
    expect(new Set(sections).size).toBe(sections.length);
  });

  test('every section says what it means and what to do', () => {
    for (const name of sections) {
      const body = document.split(`### ${name}\n`)[1].split(/^##/m)[0];
      expect(body, name).toMatch(/\*\*Means\.\*\*/);
      expect(body, name).toMatch(/\*\*Do\.\*\*/);
    }
  });
});
