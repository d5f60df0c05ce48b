import { payByCard, type Stack } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from './acceptance-stack.ts'
import { clientsOf } from './api-client.ts'
import { heldCall } from './held-call.ts'

/** A call of an operation: its path parameters, its body, and headers if the body is no ordinary JSON. */
export interface MatrixCall {
  params?: Record<string, string>
  body?: object
  headers?: Record<string, string>
}

const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
const charge = { amount: '250.00', concepto: 'Curso' }
// Authorization comes before validation: checkout itself rejects a card that cannot be decrypted.
const unreadable = { method: 'card', card_jwe: 'unreadable' }

/**
 * Returns, for each operation, a factory of calls that succeed for the most privileged caller.
 * Each call is about objects of the stack's first merchant, created for that call if the operation changes them, by `clients` or new
 * ones.
 */
export async function matrixCalls(
  { stack, query }: Pick<AcceptanceStack, 'stack' | 'query'>,
  clients?: Awaited<ReturnType<typeof clientsOf>>,
): Promise<Record<string, () => Promise<MatrixCall>>> {
  const { merchant, operator, client, payer } = clients ?? (await clientsOf(stack))
  const mine = { 'x-merchant-id': stack.merchant_id }
  let made = 0
  const unique = (word: string) => `${word} ${++made}`

  const create = async (path: string, body: object): Promise<string> => {
    const answer = await operator.call('POST', path, body, mine)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
    return (answer.body.data ?? answer.body).id
  }
  const session = async (change: object = {}) =>
    (await merchant.call('POST', '/checkout/v1/sessions', { ...order, ...change })).body
  const link = async () =>
    (await merchant.call('POST', '/checkout/v1/links', charge)).body.data as { id: string; correlation_id: string }
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
  const merchantWithoutData = () => create('/api/merchants', { name: unique('Café'), legal_name: 'Café SA de CV' })
  const user = async (more: object = {}) => {
    const account = { email: `user-${++made}@matrix.test`, role: 'client', merchant_id: stack.merchant_id, ...more }
    const { body } = await operator.call('POST', '/api/users', account)
    return body as { data: { id: string; email: string }; setup_token: string }
  }
  const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000 }
  const manual = () => create('/api/transactions', sale)
  const feeRule = () => create('/api/fee-rules', { name: unique('Tarifa') })
  const reserve = () => create('/api/rolling-reserve', { percent_bps: 100, hold_days: 30, active: false })
  const payouts = { frequency: 'daily', active: false }
  const settlementConfig = () => create('/api/settlement-config', payouts)
  const bank = { clabe: '032180000118359719', holder: 'Café Azul SA de CV' }
  /** A settlement config whose bank account my client has changed, so that another user has to approve it. */
  const changedConfig = async () => {
    const id = await settlementConfig()
    const { status, body } = await client.call('PUT', `/api/settlement-config/${id}`, { bank })
    if (!body.data?.bank_pending) throw new Error(`The bank account was not on hold: ${status} ${body.error}`)
    return { ...params(id), effective_at: body.data.bank_pending.effective_at }
  }
  const approval = () => heldCall(query, { merchant_id: stack.merchant_id, name: unique('Tarifa') })
  const snapshot = () => create('/api/balance-snapshots', {})
  const payment = async (change: object = {}) => {
    const { id } = await session(change)
    await payByCard(stack.hosted_url, id, '4242424242424242')
    return (await merchant.call('GET', `/checkout/v1/sessions/${id}`)).body.transaction_id as string
  }
  /** The day of the payments so far; a matrix that runs past midnight has payments on two days. */
  const period = () => {
    const today = new Date().toISOString().slice(0, 10)
    return { period_start: today, period_end: today }
  }
  // A settlement also takes refunds of payments that were settled before. This payment exceeds those of all rows.
  const somethingToSettle = (amount_total = 10_000_000) => payment({ amount_total })
  /** Another call may settle the payment first, and disputes may exceed it: then a larger one follows. */
  const settlement = async (amount = 10_000_000): Promise<string> => {
    await somethingToSettle(amount)
    const { status, body } = await operator.call('POST', '/api/settlements', period(), mine)
    if (status === 409 && amount < 10_000_000_000) return settlement(amount * 10)
    if (status !== 201) throw new Error(`No settlement was made: ${status} ${body.error}`)
    return body.data.id
  }
  const complaint = async () => ({ transaction_id: await payment(), reason: 'fraudulent' })
  const dispute = async () => create('/api/disputes', await complaint())
  const firstOf = (path: string) =>
    waitFor(async () => (await operator.call('GET', path, undefined, mine)).body.data[0]?.id as string | undefined)

  let block: Promise<string> | undefined
  /** A block of a link on which ten cards were declined: one for all calls, because so many declines would block the address. */
  const paymentBlock = () => {
    block ??= link().then(async ({ id }) => {
      for (let declines = 0; declines < 10; declines++) await payByCard(stack.hosted_url, id, '4000000000000002')
      return firstOf(`/api/payment-blocks?payable_id=${id}`)
    })
    return block
  }

  await webhook()
  await create('/api/settlement-config', { frequency: 'daily', delay_days: 0 })
  await payByCard(stack.hosted_url, (await session()).id, '4242424242424242')
  const transaction = await firstOf('/api/transactions')
  const delivery = await firstOf('/api/webhook-deliveries')
  const event = await firstOf('/api/events')
  const tokens = async () => (await payer.call('POST', '/api/auth/login', stack.client)).body
  const pastEvent = async () => ({ webhook_id: await webhook(), event_id: (await readDelivery(delivery)).event_id })
  const readDelivery = async (id: string) =>
    (await operator.call('GET', `/api/webhook-deliveries/${id}`, undefined, mine)).body.data
  // Nothing listens where these webhooks point, so each attempt fails: a test delivery ends with the first one, and a
  // past event waits for a long time after the second.
  const attempted = async (id: string, times = 1) => {
    await waitFor(async () => (await readDelivery(id)).attempts.length >= times)
    return id
  }
  const waitingDelivery = async () => attempted(await create('/api/webhook-deliveries', await pastEvent()), 2)
  const endedDelivery = async () => {
    const { body } = await operator.call('POST', `/api/webhooks/${await webhook()}/test`, undefined, mine)
    return attempted(body.data.id)
  }
  const nothing = async () => ({})

  return {
    getHealth: nothing,
    getJwks: nothing,
    login: async () => ({ body: stack.client }),
    refreshToken: async () => ({ body: { refresh_token: (await tokens()).refresh_token } }),
    // The password of the first merchant's client: everyone else's is another.
    confirmLogin: async () => ({ body: { password: stack.client.password } }),
    logout: async () => ({ body: { refresh_token: (await tokens()).refresh_token } }),
    setPassword: async () => ({ body: { token: (await user()).setup_token, password: 'a long enough password' } }),
    resetPassword: async () => ({ body: { email: (await user()).data.email } }),
    showPasswordPage: nothing,
    getOpenApi: nothing,
    showDocs: nothing,
    redirectToDocs: nothing,
    showDocsPage: async () => ({ params: { page: 'quickstart' } }),
    showDashboard: nothing,
    showDashboardHome: nothing,
    showLinkPreview: nothing,
    showDashboardScreen: async () => ({ params: { screen: 'all/payments' } }),
    getDashboardFile: async () => ({ params: { file: 'none.js' } }),
    getDocsFile: async () => ({ params: { chapter: 'guides', file: 'webhooks' } }),

    listMerchants: nothing,
    getMerchant: async () => params(stack.merchant_id),
    createMerchant: async () => ({ body: { name: unique('Café'), legal_name: 'Café SA de CV' } }),
    updateMerchant: async () => ({ ...params(stack.merchant_id), body: { legal_name: unique('Café') } }),
    deleteMerchant: async () => params(await merchantWithoutData()),
    listUsers: nothing,
    getUser: async () => params((await user()).data.id),
    createUser: async () => ({
      body: { email: `user-${++made}@matrix.test`, role: 'client', merchant_id: stack.merchant_id },
    }),
    updateUser: async () => ({ ...params((await user()).data.id), body: { name: 'Ana' } }),
    deleteUser: async () => params((await user()).data.id),
    issueSetupToken: async () => params((await user()).data.id),

    removeUserFactor: async () => params((await user()).data.id),

    browserLogin: async () => ({ body: stack.client }),
    browserLoginWithFactor: async () => ({ body: { mfa_token: 'none', code: '123456' } }),
    refreshBrowserLogin: nothing,
    browserLogout: nothing,

    getMe: nothing,
    getPreferences: nothing,
    // The version of the next change is not known here.
    updatePreferences: async () => ({ body: { version: 1_000_000 } }),
    logInWithFactor: async () => ({ body: { mfa_token: 'none', code: '123456' } }),
    setUpFactorAtLogin: async () => ({ body: { mfa_token: 'none' } }),
    getFactor: nothing,
    setUpFactor: nothing,
    // No code: a right one would be asked for at the next login.
    confirmFactor: async () => ({ body: { code: '' } }),
    removeFactor: async () => ({ body: { code: '' } }),
    // Too short: other tests log in with the password.
    changePassword: async () => ({ body: { password: '' } }),
    endOtherLogins: nothing,

    createApiKey: async () => ({ body: { name: unique('key') } }),
    listApiKeys: nothing,
    getApiKey: async () => params(await apiKey()),
    updateApiKey: async () => ({ ...params(await apiKey()), body: { name: unique('key') } }),
    deleteApiKey: async () => params(await apiKey()),
    rotateApiKey: async () => ({ ...params(await apiKey()), body: { overlap_seconds: 0 } }),

    createCheckoutSession: async () => ({ body: order }),
    getCheckoutSession: async () => params((await session()).id),
    cancelCheckoutSession: async () => params((await session()).id),
    createPaymentLink: async () => ({ body: charge }),
    getPaymentLink: async () => params((await link()).id),
    cancelPaymentLink: async () => params((await link()).id),

    listCheckoutSessions: nothing,
    getMerchantCheckoutSession: async () => params((await session()).id),
    createMerchantCheckoutSession: async () => ({ body: order }),
    updateCheckoutSession: async () => ({ ...params((await session()).id), body: { external_id: unique('order') } }),
    deleteCheckoutSession: async () => params((await session()).id),
    listPaymentLinks: nothing,
    getMerchantPaymentLink: async () => params((await link()).id),
    createMerchantPaymentLink: async () => ({ body: charge }),
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
    reportPolicyViolations: async () => ({ body: [], headers: { 'content-type': 'application/reports+json' } }),

    listPaymentBlocks: nothing,
    getPaymentBlock: async () => params(await paymentBlock()),
    liftPaymentBlock: async () => params(await paymentBlock()),

    receiveNotification: async () => ({ body: { id: unique('notice'), type: 'voucher.paid', data: {} } }),
    listTestCards: nothing,
    paySandboxVoucher: async () => ({ params: { reference: await voucher() } }),

    listTransactions: nothing,
    exportTransactions: nothing,
    getTransaction: async () => params(transaction),
    createTransaction: async () => ({ body: sale }),
    updateTransaction: async () => ({ ...params(await manual()), body: { reference: unique('A') } }),
    deleteTransaction: async () => params(await manual()),
    refundTransaction: async () => params(await payment()),

    listFeeRules: nothing,
    getFeeRule: async () => params(await feeRule()),
    createFeeRule: async () => ({ body: { name: unique('Tarifa') } }),
    updateFeeRule: async () => ({ ...params(await feeRule()), body: { priority: 1 } }),
    deleteFeeRule: async () => params(await feeRule()),
    listRollingReserves: nothing,
    getRollingReserve: async () => params(await reserve()),
    createRollingReserve: async () => ({ body: { percent_bps: 100, hold_days: 30, active: false } }),
    updateRollingReserve: async () => ({ ...params(await reserve()), body: { hold_days: 31 } }),
    deleteRollingReserve: async () => params(await reserve()),
    listSettlementConfigs: nothing,
    getSettlementConfig: async () => params(await settlementConfig()),
    createSettlementConfig: async () => ({ body: payouts }),
    updateSettlementConfig: async () => ({ ...params(await settlementConfig()), body: { bank: null } }),
    approveBankChange: async () => {
      const { params, effective_at } = await changedConfig()
      return { params, body: { effective_at } }
    },
    cancelBankChange: async () => params((await changedConfig()).params.id),
    deleteSettlementConfig: async () => params(await settlementConfig()),
    listSettlements: nothing,
    getSettlement: async () => params(await settlement()),
    createSettlement: async () => {
      await somethingToSettle()
      return { body: period() }
    },
    updateSettlement: async () => ({ ...params(await settlement()), body: { status: 'paid' } }),
    deleteSettlement: async () => params(await settlement()),
    listDisputes: nothing,
    getDispute: async () => params(await dispute()),
    createDispute: async () => ({ body: await complaint() }),
    updateDispute: async () => ({ ...params(await dispute()), body: { evidence: { receipt: 'Ticket 5' } } }),
    deleteDispute: async () => params(await dispute()),
    listBalanceSnapshots: nothing,
    getBalanceSnapshot: async () => params(await snapshot()),
    createBalanceSnapshot: async () => ({ body: {} }),
    updateBalanceSnapshot: async () => ({ ...params(await snapshot()), body: { note: 'seen' } }),
    deleteBalanceSnapshot: async () => params(await snapshot()),
    checkLedger: nothing,
    listApprovals: nothing,
    getApproval: async () => params(await approval()),
    approveCall: async () => params(await approval()),
    rejectCall: async () => params(await approval()),

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
    rotateWebhookSecret: async () => params(await webhook()),
    testWebhook: async () => params(await webhook()),
    redeliverToWebhook: async () => {
      const body = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
      return { ...params(await webhook()), body }
    },
    getEventCatalog: nothing,
    listWebhookEvents: nothing,
    getWebhookEvent: async () => params((await readDelivery(delivery)).event_id),
    listWebhookDeliveries: nothing,
    getWebhookDelivery: async () => params(delivery),
    createWebhookDelivery: async () => ({ body: await pastEvent() }),
    cancelWebhookDelivery: async () => ({ ...params(await waitingDelivery()), body: { status: 'cancelled' } }),
    deleteWebhookDelivery: async () => params(await endedDelivery()),
    redeliverWebhook: async () => params(await endedDelivery()),

    getPaymentReport: nothing,
    getDeclineReport: nothing,
    getCheckoutReport: nothing,
    getWebhookReport: nothing,

    listRequests: nothing,
    getLifecycle: async () => ({ params: { correlation_id: (await link()).correlation_id } }),
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
