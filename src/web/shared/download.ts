/** Files from the API, with the token: a plain link could not send it. */
import { request } from './api.ts';

export async function download(path: string, name: string): Promise<void> {
  const response = await request(path);
  save(await response.blob(), name);
}

export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
