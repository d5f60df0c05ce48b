import { webAddress } from '../api/hosted-address.ts'
import { isSlow } from '../state/page-state.ts'
import { screenWords } from '../state/screen-words.ts'
import { formatTimeLeft } from '../text/formats.ts'
import { Emblem, Spinner } from './icons.tsx'
import type { SessionProps } from './page-props.ts'

/** Replaces the form while a payment is in progress. */
export function Processing({ state, text, session }: SessionProps) {
  const { title, text: sentence } = screenWords('processing', state, text)
  const back = webAddress(session.redirect_url)
  return (
    <section class="pause">
      <Spinner large />
      <h2 id="title" tabIndex={-1}>
        {title}
      </h2>
      <p>{isSlow(state) ? text.slow : sentence}</p>
      {isSlow(state) && back && (
        <a class="quiet-button" href={back} rel="noreferrer">
          {text.back(session.merchant_name)}
        </a>
      )}
    </section>
  )
}

/** Replaces the form after too many declines, until the form reappears by itself. */
export function Blocked({ state, text, session }: SessionProps) {
  const { title, text: sentence } = text.screens.blocked
  return (
    <section class="pause">
      <Emblem kind="late" />
      <h2 id="title" tabIndex={-1}>
        {title}
      </h2>
      <p>{sentence}</p>
      <p class="retry-in">
        {text.tryAgainIn} <span role="timer">{formatTimeLeft((session.retry_at ?? 0) - state.now)}</span>
      </p>
    </section>
  )
}
