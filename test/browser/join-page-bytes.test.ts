/**
 * Rows stay in the page: everything that a browser sends while somebody takes part, from the first request to the last, is caught on its way
 * and searched for the values of the rows.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { splitAsTrain } from '../../src/client/own-rows.ts';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import { featureMoments } from '../../src/math/scaling.ts';
import { chromium } from '../helpers/chromium.ts';
import { FaultyProxy } from '../helpers/faulty-proxy.ts';
import { JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { SentBytes } from '../helpers/sent-bytes.ts';
import { QUICK, ServerTest } from '../helpers/server.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const servers = new ServerTest();
const pages = new PageTest();
const proxies: FaultyProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop();
});

const table = makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 6 });

/** Seven decimals: no such number is anywhere by chance. */
function valuesOf(id: string): number[] {
  return [...rowsOfParticipant(table, id)!.x];
}

/** Three people in tabs train to the end; what the first of them has sent. */
async function trained(secure: boolean) {
  const options = { ...QUICK, minParticipants: 3, ...(secure && { secure: DEFAULT_SECURE }) };
  const server = await servers.start({}, options);
  const proxy = await FaultyProxy.start(Number(new URL(server.url).port));
  proxies.push(proxy);
  const sent = new SentBytes(proxy);
  const tabs: JoinTab[] = [];
  for (const id of table.participants) {
    const tab = await JoinTab.open(await pages.context(), id === '1' ? proxy.url : server.url);
    await tab.join(table, id);
    tabs.push(tab);
  }
  for (const tab of tabs) await tab.ready();
  return { sent, tab: tabs[0] };
}

describe.skipIf(!chromium)('every byte that the page sends', { timeout: 120_000 }, () => {
  test.each([false, true])('has no value of the rows in it (secure sums: %s)', async (secure) => {
    const { sent, tab } = await trained(secure);
    await tab.leave();
    expect(sent.messageBytes).toBeGreaterThan(500);
    expect(sent.find(valuesOf('1'))).toEqual([]);
    // The counter of the page tells the truth.
    expect(await tab.sentBytes()).toBe(sent.messageBytes + sent.bodyBytes);
  });

  test('would be found if it had: what is sent on purpose is, and so is a page that betrays its rows', async () => {
    const { sent, tab } = await trained(false);
    // Real messages: names of columns in the request for a session, the means of the training rows in a frame.
    expect(sent.all.includes('"x1"')).toBe(true);
    const { x } = rowsOfParticipant(table, '1')!;
    const { train } = splitAsTrain(rowsOfParticipant(table, '1')!, '1', 0.3, 1);
    const { mean } = featureMoments(x, table.features.length, train);
    expect(sent.find([...mean])).toEqual([...mean].map((value) => `${value} as little-endian double`));
    const [first, second, third] = valuesOf('1');
    await tab.page.evaluate(
      async ([text, double, single]) => {
        const send = (body: BodyInit) =>
          fetch('/v1/federations/default/challenge', { method: 'POST', body }).catch(() => undefined);
        await send(String(text));
        await send(new Float64Array([double]));
        await send(new Float32Array([single]));
      },
      [first, second, third],
    );
    const found = sent.find(valuesOf('1'));
    expect(found).toEqual([
      `${first} as text`,
      `${second} as little-endian double`,
      `${third} as little-endian single`,
    ]);
  });
});
