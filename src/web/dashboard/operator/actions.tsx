/** What may be done with a federation: by anybody who may look (downloads), by operators, by admins. */
import { useState } from 'preact/hooks';
import { ask, federationPath, messageOf } from '../../shared/api.ts';
import { Button } from '../../shared/button.tsx';
import { useCell } from '../../shared/cell.ts';
import { download } from '../../shared/download.ts';
import { Menu, type MenuItem } from '../../shared/menu.tsx';
import { toast } from '../../shared/toast.tsx';
import { useMay } from '../data/access.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { optionsOf } from '../data/settings-view.ts';
import { ConfirmDelete, ConfirmFinish, ConfirmRecount } from './confirms.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { WaitingDialog } from './waiting-dialog.tsx';

type Asked = 'invite' | 'waiting' | 'finish' | 'recount' | 'delete';

export function Actions({ live }: { readonly live: LiveFederation }) {
  const { name } = live;
  const state = useCell(live.state)!;
  const mayOperate = useMay('operate');
  const isAdmin = useMay('admin');
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState(false);
  const isFinished = state.phase === 'finished';
  const order = async (what: 'pause' | 'resume' | 'reopen', done: string) => {
    setBusy(true);
    await attempt(async () => {
      await ask(federationPath(name, `/${what}`), { method: 'POST' });
      toast('ok', done);
    });
    setBusy(false);
  };
  const items: MenuItem[] = [
    ...(mayOperate
      ? ([
          { label: 'Change the deadline', icon: 'retry', onSelect: () => setAsked('waiting') },
          { label: 'Ask all again (recount)', icon: 'people', onSelect: () => setAsked('recount') },
          ...(isFinished
            ? []
            : [{ label: 'End training', icon: 'finish', onSelect: () => setAsked('finish') } as const]),
          'line',
        ] satisfies MenuItem[])
      : []),
    {
      label: 'Download the model',
      icon: 'download',
      onSelect: () => fetchFile(name, '/model', 'model.json'),
    },
    {
      ...{ label: 'Download the history (CSV)', icon: 'table' },
      onSelect: () => fetchFile(name, '/history?format=csv', 'history.csv'),
    },
    ...(isAdmin
      ? ([
          'line',
          { label: 'Delete', icon: 'trash', kind: 'danger', onSelect: () => setAsked('delete') },
        ] satisfies MenuItem[])
      : []),
  ];
  const close = () => setAsked(undefined);
  return (
    <div class="actions">
      {mayOperate && (
        <>
          {isFinished ? (
            <Button icon="play" busy={busy} onClick={() => order('reopen', 'Training goes on.')}>
              Reopen
            </Button>
          ) : state.paused ? (
            <Button icon="play" busy={busy} onClick={() => order('resume', 'Training goes on.')}>
              Resume
            </Button>
          ) : (
            <Button icon="pause" busy={busy} onClick={() => order('pause', 'Training is paused.')}>
              Pause
            </Button>
          )}
          <Button kind="primary" icon="add" onClick={() => setAsked('invite')}>
            Invite
          </Button>
        </>
      )}
      <Menu label="More actions" icon="more" items={items} />
      {asked === 'invite' && (
        <InviteDialog name={name} isSecure={Boolean(optionsOf(state).secure)} onClose={close} />
      )}
      {asked === 'waiting' && <WaitingDialog name={name} options={optionsOf(state)} onClose={close} />}
      {asked === 'finish' && <ConfirmFinish name={name} onClose={close} />}
      {asked === 'recount' && <ConfirmRecount name={name} onClose={close} />}
      {asked === 'delete' && <ConfirmDelete name={name} onClose={close} />}
    </div>
  );
}

function fetchFile(name: string, path: string, file: string): void {
  void attempt(() => download(federationPath(name, path), `${name}-${file}`));
}

async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    toast('bad', messageOf(error));
  }
}
