import { t } from '../base/language.ts';
import { Link } from './parts.tsx';

/** The screen of a URL that the role of this session may not open, such as a link from an administrator. */
export function NoPermission() {
  return (
    <div class="empty">
      <h1>{t('Your role cannot open this page')}</h1>
      <p>{t('An administrator can change your role under People.')}</p>
      <Link class="button" to={{ name: 'home' }}>
        {t('Open the start page')}
      </Link>
    </div>
  );
}
