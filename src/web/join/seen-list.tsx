/** What the server will see and what it never gets, before anything is sent. */
import { Icon } from '../shared/icon.tsx';
import { type Announcement, seenBy } from './seen.ts';

export function SeenList({ announcement }: { readonly announcement: Announcement }) {
  const { sees, never, caution } = seenBy(announcement);
  return (
    <div class="seen">
      <h3>It never gets</h3>
      <ul>
        {never.map((text) => (
          <li key={text} data-kind="never">
            <Icon name="forbidden" />
            {text}
          </li>
        ))}
      </ul>
      <h3>It sees</h3>
      <ul>
        {sees.map((text) => (
          <li key={text}>
            <Icon name="eye" />
            {text}
          </li>
        ))}
      </ul>
      {caution !== undefined && <p class="seen-caution">{caution}</p>}
    </div>
  );
}
