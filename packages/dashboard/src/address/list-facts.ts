import type { SavedView } from '@cobro/sdk/admin'

/** The call of the API that makes the first row of a list. */
interface FirstCall {
  method: 'GET' | 'POST'
  path: `/${string}`
  body?: object
  /** Whether only users may make it. Keys make the others. */
  isOfUsers?: true
}

interface ListFacts {
  /** The operation that a user has to be allowed to see it. */
  needs: string
  /** The list whose screen its rows come from, where they are not made on its own. */
  source?: 'links' | 'payments' | 'keys' | 'webhooks'
  call: FirstCall
}

const newLink: FirstCall = {
  method: 'POST',
  path: '/api/payment-links',
  body: { amount: '250.00', concepto: 'Curso de barismo', reference: 'A-1042' },
}

/** What every list needs, and how its first row is made. */
export const listFacts: Readonly<Record<SavedView['list'], ListFacts>> = {
  payments: { needs: 'listTransactions', source: 'links', call: newLink },
  refunds: {
    needs: 'listTransactions',
    source: 'payments',
    call: { method: 'POST', path: '/api/transactions/{id}/refund' },
  },
  links: { needs: 'listPaymentLinks', call: newLink },
  sessions: {
    needs: 'listCheckoutSessions',
    source: 'keys',
    call: {
      method: 'POST',
      path: '/checkout/v1/sessions',
      body: { amount_total: 25_000, external_id: 'A-1042', success_url: 'https://shop.example/thanks' },
    },
  },
  webhooks: {
    needs: 'listWebhooks',
    call: { method: 'POST', path: '/api/webhooks', body: { url: 'https://shop.example/cobro', events: ['*'] } },
  },
  deliveries: {
    needs: 'listWebhookDeliveries',
    source: 'webhooks',
    call: { method: 'POST', path: '/api/webhooks/{id}/test' },
  },
  keys: {
    needs: 'listApiKeys',
    call: { method: 'POST', path: '/api/api-keys', body: { name: 'shop' }, isOfUsers: true },
  },
  requests: { needs: 'listRequests', source: 'keys', call: { method: 'GET', path: '/api/me' } },
  branches: {
    needs: 'listSucursales',
    call: { method: 'POST', path: '/api/sucursales', body: { name: 'Centro' } },
  },
  terminals: {
    needs: 'listTerminales',
    call: { method: 'POST', path: '/api/terminales', body: { name: 'Caja 1', serial: 'T-1042' } },
  },
}

/** Returns a call for a shell. The credential stays in the environment of who runs it. */
export function curlOf({ method, path, body, isOfUsers }: FirstCall, origin: string): string {
  const credential = isOfUsers ? 'Bearer $COBRO_ACCESS_TOKEN' : 'Token $COBRO_API_KEY'
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${origin}${path}`,
    `-H "Authorization: ${credential}"`,
    ...(body ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`] : []),
  ].join(' \\\n  ')
}
