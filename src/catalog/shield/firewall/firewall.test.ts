import { beforeAll, describe, expect, test } from 'vitest';
import { readRuleTexts } from '../../../compose/firewall.ts';
import { readWafSettings, type WafSettings } from '../../libraries/library-settings.ts';
import { Firewall } from './firewall.ts';
import { judgeInspection } from './judge-inspection.ts';
import { compileInTurns } from './open-firewall.ts';
import { OWN_RULES } from './own-rules.ts';
import type { InspectedRequest } from './request-fields.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36';

function request(url: string, { agent = BROWSER, method = 'GET', headers = [] as string[] } = {}): InspectedRequest {
  const rawHeaders = ['Host', 'edge.example', 'User-Agent', agent, 'Accept', '*/*', ...headers];
  return { method, url, httpVersion: '1.1', rawHeaders, address: '192.0.2.7' };
}

const waf = (change: Partial<WafSettings> = {}) => ({ ...readWafSettings({ blocks: true }), ...change });

/** Attacks, the rule that decides in the core rule set, and whether our small set has it too. */
const ATTACKS: readonly (readonly [string, string, InspectedRequest, boolean])[] = [
  ['a file of secrets', '930130', request('/.env'), true],
  ['a repository', '930130', request('/.git/config'), true],
  ['traversal', '930100', request('/a?file=../../etc/passwd'), true],
  ['encoded traversal', '930100', request('/%2e%2e%2f%2e%2e%2fetc/passwd'), true],
  ['SQL', '942270', request('/?id=1%20union%20select%20a,b%20from%20users'), true],
  ['SQL that delays the response', '942160', request('/?id=sleep(5)'), true],
  ['a script', '941110', request('/?q=%3Cscript%3Ealert(1)%3C/script%3E'), true],
  ['an event handler', '941160', request('/?q=%3Cimg%20src=x%20onerror=alert(1)%3E'), true],
  ['a command', '932100', request('/?c=;cat%20/etc/passwd'), true],
  ['a look-up of log4j', '932130', request('/?x=%24{jndi:ldap://a.example/b}'), true],
  ['a stream of PHP', '933140', request('/?f=php://input'), true],
  ['a null character', '920270', request('/?x=%00'), true],
  ['a method', '911100', request('/', { method: 'TRACE' }), true],
  ['a backup', '920440', request('/index.bak'), false],
];

describe.each(['the core rule set', 'the built-in rule set'])('%s', (name) => {
  const isCore = name === 'the core rule set';
  let firewall: Firewall;
  beforeAll(async () => {
    firewall = new Firewall(await compileInTurns(isCore ? await readRuleTexts() : OWN_RULES));
  });

  test.each(ATTACKS.filter(([, , , isOwn]) => isCore || isOwn))('refuses %s, naming rule %s', (_, id, attack) => {
    const { blocking } = judgeInspection(firewall, attack, waf());
    const found = [blocking?.rule, ...(blocking?.alsoMatched ?? [])].map((rule) => rule?.id);
    expect(found).toContain(id);
    expect(judgeInspection(firewall, attack, waf({ blocks: false }))).toMatchObject({
      blocking: null,
      logged: [expect.anything()],
    });
  });

  test.each([
    request('/robots.txt'),
    request('/favicon.ico'),
    request('/vz-1/0193f0ca-0000-7000-8000-000000000000/playlist.m3u8?ver=2&app=player-1'),
    request('/vz-1/0193f0ca-0000-7000-8000-000000000000/original', { headers: ['Range', 'bytes=0-1,5-9'] }),
    request('/library/1/videos?search=select+a+film+from+2024&orderBy=date'),
    request(
      '/library/1/videos/0193f0ca-0000-7000-8000-000000000000/play?token=8617f6df2e9b55b65ac7&expires=1700000000',
    ),
    request('/upload', {
      method: 'PATCH',
      headers: ['Content-Type', 'application/offset+octet-stream', 'Content-Length', '9'],
    }),
    request('/', { headers: ['Referer', 'https://owner.example/watch?v=1&list=a', 'Cookie', 'session=a1b2'] }),
  ])('finds nothing in $method $url', (harmless) => {
    expect(judgeInspection(firewall, harmless, waf())).toEqual({ blocking: null, logged: [] });
  });

  test('logs scanners without blocking them, and supports disabled rules, log-only rules and ignored headers', () => {
    const scan = request('/', { agent: 'sqlmap/1.7' });
    expect(judgeInspection(firewall, scan, waf())).toMatchObject({
      blocking: null,
      logged: [{ rule: { id: '913100' } }],
    });
    const attack = request('/.env');
    expect(judgeInspection(firewall, attack, waf({ disabledRules: ['930130'] }))).toEqual({
      blocking: null,
      logged: [],
    });
    expect(judgeInspection(firewall, attack, waf({ loggedRules: ['930130'] }))).toMatchObject({
      blocking: null,
      logged: [{ rule: { id: '930130' } }],
    });
    expect(judgeInspection(firewall, attack, waf({ enabled: false }))).toEqual({ blocking: null, logged: [] });
    const spoilt = request('/', { headers: ['X-Note', 'java.lang.Runtime'] });
    expect(judgeInspection(firewall, spoilt, waf()).blocking?.rule.id).toBe('944100');
    expect(judgeInspection(firewall, spoilt, waf({ ignoredHeaders: ['X-Note'] })).blocking).toBeNull();
  });

  test('the logged part of a match does not contain cookies, keys or tokens', () => {
    const attack = request('/?token=secret1&q=<script>', {
      headers: ['Cookie', 'a=<script>secret2', 'AccessKey', 'java.lang.runtime secret3'],
    });
    expect(JSON.stringify(judgeInspection(firewall, attack, waf()))).not.toMatch(/secret\d/);
  });
});

test('inspects expensive texts cheaply: fields are cut, and patterns never backtrack', async () => {
  const firewall = new Firewall(await compileInTurns(await readRuleTexts()));
  const hostile = ['a;|&$(`<"\'(', 'select if( union on = javascript: <script ', '<', "0x1'", '/*+{[(!'];
  for (const text of hostile) {
    const url = `/?x=${encodeURIComponent(text.repeat(20_000 / text.length))}`;
    const startMs = process.cpuUsage().user / 1000;
    const { logged } = judgeInspection(firewall, request(url), waf({ blocks: false }));
    expect([process.cpuUsage().user / 1000 - startMs < 2_000, logged.length]).toEqual([true, 1]);
  }
});
