import { useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { toast } from './toast.tsx';

const SHOWN_MS = 2000;

/** Text to take along: a command, a link. */
export function Command({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="command">
      <pre>{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await toClipboard(text))) {
      toast('bad', 'The browser does not allow copying here. Select the text instead.');
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={copy} />;
}

/** Browsers withhold the clipboard on http:// of other machines; the older way works there. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    // Inside an open dialog: everything else is inert.
    const place = document.querySelector('dialog[open]') ?? document.body;
    place.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    return isDone;
  }
}
