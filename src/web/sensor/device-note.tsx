/** Why there is no motion yet, and what to do about it. */
import { Banner } from '../shared/banner.tsx';
import { Button } from '../shared/button.tsx';
import type { DeviceState } from './device-motion.ts';
import type { MotionSession } from './session.ts';

interface DeviceNoteProps {
  readonly session: MotionSession;
  readonly device: DeviceState;
}

export function DeviceNote({ session, device }: DeviceNoteProps) {
  const ask = () => void session.askDevice();
  const other = <Button onClick={() => session.use('played')}>Use a made-up person</Button>;
  switch (device) {
    case 'insecure':
      return (
        <Banner tone="warn" icon="alert" action={other}>
          <b>The browser withholds motion here</b>, because this page came over plain http. Open its https
          address: the operator starts the server with <code>--tls-self-signed</code>, or with a certificate.
        </Banner>
      );
    case 'denied':
      return (
        <Banner tone="warn" icon="forbidden" action={other}>
          <b>Motion was not allowed.</b> Allow it in the settings of the browser for this site, load the page
          again, and press the button once more.
        </Banner>
      );
    case 'silent':
      return (
        <Banner tone="warn" icon="info" action={other}>
          <b>This device has no motion sensor</b>, or the browser does not give it to pages. Open the page on
          a phone, or play recordings of a made-up person.
        </Banner>
      );
    default:
      return (
        <div class="sensor-ask">
          <p>
            The phone's motion sensor says how it is shaken and turned. The page computes 18 numbers from each
            2.6 s of it; the recording itself is not kept.
          </p>
          <Button kind="primary" size="large" icon="motion" busy={device === 'asking'} onClick={ask}>
            Use the motion sensor
          </Button>
        </div>
      );
  }
}
