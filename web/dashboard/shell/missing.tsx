import { t } from '../base/language.ts';
import { Link } from '../parts/parts.tsx';

/** The screen of an unknown URL. */
export function Missing() {
  return (
    <div class="empty">
      <h1>{t('This page does not exist')}</h1>
      <Link class="button" to={{ name: 'home' }}>
        {t('Open the start page')}
      </Link>
    </div>
  );
}
