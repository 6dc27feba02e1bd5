/** How much of the server one client may use, so that enough is left for the others. */

export interface ServerLimits {
  /** Of a WebSocket message from a participant; a vector of d features takes 8 d bytes and some. */
  readonly maxFrameBytes: number;
  /** Frames a participant may send, as an average over a second, and at once. */
  readonly framesPerSecond: number;
  readonly frameBurst: number;
  /** Frames that cannot be read, before the connection is closed. */
  readonly badFrames: number;
  /** Of an HTTP request, and of one that contains rows. */
  readonly maxBodyBytes: number;
  readonly maxRowsBytes: number;
  /** Requests about rows that may wait for their thread, and how long one may take from its arrival. */
  readonly rowRequests: number;
  readonly rowRequestMs: number;
  /** Connections in all, and from one address; loopback is not counted by address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Participants of a federation that may be enrolled without an invitation, and new ones from one address in a minute. */
  readonly openEnrolments: number;
  readonly enrolmentsPerAddress: number;
  /** Connections that have not proved who they are: beyond this the oldest has to go. */
  readonly strangers: number;
  /** How long a connection may stay without proving who it is, or sending a valid request. */
  readonly strangerMs: number;
  /** Bytes that wait for a slow reader before frames are held back, and how long it may take to read them. */
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Those who watch events, in all; they are sent a sign of life so often. */
  readonly listeners: number;
  readonly heartbeatMs: number;
  /** A connection that does not answer a ping for so long is dead. */
  readonly silentMs: number;
  /** Who has not come back so long after a start of the server is not waited for. */
  readonly returnMs: number;
}

export const DEFAULT_LIMITS_OF_SERVER: ServerLimits = {
  maxFrameBytes: 16 * 1024 * 1024,
  framesPerSecond: 1000,
  frameBurst: 2000,
  badFrames: 20,
  maxBodyBytes: 1024 * 1024,
  maxRowsBytes: 16 * 1024 * 1024,
  rowRequests: 8,
  // Shorter than `unreadMs`, after which a connection that has read nothing is closed.
  rowRequestMs: 30_000,
  connections: 20_000,
  connectionsPerAddress: 256,
  openEnrolments: 10_000,
  enrolmentsPerAddress: 60,
  strangers: 1000,
  strangerMs: 10_000,
  unreadBytes: 256 * 1024,
  unreadMs: 60_000,
  listeners: 100,
  heartbeatMs: 15_000,
  silentMs: 45_000,
  returnMs: 5000,
};
