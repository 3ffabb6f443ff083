import { PressButton } from '../bar/press-button.ts';
import { make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { TranscriptPanel, TranscriptParts } from './panel.ts';

class TranscriptButton extends PressButton {}

customElements.define('bunny-transcript-button', TranscriptButton);

/**
 * Mounts the button that opens the transcript. The transcript module is fetched on demand. The button is visible while
 * the video has captions.
 */
export function mountTranscriptButton(parts: Omit<TranscriptParts, 'button'>): void {
  const { frame, session, say } = parts;
  const row = frame.querySelector('.row');
  const captions = row?.querySelector('media-captions-button');
  // Libraries without the captions button have no transcript.
  if (row == null || captions == null) return;
  const button = new TranscriptButton();
  button.append(icon('transcript'), make('span', { slot: 'tooltip-content' }, say('transcript')));
  button.setAttribute('aria-label', say('transcript'));
  captions.after(button);
  let panel: Promise<TranscriptPanel> | null = null;
  button.addEventListener('press', async () => {
    panel ??= openPanel({ ...parts, button });
    const opened = await panel;
    if (opened.isOpen) opened.close();
    else opened.open();
  });
  const draw = () => {
    button.hidden = session.state.details.captions.length === 0;
  };
  session.addEventListener('view', draw);
  draw();
}

async function openPanel(parts: TranscriptParts): Promise<TranscriptPanel> {
  const { TranscriptPanel: Panel } = await import('./panel.ts');
  return new Panel(parts);
}
