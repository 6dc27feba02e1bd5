/** Program of its own: counts the frames of a floor over NATS (nats-floor.ts). */
import { countFrames } from './nats-floor.ts';

process.on('disconnect', () => process.exit());
await countFrames(process.argv[2], Number(process.argv[3]));
process.send?.('ready');
