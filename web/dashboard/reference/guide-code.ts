/** Values that the guide inserts in its code. `file` is the path of a video on the reader's machine. */
export type GuideValues = { url: string; edgeUrl: string; key: string; libraryId: number; file: string };

/** Languages of the guide's code. */
export const GUIDE_LANGUAGES = ['curl', 'Node', 'Python'] as const;
export type GuideLanguage = (typeof GUIDE_LANGUAGES)[number];

/** Steps of the guide. Together, the steps in one language form a program. */
export type GuideCode = { authenticate: string; create: string; upload: string; play: string };

const WRITERS: Readonly<Record<GuideLanguage, (values: GuideValues) => GuideCode>> = {
  curl: writeShell,
  Node: writeNode,
  Python: writePython,
};

/** Returns the code that authenticates, creates a video, uploads its file, and plays it. */
export function guideCode(language: GuideLanguage, values: GuideValues): GuideCode {
  return WRITERS[language](values);
}

function writeShell({ url, edgeUrl, key, libraryId, file }: GuideValues): GuideCode {
  const video = '"$URL/$VIDEO"';
  return {
    authenticate: `URL=${shell(`${url}/library/${libraryId}/videos`)}
KEY=${shell(key)}

curl -sS --fail-with-body -H "AccessKey: $KEY" "$URL?itemsPerPage=1" &&
  echo`,
    create: `VIDEO=$(curl -sS --fail-with-body -H "AccessKey: $KEY" \\
  -H 'Content-Type: application/json' -d '{"title":"First video"}' "$URL" |
  grep -o '"guid":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
echo "$VIDEO"`,
    upload: `curl -sS --fail-with-body -H "AccessKey: $KEY" -T ${shell(file)} ${video} &&
  echo`,
    play: `until curl -sS -H "AccessKey: $KEY" ${video} |
  grep -Eq '"status":[4568]|"availableResolutions":"[0-9]'; do sleep 1; done
echo ${shell(`${edgeUrl}/embed/${libraryId}/`)}"$VIDEO"`,
  };
}

function writeNode({ url, edgeUrl, key, libraryId, file }: GuideValues): GuideCode {
  return {
    authenticate: `import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const url = ${JSON.stringify(`${url}/library/${libraryId}/videos`)};
const key = ${JSON.stringify(key)};

async function call(method, path, body) {
  const response = await fetch(url + path, { method, body, headers: { AccessKey: key } });
  if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
  return response.json();
}

const { totalItems } = await call('GET', '?itemsPerPage=1');
console.log(totalItems);`,
    create: `const { guid } = await call('POST', '', JSON.stringify({ title: 'First video' }));
console.log(guid);`,
    upload: `await call('PUT', \`/\${guid}\`, await openAsBlob(${JSON.stringify(file)}));`,
    play: `let video = await call('GET', \`/\${guid}\`);
while (![4, 5, 6, 8].includes(video.status) && !video.availableResolutions) {
  await sleep(1000);
  video = await call('GET', \`/\${guid}\`);
}
console.log(${JSON.stringify(`${edgeUrl}/embed/${libraryId}/`)} + guid);`,
  };
}

function writePython({ url, edgeUrl, key, libraryId, file }: GuideValues): GuideCode {
  return {
    authenticate: `import json, time, urllib.request

url = ${JSON.stringify(`${url}/library/${libraryId}/videos`)}
key = ${JSON.stringify(key)}

def call(method, path, body=None):
    headers = {"AccessKey": key, "Content-Type": "application/octet-stream"}
    request = urllib.request.Request(url + path, body, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)

print(call("GET", "?itemsPerPage=1")["totalItems"])`,
    create: `guid = call("POST", "", json.dumps({"title": "First video"}).encode())["guid"]
print(guid)`,
    upload: `with open(${JSON.stringify(file)}, "rb") as file:
    call("PUT", "/" + guid, file)`,
    play: `video = call("GET", "/" + guid)
while video["status"] not in (4, 5, 6, 8) and not video["availableResolutions"]:
    time.sleep(1)
    video = call("GET", "/" + guid)

print(${JSON.stringify(`${edgeUrl}/embed/${libraryId}/`)} + guid)`,
  };
}

function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
