import { Badge } from '../../shared/badge.tsx';
import { useCell } from '../../shared/cell.ts';
import { dateTime } from '../../shared/format.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { isTraining, phaseText } from '../data/phase.ts';
import { optionsOf, privacyText } from '../data/settings-view.ts';
import { Actions } from '../operator/actions.tsx';

export function FederationHead({ live }: { readonly live: LiveFederation }) {
  const state = useCell(live.state)!;
  const { text, tone } = phaseText(state);
  const options = optionsOf(state);
  return (
    <div class="page-head">
      <div class="page-title">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href="#/">Federations</a>
        </nav>
        <div class="title-line">
          <h1>{state.name}</h1>
          <Badge tone={tone} live={isTraining(state)}>
            {text}
          </Badge>
        </div>
        <p>
          {options.objective === 'regression' ? 'Regression' : 'Classification'}
          {' · '}
          {privacyText(options).mode}
          {' · '}created {dateTime(state.createdMs)}
        </p>
      </div>
      <Actions live={live} />
    </div>
  );
}
