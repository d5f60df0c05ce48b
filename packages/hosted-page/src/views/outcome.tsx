import { formatAmount } from '@cobro/look/formats'
import { webAddress } from '../api/hosted-address.ts'
import type { Screen } from '../state/page-state.ts'
import { screenWords } from '../state/screen-words.ts'
import { Emblem, type EmblemKind, Spinner } from './icons.tsx'
import type { PageProps } from './page-props.ts'
import { TestBadge } from './test-badge.tsx'

type FinalScreen = Exclude<Screen, 'form' | 'loading' | 'processing' | 'voucher' | 'blocked'>

const emblems: Record<FinalScreen, EmblemKind> = {
  completed: 'done',
  expired: 'late',
  cancelled: 'stopped',
  merchant_disabled: 'missing',
  not_found: 'missing',
  unavailable: 'missing',
}

/** The screen of a payment that has ended or cannot be shown. */
export function Outcome({ screen, ...props }: PageProps & { screen: FinalScreen }) {
  const { state, text, locale, actions } = props
  const { session } = state
  const { title, text: sentence } = screenWords(screen, state, text)
  const back = webAddress(session?.redirect_url)
  return (
    <section class="panel outcome">
      <TestBadge {...props} />
      <Emblem kind={emblems[screen]} />
      <h1 id="title" tabIndex={-1}>
        {title}
      </h1>
      <p>{sentence}</p>
      {session && (
        <dl class="receipt">
          <dt>{session.merchant_name}</dt>
          <dd>{formatAmount(session.amount_total, session.currency, locale)}</dd>
        </dl>
      )}
      {session?.concepto && (
        <p class="receipt-about">
          {session.concepto}
          {session.reference && <small>{text.reference(session.reference)}</small>}
        </p>
      )}
      {session && back && (
        <>
          <a class="plain-button" href={back} rel="noreferrer">
            {text.back(session.merchant_name)}
          </a>
          {state.leaving && (
            <p class="redirecting">
              <Spinner /> {text.redirecting(session.merchant_name)}
            </p>
          )}
        </>
      )}
      {(screen === 'unavailable' || screen === 'merchant_disabled') && (
        <button type="button" class="plain-button" onClick={actions.retry}>
          {text.retry}
        </button>
      )}
    </section>
  )
}
