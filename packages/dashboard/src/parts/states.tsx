import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { session } from '../api/browser-session.tsx'
import { type Problem, problemOf } from '../api/problems.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'
import styles from './states.module.css'

const patienceMs = 150

/** The place of what loads, empty for a moment: a flash would distract more than it says. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const texts = useTexts(shellTexts)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" role="status">
      <span className="visually-hidden">{texts.loading}</span>
      {isLate && Array.from({ length: rows }, (_, row) => <div key={row} className={styles.bone} aria-hidden />)}
    </div>
  )
}

/** What a screen or panel says instead of its content. */
export function Message({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.state}>
      <strong>{title}</strong>
      {children}
    </div>
  )
}

interface FailedProps {
  error: unknown
  retry: () => void
  /** Removes filters, which may be what the API refuses. */
  clear?: (() => void) | undefined
}

/** Says what could not be loaded and why, with the code and the id for support. */
export function Failed({ error, retry, clear }: FailedProps) {
  const texts = useTexts(shellTexts)
  const shared = useTexts(listTexts)
  const problem = problemOf(error)
  if (problem.kind === 'not_found') return <NotFound />
  return (
    <div className={styles.state} role="alert">
      <strong>{messageOf(problem, texts)}</strong>
      {problem.code && (
        <span>
          <code>{problem.code}</code> {problem.kind === 'invalid' && problem.detail}
        </span>
      )}
      {problem.requestId && (
        <span>
          {texts.requestId}: <code>{problem.requestId}</code>
        </span>
      )}
      {problem.kind === 'invalid' && clear ? (
        <Button className={buttons.plain} onPress={clear}>
          {shared.clear}
        </Button>
      ) : (
        problem.kind !== 'forbidden' && (
          <Button className={buttons.plain} onPress={retry}>
            {texts.retry}
          </Button>
        )
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

/** Says above rows that are still shown that they could not be read again. */
export function NotCurrent({ retry }: { retry: () => void }) {
  const texts = useTexts(shellTexts)
  return (
    <p className={styles.stale} role="status">
      {texts.notCurrent}{' '}
      <Button className={buttons.plain} onPress={retry}>
        {texts.retry}
      </Button>
    </p>
  )
}

/** What stands in place of a screen that could not be shown: a file of it is gone, or it has a fault. */
export function Broken({ reset }: { reset: () => void }) {
  const texts = useTexts(shellTexts)
  return (
    <div className={styles.state} role="alert">
      <strong>{texts.failed}</strong>
      <Button className={buttons.plain} onPress={reset}>
        {texts.retry}
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

export function NotFound() {
  const texts = useTexts(shellTexts)
  const { scope = 'all' } = useParams({ strict: false })
  return (
    <Message title={texts.notFound}>
      <span>{texts.notFoundHint}</span>
      <Link to="/$scope/payments" params={{ scope }} search={{}}>
        {texts.toPayments}
      </Link>
    </Message>
  )
}
