/** How statements are sent: whoever has one is in a session, and usually in a transaction. */
export type PostgresValue = string | number | Uint8Array | readonly (string | number | Uint8Array)[];
export type Rows = readonly Readonly<Record<string, unknown>>[];
export type Query = (sql: string, values?: readonly PostgresValue[]) => Promise<Rows>;
