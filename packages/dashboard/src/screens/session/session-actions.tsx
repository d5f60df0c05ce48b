import type { CheckoutSession } from '@cobro/sdk/admin'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CancelButton } from '../../parts/cancel-button.tsx'
import detail from '../../parts/detail.module.css'
import { EditButton } from '../../parts/edit-button.tsx'
import { useTexts } from '../../text/locale.tsx'
import { sessionsTexts } from '../../text/sessions-texts.ts'

const lengths = { external_id: 100, first_name: 100, last_name: 100, email: 254 } as const

/** What may still be done with a session that has not been paid. */
export function SessionActions({ session, scope }: { session: CheckoutSession; scope: string }) {
  const texts = useTexts(sessionsTexts)
  const { may } = useMe()
  const { id, merchant_id, status, customer, external_id, metadata } = session
  if (status !== 'pending') return null
  const { sessions } = cobroOf(scope).checkout
  return (
    <div className={detail.actions}>
      {may('updateCheckoutSession') && (
        <EditButton
          cached={[scope, 'session']}
          merchantId={merchant_id}
          lengths={lengths}
          labels={texts.names}
          stored={{ external_id, ...customer }}
          metadata={metadata}
          save={({ external_id: order, ...changed }, changes) =>
            sessions.update(id, {
              ...changes,
              ...(order !== undefined && { external_id: order }),
              // The customer is replaced as a whole.
              ...(Object.keys(changed).length > 0 && { customer: { ...customer, ...changed } }),
            })
          }
        />
      )}
      {may('deleteCheckoutSession') && (
        <CancelButton
          texts={texts.cancelling}
          merchantId={merchant_id}
          cancel={() => sessions.delete(id)}
          changed={[
            [scope, 'session', id],
            [scope, 'sessions'],
          ]}
        />
      )}
    </div>
  )
}
