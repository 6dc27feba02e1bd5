/** What the browser withholds here, mostly on plain http of another machine, and what follows from it. */
import { Icon } from '../shared/icon.tsx';
import type { JoinPage } from './join-page.ts';

const NAMES: Readonly<Record<string, string>> = {
  'crypto.subtle': 'Built-in cryptography',
  locks: 'Coordination of tabs',
  motion: 'Motion sensors',
  simd: 'Fast arithmetic',
};

export function MissingNote({ page }: { readonly page: JoinPage }) {
  const { missing } = page;
  if (missing.length === 0) return null;
  const isPlain = !isSecureContext;
  return (
    <details class="card fold">
      <summary>
        <Icon name="info" />
        <span>
          {isPlain
            ? 'This address is not encrypted (http), so the browser withholds some features. The page works without them.'
            : 'This browser lacks some features. The page works without them.'}
        </span>
        <Icon name="chevron" />
      </summary>
      <dl>
        {missing.map(({ name, consequence }) => (
          <div key={name}>
            <dt>{NAMES[name] ?? name}</dt>
            <dd>{consequence}</dd>
          </div>
        ))}
      </dl>
      {isPlain && (
        <p>
          To get them, the operator starts the server with <code>--tls-self-signed</code> and gives you an{' '}
          <code>https://</code> link.
        </p>
      )}
    </details>
  );
}
