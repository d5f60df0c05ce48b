import { payHosted, type Stack } from '@cobro/local'
import { waitFor } from '@cobro/testing'
import { clientsOf } from './api-client.ts'

/** A call of an operation: what its path's parameters are, and what it sends. */
interface MatrixCall {
  params?: Record<string, string>
  body?: object
}

const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
const charge = { amount: '250.00', concepto: 'Curso' }
// Who calls is asked before what: a card that cannot be read is told so by checkout itself.
const unreadable = { method: 'card', card_jwe: 'unreadable' }

/**
 * Gives for each operation a call that its best placed caller would see succeed, on things of the stack's first merchant that
 * were made for this call alone where the operation changes them.
 */
export async function matrixCalls(stack: Stack): Promise<Record<string, () => Promise<MatrixCall>>> {
  const { merchant, operator, payer } = await clientsOf(stack)
  const mine = { 'x-merchant-id': stack.merchant_id }
  let made = 0
  const unique = (word: string) => `${word} ${++made}`

  const create = async (path: string, body: object): Promise<string> => {
    const answer = await operator.call('POST', path, body, mine)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
    return (answer.body.data ?? answer.body).id
  }
  const session = async () => (await merchant.call('POST', '/checkout/v1/sessions', order)).body
  const link = async () => (await merchant.call('POST', '/checkout/v1/links', charge)).body.data as { id: string }
  const voucher = async (): Promise<string> => {
    const { id } = (await merchant.call('POST', '/checkout/v1/links', { ...charge, payment_method_types: ['cash'] }))
      .body.data
    const { status, body } = await payer.call('POST', `/hosted/v1/links/${id}/payments`, { method: 'cash' })
    if (!body.voucher) throw new Error(`No voucher was issued: ${status} ${JSON.stringify(body)}`)
    return body.voucher.reference
  }
  const params = (id: string) => ({ params: { id } })
  const sucursal = () => create('/api/sucursales', { name: unique('Centro') })
  const terminal = () => create('/api/terminales', { name: 'T', serial: unique('serial') })
  const webhook = () => create('/api/webhooks', { url: 'http://127.0.0.1:18080/', events: ['*'] })
  const apiKey = () => create('/api/api-keys', { name: unique('key') })
  const merchantOfNobody = () => create('/api/merchants', { name: unique('Café'), legal_name: 'Café SA de CV' })
  const user = async (more: object = {}) => {
    const account = { email: `user-${++made}@matrix.test`, role: 'client', merchant_id: stack.merchant_id, ...more }
    const { body } = await operator.call('POST', '/api/users', account)
    return body as { data: { id: string }; setup_token: string }
  }
  const firstOf = (path: string) =>
    waitFor(async () => (await operator.call('GET', path, undefined, mine)).body.data[0]?.id as string | undefined)

  await webhook()
  await payHosted(stack.hosted_url, (await session()).id, '4242424242424242')
  const transaction = await firstOf('/api/transactions')
  const delivery = await firstOf('/api/webhook-deliveries')
  const event = await firstOf('/api/events')
  const tokens = async () => (await payer.call('POST', '/api/auth/login', stack.client)).body
  const nothing = async () => ({})

  return {
    getHealth: nothing,
    getJwks: nothing,
    login: async () => ({ body: stack.client }),
    refreshToken: async () => ({ body: { refresh_token: (await tokens()).refresh_token } }),
    logout: async () => ({ body: { refresh_token: (await tokens()).refresh_token } }),
    setPassword: async () => ({ body: { token: (await user()).setup_token, password: 'a long enough password' } }),
    getOpenApi: nothing,
    showDocs: nothing,
    getDocsFile: async () => ({ params: { file: 'start.js' } }),

    listMerchants: nothing,
    getMerchant: async () => params(stack.merchant_id),
    createMerchant: async () => ({ body: { name: unique('Café'), legal_name: 'Café SA de CV' } }),
    updateMerchant: async () => ({ ...params(stack.merchant_id), body: { legal_name: unique('Café') } }),
    deleteMerchant: async () => params(await merchantOfNobody()),
    listUsers: nothing,
    getUser: async () => params((await user()).data.id),
    createUser: async () => ({
      body: { email: `user-${++made}@matrix.test`, role: 'client', merchant_id: stack.merchant_id },
    }),
    updateUser: async () => ({ ...params((await user()).data.id), body: { name: 'Ana' } }),
    deleteUser: async () => params((await user()).data.id),
    issueSetupToken: async () => params((await user()).data.id),

    createApiKey: async () => ({ body: { name: unique('key') } }),
    listApiKeys: nothing,
    getApiKey: async () => params(await apiKey()),
    updateApiKey: async () => ({ ...params(await apiKey()), body: { name: unique('key') } }),
    deleteApiKey: async () => params(await apiKey()),
    rotateApiKey: async () => ({ ...params(await apiKey()), body: { overlap_seconds: 0 } }),

    createCheckoutSession: async () => ({ body: order }),
    getCheckoutSession: async () => params((await session()).id),
    cancelCheckoutSession: async () => params((await session()).id),
    createLink: async () => ({ body: charge }),
    getLink: async () => params((await link()).id),
    cancelLink: async () => params((await link()).id),

    listSessions: nothing,
    getSession: async () => params((await session()).id),
    createSession: async () => ({ body: order }),
    updateSession: async () => ({ ...params((await session()).id), body: { external_id: unique('order') } }),
    deleteSession: async () => params((await session()).id),
    listPaymentLinks: nothing,
    getPaymentLink: async () => params((await link()).id),
    createPaymentLink: async () => ({ body: charge }),
    updatePaymentLink: async () => ({ ...params((await link()).id), body: { concepto: unique('Curso') } }),
    deletePaymentLink: async () => params((await link()).id),

    showCheckoutPage: async () => params((await session()).id),
    getHostedAsset: async () => ({ params: { file: await assetOf(stack, (await session()).url) } }),
    getHostedSession: async () => params((await session()).id),
    streamHostedSession: async () => params((await session()).id),
    payHostedSession: async () => ({ ...params((await session()).id), body: unreadable }),
    cancelHostedSession: async () => params((await session()).id),
    showLinkPage: async () => params((await link()).id),
    getHostedLink: async () => params((await link()).id),
    streamHostedLink: async () => params((await link()).id),
    payHostedLink: async () => ({ ...params((await link()).id), body: unreadable }),
    getPublicLink: async () => params((await link()).id),

    receiveNotification: async () => ({ body: { id: unique('notice'), type: 'voucher.paid', data: {} } }),
    paySandboxVoucher: async () => ({ params: { reference: await voucher() } }),

    listTransactions: nothing,
    getTransaction: async () => params(transaction),

    listSucursales: nothing,
    getSucursal: async () => params(await sucursal()),
    createSucursal: async () => ({ body: { name: unique('Norte') } }),
    updateSucursal: async () => ({ ...params(await sucursal()), body: { phone: '55 1234' } }),
    deleteSucursal: async () => params(await sucursal()),
    listTerminales: nothing,
    getTerminal: async () => params(await terminal()),
    createTerminal: async () => ({ body: { name: 'T', serial: unique('serial') } }),
    updateTerminal: async () => ({ ...params(await terminal()), body: { name: 'U' } }),
    deleteTerminal: async () => params(await terminal()),
    linkTerminal: async () => ({ ...params(await terminal()), body: { sucursal_id: await sucursal() } }),
    unlinkTerminal: async () => {
      const id = await terminal()
      await operator.call('POST', `/api/terminales/${id}/link`, { sucursal_id: await sucursal() }, mine)
      return params(id)
    },

    listWebhooks: nothing,
    getWebhook: async () => params(await webhook()),
    createWebhook: async () => ({ body: { url: 'http://127.0.0.1:18080/', events: ['*'] } }),
    updateWebhook: async () => ({ ...params(await webhook()), body: { description: 'changed' } }),
    deleteWebhook: async () => params(await webhook()),
    listWebhookEvents: nothing,
    listWebhookDeliveries: nothing,
    getWebhookDelivery: async () => params(delivery),

    listEvents: nothing,
    getEvent: async () => params(event),
    exportEvents: nothing,
    verifyEvents: nothing,
    listCheckpoints: nothing,
    listCheckpointKeys: nothing,
  }
}

async function assetOf(stack: Stack, url: string): Promise<string> {
  const page = await fetch(url)
  const [, file = ''] = /\/hosted\/assets\/([\w.-]+)"/.exec(await page.text()) ?? []
  if (!file) throw new Error(`The page at ${stack.hosted_url} names no asset.`)
  return file
}
