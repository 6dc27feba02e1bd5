/**
 * The least that a round over WebSocket can be, as a program of its own: everybody sends a vector, the vectors are added up, and once
 * all are in everybody is sent the sum. No keys, no checksums, no checks, no disk. What `kindred bench network` measures rounds against.
 */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { BARRIER_VECTOR_AT, barrierFrameBytes } from './barrier.ts';

const clients = Number(process.argv[2]);
const features = Number(process.argv[3]);

const sockets: WebSocket[] = [];
let sum = new Float64Array(features);
let arrived = 0;

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('listening', () => process.send?.((server.address() as AddressInfo).port));
server.on('connection', (socket) => {
  sockets.push(socket);
  socket.on('message', (data: Buffer) => take(data));
});
process.on('disconnect', () => process.exit());

function take(data: Buffer): void {
  const bytes = new Uint8Array(8 * features);
  bytes.set(data.subarray(BARRIER_VECTOR_AT, BARRIER_VECTOR_AT + bytes.length));
  const vector = new Float64Array(bytes.buffer);
  for (let j = 0; j < features; j++) sum[j] += vector[j];
  arrived++;
  if (arrived < clients) return;
  const frame = new Uint8Array(barrierFrameBytes(features));
  frame.set(new Uint8Array(sum.buffer), BARRIER_VECTOR_AT);
  for (const socket of sockets) socket.send(frame);
  sum = new Float64Array(features);
  arrived = 0;
}
