import { formatMoment } from '@cobro/look/formats'
import type { RedeliverToWebhook, WebhookDelivery } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, Heading } from 'react-aria-components'
import { firstMoment, lastMoment } from '../../address/list-search.ts'
import { changing, cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import buttons from '../../parts/buttons.module.css'
import dialogs from '../../parts/dialog.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Failed } from '../../parts/states.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { shellTexts } from '../../text/shell-texts.ts'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

const dayMs = 86_400_000
const ended = ['exhausted', 'failed', 'cancelled', 'succeeded'] as const

/** Returns the status if it is one of deliveries that have ended: these alone are sent again together. */
export const endedAs = (status: string | undefined) => ended.find(one => one === status)

/**
 * Which deliveries are sent again: those of an endpoint that ended so, between two days or moments of the list if it names them,
 * or else of the last `days`, or all.
 */
interface Resent {
  webhookId: string
  /** The merchant of the endpoint, where it is known. */
  merchantId?: string
  status: WebhookDelivery['status']
  from?: string | undefined
  to?: string | undefined
  days?: number
}

/** Sends all such deliveries once more. Says how many that are first. */
export function ResendAllButton(resent: Resent) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { may } = useMe()
  const status = endedAs(resent.status)
  if (!status || !may('redeliverToWebhook')) return null
  return (
    <DialogButton label={texts.resendAll} tone="plain">
      {close => <ResendAllForm {...resent} status={status} close={close} />}
    </DialogButton>
  )
}

interface ResendAllProps extends Resent {
  status: NonNullable<RedeliverToWebhook['status']>
  close: () => void
}

function ResendAllForm({ webhookId, merchantId, status, from, to, days, close }: ResendAllProps) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { scope, timeZone } = useMe()
  const { locale } = useLocale()
  // The same period for the count and for what is sent, and the same key for every attempt of this dialog.
  const [now] = useState(() => Date.now())
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const first = firstMoment(from, timeZone) ?? (days === undefined ? undefined : new Date(now - days * dayMs))
  const input = {
    status,
    from: (first ?? new Date(0)).toISOString(),
    // Inclusive, as that of the list is.
    to: (lastMoment(to, timeZone) ?? new Date(now - 1)).toISOString(),
  }
  const { webhookEndpoints } = cobroOf(scope)
  const { data, error, refetch } = useQuery({
    queryKey: [scope, 'redeliveries', webhookId, input],
    queryFn: () => webhookEndpoints.redeliver(webhookId, { ...input, dry_run: true }),
    staleTime: 0,
  })
  if (error && !data) return <NotCounted error={error} retry={() => void refetch()} close={close} />
  if (!data) return <Loading rows={2} />
  return (
    <ActionForm
      texts={{
        title: texts.resendAll,
        text: texts.resendText(
          data.matched,
          texts.statuses[status],
          first && formatMoment(input.from, locale, timeZone),
          formatMoment(input.to, locale, timeZone),
        ),
        submit: texts.resendConfirm(data.matched),
        failed: texts.resendFailed,
      }}
      work={async () => {
        await changing(
          ['deliveries', 'delivery'].map(name => [scope, name]),
          () => webhookEndpoints.redeliver(webhookId, input, { idempotencyKey }),
        )
        close()
      }}
      close={close}
      merchantId={merchantId}
      isHarmless
    />
  )
}

interface NotCountedProps {
  error: unknown
  retry: () => void
  close: () => void
}

function NotCounted({ close, ...failed }: NotCountedProps) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { cancel } = useTexts(shellTexts)
  return (
    <>
      <Heading slot="title">{texts.resendAll}</Heading>
      <Failed {...failed} />
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={close}>
          {cancel}
        </Button>
      </div>
    </>
  )
}
