import { formatAmount } from '@cobro/look/formats'
import type { TransactionDetails } from '@cobro/sdk/admin'
import { useEffect, useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { isCaptured, isRefundable, refundObstacle } from './payment-rules.ts'

interface RefundProps {
  payment: TransactionDetails
  scope: string
}

/** Refunds a payment in two presses, the second of which names the amount. Says why a captured payment cannot be refunded. */
export function RefundButton({ payment, scope }: RefundProps) {
  const texts = useTexts(paymentTexts)
  if (!isCaptured(payment)) return null
  const obstacle = refundObstacle(payment)
  return (
    <DialogButton
      label={texts.refund}
      tone="plain"
      shortcut="r"
      unavailable={obstacle && texts.refundObstacles[obstacle]}
    >
      {close => <RefundDialog payment={payment} scope={scope} close={close} />}
    </DialogButton>
  )
}

function RefundDialog({ payment, scope, close }: RefundProps & { close: () => void }) {
  const texts = useTexts(paymentTexts)
  const { locale } = useLocale()
  const { id, merchant_id, card, currency, amount_cents } = payment
  const amount = formatAmount(amount_cents, currency, locale)
  // The same for every attempt of this dialog, so that no repetition refunds again.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(async () => {
    // After an error, the payment may also be no longer as it is shown.
    await changing([[scope]], () => cobroOf(scope).transactions.refund(id, { idempotencyKey }))
    close()
  })
  const isKnown = isUnclear && !isRefundable(payment)
  useEffect(() => {
    // What was read since then says on the screen what became of the refund.
    if (isKnown) close()
  }, [isKnown, close])
  if (needsConfirmation) return <ConfirmForm {...{ confirm, error, isRunning, close }} merchantId={merchant_id} />
  return (
    <FormDialog
      texts={{
        title: texts.refundTitle(amount),
        submit: texts.refundConfirm(amount),
        failed: isUnclear ? texts.refundUnclear : texts.refundFailed,
      }}
      tone="danger"
      merchantId={merchant_id}
      error={error}
      isRunning={isRunning}
      submit={run}
      close={close}
    >
      <p>{texts.refundText(card ? texts.toCard(`${card.brand} •••• ${card.last4}`) : texts.toPayer)}</p>
    </FormDialog>
  )
}
