/**
 * Health of the server in this container, for HEALTHCHECK: exit code 0 if /healthz answers with 200. The image has no curl. By http,
 * or else by https; the certificate is not checked, as it is for other names than 127.0.0.1. KINDRED_HEALTH_PORT: another port than 7070.
 */
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';

const TIMEOUT_MS = 2000;
const port = Number(process.env.KINDRED_HEALTH_PORT ?? 7070);

function isHealthy(ask, options) {
  return new Promise((resolve) => {
    const request = ask({ host: '127.0.0.1', port, path: '/healthz', timeout: TIMEOUT_MS, ...options });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
  });
}

const isUp = (await isHealthy(get)) || (await isHealthy(getSecurely, { rejectUnauthorized: false }));
process.exit(isUp ? 0 : 1);
