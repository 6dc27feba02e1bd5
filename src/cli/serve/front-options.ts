/** Options of everything that listens to participants: `serve` and `gateway`. */
import type { Command } from 'commander';
import { isHostName } from '../../node/server/host-names.ts';
import { choice, whole } from '../../settings/kinds.ts';
import { refuse, valued } from '../flags.ts';

/** Commander's values, by option. */
export interface FrontFlags {
  readonly port: number;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsClientCa?: string;
  readonly origin?: readonly string[];
  readonly hostName?: readonly string[];
  readonly maxConnections?: number;
  readonly maxFrameBytes?: number;
  readonly connectionsPerAddress?: number;
}

export interface LogFlags {
  readonly logLevel: string;
  readonly logFormat?: string;
}

export function addFrontOptions(command: Command): Command {
  return command
    .option('--tls-cert <file>', 'certificate, PEM')
    .option('--tls-key <file>', 'private key of the certificate, PEM')
    .option(
      '--tls-client-ca <file>',
      'accept only clients with a certificate signed by this authority (mutual TLS)',
    )
    .option('--origin <origin>', 'origin of web pages that may use the API; may be repeated', origins)
    .option('--host-name <name>', 'public name of this server (DNS or proxy); may be repeated', hostNames)
    .addOption(valued('--max-connections <number>', 'maximum number of connections', whole(1)))
    .addOption(
      valued('--connections-per-address <number>', 'maximum number of connections per address', whole(1)),
    )
    .addOption(valued('--max-frame-bytes <number>', 'maximum message size in bytes', whole(1024)));
}

export function addLogOptions(command: Command): Command {
  return command
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .addOption(
      valued(
        '--log-format <kind>',
        'pretty or json (default: json if stderr is not a terminal)',
        choice('pretty', 'json'),
      ),
    );
}

/** No port: it may be that of a forwarder. */
function hostNames(text: string, previous: readonly string[] | undefined): readonly string[] {
  if (isHostName(text)) return [...(previous ?? []), text];
  return refuse('--host-name', 'a name or an address without a port, such as kindred.example.org', text);
}

/** As browsers send it: no path, no slash at the end. */
function origins(text: string, previous: readonly string[] | undefined): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...(previous ?? []), text];
  return refuse('--origin', 'an origin such as https://example.org', text);
}
