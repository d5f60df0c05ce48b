import { formatAmount } from '@cobro/look/formats'
import { methodOf } from '../state/page-state.ts'
import { CancelButton } from './cancel-dialog.tsx'
import { CardFields } from './card-fields.tsx'
import { EmailField } from './form-field.tsx'
import { Lock, Spinner } from './icons.tsx'
import { MethodChoice } from './method-choice.tsx'
import { NoticeBox } from './notice-box.tsx'
import type { SessionProps } from './page-props.ts'

/** The page shows the number of remaining attempts from this many on. */
const fewAttempts = 3

/** The payment form: card, cash, or a choice of both. */
export function PaymentForm(props: SessionProps) {
  const { state, text, session, actions } = props
  const method = methodOf(state)
  const both = session.payment_method_types.length > 1
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    actions.pay()
  }
  return (
    <>
      <form class="pay-form" noValidate aria-labelledby="title" aria-busy={state.activity !== 'idle'} onSubmit={submit}>
        <h2 id="title" tabIndex={-1}>
          {text.formTitles[both ? 'both' : method]}
        </h2>
        <NoticeBox {...props} />
        {both && <MethodChoice {...props} />}
        {method === 'card' ? <CardFields {...props} /> : <CashFields {...props} />}
        <PayButton {...props} />
        {session.attempts_left <= fewAttempts && state.notice?.kind !== 'declined' && (
          <p class="few-attempts">{text.attemptsLeft(session.attempts_left)}</p>
        )}
      </form>
      <CancelButton {...props} />
      <p class="assurance">
        <Lock />
        <span>{method === 'card' ? text.assurance : text.assuranceCash}</span>
      </p>
    </>
  )
}

function CashFields(props: SessionProps) {
  return (
    <>
      <ol class="steps">
        {props.text.cashSteps.map(step => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <EmailField {...props} />
    </>
  )
}

/** Uses aria-disabled: disabling the button would drop the focus of the payer who pressed it. */
function PayButton({ state, text, locale, session }: SessionProps) {
  const sending = state.activity === 'sending'
  const byCard = methodOf(state) === 'card'
  const amount = formatAmount(session.amount_total, session.currency, locale)
  const [label, busyLabel] = byCard ? [text.pay(amount), text.paying] : [text.getVoucher, text.issuing]
  return (
    <button type="submit" class="pay-button" aria-disabled={state.activity !== 'idle'}>
      {sending ? <Spinner /> : byCard && <Lock />}
      <span>{sending ? busyLabel : label}</span>
    </button>
  )
}
