import { escapeHtml } from './escape-html.ts';

/**
 * A paragraph of an e-mail. `link` replaces the first occurrence of its text. `code` is shown large, to be copied, and
 * `small` is a remark at the end.
 */
export type MailPart = { kind: 'text' | 'code' | 'small'; text: string; link?: { text: string; url: string } | null };

type MailPage = { language: string; isRtl: boolean; title: string; parts: readonly MailPart[] };

/** Styles of the parts. Many mail programs ignore style sheets, so each element has its own. */
const STYLES: Readonly<Record<MailPart['kind'], string>> = {
  text: 'margin:0 0 14px;font-size:16px;line-height:1.5;color:#14201d',
  code: 'margin:0 0 18px;font-size:32px;line-height:1.3;font-weight:700;letter-spacing:4px;color:#14201d',
  small: 'margin:22px 0 0;padding-top:16px;border-top:1px solid #dfe5e2;font-size:13px;line-height:1.5;color:#5b6965',
};

/** Mail programs that read style sheets show the dark version if their user prefers it. */
const DARK = `@media (prefers-color-scheme:dark){
body,.back{background:#101413!important}
.card{background:#181d1c!important;border-color:#2b3432!important}
.title,.text,.code{color:#e8eeec!important}
.small{color:#9aa8a4!important;border-color:#2b3432!important}
a{color:#3ecfb4!important}
}`;

/** Writes the HTML part of an e-mail. It loads nothing, and its width adapts to the window up to 600 px. */
export function writeMailPage({ language, isRtl, title, parts }: MailPage): string {
  const dir = isRtl ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}
${DARK}</style>
</head>
<body style="margin:0;padding:0;background:#f6f7f5">
<table role="presentation" class="back" width="100%" cellpadding="0" cellspacing="0" border="0" dir="${dir}"
 style="background:#f6f7f5"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:600px;background:#ffffff;border:1px solid #dfe5e2;border-radius:12px">
<tr><td style="padding:28px 28px 24px;text-align:start;word-break:break-word;\
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif">
<h1 class="title" style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#14201d">${escapeHtml(title)}</h1>
${parts.map(writePart).join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function writePart({ kind, text, link = null }: MailPart): string {
  const [before, ...after] = link === null ? [text] : text.split(link.text);
  const linked =
    link === null || after.length === 0
      ? ''
      : // A title in another script keeps its own direction.
        `<a href="${escapeHtml(link.url)}" style="color:#086a5b"><bdi>${escapeHtml(link.text)}</bdi></a>`;
  const rest = linked === '' ? '' : escapeHtml(after.join(link?.text ?? ''));
  return `<p class="${kind}" style="${STYLES[kind]}">${escapeHtml(before ?? '')}${linked}${rest}</p>`;
}
