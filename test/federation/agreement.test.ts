/** What participants agree on before the first round: classes, and the scaling of targets (PROTOCOL.md, "Agreement"). */
import { describe, expect, test } from 'vitest';
import { type CoordinatorOptions, DEFAULT_SECURE, parseOptions } from '../../src/coordinator/options.ts';
import type { CategoryCode } from '../../src/data/encoding.ts';
import type { Table } from '../../src/data/table.ts';
import { train } from '../../src/methods/train.ts';
import type { Moments, Welcome } from '../../src/protocol/messages.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { planFor } from '../helpers/federation.ts';
import { ParticipantBench } from '../helpers/participant-bench.ts';
import { smallRegression, tableOf } from '../helpers/tables.ts';

const NOTHING = new Float64Array(0);
const labelled = (...labels: string[]): Moments => ({
  kind: 'moments',
  count: 3,
  mean: Float64Array.of(0),
  m2: Float64Array.of(1),
  target: undefined,
  labels,
  positive: undefined,
});
const told = (positive: string, ...labels: string[]): Moments => ({ ...labelled(...labels), positive });

/** Each joins and brings what it has; everything that is sent to the last one. */
function gathered(bench: Bench, ...brought: Moments[]) {
  const ids = brought.map((_, k) => 'abcdef'[k]);
  for (const id of ids) bench.join(id);
  return ids.map((id, k) => sentTo(bench.say(id, brought[k]), id)).at(-1)!;
}

const refused = (sentence: RegExp) => [
  { kind: 'reject', code: 'WRONG_CLASSES', message: expect.stringMatching(sentence) },
];

describe('classes', () => {
  test.each([
    [[labelled('mild', 'severe'), labelled('mild')], ['mild', 'severe'], 'severe'],
    [[labelled('severe'), labelled('mild')], ['mild', 'severe'], 'severe'],
    [[labelled('9'), labelled('10')], ['9', '10'], '10'],
    [[labelled('-1'), labelled('1')], ['-1', '1'], '1'],
    [[labelled('-1', '1'), labelled('0', '1')], ['-1', '0', '1'], '1'],
    [[told('mild', 'mild', 'severe'), labelled('severe')], ['mild', 'severe'], 'mild'],
    [[told('b', 'a', 'b'), labelled('c', 'd')], ['b'], 'b'],
    [[labelled('-1', '0', '1'), labelled('0', '1')], ['-1', '0', '1'], undefined],
    [[labelled('10', 'a'), labelled('9', '10')], ['9', '10', 'a'], undefined],
  ])('[AGREE-3] %#: they follow from everybody together', (brought, labels, positive) => {
    const bench = new Bench();
    const [welcome] = gathered(bench, ...brought);
    expect(welcome).toMatchObject({ kind: 'welcome', agreement: { classes: { labels, positive } } });
    expect(bench.disk.run?.agreement?.classes).toEqual({ labels, positive });
  });

  test('[AGREE-3] they do not depend on who comes first, and survive a crash', () => {
    for (const order of [
      ['severe', 'mild'],
      ['mild', 'severe'],
    ]) {
      const bench = new Bench();
      gathered(bench, ...order.map((label) => labelled(label)));
      bench.crashAndRestart();
      expect(sentTo(bench.join('z'), 'z')[0]).toMatchObject({
        agreement: { classes: { labels: ['mild', 'severe'], positive: 'severe' } },
      });
    }
  });

  test('[AGREE-4] who brings more than there may be is refused with a sentence that names them, and nobody waits for it', () => {
    const bench = new Bench({ minParticipants: 3 });
    const many = Array.from({ length: 99 }, (_, i) => `class ${100 + i}`);
    const sent = gathered(
      bench,
      labelled('mild', ...many),
      labelled('mild'),
      labelled('mild', 'new', 'other'),
    );
    expect(sent).toMatchObject(
      refused(/"c".*at most 100 classes.*"new", "other" in addition to 100.*--positive/),
    );
    expect([...bench.state.members.keys()]).toEqual(['a', 'b']);
    expect(bench.disk.members.has('c')).toBe(false);
  });

  test('[AGREE-4] of two positive classes that contradict each other the later one is refused', () => {
    const bench = new Bench();
    const sent = gathered(bench, told('severe', 'mild', 'severe'), told('mild', 'mild', 'severe'));
    expect(sent).toMatchObject(
      refused(/"b": expected "severe".* given by participant "a", got "mild".*--positive/),
    );
    expect(bench.state.phase).toBe('gathering');
  });

  test('[AGREE-5] with a single class training waits for another, and says so', () => {
    const bench = new Bench();
    const waitingFor = 'another class: so far participants have only "mild"';
    expect(gathered(bench, labelled('mild'), labelled('mild'))).toMatchObject([
      { kind: 'welcome', scaling: undefined, waitingFor },
    ]);
    bench.now = 5000;
    bench.tell({ type: 'timer' });
    expect(bench.state.phase).toBe('gathering');
    bench.join('c');
    bench.say('c', labelled('severe'));
    expect(bench.state.phase).toBe('open');
    const other = new Bench();
    gathered(other, told('severe', 'mild', 'moderate'), labelled('mild'));
    expect(other.state.phase).toBe('gathering');
    expect(sentTo(other.join('z'), 'z')).toMatchObject([
      { waitingFor: expect.stringMatching(/^the positive class "severe"/) },
    ]);
  });

  test('[AGREE-1] [AGREE-6] declared ones: nobody sends labels, one class is enough to start', () => {
    for (const [options, classes] of [
      [{ positive: '1.0' }, { labels: ['1'], positive: '1' }],
      [{ classes: ['severe', 'mild'] }, { labels: ['mild', 'severe'], positive: 'severe' }],
      [
        { classes: ['a', 'b', 'c'], positive: 'b' },
        { labels: ['a', 'b', 'c'], positive: 'b' },
      ],
      [{ classes: ['c', 'b', 'a'] }, { labels: ['a', 'b', 'c'], positive: undefined }],
    ] as const) {
      const bench = new Bench(options);
      expect(gathered(bench, labelled(), labelled())).toMatchObject([{ agreement: { classes } }, {}]);
      const strict = new Bench(options);
      expect(gathered(strict, labelled('x'))).toMatchObject([{ kind: 'reject', code: 'WRONG_SHAPE' }]);
    }
  });

  test('declarations that make no sense are refused', () => {
    const of = (options: object) => () => parseOptions('options', options);
    expect(of({ objective: 'regression', positive: 'a' })).toThrow(/positive: expected none with regression/);
    expect(of({ classes: ['1', '1.0'] })).toThrow(/classes: expected at least two different labels/);
    expect(of({ classes: ['a', 'b'], positive: 'c' })).toThrow(/positive: expected one of the classes a, b/);
  });
});

describe('what a participant brings, and whether it fits', () => {
  const CLASSIFICATION = { objective: 'classification', loss: 'hinge', epsilon: 0 } as const;
  const values = { mean: 2, m2: 3 };
  const owning = (labels: string[] | undefined, positive?: string) => ({
    targets: { labels, positive, values },
  });

  test.each([
    [{ scale: 'none', scaleTarget: 'none' }, [{ kind: 'join' }]],
    [
      { scale: 'none' },
      [{ kind: 'moments', count: 1, mean: NOTHING, m2: NOTHING, target: values, labels: [] }],
    ],
    [{ scaleTarget: 'none' }, [{ kind: 'moments', count: 1, target: undefined, labels: [] }]],
    [
      { ...CLASSIFICATION, scale: 'none' },
      [{ kind: 'moments', count: 0, mean: NOTHING, m2: NOTHING, target: undefined, labels: ['-1', '1'] }],
    ],
  ] as const)('[AGREE-1] %j: nothing that is not used', (settings, sent) => {
    const one = new ParticipantBench(settings, owning(['-1', '1']));
    one.start();
    expect(one.welcome('not yet')).toMatchObject(sent);
    expect(one.timer()).toMatchObject(sent);
  });

  const welcome = (one: ParticipantBench, classes: NonNullable<Welcome['agreement']>['classes']) =>
    one.receive({
      kind: 'welcome',
      settings: one.settings,
      scaling: { shift: Float64Array.of(0), factor: Float64Array.of(1) },
      agreement: { classes, target: undefined },
      awaited: 0,
      waitingFor: undefined,
    });
  const AGREED = { labels: ['mild', 'severe'], positive: 'severe' };

  test.each([
    [
      owning(['mild', 'moderate']),
      AGREED,
      /expected the federation's classes "mild", "severe", got "moderate"/,
    ],
    [
      owning(['mild'], 'mild'),
      AGREED,
      /expected --positive "severe", as in the federation, got --positive "mild"/,
    ],
    [owning(undefined), AGREED, /too many different targets/],
  ])('[AGREE-7] %#: a newcomer that does not fit leaves with a sentence', (profile, classes, sentence) => {
    const one = new ParticipantBench(CLASSIFICATION, profile);
    one.start();
    expect(welcome(one, classes)).toMatchObject([{ kind: 'fault', code: 'ROWS_REFUSED' }, { kind: 'leave' }]);
    expect(one.state.phase).toBe('refused');
    expect(one.state.refusal).toMatchObject({
      code: 'WRONG_CLASSES',
      message: expect.stringMatching(sentence),
    });
  });

  test('[AGREE-7] one that fits takes part, also as the rest; targets that are no numbers do not fit a regression', () => {
    for (const [profile, classes] of [
      [owning(['mild']), AGREED],
      [owning(['anything', 'else']), { labels: ['severe'], positive: 'severe' }],
      [owning(undefined), { labels: ['severe'], positive: 'severe' }],
    ] as const) {
      const one = new ParticipantBench(CLASSIFICATION, profile);
      one.start();
      expect(welcome(one, classes)).toEqual([]);
      expect(one.state.phase).toBe('preparing');
      expect(one.disk?.agreement?.classes).toEqual(classes);
    }
    const text = { labels: ['a'], positive: undefined, values: 'mine.csv line 2: expected a number' };
    const one = new ParticipantBench({}, { targets: text });
    one.start();
    expect(one.welcome('not yet')).toMatchObject([
      { kind: 'fault', code: 'ROWS_REFUSED' },
      { kind: 'leave' },
    ]);
    expect(one.state.refusal).toEqual({ code: 'TARGET_NOT_A_NUMBER', message: text.values });
  });

  test('[AGREE-1] [AGREE-6] classes that are declared: labels are not sent', () => {
    const one = new ParticipantBench({ ...CLASSIFICATION, scale: 'none' }, owning(['mild']));
    one.start();
    const declared = {
      scaling: undefined,
      agreement: { classes: AGREED, target: undefined },
      awaited: 1,
      waitingFor: undefined,
    };
    const sent = one.receive({ kind: 'welcome', settings: one.settings, ...declared });
    expect(sent).toMatchObject([{ kind: 'join' }]);
    expect(one.timer()).toMatchObject([{ kind: 'join' }]);
  });

  test('[AGREE-8] in a federation of an earlier version newcomers are sent the usual labels, others keep what they have', () => {
    const bench = new Bench();
    gathered(bench, labelled('-1', '1'), labelled('-1', '1'));
    const { agreement: _, ...run } = bench.disk.run!;
    bench.disk.run = run as typeof bench.disk.run;
    bench.crashAndRestart();
    expect(sentTo(bench.join('c'), 'c')[0]).toMatchObject({
      agreement: { classes: { labels: ['-1', '0', '1'], positive: '1' }, target: undefined },
    });
    const one = new ParticipantBench(CLASSIFICATION, owning(['mild']));
    one.start();
    welcome(one, AGREED);
    // An answer of it counts: what it has holds.
    one.state.stored = { ...one.state.stored, base: 3 };
    welcome(one, { labels: ['-1', '0', '1'], positive: '1' });
    expect(one.state.stored.agreement?.classes).toEqual(AGREED);
  });
});

/** p0 has never seen a severe case, p1 no mild one, p2 both. When signs were chosen by each for itself, the first two could not tell, or got it wrong. */
const SEVERITY: Table = tableOf({
  participants: 3,
  rows: 30,
  d: 4,
  target: (x, k) => (x[0] + 0.3 * x[1] > (k === 0 ? 9 : k === 1 ? -9 : 0) ? 'severe' : 'mild'),
});

describe('in a federation', () => {
  const run = (table: Table, given: Parameters<typeof train>[1], options: Partial<CoordinatorOptions> = {}) =>
    new Simulation(planFor(table, { rounds: 15, testFraction: 0, ...given }, { options })).run();

  test.each([{}, { secure: DEFAULT_SECURE }])(
    'a label means the same to everybody, whichever it has: %j',
    (options) => {
      const { model } = train(SEVERITY, { rounds: 15, testFraction: 0 });
      const simulation = run(SEVERITY, {}, options);
      expect(simulation.over).toBe(true);
      const classes = { labels: ['mild', 'severe'], positive: 'severe' };
      for (const { disk, state } of simulation.participants.values()) {
        expect(disk!.agreement).toEqual({ classes, target: undefined });
        expect(new Set(state!.problem!.y).size).toBeGreaterThan(0);
        for (const [j, value] of model.w.entries())
          expect(disk!.model!.w[j]).toBeCloseTo(value, options.secure ? 1 : 9);
      }
      const signs = (id: string) => new Set(simulation.participants.get(id)!.state!.problem!.y);
      expect([signs('p0'), signs('p1'), signs('p2')]).toEqual([
        new Set([-1]),
        new Set([1]),
        new Set([-1, 1]),
      ]);
    },
  );

  test('[AGREE-1] [SECURE-1] secure sums without scaling: nothing of the rows is sent, and there is no sum of moments', () => {
    const options = { secure: DEFAULT_SECURE, positive: 'severe' };
    const plan = planFor(
      SEVERITY,
      { rounds: 3, scale: 'none', testFraction: 0 },
      { options, transcript: 'on' },
    );
    const simulation = new Simulation(plan).run();
    expect(simulation.over).toBe(true);
    const sent = simulation.transcript.entries.map(({ text }) => text);
    expect(sent.filter((text) => /measure|moments|names of classes/.test(text))).toEqual([]);
    expect(sent.some((text) => text === 'plan of round 1 (train)')).toBe(true);
  });

  const PRICES: Table = (() => {
    const table = smallRegression(3);
    return { ...table, targets: table.targets!.map((value) => String(305_000 + 66_000 * Number(value))) };
  })();

  test.each([
    [{}, 9],
    [{ secure: DEFAULT_SECURE }, 1],
  ] as const)('[AGREE-2] targets are scaled as in one process: %j', (options, digits) => {
    const { model, target, certificate } = train(PRICES, {
      objective: 'regression',
      rounds: 15,
      testFraction: 0,
    });
    const simulation = run(PRICES, { objective: 'regression' }, options);
    for (const { disk } of simulation.participants.values()) {
      expect(disk!.agreement!.target!.shift / target!.shift).toBeCloseTo(1, 9);
      expect(disk!.agreement!.target!.scale / target!.scale).toBeCloseTo(1, 7);
      for (const [j, value] of model.w.entries()) expect(disk!.model!.w[j]).toBeCloseTo(value, digits);
    }
    expect(simulation.coordinator.state!.certificate.primal / certificate!.primal).toBeCloseTo(1, digits);
  });

  test('none: the problem of section 1 as it stands, and no moments of targets', () => {
    const simulation = run(PRICES, { objective: 'regression', scaleTarget: 'none' });
    expect(simulation.coordinator.state!.agreement).toEqual({ classes: undefined, target: undefined });
  });
});

describe('columns', () => {
  const text = (...levels: [level: string, rows: number][]): Moments => ({
    ...labelled('no', 'yes'),
    m2: Float64Array.of(0),
    columns: [{ kind: 'text', missing: 0, levels: levels.map(([level, rows]) => ({ level, rows })) }],
  });
  const gaps = (missing: number, mean: number): Moments => ({
    ...labelled('no', 'yes'),
    mean: Float64Array.of(mean),
    columns: [{ kind: 'number', missing, levels: [] }],
  });

  test('[COLUMNS-3] rare levels are pooled by their rows of all, and what is settled survives a crash', () => {
    const bench = new Bench({ rare: 2 });
    gathered(bench, text(['red', 2], ['mauve', 1]), text(['blue', 2], ['red', 1]));
    const encoding = [{ kind: 'category', levels: ['blue', 'red'], other: true, missing: false }];
    expect(bench.disk.run?.agreement?.encoding).toEqual(encoding);
    expect(bench.disk.run?.scaling?.shift).toHaveLength(3);
    // blue in 2 of 6 rows, red in 3, mauve in 1.
    expect([...bench.disk.run!.scaling!.shift]).toEqual(
      [1 / 3, 1 / 2, 1 / 6].map((v) => expect.closeTo(v, 12)),
    );
  });

  test('[COLUMNS-3] gaps are filled with the mean of what is known, and whoever says nothing has none', () => {
    const bench = new Bench();
    gathered(bench, gaps(1, 6), { ...labelled('no', 'yes'), mean: Float64Array.of(1) });
    const [code] = bench.disk.run!.agreement!.encoding!;
    expect(code).toEqual({ kind: 'number', mean: expect.closeTo(3, 12), missing: true });
    expect([...bench.disk.run!.scaling!.shift]).toEqual([expect.closeTo(3, 12), expect.closeTo(1 / 6, 12)]);
  });

  test('[COLUMNS-3] of too many levels the most frequent are kept', () => {
    const bench = new Bench({ rare: 1 });
    const many = Array.from({ length: 101 }, (_, i): [string, number] => [`l${i}`, i === 7 ? 1 : 2]);
    const rows = 201;
    for (const id of ['a', 'b']) bench.join(id, { rows });
    for (const id of ['a', 'b']) bench.say(id, { ...text(...many), count: rows });
    const [code] = bench.disk.run!.agreement!.encoding!;
    expect(code).toMatchObject({ kind: 'category', other: true });
    expect((code as CategoryCode).levels).toHaveLength(100);
    expect((code as CategoryCode).levels).not.toContain('l7');
  });

  test.each([
    ['another kind', labelled('no', 'yes'), /expected text in column 1, .* got numbers/],
    ['more rows than there are', text(['red', 3], ['blue', 1]), /at most 3 rows of column 1, got 4/],
    ['a level twice', text(['red', 1], ['red', 1]), /each level of column 1 once/],
  ])('[COLUMNS-2] %s is refused, and its sender is not a member', (_, brought, sentence) => {
    const bench = new Bench();
    expect(gathered(bench, text(['red', 3]), brought)).toMatchObject([
      { kind: 'reject', code: 'WRONG_FEATURES', message: expect.stringMatching(sentence) },
    ]);
    expect(bench.state.members.has('b')).toBe(false);
  });

  test('[COLUMNS-5] nothing is taken of columns that are declared', () => {
    const bench = new Bench({ levels: { color: ['red'] } });
    expect(gathered(bench, text(['red', 3]))).toMatchObject([{ kind: 'reject', code: 'WRONG_SHAPE' }]);
  });

  const named = (names: readonly string[], ...kinds: ('number' | 'text')[]): Moments => ({
    ...labelled('no', 'yes'),
    mean: new Float64Array(kinds.length),
    m2: new Float64Array(kinds.length),
    columns: kinds.map((kind) => ({ kind, missing: 0, levels: [] })),
    names,
  });

  test('[COLUMNS-8] the union is that of all who brought columns, in the order of participants, and survives a crash', () => {
    const bench = new Bench({ columns: 'union' });
    bench.join('b', { features: 1 });
    bench.join('a', { features: 2 });
    bench.say('b', named(['size'], 'number'));
    bench.say('a', named(['age', 'size'], 'number', 'number'));
    const { agreement, features } = bench.disk.run!;
    expect([agreement!.columns, features]).toEqual([['age', 'size'], 2]);
    expect(agreement!.encoding!.map(({ missing }) => missing)).toEqual([true, false]);
  });

  test.each([
    ['no names', 'union', { ...named([], 'number'), names: undefined }, /expected columns and their names/],
    ['a name twice', 'union', named(['a', 'a'], 'number', 'number'), /each name of a column once/],
    ['more names than columns', 'union', named(['a', 'b'], 'number'), /expected 2 columns, got 1/],
    ['names that nobody asked for', 'exact', named(['a'], 'number'), /expected no names of columns/],
  ] as const)('[COLUMNS-8] %s is refused', (_, columns, brought, sentence) => {
    const bench = new Bench({ columns });
    expect(gathered(bench, brought)).toMatchObject([
      { kind: 'reject', code: 'WRONG_SHAPE', message: expect.stringMatching(sentence) },
    ]);
  });
});
