import type { PaymentLink } from '@cobro/sdk/admin'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CancelButton } from '../../parts/cancel-button.tsx'
import detail from '../../parts/detail.module.css'
import { EditButton } from '../../parts/edit-button.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { NewLinkButton } from '../links/new-link-button.tsx'

const lengths = { concepto: 250, reference: 64 } as const

/** What may be done with a link: one that has not been paid is changed or cancelled, and each is a model for the next. */
export function LinkActions({ link, scope }: { link: PaymentLink; scope: string }) {
  const texts = useTexts(linksTexts)
  const { me, may } = useMe()
  const { id, merchant_id, status, concepto, reference, metadata } = link
  const isActive = status === 'active'
  return (
    <div className={detail.actions}>
      {isActive && may('updatePaymentLink') && (
        <EditButton
          cached={[scope, 'link']}
          merchantId={merchant_id}
          lengths={lengths}
          labels={{ concepto: texts.concept, reference: texts.reference }}
          required={['concepto']}
          stored={{ concepto, reference }}
          metadata={metadata}
          save={({ concepto: concept, ...changed }, changes) =>
            cobroOf(scope).paymentLinks.update(id, { ...changed, ...changes, ...(concept && { concepto: concept }) })
          }
        />
      )}
      {may('createMerchantPaymentLink') && me?.merchant?.currency === link.currency && (
        <NewLinkButton scope={scope} currency={link.currency} merchantName={me.merchant.name} like={link} />
      )}
      {isActive && may('deletePaymentLink') && (
        <CancelButton
          texts={texts.cancelling}
          merchantId={merchant_id}
          cancel={() => cobroOf(scope).paymentLinks.delete(id)}
          changed={[
            [scope, 'link', id],
            [scope, 'links'],
          ]}
        />
      )}
    </div>
  )
}
