import { escapeHtml } from '../../lib/escape-html.ts';

/** A description as HTML, and as text without marks for previews on other sites. */
export type Description = { html: string; text: string };

/**
 * Links, bold, italic and code within a line. Each part has a maximum length, so that the time is linear whatever a
 * description contains. The parser of the dashboard needs seconds for some texts of 5,000 characters.
 */
const INLINE = new RegExp(
  [
    /\[([^[\]\n]{1,200})\]\(((?:https?:\/\/|mailto:)[^\s()<>"]{1,500})\)/,
    /\*\*([^*\n]{1,300})\*\*/,
    /\*([^*\n]{1,300})\*/,
    /`([^`\n]{1,300})`/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
const ITEM = /^ {0,3}(?:([-*+])|\d{1,9}[.)]) +(.*)$/;
const HEADING = /^#{1,6} +(.*)$/;

type Block = { kind: 'ul' | 'ol' | 'p' | 'heading'; lines: string[] };

/**
 * Renders the Markdown of descriptions: paragraphs, headings, lists, bold, italic, code and links. Everything else,
 * such as HTML and images, is shown as it was written.
 */
export function renderMarkdown(markdown: string): Description {
  const blocks = readBlocks(markdown.split(/\r?\n/));
  return {
    html: blocks.map(blockHtml).join(''),
    text: blocks
      .flatMap(({ lines }) => lines.map(plainText))
      .join(' ')
      .trim(),
  };
}

function readBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let isNew = true;
  for (const line of lines) {
    if (line.trim() === '') {
      isNew = true;
      continue;
    }
    const { kind, text } = readLine(line);
    const last = blocks.at(-1);
    if (last !== undefined && last.kind === kind && kind !== 'heading' && !(isNew && kind === 'p'))
      last.lines.push(text);
    else blocks.push({ kind, lines: [text] });
    isNew = false;
  }
  return blocks;
}

function readLine(line: string): { kind: Block['kind']; text: string } {
  const item = ITEM.exec(line);
  if (item !== null) return { kind: item[1] === undefined ? 'ol' : 'ul', text: item[2] ?? '' };
  const heading = HEADING.exec(line);
  return heading === null ? { kind: 'p', text: line } : { kind: 'heading', text: heading[1] ?? '' };
}

function blockHtml({ kind, lines }: Block): string {
  const rows = lines.map(lineHtml);
  if (kind === 'p') return `<p dir="auto">${rows.join('<br>')}</p>`;
  // The page has its own headings.
  if (kind === 'heading') return `<p dir="auto"><strong>${rows.join('')}</strong></p>`;
  return `<${kind}>${rows.map((row) => `<li dir="auto">${row}</li>`).join('')}</${kind}>`;
}

function lineHtml(line: string): string {
  let html = '';
  let from = 0;
  for (const found of line.matchAll(INLINE)) {
    const [whole, label, address, bold, italic, code] = found;
    html += escapeHtml(line.slice(from, found.index));
    if (label !== undefined) html += linkHtml(label, address ?? '');
    else if (bold !== undefined) html += `<strong>${escapeHtml(bold)}</strong>`;
    else if (italic !== undefined) html += `<em>${escapeHtml(italic)}</em>`;
    else html += `<code>${escapeHtml(code ?? '')}</code>`;
    from = found.index + whole.length;
  }
  return html + escapeHtml(line.slice(from));
}

function linkHtml(label: string, address: string): string {
  return `<a href="${escapeHtml(address)}" target="_blank" rel="noreferrer nofollow">${escapeHtml(label)}</a>`;
}

function plainText(line: string): string {
  return line.replaceAll(INLINE, (whole, ...parts: unknown[]) => {
    const [label, , bold, italic, code] = parts;
    return String(label ?? bold ?? italic ?? code ?? whole);
  });
}
