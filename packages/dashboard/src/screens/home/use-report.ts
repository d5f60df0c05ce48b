import type { CheckoutReport, DeclineReport, PaymentReport, WebhookReport } from '@cobro/sdk/admin'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { daysOf, type PeriodName, type ReportDays } from './home-period.ts'

/** How often home is read again while it is looked at. */
export const refreshEveryMs = 30_000

interface Reports {
  payments: PaymentReport
  declines: DeclineReport
  checkout: CheckoutReport
  webhooks: WebhookReport
}

const operations = {
  payments: 'getPaymentReport',
  declines: 'getDeclineReport',
  checkout: 'getCheckoutReport',
  webhooks: 'getWebhookReport',
} as const

/**
 * Reads a report for a period in the merchant's time zone and currency, again and again while it is looked at, if the user may.
 * `own` are its parameters besides those.
 */
export function useReport<Name extends keyof Reports>(
  name: Name,
  period: PeriodName,
  own: object = {},
): UseQueryResult<Reports[Name]> {
  const { scope, me, may, timeZone } = useMe()
  const days = daysOf(period, timeZone, new Date())
  const params = { ...paramsOf(name, days, me?.merchant?.currency ?? me?.currencies[0]), ...own }
  return useQuery({
    queryKey: [scope, 'report', name, params],
    queryFn: async ({ signal }): Promise<Reports[Name]> => {
      const { reports }: { reports: ReadersByName } = cobroOf(scope)
      return reports[name](params, { signal })
    },
    enabled: may(operations[name]),
    refetchInterval: refreshEveryMs,
    // Never the sums of another merchant.
    placeholderData: (report, before) => (before?.queryKey[0] === scope ? report : undefined),
  })
}

type ReadersByName = {
  [Name in keyof Reports]: (params: object, options: { signal: AbortSignal }) => PromiseLike<Reports[Name]>
}

function paramsOf(name: keyof Reports, { interval, ...days }: ReportDays, currency: string | undefined): object {
  const ofPayments = name === 'payments' || name === 'declines'
  return { ...days, ...(name !== 'declines' && { interval }), ...(ofPayments && currency && { currency }) }
}
