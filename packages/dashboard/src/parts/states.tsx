import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { session } from '../api/browser-session.ts'
import { type Problem, problemOf } from '../api/problems.ts'
import { pageOwner } from '../api/session.ts'
import { useSession } from '../api/session-context.tsx'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'
import { CopyButton } from './copy-button.tsx'
import { FindForm } from './find-form.tsx'
import { Moment } from './moment.tsx'
import { Repeat, type RepeatProps } from './repeat.tsx'
import styles from './states.module.css'

/** What a screen or panel says instead of its content. */
export function Message({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.state}>
      <strong>{title}</strong>
      {children}
    </div>
  )
}

interface FailedProps extends RepeatProps {
  /** Removes filters, which may be what the API refuses. */
  clear?: (() => void) | undefined
}

/** Problems of which the API says what the user can do. */
const explained: readonly Problem['kind'][] = ['invalid', 'forbidden', 'conflict']

/** Says what could not be loaded and why, with the code and the id for support. */
export function Failed({ clear, ...failed }: FailedProps) {
  const texts = useTexts(shellTexts)
  const shared = useTexts(listTexts)
  const problem = problemOf(failed.error)
  const { kind, code, detail, requestId } = problem
  if (kind === 'not_found') return <NotFound />
  return (
    <div className={styles.state}>
      <div role="alert">
        <strong>{kind === 'limited' ? texts.tooMany : messageOf(problem, texts)}</strong>
        {code && (
          <p>
            <code>{code}</code> {explained.includes(kind) && detail}
          </p>
        )}
      </div>
      {requestId && (
        <span>
          {texts.requestId}: <code>{requestId}</code> <CopyButton text={requestId} />
        </span>
      )}
      {kind === 'invalid' && clear ? (
        <Button className={buttons.plain} onPress={clear}>
          {shared.clear}
        </Button>
      ) : (
        kind !== 'forbidden' && <Repeat {...failed} />
      )}
    </div>
  )
}

/** Returns what a problem means, in words. */
export function messageOf({ kind, retryAfterSeconds = 1 }: Problem, texts: (typeof shellTexts)['es']): string {
  if (kind === 'limited') return texts.limited(retryAfterSeconds)
  const messages = { offline: texts.offline, forbidden: texts.forbidden, unavailable: texts.unavailable }
  return messages[kind as keyof typeof messages] ?? texts.failed
}

/** Says above what was read at a moment that it could not be read again. */
export function NotCurrent({ at, ...failed }: RepeatProps & { at: number }) {
  const texts = useTexts(shellTexts)
  const { timeZone } = useMe()
  return (
    <div className={styles.stale}>
      <span role="status">{texts.notCurrent}</span>
      <span>
        {texts.asOf} <Moment at={at} timeZone={timeZone} />.
      </span>
      <Repeat {...failed} />
    </div>
  )
}

interface BrokenProps {
  reset: () => void
  /** Whether a file of it is gone, because the server has another version. */
  isGone?: boolean
}

/** What stands in place of a screen that could not be loaded or has a fault. Only the user begins the page again. */
export function Broken({ reset, isGone = false }: BrokenProps) {
  const texts = useTexts(shellTexts)
  return (
    <div className={styles.state} role="alert">
      <strong>{isGone ? texts.newVersion : texts.failed}</strong>
      <Button className={buttons.plain} onPress={isGone ? () => location.reload() : reset}>
        {isGone ? texts.reload : texts.retry}
      </Button>
    </div>
  )
}

/** What a user sees at the address of another merchant: nothing of it. */
export function Forbidden({ home }: { home: string }) {
  const texts = useTexts(shellTexts)
  return (
    <Message title={texts.forbidden}>
      <Link to="/$scope/payments" params={{ scope: home }} search={{}}>
        {texts.toPayments}
      </Link>
      <Button className={buttons.plain} onPress={() => void session.logOut()}>
        {texts.logOut}
      </Button>
    </Message>
  )
}

/** What stands at the address of a screen whose operation the user may not call. */
export function NoPermission({ operation }: { operation: string }) {
  const texts = useTexts(shellTexts)
  return (
    <Message title={texts.forbidden}>
      <span>
        {texts.needs} <code>{operation}</code>
      </span>
    </Message>
  )
}

export function NotFound() {
  const texts = useTexts(shellTexts)
  const user = pageOwner(useSession())
  const { scope: named = '' } = useParams({ strict: false })
  const scope = user?.merchant_id ?? (named.startsWith('mrc_') ? named : 'all')
  return (
    <Message title={texts.notFound}>
      <span>{texts.notFoundHint}</span>
      <FindForm scope={scope} />
      <Link to="/$scope/payments" params={{ scope }} search={{}}>
        {texts.toPayments}
      </Link>
    </Message>
  )
}
