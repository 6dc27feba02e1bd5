/** One's own model to take along, and the way out. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Card } from '../shared/card.tsx';
import { Command } from '../shared/command.tsx';
import { Confirm } from '../shared/dialog.tsx';
import { save } from '../shared/download.ts';
import { toast } from '../shared/toast.tsx';
import type { JoinPage } from './join-page.ts';
import type { Run, RunState } from './run.ts';
import { seenBy } from './seen.ts';
import { SeenList } from './seen-list.tsx';
import { modelFileName } from './words.ts';

interface ModelCardProps {
  readonly page: JoinPage;
  readonly run: Run;
  readonly state: RunState;
}

export function ModelCard({ page, run, state }: ModelCardProps) {
  const { model, end } = state;
  const [asked, setAsked] = useState<'leave' | 'delete'>();
  const file = modelFileName(run.participant);
  const take = async () => {
    try {
      const json = await run.rows.modelFile(model!);
      save(new Blob([json], { type: 'application/json' }), file);
    } catch (error) {
      toast('bad', (error as Error).message);
    }
  };
  const { announcement } = run.saved;
  return (
    <Card title="Your model" class="model-card">
      <p class="fine">
        {model
          ? 'The shared model with your personal part, as one file. It works without this page and without the server.'
          : 'There is one after the first round.'}
      </p>
      <div class="buttons">
        <Button kind="primary" icon="download" disabled={!model} onClick={take}>
          Download
        </Button>
        {end ? (
          <>
            {end.type === 'left' && <Button onClick={() => page.joinAgain(run)}>Join again</Button>}
            <Button onClick={() => setAsked('delete')}>Delete from this device</Button>
          </>
        ) : (
          <Button onClick={() => setAsked('leave')}>Leave</Button>
        )}
      </div>
      {model && <Command text={`kindred predict --model ${file} rows.csv`} label="Copy the command" />}
      <details class="fine">
        <summary>{seenBy(announcement).title}</summary>
        <SeenList announcement={announcement} />
      </details>
      {asked === 'leave' && (
        <Confirm
          title={`Leave ${run.federation}?`}
          action="Leave"
          onConfirm={() => run.leave()}
          onClose={() => setAsked(undefined)}
        >
          <p>
            Nothing more is sent after that. What others have learnt with your help stays in the shared model.
            The model that you have now stays in this browser until you delete it.
          </p>
          {!state.status.isConnected && (
            <p>
              The server does not answer at the moment. You leave as soon as it does: keep this page open.
            </p>
          )}
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title="Delete from this device?"
          action="Delete"
          onConfirm={() => page.startOver(run)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            Deletes your model, your key and the copy of your data in this browser. Without the key nobody can
            go on under the name {run.participant}. Your own file is not touched.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
