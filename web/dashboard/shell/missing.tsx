import { t } from '../base/language.ts';
import { Empty, Link } from '../parts/parts.tsx';

/** The screen of an unknown URL. */
export function Missing() {
  return (
    <Empty title={t('This page does not exist')}>
      <Link class="button" to={{ name: 'home' }}>
        {t('Open the start page')}
      </Link>
    </Empty>
  );
}
