/** Before taking part: what the server will see, one's data, a name. Nothing is sent until the button is pressed. */
import { useRef } from 'preact/hooks';
import { Badge } from '../shared/badge.tsx';
import { Button } from '../shared/button.tsx';
import { Card } from '../shared/card.tsx';
import { useCell } from '../shared/cell.ts';
import { Field } from '../shared/field.tsx';
import { bytes } from '../shared/format.ts';
import { Icon } from '../shared/icon.tsx';
import { DataStep } from './data-step.tsx';
import { InvitationStep } from './invitation-step.tsx';
import type { JoinPage, Setup } from './join-page.ts';
import { ProblemCard } from './problem-card.tsx';
import { seenBy } from './seen.ts';
import { SeenList } from './seen-list.tsx';

interface SetupProps {
  readonly page: JoinPage;
  readonly setup: Setup;
}

export function SetupView({ page, setup }: SetupProps) {
  const { announcement, problem } = setup;
  const invitation = useCell(page.invitation);
  const name = useRef<HTMLInputElement>(null);
  const data = useRef<HTMLElement>(null);
  const needsInvitation = announcement.enrolment === 'invitation' && invitation === undefined;
  const actions = {
    reload: () => location.reload(),
    name: () => name.current?.select(),
    data: () => data.current?.focus(),
    retry: () => page.join(setup),
    'start over': () => page.startOver(undefined),
  };
  return (
    <div class="setup">
      <div class="setup-main">
        <Welcome page={page} setup={setup} />
        <details class="card fold seen-fold">
          <summary>
            <Icon name="eye" />
            <span>{seenBy(announcement).title}</span>
            <Icon name="chevron" />
          </summary>
          <SeenList announcement={announcement} />
        </details>
        {problem && <ProblemCard problem={problem} level="part" actions={actions} />}
        {needsInvitation || problem?.code.startsWith('INVITATION') ? <InvitationStep page={page} /> : null}
        <DataStep page={page} setup={setup} focusRef={data} />
        <JoinStep page={page} setup={setup} nameRef={name} />
      </div>
      <aside class="setup-aside" aria-label="What the server sees">
        <Card title={seenBy(announcement).title}>
          <SeenList announcement={announcement} />
        </Card>
      </aside>
    </div>
  );
}

function Welcome({ page, setup }: SetupProps) {
  const { objective, enrolment, secure, dp } = setup.announcement;
  const invitation = useCell(page.invitation);
  return (
    <div class="welcome">
      <h1 tabIndex={-1}>Take part in {page.federation}</h1>
      <p>
        Train a model together with others and get one of your own, fitted to you. Your rows stay in this
        browser: it learns from them here and sends only updates of the model.
      </p>
      <p class="badges">
        {invitation !== undefined ? (
          <Badge tone="ok">You are invited</Badge>
        ) : (
          <Badge tone={enrolment === 'open' ? 'ok' : 'warn'}>
            {enrolment === 'open' ? 'Open to everybody' : 'By invitation'}
          </Badge>
        )}
        <Badge>{objective === 'classification' ? 'Predicts classes' : 'Predicts numbers'}</Badge>
        {secure && <Badge tone="accent">Secure sums</Badge>}
        {dp && <Badge tone="accent">Differential privacy</Badge>}
      </p>
    </div>
  );
}

const LONGEST_NAME = 60;

function JoinStep({
  page,
  setup,
  nameRef,
}: SetupProps & { readonly nameRef: { current: HTMLInputElement | null } }) {
  const { desk, isJoining, announcement } = setup;
  const name = useCell(page.name);
  const invitation = useCell(page.invitation);
  const { source, summary, isBusy } = useCell(desk.state);
  // One that was pasted later may be for anybody.
  const isFixed =
    page.link.name !== undefined && invitation !== undefined && invitation === page.link.invitation;
  const missing = missingPart({
    hasInvitation: announcement.enrolment === 'open' || invitation !== undefined,
    hasData: source !== undefined,
    hasName: name.trim() !== '',
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (missing === undefined) void page.join(setup);
  };
  return (
    <form class="card step" onSubmit={submit} aria-label="Joining">
      <div class="step-head">
        <h2>Your name here</h2>
      </div>
      <Field
        label="Name"
        help={
          isFixed
            ? 'Your invitation is for this name.'
            : 'The operator sees it. It need not be your real one.'
        }
      >
        {(control) => (
          <input
            {...control}
            class="input name"
            ref={nameRef}
            value={name}
            readOnly={isFixed}
            maxLength={LONGEST_NAME}
            autocomplete="off"
            spellcheck={false}
            placeholder="ada"
            onInput={(event) => page.setName(event.currentTarget.value)}
          />
        )}
      </Field>
      {summary !== undefined && summary.testRows > 0 && !announcement.dp && <ReportChoice page={page} />}
      <div class="join">
        <Button
          type="submit"
          kind="primary"
          size="large"
          busy={isJoining}
          disabled={missing !== undefined || isBusy}
        >
          {isJoining ? 'Joining…' : 'Join'}
        </Button>
        <p role="status">
          {missing ?? (
            <>
              <Icon name="forbidden" size={14} /> {setup.problem ? '' : 'Nothing has been sent so far. '}
              {summary && `Your rows, ${bytes(summary.bytes)}, stay here.`}
            </>
          )}
        </p>
      </div>
    </form>
  );
}

function ReportChoice({ page }: { readonly page: JoinPage }) {
  const reports = useCell(page.reportTests);
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={reports}
        onChange={(event) => page.reportTests.set(event.currentTarget.checked)}
      />
      Tell the operator how well my model does on my test rows: one number in each round, none of my rows
    </label>
  );
}

interface Parts {
  readonly hasInvitation: boolean;
  readonly hasData: boolean;
  readonly hasName: boolean;
}

function missingPart({ hasInvitation, hasData, hasName }: Parts): string | undefined {
  if (!hasInvitation) return 'You need an invitation first.';
  if (!hasData) return 'Choose data first.';
  return hasName ? undefined : 'Choose a name first.';
}
