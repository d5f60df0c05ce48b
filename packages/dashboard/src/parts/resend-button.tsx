import type { WebhookDelivery } from '@cobro/sdk/admin'
import { Button } from 'react-aria-components'
import { changing, cobroOf } from '../api/cobro.ts'
import { useConfirmed } from '../api/use-confirmed.ts'
import { renewLifecycle } from '../api/use-lifecycle.ts'
import { useTexts } from '../text/locale.tsx'
import { webhooksTexts } from '../text/webhooks-texts.ts'
import buttons from './buttons.module.css'
import { ProblemText } from './problem-text.tsx'

interface ResendProps {
  delivery: WebhookDelivery
  scope: string
}

/** Sends a delivery that has ended once more. */
export function ResendButton({ delivery: { id, status }, scope }: ResendProps) {
  const texts = useTexts(webhooksTexts)
  const { run, error } = useConfirmed(async () => {
    const changed = [
      [scope, 'delivery', id],
      [scope, 'deliveries'],
    ]
    await changing(changed, () => cobroOf(scope).webhookDeliveries.redeliver(id))
    void renewLifecycle(scope)
  })
  if (status === 'pending' || status === 'delivering') return null
  return (
    <>
      <Button className={buttons.plain} onPress={() => void run()}>
        {texts.deliveries.resend}
      </Button>
      {error !== undefined && (
        <span role="alert">
          <ProblemText failed={texts.failed} error={error} />
        </span>
      )}
    </>
  )
}
