/** Whether all is well: conservation, privacy, refusals, and what the federation was created with. */
import type { ComponentChildren } from 'preact';
import type { FederationState } from '../../../node/server/routes/federations.ts';
import { Badge, type Tone } from '../../shared/badge.tsx';
import { Card } from '../../shared/card.tsx';
import { useCell } from '../../shared/cell.ts';
import { count, counted, scientific } from '../../shared/format.ts';
import { Meter } from '../../shared/meter.tsx';
import type { LiveFederation } from '../data/live-federation.ts';
import { factsOf, optionsOf, privacyText } from '../data/settings-view.ts';

/** Rounding stays below it; an answer that is lost, doubled or foreign does not. */
const CONSERVED = 1e-9;

export function Health({ live }: { readonly live: LiveFederation }) {
  const state = useCell(live.state)!;
  const options = optionsOf(state);
  const { mode, about } = privacyText(options);
  return (
    <>
      <Card title="Health">
        <dl class="facts">
          <Conservation {...state} />
          <Fact label="Certificate">{coverText(state)}</Fact>
          <Codes label="Refused messages" codes={state.rejections} none="none" tone="bad" />
          <Codes label="Failures of participants" codes={state.faults} none="none" tone="bad" />
          <Codes label="Declined by participants" codes={state.declines} none="none" tone="warn" />
        </dl>
      </Card>
      <Card title="Privacy" note={mode}>
        <p class="small">{about}</p>
        {state.privacy && <Budget privacy={state.privacy} budget={options.dp?.epsilon} />}
      </Card>
    </>
  );
}

function coverText({ missing, certificate }: FederationState): string {
  if (certificate.relativeGap === null) return 'none yet';
  return missing.length === 0
    ? 'covers all participants'
    : `covers all but ${counted(missing.length, 'participant')}`;
}

/** Below everything else: they never change, but for the deadline. */
export function Options({ live }: { readonly live: LiveFederation }) {
  const state = useCell(live.state)!;
  return (
    <Card title="Options" note={`${counted(state.features, 'feature')}`}>
      <dl class="facts" data-columns>
        {factsOf(optionsOf(state)).map(([label, value]) => (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ))}
      </dl>
    </Card>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Conservation({ conservation: { relativeError } }: Pick<FederationState, 'conservation'>) {
  const isKnown = relativeError !== null;
  const isKept = isKnown && relativeError <= CONSERVED;
  return (
    <Fact label="Conservation">
      <Badge
        tone={!isKnown ? 'plain' : isKept ? 'ok' : 'bad'}
        title="The sum that the server holds against the sum of everybody's last accepted answers"
      >
        {!isKnown ? 'not visible here' : isKept ? 'kept' : 'broken'}
      </Badge>
      {isKnown && <small> error {scientific(relativeError)}</small>}
    </Fact>
  );
}

interface CodesProps {
  readonly label: string;
  readonly codes: Readonly<Record<string, number | undefined>>;
  readonly none: string;
  readonly tone: Tone;
}

function Codes({ label, codes, none, tone }: CodesProps) {
  const all = Object.entries(codes).sort(([, a = 0], [, b = 0]) => b - a);
  return (
    <Fact label={label}>
      {all.length === 0
        ? none
        : all.map(([code, n = 0]) => (
            <span class="code-count" key={code}>
              <Badge tone={tone}>
                {code} {count(n)}
              </Badge>
            </span>
          ))}
    </Fact>
  );
}

interface BudgetProps {
  readonly privacy: NonNullable<FederationState['privacy']>;
  readonly budget: number | undefined;
}

function Budget({ privacy: { epsilon, delta, notCovered }, budget }: BudgetProps) {
  return (
    <div class="budget">
      <p>
        Spent <b>ε {epsilon.toPrecision(3)}</b>
        {budget !== undefined && ` of ${budget}`}, δ {scientific(delta)}
      </p>
      {budget !== undefined && (
        <Meter
          share={epsilon / budget}
          tone={epsilon >= budget ? 'bad' : 'accent'}
          label="Privacy budget spent"
        />
      )}
      {notCovered.length > 0 && <p class="small">Not covered: {notCovered.join('; ')}.</p>}
    </div>
  );
}
