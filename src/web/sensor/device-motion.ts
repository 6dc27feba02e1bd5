/** The motion sensor of the device. Browsers give it to secure pages only, and some ask first; screens without a sensor are silent. */

import type { Sample } from '../../data/motion-windows.ts';
import type { MotionSource } from './motion-source.ts';

export type DeviceState =
  /** Not asked for yet. */
  | 'idle'
  | 'asking'
  | 'live'
  /** Plain http: the browser has no sensors for such pages. */
  | 'insecure'
  | 'denied'
  /** Nothing comes: there is no sensor. */
  | 'silent';

/** As Safari of iOS has it. */
interface AskingMotionEvent {
  requestPermission?(): Promise<'granted' | 'denied'>;
}

/** A sensor delivers 50 samples a second or more. */
const SILENT_MS = 2000;

/** What is known before anybody is asked. */
export function initialState(page: { readonly isSecureContext: boolean }): DeviceState {
  return page.isSecureContext ? 'idle' : 'insecure';
}

/** By a tap, or iOS refuses without asking. */
export async function askForMotion(): Promise<'granted' | 'denied' | 'silent'> {
  const event = (globalThis as { DeviceMotionEvent?: AskingMotionEvent }).DeviceMotionEvent;
  if (!event) return 'silent';
  if (!event.requestPermission) return 'granted';
  try {
    return await event.requestPermission();
  } catch {
    return 'denied';
  }
}

export class DeviceMotion implements MotionSource {
  private readonly onSilence: () => void;
  private onEvent: ((event: DeviceMotionEvent) => void) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onSilence: () => void) {
    this.onSilence = onSilence;
  }

  start(onSample: (sample: Sample) => void): void {
    this.stop();
    this.onEvent = ({ accelerationIncludingGravity: a, timeStamp }) => {
      // Desktops send one event without values.
      if (!a || a.x === null || a.y === null || a.z === null) return;
      clearTimeout(this.timer);
      onSample({ atMs: timeStamp, x: a.x, y: a.y, z: a.z });
    };
    addEventListener('devicemotion', this.onEvent);
    this.timer = setTimeout(this.onSilence, SILENT_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    if (this.onEvent) removeEventListener('devicemotion', this.onEvent);
    this.onEvent = undefined;
  }
}
