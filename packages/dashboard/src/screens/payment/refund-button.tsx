import { formatAmount } from '@cobro/look/formats'
import type { TransactionDetails } from '@cobro/sdk/admin'
import { useState } from 'react'
import { Button, Heading } from 'react-aria-components'
import { cobroOf, queries } from '../../api/cobro.ts'
import { problemOf } from '../../api/problems.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import { ActingFor } from '../../parts/acting-for.tsx'
import buttons from '../../parts/buttons.module.css'
import { ConfirmForm } from '../../parts/confirm-form.tsx'
import dialogs from '../../parts/dialog.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { shellTexts } from '../../text/shell-texts.ts'
import { isCaptured, refundObstacle } from './payment-rules.ts'

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
  const shell = useTexts(shellTexts)
  const { locale } = useLocale()
  const { id, card, currency, amount_cents } = payment
  const amount = formatAmount(amount_cents, currency, locale)
  // The same for every attempt of this dialog, so that no repetition refunds again.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const { run, confirm, needsConfirmation, error, isRunning } = useConfirmed(async () => {
    await cobroOf(scope).transactions.refund(id, { idempotencyKey })
    close()
    void queries.invalidateQueries({ queryKey: [scope] })
  })
  if (needsConfirmation) return <ConfirmForm confirm={confirm} error={error} close={close} />
  return (
    <>
      <Heading slot="title">{texts.refundTitle(amount)}</Heading>
      <ActingFor merchantId={payment.merchant_id} />
      <p>{texts.refundText(card ? texts.toCard(`${card.brand} •••• ${card.last4}`) : texts.toPayer)}</p>
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          {texts.refundFailed} <code>{problemOf(error).code}</code>
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={close}>
          {shell.cancel}
        </Button>
        <Button className={buttons.danger} isDisabled={isRunning} onPress={() => void run()}>
          {texts.refundConfirm(amount)}
        </Button>
      </div>
    </>
  )
}
