import type { RuleTexts } from './rule-set.ts';

/**
 * A small rule set for installations without the OWASP core rule set: the most common attacks on any web server, with
 * the ids of the core rule set, so that logs and exceptions stay the same.
 */
export const OWN_RULES: RuleTexts = {
  files: [
    rules('REQUEST-911-METHOD-ENFORCEMENT', [
      rule('911100', 'REQUEST_METHOD', '!@within %{tx.allowed_methods}', 'Method is not allowed by policy'),
    ]),
    rules('REQUEST-913-SCANNER-DETECTION', [
      rule('913100', 'REQUEST_HEADERS:User-Agent', '@pmFromFile scanners', 'User agent of a security scanner'),
    ]),
    rules('REQUEST-920-PROTOCOL-ENFORCEMENT', [
      rule(
        '920270',
        'REQUEST_URI|ARGS|ARGS_NAMES',
        '@validateByteRange 1-255',
        'Null character in a request',
        'urlDecodeUni',
      ),
    ]),
    rules('REQUEST-930-APPLICATION-ATTACK-LFI', [
      rule(
        '930100',
        'REQUEST_URI_RAW|ARGS',
        '@rx (?i)(?:%(?:25)?2e|%c0%ae|\\.){2}(?:%(?:25)?(?:2f|5c)|%c0%af|[/\\\\])',
        'Path traversal, encoded',
      ),
      rule(
        '930110',
        'REQUEST_URI|ARGS',
        '@rx (?:^|[\\\\/])\\.\\.(?:[\\\\/]|$)',
        'Path traversal',
        'urlDecodeUni,t:removeNulls',
      ),
      rule(
        '930120',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@pmFromFile system-files',
        'Access to a system file',
        'urlDecodeUni,t:normalizePathWin,t:lowercase',
      ),
      rule(
        '930130',
        'REQUEST_FILENAME',
        '@pmFromFile restricted-files',
        'Access to a restricted file',
        'urlDecodeUni,t:normalizePathWin,t:lowercase',
      ),
    ]),
    rules('REQUEST-932-APPLICATION-ATTACK-RCE', [
      rule(
        '932100',
        'ARGS|REQUEST_COOKIES',
        '@rx (?:[;|&`\\n]|\\$\\()\\s*(?:cat|curl|wget|bash|sh|nc|id|uname|whoami|ping|python3?|perl|chmod)\\b',
        'Unix command injection',
      ),
      rule(
        '932130',
        'ARGS|REQUEST_COOKIES|REQUEST_HEADERS:User-Agent|REQUEST_HEADERS:Referer',
        '@rx \\$\\{[^}]*[:(]|\\$\\([^)]*\\)|[<>]\\([^)]*\\)',
        'Shell or lookup expression',
        'urlDecodeUni,t:cmdLine',
      ),
    ]),
    rules('REQUEST-933-APPLICATION-ATTACK-PHP', [
      rule(
        '933140',
        'ARGS|REQUEST_COOKIES',
        '@rx (?i)php://(?:input|output|filter|stdin|memory|temp|fd)',
        'PHP stream',
      ),
    ]),
    rules('REQUEST-941-APPLICATION-ATTACK-XSS', [
      rule(
        '941110',
        'ARGS|ARGS_NAMES|REQUEST_FILENAME|REQUEST_COOKIES',
        '@rx (?i)<script[^>]*>',
        'Script tag',
        'urlDecodeUni,t:htmlEntityDecode,t:jsDecode',
      ),
      rule(
        '941160',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@rx (?i)<\\w[^>]*\\son[a-z]{3,20}\\s*=',
        'Event handler in a tag',
        'urlDecodeUni,t:htmlEntityDecode',
      ),
      rule(
        '941170',
        'ARGS|ARGS_NAMES',
        '@rx (?i)(?:^|\\W)javascript:\\s*\\S',
        'Script in a URL',
        'urlDecodeUni,t:htmlEntityDecode,t:removeNulls',
      ),
    ]),
    rules('REQUEST-942-APPLICATION-ATTACK-SQLI', [
      rule(
        '942160',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@rx (?i)\\b(?:sleep|pg_sleep|benchmark)\\s*\\([^)]*\\d',
        'SQL that delays the response',
        'urlDecodeUni',
      ),
      rule(
        '942190',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@rx (?i)[\'"]\\s*(?:or|and)\\s+[\'"\\d].*=',
        'SQL condition that is always true',
        'urlDecodeUni',
      ),
      rule(
        '942270',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@rx (?i)\\bunion\\b[\\s/*(]+(?:all\\s+)?select\\b',
        'SQL union',
        'urlDecodeUni',
      ),
      rule(
        '942350',
        'ARGS|ARGS_NAMES|REQUEST_COOKIES',
        '@rx (?i);\\s*(?:drop|alter|truncate|insert|delete|update)\\s+\\w',
        'Stacked SQL',
        'urlDecodeUni',
      ),
    ]),
    rules('REQUEST-944-APPLICATION-ATTACK-JAVA', [
      rule(
        '944100',
        'ARGS|REQUEST_HEADERS|REQUEST_COOKIES',
        '@rx java\\.lang\\.(?:runtime|processbuilder)',
        'Java class that runs commands',
        'lowercase',
      ),
    ]),
  ],
  phrases: new Map([
    [
      'scanners',
      [
        'sqlmap',
        'nikto',
        'nmap',
        'masscan',
        'acunetix',
        'nessus',
        'openvas',
        'dirbuster',
        'gobuster',
        'wpscan',
        'nuclei',
        'zgrab',
        'w3af',
        'arachni',
      ],
    ],
    [
      'system-files',
      ['etc/passwd', 'etc/shadow', 'etc/group', 'etc/hosts', 'proc/self/', 'boot.ini', 'win.ini', 'windows/system32'],
    ],
    [
      'restricted-files',
      [
        '/.env',
        '/.git/',
        '/.svn/',
        '/.hg/',
        '/.ssh/',
        '/.aws/',
        '/.htaccess',
        '/.htpasswd',
        '/.bash_history',
        '/.npmrc',
        '/.ds_store',
        '/wp-config.',
        '/id_rsa',
        '/web.config',
      ],
    ],
  ]),
};

function rules(name: string, lines: readonly string[]): { name: string; text: string } {
  return { name: `${name}.conf`, text: lines.join('\n') };
}

/** Builds a rule that reaches the threshold on its own. */
function rule(id: string, variables: string, test: string, message: string, change = 'none'): string {
  const escaped = test.replaceAll('"', '\\"');
  return (
    `SecRule ${variables} "${escaped}" ` +
    `"id:${id},phase:2,block,t:${change},msg:'${message}',severity:'CRITICAL',setvar:'tx.anomaly_score_pl1=+5'"`
  );
}
