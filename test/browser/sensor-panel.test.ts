/** Recording motion in a real Chromium: a made-up person on a desktop, events of a sensor, and what is said where there is none. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { Participation } from '../../src/client/participation-options.ts';
import { makeMotion } from '../../src/data/generate-motion.ts';
import { lanAddresses } from '../../src/node/server/own-certificate.ts';
import { expectAccessible, seriousFindings } from '../helpers/accessible.ts';
import { chromium } from '../helpers/chromium.ts';
import { JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { PATIENT, QUICK, ServerTest } from '../helpers/server.ts';
import { joinAs, temporaryFolder, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const LONG = 180_000;
const servers = new ServerTest();
const pages = new PageTest();
const folder = temporaryFolder();
const running: Participation[] = [];
afterEach(async () => {
  for (const participation of running.splice(0)) await participation.close();
});

const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 360, height: 844 }, hasTouch: true, isMobile: true };

async function opened(url: string, options: BrowserContextOptions, script?: () => void): Promise<JoinTab> {
  const context = await pages.context({ reducedMotion: 'reduce', ...options });
  if (script) await context.addInitScript(script);
  const tab = await JoinTab.open(context, url);
  await tab.page.getByRole('button', { name: /^Motion/ }).click();
  await tab.page.locator('.sensor').waitFor();
  return tab;
}

/** Until the windows of it are counted. */
async function record(page: Page, activity: string, windows = 6): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${activity}`) }).click();
  await page
    .getByRole('button', { name: new RegExp(`^${activity}.*${windows} windows`) })
    .waitFor({ timeout: 60_000 });
}

test.skipIf(!chromium)(
  'a made-up person on a desktop: recorded, recognised, and part of a federation with others on Node',
  async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 4 });
    const people = makeMotion({ participants: 3, takes: 1 });
    for (const id of people.participants)
      running.push(joinAs(server, people, id, { stateFolder: `${folder}/${id}`, keepGoing: true }));
    const tab = await opened(server.url, DESKTOP);
    const { page } = tab;
    const use = page.getByRole('button', { name: /^Use th/ });
    expect(await use.isDisabled()).toBe(true);
    await record(page, 'Sitting');
    expect(await use.isDisabled()).toBe(true);
    await record(page, 'Standing');
    await page.getByText(/the shared model recognises \d+%, yours 100%/).waitFor();
    await record(page, 'Walking');
    await record(page, 'Walking', 12);
    await page.getByRole('button', { name: 'Delete the last recording of walking' }).click();
    await page.getByRole('button', { name: /^Walking.*6 windows/ }).waitFor();
    await use.click();
    await tab.text('Columns to learn from').waitFor();
    await tab.name('mover');
    await tab.button('Join').click();
    await tab.ready();
    await tab.text('Your model says').waitFor();
  },
  LONG,
);

test.skipIf(!chromium).each([DESKTOP, PHONE])(
  'no serious findings in either theme: $viewport.width pixels wide',
  async (look) => {
    const server = await servers.start({}, PATIENT);
    const { page, errors } = await opened(server.url, look);
    await expectAccessible(page, 'nothing recorded');
    await page.getByRole('button', { name: 'A made-up person', exact: true }).click();
    await page.getByRole('button', { name: /^Shaking/ }).click();
    await page.getByRole('button', { name: /^Shaking.*press to stop/ }).waitFor();
    await expectAccessible(page, 'recording');
    await page.getByRole('button', { name: /^Shaking.*6 windows/ }).waitFor({ timeout: 60_000 });
    await expectAccessible(page, 'recorded');
    expect(errors).toEqual([]);
  },
  LONG,
);

/** As a phone's sensor sends them: 60 a second, here of a phone that lies still. */
function sendMotion(): void {
  // The empty page that a tab begins with has none.
  if (!isSecureContext) return;
  setInterval(() => {
    const accelerationIncludingGravity = { x: 0.1 * Math.random(), y: 9.8, z: 0.5 };
    dispatchEvent(new DeviceMotionEvent('devicemotion', { accelerationIncludingGravity, interval: 16 }));
  }, 1000 / 60);
}

test.skipIf(!chromium)(
  'a phone with a sensor: asked for by a tap, live, recorded in real time',
  async () => {
    const server = await servers.start({}, PATIENT);
    const { page, errors } = await opened(server.url, PHONE, sendMotion);
    await page.getByRole('button', { name: 'Use the motion sensor' }).click();
    await page.getByRole('img', { name: /^Acceleration/ }).waitFor();
    const began = performance.now();
    await record(page, 'Standing');
    expect(performance.now() - began).toBeGreaterThan(9000);
    await page
      .getByText(/^standing$/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  },
  LONG,
);

test.skipIf(!chromium)(
  'a phone whose user says no, as iOS asks; and a device without a sensor',
  async () => {
    const server = await servers.start({}, PATIENT);
    const denied = await opened(server.url, PHONE, () => {
      Object.assign(DeviceMotionEvent, { requestPermission: async () => 'denied' });
    });
    await denied.page.getByRole('button', { name: 'Use the motion sensor' }).click();
    await denied.page.getByText('Motion was not allowed.').waitFor();
    expect(await seriousFindings(denied.page)).toEqual([]);
    const silent = await opened(server.url, PHONE);
    await silent.page.getByRole('button', { name: 'Use the motion sensor' }).click();
    await silent.page.getByText('This device has no motion sensor').waitFor();
    await silent.page.getByRole('button', { name: 'Use a made-up person' }).click();
    await silent.page.getByText('Carries the phone in the').waitFor();
  },
  LONG,
);

const [lan] = lanAddresses();
test.skipIf(!chromium || lan === undefined)(
  'over plain http from another machine it says that the browser withholds motion',
  async () => {
    const server = await servers.start({ host: '0.0.0.0', enrolment: 'open' }, PATIENT);
    const { port } = new URL(server.url);
    const { page } = await opened(`http://${lan}:${port}`, PHONE);
    await page.getByText('The browser withholds motion here').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  },
  LONG,
);
