/** compose.yaml and the manifests for Kubernetes: they parse, refer to what exists, and keep rules of their own. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../cli/helpers.ts';

const root = resolve(import.meta.dirname, '../..');
const deploy = join(root, 'deploy');
const yaml = (readdirSync(deploy, { recursive: true }) as string[]).filter((name) => name.endsWith('.yaml'));
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');

/** As far as the tests look at it. */
// biome-ignore lint/suspicious/noExplicitAny: documents of others' schemas
type Document = any;

function documentsIn(name: string): Document[] {
  return parseAllDocuments(read(name), { merge: true }).map((document) => {
    expect(document.errors, name).toEqual([]);
    return document.toJS();
  });
}

const compose: Document = parse(read('compose.yaml'), { merge: true });
const folders = ['single', 'scale'].map((name) => join('kubernetes', name));
const manifests = folders.flatMap((folder) =>
  yaml
    .filter((name) => dirname(name) === folder && !name.endsWith('kustomization.yaml'))
    .flatMap((name) => documentsIn(name).map((document) => ({ name, folder, document }))),
);
const ofKind = (...kinds: string[]) => manifests.filter(({ document }) => kinds.includes(document.kind));
const workloads = ofKind('StatefulSet', 'Deployment');
const podOf = ({ document }: { document: Document }) => document.spec.template.spec;

/** Every command line of Kindred in these files. */
const commandLines: { where: string; argv: string[] }[] = [
  ...Object.entries<Document>(compose.services)
    .filter(([, service]) => service.image.startsWith('kindred:'))
    .map(([name, service]) => ({ where: `compose.yaml ${name}`, argv: service.command })),
  ...workloads.flatMap(({ name, document }) =>
    document.spec.template.spec.containers
      .filter(({ image }: Document) => image === 'kindred')
      .map(({ args }: Document) => ({ where: name, argv: args })),
  ),
];

test.each(yaml)('%s is YAML', (name) => {
  expect(documentsIn(name).length).toBeGreaterThan(0);
});

describe('commands', () => {
  test('each names a command and flags that exist', async () => {
    expect(commandLines.length).toBe(10);
    const helpOf = async (command: string) => (await run([command, '--help'])).stdout;
    const isOf = (command: string, help: string) => help.startsWith(`Usage: kindred ${command} `);
    // Commands on NATS come together.
    const hasNats = isOf('gateway', await helpOf('gateway'));
    if (!hasNats)
      process.stderr.write('\nskipped: flags of commands on NATS, which this version does not have\n');
    let checked = 0;
    for (const { where, argv } of commandLines) {
      const [command, ...flags] = argv;
      if (!hasNats && argv.some((text) => text.startsWith('--nats='))) continue;
      const help = await helpOf(command);
      expect(isOf(command, help), `${where}: kindred ${command}`).toBe(true);
      for (const flag of flags) {
        expect(flag, where).toMatch(/^--[a-z-]+(?:=.*)?$/);
        const [name] = flag.split('=');
        expect(help.split(/[\s,]+/), `${where}: ${command} ${name}`).toContain(name);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(10);
  });

  test('no password is an argument or a value in these files', () => {
    for (const { where, argv } of commandLines)
      expect(argv.join(' '), where).not.toMatch(/password|token=|:\/\/[^/\s]*:[^/\s]*@/i);
    for (const { name, document } of workloads)
      for (const { env = [] } of document.spec.template.spec.containers)
        for (const { name: variable, value } of env)
          if (/PASSWORD|TOKEN/.test(variable)) expect(value, `${name} ${variable}`).toBeUndefined();
    expect(ofKind('Secret')).toEqual([]);
  });

  test('users of NATS are those of its configuration', () => {
    const users = [...read('nats/permissions.conf').matchAll(/\{ user: ([\w-]+)/g)].map(([, user]) => user);
    expect(users).toContain('root');
    for (const { document } of workloads)
      for (const { env = [], args = [] } of document.spec.template.spec.containers) {
        const user = env.find(({ name }: Document) => name === 'KINDRED_NATS_USER')?.value;
        if (args.some((text: string) => text.startsWith('--nats='))) expect(users).toContain(user);
      }
    for (const service of Object.values<Document>(compose.services))
      if (service.command?.some((text: string) => text.startsWith('--nats=')))
        expect(users).toContain(service.environment.KINDRED_NATS_USER);
  });

  test('every variable of the NATS configuration is set in compose and in Kubernetes', () => {
    const asked = new Set(
      [
        ...(read('nats/nats.conf') + read('nats/permissions.conf')).matchAll(
          /^[^#\n]*?\$(KINDRED_NATS_\w+)/gm,
        ),
      ].flatMap(([line]) => [...line.matchAll(/\$(KINDRED_NATS_\w+)/g)].map(([, name]) => name)),
    );
    expect(asked.size).toBe(8);
    const nats = workloads.find(({ document }) => document.metadata.name === 'nats')!;
    const inPod = podOf(nats).containers[0].env.map(({ name }: Document) => name);
    for (const name of asked) {
      expect(inPod).toContain(name);
      for (const k of [0, 1, 2])
        expect(Object.keys(compose.services[`nats-${k}`].environment)).toContain(name);
    }
    const example = read('env.example');
    for (const name of read('compose.yaml').matchAll(/\$\{(\w+)/g)) expect(example).toContain(`${name[1]}=`);
  });
});

describe('compose.yaml', () => {
  test('refers to what it has', () => {
    for (const [name, service] of Object.entries<Document>(compose.services)) {
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(compose.services, name).toHaveProperty(other);
      for (const secret of service.secrets ?? []) expect(compose.secrets, name).toHaveProperty(secret);
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(join(deploy, source)), volume).toBe(true);
        else expect(compose.volumes, name).toHaveProperty(source);
      }
    }
    expect(
      existsSync(join(deploy, compose['x-kindred'].build.context, compose['x-kindred'].build.dockerfile)),
    ).toBe(true);
  });

  test('starts one server by itself, and the rest by its profile', () => {
    const always = Object.entries<Document>(compose.services).filter(
      ([, { profiles }]) => profiles === undefined,
    );
    expect(always.map(([name]) => name)).toEqual(['server']);
    const scale = Object.entries<Document>(compose.services).filter(([, { profiles }]) =>
      profiles?.includes('scale'),
    );
    expect(scale.map(([name]) => name).sort()).toEqual([
      ...['aggregate', 'gateway', 'nats-0', 'nats-1', 'nats-2', 'root', 'work'],
    ]);
  });

  test('whatever has a published port speaks TLS, with files that it is given or a certificate of its own', () => {
    const published = Object.entries<Document>(compose.services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name).sort()).toEqual(['gateway', 'server']);
    for (const [name, { command, secrets, volumes = [] }] of published) {
      const given = (flag: string) =>
        command.find((text: string) => text.startsWith(`${flag}=`))?.slice(flag.length + 1);
      if (command.includes('--tls-self-signed')) {
        // It is beside the store, and lasts as long.
        const [, folder] = volumes
          .find((volume: string) => given('--store').startsWith(volume.split(':')[1]))
          .split(':');
        expect(folder, name).toBe('/data');
        continue;
      }
      expect([given('--tls-cert'), given('--tls-key')], name).toEqual([
        '/run/secrets/tls-cert',
        '/run/secrets/tls-key',
      ]);
      expect(secrets, name).toEqual(expect.arrayContaining(['tls-cert', 'tls-key']));
    }
  });

  test('a NATS password that was forgotten is a number, which the servers refuse', () => {
    const passwords = [...read('compose.yaml').matchAll(/\$\{KINDRED_NATS_\w+_PASSWORD(.*?)\}/g)];
    expect(passwords.length).toBeGreaterThan(8);
    expect(passwords.filter(([, fallback]) => fallback !== ':-0')).toEqual([]);
  });
});

describe('Kubernetes', () => {
  test('every workload is hardened, bounded in memory, and probed if it has a port', () => {
    expect(workloads.length).toBe(6);
    for (const workload of workloads) {
      const pod = podOf(workload);
      expect(pod.securityContext.runAsNonRoot, workload.name).toBe(true);
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
        if (container.image !== 'kindred' || !container.ports) continue;
        expect(container.livenessProbe.httpGet.path).toBe('/healthz');
        expect(container.readinessProbe.httpGet.path).toBe('/readyz');
      }
    }
  });

  test('mounts, selectors, services and ports fit together', () => {
    for (const { name, folder, document } of workloads) {
      const pod = document.spec.template.spec;
      const volumes = [...(pod.volumes ?? []), ...(document.spec.volumeClaimTemplates ?? [])].map(
        (volume: Document) => volume.name ?? volume.metadata.name,
      );
      for (const container of pod.containers)
        for (const mount of container.volumeMounts) expect(volumes, name).toContain(mount.name);
      expect(document.spec.template.metadata.labels).toEqual(document.spec.selector.matchLabels);
      if (document.kind === 'StatefulSet') {
        const services = ofKind('Service').filter((one) => one.folder === folder);
        expect(services.map((one) => one.document.metadata.name)).toContain(document.spec.serviceName);
      }
    }
    const labels = workloads.map(({ document }) => document.spec.template.metadata.labels);
    const isSelected = (selector: object) =>
      labels.some((of) => Object.entries(selector).every(([key, value]) => of[key] === value));
    for (const { name, document } of [
      ...ofKind('Service'),
      ...ofKind('PodDisruptionBudget', 'NetworkPolicy'),
    ]) {
      const { selector, podSelector } = document.spec;
      expect(isSelected(selector?.matchLabels ?? podSelector?.matchLabels ?? selector ?? {}), name).toBe(
        true,
      );
    }
  });

  test('gateways, owners and NATS survive that machines are drained; all traffic is denied but what is listed', () => {
    const scale = manifests.filter(({ folder }) => folder.endsWith('scale')).map(({ document }) => document);
    const budgets = scale
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .map(({ metadata }) => metadata.name);
    expect(budgets.sort()).toEqual(['kindred-aggregate', 'kindred-gateway', 'nats']);
    const policies = scale.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies[0].spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    // Only gateways are reached from anywhere.
    const open = policies.filter(({ spec }) =>
      spec.ingress?.some((rule: Document) => rule.from === undefined),
    );
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['gateway']);
    const kinds = Object.fromEntries(scale.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, true]));
    for (const name of ['StatefulSet kindred-root', 'StatefulSet nats', 'Deployment kindred-gateway'])
      expect(kinds).toHaveProperty(name);
  });

  test.each(folders)('%s lists all of its files', (folder) => {
    const { resources, images } = documentsIn(join(folder, 'kustomization.yaml'))[0];
    const own = yaml.filter((name) => dirname(name) === folder && !name.endsWith('kustomization.yaml'));
    const listed = resources.filter((name: string) => name.endsWith('.yaml'));
    expect(listed.sort()).toEqual(own.map((name) => name.slice(folder.length + 1)).sort());
    for (const name of resources) expect(existsSync(join(deploy, folder, name)), name).toBe(true);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(images).toEqual([{ name: 'kindred', newName: 'kindred', newTag: version }]);
    expect(compose['x-kindred'].image).toBe(`kindred:${version}`);
  });

  // It asks no cluster: all that it needs is in the folder.
  const kubectl = spawnSync('kubectl', ['version', '--client'], { env: offline() }).status === 0;
  test.skipIf(!kubectl).each(folders)('kubectl kustomize %s (needs kubectl)', (folder) => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(deploy, folder)], {
      encoding: 'utf8',
      env: offline(),
    });
    expect(status, stderr).toBe(0);
    const built = parseAllDocuments(stdout).map((document) => document.toJS() as Document);
    expect(
      built.every(({ kind, metadata }) => kind === 'Namespace' || metadata.namespace === 'kindred'),
    ).toBe(true);
  });
});

/** No image by a registry's name, none without a version. */
test('images are pinned', () => {
  const images = yaml.flatMap((name) =>
    [...read(name).matchAll(/^\s*image: (\S+)/gm)].map(([, image]) => image),
  );
  expect(images.length).toBeGreaterThan(5);
  for (const image of images) expect(image).toMatch(/^(?:kindred(?::\d+\.\d+\.\d+)?|nats:\d+\.\d+-alpine)$/);
});

function offline() {
  return { PATH: process.env.PATH, KUBECONFIG: '/dev/null', HOME: '/nonexistent' };
}
