/** kindred settings: the references, and examples that work as they are printed. */
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../src/coordinator/options.ts';
import { SECTIONS, type Section, settingRows } from '../../src/settings/document.ts';
import { FEDERATION_EXAMPLES, SCENARIO_EXAMPLES } from '../../src/settings/examples.ts';
import { parseScenario } from '../../src/sim/scenario.ts';
import { run, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();

describe.each(Object.entries<Section>(SECTIONS))('%s', (name, section) => {
  test('is printed whole, with every nested field', async () => {
    const { code, stdout, stderr } = await run(['settings', name]);
    expect([code, stderr]).toEqual([0, '']);
    const printed = new Set(stdout.split('\n').map((line) => line.trim().split('  ')[0]));
    for (const row of settingRows(section)) expect(printed).toContain(row.name);
  });

  test('has a JSON schema', async () => {
    const schema = JSON.parse((await run(['settings', name, '--json'])).stdout);
    expect(Object.keys(schema.properties)).toEqual(Object.keys(section.fields));
  });
});

describe('examples', () => {
  test.each(FEDERATION_EXAMPLES)('federation: $about', ({ json }) => {
    const { options = json } = json as { options?: object };
    expect(parseOptions('example', options).stop.rounds).toBeGreaterThan(0);
  });

  test.each(SCENARIO_EXAMPLES)('scenario: $about', ({ json }) => {
    expect(parseScenario('example', json).name).toBe((json as { name: string }).name);
  });

  test('the scenario that is printed runs', async () => {
    const { stdout } = await run(['settings', 'scenario', '--example']);
    const { code, stderr } = await run(['simulate', sandbox.write('scenario.json', stdout)]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('what is not written as a file has none', async () => {
    const { code, stderr } = await run(['settings', 'training', '--example']);
    expect(code).toBe(2);
    expect(stderr).toContain('option --example: expected federation or scenario');
  });
});

test('an unknown section is refused', async () => {
  const { code, stderr } = await run(['settings', 'weather']);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'argument <section>: expected one of training, personalising, federation, policy, scenario',
  );
});
