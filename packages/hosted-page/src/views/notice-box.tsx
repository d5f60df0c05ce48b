import type { Notice } from '../state/page-state.ts'
import type { Messages } from '../text/messages-es.ts'
import { Warning } from './icons.tsx'
import type { SessionProps } from './page-props.ts'

/** Shows why the last try failed. Screen readers need the live region to exist before its text. */
export function NoticeBox({ state, text, session }: SessionProps) {
  const { notice } = state
  return (
    <div role="alert">
      {notice && (
        <div class="notice" id="notice" tabIndex={-1} data-notice={notice.kind}>
          <Warning />
          <div>
            <p class="notice-title">{text.notices[notice.kind].title}</p>
            <p>{sentenceOf(notice, text)}</p>
            {notice.kind === 'declined' && <p>{text.attemptsLeft(session.attempts_left)}</p>}
          </div>
        </div>
      )}
    </div>
  )
}

/** Shows a reason that this page does not know as a plain decline. */
function sentenceOf(notice: Notice, text: Messages): string {
  const reason = notice.kind === 'declined' ? notice.reason : undefined
  return reason && Object.hasOwn(text.declines, reason) ? text.declines[reason] : text.notices[notice.kind].text
}
