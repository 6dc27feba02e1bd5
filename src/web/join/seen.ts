/** What the server will be able to see, from what it announces. Honest before friendly: docs/privacy.md has the measurements. */

/** As `GET /v1/federations/:name/announcement` gives it. */
export interface Announcement {
  readonly federation: { readonly name: string; readonly id: string };
  readonly protocol: number;
  readonly enrolment: 'open' | 'invitation';
  readonly objective: 'classification' | 'regression';
  readonly columns: 'exact' | 'union';
  readonly secure: boolean;
  readonly dp: { readonly epsilon: number; readonly delta: number } | null;
}

export interface Seen {
  /** In a few words. */
  readonly title: string;
  readonly sees: readonly string[];
  readonly never: readonly string[];
  /** What a careful person should know. */
  readonly caution: string | undefined;
}

const NEVER = ['Your rows', 'Your file'];

export function seenBy({ secure, dp, objective }: Pick<Announcement, 'secure' | 'dp' | 'objective'>): Seen {
  const always = [
    'The names of your columns',
    'Your name here, when you are connected, and how fast your device is',
    ...(objective === 'classification' ? ['The names of the classes that you predict'] : []),
  ];
  const budget =
    dp && `Noise hides each person's part: epsilon ${short(dp.epsilon)}, delta ${short(dp.delta)}`;
  if (secure) {
    return {
      title: dp ? 'The server sees only sums, with noise' : 'The server sees only sums',
      sees: [
        'The sum of the updates of all participants, never yours alone',
        ...(budget ? [budget] : []),
        ...always,
      ],
      never: [...NEVER, 'Your update', 'Your model', 'How many rows you have'],
      caution: undefined,
    };
  }
  if (dp) {
    return {
      title: 'The server sees your updates; the model has noise',
      sees: ['Your update in each round, cut to a fixed size', budget!, 'How many rows you have', ...always],
      never: NEVER,
      caution:
        'Others cannot tell your part from the model. The server itself can see your updates: take part if you trust it.',
    };
  }
  return {
    title: 'The server sees your updates, not your rows',
    sees: [
      'Your update in each round: a list of numbers, one for each column',
      'The mean and the spread of each column, to bring everybody to one scale',
      'How many rows you have',
      ...always,
    ],
    never: NEVER,
    caution:
      'From an update the server can compute your personal model, and where you have very few rows it may learn something about them. Take part if you trust it.',
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(2)));
}
