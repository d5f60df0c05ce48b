import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { cobroOf, queries } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import { amountOf } from '../../input/amount.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface NewLinkProps {
  scope: string
  currency: string
}

/** Creates a payment link from an amount and a concept, and leads to it. */
export function NewLinkButton(props: NewLinkProps) {
  const texts = useTexts(linksTexts)
  return (
    <DialogButton label={texts.newLink} tone="primary">
      {close => <NewLinkForm {...props} close={close} />}
    </DialogButton>
  )
}

function NewLinkForm({ scope, currency, close }: NewLinkProps & { close: () => void }) {
  const texts = useTexts(linksTexts)
  const navigate = useNavigate()
  const [amount, setAmount] = useState('')
  const [concepto, setConcepto] = useState('')
  // The same for every attempt of this dialog, so that no repetition makes a second link.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { run, error, isRunning, isUnclear } = useConfirmed(async () => {
    const input = { amount: amountOf(amount) ?? '', concepto: concepto.trim() }
    const { id } = await cobroOf(scope).paymentLinks.create(input, { idempotencyKey })
    close()
    await queries.invalidateQueries({ queryKey: [scope, 'links'] })
    await navigate({ to: '/$scope/links/$id', params: { scope, id } })
  })
  return (
    <FormDialog
      texts={{ title: texts.newLink, submit: texts.create, failed: texts.failed }}
      error={error}
      isRunning={isRunning}
      submit={run}
      close={close}
    >
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
        maxLength={255}
        value={concepto}
        onChange={setConcepto}
      />
    </FormDialog>
  )
}
