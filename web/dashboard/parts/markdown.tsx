import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';

/** URLs that a link may have. Others, such as javascript:, are shown as text. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)/i;

/**
 * Renders a subset of Markdown: paragraphs, headings, lists, quotes, code, emphasis and links. HTML and images are
 * shown as their text, and nothing is inserted as HTML.
 */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{renderAll(Lexer.lex(text, { gfm: true, breaks: true }))}</div>;
}

function renderAll(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map(render);
}

function render(token: Token): ComponentChildren {
  switch (token.type) {
    case 'paragraph':
      return <p dir="auto">{renderAll(token.tokens)}</p>;
    case 'heading':
      // Renders headings at a lower level than those of the page.
      return (
        <p dir="auto">
          <strong>{renderAll(token.tokens)}</strong>
        </p>
      );
    case 'list':
      return renderList(token as Tokens.List);
    case 'blockquote':
      return <blockquote>{renderAll(token.tokens)}</blockquote>;
    case 'code':
      return <pre>{String(token.text)}</pre>;
    case 'hr':
      return <hr />;
    case 'space':
      return null;
    default:
      return renderInline(token);
  }
}

function renderList({ ordered, items }: Tokens.List): ComponentChildren {
  const rows = items.map((item, index) => (
    // Items have no id, so their index identifies them.
    <li key={index} dir="auto">
      {renderAll(item.tokens)}
    </li>
  ));
  return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>;
}

function renderInline(token: Token): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{renderAll(token.tokens)}</strong>;
    case 'em':
      return <em>{renderAll(token.tokens)}</em>;
    case 'del':
      return <s>{renderAll(token.tokens)}</s>;
    case 'codespan':
      return <code>{String(token.text)}</code>;
    case 'br':
      return <br />;
    case 'escape':
      return String(token.text);
    case 'link':
      return SAFE_ADDRESS.test(String(token.href)) ? (
        <a href={String(token.href)} target="_blank" rel="noreferrer nofollow">
          {renderAll(token.tokens)}
        </a>
      ) : (
        token.raw
      );
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? renderAll(token.tokens) : String(token.text);
    default:
      // Images, tables, HTML and references are shown as they were written.
      return token.raw;
  }
}
