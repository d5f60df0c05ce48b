import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { amountOf } from '../../input/amount.ts'
import { copyText } from '../../input/copy-text.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/field.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { LinkPreview } from './link-preview.tsx'

interface NewLinkProps {
  scope: string
  currency: string
  merchantName: string
  /** A link to begin with. */
  like?: { amount_cents: number; concepto: string }
}

/** Creates a payment link from an amount and a concept, copies its address and leads to it. */
export function NewLinkButton(props: NewLinkProps) {
  const texts = useTexts(linksTexts)
  const looks = props.like
    ? { label: texts.duplicate, tone: 'plain' as const }
    : { label: texts.newLink, tone: 'primary' as const }
  return (
    <DialogButton {...looks} isWide name="new link">
      {close => <NewLinkForm {...props} close={close} />}
    </DialogButton>
  )
}

function NewLinkForm({ scope, currency, merchantName, like, close }: NewLinkProps & { close: () => void }) {
  const texts = useTexts(linksTexts)
  const navigate = useNavigate()
  const [amount, setAmount] = useState(like ? (like.amount_cents / 100).toFixed(2) : '')
  const [concepto, setConcepto] = useState(like?.concepto ?? '')
  // The same for every attempt of this dialog, so that no repetition makes a second link.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const create = async () => {
    const input = { amount: amountOf(amount) ?? '', concepto: concepto.trim() }
    const { id, url } = await changing([[scope, 'links']], () =>
      cobroOf(scope).paymentLinks.create(input, { idempotencyKey }),
    )
    const isCopied = await copyText(url)
    close()
    await navigate({ to: '/$scope/links/$id', params: { scope, id }, state: { isCopied } })
  }
  return (
    <ConfirmedForm
      texts={{ title: texts.newLink, submit: texts.create, failed: texts.failed }}
      work={create}
      close={close}
    >
      {isUnclear => (
        <>
          <Field
            label={`${texts.amount} (${currency})`}
            inputMode="decimal"
            placeholder={texts.amountHint}
            isRequired
            isDisabled={isUnclear}
            autoFocus
            validate={value => (amountOf(value) ? null : texts.invalidAmount)}
            value={amount}
            onChange={setAmount}
          />
          <Field
            label={texts.concept}
            isRequired
            isDisabled={isUnclear}
            maxLength={250}
            value={concepto}
            onChange={setConcepto}
          />
          <LinkPreview
            merchantName={merchantName}
            amountCents={Math.round(100 * Number(amountOf(amount) ?? 0))}
            currency={currency}
            concepto={concepto}
          />
        </>
      )}
    </ConfirmedForm>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the address of a new link is in the clipboard. */
    isCopied?: boolean
  }
}
