// Checks rendered Kubernetes manifests with the schemas of Kubernetes. Usage: check-manifests.js FILE MODELS_FOLDER.
// Plain JavaScript, because the schemas are installed outside the project, by scripts/test-image.sh.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';

const [file = '', folder = ''] = process.argv.slice(2);
/** Package with the schemas of an API group. */
const PACKAGES = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS());
if (manifests.length < 10) throw new Error(`Expected at least 10 manifests in ${file}, got ${manifests.length}.`);
for (const manifest of manifests) {
  const { apiVersion, kind, metadata } = manifest;
  const name =
    Object.entries(PACKAGES).find(([group]) => apiVersion.startsWith(`${group}/`))?.[1] ?? 'kubernetes-models';
  const path = join(folder, 'node_modules', name, apiVersion, `${kind}.js`);
  const { [kind]: Model } = await import(pathToFileURL(path).href);
  try {
    new Model(manifest).validate();
  } catch (cause) {
    throw new Error(`Expected a valid ${kind}, got a fault in ${metadata.name}: ${Object(cause).message}`, { cause });
  }
}
process.stdout.write(`${manifests.length} manifests are valid\n`);
