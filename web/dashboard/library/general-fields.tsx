import { t } from '../base/language.ts';
import { Panel, TextField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

export function GeneralFields({ library, change }: FieldsProps) {
  return (
    <Panel title={t('Library')}>
      <TextField label={t('Name')} value={library.Name ?? ''} onChange={(text) => change('Name', text)} />
    </Panel>
  );
}
