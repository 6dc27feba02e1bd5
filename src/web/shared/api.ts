/** Requests to the server that delivered the page, with the operator's token if there is one. */
import { token } from './token.ts';

/** The server refused, or could not be reached (`OFFLINE`). */
export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 0) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** Another token would help. */
  get isForbidden(): boolean {
    return FORBIDDEN.has(this.code);
  }
}

const FORBIDDEN = new Set(['TOKEN_NEEDED', 'WRONG_TOKEN', 'ROLE_NEEDED']);

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** In place of the operator's. */
  readonly token?: string;
}

/** The response of a successful request; throws an `ApiFailure` for every other. */
export async function request(path: string, { method, body, signal, ...own }: Asked = {}): Promise<Response> {
  const bearer = own.token ?? token.value;
  const headers = {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = {
    method: method ?? 'GET',
    headers,
    cache: 'no-store',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  } as const;
  const response = await fetch(path, sent).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure('OFFLINE', 'The server cannot be reached.');
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await request(path, asked);
  return (await response.json()) as T;
}

/** Of a proxy, too, which does not speak our form. */
async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiFailure(error.code, error.message, status);
  } catch {
    return new ApiFailure(`HTTP_${status}`, `The server answered with status ${status}.`, status);
  }
}

/** For people; the code is for the caller. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The path of a federation in the API. */
export function federationPath(name: string, rest = ''): string {
  return `/v1/federations/${encodeURIComponent(name)}${rest}`;
}
