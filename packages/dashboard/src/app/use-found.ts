import { formatAmount } from '@cobro/look/formats'
import type { CheckoutSession, PaymentLink, Transaction } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { paymentQueriesOf } from '../address/payment-query.ts'
import type { Search } from '../address/search.ts'
import { cobroOf } from '../api/cobro.ts'
import { useMe } from '../api/use-me.ts'
import { lookUp } from '../screens/payments/payment-lookup.ts'
import { linksTexts } from '../text/links-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import { sessionsTexts } from '../text/sessions-texts.ts'
import { shellTexts } from '../text/shell-texts.ts'
import { statusTexts } from '../text/status-texts.ts'
import { useLate } from './use-late.ts'

/** From so many characters on, a text is searched for. */
const fewest = 3
const page = { limit: 5, offset: 0, count: 'none' } as const

type FoundPath = '/$scope/payments/$id' | '/$scope/sessions/$id' | '/$scope/links/$id'

/** An object that has a text. */
interface Found {
  id: string
  group: string
  to: FoundPath
  title: string
  detail: string
}

/** Returns the payments of the first of some queries that has any, the newest first, and that query. */
export async function findPayments(scope: string, queries: readonly Search[], limit: number, signal: AbortSignal) {
  const { transactions } = cobroOf(scope)
  for (const query of queries) {
    const { data } = await transactions.list(lookUp({ ...page, ...query, limit }), { signal })
    if (data.length > 0) return { query, payments: data }
  }
  return { query: queries.at(-1), payments: [] }
}

/** Searches payments, sessions and links at once. What a text before it asked for is aborted. */
export function useFound(text: string) {
  const { scope, may } = useMe()
  const search = useLate(text.trim())
  const isAsked = text.trim().length >= fewest
  const shared = { retry: false, networkMode: 'always' } as const
  const of = (name: string, operation: string) => ({
    ...shared,
    queryKey: [scope, name, search],
    enabled: search.length >= fewest && search === text.trim() && may(operation),
  })
  const payments = useQuery({
    ...of('found payments', 'listTransactions'),
    queryFn: async ({ signal }) => (await findPayments(scope, paymentQueriesOf(search), page.limit, signal)).payments,
  })
  const sessions = useQuery({
    ...of('found sessions', 'listCheckoutSessions'),
    queryFn: async ({ signal }) => (await cobroOf(scope).checkout.sessions.list({ ...page, search }, { signal })).data,
  })
  const links = useQuery({
    ...of('found links', 'listPaymentLinks'),
    queryFn: async ({ signal }) => (await cobroOf(scope).paymentLinks.list({ ...page, search }, { signal })).data,
  })
  const found = useNamed()
  const queries = [payments, sessions, links]
  const isCurrent = isAsked && search === text.trim()
  return {
    found: isCurrent
      ? [
          ...(payments.data ?? []).map(found.payment),
          ...(sessions.data ?? []).map(found.session),
          ...(links.data ?? []).map(found.link),
        ]
      : [],
    isBusy: isAsked && (!isCurrent || queries.some(({ isFetching }) => isFetching)),
    hasFailed: isCurrent && queries.some(({ isError }) => isError),
  }
}

/** Returns how objects are called in a list of what was found. */
function useNamed() {
  const shell = useTexts(shellTexts)
  const words = useTexts(statusTexts)
  const { statuses: ofSessions } = useTexts(sessionsTexts)
  const { statuses: ofLinks } = useTexts(linksTexts)
  const { locale } = useLocale()
  const joined = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' · ')
  return {
    payment: ({ id, amount_cents, currency, status, order_id, reference, payer_email }: Transaction): Found => ({
      ...{ id, group: shell.payments, to: '/$scope/payments/$id' },
      title: formatAmount(amount_cents, currency, locale),
      detail: joined(words.payment[status], reference ?? order_id, payer_email),
    }),
    session: ({ id, amount_total, currency, status, external_id, customer }: CheckoutSession): Found => ({
      ...{ id, group: shell.sessions, to: '/$scope/sessions/$id' },
      title: formatAmount(amount_total, currency, locale),
      detail: joined(ofSessions[status], external_id, customer?.email),
    }),
    link: ({ id, amount_cents, currency, status, concepto, payer_email }: PaymentLink): Found => ({
      ...{ id, group: shell.links, to: '/$scope/links/$id' },
      title: formatAmount(amount_cents, currency, locale),
      detail: joined(ofLinks[status], concepto, payer_email),
    }),
  }
}
