import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileInTurns, type FirewallSource, openFirewall } from '../catalog/shield/firewall/open-firewall.ts';
import { OWN_RULES } from '../catalog/shield/firewall/own-rules.ts';
import type { RuleTexts } from '../catalog/shield/firewall/rule-set.ts';
import { hasCode } from '../lib/has-code.ts';
import { logEvent } from '../lib/log/log-event.ts';

/** Folder of the OWASP core rule set in Debian's package modsecurity-crs. */
const CORE_RULE_SET = '/usr/share/modsecurity-crs/rules';
/**
 * Files of the rule set about the head of a request. Excludes those for single applications, for multipart bodies, and
 * for its own scoring.
 */
const RULE_FILES = /^REQUEST-9(01|11|13|20|21|3\d|4[1-4])-.*\.conf$/;

/** Returns the firewall of a role, compiled when it is first needed. */
export function openRoleFirewall(): FirewallSource {
  return openFirewall(readRuleTexts, (err) => logEvent('firewall.unreadable', { err }));
}

/** Reads the core rule set if it is installed, else our own small rule set. */
export async function readRuleTexts(): Promise<RuleTexts> {
  const names = await readNames(CORE_RULE_SET);
  const rules = names.filter((name) => RULE_FILES.test(name)).toSorted((one, other) => (one < other ? -1 : 1));
  if (rules.length === 0) return OWN_RULES;
  // Rules and phrases are compared byte by byte.
  const read = (name: string) => readFile(join(CORE_RULE_SET, name), 'latin1');
  const files = await Promise.all(rules.map(async (name) => ({ name, text: await read(name) })));
  const lists = names.filter((name) => name.endsWith('.data'));
  const phrases = await Promise.all(lists.map(async (name) => [name, readPhrases(await read(name))] as const));
  return { files, phrases: new Map(phrases) };
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function readPhrases(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the number of compiled rules and the omitted rules. */
export async function describeFirewall(): Promise<{ rules: number; missing: readonly string[]; isOwn: boolean }> {
  const texts = await readRuleTexts();
  const { rules, missing } = await compileInTurns(texts);
  return { rules: rules.length, missing, isOwn: texts === OWN_RULES };
}
