export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

/** A button that shows one of our own icons. */
export function button(className: string, label: string, icon: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', className);
  made.type = 'button';
  made.innerHTML = icon;
  made.setAttribute('aria-label', label);
  made.addEventListener('click', onClick);
  return made;
}

/** `4:05`, `1:02:03`. */
export function writeTime(sec: number): string {
  const whole = Math.max(0, Math.floor(sec));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, seconds = 0] = parts;
  const tail = String(seconds).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
