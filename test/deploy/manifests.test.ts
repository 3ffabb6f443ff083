import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { roles } from '../../src/config/roles.ts';
import { findUnknownSettings, readSettings } from '../../src/config/settings.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
/** `systemd-analyze security`: 0 is fully confined, 10 is not confined. Encoders need namespaces for their sandbox. */
const MAX_EXPOSURE = 3.2;

const folder = mkdtempSync(join(tmpdir(), 'millrace-manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Parsed manifests are compared with expectations, so their fields need no types. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Manifest = any;

const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

function readManifests(name: string): Manifest[] {
  return parseAllDocuments(read(`kubernetes/${name}`)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

/** Reads an environment as the service does. Secrets that files provide are replaced by valid ones. */
function expectSettings(environment: Record<string, string>): void {
  expect(findUnknownSettings({ MILLRACE_DATA_DIR: folder, ...environment })).toEqual([]);
  const secret = join(folder, 'secret');
  const values: Record<string, string> = {
    MILLRACE_DATABASE_URL_FILE: 'postgres://user:password@database/millrace',
    MILLRACE_SECRET_KEY_FILE: Buffer.alloc(32).toString('base64'),
  };
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('MILLRACE_')) continue;
    writeFileSync(secret, values[name] ?? 'a-key-of-many-characters');
    // Compose replaces variables before the service starts.
    const value = name.endsWith('_FILE') ? secret : text.replace(/\$\{[^}]*\}/g, 'name.example');
    expect(() => readSettings({ MILLRACE_DATA_DIR: folder, [name]: value })).not.toThrow();
  }
}

test.each(['compose.yaml', 'compose.cluster.yaml'])('%s has valid settings, and confined containers', (name) => {
  const { services, secrets = {}, volumes, networks } = parse(read(name), { merge: true });
  const ours = Object.values<Manifest>(services).filter(({ image }) => image === 'millrace');
  expect(ours.length).toBeGreaterThan(0);
  for (const service of ours) {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
      volumes: [expect.stringMatching(/^(?:[a-z]+:)?\/data$/)],
    });
    expectSettings(service.environment);
    const paths = Object.entries<string>(service.environment).filter(([key]) => key.endsWith('_FILE'));
    const given = (service.secrets ?? []).map((secret: string) => `/run/secrets/${secret}`);
    expect(new Set(paths.map(([, path]) => path))).toEqual(new Set(given));
  }
  for (const service of Object.values<Manifest>(services)) {
    // Without a version, an installation gets whatever was published last.
    if (service.image !== 'millrace') expect(service.image).toMatch(/^[a-z.]+\.io\/[^:]+:(?!latest$)\S+$/);
    for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
    for (const network of service.networks) expect(Object.keys(networks)).toContain(network);
    const named = (service.volumes ?? []).map((text: string) => text.split(':')[0]);
    const own = named.filter((text: string) => /^[a-z]+$/.test(text));
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(own));
  }
});

test('the stack file has each role, and its script creates each secret with a valid value', () => {
  const { services, secrets } = parse(read('compose.cluster.yaml'), { merge: true });
  for (const role of roles) expect(services[role].command).toEqual(['serve', '--role', role]);
  writeFileSync(join(folder, 'make-secrets.sh'), read('make-secrets.sh'));
  const run = () => execFileSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
  const readAll = () =>
    Object.values<{ file: string }>(secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'));
  run();
  const made = readAll();
  run();
  expect(readAll()).toEqual(made);
  const { api } = services;
  const files = Object.entries<string>(api.environment).filter(([key]) => /^MILLRACE_.*_FILE$/.test(key));
  const given = files.map(([key, path]) => [key, join(folder, secrets[path.replace('/run/secrets/', '')].file)]);
  expect(readSettings({ MILLRACE_DATA_DIR: folder, ...Object.fromEntries(given) })).toMatchObject({
    secretKey: expect.any(Uint8Array),
    databaseUrl: expect.stringMatching(/^postgres:\/\/millrace:[0-9a-f]{64}@postgres:5432\/millrace$/),
  });
});

test('the Kubernetes manifests contain each role, confined, with probes, valid settings and its secrets', () => {
  const { resources, configMapGenerator } = parse(read('kubernetes/kustomization.yaml'));
  const others = /^(?:kustomization|secret\.example|optional)/;
  const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((name) => !others.test(name));
  expect(new Set(resources)).toEqual(new Set(files));
  const all = (resources as string[]).flatMap(readManifests);
  const deployments = all.filter(({ kind }) => kind === 'Deployment');
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(roles.map((role) => `millrace-${role}`));
  for (const { metadata, spec } of deployments) {
    const pod = spec.template.spec;
    // A service named millrace-edge would otherwise set MILLRACE_EDGE_PORT in every pod.
    expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const [container] = pod.containers;
    expect(container).toMatchObject({
      args: ['serve', '--role', metadata.name.replace('millrace-', '')],
      readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    const mounted = container.volumeMounts.map(({ name }: Manifest) => name);
    expect(new Set(mounted)).toEqual(new Set(pod.volumes.map(({ name }: Manifest) => name)));
    expect(findUnknownSettings({ MILLRACE_DATA_DIR: folder, ...namesOf(container.env) })).toEqual([]);
  }
  const literals: string[] = configMapGenerator[0].literals;
  const environment = Object.fromEntries(literals.map((text) => text.split(/=(.*)/s).slice(0, 2)));
  expectSettings(environment);
  const [secret] = readManifests('secret.example.yaml');
  const wanted = Object.entries<string>(environment).filter(([key]) => key.endsWith('_FILE'));
  expect(new Set(wanted.map(([, path]) => path.replace('/run/secrets/millrace/', '')))).toEqual(
    new Set(Object.keys(secret.stringData)),
  );
});

test('the optional manifests refer to an existing deployment, secret and port', () => {
  const [authentication, scaled] = readManifests('optional/keda.yaml');
  const [worker] = readManifests('worker.yaml');
  const [secret] = readManifests('secret.example.yaml');
  expect(scaled.spec.scaleTargetRef.name).toBe(worker.metadata.name);
  for (const { authenticationRef } of scaled.spec.triggers)
    expect(authenticationRef.name).toBe(authentication.metadata.name);
  const [{ name, key }] = authentication.spec.secretTargetRef;
  expect([name, Object.keys(secret.stringData)]).toEqual([secret.metadata.name, expect.arrayContaining([key])]);
  const [monitor] = readManifests('optional/prometheus.yaml');
  const [{ ports }] = worker.spec.template.spec.containers;
  expect(ports.map((port: Manifest) => port.name)).toContain(monitor.spec.podMetricsEndpoints[0].port);
  expect(monitor.spec.selector.matchLabels).toEqual(parse(read('kubernetes/kustomization.yaml')).commonLabels);
});

function namesOf(list: readonly { name: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name }) => [name, '']));
}

test.each(['millrace.service', 'millrace@.service'])('%s is valid and confined', (name) => {
  const unit = join(folder, name.replace('@', '@worker'));
  // Only the installed package has the program.
  writeFileSync(unit, read(`systemd/${name}`).replace('/usr/bin/millrace', '/usr/bin/true'));
  expect(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  const found = execFileSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(found) ?? [];
  expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
});
