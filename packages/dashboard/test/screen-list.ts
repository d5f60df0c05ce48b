/** A screen of the dashboard that reads something. */
export interface Screen {
  readonly name: string
  /** Its address below the merchant. */
  readonly path: string
  /** The operation that it reads. */
  readonly reads: string
  /** The operations without which it shows nothing. */
  readonly needs: readonly string[]
  /** What it shows once it has read that. */
  readonly filled: string
  /** Whether what it reads never changes. */
  readonly isConstant?: true
  /** The text of its entry in the menu. */
  readonly section?: Section
}

/** The entries of the menu that need a permission. */
export type Section =
  | 'home'
  | 'payments'
  | 'links'
  | 'sessions'
  | 'refunds'
  | 'webhooks'
  | 'keys'
  | 'requests'
  | 'branches'
  | 'tests'

const id = (prefix: string) => `${prefix}_01kdvc4x2m8p6q7r9s0t1v2w3x`
const row = 'main tbody tr'
const heading = 'main h1'

const list = (path: string, reads: string, section?: Section): Screen => ({
  ...{ name: path, path, reads, needs: [reads], filled: row },
  ...(section && { section }),
})
const detail = (name: string, path: string, reads: string): Screen => ({
  ...{ name, path, reads, needs: [reads], filled: heading },
})

/** The screens that are lists. */
export const lists: readonly Screen[] = [
  list('payments', 'listTransactions', 'payments'),
  list('refunds', 'listTransactions', 'refunds'),
  list('links', 'listPaymentLinks', 'links'),
  list('sessions', 'listCheckoutSessions', 'sessions'),
  list('webhooks', 'listWebhooks', 'webhooks'),
  list('deliveries', 'listWebhookDeliveries'),
  list('keys', 'listApiKeys', 'keys'),
  list('requests', 'listRequests', 'requests'),
  list('branches', 'listSucursales', 'branches'),
  list('terminals', 'listTerminales'),
]

/** The screens of one object. */
export const details: readonly Screen[] = [
  detail('payment', `payments/${id('txn')}`, 'getTransaction'),
  detail('link', `links/${id('pl')}`, 'getMerchantPaymentLink'),
  detail('session', `sessions/${id('cs')}`, 'getMerchantCheckoutSession'),
  detail('delivery', `deliveries/${id('whd')}`, 'getWebhookDelivery'),
  detail('request', `requests/${id('req')}`, 'listRequests'),
  detail('branch', `branches/${id('suc')}`, 'getSucursal'),
]

const reports = ['getPaymentReport', 'getDeclineReport', 'getCheckoutReport', 'getWebhookReport']

/** All screens that read something of their own. */
export const screens: readonly Screen[] = [
  {
    name: 'home',
    path: '',
    reads: 'getPaymentReport',
    needs: reports,
    filled: 'main [aria-label=Pagos] dl, main [aria-label=Payments] dl',
    section: 'home',
  },
  ...lists,
  ...details,
  { ...list('sandbox', 'listTestCards', 'tests'), isConstant: true },
]
