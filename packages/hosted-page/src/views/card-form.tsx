import { brandName, brandOf, cvcLength } from '../cards/card-brands.ts'
import { digitsOf, typeCvc, typeExpiry, typeNumber } from '../cards/card-input.ts'
import { formatAmount } from '../text/formats.ts'
import { BrandMark } from './brand-mark.tsx'
import { CancelDialog, openCancelDialog } from './cancel-dialog.tsx'
import { FormField } from './form-field.tsx'
import { Lock, Spinner } from './icons.tsx'
import { NoticeBox } from './notice-box.tsx'
import type { SessionProps } from './page-props.ts'

/** The form for a card. Its inputs bear no name: even a browser that submitted it by itself could not send the card. */
export function CardForm(props: SessionProps) {
  const { state, text, session, actions } = props
  const busy = state.activity !== 'idle'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    actions.pay()
  }
  if (!session.payment_method_types.includes('card')) return <p>{text.noMethod}</p>
  return (
    <>
      <form class="card-form" noValidate aria-labelledby="form-title" aria-busy={busy} onSubmit={submit}>
        <h2 id="form-title">{text.formTitle}</h2>
        <NoticeBox {...props} />
        <CardFieldset {...props} />
        <PayButton {...props} />
      </form>
      {session.kind === 'session' && (
        <button type="button" class="quiet-button" aria-disabled={busy} onClick={() => busy || openCancelDialog()}>
          {text.cancel}
        </button>
      )}
      <p class="assurance">
        <Lock />
        <span>{text.assurance}</span>
      </p>
      <CancelDialog {...props} />
    </>
  )
}

function CardFieldset(props: SessionProps) {
  const { state, text } = props
  const digits = digitsOf(state.fields.number)
  const brand = brandOf(digits)
  const numeric = { inputMode: 'numeric', spellcheck: false } as const
  return (
    <>
      <FormField
        {...props}
        {...numeric}
        name="number"
        autocomplete="cc-number"
        placeholder="1234 1234 1234 1234"
        shape={typeNumber}
        hint={brand && brandName(brand)}
        hintHidden
        mark={<BrandMark brand={brand} />}
      />
      <div class="field-pair">
        <FormField
          {...props}
          {...numeric}
          name="expiry"
          autocomplete="cc-exp"
          placeholder={text.expiryPlaceholder}
          shape={typeExpiry}
        />
        <FormField
          {...props}
          {...numeric}
          name="cvc"
          autocomplete="cc-csc"
          shape={typeCvc}
          hint={cvcLength(digits) === 4 ? text.cvcHintFour : text.cvcHint}
        />
      </div>
      <FormField {...props} name="holder" autocomplete="cc-name" autocapitalize="words" spellcheck={false} />
      <FormField {...props} name="email" autocomplete="email" inputMode="email" optional />
    </>
  )
}

/** It is locked with aria-disabled, since a disabled button would drop the focus of whoever has just pressed it. */
function PayButton({ state, text, locale, session }: SessionProps) {
  const sending = state.activity === 'sending'
  return (
    <button type="submit" class="pay-button" aria-disabled={state.activity !== 'idle'}>
      {sending ? <Spinner /> : <Lock />}
      <span>{sending ? text.paying : text.pay(formatAmount(session.amount_total, session.currency, locale))}</span>
    </button>
  )
}
