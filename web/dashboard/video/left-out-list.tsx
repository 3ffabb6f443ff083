import { said } from '../base/language.ts';
import { Notice } from '../parts/parts.tsx';
import { leftOut } from './left-out.ts';

type Props = { video: Parameters<typeof leftOut>[0]; kind: Parameters<typeof leftOut>[1] };

/** Explains which tracks of the file viewers cannot get, and how to add them. */
export function LeftOutList({ video, kind }: Props) {
  return (
    <>
      {leftOut(video, kind).map((message) => (
        <Notice key={message} kind="warn">
          {said(message)}
        </Notice>
      ))}
    </>
  );
}
