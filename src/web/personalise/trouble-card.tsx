import { useEffect, useRef } from 'preact/hooks';
import { count, counted } from '../shared/format.ts';
import { Icon } from '../shared/icon.tsx';
import type { Trouble } from './troubles.ts';

const SHOWN = 8;

/** What is wrong with a file, below it. */
export function TroubleCard({ trouble }: { readonly trouble: Trouble }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [trouble]);
  return (
    <div class="card problem" role="alert" ref={box}>
      <Icon name="alert" size={20} />
      <div class="problem-text">
        <Words trouble={trouble} />
      </div>
    </div>
  );
}

function Words({ trouble }: { readonly trouble: Trouble }) {
  switch (trouble.kind) {
    case 'columns':
      return <Lacking {...trouble} />;
    case 'no target':
      return (
        <>
          <h3>There is no column to learn from</h3>
          <p>
            Every column of the file is an input of the model. Your rows need one more, with what is to be
            predicted: at training it was called <code>{trouble.label}</code>.
          </p>
        </>
      );
    case 'other':
      return (
        <>
          <h3>{trouble.title}</h3>
          <p>{trouble.text}</p>
        </>
      );
  }
}

function Lacking({ lacking, needed }: { readonly lacking: readonly string[]; readonly needed: number }) {
  const isAll = lacking.length === needed;
  return (
    <>
      <h3>{isAll ? 'These are other columns' : `${counted(lacking.length, 'column')} missing`}</h3>
      <p>
        {isAll
          ? `The model needs ${counted(needed, 'column')}, and the file has none of them. Is it the right file? Does its first line have the names?`
          : `The model needs ${counted(needed, 'column')}, by these names. The file does not have:`}
      </p>
      <ul class="chips">
        {lacking.slice(0, SHOWN).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {lacking.length > SHOWN && <li>{count(lacking.length - SHOWN)} more</li>}
      </ul>
    </>
  );
}
